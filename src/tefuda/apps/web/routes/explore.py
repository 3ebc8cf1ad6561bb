"""Routes that explore strategies, and that walk through an iteration of CFR.

A strategy has an id: the name of a run, ``new:kuhn`` (CFR+ after 1,000 iterations, made on demand) or
``uniform:kuhn``. Parameters of a game follow its name: ``new:leduc;players=3``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tefuda.apps.web.calls import Call, NotFound, get, json_or_text
from tefuda.apps.web.messages import explore as messages
from tefuda.apps.web.messages.explore import About, Position, Table
from tefuda.apps.web.messages.steps import Step, step_message
from tefuda.apps.web.messages.whole_trees import WholeTree, whole_tree
from tefuda.apps.web.own_games import own_game_of
from tefuda.apps.web.plans import page_game
from tefuda.apps.web.run_names import MADE, find_run
from tefuda.apps.web.workspace import Workspace
from tefuda.errors import ParameterError, SizeError, check_range
from tefuda.evaluating.explorer import Explorer
from tefuda.evaluating.profile import Profile
from tefuda.forms.compile import compile_game
from tefuda.forms.paths import neighbourhood
from tefuda.forms.tree import Tree
from tefuda.games.phrases import LANGUAGES
from tefuda.games.protocol import Game
from tefuda.games.size import estimate_game
from tefuda.lazy import load_reference
from tefuda.solvers.exact.steps import family_method
from tefuda.solvers.exact.trace import trace
from tefuda.solvers.runs.methods import recorded_method
from tefuda.solvers.runs.run import read_run
from tefuda.solvers.runs.saved import load
from tefuda.solvers.runs.snapshots import Snapshots
from tefuda.solvers.runs.solution import Solution
from tefuda.solvers.runs.solving import solve

DRAWN = 400  # histories of the largest tree that is drawn whole
_NEAR = 1000  # histories of the largest part of a tree that is drawn
_ITERATIONS = 1000  # of strategies made on demand
_LARGEST = 300_000  # histories of games that are solved on demand
_REPEATED = 20.0  # seconds of the longest run that is repeated for its snapshots
_LAST = 100_000  # iteration of a walk


@dataclass(frozen=True, eq=False)
class Strategy:
    """A strategy to explore: its key among shared values, its solution if any, and its profile.

    The key is (id, time of the last write).
    """

    key: tuple[str, int]
    solution: Solution | None
    profile: Profile


def strategy_of(workspace: Workspace, name: str, own: Game | None = None) -> Strategy:
    """Return the strategy with an id, made or loaded once.

    own: the game of the run, if it is the user's own.

    Raises:
        NotFound: the run's strategy is no profile of a tree.
        RunError: there is no such run.
        ParameterError: the game is too large to be solved on demand, or a parameter is wrong.
    """
    if name.startswith(MADE):
        return workspace.values.get(("strategy", name), lambda: _new_strategy(workspace, name))
    folder = find_run(workspace.folder, name)
    key = name, (folder / "run.json").stat().st_mtime_ns
    return workspace.values.get(("strategy", key), lambda: _strategy(key, load(folder, own or own_game_of(folder))))


def _strategy(key: tuple[str, int], solution: Solution) -> Strategy:
    if not isinstance(solution.strategy, Profile):
        raise NotFound(f"the run {key[0]} has no tree, so its strategy cannot be explored.", key="run", value=key[0])
    return Strategy(key, solution, solution.strategy)


def _new_strategy(workspace: Workspace, name: str) -> Strategy:
    kind, _, game = name.partition(":")
    tree = tree_of(workspace, game)
    if kind == "uniform":
        return Strategy((name, 0), None, Profile.uniform(tree))
    return _strategy((name, 0), solve(tree, "cfr+", iterations=_ITERATIONS))


def tree_of(workspace: Workspace, game: str) -> Tree:
    """Return the tree of a game with parameters, ``"leduc;players=3"``, compiled once."""
    return workspace.values.get(("tree", game), lambda: _compiled(game))


def _compiled(game: str) -> Tree:
    name, *parameters = game.split(";")
    values = {}
    for text in parameters:
        key, equals, value = text.partition("=")
        if not equals:
            raise ParameterError(f"a parameter must be name=value, got {text!r}.", key="game", value=game)
        values[key] = json_or_text(value)
    rules = page_game(name, values)
    if (estimate := estimate_game(rules)).histories > _LARGEST:
        raise SizeError(f"{game} has {estimate}; the page solves games of at most {_LARGEST:,} histories on demand.")
    return compile_game(rules)


def _explorers(workspace: Workspace, call: Call) -> list[Explorer]:
    """Return an explorer of the strategy for each language; the first one is English."""
    strategy = strategy_of(workspace, call.path["id"])
    return workspace.values.get(
        ("explorers", strategy.key), lambda: [Explorer(strategy.profile, language) for language in LANGUAGES]
    )


def form(workspace: Workspace, call: Call) -> dict[str, str]:
    """Return the representation of a strategy's game, which decides the page."""
    name = call.path["id"]
    if name.startswith(MADE):
        return {"representation": "tree"}
    return {"representation": read_run(find_run(workspace.folder, name))["form"]["representation"]}


def about(workspace: Workspace, call: Call) -> About:
    """Return a summary of a strategy and its game, made once."""
    strategy = strategy_of(workspace, call.path["id"])
    small = len(strategy.profile.tree.player) <= DRAWN
    return workspace.values.get(
        ("about", strategy.key), lambda: messages.about(strategy.solution, _explorers(workspace, call), small)
    )


def position(workspace: Workspace, call: Call) -> Position | dict[str, str]:
    """Return a history as an observer knows it.

    If hidden cards forbid its last outcome, the answer is another path to move to.
    """
    seat = call.number("seat", -1) if "seat" in call.query else None
    explorers, path = _explorers(workspace, call), call.path["path"]
    if seat is not None and (possible := explorers[0].possible_path(path, seat)) != path:
        return {"moved": possible}
    return messages.position([explorer.position(path, seat) for explorer in explorers])


def infoset(workspace: Workspace, call: Call) -> dict[str, str]:
    """Return the path of the likeliest history of an infoset."""
    return {"path": _explorers(workspace, call)[0].path_to(call.query.get("name", ""))}


def public(workspace: Workspace, call: Call) -> Table:
    """Return the strategy in a public state."""
    number = call.number("number", 0)
    return messages.table([explorer.public_table(number) for explorer in _explorers(workspace, call)])


def drawn_tree(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return the histories around an infoset."""
    explorer = _explorers(workspace, call)[0]
    nodes = neighbourhood(explorer.tree, explorer.tree.number(call.query.get("infoset", "")))
    check_range("number of histories", len(nodes), 1, _NEAR)
    return messages.drawing(explorer, nodes)


def whole(workspace: Workspace, call: Call) -> WholeTree:
    """Return all histories of a small game, or those that a player distinguishes."""
    explorers = _explorers(workspace, call)
    check_range("number of histories", len(explorers[0].tree.player), 1, DRAWN)
    seat = call.number("seat", -1) if "seat" in call.query else None
    key = "whole", strategy_of(workspace, call.path["id"]).key, seat
    return workspace.values.get(key, lambda: whole_tree(explorers, seat))


def series(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return the numbers of an infoset over the iterations; the run is repeated once for its snapshots."""
    strategy = strategy_of(workspace, call.path["id"])
    snapshots = workspace.values.get(("snapshots", strategy.key), lambda: _snapshots(strategy))
    return messages.series(snapshots.series(call.query.get("infoset", "")))


def _snapshots(strategy: Strategy) -> Snapshots:
    solution, snapshots = strategy.solution, Snapshots()
    if solution is None:
        raise ParameterError("uniform play has no iterations; explore a run.", key="id", value=strategy.key[0])
    if solution.seconds > _REPEATED or solution.iterations < 1:
        raise ParameterError(
            f"the run took {solution.seconds:.0f} s; runs of at most {_REPEATED:.0f} s are repeated for their numbers "
            "over time.",
            key="id",
            value=strategy.key[0],
        )
    method = recorded_method(solution.method, load_reference(solution.form.methods))
    solve(solution.form, method, iterations=solution.iterations, seed=solution.seed, observer=snapshots)
    return snapshots


def step(workspace: Workspace, call: Call) -> Step:
    """Return an iteration of a method of the CFR family, at all histories or around an infoset."""
    query = call.query
    game = query.get("game", "kuhn")
    tree = tree_of(workspace, game)
    iteration, times = call.number("iteration", 1), call.number("times", 1)
    check_range("iteration", iteration, 1, _LAST)
    check_range("times", times, 1, 10**6)
    method, order = family_method(query.get("method", "cfr")), query.get("order", "simultaneous")
    near = query.get("at") or tree.name_of(0)
    tree.number(near)
    part = None if len(tree.player) <= DRAWN else near
    key = "walk", game, method.name, order, iteration, part
    walk = workspace.values.get(key, lambda: trace(tree, replace(method, order=order), iteration, part))
    return step_message(walk, near, times, list(tree.names))


ROUTES = (
    get("/api/forms/{id}", form),
    get("/api/explore/{id}", about),
    get("/api/explore/{id}/at/{path:path}", position),
    get("/api/explore/{id}/infoset", infoset),
    get("/api/explore/{id}/public", public),
    get("/api/explore/{id}/tree", drawn_tree),
    get("/api/explore/{id}/whole", whole),
    get("/api/explore/{id}/series", series),
    get("/api/step", step),
)
