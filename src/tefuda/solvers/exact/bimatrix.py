"""Extreme equilibria of tables of two players, in fractions.

With positive payoffs A and B, the vertices of P = {x >= 0: B' x <= 1} and Q = {y >= 0: A y <= 1} have labels: the
unplayed actions of the own player and the best responses of the opponent. A pair of vertices with all labels is an
extreme equilibrium; a maximal set of mutually compatible vertices spans a convex set of equilibria, and sets that share
a vertex form a component (Avis, Rosenberg, Savani, von Stengel 2010, "Enumeration of Nash equilibria for two-player
games"). Right-hand sides 1 + eps^i make all vertices simple, which is the lexicographic rule.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from tefuda.solvers.exact.pivots import Tableau
from tefuda.solvers.exact.polynomials import Polynomial

Table = Sequence[Sequence[Fraction]]
#: A mixed strategy of each player.
Pair = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]


class Vertex(NamedTuple):
    """A vertex of a best-response polytope: its mixed strategy, and the bits of its labels.

    Labels are the actions of player 0, then those of player 1.
    """

    strategy: tuple[Fraction, ...]
    labels: int


class Bimatrix:
    """The best-response polytopes of a table.

    Args:
        payoffs: payoffs of both players, `[actions of player 0, actions of player 1]` each.
        until: time of `time.monotonic` at which searches stop.
    """

    def __init__(self, payoffs: tuple[Table, Table], until: float = float("inf")) -> None:
        self.sizes, self.until = (len(payoffs[0]), len(payoffs[0][0])), until
        own, other = (_positive(table) for table in payoffs)
        transposed = [list(column) for column in zip(*other, strict=True)]
        self._polytopes = _polytope(transposed), _polytope(own)

    def label(self, player: int, variable: int) -> int:
        """Return the label of a variable of a polytope: own actions, then slacks of the opponent's."""
        return (variable + player * self.sizes[0]) % sum(self.sizes)

    def _variable(self, player: int, label: int) -> int:
        return (label - player * self.sizes[0]) % sum(self.sizes)

    def vertices(self, player: int) -> Iterator[Vertex]:
        """Yield the vertices of a player's polytope except 0, by pivots, until the time limit."""
        start = self._polytopes[player].copy()
        waiting, seen, found = [start], {frozenset(start.basic)}, set[tuple[Fraction, ...]]()
        while waiting and time.monotonic() <= self.until:
            tableau = waiting.pop()
            for c in range(len(tableau.nonbasic)):
                i = tableau.leaving(c)
                basis = frozenset({*tableau.basic, tableau.nonbasic[c]} - {tableau.basic[i]})
                if basis not in seen:
                    seen.add(basis)
                    following = tableau.copy()
                    following.pivot(i, c)
                    waiting.append(following)
            vertex = self._vertex(player, tableau)
            if vertex is not None and vertex.strategy not in found:
                found.add(vertex.strategy)
                yield vertex

    def _vertex(self, player: int, tableau: Tableau) -> Vertex | None:
        """Return the vertex of a basis, where eps is 0; None for the vertex 0."""
        values = {j: Polynomial.of(value).coefficient(0) for j, value in tableau.values().items()}
        weights = [values.get(j, Fraction(0)) for j in range(self.sizes[player])]
        total = sum(weights, Fraction(0))
        if not total:
            return None
        zeros = (j for j in range(sum(self.sizes)) if not values.get(j))
        return Vertex(tuple(weight / total for weight in weights), sum(1 << self.label(player, j) for j in zeros))

    def lemke_howson(self, dropped: int) -> Pair:
        """Return the equilibrium at the end of the path along which one label is missing.

        dropped: a label, an action of player 0 or, after these, of player 1.
        """
        tableaus = [polytope.copy() for polytope in self._polytopes]
        player, label = int(dropped >= self.sizes[0]), dropped
        while True:
            tableau = tableaus[player]
            c = tableau.nonbasic.index(self._variable(player, label))
            i = tableau.leaving(c)
            label = self.label(player, tableau.basic[i])
            tableau.pivot(i, c)
            if label == dropped:
                break
            player = 1 - player
        ends = [self._vertex(each, tableau) for each, tableau in enumerate(tableaus)]
        assert ends[0] is not None and ends[1] is not None  # only at 0 are all own labels present
        return ends[0].strategy, ends[1].strategy


def dominating_mixture(table: Table, action: int) -> tuple[Fraction, ...] | None:
    """Return shares of actions that are together better than an action, whatever the opponents play.

    Args:
        table: payoffs of a player, `[own actions, plays of the opponents]`.
        action: an own action.

    Returns:
        A single action if one will do; None if the action is not strictly dominated.

    >>> [str(share) for share in dominating_mixture([[4, 0], [0, 4], [1, 1]], 2)]
    ['1/2', '1/2', '0']
    """
    own, plays = range(len(table)), range(len(table[0]))
    gains = [[Fraction(table[other][play] - table[action][play]) for play in plays] for other in own]
    for other in own:
        if min(gains[other]) > 0:
            return tuple(Fraction(each == other) for each in own)
    margin = len(table)  # the last variable: maximise it subject to margin <= gain in every play
    rows = [{margin: Fraction(1), **{other: -gains[other][play] for other in own}} for play in plays]
    rows.append({other: Fraction(1) for other in own})
    program = Tableau(rows, [Fraction(0)] * len(plays) + [Fraction(1)], margin + 1, profit={margin: Fraction(1)})
    program.solve()
    shares = program.values()
    if not shares.get(margin):
        return None
    return tuple(shares.get(other, Fraction(0)) for other in own)


def _positive(table: Table) -> list[list[Fraction]]:
    """Return payoffs plus a number that makes all of them positive, which changes no equilibrium."""
    least = min(map(min, table))
    return [[value - least + 1 for value in row] for row in table]


def _polytope(rows: Table) -> Tableau:
    """Return the tableau of {z >= 0: rows z <= 1} at z = 0."""
    right = [Polynomial([1, *[0] * i, 1]) for i in range(len(rows))]
    return Tableau([{j: value for j, value in enumerate(row) if value} for row in rows], right, len(rows[0]))


def maximal_bicliques(pairs: Sequence[tuple[int, int]], until: float) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the maximal sets of rows and columns all of whose pairs are given; [] after the time limit.

    >>> maximal_bicliques([(0, 0), (0, 1), (1, 1)], float("inf"))
    [((0,), (0, 1)), ((0, 1), (1,))]
    """
    columns: dict[int, set[int]] = {}
    for row, column in pairs:
        columns.setdefault(row, set()).add(column)
    closed = waiting = {frozenset(each) for each in columns.values()}
    while waiting:  # intersections of the sets of columns, until there is no new one
        if time.monotonic() > until:
            return []
        waiting = {one & two for one in waiting for two in closed if one & two} - closed
        closed = closed | waiting
    found = [
        (tuple(row for row, each in columns.items() if shared <= each), tuple(sorted(shared))) for shared in closed
    ]
    return sorted(found)
