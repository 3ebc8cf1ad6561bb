"""Neural fictitious self-play on compiled games, with and without exploration in the averages.

Heinrich and Silver 2016, "Deep reinforcement learning from self-play in imperfect-information games"; what its text
leaves open follows the first author's released code or is a field of `NFSP` (docs/nfsp.md). Each player has a value
network, trained by Q-learning on transitions, and a policy network that imitates its best responses: the policies are
the answer. The loop is in _kernels/learned/nfsp.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from tefuda._kernels.learned import network, training
from tefuda._kernels.learned import nfsp as kernels
from tefuda.errors import ParameterError, RunError
from tefuda.evaluating.profile import Profile
from tefuda.files import COUNT, ArraySpec, check_arrays
from tefuda.forms.features import infoset_features, infoset_units, unit_weights
from tefuda.forms.sequence import last_rows
from tefuda.forms.simulate import Simulator
from tefuda.forms.tree import Tree
from tefuda.forms.walks import walkable
from tefuda.solvers.learned.observed import ObservedNfspSolver
from tefuda.solvers.learned.self_play import (
    Exploration,
    SelfPlay,
    SelfPlaySolver,
    ValueNetwork,
    ValueTable,
    new_batch,
    new_brain,
)  # fmt: skip
from tefuda.solvers.protocol import Solver, TreeSolver


@dataclass(frozen=True)
class NFSP(SelfPlay):
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

    def solver(self, form: Tree | Simulator, seed: int = 0, workers: int | Executor | None = None) -> Solver:
        """See `AnyMethod`; over a simulator the memories hold observations.

        Raises:
            ParameterError: settings that need a tree.
        """
        return NfspSolver(form, self, seed) if isinstance(form, Tree) else ObservedNfspSolver(form, self, seed)


LARGEST = 4 << 30  # bytes that rings of each decision may take

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


class NfspSolver(SelfPlaySolver, TreeSolver):
    """Trains on a tree. `advance` counts games; `average` is the policy networks, `current` greedy play of the values.

    The same seed gives the same bits, however the games are split over calls.
    """

    parts = ("brain", "entries", "tables", "ring", "reservoir", "looked", "counters", "counts", "dice")

    def __init__(self, tree: Tree, method: SelfPlay, seed: int = 0) -> None:
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
    def offered(self) -> list[int]:
        """The number of decisions offered to each player's reservoir."""
        return self._run.counts[:, training.OFFERED].tolist()

    def _tabulated(self) -> tuple[np.ndarray, np.ndarray]:
        """`[I]` greedy units and `[I, U]` policies."""
        greedy, policy = np.zeros(self.tree.infosets, np.int64), np.zeros_like(self._run.looked.policy)
        kernels.tabulate(self._run, greedy, policy)
        return greedy, policy

    def _profile(self, by_unit: np.ndarray) -> Profile:
        """Probabilities of units `[I, U]` as a profile: illegal units count for what they stand for."""
        return Profile.from_weights(self.tree, unit_weights(self.tree, self._run.inputs.action, by_unit))

    def average(self) -> Profile:
        """Return the policy networks' play.

        Raises:
            SolverError: nothing has been played yet.
        """
        self._require_games()
        return self._profile(self._tabulated()[1])

    def current(self) -> Profile:
        """Return greedy play of the value networks: the best responses."""
        greedy, policy = self._tabulated()
        return self._profile(np.eye(policy.shape[1])[greedy])

    def _whole(self) -> dict[str, np.ndarray]:
        return super()._whole() | {"marks": self._run.batch.marks}

    def ranges(self) -> dict[str, tuple[float, float]]:
        """See `Solver`."""
        infosets, units = self._run.entries.held.shape
        found: dict[str, tuple[float, float]] = {
            "tables.node": (0, len(self.tree.player) - 1),
            "tables.mode": (training.UNDECIDED, training.AVERAGING),
            "tables.infoset": (-1, infosets - 1),
            "tables.unit": (0, units - 1),
            "looked.greedy": (0, units - 1),
            "reservoir": (0, infosets * units - 1),
        }
        return found | dict.fromkeys(_COUNTS, COUNT)

    def check(self, state: Mapping[str, np.ndarray]) -> None:
        """See `SelfPlaySolver`."""
        super().check(state)
        infosets, units = self._run.entries.held.shape
        spans = {"infoset": (0, infosets - 1), "unit": (0, units - 1), "reward": (), "following": (-1, infosets - 1)}
        columns = dict(zip(spans, state["ring"].reshape(-1, 4).T, strict=True))
        check_arrays("the state", columns, {name: ArraySpec("float32", ("n",), *span) for name, span in spans.items()})
        if (self.tree.player[state["tables.node"]] < 0).any():
            raise RunError("the state has a table at which nobody decides.")

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """See `Solver`."""
        super().restore(state)
        if self.method.network.batch == 0:
            recount(self._run)


_COUNTS = ("entries.visits", "entries.held", "looked.stamps", "marks", "counters", "counts")


def _new_run(tree: Tree, method: SelfPlay, rng: np.random.Generator) -> training.Run:
    """Everything a run starts from, before the first deal."""
    histories, inputs, features = walkable(tree), inputs_of(tree), infoset_features(tree).shape[1]
    random = rng.integers(0, 2**64, size=1, dtype=np.uint64)
    turns = (kernels.DRAWS if method.draws == "even" else 0, len(tree.player))
    infosets, units, players = *inputs.legal.shape, tree.players
    brain = new_brain(rng, players, features, method.hidden, units)
    visits, held = np.zeros((2, infosets, units), dtype=np.int64)
    mode = np.zeros((method.tables, players), dtype=np.int64)
    rings = infosets * units if method.network.rings == "each" else players
    return training.Run(
        world=training.World(histories.nodes, histories.cumulative, histories.payoffs, tree.infoset),
        inputs=inputs,
        settings=method.numbers(),
        brain=brain,
        entries=training.Entries(np.zeros((infosets, units)), visits, held),
        tables=training.Tables(
            np.zeros(method.tables, dtype=np.int64), mode, np.full_like(mode, -1), np.zeros_like(mode)
        ),
        ring=new_ring(method.name, rings, method.network.transitions, players),
        reservoir=np.zeros((players, method.policy.behaviour), dtype=np.int32),
        sums=new_sums(tree, units, method.scale, used=method.network.batch == 0),
        looked=training.Looked(
            stamps=np.zeros((2, infosets), dtype=np.int64),
            greedy=np.zeros(infosets, dtype=np.int64),
            policy=np.zeros((infosets, units), dtype=np.float32),
            target=np.zeros(infosets, dtype=np.float32),
        ),
        batch=new_batch(infosets, units, method.hidden),
        counters=np.zeros(3, dtype=np.int64),
        counts=np.zeros((players, 4), dtype=np.int64),
        dice=training.Dice(random, rng.integers(0, 2**64, size=turns, dtype=np.uint64)),
    )


def inputs_of(tree: Tree) -> network.Inputs:
    """Features, units and owners of a tree's infosets, as kernels read them."""
    features, units = infoset_features(tree), infoset_units(tree)
    places, columns = np.nonzero(features)
    start = np.searchsorted(places, np.arange(tree.infosets + 1)).astype(np.int32)
    value, owner = features[places, columns].astype(np.float32), tree.infoset_player.astype(np.int32)
    return network.Inputs(start, columns.astype(np.int32), value, units.legal, units.action, owner)


def new_ring(name: str, rings: int, transitions: int, players: int) -> np.ndarray:
    """Empty rings of so many rows each; name: of the method, for the message.

    Raises:
        ParameterError: more rings, for each decision one, than memory would hold.
    """
    most = LARGEST // (16 * rings)
    if transitions > most and rings > players:
        raise ParameterError(
            f"{name} keeps {transitions:,} transitions of each of {rings:,} decisions, more than {LARGEST >> 30} GiB: "
            f"give transitions of at most {most:,}, or rings 'one' and window_rate 0."
        )
    return np.zeros((rings, transitions, 4), dtype=np.float32)


def new_sums(tree: Tree, units: int, scale: float, used: bool) -> training.Sums:
    """Sums of empty rings. A grain is 2^-24 of the largest reward: as fine as the rings' float32.

    Raises:
        GameError: they are to be used, and somebody forgets what he did, so that nothing is before all of an infoset.
    """
    rows, rewards, arrived = np.zeros((3, tree.infosets, units), dtype=np.int64)
    before = np.full(tree.infosets, -1)
    if used:
        parents = last_rows(tree)[1]
        before[parents >= 0] = tree.infoset_of_row[parents[parents >= 0]]
    grain = float(np.abs(tree.payoffs).max() * scale * 2.0**-24) or 1.0
    return training.Sums(rows, rewards, arrived, before, grain)


def recount(run: training.Run) -> None:
    """Sum again what the rings hold, after they were filled from elsewhere."""
    rings, (_, units), sums = run.ring, run.entries.visits.shape, run.sums
    for array in (sums.rows, sums.rewards, sums.arrived):
        array[...] = 0
    apart, capacity = run.settings.apart, rings.shape[1]
    for ring, rows in enumerate(rings):
        seen = int(run.entries.visits.flat[ring] if apart else run.counts[ring, training.SEEN])
        held = int(kernels.counted(run.settings, capacity, seen))
        infoset, unit, reward, following = rows[np.arange(seen - held, seen) % capacity].T
        places = infoset.astype(np.int64) * units + unit.astype(np.int64)
        grains = np.rint(reward / sums.grain).astype(np.int64)
        np.add.at(sums.rows.reshape(-1), places, 1)
        np.add.at(sums.rewards.reshape(-1), places, grains)
        goes_on = following >= 0
        after = following[goes_on].astype(np.int64) * units + unit[goes_on].astype(np.int64)
        np.add.at(sums.arrived.reshape(-1), after, 1)


def scaled_for(tree: Tree, method: NFSP) -> NFSP:
    """The method with rewards scaled so that the tree's largest payoff becomes 5, as Leduc's does."""
    return replace(method, scale=5 / (float(np.abs(tree.payoffs).max()) or 5.0))
