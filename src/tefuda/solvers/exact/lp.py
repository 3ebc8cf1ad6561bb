"""Exact equilibria of two-player constant-sum games: the sequence-form linear program, in floats.

Player 0 chooses a realisation plan x, player 1's treeplex prices it (von Stengel 1996; Koller, Megiddo, von Stengel
1996):

    maximise v_0   subject to   E x = e,  x >= 0,  F' v - A' x <= 0  (one row for each sequence of player 1)

E and F are the treeplex constraints of the players, A the payoff matrix of their sequences. The multipliers of the last
rows are player 1's realisation plan, so one program gives both strategies. Solved by HiGHS with sparse matrices.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tefuda._kernels.traversal import realise
from tefuda.errors import GameError, SolverError
from tefuda.evaluating.profile import Profile
from tefuda.files import array_specs, check_arrays
from tefuda.forms.sequence import SequenceForm, sequence_form
from tefuda.forms.tree import Tree, require_tree
from tefuda.solvers.protocol import AnyMethod, TreeSolver, require_average


def treeplex_constraints(form: SequenceForm, player: int) -> Any:
    """Return E with E x = (1, 0, ..., 0) for the realisation plans x of a player, a coo_array.

    E is `[1 + infosets, sequences]`. Row 0 says x(empty) = 1; row 1 + j that the actions of the form's j-th infoset sum
    to its parent. In a region each augmented infoset stands for the empty sequence, and its range for 1.
    """
    from scipy.sparse import coo_array

    count = form.starts(player)
    rows, columns, values = [np.arange(count)], [np.arange(count)], [np.ones(count)]
    for parents, actions in form.blocks(player):
        number = count + np.arange(len(parents))
        rows += [number, np.tile(number, len(actions))]
        columns += [parents, actions.ravel()]
        values += [np.full(len(parents), -1.0), np.ones(actions.size)]
        count += len(parents)
    shape = (count, int(form.span[player + 1] - form.span[player]))
    return coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape)


def payoff_matrix(form: SequenceForm, player: int = 0) -> Any:
    """Return A with x' A y the payoff of `player` in a two-player game, a coo_array, built once for a form.

    Rows are its sequences, columns the other's.
    """
    return form.derived(_payoff_matrix, player)


def _payoff_matrix(form: SequenceForm, player: int) -> Any:
    from scipy.sparse import coo_array

    other = 1 - player
    starts = form.leaf_start.astype(np.int64)
    counts = (starts[1:] - starts[:-1])[form.span[player] : form.span[player + 1]]
    mine = slice(int(form.leaf_start[form.span[player]]), int(form.leaf_start[form.span[player + 1]]))
    columns = form.leaf_other[mine].astype(int) - int(form.span[other])
    shape = (len(counts), int(form.span[other + 1] - form.span[other]))
    return coo_array((form.leaf_value[mine], (np.repeat(np.arange(len(counts)), counts), columns)), shape)


def require_two_player_constant_sum(tree: Tree, what: str) -> None:
    """Raise GameError unless two players' payoffs always have the same sum; and if they are 1e12 apart in size."""
    require_tree(tree)
    if tree.players != 2:
        raise GameError(f"{what} is for two players; {tree.name} has {tree.players}. Use a method of the CFR family.")
    sums, sizes = tree.payoffs.sum(axis=1), np.abs(tree.payoffs)
    if np.ptp(sums) > 1e-9 * sizes.max():
        raise GameError(
            f"{what} is for constant-sum games; payoffs of {tree.name} sum to {sums.min():g} at one end and to "
            f"{sums.max():g} at another. Use a method of the CFR family."
        )
    least, largest = sizes.min(initial=np.inf, where=sizes > 0), sizes.max()
    if least < _APART * largest:
        raise GameError(
            f"payoffs of {tree.name} are from {least:g} to {largest:g} in size; {what} tells numbers apart up to "
            f"{1 / _APART:g} times as large. Write 0 for what is round-off, or choose payoffs that lie nearer together."
        )


_APART = 1e-12  # HiGHS takes smaller numbers beside 1 for 0


def is_two_player_constant_sum(tree: Tree) -> bool:
    """Return True if `require_two_player_constant_sum` accepts a game."""
    try:
        require_two_player_constant_sum(tree, "")
    except GameError:
        return False
    return True


def plan_profile(tree: Tree, player: int, plan: np.ndarray) -> Profile:
    """Return a player's realisation plan `[sequences of the player]` as a profile; the others play uniformly."""
    form = sequence_form(tree)
    weights = np.zeros(form.sequences)
    weights[form.own(player)] = plan
    return Profile.from_weights(tree, weights[form.sequence])


def plan_of(profile: Profile, player: int) -> np.ndarray:
    """Return `[sequences of the player]` a player's strategy as a realisation plan."""
    form = sequence_form(profile.tree)
    plan = np.ones(form.sequences)
    realise(form.arrays, player, form.spread(profile.probabilities), plan)
    return plan[form.own(player)]


@dataclass(frozen=True)
class Program:
    """The linear program of a form: its HiGHS model, and the number of sequences and constraints of the player.

    Columns: the player's sequences, then a price for each constraint of the other. Rows: the player's constraints, then
    one for each sequence of the other. Payoffs and prices are in units of `scale`, which HiGHS's tolerances refer to.
    """

    model: Any
    plan: int
    constraints: int
    scale: float


@dataclass(frozen=True, eq=False)
class PlanParts:
    """The parts of all programs that choose a plan of one player of a form, over the other's s sequences.

    own: the player's constraints. payoffs: `[s, sequences]` of the player, in units of the form's scale. chosen,
    led_to: `[s, prices]` 1 at the infoset of each sequence's action; at the infosets that follow it.
    """

    own: Any
    payoffs: Any
    chosen: Any
    led_to: Any

    def matrix(self, mixing: Any = None) -> Any:
        """Return the rows of a program; see `plan_program`."""
        from scipy.sparse import block_array

        payoffs, led_to = self.payoffs, self.led_to
        if mixing is not None:
            payoffs, led_to = mixing @ payoffs, mixing @ led_to
        return block_array([[self.own, None], [-payoffs, self.chosen - led_to]], format="csc")

    @cached_property
    def unbound(self) -> Any:
        """The rows without a mixing."""
        return self.matrix()


def plan_parts(form: SequenceForm, player: int) -> PlanParts:
    """Return the parts of programs that choose a plan of a player, as ``form.derived(plan_parts, player)``."""
    other = treeplex_constraints(form, 1 - player).tocsr()
    payoffs = payoff_matrix(form, player).T / form.scale
    return PlanParts(treeplex_constraints(form, player), payoffs, other.maximum(0).T, (-other).maximum(0).T)


def plan_program(
    form: SequenceForm,
    player: int = 0,
    *,
    gain: np.ndarray | None = None,
    weight: float = 1.0,
    floor: float = -np.inf,
    mixing: Any = None,
    ranges: tuple[np.ndarray, ...] | None = None,
    parts: PlanParts | None = None,
) -> Program:
    """Return the program that chooses a plan x of `player`: maximise gain' x + weight v_0, as a minimisation.

    v_0 is the value of x against a best response, at least `floor`. gain: `[sequences of the player]`; without it and
    with weight 1 the plan is an equilibrium's. mixing: `[s, s]` over the other's s sequences, the model that binds its
    replies: see responses.py. ranges: in a region, the range of each player; v_0 is then the sum of the other's range
    times price. parts: the program's parts where the player chooses from another treeplex than its own in the form.
    """
    own, others = (np.ones(1), np.ones(1)) if ranges is None else (ranges[player], ranges[1 - player])
    parts = parts or form.derived(plan_parts, player)
    (constraints, plan), (replies, prices) = parts.own.shape, parts.chosen.shape
    matrix = parts.unbound if mixing is None else parts.matrix(mixing)
    cost = np.zeros(plan + prices)
    cost[:plan], cost[plan : plan + len(others)] = 0.0 if gain is None else -gain / form.scale, -weight * others
    lower, right = np.concatenate([np.zeros(plan), np.full(prices, -np.inf)]), np.zeros(constraints)
    lower[plan], right[: len(own)] = floor / form.scale, own
    rows = np.concatenate([right, np.full(replies, -np.inf)]), np.concatenate([right, np.zeros(replies)])
    return Program(highs_model(cost, lower, rows, matrix), plan, constraints, form.scale)


def highs_model(cost: np.ndarray, lower: np.ndarray, rows: tuple[np.ndarray, np.ndarray], matrix: Any) -> Any:
    """Minimise cost' z, z >= lower, with matrix z between two bounds."""
    import highspy

    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(cost), len(rows[0])
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = cost, lower, np.full(len(cost), np.inf)
    lp.row_lower_, lp.row_upper_ = rows
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = matrix.indptr, matrix.indices, matrix.data
    return lp


def run_highs(program: Program, **options: Any) -> Any:
    """Solve a program and return the HiGHS object; SolverError if HiGHS finds no optimum."""
    highs = open_highs(program, **options)
    run_opened(highs)
    return highs


def open_highs(program: Program, **options: Any) -> Any:
    """Return a HiGHS object with a program that is not solved yet."""
    import highspy

    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("small_matrix_value", _APART)
    for name, value in options.items():
        highs.setOptionValue(name, value)
    highs.passModel(program.model)
    return highs


def run_opened(highs: Any) -> None:
    """Solve from the last solution, if the object has one; SolverError if HiGHS finds no optimum."""
    import highspy

    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise SolverError(f"HiGHS ended with {highs.modelStatusToString(highs.getModelStatus())}, not at an optimum.")


@dataclass(frozen=True)
class LinearProgram(AnyMethod):
    """Solving by linear programming.

    Args:
        name: name in tables.
        tolerance: largest violation of a constraint, relative to the largest payoff; HiGHS takes 1e-10 or more.

    >>> solution = td.solve(td.load_game("kuhn"), td.LinearProgram())
    >>> round(solution.values[0] * 18, 9)
    -1.0
    """

    name: str = "lp"
    tolerance: float = 1e-10

    unit = "solves"
    default_iterations = 1

    def solver(self, form: Tree, seed: int = 0, workers: int | Executor | None = None) -> LpSolver:
        """See `AnyMethod`; nothing is drawn at random."""
        return LpSolver(form, self)


LP = LinearProgram()


class LpSolver(TreeSolver):
    """Solves the program at the first iteration; further ones change nothing."""

    def __init__(self, tree: Tree, method: LinearProgram) -> None:
        require_two_player_constant_sum(tree, "linear programming")
        self.tree, self.method, self._form, self.iterations = tree, method, sequence_form(tree), 0
        self._profile = Profile.uniform(tree)

    def advance(self, iterations: int) -> None:
        """See `Solver`: the first iteration solves."""
        if self.iterations == 0 and iterations > 0:
            self._profile = self._solve()
        self.iterations += iterations

    def _solve(self) -> Profile:
        program, most = plan_program(self._form), self.method.tolerance
        highs = run_highs(program, primal_feasibility_tolerance=most, dual_feasibility_tolerance=most)
        solution = highs.getSolution()
        plans = np.zeros(self._form.sequences)
        plans[: program.plan] = solution.col_value[: program.plan]
        # Minimising -v_0, HiGHS reports the multipliers of the rows <= 0 as -y.
        plans[program.plan :] = -np.array(solution.row_dual[program.constraints :])
        return Profile.from_weights(self.tree, np.maximum(plans, 0.0)[self._form.sequence])

    def average(self) -> Profile:
        """See `Solver`: the equilibrium; SolverError before it is found."""
        require_average(self.iterations, 0)
        return self._profile

    def current(self) -> Profile:
        """See `Solver`: the equilibrium; uniform before it is found."""
        return self._profile

    def state(self) -> dict[str, np.ndarray]:
        """See `Solver`."""
        return {"probabilities": self._profile.probabilities.copy(), "iterations": np.array(self.iterations)}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """See `Solver`."""
        check_arrays("the state", state, array_specs(self.state()))
        self._profile = Profile(self.tree, state["probabilities"])
        self.iterations = int(state["iterations"])
