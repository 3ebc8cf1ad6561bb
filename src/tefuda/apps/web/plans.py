"""Jobs of the page: checked before anything is built, saved as plans, and run."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tefuda.apps.web.jobs import Task
from tefuda.apps.web.messages.message import Message
from tefuda.apps.web.own_games import catalogue, id_of, load_known, own_game_of, register
from tefuda.errors import UnknownNameError, check_choice
from tefuda.exploiting.named import evaluator_name, evaluator_named, read_job_with_form
from tefuda.forms.form import Size
from tefuda.forms.rules import RulesForm
from tefuda.games.kit import kit_of
from tefuda.games.protocol import Game
from tefuda.solvers.runs.driver import Goal, Progress, make_record
from tefuda.solvers.runs.job import NO_GOAL, Job, choices
from tefuda.solvers.runs.points import AnyPoint
from tefuda.solvers.runs.run import mark_stopped, read_job

#: Games of the catalogue that the page solves.
PAGE_GAMES = tuple(sorted(set(catalogue()) - {"minikoi"}))
#: Evaluators that the page offers; "" is the default of the form.
EVALUATORS = ("", "nash-conv", "bound", "none", "learned", "against:random")
CHECKPOINT = 5.0  # seconds between checkpoints: a killed server loses no more
_PAUSE = 0.25  # seconds between reports of progress without a new point


class Evaluator(Message):
    """The figure by which a run is evaluated."""

    title: str
    unit: str
    lower_is_better: bool = True


def page_game(name: str, parameters: Mapping[str, Any]) -> Game:
    """Return a game that the page solves, see `load_known`."""
    return load_known(name, parameters, PAGE_GAMES)


def page_job(
    game: Game,
    method: str = "",
    goal: Goal = NO_GOAL,
    *,
    representation: str = "",
    fields: Mapping[str, Any] | None = None,
    seed: int = 0,
    evaluator: str = "",
) -> Job:
    """Return a job that the page asks for, with its form decided; nothing is built.

    Texts name a method, a representation and one of `EVALUATORS`; "" leaves the choice to the library.

    Raises:
        UnknownNameError: an unknown representation, or a method that does not solve the form.
        ParameterError: another evaluator, or the method cannot reach the goal.
        SizeError: the form is too large.
    """
    check_choice("evaluator", evaluator, EVALUATORS)
    if representation not in ("", *(known := kit_of(game).forms())):
        raise UnknownNameError("form", representation, known)
    given = evaluator_named(evaluator, RulesForm(game)) if evaluator else None
    return Job.of(
        game, method or None, representation=representation, fields=fields, goal=goal, seed=seed, evaluator=given
    ).settled()


def read_plan(folder: Path) -> Job:
    """Return the job of a plan, checked like a request of a page.

    Raises:
        InputError: the plan is damaged, or is not one that the page makes.
    """
    content = read_job(folder)
    form, evaluator = dict(content["form"]), content["evaluator"]
    return page_job(
        page_game(id_of(content["game"]) or content["game"], content["game_parameters"]),
        content["method_parameters"]["name"],
        Goal(**content["goal"]),
        representation=form.pop("representation"),
        fields=form,
        seed=content["seed"],
        evaluator="" if evaluator is None else evaluator_name(evaluator),
    )


class _Reports:
    """Reports of a run to its page: new points at once, the rest four times a second."""

    def __init__(self, task: Task) -> None:
        self._task, self._last, self._point = task, 0.0, 0

    def build(self, step: int | str) -> None:
        """Report the number of histories compiled so far, or the current step in words."""
        if time.monotonic() - self._last >= _PAUSE:
            self._last = time.monotonic()
            self._task.publish({"building": step})

    def progress(self, progress: Progress) -> None:
        """Report a `Progress`."""
        point = progress.point
        new = point is not None and point.iteration > self._point
        if not new and time.monotonic() - self._last < _PAUSE:
            return
        self._last, points = time.monotonic(), list[Any]()
        if point is not None and new:
            self._point = point.iteration
            points = [curve_row(point)]
        self._task.publish(
            {
                "iterations": progress.iterations,
                "seconds": progress.seconds,
                "values": progress.values,
                "points": points,
                "goal": asdict(progress.goal),
                "evaluator": Evaluator.of(progress.evaluator),
            }
        )


def curve_row(point: AnyPoint) -> tuple[int, float, float, float, float]:
    """Return a point of a curve: iteration, seconds, figure and its interval."""
    return point.iteration, point.seconds, point.figure, point.low, point.high


def run_plan(task: Task, folder: str, own: Sequence[str]) -> None:
    """Solve by a plan and save the run in its folder; the function of a job of the server.

    own: see `register`.
    """
    register(own)
    reports = _Reports(task)
    _, job = read_plan(Path(folder)).form(building=reports.build)
    record = make_record(folder, CHECKPOINT)
    job.run(record, progress=reports.progress, interrupted=task.interrupted)
    _finish(task, folder)


def resume_run(task: Task, folder: str, goal: Goal, own: Sequence[str]) -> None:
    """Resume a run, with a new goal if it has rules; the function of a job of the server.

    own: see `register`.
    """
    register(own)
    reports = _Reports(task)
    job = read_job_with_form(folder, game=own_game_of(Path(folder)), building=reports.build)
    job.resume(
        folder, None if goal == NO_GOAL else goal, checkpoint_seconds=CHECKPOINT, progress=reports.progress,
        interrupted=task.interrupted,
    )  # fmt: skip
    _finish(task, folder)


def _finish(task: Task, folder: str) -> None:
    """Mark an interrupted run as stopped if its user wants no more iterations."""
    if task.reason == "stop":
        mark_stopped(Path(folder))


def sizes(game: Game, fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return each form of a game with its methods and its size, and the reason if it does not fit."""
    return [{**choice._asdict(), "size": _numbers(choice.size)} for choice in choices(game, fields)]


def _numbers(size: Size | None) -> dict[str, float | None]:
    if size is None:
        return {}
    return {**size.numbers, **({} if size.bytes is None else {"megabytes": size.bytes / 1e6})}
