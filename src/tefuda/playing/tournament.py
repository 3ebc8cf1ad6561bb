"""Tournaments of two-player games: every agent against every other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from tefuda.errors import ParameterError, check_range, check_seed
from tefuda.forms.tree import Tree
from tefuda.playing.agents import Agent, check_agents
from tefuda.playing.match import distinct, duplicate_match
from tefuda.views import Viewed, short_repr
from tefuda.workers import spread


@dataclass(frozen=True, eq=False)
class CrossTable(Viewed):
    """Every agent against every other: `won[a, b]` `[A, A]` what a wins a hand from b, and its standard error."""

    agents: tuple[str, ...]
    won: np.ndarray
    error: np.ndarray

    __repr__ = short_repr

    @property
    def mean(self) -> np.ndarray:
        """`[A]` what each wins against the others, the mean."""
        return np.asarray(self.won.sum(axis=1) / (len(self.agents) - 1))


def cross_table(
    tree: Tree,
    agents: Sequence[Agent],
    *,
    deals: int = 1000,
    seed: int = 0,
    workers: int | Executor = 1,
    progress: Callable[[int, int], None] | None = None,
) -> CrossTable:
    """A tournament of a two-player game: all pairs play duplicate matches of the same deals, spread over workers.

    `progress` is told pairs done and in all.

    Returns:
        What every agent wins a hand from every other, with standard errors.

    Raises:
        ParameterError: a game of more players, or fewer than two agents.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> agents = tf.named_agents(tree, ["uniform", "always-raise", "always-pass"])
    >>> tf.cross_table(tree, agents).won[1].round(4).tolist()
    [0.375, 0.0, 1.0]
    """
    check_range("deals", deals, 1)
    check_seed(seed)
    check_agents(agents)
    if tree.players != 2 or len(agents) < 2:
        raise ParameterError(f"a cross table is for two players and two agents at least; got {len(agents)} agents.")
    pairs = [(one, two) for one in range(len(agents)) for two in range(one + 1, len(agents))]
    tasks = [(tree, agents[one], agents[two], deals, seed) for one, two in pairs]
    found = spread(workers, _play_pair, tasks, progress)
    won, error = np.zeros((2, len(agents), len(agents)))
    for (one, two), (mean, deviation) in zip(pairs, found, strict=True):
        won[[one, two], [two, one]], error[[one, two], [two, one]] = mean, deviation
    return CrossTable(distinct([agent.name for agent in agents]), won, error)


def _play_pair(task: tuple[Tree, Agent, Agent, int, int]) -> tuple[np.ndarray, np.ndarray]:
    tree, one, two, deals, seed = task
    found = duplicate_match(tree, [one, two], deals=deals, seed=seed)
    return found.mean, found.error
