"""Exact equilibria of small games, in rational numbers with a certificate.

HiGHS gives the tight rows and the basic columns of the sequence-form program. Their linear systems are solved in
fractions, with the numbers of the rules. Exact best responses to both plans then bound the value from above and below;
the solution is exact if the bounds are equal. If the basis fails, for example because payoffs differ too much in size
for floats, exact pivots continue from it.

Of the many equilibria, some play nonsense after a mistake. A quasi-perfect one (van Damme 1984) is the limit of
equilibria in which both plans have bounds x(sigma) >= eps^(number of own actions in sigma) (Miltersen and Sorensen
2010, "Computing a quasi-perfect equilibrium of a two-player game"). Only right-hand sides and the objective contain
eps, so a basis gives plans that are polynomials in eps, and the same certificate holds for all small eps > 0.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from tefuda.errors import GameError, SolverError, check_choice, check_range
from tefuda.evaluating.profile import Profile
from tefuda.forms.compile import compile_game
from tefuda.forms.sequence import SequenceForm, sequence_form
from tefuda.forms.tree import Tree
from tefuda.games.answers import Rounded, exact_number
from tefuda.games.protocol import CHANCE, TERMINAL, Game, Label, infoset_name
from tefuda.solvers.exact.lp import (
    PlanParts,
    Program,
    basic_numbers,
    payoff_matrix,
    plan_parts,
    plan_program,
    require_two_players,
    run_highs,
    treeplex_constraints,
)
from tefuda.solvers.exact.pivots import Numbers, Row, Tableau, solve_sparse
from tefuda.solvers.exact.polynomials import Polynomial
from tefuda.views import Displayable, short_repr

#: Payoffs of player 0 by the sequences of both players, times chance probability.
Payoffs = dict[tuple[int, int], Fraction]
#: Values of sequences: fractions, or polynomials in eps.
_Plans = list[Any]
REFINEMENTS = ("quasi", "none")


@dataclass(frozen=True, eq=False)
class ExactSolution(Displayable):
    """An equilibrium in rational numbers.

    Attributes:
        tree: the game.
        strategies: probabilities by infoset name and action.
        values: values of both players.
        lower: least payoff of player 0 with its strategy.
        upper: largest payoff of player 0 against player 1's strategy. It equals `lower`, which is the certificate.
        polynomial: player 0's value in the game with trembles of size eps, equal for both exact best responses; None
            without a refinement.
        reason: the cause if a refinement was sought and not found; else "".

    >>> solution = td.exact_solution(td.load_game("kuhn"))
    >>> solution.certified, str(solution.values[0])
    (True, '-1/18')
    """

    tree: Tree
    strategies: dict[str, dict[Label, Fraction]]
    values: tuple[Fraction, Fraction]
    lower: Fraction
    upper: Fraction
    polynomial: Polynomial | None = None
    reason: str = ""

    __repr__ = short_repr

    @property
    def refined(self) -> bool:
        """True if the strategies are certified to be quasi-perfect: no infoset plays a dominated action."""
        return self.polynomial is not None

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
            "refined": self.refined,
            "polynomial": None if self.polynomial is None else list(map(str, self.polynomial.coefficients)),
            "reason": self.reason,
            "values": values,
            "values_float": [float(value) for value in self.values],
            "profile": named,
        }


def exact_solution(game: Game, refine: str = "quasi", seconds: float = 10) -> ExactSolution:
    """Return an equilibrium of a small two-player constant-sum game in rational numbers.

    Args:
        game: the rules, with integers of any size, fractions, and floats, which count as their shortest decimals: 0.1
            is 1/10. Probabilities must sum to exactly 1, and payoffs to one number.
        refine: ``"quasi"``: a quasi-perfect equilibrium, which is sensible at every infoset. If none is found, the
            solution is any equilibrium, `refined` is False, and `reason` names the cause. ``"none"``: any equilibrium.
        seconds: time limit of the refinement.

    Raises:
        GameError: the game has more than two players or no constant sum, or probabilities do not sum to 1.
        ParameterError: an unknown refinement, or a negative time limit.
        SolverError: no equilibrium was found.

    >>> solution = td.exact_solution(td.load_game("kuhn"))
    >>> print(solution.values[0], "with trembles:", solution.polynomial)
    -1/18 with trembles: -1/18 + (7/18) eps - (1/3) eps^3
    """
    check_choice("refine", refine, REFINEMENTS)
    check_range("seconds", seconds, 0, whole=False)
    tree = replace(compile_game(Rounded(game), cache=False), game=game)
    require_two_players(tree, "an exact solution")
    form = sequence_form(tree)
    payoffs, total = exact_payoffs(game, tree, form)
    value, reason = None, ""
    if refine == "quasi":
        try:
            plans, value = quasi_perfect_plans(form, payoffs, seconds)
        except SolverError as error:
            reason = str(error)
    if value is None:
        plans, lower, upper = _equilibrium(form, payoffs)
    else:
        _, lower, upper = _certified(form, payoffs, [plan.coefficient(0) for plan in plans], no_floors(form))
    strategies = {
        tree.name_of(number): dict(zip(tree.labels(number), shares_at(tree, form, plans, number), strict=True))
        for number in range(tree.infosets)
    }
    return ExactSolution(tree, strategies, (lower, total - lower), lower, upper, value, reason)


def exact_payoffs(game: Game, tree: Tree, form: SequenceForm) -> tuple[Payoffs, Fraction]:
    """Return player 0's payoffs by the sequences of both players, and the sum of both players' payoffs.

    Floats count as their shortest decimals, or as binary fractions if sums are right only with these, such as those of
    0.7 and 1 - 0.7.
    """
    try:
        return _summed_payoffs(game, tree, form, exact_number)
    except GameError:
        return _summed_payoffs(game, tree, form, binary_fraction)


_LARGEST = 10**6  # denominator of a fraction that a payoff in floats may be


def simple_payoffs(form: SequenceForm) -> Payoffs:
    """Return player 0's payoffs by sequences, as simple fractions where the floats are close to them."""
    matrix, (first, other) = payoff_matrix(form), form.span[:2].tolist()
    entries = zip(matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist(), strict=True)
    return {(first + i, other + j): simple_fraction(value) for i, j, value in entries}


def simple_fraction(value: float) -> Fraction:
    """Return a number as a simple fraction if it is close to one, else with all its binary digits."""
    simple = Fraction(value).limit_denominator(_LARGEST)
    return simple if abs(simple - Fraction(value)) <= abs(value) * 1e-14 else Fraction(value)


def binary_fraction(number: Any) -> Fraction:
    """Return a number as a fraction; a float has all its binary digits."""
    return Fraction(number if isinstance(number, Rational) else float(number))


def _summed_payoffs(
    game: Game, tree: Tree, form: SequenceForm, exact: Callable[[Any], Fraction]
) -> tuple[Payoffs, Fraction]:
    """Return the results of `exact_payoffs`, with the numbers of the rules as `exact` fractions."""
    payoffs: Payoffs = defaultdict(Fraction)
    sums: set[Fraction] = set()
    for last, reach, amounts in exact_ends(game, tree, form, exact):
        sums.add(sum(amounts, Fraction(0)))
        payoffs[last[0], last[1]] += reach * amounts[0]
    if len(sums) != 1:
        raise GameError(f"{game.name}: payoffs must have an exactly constant sum, got {sorted(sums)[:3]}.")
    return {pair: value for pair, value in payoffs.items() if value}, sums.pop()


def exact_ends(
    game: Game, tree: Tree, form: SequenceForm, exact: Callable[[Any], Fraction]
) -> Iterator[tuple[tuple[int, ...], Fraction, list[Fraction]]]:
    """Yield the sequences of all players, the probability of chance's moves and the payoffs of each end.

    Raises:
        GameError: probabilities do not sum to 1.
    """
    stack = [(game.root(), Fraction(1), tuple(form.span[:-1].tolist()))]
    while stack:
        state, reach, last = stack.pop()
        mover = game.player(state)
        if mover == TERMINAL:
            yield last, reach, list(map(exact, game.payoffs(state)))
        elif mover == CHANCE:
            outcomes = [(label, exact(chance)) for label, chance in game.chances(state)]
            if sum(chance for _, chance in outcomes) != 1:
                raise GameError(f"{game.name}: probabilities must sum to exactly 1, got {outcomes}; use Fractions.")
            stack += [(game.child(state, label), reach * chance, last) for label, chance in outcomes]
        else:
            first = tree.first_row[tree.numbers[mover, game.view(state, mover)]]
            for index, action in enumerate(game.actions(state)):
                own = int(form.sequence[first + index])
                stack.append((game.child(state, action), reach, (*last[:mover], own, *last[mover + 1 :])))


def _entries(matrix: Any) -> Iterator[tuple[int, int, int]]:
    """Return row, column and value of the entries of an integer matrix."""
    return zip(matrix.row.tolist(), matrix.col.tolist(), map(int, matrix.data.tolist()), strict=True)


def program_rows(form: SequenceForm, payoffs: Payoffs, player: int = 0) -> list[Row]:
    """Return the rows of `lp.plan_program` in exact numbers; payoffs: those of player 0."""
    own, other = treeplex_constraints(form, player), treeplex_constraints(form, 1 - player)
    rows: list[Row] = [{} for _ in range(own.shape[0] + other.shape[1])]
    for i, j, number in _entries(own):
        rows[i][j] = Fraction(number)
    for i, j, number in _entries(other):
        rows[own.shape[0] + j][own.shape[1] + i] = Fraction(number)
    for pair, value in payoffs.items():
        sequence, reply = (pair[p] - int(form.span[p]) for p in (player, 1 - player))
        rows[own.shape[0] + reply][sequence] = value if player else -value
    return rows


@dataclass(frozen=True)
class _Basis:
    """A basis of the program: the numbers of its columns, and of its rows that are not tight."""

    columns: list[int]
    loose: list[int]


def no_floors(form: SequenceForm) -> _Plans:
    """Return lower bounds of 0 for all sequences."""
    return [Fraction(0)] * form.sequences


def quasi_perfect_floors(form: SequenceForm) -> _Plans:
    """Return eps^(number of the player's actions) for each sequence, and 0 for empty sequences."""
    depth = np.zeros(form.sequences, dtype=np.int64)
    for parents, actions in form.groups_of(None):
        depth[actions] = depth[parents] + 1
    return [Polynomial([0] * power + [1]) if power else Polynomial() for power in depth.tolist()]


def _equilibrium(form: SequenceForm, payoffs: Payoffs) -> tuple[_Plans, Fraction, Fraction]:
    """Return both players' realisation plans by sequence, and the equal bounds by best responses to them."""
    rows, basis, floors = program_rows(form, payoffs), _proposed_basis(form, payoffs), no_floors(form)
    try:
        return _certified(form, payoffs, _solve_basis(form, rows, basis, floors), floors)
    except SolverError:
        return _certified(form, payoffs, _pivot(form, rows, basis, floors), floors)


_SIZES = 0.03, 0.01, 0.1  # of trembles at which floats propose a basis; below, floors are lost in round-off
_MOST_SEQUENCES = 2_000  # exact pivots from a basis of a larger game do not end within minutes


def quasi_perfect_plans(
    form: SequenceForm, payoffs: Payoffs, seconds: float | None = None
) -> tuple[_Plans, Polynomial]:
    """Return both players' plans by sequence as polynomials in eps, and player 0's value.

    Args:
        form: sequence form.
        payoffs: payoffs in fractions.
        seconds: time limit, with exact pivots if no basis that floats find will do; None: no limit, and no pivots.

    Raises:
        SolverError: no basis was certified.
    """
    until = float("inf") if seconds is None else time.monotonic() + seconds
    rows, floors, basis = program_rows(form, payoffs), quasi_perfect_floors(form), _Basis([], [])
    for size in _SIZES:
        if time.monotonic() > until:
            raise SolverError(f"no quasi-perfect equilibrium was certified within {seconds:g} s.")
        proposed = _proposed_basis(form, payoffs, [float(size**floor.order * bool(floor)) for floor in floors])
        if not proposed.columns:
            continue
        basis = basis if basis.columns else proposed
        try:
            plans, lower, _ = _certified(form, payoffs, _solve_basis(form, rows, proposed, floors), floors)
            return plans, Polynomial.of(lower)
        except SolverError:
            continue
    if seconds is None:
        raise SolverError("no basis found in floats is quasi-perfect.")
    if form.sequences > _MOST_SEQUENCES:
        raise SolverError(
            f"no basis found in floats is quasi-perfect, and {form.sequences:,} sequences are too many for exact "
            f"pivots (at most {_MOST_SEQUENCES})."
        )
    plans, lower, _ = _certified(form, payoffs, _pivot(form, rows, basis, floors, until), floors)
    return plans, Polynomial.of(lower)


def _certified(form: SequenceForm, payoffs: Payoffs, plans: _Plans, floors: _Plans) -> tuple[_Plans, Any, Any]:
    """Return plans with player 0's bounds; raise SolverError unless they are plans and the bounds equal."""
    for player in (0, 1):
        _check_plan(form, plans, player, floors)
    lower, upper = (best_value(form, payoffs, plans, player, floors) for player in (1, 0))
    if lower != upper:
        raise SolverError(f"the plans are not optimal: the value is between {lower} and {upper}.")
    return plans, lower, upper


def _proposed_basis(form: SequenceForm, payoffs: Payoffs, floors: Sequence[float] = ()) -> _Basis:
    """Return the basis that HiGHS finds in floats with these floors; an empty one if it finds none.

    Rows of small payoffs are multiplied by powers of two, so that HiGHS does not take them for 0.
    """
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
    program = plan_program(form, parts=scaled)
    if floors:
        _set_floors(program, PlanParts(parts.own, matrix, parts.chosen, parts.led_to), np.array(floors))
    try:
        tight = {f"{part}_feasibility_tolerance": _TOLERANCE for part in ("primal", "dual")} if floors else {}
        basis = run_highs(program, solver="simplex", **tight).getBasis()
    except SolverError:
        return _Basis([], [])
    return _Basis(*map(basic_numbers, (basis.col_status, basis.row_status)))


_TOLERANCE = 1e-10  # the smallest that HiGHS accepts
_SMALL = 20  # rows whose payoffs are below 2^-20 of the largest are scaled, by up to 2^40


def _set_floors(program: Program, parts: PlanParts, floors: np.ndarray) -> None:
    """Bound both plans by `floors` `[Q]`: those of player 1 are costs of the slacks of its rows."""
    model, plan = program.model, program.plan
    lower = np.array(model.col_lower_)
    lower[:plan] = floors[:plan]
    model.col_lower_ = lower
    slacks = floors[plan:] @ parts.matrix()[program.constraints :]
    model.col_cost_ = np.array(model.col_cost_) + slacks


def _right(form: SequenceForm, rows: list[Row], floors: _Plans) -> list[Any]:
    """Return the right-hand sides of the rows for plans minus their floors."""
    bounds = {j: floor for j, floor in enumerate(floors[: _columns(form)[0]]) if floor}
    return [
        Fraction(i == 0) - sum((value * bounds[j] for j, value in row.items() if j in bounds), Fraction(0))
        for i, row in enumerate(rows)
    ]


def _profit(form: SequenceForm, rows: list[Row], floors: _Plans) -> Numbers:
    """Return the objective: the value, plus the slack of each of player 1's rows times its floor."""
    plan, first = _columns(form)
    profit: Numbers = {plan: Fraction(1)}
    for row, floor in zip(rows[first:], floors[plan:], strict=True):
        if floor:
            for j, value in row.items():
                profit[j] = profit.get(j, Fraction(0)) - value * floor
    return profit


def _solve_basis(form: SequenceForm, rows: list[Row], basis: _Basis, floors: _Plans) -> _Plans:
    """Return both players' realisation plans by sequence, from an optimal basis."""
    plan, first = _columns(form)
    columns, loose = set(basis.columns), set(basis.loose)
    tight, right, profit = (
        [i for i in range(len(rows)) if i not in loose], _right(form, rows, floors), _profit(form, rows, floors),
    )  # fmt: skip
    system = [{j: value for j, value in rows[i].items() if j in columns} for i in tight]
    primal = solve_sparse(system, [right[i] for i in tight])
    transposed: dict[int, Row] = {j: {} for j in columns}
    for i, row in zip(tight, system, strict=True):
        for j, value in row.items():
            transposed[j][i] = value
    dual = solve_sparse(list(transposed.values()), [profit.get(j, Fraction(0)) for j in transposed])
    above = [primal.get(j, Fraction(0)) for j in range(plan)]
    above += [dual.get(i, Fraction(0)) for i in range(first, len(rows))]
    return [floor + more for floor, more in zip(floors, above, strict=True)]


def _columns(form: SequenceForm) -> tuple[int, int]:
    """Return the number of player 0's sequences, and of its constraints."""
    constraints, plan = treeplex_constraints(form, 0).shape
    return plan, constraints


def _pivot(form: SequenceForm, rows: list[Row], basis: _Basis, floors: _Plans, until: float = float("inf")) -> _Plans:
    """Return both players' realisation plans by sequence, by exact pivots from a basis."""
    plan, first = _columns(form)
    columns = plan + treeplex_constraints(form, 1).shape[0]
    right, profit = _right(form, rows, floors), _profit(form, rows, floors)
    program = Tableau(rows, right, columns, range(plan, columns), first, profit, until)
    program.start([*basis.columns, *(columns + i for i in basis.loose)])
    program.solve()
    values, prices = program.values(), program.prices()
    above = [values.get(j, Fraction(0)) for j in range(plan)]
    above += [-prices.get(columns + i, Fraction(0)) for i in range(first, len(rows))]
    return [floor + more for floor, more in zip(floors, above, strict=True)]


def _check_plan(form: SequenceForm, plans: _Plans, player: int, floors: _Plans) -> None:
    """Raise SolverError unless a player's part of `plans` is exactly a realisation plan, above the floors."""
    matrix, own = treeplex_constraints(form, player), form.own(player)
    sums: list[Any] = [Fraction(0)] * matrix.shape[0]
    for i, j, value in _entries(matrix):
        sums[i] += value * plans[own.start + j]
    low = any(plan < floor for plan, floor in zip(plans[own], floors[own], strict=True))
    if sums != [1] + [0] * (len(sums) - 1) or low:
        raise SolverError("the plans are not feasible in exact arithmetic.")


def best_value(form: SequenceForm, payoffs: Payoffs, plans: _Plans, player: int, floors: _Plans) -> Any:
    """Return player 0's payoff if `player` plays a best response above the floors.

    The response is the floors, plus the best action for the probability that they leave at each infoset.
    """
    utility: list[Any] = [Fraction(0)] * form.sequences
    choose = max if player == 0 else min
    for pair, value in payoffs.items():
        utility[pair[player]] += value * plans[pair[1 - player]]
    own = form.own(player)
    best = sum((floors[q] * utility[q] for q in range(own.start, own.stop) if floors[q]), Fraction(0))
    for group in range(int(form.group_span[player + 1]) - 1, int(form.group_span[player]) - 1, -1):
        first, m, k, base = form.groups[group].tolist()
        for j in range(m):
            parent, sequences = int(form.parent[first + j]), range(base + j, base + j + k * m, m)
            value = choose(utility[q] for q in sequences)
            utility[parent] += value
            if left := floors[parent] - sum((floors[q] for q in sequences), Fraction(0)):
                best += left * value
    return best + utility[own.start]


def shares_at(tree: Tree, form: SequenceForm, plans: _Plans, number: int) -> list[Fraction]:
    """Return the probabilities at an infoset, for eps towards 0; uniform if the plan does not reach it."""
    plan = [Polynomial.of(plans[sequence]) for sequence in form.sequence[tree.rows_of(number)].tolist()]
    order = sum(plan, Polynomial()).order
    weights = [each.coefficient(order) for each in plan]
    total = sum(weights, Fraction(0))
    return [weight / total if total else Fraction(1, len(weights)) for weight in weights]
