"""Messages of the page Runs: summaries of runs."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tefuda.solvers.runs.listing import RunSummary, list_runs


def runs_message(folder: Path) -> dict[str, Any]:
    """Return the runs of a folder, the last written first."""
    return {"runs": [_summary(folder, run) for run in list_runs(folder)]}


def _summary(folder: Path, run: RunSummary) -> dict[str, Any]:
    """Return a run's summary, with the parameters of the game as text and without the path of the folder."""
    parameters = ", ".join(f"{name}={value}" for name, value in run.game_parameters.items())
    return {**asdict(run), "game_parameters": parameters, "error": run.error.replace(f"{folder}{os.sep}", "")}
