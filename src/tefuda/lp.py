"""Exact equilibria of two-player constant-sum games: the sequence-form linear program, in floats and in Fractions.

Player 0 chooses a realisation plan x, player 1's treeplex prices it (von Stengel 1996; Koller, Megiddo, von Stengel
1996):

    maximise v_0   subject to   E x = e,  x >= 0,  F' v - A' x <= 0  (one row for each sequence of player 1)

E and F are the treeplex constraints of the players, A the payoff matrix of their sequences. The multipliers of the last
rows are player 1's realisation plan, so one program gives both strategies. Solved by HiGHS with sparse matrices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tefuda.errors import GameError, SolverError
from tefuda.profile import Profile
from tefuda.sequence import SequenceForm, sequence_form
from tefuda.tree import Tree


@dataclass(frozen=True)
class Sparse:
    """A sparse matrix as triplets: `value[n]` stands at (`row[n]`, `column[n]`); `shape` is (rows, columns)."""

    row: np.ndarray
    column: np.ndarray
    value: np.ndarray
    shape: tuple[int, int]

    def transposed(self, factor: float = 1.0) -> Sparse:
        """The transposed matrix times a factor."""
        return Sparse(self.column, self.row, factor * self.value, self.shape[::-1])


def treeplex_constraints(form: SequenceForm, player: int) -> Sparse:
    """E with E x = (1, 0, ..., 0) for the realisation plans x of a player, `[1 + infosets, sequences]`.

    Row 0 says x(empty) = 1; row 1 + j that the actions of the j-th infoset (in the form's order) sum to its parent.
    Columns are the player's sequences, the empty one first.
    """
    first, groups = int(form.span[player]), form.groups[form.group_span[player] : form.group_span[player + 1]]
    offset = int(groups[0, 0]) if len(groups) else 0
    rows, columns, values = [np.zeros(1, int)], [np.zeros(1, int)], [np.ones(1)]
    for start, m, k, base in groups.astype(int).tolist():
        number = 1 + start - offset + np.arange(m)
        rows += [number, np.tile(number, k)]
        columns += [form.parent[start : start + m].astype(int) - first, np.arange(base, base + k * m) - first]
        values += [np.full(m, -1.0), np.ones(k * m)]
    count = 1 + int(groups[:, 1].sum()) if len(groups) else 1
    shape = (count, int(form.span[player + 1]) - first)
    return Sparse(np.concatenate(rows), np.concatenate(columns), np.concatenate(values), shape)


def payoff_matrix(form: SequenceForm, player: int = 0) -> Sparse:
    """A with x' A y the payoff of `player` in a two-player game; rows are its sequences, columns the other's."""
    other = 1 - player
    starts = form.leaf_start.astype(np.int64)
    counts = (starts[1:] - starts[:-1])[form.span[player] : form.span[player + 1]]
    mine = slice(int(form.leaf_start[form.span[player]]), int(form.leaf_start[form.span[player + 1]]))
    columns = form.leaf_other[mine].astype(int) - int(form.span[other])
    shape = (len(counts), int(form.span[other + 1] - form.span[other]))
    return Sparse(np.repeat(np.arange(len(counts)), counts), columns, form.leaf_value[mine], shape)


def require_two_player_constant_sum(tree: Tree, what: str) -> None:
    """Raise GameError unless the game has two players whose payoffs always have the same sum."""
    if tree.players != 2:
        raise GameError(f"{what} is for two players; {tree.name} has {tree.players}. Use a method of the CFR family.")
    sums = tree.payoffs.sum(axis=1)
    if np.ptp(sums) > 1e-9 * max(1.0, np.abs(tree.payoffs).max()):
        raise GameError(
            f"{what} is for constant-sum games; payoffs of {tree.name} sum to {sums.min():g} at one end and to "
            f"{sums.max():g} at another. Use a method of the CFR family."
        )


@dataclass(frozen=True)
class Program:
    """The linear program of a form: its HiGHS model, and where its parts stand.

    Columns: player 0's sequences, then one price for each constraint of player 1. Rows: player 0's constraints, then
    one for each sequence of player 1.
    """

    model: Any
    plan: int
    constraints: int


def equilibrium_program(form: SequenceForm) -> Program:
    """The program of this module's first lines, as a minimisation of -v_0."""
    import highspy

    own, other, payoffs = treeplex_constraints(form, 0), treeplex_constraints(form, 1), payoff_matrix(form)
    (constraints, plan), (prices, replies) = own.shape, other.shape
    blocks = ((own, 0, 0), (payoffs.transposed(-1.0), constraints, 0), (other.transposed(), constraints, plan))
    row, column, value = (np.concatenate(part) for part in zip(*(_placed(*block) for block in blocks), strict=True))
    order = np.lexsort((row, column))
    lp, infinity = highspy.HighsLp(), highspy.kHighsInf
    lp.num_col_, lp.num_row_ = plan + prices, constraints + replies
    lp.col_cost_ = _unit(plan + prices, plan, -1.0)
    lp.col_lower_ = np.concatenate([np.zeros(plan), np.full(prices, -infinity)])
    lp.col_upper_ = np.full(plan + prices, infinity)
    right = _unit(constraints, 0, 1.0)
    lp.row_lower_ = np.concatenate([right, np.full(replies, -infinity)])
    lp.row_upper_ = np.concatenate([right, np.zeros(replies)])
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = np.concatenate([[0], np.cumsum(np.bincount(column, minlength=plan + prices))])
    lp.a_matrix_.index_, lp.a_matrix_.value_ = row[order], value[order]
    return Program(lp, plan, constraints)


def _placed(part: Sparse, row: int, column: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return part.row + row, part.column + column, part.value


def _unit(size: int, place: int, value: float) -> np.ndarray:
    vector = np.zeros(size)
    vector[place] = value
    return vector


def run_highs(program: Program, **options: Any) -> Any:
    """Solve a program; return the HiGHS object.

    Raises:
        SolverError: HiGHS found no optimum.
    """
    import highspy

    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    for name, value in options.items():
        highs.setOptionValue(name, value)
    highs.passModel(program.model)
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise SolverError(f"HiGHS ended with {highs.modelStatusToString(highs.getModelStatus())}, not at an optimum.")
    return highs


@dataclass(frozen=True)
class LinearProgram:
    """Solving by linear programming.

    Args:
        name: how it is called in tables.
        tolerance: how far HiGHS may leave constraints, 1e-10 at least.
    """

    name: str = "lp"
    tolerance: float = 1e-10

    unit = "solves"
    enough = 1  # iterations when no goal is given

    def solver(self, tree: Tree, seed: int = 0) -> LpSolver:
        """A solver that has done nothing yet. Nothing is drawn at random: `seed` changes nothing."""
        return LpSolver(tree, self)

    def parameters(self) -> dict[str, Any]:
        """Everything that defines the method, as JSON values."""
        return asdict(self)


LP = LinearProgram()


class LpSolver:
    """Solves the program at the first iteration; further ones change nothing.

    Raises:
        GameError: more or less than two players, payoffs that are not constant-sum, or imperfect recall.
    """

    def __init__(self, tree: Tree, method: LinearProgram) -> None:
        require_two_player_constant_sum(tree, "linear programming")
        self.tree, self.method, self.form, self.iterations = tree, method, sequence_form(tree), 0
        self._profile = Profile.uniform(tree)

    def advance(self, iterations: int) -> None:
        """Solve, if that has not been done."""
        if self.iterations == 0 and iterations > 0:
            self._profile = self._solve()
        self.iterations += iterations

    def _solve(self) -> Profile:
        program = equilibrium_program(self.form)
        tolerances = dict.fromkeys(
            ("primal_feasibility_tolerance", "dual_feasibility_tolerance"), self.method.tolerance
        )
        solution = run_highs(program, **tolerances).getSolution()
        plans = np.zeros(self.form.sequences)
        plans[: program.plan] = solution.col_value[: program.plan]
        # Minimising -v_0, HiGHS reports the multipliers of the rows <= 0 as -y.
        plans[program.plan :] = -np.array(solution.row_dual[program.constraints :])
        return Profile.from_weights(self.tree, np.maximum(plans, 0.0)[self.form.sequence])

    def average(self) -> Profile:
        """The equilibrium.

        Raises:
            SolverError: the program has not been solved yet.
        """
        if self.iterations == 0:
            raise SolverError("the linear program has not been solved yet; advance(1) solves it.")
        return self._profile

    def current(self) -> Profile:
        """The equilibrium; uniform before it is found."""
        return self._profile

    def state(self) -> dict[str, np.ndarray]:
        """What was found."""
        return {"probabilities": self._profile.probabilities.copy(), "iterations": np.array(self.iterations)}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go on from what `state` returned."""
        self._profile = Profile(self.tree, state["probabilities"])
        self.iterations = int(state["iterations"])
