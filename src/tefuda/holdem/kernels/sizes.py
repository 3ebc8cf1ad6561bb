"""Bet sizes: notation and amount of each kind. Plain Python that kernels compile.

With b the highest bet on the street and P the pot after a call, ``x%`` is a bet of P * x / 100 and a raise to
b + P * x / 100; ``x`` multiplies b, ``c`` adds chips to b, ``a`` is all-in. ``e`` is geometric sizing: n equal pot
fractions in a row reach all-in; it may have a maximum in percent of P. Amounts are rounded half up.
"""

from __future__ import annotations

import math
from typing import NamedTuple

POT_PERCENT, MULTIPLE, CHIPS, GEOMETRIC, ALL_IN = map(ord, "%xcea")
_MOST = 1e12  # chips


class SizeKind(NamedTuple):
    """The notation of a kind of size.

    number: ``"needed"``, ``"optional"`` (default 1) or ``"none"``. above: exclusive lower limit of the number. whole:
    whether the number must be whole. faces_bet: whether the size needs a bet to raise.
    """

    number: str = "needed"
    above: float = 0.0
    whole: bool = False
    faces_bet: bool = False


#: Every kind of size by its letter.
KINDS = {
    "%": SizeKind(),
    "x": SizeKind(above=1.0, faces_bet=True),
    "c": SizeKind(whole=True),
    "e": SizeKind("optional", whole=True),
    "a": SizeKind("none"),
}


def amount(kind: int, number: float, most: float, highest: int, pot: int, behind: int) -> int:
    """Return the amount on the street of a size, before the limits of the rules.

    kind: the letter as a number. most: maximum in percent of the pot, or infinity. highest: the highest bet. pot: chips
    in the pot after a call. behind: chips that the player has left after a call.
    """
    target = float(highest + behind)
    if kind == POT_PERCENT:
        target = highest + pot * number / 100
    elif kind == MULTIPLE:
        target = highest * number
    elif kind == CHIPS:
        target = highest + number
    elif kind == GEOMETRIC:  # (1 + 2 x) ** number pots are the pot with both stacks in it
        target = highest + pot * min((((pot + 2 * behind) / pot) ** (1 / number) - 1) / 2, most / 100)
    return math.floor(min(target, _MOST) + 0.5)
