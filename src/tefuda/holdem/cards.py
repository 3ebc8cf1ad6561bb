"""The 52 cards, the 1,326 hands of two cards, and their 169 classes.

- A card is 4 * rank + suit, with ranks 23456789TJQKA = 0..12 and suits cdhs = 0..3. Its text is ``"Qs"``.
- Hands are numbered by their lower, then their higher card: 0 is 2d2c, 1 is 2h2c, 1325 is AsAh.
- Classes are the cells of the 13 x 13 chart, row by row from the ace: AA, AKs, ..., A2s, AKo, KK, ...
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from tefuda.errors import ParameterError, unreadable

RANKS, SUITS = "23456789TJQKA", "cdhs"
CARDS = 52
_CARD, _BETWEEN = re.compile(r"(10|[2-9tjqka])([cdhs])", re.IGNORECASE), re.compile(r"[\s,]+")
#: `[1326, 2]` cards of each hand, the lower first.
HANDS = np.stack(np.triu_indices(CARDS, 1), axis=1).astype(np.uint8)


def _class_names() -> tuple[str, ...]:
    chart = RANKS[::-1]
    return tuple(
        high + low if row == column else f"{high}{low}{'s' if row < column else 'o'}"
        for row in range(13)
        for column in range(13)
        for high, low in [(chart[min(row, column)], chart[max(row, column)])]
    )


#: Names of the 169 classes, in the order of the chart.
CLASSES = _class_names()


def _classes_of_hands() -> np.ndarray:
    low, high = (12 - (HANDS >> 2).astype(np.int64)).T
    suited = (HANDS[:, 0] & 3) == (HANDS[:, 1] & 3)
    return np.where(suited, 13 * high + low, 13 * low + high)


#: `[1326]` class of each hand.
CLASS_OF = _classes_of_hands()


def hand_number(one: int, two: int) -> int:
    """Return the number of the hand with two cards, given in any order."""
    low, high = sorted((int(one), int(two)))
    return low * (2 * CARDS - 3 - low) // 2 + high - 1


def card_text(card: int) -> str:
    """Return a card as ``"Qs"``."""
    return RANKS[card >> 2] + SUITS[card & 3]


def cards_text(cards: Iterable[int], between: str = " ") -> str:
    """Return cards as ``"Qs Jh 2h"``, in the order given, with another text between them if wanted."""
    return between.join(map(card_text, cards))


def hand_text(hand: int) -> str:
    """Return a hand as ``"Kc2c"``: the higher card first."""
    low, high = HANDS[hand].tolist()
    return card_text(high) + card_text(low)


def read_cards(text: str, name: str = "cards") -> tuple[int, ...]:
    """Read cards from ``"Qs Jh 2h"``, ``"QsJh2h"`` or with commas, in the order given.

    Args:
        text: ranks and suits in either case, 10 for T.
        name: name of the text in errors.

    Raises:
        ParameterError: a card does not exist or is repeated; the error marks its position.
    """
    if not isinstance(text, str):
        raise ParameterError(f"{name} must be a text such as 'Qs Jh 2h'; got {text!r}.", key=name, value=text)
    return _read(text, name)


@lru_cache(maxsize=4096)  # agents read views at every turn
def _read(text: str, name: str) -> tuple[int, ...]:
    cards: list[int] = []
    position = 0
    while position < len(text):
        if match := _BETWEEN.match(text, position):
            position = match.end()
            continue
        match = _CARD.match(text, position)
        if match is None:
            stop = position + len(re.split(r"[\s,]", text[position:])[0])
            raise unreadable(name, text, (position, stop), "is no card; write a rank 23456789TJQKA and a suit cdhs")
        card = 4 * RANKS.index(match[1].upper().replace("10", "T")) + SUITS.index(match[2].lower())
        if card in cards:
            raise unreadable(name, text, match.span(), "is repeated; give different cards")
        cards.append(card)
        position = match.end()
    return tuple(cards)


def check_board(board: Sequence[int], sizes: Sequence[int] = (0, 3, 4, 5)) -> None:
    """Raise ParameterError unless a board has one of these numbers of cards, all of them different."""
    if len(board) not in sizes or len({*board}) < len(board):
        *others, most = sizes
        why = f"the board must have {', '.join(map(str, others))} or {most} different cards; got {cards_text(board)!r}."
        raise ParameterError(why, key="board", value=board)


def mask_of(cards: Iterable[int]) -> int:
    """Return a set of cards as a 64-bit mask: the bit of a card is 16 * suit + rank."""
    mask = 0
    for card in cards:
        mask |= 1 << (16 * (int(card) & 3) + (int(card) >> 2))
    return mask
