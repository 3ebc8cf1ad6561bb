"""Agents that search during play: online outcome sampling, on a tree or over plain rules."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tefuda.errors import ParameterError
from tefuda.evaluating.profile import Profile
from tefuda.forms.tree import Tree
from tefuda.games.plays import pick
from tefuda.games.protocol import Game
from tefuda.playing.agents import Decision, ObservedHand
from tefuda.solvers.sampled.oos import OnlineSampling, OosSolver
from tefuda.solvers.sampled.search import OosSearch

_PIECE = 0.02  # seconds between readings of the clock
_EPISODES = 1000  # budget of a decision, if none is given


@dataclass
class SearchAgent:
    """Agent that searches by online outcome sampling at each decision, and plays the average strategy.

    Args:
        name: its name.
        method: method of the search.
        iterations: budget of a decision, in episodes of each player; 1,000 if no budget is given.
        seconds: budget of a decision, in seconds; the search ends when either budget is spent.
        seed: random seed.

    Raises:
        ParameterError: public targets at a table without a tree.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> against = td.ProfileAgent("u", td.Profile.uniform(tree))
    >>> td.duplicate_match(tree, [td.playing.SearchAgent("s", iterations=5), against], deals=2).agents
    ('s', 'u')
    """

    name: str
    method: OnlineSampling = field(default_factory=OnlineSampling)
    iterations: int | None = None
    seconds: float | None = None
    seed: int = 0
    profile: Profile | None = None
    search: OosSolver | OosSearch = field(init=False, repr=False)
    _rng: np.random.Generator = field(init=False, repr=False)
    _trace: list[Hashable] = field(init=False, repr=False)

    def start(self, game: Tree | Game, seat: int) -> None:
        search_seed, play_seed = np.random.SeedSequence(self.seed).spawn(2)
        seed, self._rng, self._trace = int(search_seed.generate_state(1)[0]), np.random.default_rng(play_seed), []
        if isinstance(game, Tree):
            self.search = OosSolver(game, self.method, seed)
        elif self.method.target == "public":
            raise ParameterError("public targets need a tree; without a tree use target='infoset'.")
        else:
            self.search = OosSearch(game, self.method, choice_by(np.random.default_rng(seed)))

    def observe(self, view: Hashable) -> None:
        """Receive a view at a table without a tree, at the first state and after each move; None at chance."""
        self._trace.append(view)

    def act(self, decision: Decision) -> int:
        self.search.set_target(self._trace or [decision.view], decision.seat)  # on a tree, the last view suffices
        unlimited = self.iterations is None and self.seconds is None
        advance_within(self.search.advance, _EPISODES if unlimited else self.iterations, self.seconds)
        return choice_by(self._rng)(self.search.strategy(decision.seat, decision.view, decision.actions))

    def observe_hand(self, hand: ObservedHand) -> None:
        """See `Agent`; the search keeps its statistics."""
        self._trace.clear()


def choice_by(rng: np.random.Generator) -> Callable[[Sequence[Any]], int]:
    """Return a function that returns an index drawn by probabilities."""
    return lambda probabilities: pick(probabilities, rng.random())


def advance_within(advance: Callable[[int], object], iterations: int | None, seconds: float | None) -> None:
    """Call `advance` until either budget is spent; with time alone, run at least one iteration."""
    if seconds is None:
        advance(iterations or 0)
        return
    end, done, count = time.perf_counter() + seconds, 0, 1
    while (iterations is None or done < iterations) and (
        time.perf_counter() < end or (iterations is None and not done)  # the process may have waited for a core
    ):
        count = count if iterations is None else min(count, iterations - done)
        start = time.perf_counter()
        advance(count)
        done += count
        rate = count / max(time.perf_counter() - start, 1e-9)
        count = max(1, min(int(rate * _PIECE), 4 * count, int(rate * (end - time.perf_counter()))))
