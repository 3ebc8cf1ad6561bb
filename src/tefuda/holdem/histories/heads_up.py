"""Betting between the last two players of a recorded hand, from a street on, as a spot with its line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd
from typing import Any, NamedTuple

from tefuda.errors import ParameterError
from tefuda.holdem.cards import card_text, cards_text
from tefuda.holdem.hands.hand import NEXT
from tefuda.holdem.hands.rules import BOARD, STREETS, Wagers

_ANY_CARD = "*"  # in a line of sizes at a node
_FINE = 1000  # chips: pots of spots are at least this large, so that sizes in percent hardly round


class Step(NamedTuple):
    """Action or card of the betting; its text is a part of a line.

    Attributes:
        street: 1 flop, 2 turn, 3 river.
        player: 0 out of position, 1 in position; -1 for a card.
        name: ``Check``, ``Fold``, ``Call``, ``Bet``, ``Raise``, ``AllIn``, or the card.
        amount: amount on the street after a bet or raise, else 0.
        faced: largest amount on the street before it.
    """

    street: int
    player: int
    name: str
    amount: int = 0
    faced: int = 0

    def __str__(self) -> str:
        return f"{self.name}({self.amount})" if self.amount else self.name


@dataclass(frozen=True)
class HeadsUp:
    """Betting of two players from the start of a street on, in chips of the file's unit.

    Attributes:
        players: numbers of the players, out of position first.
        street: 1 flop, 2 turn, 3 river.
        board: cards of the board at the start.
        pot: chips in the pot at the start, with those of players who folded.
        stack: chips of the player with fewer.
        steps: actions and cards after the start.
    """

    players: tuple[int, int]
    street: int
    board: tuple[int, ...]
    pot: int
    stack: int
    steps: tuple[Step, ...]

    @property
    def divisor(self) -> int:
        """Common divisor of all chips."""
        return gcd(self.pot, self.stack, *(step.amount for step in self.steps))

    @property
    def scale(self) -> Fraction:
        """Factor of chips for a spot: their common divisor becomes 1, or more if the pot would be small."""
        return Fraction(-(-_FINE * self.divisor // self.pot), self.divisor)

    def scaled(self, factor: Fraction) -> HeadsUp:
        """Return the betting with all chips times a factor that makes them whole numbers."""
        steps = [step._replace(amount=int(step.amount * factor), faced=int(step.faced * factor)) for step in self.steps]
        return replace(self, pot=int(self.pot * factor), stack=int(self.stack * factor), steps=tuple(steps))

    def line(self, number: int) -> str:
        """Return the line before a step."""
        return "/".join(map(str, self.steps[:number]))

    def spot_texts(self, menu: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of `make_spot` besides the ranges: the amounts played are sizes at their nodes."""
        at = {}
        for number, step in enumerate(self.steps):
            if step.amount:
                parts = [_ANY_CARD if other.player < 0 else str(other) for other in self.steps[:number]]
                at["/".join(parts) or "root"] = f"{step.amount - step.faced}c"
        return {"board": cards_text(self.board), "pot": self.pot, "stack": self.stack, **menu, "at": at}


def heads_up(hand: Any, street: int) -> HeadsUp | None:
    """Return the betting from the start of a street on; None unless two players with chips are left there.

    Args:
        hand: record of the hand (`HandHistory`).
        street: 1 flop, 2 turn, 3 river.
    """
    before = next((before for before, token in hand.replay() if token == NEXT and before.street == street - 1), None)
    start = before and hand.rules.next_street(before)
    if start is None or len(start.live) != 2 or not all(start.stacks[player] for player in start.live):
        return None
    first, second = start.live
    added = hand.payments.added if hand.payments else 0
    stack = min(start.stacks[player] for player in start.live)
    board, pot = hand.hand.board[: BOARD[street]], hand.rules.pot(start) + added
    return HeadsUp((first, second), street, board, pot, stack, tuple(_steps(hand, start, stack)))


def _steps(hand: Any, start: Wagers, stack: int) -> Iterator[Step]:
    matched = 0  # chips of each player on earlier streets of the spot
    for verb, mover, _, total, before in hand.steps():
        if before.street < start.street:
            continue
        if not verb:
            matched += min(max(before.bets), stack - matched)
            card = hand.hand.board[BOARD[before.street]]
            yield Step(before.street + 1, -1, card_text(card))
            continue
        left, player = stack - matched, start.live.index(mover)
        own, other = (min(before.bets[each], left) for each in (mover, start.live[1 - player]))
        if verb == "folds" and own == other:  # a fold without a bet is no action of a spot
            return
        amount = min(total, left)
        name = "AllIn" if total and amount == left else verb[:-1].title()
        yield Step(before.street, player, name, amount, other)


def require_heads_up(hand: Any, street: str) -> HeadsUp:
    """Return the betting from a street on; raise ParameterError unless it is heads-up there."""
    number = STREETS.index(street) if street in STREETS[1:] else 0
    if not number or (betting := heads_up(hand, number)) is None:
        why = "street must be flop, turn or river, with two players who have chips at its start"
        raise ParameterError(f"{why}; got {street!r}.", key="street", value=street)
    return betting
