"""All-in equities of ranges: by all boards, by a sample of them, or by the table of the 169 classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb
from pathlib import Path

import numpy as np

from tefuda.errors import ParameterError, check_range, check_seed
from tefuda.files import ArraySpec, check_arrays, read_arrays
from tefuda.holdem.cards import CARDS, CLASS_OF, CLASSES, HANDS, cards_text, mask_of, read_cards
from tefuda.holdem.kernels import equity as kernels
from tefuda.holdem.ranges import Range, met, require_free
from tefuda.holdem.rank import MASKS, SETS, strengths
from tefuda.holdem.suits import PERMUTATIONS, Permutation, permute_card, permute_hands, symmetries
from tefuda.views import short_repr
from tefuda.workers import ProgressFunction, pieces

#: Wins of each class against each other, written by ``python -m bench.class_wins``.
TABLE = Path(__file__).parent / "equities.npz"
_BOARDS = comb(CARDS - 4, 5)  # of two hands that are known
_PIECE = 2048  # boards between two reports of progress


@dataclass(frozen=True, eq=False, repr=False)
class Equity:
    """The result of two ranges all-in.

    first: share of the pot of the first range, 0..1; ties count half. wins, ties, losses: of the first, in pairs of
    hands (weights multiplied) times boards. half_width: half of the 95 % interval of `first`; 0 if all boards were
    counted. hands: `[2, 1326]` the share of each hand of each range; nan for hands that meet no other.

    >>> equity("AA", "KK").wins
    50371344.0
    """

    first: float
    wins: float
    ties: float
    losses: float
    half_width: float
    hands: np.ndarray  # [2, 1326]

    __repr__ = short_repr

    @property
    def second(self) -> float:
        """Share of the pot of the second range."""
        return 1.0 - self.first

    @property
    def total(self) -> float:
        """Pairs of hands times boards."""
        return self.wins + self.ties + self.losses


def equity(
    first: str | Range,
    second: str | Range,
    board: str = "",
    *,
    samples: int | None = None,
    seed: int = 0,
    deck: Sequence[int] = tuple(range(CARDS)),
    progress: ProgressFunction | None = None,
) -> Equity:
    """Compare two ranges all-in.

    Args:
        first: a range or its text.
        second: a range or its text.
        board: no card, or three to five.
        samples: number of random boards; all boards unless given.
        seed: random seed of the sample.
        deck: cards of the deck; hands with another card are dropped.
        progress: callback for boards done and in all.

    Raises:
        ParameterError: ranges of which no two hands can meet, or an impossible board.

    >>> round(equity("AKs", "QQ").first, 8)
    0.46048526
    """
    table = read_cards(board, "board")
    if len(table) not in (0, 3, 4, 5):
        raise ParameterError(
            f"board is {cards_text(table)!r}, {len(table)} cards; give none, three, four or five.",
            key="board",
            value=table,
        )
    gone = {*range(CARDS)} - {*deck} | {*table}
    ranges = []
    for one, what in ((first, "first range"), (second, "second range")):
        if isinstance(one, str):
            require_free(one, what, gone)
        ranges.append((one if isinstance(one, Range) else Range.read(one, what)).without(gone))
    _require_meeting(ranges, (first, second), board)
    first_classes, second_classes = map(_by_class, ranges)
    if samples is None and not gone and first_classes is not None and second_classes is not None:
        return _by_table(first_classes, second_classes)
    if samples is not None:
        return _compared(ranges, _drawn(table, samples, seed, deck), PERMUTATIONS[:1], progress, sampled=True)
    if len(table) == 5:
        return _on_board(ranges, np.uint64(mask_of(table)))
    alike = symmetries(table, [one.weights for one in ranges])
    alike = tuple(p for p in alike if {permute_card(card, p) for card in gone} == gone)
    return _compared(ranges, list_boards(table, alike, deck), alike, progress)


def list_boards(
    table: tuple[int, ...], permutations: tuple[Permutation, ...], cards: Sequence[int] = tuple(range(CARDS))
) -> tuple[np.ndarray, np.ndarray]:
    """List the complete boards from given cards: `[B]` sets, one for all equal up to permutations, and their numbers.

    Permutations of suits must leave the given cards and the deck unchanged.
    """
    deck = MASKS[[card for card in cards if card not in table]]
    number = 5 - len(table)
    most = comb(len(deck), number)
    boards, times = np.empty(most, dtype=np.uint64), np.empty(most, dtype=np.int32)
    listed = kernels.list_boards(np.uint64(mask_of(table)), deck, number, np.array(permutations), boards, times)
    return boards[:listed], times[:listed]


def _drawn(table: tuple[int, ...], samples: int, seed: int, cards: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    check_range("samples", samples, 2, 10**8)
    check_seed(seed)
    rng, deck = np.random.default_rng(seed), [card for card in cards if card not in table]
    order = rng.permuted(np.tile(np.arange(len(deck)), (samples, 1)), axis=1)[:, : 5 - len(table)]
    more = np.bitwise_or.reduce(MASKS[deck][order], axis=1, initial=np.uint64(mask_of(table)))
    return more, np.ones(samples, dtype=np.int32)


def _some(ranges: list[Range]) -> tuple[np.ndarray, np.ndarray]:
    """Return `[S]` the hands of either range, and `[2, S]` their weights."""
    some = np.flatnonzero(ranges[0].weights + ranges[1].weights)
    return some, np.stack([one.weights[some] for one in ranges])


def _on_board(ranges: list[Range], board: np.uint64) -> Equity:
    """Compare ranges on one complete board, in NumPy: compiling the loop over boards would take seconds."""
    some, weights = _some(ranges)
    sets = SETS[some]
    values, free = strengths(sets | board), (sets[:, None] & sets) == 0
    better, equal = (values[:, None] > values) & free, (values[:, None] == values) & free
    return _found(some, weights, np.stack([kind @ weights[::-1].T for kind in (better, equal, free)]).swapaxes(1, 2))


def _compared(
    ranges: list[Range],
    drawn: tuple[np.ndarray, np.ndarray],
    alike: Sequence[Permutation],
    progress: ProgressFunction | None,
    sampled: bool = False,
) -> Equity:
    """Compare ranges on boards, each of which stands for all that permutations of suits make of it."""
    boards, times = drawn
    some, weights = _some(ranges)
    hands = kernels.Hands(SETS[some], HANDS[some], weights)
    sums, shares = kernels.Sums(*np.zeros((3, 2, len(some)))), np.zeros((len(boards), 2))
    for piece in pieces(len(boards), _PIECE, progress):
        kernels.compare(hands, boards[piece], times[piece], sums, shares[piece])
    error = 0.0
    _require_pairs(shares[:, 1].sum())
    if sampled:  # a ratio of means, linearised
        left = shares[:, 0] - shares[:, 0].sum() / shares[:, 1].sum() * shares[:, 1]
        error = 1.96 * float(left.std(ddof=1)) / float(shares[:, 1].mean()) / len(boards) ** 0.5
    return _found(some, weights, np.stack(sums), alike, error)


def _found(
    some: np.ndarray,
    weights: np.ndarray,
    sums: np.ndarray,
    alike: Sequence[Permutation] = PERMUTATIONS[:1],
    error: float = 0.0,
) -> Equity:
    """Return the equity of hands `[S]` with weights `[2, S]` from sums `[3, 2, S]`: won, tied, met."""
    wins, ties, all_ = (float((one[0] * weights[0]).sum()) for one in sums)
    _require_pairs(all_)
    parts = np.zeros((2, 2, len(HANDS)))
    parts[:, :, some] = sums[0] + sums[1] / 2, sums[2]
    # A board stands for its like, on which the hands moved with it win and meet as much.
    won, met = np.sum([parts[:, :, permute_hands(p)] for p in alike], axis=0)
    by_hand = np.full((2, len(HANDS)), np.nan)
    with np.errstate(invalid="ignore"):
        by_hand[:, some] = np.where(weights > 0, won[:, some] / met[:, some], np.nan)
    return Equity((wins + ties / 2) / all_, wins, ties, all_ - wins - ties, error, by_hand)


def _require_meeting(ranges: list[Range], given: tuple[str | Range, str | Range], board: str) -> None:
    """Raise ParameterError if a range has no hand beside the board, or none that can meet one of the other."""
    first, second = (np.where(one.weights > 0, 1.0, 0.0) for one in ranges)
    for one, what, value in ((first, "first range", given[0]), (second, "second range", given[1])):
        why = ""
        if not one.any():
            why = f"the {what} has no hand beside the board {board}."
        elif one is second and not first @ met(second) > 0:
            why = "no hand of the first range can meet one of the second: all share a card. Widen a range."
        if why:
            raise ParameterError(why, key=what, value=value, text=value if isinstance(value, str) else None)


def _require_pairs(all_: float) -> None:
    if not all_ > 0:
        raise ParameterError("on the boards drawn no hands of the two ranges meet; draw more: samples=1000.")


def _by_class(one: Range) -> np.ndarray | None:
    """Return `[169]` the weight of each class if all its hands have the same, else None."""
    weights = one.weights[np.unique(CLASS_OF, return_index=True)[1]]
    return weights if (one.weights == weights[CLASS_OF]).all() else None


def _by_table(one: np.ndarray, two: np.ndarray) -> Equity:
    """Compare ranges of whole classes before the flop."""
    wins, ties, totals = class_equities()
    won, tied, all_ = (float(one @ table @ two) for table in (wins, ties, totals))
    _require_pairs(all_)
    with np.errstate(invalid="ignore"):
        shares = [((wins + ties / 2) @ w) / (totals @ w) for w in (two, one)]
    by_hand = [np.where(w > 0, share, np.nan)[CLASS_OF] for w, share in zip((one, two), shares, strict=True)]
    return Equity((won + tied / 2) / all_, won, tied, all_ - won - tied, 0.0, np.stack(by_hand))


@cache
def class_equities() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return `[169, 169]` int64 wins, ties and totals of the row's class against the column's.

    They count all pairs of hands and all boards before the flop.
    """
    arrays, _ = read_arrays(TABLE)
    size = len(CLASSES)
    check_arrays(TABLE, arrays, {"wins": ArraySpec("int32", (size, size), 0)})
    wins = arrays["wins"].astype(np.int64)
    totals = _pairs() * _BOARDS
    return wins, totals - wins - wins.T, totals


def _pairs() -> np.ndarray:
    """Return `[169, 169]` the number of pairs of hands without a shared card."""
    held = np.zeros((CARDS, len(CLASSES)), dtype=np.int64)
    np.add.at(held, (HANDS, CLASS_OF[:, None]), 1)
    sizes = np.bincount(CLASS_OF)
    return np.outer(sizes, sizes) - held.T @ held + np.diag(sizes)
