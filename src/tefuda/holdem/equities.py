"""All-in equities of ranges, over all boards, sampled boards, or from a table of the 169 classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb
from pathlib import Path

import numpy as np

from tefuda.errors import ParameterError, check_range, check_seed
from tefuda.files import ArraySpec, check_arrays, read_arrays
from tefuda.holdem.cards import CARDS, CLASS_OF, CLASSES, HANDS, check_board, mask_of, read_cards
from tefuda.holdem.kernels import equity as kernels
from tefuda.holdem.ranges import Range, compatible_weights, require_free
from tefuda.holdem.rank import MASKS, SETS, strengths
from tefuda.holdem.suits import PERMUTATIONS, Permutation, permute_card, permute_hands, symmetries
from tefuda.views import short_repr
from tefuda.workers import ProgressFunction, pieces

#: File with the wins of each class against each other class, written by ``python -m bench.class_wins``.
TABLE = Path(__file__).parent / "equities.npz"
_BOARDS = comb(CARDS - 4, 5)  # number of boards for two known hands
_PIECE = 2048  # boards between two reports of progress


@dataclass(frozen=True, eq=False, repr=False)
class Equity:
    """Result of an all-in of two ranges.

    Attributes:
        first: equity of the first range, 0 to 1; ties count half.
        wins: wins of the first range, in pairs of hands (product of weights) times boards.
        ties: ties, in the same unit.
        losses: losses of the first range, in the same unit.
        half_width: half-width of the 95 % confidence interval of `first`; 0 if all boards were counted.
        hands: `[2, 1326]` equity of each hand of each range; nan for hands that the opponent's range cannot meet.

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
        """Equity of the second range."""
        return 1.0 - self.first

    @property
    def total(self) -> float:
        """Total of pairs of hands times boards."""
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
    """Return the all-in equity of two ranges.

    Args:
        first: first range, or its text.
        second: second range, or its text.
        board: cards of the board, none or three to five.
        samples: number of random boards; default: all boards.
        seed: random seed of the sample.
        deck: cards of the deck; hands with other cards are dropped.
        progress: callback for the boards done and their total.

    Raises:
        ParameterError: all hands of the ranges share cards, or the board is impossible.

    >>> round(equity("AKs", "QQ").first, 8)
    0.46048526
    """
    board_cards = read_cards(board, "board")
    check_board(board_cards)
    dead = {*range(CARDS)} - {*deck} | {*board_cards}
    ranges = []
    for range_, name in ((first, "first range"), (second, "second range")):
        if isinstance(range_, str):
            require_free(range_, name, dead)
        ranges.append((range_ if isinstance(range_, Range) else Range.read(range_, name)).without(dead))
    _require_meeting(ranges, (first, second), board)
    first_classes, second_classes = map(_class_weights, ranges)
    if samples is None and not dead and first_classes is not None and second_classes is not None:
        return _compare_classes(first_classes, second_classes)
    if samples is not None:
        return _compare(
            ranges, _sample_boards(board_cards, samples, seed, deck), PERMUTATIONS[:1], progress, sampled=True
        )
    if len(board_cards) == 5:
        return _compare_on_board(ranges, np.uint64(mask_of(board_cards)))
    permutations = symmetries(board_cards, [range_.weights for range_ in ranges])
    permutations = tuple(p for p in permutations if {permute_card(card, p) for card in dead} == dead)
    return _compare(ranges, list_boards(board_cards, permutations, deck), permutations, progress)


def list_boards(
    table: tuple[int, ...], permutations: tuple[Permutation, ...], cards: Sequence[int] = tuple(range(CARDS))
) -> tuple[np.ndarray, np.ndarray]:
    """Return `[B]` complete boards, one for each class up to permutations, and class sizes `[B]`.

    Args:
        table: known cards of the board.
        permutations: permutations of suits that leave the known cards and the deck unchanged.
        cards: cards of the deck.
    """
    deck = MASKS[[card for card in cards if card not in table]]
    number = 5 - len(table)
    maximum = comb(len(deck), number)
    boards, times = np.empty(maximum, dtype=np.uint64), np.empty(maximum, dtype=np.int32)
    listed = kernels.list_boards(np.uint64(mask_of(table)), deck, number, np.array(permutations), boards, times)
    return boards[:listed], times[:listed]


def _sample_boards(
    table: tuple[int, ...], samples: int, seed: int, cards: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    check_range("samples", samples, 2, 10**8)
    check_seed(seed)
    rng, deck = np.random.default_rng(seed), [card for card in cards if card not in table]
    order = rng.permuted(np.tile(np.arange(len(deck)), (samples, 1)), axis=1)[:, : 5 - len(table)]
    more = np.bitwise_or.reduce(MASKS[deck][order], axis=1, initial=np.uint64(mask_of(table)))
    return more, np.ones(samples, dtype=np.int32)


def _hands_in_play(ranges: list[Range]) -> tuple[np.ndarray, np.ndarray]:
    """Return `[S]` hands of either range, and their weights `[2, S]`."""
    hands = np.flatnonzero(ranges[0].weights + ranges[1].weights)
    return hands, np.stack([range_.weights[hands] for range_ in ranges])


def _compare_on_board(ranges: list[Range], board: np.uint64) -> Equity:
    """Compare ranges on one complete board, in NumPy, which saves seconds of compiling."""
    hands, weights = _hands_in_play(ranges)
    sets = SETS[hands]
    values, free = strengths(sets | board), (sets[:, None] & sets) == 0
    better, equal = (values[:, None] > values) & free, (values[:, None] == values) & free
    return _equity_from_sums(
        hands, weights, np.stack([kind @ weights[::-1].T for kind in (better, equal, free)]).swapaxes(1, 2)
    )


def _compare(
    ranges: list[Range],
    drawn: tuple[np.ndarray, np.ndarray],
    permutations: Sequence[Permutation],
    progress: ProgressFunction | None,
    sampled: bool = False,
) -> Equity:
    """Compare ranges on boards; each board represents its class up to permutations of suits."""
    boards, times = drawn
    hands, weights = _hands_in_play(ranges)
    kernel_hands = kernels.Hands(SETS[hands], HANDS[hands], weights)
    sums, shares = kernels.Sums(*np.zeros((3, 2, len(hands)))), np.zeros((len(boards), 2))
    for piece in pieces(len(boards), _PIECE, progress):
        kernels.compare(kernel_hands, boards[piece], times[piece], sums, shares[piece])
    error = 0.0
    _require_pairs(shares[:, 1].sum())
    if sampled:  # a ratio of means, linearised
        residuals = shares[:, 0] - shares[:, 0].sum() / shares[:, 1].sum() * shares[:, 1]
        error = 1.96 * float(residuals.std(ddof=1)) / float(shares[:, 1].mean()) / len(boards) ** 0.5
    return _equity_from_sums(hands, weights, np.stack(sums), permutations, error)


def _equity_from_sums(
    hands: np.ndarray,
    weights: np.ndarray,
    sums: np.ndarray,
    permutations: Sequence[Permutation] = PERMUTATIONS[:1],
    half_width: float = 0.0,
) -> Equity:
    """Return the equity of hands `[S]` with weights `[2, S]` from sums `[3, 2, S]`: wins, ties, pairs."""
    wins, ties, total = (float((column[0] * weights[0]).sum()) for column in sums)
    _require_pairs(total)
    parts = np.zeros((2, 2, len(HANDS)))
    parts[:, :, hands] = sums[0] + sums[1] / 2, sums[2]
    # A board represents its class: on a permuted board the permuted hands have the same results.
    gained, totals = np.sum([parts[:, :, permute_hands(p)] for p in permutations], axis=0)
    by_hand = np.full((2, len(HANDS)), np.nan)
    with np.errstate(invalid="ignore"):
        by_hand[:, hands] = np.where(weights > 0, gained[:, hands] / totals[:, hands], np.nan)
    return Equity((wins + ties / 2) / total, wins, ties, total - wins - ties, half_width, by_hand)


def _require_meeting(ranges: list[Range], given: tuple[str | Range, str | Range], board: str) -> None:
    """Raise ParameterError if the board blocks a whole range, or all pairs of hands share a card."""
    first, second = (np.where(range_.weights > 0, 1.0, 0.0) for range_ in ranges)
    for range_, name, value in ((first, "first range", given[0]), (second, "second range", given[1])):
        problem = ""
        if not range_.any():
            problem = f"the board {board} blocks all hands of the {name}."
        elif range_ is second and not first @ compatible_weights(second) > 0:
            problem = "every hand of the first range shares a card with every hand of the second. Widen a range."
        if problem:
            raise ParameterError(problem, key=name, value=value, text=value if isinstance(value, str) else None)


def _require_pairs(total: float) -> None:
    if not total > 0:
        raise ParameterError("the sampled boards block all pairs of hands; sample more boards: samples=1000.")


def _class_weights(range_: Range) -> np.ndarray | None:
    """Return `[169]` weights of the classes; None if the hands of a class have different weights."""
    weights = range_.weights[np.unique(CLASS_OF, return_index=True)[1]]
    return weights if (range_.weights == weights[CLASS_OF]).all() else None


def _compare_classes(first: np.ndarray, second: np.ndarray) -> Equity:
    """Compare ranges of whole classes preflop, from the table."""
    wins, ties, totals = class_equities()
    won, tied, total = (float(first @ table @ second) for table in (wins, ties, totals))
    _require_pairs(total)
    with np.errstate(invalid="ignore"):
        shares = [((wins + ties / 2) @ w) / (totals @ w) for w in (second, first)]
    by_hand = [np.where(w > 0, share, np.nan)[CLASS_OF] for w, share in zip((first, second), shares, strict=True)]
    return Equity((won + tied / 2) / total, won, tied, total - won - tied, 0.0, np.stack(by_hand))


@cache
def class_equities() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return `[169, 169]` int64 wins, ties and totals of the row's class against the column's.

    The counts are over all pairs of hands and all boards.
    """
    arrays, _ = read_arrays(TABLE)
    size = len(CLASSES)
    check_arrays(TABLE, arrays, {"wins": ArraySpec("int32", (size, size), 0)})
    wins = arrays["wins"].astype(np.int64)
    totals = count_pairs() * _BOARDS
    return wins, totals - wins - wins.T, totals


def count_pairs(free: np.ndarray | None = None) -> np.ndarray:
    """Return `[169, 169]` numbers of pairs of hands without a shared card.

    Args:
        free: `[1326]` True for the hands that are counted; default: all.
    """
    hands = slice(None) if free is None else free
    cards_of_class = np.zeros((CARDS, len(CLASSES)), dtype=np.int64)
    np.add.at(cards_of_class, (HANDS[hands], CLASS_OF[hands][:, None]), 1)
    sizes = np.bincount(CLASS_OF[hands], minlength=len(CLASSES))
    return np.outer(sizes, sizes) - cards_of_class.T @ cards_of_class + np.diag(sizes)
