"""Optimal correlated equilibria of two players by linear programming over correlation plans.

The plans are those of `polytope.Polytope`; incentives are rows with the values of best responses below each trigger
(von Stengel, Forges 2008; Farina, Bianchi, Sandholm 2020).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from tefuda.correlating.device import Device
from tefuda.correlating.evaluator import CorrelationGap, DeviceSolver
from tefuda.correlating.gaps import CONCEPTS
from tefuda.correlating.optimum import ALGORITHMS, Maximum
from tefuda.correlating.polytope import Polytope
from tefuda.errors import GameError, ParameterError, SolverError, out_of_range
from tefuda.evaluating.profile import Profile
from tefuda.forms.arrays import depths, finite_numbers
from tefuda.forms.form import Form
from tefuda.forms.tree import Tree
from tefuda.games.protocol import CHANCE, Label
from tefuda.settings import option
from tefuda.solvers.exact.pivots import Numbers
from tefuda.solvers.exact.rational import simple_fraction
from tefuda.solvers.protocol import Method, ProgramSolver
from tefuda.views import short_repr

#: Objectives by name: weights of the smaller value, and of both values.
_OBJECTIVES = {"minimum": (1.0, 0.0, 0.0), "welfare": (0.0, 1.0, 1.0)}


@dataclass(frozen=True, eq=False)
class CorrelationPlan:
    """An optimal correlation plan of a game of two players.

    Attributes:
        polytope: the game's relevant pairs of sequences.
        plan: `[K]` probability of each relevant pair.
        values: values of both players.
        objective: value of the objective.
        exact: values in fractions, certified to be those of an optimum; None if no basis was certified.
        relaxed: whether the game has a triangle, so that the plan is no device: `objective` is an upper bound.
        bound: an upper bound of the objective of all plans.

    >>> plan = td.correlating.Correlated("efce").plan(td.compile_game(td.load_game("sheriff")))
    >>> plan.values, plan.exact
    ((0.75, 0.0), (Fraction(3, 4), Fraction(0, 1)))
    """

    polytope: Polytope
    plan: np.ndarray  # [K]
    values: tuple[float, ...]
    objective: float
    exact: tuple[Fraction, ...] | None
    relaxed: bool
    bound: float

    __repr__ = short_repr

    @property
    def device(self) -> Device:
        """The device that recommends by the plan; GameError if there is none."""
        if self.relaxed:
            self.polytope.require_no_triangle()
        device = Device(self.polytope.tree)
        device.table[:], device.mass[:] = self.polytope.table(self.plan), 1.0
        return device

    @property
    def strategy(self) -> Profile:
        """The probabilities of each player's recommendations alone; in general no equilibrium."""
        return self.polytope.strategy(self.plan)

    def recommend(self, rng: np.random.Generator) -> dict[str, Label]:
        """Draw the recommended action at each infoset that its player's own recommendations lead to.

        At an infoset J, the action b has probability xi(s, (J, b)) / xi(s, p(J)), s being the opponent's last
        recommended sequence that is connected to J.

        Raises:
            GameError: the game has moves of chance, or a triangle: such draws would give another plan.
        """
        space, tree = self.polytope, self.polytope.tree
        space.require_no_triangle()
        if (tree.player == CHANCE).any():
            raise GameError(f"recommendations need a game without chance, {tree.name} has some; use plan.device.")
        infosets = [(space.number_of(p, j), p, j) for p in (0, 1) for j in range(1, len(space.sides[p].parent))]
        linked = set(zip(*space.connected.tolist(), strict=True))
        drawn, labels = ([0], [0]), dict[str, Label]()
        depth = depths(tree.first_child, tree.child_count)[tree.first_history]
        for number, player, j in sorted(infosets, key=lambda each: depth[each[0]]):
            side, other = space.sides[player], space.sides[1 - player]
            if side.parent[j] not in drawn[player]:
                continue
            own, ends = np.flatnonzero(side.infoset == j), other.infoset.tolist()
            last = next(s for s in reversed(drawn[1 - player]) if ((ends[s], j) if player else (j, ends[s])) in linked)
            weights = self.plan[space.place(player, own, last)]
            choice = int(rng.choice(len(own), p=weights / weights.sum())) if weights.any() else 0
            drawn[player].append(int(own[choice]))
            labels[tree.name_of(number)] = tree.labels(number)[choice]
        return labels

    def summary(self) -> dict[str, Any]:
        """Return the plan's figures as JSON values, with fractions as text."""
        tree, exact = self.polytope.tree, None if self.exact is None else list(map(str, self.exact))
        return {
            "game": tree.name, "game_parameters": tree.parameters, "relaxed": self.relaxed, "objective": self.objective,
            "bound": self.bound, "values": list(self.values), "exact": exact, "triangle": self.polytope.triangle,
        }  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PlanMethod(Method):
    """The base class of methods that solve a linear program for a correlation plan.

    Args:
        name: name in tables.
        algorithm: algorithm of HiGHS: ``"simplex"``, ``"ipm"`` for large games, or ``"pdlp"``, which is less precise
            and gives no fractions.
        bound: whether `plan` returns an upper bound for a game with triangles, in place of an error.
    """

    name: str
    algorithm: str = option("simplex", choices=ALGORITHMS)
    bound: bool = option(False)

    unit = "solves"
    default_iterations = 1
    accepts = ("tree",)
    example = "sheriff"  # Kuhn poker has triangles

    def space(self, tree: Tree) -> Polytope:
        """Return the polytope of a game; raise GameError if it has triangles, without `bound`."""
        space = Polytope(tree)
        if not self.bound:
            space.require_no_triangle()
        return space

    @abstractmethod
    def plan(self, tree: Tree, seconds: float | None = None, exact: bool = True) -> CorrelationPlan:
        """Return an optimal plan.

        Args:
            tree: a game of two players.
            seconds: time limit of the program in floats.
            exact: whether to refine the answer in fractions.

        Raises:
            GameError: the game has not two players, imperfect recall, or triangles, without `bound`.
            SizeError: the free memory is too small.
            SolverError: no optimum was found, or not within the time limit.
        """

    def solver(self, form: Tree, seed: int = 0, workers: int | Executor | None = None) -> PlanSolver:
        return PlanSolver(form, self)


@dataclass(frozen=True)
class Correlated(PlanMethod):
    """The best correlated equilibrium of a game of two players, by a linear program.

    Args:
        concept: ``"nfcce"``, ``"efcce"`` or ``"efce"``; see `Gaps`.
        maximise: the objective: ``"welfare"`` (the sum of the values), ``"minimum"`` (the smaller value), a player
            (its value), or weights of both values, of any sign and not both 0.

    See `PlanMethod` for the other options.

    >>> solution = td.solve(td.load_game("sheriff"), td.correlating.Correlated("nfcce"))
    >>> [round(value, 9) for value in solution.values], solution.evaluation.figure < 1e-9
    ([0.75, 0.375], True)
    """

    concept: str = option("efce", choices=CONCEPTS)
    maximise: str | int | tuple[float, ...] = "welfare"
    name: str = field(default="correlated", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.maximise, list):  # of a saved run
            object.__setattr__(self, "maximise", tuple(self.maximise))
        _weights(self.maximise)

    def plan(self, tree: Tree, seconds: float | None = None, exact: bool = True) -> CorrelationPlan:
        """See `PlanMethod`."""
        weights = _weights(self.maximise)
        return optimal_plan(self, self.space(tree), self.concept, (0, 1), weights, seconds, exact)

    def default_evaluator(self, form: Form) -> CorrelationGap:
        """See `Method`: the gap of the concept, which is 0 up to round-off."""
        return CorrelationGap(self.concept)


def _weights(maximise: object) -> tuple[float, ...]:
    """Return the weights of the smaller value and of both values; ParameterError if there are none."""
    if isinstance(maximise, str) and maximise in _OBJECTIVES:
        return _OBJECTIVES[maximise]
    if isinstance(maximise, int) and not isinstance(maximise, bool) and maximise in (0, 1):
        return (0.0, 1.0 - maximise, float(maximise))
    if not isinstance(maximise, tuple):
        raise out_of_range("maximise", maximise, "welfare, minimum, a player (0 or 1), or two weights")
    weights = finite_numbers("maximise", maximise, 2)
    if not weights.any():
        raise out_of_range("maximise", maximise, "two weights that are not both 0")
    return (0.0, *weights.tolist())


def optimal_plan(
    method: PlanMethod, space: Polytope, concept: str, obedient: Sequence[int], weights: Sequence[float],
    seconds: float | None, exact: bool,
) -> CorrelationPlan:  # fmt: skip
    """Return a plan with the largest objective for which no obedient player gains by leaving.

    weights: of the smaller value, and of both values.
    """
    from scipy.sparse import coo_array

    start, rest = coo_array(([1.0], ([0], [0])), (1, space.size)), [None] * len(obedient)
    equations = [[None, start, *rest], *([None, space.consistency(player), *rest] for player in (0, 1))]
    limits = []
    for place, player in enumerate(obedient):
        plans, responses = space.incentives(player, concept)
        limits.append([None, plans, *rest[:place], responses, *rest[place + 1 :]])
    payoffs = [space.utility(player) / space.form.scale for player in (0, 1)]
    try:
        found = value_program(payoffs, equations, limits, weights).solve(method.algorithm, seconds, exact)
    except SolverError as error:
        one, two = space.tree.payoffs.T
        least, most = (
            np.stack([smaller, one, two], axis=1) @ weights for smaller in (np.minimum(one, two), (one + two) / 2)
        )
        raise SolverError(
            f"{error} The program of {space.size:,} pairs is not finished: the objective of the best device is between "
            f"{least.min():.9g} and {most.max():.9g}. Allow more seconds, or choose --algorithm ipm."
        ) from error
    assert found is not None  # Nash equilibria are feasible
    return plan_of(space, *found, found[0][3 : 3 + space.size], weights, space.triangle is not None)


def value_program(
    payoffs: Sequence[np.ndarray], equations: list[Any], limits: list[Any], weights: Sequence[float]
) -> Maximum:
    """Return the program of a plan with the largest weighted value.

    Args:
        payoffs: payoffs `[K]` of both players for a plan.
        equations: blocks of rows that are 0, but the first is 1. The columns of blocks are the variables: the smaller
            value and both values, the plan, and then any number of others.
        limits: blocks of rows that are at most 0.
        weights: of the smaller value, and of both values.
    """
    from scipy.sparse import block_array, coo_array

    size, rest = len(payoffs[0]), [None] * (len(equations[0]) - 2)
    values = [coo_array(np.eye(2, 3, 1)), coo_array(-np.stack(payoffs)), *rest]
    least = [coo_array([[1.0, -1.0, 0.0], [1.0, 0.0, -1.0]]), coo_array((2, size)), *rest]
    equations = [row for row in [*equations, values] if row[1].shape[0]]
    matrix = block_array([*equations, least, *limits], format="csc")
    profit, right, free = np.zeros(matrix.shape[1]), np.zeros(matrix.shape[0]), np.ones(matrix.shape[1], dtype=bool)
    profit[:3], right[0], free[3 : 3 + size] = np.array(weights) / np.abs(weights).max(), 1.0, False
    return Maximum(profit, free, matrix, right, sum(row[1].shape[0] for row in equations))


def plan_of(
    space: Polytope, found: np.ndarray, fractions: Numbers | None, plan: np.ndarray, weights: Sequence[float],
    relaxed: bool = False, bound: float | None = None,
) -> CorrelationPlan:  # fmt: skip
    """Return a plan with the values that an optimum of a `value_program` has."""
    scale, exact = space.form.scale, None
    if fractions is not None:
        exact = tuple(simple_fraction(scale) * fractions.get(j, Fraction(0)) for j in (1, 2))
    values = tuple(float(value) * scale for value in found[1:3])
    objective = float(np.dot(weights, (min(values), *values)))
    bound = objective if bound is None else bound
    return CorrelationPlan(space, np.clip(plan, 0.0, 1.0), values, objective, exact, relaxed, bound)


class PlanSolver(ProgramSolver, DeviceSolver):
    """The solver of a `PlanMethod`; its answer are the recommendations of each player alone."""

    def __init__(self, tree: Tree, method: PlanMethod) -> None:
        if method.bound:
            raise ParameterError("a bound is no device, and no run has it; use plan(tree) or --exact.", key="bound")
        self.tree, self.method, self.iterations, self._space = tree, method, 0, method.space(tree)
        self._plan, self.device = np.zeros(self._space.size), Device(tree)

    def solve(self) -> None:
        """See `ProgramSolver`."""
        self._plan[:] = self.method.plan(self.tree, self.limit, exact=False).plan
        self.device.table[:], self.device.mass[:] = self._space.table(self._plan), 1.0

    def current(self) -> Profile:
        return self._space.strategy(self._plan)

    def arrays(self) -> dict[str, np.ndarray]:
        return {"plan": self._plan, **self.device.arrays()}

    def ranges(self) -> dict[str, tuple[float, float]]:
        return {"plan": (0, 1), "device_mass": (0, 1)}
