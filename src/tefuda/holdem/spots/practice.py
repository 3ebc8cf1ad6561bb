"""Practice on a solved spot: a coach with its strategy, and an agent for a person."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from tefuda.forms.tree import game_behind
from tefuda.holdem.betting import STREETS
from tefuda.holdem.cards import cards_text, hand_number, read_cards
from tefuda.holdem.phrases import phrases
from tefuda.holdem.ranges import Range
from tefuda.holdem.spots.game import SpotGame
from tefuda.holdem.spots.node import Node
from tefuda.holdem.spots.solver import evaluate_strategy
from tefuda.holdem.spots.spot import PLAYERS
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.playing.agents import Agent, Decision, PolicyAgent
from tefuda.playing.coach import Advice
from tefuda.playing.human import HumanAgent
from tefuda.solvers.runs.solving import solve

_SOLVED = 0.1  # exploitability of the agent ``solution``, in % of the starting pot


@dataclass(eq=False)
class SpotCoach:
    """A coach with a solved spot. Values are in chips from the decision on; folding has the value 0."""

    strategy: SpotStrategy
    name: str
    _node: Node | None = field(default=None, init=False, repr=False)  # of the last advice

    @cached_property
    def precision(self) -> float:
        """See `Coach`: exploitability in chips."""
        return evaluate_strategy(self.strategy)[1] / 2

    def advise(self, decision: Decision) -> Advice:
        hand, _, line = str(decision.view).partition("|")
        if self._node is None or self._node.line != line:
            self._node = Node(self.strategy, line)
        number = hand_number(*read_cards(hand))
        values = tuple(float(evs[number]) for evs in self._node.action_evs.values())
        return Advice(tuple(self.strategy.strategy(decision.seat, decision.view, decision.actions)), values)


@dataclass
class SpotHuman(HumanAgent):
    """A person at a spot, who first gets a description of the board, the pot and the ranges."""

    def start(self, game: Any, seat: int) -> None:
        self._rules, self._seat = game_behind(game), seat
        spot = self._rules.spot
        words, table = phrases("person", self.language), phrases("table", self.language)
        position, street = words[("out of position", "in position")[seat]], table[STREETS[spot.street]]
        own, opponent = (int(np.count_nonzero(spot.weights[player])) for player in (seat, 1 - seat))
        chips = (spot.betting.pot, spot.betting.stack)
        where = (PLAYERS[seat], position, street, cards_text(spot.board))
        self.notify(words["spot"].format(*where, *chips, own, opponent))

    def names(self, decision: Decision) -> list[tuple[str, str]]:
        """See `HumanAgent`; in English words alone, as labels would repeat them."""
        names = super().names(decision)
        return [(word, word) for _, word in names] if self.language == "en" else names

    def parse_action(self, answer: str, names: Sequence[tuple[str, str]]) -> int | None:
        """See `HumanAgent`; an amount alone is an answer too."""
        if answer.isdecimal():
            amounts = [re.sub(r"\D", "", word) for word, _ in names]
            return amounts.index(answer) if answer in amounts else None
        return super().parse_action(answer, names)


def drill(game: SpotGame, strategy: SpotStrategy, line: str) -> tuple[SpotGame, int]:
    """Return the rules of hands that begin at a decision of a solved spot, and the player to act.

    Both hands are dealt from the ranges that reach the line. Raise ParameterError if no player acts there, or no hands
    reach it.
    """
    player, reach = strategy.player(line), strategy.reach(line)
    first, second = (Range(own / max(float(own.max()), 1e-300)) for own in reach)  # only proportions matter
    spot = replace(game.spot, ranges=(first, second), locks=())
    return SpotGame(spot, game.given, strategy.compiled.canonical_line(line)), player


def solution_agent(game: SpotGame) -> Agent:
    """Return an agent with a solution of the spot."""
    return PolicyAgent("solution", solve(game, until=_SOLVED).strategy)
