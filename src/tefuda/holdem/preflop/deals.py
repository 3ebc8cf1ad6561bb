"""Deals of three players before the flop: numbers of deals, and orders of strength at the showdown.

Letters: n hand classes, T unordered triples of classes.

Two classes do not say how three hands compare, and payouts of a tournament are not linear in chips. So the frequencies
of the 13 weak orders of three hands are estimated for each of the 818,805 triples, once, on random boards.
"""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np

from tefuda.errors import RunError
from tefuda.files import ArraySpec, cache_folder, check_arrays, read_arrays, write_arrays
from tefuda.holdem.cards import CARDS, CLASS_OF, HANDS
from tefuda.holdem.equities import count_pairs
from tefuda.holdem.kernels import orders as kernels
from tefuda.holdem.kernels import rank as rank_kernels
from tefuda.holdem.rank import MASKS, SETS
from tefuda.words import Notify
from tefuda.workers import ProgressFunction, pieces

#: `[13, 3]` the weak orders of three hands as levels; a higher level wins, equal levels tie.
ORDERS = np.array([levels for levels in product(range(3), repeat=3) if {*levels} == {*range(max(levels) + 1)}])
SAMPLES = 2000  # draws of each triple: two tables agree to .0001 big blinds at stacks of ten
_SEED = 0
_PIECE = 4096  # triples between two reports of progress


@dataclass(frozen=True, eq=False)
class Deals:
    """Deals of three players.

    Attributes:
        classes: `[n]` hand classes of the deck.
        weights: `[n, n, n]` number of deals in which the players have these classes.
        triples: `[T, 3]` unordered triples of the n classes, by number, each in rising order.
        orders: `[T, 13]` frequencies of the `ORDERS` of each triple; all 0 if it cannot be dealt.
    """

    classes: np.ndarray  # [n]
    weights: np.ndarray  # [n, n, n]
    triples: np.ndarray  # [T, 3]
    orders: np.ndarray  # [T, 13]


@cache
def list_deals(deck: tuple[int, ...] = tuple(range(CARDS))) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the classes `[n]` of a deck, their weights `[n, n, n]` and triples `[T, 3]`, as in `Deals`."""
    inside = np.isin(HANDS, deck).all(axis=1)
    classes, firsts, sizes = np.unique(CLASS_OF[inside], return_index=True, return_counts=True)
    weights = np.empty((len(classes),) * 3)
    for number, hand in enumerate(np.flatnonzero(inside)[firsts]):  # the hands of a class differ in suits only
        free = np.asarray(inside & (SETS & SETS[hand] == 0))
        weights[number] = sizes[number] * count_pairs(free)[np.ix_(classes, classes)]
    numbers = np.arange(len(classes))
    rising = (numbers[:, None, None] <= numbers[:, None]) & (numbers[:, None] <= numbers)
    return classes, weights, np.argwhere(rising)


def sample_deals(
    deck: tuple[int, ...] = tuple(range(CARDS)), samples: int = SAMPLES, seed: int = _SEED,
    progress: ProgressFunction | None = None,
) -> Deals:  # fmt: skip
    """Return deals with the orders of each triple on random boards.

    Args:
        deck: cards of the deck, with all suits of each rank.
        samples: number of draws of hands and a board for each triple, at most 65,535.
        seed: random seed.
        progress: callback for the triples done and their total.
    """
    classes, weights, triples = list_deals(deck)
    inside = np.isin(HANDS, deck).all(axis=1)
    by_class = np.flatnonzero(inside)[np.argsort(CLASS_OF[inside], kind="stable")]
    start = np.searchsorted(CLASS_OF[by_class], [*classes, len(SETS)])
    possible = np.flatnonzero(weights[tuple(triples.T)])
    counts = np.zeros((len(possible), len(ORDERS)), dtype=np.uint16)
    for piece in pieces(len(possible), _PIECE, progress):
        kernels.count_orders(
            triples[possible[piece]], SETS[by_class], start, MASKS[list(deck)], samples, np.uint64(seed), piece.start,
            _order_numbers(), counts[piece],
        )  # fmt: skip
    orders = np.zeros((len(triples), len(ORDERS)), dtype=np.uint16)
    orders[possible] = counts
    return Deals(classes, weights, triples, orders)


def _order_numbers() -> np.ndarray:
    """Return `[27]` the number of each weak order by its comparisons of hands 0 and 1, 0 and 2, 1 and 2."""
    one, two, three = ORDERS.T
    compared = (np.sign(pair) + 1 for pair in (one - two, one - three, two - three))
    numbers = np.full(27, -1)
    numbers[np.array([9, 3, 1]) @ np.stack(list(compared))] = np.arange(len(ORDERS))
    return numbers


_loaded = dict[Path, Deals]()


def all_deals(notify: Notify = lambda text: None) -> Deals:
    """Return the deals of the whole deck, from a cached file of 21 MB, or in 100 s of one core."""
    path = deals_path()
    if path not in _loaded:
        try:
            _loaded[path] = read_deals(path)
        except RunError:  # absent, damaged or another file: count again
            stage = "orders of three hands, once: {:,} of {:,} triples of classes"
            _loaded[path] = sample_deals(
                samples=SAMPLES, progress=lambda done, total: notify(stage.format(done, total))
            )
            with contextlib.suppress(RunError):  # if the cache cannot be written, the next start counts again
                write_arrays(path, {"orders": _loaded[path].orders}, {})
    return _loaded[path]


def deals_path() -> Path:
    """Return the cache file of `all_deals`; its name depends on the settings and the kernels' source."""
    sources = (Path(str(module.__file__)).read_bytes() for module in (kernels, rank_kernels))
    digest = hashlib.sha256(b"".join((repr((SAMPLES, _SEED)).encode(), *sources))).hexdigest()
    return cache_folder() / "holdem" / f"deals-{digest[:16]}.npz"


def read_deals(path: Path) -> Deals:
    """Read the deals of the whole deck.

    Raises:
        RunError: the file does not exist, is damaged, or has other counts than `all_deals` writes.
    """
    arrays, _ = read_arrays(path)
    classes, weights, triples = list_deals()
    check_arrays(path, arrays, {"orders": ArraySpec("uint16", (len(triples), len(ORDERS)), 0, SAMPLES)})
    wanted = np.where(weights[tuple(triples.T)] > 0, SAMPLES, 0)
    if not np.array_equal(arrays["orders"].sum(axis=1, dtype=np.int64), wanted):
        raise RunError(f"{path} is damaged: its counts do not sum to {SAMPLES}. Delete it.")
    return Deals(classes, weights, triples, arrays["orders"])
