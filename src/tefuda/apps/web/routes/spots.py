"""Routes of solved spots of hold'em."""

from __future__ import annotations

from typing import Any

from tefuda.apps.web.calls import Call, NotFound, get
from tefuda.apps.web.workspace import Workspace
from tefuda.holdem.spots.compiled import CompiledSpot
from tefuda.solvers.runs.listing import find_run
from tefuda.solvers.runs.saved import load
from tefuda.solvers.runs.solution import Solution

_ROOT = "-"  # the first decision, whose line is empty


def node(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return a node of a solved spot; the slashes of its line are written as ``~``."""
    from tefuda.apps.web.messages.spots import node_message

    line = "" if call.path["line"] == _ROOT else call.path["line"].replace("~", "/")
    solution, key = solved_spot(workspace, call.path["run"])
    return dict(workspace.values.get((*key, line), lambda: node_message(solution, call.path["run"], line)))


def solved_spot(workspace: Workspace, run: str) -> tuple[Solution, tuple[object, ...]]:
    """Return the solution of a run, loaded once, and the key under which its values are stored."""
    folder = find_run(workspace.folder, run)
    key = ("spot", run, (folder / "run.json").stat().st_mtime_ns)
    solution = workspace.values.get(key, lambda: load(folder))
    if not isinstance(solution.form, CompiledSpot):
        raise NotFound(f"the run {run} is not a solved spot of hold'em.", key="run", value=run)
    return solution, key


ROUTES = (get("/api/spots/{run}/{line}", node),)
