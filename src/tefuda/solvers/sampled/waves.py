"""Many sampled walks over a simulator at once, wave by wave, so that networks answer large batches.

A wave holds the histories of all walks after the same number of decisions. On the way down the walks' player draws sets
of units at its nodes and every other player one by its strategy; on the way back values become regrets, as in the
kernel `mccfr`: with inclusion probabilities rho, values u_a and q the product of rho so far, the regret of *every* unit
is ([a drawn] (u_a - b_a) / rho_a + b_a - u) / q, u their mean by the strategy and b any baseline (0 without one;
Lanctot et al. 2009; Schmid et al. 2019; the set of k units is the robust sampling of Li et al. 2019, corrected).

n histories of a wave, m of them decisions, c children, W walks, F inputs, U units, P players.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from tefuda.forms.simulate import Simulator
from tefuda.settings import Validated, option

#: Strategies `[n, U]` of a player at positions `[n]`, from its inputs `[n, F]` and the legal units `[n, U]`.
Strategies = Callable[[int, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
#: Estimated payoffs `[n, U]` of a player after each unit at positions `[n]`.
Baseline = Callable[[int, np.ndarray], np.ndarray]
#: The inputs `[n, F]` of the players to move at positions `[n]`.
Observe = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Drawing(Validated, ABC):
    """A way of drawing units at the nodes of the walks' player.

    shares: whether units that were not drawn get their share of the update. compared: whether rows are weighted as
    under uniform draws.
    """

    shares: ClassVar[bool] = True
    compared: ClassVar[bool] = False

    @abstractmethod
    def drawn(self, strategy: np.ndarray, legal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return `[m, U]` the inclusion probabilities of the units drawn at each node, 0 for the others."""


class External(Drawing):
    """All units."""

    def drawn(self, strategy: np.ndarray, legal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """See `Drawing`."""
        return legal.astype(np.float64)


@dataclass(frozen=True)
class _Partial(Drawing):
    """Some units."""

    undrawn: str = option("share", choices=("share", "nothing"))

    @property
    def shares(self) -> bool:  # type: ignore[override]
        """See `Drawing`."""
        return self.undrawn == "share"


@dataclass(frozen=True)
class Uniform(_Partial):
    """k units, all sets alike (robust sampling, Li et al. 2019).

    Args:
        undrawn: update of the others: their ``"share"``, or ``"nothing"``, which makes regrets biased.
        k: number of units.
    """

    k: int = option(3, 1)

    def drawn(self, strategy: np.ndarray, legal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """See `Drawing`."""
        count = legal.sum(axis=1, keepdims=True)
        return np.where(subsets(legal, self.k, rng), np.minimum(self.k, count) / count, 0.0)


@dataclass(frozen=True)
class Outcome(_Partial):
    """One unit, by epsilon uniform + (1 - epsilon) strategy.

    Args:
        undrawn: see `Uniform`.
        epsilon: weight of uniform play, above 0: regrets of actions that are never tried would be biased.
    """

    epsilon: float = option(0.6, 1e-9, 1)
    compared: ClassVar[bool] = True

    def drawn(self, strategy: np.ndarray, legal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """See `Drawing`."""
        count = legal.sum(axis=1, keepdims=True)
        return _one_drawn(self.epsilon * legal / count + (1 - self.epsilon) * strategy, rng)


class Path(Drawing):
    """One unit, by the strategy."""

    def drawn(self, strategy: np.ndarray, legal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """See `Drawing`."""
        return _one_drawn(strategy, rng)


def _one_drawn(strategy: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    rows, units = np.arange(len(strategy)), one_each(strategy, rng)
    rho = np.zeros(strategy.shape)
    rho[rows, units] = strategy[rows, units]
    return rho


#: Ways of drawing by name.
SCHEMES = {"external": External, "uniform": Uniform, "outcome": Outcome}
_PATH = Path()


class Environment(NamedTuple):
    """The environment of walks: a game, the inputs of networks, the strategies, and a baseline or none."""

    simulator: Simulator
    observe: Observe
    strategies: Strategies
    baseline: Baseline | None = None


@dataclass
class Wave:
    """Histories after the same number of decisions; m of them are decisions, whose c children are the next wave."""

    games: np.ndarray  # [n] positions
    value: np.ndarray  # [n] float64 to the walks' player: payoffs at ends, estimates elsewhere after `back`
    at: np.ndarray  # [m] int64 the histories that are decisions
    mover: np.ndarray  # [m] int64
    own: np.ndarray  # [m] bool whether the walks' player moves
    observations: np.ndarray  # [m, F] float32
    legal: np.ndarray  # [m, U] bool
    strategy: np.ndarray  # [m, U] float64
    rho: np.ndarray  # [m, U] float64 inclusion probabilities, 0: not drawn
    known: np.ndarray | None  # [m, U] float64 the baseline
    q: np.ndarray  # [m] float64 product of rho at own decisions so far
    even: np.ndarray  # [m] float64 q under uniform draws
    reach: np.ndarray  # [m, P] float64 each player's contribution
    parent: np.ndarray  # [c] int64
    unit: np.ndarray  # [c] int64 from the parent
    estimate: np.ndarray  # [m, U] float64 of each unit's value, after `back`


class Decisions(NamedTuple):
    """The decisions of walks, one row each."""

    player: np.ndarray  # [n] int64
    observations: np.ndarray  # [n, F] float32
    legal: np.ndarray  # [n, U] bool
    strategy: np.ndarray  # [n, U] float64
    regret: np.ndarray  # [n, U] float64 not yet divided by q; 0 where others move
    q: np.ndarray  # [n] float64, see `Wave`
    even: np.ndarray  # [n] float64, see `Wave`
    reach: np.ndarray  # [n] float64 of the player to move

    def of(self, rows: np.ndarray) -> Decisions:
        """Return some of the rows."""
        return Decisions(*(column[rows] for column in self))


def down(world: Environment, player: int, walks: int, drawing: Drawing, rng: np.random.Generator) -> list[Wave]:
    """Walk from deals to the ends of games; return the waves.

    player: the walks' player. walks: their number. drawing: the way the player draws at its nodes.
    """
    games = world.simulator.deal(walks, rng)
    q, even, reach = np.ones(walks), np.ones(walks), np.ones((walks, world.simulator.players))
    waves: list[Wave] = []
    while len(games):
        wave = _decide(world, player, games, drawing, rng)
        wave.q, wave.even, wave.reach = q[wave.at], even[wave.at], reach[wave.at]
        waves.append(wave)
        parent, unit = wave.parent, wave.unit
        own, share = wave.own[parent], wave.rho[parent, unit]
        q = wave.q[parent] * np.where(own, share, 1.0)
        even = wave.even[parent] / np.where(own, wave.legal.sum(axis=1)[parent], 1)
        reach = wave.reach[parent]
        reach[np.arange(len(parent)), wave.mover[parent]] *= wave.strategy[parent, unit]
        games = world.simulator.step(wave.games[wave.at[parent]], unit, rng) if len(parent) else parent
    return waves


def _decide(world: Environment, player: int, games: np.ndarray, drawing: Drawing, rng: np.random.Generator) -> Wave:
    """Return the wave of these histories, with units drawn."""
    simulator = world.simulator
    mover = simulator.player(games)
    at, over = np.flatnonzero(mover >= 0), np.flatnonzero(mover < 0)
    value = np.zeros(len(games))
    if len(over):
        value[over] = simulator.payoffs(games[over])[:, player]
    going, mover = games[at], mover[at]
    own, none = mover == player, np.zeros((0, 0))
    wave = Wave(games, value, at, mover, own, none, none, none, none, None, none, none, none, at[:0], at[:0], none)
    if len(at) == 0:
        return wave
    wave.observations, wave.legal = world.observe(going), simulator.legal(going)
    wave.strategy, wave.rho = np.zeros(wave.legal.shape), np.zeros(wave.legal.shape)
    for seat in range(simulator.players):
        rows = np.flatnonzero(mover == seat)
        if len(rows):
            found = world.strategies(seat, going[rows], wave.observations[rows], wave.legal[rows])
            wave.strategy[rows] = found
            wave.rho[rows] = (drawing if seat == player else _PATH).drawn(found, wave.legal[rows], rng)
    if world.baseline is not None:
        wave.known = np.where(wave.legal, world.baseline(player, going), 0.0)
    wave.parent, wave.unit = np.nonzero(wave.rho)
    return wave


def one_each(probabilities: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return `[n]` a column drawn by each row of `[n, U]`."""
    ends = probabilities.cumsum(axis=1)
    return np.asarray((rng.random((len(ends), 1)) * ends[:, -1:] >= ends).sum(axis=1))


def subsets(legal: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """Return `[n, U]` bool: k of each row's legal units, or all if there are no more, all sets alike."""
    if k >= legal.shape[1]:
        return legal
    points = np.where(legal, rng.random(legal.shape), 2.0)
    return np.asarray(legal & (points <= np.partition(points, k - 1, axis=1)[:, k - 1 : k]))


def back(waves: list[Wave]) -> None:
    """Estimate the value of every history, from the ends up."""
    for wave, below in zip(waves[-2::-1], waves[:0:-1], strict=True):
        parent, unit = wave.parent, wave.unit
        known = np.zeros(wave.legal.shape) if wave.known is None else wave.known
        own = wave.own[parent]
        estimate, child, base = known.copy(), below.value, known[parent, unit]
        chosen = parent[own], unit[own]
        estimate[chosen] = (child[own] - base[own]) / wave.rho[chosen] + base[own]
        mean = (wave.strategy * estimate).sum(axis=1)
        # Others drew by their strategy, which needs no share: the child's value, less its baseline.
        others = parent[~own]
        mean[others] += child[~own] - base[~own]
        wave.estimate, wave.value[wave.at] = estimate, mean


def believe(waves: list[Wave]) -> None:
    """Use the baseline as the value of every unit, without weights of walks (McAleer et al. 2022, ESCHER).

    Regrets are then exact but for the baseline's error, times the probability that the player draws its way there;
    regret matching ignores this factor as long as it does not depend on strategies.
    """
    for wave in waves:
        if len(wave.at):
            assert wave.known is not None
            wave.estimate, wave.value[wave.at] = wave.known, (wave.strategy * wave.known).sum(axis=1)


def decisions(waves: list[Wave], undrawn: bool = True) -> Decisions:
    """Return the decisions of walks after `back` or `believe`; without `undrawn` only units drawn have regrets."""
    parts = []
    for wave in waves:
        if len(wave.at):
            learned = (wave.legal if undrawn else wave.rho > 0) & wave.own[:, None]
            regret = np.where(learned, wave.estimate - wave.value[wave.at, None], 0.0)
            reach = wave.reach[np.arange(len(wave.at)), wave.mover]
            parts.append((wave.mover, wave.observations, wave.legal, wave.strategy, regret, wave.q, wave.even, reach))
    return Decisions(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def behaviour(world: Environment, player: int, walks: int, rng: np.random.Generator) -> Decisions:
    """Return a player's decisions on paths that it plays by its strategy and all others uniformly, for averages.

    An infoset is met in proportion to the player's own reach. With two players the opponent's walks show the same.
    """

    def strategies(seat: int, games: np.ndarray, observations: np.ndarray, legal: np.ndarray) -> np.ndarray:
        found = world.strategies(seat, games, observations, legal)
        return found if seat == player else legal / legal.sum(axis=1, keepdims=True)

    waves = down(world._replace(strategies=strategies, baseline=None), player, walks, _PATH, rng)
    back(waves)
    found = decisions(waves)
    found = found.of(np.flatnonzero(found.player == player))
    ones = np.ones(len(found.q))
    return found._replace(regret=np.zeros(found.regret.shape), q=ones, even=ones)


def matched(regret: np.ndarray, legal: np.ndarray, fallback: str = "uniform") -> np.ndarray:
    """Return the strategies `[n, U]` of regret matching over legal units.

    Where no regret is positive, they are ``"uniform"``, or with ``"argmax"`` the best legal unit (Brown et al. 2019).
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
