"""Solvers in the classes of a partition, whose `tree` and profiles are those of the real game.

Where players remember their classes, any method runs on the small tree, and its strategies are spread over the real
one. Where they forget, or the opponent answers in the real game (CFR-BR), the CFR family traverses the real sequence
form with one table of regrets for a class.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from typing import Any

import numpy as np

from tefuda._kernels.cfr import InfosetClasses
from tefuda._kernels.traversal import Form
from tefuda.evaluating.profile import Profile
from tefuda.forms.partition import Partition
from tefuda.forms.sequence import SequenceForm
from tefuda.solvers.exact.cfr import CfrSolver, Method
from tefuda.solvers.protocol import AnyMethod, TreeSolver, require_average


def partitioned_solver(
    partition: Partition, method: AnyMethod, seed: int = 0, workers: int | Executor | None = None
) -> TreeSolver:
    """Return a new solver in a partition; GameError if the method cannot solve its small game."""
    if isinstance(method, Method) and workers is None and (partition.forgets or method.opponent == "best response"):
        return MergedCfrSolver(partition, method)
    inner: Any = method.solver(partition.small, seed, workers)
    return LiftedSolver(partition, inner)


class LiftedSolver(TreeSolver):
    """A solver of the small game of a partition, whose strategies are spread over the real one."""

    partition: Partition

    def __init__(self, partition: Partition, inner: TreeSolver) -> None:
        self.partition, self.inner, self.tree, self.method = partition, inner, partition.tree, inner.method

    @property
    def iterations(self) -> int:  # type: ignore[override]
        """See `Solver`."""
        return self.inner.iterations

    @property
    def nodes(self) -> int:  # type: ignore[override]
        """See `Solver`."""
        return self.inner.nodes

    def advance(self, iterations: int) -> None:
        """See `Solver`."""
        self.inner.advance(iterations)

    def _lifted(self, profile: Profile) -> Profile:
        return Profile(self.tree, self.partition.spread(profile.probabilities))

    def average(self) -> Profile:
        """See `Solver`."""
        return self._lifted(self.inner.average())

    def current(self) -> Profile:
        """See `Solver`."""
        return self._lifted(self.inner.current())

    def state(self) -> dict[str, np.ndarray]:
        """See `Solver`."""
        return self.inner.state()

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """See `Solver`."""
        self.inner.restore(state)

    def close(self) -> None:
        """See `Solver`."""
        self.inner.close()


class MergedCfrSolver(CfrSolver):
    """Runs a `Method` with one table of regrets for a class, on the sequence form of the real game.

    The average of a class weights strategies by its owner's reach of its infosets, summed.
    """

    partition: Partition

    def __init__(self, partition: Partition, method: Method) -> None:
        self.partition = partition
        super().__init__(partition.tree, method)

    def _prepare(self) -> None:
        partition, form, count = self.partition, self._form, self._form.sequences
        flat, self._sequence = _flat_form(partition, form)
        self._place, self._share = np.zeros(count, dtype=np.uint32), form.spread(partition.share)
        self._place[form.sequence] = self._sequence[partition.rows]
        actions = np.diff(partition.first_row)
        pooled, self._matched, self._g = np.zeros((3, count))
        self._matched[self._sequence] = np.repeat(1 / actions, actions)
        self._merged = InfosetClasses(flat, self._place, self._share, pooled, self._matched)
        arrays = {"regret": self._regret, "expected": self._expected, "matched": self._matched}
        self._saved = {name: (array, self._sequence) for name, array in arrays.items()}
        self._saved["average"] = (self._average, form.sequence)

    def _realise(self) -> None:
        self._g[:] = self._share * self._matched[self._place]
        super()._realise()

    def average(self) -> Profile:
        """See `Solver`; uniform in classes that their owner never reached."""
        require_average(self.iterations, self.method.delay)
        weights = np.bincount(self.partition.rows, self._average[self._form.sequence])
        return Profile.from_weights(self.tree, self.partition.spread(weights))


def _flat_form(partition: Partition, form: SequenceForm) -> tuple[Form, np.ndarray]:
    """Return the classes as a form without depth, and the sequence `[A]` in it of each abstract infoset-action pair.

    Groups are those of the kernels: a player's classes of k actions, stored [action][class].
    """
    actions, players = np.diff(partition.first_row), partition.tree.players
    owner = partition.tree.infoset_player[partition.first_infoset]
    order = np.lexsort((actions, owner))
    kinds, starts, sizes = np.unique(
        np.stack([owner, actions])[:, order], axis=1, return_index=True, return_counts=True
    )
    base = np.append(1, 1 + np.cumsum(sizes * kinds[1]))[:-1]
    sequence = np.empty(len(partition.keys) and int(partition.first_row[-1]), dtype=np.int64)
    for start, m, k, first in zip(starts, sizes, kinds[1], base, strict=True):
        rows = partition.first_row[order[start : start + m]][None, :] + np.arange(k)[:, None]
        sequence[rows] = first + np.arange(m * k).reshape(k, m)
    flat = {
        "groups": np.stack([starts, sizes, kinds[1], base], axis=1),
        "group_span": np.searchsorted(kinds[0], np.arange(players + 1)),
        "parent": np.zeros(len(order)),
    }
    return form.arrays._replace(**{name: array.astype(np.uint32) for name, array in flat.items()}), sequence
