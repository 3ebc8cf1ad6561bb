"""The bets and raises to choose from at a table: sizes as in `betting`, for any number of players.

``any`` in place of sizes lists every amount that the rules allow, ``r300``. Amounts below the least raise are raised to
it, those above the stack are all-in; of sizes with the same amount the last is listed.
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
    """The sizes of a table.

    Args:
        bets: sizes of the first bet on a street.
        raises: sizes of raises, before the flop those of the blinds too.
        free: whether every amount is listed instead.
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
        """All actions: fold, call, sizes."""
        return (FOLD, CALL, *map(str, self.sizes))

    def amounts(self, rules: TableRules, wagers: Wagers, choices: Choices) -> dict[str, int]:
        """Return the amount of each size that may be chosen by its label, in the order of `labels`."""
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
    """Read a menu from sizes, or ``"any"``; raises are as bets if empty.

    Raises:
        ParameterError: a size that cannot be read; its place is marked.
    """
    if bets == ANY:
        if raises not in ("", ANY):
            raise ParameterError(f"bets are {ANY!r}, so raises are too; leave raises out.")
        return Menu(free=True)
    return Menu(read_sizes(bets, "bets", raises=False), read_sizes(raises or bets, "raises"))


def size_amount(size: Size, rules: TableRules, wagers: Wagers, choices: Choices) -> int:
    """Return the amount on the street that a size comes to, where raises are possible."""
    highest, own = max(wagers.bets), wagers.bets[wagers.mover]
    wanted = size.amount(highest, rules.pot(wagers) + highest - own, own + wagers.stacks[wagers.mover] - highest)
    return min(max(wanted, choices.low), choices.high)
