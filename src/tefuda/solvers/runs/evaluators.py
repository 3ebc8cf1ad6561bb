"""Evaluators of the strategy that a solver reports: a figure with its unit and interval.

`NashConv` evaluates compiled games exactly; `NoEvaluation` gives no figure. `playing.head_to_head.HeadToHead` evaluates
by play, and `exploiting.bounds.LearnedResponse` by learning.
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
from tefuda.forms.rules import RulesForm
from tefuda.forms.sequence import last_rows
from tefuda.forms.tree import Tree
from tefuda.lazy import load_reference
from tefuda.solvers.protocol import Policy, Solver, TablePolicy
from tefuda.solvers.runs.points import AnyPoint, EstimatedPoint, Point
from tefuda.words import non_negative, signed
from tefuda.workers import ProgressFunction

#: Evaluators of rooms below.
_BELOW = (
    "tefuda.correlating.evaluator:CorrelationGap",
    "tefuda.correlating.teams:TeamValue",
    "tefuda.solvers.quantal.method:QuantalResidual",
)


class Evaluation(NamedTuple):
    """The result of evaluating a solver.

    Attributes:
        iterate: name of the reported strategy: ``"average"``, ``"current"``, or ``"uniform"`` before there is an
            average.
        strategy: the reported strategy, a `Profile` of a tree, else a `Policy`.
        figure: figure of the strategy in the evaluator's unit; nan if nothing was evaluated.
        low: lower end of the interval.
        high: upper end of the interval.
        values: values of the players `[P]`, if the evaluator computes them.
        average: figure of the average, if both strategies were evaluated.
        current: figure of the last iterate, if both strategies were evaluated.

    >>> solver = td.make_solver(td.compile_game(td.load_game("kuhn")), "cfr+")
    >>> isinstance(evaluation := td.NashConv().evaluate(solver), td.solvers.Evaluation), evaluation.iterate
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
    """The base class of evaluators; the fields of an evaluator are its settings.

    Attributes:
        name: name on the command line and in files.
        title: title of the figure.
        unit: unit of the figure.
        lower_is_better: whether a lower figure is better.
        point_type: class of the curve's points.
        growth: factor between iterations of the curve's points, without and with a goal for the figure.
        first: iteration of the first point.
        step: least number of iterations between points.
        exact: whether the figure is exact and fast to compute; loading a run then computes it again.
        is_gap: whether the figure is exact and at least 0; it is then described without an interval.
        evaluated: name of the object that is evaluated; "": the reported strategy.

    >>> [evaluator.title for evaluator in (td.NashConv(), td.NoEvaluation())]
    ['NashConv', 'nothing']
    """

    name = ""
    title = ""
    unit = "the game's unit per game"
    lower_is_better = True
    point_type: ClassVar[type[Point] | type[EstimatedPoint]] = EstimatedPoint
    growth = (2.0, 1.5)
    first = 1
    step = 1
    exact = False
    is_gap = False
    evaluated = ""

    @abstractmethod
    def evaluate(self, solver: Solver) -> Evaluation:
        """Evaluate the strategy that a solver reports, without changing the solver."""

    def evaluate_interruptible(self, solver: Solver, interrupted: Callable[[], bool]) -> Evaluation | None:
        """Evaluate like `evaluate`; long evaluations return None once `interrupted` returns True."""
        return self.evaluate(solver)

    def check(self, solver: Solver, until: float | None) -> None:
        """Raise ParameterError if the solver cannot be evaluated, or its figure cannot reach `until`."""
        if until is not None:
            check_range("until", until, 0 if self.is_gap else -1e300, 1e300, whole=False)

    def recording(self, solver: Solver) -> Solver:
        """Return the solver to run: the given one, or one that also records data for the evaluator."""
        return solver

    def point(self, evaluation: Evaluation, iteration: int, seconds: float, nodes: int) -> AnyPoint:
        """Return an evaluation as a point of the curve."""
        return EstimatedPoint(iteration, seconds, evaluation.figure, evaluation.low, evaluation.high, nodes)

    def reached(self, point: AnyPoint, until: float) -> bool:
        """Return True if the whole interval of a point is at least as good as `until`."""
        return point.high <= until if self.lower_is_better else point.low >= until

    def reason(self, until: float) -> str:
        """Return the text of the stop rule `until` once it holds."""
        return f"{self.title} reached {until:g}"

    def parameters(self) -> dict[str, Any]:
        """Return the name and settings of the evaluator, as JSON values."""
        return {"name": self.name, **asdict(self)}

    def describe(self, result: AnyPoint | Evaluation) -> str:
        """Return title, figure and interval of a result as text."""
        if math.isnan(result.figure):
            return "unevaluated"
        if self.is_gap:
            return f"{self.title} {non_negative(result.figure)}"
        return f"{self.title} {signed(result.figure)} ({signed(result.low)} .. {signed(result.high)})"

    def figures(self, evaluation: Evaluation) -> dict[str, Any]:
        """Return the figure and its interval as JSON values with title and unit; nan becomes null."""
        numbers = {"value": evaluation.figure, "low": evaluation.low, "high": evaluation.high}
        figures = {name: None if math.isnan(number) else number for name, number in numbers.items()}
        return {"title": self.title, "unit": self.unit, "lower_is_better": self.lower_is_better, **figures}


class LongEvaluator(Evaluator):
    """An evaluator that takes long, reports its progress and can be interrupted."""

    @abstractmethod
    def evaluate_with_progress(self, solver: Solver, progress: ProgressFunction) -> Evaluation:
        """Evaluate like `evaluate`, and call `progress` with the work done and its total."""

    def evaluate(self, solver: Solver) -> Evaluation:
        return self.evaluate_with_progress(solver, lambda done, total: None)

    def evaluate_interruptible(self, solver: Solver, interrupted: Callable[[], bool]) -> Evaluation | None:
        def check_interrupted(done: int, total: int) -> None:
            if interrupted():
                raise _Interrupted

        try:
            check_interrupted(0, 1)
            return self.evaluate_with_progress(solver, check_interrupted)
        except _Interrupted:
            return None


class _Interrupted(Exception):
    """The evaluation was interrupted."""


@dataclass(frozen=True)
class NashConv(Evaluator):
    """Exact evaluation by best responses, of the average, the last iterate, or the better of both.

    >>> td.solve(td.load_game("kuhn"), "cfr+", iterations=10, evaluator=td.NashConv()).evaluator.parameters()
    {'name': 'nash-conv'}
    """

    name = "nash-conv"
    title = "NashConv"
    point_type = Point
    exact = is_gap = True
    growth = (1.2, 1.05)

    def check(self, solver: Solver, until: float | None) -> None:
        """See `Evaluator`; raise GameError for imperfect recall."""
        last_rows(tree_of_solver(solver, self))
        super().check(solver, until)

    def evaluate(self, solver: Solver) -> Evaluation:
        """See `Evaluator`; while the average is empty, uniform play takes its place."""
        tree, reported = tree_of_solver(solver, self), solver.method.reported
        profiles = {"current": solver.current()}
        if has_average(solver):
            profiles["average"] = solver.average()
        elif reported == "average":
            profiles["uniform"] = Profile.uniform(tree)
        evaluations = {name: evaluate(profile) for name, profile in profiles.items()}
        convs = {name: evaluation.nash_conv for name, evaluation in evaluations.items()}
        excluded = {"average": "current", "current": "average"}.get(reported)
        iterate = min(evaluations.keys() - {excluded}, key=lambda name: (convs[name], name))
        figure, values = convs[iterate], tuple(evaluations[iterate].values.tolist())
        average = convs.get("average", math.nan)
        return Evaluation(iterate, profiles[iterate], figure, figure, figure, values, average, convs["current"])

    def point(self, evaluation: Evaluation, iteration: int, seconds: float, nodes: int) -> Point:
        return Point(iteration, seconds, evaluation.figure, evaluation.average, evaluation.current, nodes)


@dataclass(frozen=True)
class NoEvaluation(Evaluator):
    """No evaluation, for games that are too large and for callers that need only the strategy.

    >>> td.solve(td.load_game("kuhn"), "cfr+", iterations=10, evaluator=td.NoEvaluation())
    Solution(kuhn, cfr+, 10 done, unevaluated, finished)
    """

    name = "none"
    title = "nothing"
    unit = ""
    growth = (1.2, 1.2)

    def check(self, solver: Solver, until: float | None) -> None:
        if until is not None:
            raise ParameterError(
                f"until={until:g} needs an evaluator; leave until out, or choose an evaluator.",
                key="until",
                value=until,
            )

    def describe(self, result: AnyPoint | Evaluation) -> str:
        return "unevaluated"

    def evaluate(self, solver: Solver) -> Evaluation:
        return Evaluation(*reported_strategy(solver))


class RecordedEvaluator(Evaluator):
    """The evaluator of a loaded run, read from run.json; it describes figures but cannot evaluate."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        recorded = dict(content["evaluator"])
        figure = {name: content["figure"][name] for name in ("title", "unit", "lower_is_better") if "figure" in content}
        for name, value in {**figure, "name": recorded["name"], "recorded": recorded}.items():
            object.__setattr__(self, name, value)

    def parameters(self) -> dict[str, Any]:
        return dict(vars(self)["recorded"])

    def evaluate(self, solver: Solver) -> Evaluation:
        """Raise SolverError."""
        raise SolverError(
            f"the settings of evaluator {self.name!r} are from a file; pass the evaluator as evaluator= to use it."
        )


def curve_evaluator(content: Mapping[str, Any]) -> Evaluator:
    """Return an evaluator that reads and describes the curve of a run."""
    return NashConv() if content["evaluator"]["name"] == NashConv.name else RecordedEvaluator(content)


def recorded_evaluator(content: Mapping[str, Any], form: Form | type[Form]) -> Evaluator:
    """Return the evaluator of a run; a `RecordedEvaluator` unless only its name and settings are needed."""
    fields = dict(content["evaluator"])
    without_tree = load_reference(RulesForm.evaluator)
    classes = (NashConv, NoEvaluation, without_tree, *map(load_reference, _BELOW), load_reference(form.evaluator))
    kinds = {kind.name: kind for kind in classes}
    if (kind := kinds.get(fields.pop("name"))) is None:
        return RecordedEvaluator(content)
    try:
        evaluator: Evaluator = kind(**fields)
    except (TypeError, ParameterError) as error:
        raise RunError(f"the run's evaluator {content['evaluator']} cannot be read: {error}") from None
    return evaluator


def require_evaluator(evaluator: Evaluator | None) -> Evaluator | None:
    """Return an evaluator or None; raise ParameterError for anything else."""
    if evaluator is None or isinstance(evaluator, Evaluator):
        return evaluator
    raise wrong_type("an evaluator, such as td.NashConv() or td.NoEvaluation(),", evaluator)


def tree_of_solver(solver: Solver, evaluator: Evaluator) -> Tree:
    """Return the tree of a solver; raise ParameterError if it has none."""
    if solver.form.tree is None:
        raise ParameterError(
            f"evaluator {evaluator.name!r} needs a compiled game, and {solver.form.name} is solved without a tree; "
            "choose evaluator 'bound', 'none' or 'against:AGENT'."
        )
    return solver.form.tree


def has_average(solver: Solver) -> bool:
    """Return True if the average contains an iteration."""
    return solver.iterations > int(solver.method.delay)


def reported_strategy(solver: Solver) -> tuple[str, Profile | Policy]:
    """Return the name and the strategy that a solver reports, without evaluating the better one.

    If the method reports the better of two strategies, this is the average, unless it is empty.
    """
    if solver.method.reported != "current" and has_average(solver):
        return "average", solver.average()
    if solver.method.reported == "average":
        return "uniform", Profile.uniform(tree) if (tree := solver.form.tree) is not None else TablePolicy({})
    return "current", solver.current()
