"""Agents that search during play: online outcome sampling, on a tree or over plain rules."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from tefuda.errors import ParameterError
from tefuda.evaluating.profile import Profile
from tefuda.forms.tree import Tree
from tefuda.games.protocol import Game
from tefuda.playing.agents import Decision, ObservedHand
from tefuda.solvers.sampled.oos import OOS, OnlineSampling, OosSolver
from tefuda.solvers.sampled.search import GeneratorSource, OosSearch

_PIECE = 0.02  # seconds between readings of the clock


class OosAgent:
    """Agent that searches at each decision and plays the average strategy of the search.

    Args:
        game: a tree, or rules if the game is too large to compile.
        method: method of the search.
        iterations: budget of a decision, in episodes of each player.
        seconds: budget of a decision, in seconds; the search ends when either budget is spent.
        seed: random seed.

    Raises:
        ParameterError: no budget, or public targets without a tree.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> player = td.playing.OosAgent(tree, iterations=20)
    >>> player.start(0)
    >>> player.observe("K|")
    >>> player.act(("p", "b")) in ("p", "b")
    True
    """

    def __init__(
        self,
        game: Tree | Game,
        method: OnlineSampling = OOS,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        seed: int = 0,
    ) -> None:
        if iterations is None and seconds is None:
            raise ParameterError("OosAgent needs a budget for each decision: iterations or seconds.")
        if not isinstance(game, Tree) and method.target == "public":
            raise ParameterError("public targets need a tree; without a tree use target='infoset'.")
        search_seed, play_seed = np.random.SeedSequence(seed).spawn(2)
        self.rng, self.iterations, self.seconds = np.random.default_rng(play_seed), iterations, seconds
        seeds = int(search_seed.generate_state(1)[0])
        self.search: OosSolver | OosSearch = (
            OosSolver(game, method, seeds)
            if isinstance(game, Tree)
            else OosSearch(game, method, GeneratorSource(np.random.default_rng(seeds)))
        )
        self.player, self.trace = 0, []  # type: tuple[int, list[Hashable]]

    def start(self, player: int) -> None:
        """Start a new match in a seat, without memory."""
        self.player, self.trace = player, []
        self.search.clear()

    def observe(self, view: Hashable) -> None:
        """Receive the player's view at the first state and after each move; None at chance."""
        self.trace.append(view)

    def act(self, actions: Sequence[Hashable]) -> Hashable:
        """Search; return an action drawn from the average strategy at the last view."""
        self.search.set_target(self.trace, self.player)
        advance_within(self.search.advance, self.iterations, self.seconds)
        strategy = self.search.strategy(self.player, self.trace[-1], actions)
        return actions[GeneratorSource(self.rng).choice(strategy)]


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


@dataclass
class SearchAgent:
    """Agent that searches by online outcome sampling at each decision.

    Args:
        name: its name.
        method: method of the search.
        iterations: budget of a decision, in episodes of each player.
        seed: random seed.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> against = td.ProfileAgent("u", td.Profile.uniform(tree))
    >>> td.duplicate_match(tree, [td.playing.SearchAgent("s", iterations=5), against], deals=2).agents
    ('s', 'u')
    """

    name: str
    method: OnlineSampling = OOS
    iterations: int = 1000
    seed: int = 0
    profile: Profile | None = None
    _search: OosAgent = field(init=False, repr=False)
    _observed: bool = field(default=False, init=False, repr=False)

    def start(self, game: Tree | Game, seat: int) -> None:
        """See `Agent`."""
        self._search = OosAgent(game, self.method, iterations=self.iterations, seed=self.seed)
        self._search.start(seat)

    def observe(self, view: Hashable) -> None:
        """Receive a view at a table without a tree."""
        self._observed = True
        self._search.observe(view)

    def act(self, decision: Decision) -> int:
        """See `Agent`."""
        if not self._observed:  # on a tree, the last view suffices
            self._search.observe(decision.view)
        return decision.actions.index(self._search.act(decision.actions))

    def observe_hand(self, hand: ObservedHand) -> None:
        """See `Agent`; the search keeps its statistics."""
        self._search.trace.clear()
