"""A network of what every action at a history is worth, which walks subtract to vary less (Steinberger et al. 2020).

It reads what all players see together. Every player has a network of its own, so nothing is assumed of how payoffs of
several players go together; only that of the player whose walks come next is fitted. Targets are those of expected
Sarsa: the payoff, or the mean of the next decision's answers by the strategies in force there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np

from tefuda.forms.simulate import Simulator, TreeSimulator
from tefuda.solvers.deep.models import Network
from tefuda.solvers.deep.steps import RulesSteps, Steps, TreeSteps, steps_of
from tefuda.solvers.learned.encoders import Encoder, Targets
from tefuda.solvers.learned.memories import Ring
from tefuda.solvers.learned.neural import Fit
from tefuda.solvers.sampled.waves import Wave

_RENEWED = 50  # steps between copies of the network that gives targets
_PLAYED = 100  # random games whose payoffs give the unit of a simulator's values

#: Strategies of players `[n]` from what they see and what is legal.
Played = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


class Baseline:
    """Learned values of histories.

    Args:
        simulator: the game.
        encoder: what is read of it.
        make: a network for histories, reading rows of a width.
        rng: draws its first weights.
        capacity: of the steps remembered.
    """

    def __init__(
        self, simulator: Simulator, encoder: Encoder, make: Callable[[np.random.Generator], Network],
        rng: np.random.Generator, capacity: int,
    ) -> None:  # fmt: skip
        self.simulator, self.encoder, size = simulator, encoder, largest_payoff(simulator)
        self.networks, self.targets = [make(rng) for _ in range(simulator.players)], make(rng)
        for network in (*self.networks, self.targets):
            network.measure(size)
        self.steps = steps_of(simulator, encoder)
        self.memory = Ring(capacity, **self.steps.columns)

    def __call__(self, player: int, games: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """`[n, U]` what a player is expected to get."""
        return self.networks[player].answers(self.encoder.observe_all(games), legal)

    def ahead(self, player: int, games: np.ndarray, played: Played, rng: np.random.Generator) -> np.ndarray:
        """`[n, U]` what follows each legal unit: payoffs at ends, else what the next decision is worth as it is played.

        Args:
            player: who gets it.
            games: `[n]` positions where somebody decides.
            played: strategies in force.
            rng: of chance on the way.
        """
        simulator, legal = self.simulator, self.simulator.legal(games)
        found, (row, unit) = np.zeros(legal.shape), np.nonzero(legal)
        after = simulator.step(games[row], unit, rng)
        mover, worth = simulator.player(after), np.zeros(len(after))
        over, on = mover < 0, mover >= 0
        if over.any():
            worth[over] = simulator.payoffs(after[over])[:, player]
        if on.any():
            choices, seen = simulator.legal(after[on]), self.encoder.observe(after[on])
            worth[on] = (played(mover[on], seen, choices) * self(player, after[on], choices)).sum(axis=1)
        found[row, unit] = worth
        return found

    def remember(self, waves: list[Wave]) -> None:
        """Every step of these walks."""
        for wave, below in pairwise(waves):
            self.memory.add(**self.steps.rows(wave, below))

    def fit(self, player: int, played: Played, fitting: Fit, rng: np.random.Generator) -> float:
        """Fit a player's network from new weights to all steps remembered, if any; return the mean squared error."""
        if self.memory.filled == 0:
            return 0.0
        lessons = Lessons(self, player, played, fitting.batch, rng)
        return self.networks[player].train(lessons, fitting, rng, fresh=True)

    def target(self, player: int, played: Played, steps: Steps) -> Targets:
        """What steps should be worth: the payoff, or the mean of the next decision's targets."""
        on = np.flatnonzero(steps.goes_on)
        target, units = steps.payoff[:, player].astype(np.float64), steps.legal.shape[1]
        if len(on):
            worth = self.targets.answers(steps.after[on], steps.choices[on])
            target[on] = (played(steps.mover[on], steps.seen[on], steps.choices[on]) * worth).sum(axis=1)
        weight = np.zeros(steps.legal.shape)
        weight[np.arange(len(target)), steps.unit] = steps.times / steps.times.sum()  # of one unit a row
        return Targets(steps.history, steps.legal, np.repeat(target[:, None], units, axis=1), weight)

    def state(self) -> dict[str, np.ndarray]:
        """Copies of everything that changes, by name."""
        found = {f"memory.{name}": column for name, column in self.memory.state().items()}
        for place, network in enumerate(self.networks):
            found |= {f"{place}.{name}": weights for name, weights in network.state().items()}
        return found

    def check(self, state: Mapping[str, np.ndarray]) -> None:
        """Refuse steps that could not be used."""
        self.steps.check(self.memory, part(state, "memory."))

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go on from a state that was checked."""
        self.memory.restore(part(state, "memory."))
        for place, network in enumerate(self.networks):
            network.restore(part(state, f"{place}."))


class Lessons:
    """The minibatches of a fit, by step. Over a tree whole: targets change only with the network that gives them."""

    def __init__(self, baseline: Baseline, player: int, played: Played, batch: int, rng: np.random.Generator) -> None:
        self._baseline, self._player, self._played, self._batch, self._rng = baseline, player, played, batch, rng
        steps, memory = baseline.steps, baseline.memory
        self._all = steps.all(memory) if batch == 0 or isinstance(steps, TreeSteps) else None

    def __call__(self, step: int) -> Targets:
        """See `Network.train`."""
        baseline = self._baseline
        if step % _RENEWED == 0:
            baseline.targets.net.load_state_dict(baseline.networks[self._player].net.state_dict())
            if self._all is not None:
                self._rows = baseline.target(self._player, self._played, self._all)
                self._mean = baseline.encoder.summed(self._rows, histories=True)
        if self._all is None:
            assert isinstance(baseline.steps, RulesSteps)
            steps = baseline.steps.some(baseline.memory, self._batch, self._rng)
            return baseline.target(self._player, self._played, steps)
        if self._batch == 0:
            return self._mean
        # Rows are drawn as often as they are remembered: so many of each child.
        met = self._rng.multinomial(self._batch, self._all.times / self._all.times.sum())
        weight = np.zeros(self._rows.weight.shape)
        weight[np.arange(len(met)), self._all.unit] = met / self._batch
        return baseline.encoder.summed(self._rows._replace(weight=weight), histories=True)


def part(state: Mapping[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    """The arrays whose names begin so, without that."""
    return {name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)}


def largest_payoff(simulator: Simulator) -> float:
    """The largest payoff by size, the unit of values: of a tree exactly, else of some random games; 1 if all are 0."""
    known = simulator.tree.payoffs if isinstance(simulator, TreeSimulator) else some_payoffs(simulator)
    return float(np.abs(known).max()) or 1.0


def some_payoffs(simulator: Simulator) -> np.ndarray:
    """`[games, P]` payoffs of random games, always the same ones."""
    rng = np.random.default_rng(0)
    games, found = simulator.deal(_PLAYED, rng), []
    while len(games):
        over = simulator.player(games) < 0
        found.append(simulator.payoffs(games[over]) if over.any() else np.zeros((0, simulator.players)))
        games = games[~over]
        if len(games):
            legal = simulator.legal(games)
            games = simulator.step(games, np.where(legal, rng.random(legal.shape), -1.0).argmax(axis=1), rng)
    return np.concatenate(found)
