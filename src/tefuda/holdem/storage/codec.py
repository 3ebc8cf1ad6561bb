"""Records of hands as JSON texts, from which equal records are read."""

from __future__ import annotations

import json
import tomllib
from dataclasses import fields
from datetime import datetime
from decimal import Decimal
from itertools import starmap
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


_WRITERS: dict[str, Any] = {
    "rules": lambda rules: [getattr(rules, name) for name in _RULES],
    "unit": str, "fields": toml_text, "unknown_stacks": sorted, "flags": sorted,
    "start": lambda start: start and start.isoformat(),
}  # fmt: skip
_READERS: dict[str, Any] = {
    "rules": lambda parts: TableRules(*parts), "unit": Decimal, "unknown_stacks": frozenset, "flags": frozenset,
    "hand": lambda parts: Hand(*parts)._replace(wagers=Wagers(*parts[2])),
    "fields": lambda text: tomllib.loads(text, parse_float=Decimal) if text else {},
    "seats": lambda parts: tuple(starmap(Seat, parts)), "absent": lambda parts: tuple(starmap(Seat, parts)),
    "start": lambda text: text and datetime.fromisoformat(text),
    "payments": lambda parts: parts and Payments(tuple(starmap(Award, parts[0])), *parts[1:]),
    "tournament": lambda parts: parts and Tournament(*parts),
}  # fmt: skip
