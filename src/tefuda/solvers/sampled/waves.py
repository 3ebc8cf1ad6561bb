"""Many sampled walks over a simulator at once, wave by wave, so that who answers for strategies sees large batches.

A wave holds the histories all walks reach after the same number of decisions. Going down, the player whose walks these
are draws sets of units at its nodes and everybody else one by its strategy; going back, estimates become regrets, as in
_kernels/mccfr.py: with inclusion probabilities rho, values u_a and q the product of rho so far, the regret of *every*
unit is ([a drawn] (u_a - b_a) / rho_a + b_a - u) / q, u their mean by the strategy and b any baseline (0 without one;
Lanctot et al. 2009; Schmid et al. 2019; the set of k units is the robust sampling of Li et al. 2019, corrected).

n histories of a wave, m of them where somebody decides, c children, W walks, F inputs, U units, P players.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from tefuda.forms.simulate import Simulator
from tefuda.settings import Checked, option

#: Strategies `[n, U]` of a player at positions `[n]`, from what it sees `[n, F]` and what is legal `[n, U]`.
Strategies = Callable[[int, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
#: What somebody believes a player gets `[n, U]` after each unit at positions `[n]`.
Baseline = Callable[[int, np.ndarray], np.ndarray]
#: What who decides sees `[n, F]` at positions `[n]`.
Observe = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Drawing(Checked, ABC):
    """A way of drawing units at the nodes of the player whose walks these are.

    shares: whether units that were not drawn get their share of the update. compared: whether rows count for what they
    would under uniform draws.
    """

    shares: ClassVar[bool] = True
    compared: ClassVar[bool] = False

    @abstractmethod
    def drawn(self, strategy: np.ndarray, legal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """`[m, U]` inclusion probabilities of the units drawn at each node, 0 for the others."""


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
        undrawn: what the others get: their ``"share"`` of the update, or ``"nothing"``, which makes regrets biased.
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
        undrawn: what the others get: their ``"share"`` of the update, or ``"nothing"``, which makes regrets biased.
        epsilon: weight of uniform play.

    Raises:
        ParameterError: epsilon is 0, so that actions never tried would bias regrets.
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


class World(NamedTuple):
    """What walks go over and ask: a game, what networks see of it, what all play, and what is expected (or nothing)."""

    simulator: Simulator
    observe: Observe
    strategies: Strategies
    baseline: Baseline | None = None


@dataclass
class Wave:
    """Histories after the same number of decisions; m of them are decisions, whose c children are the next wave."""

    games: np.ndarray  # [n] positions
    value: np.ndarray  # [n] float64 what the player gets: payoffs at ends, estimates elsewhere after `back`
    at: np.ndarray  # [m] int64 which histories are decisions
    mover: np.ndarray  # [m] int64
    own: np.ndarray  # [m] bool whether it is the player whose walks these are
    seen: np.ndarray  # [m, F] float32
    legal: np.ndarray  # [m, U] bool
    strategy: np.ndarray  # [m, U] float64
    rho: np.ndarray  # [m, U] float64 inclusion probabilities, 0: not drawn
    known: np.ndarray | None  # [m, U] float64 the baseline
    q: np.ndarray  # [m] float64 product of rho at own decisions so far
    even: np.ndarray  # [m] float64 what q would be if all were drawn uniformly
    reach: np.ndarray  # [m, P] float64 what each player's strategy has contributed
    parent: np.ndarray  # [c] int64 whose child
    unit: np.ndarray  # [c] int64 by which unit
    estimate: np.ndarray  # [m, U] float64 of each unit's value, after `back`


class Decisions(NamedTuple):
    """What walks met at decisions, one row each."""

    player: np.ndarray  # [n] int64
    seen: np.ndarray  # [n, F] float32
    legal: np.ndarray  # [n, U] bool
    strategy: np.ndarray  # [n, U] float64
    regret: np.ndarray  # [n, U] float64 not yet divided by q; 0 where others move
    q: np.ndarray  # [n] float64, see `Wave`
    even: np.ndarray  # [n] float64, see `Wave`
    reach: np.ndarray  # [n] float64 of the one who decides

    def of(self, rows: np.ndarray) -> Decisions:
        """Some of the rows."""
        return Decisions(*(column[rows] for column in self))


def down(world: World, player: int, walks: int, drawing: Drawing, rng: np.random.Generator) -> list[Wave]:
    """Walk to the ends.

    Args:
        world: the game, and who answers.
        player: whose walks.
        walks: how many.
        drawing: how it draws at its nodes.
        rng: draws chance and units.

    Returns:
        The waves; the first holds all deals.
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


def _decide(world: World, player: int, games: np.ndarray, drawing: Drawing, rng: np.random.Generator) -> Wave:
    """The wave of these histories, with what is drawn there."""
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
    wave.seen, wave.legal = world.observe(going), simulator.legal(going)
    wave.strategy, wave.rho = np.zeros(wave.legal.shape), np.zeros(wave.legal.shape)
    for seat in range(simulator.players):
        rows = np.flatnonzero(mover == seat)
        if len(rows):
            found = world.strategies(seat, going[rows], wave.seen[rows], wave.legal[rows])
            wave.strategy[rows] = found
            wave.rho[rows] = (drawing if seat == player else _PATH).drawn(found, wave.legal[rows], rng)
    if world.baseline is not None:
        wave.known = np.where(wave.legal, world.baseline(player, going), 0.0)
    wave.parent, wave.unit = np.nonzero(wave.rho)
    return wave


def one_each(probabilities: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """`[n]` a column drawn by each row of `[n, U]`."""
    ends = probabilities.cumsum(axis=1)
    return np.asarray((rng.random((len(ends), 1)) * ends[:, -1:] >= ends).sum(axis=1))


def subsets(legal: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """`[n, U]` bool: k of each row's legal units, or all if there are no more, all sets alike."""
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
        # Others drew by their strategy, so what they did needs no share: exactly the child's value without baseline.
        others = parent[~own]
        mean[others] += child[~own] - base[~own]
        wave.estimate, wave.value[wave.at] = estimate, mean


def believe(waves: list[Wave]) -> None:
    """Take what a baseline says of every unit for its value: no walk is weighed (McAleer et al. 2022, ESCHER).

    Regrets are then exact but for the baseline's error, times how often the player comes there by the way it draws; as
    long as that does not depend on strategies, regret matching does not see it.
    """
    for wave in waves:
        if len(wave.at):
            assert wave.known is not None
            wave.estimate, wave.value[wave.at] = wave.known, (wave.strategy * wave.known).sum(axis=1)


def decisions(waves: list[Wave], undrawn: bool = True) -> Decisions:
    """What was met at decisions, once `back` or `believe` ran.

    Args:
        waves: of all walks.
        undrawn: whether units that were not drawn have regrets, too, as they must.
    """
    parts = [wave for wave in waves if len(wave.at)]
    found = {name: np.concatenate([getattr(wave, name) for wave in parts]) for name in _COLUMNS}
    regret = [
        np.where(
            (one.legal if undrawn else one.rho > 0) & one.own[:, None], one.estimate - one.value[one.at, None], 0.0
        )
        for one in parts
    ]
    reach = [one.reach[np.arange(len(one.at)), one.mover] for one in parts]
    return Decisions(
        player=found["mover"], seen=found["seen"], legal=found["legal"], strategy=found["strategy"],
        regret=np.concatenate(regret), q=found["q"], even=found["even"], reach=np.concatenate(reach),
    )  # fmt: skip


_COLUMNS = ("mover", "seen", "legal", "strategy", "q", "even")


def behaviour(world: World, player: int, walks: int, rng: np.random.Generator) -> Decisions:
    """What a player does on paths that it takes by its strategy and all others uniformly: for averages.

    Met at an infoset as often as the player's own reach says, whatever the others play; with two players their
    opponents' walks tell the same at no cost.
    """

    def strategies(seat: int, games: np.ndarray, seen: np.ndarray, legal: np.ndarray) -> np.ndarray:
        found = world.strategies(seat, games, seen, legal)
        return found if seat == player else legal / legal.sum(axis=1, keepdims=True)

    waves = down(world._replace(strategies=strategies, baseline=None), player, walks, _PATH, rng)
    back(waves)
    found = decisions(waves)
    found = found.of(np.flatnonzero(found.player == player))
    ones = np.ones(len(found.q))
    return found._replace(regret=np.zeros(found.regret.shape), q=ones, even=ones)


def matched(regret: np.ndarray, legal: np.ndarray, fallback: str = "uniform") -> np.ndarray:
    """`[n, U]` regret matching: positive parts of legal units, normalised.

    Args:
        regret: `[n, U]`.
        legal: `[n, U]`.
        fallback: where none is positive: ``"uniform"``, or ``"argmax"``, the best legal unit (Brown et al. 2019).
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
