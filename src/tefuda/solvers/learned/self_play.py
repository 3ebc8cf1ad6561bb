"""Settings of neural fictitious self-play, and the common part of its solvers."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from tefuda._kernels.learned import network, training
from tefuda._kernels.learned import nfsp as kernels
from tefuda.errors import ParameterError, RunError, SolverError
from tefuda.files import ArraySpec, array_specs, check_arrays
from tefuda.forms.simulate import Simulator
from tefuda.forms.tree import Tree
from tefuda.lazy import load_reference
from tefuda.settings import Validated, option, option_group
from tefuda.solvers.protocol import Method, Solver

#: Schedules of the exploration rate at iteration n: epsilon / (offset + slope sqrt(n)).
SCHEDULES = {"constant": (1.0, 0.0), "inverse root": (0.0, 1.0), "released": (1.0, 0.01)}
OPTIMISERS = ("sgd", "adam")
DRAWS = ("random", "low-discrepancy")
RINGS = ("player", "decision")
LEDUC_SCALE = 1 / 2.6  # the largest payoff of Leduc, 13, becomes 5


@dataclass(frozen=True)
class Exploration(Validated):
    """Exploration of the best response at iteration n.

    Args:
        epsilon: exploration rate at the start.
        schedule: ``"constant"``: epsilon; ``"inverse root"``: epsilon / sqrt(n); ``"released"``:
            epsilon / (1 + 0.01 sqrt(n)).
        keep_exploration: store exploratory actions in the reservoir. False is the improvement of Kawamura,
            Suzuki, Tsuruoka (kawamura2018).
    """

    epsilon: float = option(0.06, high=1)
    schedule: str = option("inverse root", choices=SCHEDULES)
    keep_exploration: bool = option(True)


@dataclass(frozen=True)
class Descent(Validated):
    """Gradient descent on a network of each player.

    Args:
        rate: learning rate; divided by 1 + n / decay at iteration n.
        decay: iterations until the learning rate is halved; 0: constant rate.
        optimiser: ``"sgd"`` or ``"adam"``.
        updates: gradient steps per iteration.
    """

    rate: float = option(0.1, high=1e9)
    decay: float = option(0.0, high=1e9)
    optimiser: str = option("sgd", choices=OPTIMISERS, shared=True)
    updates: int = option(2)

    def kernel_settings(self, batch: int) -> training.DescentSettings:
        """Return the settings for kernels."""
        adam = self.optimiser == "adam"
        return training.DescentSettings(float(self.rate), float(self.decay), adam, self.updates, batch)


@dataclass(frozen=True)
class ValueNetwork(Descent):
    """Values in a network, trained by Q-learning.

    Args:
        batch: rows of a minibatch, drawn with replacement; 0: the whole memory, summed by infoset.
        target_every: steps between updates of the target network; 0: no target network.
        transitions: capacity of each ring of transitions.
        rings: ``"player"``: one ring per player; ``"decision"``: one ring per infoset and action, so rare
            decisions are remembered as well as frequent ones. Needs batch 0.
        window_rate, window_power: of n transitions stored in a ring, the last rate n^power are used; rate 0:
            all of them. Needs batch 0.

    Raises:
        ParameterError: a value out of range, or minibatches with a setting that needs batch 0.
    """

    batch: int = option(128, name="batch")
    target_every: int = option(300, name="target_every")
    transitions: int = option(200_000, 1, name="transitions")
    rings: str = option("player", choices=RINGS, name="rings")
    window_rate: float = option(0.0, high=1e9, name="window_rate")
    window_power: float = option(0.65, high=1, name="window_power")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batch and (self.rings == "decision" or self.window_rate):
            raise ParameterError(
                f"rings {self.rings!r} and window_rate {self.window_rate:g} are for networks that learn from all "
                f"transitions at once; batch is {self.batch}: give batch 0."
            )


@dataclass(frozen=True)
class ValueTable(Validated):
    """Values in a table: Q-learning from each transition once, as in Heinrich, Lanctot, Silver 2015.

    Args:
        rate, power: the n-th step of an entry has size min(1, rate n^-power).
    """

    rate: float = option(3.0, high=1e9, name="table_rate")
    power: float = option(0.65, high=1, name="table_power")


@dataclass(frozen=True)
class Imitation(Descent):
    """The policy network, which imitates best responses.

    Args:
        batch: rows of a minibatch, drawn with replacement; 0: the whole memory, summed by infoset.
        behaviour: capacity of the reservoir of best responses.
        weighting: of n best responses, the reservoir has the i-th with a probability in proportion to
            i^weighting, once it is full; 0: all with the same.
    """

    rate: float = option(0.005, high=1e9)
    batch: int = option(128)
    behaviour: int = option(2_000_000, 1, name="behaviour")
    weighting: float = option(0.0, high=1000)


VALUES: dict[str, type | None] = {"network": ValueNetwork, "table": ValueTable}


#: The value network where a table replaces it; it is never trained.
_IDLE = ValueNetwork()


@dataclass(frozen=True)
class NFSP(Method):
    """A way of training by neural fictitious self-play.

    Args:
        name: name in tables.
        eta: probability that a player plays its best response in a game, else its average.
        exploration: exploration of the best response.
        values: `ValueNetwork` or `ValueTable`.
        policy: network of the average strategy.
        hidden: units of the hidden layer of both networks.
        tables: games played in parallel; an iteration plays one decision of each.
        min_rows: number of rows in a memory before training starts.
        masked: exclude illegal actions everywhere; otherwise an illegal action is played as the nearest
            legal one and stored as chosen (the released code).
        scale: factor of payoffs that gives rewards; with plain descent it acts like a learning rate.
        draws: ``"random"``, or ``"low-discrepancy"``: outcome counts of chance, modes and actions at every
            history match their expectations to within about one, so fewer games give the same accuracy.

    Raises:
        ParameterError: a value out of range.

    >>> td.find_method("nfsp", {"epsilon": 0.1}).unit
    'games'
    """

    name: str
    eta: float = option(0.1, 1e-9, 1)
    exploration: Exploration = option_group(Exploration())
    values: ValueNetwork | ValueTable = option_group(ValueNetwork(), "values", VALUES, "value_")
    policy: Imitation = option_group(Imitation(), prefix="policy_")
    hidden: int = option(64, 1)
    tables: int = option(128, 1)
    min_rows: int = option(1000)
    masked: bool = option(True)
    scale: float = option(LEDUC_SCALE, high=1e9)
    draws: str = option("random", choices=DRAWS)

    unit = "games"
    default_iterations = 1_000_000
    accepts = ("tree", "simulator", "partition")

    def solver(self, form: Tree | Simulator, seed: int = 0, workers: int | Executor | None = None) -> Solver:
        """See `Method`; over a simulator the memories store observations.

        Raises:
            ParameterError: settings that need a tree.
        """
        home = "nfsp:NfspSolver" if isinstance(form, Tree) else "observed:ObservedNfspSolver"
        solver: Solver = load_reference(f"tefuda.solvers.learned.{home}")(form, self, seed)
        return solver

    def exploration_rate(self, iteration: int) -> float:
        """Return the exploration rate at an iteration, counted from 1."""
        return float(kernels.exploration_rate(self.kernel_settings(), iteration))

    @property
    def network(self) -> ValueNetwork:
        """Settings of the value network; defaults, which are not used, if values are in a table."""
        return self.values if isinstance(self.values, ValueNetwork) else _IDLE

    def kernel_settings(self) -> training.Settings:
        """Return the settings for kernels."""
        offset, slope = SCHEDULES[self.exploration.schedule]
        values = self.network
        table = self.values if isinstance(self.values, ValueTable) else ValueTable()
        return training.Settings(
            value=values.kernel_settings(values.batch),
            policy=self.policy.kernel_settings(self.policy.batch),
            eta=float(self.eta),
            epsilon=float(self.exploration.epsilon),
            offset=offset,
            slope=slope,
            keep_exploration=self.exploration.keep_exploration,
            weighting=float(self.policy.weighting),
            masked=self.masked,
            scale=float(self.scale),
            tabular=self.values is table,
            table_rate=float(table.rate),
            table_power=float(table.power),
            ring_per_decision=values.rings == "decision",
            window_rate=float(values.window_rate),
            window_power=float(values.window_power),
            target_every=values.target_every,
            min_rows=self.min_rows,
        )


def empty_net(players: int, features: int, hidden: int, units: int) -> network.Net:
    """Return weights of zero."""
    shapes = ((players, features, hidden), (players, hidden), (players, units, hidden), (players, units))
    return network.Net(*(np.zeros(shape, dtype=np.float32) for shape in shapes))


def new_learner(rng: np.random.Generator, players: int, features: int, hidden: int, units: int) -> network.Learner:
    """Return a network with weights drawn from U(-1 / sqrt(fan in), 1 / sqrt(fan in))."""
    net, *rest = (empty_net(players, features, hidden, units) for _ in range(4))
    for array, fan in zip(net, (features, features, hidden, hidden), strict=True):
        array[...] = rng.uniform(-1, 1, array.shape) / np.sqrt(fan)
    return network.Learner(net, *rest)


def new_networks(rng: np.random.Generator, *shape: int) -> training.Networks:
    """Return new value and policy networks."""
    return training.Networks(new_learner(rng, *shape), new_learner(rng, *shape))


def new_batch(infosets: int, units: int, hidden: int) -> network.Batch:
    """Return an empty minibatch and buffers for one evaluation."""
    counts, targets = np.zeros((2, infosets, units), dtype=np.float32)
    stamps, listed = np.zeros((2, infosets), dtype=np.int64)
    hidden_room, back = np.zeros((2, hidden), dtype=np.float32)
    return network.Batch(counts, targets, stamps, listed, hidden_room, back, np.zeros(units, dtype=np.float32))


def flattened(name: str, part: Any) -> dict[str, np.ndarray]:
    """Return the arrays of nested named tuples, by dotted names."""
    if isinstance(part, np.ndarray):
        return {name: part}
    inner = [flattened(f"{name}.{field}", getattr(part, field)) for field in part._fields]
    return {name: array for arrays in inner for name, array in arrays.items()}


class SelfPlaySolver(Solver):
    """A run of self-play: counters, and checkpoints with the filled rows of the memories.

    parts: fields of `_run` that change. All others follow from the game and the method, or are buffers.
    """

    method: NFSP
    parts: ClassVar[tuple[str, ...]]
    _run: Any

    @property
    def steps(self) -> int:
        """Number of iterations: one decision at every table, then gradient steps."""
        return int(self._run.counters[training.ITERATION])

    @property
    def games(self) -> int:
        """Number of finished games."""
        return int(self._run.counters[training.GAMES])

    def _require_games(self) -> None:
        if self.iterations == 0:
            raise SolverError("the policy networks are untrained: no games have been played; call advance() first.")

    def _changing_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that change, with all rows of the memories."""
        return {name: array for part in self.parts for name, array in flattened(part, getattr(self._run, part)).items()}

    def _filled(self, state: Mapping[str, np.ndarray]) -> dict[str, int]:
        """Return the number of filled rows in the fullest part of each memory, by a state's counts."""
        values, counts = self.method.network, state["counts"]
        stored = state["statistics.visits"] if values.rings == "decision" else counts[:, training.STORED]
        offered = counts[:, training.OFFERED]
        return {
            "ring": min(int(stored.max()), values.transitions),
            "reservoir": min(int(offered.max()), self.method.policy.behaviour),
        }

    def arrays(self) -> dict[str, np.ndarray]:
        found = self._changing_arrays()
        filled = self._filled(found)
        return {
            name: array[:, : filled[memory]] if (memory := _memory(name)) in filled else array
            for name, array in found.items()
        }

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        self.check(state)
        for name, array in self._changing_arrays().items():
            saved = state[name]
            target = array[:, : saved.shape[1]] if _memory(name) in MEMORIES else array
            target[...] = saved
        self.iterations = int(state["iterations"])

    def expected(self) -> dict[str, ArraySpec]:
        """Return the arrays of a state; memories may have any number of rows."""
        found = array_specs(self.state(), **self.ranges())
        for name, one in found.items():
            if (memory := _memory(name)) in MEMORIES:
                found[name] = replace(one, shape=(one.shape[0], memory, *one.shape[2:]))
        return found

    def check(self, state: Mapping[str, np.ndarray]) -> None:
        """Refuse a state with numbers that kernels cannot use as an index or a count.

        Raises:
            RunError: the state is of another game or method, or was changed.
        """
        rows = check_arrays("the state", state, self.expected())
        if any(rows[memory] != filled for memory, filled in self._filled(state).items()):
            raise RunError("the state is damaged: a memory has more or fewer rows than were stored.")
        if int(state["iterations"]) > state["counters"][training.GAMES]:
            raise RunError("the state is damaged: it has fewer finished games than iterations.")


MEMORIES = ("ring", "reservoir")


def _memory(name: str) -> str:
    return name.partition(".")[0]
