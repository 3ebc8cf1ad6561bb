"""Agents for whole hands of hold'em."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tefuda.errors import ParameterError
from tefuda.forms.tree import game_behind
from tefuda.holdem.betting import Size
from tefuda.holdem.hands.hand import CALL, FOLD, Hand
from tefuda.holdem.hands.odds import pot_share
from tefuda.holdem.hands.sizing import size_amount
from tefuda.holdem.hands.whole import Holdem
from tefuda.playing.agents import Decision, FixedAgent

_SAMPLES = 400


@dataclass
class CallingAgent(FixedAgent):
    """Agent that always checks or calls.

    >>> from tefuda.holdem import CallingAgent
    >>> td.duplicate_match(td.load_game("holdem"), [CallingAgent("a"), CallingAgent("b")], deals=2).mean.sum()
    np.float64(0.0)
    """

    name: str = "caller"

    def act(self, turn: Decision) -> int:
        return turn.actions.index(CALL)


@dataclass
class EquityAgent(FixedAgent):
    """Agent that bets by its equity against random hands and calls by pot odds.

    With an equity above 1.5 times the fair share it bets about the pot; above 1.2 times, in half of the cases, about
    half the pot. It calls if its equity is at least the pot odds. Where it could check, it sometimes bluffs.

    Args:
        name: name of the agent.
        samples: number of random hands for an estimate.
        bluffs: probability of a bluff where the agent could check.
    """

    name: str = "equity"
    samples: int = _SAMPLES
    bluffs: float = 0.1
    _game: Holdem = field(init=False, repr=False)

    def start(self, game: Any, seat: int) -> None:
        """See `Agent`.

        Raises:
            ParameterError: the game is not hold'em.
        """
        rules = game_behind(game)
        if not isinstance(rules, Holdem):
            raise ParameterError(f"agent {self.name} can only play hold'em, load_game('holdem'); got {rules!r}.")
        self._game = rules

    def act(self, turn: Decision) -> int:
        """See `Agent`; the uniform number of the decision is the seed, which makes seatings comparable."""
        return turn.actions.index(self._choose(self._game.read_view(turn.view, turn.seat), turn))

    def _choose(self, state: Hand, turn: Decision) -> str:
        opponents, choices = len(state.wagers.live) - 1, self._game.choices(state)
        share = pot_share(state.hole(turn.seat), state.board, opponents, self.samples, int(turn.uniform * 2**53))
        relative = share * (opponents + 1)  # 1: the fair share
        if relative > 1.5:
            return self._nearest_raise(state, Size(100, "%"))
        if (relative > 1.2 and turn.uniform < 0.5) or (not choices.facing_bet and turn.uniform < self.bluffs):
            return self._nearest_raise(state, Size(50, "%"))
        return CALL if not choices.facing_bet or share >= self._game.pot_odds(state) else FOLD

    def _nearest_raise(self, state: Hand, size: Size) -> str:
        """Return the listed raise nearest to a size; a call if no raise is possible."""
        amounts = self._game.amounts(state)
        if not amounts:
            return CALL
        wanted = size_amount(size, self._game.rules, state.wagers, self._game.choices(state))
        return min(amounts, key=lambda label: abs(amounts[label] - wanted))
