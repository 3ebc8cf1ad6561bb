"""How large a game is, before it is built.

A small game is counted; a large one is estimated from random probes (Knuth 1975, "Estimating the efficiency of
backtrack programs"): the product of the branching numbers on a random path is an unbiased estimate of how many
histories there are at each depth.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

import numpy as np

from tefuda.check import LONGEST
from tefuda.errors import GameError, SizeError
from tefuda.game import Game, labels

# Measured on 3-player Leduc (223,869 histories): the peak while compiling and solving, per history.
_BYTES_PER_HISTORY = 340
_COUNTED = 2_000  # histories counted one by one before probing


@dataclass(frozen=True)
class Estimate:
    """The size of a game: histories, whether counted or estimated, memory and time to compile it.

    histories: how many there are; error: one standard error of that figure, 0 if counted.
    bytes: memory to compile and solve it. seconds: time to compile it here.

    >>> tf.estimate_game(tf.load_game("kuhn")).histories
    55
    """

    histories: float
    error: float
    bytes: float
    seconds: float

    @property
    def exact(self) -> bool:
        """Whether the histories were counted."""
        return self.error == 0

    def __str__(self) -> str:
        about = "" if self.exact else f" (+-{self.error:.1g}, estimated from random games)"
        return (
            f"{self.histories:,.0f} histories{about}, {_size(self.bytes)} of memory, {_time(self.seconds)} to compile"
        )


def estimate_game(game: Game, *, probes: int = 200, rng: np.random.Generator | None = None) -> Estimate:
    """Count or estimate the histories of a game without building it.

    Args:
        game: the rules.
        probes: how many random paths to follow if the game is too large to count.
        rng: draws the paths; seed 0 unless given.

    Returns:
        Histories with their standard error, memory and time.

    Raises:
        GameError: the rules are not a game.

    >>> tf.estimate_game(tf.load_game("leduc")).histories
    1936
    """
    start = time.process_time()
    counted = _count(game, _COUNTED)
    if counted < _COUNTED:
        return Estimate(counted, 0.0, counted * _BYTES_PER_HISTORY, time.process_time() - start)
    rng = rng or np.random.default_rng(0)
    start, steps, sizes = time.process_time(), 0, []
    for _ in range(probes):
        size, length = _probe(game, rng)
        sizes.append(size)
        steps += length
    per_step = (time.process_time() - start) / steps
    histories, error = float(np.mean(sizes)), float(np.std(sizes) / np.sqrt(probes))
    return Estimate(histories, max(error, 1.0), histories * _BYTES_PER_HISTORY, histories * per_step)


def _count(game: Game, limit: int) -> int:
    """The number of histories, or `limit` if there are at least that many."""
    stack, count = [game.root()], 0
    while stack and count < limit:
        state = stack.pop()
        count += 1
        stack.extend(game.child(state, label) for label in labels(game, state))
    return count


def _probe(game: Game, rng: np.random.Generator) -> tuple[float, int]:
    """Follow one random path; return the estimate of all histories and the path's length."""
    state, weight, size, length = game.root(), 1.0, 1.0, 1
    while options := labels(game, state):
        if length > LONGEST:
            raise GameError(f"{game.name}: a game of {LONGEST:,} moves has not ended; does the game always end?")
        weight *= len(options)
        size += weight
        length += 1
        state = game.child(state, options[int(rng.integers(len(options)))])
    return size, length


def refuse_if_too_large(game: Game, force: bool) -> None:
    """Raise SizeError if compiling `game` would not fit in the memory there is.

    Raises:
        SizeError: with the estimate and the cure, unless `force`.
    """
    if force:
        return
    estimate, free = estimate_game(game), free_memory()
    if estimate.bytes > free:
        raise SizeError(
            f"{game.name} is too large to compile: {estimate}; {_size(free)} are free. Choose smaller parameters, or "
            f"a solver that samples games without compiling them, or go on anyway with force=True (--force)."
        )


def free_memory() -> float:
    """Bytes of memory that are free on this machine."""
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
    for unit, length in (("days", 86400), ("hours", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:,.1f} {unit}"
    return f"{seconds:.2g} s"
