"""Messages of the page Runs: summaries of runs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tefuda.apps.web.messages.message import Message
from tefuda.apps.web.messages.solving.solve import can_explore
from tefuda.apps.web.run_names import list_runs
from tefuda.solvers.runs.listing import RunSummary


@dataclass(frozen=True)
class Figure(Message):
    """The last evaluation of a run."""

    title: str = ""
    unit: str = ""
    value: float | None = None


@dataclass(frozen=True)
class Summary(Message):
    """A run in the list of runs.

    Attributes:
        game_parameters: parameters of the game as a text.
        error: damage of the run, without the path of the folder; "" for none.
        explored: whether the page can explore its strategy.
    """

    id: str
    title: str
    game: str
    game_parameters: str
    method: str
    status: str
    iterations: int
    figure: Figure
    written: str
    error: str
    explored: bool


@dataclass(frozen=True)
class Runs(Message):
    """The runs of a folder, the last written first."""

    runs: list[Summary]


@dataclass(frozen=True)
class Binned(Runs):
    """The runs that are left, and the folder of the run that was moved to the bin."""

    moved: str


def summaries(folder: Path) -> list[Summary]:
    """Return the runs of a folder, the last written first."""
    return [_summary(folder, run) for run in list_runs(folder)]


def _summary(folder: Path, run: RunSummary) -> Summary:
    return Summary.of(
        run,
        game_parameters=", ".join(f"{name}={value}" for name, value in run.game_parameters.items()),
        figure=Figure.of(run.figure),
        error=run.error.replace(f"{folder}{os.sep}", ""),
        explored=not run.error and can_explore(run.representation, run.game),
    )
