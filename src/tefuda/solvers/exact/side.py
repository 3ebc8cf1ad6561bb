"""The treeplex of a player, with sequences and infosets numbered by player, the empty ones first."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from tefuda.forms.programs import realised, responded
from tefuda.forms.sequence import last_rows, sequence_form
from tefuda.forms.tree import Tree
from tefuda.solvers.exact.lp import treeplex_constraints


class Side:
    """The treeplex of a player, or of an absent one (None)."""

    def __init__(self, tree: Tree, player: int | None) -> None:
        self.tree, self.player, self.form = tree, player, sequence_form(tree)
        self.groups = [] if player is None else self.form.groups_of(player)
        self.size = 1 if player is None else int(self.form.sizes[player])

    @cached_property
    def constraints(self) -> Any:
        """The constraints of realisation plans; see `treeplex_constraints`."""
        from scipy.sparse import coo_array

        return coo_array(np.ones((1, 1))) if self.player is None else treeplex_constraints(self.form, self.player)

    @cached_property
    def parent(self) -> np.ndarray:
        """The sequence before each infoset, 0 before the empty one."""
        rows, parent = self.constraints, np.zeros(self.constraints.shape[0], dtype=np.int64)
        parent[rows.row[rows.data < 0]] = rows.col[rows.data < 0]
        return parent

    @cached_property
    def infoset(self) -> np.ndarray:
        """The infoset at which each sequence ends, 0 for the empty one."""
        rows, infoset = self.constraints, np.zeros(self.constraints.shape[1], dtype=np.int64)
        infoset[rows.col[rows.data > 0]] = rows.row[rows.data > 0]
        return infoset

    def respond(self, utilities: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the value of a best response to utilities of sequences, and its pure plan."""
        if self.player is None:
            return float(utilities[0]), np.ones(1)
        own, spread = self.form.own(self.player), np.zeros(self.form.sequences)
        spread[own] = utilities
        values, response = responded(self.form, self.player, spread)
        return float(values[own.start]), realised(self.form, response)[own]

    def best_values(self, utilities: np.ndarray) -> np.ndarray:
        """Return `[n]` the values of best responses to utilities `[sequences, n]`, which are changed."""
        for parents, actions in reversed(self.groups):
            np.add.at(utilities, parents, utilities[actions].max(axis=0))
        return utilities[0]

    def ends(self) -> np.ndarray:
        """Return the sequence of the side at each terminal history."""
        if self.player is None:
            return np.zeros(len(self.tree.terminals), dtype=np.int64)
        first = int(self.form.span[self.player])
        last = last_rows(self.tree)[0][self.tree.terminals, self.player]
        return np.append(self.form.sequence, first)[last] - first

    @cached_property
    def plan_count(self) -> int:
        """The number of reduced pure plans."""
        counts = [1] * self.size  # of plans after each sequence
        for parents, actions in reversed(self.groups):
            for parent, infoset in zip(parents.tolist(), actions.T.tolist(), strict=True):
                counts[parent] *= sum(counts[sequence] for sequence in infoset)
        return counts[0]

    @cached_property
    def plans(self) -> np.ndarray:
        """`[n, sequences]` all reduced pure plans, as 0 and 1."""
        after = [np.eye(1, self.size, number, dtype=np.int8) for number in range(self.size)]
        for parents, actions in reversed(self.groups):
            for parent, infoset in zip(parents.tolist(), actions.T.tolist(), strict=True):
                options = np.concatenate([after[sequence] for sequence in infoset])
                after[parent] = (after[parent][:, None] + options[None]).reshape(-1, self.size)
        return after[0]
