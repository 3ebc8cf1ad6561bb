"""Heads-up betting after the flop: sizes from text, and the actions of a position.

Sizes are separated by commas:

    50%  50    a part of the pot                     10c    chips: a bet of 10, a raise by 10 (limit hold'em)
    2.5x       a raise to 2.5 times the bet faced    e  3e  geometric: 1 or 3 equal parts of the pot reach all-in
    a          all-in

The pot is the starting pot and all chips matched since, after a call (`kernels.sizes`). With b the highest amount on
the street and o that of the player to act, amounts below the least raise, b + (b - o), at least 1, are raised to it,
those above the stack are all-in; equal ones are one. Facing an all-in a player folds or calls. Player 0, out of
position, acts first on every street.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from tefuda.errors import ParameterError, check_range, unreadable
from tefuda.holdem.kernels import sizes as kernels
from tefuda.words import PARTS

STREETS = ("flop", "turn", "river")
FLOP, TURN, RIVER = range(3)
#: States of a position: a player's turn, or how the street's betting ended.
TURN_TO_ACT, FOLDED, CLOSED = "act", "folded", "closed"
_SIZE = re.compile(rf"(?P<number>\d+\.?\d*|\.\d+)?(?P<kind>[{''.join(kernels.KINDS)}])?", re.IGNORECASE)


class Size(NamedTuple):
    """A bet or raise: a number and its kind, a letter of `kernels.sizes.KINDS`."""

    number: float
    kind: str

    def __str__(self) -> str:
        written = kernels.KINDS[self.kind].number
        if written == "none" or (written == "optional" and self.number == 1):
            return self.kind
        return f"{self.number:g}{self.kind}"

    def amount(self, highest: int, pot: int, behind: int) -> int:
        """Return the amount on the street that this comes to; see `kernels.sizes.amount`."""
        return kernels.amount(ord(self.kind), self.number, highest, pot, behind)


Sizes = tuple[Size, ...]


def read_sizes(text: str, what: str = "sizes", raises: bool = True) -> Sizes:
    """Read sizes from text such as ``"50%,100,a"``, of bets or raises; `what` names the text in errors.

    Raises:
        ParameterError: a size that cannot be read; its place is marked.
    """
    if not isinstance(text, str):
        raise ParameterError(f"{what} is {text!r}; write it as text, '50%,100%,a'.", key=what, value=text)
    return tuple(_read_size(text, part, what, raises) for part in PARTS.finditer(text))


def _read_size(text: str, part: re.Match[str], what: str, raises: bool) -> Size:
    match = _SIZE.fullmatch(part[0])
    letter = (match["kind"] or "%").lower() if match else "%"
    kind, written = kernels.KINDS[letter], match["number"] if match else None
    number = float(written or 1)
    why = ""
    if match is None or kind.number == ("none" if written else "needed"):
        why = "is no size; write 50%, 2.5x, 10c, 2e or a"
    elif kind.faces_bet and not raises:
        why = "multiplies a bet, and here none is faced; write a part of the pot, 50%"
    elif not kind.above < number <= 1e6:
        why = "is too small or too large"
    elif kind.whole and number % 1:
        why = "must be a whole number"
    if why:
        raise unreadable(what, text, part.span(), why)
    return Size(number, letter)


def sizes_text(sizes: Sizes) -> str:
    """Return sizes as text that `read_sizes` takes."""
    return ",".join(map(str, sizes))


@dataclass(frozen=True)
class Street:
    """The sizes of a street.

    bets: of the first bet. raises: of raises. donks: of a first bet by player 0 after player 1 made the last bet of the
    street before; None: as bets.
    """

    bets: Sizes = ()
    raises: Sizes = ()
    donks: Sizes | None = None


class Position(NamedTuple):
    """A position of the betting.

    street: 0 flop, 1 turn, 2 river. matched: chips of each player before this street, since the start. amounts: of both
    on this street. player: to act, or the one who folded. bets: number of bets and raises on this street. aggressor:
    the player of the last bet on the street before, -1 without one. state: `TURN_TO_ACT`, `FOLDED` or `CLOSED`.
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
        """Matched chips of each player since the start."""
        return self.matched + min(self.amounts)


class Action(NamedTuple):
    """``Check``, ``Fold``, ``Call``, ``Bet``, ``Raise`` or ``AllIn``, and the amount on the street after it."""

    name: str
    amount: int

    def __str__(self) -> str:
        return f"{self.name}({self.amount})" if self.name in ("Bet", "Raise", "AllIn") else self.name


_WORDS = {name.lower(): name for name in ("Check", "Fold", "Call", "Bet", "Raise", "AllIn")}
_WRITTEN = re.compile(r"(check|fold|call|bet|raise|all[ -]?in)\s*(?:to\s)?\s*\(?\s*(\d{0,12})\s*\)?", re.IGNORECASE)


def action_text(text: str) -> str:
    """Return an action as `str(Action)` spells it, and other text unchanged.

    >>> [action_text(text) for text in ("check", "bet 50", "Raise to 150", "all-in", "Ts")]
    ['Check', 'Bet(50)', 'Raise(150)', 'AllIn', 'Ts']
    """
    match = _WRITTEN.fullmatch(text.strip())
    if match is None:
        return text
    name, amount = _WORDS[re.sub("[ -]", "", match[1].lower())], match[2]
    return f"{name}({int(amount)})" if amount else name


def find_action(text: str, known: Iterable[str]) -> str | None:
    """Return the one of the known actions that a text such as ``bet 50`` or ``all-in`` means; None if there is none."""
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
        stack: chips that each player still has.
        streets: sizes on flop, turn, river.
        cap: maximum of bets and raises on a street; 0: as many as stacks allow.
        add_allin: add all-in where it is at most this many times the pot.
        force_allin: turn a bet into all-in if a call leaves at most this many times the pot behind.
        merging: of sizes x > y in parts of the pot, y goes where (1 + x) / (1 + y) < 1 + merging, from the top down.
        start: position in which the spot starts; the beginning of its street unless given.

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
        """Return the position in which the spot starts, on this street; closed if nothing is left to bet."""
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
        """Return the actions of the player to act: fold, check, call, then rising amounts, all-in last."""
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
        """Return the amounts to bet or raise to, rising."""
        pot, behind = self.pot + 2 * (position.matched + highest), left - highest
        street, least = self.streets[position.street], max(highest + faced, 1)
        donking = position.player == 0 and position.aggressor == 1 and street.donks is not None
        sizes = street.raises if highest else street.donks if donking else street.bets
        wanted = {size.amount(highest, pot, behind) for size in sizes or ()}
        if behind <= self.add_allin * pot:
            wanted.add(left)
        amounts = {min(max(amount, least), left) for amount in wanted}
        if self.force_allin:
            amounts = {
                left if left - amount <= self.force_allin * (pot + 2 * (amount - highest)) else amount
                for amount in amounts
            }
        return self._merged(sorted(amounts), pot, highest)

    def _merged(self, amounts: list[int], pot: int, highest: int) -> list[int]:
        kept: list[int] = []
        for amount in reversed(amounts):
            if kept and (pot + kept[-1] - highest) / (pot + amount - highest) < 1 + self.merging:
                continue
            kept.append(amount)
        return kept[::-1]

    def after(self, position: Position, action: Action) -> Position:
        """Return the position after an action; `CLOSED` once both have acted and amounts are equal."""
        player = position.player
        if action.name == "Fold":
            return position._replace(state=FOLDED)
        amounts = (action.amount, position.amounts[1]) if player == 0 else (position.amounts[0], action.amount)
        after = position._replace(amounts=amounts, player=1 - player)
        if action.name == "Call" or (action.name == "Check" and player == 1):
            return after._replace(state=CLOSED)
        return after if action.name == "Check" else after._replace(bets=position.bets + 1)

    def next_street(self, position: Position) -> Position:
        """Return the position in which the next street starts after a closed one."""
        aggressor = position.player if position.bets else -1  # the last bet is the one called
        return self._opened(Position(position.street + 1, position.called, aggressor=aggressor))
