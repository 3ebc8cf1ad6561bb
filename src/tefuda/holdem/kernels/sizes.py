"""Bet sizes: how each kind is written, and the amount it comes to. Plain Python that kernels compile.

With b the highest bet on the street and P the pot after a call, ``x%`` is a bet of P * x / 100 and a raise to
b + P * x / 100; ``x`` multiplies b, ``c`` adds chips to b, ``a`` is all-in. ``e`` is the part of the pot that n equal
parts, one after the other, bring to all-in. Amounts are rounded half up.
"""

from __future__ import annotations

import math
from typing import NamedTuple

PART, TIMES, CHIPS, EVEN, ALL = map(ord, "%xcea")
_MOST = 1e12  # chips


class Kind(NamedTuple):
    """How a kind of size is written.

    number: ``"needed"``, ``"optional"`` (1 unless given) or ``"none"``. above: the number must be more. whole: it must
    be a whole number. faces_bet: the size needs a bet to raise.
    """

    number: str = "needed"
    above: float = 0.0
    whole: bool = False
    faces_bet: bool = False


#: Every kind of size by its letter.
KINDS = {
    "%": Kind(),
    "x": Kind(above=1.0, faces_bet=True),
    "c": Kind(whole=True),
    "e": Kind("optional", whole=True),
    "a": Kind("none"),
}


def amount(kind: int, number: float, highest: int, pot: int, behind: int) -> int:
    """Return the amount on the street that a size comes to, before it is fitted to what the rules allow.

    kind: the letter as a number. highest: the highest bet. pot: chips in the pot after a call. behind: chips that the
    player has left after a call.
    """
    wanted = float(highest + behind)
    if kind == PART:
        wanted = highest + pot * number / 100
    elif kind == TIMES:
        wanted = highest * number
    elif kind == CHIPS:
        wanted = highest + number
    elif kind == EVEN:  # (1 + 2 x) ** number pots are the pot with both stacks in it
        wanted = highest + pot * (((pot + 2 * behind) / pot) ** (1 / number) - 1) / 2
    return math.floor(min(wanted, _MOST) + 0.5)
