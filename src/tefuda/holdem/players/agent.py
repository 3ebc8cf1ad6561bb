"""An agent and coach of heads-up no-limit hold'em that re-solves turns and rivers as it plays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from tefuda.errors import ParameterError
from tefuda.forms.tree import game_behind
from tefuda.games.plays import pick
from tefuda.holdem.cards import hand_number
from tefuda.holdem.hands.hand import CALL, FOLD, Hand
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.players.blueprint import TableAction
from tefuda.holdem.players.hand import OUTSIDE, SolvedHand
from tefuda.holdem.players.settings import SolverSettings
from tefuda.holdem.players.street import StreetPlay, amount_of, nearest_part
from tefuda.playing.agents import Decision, FixedAgent, ObservedHand
from tefuda.playing.coach import Advice

#: Fallback of a hand that is not in the player's range: its blueprint.
UNKNOWN = "hand outside of the range"
_PRECISION = 0.01  # exploitability of a solution as a share of the pot


@dataclass(eq=False)
class SolverAgent(FixedAgent):
    """Agent that plays a blueprint, and re-solves turns and rivers with real pots and stacks.

    As a coach it re-solves from the seat of the person, without a gadget: its values are those of an equilibrium of
    both ranges. They are chips from the decision on, folding is 0; before the turn they are unknown.

    Args:
        name: its name.
        settings: blueprint, budget and gadget.
        precision: exploitability of the last solution in chips, as a coach; smaller costs are ignored.
        note: advice to the user about the blueprint.
    """

    name: str
    settings: SolverSettings
    precision: float = 0.0
    note: str = ""
    _game: Holdem | None = field(default=None, init=False, repr=False)
    _hands: dict[int, SolvedHand] = field(default_factory=dict, init=False, repr=False)
    _coached: dict[int, SolvedHand] = field(default_factory=dict, init=False, repr=False)

    searches: ClassVar[bool] = True

    @property
    def fallbacks(self) -> Counter[str]:
        """Number of fallbacks by name, of those that happened."""
        return +self.settings.fallbacks

    @property
    def version(self) -> str:
        """See `Agent`; of the blueprint and the settings."""
        own = self.settings
        return f"{own.blueprint.policy.version} {own.budget} {own.gadget} {own.purify} {own.scale}"

    def start(self, game: Any, seat: int) -> None:
        """See `Agent`.

        Raises:
            ParameterError: the game is not heads-up no-limit hold'em, or the blueprint is of another table.
        """
        rules = game_behind(game)
        if not isinstance(rules, Holdem):
            raise ParameterError(f"agent {self.name} can only play hold'em, load_game('holdem'); got {rules!r}.")
        self.settings.require_table(rules.rules)
        self._game, self._hands, self._coached = rules, {}, {}

    def observe_hand(self, hand: ObservedHand) -> None:
        """See `Agent`; the next hand may have the same line."""
        self._hands.pop(hand.seat, None)

    def act(self, turn: Decision) -> int:
        """See `Agent`."""
        game, state, hand = self._followed(turn, self._hands, self.settings)
        number = hand_number(*state.hole(turn.seat))
        if hand.street is not None:
            shares = hand.street.decision()
            chances = [float(share[number]) for share in shares.values()]
            if np.isfinite(chances).all():
                part = list(shares)[pick(chances, turn.uniform)]
                return turn.actions.index(solution_label(game, state, part, turn.actions))
            self.settings.fallbacks[UNKNOWN] += 1
        return turn.actions.index(self._play_blueprint(hand, game, state, number, turn))

    def _followed(
        self, turn: Decision, hands: dict[int, SolvedHand], settings: SolverSettings
    ) -> tuple[Holdem, Hand, SolvedHand]:
        assert self._game is not None, "start is called first"
        state = self._game.read_view(turn.view, turn.seat)
        hand = hands.get(turn.seat)
        if hand is None or not hand.precedes(state):
            hand = hands[turn.seat] = SolvedHand(settings, self._game, turn.seat)
        hand.follow(state, turn.uniform)
        return self._game, state, hand

    def _play_blueprint(self, hand: SolvedHand, game: Holdem, state: Hand, number: int, turn: Decision) -> str:
        """Return the label of an action drawn from the blueprint; without one, check or call."""
        blueprint = self.settings.blueprint
        known = blueprint.actions(hand.place)
        if not known:
            self.settings.fallbacks[OUTSIDE] += 1
            return CALL
        shares = blueprint.shares(hand.place, state.board)[:, [number]]
        choice = pick(self.settings.played(shares)[:, 0].tolist(), turn.uniform)
        hand.intend(choice)
        return _nearest_label(game, state, table_amount(game, state, known[choice]), turn.actions)

    def advise(self, decision: Decision) -> Advice:
        """See `Coach`; actions that the table lists are in the solution, of others the nearest ones count."""
        game, state, hand = self._followed(decision, self._coached, replace(self.settings, gadget="unsafe"))
        number = hand_number(*state.hole(decision.seat))
        if hand.street is None:
            return self._blueprint_advice(hand, game, state, number, decision)
        return self._street_advice(hand.street, game, state, number, decision)

    def _blueprint_advice(self, hand: SolvedHand, game: Holdem, state: Hand, number: int, decision: Decision) -> Advice:
        blueprint, chances = self.settings.blueprint, dict.fromkeys(map(str, decision.actions), 0.0)
        known = blueprint.actions(hand.place)
        shares = blueprint.shares(hand.place, state.board)[:, [number]] if known else np.ones((1, 1))
        for action, chance in zip(known or [TableAction(1)], self.settings.played(shares)[:, 0], strict=True):
            chances[_nearest_label(game, state, table_amount(game, state, action), decision.actions)] += float(chance)
        return Advice(tuple(chances.values()), (float("nan"),) * len(chances))

    def _street_advice(self, street: StreetPlay, game: Holdem, state: Hand, number: int, decision: Decision) -> Advice:
        wagers, amounts = state.wagers, [] if game.menu.any_amount else list(game.amounts(state).values())
        most = min(bet + stack for bet, stack in zip(wagers.bets, wagers.stacks, strict=True))
        highest = min(max(wagers.bets), most)
        solution = street.solution([(highest, min(amount, most)) for amount in amounts])
        shares, evs = street.decision(), solution.action_evs(street.line)
        self.precision = _PRECISION * game.rules.pot(wagers)
        chances, values = dict.fromkeys(map(str, decision.actions), 0.0), list[float]()
        for part, share in shares.items():
            chances[solution_label(game, state, part, decision.actions)] += float(np.nan_to_num(share[number]))
        for label in decision.actions:
            part = _part(game, state, str(label), list(evs))
            values.append(float(evs[part][number]))
        return Advice(tuple(chances.values()), tuple(values))


def _part(game: Holdem, state: Hand, label: str, known: Sequence[str]) -> str:
    """Return the action of a solution that a label at the table means."""
    if label in (FOLD, CALL):
        names = ("Fold",) if label == FOLD else ("Check", "Call")
        return next(name for name in known if name in names)
    return nearest_part(f"Bet({game.amount(state, label)})", known)


def solution_label(game: Holdem, state: Hand, part: str, labels: Sequence[Any]) -> str:
    """Return the label at the table of an action of a solution."""
    if part in ("Fold", "Check", "Call"):
        return FOLD if part == "Fold" else CALL
    return _nearest_label(game, state, amount_of(part), labels)


def table_amount(game: Holdem, state: Hand, action: TableAction) -> int:
    """Return the amount on the street of an action; -1 for a fold, 0 for check and call."""
    if action.kind < 2:
        return action.kind - 1
    choices, highest = game.choices(state), max(state.wagers.bets)
    if action.all_in:
        return max(choices.high, 1)
    return max(1, round(highest + action.share * (game.rules.pot(state.wagers) + choices.call)))


def _nearest_label(game: Holdem, state: Hand, amount: int, labels: Sequence[Any]) -> str:
    """Return the label of the listed bet or raise nearest to an amount; -1 folds, 0 checks or calls."""
    if amount <= 0:
        return FOLD if amount < 0 and FOLD in labels else CALL
    amounts = game.amounts(state)
    return min(amounts, key=lambda label: abs(amounts[label] - amount)) if amounts else CALL
