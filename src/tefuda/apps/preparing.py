"""Compilation of kernels ahead of their first use."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import Any

from tefuda.errors import InputError, UnknownNameError
from tefuda.workers import ProgressFunction

_SPOTS = ("2c2d2h3c3d", "2c2d2h3c", "2c2d2h")  # one for each street: each has kernels of its own


def prepare(names: Iterable[str] | None = None, *, progress: ProgressFunction | None = None) -> None:
    """Compile kernels ahead; later processes load them from the cache.

    The names in `GROUPS` are kinds of work: ``"evaluating"`` (with coaching), ``"trees"`` (solving them),
    ``"sampling"``, ``"learning"`` (by self-play), ``"holdem"`` (spots, and whole hands of limit hold'em), and
    ``"koikoi"`` (players of Koi-Koi and their hints). A kernel is saved as soon as it is compiled, so an interrupted
    call is resumed by the next one.

    Args:
        names: names in `GROUPS`, in the order of compiling. Default: all.
        progress: called with the number of names done and the total, at the start and after each name.

    Raises:
        UnknownNameError: a name is not in `GROUPS`.

    >>> td.prepare(["evaluating"])
    """
    chosen = tuple(GROUPS if names is None else names)
    for name in chosen:
        if name not in GROUPS:
            raise UnknownNameError("group of kernels", name, GROUPS)
    notify = progress or (lambda done, total: None)
    notify(0, len(chosen))
    for done, name in enumerate(chosen, 1):
        GROUPS[name]()
        notify(done, len(chosen))


def _tree(name: str = "kuhn", **parameters: Any) -> Any:
    from tefuda.forms.compile import compile_game
    from tefuda.games.catalogue import load_game

    return compile_game(load_game(name, **parameters))


def _solve(wing: str, *forms: Any) -> None:
    """Solve forms by all methods of a folder of `solvers` that need no extra."""
    from tefuda.solvers.runs.methods import METHODS
    from tefuda.solvers.runs.solving import solve

    methods = [method for method in METHODS.values() if f".{wing}." in type(method).__module__ and not method.extra]
    for form in forms:
        for method in methods:
            with contextlib.suppress(InputError):  # a method for two players, or for trees
                solve(form, method, iterations=2)


def _trees() -> None:
    _solve("exact", _tree(), _tree(players=3))


def _sampling() -> None:
    from tefuda.forms.rules import RulesForm
    from tefuda.games.catalogue import load_game

    _solve("sampled", _tree(), _tree(players=3), RulesForm(load_game("kuhn")))


def _learning() -> None:
    _solve("learned", _tree(), _tree(players=3))


def _evaluating() -> None:
    from tefuda.evaluating.profile import Profile, best_response
    from tefuda.evaluating.regret import AverageRegret
    from tefuda.evaluating.values import evaluate, history_values, reach

    profile = Profile.uniform(_tree())
    evaluate(profile)
    best_response(profile, 0)
    AverageRegret(profile.tree).add(profile)
    reach(profile)
    history_values(profile)


def _spots() -> None:
    from tefuda.holdem.equities import equity
    from tefuda.holdem.spots.node import Node
    from tefuda.holdem.spots.spot import make_spot
    from tefuda.solvers.runs.solving import solve

    for board in _SPOTS:
        spot = make_spot(board, 100, 100, "AA,QQ", "KK", "a", "a")
        strategy: Any = solve(spot, iterations=1).strategy
        Node(strategy).summary(hands=True)
    equity("AsKs", "QhQd", "2c3c4c")


def _limit_holdem() -> None:
    from tefuda.games.catalogue import load_game
    from tefuda.holdem.buckets.clusters import Buckets
    from tefuda.holdem.buckets.solver import LocalResponseEvaluator, in_buckets
    from tefuda.solvers.runs.solving import solve

    form = in_buckets(load_game("holdem", limit=True), Buckets((169, 2, 2, 2)))  # type: ignore[arg-type]
    solve(form, iterations=2, evaluator=LocalResponseEvaluator(deals=2))


def _holdem() -> None:
    from tefuda.holdem.reports.all_in import pot_equities

    _spots()
    _limit_holdem()
    pot_equities([(51, 50), (47, 46)], [(0, 1)], (0, 5, 10))


def _koikoi() -> None:
    from tefuda.koikoi.players.advice import Adviser
    from tefuda.koikoi.players.archive import load_tables
    from tefuda.koikoi.players.ladder import AGENTS
    from tefuda.koikoi.reduced import koikoi

    game = koikoi()
    tables = load_tables(game.rules)
    for player in AGENTS.values():
        Adviser(game, player, tables).prepare()


#: The function that compiles each group of kernels, by its name.
GROUPS: dict[str, Callable[[], None]] = {
    "evaluating": _evaluating,
    "trees": _trees,
    "sampling": _sampling,
    "holdem": _holdem,
    "koikoi": _koikoi,
    "learning": _learning,
}
