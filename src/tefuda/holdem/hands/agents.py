"""Agents of whole hands, which decide by their view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tefuda.errors import ParameterError
from tefuda.forms.tree import Tree
from tefuda.holdem.betting import Size
from tefuda.holdem.hands.hand import CALL, FOLD, Hand
from tefuda.holdem.hands.odds import pot_share
from tefuda.holdem.hands.sizing import size_amount
from tefuda.holdem.hands.terminal import HoldemPerson
from tefuda.holdem.hands.whole import Holdem
from tefuda.playing.agents import Agent, Decision, FixedAgent
from tefuda.words import Notify

_SAMPLES = 400


@dataclass
class CallingAgent(FixedAgent):
    """Always checks or calls.

    >>> from tefuda.holdem import CallingAgent
    >>> td.duplicate_match(td.load_game("holdem"), [CallingAgent("a"), CallingAgent("b")], deals=2).mean.sum()
    np.float64(0.0)
    """

    name: str = "caller"

    def act(self, turn: Decision) -> int:
        return turn.actions.index(CALL)


@dataclass
class EquityAgent(FixedAgent):
    """Bets by its share of the pot against random hands, and calls where the pot pays for it.

    With 1.5 times the fair share it bets about the pot, with 1.2 times about half; it calls with a share of at least
    the part of the pot that it pays, and sometimes it bets with nothing where it could check.

    Args:
        name: name of the agent.
        samples: number of random hands for an estimate.
        bluffs: probability of a bet with nothing.
    """

    name: str = "equity"
    samples: int = _SAMPLES
    bluffs: float = 0.1
    _game: Holdem = field(init=False, repr=False)

    def start(self, game: Any, seat: int) -> None:
        """See `Agent`.

        Raises:
            ParameterError: another game than whole hands of hold'em.
        """
        rules = game.rules if isinstance(game, Tree) else game
        if not isinstance(rules, Holdem):
            raise ParameterError(f"{self.name} plays whole hands of hold'em, as load_game('holdem') makes them.")
        self._game = rules

    def act(self, turn: Decision) -> int:
        """See `Agent`: the turn's point is the seed, so that seatings share the luck."""
        return turn.actions.index(self._chosen(self._game.read_view(turn.view, turn.seat), turn))

    def _chosen(self, state: Hand, turn: Decision) -> str:
        opponents, choices = len(state.wagers.live) - 1, self._game.choices(state)
        share = pot_share(state.hole(turn.seat), state.board, opponents, self.samples, int(turn.uniform * 2**53))
        worth = share * (opponents + 1)  # 1: as good as any hand
        if worth > 1.5:
            return self._near(state, Size(100, "%"))
        if (worth > 1.2 and turn.uniform < 0.5) or (not choices.facing_bet and turn.uniform < self.bluffs):
            return self._near(state, Size(50, "%"))
        return CALL if not choices.facing_bet or share >= self._game.price(state) else FOLD

    def _near(self, state: Hand, size: Size) -> str:
        """Return the listed raise nearest to a size; a call if there is none."""
        amounts = self._game.amounts(state)
        if not amounts:
            return CALL
        wanted = size_amount(size, self._game.rules, state.wagers, self._game.choices(state))
        return min(amounts, key=lambda label: abs(amounts[label] - wanted))


def own_agents(game: Holdem) -> dict[str, tuple[str, Callable[[Notify], Agent]]]:
    """Return the agents of whole hands by name, with a description and a constructor each."""
    return {
        "equity": ("bets and calls by its share of the pot against random hands", lambda notify: EquityAgent()),
        "caller": ("always checks or calls", lambda notify: CallingAgent()),
        "human": ("you, at the terminal", lambda notify: HoldemPerson()),
    }
