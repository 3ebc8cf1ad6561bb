"""Ranges of each probability over all equilibria of a two-player constant-sum game.

The equilibria are X* x Y*, where X* are the plans of player 0 that guarantee the value: E x = e, x >= 0, F' v <= A' x,
v_0 = value. Two linear programs from a warm basis give the least and the largest x(sigma). The range of a probability
x(I, a) / x(p(I)) is that of a linear fraction (Dinkelbach 1967): maximise x(I, a) - r x(p(I)) until it is 0.

In floats, a bound v_0 >= value - 1e-9 alone would admit sequences that cost little: on Leduc poker, 182 of the 310
fixed sequences would get ranges wider than 1e-6. So X* are the plans that are complementary to one optimal dual
solution: sequences with a positive reduced cost are not played, and replies with a positive price are best.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from tefuda.errors import GameError, SizeError, SolverError, check_range
from tefuda.evaluating.profile import check_player
from tefuda.forms.sequence import SequenceForm, sequence_form
from tefuda.forms.tree import Tree
from tefuda.solvers.exact.lp import (
    Program,
    open_highs,
    plan_program,
    require_two_player_constant_sum,
    run_highs,
    run_opened,
    treeplex_constraints,
)
from tefuda.solvers.exact.pivots import Row, Tableau
from tefuda.solvers.exact.rational import Payoffs, program_rows, simple_payoffs
from tefuda.views import Displayable, short_repr
from tefuda.workers import ProgressFunction

Range = tuple[Any, Any]
_EXACT = 150  # sequences of both players up to which ranges are fractions
_MOST = 20_000  # sequences of a player
_SECONDS = 3e-6  # per square of a player's sequences; of liar's dice, where most programs take many pivots
_ROUND_OFF = 1e-9  # of the value and of reduced costs in floats, in units of the form
_SAME = 1e-6  # difference of probabilities that counts as none in floats


@dataclass(frozen=True, eq=False)
class Ranges(Displayable):
    """Least and largest probabilities of a player's actions over all equilibria.

    ``ranges[infoset, action]`` is None at an infoset that the player reaches in no equilibrium.
    Equilibria attain both ends, which are fractions if `exact`. If not `complete`, the time limit passed: the ranges
    may be wider, but not narrower.

    Attributes:
        tree: the game.
        player: the player.
        value: value of the game to the player.
        plans: least and largest realisation probability of each of the player's sequences.
        probabilities: ranges by infoset name and action.
        exact: whether numbers are fractions.
        complete: whether all programs were solved.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> low, high = td.solvers.ranges(tree, 0)["0: J|", "b"]
    >>> print(low, high)
    0 1/3
    """

    tree: Tree
    player: int
    value: Any
    plans: np.ndarray  # [2, sequences]
    probabilities: dict[tuple[str, Hashable], Range | None] = field(repr=False)
    exact: bool
    complete: bool

    __repr__ = short_repr

    def __getitem__(self, key: tuple[str, Hashable]) -> Range | None:
        return self.probabilities[key]

    @property
    def _same(self) -> float:
        return 0.0 if self.exact else _SAME

    @property
    def fixed(self) -> int | None:
        """Number of sequences with one probability in all equilibria, with the empty one; None if unknown."""
        return int((self.plans[1] - self.plans[0] <= self._same).sum()) if self.complete else None

    @property
    def never(self) -> int | None:
        """Number of sequences that no equilibrium plays; None if unknown."""
        return int((self.plans[1] <= self._same).sum()) if self.complete else None

    @property
    def widest(self) -> Any:
        """Largest difference between the ends of a sequence's range."""
        return max((self.plans[1] - self.plans[0]).tolist())

    def summary(self) -> dict[str, Any]:
        """Return the ranges as JSON values, fractions as text."""
        shown = str if self.exact else float
        named: dict[str, dict[str, list[Any] | None]] = {}
        for (name, action), ends in self.probabilities.items():
            named.setdefault(name, {})[str(action)] = None if ends is None else [shown(end) for end in ends]
        return {
            "player": self.player, "value": shown(self.value), "exact": self.exact, "complete": self.complete,
            "sequences": self.plans.shape[1], "fixed": self.fixed, "never": self.never, "widest": shown(self.widest),
            "ranges": named,
        }  # fmt: skip


def ranges(
    tree: Tree,
    player: int,
    *,
    infosets: Sequence[str | tuple[int, Hashable] | int] | None = None,
    exact: bool | None = None,
    slack: float = 0,
    seconds: float | None = None,
    progress: ProgressFunction | None = None,
) -> Ranges:
    """Return the range of each probability of a player over all equilibria.

    Args:
        tree: a game of two players with constant sum.
        player: the player.
        infosets: infosets of the player, by name, (player, key) or number. Default: all of them.
        exact: whether to compute with fractions, from payoffs that are simple fractions or binary ones. Default: up
            to 150 sequences of both players together.
        slack: loss of value that plans may have; 0 for equilibria.
        seconds: time limit.
        progress: function that is called with the number of sequences done and their total.

    Raises:
        GameError: the game has more than two players, or no constant sum; an infoset belongs to the opponent.
        SizeError: all infosets of a player with more than 20,000 sequences are asked for.
        ParameterError: the player does not exist, or the time limit or the slack is negative.
    """
    require_two_player_constant_sum(tree, "ranges over all equilibria", cure="equilibria of tables: solvers.equilibria")
    check_player(tree, player)
    if seconds is not None:
        check_range("seconds", seconds, 0, whole=False)
    check_range("slack", slack, 0, whole=False)
    until = float("inf") if seconds is None else time.monotonic() + seconds
    form = sequence_form(tree)
    numbers = tree.infosets_of(player).tolist() if infosets is None else [tree.number(name) for name in infosets]
    if foreign := [number for number in numbers if tree.infoset_player[number] != player]:
        raise GameError(f"the infoset {tree.name_of(foreign[0])!r} is not one of player {player}.")
    own = int(form.span[player + 1] - form.span[player])
    if infosets is None and own > _MOST:
        raise SizeError(
            f"player {player} of {tree.name} has {own:,} sequences: ranges of all of them would take about "
            f"{_SECONDS * own**2 / 3600:,.1f} hours (limit: {_MOST:,} sequences). Name the infosets."
        )
    exact = form.sequences <= _EXACT if exact is None else exact
    face = ExactFace(form, player, slack) if exact else _FloatFace(form, player, slack)
    extremes = _Extremes(form, player, face, until, progress)
    found = extremes.probabilities([(number, form.sequence[tree.rows_of(number)]) for number in numbers])
    named = {
        (tree.name_of(number), action): ends
        for number, each in found.items()
        for action, ends in zip(tree.labels(number), each, strict=True)
    }
    plans = np.array([extremes.low, extremes.high])
    return Ranges(tree, player, face.value, plans, named, exact, extremes.complete)


class _FloatFace:
    """The plans that guarantee the value minus a slack, by HiGHS."""

    same = _SAME

    def __init__(self, form: SequenceForm, player: int, slack: float = 0) -> None:
        tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
        best = plan_program(form, player)
        solved = run_highs(best, solver="simplex", **tight)
        self.value = -solved.getInfo().objective_function_value * best.scale
        lost = max(slack, _ROUND_OFF * form.scale)
        program = plan_program(form, player, weight=0.0, floor=self.value - lost)
        if not slack:
            _keep_complementary(program, solved.getSolution())
        # The last plan stays feasible when the objective changes, so the primal simplex method starts from it.
        self._highs = open_highs(program, simplex_strategy=4, presolve="off", **tight)
        self._plan, self._set = program.plan, list[int]()

    def maximise(self, objective: Row) -> np.ndarray:
        """Return an optimal plan with the largest objective' x."""
        for column in self._set:
            self._highs.changeColCost(column, 0.0)
        for column, number in objective.items():
            self._highs.changeColCost(column, -float(number))
        self._set = list(objective)
        run_opened(self._highs)
        return np.clip(np.array(self._highs.getSolution().col_value[: self._plan]), 0.0, 1.0)


def _keep_complementary(program: Program, solution: Any) -> None:
    """Restrict a program to the plans that are complementary to an optimal solution: all optimal ones."""
    model, plan, first = program.model, program.plan, program.constraints
    upper, lower = np.array(model.col_upper_), np.array(model.row_lower_)
    upper[:plan][np.array(solution.col_dual[:plan]) > _ROUND_OFF] = 0.0
    lower[first:][-np.array(solution.row_dual[first:]) > _ROUND_OFF] = 0.0
    model.col_upper_, model.row_lower_ = upper, lower


class ExactFace:
    """The plans that guarantee the value minus a slack, in fractions."""

    same = 0.0

    def __init__(
        self,
        form: SequenceForm,
        player: int,
        slack: float = 0,
        payoffs: Payoffs | None = None,
        until: float = float("inf"),
    ) -> None:
        payoffs = payoffs or simple_payoffs(form)
        rows = program_rows(form, payoffs, player)
        equations, self._plan = treeplex_constraints(form, player).shape
        columns = self._plan + treeplex_constraints(form, 1 - player).shape[0]
        right, free = [Fraction(i == 0) for i in range(len(rows))], range(self._plan, columns)
        program = Tableau(rows, right, columns, free, equations, {self._plan: Fraction(1)}, until)
        program.start([])
        program.solve()
        self.value = program.values()[self._plan]
        basis = program.basic
        face = [*rows, {self._plan: Fraction(-1)}]
        self._program = Tableau(face, [*right, Fraction(slack) - self.value], columns, free, equations, until=until)
        self._program.start([*basis, columns + len(rows)])

    def maximise(self, objective: Row) -> np.ndarray:
        self._program.aim(objective)
        self._program.solve()
        values = self._program.values()
        return np.array([values.get(j, Fraction(0)) for j in range(self._plan)], dtype=object)


class _Extremes:
    """The least and largest probabilities of the optimal plans so far; a plan may improve several.

    Attributes:
        low, high: `[sequences]` realisation probabilities.
        complete: whether no program was left out.
    """

    def __init__(
        self,
        form: SequenceForm,
        player: int,
        face: _FloatFace | ExactFace,
        until: float,
        progress: ProgressFunction | None,
    ) -> None:
        self.face, self.until, self.progress, self.complete = face, until, progress, True
        self._first, groups = int(form.span[player]), form.groups_of(player)
        self._small = 1e3 * face.same  # smaller probabilities of a plan give no ratio in floats
        first = face.maximise({0: Fraction(1)})
        self.low, self.high = first.copy(), first.copy()
        self._parent = np.zeros(len(first), dtype=np.int64)
        for parents, actions in groups:
            self._parent[actions] = parents
        self._least, self._largest = np.full_like(first, 2), np.full_like(first, -1)  # a share is within 0 and 1
        self._see(first)

    def _see(self, plan: np.ndarray) -> None:
        self.low, self.high = np.minimum(self.low, plan), np.maximum(self.high, plan)
        reached = plan[self._parent] > self._small
        shares = plan[reached] / plan[self._parent[reached]]
        self._least[reached] = np.minimum(self._least[reached], shares)
        self._largest[reached] = np.maximum(self._largest[reached], shares)

    def _maximise(self, objective: Row) -> np.ndarray | None:
        """Return an optimal plan; None after the time limit."""
        if time.monotonic() > self.until:
            self.complete = False
            return None
        plan = self.face.maximise(objective)
        self._see(plan)
        return plan

    def probabilities(self, infosets: Sequence[tuple[int, np.ndarray]]) -> dict[int, list[Range | None]]:
        """Return the ranges at infosets, given by number and sequences."""
        own = {number: (sequences - self._first).tolist() for number, sequences in infosets}
        parents = {number: int(self._parent[sequences[0]]) for number, sequences in own.items()}
        wanted = {q for sequences in own.values() for q in sequences}
        for q in [*wanted]:
            while q:
                q = int(self._parent[q])
                wanted.add(q)
        for done, q in enumerate(sorted(wanted)):
            self._bound(q)
            if self.progress is not None:
                self.progress(done + 1, len(wanted))
        return {number: [self._share(q, parents[number]) for q in sequences] for number, sequences in own.items()}

    def _bound(self, q: int) -> None:
        """Find the least and the largest probability of a sequence; parents come before their sequences."""
        if self.low[q] > self.face.same:
            self._maximise({q: Fraction(-1)})
        if q and self.high[q] < self.high[self._parent[q]] - self.face.same:
            self._maximise({q: Fraction(1)})

    def _share(self, q: int, parent: int) -> Range | None:
        """Return the range of the probability of an action."""
        if self.high[parent] <= self._small:
            return None
        if self.high[parent] - self.low[parent] <= self.face.same:
            return self.low[q] / self.high[parent], min(self.high[q] / self.high[parent], 1)
        return -self._largest_share(q, parent, -1), self._largest_share(q, parent, 1)

    def _largest_share(self, q: int, parent: int, sign: int) -> Any:
        """Return the largest sign * x(q) / x(parent), by programs whose plans have larger and larger shares."""
        if self._largest[q] < 0:
            self._maximise({parent: Fraction(1)})
        while True:
            share = self._largest[q] if sign > 0 else self._least[q]
            if share < 0 or (share >= 1 - self.face.same if sign > 0 else share <= self.face.same):
                break
            plan = self._maximise({q: Fraction(sign), parent: -sign * share})
            if plan is None or sign * (plan[q] - share * plan[parent]) <= self.face.same * self._small:
                break
            if share == (self._largest[q] if sign > 0 else self._least[q]):
                break
        if not 0 <= share <= 1 + self.face.same:
            raise SolverError("a plan that reaches an infoset was lost to round-off; compute with exact=True.")
        return sign * share
