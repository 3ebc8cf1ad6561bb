"""Solvers for partitions: they solve the small game and report profiles of the real game.

If players remember their classes (perfect recall), any method solves the small tree, and its strategies are copied to
the infosets of the real tree. If players forget, or if the opponent is a best response in the real game (CFR-BR), CFR
methods traverse the real sequence form, with one table of regrets for each class.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

import numpy as np

from tefuda.evaluating.profile import Profile
from tefuda.forms.partitions import Partition
from tefuda.forms.programs import Instruction
from tefuda.forms.sequence import SequenceForm, sequence_form
from tefuda.solvers.exact.cfr import CFRMethod, CfrSolver
from tefuda.solvers.protocol import Method, TreeSolver, WrappedSolver, require_average


def partitioned_solver(
    partition: Partition, method: Method, seed: int = 0, workers: int | Executor | None = None
) -> TreeSolver:
    """Return a new solver of a partition; raise GameError if the method cannot solve its small game."""
    if isinstance(method, CFRMethod) and (partition.forgotten or method.opponent == "best response"):
        return MergedCfrSolver(partition, method, workers)
    inner: Any = method.solver(partition.small, seed, workers)
    return LiftedSolver(partition, inner)


class LiftedSolver(WrappedSolver):
    """A solver of a partition's small game; its strategies are copied to the real game."""

    partition: Partition

    def __init__(self, partition: Partition, inner: TreeSolver) -> None:
        super().__init__(inner)
        self.partition, self.tree = partition, partition.tree

    def _lifted(self, profile: Profile) -> Profile:
        added = None if profile.completed is None else profile.completed[self.partition.classes]
        return Profile(self.tree, self.partition.spread(profile.probabilities), added)

    def average(self) -> Profile:
        return self._lifted(self.inner.average())

    def current(self) -> Profile:
        return self._lifted(self.inner.current())


class MergedCfrSolver(CfrSolver):
    """A CFR solver on the real sequence form, with one table of regrets for each class of a partition.

    The average of a class weights strategies by its owner's reach, summed over the infosets of the class.
    """

    partition: Partition

    def __init__(self, partition: Partition, method: CFRMethod, workers: int | Executor | None = None) -> None:
        self.partition = partition
        form, self._class_groups, self._sequence = _with_classes(partition)
        super().__init__(partition.tree, method, workers, form, "share utility strategy")

    def _prepare(self) -> None:
        partition, form = self.partition, self._form
        self._class_sequence = form.index[-form.sequences :]
        self._strategy, actions = self._work["strategy"], np.diff(partition.first_row)
        self._work["share"][:] = form.spread(partition.share)
        self._strategy[self._sequence] = np.repeat(1 / actions, actions)
        arrays = {"regret": self._regret, "expected": self._expected, "strategy": self._strategy}
        self._saved = {name: (array, self._sequence) for name, array in arrays.items()}
        self._saved["average"] = (self._average, form.sequence)

    def _match(self, player: int) -> list[Instruction]:
        layout = self._work.layout
        return [
            layout.fold_mean(player),
            layout.add_shares(player),
            layout.match(player, "strategy", "utility", self._class_groups),
            layout.take_shares(player),
        ]

    def _realise(self) -> None:
        self._g[:] = self._work["share"] * self._strategy[self._class_sequence]
        super()._realise()

    def average(self) -> Profile:
        """See `Solver`; uniform in classes with reach 0."""
        require_average(self.iterations, self.method.delay)
        weights = np.bincount(self.partition.rows, self._average[self._form.sequence])
        return Profile.from_weights(self.tree, self.partition.spread(weights))


def _with_classes(partition: Partition) -> tuple[SequenceForm, np.ndarray, np.ndarray]:
    """Return the real game's form with the classes as further groups, and where they are.

    A group is a player's classes with k actions, stored as [action][class], as the kernels expect. The sequences of the
    classes begin at 0. `index` ends with the class's sequence for each real sequence. Return the form, `[P + 1]` the
    groups of the players' classes, and `[A]` the sequence of each abstract pair.
    """
    form, actions, players = sequence_form(partition.tree), np.diff(partition.first_row), partition.tree.players
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
    groups = np.stack([len(form.parent) + starts, sizes, kinds[1], base], axis=1)
    class_sequence = np.zeros(form.sequences, dtype=np.int64)
    class_sequence[form.sequence] = sequence[partition.rows]
    extended = form.extended(groups, np.zeros(len(order), dtype=np.int64), class_sequence)
    return extended, len(form.groups) + np.searchsorted(kinds[0], np.arange(players + 1)), sequence
