"""The polytope of correlation plans of a game of two players, as rows of a linear program.

A *correlation plan* has the probability xi(s, t) that a device recommends the sequences s of player 0 and t of player
1, for all *relevant* pairs: both end at *connected* infosets, which some history passes through, or one is empty
(von Stengel, Forges 2008). Where no infosets are a triangle, the consistent numbers are the plans of devices (Farina,
Sandholm 2020); else there are more of them, and an optimum over them is an upper bound.

Dimension letters: K relevant pairs, E copied sequences of a player (see `triggers`), V copied infosets.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from tefuda.correlating.pairs import Pairs
from tefuda.correlating.triggers import TriggerForm, trigger_form
from tefuda.errors import GameError, quoted
from tefuda.evaluating.profile import Profile
from tefuda.forms.arrays import ranges
from tefuda.forms.sequence import sequence_form
from tefuda.forms.tree import Tree
from tefuda.solvers.exact.lp import Side, require_two_players, sizes_apart, treeplex_constraints


class Polytope(Pairs):
    """The relevant pairs of a game of two players, and the rows of its linear programs; see `Pairs`.

    Args:
        tree: the game.

    Raises:
        GameError: the game has not two players, imperfect recall, or payoffs of very different sizes.
        SizeError: the free memory is too small.
    """

    def __init__(self, tree: Tree) -> None:
        require_two_players(tree, "an optimal device", "use the method triggers")
        if apart := sizes_apart(tree):
            raise GameError(f"an optimal device needs payoffs of similar size. {apart}")
        super().__init__(Side(tree, 0), Side(tree, 1))
        self.tree, self.form = tree, sequence_form(tree)

    @cached_property
    def triangle(self) -> tuple[str, ...] | None:
        """The names of two infosets of each player that are a triangle; None if there are none.

        The infosets I, I' of player 0 follow one sequence, J, J' of player 1 too; I and J, I and J', I' and J' are
        connected.
        """
        one, two = self.connected[:, self.connected.all(axis=0)]
        earlier = self.sides[0].parent[one], self.sides[1].parent[two]
        keys = np.stack([one, earlier[1]]), np.stack([earlier[0], two])
        for_i, for_j = (np.unique(key, axis=1, return_inverse=True)[1].ravel() for key in keys)
        both = np.flatnonzero((np.bincount(for_i)[for_i] > 1) & (np.bincount(for_j)[for_j] > 1))
        if not len(both):
            return None
        edge = both[0]  # I and J'
        other_j = next(k for k in np.flatnonzero(for_i == for_i[edge]) if k != edge)
        other_i = next(k for k in np.flatnonzero(for_j == for_j[edge]) if k != edge)
        edges = (0, one[edge]), (0, one[other_i]), (1, two[other_j]), (1, two[edge])
        return tuple(self.tree.name_of(self.number_of(player, int(number))) for player, number in edges)

    def require_no_triangle(self) -> None:
        """Raise GameError with the four infosets if there is a triangle."""
        if self.triangle is not None:
            one, two, three, four = map(quoted, self.triangle)
            raise GameError(
                f"{self.tree.name} has a triangle of infosets: {one} and {two} of player 0, {three} and {four} of "
                "player 1, so that a linear program gives no device, but a bound. Ask for the bound alone (bound=True, "
                "--exact --bound), or learn a device with the method triggers."
            )

    def number_of(self, player: int, infoset: int) -> int:
        """Return the number of an infoset in the tree."""
        earlier = int(self.form.groups[: self.form.group_span[player], 1].sum())
        return int(self.form.infoset[earlier + infoset - 1])

    def pairs(self, player: int, own: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Return the numbers of the pairs of own sequences and the opponent's, numbered over both players."""
        first = self.form.span.astype(np.int64)
        return self.place(player, own - first[player], other - first[1 - player])

    def utility(self, player: int) -> np.ndarray:
        """Return `[K]` a player's payoff of each pair, times chance probability."""
        leaves = self.form.leaves(player)
        return np.bincount(self.pairs(player, leaves.own, leaves.others[:, 0]), leaves.value, self.size)

    def deviations(self, player: int, triggers: TriggerForm, obeyed: np.ndarray | None = None) -> Any:
        """Return `[E, K]` the payoffs of the copied sequences times the probability that their trigger is met.

        obeyed: `[E]` or None. If given, the payoffs under obedience of the copied sequences where it is True.
        """
        from scipy.sparse import csr_array

        leaves, own = self.form.leaves(player), triggers.own(player)
        first, last = (np.searchsorted(leaves.own, triggers.target[own], side) for side in ("left", "right"))
        if obeyed is not None:
            last = np.where(obeyed, last, first)
        copies, leaf = np.repeat(np.arange(len(first)), last - first), ranges(first, last - first)
        met = (triggers.trigger if obeyed is None else triggers.target)[own][copies]
        places = copies, self.pairs(player, met, leaves.others[leaf, 0])
        return csr_array((leaves.value[leaf], places), (len(first), self.size))

    def table(self, plan: np.ndarray) -> np.ndarray:
        """Return the trigger table of the device that recommends by a plan `[K]`; see `Device`."""
        triggers = trigger_form(self.form)
        return np.concatenate([self.deviations(player, triggers) @ plan for player in (0, 1)])

    def strategy(self, plan: np.ndarray) -> Profile:
        """Return the probabilities of each player's recommendations alone, by a plan `[K]`."""
        weights = plan[np.append(self.alone(0), self.alone(1))]
        return Profile.from_weights(self.tree, weights[self.form.sequence])

    def incentives(self, player: int, concept: str) -> tuple[Any, Any]:
        """Return rows `[., K]` and `[., V]` whose products with xi and v sum to at most 0.

        v are the values of best responses from each copied infoset on, in units of the form's scale. There is a row
        for each copied sequence, then one for each trigger: its value is at most that of obedience.
        """
        from scipy.sparse import csr_array, vstack

        triggers = trigger_form(self.form, concept == "efce")
        own, starts = triggers.own(player), triggers.starts(player)
        root = triggers.root[own] - own.start
        kept = (root == 0) == (concept == "nfcce")
        obeyed = kept.copy()
        for parents, actions in triggers.groups_of(player) if concept == "efce" else ():
            here = triggers.trigger[own][actions] == triggers.target[own][actions]
            obeyed[actions] &= np.where(parents < starts, here, obeyed[parents])
        values = treeplex_constraints(triggers, player).tocsc()[:, kept].tocsr()
        used = np.flatnonzero(np.diff(values.indptr))
        met = used[used < starts]
        total = csr_array((np.ones(len(root)), (root, np.arange(len(root)))), (starts, len(root)))
        follow = (total @ self.deviations(player, triggers, obeyed))[met]
        leave = self.deviations(player, triggers)[kept]
        chosen = csr_array((np.ones(len(met)), (np.arange(len(met)), np.arange(len(met)))), (len(met), len(used)))
        return vstack([leave, -follow]) / self.form.scale, vstack([-values[used].T, chosen])
