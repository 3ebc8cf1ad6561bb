"""Facts of a hand as formats of rooms write them: forced bets, payments, seats."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from tefuda.errors import ParameterError
from tefuda.holdem.hands.rules import NO_PLAYER, TableRules
from tefuda.holdem.histories.draft import ANTE, BIG, DEAD, EXTRA, SMALL, STRADDLE
from tefuda.holdem.histories.record import Award, HandHistory, Payments, Seat


def forced_bets(hand: HandHistory) -> Iterator[tuple[str, int, int]]:
    """Yield the kind (such as `draft.ANTE`), the player and the chips of each forced bet, as paid."""
    rules, left = hand.rules, list(hand.rules.stacks)
    dead = hand.dead or (0,) * rules.players
    antes = [ante - part for ante, part in zip(rules.antes, dead, strict=True)]
    later, order = list[tuple[str, int, int]](), sorted(range(rules.players), key=lambda player: _kind(rules, player))
    for amounts, kind in ((antes, ANTE), (dead, DEAD), (rules.blinds, ""), (rules.posts, EXTRA)):
        for player in order:
            if paid := min(amounts[player], left[player]):
                left[player] -= paid
                post = (kind or _kind(rules, player)[1], player, paid)
                if kind == DEAD:
                    later.append(post)
                else:
                    yield post
    yield from later


def _kind(rules: TableRules, player: int) -> tuple[int, str]:
    """Return the place in the order of posting and the kind of a player's blind."""
    has_small = rules.blinds[1] or rules.blinds[0] < rules.smallest_bet(0)
    small, big = (1, 0) if rules.players == 2 else (0, 1) if has_small else (NO_PLAYER, 0)
    place = (small, big).index(player) if player in (small, big) else player + 2
    return place, (SMALL, BIG, STRADDLE)[min(place, 2)]


def payments_of(hand: HandHistory) -> Payments:
    """Return the payments of a hand; by its results, if the file states none.

    Raises:
        ParameterError: the hand is unfinished, or decided by unknown cards.
    """
    if hand.payments is not None:
        return hand.payments
    results, called = hand.won, hand.rules.called(hand.hand.wagers)
    if results is None or hand.unknown_stacks:
        raise ParameterError("unfinished, or decided by unknown cards or stacks")
    chips: list[Any] = [won + paid for won, paid in zip(results, called, strict=True)]
    if min(chips) < 0:
        raise ParameterError("a recorded result is less than the chips put in")
    return Payments(tuple(Award(player, won) for player, won in enumerate(chips) if won), sum(called) - sum(chips))


def dealt_seats(hand: HandHistory) -> list[Seat]:
    """Return the seats of the players, with names and with numbers 1, 2, ... if they are unknown."""
    seats = hand.seats or (Seat(),) * hand.rules.players
    is_known = all(seat.number for seat in seats)
    return [
        seat._replace(name=name, number=seat.number if is_known else place, stack=max(seat.stack, stack))
        for place, (seat, name, stack) in enumerate(zip(seats, hand.names, hand.rules.stacks, strict=True), 1)
    ]


def table_size(hand: HandHistory) -> int:
    """Return the number of seats of the table; a usual one with enough seats if it is unknown."""
    most = max(seat.number for seat in dealt_seats(hand))
    return hand.size or next(size for size in (2, 6, 9, 10, most) if size >= most)


def amount_text(amount: Decimal) -> str:
    """Return an amount without decimals, with two, or with four.

    >>> from decimal import Decimal
    >>> [amount_text(Decimal(text)) for text in ("5.00", "0.5", "0.0005")]
    ['5', '0.50', '0.0005']
    """
    decimals = next((number for number in (0, 2, 4) if amount == round(amount, number)), None)
    if decimals is None:
        raise ParameterError(f"the amount {amount} has more than 4 decimals")
    return f"{amount:.{decimals}f}"
