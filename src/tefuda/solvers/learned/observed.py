"""Neural fictitious self-play over any simulator, for games that are too large to tabulate.

The algorithm and settings are those of nfsp.py, with observations in the memories. The simulator steps
games; training loops are in _kernels/learned/observed.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tefuda._kernels.jit import Handle, handle
from tefuda._kernels.learned import network, observed, training
from tefuda.errors import ParameterError, RunError
from tefuda.evaluating.profile import Profile
from tefuda.files import COUNT, ArraySpec
from tefuda.forms.simulate import Simulator, deal_decisions
from tefuda.solvers.learned.encoders import make_encoder
from tefuda.solvers.learned.policies import make_strategy
from tefuda.solvers.learned.self_play import NFSP, SelfPlaySolver, ValueTable, new_batch, new_networks
from tefuda.solvers.protocol import Policy

_SLOTS = 8  # active inputs of an observation that there is room for at first


class ObservedNfspSolver(SelfPlaySolver):
    """Trainer over a simulator; strategies are profiles over a `TreeSimulator`, else policies.

    The same seed gives the same run on the same machine.

    Raises:
        ParameterError: a method without random draws, value networks, sampled minibatches or masked illegal actions.
    """

    parts = ("networks", "target", "tables", "ring", "reservoir", "counters", "counts", "random_source")

    def __init__(self, simulator: Simulator, method: NFSP, seed: int = 0) -> None:
        values = method.values
        if method.draws != "random" or not method.masked or isinstance(values, ValueTable):
            raise ParameterError(
                f"{method.name} has draws {method.draws!r}, values in a {type(values).__name__}, masked "
                f"{method.masked}; over simulators choose draws='random', values='network' and masked=True."
            )
        if 0 in (values.batch, method.policy.batch):
            raise ParameterError(
                f"{method.name} has batch {values.batch} and policy_batch {method.policy.batch}; over simulators "
                "both must be positive."
            )
        self.simulator, self.method, self.iterations = simulator, method, 0
        self._rng = np.random.default_rng(seed)
        self._run, self._slots = handle(_new_run(simulator, method, self._rng)), _SLOTS
        self._position = deal_decisions(simulator, method.tables, self._rng)

    @property
    def form(self) -> Simulator:
        return self.simulator

    def advance(self, iterations: int) -> None:
        """Train until this many more games have ended."""
        self.iterations += iterations
        while self.games < self.iterations:
            self._decide(self.method.exploration_rate(self.steps + 1))
            observed.learn(self._run)

    def _decide(self, epsilon: float) -> None:
        """Play one decision at every table, and replace ended games by new ones."""
        simulator, position = self.simulator, self._position
        observations = simulator.observe(position)
        if (most := observed.most_active(observations)) > self._slots:
            self._grow(most)
        observed.read_observations(
            self._run.current, observations, simulator.legal(position), simulator.player(position)
        )
        units = np.zeros(len(position), dtype=np.int64)
        observed.act(self._run, epsilon, units)
        self._position = position = simulator.step(position, units, self._rng)
        over = np.flatnonzero(simulator.player(position) < 0)
        if len(over):
            observed.finish_games(self._run, over, simulator.payoffs(position[over]))
            position[over] = deal_decisions(simulator, len(over), self._rng)

    def _grow(self, slots: int) -> None:
        """Enlarge all observations to this many slots for active inputs."""
        self._run, self._slots = _with_slots(self._run, slots), slots

    def average(self) -> Profile | Policy:
        """Return the policy networks' play.

        Raises:
            SolverError: nothing has been played yet.
        """
        self._require_games()
        return self._played(self._run.networks.policy.net, greedy=False)

    def current(self) -> Profile | Policy:
        """Return greedy play of the value networks: the best responses."""
        return self._played(self._run.networks.value.net, greedy=True)

    def _played(self, net: network.Net, greedy: bool) -> Profile | Policy:
        """Return the play of networks: a profile of a tree, else a policy with copies of their weights."""
        encoder, (units, hidden) = make_encoder(self.simulator, sequences=False), net.w2.shape[1:]
        weights = handle(network.Net(*(array.copy() for array in net)))

        def answer(player: int, observations: np.ndarray, legal: np.ndarray) -> np.ndarray:
            rows = encoder.inputs(observations)
            inputs, found = _room(len(rows), observed.most_active(rows), units), np.zeros((len(rows), units))
            observed.read_observations(inputs, rows, legal, np.full(len(rows), player))
            batch = new_batch(0, units, hidden)
            observed.evaluate(weights, handle(inputs), greedy, batch.hidden, batch.out, found)
            return found

        return make_strategy(encoder, answer)

    def arrays(self) -> dict[str, np.ndarray]:
        generator, position = _packed(self._rng.bit_generator.state), self.simulator.save_games(self._position)
        return super().arrays() | {"generator": generator, "position": position}

    def ranges(self) -> dict[str, tuple[float, float]]:
        features, units = self.simulator.features - 1, self.simulator.units - 1
        found: dict[str, tuple[float, float]] = {
            "counters": COUNT,
            "counts": COUNT,
            "tables.mode": (training.UNDECIDED, training.AVERAGING),
            "tables.unit": (observed.NO_UNIT, units),
            "ring.unit": (0, units),
            "reservoir.unit": (0, units),
        }
        most = {"feature": features, "legal": 1}
        return found | {
            name: (0, most[kind]) for name in self._changing_arrays() if (kind := name.rpartition(".")[2]) in most
        }

    def expected(self) -> dict[str, ArraySpec]:
        """See `SelfPlaySolver`; observations may have any number of slots."""
        found = super().expected()
        for name, one in found.items():
            if {"observation", "next_observation"} & set(name.split(".")):
                found[name] = replace(one, shape=(*one.shape[:2], "active"))
        return found | {"position": replace(found["position"], shape=("position",))}

    def check(self, state: Mapping[str, np.ndarray]) -> None:
        super().check(state)
        if max(state["generator"][4:]) >= 1 << 32:
            raise RunError("the state is damaged: its random generator is invalid.")

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        self.check(state)
        position = self.simulator.load_games(state["position"], self.method.tables)
        self._grow(state["tables.observation.value"].shape[2])
        super().restore(state)
        self._position, self._rng.bit_generator.state = position, _unpacked(state["generator"])


def _room(rows: int, slots: int, units: int) -> network.Inputs:
    """Return empty network inputs for this many observations and slots."""
    return network.Inputs(
        start=np.zeros(rows + 1, dtype=np.int32),
        feature=np.zeros(rows * slots, dtype=np.int32),
        value=np.zeros(rows * slots, dtype=np.float32),
        legal=np.zeros((rows, units), dtype=np.uint8),
        action=np.zeros((0, units), dtype=np.int32),
        owner=np.zeros(rows, dtype=np.int32),
    )


def _new_rows(*shape: int, features: int) -> observed.SparseRows:
    """Return empty observations; the index type is the smallest that fits, because memories are large."""
    kind = np.uint16 if features <= 1 << 16 else np.uint32
    return observed.SparseRows(np.zeros(shape, dtype=kind), np.zeros(shape, dtype=np.float32))


def _new_run(simulator: Simulator, method: NFSP, rng: np.random.Generator) -> observed.ObservedRun:
    """Return the initial arrays of a run, before the first deal."""
    features, units, players = simulator.features, simulator.units, simulator.players
    networks = new_networks(rng, players, features, method.hidden, units)
    shape = (method.tables, players)
    ring, reservoir = (players, method.network.transitions), (players, method.policy.behaviour)
    most = max(method.network.batch, method.policy.batch)
    return observed.ObservedRun(
        settings=method.kernel_settings(),
        networks=networks,
        target=network.Net(*(weights.copy() for weights in networks.value.net)),
        tables=observed.ObservedTables(
            np.full(shape, training.UNDECIDED, dtype=np.int32), np.full(shape, observed.NO_UNIT, dtype=np.int32),
            _new_rows(*shape, _SLOTS, features=features),
        ),
        ring=observed.TransitionRing(
            _new_rows(*ring, _SLOTS, features=features), np.zeros(ring, dtype=np.int32),
            np.zeros(ring, dtype=np.float32), _new_rows(*ring, _SLOTS, features=features),
            np.zeros((*ring, units), dtype=np.uint8),
        ),
        reservoir=observed.BehaviourReservoir(
            _new_rows(*reservoir, _SLOTS, features=features), np.zeros((*reservoir, units), dtype=np.uint8),
            np.zeros(reservoir, dtype=np.int32),
        ),
        counters=np.zeros(3, dtype=np.int64),
        counts=np.zeros((players, 4), dtype=np.int64),
        random_source=training.RandomSource(
            rng.integers(0, 2**64, size=1, dtype=np.uint64), np.zeros((0, 0), dtype=np.uint64)
        ),
        current=_room(method.tables, _SLOTS, units),
        minibatch=_room(2 * most, _SLOTS, units),
        indices=np.zeros(most, dtype=np.int64),
        batch=new_batch(most, units, method.hidden),
    )  # fmt: skip


def _with_slots(nested: Any, count: int) -> Any:
    """Return a run, or a part of it, with this many slots for active inputs in each observation."""
    if isinstance(nested, Handle):
        return handle(_with_slots(nested.parts, count))
    if isinstance(nested, observed.SparseRows):
        shape, held = (*nested.value.shape[:2], count), min(count, nested.value.shape[2])
        found = observed.SparseRows(*(np.zeros(shape, dtype=array.dtype) for array in nested))
        for new, old in zip(found, nested, strict=True):
            new[:, :, :held] = old[:, :, :held]
        return found
    if isinstance(nested, network.Inputs):
        return _room(len(nested.legal), count, nested.legal.shape[1])
    if isinstance(nested, tuple):
        return type(nested)(*(_with_slots(inner, count) for inner in nested))
    return nested


def _packed(state: Mapping[str, Any]) -> np.ndarray:
    """Return a PCG64 generator's state as an array of words."""
    inner, word = state["state"], (1 << 64) - 1
    parts = (inner["state"] & word, inner["state"] >> 64, inner["inc"] & word, inner["inc"] >> 64)
    return np.array([*parts, state["has_uint32"], state["uinteger"]], dtype=np.uint64)


def _unpacked(words: np.ndarray) -> dict[str, Any]:
    low, high, inc_low, inc_high, has, left = map(int, words)
    inner = {"state": low | high << 64, "inc": inc_low | inc_high << 64}
    return {"bit_generator": "PCG64", "state": inner, "has_uint32": has, "uinteger": left}
