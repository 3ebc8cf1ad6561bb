"""A spot as a game of seven functions: for trees of small spots, for agents, and to test the solver.

Chance deals a pair of hands, then the cards of later streets. Payoffs are centred: chips won from the pot less chips
bet since the start, less half of the starting pot. So they sum to 0, or to minus the rake.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import ParameterError, illegal_label
from tefuda.games.phrases import between
from tefuda.games.picture import Picture, PictureEvent
from tefuda.games.protocol import CHANCE, TERMINAL, Observation, labels, move_text
from tefuda.holdem.betting import CLOSED, FOLDED, RIVER, Action, BettingState
from tefuda.holdem.cards import HANDS, card_text, cards_text, hand_number, hand_text, mask_of, read_cards
from tefuda.holdem.phrases import phrases
from tefuda.holdem.ranges import compatible_weights
from tefuda.holdem.rank import SETS, strength, strength_text, strengths
from tefuda.holdem.spots.locks import Lock
from tefuda.holdem.spots.spot import Spot, make_spot


class Deal(NamedTuple):
    """A state of the game.

    hands: both hands by number, -1 before they are dealt. done: actions and cards so far.
    """

    hands: tuple[int, int]
    board: tuple[int, ...]
    position: BettingState
    done: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class SpotGame:
    """The rules of a spot.

    given: arguments of `holdem`; without them, the spot is saved as text. line: line at which hands begin.
    """

    spot: Spot
    given: tuple[tuple[str, Any], ...] | None = None
    line: str = ""

    name = "spot"
    players = 2
    kit = Spot.kit

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments from which `holdem` rebuilds it."""
        return self.spot.texts() if self.given is None else dict(self.given)

    def __repr__(self) -> str:
        return f"spot({', '.join(f'{name}={value!r}' for name, value in self.parameters.items())})"

    def root(self) -> Deal:
        return self._at(self.line)._replace(hands=(-1, -1))

    def _at(self, line: str) -> Deal:
        """Return the state at a line, with any hands: the player to move does not depend on them."""
        state = Deal((0, 0), self.spot.board, self.spot.betting.root(self.spot.street))
        for part in filter(None, line.split("/")):
            state = self.child(state, part)
        return state

    def player(self, state: Deal) -> int:
        if state.hands[0] < 0:
            return CHANCE
        if state.position.state == FOLDED:
            return TERMINAL
        if state.position.state == CLOSED:
            return TERMINAL if state.position.street == RIVER else CHANCE
        return CHANCE if self._locked(state) else state.position.player

    @cached_property
    def _locks(self) -> dict[str, Lock]:
        return {lock.line: lock for lock in self.spot.locks}

    def _locked(self, state: Deal) -> list[tuple[str, float]]:
        """Return the locked strategy of the hand to act, if any; chance plays it."""
        lock = self._locks.get("/".join(state.done)) if self._locks else None
        if lock is None or state.position.state in (FOLDED, CLOSED):
            return []
        hand = state.hands[state.position.player]
        return [(action, float(shares[hand])) for action, shares in lock.shares.items() if shares[hand]]

    def actions(self, state: Deal) -> tuple[str, ...]:
        return tuple(self.spot.betting.choices(state.position))

    def chances(self, state: Deal) -> Sequence[tuple[str, float]]:
        """Return the pairs of compatible hands, the cards of the next street, or a locked strategy."""
        if state.hands[0] < 0:
            return [
                (f"{hand_text(first)} {hand_text(second)}", weight / self.spot.pairs)
                for first in np.flatnonzero(self.spot.weights[0]).tolist()
                for second in np.flatnonzero(self.spot.weights[1]).tolist()
                if (weight := self._weight(first, second))
            ]
        cards = self._left(state)
        return self._locked(state) or [(card_text(card), 1 / len(cards)) for card in cards]

    def draw(self, state: Deal, uniform: Callable[[], float]) -> tuple[str, float]:
        """Return one of `chances`, without listing all pairs."""
        if locked := state.hands[0] >= 0 and self._locked(state):
            return locked[_pick(np.array([share for _, share in locked]), uniform())]
        if state.hands[0] >= 0:
            cards = self._left(state)
            return card_text(cards[int(uniform() * len(cards))]), 1 / len(cards)
        first = _pick(self._met, uniform())
        second = _pick(np.where(SETS & SETS[first], 0.0, self.spot.weights[1]), uniform())
        return f"{hand_text(first)} {hand_text(second)}", self._weight(first, second) / self.spot.pairs

    def deal_with(self, player: int, hand: int, uniform: Callable[[], float]) -> str:
        """Return a deal with the hand of a player; raise ParameterError if the opponent can have none."""
        weights = np.where(SETS & SETS[hand], 0.0, self.spot.weights[1 - player])
        if not weights.any():
            raise ParameterError(f"the opponent has no hand beside {hand_text(hand)} here.", key="hand")
        hands = {player: hand, 1 - player: _pick(weights, uniform())}
        return f"{hand_text(hands[0])} {hand_text(hands[1])}"

    @cached_property
    def _met(self) -> np.ndarray:
        """`[1326]` the weight of each hand of player 0 times that of the hands compatible with it."""
        return self.spot.weights[0] * compatible_weights(self.spot.weights[1])

    def _weight(self, first: int, second: int) -> float:
        return 0.0 if SETS[first] & SETS[second] else float(self.spot.weights[0][first] * self.spot.weights[1][second])

    def _left(self, state: Deal) -> list[int]:
        dead_cards = {*state.board, *HANDS[list(state.hands)].ravel().tolist()}
        return [card for card in self.spot.deck if card not in dead_cards]

    def child(self, state: Deal, action: str) -> Deal:
        """Return the state after an action; raise ParameterError if its label is not legal."""
        try:
            return self._after(state, action)
        except (ValueError, KeyError, TypeError, AttributeError):
            legal = "two hands such as KsQs AhAd" if state.hands[0] < 0 else labels(self, state)
            raise illegal_label(action, legal) from None

    def _after(self, state: Deal, action: str) -> Deal:
        if state.hands[0] < 0:
            first, second = (hand_number(*read_cards(text)) for text in action.split())
            return state._replace(hands=(first, second))
        done, betting = (*state.done, action), self.spot.betting
        if state.position.state == CLOSED:
            return Deal(state.hands, (*state.board, *read_cards(action)), betting.next_street(state.position), done)
        chosen = betting.choices(state.position)[action]
        return Deal(state.hands, state.board, betting.after(state.position, chosen), done)

    def payoffs(self, state: Deal) -> tuple[float, float]:
        """Return the centred payoffs in chips."""
        half = self.spot.betting.pot / 2 + state.position.called
        rake = float(self.spot.rake(half))
        if state.position.state == FOLDED:
            winner = 1 - state.position.player
        else:
            sets = [mask_of((*state.board, *HANDS[hand].tolist())) for hand in state.hands]
            first, second = strengths(np.array(sets, dtype=np.uint64)).tolist()
            if first == second:
                return -rake / 2, -rake / 2
            winner = int(second > first)
        won, lost = half - rake, -half
        return (won, lost) if winner == 0 else (lost, won)

    def view(self, state: Deal, player: int) -> str:
        """Return the player's hand and all actions and cards: ``"KcQc|Check/Bet(50)"``."""
        hand = hand_text(state.hands[player]) if state.hands[player] >= 0 else ""
        return f"{hand}|{'/'.join(state.done)}"

    def read_view(self, view: Any, player: int) -> Deal:
        """Return the state as a player sees it; the opponent's hand is -1."""
        hand, _, line = str(view).partition("|")
        state = self._at(line)
        number = hand_number(*read_cards(hand))
        return state._replace(hands=(number, -1) if player == 0 else (-1, number))

    def observe(self, view: Any, player: int, language: str = "en") -> Observation:
        """Return a view in words: the hand and its strength, pot, board, actions."""
        state, words = self.read_view(view, player), phrases("table", language)
        position, cards = state.position, HANDS[state.hands[player]].tolist()
        made = strength_text(strength((*cards, *state.board)), language)
        left = self.spot.betting.stack - position.matched - position.amounts[player]
        pot, _ = self.spot.betting.chips(position)
        table = words["spot"].format(pot, left, cards_text(state.board))
        if state.done:
            table = words["moves"].format(table, self._moves_in_words(state.done, player, language))
        choices = self.spot.betting.choices(position).items()
        names: dict[Hashable, str] = {name: _verb(action, words, "all-in for") for name, action in choices}
        return Observation(words["hand"].format(cards_text(sorted(cards, reverse=True)), made), table, names)

    def picture(self, view: Any, player: int) -> Picture:
        state = self.read_view(view, player)
        position, betting = state.position, self.spot.betting
        folded = tuple(position.state == FOLDED and position.player == seat for seat in range(2))
        choices = betting.choices(position) if position.player == player else {}
        return Picture(
            deck="suits",
            hand=tuple(card_text(card) for card in sorted(HANDS[state.hands[player]].tolist(), reverse=True)),
            table=tuple(map(card_text, state.board)),
            hidden=tuple(2 * (seat != player and not folded[seat]) for seat in range(2)),
            pot=betting.chips(position)[0],
            bets=position.amounts,
            stacks=tuple(betting.stack - position.matched - amount for amount in position.amounts),
            folded=folded,
            events=tuple(
                _event(action, position, position.player)
                if action
                else PictureEvent("deal", cards=tuple(map(card_text, read_cards(part))))
                for position, part, action in self._replay(state.done)
            ),
            actions={name: _event(action, position, player) for name, action in choices.items()},
        )

    def _replay(self, done: tuple[str, ...]) -> Iterator[tuple[BettingState, str, Action | None]]:
        """Yield each action and card by name, with the position before it; a card is no `Action`."""
        state = self._at("")
        for part in done:
            yield state.position, part, self.spot.betting.choices(state.position).get(part)
            state = self.child(state, part)

    def _moves_in_words(self, done: tuple[str, ...], player: int, language: str) -> str:
        """Return actions and cards as read by a player: ``"you check, player 1 bets 50"``."""
        words = phrases("table", language)
        return between(language).join(
            move_text(position.player, player, _verb(action, words), language)
            if action
            else words["comes"].format(part)
            for position, part, action in self._replay(done)
        )

    def describe(self, state: Deal) -> str:
        """Return both hands and the history."""
        hands = " ".join(hand_text(hand) for hand in state.hands if hand >= 0)
        return f"{hands}|{'/'.join(state.done)}"


def _event(action: Action, position: BettingState, player: int) -> PictureEvent:
    if action.name in ("Check", "Fold"):
        return PictureEvent(action.name.lower(), player)
    paid = position.amounts[player] if action.name == "Call" else 0
    return PictureEvent({"AllIn": "all-in"}.get(action.name, action.name.lower()), player, action.amount - paid)


def _verb(action: Action, words: Mapping[str, str], all_in: str = "move all-in") -> str:
    """Return an action in words: ``bet 50``, ``raise to 150``, ``move all-in for 400``."""
    return words[all_in if action.name == "AllIn" else action.name.lower()].format(action.amount)


def _pick(weights: np.ndarray, point: float) -> int:
    sums = np.cumsum(weights)
    return int(np.searchsorted(sums, point * sums[-1], side="right"))


def holdem(
    board: str = "2c 2d 2h 3c 3d",
    pot: int = 100,
    stack: int = 100,
    oop: str = "AA,QQ",
    ip: str = "KK",
    bets: str = "a",
    raises: str = "a",
    more: dict[str, Any] | None = None,
) -> SpotGame:
    """Return a heads-up spot of hold'em; by default a river worth 25 chips to the player out of position.

    Args:
        board: three to five cards.
        pot: chips at the start.
        stack: remaining chips of each player.
        oop: range of player 0, out of position.
        ip: range of player 1.
        bets: sizes of bets on all streets.
        raises: sizes of raises on all streets.
        more: further arguments of `spot.make_spot`, which raises the errors.
    """
    given = {"board": board, "pot": pot, "stack": stack, "oop": oop, "ip": ip, "bets": bets, "raises": raises}
    spot = make_spot(**given, **(more or {}))  # type: ignore[arg-type]
    return SpotGame(spot, tuple({**given, "more": dict(more or {})}.items()))
