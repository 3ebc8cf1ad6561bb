"""Ranges: a weight in 0..1 for each of the 1,326 hands, from the usual text and back to it.

    AA            the 6 hands of a pair            66+        66, 77, ..., AA
    AKs  AKo      4 suited, 12 offsuit             K2s+       K2s, K3s, ..., KQs
    AK            all 16                           A5s-A2s    the classes from one to the other; QQ-22 too
    AsKs          one hand                         *          all hands

Parts are separated by commas; ``:0.5`` after one is its weight (1 unless given). Of hands named twice the last counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from tefuda.errors import ParameterError, unreadable
from tefuda.holdem.cards import CARDS, CLASS_OF, CLASSES, HANDS, RANKS, cards_text, hand_number, hand_text, read_cards
from tefuda.words import PARTS

_CLASS = re.compile(r"([2-9TJQKA])([2-9TJQKA])([so]?)", re.IGNORECASE)
_NUMBER = {name: number for number, name in enumerate(CLASSES)}
#: `[169, 1326]` which hands each class has.
_MEMBERS = CLASS_OF[None, :] == np.arange(len(CLASSES))[:, None]
#: Part of all weights below which the rest of sums that cancel is zero.
ROUND_OFF = 1e-12


@dataclass(frozen=True, eq=False)
class Range:
    """A weight for each hand.

    weights: `[1326]` in 0..1, by the numbers of `cards`; not to be written to.

    Raises:
        ParameterError: weights that are none.

    >>> some = Range.read("AA,AKs:0.5,22+")
    >>> some.hands, str(some)
    (80.0, '22+,AKs:0.5')
    """

    weights: np.ndarray  # [1326]

    def __post_init__(self) -> None:
        weights = np.array(self.weights, dtype=np.float64)
        if weights.shape != (len(HANDS),) or not ((weights >= 0) & (weights <= 1)).all():
            raise ParameterError(f"a range has {len(HANDS)} weights from 0 to 1; got an array {weights.shape}.")
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)

    @classmethod
    def read(cls, text: str, what: str = "range") -> Range:
        """Read a range.

        Args:
            text: see the module's first lines.
            what: name of the text in errors.

        Raises:
            ParameterError: a part that cannot be read, with its place marked, or no hand at all.
        """
        if not isinstance(text, str):
            raise ParameterError(f"{what} is {text!r}; write it as text, 'AA,AKs,T9s:0.5,22+'.", key=what, value=text)
        weights = np.zeros(len(HANDS))
        for part in PARTS.finditer(text):
            hands, weight = _Part(text, part.span(), what).read()
            weights[hands] = weight
        if not weights.any():
            why = f"{what}: {text!r} holds no hand; name some, 'AA,AKs,T9s:0.5,22+'."
            raise ParameterError(why, key=what, value=text, text=text)
        return cls(weights)

    @property
    def hands(self) -> float:
        """Number of hands, by weight."""
        return float(self.weights.sum())

    def without(self, cards: Iterable[int]) -> Range:
        """Return the range without hands that share a card with these."""
        return Range(np.where(np.isin(HANDS, list(cards)).any(axis=1), 0.0, self.weights))

    def beside(self, cards: Iterable[int]) -> Range:
        """Return the range beside these cards; hands with one get the weight of their class, for a short text."""
        gone, weights = np.isin(HANDS, list(cards)).any(axis=1), self.weights.copy()
        for members in _MEMBERS:
            left = weights[members & ~gone]
            weights[members & gone] = left[0] if len(left) and np.ptp(left) == 0 else 0.0
        return Range(weights)

    def grid(self) -> np.ndarray:
        """Return `[13, 13]` the mean weight of each class in a chart: from the ace, suited hands above the pairs."""
        sums = np.bincount(CLASS_OF, self.weights, minlength=len(CLASSES))
        return (sums / _MEMBERS.sum(axis=1)).reshape(13, 13)

    def text(self) -> str:
        """Return the range as text from which `read` makes the same weights."""
        lowest = np.array([self.weights[members].min() for members in _MEMBERS])
        whole = np.array([np.ptp(self.weights[members]) == 0 for members in _MEMBERS])
        parts: list[str] = []
        for weight in np.unique(self.weights[self.weights > 0])[::-1].tolist():
            told = "" if weight == 1 else f":{weight:g}" if float(f"{weight:g}") == weight else f":{weight!r}"
            alone = (self.weights == weight) & ~whole[CLASS_OF]
            named = [*_spans(whole & (lowest == weight)), *map(hand_text, np.flatnonzero(alone)[::-1].tolist())]
            named = ["*"] if (self.weights == weight).all() else named
            parts += [name + told for name in named]
        return ",".join(parts)

    __str__ = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash(self.weights.tobytes())


def require_free(text: str, what: str, gone: Iterable[int]) -> None:
    """Raise ParameterError if a range's text names a hand (not a class) with one of these cards."""
    cards = set(gone)
    for match in re.finditer(r"(?<![^\s,])[2-9TJQKA][cdhs][2-9TJQKA][cdhs](?![^\s,:])", text, re.IGNORECASE):
        if held := sorted(cards & {*read_cards(match[0])}):
            why = f"cannot be held: {cards_text(held)} is on the board or not in the deck"
            raise unreadable(what, text, match.span(), why)


def met(weights: np.ndarray) -> np.ndarray:
    """Return `[1326]` for each hand the weight of the hands that share no card with it."""
    by_card = np.bincount(HANDS.ravel(), np.repeat(weights, 2), CARDS)
    found = weights.sum() - by_card[HANDS].sum(axis=1) + weights
    return np.where(found > ROUND_OFF * weights.sum(), found, 0.0)


def _spans(chosen: np.ndarray) -> Iterator[str]:
    """Yield classes `[169]` as parts of a range, neighbours in one part."""
    for row in _ROWS:
        run: list[str] = []
        for place, number in enumerate((*row, -1)):
            if number >= 0 and chosen[number]:
                run.append(CLASSES[number])
            elif run:
                whole = len(run) > 1 and place == len(run)
                yield run[0] if len(run) == 1 else f"{run[-1]}+" if whole else f"{run[0]}-{run[-1]}"
                run = []


#: The classes that one part can span, from the best down: pairs, then suited and offsuit hands by high card.
_ROWS = [
    [_NUMBER[rank * 2] for rank in reversed(RANKS)],
    *(
        [_NUMBER[RANKS[high] + low + kind] for low in reversed(RANKS[:high])]
        for high in range(12, 0, -1)
        for kind in "so"
    ),
]


@dataclass(frozen=True)
class _Part:
    """A part of a text."""

    text: str
    span: tuple[int, int]
    what: str

    def read(self) -> tuple[np.ndarray, float]:
        """Return the numbers `[n]` of the hands, and their weight."""
        body, colon, number = self.text[slice(*self.span)].partition(":")
        weight = 1.0
        if colon:
            try:
                weight = float(number)
            except ValueError:
                weight = -1.0
            if not 0 <= weight <= 1:
                start = self.span[0] + len(body) + 1
                place = (start, max(self.span[1], start + 1))
                raise unreadable(self.what, self.text, place, "is no weight; write a number from 0 to 1")
        return np.flatnonzero(self.hands(body.strip())), weight

    def hands(self, name: str) -> np.ndarray:
        """Return `[1326]` whether each hand is in a name."""
        if name == "*":
            return np.ones(len(HANDS), dtype=bool)
        if re.fullmatch(r"[2-9TJQKA][cdhs][2-9TJQKA][cdhs]", name, re.IGNORECASE):
            if name[:2].lower() == name[2:].lower():
                raise self.refused("needs two different cards")
            return np.arange(len(HANDS)) == hand_number(*read_cards(name))
        first, dash, last = name.partition("-")
        if dash:
            return self.between(self.classes(first.strip()), self.classes(last.strip()))
        if name.endswith("+"):
            chosen = self.classes(name[:-1])
            return self.between(chosen, [next(row[0] for row in _ROWS if number in row) for number in chosen])
        return np.isin(CLASS_OF, self.classes(name))

    def between(self, ones: list[int], others: list[int]) -> np.ndarray:
        """Return `[1326]` whether each hand is in a span, from each of the ones to its other."""
        found = np.zeros(len(HANDS), dtype=bool)
        if len(ones) != len(others):
            raise self.refused("needs two ends of one kind, as in A5s-A2s")
        for one, other in zip(ones, others, strict=True):
            row = next((row for row in _ROWS if one in row and other in row), None)
            if row is None:
                raise self.refused("needs two ends with the same high card and kind, or pairs: A5s-A2s, QQ-22")
            low, high = sorted((row.index(one), row.index(other)))
            found |= np.isin(CLASS_OF, row[low : high + 1])
        return found

    def classes(self, name: str) -> list[int]:
        """Return the classes of ``AKs`` or ``QQ``; both of ``AK``."""
        match = _CLASS.fullmatch(name)
        if match is None:
            raise self.refused("is no hand; write AA, AKs, AKo, AK, AsKs, 22+, A2s+ or A5s-A2s")
        high, low = sorted((match[1].upper(), match[2].upper()), key=RANKS.index, reverse=True)
        kind = match[3].lower()
        if high == low and kind:
            raise self.refused("is a pair, neither suited nor offsuit")
        return [_NUMBER[high + low + one] for one in ([""] if high == low else [kind] if kind else ["s", "o"])]

    def refused(self, why: str) -> ParameterError:
        """Return the error of this part."""
        return unreadable(self.what, self.text, self.span, why)
