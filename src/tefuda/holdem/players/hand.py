"""A hand of heads-up no-limit from one seat: ranges, place in the blueprint, re-solved streets."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

from tefuda.holdem.betting import Street
from tefuda.holdem.cards import card_text
from tefuda.holdem.hands.hand import FOLD, NEXT, Hand, replay
from tefuda.holdem.hands.rules import BOARD, Wagers
from tefuda.holdem.hands.sizing import Menu
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.players.blueprint import Place, drawn, table_action
from tefuda.holdem.players.budget import StreetSizes
from tefuda.holdem.players.settings import SolverSettings
from tefuda.holdem.players.street import TOO_LARGE, StreetPlay, StreetRoot
from tefuda.holdem.players.weights import HandWeights
from tefuda.holdem.spots.compiled import CompiledSpot
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.spots.subgame import translate_solution

#: Fallback of a decision where the blueprint's hand is over, as its all-in was called: check or call.
OUTSIDE = "blueprint over"
_TURN = 2  # first street that is re-solved


class SolvedHand:
    """A hand from the seat of a player.

    Everything depends on the public line and on the numbers that draw mappings, never on the player's cards.

    Args:
        settings: blueprint and budget of the player.
        game: rules of the table.
        seat: seat of the player.
    """

    def __init__(self, settings: SolverSettings, game: Holdem, seat: int) -> None:
        self.settings, self.game, self.seat = settings, game, seat
        self.weights, self.place = HandWeights.all_hands(), settings.blueprint.start
        self.street: StreetPlay | None = None
        self._line, self._board = "", tuple[int, ...]()
        self._above: tuple[SpotStrategy, str] | None = None
        self._intended: dict[str, int] = {}  # blueprint actions of the player by line

    def precedes(self, state: Hand) -> bool:
        """Return whether a state continues this hand."""
        return state.line.startswith(self._line) and state.board[: len(self._board)] == self._board

    def fork(self) -> SolvedHand:
        """Return the hand with a line of its own from here on; solutions so far are shared."""
        twin = copy(self)
        twin._intended, twin.street = {**self._intended}, self.street and self.street.fork()
        return twin

    def follow(self, state: Hand, uniform: float) -> None:
        """Follow the hand to a state; a number in [0, 1) maps amounts that the blueprint does not have."""
        line = ""
        for before, token in replay(self.game.rules, state.line):
            if len(line) >= len(self._line):
                self._add(before, token, state.board, drawn(uniform))
            line += token
        self._line, self._board = state.line, state.board

    def _add(self, before: Wagers, token: str, board: tuple[int, ...], uniform: float) -> None:
        if token == NEXT:
            street = before.street + 1
            self._deal(board[BOARD[before.street] : BOARD[street]], before)
            return
        if token != FOLD:
            self._follow_blueprint(before, token, uniform)
            if self.street is not None:
                self.street.follow(before, token)
        self._line += token

    def _follow_blueprint(self, before: Wagers, token: str, uniform: float) -> None:
        """Follow an action in the blueprint; its probabilities change ranges unless the street is re-solved."""
        blueprint, fallbacks = self.settings.blueprint, self.settings.fallbacks
        action = table_action(self.game.rules, before, token)
        number = self._intended.get(self._line, -1)
        number = blueprint.mapped(self.place, action, uniform) if number < 0 else number
        if self.street is None and number >= 0:
            shares = blueprint.shares(self.place, self.weights.board)[number]
            self.weights = self.weights.after_action(before.mover, shares, fallbacks)
        fallbacks[OUTSIDE] += number < 0 <= self.place.node
        self.place = blueprint.after(self.place, number) if number >= 0 else Place(-1, 0.0)

    def _deal(self, cards: Sequence[int], before: Wagers) -> None:
        self._above, street = None, self.street
        if street is not None:
            self.weights, line = street.end()
            if len(cards) == 1:
                self._above = street.solution(), f"{line}/{card_text(cards[0])}"
        self.weights, self.street = self.weights.after_cards(cards, self.settings.fallbacks), None
        self._line += NEXT
        stack = min(before.stacks)
        if before.street + 1 >= _TURN and self.settings.budget.seconds > 0 and stack > 0:
            self.street = self._open_street(self.game.rules.pot(before), stack)

    def _open_street(self, pot: int, stack: int) -> StreetPlay | None:
        settings = self.settings
        root = StreetRoot(self.seat, self.weights, pot, stack, self.game.rules.cap, self._known())
        sizes = settings.budget.choose(root.spot, table_sizes(self.game.menu))
        if sizes is None:
            settings.fallbacks[TOO_LARGE] += 1
            return None
        return StreetPlay(root, sizes, settings.budget, settings.gadget, settings.played, settings.fallbacks)

    def _known(self) -> KnownStrategy:
        return KnownStrategy(self.settings, self.place, self._above)

    def intend(self, number: int) -> None:
        """Remember the blueprint's action that the player takes now, which the table may round."""
        self._intended[self._line] = number


def table_sizes(menu: Menu) -> list[StreetSizes]:
    """Return the sizes that a table lists on turn and river; none if it lists every amount."""
    all_streets = Street(menu.bets, menu.raises)
    return [] if menu.any_amount else [StreetSizes(menu.turn or all_streets, menu.river or all_streets)]


@dataclass(frozen=True, eq=False)
class KnownStrategy:
    """The strategy so far below the root of a street: that of the street before, else the blueprint's."""

    settings: SolverSettings
    place: Place
    above: tuple[SpotStrategy, str] | None

    def __call__(self, compiled: CompiledSpot) -> SpotStrategy:
        """Return the strategy of a compiled spot."""
        if self.above is None:
            return self.settings.blueprint.below(self.place, compiled)
        return translate_solution(self.above[0], compiled, self.above[1])
