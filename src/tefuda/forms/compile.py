"""Compilation of rules to a tree: a traversal of all histories that validates the rules' answers."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from functools import partial

import numpy as np

from tefuda.errors import GameError, InputError, TefudaError, error_text, quoted
from tefuda.forms.builder import REPORT_EVERY, Builder, BuildProgress, build_with_workers, require_distinct_names
from tefuda.forms.bundles.arrays import BundledArrays
from tefuda.forms.bundles.regions import Bundles, NotBundled
from tefuda.forms.cache import cache_path, disagreement, is_of_package, load_tree, save_tree
from tefuda.forms.paths import path_of
from tefuda.forms.tree import Tree
from tefuda.games.answers import TOLERANCE, InvalidAnswer, attribute_of, calling_rules, name_of, require_game
from tefuda.games.check import require_sound
from tefuda.games.parameters import json_parameters
from tefuda.games.protocol import Game
from tefuda.games.size import refuse_if_too_large
from tefuda.workers import Workers

_CHECK_EVERY = 200  # one history in 200 is checked by `check_game`
_SMALL = 50 * _CHECK_EVERY  # histories; the first check of 50 suffices
_COMPARED = 20  # random games along which a bundled tree is compared with its rules, and a share of the others:
_EACH = 200  # one in 200 of them; one in 5,000 for games of this package, which the tests compare whole
_EACH_OF_PACKAGE = 5_000
_COMPARED_WHOLE = 20_000  # histories; smaller trees of other games are compared at every history
_STEP_OF_PACKAGE = 8  # followed deals that are asked whether they agree: one in 8, all of other games
_UNDECLARED = (
    "Delete the declaration: the game is then compiled history by history; or mend the rules (docs/own-game.md)."
)
_CACHE_FROM = 50_000  # histories; smaller trees are built as fast as they are read
_ESTIMATED_FROM = 500_000  # histories; smaller games of the package are built almost as fast as they are estimated
_SPREAD_FROM = 200_000  # histories; smaller games are built before workers are ready


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
    path = cache_path(game) if cache else None
    if path is not None and os.path.exists(path) and (found := load_tree(path, game)) is not None:
        return Tree(game.name, json_parameters(game), game.players, **found, game=game)
    with calling_rules(game):
        tree = _tree_of_package(game, progress, force) if is_of_package(game) else None
        tree = tree or _tree_of(game, progress, force, workers)
    if path is not None and len(tree.player) >= _CACHE_FROM:
        save_tree(path, tree)
    return tree


def declares_public_actions(game: Game) -> bool:
    """Return whether the class of the rules declares public actions; its parents may have other rules."""
    return "public_actions" in vars(type(game)) and bool(getattr(game, "public_actions", False))


def _throttled(progress: BuildProgress | None, check_size: Callable[[], object] | None = None) -> BuildProgress:
    """Return a callback that reports progress once in `REPORT_EVERY` histories, and checks the size once."""
    report_at = REPORT_EVERY

    def grown(histories: int) -> None:
        nonlocal report_at, check_size
        if histories < report_at:
            return
        report_at = histories + REPORT_EVERY
        if check_size is not None and histories >= _ESTIMATED_FROM:
            check_size()
            check_size = None
        if progress is not None:
            progress(histories)

    return grown


def _tree_of_package(game: Game, progress: BuildProgress | None, force: bool) -> Tree | None:
    """Return the tree of a game of this package with public actions; None for other games."""
    if not declares_public_actions(game):
        return None
    grown = _throttled(progress, partial(refuse_if_too_large, game, force))
    try:
        return _bundled_tree(game, grown, _EACH_OF_PACKAGE, _STEP_OF_PACKAGE)
    except NotBundled:
        return None


def _bundled_tree(game: Game, grown: BuildProgress, each: int, step: int = 1) -> Tree:
    """Return the tree of a game, compiled for all deals at once.

    Args:
        game: the rules.
        grown: callback for the number of histories.
        each: the share of terminal histories that are compared with the rules is 1 / each.
        step: see `Bundles`.

    Raises:
        NotBundled: the rules disagree.
    """
    try:
        arrays = BundledArrays(Bundles(game, grown, step)).fields()
    except InvalidAnswer as error:
        raise NotBundled(f"at deals with other cards {error}") from None
    except (NotBundled, TefudaError, MemoryError):
        raise
    except Exception as error:
        raise NotBundled(f"at deals with other cards its rules raised {error_text(error)}") from None
    tree = Tree(game.name, json_parameters(game), game.players, **arrays, game=game)
    node = disagreement(arrays, game, _sample(len(tree.terminals), each))
    if node is not None:
        raise NotBundled(
            f"the answers of the rules at {path_of(tree, node)} are others than those that "
            "follow from the same actions at other deals"
        )
    return tree


def _sample(ends: int, each: int) -> np.ndarray:
    """Return indices of terminal histories to compare with the rules: all, or a random sample."""
    return np.arange(ends) if each == 1 else np.random.default_rng(0).integers(ends, size=_COMPARED + ends // each)


def _tree_of(game: Game, progress: BuildProgress | None, force: bool, workers: int | Executor = 1) -> Tree:
    """Return the tree of a game, checked."""
    require_sound(game, 50, 5)
    try:
        estimate = refuse_if_too_large(game, force)
        sure = max(int(estimate.histories - estimate.error), _SMALL)
        if declares_public_actions(game):
            tree = _tree_of_declared(game, progress, estimate.histories, sure)
        else:
            tree = _tree_of_histories(game, progress, workers if estimate.histories >= _SPREAD_FROM else 1, sure)
        if len(tree.player) > 2 * sure:  # the estimate was too low for a sample of this size
            _check_sample(game, len(tree.player))
        _check_sums(tree, attribute_of(game, "constant_sum"))
        return tree
    except NotBundled as error:
        raise GameError(f"{name_of(game)} declares public_actions, but {error}. {_UNDECLARED}") from None


def _tree_of_declared(game: Game, progress: BuildProgress | None, histories: float, sure: int) -> Tree:
    """Return the tree of a game that declares public actions, which are compared with the rules."""
    if histories > _COMPARED_WHOLE:
        _check_sample(game, sure)
        tree = _bundled_tree(game, _throttled(progress), _EACH)
        require_distinct_names(tree.infoset_player.tolist(), tree.keys)
        return tree
    tree = Builder(game, progress).build()
    _bundled_tree(game, _throttled(None), 1 if len(tree.player) <= _COMPARED_WHOLE else _EACH)
    return tree


def _tree_of_histories(game: Game, progress: BuildProgress | None, workers: int | Executor, sure: int) -> Tree:
    """Return the tree of a game, compiled history by history; sure: lower bound of their number."""
    if workers != 1 and (tree := build_with_workers(game, workers, progress, partial(_passes, game, sure))) is not None:
        return tree
    if sure > _SMALL:
        _check_sample(game, sure)
    return Builder(game, progress).build()


def _check_sample(game: Game, histories: int) -> None:
    """Raise GameError if `check_game` finds a fault in about one history in 200."""
    require_sound(game, histories // _CHECK_EVERY, histories // (20 * _CHECK_EVERY))


def _check_sums(tree: Tree, constant: float | None) -> None:
    """Raise InvalidAnswer unless all payoffs have the declared sum; None: no sum is declared."""
    if constant is None:
        return
    wrong = np.abs(tree.payoffs.sum(axis=1) - float(constant)) > TOLERANCE * np.abs(tree.payoffs).max(axis=1)
    if wrong.any():
        end = int(tree.terminals[wrong.argmax()])
        payoffs = f"payoffs are {quoted(tree.payoffs_at(end))} at {path_of(tree, end)}"
        raise InvalidAnswer("not constant-sum", f"constant_sum is {constant}, but {payoffs}")


def _passes(game: Game, histories: int) -> bool:
    """Return whether no fault is found in a sample."""
    with suppress(InputError):
        _check_sample(game, histories)
        return True
    return False
