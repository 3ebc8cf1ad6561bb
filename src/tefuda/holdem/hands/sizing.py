"""Which bets and raises agents choose from: sizes as in `betting`, for whole hands with any number of players.

``x%`` of the pot after a call, ``2.5x`` times the highest bet, ``10c`` chips more, ``e`` as often as it takes to be
all-in with the pot growing alike, ``a`` all-in; ``any`` instead of sizes: every amount the rules allow, ``r300``. What
is below the least raise is lifted to it, what is above is all-in; of sizes that come to the same the last is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from tefuda.errors import ParameterError
from tefuda.holdem.betting import Size, Sizes, read_sizes
from tefuda.holdem.hands.hand import CALL, FOLD, RAISE
from tefuda.holdem.hands.rules import Choices, TableRules, Wagers

ANY = "any"


@dataclass(frozen=True)
class Menu:
    """What may be bet.

    Args:
        bets: sizes of who bets first on a street.
        raises: of who raises, before the flop the blinds too.
        free: whether every amount may be named instead.
    """

    bets: Sizes = ()
    raises: Sizes = ()
    free: bool = False

    @property
    def sizes(self) -> Sizes:
        """All sizes, once."""
        return tuple(dict.fromkeys((*self.bets, *self.raises)))

    @property
    def labels(self) -> tuple[str, ...]:
        """All actions by size: fold, call, sizes."""
        return (FOLD, CALL, *map(str, self.sizes))

    def amounts(self, rules: TableRules, wagers: Wagers, choices: Choices) -> dict[str, int]:
        """What each size that may be chosen comes to, by its label, in the order of `labels`."""
        if not choices.low:
            return {}
        if self.free:
            return {f"{RAISE}{amount}": amount for amount in range(choices.low, choices.high + 1)}
        faced = max(wagers.bets) > 0
        allowed = self.raises if faced else self.bets
        found = {size: size_amount(size, rules, wagers, choices) for size in self.sizes if size in allowed}
        last = {amount: size for size, amount in found.items()}
        return {str(size): amount for size, amount in found.items() if last[amount] == size}


def read_menu(bets: str, raises: str) -> Menu:
    """A menu from text.

    Args:
        bets: sizes, or ``"any"``.
        raises: sizes of raises; nothing: as bets.

    Raises:
        ParameterError: a size that cannot be read; its place is marked.
    """
    if bets == ANY:
        if raises not in ("", ANY):
            raise ParameterError(f"bets are {ANY!r}, so raises are too; leave raises out.")
        return Menu(free=True)
    return Menu(read_sizes(bets, "bets", raises=False), read_sizes(raises or bets, "raises"))


def size_amount(size: Size, rules: TableRules, wagers: Wagers, choices: Choices) -> int:
    """The amount on the street that a size comes to, where raises are possible."""
    highest = max(wagers.bets)
    faced = highest - wagers.bets[wagers.mover]
    wanted = size.amount(highest, rules.pot(wagers) + faced, wagers.stacks[wagers.mover] - faced)
    return min(max(wanted, choices.low), choices.high)
