"""Amounts in the fields of PHH files."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from tefuda.errors import RunError, shortened

#: Fields of PHH files with an amount for each player.
FINISHING, WINNINGS = "finishing_stacks", "winnings"
FINEST = 4  # maximum number of decimals of an amount
MOST = 10**9
INFINITE = Decimal("inf")


def amounts_of(content: Mapping[str, Any], name: str, source: str, players: int = 0, several: bool = True) -> Any:
    """Return the amounts of a field of a PHH file.

    Args:
        content: fields of the file.
        name: name of the field.
        source: name of the text in errors.
        players: number of players; 0: any.
        several: True for a list of amounts, one for each player; False for a single amount, in a list.

    Raises:
        RunError: the field has another form. Stacks may be infinite, and blinds negative: these are posts.
    """
    value = content.get(name)
    values: list[Any] = value if isinstance(value, list) else [value]
    right = isinstance(value, list) == several and all(_is_amount(amount, name) for amount in values)
    if not right or (players and len(values) != players):
        expected = "a list of amounts, one for each player" if several else "an amount"
        raise RunError(f"{source}: {name} must be {expected}, from 0 to {MOST:,}; got {shortened(value)}.")
    return [Decimal(amount) for amount in values]


def _is_amount(amount: Any, name: str) -> bool:
    if not isinstance(amount, (int, Decimal)) or isinstance(amount, bool) or Decimal(amount).is_nan():
        return False
    chips: Any = abs(amount) if "blinds" in name else amount
    return bool(chips == 0 or Decimal(10) ** -FINEST <= chips <= MOST or (chips == INFINITE and "stacks" in name))
