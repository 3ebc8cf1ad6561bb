"""Tournaments of two-player games: every agent against every other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from tefuda.errors import ParameterError
from tefuda.forms.tree import Tree
from tefuda.games.answers import require_game
from tefuda.games.protocol import Game
from tefuda.playing.agents import Agent, check_agents
from tefuda.playing.match import check_match, duplicate_match
from tefuda.views import Viewed, short_repr
from tefuda.words import distinct
from tefuda.workers import Counting, spread


@dataclass(frozen=True, eq=False)
class CrossTable(Viewed):
    """Every agent against every other: `won[a, b]` the winnings a hand of a from b, and their standard errors."""

    agents: tuple[str, ...]
    won: np.ndarray  # [A, A]
    error: np.ndarray  # [A, A]

    __repr__ = short_repr

    @property
    def mean(self) -> np.ndarray:
        """`[A]` the mean winnings of each agent from the others."""
        return np.asarray(self.won.sum(axis=1) / (len(self.agents) - 1))


class Pair(NamedTuple):
    """The winnings a hand of two agents, given by their positions, from each other, with standard errors."""

    places: tuple[int, int]
    won: np.ndarray  # [2]
    error: np.ndarray  # [2]


def cross_table(
    game: Tree | Game,
    agents: Sequence[Agent],
    *,
    deals: int = 1000,
    seed: int = 0,
    workers: int | Executor = 1,
    progress: Counting | None = None,
    see: Callable[[Pair], object] = lambda pair: None,
) -> CrossTable:
    """Play a tournament of a two-player game: all pairs play duplicate matches of the same deals.

    Args:
        game: a tree, or rules, for two players.
        agents: two or more.
        deals: number of deals of each match, each played in both seatings.
        seed: random seed of cards and luck, the same for all pairs.
        workers: a number of processes, or an executor; the result is the same.
        progress: called with the pairs done and in all.
        see: called with every pair that has played; if workers die, again for some.

    Returns:
        The winnings a hand of every agent from every other, with standard errors.

    Raises:
        ParameterError: a game of more players, or fewer than two agents.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> agents = td.named_agents(tree, ["uniform", "always-raise", "always-pass"])
    >>> td.cross_table(tree, agents).won[1].round(4).tolist()
    [0.375, 0.0, 1.0]
    """
    check_match(deals, seed)
    check_agents(agents)
    if not isinstance(game, Tree):
        require_game(game)
    check_pairs(game, len(agents))
    pairs = combinations(range(len(agents)), 2)
    tasks = [(game, pair, [agents[place] for place in pair], deals, seed) for pair in pairs]
    won, error = np.zeros((2, len(agents), len(agents)))
    for pair in spread(workers, _play_pair, tasks, progress, see):
        places = (pair.places, pair.places[::-1])
        won[places], error[places] = pair.won, pair.error
    return CrossTable(distinct([agent.name for agent in agents]), won, error)


def check_pairs(game: Tree | Game, agents: int) -> None:
    """Raise ParameterError unless so many agents can play a tournament of a game."""
    if game.players != 2 or agents < 2:
        raise ParameterError(f"a cross table is for two players and two agents at least; got {agents} agents.")


def _play_pair(task: tuple[Tree | Game, tuple[int, int], list[Agent], int, int]) -> Pair:
    game, places, agents, deals, seed = task
    found = duplicate_match(game, agents, deals=deals, seed=seed)
    return Pair(places, found.mean, found.error)
