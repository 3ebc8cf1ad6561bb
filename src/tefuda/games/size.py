"""Size estimates of games, before compiling.

The histories of a small game are counted. For a large game some histories are followed at each depth, each of which
represents an equal number of histories there (stochastic enumeration: Rubinstein 2013, Vaisman and Kroese 2017). All
their children are counted, and some are drawn to be followed. The estimate is unbiased, and far more precise than that
of separate paths (Knuth 1975). For outcomes of ``draw``, the inverse probability is the number of children. The work is
bounded for any rules.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeGuard

import numpy as np

from tefuda.errors import SizeError
from tefuda.games.answers import calling_rules, endless_game, require_game
from tefuda.games.kit import kit_of
from tefuda.games.plays import draw_outcome, play
from tefuda.games.protocol import CHANCE, LONGEST, Game, Label, State, labels

# Measured on 3-player Leduc (223,869 histories): the peak while compiling and solving, per history.
_BYTES_PER_HISTORY = 340
_COUNTED = 2_000  # histories counted before sampling
_SAMPLES = 8  # independent estimates, whose spread is the error
_WORK = 200_000  # states visited and labels listed; then no new sample starts
_BYTES = 50  # of a state cost as much as a label
_MOST = 1e140  # histories; larger squares overflow
_TRAVERSALS = 30  # random games of each player that estimate a traversal
_ANY_MACHINE = 1e15  # bytes
_REMEMBERED = 64  # games whose sizes are remembered


@dataclass(frozen=True)
class Estimate:
    """The size of a game.

    Attributes:
        histories: number of histories, counted or estimated.
        error: standard error of `histories`; 0 if counted.
        bytes: memory to compile and solve the game.
        seconds: time to compile it on this machine.

    >>> td.games.estimate_game(td.load_game("kuhn")).histories
    55
    """

    histories: float
    error: float
    bytes: float
    seconds: float

    @property
    def exact(self) -> bool:
        """True if the histories were counted."""
        return self.error == 0

    def __str__(self) -> str:
        about = "" if self.exact else f" (+-{self.error:.1g}, estimated from random games)"
        count = f"{self.histories:,.0f}" if self.histories < 1e12 else f"{self.histories:.1e}"
        if self.bytes > _ANY_MACHINE:
            return f"{count} histories{about}, too large for any machine"
        return f"{count} histories{about}, {_size(self.bytes)} of memory, {_time(self.seconds)} to compile"


def estimate_game(game: Game, *, width: int = 300, rng: np.random.Generator | None = None) -> Estimate:
    """Return the counted or estimated size of a game, without compiling it.

    Args:
        game: the rules.
        width: number of histories that are followed at each depth of a game too large to count; fewer, down to one,
            where games are long or wide.
        rng: random number generator; default: seed 0.

    Raises:
        GameError: invalid rules, or an endless game.

    >>> td.games.estimate_game(td.load_game("leduc")).histories
    1936
    """
    require_game(game)
    if rng is None and _is_value(game):
        return _remembered_estimate(game, width)
    return _estimate(game, width, rng or np.random.default_rng(0))


def _is_value(game: object) -> TypeGuard[Hashable]:
    """Return whether equal rules are the same game: a frozen dataclass with hashable parameters."""
    settings = getattr(type(game), "__dataclass_params__", None)
    try:
        hash(game)
    except Exception:
        return False
    return settings is not None and settings.frozen and settings.eq


@lru_cache(maxsize=_REMEMBERED)
def _remembered_estimate(game: Any, width: int) -> Estimate:
    """Return the estimate with seed 0; a server asks for that of one game at each request."""
    return _estimate(game, width, np.random.default_rng(0))


def _estimate(game: Game, width: int, rng: np.random.Generator) -> Estimate:
    start = time.process_time()
    samples: list[_Sample] = []
    with calling_rules(game):
        counted = _count(game, _COUNTED, rng)
        if counted < _COUNTED:
            return Estimate(counted, 0.0, counted * _BYTES_PER_HISTORY, time.process_time() - start)
        while len(samples) < _SAMPLES and sum(sample.work for sample in samples) < _WORK:
            samples.append(_sample(game, width, rng))
    sizes = [sample.histories for sample in samples]
    histories, seconds = float(np.mean(sizes)), float(np.mean([sample.seconds for sample in samples]))
    error = float(np.std(sizes, ddof=1) / np.sqrt(len(sizes))) if len(sizes) > 1 else histories
    return Estimate(histories, max(error, 1.0), histories * _BYTES_PER_HISTORY, seconds)


@dataclass
class _Sample:
    """Estimates of the histories and of the seconds that their rules take; and the work of this sample."""

    histories: float = 1.0
    seconds: float = 0.0
    work: int = 0


def _count(game: Game, limit: int, rng: np.random.Generator) -> int:
    """Return the number of histories, at most `limit`."""
    stack, count = [game.root()], 1
    while stack:
        state = stack.pop()
        if _draws(game, state) and draw_outcome(game, state, rng.random)[1] * limit < 1:
            return limit
        options = labels(game, state)
        count += len(options)
        if count >= limit:
            return limit
        stack.extend(game.child(state, label) for label in options)
    return count


def _draws(game: Game, state: State) -> bool:
    return hasattr(game, "draw") and game.player(state) == CHANCE


def _sample(game: Game, width: int, rng: np.random.Generator) -> _Sample:
    """Follow `width` histories at each depth, and fewer as work adds up."""
    sample, limit = _Sample(), _WORK / _SAMPLES
    followed, weights, clock = [game.root()], np.ones(1), time.process_time()
    for _ in range(LONGEST + 1):
        moves = [_moves(game, state, width // len(followed), rng) for state in followed]
        listed = [len(options) for options, _ in moves]
        sample.work += sum(listed) + sum(1 + sys.getsizeof(state) // _BYTES for state in followed)
        ways = np.concatenate([counts for _, counts in moves]) * np.repeat(weights, listed)
        origin = np.repeat(np.arange(len(followed)), listed)
        labels_of = [label for options, _ in moves for label in options]
        chosen, after = _drawn(np.minimum(ways, _MOST), max(1, int(width * (1 - sample.work / limit))), rng)
        followed = [game.child(followed[origin[number]], labels_of[number]) for number in chosen.tolist()]
        before, clock = clock, time.process_time()
        sample.seconds += float(weights.mean()) * (clock - before)
        if not followed:
            return sample
        sample.histories += float(ways.sum())
        weights = after
    raise endless_game(game)


def _moves(game: Game, state: State, draws: int, rng: np.random.Generator) -> tuple[Sequence[Label], np.ndarray]:
    """Return all labels of a history, or some draws, and the number of children that each represents."""
    if not _draws(game, state):
        options = labels(game, state)
        return options, np.ones(len(options))
    outcomes = [draw_outcome(game, state, rng.random) for _ in range(max(draws, 1))]
    counts = [1 / float(probability) / len(outcomes) for _, probability in outcomes]
    return [label for label, _ in outcomes], np.array(counts)


def _drawn(weights: np.ndarray, width: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return indices in proportion to weights, one from each of `width` equal parts, and their weights."""
    if len(weights) <= width:
        return np.arange(len(weights)), weights
    sums = np.cumsum(weights)
    points = (np.arange(width) + rng.random(width)) * (sums[-1] / width)
    return np.minimum(np.searchsorted(sums, points, "right"), len(weights) - 1), np.full(width, sums[-1] / width)


def estimate_traversal(game: Game) -> float:
    """Return the estimated number of histories that an iteration of external sampling visits.

    It follows all actions of a player and samples the other moves, for each player in turn.

    >>> 10 < estimate_traversal(td.load_game("kuhn")) < 15
    True
    """
    return _remembered_traversal(game) if _is_value(game) else _traversal(game)


@lru_cache(maxsize=_REMEMBERED)
def _remembered_traversal(game: Any) -> float:
    return _traversal(game)


def _traversal(game: Game) -> float:
    rng, visited = np.random.default_rng(0), 0.0
    for player in range(game.players):
        for _ in range(_TRAVERSALS):
            paths, visited = 1.0, visited + 1
            for step in play(game, rng)[0]:
                paths = min(paths / step.probability, _MOST) if step.player == player else paths
                visited += paths
    return visited / _TRAVERSALS


def refuse_if_too_large(game: Game, force: bool) -> Estimate:
    """Return the estimated size of a game; raise SizeError if it needs more than the free memory.

    Raises:
        SizeError: too large, unless `force`; the message has the estimate.
    """
    estimate, free = estimate_game(game), free_memory()
    if estimate.bytes > free and not force:
        raise SizeError(
            f"{game.name} is too large: {estimate}; {_size(free)} are free. {_own_form(game)}Choose smaller "
            'parameters, solve by sampling (td.solve(rules, "external"), tefuda solve --method external), or compile '
            "it anyway with force=True (--force).",
            key="memory",
            value=estimate,
            expected=f"at most {_size(free)}",
        )
    return estimate


def _own_form(game: Game) -> str:
    """Return the advice to solve a game in the form that its kit prefers to a tree; "" if there is none."""
    form = kit_of(game).forms()[0]
    return "" if form == "tree" else f"Solve it without a tree, in its form {form!r}: td.solve(game). "


def free_memory() -> float:
    """Return the number of free bytes of memory."""
    try:
        with open("/proc/meminfo") as file:
            return next(int(line.split()[1]) * 1024.0 for line in file if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        names = getattr(os, "sysconf_names", {})
        pages = os.sysconf("SC_PHYS_PAGES") if "SC_PHYS_PAGES" in names else 2**20
        return float(pages * (os.sysconf("SC_PAGE_SIZE") if names else 4096))


def _size(number: float) -> str:
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if number < 1000 or unit == "TB":
            return f"{number:,.0f} {unit}" if unit in ("B", "KB", "MB") else f"{number:,.1f} {unit}"
        number /= 1000
    raise AssertionError


def _time(seconds: float) -> str:
    if seconds > 1000 * 3.2e7:
        return "more than a thousand years"
    for unit, length in (("years", 31_557_600), ("days", 86400), ("hours", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:,.1f} {unit}"
    return f"{seconds:.2g} s"
