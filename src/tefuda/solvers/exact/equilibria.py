"""All equilibria of small games of two players, some of them, or pure ones of more, in fractions.

The equilibria of a constant-sum game are the pairs of optimal plans; its extreme ones are pairs of vertices (`Hull`).
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, product, zip_longest
from typing import Any

import numpy as np

from tefuda.errors import GameError, SizeError, SolverError, check_choice, check_range
from tefuda.forms.compile import compile_game
from tefuda.forms.sequence import components, sequence_form
from tefuda.forms.tree import Tree
from tefuda.games.answers import Rounded, exact_number
from tefuda.games.protocol import Game, Label
from tefuda.solvers.exact.bimatrix import Bimatrix, Vertex, maximal_bicliques
from tefuda.solvers.exact.hull import Hull
from tefuda.solvers.exact.lemke import lemke_plans
from tefuda.solvers.exact.lp import Side, require_two_players
from tefuda.solvers.exact.ranges import ExactFace
from tefuda.solvers.exact.rational import best_value, binary_fraction, exact_ends, no_floors, shares_at
from tefuda.views import Displayable, short_repr

METHODS = ("vertices", "lemke-howson", "lemke", "pure")
_MOST_PLANS = 1_000  # reduced plans of a player
_MOST_PROFILES = 100_000  # of reduced plans
_MOST_SEQUENCES = 400  # of a constant-sum game whose vertices are sought
_CURE = "use method 'lemke' for one equilibrium, or ranges over all equilibria if the sum is constant"
_OTHERS = (
    "method 'pure' lists pure equilibria, solvers.quantal_path(tree, 1e9, until=1e-6) ends near another, Gambit "
    "(games.write_efg) finds more"
)

_Payoffs = dict[tuple[int, int], tuple[Fraction, Fraction]]


@dataclass(frozen=True)
class Equilibrium:
    """An equilibrium in fractions.

    Attributes:
        strategies: probabilities by infoset name and action, at the infosets that their player's plan reaches.
        values: value of each player.
    """

    strategies: dict[str, dict[Label, Fraction]]
    values: tuple[Fraction, ...]

    def summary(self) -> dict[str, Any]:
        """Return the equilibrium as JSON values, with fractions as text."""
        named = {name: {str(a): str(p) for a, p in row.items()} for name, row in self.strategies.items()}
        return {"values": list(map(str, self.values)), "profile": named}


@dataclass(frozen=True, eq=False)
class Equilibria(Displayable):
    """Equilibria of a game.

    Attributes:
        tree: the game.
        method: the method, one of `METHODS`.
        extreme: extreme equilibria, or those found.
        components: numbers of extreme equilibria in the same connected set; () if not all are known.
        bicliques: for each maximal convex set, the numbers of its extreme equilibria.
        vertices: number of vertices of each player's polytope found so far.
        paths: for Lemke-Howson, the number of the equilibrium that each missing label leads to.
        complete: whether these are all extreme equilibria; for ``"pure"``, all pure ones.

    >>> found = td.solvers.equilibria(td.load_game("matrix", payoffs=[[[2, 1], [0, 0]], [[0, 0], [1, 2]]]))
    >>> [tuple(map(str, each.values)) for each in found.extreme]
    [('2/3', '2/3'), ('1', '2'), ('2', '1')]
    """

    tree: Tree
    method: str
    extreme: tuple[Equilibrium, ...]
    components: tuple[tuple[int, ...], ...] = ()
    bicliques: tuple[tuple[int, ...], ...] = ()
    vertices: tuple[int, int] = (0, 0)
    paths: tuple[int, ...] = ()
    complete: bool = False

    __repr__ = short_repr

    def summary(self) -> dict[str, Any]:
        """Return the equilibria as JSON values, with fractions as text."""
        content = {name: getattr(self, name) for name in ("method", "complete", "vertices", "components", "paths")}
        return {
            "game": self.tree.name,
            **content,
            "convex_sets": self.bicliques,
            "equilibria": [each.summary() for each in self.extreme],
        }


def equilibria(
    game: Game, method: str = "vertices", *, seconds: float | None = None, most: int | None = None
) -> Equilibria:
    """Return equilibria of a small game, with any payoffs, in fractions.

    Args:
        game: a table, or a tree of two players, with at most 1,000 reduced plans a player; with a constant sum of at
            most 400 sequences, and for ``"lemke"`` of any size.
        method: ``"vertices"``: all extreme equilibria, their convex sets and components; in realisation plans if the
            sum is constant, else in the table or the reduced strategic form. ``"lemke-howson"``: some equilibria, one
            for each missing label. ``"lemke"``: one, by the sequence form. ``"pure"``: all pure equilibria, of any
            number of players.
        seconds: time limit, after which the equilibria found so far are returned, with `complete` False.
        most: largest number of extreme equilibria, likewise.

    Raises:
        GameError: the game has not two players, or probabilities do not sum to 1.
        SizeError: a player has too many plans, or the optimal plans have more than 30 dimensions.
        ParameterError: an unknown method, or a limit below 0.
        SolverError: a path of `"lemke"` ended without an equilibrium, or in time.
    """
    check_choice("method", method, METHODS)
    for name, limit, whole in (("seconds", seconds, False), ("most", most, True)):
        if limit is not None:
            check_range(name, limit, 0, whole=whole)
    until = float("inf") if seconds is None else time.monotonic() + seconds
    tree = replace(compile_game(Rounded(game), cache=False), game=game)
    if method != "pure":
        require_two_players(tree, "a search for equilibria", _OTHERS)
    strategic, most = _StrategicForm(tree), sys.maxsize if most is None else most
    if method == "pure":
        return _by_enumeration(strategic, until, most)
    if method == "vertices" and strategic.constant_sum:
        return _by_plans(strategic, until, most)
    if method == "lemke":
        plans = lemke_plans(strategic.form, strategic.payoffs(negative=True), until)
        return Equilibria(tree, method, (strategic.checked(plans),))
    one, two = strategic.tables().tolist()
    polytopes = Bimatrix((one, two), until)
    if method == "lemke-howson":
        return _by_labels(strategic, polytopes, until)
    return _by_vertices(strategic, polytopes, most)


class _StrategicForm:
    """The exact payoffs of a tree, by sequences and by reduced plans."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.form = tree, sequence_form(tree)
        try:
            self.ends = list(exact_ends(tree.game, tree, self.form, exact_number))
        except GameError:
            self.ends = list(exact_ends(tree.game, tree, self.form, binary_fraction))

    @property
    def constant_sum(self) -> bool:
        """True if all payoffs have one sum."""
        return len({sum(amounts) for _, _, amounts in self.ends}) == 1

    @cached_property
    def both(self) -> _Payoffs:
        """Payoffs of both players by their sequences, times chance probability."""
        return self.payoffs()

    def payoffs(self, negative: bool = False) -> _Payoffs:
        """Return payoffs of both players by their sequences, times chance probability.

        negative: subtract a number that makes all payoffs negative, which changes no equilibrium.
        """
        shift = 1 + max(amount for _, _, amounts in self.ends for amount in amounts) if negative else Fraction(0)
        totals: _Payoffs = {}
        for (q, r), reach, amounts in self.ends:
            one, two = totals.get((q, r), (Fraction(0), Fraction(0)))
            totals[q, r] = one + reach * (amounts[0] - shift), two + reach * (amounts[1] - shift)
        return totals

    @cached_property
    def plans(self) -> list[np.ndarray]:
        """The reduced plans `[n, sequences]` of each player, as 0 and 1; SizeError if there are too many."""
        sides = [Side(self.tree, player) for player in range(self.tree.players)]
        for player, side in enumerate(sides):
            if side.plan_count > _MOST_PLANS:  # a number that may be too long to print
                more = f"more than {_MOST_PLANS:,} reduced plans"
                raise SizeError(f"player {player} of {self.tree.name} has {more}; {_CURE}.")
        return [side.plans for side in sides]

    def tables(self, until: float = float("inf")) -> np.ndarray:
        """Return payoffs `[players, plans of each player]`; raise SolverError after the time limit."""
        tables = np.full((self.tree.players, *map(len, self.plans)), Fraction(0), dtype=object)
        for last, reach, amounts in self.ends:
            if time.monotonic() > until:
                raise SolverError("the time limit passed.")
            places = zip(self.plans, last, self.form.span.tolist(), strict=False)
            own = [np.flatnonzero(each[:, q - first]) for each, q, first in places]
            for table, amount in zip(tables, amounts, strict=True):
                table[np.ix_(*own)] += reach * amount
        return tables

    def mixed(self, weights: tuple[Sequence[Fraction], Sequence[Fraction]]) -> Equilibrium:
        """Return mixed strategies over reduced plans as an equilibrium, which is checked."""
        parts = zip(weights, self.plans, strict=True)
        mixed = [np.array(chances, dtype=object) @ plans.astype(object) for chances, plans in parts]
        return self.checked(np.concatenate(mixed).tolist())

    def checked(self, plan: Sequence[Fraction]) -> Equilibrium:
        """Return realisation plans as an equilibrium; raise SolverError if a best response gains."""
        floors, both = no_floors(self.form), self.both
        values = [
            sum((plan[q] * plan[r] * amounts[p] for (q, r), amounts in both.items()), Fraction(0)) for p in (0, 1)
        ]
        for player, sign in ((0, 1), (1, -1)):
            payoffs = {pair: sign * amounts[player] for pair, amounts in both.items()}
            if sign * best_value(self.form, payoffs, list(plan), player, floors) != values[player]:
                raise SolverError("the strategies are no equilibrium in exact arithmetic.")
        return Equilibrium(self.strategies(plan), tuple(values))

    def strategies(self, plan: Sequence[Fraction]) -> dict[str, dict[Label, Fraction]]:
        """Return the probabilities at the infosets that realisation plans reach."""
        tree, form, strategies = self.tree, self.form, dict[str, dict[Label, Fraction]]()
        for number in range(tree.infosets):
            if any(plan[q] for q in form.sequence[tree.rows_of(number)].tolist()):
                shares = shares_at(tree, form, list(plan), number)
                strategies[tree.name_of(number)] = dict(zip(tree.labels(number), shares, strict=True))
        return strategies


def _by_enumeration(strategic: _StrategicForm, until: float, most: int) -> Equilibria:
    """Return the pure equilibria of the reduced strategic form."""
    tree, plans = strategic.tree, strategic.plans
    profiles = math.prod(map(len, plans))
    if profiles > _MOST_PROFILES:
        raise SizeError(
            f"{tree.name} has {profiles:,} profiles of reduced plans, pure equilibria are sought among at most "
            f"{_MOST_PROFILES:,}; compute them with Gambit (games.write_efg)."
        )
    try:
        tables = strategic.tables(until)
    except SolverError:
        return Equilibria(tree, "pure", ())
    best = [table == table.max(axis=player, keepdims=True) for player, table in enumerate(tables)]
    found = []
    for place in np.argwhere(np.logical_and.reduce(best)).tolist():
        chosen = np.concatenate([each[k] for each, k in zip(plans, place, strict=True)])
        plan = list(map(Fraction, chosen.tolist()))
        found.append(Equilibrium(strategic.strategies(plan), tuple(table[tuple(place)] for table in tables)))
    return Equilibria(tree, "pure", tuple(found[:most]), complete=len(found) <= most)


def _by_plans(strategic: _StrategicForm, until: float, most: int) -> Equilibria:
    """Return the extreme equilibria of a constant-sum game, the pairs of vertices of the optimal plans."""
    tree, form = strategic.tree, strategic.form
    if form.sequences > _MOST_SEQUENCES:
        raise SizeError(
            f"{tree.name} has {form.sequences:,} sequences, all equilibria are sought for at most {_MOST_SEQUENCES}; "
            "use ranges over all equilibria."
        )
    payoffs, hulls = {pair: amounts[0] for pair, amounts in strategic.both.items()}, list[Hull]()
    try:
        for player in (0, 1):
            face = ExactFace(form, player, payoffs=payoffs, until=until)
            hulls.append(Hull(face.maximise, int(form.span[player + 1] - form.span[player])))
    except SolverError:  # the time limit passed before there was a plan
        return Equilibria(tree, "vertices", ())
    one, two = (hull.vertices for hull in hulls)
    pairs = islice(((x, y) for x, y in product(one, two) if time.monotonic() <= until), most)
    found = sorted((strategic.checked([*x, *y]) for x, y in pairs), key=lambda each: each.values)
    complete = all(hull.complete for hull in hulls) and len(found) == len(one) * len(two)
    sets = (tuple(range(len(found))),) if complete else ()
    return Equilibria(tree, "vertices", tuple(found), sets, sets, (len(one), len(two)), (), complete)


def _by_vertices(strategic: _StrategicForm, polytopes: Bimatrix, most: int) -> Equilibria:
    """Return the extreme equilibria with their convex sets and components; see `equilibria`."""
    vertices, pairs, complete = _pairs(polytopes, most)
    found = [strategic.mixed((vertices[0][i].strategy, vertices[1][j].strategy)) for i, j in pairs]
    order = sorted(range(len(found)), key=lambda k: found[k].values)
    place = {pairs[k]: number for number, k in enumerate(order)}
    bicliques = maximal_bicliques(pairs, polytopes.until) if complete else []
    complete = complete and bool(bicliques)
    convex = [tuple(sorted(place[i, j] for i in rows for j in columns)) for rows, columns in bicliques]
    links = [(each[0], number) for each in convex for number in each[1:]]
    one, two = (np.array([link[k] for link in links], dtype=np.int32) for k in (0, 1))
    labels = components(one, two, len(found)) if complete else np.zeros(0)
    groups = tuple(tuple(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels))
    extreme, counts = tuple(found[k] for k in order), (len(vertices[0]), len(vertices[1]))
    return Equilibria(strategic.tree, "vertices", extreme, groups, tuple(convex), counts, (), complete)


def _pairs(polytopes: Bimatrix, most: int) -> tuple[tuple[list[Vertex], list[Vertex]], list[tuple[int, int]], bool]:
    """Return the vertices of both polytopes, the pairs that have all labels, and whether these are all."""
    every, pairs = (1 << sum(polytopes.sizes)) - 1, list[tuple[int, int]]()
    vertices = list[Vertex](), list[Vertex]()
    for found in zip_longest(polytopes.vertices(0), polytopes.vertices(1)):  # in turn, in case that the time passes
        for player, vertex in enumerate(found):
            if vertex is not None:
                number = len(vertices[player])
                vertices[player].append(vertex)
                fitting = [k for k, other in enumerate(vertices[1 - player]) if vertex.labels | other.labels == every]
                pairs += [(k, number) if player else (number, k) for k in fitting]
        if len(pairs) > most:
            return vertices, pairs[:most], False
    return vertices, pairs, time.monotonic() <= polytopes.until


def _by_labels(strategic: _StrategicForm, polytopes: Bimatrix, until: float) -> Equilibria:
    found: dict[Any, int] = {}
    paths = []
    for label in range(sum(polytopes.sizes)):
        if time.monotonic() > until:
            break
        paths.append(found.setdefault(polytopes.lemke_howson(label), len(found)))
    return Equilibria(strategic.tree, "lemke-howson", tuple(map(strategic.mixed, found)), paths=tuple(paths))
