"""Routes of solved spots of hold'em."""

from __future__ import annotations

from typing import Any

from tefuda.apps.web.calls import Call, NotFound, get
from tefuda.apps.web.run_names import PUSH_FOLD, find_run
from tefuda.apps.web.workspace import Workspace
from tefuda.errors import ParameterError
from tefuda.solvers.runs.run import read_run
from tefuda.solvers.runs.saved import load
from tefuda.solvers.runs.solution import Solution
from tefuda.words import parse_number

#: Representations of runs that these routes show.
REPRESENTATIONS = ("hands", "buckets")
_ROOT = "-"  # the first decision, whose line is empty


def node(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return a node of a solved spot or limit game; the slashes of its line are written as ``~``."""
    from tefuda.apps.web.messages.spot_pages import node_page

    return node_page(_node(workspace, call), call.path["run"])


def _node(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return the message of a node, or of a decision of push or fold."""
    from tefuda.apps.web.messages.limit import place_message
    from tefuda.apps.web.messages.spots import node_message

    run, line = call.path["run"], "" if call.path["line"] == _ROOT else call.path["line"].replace("~", "/")
    if run.startswith(PUSH_FOLD):
        return push_fold(workspace, run, line)
    solution, key = solved_holdem(workspace, run)
    message = {"hands": node_message, "buckets": place_message}[solution.form.representation]
    return dict(workspace.values.get((*key, line), lambda: message(solution, run, line)))


def push_fold(workspace: Workspace, name: str, line: str) -> dict[str, Any]:
    """Return a decision of push or fold; the stack in big blinds is the end of the name."""
    from tefuda.apps.web.messages.pushfold import push_fold_message
    from tefuda.holdem.spots.pushfold import pushfold

    try:
        stack = float(parse_number(name.removeprefix(PUSH_FOLD)))
    except ValueError:
        raise ParameterError(
            f"expected {PUSH_FOLD} and a stack in big blinds, got {name[:40]!r}.", key="stack"
        ) from None
    return push_fold_message(workspace.values.get(("pushfold", stack), lambda: pushfold(stack)), name, line)


def solved_holdem(workspace: Workspace, run: str) -> tuple[Solution, tuple[object, ...]]:
    """Return the solution of a run of hold'em, loaded once, and the key under which its values are stored."""
    folder = find_run(workspace.folder, run)
    if (form := read_run(folder)["form"]["representation"]) not in REPRESENTATIONS:
        raise NotFound(f"the run {run} is no spot or limit game of hold'em, but of {form}.", key="run", value=run)
    key = ("spot", run, (folder / "run.json").stat().st_mtime_ns)
    return workspace.values.get(key, lambda: load(folder)), key


ROUTES = (get("/api/spots/{run}/{line}", node),)
