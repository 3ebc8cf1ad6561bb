"""Made hands and draws of two cards on a board.

Pairs and trips that lie on the board alone count for nothing, as both players have them. A straight, a flush, a full
house, four of a kind and a straight flush are named even if the board alone has them. Every hand has one made hand and
one draw: the first of `DRAWS` that fits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tefuda.holdem.cards import HANDS, check_board, mask_of
from tefuda.holdem.kernels import rank as kernels
from tefuda.holdem.rank import SETS, strengths

#: Made hands, the best first. A set is a pocket pair with a third card on the board; trips are a pair on the board
#: with one card. An underpair is a pocket pair below the board's highest card; a low pair is below the second rank.
MADE_HANDS = (
    "straight flush", "four of a kind", "full house", "flush", "straight", "set", "trips", "two pair", "overpair",
    "top pair", "second pair", "underpair", "low pair", "ace high", "high card",
)  # fmt: skip
#: Draws. A combo draw is a flush draw with an open-ended draw or a gutshot; open-ended draws, double gutshots among
#: them, have two ranks that complete a straight, gutshots one. Overcards are two unpaired cards above the board.
DRAWS = ("combo draw", "flush draw", "open-ended", "gutshot", "backdoor flush draw", "overcards", "no draw")

_ACE, _RANK_MASK = 12, 0x1FFF
_BY_CATEGORY = {
    kernels.STRAIGHT_FLUSH: "straight flush", kernels.FOUR: "four of a kind", kernels.FULL_HOUSE: "full house",
    kernels.FLUSH: "flush", kernels.STRAIGHT: "straight",
}  # fmt: skip
_LOW, _HIGH = (HANDS >> 2).astype(np.int64).T  # ranks of the two cards of a hand


def made_hands(board: Sequence[int]) -> np.ndarray:
    """Return `[1326]` the made hand of each hand as a number of `MADE_HANDS`; -1 for blocked hands.

    Args:
        board: three to five cards.

    Raises:
        ParameterError: the board has another number of cards.

    >>> from tefuda.holdem.cards import hand_number, read_cards
    >>> MADE_HANDS[made_hands(read_cards("Qs Jh 2h"))[hand_number(*read_cards("AhQd"))]]
    'top pair'
    """
    check_board(board, (3, 4, 5))
    on_board = np.bincount(np.asarray(board) >> 2, minlength=_ACE + 1)
    ranks = np.flatnonzero(on_board)[::-1]  # the highest first
    pocket, matched = _LOW == _HIGH, on_board[np.stack([_LOW, _HIGH])]
    paired_rank = np.where(pocket | (matched[1] > 0), _HIGH, np.where(matched[0] > 0, _LOW, -1))
    category = strengths(SETS | np.uint64(mask_of(board))) >> kernels.CATEGORY_SHIFT
    tests = {name: category == number for number, name in _BY_CATEGORY.items()} | {
        "set": pocket & (matched[0] == 1),
        "trips": ~pocket & (matched.max(axis=0) == 2),
        "two pair": ~pocket & (matched.min(axis=0) == 1),
        "overpair": pocket & (ranks[0] < _HIGH),
        "top pair": ~pocket & (paired_rank == ranks[0]),
        "second pair": ~pocket & (paired_rank == ranks[min(1, len(ranks) - 1)]),
        "underpair": pocket,
        "low pair": paired_rank >= 0,
        "ace high": _HIGH == _ACE,
    }
    return _first_that_fits(MADE_HANDS, tests, board)


def draws(board: Sequence[int]) -> np.ndarray:
    """Return `[1326]` the draw of each hand as a number of `DRAWS`; -1 for blocked hands.

    Args:
        board: three to five cards; a board of five leaves no draw.

    Raises:
        ParameterError: the board has another number of cards.

    >>> from tefuda.holdem.cards import hand_number, read_cards
    >>> DRAWS[draws(read_cards("Qs Jh 2h"))[hand_number(*read_cards("AhKh"))]]
    'combo draw'
    """
    check_board(board, (3, 4, 5))
    if len(board) == 5:
        return _first_that_fits(DRAWS, {}, board)
    category = strengths(SETS | np.uint64(mask_of(board))) >> kernels.CATEGORY_SHIFT
    suited = _suited_cards(board)
    flush_draw, ends = (suited == 4) & (category < kernels.FLUSH), _straight_ranks(board)
    ends = np.where(category < kernels.STRAIGHT, ends, 0)
    unpaired = (_LOW != _HIGH) & (max(card >> 2 for card in board) < _LOW)
    tests = {
        "combo draw": flush_draw & (ends > 0),
        "flush draw": flush_draw,
        "open-ended": ends > 1,
        "gutshot": ends == 1,
        "backdoor flush draw": (suited == 3) & (len(board) == 3) & (category < kernels.FLUSH),
        "overcards": unpaired & (category < kernels.STRAIGHT),
    }
    return _first_that_fits(DRAWS, tests, board)


def _first_that_fits(names: Sequence[str], tests: dict[str, np.ndarray], board: Sequence[int]) -> np.ndarray:
    """Return the number of the first name whose test holds, else of the last; -1 for blocked hands."""
    kinds = np.full(len(HANDS), len(names) - 1)
    for name in reversed(tests):
        kinds[tests[name]] = names.index(name)
    return np.where(np.isin(HANDS, list(board)).any(axis=1), -1, kinds)


def _suited_cards(board: Sequence[int]) -> np.ndarray:
    """Return `[1326]` the number of cards of a suit in hand and board, for the better suit of the hand."""
    on_board = np.bincount(np.asarray(board) & 3, minlength=4)
    suits = HANDS & 3
    return (on_board[suits] + (suits[:, :1] == suits[:, 1:]) + 1).max(axis=1)


def _straight_ranks(board: Sequence[int]) -> np.ndarray:
    """Return `[1326]` the number of ranks that give a hand a better straight than the board alone."""
    table = np.bitwise_or.reduce([1 << (card >> 2) for card in board], keepdims=True)
    held = (1 << _LOW) | (1 << _HIGH)
    number = np.zeros(len(HANDS), dtype=np.int64)
    for rank in range(_ACE + 1):
        alone = _straights(table | 1 << rank)
        number += (_straights(held | table | 1 << rank) & ~alone) > alone
    return number


def _straights(ranks: np.ndarray) -> np.ndarray:
    """Return the straights in sets of ranks as sets of their lowest cards: bit 0 is the wheel's ace."""
    line = (ranks << 1) | ((ranks & _RANK_MASK) >> _ACE)
    return line & line >> 1 & line >> 2 & line >> 3 & line >> 4
