"""Judges: evaluators of a solver's answer while it runs, with a figure, its unit and an interval.

`NashConv` is exact and for compiled games; `Unjudged` gives no figure. Judges that play or learn are
`playing.judge.HeadToHead` and `exploiting.bounds.LearnedResponse`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, NamedTuple

from tefuda.errors import ParameterError, RunError, SolverError, check_range, wanted
from tefuda.forms.form import Form
from tefuda.forms.tree import Tree
from tefuda.judging.profile import Profile
from tefuda.judging.values import judge
from tefuda.lazy import referred
from tefuda.solvers.protocol import Policy, Solver, TablePolicy
from tefuda.solvers.runs.points import AnyPoint, EstimatedPoint, Point
from tefuda.words import distance, signed
from tefuda.workers import Counting


class Verdict(NamedTuple):
    """A judge's evaluation of a solver.

    iterate: the strategy that was judged: ``"average"``, ``"current"``, or ``"uniform"`` before there is an average.
    strategy: a `Profile` of a tree, else a `Policy`. figure: in the judge's unit, between low and high; nan if nothing
    was judged. values: `[P]`, where the judge knows them. average, current: the figures of both, where it judges both.

    >>> solver = td.make_solver(td.compile_game(td.load_game("kuhn")), "cfr+")
    >>> isinstance(verdict := td.NashConv().judge(solver), td.Verdict), verdict.iterate
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
class Judge(ABC):
    """The base of judges; fields are their settings.

    name: on the command line and in files. title, unit: of the figure. falls: whether less is better. points: class of
    the curve's points. growth: factor by which iterations grow from point to point, without a goal for the figure and
    with one. first: iteration of the first point. step: least number of iterations between points. exact: whether it is
    exact and fast, so that a run that is loaded is judged anew.

    >>> [judge.title for judge in (td.NashConv(), td.Unjudged())]
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
    def judge(self, solver: Solver) -> Verdict:
        """Judge the answer of a solver without changing the solver."""

    def judge_unless(self, solver: Solver, interrupted: Callable[[], bool]) -> Verdict | None:
        """Judge like `judge`; judges that take long return None once `interrupted` returns True."""
        return self.judge(solver)

    def check(self, solver: Solver, until: float | None) -> None:
        """Raise ParameterError if this judge cannot judge a solver, or its figure cannot reach the goal."""
        if until is not None:
            check_range("until", until, -1e300, 1e300, whole=False)

    def point(self, verdict: Verdict, iteration: int, seconds: float, nodes: int) -> AnyPoint:
        """Return a verdict as a point of the curve."""
        return EstimatedPoint(iteration, seconds, verdict.figure, verdict.low, verdict.high, nodes)

    def reached(self, point: AnyPoint, until: float) -> bool:
        """Return True if the whole interval of a figure is as good as wanted."""
        return point.high <= until if self.falls else point.low >= until

    def parameters(self) -> dict[str, Any]:
        """Return everything that defines the judge, as JSON values."""
        return {"name": self.name, **asdict(self)}

    def told(self, found: AnyPoint | Verdict) -> str:
        """Return a figure in words, with its interval."""
        if math.isnan(found.figure):
            return "unjudged"
        return f"{self.title} {signed(found.figure)} ({signed(found.low)} .. {signed(found.high)})"

    def figures(self, found: Verdict) -> dict[str, Any]:
        """Return a figure as JSON values with its title and unit; null where nothing was judged."""
        numbers = {"value": found.figure, "low": found.low, "high": found.high}
        figures = {name: None if math.isnan(number) else number for name, number in numbers.items()}
        return {"title": self.title, "unit": self.unit, "falls": self.falls, **figures}


class LongJudge(Judge):
    """A judge that takes long and reports its progress, so that it can be interrupted."""

    @abstractmethod
    def judge_telling(self, solver: Solver, progress: Counting) -> Verdict:
        """Judge like `judge`, and call `progress` with what is done and how much there is to do."""

    def judge(self, solver: Solver) -> Verdict:
        """See `Judge`."""
        return self.judge_telling(solver, lambda done, of: None)

    def judge_unless(self, solver: Solver, interrupted: Callable[[], bool]) -> Verdict | None:
        """See `Judge`."""

        def look(done: int, of: int) -> None:
            if interrupted():
                raise _BrokenOff

        try:
            look(0, 1)
            return self.judge_telling(solver, look)
        except _BrokenOff:
            return None


class _BrokenOff(Exception):
    """A judge was interrupted."""


@dataclass(frozen=True)
class NashConv(Judge):
    """Judges the method's answer exactly, by best responses; both strategies if it is the ``"better"`` of them.

    >>> td.solve(td.load_game("kuhn"), "cfr+", iterations=10, judge=td.NashConv()).judge.parameters()
    {'name': 'nash-conv'}
    """

    name = "nash-conv"
    title = "NashConv"
    points = Point
    exact = True
    growth = (1.2, 1.05)

    def check(self, solver: Solver, until: float | None) -> None:
        """See `Judge`."""
        judged_tree(solver, self)
        if until is not None:
            check_range("until", until, 0, whole=False)

    def told(self, found: AnyPoint | Verdict) -> str:
        """See `Judge`: there is no interval."""
        return f"{self.title} {distance(found.figure)}"

    def judge(self, solver: Solver) -> Verdict:
        """See `Judge`; before there is an average, uniform play is judged in its place."""
        tree, answer = judged_tree(solver, self), solver.method.answer
        profiles = {"current": solver.current()}
        if averaged(solver):
            profiles["average"] = solver.average()
        elif answer == "average":
            profiles["uniform"] = Profile.uniform(tree)
        judged = {name: judge(profile) for name, profile in profiles.items()}
        convs = {name: one.nash_conv for name, one in judged.items()}
        unwanted = {"average": "current", "current": "average"}.get(answer)
        iterate = min(judged.keys() - {unwanted}, key=lambda name: (convs[name], name))
        figure, values = convs[iterate], tuple(judged[iterate].values.tolist())
        average = convs.get("average", math.nan)
        return Verdict(iterate, profiles[iterate], figure, figure, figure, values, average, convs["current"])

    def point(self, verdict: Verdict, iteration: int, seconds: float, nodes: int) -> Point:
        """See `Judge`."""
        return Point(iteration, seconds, verdict.figure, verdict.average, verdict.current, nodes)


@dataclass(frozen=True)
class Unjudged(Judge):
    """Judges nothing: for games that are too large, and for callers that only want the answer.

    >>> td.solve(td.load_game("kuhn"), "cfr+", iterations=10, judge=td.Unjudged())
    Solution(kuhn, cfr+, 10 done, unjudged, finished)
    """

    name = "none"
    title = "nothing"
    unit = ""
    growth = (1.2, 1.2)

    def check(self, solver: Solver, until: float | None) -> None:
        """See `Judge`."""
        if until is not None:
            raise ParameterError(
                f"until is {until:g}, but nothing is judged; leave it out, or choose a judge.", key="until", value=until
            )

    def told(self, found: AnyPoint | Verdict) -> str:
        """See `Judge`: there is no figure."""
        return "unjudged"

    def judge(self, solver: Solver) -> Verdict:
        """See `Judge`: the answer without a figure."""
        return Verdict(*answer_of(solver))


class RecordedJudge(Judge):
    """A judge known from a run.json alone, which cannot judge."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        about, recorded = content["figure"], dict(content["judge"])
        for name, value in {**about, "name": recorded["name"], "recorded": recorded}.items():
            object.__setattr__(self, name, value)

    def parameters(self) -> dict[str, Any]:
        """See `Judge`: as recorded."""
        return dict(vars(self)["recorded"])

    def judge(self, solver: Solver) -> Verdict:
        """Raise SolverError."""
        raise SolverError(f"the judge {self.name!r} is known from a file alone; give it as judge= to judge on.")


def evaluator_named(content: Mapping[str, Any], form: Form) -> Judge | None:
    """Return the evaluator in a run.json, if it is the default of the run's form or one of this module."""
    fields = dict(content["judge"])
    kinds = {kind.name: kind for kind in (NashConv, Unjudged, referred(form.evaluator))}
    if (kind := kinds.get(fields.pop("name"))) is None:
        return None
    try:
        found: Judge = kind(**fields)
    except (TypeError, ParameterError) as error:
        raise RunError(f"the run's judge {content['judge']} cannot be read: {error}") from None
    return found


def require_judge(judge: Judge | None) -> Judge | None:
    """Return a judge or None; raise ParameterError if something else is given."""
    if judge is None or isinstance(judge, Judge):
        return judge
    raise wanted("a judge, such as td.NashConv() or td.Unjudged(),", judge)


def judged_tree(solver: Solver, judge: Judge) -> Tree:
    """Return the tree of a solver; raise ParameterError if there is none."""
    if not isinstance(solver.game, Tree):
        raise ParameterError(
            f"judge {judge.name!r} needs a compiled game, and {solver.game.name} is solved by its rules; choose "
            "judge 'none' or a head-to-head."
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
