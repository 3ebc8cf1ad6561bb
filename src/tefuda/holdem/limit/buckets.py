"""Buckets of hands: clusters of hands with similar strength at the end, street by street.

A hand on a flop or turn is the histogram of its strength on all complete boards, in parts of the hands it beats
(johanson2013); histograms are compared by squared differences of cumulative ones. k-means cuts them once into a
thousand *cells*, which are cached; buckets are clusters of cells, made in a moment for any number. Earlier buckets are
forgotten (imperfect recall, waugh2009).

Strength alone ignores how the turn or river changed the board. *Textures* are clusters of such cards by how they move
hands: for each fifth of the hands before, the histogram of their strength after. Letters: B boards up to suits, H 1,326
hands, C cells, L 256 levels of strength on the river, K kinds of cards.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb
from pathlib import Path
from typing import Annotated, NamedTuple, get_type_hints

import numpy as np

from tefuda.errors import ParameterError, RunError, check_range, check_seed
from tefuda.files import ArraySpec, cache_folder, check_arrays, read_arrays, write_arrays
from tefuda.holdem.cards import CARDS, CLASS_OF, CLASSES, HANDS
from tefuda.holdem.kernels import buckets as kernels
from tefuda.holdem.kernels import rank as rank_kernels
from tefuda.holdem.rank import MASKS, SETS
from tefuda.holdem.suits import PERMUTATIONS, moved_hands
from tefuda.words import Notify
from tefuda.workers import ProgressFunction, pieces

STREETS = ("preflop", "flop", "turn", "river")
#: Numbers of boards up to suits, of 3, 4, 5 cards in any order.
BOARDS = (1755, 16_432, 134_459)
_CELLS, _BINS = 1000, 16
_SAMPLED, _SAMPLE, _ROUNDS = 150, 40_000, 12  # boards, hands on them, rounds of k-means
_KINDS, _PARTS, _STEPS = 200, 5, 8  # of cards; of the hands before; bins of their strengths after
_DECK = np.sort(MASKS)
_H = len(HANDS)
_PIECE = 64  # boards between reports of progress


class Cells(NamedTuple):
    """The cells of all hands on all boards, and the kinds of all turns and rivers; types say what a file must hold."""

    flop: Annotated[np.ndarray, ArraySpec("uint16", (BOARDS[0], _H), 0, _CELLS - 1)]  # cells
    turn: Annotated[np.ndarray, ArraySpec("uint16", (BOARDS[1], _H), 0, _CELLS - 1)]  # cells
    river: Annotated[np.ndarray, ArraySpec("uint8", (BOARDS[2], _H))]  # levels of strength
    flop_points: Annotated[np.ndarray, ArraySpec("float32", ("f", _BINS - 1), 0, 1)]  # cumulative histograms at centres
    turn_points: Annotated[np.ndarray, ArraySpec("float32", ("t", _BINS - 1), 0, 1)]
    flop_masses: Annotated[np.ndarray, ArraySpec("int64", ("f",), 0, 2**40)]  # numbers of hands
    turn_masses: Annotated[np.ndarray, ArraySpec("int64", ("t",), 0, 2**40)]
    river_masses: Annotated[np.ndarray, ArraySpec("int64", (kernels.LEVELS,), 0, 2**40)]
    turn_kinds: Annotated[np.ndarray, ArraySpec("uint8", (BOARDS[0], 64), 0, _KINDS - 1)]  # of the next card
    river_kinds: Annotated[np.ndarray, ArraySpec("uint8", (BOARDS[1], 64), 0, _KINDS - 1)]
    turn_shifts: Annotated[
        np.ndarray, ArraySpec("float32", ("k", _PARTS * (_STEPS - 1)), 0, 1)
    ]  # histograms at centres
    river_shifts: Annotated[np.ndarray, ArraySpec("float32", ("l", _PARTS * (_STEPS - 1)), 0, 1)]
    turn_times: Annotated[np.ndarray, ArraySpec("int64", ("k",), 0, 2**40)]  # numbers of cards
    river_times: Annotated[np.ndarray, ArraySpec("int64", ("l",), 0, 2**40)]


_ARRAYS = {name: hint.__metadata__[0] for name, hint in get_type_hints(Cells, include_extras=True).items()}


@cache
def boards_of(size: int) -> tuple[kernels.Boards, np.ndarray]:
    """Return all boards of a size by rank, and `[B]` uint64 one board for all that are equal up to suits."""
    ranks = comb(CARDS, size)
    found = kernels.Boards(np.zeros(ranks, dtype=np.int32), np.zeros(ranks, dtype=np.uint8))
    alike = np.zeros(ranks, dtype=np.uint64)
    number = kernels.number_boards(_DECK, size, np.array(PERMUTATIONS), found, alike)
    return found, alike[:number].copy()


@cache
def moved() -> np.ndarray:
    """Return `[24, H]` uint16 each hand with its suits replaced by each permutation."""
    return np.stack([moved_hands(one) for one in PERMUTATIONS]).astype(np.uint16)


def means(points: np.ndarray, weights: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """Return `[K, D]` float32 centres of k-means in rising order of their sums, at most a number of them.

    Lloyd's rounds start from points `[N, D]` float32 drawn evenly along their sums, by weights `[N]`.
    """
    points, place = np.unique(points, axis=0, return_inverse=True)
    weights = np.bincount(place.ravel(), weights)
    centres = _sorted(points[_spread(points.sum(axis=1), weights, min(number, len(points)), rng)])
    for _ in range(_ROUNDS):
        places = nearest(points, centres)
        mass = np.bincount(places, weights, len(centres))
        sums = np.stack([np.bincount(places, weights * column, len(centres)) for column in points.T], axis=1)
        centres = np.where(mass[:, None] > 0, sums / np.maximum(mass, 1e-300)[:, None], centres)
        centres = _sorted(centres.astype(np.float32))
    return centres


def _spread(heights: np.ndarray, weights: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """Return different places, evenly along the heights, and random ones for those drawn twice."""
    order = np.argsort(heights, kind="stable")
    ends = np.cumsum(weights[order]) / weights.sum()
    even = np.searchsorted(ends, (np.arange(number) + rng.random(number)) / number)
    chosen = np.unique(order[np.minimum(even, len(order) - 1)])
    others = np.setdiff1d(order, chosen)
    return np.concatenate([chosen, rng.choice(others, number - len(chosen), replace=False)])


def nearest(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Return `[N]` the nearest of the centres `[K, D]`, in rising order of their sums, of each point `[N, D]`."""
    places = np.zeros(len(points), dtype=np.int64)
    kernels.assign_nearest(np.ascontiguousarray(points), centres, _heights(centres), places)
    return places


def _heights(centres: np.ndarray) -> np.ndarray:
    """Return `[K]` the sums of the centres' numbers, in the order of kernels."""
    return np.cumsum(centres, axis=1)[:, -1]


def _sorted(centres: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(centres[np.argsort(_heights(centres), kind="stable")])


def rate_rivers(boards: np.ndarray, progress: ProgressFunction | None = None) -> np.ndarray:
    """Return `[B, H]` uint8 the strength of hands on complete boards: the part of other hands beaten, in 256 levels."""
    levels = np.zeros((len(boards), len(HANDS)), dtype=np.uint8)
    for piece in pieces(len(boards), _PIECE, progress):
        kernels.rate_hands(SETS, HANDS, boards[piece], piece.start, levels)
    return levels


def histogram(board: int, levels: np.ndarray, bins: int = _BINS) -> np.ndarray:
    """Return `[H, bins]` the numbers of strengths of each hand on the complete boards from a set of 3 or 4 cards.

    Levels are those of `rate_rivers` on all boards up to suits; bins are a power of 2.
    """
    counts = np.zeros((len(HANDS), bins), dtype=np.int32)
    kernels.count_futures(np.uint64(board), _DECK, SETS, boards_of(5)[0], moved(), levels, counts)
    return counts


def _cells_of_street(
    size: int, levels: np.ndarray, rng: np.random.Generator, progress: ProgressFunction
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return `[B, H]` cells on boards of three or four cards, `[C, 15]` their centres and `[C]` masses."""
    boards = boards_of(size)[1]
    some = rng.choice(len(boards), _SAMPLED, replace=False)
    points = []
    for number in some:
        shapes = np.zeros((len(HANDS), _BINS - 1), dtype=np.float32)
        kernels.fill_histograms(histogram(boards[number], levels), shapes)
        points.append(shapes[(SETS & boards[number]) == 0])
    all_ = np.concatenate(points)
    sample = all_[rng.choice(len(all_), _SAMPLE, replace=False)]
    centres = means(sample, np.ones(len(sample)), _CELLS, rng)
    places = np.zeros((len(boards), len(HANDS)), dtype=np.uint16)
    masses = np.zeros(len(centres), dtype=np.int64)
    rivers = boards_of(5)[0]
    for piece in pieces(len(boards), _PIECE, progress):
        kernels.assign_cells(
            boards[piece], _DECK, SETS, rivers, moved(), levels, centres, _heights(centres), places[piece], masses
        )
    return places, centres, masses


def _ranked(points: np.ndarray, masses: np.ndarray, number: int) -> np.ndarray:
    """Return `[C]` uint8 the part of each cell if all hands are cut into equal parts by mean strength."""
    order = np.argsort(-points.sum(axis=1), kind="stable")  # a strong hand has little below it
    found = np.zeros(len(points), dtype=np.uint8)
    found[order] = np.minimum(np.cumsum(masses[order]) / masses.sum() * number, number - 1)
    return found


def _kinds(
    size: int, parts: np.ndarray, levels: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return `[B, 64]` kinds of the next card on boards of a size, `[K, 35]` their centres and `[K]` numbers.

    parts: `[B, H]` uint8 of the hands. levels: `[., H]` uint8 of the hands on boards with one card more.
    """
    numbers, boards = boards_of(size)
    shifts = np.zeros((len(boards), 64, _PARTS, _STEPS - 1), dtype=np.float32)
    known = np.zeros((len(boards), 64), dtype=np.bool_)
    kernels.count_next_cards(boards, _DECK, SETS, parts, boards_of(size + 1)[0], moved(), levels, shifts, known)
    points = shifts[known].reshape(int(known.sum()), -1)
    times = np.broadcast_to(np.bincount(numbers.number)[:, None], known.shape)[known]
    some = rng.choice(len(points), min(_SAMPLE, len(points)), replace=False)
    centres = means(points[some], times[some], _KINDS, rng)
    places, kinds = nearest(points, centres), np.zeros(known.shape, dtype=np.uint8)
    kinds[known] = places
    return kinds, centres, np.bincount(places, times, len(centres)).astype(np.int64)


def make_cells(seed: int = 0, notify: Notify = lambda text: None) -> Cells:
    """Compute the cells of all hands on all boards; `cells` caches them."""
    check_seed(seed)
    rng = np.random.default_rng(seed)

    def notifying(what: str) -> ProgressFunction:
        return lambda done, of: notify(f"{what}: {done:,} of {of:,} boards") if done % 8192 == 0 else None

    river = rate_rivers(boards_of(5)[1], notifying("strengths on rivers"))
    masses = np.bincount(river.ravel(), minlength=kernels.LEVELS)
    masses[0] -= river.size - len(river) * comb(CARDS - 5, 2)  # hands that boards block
    flop, flop_points, flop_masses = _cells_of_street(3, river, rng, notifying("hands on flops"))
    turn, turn_points, turn_masses = _cells_of_street(4, river, rng, notifying("hands on turns"))
    notify("how turns and rivers move hands")
    parts = _ranked(flop_points, flop_masses, _PARTS)[flop], _ranked(turn_points, turn_masses, _PARTS)[turn]
    strong = _ranked(turn_points, turn_masses, kernels.LEVELS)[turn]
    turns, rivers = _kinds(3, parts[0], strong, rng), _kinds(4, parts[1], river, rng)
    both = (one for pair in zip(turns, rivers, strict=True) for one in pair)
    return Cells(flop, turn, river, flop_points, turn_points, flop_masses, turn_masses, masses, *both)


_known: dict[int, Cells] = {}


def cells(seed: int = 0, notify: Notify = lambda text: None) -> Cells:
    """Return the cells of all hands on all boards, cached in a file of 230 MB; computing them takes half a minute.

    Args:
        seed: random seed of k-means.
        notify: callback for progress in words.

    Raises:
        ParameterError: no seed.
    """
    check_seed(seed)
    if seed not in _known:
        path = kept_at(seed)
        try:
            _known[seed] = read_cells(path)
        except RunError:  # absent, damaged, or of something else: computed again
            _known[seed] = make_cells(seed, notify)
            with contextlib.suppress(RunError):  # a cache that cannot be written costs only the next start
                write_arrays(path, _known[seed]._asdict(), {})
    return _known[seed]


def kept_at(seed: int) -> Path:
    """Return the file that caches cells, by seed, numbers, and the kernels that make them."""
    sources = (Path(str(one.__file__)) for one in (kernels, rank_kernels))
    what = repr((_CELLS, _BINS, _SAMPLED, _SAMPLE, _ROUNDS, _KINDS, _PARTS, _STEPS)).encode()
    digest = hashlib.sha256(b"".join((what, *(path.read_bytes() for path in sources)))).hexdigest()
    return cache_folder() / "holdem" / f"cells-{seed}-{digest[:16]}.npz"


def read_cells(path: Path) -> Cells:
    """Read cells from a file.

    Raises:
        RunError: there is none, or it is damaged, or holds something else.
    """
    arrays, _ = read_arrays(path)
    letters = check_arrays(path, arrays, _ARRAYS)
    for name, letter in (("flop", "f"), ("turn", "t"), ("turn_kinds", "k"), ("river_kinds", "l")):
        if arrays[name].max() >= letters[letter]:
            raise RunError(f"{path} holds no cells: {name} names some that are not there. Delete it.")
    return Cells(**arrays)


@dataclass(frozen=True)
class Buckets:
    """Numbers of buckets, street by street.

    Args:
        counts: preflop (169: every class on its own), flop (at most 1,000), turn and river.
        seed: random seed of k-means.
        textures: numbers of kinds of turns and of rivers (at most 200), each with its share of the street's buckets
            (at most 1,000 on the turn, 256 on the river).

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
        """Number of buckets in each texture."""
        return self.counts[0], self.counts[1], self.counts[2] // self.textures[0], self.counts[3] // self.textures[1]

    def of(self, found: Cells) -> kernels.BucketTables:
        """Return the buckets of all hands on all boards, for kernels."""
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
        flops, turns, rivers = (boards_of(size)[0] for size in (3, 4, 5))
        return kernels.BucketTables(
            flops, turns, rivers, moved(), CLASS_OF, found.flop, found.turn, found.river, places, self._textures(found)
        )

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
    """Return `[N]` the cluster of each point, numbered by rising strength; at most a number of clusters.

    Points `[N, D]` are cumulative histograms, or strengths; masses `[N]` are their weights.
    """
    rising = points if points.shape[1] == 1 else 1 - points  # a strong hand has little below it
    return nearest(rising, means(rising, masses + 1e-9, number, rng))


def _flop_of_classes(found: Cells) -> np.ndarray:
    """Return `[169, 15]` the mean cumulative histogram of each class over all flops."""
    numbers, boards = boards_of(3)
    times = np.bincount(numbers.number, minlength=len(boards))
    free = (SETS & boards[:, None]) == 0
    totals, seen = np.zeros((len(HANDS), found.flop_points.shape[1])), np.zeros(len(HANDS))
    for row, one, many in zip(found.flop, free, times, strict=True):
        totals[one] += many * found.flop_points[row[one]]
        seen += many * one
    mean = totals / seen[:, None]
    by_class = np.stack([np.bincount(CLASS_OF, column) for column in mean.T], axis=1)
    return (by_class / np.bincount(CLASS_OF)[:, None]).astype(np.float32)
