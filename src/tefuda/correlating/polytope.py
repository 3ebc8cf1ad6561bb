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

from tefuda.correlating.side import Side
from tefuda.correlating.triggers import TriggerForm, require_room, trigger_form
from tefuda.errors import GameError, quoted
from tefuda.evaluating.profile import Profile
from tefuda.forms.arrays import ranges
from tefuda.forms.sequence import sequence_form
from tefuda.forms.tree import Tree
from tefuda.solvers.exact.lp import require_two_players, sizes_apart, treeplex_constraints

_BYTES = 1_000  # of a relevant pair in the rows, here and in HiGHS; others are a number of `place` each


class Polytope:
    """The relevant pairs of a game of two players, and the rows of its linear programs.

    Sequences and infosets are numbered by player, the empty one first.

    Args:
        tree: the game.

    Attributes:
        parent: for each player, the sequence before each infoset.
        infoset: for each player, the infoset at which each sequence ends.
        connected: `[infosets of 0, infosets of 1]` whether a history passes through both.
        place: `[sequences of 0, sequences of 1]` number of each relevant pair, or -1.
        size: number of relevant pairs, K.
        sizes: for each player, the number of infosets.

    Raises:
        GameError: the game has not two players, imperfect recall, or payoffs of very different sizes.
        SizeError: the free memory is too small.
    """

    def __init__(self, tree: Tree) -> None:
        require_two_players(tree, "an optimal device", "use the method triggers")
        if apart := sizes_apart(tree):
            raise GameError(f"an optimal device needs payoffs of similar size. {apart}")
        self.tree, self.form = tree, sequence_form(tree)
        sides = [Side(tree, player) for player in (0, 1)]
        self.parent, self.infoset = [side.parent for side in sides], [side.infoset for side in sides]
        self.sizes = list(map(len, self.parent))
        self.connected = self._connected(*(side.infoset[side.ends()] for side in sides))
        one, two = map(np.bincount, self.infoset)
        self.size = int(one @ self.connected @ two)
        require_room(f"{self.size:,} pairs of sequences", self.size * _BYTES + 9 * int(one.sum()) * int(two.sum()))
        relevant = self.connected[self.infoset[0]][:, self.infoset[1]]
        self.place = np.full(relevant.shape, -1)
        self.place[relevant] = np.arange(self.size)

    def _connected(self, one: np.ndarray, two: np.ndarray) -> np.ndarray:
        """Return whether a history passes through each pair of infosets; one, two: those before each end."""
        connected = np.zeros(self.sizes, dtype=bool)
        connected[0], connected[:, 0] = True, True
        above = [ends[parents] for ends, parents in zip(self.infoset, self.parent, strict=True)]
        while len(one):
            one, two = np.unique(np.stack([one, two])[:, ~connected[one, two]], axis=1)
            connected[one, two] = True
            one, two = np.append(above[0][one], one), np.append(two, above[1][two])
        return connected

    @cached_property
    def triangle(self) -> tuple[str, ...] | None:
        """The names of two infosets of each player that are a triangle; None if there are none.

        The infosets I, I' of player 0 follow one sequence, J, J' of player 1 too; I and J, I and J', I' and J' are
        connected.
        """
        one, two = np.nonzero(self.connected[1:, 1:])
        earlier = self.parent[0][1:][one], self.parent[1][1:][two]
        keys = np.stack([one, earlier[1]]), np.stack([earlier[0], two])
        for_i, for_j = (np.unique(key, axis=1, return_inverse=True)[1].ravel() for key in keys)
        both = np.flatnonzero((np.bincount(for_i)[for_i] > 1) & (np.bincount(for_j)[for_j] > 1))
        if not len(both):
            return None
        edge = both[0]  # I and J'
        other_j = next(k for k in np.flatnonzero(for_i == for_i[edge]) if k != edge)
        other_i = next(k for k in np.flatnonzero(for_j == for_j[edge]) if k != edge)
        edges = (0, one[edge]), (0, one[other_i]), (1, two[other_j]), (1, two[edge])
        return tuple(self.tree.name_of(self.number_of(player, int(number) + 1)) for player, number in edges)

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
        own, other = own - first[player], other - first[1 - player]
        return self.place[own, other] if player == 0 else self.place[other, own]

    def utility(self, player: int) -> np.ndarray:
        """Return `[K]` a player's payoff of each pair, times chance probability."""
        leaves = self.form.leaves(player)
        return np.bincount(self.pairs(player, leaves.own, leaves.others[:, 0]), leaves.value, self.size)

    def consistency(self, player: int) -> Any:
        """Return the rows for which xi is 0: the actions at each infoset sum to the sequence before it."""
        from scipy.sparse import coo_array

        place, connected = (self.place, self.connected) if player == 0 else (self.place.T, self.connected.T)
        rows, relevant = treeplex_constraints(self.form, player), connected[:, self.infoset[1 - player]].copy()
        relevant[0] = False
        number = np.cumsum(relevant).reshape(relevant.shape) - 1
        entry, other = np.nonzero(relevant[rows.row])
        places = number[rows.row[entry], other], place[rows.col[entry], other]
        return coo_array((rows.data[entry], places), (int(relevant.sum()), self.size))

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
        weights = plan[np.append(self.place[:, 0], self.place[0])]
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
