"""Plans of solves: a game, its form, a method and a goal, with the size before anything is built."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from tefuda.apps.web.jobs import Task
from tefuda.errors import ParameterError, SizeError, TefudaError, UnknownNameError
from tefuda.exploiting.named import evaluator_named, evaluator_to_resume
from tefuda.forms.form import Form, Saved, form_class
from tefuda.forms.rules import RulesForm
from tefuda.games.catalogue import GAMES, load_game
from tefuda.games.protocol import Game
from tefuda.games.size import estimate_game, refuse_if_too_large
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.limit.buckets import Buckets
from tefuda.holdem.limit.solver import MEMORY, HoldemBuckets, size_in_buckets
from tefuda.holdem.spots.compiled import CompiledSpot
from tefuda.holdem.spots.game import SpotGame
from tefuda.holdem.spots.size import require_room, size_of
from tefuda.lazy import load_reference
from tefuda.solvers.protocol import Method
from tefuda.solvers.runs.driver import Progress
from tefuda.solvers.runs.evaluators import Evaluator
from tefuda.solvers.runs.methods import find_method, form_without_tree, make_goal, solve
from tefuda.solvers.runs.run import mark_stopped, read_run
from tefuda.solvers.runs.saved import form_of_run, resume

#: Games that the page solves: those whose parameters name no files or other packages.
PAGE_GAMES = tuple(sorted(GAMES.keys() - {"efg", "openspiel", "minikoi"}))
#: Evaluators that the page offers; "" is the default of the form.
EVALUATORS = ("", "nash-conv", "bound", "none", "learned", "against:random")
CHECKPOINT = 5.0  # seconds between checkpoints: a killed server loses no more
_PAUSE = 0.25  # seconds between reports of progress without a new point
_FORMS: dict[str, type[Form]] = {"hands": CompiledSpot, "buckets": HoldemBuckets}  # with methods of their own


@dataclass(frozen=True)
class Plan:
    """A solve that a page asks for.

    Attributes:
        game: name of the game.
        parameters: parameters of the game.
        representation: representation of the form; "": chosen by the library, for the size of the game.
        fields: settings of the form, such as numbers of buckets.
        method: name of the method; "": the form's default.
        goal: iterations, until and seconds; missing ones are no rules.
        seed: random seed.
        evaluator: one of `EVALUATORS`.
    """

    game: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    representation: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    method: str = ""
    goal: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    evaluator: str = ""

    def rules(self) -> Game:
        """Return the rules of the game.

        Raises:
            UnknownNameError: the page does not solve the game, or a parameter is unknown.
            ParameterError: a parameter is out of range.
        """
        if self.game not in PAGE_GAMES:
            raise UnknownNameError("game", self.game, PAGE_GAMES)
        return load_game(self.game, **self.parameters)

    def completed(self, rules: Game) -> Plan:
        """Return the plan with its representation and method, as `choose_form` chooses them.

        Nothing is built.

        Raises:
            UnknownNameError: an unknown representation or evaluator, or a method that does not solve the form.
            ParameterError: the method cannot reach the goal.
            SizeError: the form is too large.
        """
        if self.evaluator not in EVALUATORS:
            raise UnknownNameError("evaluator", self.evaluator, EVALUATORS)
        known = representations(rules)
        representation, fields, name = self.representation or known[0], self.fields, self.method
        if representation not in known:
            raise UnknownNameError("form", representation, known)
        if not self.representation and known == ("tree", "rules"):
            try:
                require_size(rules, representation, fields)
            except SizeError as error:
                form, value = form_without_tree(rules, self.method or None, error)
                representation, fields, name = form.representation, form.saved().fields, value.name
        table, default = methods_of(representation, rules)
        method = find_method(name or default, table=table)
        make_goal(method, **self.goal)
        require_size(rules, representation, fields)
        return replace(self, representation=representation, fields=fields, method=method.name)

    def method_value(self) -> Method:
        """Return the method of a completed plan."""
        return find_method(self.method, table=method_table(self.representation))


def representations(rules: Game) -> tuple[str, ...]:
    """Return the representations in which the page solves a game, the preferred one first."""
    if isinstance(rules, SpotGame):
        return ("hands",)
    if isinstance(rules, Holdem):
        return ("buckets",) if rules.rules.limit else ("rules",)
    return ("tree", "rules")


def method_table(representation: str) -> dict[str, Method]:
    """Return the methods that solve a representation without further packages."""
    table: dict[str, Method] = load_reference(_FORMS.get(representation, Form).methods)
    return {name: method for name, method in table.items() if representation in method.accepts and not method.extra}


def methods_of(representation: str, rules: Game) -> tuple[dict[str, Method], str]:
    """Return the methods that solve a representation of a game, and the default one."""
    form = RulesForm(rules) if representation == "rules" else _FORMS.get(representation, Form)
    return method_table(representation), form.method


def buckets_of(fields: Mapping[str, Any]) -> Buckets:
    """Return the buckets of a plan; raise ParameterError if they cannot be read."""
    counts, textures = fields.get("counts", (169, 20, 20, 20)), fields.get("textures", (1, 1))
    for name, value in (("counts", counts), ("textures", textures)):
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise ParameterError(f"{name} must be a list of whole numbers, got {value!r}.", key=name)
    return Buckets(tuple(counts), textures=tuple(textures))


def require_size(rules: Game, representation: str, fields: Mapping[str, Any]) -> None:
    """Raise SizeError, with the estimate in words, if a form does not fit the memory."""
    if representation == "tree":
        refuse_if_too_large(rules, force=False)
    elif isinstance(rules, SpotGame):
        require_room(size_of(rules.spot), "single")
    elif isinstance(rules, Holdem) and representation == "buckets":
        size = size_in_buckets(rules, buckets_of(fields))
        if size.bytes > MEMORY:
            raise SizeError(
                f"{size} need {size.bytes / 1e9:.2f} GB; the limit is {MEMORY / 1e9:.0f} GB. Use fewer buckets or "
                "players."
            )


def size_of_form(rules: Game, representation: str, fields: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the size of a form as numbers with their names, before it is built."""
    if representation == "hands" and isinstance(rules, SpotGame):
        size = size_of(rules.spot)
        seconds = {"seconds_per_iteration": size.seconds}
        return {"decisions": size.decisions, "boards": size.boards, "megabytes": size.bytes() / 1e6, **seconds}
    if representation == "buckets" and isinstance(rules, Holdem):
        buckets = size_in_buckets(rules, buckets_of(fields))
        return {"decisions": buckets.decisions, "rows": buckets.rows, "megabytes": buckets.bytes / 1e6}
    estimate = estimate_game(rules)
    if representation == "rules":
        return {"histories": estimate.histories, "error": estimate.error or None}
    return {
        "histories": estimate.histories, "error": estimate.error or None, "megabytes": estimate.bytes / 1e6,
        "seconds_to_build": estimate.seconds,
    }  # fmt: skip


class _Reports:
    """Reports of a run to its page: new points at once, the rest four times a second."""

    def __init__(self, task: Task) -> None:
        self._task, self._last, self._point = task, 0.0, 0
        self._evaluator: Evaluator | None = None

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
            points = [(point.iteration, point.seconds, point.figure, point.low, point.high)]
        self._task.publish(
            {
                "iterations": progress.iterations,
                "seconds": progress.seconds,
                "values": progress.values,
                "points": points,
                "goal": asdict(progress.goal),
                "evaluator": figure_of(progress.evaluator),
            }
        )


def figure_of(evaluator: Evaluator) -> dict[str, Any]:
    """Return the title, the unit and the direction of an evaluator's figure."""
    names = ("title", "unit", "lower_is_better", "exact")
    return {name: getattr(evaluator, name) for name in names}


def run_plan(task: Task, plan: Plan, folder: str) -> None:
    """Solve by a completed plan and save the run in a folder; the function of a job."""
    rules, reports = plan.rules(), _Reports(task)
    representation, fields = plan.representation, dict(plan.fields)
    if representation == "buckets":
        fields = asdict(buckets_of(fields))
    form = form_class(representation).build(rules, Saved(fields), reports.build)
    solve(
        form,
        plan.method_value(),
        **plan.goal,
        evaluator=evaluator_named(plan.evaluator, form) if plan.evaluator else None,
        seed=plan.seed,
        checkpoint=folder,
        checkpoint_seconds=CHECKPOINT,
        progress=reports.progress,
        interrupted=task.interrupted,
    )
    _finish(task, folder)


def resume_run(task: Task, folder: str, goal: Mapping[str, Any]) -> None:
    """Resume a run, with a new goal unless it is empty; the function of a job."""
    reports, content = _Reports(task), read_run(folder)
    form = form_of_run(Path(folder), content, None, reports.build)
    name = evaluator_to_resume(content["evaluator"])
    resume(
        folder,
        game=form,
        **goal,
        evaluator=evaluator_named(name, form) if name else None,
        checkpoint_seconds=CHECKPOINT,
        progress=reports.progress,
        interrupted=task.interrupted,
    )
    _finish(task, folder)


def _finish(task: Task, folder: str) -> None:
    """Mark an interrupted run as stopped if its user wants no more iterations."""
    if task.reason == "stop":
        mark_stopped(Path(folder))


def sizes(rules: Game, fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return each form of a game with its methods and its size, or the reason why it does not fit."""
    forms = []
    for representation in representations(rules):
        methods, default = methods_of(representation, rules)
        form: dict[str, Any] = {"form": representation, "methods": list(methods), "default": default}
        form |= {"size": {}, "error": ""}
        try:
            form["size"] = size_of_form(rules, representation, fields)
            require_size(rules, representation, fields)
        except TefudaError as error:
            form["error"] = str(error)
        forms.append(form)
    return forms
