"""Neural fictitious self-play on compiled games, with or without exploration in the averages.

Source: Heinrich and Silver 2016, "Deep reinforcement learning from self-play in imperfect-information
games". Details that its text leaves open follow the first author's code or are fields of `NFSP`
(docs/nfsp.md). Each player has a value network, trained by Q-learning, and a policy network that imitates
its best responses; the policies are the reported strategy. The loop is in _kernels/learned/nfsp.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tefuda._kernels.jit import handle
from tefuda._kernels.learned import network, training
from tefuda._kernels.learned import nfsp as kernels
from tefuda.errors import ParameterError, RunError
from tefuda.evaluating.profile import Profile
from tefuda.files import COUNT, ArraySpec, check_arrays
from tefuda.forms.features import infoset_features, infoset_units, unit_weights
from tefuda.forms.sequence import last_rows
from tefuda.forms.simulate import traversal_histories
from tefuda.forms.tree import Tree
from tefuda.solvers.learned.self_play import (
    NFSP,
    Exploration,
    SelfPlaySolver,
    ValueNetwork,
    ValueTable,
    new_batch,
    new_networks,
)  # fmt: skip
from tefuda.solvers.protocol import TreeSolver

MAX_RING_BYTES = 4 << 30  # bytes that rings of each decision may take

#: The paper's text, with rewards scaled so that plain descent does not kill the hidden units.
PAPER = NFSP("nfsp", source="heinrich2016")
#: The first author's released code: slower decay, no target network, no masking.
LUA = NFSP(
    "nfsp-lua", exploration=Exploration(schedule="released"), values=ValueNetwork(target_every=0), masked=False,
    scale=1 / 26,
)  # fmt: skip
#: kawamura2018: A original, B without exploration in the averages; C and D the same with constant exploration.
KAWAMURA_A = NFSP("nfsp-a", source="kawamura2018")
KAWAMURA_B = NFSP("nfsp-b", exploration=Exploration(keep_exploration=False), source="kawamura2018")
KAWAMURA_C = NFSP("nfsp-c", exploration=Exploration(0.1, "constant"), source="kawamura2018")
KAWAMURA_D = NFSP("nfsp-d", exploration=Exploration(0.1, "constant", keep_exploration=False), source="kawamura2018")


def low_discrepancy(method: NFSP) -> NFSP:
    """Return fictitious self-play with low-discrepancy draws, a table of values and full-batch imitation.

    This closes most of the gap to exact play (docs/nfsp.md). It is not NFSP: only the two modes of play and
    the imitating network remain.

    Args:
        method: source of exploration and sizes.
    """
    name, policy = method.name.replace("nfsp", "fsp-even", 1), replace(method.policy, batch=0, rate=0.6)
    return replace(method, name=name, draws="low-discrepancy", values=ValueTable(), policy=policy)


def full_batch(method: NFSP) -> NFSP:
    """Return a variant with low-discrepancy draws whose networks are fitted to the whole memory.

    Every decision has a ring of its own, of which a recent window is used (docs/nfsp.md).

    Args:
        method: source of exploration and sizes.
    """
    values = ValueNetwork(
        rate=0.001, decay=30_000.0, optimiser="adam", updates=1, batch=0, target_every=1, transitions=3000,
        rings="decision", window_rate=0.4,
    )  # fmt: skip
    policy = replace(method.policy, optimiser="sgd", rate=1.0, updates=1, batch=0)
    name = f"{method.name}-neural"
    return replace(method, name=name, draws="low-discrepancy", hidden=128, values=values, policy=policy)


FAMILY = (PAPER, KAWAMURA_A, KAWAMURA_B, KAWAMURA_C, KAWAMURA_D)


class NfspSolver(SelfPlaySolver, TreeSolver):
    """Trainer on a tree.

    `advance` counts games; `average` is the play of the policy networks, `current` greedy play of the values.
    The same seed gives the same bits, however the games are split over calls.
    """

    parts = ("networks", "statistics", "tables", "ring", "reservoir", "cached", "counters", "counts", "random_source")

    def __init__(self, tree: Tree, method: NFSP, seed: int = 0) -> None:
        self.tree, self.method, self.iterations = tree, method, 0
        self._run = handle(_new_run(tree, method, np.random.default_rng(seed)))
        kernels.play_and_learn(self._run, 0)  # deals, and loads the kernel

    def advance(self, iterations: int) -> None:
        """Train until this many more games have ended."""
        self.iterations += iterations
        kernels.play_and_learn(self._run, self.iterations)

    def _tabulated(self) -> tuple[np.ndarray, np.ndarray]:
        """Return `[I]` greedy units and `[I, U]` policies."""
        greedy, policy = np.zeros(self.tree.infosets, np.int64), np.zeros_like(self._run.cached.policy)
        kernels.tabulate(self._run, greedy, policy)
        return greedy, policy

    def _profile(self, by_unit: np.ndarray) -> Profile:
        """Return probabilities of units `[I, U]` as a profile; illegal units count for their actions."""
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

    def _changing_arrays(self) -> dict[str, np.ndarray]:
        return super()._changing_arrays() | {"stamps": self._run.batch.stamps}

    def ranges(self) -> dict[str, tuple[float, float]]:
        infosets, units = self._run.statistics.imitated.shape
        found: dict[str, tuple[float, float]] = {
            "tables.node": (0, len(self.tree.player) - 1),
            "tables.mode": (training.UNDECIDED, training.AVERAGING),
            "tables.infoset": (-1, infosets - 1),
            "tables.unit": (0, units - 1),
            "cached.greedy": (0, units - 1),
            "reservoir": (0, infosets * units - 1),
        }
        return found | dict.fromkeys(_COUNTS, COUNT)

    def check(self, state: Mapping[str, np.ndarray]) -> None:
        super().check(state)
        infosets, units = self._run.statistics.imitated.shape
        spans = {"infoset": (0, infosets - 1), "unit": (0, units - 1), "reward": (), "next_infoset": (-1, infosets - 1)}
        columns = dict(zip(spans, state["ring"].reshape(-1, 4).T, strict=True))
        check_arrays("the state", columns, {name: ArraySpec("float32", ("n",), *span) for name, span in spans.items()})
        if (self.tree.player[state["tables.node"]] < 0).any():
            raise RunError("the state is damaged: a table is not at a decision.")

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        super().restore(state)
        if self.method.network.batch == 0:
            recompute_sums(self._run)


_COUNTS = ("statistics.visits", "statistics.imitated", "cached.stamps", "stamps", "counters", "counts")


def _new_run(tree: Tree, method: NFSP, rng: np.random.Generator) -> training.NfspRun:
    """Return the initial arrays of a run, before the first deal."""
    histories, inputs, features = traversal_histories(tree), network_inputs(tree), infoset_features(tree).shape[1]
    random = rng.integers(0, 2**64, size=1, dtype=np.uint64)
    rotors = (kernels.DRAW_KINDS if method.draws == "low-discrepancy" else 0, len(tree.player))
    infosets, units, players = *inputs.legal.shape, tree.players
    networks = new_networks(rng, players, features, method.hidden, units)
    visits, imitated = np.zeros((2, infosets, units), dtype=np.int64)
    mode = np.zeros((method.tables, players), dtype=np.int64)
    return training.NfspRun(
        game=training.GameArrays(histories.nodes, histories.cumulative, histories.payoffs, tree.infoset),
        inputs=inputs,
        settings=method.kernel_settings(),
        networks=networks,
        statistics=training.ActionStatistics(np.zeros((infosets, units)), visits, imitated),
        tables=training.Tables(
            np.zeros(method.tables, dtype=np.int64), mode, np.full_like(mode, -1), np.zeros_like(mode)
        ),
        ring=empty_rings(method, infosets, units, players),
        reservoir=np.zeros((players, method.policy.behaviour), dtype=np.int32),
        sums=empty_sums(tree, units, method.scale, used=method.network.batch == 0),
        cached=training.CachedOutputs(
            stamps=np.zeros((2, infosets), dtype=np.int64),
            greedy=np.zeros(infosets, dtype=np.int64),
            policy=np.zeros((infosets, units), dtype=np.float32),
            target=np.zeros(infosets, dtype=np.float32),
        ),
        sampled=training.Sampled(
            np.zeros((method.network.batch, 4), dtype=np.float32), np.zeros(method.policy.batch, dtype=np.int32)
        ),
        batch=new_batch(infosets, units, method.hidden),
        counters=np.zeros(3, dtype=np.int64),
        counts=np.zeros((players, 4), dtype=np.int64),
        random_source=training.RandomSource(random, rng.integers(0, 2**64, size=rotors, dtype=np.uint64)),
    )


def network_inputs(tree: Tree) -> network.Inputs:
    """Return features, units and owners of a tree's infosets for kernels."""
    features, units = infoset_features(tree), infoset_units(tree)
    places, columns = np.nonzero(features)
    start = np.searchsorted(places, np.arange(tree.infosets + 1)).astype(np.int32)
    value, owner = features[places, columns].astype(np.float32), tree.infoset_player.astype(np.int32)
    return network.Inputs(start, columns.astype(np.int32), value, units.legal, units.action, owner)


def empty_rings(method: NFSP, infosets: int, units: int, players: int) -> np.ndarray:
    """Return empty rings; raise ParameterError if rings of each decision do not fit in memory."""
    rings, transitions = players, method.network.transitions
    if method.network.rings == "decision":
        rings = infosets * units
        most = MAX_RING_BYTES // (16 * rings)
        if transitions > most:
            raise ParameterError(
                f"{method.name} would store {transitions:,} transitions of each of {rings:,} decisions, more than "
                f"{MAX_RING_BYTES >> 30} GiB: give transitions of at most {most:,}, or rings='player' and "
                "window_rate=0."
            )
    return np.zeros((rings, transitions, 4), dtype=np.float32)


def empty_sums(tree: Tree, units: int, scale: float, used: bool) -> training.Sums:
    """Return sums of empty rings; their resolution is 2^-24 of the largest reward, that of float32.

    Raises:
        GameError: the sums are used, and a player has imperfect recall.
    """
    rows, rewards, arrivals = np.zeros((3, tree.infosets, units), dtype=np.int64)
    before = np.full(tree.infosets, -1)
    if used:
        parents = last_rows(tree)[1]
        before[parents >= 0] = tree.infoset_of_row[parents[parents >= 0]]
    resolution = float(np.abs(tree.payoffs).max() * scale * 2.0**-24) or 1.0
    return training.Sums(rows, rewards, arrivals, before, resolution)


def recompute_sums(run: training.NfspRun) -> None:
    """Recompute the sums over the rings after their rows were restored."""
    rings, (_, units), sums = run.ring, run.statistics.visits.shape, run.sums
    for array in (sums.rows, sums.rewards, sums.arrivals):
        array[...] = 0
    ring_per_decision, capacity = run.settings.ring_per_decision, rings.shape[1]
    for ring, rows in enumerate(rings):
        stored = int(run.statistics.visits.flat[ring] if ring_per_decision else run.counts[ring, training.STORED])
        window = int(kernels.window_size(run.settings, capacity, stored))
        infoset, unit, reward, next_infoset = rows[np.arange(stored - window, stored) % capacity].T
        indices = infoset.astype(np.int64) * units + unit.astype(np.int64)
        rewards = np.rint(reward / sums.resolution).astype(np.int64)
        np.add.at(sums.rows.reshape(-1), indices, 1)
        np.add.at(sums.rewards.reshape(-1), indices, rewards)
        continues = next_infoset >= 0
        after = next_infoset[continues].astype(np.int64) * units + unit[continues].astype(np.int64)
        np.add.at(sums.arrivals.reshape(-1), after, 1)


def scale_rewards(tree: Tree, method: NFSP) -> NFSP:
    """Return the method with rewards scaled so that the tree's largest payoff is 5, as in Leduc."""
    return replace(method, scale=5 / (float(np.abs(tree.payoffs).max()) or 5.0))
