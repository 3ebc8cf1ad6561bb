"""The plan by which a game is compiled: builder, checks of rules and tree, and file of the tree."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from math import inf
from pathlib import Path

import numpy as np

from tefuda import __version__
from tefuda.files import cache_folder
from tefuda.forms.tree import Tree
from tefuda.games.catalogue import GAMES
from tefuda.games.check import require_sound
from tefuda.games.parameters import game_parameters
from tefuda.games.protocol import Game
from tefuda.games.size import refuse_if_too_large

CHECKED_FIRST = 50  # histories that `check_game` visits before a game is estimated
CHECK_EVERY = 200  # one history in 200 of a larger game is checked,
_CHECK_PLAYS = 20  # and one play for every 20 of these histories,
_LEAST_PLAYS = 5  # at least 5
COMPARED_WHOLE = 20_000  # histories; smaller trees of users' games are compared with the rules at every history
_COMPARED = 20  # random plays along which other trees are compared, and a share of all plays:
_EACH = 200  # one in 200 of them; one in 5,000 for games of this package, which the tests compare whole
_EACH_OF_PACKAGE = 5_000
_COMPARED_CACHED = 200  # plays along which a cached tree is compared at least
_ASKED_OF_PACKAGE = 8  # followed deals that are compared with each other: one in 8, all of users' games
CACHE_FROM = 50_000  # histories; smaller trees are built as fast as they are read
ESTIMATED_FROM = 500_000  # histories; smaller games of the package are built almost as fast as they are estimated
SPREAD_FROM = 200_000  # histories; smaller games are built before workers are ready


@dataclass(frozen=True)
class Plan:
    """A way of compiling a game.

    Attributes:
        builder: ``"cached"`` (read from the file), ``"bundles"`` (all deals at once), ``"workers"`` (subtrees in
            several processes) or ``"histories"`` (one after the other).
        cache: file of the tree; None for games that are not cached.
        compared: number of random plays along which the tree is compared with the rules; 0: it is not compared.
        each: one in `each` of all plays is compared besides.
        whole: number of histories up to which the tree is compared at every play.
        asked: one followed deal in `asked` is compared with the others; see `Bundles`.
        checked: number of histories that `check_game` visits; 0: the rules are trusted.
        estimated: number of histories at which the size is estimated while bundles are built; infinite: never.
    """

    builder: str
    cache: Path | None = None
    compared: int = 0
    each: int = _EACH_OF_PACKAGE
    whole: int = 0
    asked: int = 1
    checked: int = 0
    estimated: float = inf

    def plays(self, tree: Tree) -> np.ndarray:
        """Return indices of the terminal histories to compare with the rules: all, or a random sample."""
        ends = len(tree.terminals)
        if len(tree.player) <= self.whole:
            return np.arange(ends)
        return np.random.default_rng(0).integers(ends, size=self.compared + ends // self.each)

    def file_for(self, tree: Tree) -> Path | None:
        """Return the file in which a new tree is cached; None if it is not."""
        return self.cache if self.builder != "cached" and len(tree.player) >= CACHE_FROM else None


#: The comparison of cached trees.
CACHED = Plan("cached", compared=_COMPARED_CACHED)


def plans_of(game: Game, *, cache: bool, force: bool, workers: int | Executor) -> Iterator[Plan]:
    """Yield the plans of a game in the order in which they are tried, until one gives a tree.

    All rules but those of card games of this package are checked and estimated first.

    Raises:
        GameError: the rules have faults.
        SizeError: the game does not fit in memory, and is not forced.
    """
    path, declared = cache_path(game) if cache else None, declares_public_actions(game)
    if path is not None and os.path.exists(path):
        yield Plan("cached", path)  # `load_tree` compares its tree, by CACHED
    if declared and is_of_package(game):
        estimated = inf if force else ESTIMATED_FROM
        yield Plan("bundles", path, compared=_COMPARED, asked=_ASKED_OF_PACKAGE, estimated=estimated)
    check_rules(game, CHECKED_FIRST)
    estimate = refuse_if_too_large(game, force)
    checked = max(int(estimate.histories - estimate.error) // CHECK_EVERY, CHECKED_FIRST)
    if declared:
        builder = "bundles" if estimate.histories > COMPARED_WHOLE else "histories"
        yield Plan(builder, path, compared=_COMPARED, each=_EACH, whole=COMPARED_WHOLE, checked=checked)
        return
    if workers != 1 and estimate.histories >= SPREAD_FROM:
        yield Plan("workers", path, checked=checked)
    yield Plan("histories", path, checked=checked)


def check_rules(game: Game, histories: int) -> bool:
    """Return True; raise GameError if `check_game` finds a fault at about this number of histories."""
    require_sound(game, histories, max(histories // _CHECK_PLAYS, _LEAST_PLAYS))
    return True


def declares_public_actions(game: Game) -> bool:
    """Return whether the class of the rules declares public actions; its parents may have other rules."""
    return "public_actions" in vars(type(game)) and bool(getattr(game, "public_actions", False))


def is_of_package(game: Game) -> bool:
    """Return whether the rules are those of a game of this package."""
    return game.name in GAMES and type(game).__module__.startswith(("tefuda.games.", "tefuda.koikoi."))


def cache_path(game: Game) -> Path | None:
    """Return the cache file of a game of this package, or None for other games.

    The name depends on name, parameters, source code and package version.
    """
    if not is_of_package(game):
        return None
    place = Path(inspect.getfile(type(game)))
    # Rules in a folder of their own are in several files.
    files = [place] if type(game).__module__.startswith("tefuda.games.") else sorted(place.parent.glob("*.py"))
    rules = b"".join(file.read_bytes() for file in files)
    what = json.dumps([game.name, game_parameters(game), __version__], default=str).encode()
    return cache_folder() / "trees" / f"{game.name}-{hashlib.sha256(what + rules).hexdigest()[:24]}.npz"
