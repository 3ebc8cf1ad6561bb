"""Exact equilibria of small games, in rational numbers with a certificate.

HiGHS gives the tight rows and the basic columns of the sequence-form program. Their linear systems are solved in
fractions, with the numbers of the rules. Exact best responses to both plans then bound the value from above and below;
the solution is exact if the bounds are equal. If the basis fails, for example because payoffs differ too much in size
for floats, exact pivots continue from it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from tefuda.errors import GameError, SolverError
from tefuda.evaluating.profile import Profile
from tefuda.forms.compile import compile_game
from tefuda.forms.sequence import SequenceForm, sequence_form
from tefuda.forms.tree import Tree
from tefuda.games.answers import Rounded, exact_number
from tefuda.games.protocol import CHANCE, TERMINAL, Game, Label, infoset_name
from tefuda.solvers.exact.lp import (
    PlanParts,
    plan_parts,
    plan_program,
    require_two_players,
    run_highs,
    treeplex_constraints,
)
from tefuda.solvers.exact.pivots import Dictionary, Row
from tefuda.views import Displayable, short_repr

_Payoffs = dict[tuple[int, int], Fraction]


@dataclass(frozen=True, eq=False)
class ExactSolution(Displayable):
    """An equilibrium in rational numbers.

    Attributes:
        tree: the game.
        strategies: probabilities by infoset name and action.
        values: values of both players.
        lower: least payoff of player 0 with its strategy.
        upper: largest payoff of player 0 against player 1's strategy. It equals `lower`, which is the certificate.

    >>> solution = td.exact_solution(td.load_game("kuhn"))
    >>> solution.certified, str(solution.values[0])
    (True, '-1/18')
    """

    tree: Tree
    strategies: dict[str, dict[Label, Fraction]]
    values: tuple[Fraction, Fraction]
    lower: Fraction
    upper: Fraction

    __repr__ = short_repr

    @property
    def certified(self) -> bool:
        """True if the bounds by both exact best responses are equal."""
        return self.lower == self.upper == self.values[0]

    @property
    def strategy(self) -> Profile:
        """The strategies as floats."""
        return Profile.from_function(self.tree, lambda p, key, actions: self.strategies[infoset_name(p, key)])  # type: ignore[arg-type,return-value]

    def summary(self) -> dict[str, Any]:
        """Return the solution as JSON values, with fractions as text."""
        named = {name: {str(a): str(p) for a, p in row.items()} for name, row in self.strategies.items()}
        values = [str(value) for value in self.values]
        return {
            "game": self.tree.name,
            "game_parameters": self.tree.parameters,
            "certified": self.certified,
            "values": values,
            "values_float": [float(value) for value in self.values],
            "profile": named,
        }


def exact_solution(game: Game) -> ExactSolution:
    """Return an equilibrium of a small two-player constant-sum game in rational numbers.

    Args:
        game: the rules, with integers of any size, fractions, and floats, which count as their shortest decimals: 0.1
            is 1/10. Probabilities must sum to exactly 1, and payoffs to one number.

    Raises:
        GameError: the game has more than two players or no constant sum, or probabilities do not sum to 1.
        SolverError: no equilibrium was found.

    >>> print(td.exact_solution(td.load_game("kuhn")).values[0])
    -1/18
    """
    tree = replace(compile_game(Rounded(game), cache=False), game=game)
    require_two_players(tree, "an exact solution")
    form = sequence_form(tree)
    payoffs, total = exact_payoffs(game, tree, form)
    plans, lower, upper = _equilibrium(form, payoffs)
    strategies = {tree.name_of(number): _strategy(tree, form, plans, number) for number in range(tree.infosets)}
    return ExactSolution(tree, strategies, (lower, total - lower), lower, upper)


def exact_payoffs(game: Game, tree: Tree, form: SequenceForm) -> tuple[_Payoffs, Fraction]:
    """Return player 0's payoffs by the sequences of both players, and the sum of both players' payoffs.

    Floats count as their shortest decimals, or as binary fractions if sums are right only with these, such as those of
    0.7 and 1 - 0.7.
    """
    try:
        return _summed_payoffs(game, tree, form, exact_number)
    except GameError:
        return _summed_payoffs(game, tree, form, _binary_fraction)


def _binary_fraction(number: Any) -> Fraction:
    return Fraction(number if isinstance(number, Rational) else float(number))


def _summed_payoffs(
    game: Game, tree: Tree, form: SequenceForm, exact: Callable[[Any], Fraction]
) -> tuple[_Payoffs, Fraction]:
    """Return the results of `exact_payoffs`, with the numbers of the rules as `exact` fractions."""
    payoffs: _Payoffs = defaultdict(Fraction)
    sums: set[Fraction] = set()
    stack = [(game.root(), Fraction(1), (int(form.span[0]), int(form.span[1])))]
    while stack:
        state, reach, last = stack.pop()
        mover = game.player(state)
        if mover == TERMINAL:
            amounts = list(map(exact, game.payoffs(state)))
            sums.add(sum(amounts, Fraction(0)))
            payoffs[last] += reach * amounts[0]
        elif mover == CHANCE:
            outcomes = [(label, exact(chance)) for label, chance in game.chances(state)]
            if sum(chance for _, chance in outcomes) != 1:
                raise GameError(f"{game.name}: probabilities must sum to exactly 1, got {outcomes}; use Fractions.")
            stack += [(game.child(state, label), reach * chance, last) for label, chance in outcomes]
        else:
            first = tree.first_row[tree.numbers[mover, game.view(state, mover)]]
            for index, action in enumerate(game.actions(state)):
                own = int(form.sequence[first + index])
                stack.append((game.child(state, action), reach, (own, last[1]) if mover == 0 else (last[0], own)))
    if len(sums) != 1:
        raise GameError(f"{game.name}: payoffs must have an exactly constant sum, got {sorted(sums)[:3]}.")
    return {pair: value for pair, value in payoffs.items() if value}, sums.pop()


def _entries(matrix: Any) -> Iterator[tuple[int, int, int]]:
    """Return row, column and value of the entries of an integer matrix."""
    return zip(matrix.row.tolist(), matrix.col.tolist(), map(int, matrix.data.tolist()), strict=True)


def _program_rows(form: SequenceForm, payoffs: _Payoffs) -> list[Row]:
    """Return the rows of `lp.plan_program` in exact numbers."""
    own, other = treeplex_constraints(form, 0), treeplex_constraints(form, 1)
    rows: list[Row] = [{} for _ in range(own.shape[0] + other.shape[1])]
    for i, j, number in _entries(own):
        rows[i][j] = Fraction(number)
    for i, j, number in _entries(other):
        rows[own.shape[0] + j][own.shape[1] + i] = Fraction(number)
    for (sequence, reply), value in payoffs.items():
        rows[own.shape[0] + reply - int(form.span[1])][sequence] = -value
    return rows


@dataclass(frozen=True)
class _Basis:
    """A basis of the program: the numbers of its columns, and of its rows that are not tight."""

    columns: list[int]
    loose: list[int]


def _equilibrium(form: SequenceForm, payoffs: _Payoffs) -> tuple[list[Fraction], Fraction, Fraction]:
    """Return both players' realisation plans by sequence, and the equal bounds by best responses to them."""
    rows, basis = _program_rows(form, payoffs), _proposed_basis(form, payoffs)
    try:
        return _certified(form, payoffs, _solve_basis(form, rows, basis))
    except SolverError:
        return _certified(form, payoffs, _pivot(form, rows, basis))


def _certified(
    form: SequenceForm, payoffs: _Payoffs, plans: list[Fraction]
) -> tuple[list[Fraction], Fraction, Fraction]:
    """Return plans with player 0's bounds; raise SolverError unless they are plans and the bounds equal."""
    for player in (0, 1):
        _check_plan(form, plans, player)
    lower, upper = (_best(form, payoffs, plans, player) for player in (1, 0))
    if lower != upper:
        raise SolverError(f"the plans are not optimal: the value is between {float(lower)} and {float(upper)}.")
    return plans, lower, upper


def _proposed_basis(form: SequenceForm, payoffs: _Payoffs) -> _Basis:
    """Return the basis that HiGHS finds in floats; an empty one if it finds none.

    Rows of small payoffs are multiplied by powers of two, so that HiGHS does not take them for 0.
    """
    import highspy
    from scipy.sparse import coo_array, diags_array

    parts = form.derived(plan_parts, 0)
    unit, span = Fraction(form.scale), form.span.astype(np.int64)
    places = np.array(list(payoffs), dtype=np.int64).reshape(-1, 2) - span[:2]
    values = np.array([float(value / unit) for value in payoffs.values()])
    matrix = coo_array((values, (places[:, 1], places[:, 0])), parts.payoffs.shape).tocsr()
    largest = abs(matrix).max(axis=1).toarray().ravel()
    largest[largest == 0] = 1.0
    factors = diags_array(np.exp2(np.clip(-_SMALL - np.floor(np.log2(largest)), 0, 2 * _SMALL)))
    scaled = PlanParts(parts.own, factors @ matrix, factors @ parts.chosen, factors @ parts.led_to)
    try:
        basis = run_highs(plan_program(form, parts=scaled), solver="simplex").getBasis()
    except SolverError:
        return _Basis([], [])
    basic = highspy.HighsBasisStatus.kBasic
    return _Basis(*([i for i, one in enumerate(each) if one == basic] for each in (basis.col_status, basis.row_status)))


_SMALL = 20  # rows whose payoffs are below 2^-20 of the largest are scaled, by up to 2^40


def _solve_basis(form: SequenceForm, rows: list[Row], basis: _Basis) -> list[Fraction]:
    """Return both players' realisation plans by sequence, from an optimal basis."""
    plan, first = _columns(form)
    columns, loose = set(basis.columns), set(basis.loose)
    tight = [i for i in range(len(rows)) if i not in loose]
    system = [{j: value for j, value in rows[i].items() if j in columns} for i in tight]
    primal = solve_sparse(system, [Fraction(i == 0) for i in tight])
    transposed: dict[int, Row] = {j: {} for j in columns}
    for i, row in zip(tight, system, strict=True):
        for j, value in row.items():
            transposed[j][i] = value
    dual = solve_sparse(list(transposed.values()), [Fraction(j == plan) for j in transposed])
    plans = [primal.get(j, Fraction(0)) for j in range(plan)]
    return plans + [dual.get(i, Fraction(0)) for i in range(first, len(rows))]


def _columns(form: SequenceForm) -> tuple[int, int]:
    """Return the number of player 0's sequences, and of its constraints."""
    constraints, plan = treeplex_constraints(form, 0).shape
    return plan, constraints


def _pivot(form: SequenceForm, rows: list[Row], basis: _Basis) -> list[Fraction]:
    """Return both players' realisation plans by sequence, by exact pivots from a basis."""
    plan, first = _columns(form)
    columns = plan + treeplex_constraints(form, 1).shape[0]
    program = Dictionary(rows, [Fraction(i == 0) for i in range(len(rows))], columns, range(plan, columns), first, plan)
    program.start([*basis.columns, *(columns + i for i in basis.loose)])
    program.solve()
    values = program.values()
    plans = [values.get(j, Fraction(0)) for j in range(plan)]
    return plans + [-program.profit.get(columns + i, Fraction(0)) for i in range(first, len(rows))]


def _check_plan(form: SequenceForm, plans: list[Fraction], player: int) -> None:
    """Raise SolverError unless a player's part of `plans` is exactly a realisation plan."""
    matrix, first = treeplex_constraints(form, player), int(form.span[player])
    sums = [Fraction(0)] * matrix.shape[0]
    for i, j, value in _entries(matrix):
        sums[i] += value * plans[first + j]
    if sums != [1] + [0] * (len(sums) - 1) or min(plans[first : int(form.span[player + 1])]) < 0:
        raise SolverError("the plans are not feasible in exact arithmetic.")


def _best(form: SequenceForm, payoffs: _Payoffs, plans: list[Fraction], player: int) -> Fraction:
    """Return player 0's payoff if `player` plays a best response to the opponent's plan."""
    utility, choose = [Fraction(0)] * form.sequences, max if player == 0 else min
    for pair, value in payoffs.items():
        utility[pair[player]] += value * plans[pair[1 - player]]
    for group in range(int(form.group_span[player + 1]) - 1, int(form.group_span[player]) - 1, -1):
        first, m, k, base = form.groups[group].tolist()
        for j in range(m):
            utility[form.parent[first + j]] += choose(utility[base + a * m + j] for a in range(k))
    return utility[int(form.span[player])]


def _strategy(tree: Tree, form: SequenceForm, plans: list[Fraction], number: int) -> dict[Label, Fraction]:
    """Return the probabilities at an infoset; uniform if the plan does not reach it."""
    rows = form.sequence[tree.rows_of(number)]
    weights = [plans[row] for row in rows.tolist()]
    total = sum(weights, Fraction(0))
    shares = [weight / total if total else Fraction(1, len(weights)) for weight in weights]
    return dict(zip(tree.labels(number), shares, strict=True))


def solve_sparse(rows: list[Row], right: list[Fraction]) -> Row:
    """Solve a square sparse system exactly; pivot on the shortest row and its rarest column.

    Markowitz 1957.
    """
    rows, right = [dict(row) for row in rows], list(right)
    users: dict[int, set[int]] = defaultdict(set)
    for i, row in enumerate(rows):
        for j in row:
            users[j].add(i)
    open_rows, solved = set(range(len(rows))), []
    while open_rows:
        pivot = min(open_rows, key=lambda i: len(rows[i]))
        if not rows[pivot]:
            raise SolverError("the basis is singular in exact arithmetic.")
        column = min(rows[pivot], key=lambda j: len(users[j]))
        open_rows.discard(pivot)
        _eliminate(rows, right, users, pivot, column)
        solved.append((pivot, column))
    values: Row = {}
    for pivot, column in reversed(solved):
        rest = sum((value * values[j] for j, value in rows[pivot].items() if j != column), Fraction(0))
        values[column] = (right[pivot] - rest) / rows[pivot][column]
    return values


def _eliminate(rows: list[Row], right: list[Fraction], users: dict[int, set[int]], pivot: int, column: int) -> None:
    """Eliminate the pivot's column from all open rows; `users` lists the open rows of each column."""
    source = rows[pivot]
    for j in source:
        users[j].discard(pivot)
    for i in list(users[column]):
        factor = rows[i][column] / source[column]
        right[i] -= factor * right[pivot]
        for j, value in source.items():
            new = rows[i].get(j, 0) - factor * value
            if new and j != column:
                rows[i][j] = new
                users[j].add(i)
            else:
                rows[i].pop(j, None)
                users[j].discard(i)
