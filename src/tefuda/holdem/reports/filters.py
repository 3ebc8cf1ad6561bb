"""Language of filters: conditions on a player's hands, such as ``position=BTN pot=3bet hero=KK+``.

Conditions are separated by spaces, and all must hold. A condition is a word, one of ``= != < <= > >=``, and a value;
lists such as ``BTN,CO`` mean one of them, ``80..125`` means from 80 to 125, and an end may be left out.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from tefuda.errors import ParameterError, unreadable
from tefuda.holdem.hands.rules import STREETS
from tefuda.holdem.ranges import Range
from tefuda.holdem.reports.counting import COUNTED, POSITIONS
from tefuda.holdem.reports.table import POTS, SeatTable
from tefuda.words import parse_number

Mask = Callable[[SeatTable], np.ndarray]

_WORD = re.compile(r"\S+")
_CONDITION = re.compile(r"(?P<word>[a-z-]+)(?P<operator>!=|<=|>=|=|<|>)(?P<value>\S+)")
_OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_DATE = re.compile(r"[0-9]{4}(-[0-9]{2}){0,2}")
_SUIT_KINDS = {"monotone": 1, "two-tone": 2, "rainbow": 3}  # number of suits on the flop
_BOARDS = (*_SUIT_KINDS, "paired", "unpaired", "trips")
_YES = ("no", "yes")
_ORDERED = ("pot", "street", "stack", "result", "players", "flop", "session")  # words whose values have an order


class _Value(NamedTuple):
    """Value of a condition, with its place in the text of the filter."""

    operator: str
    text: str
    filter: str
    span: tuple[int, int]

    def error(self, problem: str) -> ParameterError:
        """Return the error of this condition."""
        return unreadable("where", self.filter, self.span, problem)

    def numbers(self, names: Sequence[str]) -> list[int]:
        """Return the numbers of names, in any case."""
        plain = [name.lower() for name in names]
        parts = self.text.lower().split(",")
        if wrong := [part for part in parts if part not in plain]:
            raise self.error(f"has an unknown value {wrong[0]!r}; write {', '.join(names)}")
        return [number for part in parts for number, name in enumerate(plain) if name == part]

    def number(self, text: str) -> float:
        """Return a number, in big blinds if it has this unit."""
        try:
            return parse_number(text.removesuffix("bb"))
        except ValueError:
            raise self.error("has no number; write 100, 80..125 or -20bb") from None

    def span_of(self, text: str) -> tuple[float, float]:
        """Return the ends of ``80..125``, ``80..``, ``..125`` or ``80``."""
        low, dots, high = text.partition("..")
        first = self.number(low) if low or not high else -np.inf
        return first, self.number(high) if high else np.inf if dots else first


def read_filter(text: str) -> Mask:
    """Return a function that gives the mask of the rows of a table for which all conditions hold.

    Raises:
        ParameterError: a condition cannot be read; the error marks it.

    >>> from tefuda.holdem.reports.filters import read_filter
    >>> read_filter("position=BTM")
    Traceback (most recent call last):
        ...
    tefuda.errors.ParameterError: ...
      position=BTM
      ^^^^^^^^^^^^
    """
    masks = [_condition(text, match) for match in _WORD.finditer(text)]

    def chosen(table: SeatTable) -> np.ndarray:
        return np.logical_and.reduce([np.ones(len(table), dtype=bool), *(mask(table) for mask in masks)])

    return chosen


def _condition(text: str, match: re.Match[str]) -> Mask:
    parts = _CONDITION.fullmatch(match[0])
    if parts is None or parts["word"] not in WORDS:
        known = ", ".join(WORDS)
        raise unreadable("where", text, match.span(), f"is no condition; write a word and a value: {known}")
    value = _Value(parts["operator"], parts["value"], text, match.span())
    if value.operator in _OPERATORS and (parts["word"] not in _ORDERED or "," in value.text):
        raise value.error("has no order; write = or one value")
    mask = WORDS[parts["word"]](value)
    return (lambda table: ~mask(table)) if value.operator == "!=" else mask


# Kinds of conditions: functions of a condition's value, after those of the kind.


def _names(column: str, names: Sequence[str], value: _Value) -> Mask:
    numbers = value.numbers(names)
    if compare := _OPERATORS.get(value.operator):
        return lambda table: compare(table[column], numbers[0])
    return lambda table: np.isin(table[column], numbers)


def _number(column: Callable[[SeatTable], np.ndarray], value: _Value) -> Mask:
    if compare := _OPERATORS.get(value.operator):
        limit = value.number(value.text)
        return lambda table: compare(column(table), limit)
    spans = [value.span_of(part) for part in value.text.split(",")]

    def mask(table: SeatTable) -> np.ndarray:
        numbers = column(table)
        return np.logical_or.reduce([(low <= numbers) & (numbers <= high) for low, high in spans])

    return mask


def _text(column: str, value: _Value) -> Mask:
    """Compare texts in lower case without spaces, whole or up to the first space: ``stake=0.5/1``."""
    parts = value.text.lower().split(",")

    def mask(table: SeatTable) -> np.ndarray:
        names = [name.lower() for name in table.texts]
        forms = [(name.replace(" ", ""), name.split(" ")[0]) for name in names]
        return np.isin(table[column], [n for n, each in enumerate(forms) if any(part in each for part in parts)])

    return mask


def _date(is_start: bool, value: _Value) -> Mask:
    try:
        if value.operator != "=" or not _DATE.fullmatch(value.text):
            raise ValueError
        first = np.datetime64(value.text)  # a day, a month or a year
    except ValueError:
        raise value.error("has no date; write from=2026-01-31, to=2026-01 or to=2026") from None
    limit = (first if is_start else first + 1).astype("datetime64[s]").astype(float)
    return lambda table: table["start"] >= limit if is_start else table["start"] < limit


def _hero(value: _Value) -> Mask:
    try:
        hands = np.append(Range.read(value.text).weights > 0, False)
    except ParameterError as error:
        raise value.error(f"has no range: {error.message}") from None
    return lambda table: hands[table["hole"]]


def _board(value: _Value) -> Mask:
    kinds = [_BOARDS[number] for number in value.numbers(_BOARDS)]

    def mask(table: SeatTable) -> np.ndarray:
        flop = table["board"][:, :3].astype(np.int64)
        suits, ranks = (_distinct(part) for part in (flop & 3, flop >> 2))
        tests = {kind: suits == number for kind, number in _SUIT_KINDS.items()}
        tests |= {"trips": ranks == 1, "paired": ranks == 2, "unpaired": ranks == 3}
        is_dealt = (flop >= 0).all(axis=1) & (table["on_flop"] > 0)
        return is_dealt & np.logical_or.reduce([tests[kind] for kind in kinds])

    return mask


def _distinct(values: np.ndarray) -> np.ndarray:
    """Return `[R]` the number of different values in each row of `[R, 3]`."""
    ordered = np.sort(values, axis=1)
    return 1 + (np.diff(ordered, axis=1) > 0).sum(axis=1)


def _bit(column: str, value: _Value) -> Mask:
    bits = sum({1 << number for number in value.numbers(COUNTED)})
    return lambda table: (table[column] & bits) != 0


#: Words of conditions, with the function that reads a value.
WORDS: dict[str, Callable[[_Value], Mask]] = {
    "position": partial(_names, "position", POSITIONS),
    "pot": partial(_names, "pot", POTS),
    "hero": _hero,
    "board": _board,
    "street": partial(_names, "street", STREETS),
    "stack": partial(_number, lambda table: table["effective"]),
    "result": partial(_number, lambda table: table.bb),
    "players": partial(_number, lambda table: table["players"]),
    "flop": partial(_number, lambda table: table["on_flop"]),
    "session": partial(_number, lambda table: table.sessions),
    "from": partial(_date, True),
    "to": partial(_date, False),
    "room": partial(_text, "room"),
    "stake": partial(_text, "stake"),
    "name": partial(_text, "name"),
    "cash": partial(_names, "cash", _YES),
    "showdown": partial(_names, "showdown", _YES),
    "all-in": partial(_names, "all_in", _YES),
    "did": partial(_bit, "made"),
    "could": partial(_bit, "chances"),
}
