"""The principal branch of quantal response equilibria, from random play on, step by step.

Pseudo-arclength continuation (Turocy 2005, 2010): a step along the tangent, then Newton's method orthogonal to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, eye_array, hstack, vstack

from tefuda.errors import SizeError
from tefuda.forms.tree import Tree
from tefuda.solvers.quantal.response import response_of

_FIRST, _GROWTH, _LEAST = 0.1, 1.1, 1e-7  # lengths of the first and the shortest step, and the factor between steps
_TURN = np.cos(np.radians(30))  # least product of consecutive tangents
_PRECISION, _CORRECTIONS = 1e-10, 8  # of Newton's method, relative to the largest log odds
_POLISH = 1e-14  # size of Newton's last correction of an answer
_ROUNDING = 100  # factor of the precision below which corrections that no longer shrink are rounding errors
_PERTURBATION = 1e-8  # relative to the range of payoffs
_BACK = 0.05  # least distance from a bifurcation at which a perturbed branch begins
_MOST = 5_000  # log odds: a step takes about 10 s, and 0.2 s with 1,000
_SEED = 492  # of the perturbation


class Factors(NamedTuple):
    """A factorised matrix."""

    solve: Callable[[np.ndarray], np.ndarray]
    sign: float  # of the determinant; 0 if the matrix is singular


class System:
    """The equations of quantal response equilibria, at points `[n + 1]`: log odds and scaled rationality.

    The log odds of an action are against the first action of its infoset. Rationality is scaled by the range of the
    payoffs, so that steps do not depend on their unit. Arguments `perturbed` are 1 for perturbed payoffs, else 0.

    Args:
        tree: game.
        form: ``"agent"`` or ``"reduced"``.
        magnet: ``"none"`` or ``"uniform"``.

    Raises:
        SizeError: too many actions.
    """

    def __init__(self, tree: Tree, form: str, magnet: str) -> None:
        self.response = response_of(tree, form, magnet)
        self.tree, self.unit = tree, float(np.ptp(tree.payoffs)) or 1.0
        first = tree.first_row[:-1][tree.infoset_of_row]
        self.free = np.flatnonzero(first != np.arange(tree.rows))
        self._infoset = tree.infoset_of_row[self.free]
        count, rows = len(self.free), tree.rows
        if count > _MOST:
            raise SizeError(
                f"the path needs at most {_MOST:,} log odds, and {tree.name} has {count:,}; use the method quantal by "
                "mirror descent (--method quantal --by mmd)."
            )
        ones, numbers = np.ones(count), np.arange(count)
        self._odds = csr_array((ones, (numbers, self.free)), shape=(count, rows))
        self._odds -= csr_array((ones, (numbers, first[self.free])), shape=(count, rows))
        self._shares = csr_array((np.ones(rows), (np.arange(rows), tree.infoset_of_row)), shape=(rows, tree.infosets))
        self._noise = np.random.default_rng(_SEED).uniform(-1, 1, rows) * _PERTURBATION * self.unit
        self.upward = np.append(np.zeros(count), 1.0)

    @property
    def start(self) -> np.ndarray:
        """The point of rationality 0: uniform actions, or in reduced form uniform plans."""
        uniform = self.response.normalised(np.zeros(self.tree.rows))
        return np.append(self._odds @ self.response.logits(uniform, 0.0), 0.0)

    def logs(self, point: np.ndarray) -> np.ndarray:
        """Return `[R]` the logarithms of the strategy of a point."""
        logits = np.zeros(self.tree.rows)
        logits[self.free] = point[:-1]
        return self.response.normalised(logits)

    def _linearised(self, point: np.ndarray, perturbed: float) -> tuple[np.ndarray, csr_array]:
        """Return the errors `[n]` of the log odds, and their derivatives `[n, n + 1]`."""
        logs, rationality = self.logs(point), float(point[-1]) / self.unit
        logits, by_rationality, by_logs = self.response.slopes(logs, rationality)
        logits = logits + rationality * perturbed * self._noise
        by_rationality = by_rationality + perturbed * self._noise
        count, slopes = len(self.free), self._odds @ by_logs
        chances = csr_array(
            (np.exp(logs[self.free]), (self._infoset, np.arange(count))), shape=(self.tree.infosets, count)
        )
        moved = slopes[:, self.free] - (slopes @ self._shares) @ chances
        column = csr_array((self._odds @ by_rationality / self.unit)[:, None])
        return point[:-1] - self._odds @ logits, hstack([eye_array(count) - moved, -column], format="csr")

    def direction(self, point: np.ndarray, border: np.ndarray, perturbed: float) -> tuple[np.ndarray, float]:
        """Return the unit tangent on the border's side, and the sign of the determinant."""
        factors = factorised(self._linearised(point, perturbed)[1], border)
        direction = factors.solve(self.upward)
        return direction / np.linalg.norm(direction), factors.sign

    def corrected(
        self, point: np.ndarray, border: np.ndarray, perturbed: float = 0.0, precision: float = _PRECISION
    ) -> np.ndarray | None:
        """Return the equilibrium with the point's product with the border `[n + 1]`, by Newton's method.

        Returns None if the method does not converge.
        """
        before = np.inf
        for _ in range(_CORRECTIONS):
            errors, matrix = self._linearised(point, perturbed)
            if not np.isfinite(errors).all():
                return None
            change = factorised(matrix, border).solve(np.append(-errors, 0.0))
            size, goal = float(np.abs(change).max()), precision * (1 + float(np.abs(point).max()))
            if not size < before:  # nan too
                return point if before <= _ROUNDING * goal else None
            point, before = point + change, size
            if size <= goal:
                return point
        return None

    def at(self, point: np.ndarray, rationality: float) -> np.ndarray | None:
        """Return the equilibrium of the unperturbed game at a rationality; None if Newton's method fails."""
        moved = np.append(point[:-1], rationality * self.unit)
        return self.corrected(moved, self.upward, precision=_POLISH)


class Branch:
    """A point that moves along the branch.

    Attributes:
        system: the equations.
        point: `[n + 1]` coordinates.
        tangent: `[n + 1]` direction of length 1.
        anchors: `[2, 2, n + 1]` two earlier points with their tangents, where a perturbed branch can begin.
        status: `[5]` length of the next step, sign of the determinant, whether payoffs are perturbed, whether the
            branch has stalled, and the scaled rationality of the bifurcation where the perturbation began.
    """

    def __init__(self, system: System) -> None:
        self.system, self.point = system, system.start
        self.tangent, sign = system.direction(self.point, system.upward, 0.0)
        self.status = np.array([_FIRST, sign, 0.0, 0.0, 0.0])
        self.anchors = np.array([[self.point, self.tangent]] * 2)

    @property
    def rationality(self) -> float:
        """Rationality of the point, in 1 / the game's unit."""
        return float(self.point[-1]) / self.system.unit

    @property
    def bifurcation(self) -> float | None:
        """Rationality of the bifurcation from which the payoffs are perturbed, or None."""
        return float(self.status[4]) / self.system.unit if self.status[2] else None

    @property
    def stalled(self) -> bool:
        """True if no step is short enough, although payoffs are perturbed."""
        return bool(self.status[3])

    def step(self, goal: float) -> bool:
        """Move by one step, at most to a rationality; return False if the step was too long.

        The next step is then half as long. Where the determinant's sign changes, two branches cross: shorter steps
        lead to the crossing, and from a point before it on, the payoffs are perturbed.
        """
        system, (length, sign, perturbed) = self.system, self.status[:3].tolist()
        ahead = goal * system.unit - self.point[-1]
        last = 0 <= ahead <= length * self.tangent[-1]
        predicted = self.point + (ahead / self.tangent[-1] if last else length) * self.tangent
        point = system.corrected(predicted, system.upward if last else self.tangent, perturbed)
        tangent, found = (self.tangent, 0.0) if point is None else system.direction(point, self.tangent, perturbed)
        if point is None or found != sign or not tangent @ self.tangent >= _TURN:
            self._shorten()
            return False
        if last:
            point[-1] = goal * system.unit  # without rounding, so that the end is known
        self.point, self.tangent, self.status[0] = point, tangent, length * _GROWTH
        if np.linalg.norm(point - self.anchors[1, 0]) > _BACK:
            self.anchors[:] = self.anchors[1].copy(), [point, tangent]
        return True

    def _shorten(self) -> None:
        self.status[0] /= 2
        if self.status[0] >= _LEAST:
            return
        if self.status[2]:
            self.status[3] = 1.0
            return
        self.status[[0, 2, 4]] = _FIRST * _BACK, 1.0, self.point[-1]
        start, tangent = self.anchors[0]
        point = self.system.corrected(start, tangent, 1.0)
        self.point = start.copy() if point is None else point
        self.tangent, self.status[1] = self.system.direction(self.point, tangent, 1.0)

    def at_end(self, goal: float) -> bool:
        """Return True if the point has a rationality."""
        return bool(self.point[-1] == goal * self.system.unit)

    def walk(self, goal: float) -> Iterator[None]:
        """Step to a rationality; yield after each step, also one that was too long."""
        while not self.at_end(goal) and not self.stalled:
            self.step(goal)
            yield


def factorised(matrix: csr_array, border: np.ndarray) -> Factors:
    """Return the factors of a matrix `[n, n + 1]` with a last row `[n + 1]`."""
    from scipy.sparse.linalg import splu

    try:
        found = splu(vstack([matrix, csr_array(border[None])], format="csc"))
    except RuntimeError:  # exactly singular
        return Factors(lambda right: np.full(len(right), np.nan), 0.0)
    swaps = _transpositions(found.perm_r) + _transpositions(found.perm_c)
    return Factors(found.solve, float(np.sign(found.U.diagonal()).prod()) * (-1.0) ** swaps)


def _transpositions(order: np.ndarray) -> int:
    """Return the number of swaps that a permutation consists of."""
    from scipy.sparse.csgraph import connected_components

    graph = csr_array((np.ones(len(order)), (np.arange(len(order)), order)))
    return len(order) - int(connected_components(graph)[0])
