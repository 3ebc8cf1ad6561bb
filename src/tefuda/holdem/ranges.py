"""Ranges: a weight from 0 to 1 for each of the 1,326 hands, read from and written to the usual text.

    AA            the 6 hands of a pair            66+        66, 77, ..., AA
    AKs  AKo      4 suited, 12 offsuit             K2s+       K2s, K3s, ..., KQs
    AK            all 16                           T9s+       connectors: T9s, JTs, QJs, KQs, AKs
    AsKs          one hand                         A5s-A2s    from one to the other; QQ-22, T9s-54s, J9s-64s too
    *             all hands                        10         T

Parts are separated by commas. ``:0.5`` after a part is its weight, default 1. If a hand is in several parts, the last
one counts. Weights of other programs are read too: ``AKo@0.5``, and in percent ``[50]AKo,QQ[/50]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from tefuda.errors import ParameterError, unreadable
from tefuda.holdem.cards import CARDS, CLASS_OF, CLASSES, HANDS, RANKS, cards_text, hand_number, hand_text, read_cards

_CLASS = re.compile(r"([2-9TJQKA])([2-9TJQKA])([so]?)", re.IGNORECASE)
_CARD = re.compile(r"(?:10|[2-9TJQKA])[cdhs]", re.IGNORECASE)
_HAND = re.compile(rf"(?:{_CARD.pattern}){{2}}", re.IGNORECASE)
_TOKEN = re.compile(r"\[(?P<tag>[^],[]*)\]|(?P<part>[^],\s[](?:[^],[]*[^],\s[])?|[][])")  # a part, or [25], [/25]
_WEIGHTS = "write a number from 0 to 1 behind the hands: AKo:0.25"
_NUMBER = {name: number for number, name in enumerate(CLASSES)}
#: `[169, 1326]` membership of hands in classes.
_MEMBERS = CLASS_OF[None, :] == np.arange(len(CLASSES))[:, None]
#: Relative round-off: differences of sums below this share of the total weight count as zero.
ROUND_OFF = 1e-12


@dataclass(frozen=True, eq=False)
class Range:
    """Range of hands, with a weight for each hand.

    Attributes:
        weights: `[1326]` weights from 0 to 1, by hand number; read-only.

    Raises:
        ParameterError: the weights have another shape or are out of range.

    >>> some = Range.read("AA,AKs:0.5,22+")
    >>> some.hands, str(some)
    (80.0, '22+,AKs:0.5')
    """

    weights: np.ndarray  # [1326]

    def __post_init__(self) -> None:
        weights = np.array(self.weights, dtype=np.float64)
        if weights.shape != (len(HANDS),) or not ((weights >= 0) & (weights <= 1)).all():
            raise ParameterError(f"a range needs {len(HANDS)} weights from 0 to 1; got an array {weights.shape}.")
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)

    @classmethod
    def read(cls, text: str, name: str = "range") -> Range:
        """Read a range.

        Args:
            text: range such as ``"AA,AKs:0.5,22+"``; the module describes the notation.
            name: name of the text in errors.

        Raises:
            ParameterError: a part cannot be read (the error marks its position), or the range is empty.
        """
        if not isinstance(text, str):
            raise ParameterError(
                f"{name} must be a text such as 'AA,AKs,T9s:0.5,22+'; got {text!r}.", key=name, value=text
            )
        weights = np.zeros(len(HANDS))
        for part in _parts(text, name):
            hands, weight = part.read()
            weights[hands] = weight
        if not weights.any():
            problem = f"{name} must have at least one hand, such as 'AA,AKs,T9s:0.5,22+'; got {text!r}."
            raise ParameterError(problem, key=name, value=text, text=text)
        return cls(weights)

    @property
    def hands(self) -> float:
        """Sum of the weights, in hands."""
        return float(self.weights.sum())

    def without(self, cards: Iterable[int]) -> Range:
        """Return the range without the hands that have one of these cards."""
        return Range(np.where(np.isin(HANDS, list(cards)).any(axis=1), 0.0, self.weights))

    def fill_blocked(self, cards: Iterable[int]) -> Range:
        """Return the range with the weights of blocked hands replaced, which shortens its text.

        A blocked hand gets the weight of its class if all other hands of the class have the same weight, else 0.
        """
        dead, weights = np.isin(HANDS, list(cards)).any(axis=1), self.weights.copy()
        for members in _MEMBERS:
            weights_ = weights[members & ~dead]
            weights[members & dead] = weights_[0] if len(weights_) and np.ptp(weights_) == 0 else 0.0
        return Range(weights)

    def grid(self) -> np.ndarray:
        """Return `[13, 13]` mean weights of the classes as a chart: aces first, suited hands above the pairs."""
        sums = np.bincount(CLASS_OF, self.weights, minlength=len(CLASSES))
        return (sums / _MEMBERS.sum(axis=1)).reshape(13, 13)

    def __str__(self) -> str:
        """Return the range as text; `read` restores the same weights."""
        lowest = np.array([self.weights[members].min() for members in _MEMBERS])
        whole = np.array([np.ptp(self.weights[members]) == 0 for members in _MEMBERS])
        parts: list[str] = []
        for weight in np.unique(self.weights[self.weights > 0])[::-1].tolist():
            suffix = "" if weight == 1 else f":{weight:g}" if float(f"{weight:g}") == weight else f":{weight!r}"
            single = (self.weights == weight) & ~whole[CLASS_OF]
            names = [*_spans(whole & (lowest == weight)), *map(hand_text, np.flatnonzero(single)[::-1].tolist())]
            names = ["*"] if (self.weights == weight).all() else names
            parts += [name + suffix for name in names]
        return ",".join(parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash(self.weights.tobytes())


def require_free(text: str, name: str, dead: Iterable[int]) -> None:
    """Raise ParameterError if a range's text names a single hand with one of these cards."""
    cards = set(dead)
    for part in _parts(text, name):
        hand = _HAND.fullmatch(part.body)
        if hand and (blocked := sorted(cards & {*read_cards(hand[0])})):
            problem = f"is impossible: {cards_text(blocked)} is on the board or not in the deck"
            raise unreadable(name, text, (part.span[0], part.span[0] + len(hand[0])), problem)


def compatible_weights(weights: np.ndarray) -> np.ndarray:
    """Return `[1326]` total weight of the hands that share no card with each hand."""
    by_card = np.bincount(HANDS.ravel(), np.repeat(weights, 2), CARDS)
    totals = weights.sum() - by_card[HANDS].sum(axis=1) + weights
    return np.where(totals > ROUND_OFF * weights.sum(), totals, 0.0)


def _spans(chosen: np.ndarray) -> Iterator[str]:
    """Yield the chosen classes `[169]` as parts of a range's text; neighbours share a part."""
    for row in _ROWS:
        names: list[str] = []
        for place, number in enumerate((*row, -1)):
            if number >= 0 and chosen[number]:
                names.append(CLASSES[number])
            elif names:
                to_best = len(names) > 1 and place == len(names)
                yield names[0] if len(names) == 1 else f"{names[-1]}+" if to_best else f"{names[0]}-{names[-1]}"
                names = []


#: Lists of classes that a part of a written text spans, the best first: pairs, suited and offsuit hands by high card.
_ROWS = [
    [_NUMBER[rank * 2] for rank in reversed(RANKS)],
    *(
        [_NUMBER[RANKS[high] + low + kind] for low in reversed(RANKS[:high])]
        for high in range(12, 0, -1)
        for kind in "so"
    ),
]


#: Lists of classes with the same gap between the ranks, the best first: connectors, then one-gappers, ...
_GAPS = [
    [_NUMBER[RANKS[high] + RANKS[high - gap] + kind] for high in range(12, gap - 1, -1)]
    for gap in range(1, 13)
    for kind in "so"
]
_BEST = {number: row[0] for row in (*_ROWS, *_GAPS[:2]) for number in row}  # the last class of AA+, A2s+, T9s+


@dataclass(frozen=True)
class _Part:
    """Part of a range's text. bracket: its weight from brackets around it, None outside."""

    text: str
    span: tuple[int, int]
    what: str
    bracket: float | None = None

    @property
    def body(self) -> str:
        """The part without its weight."""
        return re.split("[:@]", self.text[slice(*self.span)])[0].strip()

    def read(self) -> tuple[np.ndarray, float]:
        """Return `[n]` hand numbers and their weight."""
        weight = 1.0 if self.bracket is None else self.bracket
        if mark := re.search("[:@]", self.text[slice(*self.span)]):
            if self.bracket is not None:
                raise self.error("has two weights; write one, as in AKo:0.25")
            start = self.span[0] + mark.end()
            weight = _weight(self.text[start : self.span[1]])
            if not 0 <= weight <= 1:
                position = (start, max(self.span[1], start + 1))
                raise unreadable(self.what, self.text, position, f"is no weight; {_WEIGHTS}")
        return np.flatnonzero(self.hands(self.body)), weight

    def hands(self, name: str) -> np.ndarray:
        """Return `[1326]` True for the hands of a name."""
        if name == "*":
            return np.ones(len(HANDS), dtype=bool)
        if _HAND.fullmatch(name):
            cards = [read_cards(card)[0] for card in re.findall(_CARD, name)]
            if cards[0] == cards[1]:
                raise self.error("needs two different cards")
            return np.arange(len(HANDS)) == hand_number(*cards)
        first, dash, last = name.partition("-")
        if dash:
            return self.span_hands(self.classes(first.strip()), self.classes(last.strip()))
        if name.endswith("+"):
            chosen = self.classes(name[:-1])
            return self.span_hands(chosen, [_BEST[number] for number in chosen])
        return np.isin(CLASS_OF, self.classes(name))

    def span_hands(self, firsts: list[int], lasts: list[int]) -> np.ndarray:
        """Return `[1326]` True for the hands between each first class and its last class."""
        hands = np.zeros(len(HANDS), dtype=bool)
        if len(firsts) != len(lasts):
            raise self.error("needs two ends of one kind, as in A5s-A2s")
        for first, last in zip(firsts, lasts, strict=True):
            row = next((row for row in (*_ROWS, *_GAPS) if first in row and last in row), None)
            if row is None:
                raise self.error("needs two ends with the same high card or gap, or pairs: A5s-A2s, T9s-54s, QQ-22")
            low, high = sorted((row.index(first), row.index(last)))
            hands |= np.isin(CLASS_OF, row[low : high + 1])
        return hands

    def classes(self, name: str) -> list[int]:
        """Return the class of ``AKs`` or ``QQ``, or both classes of ``AK``."""
        match = _CLASS.fullmatch(name.replace("10", "T"))
        if match is None:
            raise self.error("is no hand; write AA, AKs, AKo, AK, AsKs, 22+, A2s+, A5s-A2s or T9s-54s")
        high, low = sorted((match[1].upper(), match[2].upper()), key=RANKS.index, reverse=True)
        kind = match[3].lower()
        if high == low and kind:
            raise self.error("is a pair, neither suited nor offsuit")
        return [
            _NUMBER[high + low + suitedness] for suitedness in ([""] if high == low else [kind] if kind else ["s", "o"])
        ]

    def error(self, problem: str) -> ParameterError:
        return unreadable(self.what, self.text, self.span, problem)


def _parts(text: str, what: str) -> Iterator[_Part]:
    """Yield the parts of a range's text; brackets around parts give their weight in percent."""
    bracket, opened = None, (0, 0)
    for match in _TOKEN.finditer(text):
        if match["part"]:
            yield _Part(text, match.span(), what, bracket)
        elif bracket is None:
            bracket, opened = _weight(match["tag"]) / 100, match.span()
            if not 0 <= bracket <= 1:
                raise unreadable(what, text, opened, f"is no weight in percent; {_WEIGHTS}")
        elif match["tag"][:1] == "/" and _weight(match["tag"][1:]) / 100 == bracket:
            bracket = None
        else:
            raise unreadable(what, text, match.span(), f"does not close {text[slice(*opened)]}; {_WEIGHTS}")
    if bracket is not None:
        raise unreadable(what, text, opened, f"is not closed; {_WEIGHTS}")


def _weight(text: str) -> float:
    """Return the number of a weight, -1 if it is none."""
    try:
        return float(text)
    except ValueError:
        return -1.0
