"""Messages of the page Runs: summaries of runs."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.apps.web.messages.message import Message
from tefuda.apps.web.messages.solving.solve import can_explore
from tefuda.apps.web.plans import PAGE_GAMES
from tefuda.apps.web.run_names import list_runs
from tefuda.errors import TefudaError
from tefuda.games.catalogue import GAMES, load_game
from tefuda.games.parameters import json_parameters
from tefuda.solvers.runs.listing import RunSummary, run_curve

_POINTS = 24  # at most, of the small curve of a run
_SHARED = ("tree", "hands")
_STREETS = {3: "flop", 4: "turn", 5: "river"}


class Figure(Message):
    """The last evaluation of a run."""

    title: str = ""
    unit: str = ""
    value: float | None = None


class Spot(Message):
    """A spot of hold'em in the list of runs.

    Attributes:
        board: codes of its cards.
        sizes: bets of its first street, as `make_spot` reads them.
    """

    board: Sequence[str]
    street: str
    pot: float
    stack: float
    sizes: str


class Summary(Message):
    """A run in the list of runs.

    Attributes:
        game_parameters: parameters of the game; {} for a spot.
        changed: names of the parameters that differ from their defaults.
        spot: the spot; None for other games.
        form: representation of the game.
        target: iterations after which it ends; None without this rule.
        error: damage of the run, without the path of the folder; "" for none.
        explored: whether the page can explore its strategy.
        played: whether a table can seat it.
        shared: whether a file can show it.
        curve: some points of its curve: iteration, and figure in three digits.
    """

    id: str
    title: str
    game: str
    game_parameters: Mapping[str, Any]
    changed: Sequence[str]
    spot: Spot | None
    form: str
    method: str
    status: str
    iterations: int
    target: int | None
    figure: Figure
    written: str
    error: str
    explored: bool
    played: bool
    shared: bool
    curve: Sequence[Sequence[float]]


def runs_message(folder: Path) -> dict[str, list[Summary]]:
    """Return the runs of a folder, the last written first."""
    return {"runs": [_summary(folder, run) for run in list_runs(folder)]}


def _summary(folder: Path, run: RunSummary) -> Summary:
    spot = _spot(run.game_parameters) if run.game == "spot" else None
    return Summary.of(
        run,
        game_parameters={} if spot else run.game_parameters,
        changed=[] if spot else _changed(run),
        spot=spot,
        form=run.representation,
        target=run.goal.get("iterations"),
        figure=Figure.of(run.figure),
        error=run.error.replace(f"{folder}{os.sep}", ""),
        explored=not run.error and can_explore(run.representation, run.game),
        played=not run.error and run.game in PAGE_GAMES,
        shared=run.representation in _SHARED and (spot is not None or can_explore(run.representation, run.game)),
        curve=[] if run.error else _curve(folder / run.id, run.written, run.iterations),
    )


def _spot(parameters: Mapping[str, Any]) -> Spot:
    board = parameters["board"].split()
    street = _STREETS.get(len(board), "preflop")
    sizes = parameters.get("more", {}).get(f"{street}_bet") or parameters.get("bets", "")
    return Spot(board, street, parameters["pot"], parameters["stack"], sizes)


def _changed(run: RunSummary) -> list[str]:
    usual = _usual(run.game)
    return [name for name, value in run.game_parameters.items() if json.dumps(value) != usual.get(name, "")]


@cache
def _usual(game: str) -> Mapping[str, str]:
    """Return the default parameters of a game as JSON texts; {} for a game without all defaults."""
    if game not in GAMES:
        return {}
    try:
        return {name: json.dumps(value) for name, value in json_parameters(load_game(game)).items()}
    except (TypeError, TefudaError):
        return {}


@lru_cache(maxsize=2048)
def _curve(folder: Path, written: str, iterations: int) -> list[list[float]]:
    """Return some points of the curve of a run; the time of its last write makes it be read again."""
    try:
        points = [[point.iteration, float(f"{point.figure:.3g}")] for point in run_curve(folder) if point.figure > 0]
    except TefudaError:
        return []
    return (
        [points[place] for place in np.unique(np.linspace(0, len(points) - 1, _POINTS).astype(int))] if points else []
    )
