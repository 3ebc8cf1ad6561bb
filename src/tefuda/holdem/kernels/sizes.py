"""The amounts that sizes of bets and raises come to: one formula for spots, for whole hands and for their kernels."""

import math

from tefuda._kernels.jit import inlined

#: The letters of sizes; kernels know a kind by its place here.
KINDS = "%xcea"
PART, TIMES, CHIPS, EVEN, ALL = range(len(KINDS))


@inlined
def size_amount(kind, number, highest, pot, behind):
    """Return the amount on the street, rounded half up, that a size bets or raises to.

    Args:
        kind: place of its letter in `KINDS`.
        number: what it counts: percent of the pot, times the bet, chips, bets to all-in.
        highest: highest amount on the street.
        pot: pot after a call.
        behind: chips that the player has left after a call.
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
    return math.floor(min(wanted, 1e12) + 0.5)
