"""Vertices of a polytope that is known by its linear programs, in fractions, by double description.

Motzkin, Raiffa, Thompson, Thrall 1953. The hull of the vertices found so far has facets. A program that looks beyond a
facet finds a new vertex, or shows that it is a facet of the polytope. Further variables of the programs, such as values
of infosets, are no part of the hull.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from tefuda.errors import SizeError, SolverError
from tefuda.solvers.exact.pivots import Numbers, solve_sparse
from tefuda.solvers.exact.polynomials import Polynomial

Point = Sequence[Fraction]
MOST_DIMENSIONS = 30


@dataclass
class _Facet:
    """A facet of the hull: weights' (1, t) >= 0, and the bits of the vertices on it."""

    weights: tuple[int, ...]
    vertices: int
    final: bool = False


class Hull:
    """The hull of the vertices found so far.

    Args:
        maximise: returns a point with the largest objective' x; coefficients are fractions, or polynomials in eps.
        size: number of coordinates.

    Attributes:
        vertices: vertices found so far.
        complete: whether these are all.

    Raises:
        SizeError: the polytope has more than 30 dimensions.
    """

    def __init__(self, maximise: Callable[[Numbers], Any], size: int) -> None:
        self._maximise, self._free = maximise, list(range(size))  # later: the coordinates on which all others depend
        self._facets, self.vertices, self.complete = list[_Facet](), list[Point](), False
        try:
            self._span(size)
            self._expand()
        except SolverError:  # the time limit of the programs passed
            return
        self.complete = True

    def _vertex(self, objective: Numbers) -> Point:
        """Return the vertex with the largest objective; free coordinates break ties, one after the other."""
        ties = {q: Polynomial([0] * power + [1]) for power, q in enumerate(self._free, 1)}
        both = {q: Polynomial.of(objective.get(q, 0)) + ties.get(q, 0) for q in {*objective, *ties}}
        return tuple(self._maximise(both))

    def _span(self, size: int) -> None:
        """Find the free coordinates, and one vertex more than these, which span the polytope."""
        first = self._vertex({})
        self.vertices.append(first)
        basis = dict[int, list[Fraction]]()  # directions of the polytope by free coordinate, which the others lack
        for q in range(size):
            rest = {q: Fraction(1), **{j: -row[q] for j, row in basis.items() if row[q]}}  # equal at all vertices
            for way in (rest, {j: -number for j, number in rest.items()}):
                if _product(way, self._maximise(way)) != _product(way, first):
                    self.vertices.append(self._vertex(way))
                    _extend(basis, q, [a - b for a, b in zip(self.vertices[-1], first, strict=True)])
                    break
            if len(basis) > MOST_DIMENSIONS:
                raise SizeError(f"the optimal plans have more than {MOST_DIMENSIONS} free dimensions; use ranges.")
        self._free = list(basis)

    def _expand(self) -> None:
        """Add vertices beyond facets until there are none."""
        count = len(self.vertices)
        rows = [{0: Fraction(1), **{k: point[q] for k, q in enumerate(self._free, 1)}} for point in self.vertices]
        for j in range(count):
            found = solve_sparse(rows, [Fraction(i == j) for i in range(count)])
            self._facets.append(_Facet(_integers([found[k] for k in range(count)]), (1 << count) - 1 - (1 << j)))
        while facet := next((each for each in self._facets if not each.final), None):
            outwards = {q: Fraction(-facet.weights[k]) for k, q in enumerate(self._free, 1)}
            if self._side(facet, self._maximise(outwards)) < 0:
                self._add(self._vertex(outwards))
            else:
                facet.final = True

    def _side(self, facet: _Facet, point: Point) -> Fraction:
        return facet.weights[0] + sum(
            (weight * point[q] for weight, q in zip(facet.weights[1:], self._free, strict=True)), Fraction(0)
        )

    def _add(self, point: Point) -> None:
        """Add a vertex: facets that it is beyond give way to new ones, between neighbours on both sides."""
        bit = 1 << len(self.vertices)
        self.vertices.append(point)
        sides = [(facet, self._side(facet, point)) for facet in self._facets]
        above, below = ([each for each in sides if sign * each[1] > 0] for sign in (1, -1))
        new = []
        for (one, up), (two, down) in product(above, below):
            shared = one.vertices & two.vertices
            holders = [facet for facet in self._facets if facet.vertices & shared == shared]
            if shared.bit_count() >= len(self._free) - 1 and len(holders) == 2:
                weights = [up * b - down * a for a, b in zip(one.weights, two.weights, strict=True)]
                new.append(_Facet(_integers(weights), shared | bit))
        for facet, side in sides:
            facet.vertices |= bit if side == 0 else 0
        self._facets = [facet for facet, side in sides if side >= 0] + new


def _extend(basis: dict[int, list[Fraction]], q: int, new: list[Fraction]) -> None:
    """Add a direction to a reduced basis, for coordinate q."""
    for j, row in basis.items():
        new = [a - new[j] * b for a, b in zip(new, row, strict=True)]
    new = [number / new[q] for number in new]
    for j, row in basis.items():
        basis[j] = [a - row[q] * b for a, b in zip(row, new, strict=True)]
    basis[q] = new


def _product(weights: Numbers, point: Point) -> Fraction:
    return sum((number * point[q] for q, number in weights.items()), Fraction(0))


def _integers(weights: Sequence[Fraction]) -> tuple[int, ...]:
    """Return the smallest integers in proportion to fractions."""
    unit = math.lcm(*(number.denominator for number in weights))
    whole = [int(number * unit) for number in weights]
    divisor = math.gcd(*whole)
    return tuple(number // divisor for number in whole)
