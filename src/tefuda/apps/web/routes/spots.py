"""Routes of solved spots of hold'em."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from tefuda.apps.web.calls import Call, NotFound, get
from tefuda.apps.web.run_names import PUSH_FOLD, find_run
from tefuda.apps.web.workspace import Workspace
from tefuda.errors import ParameterError
from tefuda.holdem.preflop.pushfold import PushFold
from tefuda.solvers.runs.run import read_run
from tefuda.solvers.runs.saved import load
from tefuda.solvers.runs.solution import Solution
from tefuda.words import parse_number

if TYPE_CHECKING:
    from tefuda.apps.web.messages.spots import NextCards, Node
    from tefuda.holdem.spots.node import Node as SpotNode

#: Representations of runs that these routes show.
REPRESENTATIONS = ("hands", "buckets")
_ROOT = "-"  # the first decision, whose line is empty
T = TypeVar("T")


def node(workspace: Workspace, call: Call) -> Node:
    """Return a node of a run or of push or fold; the slashes of its line are written as ``~``.

    With a seat it has the hands of that player alone.
    """
    from tefuda.apps.web.messages.spots import node_message, push_fold_message, solution_message
    from tefuda.holdem.buckets.node import BucketNode
    from tefuda.holdem.preflop.pushfold import PushFoldNode
    from tefuda.holdem.spots.node import Node as SpotNode

    run, line = call.path["run"], _line(call)
    if run.startswith(PUSH_FOLD):
        game = push_fold(workspace, run)
        return node_message(PushFoldNode(game, line), push_fold_message(game, run))
    solution, key = solved_holdem(workspace, run)
    kind = {"hands": SpotNode, "buckets": BucketNode}[solution.form.representation]
    about = solution_message(solution, run)
    made = workspace.values.get((*key, "node", line), lambda: node_message(kind(solution.strategy, line), about))
    if (seat := call.number("seat", -1)) < 0:
        return made
    others = [replace(player, rows=[], made_hands=[], draws=[]) for player in made.players]
    return replace(made, curves=None, players=[*others[:seat], *made.players[seat : seat + 1], *others[seat + 1 :]])


def _line(call: Call) -> str:
    """Return the line of a call."""
    line = call.path["line"]
    return "" if line == _ROOT else line.replace("~", "/")


def action_evs(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return the EVs of the actions at a node of a run."""
    from tefuda.apps.web.messages.spots import evs_message

    return spot_figures(workspace, call.path["run"], _line(call), "EVs", evs_message)


def next_cards(workspace: Workspace, call: Call) -> NextCards:
    """Return the nodes of a run after all cards that may come next."""
    from tefuda.apps.web.messages.spots import cards_message

    return spot_figures(workspace, call.path["run"], _line(call), "EVs after cards", cards_message)


def spot_figures(workspace: Workspace, run: str, line: str, name: str, message: Callable[[SpotNode], T]) -> T:
    """Return the named figures of a node of a solved spot, computed once; raise NotFound for other runs."""
    from tefuda.holdem.spots.node import Node as SpotNode

    solution, key = solved_holdem(workspace, run)
    if solution.form.representation != "hands":
        raise NotFound(f"the run {run} is no spot of hold'em, so its {name} are unknown.", key="run", value=run)
    return workspace.values.get((*key, name, line), lambda: message(SpotNode(solution.strategy, line)))


def push_fold(workspace: Workspace, name: str) -> PushFold:
    """Return push or fold, solved once; the stack in big blinds is the end of the name."""
    from tefuda.holdem.preflop.pushfold import pushfold

    try:
        stack = float(parse_number(name.removeprefix(PUSH_FOLD)))
    except ValueError:
        raise ParameterError(
            f"expected {PUSH_FOLD} and a stack in big blinds, got {name[:40]!r}.", key="stack"
        ) from None
    return workspace.values.get(("pushfold", stack), lambda: pushfold(stack))


def solved_holdem(workspace: Workspace, run: str) -> tuple[Solution, tuple[object, ...]]:
    """Return the solution of a run of hold'em, loaded once, and the key under which its values are stored."""
    folder = find_run(workspace.folder, run)
    if (form := read_run(folder)["form"]["representation"]) not in REPRESENTATIONS:
        raise NotFound(f"the run {run} is no spot or limit game of hold'em, but of {form}.", key="run", value=run)
    key = ("spot", run, (folder / "run.json").stat().st_mtime_ns)
    return workspace.values.get(key, lambda: load(folder)), key


ROUTES = (
    get("/api/spots/{run}/{line}", node),
    get("/api/spots/{run}/{line}/evs", action_evs),
    get("/api/spots/{run}/{line}/cards", next_cards),
)
