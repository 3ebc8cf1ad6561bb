"""Neural fictitious self-play on compiled games, with and without exploration in the averages.

Heinrich and Silver 2016, "Deep reinforcement learning from self-play in imperfect-information games"; what its text
leaves open follows the first author's released code or is a field of `NFSP` (docs/nfsp.md). Each player has a value
network, trained by Q-learning on transitions, and a policy network that imitates its best responses: the policies are
the answer. The loop is in _kernels/learned/nfsp.py.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tefuda._kernels.learned import nfsp as kernels
from tefuda._kernels.learned import training
from tefuda.errors import ParameterError, RunError, SolverError
from tefuda.files import COUNT, Array, check_arrays, like
from tefuda.forms.features import infoset_features, unit_weights
from tefuda.forms.simulate import Simulator
from tefuda.forms.tree import Tree
from tefuda.forms.walks import walkable
from tefuda.judging.profile import Profile
from tefuda.settings import Checked, option, part
from tefuda.solvers.learned import parts
from tefuda.solvers.protocol import AnyMethod, Solver, TreeSolver

#: Schedules of the exploration rate at iteration n: epsilon / (offset + slope sqrt(n)).
SCHEDULES = {"constant": (1.0, 0.0), "inverse root": (0.0, 1.0), "released": (1.0, 0.01)}
OPTIMISERS = ("sgd", "adam")
DRAWS = ("random", "even")
RINGS = ("one", "each")
LEDUC_SCALE = 1 / 2.6  # the largest payoff of Leduc, 13, becomes 5


@dataclass(frozen=True)
class Exploration(Checked):
    """Exploration of the best response, at iteration n.

    Args:
        epsilon: rate at the start.
        schedule: ``"constant"``: epsilon; ``"inverse root"``: epsilon / sqrt(n); ``"released"``: epsilon / (1 + .01
            sqrt(n)).
        keep_exploration: whether exploratory actions enter the supervised memory. False is the improvement of Kawamura,
            Suzuki, Tsuruoka (kawamura2018).
    """

    epsilon: float = option(0.06, high=1)
    schedule: str = option("inverse root", choices=SCHEDULES)
    keep_exploration: bool = option(True)


@dataclass(frozen=True)
class Descent(Checked):
    """How a network of each player learns.

    Args:
        rate: learning rate; at iteration n divided by 1 + n / decay.
        decay: see rate; 0: constant.
        optimiser: ``"sgd"`` or ``"adam"``.
        updates: steps an iteration.
    """

    rate: float = option(0.1, high=1e9)
    decay: float = option(0.0, high=1e9)
    optimiser: str = option("sgd", choices=OPTIMISERS, shared=True)
    updates: int = option(2)


@dataclass(frozen=True)
class ValueNetwork(Descent):
    """Values in a network, trained by Q-learning.

    Args:
        batch: rows of a minibatch, drawn with replacement; 0: all that is in memory, summed by infoset.
        target_every: steps between refits of the target; 0: the network is its own target.
        transitions: capacity of each ring of transitions.
        rings: ``"one"`` a player for all transitions, or ``"each"``: every decision (infoset and action) has its own,
            so that rare ones are remembered as well as frequent ones. Needs batch 0.
        window_rate, window_power: of n transitions put into a ring the last rate n^power count; rate 0: all it holds.
            Needs batch 0.

    Raises:
        ParameterError: a value out of range, or minibatches with what needs batch 0.
    """

    batch: int = option(128, name="batch")
    target_every: int = option(300, name="target_every")
    transitions: int = option(200_000, 1, name="transitions")
    rings: str = option("one", choices=RINGS, name="rings")
    window_rate: float = option(0.0, high=1e9, name="window_rate")
    window_power: float = option(0.65, high=1, name="window_power")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batch and (self.rings == "each" or self.window_rate):
            raise ParameterError(
                f"rings {self.rings!r} and window_rate {self.window_rate:g} are for networks that learn from all "
                f"transitions at once; batch is {self.batch}: give batch 0."
            )


@dataclass(frozen=True)
class ValueTable(Checked):
    """Values in a table: Q-learning from each transition once, as in Heinrich, Lanctot, Silver 2015.

    Args:
        rate, power: the n-th step of an entry has the size min(1, rate n^-power).
    """

    rate: float = option(3.0, high=1e9, name="table_rate")
    power: float = option(0.65, high=1, name="table_power")


@dataclass(frozen=True)
class Imitation(Descent):
    """The policy network, which imitates best responses.

    Args:
        batch: see `ValueNetwork`.
        behaviour: capacity of the reservoir of best responses.
    """

    rate: float = option(0.005, high=1e9)
    batch: int = option(128)
    behaviour: int = option(2_000_000, 1, name="behaviour")


VALUES: dict[str, type | None] = {"network": ValueNetwork, "table": ValueTable}


@dataclass(frozen=True)
class NFSP(AnyMethod):
    """A way of training.

    Args:
        name: how it is called in tables.
        eta: probability that a seat plays its best response in a game; else the average.
        exploration: of the best response.
        values: `ValueNetwork` or `ValueTable`.
        policy: the network of the average.
        hidden: units of the hidden layer of both networks.
        tables: games played at once; one decision at each makes an iteration.
        least: rows a memory must hold before learning starts.
        masked: whether illegal actions are left out everywhere; else they are played as the nearest legal one and
            remembered as chosen (the released code).
        scale: payoffs times this are the rewards; with plain descent it belongs to the learning rates.
        draws: ``"random"``, or ``"even"``: every history's chances, modes and actions happen as often as they should to
            within about one occurrence, so fewer games are needed for the same accuracy (rotor walks).

    Raises:
        ParameterError: a value out of range.

    >>> td.find_method("nfsp", {"epsilon": 0.1}).unit
    'games'
    """

    name: str
    eta: float = option(0.1, 1e-9, 1)
    exploration: Exploration = part(Exploration())
    values: ValueNetwork | ValueTable = part(ValueNetwork(), "values", VALUES, "value_")
    policy: Imitation = part(Imitation(), prefix="policy_")
    hidden: int = option(64, 1)
    tables: int = option(128, 1)
    least: int = option(1000)
    masked: bool = option(True)
    scale: float = option(LEDUC_SCALE, high=1e9)
    draws: str = option("random", choices=DRAWS)

    unit = "games"
    enough = 1_000_000
    accepts = ("tree", "simulator", "partition")

    def solver(self, form: Tree | Simulator, seed: int = 0, workers: int | Executor | None = None) -> Solver:
        """See `AnyMethod`; over a simulator the memories hold observations: `observed.ObservedNfspSolver`.

        Raises:
            ParameterError: settings that need a tree.
        """
        if isinstance(form, Tree):
            return NfspSolver(form, self, seed)
        # By its name, for it stands below: it builds on the settings that are here.
        home: Any = importlib.import_module("tefuda.solvers.learned.observed")
        found: Solver = home.ObservedNfspSolver(form, self, seed)
        return found

    def exploration_rate(self, iteration: int) -> float:
        """The exploration rate at an iteration, counted from 1."""
        return float(kernels.exploration(self.numbers(), iteration))

    @property
    def network(self) -> ValueNetwork:
        """The values' network; where a table stands for it, one that is idle."""
        return self.values if isinstance(self.values, ValueNetwork) else _IDLE

    def numbers(self) -> training.Settings:
        """What the kernel needs to know."""
        offset, slope = SCHEDULES[self.exploration.schedule]
        values, policy = self.network, self.policy
        table = self.values if isinstance(self.values, ValueTable) else ValueTable()
        return training.Settings(
            eta=float(self.eta),
            epsilon=float(self.exploration.epsilon),
            offset=offset,
            slope=slope,
            keep_exploration=self.exploration.keep_exploration,
            masked=self.masked,
            scale=float(self.scale),
            value_rate=float(values.rate),
            policy_rate=float(policy.rate),
            value_decay=float(values.decay),
            policy_decay=float(policy.decay),
            adam=values.optimiser == "adam",
            policy_adam=policy.optimiser == "adam",
            tabular=self.values is table,
            table_rate=float(table.rate),
            table_power=float(table.power),
            batch=values.batch,
            apart=values.rings == "each",
            window_rate=float(values.window_rate),
            window_power=float(values.window_power),
            policy_batch=policy.batch,
            value_updates=values.updates,
            policy_updates=policy.updates,
            target_every=values.target_every,
            least=self.least,
        )


_IDLE = ValueNetwork()
#: The paper's text, with rewards scaled so that plain descent does not kill the hidden units.
PAPER = NFSP("nfsp")
#: The first author's released code: slower decay, no target network, no masking.
LUA = NFSP(
    "nfsp-lua", exploration=Exploration(schedule="released"), values=ValueNetwork(target_every=0), masked=False,
    scale=1 / 26,
)  # fmt: skip
#: kawamura2018: A original, B without exploration in the averages; C and D the same with constant exploration.
KAWAMURA_A = NFSP("nfsp-a")
KAWAMURA_B = NFSP("nfsp-b", exploration=Exploration(keep_exploration=False))
KAWAMURA_C = NFSP("nfsp-c", exploration=Exploration(0.1, "constant"))
KAWAMURA_D = NFSP("nfsp-d", exploration=Exploration(0.1, "constant", keep_exploration=False))


def evened(method: NFSP) -> NFSP:
    """Return fictitious self-play with even draws, which closes most of the gap to exact play (docs/nfsp.md).

    It is not NFSP: without value network, random draws and minibatches only the play of two modes and the imitating
    network are left.

    Args:
        method: exploration and sizes.
    """
    name, policy = method.name.replace("nfsp", "fsp-even", 1), replace(method.policy, batch=0, rate=0.6)
    return replace(method, name=name, draws="even", values=ValueTable(), policy=policy)


def fitted(method: NFSP) -> NFSP:
    """Return even draws with both networks fitted to all that is in memory: values and policies in networks alone.

    Every decision has a ring of its own, of which as much counts as a table of values would remember (docs/nfsp.md).

    Args:
        method: exploration and sizes.
    """
    values = ValueNetwork(
        rate=0.001, decay=30_000.0, optimiser="adam", updates=1, batch=0, target_every=1, transitions=3000,
        rings="each", window_rate=0.4,
    )  # fmt: skip
    policy = replace(method.policy, optimiser="sgd", rate=1.0, updates=1, batch=0)
    name = f"{method.name}-neural"
    return replace(method, name=name, draws="even", hidden=128, values=values, policy=policy)


FAMILY = (PAPER, KAWAMURA_A, KAWAMURA_B, KAWAMURA_C, KAWAMURA_D)


class NfspSolver(TreeSolver):
    """Trains on a tree. `advance` counts games; `average` is the policy networks, `current` greedy play of the values.

    The same seed gives the same bits, however the games are split over calls.
    """

    def __init__(self, tree: Tree, method: NFSP, seed: int = 0) -> None:
        self.tree, self.method, self.iterations = tree, method, 0
        self._run = _new_run(tree, method, np.random.default_rng(seed))
        for table in range(method.tables):
            self._run.tables.node[table] = kernels.deal(self._run.world, 0, self._run.dice)
        for player in range(tree.players):
            training.refit_target(self._run, player)
        kernels.play_and_learn(self._run, 0)  # loads the kernel

    def advance(self, iterations: int) -> None:
        """Train until so many more games are finished."""
        self.iterations += iterations
        kernels.play_and_learn(self._run, self.iterations)

    @property
    def steps(self) -> int:
        """How many iterations have been run: one decision at every table, then the gradient steps."""
        return int(self._run.counters[training.ITERATION])

    @property
    def offered(self) -> list[int]:
        """How many decisions have been offered to each player's supervised memory."""
        return [int(self._run.counters[3 + 4 * player + training.OFFERED]) for player in range(self.tree.players)]

    def _tabulated(self) -> tuple[np.ndarray, np.ndarray]:
        """`[I]` greedy units and `[I, U]` policies."""
        greedy, policy = np.zeros(self.tree.infosets, np.int64), np.zeros_like(self._run.looked.policy)
        kernels.tabulate(self._run, greedy, policy)
        return greedy, policy

    def _profile(self, by_unit: np.ndarray) -> Profile:
        """Probabilities of units `[I, U]` as a profile: illegal units count for what they stand for."""
        return Profile.from_weights(self.tree, unit_weights(self.tree, self._run.inputs.action, by_unit))

    def average(self) -> Profile:
        """The policy networks.

        Raises:
            SolverError: nothing has been played yet.
        """
        if self.iterations == 0:
            raise SolverError("the policy networks have learned nothing yet: no games have been played.")
        return self._profile(self._tabulated()[1])

    def current(self) -> Profile:
        """Greedy play of the value networks: the best responses."""
        greedy, policy = self._tabulated()
        return self._profile(np.eye(policy.shape[1])[greedy])

    def _arrays(self) -> dict[str, np.ndarray]:
        """Everything that changes, by name."""
        changing = {name: getattr(self._run, name) for name in _CHANGING}
        found = {name: array for part in changing.items() for name, array in parts.flat(*part)}
        return {"marks": self._run.batch.marks} | found

    def state(self) -> dict[str, np.ndarray]:
        """Copies of everything that determines how the run goes on; of the memories what is filled."""
        arrays = self._arrays()
        for name, rows in self._filled(arrays).items():
            arrays[name] = arrays[name][:, :rows]
        return {name: array.copy() for name, array in arrays.items()} | {"games": np.array(self.iterations)}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go on from what `state` returned."""
        self._check(state)
        for name, array in self._arrays().items():
            kept = state[name]
            target = array[:, : kept.shape[1]] if name.startswith("memories.") else array
            target[...] = kept
        self.iterations = int(state["games"])
        if self.method.network.batch == 0:
            parts.recount(self._run)

    def _filled(self, state: Mapping[str, np.ndarray]) -> dict[str, int]:
        """How many rows are filled at most of each memory's parts, by what was put there."""
        each, counters = self.method.network.rings == "each", state["counters"]
        seen = state["entries.visits"] if each else counters[training.FIRST + training.SEEN :: 4]
        rows = {"behaved": counters[training.FIRST + training.OFFERED :: 4], "transitions": seen}
        room = {name: getattr(self._run.memories, name).shape[1] for name in rows}
        return {f"memories.{name}": min(int(count.max()), room[name]) for name, count in rows.items()}

    def _check(self, state: Mapping[str, np.ndarray]) -> None:
        """Refuse a state with anything in it that kernels could not use as an index or a count."""
        infosets, units = self._run.entries.held.shape
        of_infosets, of_units, following = (0, infosets - 1), (0, units - 1), (-1, infosets - 1)
        ranges = {
            "tables.node": (0, len(self.tree.player) - 1),
            "tables.mode": (kernels.UNDECIDED, kernels.AVERAGING),
            "tables.infoset": following,
            "tables.unit": of_units,
            "looked.greedy": of_units,
            "memories.behaved": (0, infosets * units - 1),
        } | dict.fromkeys(("entries.visits", "entries.held", "looked.stamps", "marks", "counters"), COUNT)
        expected = like(self.state(), **ranges)
        for name in ("memories.behaved", "memories.transitions"):  # kept as far as they were filled
            players, capacity, *rest = self._arrays()[name].shape
            expected[name] = replace(expected[name], shape=(players, range(capacity + 1), *rest))
        check_arrays("the state", state, expected)
        spans = {"infoset": of_infosets, "unit": of_units, "reward": (), "following": following}
        columns = dict(zip(spans, state["memories.transitions"].reshape(-1, 4).T, strict=True))
        check_arrays("the state", columns, {name: Array("float32", ("n",), *span) for name, span in spans.items()})
        if any(state[name].shape[1] != rows for name, rows in self._filled(state).items()):
            raise RunError("the state has memories with more or fewer rows than were put there.")
        games = int(state["games"])
        if games > state["counters"][training.GAMES] or (self.tree.player[state["tables.node"]] < 0).any():
            raise RunError(
                f"the state has games that nobody played, or a table where nobody decides, at {games} games."
            )


#: The parts of a run that change; the rest follows from the game and the method, or is room for one evaluation.
_CHANGING = ("brain", "entries", "tables", "memories", "looked", "counters", "dice")


def _new_run(tree: Tree, method: NFSP, rng: np.random.Generator) -> training.Run:
    """Everything a run starts from, before the first deal."""
    histories, inputs, features = walkable(tree), parts.inputs_of(tree), infoset_features(tree).shape[1]
    random = rng.integers(0, 2**64, size=1, dtype=np.uint64)
    turns = (kernels.DRAWS if method.draws == "even" else 0, len(tree.player))
    infosets, units, players = *inputs.legal.shape, tree.players
    brain = parts.new_brain(rng, players, features, method.hidden, units)
    visits, held = np.zeros((2, infosets, units), dtype=np.int64)
    rings = infosets * units if method.network.rings == "each" else players
    return training.Run(
        world=training.World(histories.nodes, histories.cumulative, histories.payoffs, tree.infoset),
        inputs=inputs,
        settings=method.numbers(),
        brain=brain,
        entries=training.Entries(np.zeros((infosets, units)), visits, held),
        tables=parts.new_tables(method.tables, players),
        memories=parts.new_memories(method.name, rings, method.network.transitions, players, method.policy.behaviour),
        sums=parts.new_sums(tree, units, method.scale, used=method.network.batch == 0),
        looked=training.Looked(
            stamps=np.zeros((2, infosets), dtype=np.int64),
            greedy=np.zeros(infosets, dtype=np.int64),
            policy=np.zeros((infosets, units), dtype=np.float32),
            target=np.zeros(infosets, dtype=np.float32),
        ),
        batch=parts.new_batch(infosets, units, method.hidden),
        counters=np.zeros(3 + 4 * players, dtype=np.int64),
        dice=training.Dice(random, rng.integers(0, 2**64, size=turns, dtype=np.uint64)),
    )


def scaled_for(tree: Tree, method: NFSP) -> NFSP:
    """The method with rewards scaled so that the tree's largest payoff becomes 5, as Leduc's does."""
    return replace(method, scale=5 / (float(np.abs(tree.payoffs).max()) or 5.0))
