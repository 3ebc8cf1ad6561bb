"""Records of hands as JSON texts, from which equal records are read."""

from __future__ import annotations

import json
import tomllib
from dataclasses import fields
from datetime import datetime
from decimal import Decimal
from typing import Any

from tefuda.files import as_tuples
from tefuda.holdem.hands.hand import Hand
from tefuda.holdem.hands.rules import TableRules, Wagers
from tefuda.holdem.histories.phh_text import toml_text
from tefuda.holdem.histories.record import Award, HandHistory, Payments, Seat, Tournament

_FIELDS, _RULES = ([field.name for field in fields(kind)] for kind in (HandHistory, TableRules))


def encoded(hand: HandHistory) -> str:
    """Return a record as JSON."""
    content = [getattr(hand, name) for name in _FIELDS]
    for name, write in _WRITERS.items():
        place = _FIELDS.index(name)
        content[place] = write(content[place])
    return json.dumps(content, separators=(",", ":"))


def decoded_hand(text: str) -> HandHistory:
    """Return the record of a JSON text.

    Raises:
        ValueError, TypeError: the text is no record.
    """
    content = list(as_tuples(json.loads(text)))
    for name, read in _READERS.items():
        place = _FIELDS.index(name)
        content[place] = read(content[place])
    return HandHistory(*content)


def _hand(parts: Any) -> Hand:
    holes, board, wagers, line = parts
    return Hand(holes, board, Wagers(*wagers), line)


def _seats(parts: Any) -> tuple[Seat, ...]:
    return tuple(Seat(*part) for part in parts)


def _payments(parts: Any) -> Payments | None:
    return parts and Payments(tuple(Award(*award) for award in parts[0]), *parts[1:])


_WRITERS: dict[str, Any] = {
    "rules": lambda rules: [getattr(rules, name) for name in _RULES],
    "unit": str, "fields": toml_text, "unknown_stacks": sorted, "flags": sorted,
    "start": lambda start: start and start.isoformat(),
}  # fmt: skip
_READERS: dict[str, Any] = {
    "rules": lambda parts: TableRules(*parts), "hand": _hand, "unit": Decimal,
    "fields": lambda text: tomllib.loads(text, parse_float=Decimal) if text else {}, "unknown_stacks": frozenset,
    "seats": _seats, "absent": _seats, "start": lambda text: text and datetime.fromisoformat(text),
    "payments": _payments, "tournament": lambda parts: parts and Tournament(*parts), "flags": frozenset,
}  # fmt: skip
