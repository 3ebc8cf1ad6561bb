"""Agents of Koi-Koi for any match, which decide from their views."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tefuda.forms.tree import game_behind
from tefuda.koikoi.cards import DECK, ids_of
from tefuda.koikoi.game import KOI, PLAY, STOP, KoiKoi
from tefuda.koikoi.kernels.tables import ValueTables
from tefuda.koikoi.match_state import MatchState, MatchValue, OutcomeCounts
from tefuda.koikoi.players.advice import Adviser
from tefuda.koikoi.players.archive import load_tables, report_learning, shipped_outcomes
from tefuda.koikoi.players.ladder import AGENTS, PlayerConfiguration
from tefuda.koikoi.players.tables import count_outcomes
from tefuda.koikoi.simulator import CARD_VALUES
from tefuda.koikoi.view import read_view
from tefuda.playing.agents import Agent, Decision, FixedAgent
from tefuda.words import Notify

_COUNTED_ROUNDS = 50_000  # rounds of self-play for outcome counts: one second
_POINTS = 150  # maximum points of a round in a match


@dataclass
class GreedyAgent(FixedAgent):
    """Agent that takes the most points at once, then the best cards, and stops at once.

    The gain of a card is 1000 times the increase of the yaku plus the values of the captured cards
    (bright 20, animal 10, ribbon 5, chaff 1); without a capture, minus its own value. Ties are
    broken by the lowest card, then by the lowest choice.

    Args:
        name: name of the agent.

    >>> from tefuda.koikoi import GreedyAgent
    >>> game = td.load_game("koikoi")
    >>> td.duplicate_match(game, [GreedyAgent(), td.RandomAgent()], deals=3).agents
    ('greedy', 'random')
    """

    name: str = "greedy"
    _game: KoiKoi = field(init=False, repr=False)

    def start(self, game: Any, seat: int) -> None:
        self._game = game_behind(game)

    def act(self, turn: Decision) -> int:
        state = read_view(self._game, turn.view, turn.seat)
        if state.phase == KOI:
            return turn.actions.index(STOP)
        pile, cards = state.piles[turn.seat], ids_of(state.hands[turn.seat]) if state.phase == PLAY else [state.shown]
        plays = [(card, taken) for card in cards for taken in self._game.captures(state.field, card)]
        before = self._points(pile)
        card, taken = max(plays, key=lambda play: (self._gain(pile, before, *play), -play[0], -play[1]))
        return turn.actions.index(self._game.codes[card if state.phase == PLAY else taken.bit_length() - 1])

    def _gain(self, pile: int, before: int, card: int, taken: int) -> int:
        if not taken:
            return -CARD_VALUES[DECK[card].kind]
        captured = taken | 1 << card
        values = sum([CARD_VALUES[DECK[card].kind] for card in ids_of(captured)])
        return 1000 * (self._points(pile | captured) - before) + values

    def _points(self, pile: int) -> int:
        return sum([points for _, points in self._game.rules.scored_yaku(pile)])


@dataclass
class AdvisedAgent(FixedAgent):
    """Agent that plays an adviser's best candidate: flat Monte Carlo, tables, a network, or a search.

    An agent with tables plays to win the match if the match reports its state, otherwise for
    points.

    Args:
        name: name of the agent.
        configuration: player configuration.
        tables: value tables, if the configuration needs them.
        seconds: time limit of a searcher for a decision, replacing its number of determinizations.
        outcomes: outcome counts of rounds played by these tables; None: counted in self-play when a
            match is played.
    """

    name: str
    configuration: PlayerConfiguration
    tables: ValueTables | None = None
    seconds: float | None = None
    outcomes: OutcomeCounts | None = None
    _adviser: Adviser = field(init=False, repr=False)
    _value: MatchValue | None = field(default=None, init=False, repr=False)
    _utility: np.ndarray | None = field(default=None, init=False, repr=False)  # [2, 2 * _POINTS + 1]

    @property
    def searches(self) -> bool:
        """True if a decision takes a time that may depend on the hidden cards."""
        return self.configuration.kind == "search"

    def start(self, game: Any, seat: int) -> None:
        self._adviser = Adviser(game_behind(game), self.configuration, self.tables)

    def act(self, turn: Decision) -> int:
        seed = int(turn.uniform * 2**53)  # both seatings share the luck
        advice = self._adviser.advise(turn.view, turn.seat, seed, seconds=self.seconds, utility=self._utility)
        return turn.actions.index(advice[0].action)

    def stand(self, match_state: MatchState, player: int) -> None:
        """Set the utility of a round by the match state and the player's number in the match."""
        if self.tables is not None:
            if self._value is None:
                outcomes = self.outcomes or count_outcomes(match_state.rules, self.tables, _COUNTED_ROUNDS)
                self._value = MatchValue(match_state.rules, outcomes)
            self._utility = self._value.utility(match_state, player, _POINTS)


def advised_agent(game: KoiKoi, name: str, notify: Notify) -> Agent:
    """Return a player of the ladder as an agent; it may learn tables first."""
    configuration = AGENTS[name]
    tables = load_tables(game.rules, progress=report_learning(notify)) if configuration.needs_tables else None
    Adviser(game, configuration, tables).prepare()
    return AdvisedAgent(
        name, configuration, tables, outcomes=shipped_outcomes(game.rules) if configuration.needs_tables else None
    )
