"""Players of whole hands at the table of any match: what they decide by is read from their view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tefuda.errors import ParameterError
from tefuda.forms.tree import Tree
from tefuda.holdem.hands.hand import CALL, FOLD, Hand
from tefuda.holdem.hands.odds import pot_share
from tefuda.holdem.hands.terminal import HoldemPerson
from tefuda.holdem.hands.whole import Holdem
from tefuda.judging.profile import Profile
from tefuda.playing.agents import Agent, Sight, Turn
from tefuda.words import Tell

_SAMPLES = 400


@dataclass
class CallingAgent:
    """Always checks or calls.

    >>> from tefuda.holdem import CallingAgent
    >>> td.duplicate_match(td.load_game("holdem"), [CallingAgent("a"), CallingAgent("b")], deals=2).mean.sum()
    np.float64(0.0)
    """

    name: str = "caller"
    profile: Profile | None = None
    learns: ClassVar[bool] = False

    def start(self, game: Any, seat: int) -> None:
        """See `Agent`."""

    def act(self, turn: Turn) -> int:
        """See `Agent`."""
        return turn.actions.index(CALL)

    def see(self, sight: Sight) -> None:
        """Nothing is learned."""


@dataclass
class EquityAgent:
    """Bets what its hand is worth against random hands, and calls where the pot pays for it.

    With a share of the pot of 1.5 times what is fair it bets about the pot, of 1.2 times about half; it calls with a
    share of at least the part of the pot that it pays, and one time in ten it bets with nothing where it could check.

    Args:
        name: how it is called.
        samples: random hands that a share is estimated by.
        bluffs: how often it bets with nothing.
    """

    name: str = "equity"
    samples: int = _SAMPLES
    bluffs: float = 0.1
    profile: Profile | None = None
    learns: ClassVar[bool] = False
    _game: Holdem = field(init=False, repr=False)

    def start(self, game: Any, seat: int) -> None:
        """See `Agent`.

        Raises:
            ParameterError: no whole hands of hold'em.
        """
        rules = game.rules if isinstance(game, Tree) else game
        if not isinstance(rules, Holdem):
            raise ParameterError(f"{self.name} plays whole hands of hold'em, as load_game('holdem') makes them.")
        self._game = rules

    def act(self, turn: Turn) -> int:
        """See `Agent`: the turn's point is the seed too, so that seatings share the luck."""
        state = self._game.read_view(turn.view, turn.seat)
        return turn.actions.index(self._chosen(state, turn))

    def _chosen(self, state: Hand, turn: Turn) -> str:
        opponents, choices = len(state.wagers.live) - 1, self._game.choices(state)
        hole = state.hole(turn.seat)
        share = pot_share(hole, state.board, opponents, self.samples, int(turn.point * 2**53))
        worth = share * (opponents + 1)  # 1: as good as any hand
        if worth > 1.5:
            return self._near(state, 1.0)
        if (worth > 1.2 and turn.point < 0.5) or (not choices.faces and turn.point < self.bluffs):
            return self._near(state, 0.5)
        pays = choices.call / (self._game.rules.pot(state.wagers) + choices.call)
        return CALL if not choices.faces or share >= pays else FOLD

    def _near(self, state: Hand, part: float) -> str:
        """The raise that is next to a part of the pot; a call where none is listed."""
        wagers, amounts = state.wagers, self._game.amounts(state)
        highest = max(wagers.bets)
        pot = self._game.rules.pot(wagers) + highest - wagers.bets[wagers.mover]
        wanted = highest + part * pot
        return min(amounts, key=lambda label: abs(amounts[label] - wanted)) if amounts else CALL

    def see(self, sight: Sight) -> None:
        """Nothing is learned."""


def own_agents(game: Holdem) -> dict[str, tuple[str, Callable[[Tell], Agent]]]:
    """The players of whole hands, by name: what they are, and how they are made."""
    return {
        "equity": ("bets and calls by its share of the pot against random hands", lambda tell: EquityAgent()),
        "caller": ("always checks or calls", lambda tell: CallingAgent()),
        "human": ("you, at the terminal", lambda tell: HoldemPerson()),
    }
