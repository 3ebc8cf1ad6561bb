"""Compilation of rules to a tree, by the first plan that gives one."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from functools import cache as once
from functools import partial

from tefuda.errors import GameError
from tefuda.forms.builder import Builder, BuildProgress, build_by_bundles, build_with_workers
from tefuda.forms.bundles.regions import NotBundled
from tefuda.forms.cache import load_tree, save_tree
from tefuda.forms.plan import CHECKED_FIRST, Plan, check_rules, plans_of
from tefuda.forms.tree import Tree
from tefuda.forms.verify import verify
from tefuda.games.answers import calling_rules, name_of, require_game
from tefuda.games.protocol import Game
from tefuda.games.size import refuse_if_too_large
from tefuda.workers import Workers

_UNDECLARED = (
    "Delete the declaration: the game is then compiled history by history; or mend the rules (docs/own-game.md)."
)


def compile_game(
    game: Game,
    *,
    progress: BuildProgress | None = None,
    cache: bool = True,
    force: bool = False,
    workers: int | Executor = 1,
) -> Tree:
    """Return a game as arrays.

    Every answer of the rules is validated, states must not change their hash, and views must have distinct
    names. `check_game` tests 50 histories and one in 200 for all other faults, such as answers that are not
    repeatable, and all payoffs must have the sum that is declared. Imperfect recall is accepted.

    Card games that declare ``public_actions`` are compiled for all deals at once: their rules are asked at some deals
    of each hand. It is the same tree as that of all histories, bit for bit. It is compared with the rules at every
    history of a game of about 20,000 histories or less, and along one in 200 of all plays of a larger one. Actions
    that depend on one player's hand are always noticed (docs/design.md, section 3).

    Args:
        game: any object with the seven functions.
        progress: callback for the number of histories built so far.
        cache: cache large trees of the games in `GAMES` on disk.
        force: compile even if the size estimate exceeds the memory limit.
        workers: number of processes, or an executor, that build the subtrees of a large game. The tree does not depend
            on it.

    Returns:
        The compiled tree.

    Raises:
        GameError: the rules are not a game, or declare public actions that depend on the deal; the message shows the
            histories at fault.
        SizeError: the tree does not fit in memory.
        ParameterError: the rules cannot be sent to workers.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> len(tree.player), tree.infosets
    (55, 12)
    """
    require_game(game)
    Workers(workers)  # refuses other values
    with calling_rules(game):
        plan, tree = _first_tree(game, plans_of(game, cache=cache, force=force, workers=workers), progress, workers)
    if (file := plan.file_for(tree)) is not None:
        save_tree(file, tree)
    return tree


def _first_tree(
    game: Game, plans: Iterable[Plan], progress: BuildProgress | None, workers: int | Executor
) -> tuple[Plan, Tree]:
    """Return the first plan that gives a tree, and the tree, verified."""
    for plan in plans:
        try:
            tree = _built(game, plan, progress, workers)
            if tree is not None:
                # A tree of all histories keeps the promise of its rules if their bundles do.
                promised = plan.builder == "histories" and plan.compared
                verify(build_by_bundles(game, plan.asked) if promised else tree, game, plan)
                return plan, tree
        except NotBundled as error:
            if plan.checked:
                raise GameError(f"{name_of(game)} declares public_actions, but {error}. {_UNDECLARED}") from None
    raise AssertionError("the last plan gives a tree or an error")


def _built(game: Game, plan: Plan, progress: BuildProgress | None, workers: int | Executor) -> Tree | None:
    """Return the tree of a game by a plan; None if the next plan is needed."""
    if plan.builder == "cached" and plan.cache is not None:
        return load_tree(plan.cache, game)
    if plan.builder == "workers":
        return build_with_workers(game, workers, progress, partial(check_rules, game, plan.checked))
    if plan.checked > CHECKED_FIRST:
        check_rules(game, plan.checked)
    if plan.builder == "bundles":
        return build_by_bundles(game, plan.asked, _within_memory(game, plan, progress))
    return Builder(game, progress).build()


def _within_memory(game: Game, plan: Plan, progress: BuildProgress | None) -> BuildProgress:
    """Return a callback that reports progress, and refuses a game that turns out too large."""
    require_fit = once(partial(refuse_if_too_large, game, force=False))  # before the memory fills

    def grown(histories: int) -> None:
        if histories >= plan.estimated:
            require_fit()
        if progress is not None:
            progress(histories)

    return grown
