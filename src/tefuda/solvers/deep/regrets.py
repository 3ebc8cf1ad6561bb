"""Solver of every `neural.DeepCFR`: networks learn regrets and averages from sampled traversals.

Random numbers of iteration t depend on (seed, t, player) alone, so a run resumes bit for bit from any
iteration, and fitting a network of averages for an evaluation does not change the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tefuda.errors import ParameterError
from tefuda.evaluating.profile import Profile
from tefuda.files import COUNT, NOT_NEGATIVE, array_specs, check_arrays
from tefuda.forms.simulate import Simulator, TreeSimulator
from tefuda.solvers.deep.baselines import HistoryBaseline
from tefuda.solvers.deep.models import Model, Network, TabularModel
from tefuda.solvers.deep.modules import single_thread
from tefuda.solvers.deep.targets import LEARNERS, LearnerContext, all_targets
from tefuda.solvers.deep.training import TrainingLog
from tefuda.solvers.learned.encoders import distinct_rows, make_encoder, memory_targets
from tefuda.solvers.learned.memories import Memory
from tefuda.solvers.learned.neural import DeepCFR, InfosetFit, Iterates, PolicyNetwork, PolicySum
from tefuda.solvers.learned.policies import CurrentStrategies, IterateAverage, make_strategy
from tefuda.solvers.protocol import Policy, Solver, require_average
from tefuda.solvers.sampled.levels import (
    Baseline,
    Decisions,
    Environment,
    collect_decisions,
    estimate_values,
    match_regrets,
    sample_levels,
    sample_own_decisions,
    use_baseline_values,
)

_WALKS, _AVERAGE, _BASELINE, _OWN_PATHS, _CLONING, _NEXT_VALUES = range(6)  # uses of random numbers
_CLONES = 10  # factor of an iteration's steps when networks are fitted to tables


class PlayerLearners:
    """The learners of one player.

    regrets: learner of regrets. average: model of the average's numerator, or None. strategies: reservoir, or
    None. models, memories: all of them by name. fitted: iteration of the last fit of regrets.
    """

    def __init__(self, solver: DeepSolver, player: int) -> None:
        context, target, average = solver.context, solver.method.regrets, solver.method.average
        rng = solver.generator(0, player)
        self.regrets = LEARNERS[type(target)](context, target, player, rng)
        self.average = solver.make_model(average.fit, rng) if isinstance(average, PolicySum) else None
        self.strategies = context.reservoir(average.rows) if isinstance(average, PolicyNetwork) else None
        self.models, self.memories, self.fitted = dict(self.regrets.models), dict(self.regrets.memories), 0
        if self.average is not None:
            self.models["average"] = self.average
        if self.strategies is not None:
            self.memories["strategies"] = self.strategies


class DeepSolver(Solver):
    """Solver of a `DeepCFR` over a simulator; strategies are profiles of trees, else policies.

    The same seed gives the same run on the same machine.

    Raises:
        ParameterError: a method that needs a tree.
    """

    def __init__(self, simulator: Simulator, method: DeepCFR, seed: int = 0) -> None:
        self.simulator, self.method, self.seed, self.iterations, self.nodes = simulator, method, seed, 0, 0
        self.encoder = make_encoder(simulator, method.reads_tokens)
        tree = simulator if isinstance(simulator, TreeSimulator) else None
        if tree is None and (method.trains_unvisited or method.warm_start):
            raise ParameterError(
                "unvisited='fixed' and warm_start know all infosets, which needs a tree; leave them out over rules."
            )
        if tree is None and isinstance(method.average, Iterates):
            raise ParameterError(
                f"{method.name} averages the strategies of all iterations, which needs a tree; choose "
                "average='network' over rules."
            )
        self.context = LearnerContext(method, self.encoder, simulator.units, self.make_model)
        self.learners = [PlayerLearners(self, player) for player in range(simulator.players)]
        self.iterates = IterateAverage(tree) if tree and isinstance(method.average, Iterates) else None
        self._strategy_table = CurrentStrategies(self.encoder, simulator.players, self._strategy)
        self.baseline: HistoryBaseline | None = None
        if method.baseline is not None:
            strategies, rng = self._strategy_table.of_movers, self.generator(0, 0, _BASELINE)
            self.baseline = HistoryBaseline(self.encoder, method.baseline, strategies, rng)
        self._cached_average: tuple[int, Profile | Policy] | None = None
        errors = [*self.learners[0].regrets.errors, *["baseline"] * (method.baseline is not None)]
        errors += ["average"] * isinstance(method.average, PolicySum)
        self._log = TrainingLog(("traversal", "inference", "fit"), tuple(f"{name}_error" for name in errors))

    def log(self) -> list[dict[str, float]]:
        """See `Solver`: seconds of traversals, inference and fits; mean squared errors of the fits."""
        return list(self._log.rows)

    @property
    def form(self) -> Simulator:
        return self.simulator

    def generator(self, iteration: int, player: int, use: int = _WALKS) -> np.random.Generator:
        """Return the random numbers for one use in one iteration."""
        return np.random.default_rng((self.seed, iteration, player, use))

    def make_model(self, fit: InfosetFit, rng: np.random.Generator, probabilities: bool = False) -> Model:
        """Return a model of infosets: a network, or a table in its place."""
        if fit.network == "table" or self.iterations < self.method.warm_start:
            return TabularModel(self.encoder)
        return Network(self.encoder, fit, rng, probabilities=probabilities)

    def _strategy(self, player: int, observations: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """Return the strategy by regret matching on a player's models; uniform before their first fit."""
        learner = self.learners[player]
        regret = learner.regrets.predict(observations, legal, learner.fitted + 1)
        return match_regrets(regret, legal, self.method.fallback if learner.fitted else "uniform")

    def advance(self, iterations: int) -> None:
        """Run iterations: traversals and fits for each player in turn."""
        with single_thread():
            for _ in range(iterations):
                for player, learner in enumerate(self.learners):
                    self._learn(player, learner, self.iterations + 1)
                self.iterations += 1
                self._log.end(self.iterations, traversals=self.method.traversals * len(self.learners), nodes=self.nodes)
                if self.iterations == self.method.warm_start:
                    self._fit_to_tables()

    def _fit_to_tables(self) -> None:
        """Replace tables by networks that are fitted to them (Li et al. 2019, equation 10)."""
        for player, known in enumerate(self.learners):
            learner = self.learners[player] = PlayerLearners(self, player)
            learner.fitted, tables, rng = known.fitted, known.models, self.generator(self.iterations, player, _CLONING)
            for name, model in learner.models.items():
                fit = self._averaging() if name == "average" else self.method.fit
                rows = all_targets(self.encoder, tables[name], player, None)
                model.fit(rows, replace(fit, steps=_CLONES * fit.steps), rng, fresh=False)
            self._strategy_table.invalidate(player)

    def _learn(self, player: int, learner: PlayerLearners, t: int) -> None:
        """Sample a player's traversals in iteration t, and fit its models."""
        rng, method, timed = self.generator(t, player), self.method, self._log.timed
        strategies, known = timed("inference")(self._strategy_table.strategies), self._known_values(t)
        environment = Environment(self.simulator, self.encoder.observe, strategies, known and timed("inference")(known))
        with timed("traversal"):
            levels = sample_levels(environment, player, method.traversals, method.scheme, rng)
            is_estimated = self.baseline is not None and self.baseline.settings.estimates_regrets
            (use_baseline_values if is_estimated else estimate_values)(levels)
            rows = collect_decisions(levels, unsampled=method.scheme.updates_unsampled)
        self.nodes += sum(len(level.positions) for level in levels)
        with timed("fit"):
            self._average(player, environment, rows, t)
            own = rows.select(np.flatnonzero(rows.player == player))
            for name, error in learner.regrets.learn(own, t, rng).items():
                self._log.add_error(f"{name}_error", error)
            learner.fitted = t
            self._strategy_table.invalidate(player)
            if self.baseline is not None:
                self.baseline.remember(levels)
                following = (player + 1) % self.simulator.players
                error = self.baseline.fit(following, self.generator(t, player, _BASELINE))
                self._log.add_error("baseline_error", error)

    def _known_values(self, t: int) -> Baseline | None:
        """Return the values of actions that traversals of an iteration use, if there is a baseline."""
        baseline = self.baseline
        if baseline is None:
            return None
        if baseline.settings.estimates_regrets:
            return lambda p, games: baseline.next_values(p, games, self.generator(t, p, _NEXT_VALUES))
        return lambda p, games: baseline(p, games, self.simulator.legal(games))

    def _average(self, player: int, environment: Environment, rows: Decisions, t: int) -> None:
        """Add current strategies to the average.

        With two players, the opponent's strategies at the sampled infosets are added; else own paths are sampled.
        """
        other = (player + 1) % self.simulator.players
        weighting = float(t) ** self.method.average.weighting
        if self.iterates is not None:
            self.iterates.add(other, self._strategy_table.table, weighting)
            return
        if self.simulator.players != 2:
            other, rng = player, self.generator(t, player, _OWN_PATHS)
            rows = sample_own_decisions(environment, player, self.method.traversals, rng)
        rows, learner = rows.select(np.flatnonzero(rows.player == other)), self.learners[other]
        if learner.strategies is not None:
            weight = weighting * self.context.weight(rows)
            rng = self.generator(t, other, _AVERAGE)
            learner.strategies.offer(
                rng, observations=rows.observations, legal=rows.legal, target=rows.strategy, weight=weight
            )
        elif learner.average is not None:
            assert isinstance(self.method.average, PolicySum)
            met, model = rows.select(distinct_rows(rows.observations)[0]), learner.average
            count = weighting * met.reach[:, None] * met.strategy
            total = model.predict(met.observations, met.legal) + count
            targets = self.context.with_unvisited(
                model, other, met.observations, met.legal, total, self.method.average.unvisited
            )
            error = model.fit(targets, self._averaging(), self.generator(t, other, _AVERAGE), fresh=False)
            self._log.add_error("average_error", error)

    def _averaging(self) -> InfosetFit:
        assert not isinstance(self.method.average, Iterates)
        return self.method.average.fit

    def average(self) -> Profile | Policy:
        """Return the average strategies; networks of them are fitted now, without changing the run.

        Raises:
            SolverError: no iteration has been run.
        """
        require_average(self.iterations, 0)
        if self._cached_average is None or self._cached_average[0] != self.iterations:
            with single_thread():
                self._cached_average = self.iterations, self._averaged()
        return self._cached_average[1]

    def _averaged(self) -> Profile | Policy:
        if self.iterates is not None:
            return self.iterates.profile()
        models = []
        for player, learner in enumerate(self.learners):
            model, rng = learner.average, self.generator(self.iterations, player, _AVERAGE)
            if model is None:
                assert learner.strategies is not None
                model = self.make_model(self._averaging(), rng, probabilities=True)
                if learner.strategies.size:
                    model.fit(memory_targets(learner.strategies), self._averaging(), rng, fresh=False)
            models.append(model)

        def answer(player: int, observations: np.ndarray, legal: np.ndarray) -> np.ndarray:
            return match_regrets(models[player].predict(observations, legal), legal)

        return make_strategy(self.encoder, answer)

    def current(self) -> Profile | Policy:
        with single_thread():
            return make_strategy(self.encoder, self._strategy)

    def _parts(self) -> dict[str, Model | Memory]:
        """Return models and memories by the prefix of their arrays in a state."""
        found: dict[str, Model | Memory] = {
            f"{place}.{kind}.": part
            for place, learner in enumerate(self.learners)
            for kind, part in (learner.models | learner.memories).items()
        }
        if self.baseline is not None:
            found |= {f"baseline.{place}.": network for place, network in enumerate(self.baseline.networks)}
            found["baseline.memory."] = self.baseline.memory
        return found

    def state(self) -> dict[str, np.ndarray]:
        """See `Solver`; memories are saved as filled rows."""
        fitted = np.array([learner.fitted for learner in self.learners])
        found = {"iterations": np.array(self.iterations), "nodes": np.array(self.nodes), "fitted": fitted}
        for prefix, part in self._parts().items():
            found |= {f"{prefix}{name}": array for name, array in part.state().items()}
        if self.iterates is not None:
            found["iterates"] = self.iterates.total.copy()
        return found

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        count = {"iterations": state.get("iterations", np.zeros(0))}
        check_arrays("the state", count, array_specs({"iterations": np.array(0)}))
        was, self.iterations = self.iterations, int(state["iterations"])
        warm = self.method.warm_start  # tables before networks take over
        if (was < warm) != (self.iterations < warm):
            self.learners = [PlayerLearners(self, player) for player in range(self.simulator.players)]
        self._check(state)
        self.nodes, self._cached_average = int(state["nodes"]), None
        for prefix, part in self._parts().items():
            part.restore(_of(state, prefix))
        if self.iterates is not None:
            self.iterates.total[:] = state["iterates"]
        for player, learner in enumerate(self.learners):
            learner.fitted = int(state["fitted"][player])
            self._strategy_table.invalidate(player)

    def _check(self, state: Mapping[str, np.ndarray]) -> None:
        """Refuse a state with other arrays, or with unusable memories."""
        memories = {prefix: part for prefix, part in self._parts().items() if isinstance(part, Memory)}
        for prefix, memory in memories.items():
            memory.check(_of(state, prefix))
        if self.baseline is not None:
            self.baseline.check(_of(state, "baseline.memory."))
        arrays = [
            {name: array for name, array in one.items() if not name.startswith(tuple(memories))}
            for one in (state, self.state())
        ]
        check_arrays("the state", arrays[0], array_specs(arrays[1], iterates=NOT_NEGATIVE, fitted=COUNT))


def _of(state: Mapping[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    """Return the arrays whose names have this prefix, without the prefix."""
    return {name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)}
