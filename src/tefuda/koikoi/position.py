"""Positions of Koi-Koi without their history, for external programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tefuda.errors import ParameterError, shortened
from tefuda.forms.tree import game_behind
from tefuda.koikoi.game import KOI, PLAY, KoiKoi
from tefuda.koikoi.view import read_view
from tefuda.playing.agents import Decision, FixedAgent


@dataclass(frozen=True)
class Situation:
    """A decision in a round from one player's view, in texts and numbers that JSON can represent.

    Attributes:
        phase: ``"play"`` a card of the hand, ``"pick"`` one of two cards of the field, or
            ``"koi"``: stop or call.
        hand: labels of the player's cards, ``"1B"``.
        field: labels of the field.
        pile: labels of the player's pile.
        opponent_pile: labels of the opponent's pile.
        unseen: labels of the opponent's hand and the stock together.
        opponent_hand: number of cards in the opponent's hand.
        shown: label of the card that captures the picked one, else ``""``.
        turn: 1 to 16, counting both players.
        dealer: whether the player is the dealer.
        calls: number of the player's calls.
        opponent_calls: number of the opponent's calls.
        points: points of the player's pile.
        points_at_call: points of the player's pile at its last call.
        opponent_points_at_call: points of the opponent's pile at its last call.
        actions: labels of the legal actions.
    """

    phase: str
    hand: tuple[str, ...]
    field: tuple[str, ...]
    pile: tuple[str, ...]
    opponent_pile: tuple[str, ...]
    unseen: tuple[str, ...]
    opponent_hand: int
    shown: str
    turn: int
    dealer: bool
    calls: int
    opponent_calls: int
    points: int
    points_at_call: int
    opponent_points_at_call: int
    actions: tuple[str, ...]


def position_of(game: KoiKoi, view: object, player: int, actions: tuple[Any, ...]) -> Situation:
    """Return the position of a decision.

    Args:
        game: the rules.
        view: the player's view.
        player: the player to move.
        actions: its legal labels.

    Raises:
        ParameterError: the view is not one of this game.
    """
    state, opponent, rules, labels = read_view(game, view, player), 1 - player, game.rules, game.labels
    return Situation(
        phase="play" if state.phase == PLAY else "koi" if state.phase == KOI else "pick",
        hand=labels(state.hands[player]),
        field=labels(state.field),
        pile=labels(state.piles[player]),
        opponent_pile=labels(state.piles[opponent]),
        unseen=labels(state.stock),
        opponent_hand=game.hand - state.turn // 2,
        shown=game.codes[state.shown] if state.shown >= 0 else "",
        turn=state.turn,
        dealer=player == 0,
        calls=state.calls[player],
        opponent_calls=state.calls[opponent],
        points=rules.pile_points(state.piles[player], state.calls[player]),
        points_at_call=rules.pile_points(state.called[player], state.calls[player]),
        opponent_points_at_call=rules.pile_points(state.called[opponent], state.calls[opponent]),
        actions=tuple(map(str, actions)),
    )


@dataclass
class PositionAgent(FixedAgent):
    """Agent that plays the answer of a function of the position.

    Args:
        name: name of the agent.
        decide: function that maps a position to one of its actions.

    >>> from tefuda.koikoi import PositionAgent
    >>> first = PositionAgent("first", lambda position: position.actions[0])
    >>> td.duplicate_match(td.load_game("koikoi"), [first, td.RandomAgent()], deals=2).agents
    ('first', 'random')
    """

    name: str
    decide: Callable[[Situation], str]
    _game: KoiKoi = field(init=False, repr=False)

    def start(self, game: Any, seat: int) -> None:
        rules = game_behind(game)
        if not isinstance(rules, KoiKoi):
            raise ParameterError(f"{self.name} plays only Koi-Koi and its reduced games; got {shortened(rules)}.")
        self._game = rules

    def act(self, turn: Decision) -> int:
        position = position_of(self._game, turn.view, turn.seat, turn.actions)
        answer = self.decide(position)
        if answer not in position.actions:
            legal = ", ".join(position.actions)
            raise ParameterError(f"{self.name} answered {shortened(answer)}; legal actions: {legal}.")
        return position.actions.index(answer)
