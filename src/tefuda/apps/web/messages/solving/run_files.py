"""Files of a run for people: curve and strategy as CSV, the curve as a picture, figures as JSON."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tefuda.apps.notebook import curve as curve_picture
from tefuda.apps.web.calls import stored_json
from tefuda.apps.web.messages.solving.solve import saved_state
from tefuda.apps.web.own_games import load_run
from tefuda.errors import ParameterError
from tefuda.evaluating.profile import Profile
from tefuda.files import csv_text, read_bytes
from tefuda.solvers.runs.evaluators import curve_evaluator
from tefuda.solvers.runs.listing import run_curve
from tefuda.solvers.runs.methods import unit_of
from tefuda.solvers.runs.run import read_run


def run_json(folder: Path) -> bytes:
    """Return the state of a run with its curve as JSON."""
    return stored_json(saved_state(folder)).encode()


def curve_csv(folder: Path) -> bytes:
    """Return the curve of a run as CSV, a row for each point."""
    points = run_curve(folder)
    return csv_text(points[0]._fields if points else ("iteration",), points).encode()


def curve_svg(folder: Path) -> bytes:
    """Return the curve of a run as a picture of its own."""
    content = read_run(folder)
    parameters = content["method_parameters"]
    picture = curve_picture({parameters["name"]: run_curve(folder)}, unit_of(parameters), curve_evaluator(content))
    if not picture:
        raise ParameterError("the curve has fewer than two points; let the run continue first.")
    return picture.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).encode()


def strategy_csv(folder: Path) -> bytes:
    """Return the reported strategy of a tree as CSV: infoset, action, probability."""
    profile = load_run(folder).strategy
    if not isinstance(profile, Profile):
        raise ParameterError("only strategies of game trees are saved as a table; explore this one on its page.")
    rows = [(name, action, share) for name, shares in profile.items() for action, share in shares.items()]
    return csv_text(("infoset", "action", "probability"), rows).encode()


#: The function that makes each file, and its type.
RUN_FILES: dict[str, tuple[Callable[[Path], bytes], str]] = {
    "curve.csv": (curve_csv, "text/csv"),
    "run.json": (run_json, "application/json"),
    "curve.svg": (curve_svg, "image/svg+xml"),
    "strategy.csv": (strategy_csv, "text/csv"),
    "profile.npz": (lambda folder: read_bytes(folder / "profile.npz"), "application/octet-stream"),
}
