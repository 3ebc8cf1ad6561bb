"""Equilibria of two-player constant-sum games by the sequence-form linear program.

Player 0 chooses a realisation plan x (von Stengel 1996; Koller, Megiddo, von Stengel 1996):

    maximise v_0   subject to   E x = e,  x >= 0,  F' v - A' x <= 0  (one row for each sequence of player 1)

E and F are the treeplex constraints of the players, A is the payoff matrix of their sequences, and v has a value for
each infoset of player 1. The multipliers of the last rows are player 1's realisation plan, so one program gives both
strategies. HiGHS solves it with sparse matrices in floats.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tefuda.errors import GameError, SolverError
from tefuda.evaluating.profile import Profile
from tefuda.forms.programs import realised, responded
from tefuda.forms.sequence import SequenceForm, last_rows, sequence_form
from tefuda.forms.tree import Tree, require_tree


def treeplex_constraints(form: SequenceForm, player: int) -> Any:
    """Return E with E x = (1, 0, ..., 0) for the realisation plans x of a player, as a coo_array.

    E is `[1 + infosets, sequences]`. Row 0 is x(empty) = 1. Row 1 + j states that the actions of the form's infoset j
    sum to its parent. In a region, each augmented infoset takes the place of the empty sequence, and its range that of
    1.
    """
    from scipy.sparse import coo_array

    count = form.starts(player)
    rows, columns, values = [np.arange(count)], [np.arange(count)], [np.ones(count)]
    for parents, actions in form.groups_of(player):
        number = count + np.arange(len(parents))
        rows += [number, np.tile(number, len(actions))]
        columns += [parents, actions.ravel()]
        values += [np.full(len(parents), -1.0), np.ones(actions.size)]
        count += len(parents)
    shape = (count, int(form.span[player + 1] - form.span[player]))
    return coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape)


class Side:
    """The treeplex of a player, or of an absent one (None).

    Sequences and infosets are numbered by player, the empty ones first.
    """

    def __init__(self, tree: Tree, player: int | None) -> None:
        self.tree, self.player, self.form = tree, player, sequence_form(tree)
        self.groups = [] if player is None else self.form.groups_of(player)
        self.size = 1 if player is None else int(self.form.sizes[player])

    @cached_property
    def constraints(self) -> Any:
        """The constraints of realisation plans; see `treeplex_constraints`."""
        from scipy.sparse import coo_array

        return coo_array(np.ones((1, 1))) if self.player is None else treeplex_constraints(self.form, self.player)

    @cached_property
    def parent(self) -> np.ndarray:
        """The sequence before each infoset, 0 before the empty one."""
        rows, parent = self.constraints, np.zeros(self.constraints.shape[0], dtype=np.int64)
        parent[rows.row[rows.data < 0]] = rows.col[rows.data < 0]
        return parent

    @cached_property
    def infoset(self) -> np.ndarray:
        """The infoset at which each sequence ends, 0 for the empty one."""
        rows, infoset = self.constraints, np.zeros(self.constraints.shape[1], dtype=np.int64)
        infoset[rows.col[rows.data > 0]] = rows.row[rows.data > 0]
        return infoset

    def respond(self, utilities: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the value of a best response to utilities of sequences, and its pure plan."""
        if self.player is None:
            return float(utilities[0]), np.ones(1)
        own, spread = self.form.own(self.player), np.zeros(self.form.sequences)
        spread[own] = utilities
        values, response = responded(self.form, self.player, spread)
        return float(values[own.start]), realised(self.form, response)[own]

    def best_values(self, utilities: np.ndarray) -> np.ndarray:
        """Return `[n]` the values of best responses to utilities `[sequences, n]`, which are changed."""
        for parents, actions in reversed(self.groups):
            np.add.at(utilities, parents, utilities[actions].max(axis=0))
        return utilities[0]

    def ends(self) -> np.ndarray:
        """Return the sequence of the side at each terminal history."""
        if self.player is None:
            return np.zeros(len(self.tree.terminals), dtype=np.int64)
        first = int(self.form.span[self.player])
        last = last_rows(self.tree)[0][self.tree.terminals, self.player]
        return np.append(self.form.sequence, first)[last] - first

    @cached_property
    def plan_count(self) -> int:
        """The number of reduced pure plans."""
        counts = [1] * self.size  # of plans after each sequence
        for parents, actions in reversed(self.groups):
            for parent, infoset in zip(parents.tolist(), actions.T.tolist(), strict=True):
                counts[parent] *= sum(counts[sequence] for sequence in infoset)
        return counts[0]

    @cached_property
    def plans(self) -> np.ndarray:
        """`[n, sequences]` all reduced pure plans, as 0 and 1."""
        after = [np.eye(1, self.size, number, dtype=np.int8) for number in range(self.size)]
        for parents, actions in reversed(self.groups):
            for parent, infoset in zip(parents.tolist(), actions.T.tolist(), strict=True):
                options = np.concatenate([after[sequence] for sequence in infoset])
                after[parent] = (after[parent][:, None] + options[None]).reshape(-1, self.size)
        return after[0]


def payoff_matrix(form: SequenceForm, player: int = 0) -> Any:
    """Return A with x' A y the payoff of `player` in a two-player game, as a cached coo_array.

    Rows are the player's sequences, columns the opponent's.
    """
    return form.derived(_payoff_matrix, player)


def _payoff_matrix(form: SequenceForm, player: int) -> Any:
    from scipy.sparse import coo_array

    leaves, first, sizes = form.leaves(player), form.span.astype(np.int64), np.diff(form.span.astype(np.int64))
    leaves.value.setflags(write=False)
    places = leaves.own - first[player], leaves.others[:, 0] - first[1 - player]
    return coo_array((leaves.value, places), (sizes[player], sizes[1 - player]))


def require_two_players(tree: Tree, user: str, cure: str = "use a method of the CFR family") -> None:
    """Raise GameError unless a game has two players."""
    require_tree(tree)
    if tree.players != 2:
        raise GameError(f"{user} needs two players, {tree.name} has {tree.players}; {cure}.")


def require_two_player_constant_sum(tree: Tree, user: str, cure: str = "use a method of the CFR family") -> None:
    """Raise GameError unless a game has two players and a constant sum, with payoffs of similar size."""
    require_two_players(tree, user, cure)
    require_constant_sum(tree, user, cure)


def require_constant_sum(tree: Tree, user: str, cure: str) -> None:
    """Raise GameError unless a game has a constant sum, with payoffs of similar size."""
    require_tree(tree)
    sums, sizes = tree.payoffs.sum(axis=1), np.abs(tree.payoffs)
    if np.ptp(sums) > 1e-9 * sizes.max():
        raise GameError(
            f"{user} needs a constant-sum game, payoffs of {tree.name} sum to between {sums.min():g} and "
            f"{sums.max():g}; {cure}."
        )
    if apart := sizes_apart(tree):
        raise GameError(f"{user} needs payoffs of similar size. {apart}")


_APART = 1e-12  # relative to 1, HiGHS treats smaller numbers as 0


def sizes_apart(tree: Tree) -> str:
    """Return a sentence about payoffs that differ too much in size for floats; "" if none do."""
    sizes = np.abs(tree.payoffs)
    least, largest = sizes.min(initial=np.inf, where=sizes > 0), sizes.max(initial=0.0)
    if least >= _APART * largest:
        return ""
    return (
        f"Payoffs of {tree.name} differ more than {1 / _APART:g} times, {least:g} and {largest:g}. Write 0 for "
        "round-off errors, or solve in fractions (exact_solution, --exact)."
    )


def is_two_player_constant_sum(tree: Tree) -> bool:
    """Return True if `require_two_player_constant_sum` accepts a game."""
    try:
        require_two_player_constant_sum(tree, "")
    except GameError:
        return False
    return True


def plan_profile(tree: Tree, player: int, plan: np.ndarray) -> Profile:
    """Return a player's realisation plan as a profile, with uniform opponents."""
    form = sequence_form(tree)
    weights = np.zeros(form.sequences)
    weights[form.own(player)] = plan
    return Profile.from_weights(tree, weights[form.sequence])


def plan_of(profile: Profile, player: int) -> np.ndarray:
    """Return a player's strategy as a realisation plan over the player's sequences."""
    form = sequence_form(profile.tree)
    return realised(form, form.spread(profile.probabilities))[form.own(player)]


@dataclass(frozen=True)
class Program:
    """A linear program that chooses a realisation plan of a player.

    Columns are the player's sequences, then a value for each constraint of the opponent. Rows are the player's
    constraints, then one for each sequence of the opponent.

    model: HiGHS model.
    plan, constraints: number of sequences and of constraints of the player.
    scale: unit of payoffs and values in the model, to which HiGHS's tolerances refer.
    """

    model: Any
    plan: int
    constraints: int
    scale: float


@dataclass(frozen=True, eq=False)
class PlanParts:
    """The parts that all programs for a player of a form share; the opponent has s sequences.

    own: the player's constraints.
    payoffs: `[s, sequences]` payoffs of the player in units of the form's scale.
    chosen: `[s, values]` 1 at the infoset at which each sequence ends.
    led_to: `[s, values]` 1 at the infosets that follow each sequence.
    """

    own: Any
    payoffs: Any
    chosen: Any
    led_to: Any

    def matrix(self, mixing: Any = None) -> Any:
        """Return the rows of a program, with a mixing or None; see `plan_program`."""
        from scipy.sparse import block_array

        payoffs, led_to = self.payoffs, self.led_to
        if mixing is not None:
            payoffs, led_to = mixing @ payoffs, mixing @ led_to
        return block_array([[self.own, None], [-payoffs, self.chosen - led_to]], format="csc")

    @cached_property
    def unmixed(self) -> Any:
        """The rows of a program without a mixing."""
        return self.matrix()


def plan_parts(form: SequenceForm, player: int) -> PlanParts:
    """Return the parts of a player's programs; call ``form.derived(plan_parts, player)`` to cache them."""
    own, other = (treeplex_constraints(form, each) for each in (player, 1 - player))
    return parts_between(own, payoff_matrix(form, player).T / form.scale, other)


def parts_between(own: Any, payoffs: Any, other: Any) -> PlanParts:
    """Return the parts for constraints of both players and payoffs `[s, sequences]`."""
    return PlanParts(own, payoffs, other.tocsr().maximum(0).T, (-other).tocsr().maximum(0).T)


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
    """Return the program that chooses a plan x of `player` to maximise gain' x + weight v_0.

    v_0 is the value of x against a best response. It is a minimisation for HiGHS.

    gain: payoffs `[sequences of the player]` of the plan, or None. Without it and with weight 1, x is an equilibrium
    strategy.
    floor: lower bound of v_0.
    mixing: `[s, s]` matrix over the opponent's s sequences that restricts its replies; see responses.py.
    ranges: ranges of both players in a region; v_0 is then the sum of the opponent's range times value.
    parts: parts of the program, if the player's treeplex is not that of the form.
    """
    own, others = (np.ones(1), np.ones(1)) if ranges is None else (ranges[player], ranges[1 - player])
    parts = parts or form.derived(plan_parts, player)
    (constraints, plan), (replies, values) = parts.own.shape, parts.chosen.shape
    matrix = parts.unmixed if mixing is None else parts.matrix(mixing)
    cost = np.zeros(plan + values)
    cost[:plan], cost[plan : plan + len(others)] = 0.0 if gain is None else -gain / form.scale, -weight * others
    lower, right = np.concatenate([np.zeros(plan), np.full(values, -np.inf)]), np.zeros(constraints)
    lower[plan], right[: len(own)] = floor / form.scale, own
    rows = np.concatenate([right, np.full(replies, -np.inf)]), np.concatenate([right, np.zeros(replies)])
    return Program(highs_model(cost, lower, rows, matrix), plan, constraints, form.scale)


def highs_model(cost: np.ndarray, lower: np.ndarray, rows: tuple[np.ndarray, np.ndarray], matrix: Any) -> Any:
    """Return the HiGHS model that minimises cost' z with z >= lower and bounds `rows` of matrix z."""
    import highspy

    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(cost), len(rows[0])
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = cost, lower, np.full(len(cost), np.inf)
    lp.row_lower_, lp.row_upper_ = rows
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = matrix.indptr, matrix.indices, matrix.data
    return lp


def run_highs(program: Program, **options: Any) -> Any:
    """Solve a program and return the HiGHS object; raise SolverError without an optimum."""
    highs = open_highs(program, **options)
    run_opened(highs)
    return highs


def open_highs(program: Program, **options: Any) -> Any:
    """Return a HiGHS object with an unsolved program."""
    import highspy

    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("small_matrix_value", _APART)
    for name, value in options.items():
        highs.setOptionValue(name, value)
    highs.passModel(program.model)
    return highs


def basic_numbers(statuses: Any) -> list[int]:
    """Return the numbers of the basic ones among the statuses of a HiGHS basis."""
    import highspy

    return [number for number, status in enumerate(statuses) if status == highspy.HighsBasisStatus.kBasic]


def run_opened(highs: Any) -> None:
    """Solve the program of a HiGHS object from its last solution, if any; SolverError without an optimum."""
    import highspy

    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise SolverError(f"HiGHS found no optimum: {highs.modelStatusToString(highs.getModelStatus())}.")
