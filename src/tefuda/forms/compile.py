"""Compilation of rules to a tree: a traversal of all histories that validates the rules' answers."""

from __future__ import annotations

import os
from concurrent.futures import Executor
from functools import partial

import numpy as np

from tefuda.errors import GameError, TefudaError
from tefuda.forms.builder import REPORT_EVERY, Builder, BuildProgress, build_with_workers
from tefuda.forms.bundles import BundledArrays, Bundles, NotBundled
from tefuda.forms.cache import cache_path, disagreement, is_of_package, load_tree, save_tree
from tefuda.forms.form import Saved
from tefuda.forms.tree import Tree
from tefuda.games.answers import InvalidAnswer, error_text, name_of, require_game
from tefuda.games.check import check_game
from tefuda.games.parameters import json_parameters
from tefuda.games.protocol import Game
from tefuda.games.report import Report, raise_if_faulty
from tefuda.games.size import refuse_if_too_large
from tefuda.workers import Workers

_CHECK_EVERY = 200  # one history in 200 is checked by `check_game`
_SMALL = 50 * _CHECK_EVERY  # histories; the first check of 50 suffices
_COMPARED = 20  # games along which a bundled tree is compared with its rules; and one in 5000 more
_CACHE_FROM = 50_000  # histories; smaller trees are built as fast as they are read
_SPREAD_FROM = 200_000  # histories; smaller games are built before workers are ready


def rebuild_tree(rules: Game | Tree, saved: Saved, building: BuildProgress | None = None) -> Tree:
    """Return the tree of a saved run; see `form.REPRESENTATIONS`."""
    return rules if isinstance(rules, Tree) else compile_game(rules, progress=building)


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
    repeatable. Imperfect recall, and payoffs with another sum than declared, are accepted.

    Card games of this package are compiled for all deals at once: their rules are asked at representative deals, and
    the tree is compared with them along random games. It is the same tree as that of all histories, bit for bit.

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
        GameError: the rules are not a game; the message shows the histories at fault.
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
        return Tree(game.name, json_parameters(game), game.players, **found, rules=game)
    bundled = _bundled_tree(game, progress, force) if is_of_package(game) else None
    tree = bundled or _tree_of(game, progress, force, workers)
    if path is not None and len(tree.player) >= _CACHE_FROM:
        save_tree(path, tree)
    return tree


def _bundled_tree(game: Game, progress: BuildProgress | None, force: bool) -> Tree | None:
    """Return the tree of a game with public actions; None for other games or if the rules disagree."""
    if not getattr(game, "public_actions", False):
        return None
    report_at = REPORT_EVERY

    def grown(histories: int) -> None:
        nonlocal report_at
        if histories < report_at:
            return
        if report_at == REPORT_EVERY:
            refuse_if_too_large(game, force)
        report_at = histories + REPORT_EVERY
        if progress is not None:
            progress(histories)

    try:
        arrays = BundledArrays(Bundles(game, grown)).fields()
    except NotBundled:
        return None
    if disagreement(arrays, game, _sample(len(arrays["terminals"]))) is not None:
        return None
    return Tree(game.name, json_parameters(game), game.players, **arrays, rules=game)


def _sample(ends: int) -> np.ndarray:
    """Return the indices of random terminal histories, to compare their games with the rules."""
    return np.random.default_rng(0).integers(ends, size=_COMPARED + ends // 5000)


def _tree_of(game: Game, progress: BuildProgress | None, force: bool, workers: int | Executor = 1) -> Tree:
    """Return the tree of a game, compiled history by history, and checked."""
    raise_if_faulty(game, check_game(game, limit=50, samples=5))
    try:
        estimate, tree = refuse_if_too_large(game, force), None
        sure = max(int(estimate.histories - estimate.error), _SMALL)
        if workers != 1 and estimate.histories >= _SPREAD_FROM:
            tree = build_with_workers(game, workers, progress, partial(_passes, game, sure))
        if tree is None:
            if sure > _SMALL:
                raise_if_faulty(game, _check_sample(game, sure))
            tree = Builder(game, progress).build()
        if len(tree.player) > 2 * sure:  # the estimate was too low for a sample of this size
            raise_if_faulty(game, _check_sample(game, len(tree.player)))
        return tree
    except (TefudaError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        raise_if_faulty(game, check_game(game))
        what = str(error) if isinstance(error, InvalidAnswer) else f"its rules raised {error_text(error)}"
        raise GameError(f"{name_of(game)} is not a game that can be compiled: {what}") from error


def _check_sample(game: Game, histories: int) -> Report:
    """Return the report of about one history in 200."""
    return check_game(game, limit=histories // _CHECK_EVERY, samples=histories // (20 * _CHECK_EVERY))


def _passes(game: Game, histories: int) -> bool:
    """Return whether no fault is found in a sample."""
    return _check_sample(game, histories).ok
