"""Messages of the solve page: games with their parameters, plans, and the states of runs."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tefuda.apps.explaining import about, arguments_of
from tefuda.apps.web.messages.charts import Line, chart_message
from tefuda.apps.web.messages.message import Message
from tefuda.apps.web.own_games import id_of, own_ids, source_of
from tefuda.apps.web.plans import PAGE_GAMES, Evaluator, curve_row
from tefuda.forms.form import EXPLORED
from tefuda.games.catalogue import find_constructor
from tefuda.solvers.runs.evaluators import NashConv
from tefuda.solvers.runs.job import Job
from tefuda.solvers.runs.listing import run_curve, run_status
from tefuda.solvers.runs.methods import unit_of
from tefuda.solvers.runs.run import read_run

_KINDS = {bool: "flag", int: "whole", float: "number", str: "text"}
#: Defaults of parameters that differ on the page: it solves limit hold'em, which fits into buckets.
_DEFAULTS = {"holdem": {"limit": True}}
_TREES = ("tree", "partition")


class Run(Message):
    """A run, live or saved.

    Attributes:
        status: ``"waiting"``, ``"building"``, ``"failed"`` and ``"cancelled"`` too, beside those of a saved run.
        stop: the rule that stopped it; "" for none.
        values: value of the game to each player, once it is known.
        curve: points: iteration, seconds, figure and its interval.
        building: number of histories so far, or a text about the progress; None unless the game is being built.
        explored: whether the page can explore its strategy.
        game_id: id of its game at the page; None if the page cannot load it.
    """

    id: str
    game: str
    game_parameters: Mapping[str, Any]
    form: str
    method: str
    unit: str
    seed: int
    goal: Mapping[str, Any] | None
    status: str
    stop: str
    error: str
    curve: Sequence[Sequence[float]]
    version: int
    explored: bool
    game_id: str | None
    title: str = ""
    iterations: int = 0
    seconds: float = 0.0
    values: Sequence[float] = ()
    evaluator: Evaluator | None = None
    building: int | str | None = None


def run_state(state: Mapping[str, Any]) -> Run:
    """Return the message of the state of a run; state: see `saved_state`."""
    explored = bool(state["curve"]) and can_explore(state["form"], state["game"])
    return Run.of(state, explored=explored, game_id=id_of(state["game"]))


def can_explore(representation: str, game: str) -> bool:
    """Return whether the page can explore a strategy, whose game it must know."""
    return representation in EXPLORED and (representation not in _TREES or id_of(game) is not None)


def games_message() -> list[dict[str, Any]]:
    """Return the games that the page solves, own ones first, with their parameters."""
    return [_game(name) for name in (*own_ids(), *PAGE_GAMES)]


def _game(name: str) -> dict[str, Any]:
    make = find_constructor(source_of(name))
    meanings, defaults = arguments_of(make), _DEFAULTS.get(name, {})
    parameters = []
    for parameter in inspect.signature(make, eval_str=True).parameters.values():
        if parameter.kind == parameter.VAR_KEYWORD:
            continue
        needed = parameter.default is parameter.empty or parameter.name in defaults
        own = None if parameter.default is parameter.empty else parameter.default
        default = defaults.get(parameter.name, own)
        parameters.append(
            {
                "name": parameter.name,
                "kind": _KINDS.get(parameter.annotation, "value"),
                "default": json.loads(json.dumps(default)),
                "needed": needed,
                "meaning": meanings.get(parameter.name, ""),
            }
        )
    return {"name": name, "about": about(make).split("\n\n")[0], "parameters": parameters}


_OF_JOB = ("game", "game_parameters", "seed", "goal")  # fields of run.json, also of a plan
_OF_RUN = (*_OF_JOB, "stop", "iterations", "seconds")


def planned_state(job: Job) -> dict[str, Any]:
    """Return the state of a run that has not begun."""
    content, method = job.to_json(), job.method
    about = {"form": job.representation, "method": method.name, "unit": method.unit, "curve": []}
    return {name: content[name] for name in _OF_JOB} | about


def saved_state(folder: Path) -> dict[str, Any]:
    """Return the state of a saved run, with its curve."""
    content = read_run(folder)
    return {
        **{name: content[name] for name in _OF_RUN},
        "id": folder.name,
        "title": content.get("title", ""),
        "form": content["form"]["representation"],
        "method": content["method_parameters"]["name"],
        "unit": unit_of(content["method_parameters"]),
        "status": run_status(folder, content),
        "error": "",
        "values": content.get("values", []),
        "evaluator": Evaluator.of(content["figure"]),
        "written": content.get("written", ""),
        "curve": list(map(curve_row, run_curve(folder))),
    }


def curves_message(runs: Sequence[Run], column: int) -> dict[str, Any]:
    """Return a chart of the curves of runs, with a target as a line.

    Args:
        runs: the runs.
        column: 0 for iterations, 1 for seconds.
    """
    short = len({run.method for run in runs}) == len(runs) and len({run.game for run in runs}) == 1
    lines = [
        Line(
            run.title or (run.method if short else run.id),
            [(point[column], *point[2:]) for point in run.curve if math.isfinite(point[2])],
        )
        for run in runs
    ]
    known = [run.evaluator for run in runs if run.evaluator] or [Evaluator(NashConv.title, "")]
    figures = dict.fromkeys(text for each in known for text in (each.title, each.unit) if text)
    positive = all(value > 0 for line in lines for point in line.points for value in point[1:])
    lower = all(each.lower_is_better for each in known)
    across = "seconds" if column else runs[0].unit if runs else "iterations"
    targets = [run.goal["until"] for run in runs if run.goal and run.goal.get("until")]
    scales = ("log", "log" if positive and lower else "linear")
    return chart_message(lines, [[across], list(figures)], scales, {"target": targets[0]} if targets else {})
