"""Neural fictitious self-play over any simulator: for games too large to tabulate.

The same algorithm and settings as nfsp.py, with observations in the memories; the loops are in
_kernels/learned/observed.py, games are stepped by the simulator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tefuda._kernels.learned import network, observed, training
from tefuda.errors import ParameterError, RunError
from tefuda.evaluating.profile import Profile
from tefuda.files import COUNT, ArraySpec
from tefuda.forms.simulate import Simulator, deal_decisions
from tefuda.solvers.learned.encoders import encoder_of
from tefuda.solvers.learned.policies import Answer, played
from tefuda.solvers.learned.self_play import SelfPlay, SelfPlaySolver, ValueTable, new_batch, new_brain
from tefuda.solvers.protocol import Policy

_SLOTS = 8  # active inputs of an observation that there is room for at first


class ObservedNfspSolver(SelfPlaySolver):
    """Trains over a simulator. `advance` counts games; strategies are profiles over a `TreeSimulator`, else policies.

    Args:
        simulator: the game.
        method: settings; draws are random, values in a network, minibatches drawn, illegal actions masked.
        seed: the same seed gives the same run on the same machine.

    Raises:
        ParameterError: a method that needs a tree.
    """

    parts = ("brain", "target", "tables", "ring", "reservoir", "counters", "counts", "dice")

    def __init__(self, simulator: Simulator, method: SelfPlay, seed: int = 0) -> None:
        values = method.values
        if method.draws != "random" or not method.masked or isinstance(values, ValueTable):
            raise ParameterError(
                f"{method.name} draws {method.draws}, keeps values in a {type(values).__name__}, masked: "
                f"{method.masked}; over simulators draws are random, values in a network and illegal actions masked."
            )
        if 0 in (values.batch, method.policy.batch):
            raise ParameterError(
                f"{method.name} has batch {values.batch} and policy_batch {method.policy.batch}; over simulators "
                "minibatches are drawn."
            )
        self.simulator, self.method, self.iterations = simulator, method, 0
        self._rng = np.random.default_rng(seed)
        self._run, self._slots = _new_run(simulator, method, self._rng), _SLOTS
        self._position = deal_decisions(simulator, method.tables, self._rng)

    @property
    def form(self) -> Simulator:
        """See `Solver`: the simulator."""
        return self.simulator

    def advance(self, iterations: int) -> None:
        """Train until so many more games are finished."""
        self.iterations += iterations
        while self.games < self.iterations:
            self._decide(self.method.exploration_rate(self.steps + 1))
            observed.learn(self._run)

    def _decide(self, epsilon: float) -> None:
        """Take one decision at every table; games that are over make room for new ones."""
        simulator, position = self.simulator, self._position
        seen = simulator.observe(position)
        if (most := observed.active(seen)) > self._slots:
            self._grow(most)
        observed.look(self._run.now, seen, simulator.legal(position), simulator.player(position))
        units = np.zeros(len(position), dtype=np.int64)
        observed.act(self._run, epsilon, units)
        self._position = position = simulator.step(position, units, self._rng)
        over = np.flatnonzero(simulator.player(position) < 0)
        if len(over):
            observed.close(self._run, over, simulator.payoffs(position[over]))
            position[over] = deal_decisions(simulator, len(over), self._rng)

    def _grow(self, slots: int) -> None:
        """Make room for so many active inputs of an observation."""
        self._run, self._slots = _with_slots(self._run, slots), slots

    def average(self) -> Profile | Policy:
        """Return the policy networks' play.

        Raises:
            SolverError: nothing has been played yet.
        """
        self._require_games()
        return self._played(self._run.brain.policy.net, greedy=False)

    def current(self) -> Profile | Policy:
        """Return greedy play of the value networks: the best responses."""
        return self._played(self._run.brain.value.net, greedy=True)

    def _played(self, net: network.Net, greedy: bool) -> Profile | Policy:
        """The play of networks: tabulated where there is a tree, else by copies of them."""
        encoder = encoder_of(self.simulator, sequences=False)
        answer = _answering(network.Net(*(weights.copy() for weights in net)), greedy)
        return played(encoder, lambda player, seen, legal: answer(player, encoder.rows(seen), legal))

    def arrays(self) -> dict[str, np.ndarray]:
        """See `Solver`."""
        generator, position = _packed(self._rng.bit_generator.state), self.simulator.kept(self._position)
        return super().arrays() | {"generator": generator, "position": position}

    def ranges(self) -> dict[str, tuple[float, float]]:
        """See `Solver`."""
        features, units = self.simulator.features - 1, self.simulator.units - 1
        found: dict[str, tuple[float, float]] = {
            "counters": COUNT,
            "counts": COUNT,
            "tables.mode": (training.UNDECIDED, training.AVERAGING),
            "tables.unit": (observed.NOTHING, units),
            "ring.unit": (0, units),
            "reservoir.unit": (0, units),
        }
        most = {"feature": features, "legal": 1}
        return found | {name: (0, most[kind]) for name in self._whole() if (kind := name.rpartition(".")[2]) in most}

    def expected(self) -> dict[str, ArraySpec]:
        """See `SelfPlaySolver`; observations may have any number of active inputs."""
        found = super().expected()
        for name, one in found.items():
            if {"seen", "before", "after"} & set(name.split(".")):
                found[name] = replace(one, shape=(*one.shape[:2], "active"))
        return found | {"position": replace(found["position"], shape=("position",))}

    def check(self, state: Mapping[str, np.ndarray]) -> None:
        """See `SelfPlaySolver`."""
        super().check(state)
        if max(state["generator"][4:]) >= 1 << 32:
            raise RunError("the state has no generator of random numbers.")

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """See `Solver`."""
        self.check(state)
        position = self.simulator.found(state["position"], self.method.tables)
        self._grow(state["tables.seen.value"].shape[2])
        super().restore(state)
        self._position, self._rng.bit_generator.state = position, _unpacked(state["generator"])


def _answering(net: network.Net, greedy: bool) -> Answer:
    """What players do by networks of theirs."""
    units, hidden = net.w2.shape[1:]

    def answer(player: int, seen: np.ndarray, legal: np.ndarray) -> np.ndarray:
        inputs, found = _room(len(seen), observed.active(seen), units), np.zeros((len(seen), units))
        observed.look(inputs, seen, legal, np.full(len(seen), player))
        batch = new_batch(0, units, hidden)
        observed.answer(net, inputs, greedy, batch.hidden, batch.out, found)
        return found

    return answer


def _room(rows: int, slots: int, units: int) -> network.Inputs:
    """Room for so many observations, of so many active inputs each."""
    return network.Inputs(
        start=np.zeros(rows + 1, dtype=np.int32),
        feature=np.zeros(rows * slots, dtype=np.int32),
        value=np.zeros(rows * slots, dtype=np.float32),
        legal=np.zeros((rows, units), dtype=np.uint8),
        action=np.zeros((0, units), dtype=np.int32),
        owner=np.zeros(rows, dtype=np.int32),
    )


def _new_rows(*shape: int, features: int) -> observed.Rows:
    """Empty observations; inputs are numbered by the smallest type that can, for memories hold many."""
    kind = np.uint16 if features <= 1 << 16 else np.uint32
    return observed.Rows(np.zeros(shape, dtype=kind), np.zeros(shape, dtype=np.float32))


def _new_run(simulator: Simulator, method: SelfPlay, rng: np.random.Generator) -> observed.Run:
    """Everything a run starts from, before the first deal."""
    features, units, players = simulator.features, simulator.units, simulator.players
    brain = new_brain(rng, players, features, method.hidden, units)
    shape = (method.tables, players)
    ring, reservoir = (players, method.network.transitions), (players, method.policy.behaviour)
    most = max(method.network.batch, method.policy.batch)
    return observed.Run(
        settings=method.numbers(),
        brain=brain,
        target=network.Net(*(weights.copy() for weights in brain.value.net)),
        tables=observed.Tables(
            np.full(shape, training.UNDECIDED, dtype=np.int32), np.full(shape, observed.NOTHING, dtype=np.int32),
            _new_rows(*shape, _SLOTS, features=features),
        ),
        ring=observed.Ring(
            _new_rows(*ring, _SLOTS, features=features), np.zeros(ring, dtype=np.int32),
            np.zeros(ring, dtype=np.float32), _new_rows(*ring, _SLOTS, features=features),
            np.zeros((*ring, units), dtype=np.uint8),
        ),
        reservoir=observed.Reservoir(
            _new_rows(*reservoir, _SLOTS, features=features), np.zeros((*reservoir, units), dtype=np.uint8),
            np.zeros(reservoir, dtype=np.int32),
        ),
        counters=np.zeros(3, dtype=np.int64),
        counts=np.zeros((players, 4), dtype=np.int64),
        dice=training.Dice(rng.integers(0, 2**64, size=1, dtype=np.uint64), np.zeros((0, 0), dtype=np.uint64)),
        now=_room(method.tables, _SLOTS, units),
        drawn=_room(2 * most, _SLOTS, units),
        places=np.zeros(most, dtype=np.int64),
        batch=new_batch(most, units, method.hidden),
    )  # fmt: skip


def _with_slots(part: Any, count: int) -> Any:
    """Return a run, or a part of it, with room for so many active inputs of an observation."""
    if isinstance(part, observed.Rows):
        shape, held = (*part.value.shape[:2], count), min(count, part.value.shape[2])
        found = observed.Rows(*(np.zeros(shape, dtype=array.dtype) for array in part))
        for new, old in zip(found, part, strict=True):
            new[:, :, :held] = old[:, :, :held]
        return found
    if isinstance(part, network.Inputs):
        return _room(len(part.legal), count, part.legal.shape[1])
    if isinstance(part, tuple):
        return type(part)(*(_with_slots(inner, count) for inner in part))
    return part


def _packed(state: Mapping[str, Any]) -> np.ndarray:
    """A PCG64 generator's state as four words."""
    inner, word = state["state"], (1 << 64) - 1
    parts = (inner["state"] & word, inner["state"] >> 64, inner["inc"] & word, inner["inc"] >> 64)
    return np.array([*parts, state["has_uint32"], state["uinteger"]], dtype=np.uint64)


def _unpacked(words: np.ndarray) -> dict[str, Any]:
    low, high, inc_low, inc_high, has, left = map(int, words)
    inner = {"state": low | high << 64, "inc": inc_low | inc_high << 64}
    return {"bit_generator": "PCG64", "state": inner, "has_uint32": has, "uinteger": left}
