"""Record of a hand as it was played: table, players, cards, actions and payments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import ParameterError, shortened
from tefuda.holdem.cards import card_text, mask_of
from tefuda.holdem.hands.hand import CALL, FOLD, HIDDEN, NEXT, Hand, raised_to, replay
from tefuda.holdem.hands.rules import BOARD, NO_PLAYER, TableRules, Wagers
from tefuda.holdem.hands.sizing import Menu
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.histories.amounts import FINISHING, WINNINGS, amounts_of
from tefuda.holdem.histories.heads_up import require_heads_up
from tefuda.holdem.rank import strengths
from tefuda.holdem.spots.spot import Spot, make_spot
from tefuda.lazy import load_reference

#: Pot of an award that the room keeps, as its winner cashed out.
CASHED_OUT = "cashed out"
_PHH_ACTIONS = {"folds": "f", "checks": "cc", "calls": "cc"}


class Seat(NamedTuple):
    """Seat at the table.

    Attributes:
        name: name of the player; empty if unknown.
        number: number of the seat; 0 if unknown.
        stack: chips before the hand; more than in the rules if a cap limits the bets.
        bounty: bounty on the player, in hundredths of the tournament's currency.
        is_out: True if the player is sitting out.
    """

    name: str = ""
    number: int = 0
    stack: int = 0
    bounty: int = 0
    is_out: bool = False


class Tournament(NamedTuple):
    """Tournament of a hand.

    Attributes:
        number: number that the room gives.
        buy_in: parts of the buy-in in hundredths of the currency, such as prize, bounty, fee; empty if unknown.
        currency: currency of the buy-in.
        level: level of the blinds; 0 if unknown.
    """

    number: str
    buy_in: tuple[int, ...] = ()
    currency: str = ""
    level: int = 0


class Award(NamedTuple):
    """Chips that a player collects from a pot, after fees; the pot has the file's name."""

    player: int
    amount: int
    pot: str = "pot"


class Payments(NamedTuple):
    """Chips that leave and enter the pots.

    Attributes:
        awards: chips collected; also those that a cashed out player would have collected.
        rake: fee of the room.
        jackpot: other fees, such as those for jackpots.
        added: chips that the room adds to the pot.
        outside: chips that the room pays each player outside the pots for a cash-out; negative if the player pays.
        is_derived: True if the file does not state the rake.
    """

    awards: tuple[Award, ...] = ()
    rake: int = 0
    jackpot: int = 0
    added: int = 0
    outside: tuple[int, ...] = ()
    is_derived: bool = False

    @property
    def house(self) -> int:
        """Chips that the room gains outside the pots."""
        return -sum(self.outside)

    def collected(self, players: int) -> list[int]:
        """Return the chips that each player collects from the pots."""
        chips = [0] * players
        for award in self.awards:
            chips[award.player] += award.amount
        return chips


class Step(NamedTuple):
    """Action of a player, or the next street.

    Attributes:
        verb: ``folds``, ``checks``, ``calls``, ``bets``, ``raises``; empty for the next street.
        player: the player to move.
        chips: chips that the player adds.
        total: chips of the player on this street, after a bet or raise.
        before: betting before the step.
    """

    verb: str
    player: int
    chips: int
    total: int
    before: Wagers


@dataclass(frozen=True)
class HandHistory:
    """Record of one hand, finished or not. Amounts are whole numbers of a unit.

    Args:
        rules: rules of the table, in chips.
        hand: last state; unknown cards are `HIDDEN`.
        unit: value of a chip in the currency.
        shown: player and cards of each showdown, in order: no cards if the player mucked, `HIDDEN` for cards not shown.
        fields: all other fields of a PHH file, such as venue.
        unknown_stacks: players whose stacks are not known; in `rules` they are `MAX_CHIPS`.
        seats: seats of the players, in the order of the rules; empty if unknown.
        absent: seats of players who were not dealt in.
        room: name of the room; empty if unknown.
        number: number of the hand in the room; empty if unknown.
        start: start of the hand, in UTC; without a zone if the file names none; None if unknown.
        table: name of the table.
        size: number of seats of the table; 0 if unknown.
        button: seat number of the button; 0 if unknown.
        currency: such as ``"USD"``; ``"chips"`` in tournaments, ``"play"`` for play money; empty if unknown.
        hero: player who recorded the hand.
        boards: all boards if the hand was run more than once, else empty.
        dead: dead part of the blind that each player posted; the antes of the rules contain it.
        payments: chips collected and fees; None if the file does not state them.
        tournament: tournament of the hand.
        flags: ``"fast"``, ``"copy"``, ``"house rule"``, ``"high rake"``, ``"raises as totals"``.
        source: name of the file.
        line: line of the file on which the hand begins.
        digest: hash of the hand's text.

    >>> from tefuda.holdem import record_of
    >>> game = td.load_game("holdem")
    >>> state = game.root()
    >>> for label in "As Ks 7h 2c f".split():
    ...     state = game.child(state, label)
    >>> record_of(game, state).actions
    ('d dh p1 AsKs', 'd dh p2 7h2c', 'p2 f')
    """

    rules: TableRules
    hand: Hand
    unit: Decimal = Decimal(1)
    shown: tuple[tuple[int, tuple[int, ...]], ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    unknown_stacks: frozenset[int] = frozenset()
    seats: tuple[Seat, ...] = ()
    absent: tuple[Seat, ...] = ()
    room: str = ""
    number: str = ""
    start: datetime | None = None
    table: str = ""
    size: int = 0
    button: int = 0
    currency: str = ""
    hero: int | None = None
    boards: tuple[tuple[int, ...], ...] = ()
    dead: tuple[int, ...] = ()
    payments: Payments | None = None
    tournament: Tournament | None = None
    flags: frozenset[str] = frozenset()
    source: str = ""
    line: int = 0
    digest: str = ""

    @property
    def identity(self) -> tuple[str, str]:
        """Room and number; file and line of a hand without them."""
        return (self.room, self.number) if self.room and self.number else (self.source, str(self.line))

    @property
    def game(self) -> Holdem:
        """Game with these rules in which every legal amount is listed."""
        return Holdem(self.rules, Menu() if self.rules.limit else Menu(any_amount=True))

    @property
    def names(self) -> list[str]:
        """Names of the players; ``p1``, ``p2``, ... for unknown names."""
        seats = self.seats or (Seat(),) * self.rules.players
        return [seat.name or f"p{player}" for player, seat in enumerate(seats, 1)]

    @property
    def known_holes(self) -> dict[int, tuple[int, ...]]:
        """Hole cards of the players of whom both are known."""
        holes = {player: self.hand.hole(player) for player in range(self.rules.players)}
        return {player: hole for player, hole in holes.items() if len(hole) == 2 and HIDDEN not in hole}

    def replay(self) -> Iterator[tuple[Wagers, str]]:
        """Yield the tokens of the betting line, each with the betting before it."""
        return replay(self.rules, self.hand.line)

    def steps(self) -> Iterator[Step]:
        """Yield the actions and streets of the betting, with their chips."""
        for before, token in self.replay():
            player = before.mover
            if token == NEXT:
                yield Step("", NO_PLAYER, 0, 0, before)
            elif token == FOLD:
                yield Step("folds", player, 0, 0, before)
            elif token == CALL:
                call = self.rules.choices(before).call
                yield Step("calls" if call else "checks", player, call, 0, before)
            else:
                total = raised_to(self.rules, before, token)
                verb = "raises" if max(before.bets) else "bets"
                yield Step(verb, player, total - before.bets[player], total, before)

    @cached_property
    def payoffs(self) -> tuple[int, ...] | None:
        """Payoffs in chips by the rules; None if the hand is not over or depends on unknown cards."""
        wagers, shown = self.hand.wagers, dict(self.shown)
        mucked = [player for player in shown if not shown[player]]
        cards = {player: shown.get(player, self.hand.hole(player)) for player in wagers.live if player not in mucked}
        if not wagers.is_over and len(cards) > 1:
            return None
        rivals = [[player for player in contenders if player in cards] for _, contenders in self.rules.pots(wagers)]
        for players in rivals:
            hidden = [player for player in players if HIDDEN in cards[player]]
            if len(players) > 1 and (hidden == players or not shown.keys() >= {*hidden}):
                return None
        last = {player: place - len(mucked) for place, player in enumerate(mucked)}  # the last to muck keeps a pot
        if all(rivals):
            wagers = wagers._replace(folded=wagers.folded | sum(1 << player for player in mucked))
        best = [last | best_cards(cards, board) for board in self.boards or (self.hand.board,)]
        everybody = range(self.rules.players)
        return self.rules.payoffs(wagers, *([each.get(player, 0) for player in everybody] for each in best))

    @property
    def net(self) -> dict[str, int | Decimal]:
        """Result of each player in chips, by name, after fees and cash-outs; empty if unknown."""
        return dict(zip(self.names, self.won or (), strict=False))

    @property
    def rake(self) -> int | Decimal:
        """Chips that the room takes from the pots, without jackpot fees."""
        if self.payments is not None:
            return self.payments.rake
        return -sum(self.recorded or ())

    @cached_property
    def recorded(self) -> tuple[int | Decimal, ...] | None:
        """Results in chips by the payments or fields of the file; None if unknown, or the hand is not over.

        Raises:
            RunError: ``finishing_stacks`` or ``winnings`` is no list of amounts, one for each player.
        """
        rules, called = self.rules, self.rules.called(self.hand.wagers)
        if self.payments is not None:
            collected, outside = self.payments.collected(rules.players), self.payments.outside or (0,) * rules.players
            return tuple(won - paid + extra for won, paid, extra in zip(collected, called, outside, strict=True))
        if not (self.hand.wagers.is_over or self.payoffs):
            return None
        if FINISHING in self.fields:
            ends = amounts_of(self.fields, FINISHING, "record", rules.players)
            if not self.unknown_stacks and all(end.is_finite() for end in ends):
                return tuple(end / self.unit - stack for end, stack in zip(ends, rules.stacks, strict=True))
        if WINNINGS in self.fields:
            won = [amount / self.unit for amount in amounts_of(self.fields, WINNINGS, "record", rules.players)]
            if 0 < sum(won) <= sum(called):  # more would contain uncalled bets
                return tuple(amount - chips for amount, chips in zip(won, called, strict=True))
        return None

    @property
    def won(self) -> tuple[int | Decimal, ...] | None:
        """Results in chips, after fees and cash-outs: as recorded, else by the rules; None if unknown."""
        return self.recorded or self.payoffs

    @property
    def results(self) -> tuple[Decimal, ...] | None:
        """Results in the currency: `won`."""
        return None if self.won is None else tuple(chips * self.unit for chips in self.won)

    def spot(self, street: str, ranges: Sequence[str], **menu: Any) -> Spot:
        """Return the heads-up spot at the start of a street, in chips of the file's unit.

        The amounts played are sizes at their nodes.

        Args:
            street: ``"flop"``, ``"turn"`` or ``"river"``.
            ranges: ranges of the player out of position and of the player in position.
            menu: further arguments of `make_spot`, such as ``bets`` and ``raises``.

        Raises:
            ParameterError: more than two players are left, a player has no chips, or an argument is invalid.
        """
        return make_spot(**require_heads_up(self, street).spot_texts(menu), oop=ranges[0], ip=ranges[1])

    @property
    def actions(self) -> tuple[str, ...]:
        """Actions in PHH notation."""
        lines = [f"d dh p{player + 1} {known_cards(self.hand.hole(player))}" for player in range(self.rules.players)]
        for verb, player, _, total, before in self.steps():
            if not verb:
                lines.append(f"d db {known_cards(self.hand.board[BOARD[before.street] : BOARD[before.street + 1]])}")
            else:
                amount = total * self.unit
                lines.append(f"p{player + 1} {_PHH_ACTIONS.get(verb) or f'cbr {amount:f}'}")
        return (*lines, *(f"p{player + 1} sm {known_cards(cards)}".rstrip() for player, cards in self.shown))

    def export(self, kind: str = "phh", names: bool = False) -> str:
        """Return the hand as text, with aliases unless `names` is true.

        Args:
            kind: ``"phh"``, ``"ohh"`` (Open Hand History), or ``"txt"`` in the format of PokerStars.
            names: keep names, table and exact time.

        Raises:
            ParameterError: the hand cannot be written in this format.
        """
        text: str = load_reference("tefuda.holdem.histories.export:exported")(self, kind, names)
        return text


def best_cards(cards: Mapping[int, Sequence[int]], board: Sequence[int]) -> dict[int, int]:
    """Return the strength of each player's cards with a board; empty for a single player."""
    if len(cards) < 2:
        return {}
    sets = [mask_of({*hole, *board} - {HIDDEN}) for hole in cards.values()]
    return dict(zip(cards, strengths(np.array(sets, dtype=np.uint64)).tolist(), strict=True))


def known_cards(cards: Iterable[int]) -> str:
    """Return cards as text in PHH notation, ``??`` for hidden cards."""
    return "".join("??" if card == HIDDEN else card_text(card) for card in cards)


def record_of(game: Holdem, state: Hand, players: Sequence[str] = (), **fields: Any) -> HandHistory:
    """Return the record of a hand played in a game.

    Args:
        game: hold'em.
        state: last state of the hand.
        players: names of the players.
        fields: other fields of a PHH file, such as ``venue="home"``.

    Raises:
        ParameterError: the number of names is not that of the players.
    """
    if players and len(players) != game.players:
        raise ParameterError(f"players must be {game.players} names; got {shortened(players)}.")
    over, holes = state.wagers.is_over, [(player, state.hole(player)) for player in range(game.players)]
    shown = tuple(each for each, open_ in zip(holes, game.shown(state), strict=True) if open_ and HIDDEN not in each[1])
    seats = tuple(Seat(name, stack=stack) for name, stack in zip(players, game.rules.stacks, strict=bool(players)))
    return HandHistory(game.rules, state, shown=shown if over else (), fields=fields, seats=seats)
