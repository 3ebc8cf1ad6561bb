"""Batches of sampled traversals over a simulator, level by level, as networks need them.

A level contains the histories of all traversals after the same number of decisions. On the way down, nodes of the
traverser (the player to update) sample a set of actions, and other nodes one action by the strategy. On the way back
values become regrets, as in the kernel `mccfr`.

With inclusion probabilities rho, values u_a and q the product of rho so far, the regret of *every* action is
([a sampled] (u_a - b_a) / rho_a + b_a - u) / q. Here u is the mean value of the strategy, and b a baseline or 0
(Lanctot et al. 2009; Schmid et al. 2019). Sets of k actions are the robust sampling of Li et al. 2019, corrected.

Shapes: n histories of a level, m of them decisions, c children, F inputs, U action ids, P players.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from tefuda.forms.simulate import Simulator
from tefuda.settings import Validated, option

#: Returns the strategies `[n, U]` of a player at positions `[n]`, from its inputs `[n, F]` and legal actions `[n, U]`.
Strategies = Callable[[int, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
#: Returns estimates `[n, U]` of a player's payoff after each action at positions `[n]`.
Baseline = Callable[[int, np.ndarray], np.ndarray]
#: Returns the inputs `[n, F]` of the players to move at positions `[n]`.
Observe = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class SamplingScheme(Validated, ABC):
    """A rule that samples actions at the traverser's nodes.

    Attributes:
        updates_unsampled: whether actions that were not sampled are updated too.
        uniform_weights: whether updates are weighted as if actions were sampled uniformly.
    """

    updates_unsampled: ClassVar[bool] = True
    uniform_weights: ClassVar[bool] = False

    @abstractmethod
    def sample(self, strategy: np.ndarray, legal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the inclusion probabilities `[m, U]` of the sampled actions, 0 for the others."""


class External(SamplingScheme):
    """All actions (external sampling)."""

    def sample(self, strategy: np.ndarray, legal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return legal.astype(np.float64)


@dataclass(frozen=True)
class _PartialScheme(SamplingScheme):
    """A scheme that samples some of the actions."""

    unsampled: str = option("share", choices=("share", "nothing"))

    @property
    def updates_unsampled(self) -> bool:  # type: ignore[override]
        return self.unsampled == "share"


@dataclass(frozen=True)
class Uniform(_PartialScheme):
    """k actions, all sets equally likely (robust sampling, Li et al. 2019).

    Args:
        unsampled: update of the other actions: their ``"share"``, or ``"nothing"``, which makes regrets biased.
        k: number of actions.
    """

    k: int = option(3, 1)

    def sample(self, strategy: np.ndarray, legal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        count = legal.sum(axis=1, keepdims=True)
        return np.where(sample_subsets(legal, self.k, rng), np.minimum(self.k, count) / count, 0.0)


@dataclass(frozen=True)
class Outcome(_PartialScheme):
    """One action, by epsilon uniform + (1 - epsilon) strategy (outcome sampling).

    Args:
        unsampled: see `Uniform`.
        epsilon: weight of uniform play, above 0: regrets of actions that are never tried would be biased.
    """

    epsilon: float = option(0.6, 1e-9, 1)
    uniform_weights: ClassVar[bool] = True

    def sample(self, strategy: np.ndarray, legal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        count = legal.sum(axis=1, keepdims=True)
        return _sample_one(self.epsilon * legal / count + (1 - self.epsilon) * strategy, rng)


class OnPolicy(SamplingScheme):
    """One action, by the strategy."""

    def sample(self, strategy: np.ndarray, legal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return _sample_one(strategy, rng)


def _sample_one(probabilities: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    rows, actions = np.arange(len(probabilities)), sample_each(probabilities, rng)
    rho = np.zeros(probabilities.shape)
    rho[rows, actions] = probabilities[rows, actions]
    return rho


#: Sampling schemes by name.
SCHEMES = {"external": External, "uniform": Uniform, "outcome": Outcome}
_ON_POLICY = OnPolicy()


class Environment(NamedTuple):
    """The environment of traversals: game, inputs of networks, strategies, and a baseline or None."""

    simulator: Simulator
    observe: Observe
    strategies: Strategies
    baseline: Baseline | None = None


@dataclass
class Level:
    """The histories of all traversals after the same number of decisions.

    The c children of its m decisions are the next level.
    """

    positions: np.ndarray  # [n]
    values: np.ndarray  # [n] float64 of the traverser: payoffs at ends; elsewhere estimates of `estimate_values`
    decisions: np.ndarray  # [m] int64 indices of the histories that are decisions
    mover: np.ndarray  # [m] int64
    own: np.ndarray  # [m] bool whether the traverser moves
    observations: np.ndarray  # [m, F] float32
    legal: np.ndarray  # [m, U] bool
    strategy: np.ndarray  # [m, U] float64
    rho: np.ndarray  # [m, U] float64 inclusion probabilities, 0: not sampled
    baseline: np.ndarray | None  # [m, U] float64
    q: np.ndarray  # [m] float64 product of rho at own decisions so far
    uniform_q: np.ndarray  # [m] float64 q under uniform sampling
    reach: np.ndarray  # [m, P] float64 each player's contribution
    parent: np.ndarray  # [c] int64
    action: np.ndarray  # [c] int64 from the parent
    estimates: np.ndarray  # [m, U] float64 values of the actions, by `estimate_values`


class Decisions(NamedTuple):
    """The decisions of traversals, one in each row."""

    player: np.ndarray  # [n] int64
    observations: np.ndarray  # [n, F] float32
    legal: np.ndarray  # [n, U] bool
    strategy: np.ndarray  # [n, U] float64
    regret: np.ndarray  # [n, U] float64 not yet divided by q; 0 where opponents move
    q: np.ndarray  # [n] float64, see `Level`
    uniform_q: np.ndarray  # [n] float64, see `Level`
    reach: np.ndarray  # [n] float64 of the player to move

    def select(self, rows: np.ndarray) -> Decisions:
        """Return some of the rows."""
        return Decisions(*(column[rows] for column in self))


def sample_levels(
    environment: Environment, player: int, traversals: int, scheme: SamplingScheme, rng: np.random.Generator
) -> list[Level]:
    """Sample traversals from deals to the ends of games; return their levels.

    player: the traverser.
    traversals: number of traversals.
    scheme: sampling scheme at the traverser's nodes.
    """
    positions = environment.simulator.deal(traversals, rng)
    q, uniform_q = np.ones(traversals), np.ones(traversals)
    reach = np.ones((traversals, environment.simulator.players))
    levels: list[Level] = []
    while len(positions):
        level = _make_level(environment, player, positions, scheme, rng)
        decisions = level.decisions
        level.q, level.uniform_q, level.reach = q[decisions], uniform_q[decisions], reach[decisions]
        levels.append(level)
        parent, action = level.parent, level.action
        own, rho = level.own[parent], level.rho[parent, action]
        q = level.q[parent] * np.where(own, rho, 1.0)
        uniform_q = level.uniform_q[parent] / np.where(own, level.legal.sum(axis=1)[parent], 1)
        reach = level.reach[parent]
        reach[np.arange(len(parent)), level.mover[parent]] *= level.strategy[parent, action]
        parents = level.positions[decisions[parent]]
        positions = environment.simulator.step(parents, action, rng) if len(parent) else parent
    return levels


def _make_level(
    environment: Environment, player: int, positions: np.ndarray, scheme: SamplingScheme, rng: np.random.Generator
) -> Level:
    """Return the level of these positions, with sampled actions."""
    simulator = environment.simulator
    mover = simulator.player(positions)
    decisions, ends = np.flatnonzero(mover >= 0), np.flatnonzero(mover < 0)
    values = np.zeros(len(positions))
    if len(ends):
        values[ends] = simulator.payoffs(positions[ends])[:, player]
    undecided, mover = positions[decisions], mover[decisions]
    own, empty, no_child = mover == player, np.zeros((0, 0)), decisions[:0]
    level = Level(
        positions, values, decisions, mover, own, empty, empty, empty, empty, None, empty, empty, empty, no_child,
        no_child, empty,
    )  # fmt: skip
    if len(decisions) == 0:
        return level
    level.observations, level.legal = environment.observe(undecided), simulator.legal(undecided)
    level.strategy, level.rho = np.zeros(level.legal.shape), np.zeros(level.legal.shape)
    for p in range(simulator.players):
        rows = np.flatnonzero(mover == p)
        if len(rows):
            legal = level.legal[rows]
            strategy = environment.strategies(p, undecided[rows], level.observations[rows], legal)
            level.strategy[rows] = strategy
            level.rho[rows] = (scheme if p == player else _ON_POLICY).sample(strategy, legal, rng)
    if environment.baseline is not None:
        level.baseline = np.where(level.legal, environment.baseline(player, undecided), 0.0)
    level.parent, level.action = np.nonzero(level.rho)
    return level


def sample_each(probabilities: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a column `[n]` sampled by each row of `[n, U]`."""
    ends = probabilities.cumsum(axis=1)
    return np.asarray((rng.random((len(ends), 1)) * ends[:, -1:] >= ends).sum(axis=1))


def sample_subsets(legal: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """Return masks `[n, U]` of k legal actions each, or all if there are fewer; sets are equally likely."""
    if k >= legal.shape[1]:
        return legal
    points = np.where(legal, rng.random(legal.shape), 2.0)
    return np.asarray(legal & (points <= np.partition(points, k - 1, axis=1)[:, k - 1 : k]))


def estimate_values(levels: list[Level]) -> None:
    """Estimate the value of every history, from the ends up."""
    for level, children in zip(levels[-2::-1], levels[:0:-1], strict=True):
        parent, action = level.parent, level.action
        baseline = np.zeros(level.legal.shape) if level.baseline is None else level.baseline
        own = level.own[parent]
        estimates, value, base = baseline.copy(), children.values, baseline[parent, action]
        sampled = parent[own], action[own]
        estimates[sampled] = (value[own] - base[own]) / level.rho[sampled] + base[own]
        mean = (level.strategy * estimates).sum(axis=1)
        # Opponents sample by their strategy, so nothing is divided by rho: the child's value, less its baseline.
        opponents = parent[~own]
        mean[opponents] += value[~own] - base[~own]
        level.estimates, level.values[level.decisions] = estimates, mean


def use_baseline_values(levels: list[Level]) -> None:
    """Use the baseline as the value of every action, without importance weights.

    McAleer et al. 2022, ESCHER.

    But for the baseline's error, these regrets are exact regrets times the probability that the traverser samples its
    way to the decision. Regret matching ignores this factor if it does not depend on strategies.
    """
    for level in levels:
        if len(level.decisions):
            assert level.baseline is not None
            level.estimates = level.baseline
            level.values[level.decisions] = (level.strategy * level.baseline).sum(axis=1)


def collect_decisions(levels: list[Level], unsampled: bool = True) -> Decisions:
    """Return the decisions of traversals whose values were estimated.

    unsampled: whether actions that were not sampled have regrets too.
    """
    parts = []
    for level in levels:
        if len(level.decisions):
            updated = (level.legal if unsampled else level.rho > 0) & level.own[:, None]
            regret = np.where(updated, level.estimates - level.values[level.decisions, None], 0.0)
            reach = level.reach[np.arange(len(level.decisions)), level.mover]
            inputs = (level.mover, level.observations, level.legal, level.strategy)
            parts.append((*inputs, regret, level.q, level.uniform_q, reach))
    return Decisions(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def sample_own_decisions(environment: Environment, player: int, traversals: int, rng: np.random.Generator) -> Decisions:
    """Return a player's decisions in games that it plays by its strategy and opponents uniformly.

    They train averages: infosets occur in proportion to the player's own reach. With two players, the opponent's
    traversals give the same.
    """

    def strategies(p: int, positions: np.ndarray, observations: np.ndarray, legal: np.ndarray) -> np.ndarray:
        strategy = environment.strategies(p, positions, observations, legal)
        return strategy if p == player else legal / legal.sum(axis=1, keepdims=True)

    own_play = environment._replace(strategies=strategies, baseline=None)
    levels = sample_levels(own_play, player, traversals, _ON_POLICY, rng)
    estimate_values(levels)
    decisions = collect_decisions(levels)
    decisions = decisions.select(np.flatnonzero(decisions.player == player))
    ones = np.ones(len(decisions.q))
    return decisions._replace(regret=np.zeros(decisions.regret.shape), q=ones, uniform_q=ones)


def match_regrets(regret: np.ndarray, legal: np.ndarray, fallback: str = "uniform") -> np.ndarray:
    """Return the strategies `[n, U]` of regret matching over legal actions.

    fallback: strategy where no regret is positive: ``"uniform"``, or ``"argmax"`` for the legal action with the largest
    regret (Brown et al. 2019).
    """
    positive = np.where(legal, np.maximum(regret, 0.0), 0.0).astype(np.float64)
    total = positive.sum(axis=1, keepdims=True)
    if fallback == "argmax":
        best = np.where(legal, regret, -np.inf).argmax(axis=1)
        instead = (np.arange(legal.shape[1]) == best[:, None]).astype(np.float64)
    else:
        instead = legal / legal.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        return np.where(total > 0, positive / total, instead)


FALLBACKS = ("uniform", "argmax")
