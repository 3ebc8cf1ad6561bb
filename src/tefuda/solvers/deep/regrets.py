"""Regrets and averages learned by networks from sampled walks: the solver of every `neural.DeepCFR`.

Everything random in iteration t depends on (seed, t, player) alone, so a run goes on to the bit from any iteration, and
networks of averages, which are fitted when somebody looks, change nothing in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tefuda.errors import ParameterError
from tefuda.files import COUNT, NOT_NEGATIVE, check_arrays, like
from tefuda.forms.simulate import Simulator, TreeSimulator
from tefuda.forms.tree import Tree
from tefuda.forms.uncompiled import Uncompiled
from tefuda.judging.profile import Profile
from tefuda.solvers.deep.baselines import Baseline, part
from tefuda.solvers.deep.models import Fitting, Model, Network, Table
from tefuda.solvers.deep.modules import build, single_thread
from tefuda.solvers.deep.training import Training
from tefuda.solvers.learned.encoders import Targets, TreeEncoder, distinct, encoder_of, targets_of
from tefuda.solvers.learned.memories import Reservoir
from tefuda.solvers.learned.neural import DeepCFR
from tefuda.solvers.learned.policies import Answered, IterateAverage, played
from tefuda.solvers.protocol import Policy, Solver, require_average
from tefuda.solvers.sampled.waves import (
    Decisions,
    Drawing,
    Wave,
    World,
    back,
    behaviour,
    believe,
    decisions,
    down,
    matched,
)

_WALKS, _AVERAGE, _BASELINE, _OWN_PATHS, _CLONING, _AHEAD = range(6)  # what random numbers are for
_CLONES = 10  # times the steps of an iteration are taken when networks are fitted to tables


class Seat:
    """What is learned of one player.

    regrets, now, average: of the strategies to come, of this iteration's regrets alone (or None), and the numerator of
    the average (or None). fitted: the iteration regrets were last learned in. rows, strategies: reservoirs, or None.
    """

    def __init__(self, solver: DeepSolver, player: int) -> None:
        method, units = solver.method, solver.simulator.units
        rng = solver.generator(0, player)
        self.regrets = solver.model(method.hidden, rng)
        self.now = solver.model(method.hidden, rng) if method.prediction else None
        self.average = (
            solver.model(method.average_hidden, rng, method.average_network) if method.average == "sum" else None
        )
        self.fitted = 0
        exact = np.float64 if method.network == "table" else np.float32
        columns = {
            "seen": solver.encoder.column, "legal": ((units,), bool), "target": ((units,), exact),
            "weight": ((), np.float64),
        }  # fmt: skip
        self.rows = Reservoir(method.rows, **columns) if method.regrets == "mean" else None
        self.strategies = Reservoir(method.rows, **columns) if method.average == "network" else None

    def models(self) -> dict[str, Model]:
        """The models by name."""
        found = {"regrets": self.regrets, "now": self.now, "average": self.average}
        return {name: model for name, model in found.items() if model is not None}

    def memories(self) -> dict[str, Reservoir]:
        """The reservoirs by name."""
        found = {"rows": self.rows, "strategies": self.strategies}
        return {name: memory for name, memory in found.items() if memory is not None}


class DeepSolver(Solver):
    """Runs a `DeepCFR` over a simulator; strategies are profiles over a `TreeSimulator`, else policies.

    Args:
        simulator: the game.
        method: settings.
        seed: the same seed gives the same run on the same machine.

    Raises:
        ParameterError: a method that needs a tree.
    """

    def __init__(self, simulator: Simulator, method: DeepCFR, seed: int = 0) -> None:
        self.simulator, self.method, self.seed, self.iterations, self.nodes = simulator, method, seed, 0, 0
        self.encoder = encoder_of(simulator, method.reads_tokens)
        if not isinstance(simulator, TreeSimulator) and (method.unmet == "held" or method.warm):
            raise ParameterError(
                "unmet='held' and warm know all infosets, which needs a tree; leave them out over rules."
            )
        self.seats = [Seat(self, player) for player in range(simulator.players)]
        self.baseline = self._new_baseline() if method.baseline else None
        self.iterates = self._new_iterates() if method.average == "iterates" else None
        self._answered = Answered(self.encoder, simulator.players, self._answer)
        self._looked: tuple[int, Profile | Policy] | None = None
        errors = ["regrets", *["prediction"] * method.prediction, *["baseline"] * method.baseline]
        errors += ["average"] * (method.average == "sum")
        self._training = Training(("walking", "asking", "fitting"), tuple(f"{name}_error" for name in errors))

    def log(self) -> list[dict[str, float]]:
        """See `Solver`: seconds of walks, of networks asked in them, and of fits; mean squared errors of the fits."""
        return list(self._training.rows)

    @property
    def game(self) -> Tree | Uncompiled:
        """The game simulated."""
        return self.simulator.game

    @property
    def held(self) -> str:  # type: ignore[override]
        """As a simulated tree, or as simulated rules."""
        return self.simulator.held

    def generator(self, iteration: int, player: int, use: int = _WALKS) -> np.random.Generator:
        """Random numbers for one use in one iteration."""
        return np.random.default_rng((self.seed, iteration, player, use))

    def model(self, hidden: int, rng: np.random.Generator, kind: str = "", shares: bool = False) -> Model:
        """A model of infosets: a network, or a table in its place."""
        method, encoder, units = self.method, self.encoder, self.simulator.units
        kind = kind or method.network
        if kind == "table" or self.iterations < method.warm:
            return Table(encoder)
        shape = (kind, encoder.width, encoder.words, hidden, method.layers, units)
        return Network(encoder, lambda rng: build(*shape, rng), rng, shares=shares)

    def _new_baseline(self) -> Baseline:
        method, encoder = self.method, self.encoder
        shape = ("connected", encoder.history_width, 0, method.average_hidden, method.layers, self.simulator.units)

        def make(rng: np.random.Generator) -> Network:
            return Network(encoder, lambda rng: build(*shape, rng), rng, histories=True)

        return Baseline(self.simulator, encoder, make, self.generator(0, 0, _BASELINE), method.baseline_rows)

    def _new_iterates(self) -> IterateAverage:
        if not isinstance(self.simulator, TreeSimulator):
            raise ParameterError(
                f"{self.method.name} averages all iterations' strategies by own paths, which needs a tree; choose "
                "average='network' over rules."
            )
        return IterateAverage(self.simulator)

    # Strategies in force.

    def _answer(self, player: int, seen: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """Regret matching on what a player's models say; uniform before they learned anything."""
        seat = self.seats[player]
        regret = seat.regrets.answers(seen, legal)
        if seat.now is not None:
            regret = np.maximum(regret, 0.0) * self._discount(seat.fitted + 1) + seat.now.answers(seen, legal)
        return matched(regret, legal, self.method.fallback if seat.fitted else "uniform")

    def _discount(self, iteration: int) -> float:
        """What regrets of before count in an iteration."""
        grown = float(iteration - 1) ** self.method.alpha
        return grown / (grown + self.method.offset)

    # Iterations.

    def advance(self, iterations: int) -> None:
        """Run so many iterations: walks and fits for each player in turn."""
        with single_thread():
            for _ in range(iterations):
                for player, seat in enumerate(self.seats):
                    self._learn(player, seat, self.iterations + 1)
                self.iterations += 1
                self._training.end(self.iterations, walks=self.method.walks * len(self.seats), nodes=self.nodes)
                if self.iterations == self.method.warm:
                    self._clone()

    def _clone(self) -> None:
        """Let networks take over from tables, fitted to all that stands there (Li et al. 2019, equation 10)."""
        for player, known in enumerate(self.seats):
            seat = self.seats[player] = Seat(self, player)
            seat.fitted, tables, rng = known.fitted, known.models(), self.generator(self.iterations, player, _CLONING)
            for name, model in seat.models().items():
                fitting = self._averaging() if name == "average" else self._fitting()
                rows = self._completed(tables[name], player, None)
                model.fit(rows, replace(fitting, steps=_CLONES * fitting.steps), rng, fresh=False)
            self._answered.renew(player)

    def _learn(self, player: int, seat: Seat, t: int) -> None:
        """A player's walks in iteration t, and its fits."""
        rng, method, timed = self.generator(t, player), self.method, self._training.timed
        known = self._ahead if method.believes else None if self.baseline is None else self._known
        world = World(self.simulator, self.encoder.observe, self._strategies, known)
        with timed("walking"):
            waves = down(world, player, method.walks, Drawing(method.scheme, method.k, method.epsilon), rng)
            (believe if method.believes else back)(waves)
            rows = decisions(waves, undrawn=method.undrawn == "share")
        self.nodes += sum(len(wave.games) for wave in waves)
        with timed("fitting"):
            self._average(player, world, rows, t)
            self._fit(player, rows.of(np.flatnonzero(rows.player == player)), t, rng)
            seat.fitted = t
            self._answered.renew(player)
            if self.baseline is not None:
                self._learn_baseline(player, waves, t)

    def _strategies(self, player: int, games: np.ndarray, seen: np.ndarray, legal: np.ndarray) -> np.ndarray:
        with self._training.timed("asking"):
            return self._answered.strategies(player, games, seen, legal)

    def _known(self, player: int, games: np.ndarray) -> np.ndarray:
        assert self.baseline is not None
        with self._training.timed("asking"):
            return self.baseline(player, games, self.simulator.legal(games))

    def _ahead(self, player: int, games: np.ndarray) -> np.ndarray:
        assert self.baseline is not None
        rng = self.generator(self.iterations + 1, player, _AHEAD)
        with self._training.timed("asking"):
            return self.baseline.ahead(player, games, self._answered.of_players, rng)

    def _learn_baseline(self, player: int, waves: list[Wave], t: int) -> None:
        assert self.baseline is not None
        self.baseline.remember(waves)
        fitting = Fitting(self.method.baseline_steps, self.method.baseline_batch, self.method.rate, self.method.clip)
        following = (player + 1) % self.simulator.players
        rng = self.generator(t, player, _BASELINE)
        error = self.baseline.fit(following, self._answered.of_players, fitting, rng)
        self._training.erred("baseline_error", error)

    def _weight(self, rows: Decisions) -> np.ndarray:
        """`[n]` what a row counts for, having been met with probability q; of outcomes, compared with uniform draws."""
        return (rows.even if self.method.scheme == "outcome" else 1.0) / rows.q

    def _fit(self, player: int, rows: Decisions, t: int, rng: np.random.Generator) -> None:
        """Fit a player's regrets, having met these decisions of its own in iteration t."""
        method, fitting, seat = self.method, self._fitting(), self.seats[player]
        if method.regrets == "mean":
            assert seat.rows is not None
            weight = float(t) ** method.weighting * self._weight(rows)
            seat.rows.offer(rng, seen=rows.seen, legal=rows.legal, target=rows.regret, weight=weight)
            targets = targets_of(seat.rows)
        elif method.regrets == "sum":
            targets = self._summed(seat, player, rows)
        else:
            before = np.maximum(seat.regrets.answers(rows.seen, rows.legal), 0.0) * self._discount(t)
            targets = Targets(rows.seen, rows.legal, before + rows.regret, rows.legal.astype(np.float64))
        self._training.erred("regrets_error", seat.regrets.fit(targets, fitting, rng, method.fresh))
        if seat.now is not None:
            now = Targets(rows.seen, rows.legal, rows.regret, rows.legal.astype(np.float64))
            self._training.erred("prediction_error", seat.now.fit(now, fitting, rng, fresh=False))

    def _summed(self, seat: Seat, player: int, rows: Decisions) -> Targets:
        """A row for each infoset met: the last answer plus the walks' mean regret."""
        first, place = distinct(rows.seen)
        gained = np.zeros((len(first), rows.regret.shape[1]))
        np.add.at(gained, place, rows.regret / rows.q[:, None])
        seen, legal = rows.seen[first], rows.legal[first]
        total = seat.regrets.answers(seen, legal) + gained / self.method.walks
        total = np.where(legal, np.maximum(total, 0.0) if self.method.floor else total, 0.0)
        return self._asked(seat.regrets, player, Targets(seen, legal, total, legal.astype(np.float64)))

    def _asked(self, model: Model, player: int, met: Targets) -> Targets:
        """What a model of sums is fitted to, having met these: where others are held, their last answers too."""
        return self._completed(model, player, met) if self.method.unmet == "held" else met

    def _completed(self, model: Model, player: int, met: Targets | None) -> Targets:
        """A row for each of a player's infosets: what a model answers, but for those met."""
        assert isinstance(self.encoder, TreeEncoder)
        seen = self.encoder.all_of(player)
        legal = self.encoder.simulator.infoset_legal[seen]
        target = np.where(legal, model.answers(seen, legal), 0.0)
        if met is not None:
            target[np.searchsorted(seen, met.seen)] = met.target
        return Targets(seen, legal, target, legal.astype(np.float64))

    # Averages.

    def _average(self, player: int, world: World, rows: Decisions, t: int) -> None:
        """Count strategies in force: those of the other of two players as walks met them, else on own paths."""
        other = (player + 1) % self.simulator.players
        if self.iterates is not None:
            self.iterates.count(other, self._answered.table, float(t) ** self.method.weighting)
            return
        if self.simulator.players != 2:
            other, rng = player, self.generator(t, player, _OWN_PATHS)
            rows = behaviour(world, player, self.method.walks, rng)
        rows, seat = rows.of(np.flatnonzero(rows.player == other)), self.seats[other]
        if seat.strategies is not None:
            weight = float(t) ** self.method.weighting * self._weight(rows)
            rng = self.generator(t, other, _AVERAGE)
            seat.strategies.offer(rng, seen=rows.seen, legal=rows.legal, target=rows.strategy, weight=weight)
        elif seat.average is not None:
            first, _ = distinct(rows.seen)
            met = rows.of(first)
            count = float(t) ** self.method.weighting * met.reach[:, None] * met.strategy
            total = seat.average.answers(met.seen, met.legal) + count
            targets = Targets(met.seen, met.legal, total, met.legal.astype(np.float64))
            targets, rng = self._asked(seat.average, other, targets), self.generator(t, other, _AVERAGE)
            self._training.erred("average_error", seat.average.fit(targets, self._averaging(), rng, fresh=False))

    def _fitting(self) -> Fitting:
        method = self.method
        return Fitting(
            method.steps, method.batch, method.rate, method.clip, method.patience, method.cooling, method.loss,
            method.readout == "solved",
        )  # fmt: skip

    def _averaging(self) -> Fitting:
        method = self.method
        return Fitting(
            method.average_steps, method.average_batch, method.rate, method.clip, method.average_patience,
            method.average_cooling, method.average_loss, method.readout == "solved",
        )  # fmt: skip

    def average(self) -> Profile | Policy:
        """The average strategies; networks of them are fitted now, the same however often somebody looks.

        Raises:
            SolverError: no iteration has been run.
        """
        require_average(self.iterations, 0)
        if self._looked is None or self._looked[0] != self.iterations:
            with single_thread():
                self._looked = self.iterations, self._averaged()
        return self._looked[1]

    def _averaged(self) -> Profile | Policy:
        if self.iterates is not None:
            return self.iterates.profile()
        models = []
        for player, seat in enumerate(self.seats):
            model, rng = seat.average, self.generator(self.iterations, player, _AVERAGE)
            if model is None:
                assert seat.strategies is not None
                model = self.model(self.method.average_hidden, rng, self.method.average_network, shares=True)
                if seat.strategies.filled:
                    model.fit(targets_of(seat.strategies), self._averaging(), rng, fresh=False)
            models.append(model)

        def answer(player: int, seen: np.ndarray, legal: np.ndarray) -> np.ndarray:
            return matched(models[player].answers(seen, legal), legal)

        return played(self.encoder, answer)

    def current(self) -> Profile | Policy:
        """The strategies in force."""
        with single_thread():
            return played(self.encoder, self._answer)

    # Checkpoints.

    def state(self) -> dict[str, np.ndarray]:
        """Copies of everything that determines how the run goes on; of the memories what is filled."""
        fitted = np.array([seat.fitted for seat in self.seats])
        found = {"iterations": np.array(self.iterations), "nodes": np.array(self.nodes), "fitted": fitted}
        for place, seat in enumerate(self.seats):
            for kind, model in (seat.models() | seat.memories()).items():
                found |= {f"{place}.{kind}.{name}": array for name, array in model.state().items()}
        if self.baseline is not None:
            found |= {f"baseline.{name}": array for name, array in self.baseline.state().items()}
        if self.iterates is not None:
            found["iterates"] = self.iterates.total.copy()
        return found

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go on from what `state` returned."""
        check_arrays(
            "the state", {"iterations": state.get("iterations", np.zeros(0))}, like({"iterations": np.array(0)})
        )
        self._begin(int(state["iterations"]))
        self._check(state)
        self.iterations, self.nodes, self._looked = int(state["iterations"]), int(state["nodes"]), None
        for place, seat in enumerate(self.seats):
            seat.fitted = int(state["fitted"][place])
            for kind, model in (seat.models() | seat.memories()).items():
                model.restore(part(state, f"{place}.{kind}."))
        if self.baseline is not None:
            self.baseline.restore(part(state, "baseline."))
        if self.iterates is not None:
            self.iterates.total[:] = state["iterates"]
        for player in range(self.simulator.players):
            self._answered.renew(player)

    def _begin(self, iterations: int) -> None:
        """Have the models of an iteration: tables before networks took over."""
        was, self.iterations = self.iterations, iterations
        if (was < self.method.warm) != (iterations < self.method.warm):
            self.seats = [Seat(self, player) for player in range(self.simulator.players)]

    def _check(self, state: Mapping[str, np.ndarray]) -> None:
        """Refuse a state with other arrays, or memories that cannot be used."""
        memories = {
            f"{place}.{kind}.": memory
            for place, seat in enumerate(self.seats)
            for kind, memory in seat.memories().items()
        }
        for prefix, memory in memories.items():
            memory.check(part(state, prefix), **self.encoder.ranges)
        if self.baseline is not None:
            self.baseline.check(part(state, "baseline."))
        kept = (*memories, "baseline.memory.")
        rest = {name: array for name, array in state.items() if not name.startswith(kept)}
        known = {name: array for name, array in self.state().items() if not name.startswith(kept)}
        check_arrays("the state", rest, like(known, iterates=NOT_NEGATIVE, fitted=COUNT))
