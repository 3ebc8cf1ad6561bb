"""Evaluators: evaluators of a solver's answer while it runs, with a figure, its unit and an interval.

`NashConv` is exact and for compiled games; `NoEvaluation` gives no figure. Evaluators that play or learn are
`playing.head_to_head.HeadToHead` and `exploiting.bounds.LearnedResponse`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, NamedTuple

from tefuda.errors import ParameterError, RunError, SolverError, check_range, wrong_type
from tefuda.evaluating.profile import Profile
from tefuda.evaluating.values import evaluate
from tefuda.forms.form import Form
from tefuda.forms.tree import Tree
from tefuda.lazy import load_reference
from tefuda.solvers.protocol import Policy, Solver, TablePolicy
from tefuda.solvers.runs.points import AnyPoint, EstimatedPoint, Point
from tefuda.words import non_negative, signed
from tefuda.workers import ProgressFunction


class Evaluation(NamedTuple):
    """An evaluator's evaluation of a solver.

    iterate: the strategy that was evaluated: ``"average"``, ``"current"``, or ``"uniform"`` before there is an average.
    strategy: a `Profile` of a tree, else a `Policy`. figure: in the evaluator's unit, between low and high; nan if
    nothing was evaluated. values: `[P]`, where the evaluator knows them. average, current: the figures of both
    strategies, where both were evaluated.

    >>> solver = td.make_solver(td.compile_game(td.load_game("kuhn")), "cfr+")
    >>> isinstance(evaluation := td.NashConv().evaluate(solver), td.Evaluation), evaluation.iterate
    (True, 'current')
    """

    iterate: str
    strategy: Any
    figure: float = math.nan
    low: float = math.nan
    high: float = math.nan
    values: tuple[float, ...] = ()
    average: float = math.nan
    current: float = math.nan


@dataclass(frozen=True)
class Evaluator(ABC):
    """The base of evaluators; fields are their settings.

    name: on the command line and in files. title, unit: of the figure. falls: whether less is better. points: class of
    the curve's points. growth: factor by which iterations grow from point to point, without a goal for the figure and
    with one. first: iteration of the first point. step: least number of iterations between points. exact: whether it is
    exact and fast, so that a run that is loaded is evaluated anew.

    >>> [evaluator.title for evaluator in (td.NashConv(), td.NoEvaluation())]
    ['NashConv', 'nothing']
    """

    name = ""
    title = ""
    unit = "the game's unit per game"
    falls = True
    points: ClassVar[type[Point] | type[EstimatedPoint]] = EstimatedPoint
    growth = (2.0, 1.5)
    first = 1
    step = 1
    exact = False

    @abstractmethod
    def evaluate(self, solver: Solver) -> Evaluation:
        """Evaluate the answer of a solver without changing the solver."""

    def evaluate_unless(self, solver: Solver, interrupted: Callable[[], bool]) -> Evaluation | None:
        """Evaluator like `evaluate`; evaluators that take long return None once `interrupted` returns True."""
        return self.evaluate(solver)

    def check(self, solver: Solver, until: float | None) -> None:
        """Raise ParameterError if this evaluator cannot evaluate a solver, or its figure cannot reach the goal."""
        if until is not None:
            check_range("until", until, -1e300, 1e300, whole=False)

    def point(self, evaluation: Evaluation, iteration: int, seconds: float, nodes: int) -> AnyPoint:
        """Return a evaluation as a point of the curve."""
        return EstimatedPoint(iteration, seconds, evaluation.figure, evaluation.low, evaluation.high, nodes)

    def reached(self, point: AnyPoint, until: float) -> bool:
        """Return True if the whole interval of a figure is as good as wanted."""
        return point.high <= until if self.falls else point.low >= until

    def parameters(self) -> dict[str, Any]:
        """Return everything that defines the evaluator, as JSON values."""
        return {"name": self.name, **asdict(self)}

    def told(self, found: AnyPoint | Evaluation) -> str:
        """Return a figure in words, with its interval."""
        if math.isnan(found.figure):
            return "unevaluated"
        return f"{self.title} {signed(found.figure)} ({signed(found.low)} .. {signed(found.high)})"

    def figures(self, found: Evaluation) -> dict[str, Any]:
        """Return a figure as JSON values with its title and unit; null where nothing was evaluated."""
        numbers = {"value": found.figure, "low": found.low, "high": found.high}
        figures = {name: None if math.isnan(number) else number for name, number in numbers.items()}
        return {"title": self.title, "unit": self.unit, "falls": self.falls, **figures}


class LongEvaluator(Evaluator):
    """An evaluator that takes long and reports its progress, so that it can be interrupted."""

    @abstractmethod
    def evaluate_reporting(self, solver: Solver, progress: ProgressFunction) -> Evaluation:
        """Evaluator like `evaluate`, and call `progress` with what is done and how much there is to do."""

    def evaluate(self, solver: Solver) -> Evaluation:
        """See `Evaluator`."""
        return self.evaluate_reporting(solver, lambda done, of: None)

    def evaluate_unless(self, solver: Solver, interrupted: Callable[[], bool]) -> Evaluation | None:
        """See `Evaluator`."""

        def look(done: int, of: int) -> None:
            if interrupted():
                raise _BrokenOff

        try:
            look(0, 1)
            return self.evaluate_reporting(solver, look)
        except _BrokenOff:
            return None


class _BrokenOff(Exception):
    """An evaluator was interrupted."""


@dataclass(frozen=True)
class NashConv(Evaluator):
    """Evaluators the method's answer exactly, by best responses; both strategies if it is the ``"better"`` of them.

    >>> td.solve(td.load_game("kuhn"), "cfr+", iterations=10, evaluator=td.NashConv()).evaluator.parameters()
    {'name': 'nash-conv'}
    """

    name = "nash-conv"
    title = "NashConv"
    points = Point
    exact = True
    growth = (1.2, 1.05)

    def check(self, solver: Solver, until: float | None) -> None:
        """See `Evaluator`."""
        evaluated_tree(solver, self)
        if until is not None:
            check_range("until", until, 0, whole=False)

    def told(self, found: AnyPoint | Evaluation) -> str:
        """See `Evaluator`: there is no interval."""
        return f"{self.title} {non_negative(found.figure)}"

    def evaluate(self, solver: Solver) -> Evaluation:
        """See `Evaluator`; before there is an average, uniform play is evaluated in its place."""
        tree, answer = evaluated_tree(solver, self), solver.method.answer
        profiles = {"current": solver.current()}
        if averaged(solver):
            profiles["average"] = solver.average()
        elif answer == "average":
            profiles["uniform"] = Profile.uniform(tree)
        evaluated = {name: evaluate(profile) for name, profile in profiles.items()}
        convs = {name: one.nash_conv for name, one in evaluated.items()}
        unwanted = {"average": "current", "current": "average"}.get(answer)
        iterate = min(evaluated.keys() - {unwanted}, key=lambda name: (convs[name], name))
        figure, values = convs[iterate], tuple(evaluated[iterate].values.tolist())
        average = convs.get("average", math.nan)
        return Evaluation(iterate, profiles[iterate], figure, figure, figure, values, average, convs["current"])

    def point(self, evaluation: Evaluation, iteration: int, seconds: float, nodes: int) -> Point:
        """See `Evaluator`."""
        return Point(iteration, seconds, evaluation.figure, evaluation.average, evaluation.current, nodes)


@dataclass(frozen=True)
class NoEvaluation(Evaluator):
    """Evaluators nothing: for games that are too large, and for callers that only want the answer.

    >>> td.solve(td.load_game("kuhn"), "cfr+", iterations=10, evaluator=td.NoEvaluation())
    Solution(kuhn, cfr+, 10 done, unevaluated, finished)
    """

    name = "none"
    title = "nothing"
    unit = ""
    growth = (1.2, 1.2)

    def check(self, solver: Solver, until: float | None) -> None:
        """See `Evaluator`."""
        if until is not None:
            raise ParameterError(
                f"until is {until:g}, but nothing is evaluated; leave it out, or choose an evaluator.",
                key="until",
                value=until,
            )

    def told(self, found: AnyPoint | Evaluation) -> str:
        """See `Evaluator`: there is no figure."""
        return "unevaluated"

    def evaluate(self, solver: Solver) -> Evaluation:
        """See `Evaluator`: the answer without a figure."""
        return Evaluation(*answer_of(solver))


class RecordedEvaluator(Evaluator):
    """An evaluator known from a run.json alone, which cannot evaluator."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        about, recorded = content["figure"], dict(content["evaluator"])
        for name, value in {**about, "name": recorded["name"], "recorded": recorded}.items():
            object.__setattr__(self, name, value)

    def parameters(self) -> dict[str, Any]:
        """See `Evaluator`: as recorded."""
        return dict(vars(self)["recorded"])

    def evaluate(self, solver: Solver) -> Evaluation:
        """Raise SolverError."""
        raise SolverError(
            f"the evaluator {self.name!r} is known from a file alone; give it as evaluator= to evaluate on."
        )


def evaluator_named(content: Mapping[str, Any], form: Form) -> Evaluator | None:
    """Return the evaluator in a run.json, if it is the default of the run's form or one of this module."""
    fields = dict(content["evaluator"])
    kinds = {kind.name: kind for kind in (NashConv, NoEvaluation, load_reference(form.evaluator))}
    if (kind := kinds.get(fields.pop("name"))) is None:
        return None
    try:
        found: Evaluator = kind(**fields)
    except (TypeError, ParameterError) as error:
        raise RunError(f"the run's evaluator {content['evaluator']} cannot be read: {error}") from None
    return found


def require_evaluator(evaluator: Evaluator | None) -> Evaluator | None:
    """Return an evaluator or None; raise ParameterError if something else is given."""
    if evaluator is None or isinstance(evaluator, Evaluator):
        return evaluator
    raise wrong_type("an evaluator, such as td.NashConv() or td.NoEvaluation(),", evaluator)


def evaluated_tree(solver: Solver, evaluator: Evaluator) -> Tree:
    """Return the tree of a solver; raise ParameterError if there is none."""
    if not isinstance(solver.game, Tree):
        raise ParameterError(
            f"evaluator {evaluator.name!r} needs a compiled game, and {solver.game.name} is solved by its rules; "
            "choose evaluator 'none' or a head-to-head."
        )
    return solver.game


def averaged(solver: Solver) -> bool:
    """Return True if an iteration has entered the average."""
    return solver.iterations > int(solver.method.delay)


def answer_of(solver: Solver) -> tuple[str, Profile | Policy]:
    """Return the name of a solver's answer and the answer, without comparing the average with the last iterate."""
    if solver.method.answer != "current" and averaged(solver):
        return "average", solver.average()
    if solver.method.answer == "average":
        return "uniform", Profile.uniform(solver.game) if isinstance(solver.game, Tree) else TablePolicy({})
    return "current", solver.current()
