"""Menu of bets and raises at a table: sizes as in `betting`, for any number of players.

The menu ``any`` lists every legal amount, such as ``r300``. Amounts below the smallest raise become the smallest raise.
Amounts above the stack become all-in. If several sizes give the same amount, the last of them is listed.
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
    """Bet sizes of a table.

    Args:
        bets: sizes of the first bet on a street.
        raises: sizes of raises, including raises of the blinds.
        any_amount: list every legal amount instead of sizes.
    """

    bets: Sizes = ()
    raises: Sizes = ()
    any_amount: bool = False

    @property
    def sizes(self) -> Sizes:
        """All sizes, without duplicates."""
        return tuple(dict.fromkeys((*self.bets, *self.raises)))

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of all actions: fold, call, sizes."""
        return (FOLD, CALL, *map(str, self.sizes))

    def amounts(self, rules: TableRules, wagers: Wagers, choices: Choices) -> dict[str, int]:
        """Return the amounts of the legal sizes by label, in the order of `labels`."""
        if not choices.low:
            return {}
        if self.any_amount:
            return {f"{RAISE}{amount}": amount for amount in range(choices.low, choices.high + 1)}
        facing_bet = max(wagers.bets) > 0
        allowed = self.raises if facing_bet else self.bets
        amounts = {size: size_amount(size, rules, wagers, choices) for size in self.sizes if size in allowed}
        last_size = {amount: size for size, amount in amounts.items()}
        return {str(size): amount for size, amount in amounts.items() if last_size[amount] == size}


def read_menu(bets: str, raises: str) -> Menu:
    """Read a menu from sizes or ``"any"``; empty raises have the sizes of bets.

    Raises:
        ParameterError: a size cannot be read; the error marks its position.
    """
    if bets == ANY:
        if raises not in ("", ANY):
            raise ParameterError(f"raises must be {ANY!r} or empty if bets are {ANY!r}; got {raises!r}.")
        return Menu(any_amount=True)
    return Menu(read_sizes(bets, "bets", raises=False), read_sizes(raises or bets, "raises"))


def size_amount(size: Size, rules: TableRules, wagers: Wagers, choices: Choices) -> int:
    """Return the amount on the street of a size; raises must be legal."""
    highest, own = max(wagers.bets), wagers.bets[wagers.mover]
    wanted = size.amount(highest, rules.pot(wagers) + highest - own, own + wagers.stacks[wagers.mover] - highest)
    return min(max(wanted, choices.low), choices.high)
