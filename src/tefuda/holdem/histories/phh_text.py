"""Writing of hand histories in the PHH format (`phh`)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from tefuda.errors import ParameterError
from tefuda.files import write_bytes
from tefuda.holdem.histories.amounts import FINISHING, INFINITE
from tefuda.holdem.histories.record import HandHistory

#: Sizes of bets by variant.
BETS = {"NT": ("min_bet",), "FT": ("small_bet", "big_bet")}
CURRENCY, TRIMMING = "currency", "ante_trimming_status"
#: Fields of rules that PHH does not know, with the underscore of user-defined fields.
FULL_BLINDS, REOPENS = "_full_blinds", "_reopens"


def forced_bet_order(players: int) -> slice:
    """Return the order of forced bets in files, which is reversed heads-up."""
    return slice(None, None, -1 if players == 2 else 1)


def write_phh(path: str | Path, records: Sequence[HandHistory]) -> None:
    """Write hands to a file: one hand to ``.phh``, any number to ``.phhs``.

    Raises:
        ParameterError: the file has another ending, or the number of hands for ``.phh`` is not 1.
        RunError: the file cannot be written.
    """
    file = Path(path)
    if file.suffix not in (".phh", ".phhs"):
        raise ParameterError(f"{file} must end in .phh (one hand) or .phhs (several hands).")
    if file.suffix == ".phh" and len(records) != 1:
        raise ParameterError(f"a .phh file must have one hand, got {len(records)} for {file}; write to a .phhs file.")
    texts = [hand_text(record) for record in records]
    if file.suffix == ".phhs":
        texts = [f"[{number}]\n{text}" for number, text in enumerate(texts, 1)]
    write_bytes(file, "\n".join(texts).encode())


def hand_text(record: HandHistory) -> str:
    """Return a hand as TOML."""
    rules, order = record.rules, forced_bet_order(record.rules.players)
    blinds = [blind or -post for blind, post in zip(rules.blinds, rules.posts, strict=True)]
    bets = zip(BETS["FT"], rules.limit, strict=True) if rules.limit else [("min_bet", rules.min_bet)]
    content = {
        "variant": "FT" if rules.limit else "NT",
        "antes": [ante * record.unit for ante in rules.antes[order]],
        "blinds_or_straddles": [blind * record.unit for blind in blinds[order]],
        **{name: bet * record.unit for name, bet in bets},
        "starting_stacks": [
            INFINITE if player in record.unknown_stacks else stack * record.unit
            for player, stack in enumerate(rules.stacks)
        ],
        "actions": list(record.actions),
        **({TRIMMING: not rules.dead_antes} if any(rules.antes) else {}),
        **{name: True for name, value in ((FULL_BLINDS, rules.full_blinds), (REOPENS, rules.reopens)) if value},
        **_facts(record),
        **record.fields,
    }
    return toml_text(content)


def toml_text(content: Mapping[str, Any]) -> str:
    """Return fields as TOML."""
    return "".join(f"{_key(name)} = {_toml(value)}\n" for name, value in content.items())


def _facts(record: HandHistory) -> dict[str, Any]:
    """Return the fields of a hand of a card room: players, results, room, number, table, seats, start."""
    numbers, won = [seat.number for seat in record.seats], record.won if record.payments else None
    ends = [(stack + chips) * record.unit for stack, chips in zip(record.rules.stacks, won or (), strict=bool(won))]
    named: dict[str, Any] = {
        CURRENCY: record.currency, "players": [seat.name for seat in record.seats],
        FINISHING: ends if min(ends, default=-1) >= 0 else [], "seats": numbers if any(numbers) else [],
        "venue": record.room, "hand": record.number, "table": record.table, "seat_count": record.size,
    }  # fmt: skip
    facts = {name: value for name, value in named.items() if value}
    if (start := record.start) is not None:
        facts |= {"year": start.year, "month": start.month, "day": start.day, "time": start.time()}
        facts |= {"time_zone": str(start.tzinfo)} if start.tzinfo else {}
    return facts


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Decimal):
        return f"{value:f}" if value.is_finite() else str(float(value))
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_key(name)} = {_toml(item)}' for name, item in value.items())}}}"
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
