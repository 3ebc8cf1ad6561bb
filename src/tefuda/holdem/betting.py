"""Heads-up betting after the flop: sizes from text, and what may be done in a position.

Sizes are separated by commas:

    50%  50    so much of the pot                    10c    so many chips: a bet of 10, a raise by 10 (limit hold'em)
    2.5x       a raise to 2.5 times the bet faced    e  3e  the pot grows alike with each of 1 or 3 bets to all-in
    a          all-in

The pot is the starting pot and all chips matched since, counting a call by who is to act. With b the highest amount on
the street, o that of the player to act and P the pot, ``x%`` is a bet of P * x / 100, a raise to b + P * x / 100,
rounded half up. Amounts below the least raise, b + (b - o), at least 1, are lifted to it, those above what is left are
all-in; equal ones are one. Facing an all-in one folds or calls. Player 0, out of position, acts first on every street.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from tefuda._kernels.jit import plain
from tefuda.errors import ParameterError, check_range
from tefuda.holdem.kernels.sizes import KINDS, size_amount

STREETS = ("flop", "turn", "river")
FLOP, TURN, RIVER = range(3)
#: What a position is: somebody's turn, or how the street's betting ended.
TURN_TO_ACT, FOLDED, CLOSED = "act", "folded", "closed"
_SIZE = re.compile(rf"(?P<number>\d+\.?\d*|\.\d+)?(?P<kind>[{KINDS}])?", re.IGNORECASE)
_size_amount = plain(size_amount)


class Size(NamedTuple):
    """A bet or raise: a number and what it counts, ``%``, ``x``, ``c``, ``e`` or ``a``."""

    number: float
    kind: str

    def __str__(self) -> str:
        if self.kind == "a":
            return "a"
        return "e" if self == (1, "e") else f"{self.number:g}{self.kind}"

    def amount(self, highest: int, pot: int, behind: int) -> int:
        """Return the amount on the street that it bets or raises to, whatever the rules allow.

        Args:
            highest: highest amount on the street.
            pot: pot after a call.
            behind: chips that the player has left after a call.
        """
        return int(_size_amount(KINDS.index(self.kind), self.number, highest, pot, behind))


Sizes = tuple[Size, ...]


def read_sizes(text: str, what: str = "sizes", raises: bool = True) -> Sizes:
    """Sizes from text such as ``"50%,100,a"``.

    Args:
        text: see the module's first lines.
        what: how the text is called in a message.
        raises: whether they are of raises; bets have nothing to multiply.

    Raises:
        ParameterError: a size that cannot be read; its place is marked.
    """
    if not isinstance(text, str):
        raise ParameterError(f"{what} is {text!r}; write it as text, '50%,100%,a'.", key=what, value=text)
    found, place = [], 0
    for part in text.split(","):
        body, start = part.strip(), place + len(part) - len(part.lstrip())
        if body:
            found.append(_read_size(text, body, start, what, raises))
        place += len(part) + 1
    return tuple(found)


def _read_size(text: str, body: str, start: int, what: str, raises: bool) -> Size:
    match = _SIZE.fullmatch(body)
    kind = (match["kind"] or "%").lower() if match else ""
    number = float(match["number"] or ("1" if kind in "ea" else "nan")) if match else math.nan
    why = ""
    if match is None or math.isnan(number) or (kind == "a" and match["number"]):
        why = "is no size; write 50%, 2.5x, 10c, 2e or a"
    elif kind == "x" and not raises:
        why = "multiplies a bet, and here none is faced; write a part of the pot, 50%"
    elif not (1 if kind == "x" else 0) < number <= 1e6:
        why = "is too small or too large"
    elif kind in "ce" and number % 1:
        why = "must be a whole number"
    if why:
        place = (start, start + len(body))
        raise ParameterError(f"{what}: {body!r} {why}.", key=what, value=body, text=text, position=place)
    return Size(number, kind)


def sizes_text(sizes: Sizes) -> str:
    """Sizes as text that `read_sizes` takes."""
    return ",".join(map(str, sizes))


@dataclass(frozen=True)
class Street:
    """The sizes of a street.

    bets: of who bets first. raises: of who faces a bet. donks: of player 0 betting first after player 1 bet last on the
    street before; None: as bets.
    """

    bets: Sizes = ()
    raises: Sizes = ()
    donks: Sizes | None = None


class Position(NamedTuple):
    """Where the betting stands.

    street: 0 flop, 1 turn, 2 river. matched: chips each put in before this street, since the start. amounts: of both on
    this street. player: to act, or who folded. bets: bets and raises on this street. aggressor: who bet last on the
    street before, -1 for nobody. state: `TURN_TO_ACT`, `FOLDED` or `CLOSED`.
    """

    street: int
    matched: int = 0
    amounts: tuple[int, int] = (0, 0)
    player: int = 0
    bets: int = 0
    aggressor: int = -1
    state: str = TURN_TO_ACT

    @property
    def called(self) -> int:
        """Chips each has put in since the start, what is not matched left out."""
        return self.matched + min(self.amounts)


class Action(NamedTuple):
    """``Check``, ``Fold``, ``Call``, ``Bet``, ``Raise`` or ``AllIn``, and one's amount on the street after it."""

    name: str
    amount: int

    def __str__(self) -> str:
        return f"{self.name}({self.amount})" if self.name in ("Bet", "Raise", "AllIn") else self.name


_WORDS = {name.lower(): name for name in ("Check", "Fold", "Call", "Bet", "Raise", "AllIn")}
_WRITTEN = re.compile(r"(check|fold|call|bet|raise|all[ -]?in)\s*(?:to\s)?\s*\(?\s*(\d{0,12})\s*\)?", re.IGNORECASE)


def action_text(text: str) -> str:
    """Return an action as `str(Action)` spells it; other text as it is.

    >>> [action_text(text) for text in ("check", "bet 50", "Raise to 150", "all-in", "Ts")]
    ['Check', 'Bet(50)', 'Raise(150)', 'AllIn', 'Ts']
    """
    match = _WRITTEN.fullmatch(text.strip())
    if match is None:
        return text
    name, amount = _WORDS[re.sub("[ -]", "", match[1].lower())], match[2]
    return f"{name}({int(amount)})" if amount else name


def find_action(text: str, known: Iterable[str]) -> str | None:
    """Return which of the actions known a text means: ``bet 50``, ``all-in`` without its amount, or nothing.

    Args:
        text: as a person writes it.
        known: as `str(Action)` spells them.
    """
    names, written = list(known), action_text(text)
    if written in names:
        return written
    name, _, amount = written.partition("(")
    if (name == "AllIn" and not amount) or (name in ("Bet", "Raise") and amount):
        return next((one for one in names if one.startswith(f"AllIn({amount}")), None)
    return None


@dataclass(frozen=True)
class Betting:
    """The betting of a spot: pot and stack at its start, and the sizes of each street.

    Args:
        pot: chips at the start.
        stack: what each player still has.
        streets: of flop, turn, river.
        cap: bets and raises of a street at most; 0: as many as stacks allow.
        add_allin: all-in is added where it is at most so many times the pot.
        force_allin: a bet becomes all-in if a call leaves at most so many times the pot behind.
        merging: of sizes x > y in parts of the pot, y goes where (1 + x) / (1 + y) < 1 + merging, from the top down.
        start: where the betting stands when the spot starts; at the beginning of its street unless given.

    Raises:
        ParameterError: a value out of range.
    """

    pot: int
    stack: int
    streets: tuple[Street, Street, Street]
    cap: int = 0
    add_allin: float = 0.0
    force_allin: float = 0.0
    merging: float = 0.0
    start: Position | None = None

    def __post_init__(self) -> None:
        check_range("pot", self.pot, 1, 10**9)
        check_range("stack", self.stack, 0, 10**9)
        check_range("cap", self.cap, 0, 100)
        for name in ("add_allin", "force_allin", "merging"):
            check_range(name, getattr(self, name), 0, 1e6, whole=False)

    def root(self, street: int) -> Position:
        """The position in which the spot starts, on this street; over at once if nothing is left to bet."""
        return self._opened(self.start or Position(street))

    def _opened(self, position: Position) -> Position:
        return position._replace(state=CLOSED) if position.matched >= self.stack else position

    def chips(self, position: Position) -> tuple[int, int]:
        """Return the pot with all chips put in, and the chips that the player with fewer has behind."""
        pot = self.pot + 2 * position.matched + sum(position.amounts)
        return pot, self.stack - position.matched - max(position.amounts)

    def choices(self, position: Position) -> dict[str, Action]:
        """Return the actions of the player to act by name; none where the betting is over."""
        over = position.state in (FOLDED, CLOSED)
        return {} if over else {str(action): action for action in self.actions(position)}

    def actions(self, position: Position) -> tuple[Action, ...]:
        """What the player to act may do: fold, check, call, then amounts rising, all-in last."""
        own, other = position.amounts[position.player], position.amounts[1 - position.player]
        left = self.stack - position.matched
        if own == other:
            passive: tuple[Action, ...] = (Action("Check", own),)
        else:
            passive = (Action("Fold", own), Action("Call", other))
        if other >= left or (self.cap and position.bets >= self.cap):
            return passive
        name = "Bet" if other == 0 else "Raise"
        amounts = self._amounts(position, other, other - own, left)
        return passive + tuple(Action("AllIn" if amount == left else name, amount) for amount in amounts)

    def _amounts(self, position: Position, highest: int, faced: int, left: int) -> list[int]:
        """The amounts to bet or raise to, rising."""
        pot = self.pot + 2 * (position.matched + highest)
        least = max(highest + faced, 1)
        wanted = {size.amount(highest, pot, left - highest) for size in self._sizes(position)}
        if left - highest <= self.add_allin * pot:
            wanted.add(left)
        amounts = {min(max(amount, least), left) for amount in wanted}
        forced = {left if self._forces(amount, pot, highest, left) else amount for amount in amounts}
        return self._merged(sorted(forced), pot, highest)

    def _sizes(self, position: Position) -> Sizes:
        """The sizes that the player to act may use."""
        street = self.streets[position.street]
        if max(position.amounts):
            return street.raises
        donking = position.player == 0 and position.aggressor == 1 and street.donks is not None
        return street.donks or () if donking else street.bets

    def _forces(self, amount: int, pot: int, highest: int, left: int) -> bool:
        return bool(self.force_allin) and left - amount <= self.force_allin * (pot + 2 * (amount - highest))

    def _merged(self, amounts: list[int], pot: int, highest: int) -> list[int]:
        kept: list[int] = []
        for amount in reversed(amounts):
            if kept and (pot + kept[-1] - highest) / (pot + amount - highest) < 1 + self.merging:
                continue
            kept.append(amount)
        return kept[::-1]

    def after(self, position: Position, action: Action) -> Position:
        """The position after an action; `CLOSED` once both have acted and amounts are equal."""
        player = position.player
        if action.name == "Fold":
            return position._replace(state=FOLDED)
        amounts = (action.amount, position.amounts[1]) if player == 0 else (position.amounts[0], action.amount)
        after = position._replace(amounts=amounts, player=1 - player)
        if action.name == "Call" or (action.name == "Check" and player == 1):
            return after._replace(state=CLOSED)
        return after if action.name == "Check" else after._replace(bets=position.bets + 1)

    def next_street(self, position: Position) -> Position:
        """The position in which the next street starts after one that is closed."""
        aggressor = position.player if position.bets else -1  # who bet last is who was called
        return self._opened(Position(position.street + 1, position.called, aggressor=aggressor))


def limit_betting(pot: int, stack: int, small: int = 10, big: int = 20, cap: int = 4) -> Betting:
    """Limit hold'em: one size a street, small on the flop and big later; unless told, of blinds 5 and 10, four bets.

    Args:
        pot: chips at the start.
        stack: what each player still has.
        small: the bet on the flop.
        big: the bet on turn and river.
        cap: bets and raises of a street.
    """
    check_range("small", small, 1)
    check_range("big", big, 1)
    sizes = tuple(Street((Size(chips, "c"),), (Size(chips, "c"),)) for chips in (small, big, big))
    return Betting(pot, stack, sizes, cap)  # type: ignore[arg-type]
