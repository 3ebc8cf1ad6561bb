"""Groups of hands: by position, pot, stack, stake, room, month, session and class of hole cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from tefuda.errors import UnknownNameError
from tefuda.holdem.cards import CLASSES
from tefuda.holdem.reports.counting import POSITIONS
from tefuda.holdem.reports.table import POTS, SeatTable

STACKS = (15, 25, 40, 75, 125)  # limits of the stack groups, in big blinds; the last belongs to the group below
_UNKNOWN = "unknown"

Grouping = tuple[np.ndarray, Callable[[int], str]]


def _named(values: np.ndarray, names: Sequence[str]) -> Grouping:
    return values, lambda value: names[value] if value >= 0 else _UNKNOWN


def _stacks(table: SeatTable) -> Grouping:
    names = [f"{low}-{high} bb" for low, high in pairwise(STACKS)]
    limits = (*STACKS[:-1], np.nextafter(STACKS[-1], np.inf))
    numbers = np.searchsorted(limits, table["effective"], "right")
    return _named(numbers, [f"< {STACKS[0]} bb", *names, f"> {STACKS[-1]} bb"])


def _months(table: SeatTable) -> Grouping:
    is_known = ~np.isnan(table["start"])
    starts = np.where(is_known, table["start"], 0.0).astype("datetime64[s]").astype("datetime64[M]")
    numbers = np.where(is_known, starts.astype(np.int64), -1)  # months since 1970
    return numbers, lambda month: str(np.datetime64(month, "M")) if month >= 0 else _UNKNOWN


#: Groupings by name: the value of each row, and the name of a value.
GROUPS: dict[str, Callable[[SeatTable], Grouping]] = {
    "position": lambda table: _named(table["position"], POSITIONS),
    "pot": lambda table: _named(table["pot"], POTS),
    "flop": lambda table: (table["on_flop"], lambda number: f"{number} on the flop" if number else "no flop"),
    "players": lambda table: (table["players"], lambda number: f"{number} players"),
    "stack": _stacks,
    "stake": lambda table: _named(table["stake"], table.texts),
    "room": lambda table: _named(table["room"], [text or _UNKNOWN for text in table.texts]),
    "month": _months,
    "session": lambda table: (table.sessions, lambda number: f"session {number}" if number else _UNKNOWN),
    "class": lambda table: _named(table.classes, CLASSES),
    "player": lambda table: _named(table["name"], table.texts),
}


def grouped(table: SeatTable, by: str) -> tuple[np.ndarray, list[str]]:
    """Return `[R]` the number of the group of each row, and the names of the groups.

    Raises:
        UnknownNameError: the grouping is unknown.
    """
    if by not in GROUPS:
        raise UnknownNameError("group", by, GROUPS)
    values, name = GROUPS[by](table)
    found, numbers = np.unique(values, return_inverse=True)
    return numbers, [name(value) for value in found.tolist()]
