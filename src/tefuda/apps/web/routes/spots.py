"""Routes of solved spots of hold'em."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tefuda.apps.web.calls import Call, NotFound, get
from tefuda.apps.web.run_names import PUSH_FOLD, find_run
from tefuda.apps.web.workspace import Workspace
from tefuda.errors import ParameterError
from tefuda.holdem.spots.pushfold import PushFold
from tefuda.solvers.runs.run import read_run
from tefuda.solvers.runs.saved import load
from tefuda.solvers.runs.solution import Solution
from tefuda.words import parse_number

if TYPE_CHECKING:
    from tefuda.apps.web.messages.spots import ActionEvs, NextCards, Node

#: Representations of runs that these routes show.
REPRESENTATIONS = ("hands", "buckets")
_ROOT = "-"  # the first decision, whose line is empty


def node(workspace: Workspace, call: Call) -> Node:
    """Return a node of a run or of push or fold; the slashes of its line are written as ``~``.

    With a seat it has the hands of that player alone.
    """
    from tefuda.apps.web.messages.spots import node_message, push_fold_message, solution_message
    from tefuda.holdem.limit.node import LimitNode
    from tefuda.holdem.spots.node import Node as SpotNode
    from tefuda.holdem.spots.pushfold import PushFoldNode

    run, line = call.path["run"], "" if call.path["line"] == _ROOT else call.path["line"].replace("~", "/")
    if run.startswith(PUSH_FOLD):
        game = push_fold(workspace, run)
        return node_message(PushFoldNode(game, line), push_fold_message(game, run))
    solution, key = solved_holdem(workspace, run)

    def make() -> Node:
        kind = {"hands": SpotNode, "buckets": LimitNode}[solution.form.representation]
        return node_message(kind(solution.strategy, line), solution_message(solution, run))

    made: Node = workspace.values.get((*key, line), make)
    if (seat := call.number("seat", -1)) < 0:
        return made
    others = [replace(player, rows=[], made_hands=[], draws=[]) for player in made.players]
    return replace(made, curves=None, players=[*others[:seat], *made.players[seat : seat + 1], *others[seat + 1 :]])


def action_evs(workspace: Workspace, call: Call) -> ActionEvs:
    """Return the EVs of the actions at a node of a run."""
    from tefuda.apps.web.messages.spots import evs_message

    return _figures(workspace, call, evs_message)


def next_cards(workspace: Workspace, call: Call) -> NextCards:
    """Return the nodes of a run after all cards that may come next."""
    from tefuda.apps.web.messages.spots import cards_message

    return _figures(workspace, call, cards_message)


def _figures(workspace: Workspace, call: Call, message: Callable[[Any], Any]) -> Any:
    """Return figures of a node of a solved spot, computed once; raise NotFound for other runs."""
    from tefuda.holdem.spots.node import Node as SpotNode

    run, line = call.path["run"], "" if call.path["line"] == _ROOT else call.path["line"].replace("~", "/")
    solution, key = solved_holdem(workspace, run)
    if solution.form.representation != "hands":
        raise NotFound(f"the run {run} is no spot, so its EVs are unknown.", key="run", value=run)
    name = f"{message.__name__} {line}"
    return workspace.values.get((*key, name), lambda: message(SpotNode(solution.strategy, line)))


def push_fold(workspace: Workspace, name: str) -> PushFold:
    """Return push or fold, solved once; the stack in big blinds is the end of the name."""
    from tefuda.holdem.spots.pushfold import pushfold

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
