"""Positions of Koi-Koi without their history, for programs from outside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tefuda.errors import ParameterError, shortened
from tefuda.forms.tree import Tree
from tefuda.koikoi.cards import ids_of
from tefuda.koikoi.game import KOI, PLAY, KoiKoi
from tefuda.koikoi.view import read_view
from tefuda.playing.agents import Decision, FixedAgent


@dataclass(frozen=True)
class Position:
    """A decision in a round as one player sees it, in texts and numbers that JSON can hold.

    phase: ``"play"`` a card of the hand, ``"pick"`` one of two cards of the field, or ``"koi"``: stop or call.
    hand, field, pile, opponent_pile, unseen: labels of cards, ``"1B"``. unseen: the opponent's hand and the stock
    together. opponent_hand: number of cards. shown: the card that takes a picked one, else ``""``. turn: 1 to 16, of
    both players together. dealer: whether the player dealt. calls, opponent_calls: of koi-koi. points: of the pile by
    the rules; held, opponent_held: points that both had when they last called. actions: the legal labels.
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
    held: int
    opponent_held: int
    actions: tuple[str, ...]


def position_of(game: KoiKoi, view: object, player: int, actions: tuple[Any, ...]) -> Position:
    """Return the position of a decision.

    Args:
        game: the rules.
        view: the player's view.
        player: the player to move.
        actions: its legal labels.

    Raises:
        ParameterError: no view of this game.
    """
    state, other, rules = read_view(game, view, player), 1 - player, game.rules

    def labels(cards: int) -> tuple[str, ...]:
        return tuple(game.codes[card] for card in ids_of(cards))

    return Position(
        phase="play" if state.phase == PLAY else "koi" if state.phase == KOI else "pick",
        hand=labels(state.hands[player]),
        field=labels(state.field),
        pile=labels(state.piles[player]),
        opponent_pile=labels(state.piles[other]),
        unseen=labels(state.stock),
        opponent_hand=game.hand - state.turn // 2,
        shown=game.codes[state.shown] if state.shown >= 0 else "",
        turn=state.turn,
        dealer=player == 0,
        calls=state.calls[player],
        opponent_calls=state.calls[other],
        points=rules.pile_points(state.piles[player], state.calls[player]),
        held=rules.pile_points(state.called[player], state.calls[player]),
        opponent_held=rules.pile_points(state.called[other], state.calls[other]),
        actions=tuple(map(str, actions)),
    )


@dataclass
class PositionAgent(FixedAgent):
    """Plays the answer of a function of the position, one of its actions.

    >>> from tefuda.koikoi import PositionAgent
    >>> first = PositionAgent("first", lambda position: position.actions[0])
    >>> td.duplicate_match(td.load_game("koikoi"), [first, td.RandomAgent()], deals=2).agents
    ('first', 'random')
    """

    name: str
    decide: Callable[[Position], str]
    _game: KoiKoi = field(init=False, repr=False)

    def start(self, game: Any, seat: int) -> None:
        rules = game.rules if isinstance(game, Tree) else game
        if not isinstance(rules, KoiKoi):
            raise ParameterError(f"{self.name} plays Koi-Koi and its reduced games; got {shortened(rules)}.")
        self._game = rules

    def act(self, turn: Decision) -> int:
        position = position_of(self._game, turn.view, turn.seat, turn.actions)
        answer = self.decide(position)
        if answer not in position.actions:
            legal = ", ".join(position.actions)
            raise ParameterError(f"{self.name} answered {shortened(answer)}; legal are {legal}.")
        return position.actions.index(answer)
