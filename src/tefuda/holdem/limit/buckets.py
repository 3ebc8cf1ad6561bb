"""Buckets of hands: those whose strength at the end is likely to be alike, street by street.

A hand on a flop or turn is the histogram of how strong it is on all complete boards, in parts of the hands it beats
(johanson2013); histograms are compared by the squares of differences of cumulative ones. They are cut once, by
k-means, into a thousand *cells*, kept in the cache; buckets are clusters of cells, made in a moment for any number.
Earlier buckets are forgotten (imperfect recall, waugh2009).

Strength alone forgets what all see: whether the turn or river made weak hands strong. *Textures* are clusters of such
cards by how they move hands: of each fifth of the hands before, the histogram of how strong it is then. Letters: B
boards that are not alike, H 1,326 hands, C cells, L 256 levels of strength on the river, K kinds of cards.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import comb
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tefuda.errors import ParameterError, RunError, check_range, check_seed
from tefuda.files import Array, cache_folder, check_arrays, read_arrays, write_arrays
from tefuda.holdem.cards import CARDS, CLASS_OF, CLASSES, HANDS
from tefuda.holdem.kernels import buckets as kernels
from tefuda.holdem.kernels import rank as rank_kernels
from tefuda.holdem.rank import MASKS
from tefuda.holdem.suits import PERMUTATIONS, moved_hands
from tefuda.words import Tell

STREETS = ("preflop", "flop", "turn", "river")
#: Boards that are not alike, of 3, 4, 5 cards in any order.
BOARDS = (1755, 16_432, 134_459)
_CELLS, _BINS = 1000, 16
_SAMPLED, _SAMPLE, _ROUNDS = 150, 40_000, 12  # boards, hands on them, rounds of k-means
_KINDS, _PARTS, _STEPS = 200, 5, 8  # of cards; of the hands before; bins of their strengths after
_DECK = np.sort(MASKS)
_SETS = MASKS[HANDS[:, 0]] | MASKS[HANDS[:, 1]]
_PIECE = 64  # boards between calls of progress


class Cells(NamedTuple):
    """The cell of each hand on each board, and what cells are.

    flop, turn: `[B, H]` uint16. river: `[B, H]` uint8 levels of strength. flop_points, turn_points: `[C, 15]` float32
    cumulative histograms at the centres. flop_masses, turn_masses: `[C]`, river_masses: `[L]` int64 how many hands are
    in each.
    """

    flop: np.ndarray  # [B, H] uint16
    turn: np.ndarray  # [B, H] uint16
    river: np.ndarray  # [B, H] uint8
    flop_points: np.ndarray  # [C, 15] float32
    turn_points: np.ndarray  # [C, 15] float32
    flop_masses: np.ndarray  # [C] int64
    turn_masses: np.ndarray  # [C] int64
    river_masses: np.ndarray  # [L] int64
    turn_kinds: np.ndarray  # [B, 64] uint8
    river_kinds: np.ndarray  # [B, 64] uint8
    turn_shifts: np.ndarray  # [K, 35] float32
    river_shifts: np.ndarray  # [K, 35] float32
    turn_times: np.ndarray  # [K] int64
    river_times: np.ndarray  # [K] int64


@cache
def boards_of(size: int) -> tuple[kernels.Boards, np.ndarray]:
    """All boards of so many cards by rank, and `[B]` uint64 those that stand for all that are alike."""
    ranks = comb(CARDS, size)
    found = kernels.Boards(np.zeros(ranks, dtype=np.int32), np.zeros(ranks, dtype=np.uint8))
    alike = np.zeros(ranks, dtype=np.uint64)
    number = kernels.number_boards(_DECK, size, np.array(PERMUTATIONS), found, alike)
    return found, alike[:number].copy()


@cache
def moved() -> np.ndarray:
    """`[24, H]` uint16 each hand with its suits replaced by each permutation."""
    return np.stack([moved_hands(one) for one in PERMUTATIONS]).astype(np.uint16)


def means(points: np.ndarray, weights: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """The centres of k-means: Lloyd's rounds from points drawn evenly along their sums.

    Args:
        points: `[N, D]` float32.
        weights: `[N]`.
        number: of centres.
        rng: draws the first ones.

    Returns:
        `[K, D]` float32 centres, at most `number`, in rising order of their sums.
    """
    points, place = np.unique(points, axis=0, return_inverse=True)
    weights = np.bincount(place.ravel(), weights)
    centres = _sorted(points[_spread(points.sum(axis=1), weights, min(number, len(points)), rng)])
    places = np.zeros(len(points), dtype=np.int64)
    for _ in range(_ROUNDS):
        kernels.nearest_all(points, centres, _heights(centres), places)
        mass = np.bincount(places, weights, len(centres))
        sums = np.stack([np.bincount(places, weights * column, len(centres)) for column in points.T], axis=1)
        centres = np.where(mass[:, None] > 0, sums / np.maximum(mass, 1e-300)[:, None], centres)
        centres = _sorted(centres.astype(np.float32))
    return centres


def _spread(heights: np.ndarray, weights: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """So many different places, evenly along the heights, and at random where one would be taken twice."""
    order = np.argsort(heights, kind="stable")
    ends = np.cumsum(weights[order]) / weights.sum()
    even = np.searchsorted(ends, (np.arange(number) + rng.random(number)) / number)
    chosen = np.unique(order[np.minimum(even, len(order) - 1)])
    others = np.setdiff1d(order, chosen)
    return np.concatenate([chosen, rng.choice(others, number - len(chosen), replace=False)])


def _heights(centres: np.ndarray) -> np.ndarray:
    """`[K]` the sums of the centres' numbers, as kernels add them."""
    found = np.zeros(len(centres), dtype=np.float32)
    for column in centres.T:
        found += column
    return found


def _sorted(centres: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(centres[np.argsort(_heights(centres), kind="stable")])


def rate_rivers(boards: np.ndarray, progress: Callable[[int, int], None] = lambda done, of: None) -> np.ndarray:
    """`[B, H]` uint8 how strong each hand is on complete boards: the part of other hands it beats, in 256 levels."""
    levels = np.zeros((len(boards), len(HANDS)), dtype=np.uint8)
    for first in range(0, len(boards), _PIECE):
        kernels.rate(_SETS, HANDS, boards[first : first + _PIECE], first, levels)
        progress(min(first + _PIECE, len(boards)), len(boards))
    return levels


def histogram(board: int, levels: np.ndarray, bins: int = _BINS) -> np.ndarray:
    """`[H, bins]` how often each hand gets which strength on the complete boards that come from one of 3 or 4 cards.

    Args:
        board: a set of cards.
        levels: as `rate_rivers` gives them of all boards that are not alike.
        bins: a power of 2.
    """
    counts = np.zeros((len(HANDS), bins), dtype=np.int32)
    kernels.futures(np.uint64(board), _DECK, _SETS, boards_of(5)[0], moved(), levels, counts)
    return counts


def _cells_of_street(
    size: int, levels: np.ndarray, rng: np.random.Generator, progress: Callable[[int, int], None]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`[B, H]` cells of boards of three or four cards, `[C, 15]` their centres and `[C]` masses."""
    boards = boards_of(size)[1]
    some = rng.choice(len(boards), _SAMPLED, replace=False)
    points = []
    for number in some:
        shapes = np.zeros((len(HANDS), _BINS - 1), dtype=np.float32)
        kernels.shapes(histogram(boards[number], levels), shapes)
        points.append(shapes[(_SETS & boards[number]) == 0])
    all_ = np.concatenate(points)
    sample = all_[rng.choice(len(all_), _SAMPLE, replace=False)]
    centres = means(sample, np.ones(len(sample)), _CELLS, rng)
    places = np.zeros((len(boards), len(HANDS)), dtype=np.uint16)
    masses = np.zeros(len(centres), dtype=np.int64)
    rivers = boards_of(5)[0]
    for first in range(0, len(boards), _PIECE):
        piece = slice(first, first + _PIECE)
        kernels.cells_of(
            boards[piece], _DECK, _SETS, rivers, moved(), levels, centres, _heights(centres), places[piece], masses
        )
        progress(min(first + _PIECE, len(boards)), len(boards))
    return places, centres, masses


def _ranked(points: np.ndarray, masses: np.ndarray, number: int) -> np.ndarray:
    """`[C]` uint8 in which of so many equal parts of all hands cells are, by their mean strength."""
    order = np.argsort(-points.sum(axis=1), kind="stable")  # what is strong has little below it
    found = np.zeros(len(points), dtype=np.uint8)
    found[order] = np.minimum(np.cumsum(masses[order]) / masses.sum() * number, number - 1)
    return found


def _kinds(
    size: int, parts: np.ndarray, levels: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`[B, 64]` kinds of cards that come to boards of so many, `[K, 35]` their centres and `[K]` times.

    parts: `[B, H]` uint8 of the hands on them. levels: `[., H]` uint8 of the hands on boards with one card more.
    """
    numbers, boards = boards_of(size)
    shifts = np.zeros((len(boards), 64, _PARTS, _STEPS - 1), dtype=np.float32)
    known = np.zeros((len(boards), 64), dtype=np.bool_)
    kernels.shifts(boards, _DECK, _SETS, parts, boards_of(size + 1)[0], moved(), levels, shifts, known)
    points = shifts[known].reshape(int(known.sum()), -1)
    times = np.broadcast_to(np.bincount(numbers.number)[:, None], known.shape)[known]
    some = rng.choice(len(points), min(_SAMPLE, len(points)), replace=False)
    centres = means(points[some], times[some], _KINDS, rng)
    places, kinds = np.zeros(len(points), dtype=np.int64), np.zeros(known.shape, dtype=np.uint8)
    kernels.nearest_all(points, centres, _heights(centres), places)
    kinds[known] = places
    return kinds, centres, np.bincount(places, times, len(centres)).astype(np.int64)


def make_cells(seed: int = 0, tell: Tell = lambda text: None) -> Cells:
    """Work out the cells of all hands on all boards; see `cells`, which keeps them.

    Args:
        seed: of k-means.
        tell: told what is done.
    """
    check_seed(seed)
    rng = np.random.default_rng(seed)

    def telling(what: str) -> Callable[[int, int], None]:
        return lambda done, of: tell(f"{what}: {done:,} of {of:,} boards") if done % 8192 == 0 else None

    river = rate_rivers(boards_of(5)[1], telling("strengths on rivers"))
    masses = np.bincount(river.ravel(), minlength=kernels.LEVELS)
    masses[0] -= river.size - len(river) * comb(CARDS - 5, 2)  # hands that boards block
    flop, flop_points, flop_masses = _cells_of_street(3, river, rng, telling("hands on flops"))
    turn, turn_points, turn_masses = _cells_of_street(4, river, rng, telling("hands on turns"))
    tell("how turns and rivers move hands")
    parts = _ranked(flop_points, flop_masses, _PARTS)[flop], _ranked(turn_points, turn_masses, _PARTS)[turn]
    strong = _ranked(turn_points, turn_masses, kernels.LEVELS)[turn]
    turns, rivers = _kinds(3, parts[0], strong, rng), _kinds(4, parts[1], river, rng)
    both = (one for pair in zip(turns, rivers, strict=True) for one in pair)
    return Cells(flop, turn, river, flop_points, turn_points, flop_masses, turn_masses, masses, *both)


_known: dict[int, Cells] = {}


def cells(seed: int = 0, tell: Tell = lambda text: None) -> Cells:
    """The cells of all hands on all boards, from the cache if they are there (230 MB); else in half a minute.

    Args:
        seed: of k-means.
        tell: told what is done if they must be worked out.

    Raises:
        ParameterError: no seed.
    """
    check_seed(seed)
    if seed not in _known:
        path = kept_at(seed)
        try:
            _known[seed] = read_cells(path)
        except RunError:  # absent, damaged, or of something else: worked out anew
            _known[seed] = make_cells(seed, tell)
            with contextlib.suppress(RunError):  # a cache that cannot be written costs only the next start
                write_arrays(path, _known[seed]._asdict(), {})
    return _known[seed]


def kept_at(seed: int) -> Path:
    """Where cells are kept: by seed, numbers, and the kernels that make them."""
    sources = (Path(str(one.__file__)) for one in (kernels, rank_kernels))
    what = repr((_CELLS, _BINS, _SAMPLED, _SAMPLE, _ROUNDS, _KINDS, _PARTS, _STEPS)).encode()
    digest = hashlib.sha256(b"".join((what, *(path.read_bytes() for path in sources)))).hexdigest()
    return cache_folder() / "holdem" / f"cells-{seed}-{digest[:16]}.npz"


def read_cells(path: Path) -> Cells:
    """Cells from a file.

    Raises:
        RunError: there is none, or it is damaged, or holds something else.
    """
    arrays, _ = read_arrays(path)
    letters = check_arrays(path, arrays, _ARRAYS)
    if arrays["flop"].max() >= letters["f"] or arrays["turn"].max() >= letters["t"]:
        raise RunError(f"{path} holds no cells: hands are in cells that are not there. Delete it.")
    if arrays["turn_kinds"].max() >= letters["k"] or arrays["river_kinds"].max() >= letters["l"]:
        raise RunError(f"{path} holds no cells: cards are of kinds that are not there. Delete it.")
    return Cells(**arrays)


_H = len(HANDS)
_ARRAYS = {
    "flop": Array("uint16", (BOARDS[0], _H), 0, _CELLS - 1),
    "turn": Array("uint16", (BOARDS[1], _H), 0, _CELLS - 1),
    "river": Array("uint8", (BOARDS[2], _H)),
    "flop_points": Array("float32", ("f", _BINS - 1), 0, 1),
    "turn_points": Array("float32", ("t", _BINS - 1), 0, 1),
    "flop_masses": Array("int64", ("f",), 0, 2**40),
    "turn_masses": Array("int64", ("t",), 0, 2**40),
    "river_masses": Array("int64", (kernels.LEVELS,), 0, 2**40),
    "turn_kinds": Array("uint8", (BOARDS[0], 64), 0, _KINDS - 1),
    "river_kinds": Array("uint8", (BOARDS[1], 64), 0, _KINDS - 1),
    "turn_shifts": Array("float32", ("k", _PARTS * (_STEPS - 1)), 0, 1),
    "river_shifts": Array("float32", ("l", _PARTS * (_STEPS - 1)), 0, 1),
    "turn_times": Array("int64", ("k",), 0, 2**40),
    "river_times": Array("int64", ("l",), 0, 2**40),
}


@dataclass(frozen=True)
class Buckets:
    """How many buckets hands are in, street by street.

    Args:
        counts: of preflop (169 or more: all classes apart), flop (1,000 at most), turn and river.
        seed: of k-means.
        textures: so many kinds of turns and of rivers are told apart (200 at most), each with its part of the street's
            buckets (1,000 at most on the turn, 256 on the river).

    Raises:
        ParameterError: a number out of range, or buckets that textures do not share evenly.
    """

    counts: tuple[int, int, int, int] = (169, 100, 100, 100)
    seed: int = 0
    textures: tuple[int, int] = (1, 1)

    def __post_init__(self) -> None:
        for name, length in (("counts", 4), ("textures", 2)):
            given = getattr(self, name)
            if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != length:
                raise ParameterError(f"{name} are {given!r}; give {length}, of {', '.join(STREETS[-length:])}.")
            object.__setattr__(self, name, tuple(given))
        for street, kinds in zip(STREETS[2:], self.textures, strict=True):
            check_range(f"textures on the {street}", kinds, 1, _KINDS)
        most = (len(CLASSES), _CELLS, self.textures[0] * _CELLS, self.textures[1] * kernels.LEVELS)
        for street, count, highest in zip(STREETS, self.counts, most, strict=True):
            check_range(f"the number of buckets on the {street}", count, 1, highest)
        for street, count, kinds in zip(STREETS[2:], self.counts[2:], self.textures, strict=True):
            if count % kinds:
                raise ParameterError(f"{count} buckets on the {street} are not {kinds} times as many; give a multiple.")
        check_seed(self.seed)

    @property
    def hands(self) -> tuple[int, int, int, int]:
        """How many buckets there are in each texture."""
        return self.counts[0], self.counts[1], self.counts[2] // self.textures[0], self.counts[3] // self.textures[1]

    def of(self, found: Cells) -> kernels.Sorted:
        """The buckets of all hands on all boards, as kernels look them up."""
        rng = np.random.default_rng([self.seed, *self.hands])
        levels = (np.arange(kernels.LEVELS, dtype=np.float32) / kernels.LEVELS)[:, None]
        streets = (
            (_flop_of_classes(found), np.bincount(CLASS_OF)),
            (found.flop_points, found.flop_masses),
            (found.turn_points, found.turn_masses),
            (levels, found.river_masses),
        )
        places = np.zeros((len(STREETS), _CELLS), dtype=np.uint16)
        for street, (points, masses) in enumerate(streets):
            places[street, : len(points)] = clusters(points, masses, self.hands[street], rng)
        if self.counts[0] == len(CLASSES):
            places[0, : len(CLASSES)] = np.arange(len(CLASSES))
        boards = (boards_of(3)[0], boards_of(4)[0], boards_of(5)[0])
        tables = found.flop, found.turn, found.river
        return kernels.Sorted(*boards, moved(), CLASS_OF, *tables, places, self._textures(found))

    def _textures(self, found: Cells) -> kernels.Textures:
        turn, river = (
            clusters(points, times, number, np.random.default_rng([self.seed, number])).astype(np.uint8)[kinds]
            for kinds, points, times, number in (
                (found.turn_kinds, found.turn_shifts, found.turn_times, self.textures[0]),
                (found.river_kinds, found.river_shifts, found.river_times, self.textures[1]),
            )
        )
        return kernels.Textures(turn, river, np.array(self.hands), np.array(PERMUTATIONS))


def clusters(points: np.ndarray, masses: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """`[N]` the nearest of `number` means of each point `[N, D]`, numbered by rising strength.

    Args:
        points: cumulative histograms, or strengths.
        masses: `[N]` how often each is met.
        number: of means; there may be fewer.
        rng: see `means`.
    """
    rising = points if points.shape[1] == 1 else 1 - points  # what is strong has little below it
    centres = means(rising, masses + 1e-9, number, rng)
    places = np.zeros(len(points), dtype=np.int64)
    kernels.nearest_all(np.ascontiguousarray(rising), centres, _heights(centres), places)
    return places


def _flop_of_classes(found: Cells) -> np.ndarray:
    """`[169, 15]` the mean of the classes' cumulative histograms over all flops."""
    numbers, boards = boards_of(3)
    times = np.bincount(numbers.number, minlength=len(boards))
    free = (_SETS & boards[:, None]) == 0
    totals, seen = np.zeros((len(HANDS), found.flop_points.shape[1])), np.zeros(len(HANDS))
    for row, one, many in zip(found.flop, free, times, strict=True):
        totals[one] += many * found.flop_points[row[one]]
        seen += many * one
    mean = totals / seen[:, None]
    by_class = np.stack([np.bincount(CLASS_OF, column) for column in mean.T], axis=1)
    return (by_class / np.bincount(CLASS_OF)[:, None]).astype(np.float32)
