"""The start of a run of neural fictitious self-play (_kernels/learned/training.py): nothing played, nothing learned."""

from __future__ import annotations

import numpy as np

from tefuda._kernels.learned import network, training
from tefuda._kernels.learned import nfsp as kernels
from tefuda.errors import ParameterError
from tefuda.forms.features import infoset_features, infoset_units
from tefuda.forms.sequence import last_rows
from tefuda.forms.tree import Tree

LARGEST = 4 << 30  # bytes that rings of each decision may take


def inputs_of(tree: Tree) -> network.Inputs:
    """Features, units and owners of a tree's infosets, as kernels read them."""
    features, units = infoset_features(tree), infoset_units(tree)
    places, columns = np.nonzero(features)
    start = np.searchsorted(places, np.arange(tree.infosets + 1)).astype(np.int32)
    value, owner = features[places, columns].astype(np.float32), tree.infoset_player.astype(np.int32)
    return network.Inputs(start, columns.astype(np.int32), value, units.legal, units.action, owner)


def empty_net(players: int, features: int, hidden: int, units: int) -> network.Net:
    """Weights of zero, or a gradient, or a moment."""
    shapes = ((players, features, hidden), (players, hidden), (players, units, hidden), (players, units))
    return network.Net(*(np.zeros(shape, dtype=np.float32) for shape in shapes))


def new_learner(rng: np.random.Generator, players: int, features: int, hidden: int, units: int) -> network.Learner:
    """A network with weights drawn from U(-1 / sqrt(fan in), 1 / sqrt(fan in))."""
    net, *rest = (empty_net(players, features, hidden, units) for _ in range(4))
    for array, fan in zip(net, (features, features, hidden, hidden), strict=True):
        array[...] = rng.uniform(-1, 1, array.shape) / np.sqrt(fan)
    return network.Learner(net, *rest)


def new_brain(rng: np.random.Generator, *shape: int) -> training.Brain:
    """Fresh networks of values and policies."""
    return training.Brain(new_learner(rng, *shape), new_learner(rng, *shape))


def new_tables(count: int, players: int) -> training.Tables:
    """Tables at the root, where no seat has a mode."""
    nobody = np.full((count, players), -1, dtype=np.int64)
    mode = np.zeros((count, players), dtype=np.int64)
    return training.Tables(np.zeros(count, dtype=np.int64), mode, nobody, np.zeros_like(mode))


def new_batch(infosets: int, units: int, hidden: int) -> network.Batch:
    """Room for a minibatch and one evaluation."""
    counts, targets = np.zeros((2, infosets, units), dtype=np.float32)
    marks, listed = np.zeros((2, infosets), dtype=np.int64)
    hidden_room, back = np.zeros((2, hidden), dtype=np.float32)
    return network.Batch(counts, targets, marks, listed, hidden_room, back, np.zeros(units, dtype=np.float32))


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
        seen = int(run.entries.visits.flat[ring] if apart else run.counters[training.FIRST + 4 * ring + training.SEEN])
        held = int(kernels.counted(run.settings, capacity, seen))
        infoset, unit, reward, following = rows[np.arange(seen - held, seen) % capacity].T
        places = infoset.astype(np.int64) * units + unit.astype(np.int64)
        grains = np.rint(reward / sums.grain).astype(np.int64)
        np.add.at(sums.rows.reshape(-1), places, 1)
        np.add.at(sums.rewards.reshape(-1), places, grains)
        goes_on = following >= 0
        after = following[goes_on].astype(np.int64) * units + unit[goes_on].astype(np.int64)
        np.add.at(sums.arrived.reshape(-1), after, 1)
