"""Networks of history values that reduce the variance of traversals (Steinberger et al. 2020).

They read the observations of all players. Every player has its own network, so payoffs may have any sum;
only the network of the player whose traversals come next is fitted. Targets are those of expected Sarsa:
the payoff, or the mean of the next decision's values by the current strategies.

Over trees a step is stored as the number of its child, so a million stored steps are a million numbers,
and a fit to all of them has one row per child, weighted by its count. Over rules all observations are
stored. n steps, U units, P players.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tefuda.errors import RunError
from tefuda.forms.simulate import Simulator, TreeSimulator
from tefuda.games.protocol import CHANCE
from tefuda.solvers.deep.models import Network
from tefuda.solvers.learned.encoders import Encoder, Targets, TreeEncoder
from tefuda.solvers.learned.memories import Column, Memory, RingBuffer
from tefuda.solvers.learned.neural import Baseline
from tefuda.solvers.sampled.levels import Level

_TARGET_EVERY = 50  # steps between updates of the target network
_PLAYED = 100  # random games whose largest payoff is the unit of values

#: Function of players `[n]`, observations and legal units that returns strategies.
MoverStrategies = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


class Steps(NamedTuple):
    """Steps from a history by a unit to the next decision or the end."""

    history: np.ndarray  # [n] or [n, F] observation of all players
    legal: np.ndarray  # [n, U] bool
    unit: np.ndarray  # [n] int64
    payoff: np.ndarray  # [n, P]; 0 where the game continues
    continues: np.ndarray  # [n] 1 or 0; the fields below are unused where it is 0
    next_history: np.ndarray  # [n] or [n, F] observation of all players at the next decision
    mover: np.ndarray  # [n] player to move
    observations: np.ndarray  # [n] or [n, F] its observation
    next_legal: np.ndarray  # [n, U] bool legal units
    counts: np.ndarray  # [n] float64 number of visits

    def take(self, rows: np.ndarray) -> Steps:
        """Return some of the rows."""
        return Steps(*(column[rows] for column in self))


class TreeSteps:
    """Steps of a tree, stored as the number of the child; `child`: the nodes that decisions lead to."""

    def __init__(self, simulator: TreeSimulator) -> None:
        tree, legal = simulator.tree, simulator.infoset_legal
        parent, unit = decisions_before(simulator)
        self.child = np.flatnonzero((parent >= 0) & (tree.player != CHANCE))
        self.columns: dict[str, Column] = {"child": ((), np.int32)}
        self.bounds = {"child": (0, len(tree.player) - 1)}
        before, infoset = parent[self.child], tree.infoset[self.child]
        on = infoset >= 0
        self.steps = Steps(
            before.astype(np.int32), legal[tree.infoset[before]], unit[self.child],
            np.where(on[:, None], 0.0, simulator.payoffs(self.child)), on.astype(np.float64),
            self.child.astype(np.int32), tree.player[self.child], infoset.astype(np.int32), legal[infoset],
            np.zeros(len(self.child)),
        )  # fmt: skip

    def rows(self, level: Level, children: Level) -> dict[str, np.ndarray]:
        """Return the memory rows of the steps between two levels."""
        return {"child": children.positions.astype(np.int32)}

    def all(self, memory: Memory) -> Steps:
        """Return one row for each stored child."""
        count = np.bincount(memory.filled_rows()["child"], minlength=self.child[-1] + 1)[self.child]
        met = np.flatnonzero(count)
        return self.steps._replace(counts=count.astype(np.float64)).take(met)


def decisions_before(simulator: TreeSimulator) -> tuple[np.ndarray, np.ndarray]:
    """Return `[N]` the last decision before a node (-1: none), ignoring chance, and `[N]` its unit."""
    tree = simulator.tree
    child, before = np.arange(len(tree.player)), tree.parent.astype(np.int64)
    while len(chance := np.flatnonzero((before >= 0) & (tree.player[before] == CHANCE))):
        child[chance] = before[chance]
        before[chance] = tree.parent[before[chance]]
    infoset, action = tree.infoset[before], child - tree.first_child[before]
    stands = simulator.infoset_legal[infoset] & (simulator.infoset_action[infoset] == action[:, None])
    return before, stands.argmax(axis=1)


class RulesSteps:
    """Steps of rules, stored as observations."""

    def __init__(self, simulator: Simulator, encoder: Encoder) -> None:
        self.simulator, self.encoder = simulator, encoder
        units = ((simulator.units,), bool)
        self.columns: dict[str, Column] = {
            "history": encoder.history_column, "legal": units, "unit": ((), np.int64),
            "payoff": ((simulator.players,), np.float32), "continues": ((), np.float32),
            "next_history": encoder.history_column, "mover": ((), np.int8),
            "observations": encoder.column, "next_legal": units,
        }  # fmt: skip
        unit, mover = (0, simulator.units - 1), (0, simulator.players - 1)
        self.bounds = {**encoder.bounds, "unit": unit, "mover": mover, "continues": (0, 1)}

    def rows(self, level: Level, children: Level) -> dict[str, np.ndarray]:
        count, parent = len(level.parent), level.parent
        rows = {name: np.zeros((count, *shape), dtype=kind) for name, (shape, kind) in self.columns.items()}
        rows["history"][:] = self.encoder.observe_histories(level.positions[level.decisions])[parent]
        rows["legal"][:], rows["unit"][:] = level.legal[parent], level.action
        ends, on = np.setdiff1d(np.arange(count), children.decisions), children.decisions
        if len(ends):
            rows["payoff"][ends] = self.simulator.payoffs(children.positions[ends])
        if len(on):
            rows["next_history"][on] = self.encoder.observe_histories(children.positions[on])
            rows["observations"][on], rows["mover"][on] = children.observations, children.mover
            rows["next_legal"][on] = children.legal
            rows["continues"][on] = 1.0
        return rows

    def all(self, memory: Memory) -> Steps:
        """Return one row for each stored step."""
        return self._steps(memory.filled_rows())

    def sample(self, memory: Memory, count: int, rng: np.random.Generator) -> Steps:
        """Sample a minibatch."""
        return self._steps(dict(zip(memory.columns, memory.sample(count, rng), strict=True)))

    def _steps(self, rows: dict[str, np.ndarray]) -> Steps:
        return Steps(*[*(rows[name] for name in self.columns), np.ones(len(rows["unit"]))])


class HistoryBaseline:
    """Learned values of histories.

    Args:
        encoder: encoder of the game.
        settings: the networks, and the number of stored steps.
        strategies: current strategies.
        rng: source of the first weights.
    """

    def __init__(
        self, encoder: Encoder, settings: Baseline, strategies: MoverStrategies, rng: np.random.Generator
    ) -> None:
        self.simulator: Simulator = encoder.simulator
        self.encoder, self.settings, self._strategies = encoder, settings, strategies
        *self.networks, self.targets = (
            Network(encoder, settings.fit, rng, histories=True) for _ in range(self.simulator.players + 1)
        )
        for network in (*self.networks, self.targets):
            network.set_scale(largest_payoff(self.simulator))
        self.steps: TreeSteps | RulesSteps = (
            TreeSteps(encoder.simulator) if isinstance(encoder, TreeEncoder) else RulesSteps(self.simulator, encoder)
        )
        self.memory = RingBuffer(settings.rows, self.steps.bounds, **self.steps.columns)

    def __call__(self, player: int, games: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """Return `[n, U]` expected payoffs of a player."""
        return self.networks[player].predict(self.encoder.observe_histories(games), legal)

    def next_values(self, player: int, games: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return `[n, U]` the value after each legal unit: a payoff, or the next decision's expected value.

        Args:
            player: player whose value is returned.
            games: `[n]` positions at decisions.
            rng: source of chance.
        """
        simulator, legal = self.simulator, self.simulator.legal(games)
        found, (row, unit) = np.zeros(legal.shape), np.nonzero(legal)
        next_games = simulator.step(games[row], unit, rng)
        mover, values = simulator.player(next_games), np.zeros(len(next_games))
        over, on = mover < 0, mover >= 0
        if over.any():
            values[over] = simulator.payoffs(next_games[over])[:, player]
        if on.any():
            next_legal, observations = simulator.legal(next_games[on]), self.encoder.observe(next_games[on])
            strategies = self._strategies(mover[on], observations, next_legal)
            values[on] = (strategies * self(player, next_games[on], next_legal)).sum(axis=1)
        found[row, unit] = values
        return found

    def check(self, state: Mapping[str, np.ndarray]) -> None:
        """Raise RunError if a state of the memory has steps that no decision leads to."""
        if isinstance(self.steps, TreeSteps) and not np.isin(state["child"], self.steps.child).all():
            raise RunError("the state is damaged: it has steps that no decision leads to.")

    def remember(self, levels: list[Level]) -> None:
        """Store every step of these traversals."""
        for level, children in pairwise(levels):
            self.memory.add(**self.steps.rows(level, children))

    def fit(self, player: int, rng: np.random.Generator) -> float:
        """Fit a player's network from new weights to all stored steps; return the mean squared error."""
        if self.memory.size == 0:
            return 0.0
        return self.networks[player].train(self._minibatches(player, rng), self.settings.fit, rng, fresh=True)

    def _minibatches(self, player: int, rng: np.random.Generator) -> Callable[[int], Targets]:
        """Return a function of the step that returns its minibatch.

        Over a tree, targets change only with the target network.
        """
        steps, memory, batch = self.steps, self.memory, self.settings.fit.batch
        known = steps.all(memory) if batch == 0 or isinstance(steps, TreeSteps) else None
        rows: Targets

        def drawn(step: int) -> Targets:
            nonlocal rows
            if step % _TARGET_EVERY == 0:
                self.targets.net.load_state_dict(self.networks[player].net.state_dict())
                if known is not None:
                    rows = self.target(player, known)
                    rows = rows if batch else self.encoder.aggregate(rows, histories=True)
            if known is None:
                assert isinstance(steps, RulesSteps)
                return self.target(player, steps.sample(memory, batch, rng))
            if batch == 0:
                return rows
            # Rows are drawn in proportion to the number of stored copies of each child.
            met = rng.multinomial(batch, known.counts / known.counts.sum())
            weight = np.zeros(rows.weight.shape)
            weight[np.arange(len(met)), known.unit] = met / batch
            return self.encoder.aggregate(rows._replace(weight=weight), histories=True)

        return drawn

    def target(self, player: int, steps: Steps) -> Targets:
        """Return the targets of steps: the payoff, or the expected value at the next decision."""
        on = np.flatnonzero(steps.continues)
        target, units = steps.payoff[:, player].astype(np.float64), steps.legal.shape[1]
        if len(on):
            values = self.targets.predict(steps.next_history[on], steps.next_legal[on])
            strategies = self._strategies(steps.mover[on], steps.observations[on], steps.next_legal[on])
            target[on] = (strategies * values).sum(axis=1)
        weight = np.zeros(steps.legal.shape)
        weight[np.arange(len(target)), steps.unit] = steps.counts / steps.counts.sum()  # of one unit a row
        return Targets(steps.history, steps.legal, np.repeat(target[:, None], units, axis=1), weight)


def largest_payoff(simulator: Simulator) -> float:
    """Return the largest absolute payoff of a tree, or of some random games; 1 if all are 0."""
    if isinstance(simulator, TreeSimulator):
        return float(np.abs(simulator.tree.payoffs).max()) or 1.0
    rng = np.random.default_rng(0)
    games, largest = simulator.deal(_PLAYED, rng), 0.0
    while len(games):
        over = simulator.player(games) < 0
        if over.any():
            largest = max(largest, float(np.abs(simulator.payoffs(games[over])).max()))
        games = games[~over]
        if len(games):
            legal = simulator.legal(games)
            games = simulator.step(games, np.where(legal, rng.random(legal.shape), -1.0).argmax(axis=1), rng)
    return largest or 1.0
