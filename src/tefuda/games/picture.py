"""Pictures: a player's information as data, for pages that draw a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tefuda.games.protocol import CHANCE, Label


class PictureEvent(NamedTuple):
    """An action or a public outcome of chance.

    Attributes:
        verb: verb in its base form: ``"bet"``, ``"deal"``.
        player: the acting player; `CHANCE` for outcomes of chance.
        amount: amount of the action: chips to pay for a call; for a bet or raise the player's chips on this street.
        cards: cards of the event, public ones only.
    """

    verb: str
    player: int = CHANCE
    amount: float | None = None
    cards: tuple[str, ...] = ()


@dataclass(frozen=True)
class Picture:
    """A player's information as data, see `Kit.picture`.

    It depends on the view alone, so that it cannot reveal hidden information.

    Args:
        deck: kind of the cards: ``"ranks"``, ``"suits"``, ``"dice"``, ``"numbers"``, ``"hanafuda"``; empty without
            cards.
        hand: the player's own cards.
        table: public cards, in order.
        hidden: number of face-down cards of each player, by seat.
        piles: cards that each player has won, by seat.
        pot: chips in the pot with all bets; None without a pot.
        bets: chips that each player has bet on this street, by seat.
        stacks: chips that each player has left, by seat; empty if chips are unlimited.
        points: points of each player so far, by seat.
        folded: whether each player has folded, by seat.
        events: public events, in order.
        actions: the player's actions by label, if it is to move.
        text: information that the other fields do not have.
        more: further values of a game, JSON values only.

    >>> picture = td.games.kit_of(td.load_game("kuhn")).picture("K|pb", 0)
    >>> picture.hand, picture.pot, [event.verb for event in picture.events], picture.actions["b"].verb
    (('K',), 3, ['check', 'bet'], 'call')
    """

    deck: str = ""
    hand: tuple[str, ...] = ()
    table: tuple[str, ...] = ()
    hidden: tuple[int, ...] = ()
    piles: tuple[tuple[str, ...], ...] = ()
    pot: float | None = None
    bets: tuple[float, ...] = ()
    stacks: tuple[float, ...] = ()
    points: tuple[float, ...] = ()
    folded: tuple[bool, ...] = ()
    events: tuple[PictureEvent, ...] = ()
    actions: Mapping[Label, PictureEvent] = field(default_factory=dict)
    text: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)
