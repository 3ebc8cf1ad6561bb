"""Buckets of hands: clusters of hands with similar strength on the river, street by street.

- On flop and turn a hand is described by the histogram of its strength over all complete boards (johanson2013). The
  strength is the share of hands that it beats. The distance is the sum of squared differences of cumulative histograms.
- k-means clusters the hands once into a thousand *cells*, which are cached. Buckets are clusters of cells, computed
  quickly for any number. Buckets of earlier streets are forgotten (imperfect recall, waugh2009).
- Strength alone ignores how the turn or river changed the board. *Textures* are clusters of turn or river cards by
  their effect on hands: for each fifth of the hands by strength, the histogram of strengths after the card.

Letters: B boards up to suits, H 1,326 hands, C cells, L 256 levels of strength on the river, K textures of cards.
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
from tefuda.holdem.suits import PERMUTATIONS, permute_hands
from tefuda.words import Notify
from tefuda.workers import ProgressFunction, pieces

STREETS = ("preflop", "flop", "turn", "river")
#: Numbers of boards of 3, 4 and 5 cards up to permutations of suits.
BOARDS = (1755, 16_432, 134_459)
_CELLS, _BINS = 1000, 16
_SAMPLED, _SAMPLE, _ROUNDS = 150, 40_000, 12  # sampled boards, hands on them, rounds of k-means
_KINDS, _PARTS, _STEPS = 200, 5, 8  # textures of cards, strength classes before the card, histogram bins after it
_DECK = np.sort(MASKS)
_H = len(HANDS)
_PIECE = 64  # boards between reports of progress


class Cells(NamedTuple):
    """Cells of all hands on all boards, and textures of turn and river cards; hints define the file."""

    flop: Annotated[np.ndarray, ArraySpec("uint16", (BOARDS[0], _H), 0, _CELLS - 1)]  # cells
    turn: Annotated[np.ndarray, ArraySpec("uint16", (BOARDS[1], _H), 0, _CELLS - 1)]  # cells
    river: Annotated[np.ndarray, ArraySpec("uint8", (BOARDS[2], _H))]  # levels of strength
    flop_points: Annotated[np.ndarray, ArraySpec("float32", ("f", _BINS - 1), 0, 1)]  # centres, cumulative histograms
    turn_points: Annotated[np.ndarray, ArraySpec("float32", ("t", _BINS - 1), 0, 1)]
    flop_masses: Annotated[np.ndarray, ArraySpec("int64", ("f",), 0, 2**40)]  # numbers of hands
    turn_masses: Annotated[np.ndarray, ArraySpec("int64", ("t",), 0, 2**40)]
    river_masses: Annotated[np.ndarray, ArraySpec("int64", (kernels.LEVELS,), 0, 2**40)]
    turn_kinds: Annotated[np.ndarray, ArraySpec("uint8", (BOARDS[0], 64), 0, _KINDS - 1)]  # texture of the next card
    river_kinds: Annotated[np.ndarray, ArraySpec("uint8", (BOARDS[1], 64), 0, _KINDS - 1)]
    turn_shifts: Annotated[np.ndarray, ArraySpec("float32", ("k", _PARTS * (_STEPS - 1)), 0, 1)]  # centres of textures
    river_shifts: Annotated[np.ndarray, ArraySpec("float32", ("l", _PARTS * (_STEPS - 1)), 0, 1)]
    turn_times: Annotated[np.ndarray, ArraySpec("int64", ("k",), 0, 2**40)]  # numbers of cards
    river_times: Annotated[np.ndarray, ArraySpec("int64", ("l",), 0, 2**40)]


_ARRAYS = {name: hint.__metadata__[0] for name, hint in get_type_hints(Cells, include_extras=True).items()}


@cache
def canonical_boards(size: int) -> tuple[kernels.Boards, np.ndarray]:
    """Return the numbering of all boards of a size, and `[B]` uint64 representatives up to suits."""
    ranks = comb(CARDS, size)
    numbering = kernels.Boards(np.zeros(ranks, dtype=np.int32), np.zeros(ranks, dtype=np.uint8))
    boards = np.zeros(ranks, dtype=np.uint64)
    count = kernels.number_boards(_DECK, size, np.array(PERMUTATIONS), numbering, boards)
    return numbering, boards[:count].copy()


@cache
def permuted_hands() -> np.ndarray:
    """Return `[24, H]` uint16 number of each hand under each permutation of suits."""
    return np.stack([permute_hands(permutation) for permutation in PERMUTATIONS]).astype(np.uint16)


def k_means(points: np.ndarray, weights: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """Return `[K, D]` float32 centres of k-means in rising order of their sums.

    Args:
        points: `[N, D]` float32 points.
        weights: `[N]` weights of the points.
        number: maximum number of centres.
        rng: generator of the initial centres, which are drawn evenly along the sums of the points.
    """
    points, indices = np.unique(points, axis=0, return_inverse=True)
    weights = np.bincount(indices.ravel(), weights)
    centres = _sorted_by_sum(points[_initial_centres(points.sum(axis=1), weights, min(number, len(points)), rng)])
    for _ in range(_ROUNDS):
        assigned = nearest(points, centres)
        mass = np.bincount(assigned, weights, len(centres))
        sums = np.stack([np.bincount(assigned, weights * column, len(centres)) for column in points.T], axis=1)
        centres = np.where(mass[:, None] > 0, sums / np.maximum(mass, 1e-300)[:, None], centres)
        centres = _sorted_by_sum(centres.astype(np.float32))
    return centres


def _initial_centres(heights: np.ndarray, weights: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """Return distinct indices evenly along the heights; random ones replace duplicates."""
    order = np.argsort(heights, kind="stable")
    ends = np.cumsum(weights[order]) / weights.sum()
    positions = np.searchsorted(ends, (np.arange(number) + rng.random(number)) / number)
    chosen = np.unique(order[np.minimum(positions, len(order) - 1)])
    unchosen = np.setdiff1d(order, chosen)
    return np.concatenate([chosen, rng.choice(unchosen, number - len(chosen), replace=False)])


def nearest(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Return `[N]` index of each point's nearest centre; centres `[K, D]` are sorted by their sums."""
    indices = np.zeros(len(points), dtype=np.int64)
    kernels.assign_nearest(np.ascontiguousarray(points), centres, _sums(centres), indices)
    return indices


def _sums(centres: np.ndarray) -> np.ndarray:
    """Return `[K]` sums of the centres' numbers, added in the order that kernels use."""
    return np.cumsum(centres, axis=1)[:, -1]


def _sorted_by_sum(centres: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(centres[np.argsort(_sums(centres), kind="stable")])


def river_strengths(boards: np.ndarray, progress: ProgressFunction | None = None) -> np.ndarray:
    """Return `[B, H]` uint8 strengths on complete boards: the share of other hands beaten, in 256 levels."""
    levels = np.zeros((len(boards), len(HANDS)), dtype=np.uint8)
    for piece in pieces(len(boards), _PIECE, progress):
        kernels.rate_hands(SETS, HANDS, boards[piece], piece.start, levels)
    return levels


def histogram(board: int, levels: np.ndarray) -> np.ndarray:
    """Return `[H, 16]` histograms of each hand's strength over the complete boards.

    Args:
        board: set of 3 or 4 cards.
        levels: result of `river_strengths` on all boards up to suits.
    """
    counts = np.zeros((len(HANDS), _BINS), dtype=np.int32)
    kernels.count_futures(np.uint64(board), _DECK, SETS, canonical_boards(5)[0], permuted_hands(), levels, counts)
    return counts


def _street_cells(
    size: int, levels: np.ndarray, rng: np.random.Generator, progress: ProgressFunction
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return `[B, H]` cells on boards of 3 or 4 cards, their centres `[C, 15]` and masses `[C]`."""
    boards = canonical_boards(size)[1]
    drawn = rng.choice(len(boards), _SAMPLED, replace=False)
    points = []
    for index in drawn:
        shapes = np.zeros((len(HANDS), _BINS - 1), dtype=np.float32)
        kernels.fill_histograms(histogram(boards[index], levels), shapes)
        points.append(shapes[(SETS & boards[index]) == 0])
    stacked = np.concatenate(points)
    sample = stacked[rng.choice(len(stacked), _SAMPLE, replace=False)]
    centres = k_means(sample, np.ones(len(sample)), _CELLS, rng)
    cells_by_board = np.zeros((len(boards), len(HANDS)), dtype=np.uint16)
    masses = np.zeros(len(centres), dtype=np.int64)
    rivers = canonical_boards(5)[0]
    for piece in pieces(len(boards), _PIECE, progress):
        kernels.assign_cells(
            boards[piece],
            _DECK,
            SETS,
            rivers,
            permuted_hands(),
            levels,
            centres,
            _sums(centres),
            cells_by_board[piece],
            masses,
        )
    return cells_by_board, centres, masses


def _strength_parts(points: np.ndarray, masses: np.ndarray, number: int) -> np.ndarray:
    """Return `[C]` uint8 strength class of each cell; classes have equal numbers of hands."""
    order = np.argsort(-points.sum(axis=1), kind="stable")  # a strong hand has little below it
    parts = np.zeros(len(points), dtype=np.uint8)
    parts[order] = np.minimum(np.cumsum(masses[order]) / masses.sum() * number, number - 1)
    return parts


def _kinds(
    size: int, parts: np.ndarray, levels: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return `[B, 64]` textures of the next card, and their centres `[K, 35]` and numbers of cards `[K]`.

    Args:
        size: number of cards of the boards.
        parts: `[B, H]` uint8 strength class of the hands on these boards.
        levels: `[., H]` uint8 strength of the hands on boards with one more card.
        rng: generator of samples.
    """
    numbers, boards = canonical_boards(size)
    shifts = np.zeros((len(boards), 64, _PARTS, _STEPS - 1), dtype=np.float32)
    known = np.zeros((len(boards), 64), dtype=np.bool_)
    kernels.count_next_cards(
        boards, _DECK, SETS, parts, canonical_boards(size + 1)[0], permuted_hands(), levels, shifts, known
    )
    points = shifts[known].reshape(int(known.sum()), -1)
    times = np.broadcast_to(np.bincount(numbers.number)[:, None], known.shape)[known]
    drawn = rng.choice(len(points), min(_SAMPLE, len(points)), replace=False)
    centres = k_means(points[drawn], times[drawn], _KINDS, rng)
    assigned, kinds = nearest(points, centres), np.zeros(known.shape, dtype=np.uint8)
    kinds[known] = assigned
    return kinds, centres, np.bincount(assigned, times, len(centres)).astype(np.int64)


def make_cells(seed: int = 0, notify: Notify = lambda text: None) -> Cells:
    """Compute the cells of all hands on all boards; `cells` caches them."""
    check_seed(seed)
    rng = np.random.default_rng(seed)

    def notifying(stage: str) -> ProgressFunction:
        return lambda done, total: notify(f"{stage}: {done:,} of {total:,} boards") if done % 8192 == 0 else None

    river = river_strengths(canonical_boards(5)[1], notifying("strengths on rivers"))
    masses = np.bincount(river.ravel(), minlength=kernels.LEVELS)
    masses[0] -= river.size - len(river) * comb(CARDS - 5, 2)  # hands that boards block
    flop, flop_points, flop_masses = _street_cells(3, river, rng, notifying("hands on flops"))
    turn, turn_points, turn_masses = _street_cells(4, river, rng, notifying("hands on turns"))
    notify("textures of turns and rivers")
    parts = (
        _strength_parts(flop_points, flop_masses, _PARTS)[flop],
        _strength_parts(turn_points, turn_masses, _PARTS)[turn],
    )
    strong = _strength_parts(turn_points, turn_masses, kernels.LEVELS)[turn]
    turns, rivers = _kinds(3, parts[0], strong, rng), _kinds(4, parts[1], river, rng)
    kinds = (array for pair in zip(turns, rivers, strict=True) for array in pair)
    return Cells(flop, turn, river, flop_points, turn_points, flop_masses, turn_masses, masses, *kinds)


_cache_by_seed: dict[int, Cells] = {}
_LOADING, _COMPUTING = 5.0, 30.0  # seconds of `cells` on a core of 2023, with and without the cached file


def cells(seed: int = 0, notify: Notify = lambda text: None) -> Cells:
    """Return the cells of all hands on all boards, from a cached file of 230 MB.

    If the file does not exist, computing the cells takes half a minute.

    Args:
        seed: random seed of k-means.
        notify: callback for progress messages.

    Raises:
        ParameterError: the seed is out of range.
    """
    check_seed(seed)
    if seed not in _cache_by_seed:
        path = cache_path(seed)
        try:
            _cache_by_seed[seed] = read_cells(path)
        except RunError:  # absent, damaged or another file: compute the cells
            _cache_by_seed[seed] = make_cells(seed, notify)
            with contextlib.suppress(RunError):  # if the cache cannot be written, the next start computes them again
                write_arrays(path, _cache_by_seed[seed]._asdict(), {})
    return _cache_by_seed[seed]


def preparation_seconds(seed: int) -> float:
    """Return the rough time of `cells` on one core, in seconds."""
    return 0.0 if seed in _cache_by_seed else _LOADING if cache_path(seed).exists() else _COMPUTING


def cache_path(seed: int) -> Path:
    """Return the cache file of cells; its name depends on the seed, the constants and the kernels' source."""
    sources = (Path(str(module.__file__)) for module in (kernels, rank_kernels))
    settings = repr((_CELLS, _BINS, _SAMPLED, _SAMPLE, _ROUNDS, _KINDS, _PARTS, _STEPS)).encode()
    digest = hashlib.sha256(b"".join((settings, *(path.read_bytes() for path in sources)))).hexdigest()
    return cache_folder() / "holdem" / f"cells-{seed}-{digest[:16]}.npz"


def read_cells(path: Path) -> Cells:
    """Read cells from a file.

    Raises:
        RunError: the file does not exist, is damaged, or contains no cells.
    """
    arrays, _ = read_arrays(path)
    letters = check_arrays(path, arrays, _ARRAYS)
    for name, letter in (("flop", "f"), ("turn", "t"), ("turn_kinds", "k"), ("river_kinds", "l")):
        if arrays[name].max() >= letters[letter]:
            raise RunError(f"{path} is damaged: {name} has numbers beyond its {letters[letter]} clusters. Delete it.")
    return Cells(**arrays)


@dataclass(frozen=True)
class Buckets:
    """Numbers of buckets on each street.

    Args:
        counts: numbers of buckets preflop (at most 169, one for each class), on flop (at most 1,000), turn and river.
        seed: random seed of k-means.
        textures: numbers of textures of turn and river cards (at most 200 each). The buckets of the street are
            divided evenly among the textures, at most 1,000 each on the turn and 256 on the river.

    Raises:
        ParameterError: a number is out of range, or buckets are not a multiple of textures.
    """

    counts: tuple[int, int, int, int] = (169, 100, 100, 100)
    seed: int = 0
    textures: tuple[int, int] = (1, 1)

    def __post_init__(self) -> None:
        for name, length in (("counts", 4), ("textures", 2)):
            given = getattr(self, name)
            if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != length:
                raise ParameterError(
                    f"{name} must be {length} numbers, for {', '.join(STREETS[-length:])}; got {given!r}."
                )
            object.__setattr__(self, name, tuple(given))
        for street, kinds in zip(STREETS[2:], self.textures, strict=True):
            check_range(f"textures on the {street}", kinds, 1, _KINDS)
        most = (len(CLASSES), _CELLS, self.textures[0] * _CELLS, self.textures[1] * kernels.LEVELS)
        for street, count, highest in zip(STREETS, self.counts, most, strict=True):
            check_range(f"number of buckets on the {street}", count, 1, highest)
        for street, count, kinds in zip(STREETS[2:], self.counts[2:], self.textures, strict=True):
            if count % kinds:
                raise ParameterError(
                    f"the buckets on the {street} must be a multiple of its {kinds} textures; got {count}."
                )
        check_seed(self.seed)

    @property
    def hands(self) -> tuple[int, int, int, int]:
        """Number of buckets in each texture."""
        return self.counts[0], self.counts[1], self.counts[2] // self.textures[0], self.counts[3] // self.textures[1]

    def assign(self, cells_: Cells) -> kernels.BucketTables:
        """Return the buckets of all hands on all boards, as kernels read them."""
        rng = np.random.default_rng([self.seed, *self.hands])
        levels = (np.arange(kernels.LEVELS, dtype=np.float32) / kernels.LEVELS)[:, None]
        streets = (
            (_flop_of_classes(cells_), np.bincount(CLASS_OF)),
            (cells_.flop_points, cells_.flop_masses),
            (cells_.turn_points, cells_.turn_masses),
            (levels, cells_.river_masses),
        )
        buckets = np.zeros((len(STREETS), _CELLS), dtype=np.uint16)
        for street, (points, masses) in enumerate(streets):
            buckets[street, : len(points)] = assign_clusters(points, masses, self.hands[street], rng)
        if self.counts[0] == len(CLASSES):
            buckets[0, : len(CLASSES)] = np.arange(len(CLASSES))
        flops, turns, rivers = (canonical_boards(size)[0] for size in (3, 4, 5))
        return kernels.BucketTables(
            flops,
            turns,
            rivers,
            permuted_hands(),
            CLASS_OF,
            cells_.flop,
            cells_.turn,
            cells_.river,
            buckets,
            self._textures(cells_),
        )

    def _textures(self, cells_: Cells) -> kernels.Textures:
        turn, river = (
            assign_clusters(points, times, number, np.random.default_rng([self.seed, number])).astype(np.uint8)[kinds]
            for kinds, points, times, number in (
                (cells_.turn_kinds, cells_.turn_shifts, cells_.turn_times, self.textures[0]),
                (cells_.river_kinds, cells_.river_shifts, cells_.river_times, self.textures[1]),
            )
        )
        return kernels.Textures(turn, river, np.array(self.hands), np.array(PERMUTATIONS))


def assign_clusters(points: np.ndarray, masses: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """Return `[N]` cluster of each point; clusters are numbered by rising strength.

    Args:
        points: `[N, D]` cumulative histograms, or `[N, 1]` strengths.
        masses: `[N]` weights of the points.
        number: maximum number of clusters.
        rng: generator of the initial centres.
    """
    rising = points if points.shape[1] == 1 else 1 - points  # a strong hand has little below it
    return nearest(rising, k_means(rising, masses + 1e-9, number, rng))


def _flop_of_classes(cells_: Cells) -> np.ndarray:
    """Return `[169, 15]` mean cumulative histogram of each class over all flops."""
    numbers, boards = canonical_boards(3)
    times = np.bincount(numbers.number, minlength=len(boards))
    unblocked = (SETS & boards[:, None]) == 0
    totals, counts = np.zeros((len(HANDS), cells_.flop_points.shape[1])), np.zeros(len(HANDS))
    for cells_on, possible, weight in zip(cells_.flop, unblocked, times, strict=True):
        totals[possible] += weight * cells_.flop_points[cells_on[possible]]
        counts += weight * possible
    mean = totals / counts[:, None]
    by_class = np.stack([np.bincount(CLASS_OF, column) for column in mean.T], axis=1)
    return (by_class / np.bincount(CLASS_OF)[:, None]).astype(np.float32)
