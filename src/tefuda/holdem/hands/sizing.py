"""Menu of bets and raises at a table: sizes as in `betting`, for any number of players.

The menu ``any`` lists every legal amount, such as ``r300``. Amounts below the smallest raise become the smallest raise.
Amounts above the stack become all-in. If several sizes give the same amount, the last of them is listed.
"""

from __future__ import annotations

from dataclasses import dataclass

from tefuda.errors import ParameterError
from tefuda.holdem.betting import Size, Sizes, Street, read_sizes
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
        preflop: sizes of opens (the first raise of the blinds) as bets, and of reraises as raises; None: those above.
        turn: sizes on the turn; None: those above.
        river: sizes on the river; None: those above.
    """

    bets: Sizes = ()
    raises: Sizes = ()
    any_amount: bool = False
    preflop: Street | None = None
    turn: Street | None = None
    river: Street | None = None

    @property
    def sizes(self) -> Sizes:
        """All sizes, without duplicates."""
        streets = (street for street in (self.preflop, self.turn, self.river) if street)
        others = (size for street in streets for size in (*street.bets, *street.raises))
        return tuple(dict.fromkeys((*self.bets, *self.raises, *others)))

    @property
    def is_plain(self) -> bool:
        """True if all streets have the same sizes."""
        return not (self.preflop or self.turn or self.river)

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of all actions: fold, call, sizes."""
        return (FOLD, CALL, *map(str, self.sizes))

    def amounts(self, rules: TableRules, wagers: Wagers, choices: Choices) -> dict[str, int]:
        """Return the amounts of the legal sizes by label, in the order of `labels`; in limit ``r`` alone."""
        if not choices.low:
            return {}
        if rules.limit:
            return {RAISE: choices.low}
        if self.any_amount:
            return {f"{RAISE}{amount}": amount for amount in range(choices.low, choices.high + 1)}
        allowed = self._allowed(rules, wagers)
        amounts = {size: size_amount(size, rules, wagers, choices) for size in self.sizes if size in allowed}
        last_size = {amount: size for size, amount in amounts.items()}
        return {str(size): amount for size, amount in amounts.items() if last_size[amount] == size}

    def _allowed(self, rules: TableRules, wagers: Wagers) -> Sizes:
        """Return the sizes for the player to act."""
        street, is_raise = (self.preflop, None, self.turn, self.river)[wagers.street], max(wagers.bets) > 0
        if street is None:
            return self.raises if is_raise else self.bets
        if wagers.street == 0:
            is_raise = wagers.raises > any(rules.blinds)
        return street.raises if is_raise else street.bets


def read_menu(bets: str, raises: str = "", opens: str = "", reraises: str = "") -> Menu:
    """Read a menu from sizes or ``"any"``.

    Args:
        bets: sizes of bets, or ``"any"``; with slashes for flop, turn and river: ``"33,75,a/50,a/100,a"``.
        raises: sizes of raises, with slashes too; empty: those of bets.
        opens: sizes of the first raise before the flop; empty: those of raises.
        reraises: sizes of later raises before the flop; empty: those of opens, or those of raises without opens.

    Raises:
        ParameterError: a size cannot be read; the error marks its position.
    """
    if bets == ANY:
        if raises not in ("", ANY) or opens or reraises:
            given = raises or opens or reraises
            raise ParameterError(f"raises and opens must be empty if bets are {ANY!r}; got {given!r}.")
        return Menu(any_amount=True)
    bets_by_street = _by_street("bets", bets, raises=False)
    flop, turn, river = map(Street, bets_by_street, _by_street("raises", raises or bets, raises=True))
    preflop = None
    if opens or reraises:
        first = read_sizes(opens, "opens") if opens else flop.raises
        preflop = Street(first, read_sizes(reraises, "reraises") if reraises else first)
    return Menu(
        flop.bets, flop.raises, False, preflop, *(None if street == flop else street for street in (turn, river))
    )


def _by_street(name: str, text: str, raises: bool) -> tuple[Sizes, ...]:
    """Return the sizes on flop, turn and river, which slashes separate."""
    parts = text.split("/") if isinstance(text, str) else [text]
    if len(parts) not in (1, 3):
        raise ParameterError(
            f"{name} must have sizes for all streets, or for flop, turn and river as '33,a/50,a/100,a'; got {text!r}.",
            key=name, value=text,
        )  # fmt: skip
    return tuple(read_sizes(part, name, raises) for part in (parts * 3)[:3])


def size_amount(size: Size, rules: TableRules, wagers: Wagers, choices: Choices) -> int:
    """Return the amount on the street of a size; raises must be legal."""
    highest, own = max(wagers.bets), wagers.bets[wagers.mover]
    wanted = size.amount(highest, rules.pot(wagers) + highest - own, own + wagers.stacks[wagers.mover] - highest)
    return min(max(wanted, choices.low), choices.high)
