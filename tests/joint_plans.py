"""Optimal devices and commitments of small games of two players, by programs over pairs of pure plans."""

from functools import cached_property
from itertools import product

import numpy as np
from scipy.optimize import linprog


def path_to(tree, node):
    """Return the rows of each player before a history, and chance's probability of it."""
    taken, chance = [()] * tree.players, 1.0
    while (above := int(tree.parent[node])) >= 0:
        if (mover := int(tree.player[above])) < 0:
            chance *= tree.chance[node]
        else:
            row = int(tree.first_row[tree.infoset[above]] + node - tree.first_child[above])
            taken[mover] = (row, *taken[mover])
        node = above
    return tuple(taken), chance


class JointPlans:
    """The pure plans of both players, and the payoffs of their pairs, leaf by leaf."""

    def __init__(self, tree):
        self.tree = tree
        self.ends = ends = [path_to(tree, int(node)) for node in tree.terminals]
        self.before = {}  # own rows before each infoset
        for taken, _ in ends:
            for path in taken:
                for depth, row in enumerate(path):
                    self.before[int(tree.infoset_of_row[row])] = path[:depth]
        self.passed = [set(tree.infoset_of_row[[*one, *two]].tolist()) for (one, two), _ in ends]

    @cached_property
    def plans(self):
        """The pure plans of both players, as rows by infoset."""
        tree = self.tree
        rows = {number: range(tree.rows)[tree.rows_of(number)] for number in range(tree.infosets)}
        owned = [tree.infosets_of(player).tolist() for player in (0, 1)]
        return [
            [dict(zip(own, choice, strict=True)) for choice in product(*(rows[number] for number in own))]
            for own in owned
        ]

    @cached_property
    def payoffs(self):
        """The payoffs of each player by the plans of both."""
        played = [
            np.array([[{*taken[p]} <= {*plan.values()} for taken, _ in self.ends] for plan in self.plans[p]], float)
            for p in (0, 1)
        ]
        weights = np.array([chance * self.tree.payoffs[end] for end, (_, chance) in enumerate(self.ends)])
        return [played[0] * weights[:, p] @ played[1].T for p in (0, 1)]

    def _deviations(self, player, concept):
        """Yield, for each trigger and plan below it, the pairs of a plan and the one that is played instead."""
        plans, tree = self.plans[player], self.tree
        index = {tuple(plan.items()): number for number, plan in enumerate(plans)}
        if concept == "nfcce":
            yield from ([(k, other) for k in range(len(plans))] for other in range(len(plans)))
            return
        for start in tree.infosets_of(player).tolist():
            below = [n for n in plans[0] if n == start or start in tree.infoset_of_row[list(self.before[n])].tolist()]
            rows = range(tree.rows)[tree.rows_of(start)]
            for row in rows if concept == "efce" else (None,):
                for choice in {tuple((n, plan[n]) for n in below) for plan in plans}:
                    pairs = []
                    for number, plan in enumerate(plans):
                        if {*self.before[start]} <= {*plan.values()} and row in (None, plan[start]):
                            pairs.append((number, index[tuple({**plan, **dict(choice)}.items())]))
                    yield pairs

    def optimum(self, concept, weights, obedient=(0, 1)):
        """Return the largest weighted value of devices whose players gain nothing by leaving."""
        shape, rows = self.payoffs[0].shape, []
        for player in obedient:
            gains = self.payoffs[player] if player == 0 else self.payoffs[player].T
            for pairs in self._deviations(player, concept):
                row = np.zeros(gains.shape)
                for plan, other in pairs:
                    row[plan] = gains[other] - gains[plan]
                rows.append((row if player == 0 else row.T).ravel())
        cost = -(weights[0] * self.payoffs[0] + weights[1] * self.payoffs[1]).ravel()
        limits = {"A_ub": np.array(rows), "b_ub": np.zeros(len(rows))} if rows else {}
        return -linprog(cost, A_eq=np.ones((1, np.prod(shape))), b_eq=[1.0], **limits).fun

    def commitment(self, leader):
        """Return the value of the best mixed plan of the leader, for each reply of the follower."""
        mine, theirs = (self.payoffs[p] if leader == 0 else self.payoffs[p].T for p in (leader, 1 - leader))
        best = -np.inf
        for reply in range(mine.shape[1]):
            found = linprog(
                -mine[:, reply], A_ub=(theirs - theirs[:, [reply]]).T, b_ub=np.zeros(mine.shape[1]),
                A_eq=np.ones((1, len(mine))), b_eq=[1.0],
            )  # fmt: skip
            best = max(best, -found.fun if found.status == 0 else -np.inf)
        return best

    def triangles(self):
        """Yield all triangles by their definition: infosets I, I' of player 0 and J, J' of player 1."""

        def linked(one, two):
            return any({one, two} <= passed for passed in self.passed)

        own = [[n for n in self.tree.infosets_of(player).tolist() if n in self.before] for player in (0, 1)]
        for i, k, j, m in product(own[0], own[0], own[1], own[1]):
            same = self.before[i] == self.before[k] and self.before[j] == self.before[m]
            if i != k and j != m and same and linked(i, j) and linked(i, m) and linked(k, m):
                yield tuple(map(self.tree.name_of, (i, k, j, m)))
