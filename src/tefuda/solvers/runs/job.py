"""Jobs: a game, its form, a method, a goal, a seed and an evaluator, decided once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from tefuda.errors import ParameterError, RunError, SizeError, TefudaError, UnknownNameError, check_seed
from tefuda.forms.builder import BuildProgress
from tefuda.forms.compile import compile_game
from tefuda.forms.form import Form, Saved, Size, form_class
from tefuda.forms.partitions import Partition
from tefuda.forms.rules import RulesForm
from tefuda.forms.tree import Tree
from tefuda.games.answers import name_of, require_game
from tefuda.games.catalogue import GAMES, is_registered, load_game
from tefuda.games.kit import Kit, kit_of
from tefuda.games.protocol import Game
from tefuda.lazy import load_reference
from tefuda.solvers.exact.lp import sizes_apart
from tefuda.solvers.exact.partitioned import partitioned_solver
from tefuda.solvers.protocol import Method, Solver
from tefuda.solvers.runs.driver import Goal, Progress, Record, drive
from tefuda.solvers.runs.evaluators import Evaluator, RecordedEvaluator, recorded_evaluator, require_evaluator
from tefuda.solvers.runs.methods import find_method, make_goal, recorded_method
from tefuda.solvers.runs.run import check_same_game, naming, read_form, read_job, read_run
from tefuda.solvers.runs.solution import Solution


class WithKit(Protocol):
    """An object whose kit has a game, such as a hold'em spot; see `games.kit`."""

    @property
    def kit(self) -> Any:
        """The class of the kit, or its ``"module:name"``."""


#: Games that can be solved: forms, rules, and objects whose kit has a game.
Solvable = Form | Game | WithKit
#: No rule that stops a run: the method has a goal of its own.
NO_GOAL = Goal()
_Chosen = str | Method | None
_UNDECIDED = ("tree", "rules")  # a tree, or the rules if the tree is too large


@dataclass(frozen=True)
class Job:
    """A solve: a form of a game, a method and a goal, decided once.

    Attributes:
        game: the game; None for a form without one.
        representation: representation of the form; "": a tree, or the rules if the tree is too large.
        fields: fields of the form, see `Form.saved`.
        method: the method.
        goal: the rules that stop the run; without any, those of the method.
        seed: random seed.
        evaluator: evaluator of the curve; None: the form's.
        arrays: arrays of the form, see `Form.saved`.
        built: the form, if it is built.

    >>> job = td.Job.of(td.load_game("leduc"), "external", representation="rules")
    >>> job.representation, job.method.name, job.run().iterations
    ('rules', 'external', 1000)
    """

    game: Any
    representation: str
    fields: Mapping[str, Any]
    method: Method
    goal: Goal = NO_GOAL
    seed: int = 0
    evaluator: Evaluator | None = None
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict, compare=False, repr=False)
    built: Form | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(
        cls,
        game: Solvable,
        method: str | Method | None = None,
        *,
        representation: str = "",
        fields: Mapping[str, Any] | None = None,
        goal: Goal = NO_GOAL,
        seed: int = 0,
        evaluator: Evaluator | None = None,
        workers: int | Executor | None = None,
    ) -> Job:
        """Return a checked job; nothing is built.

        Args:
            game: see `make_solver`.
            method: see `make_solver`.
            representation: representation of rules. Default: the first that the game's kit names and the method
                accepts.
            fields: fields of the form, such as ``{"memory": 1e9}`` of rules.
            goal: the rules that stop the run.
            seed: random seed.
            evaluator: see `solve`.
            workers: see `make_solver`; only checked.

        Raises:
            UnknownNameError: the method or the representation does not exist.
            ParameterError: the method does not accept the form, the goal or workers, or the seed is out of range.
            GameError: the argument is not a game.
            SizeError: the form is too large.
        """
        check_seed(seed)
        require_evaluator(evaluator)
        if isinstance(game, Form):
            chosen = find_method(*_default(game, method))
            job = cls(game.game, game.representation, {}, chosen, goal, seed, evaluator)._with(game)
        else:
            kit = kit_of(game)
            require_game(kit.game)
            representation, chosen = _decide(kit, representation, method)
            job = cls(kit.game, representation, dict(fields or {}), chosen, goal, seed, evaluator)
        job._check(workers)
        return job

    def _check(self, workers: int | Executor | None = None) -> None:
        """Raise ParameterError or SizeError if the parts do not fit together."""
        method = self.method
        if workers is not None and not method.parallel:
            raise ParameterError(f"{method.name} runs in one process; leave workers out, or choose a parallel method.")
        make_goal(method, self.goal)
        possible = {self.representation} if self.representation else {*_UNDECIDED}
        if not possible & {*method.accepts}:
            form = self.built or RulesForm(self.game)
            raise ParameterError(
                f"{method.name} solves games as {' or '.join(method.accepts)}, got {form.title} as "
                f"{self.representation}; choose another form of the game, or one of its methods with default options: "
                f"{', '.join(methods_for(self.kind))}."
            )
        if self.built is None and self.representation not in ("", "tree"):  # a tree is checked when it is compiled
            self.kind.require_room(self.game, self.fields)

    @classmethod
    def read(
        cls,
        folder: str | Path,
        *,
        game: Solvable | str | None = None,
        method: str | Method | None = None,
        evaluator: Evaluator | None = None,
    ) -> Job:
        """Return the job of a run, or of a plan that has not begun; given parts must be equal.

        Nothing is compiled.

        Args:
            folder: folder of the run.
            game: the game, a form of it, or ``"file.py:Class"``; see `resume`. The memory limit of rules may differ.
            method: see `resume`.
            evaluator: see `resume`.

        Raises:
            RunError: the run is damaged, or belongs to another game.
            ParameterError: a given form, method or evaluator differs.
        """
        folder, content = Path(folder), read_job(Path(folder))
        with naming(folder):
            representation, saved = read_form(folder, content)
            given = _given_form(content, game)
            if isinstance(given, Tree) and saved.arrays:  # their shapes are those of the run's tree
                check_same_game(folder, content, given)
            if isinstance(given, Tree) and representation != given.representation:
                given = form_class(representation).build(given, saved)
            if isinstance(given, RulesForm):
                rules, form = given.game, None
                if representation == given.representation:  # the limit may change
                    saved.fields["memory"] = given.memory
            elif isinstance(given, Form):
                rules, form = given.game, given
                _check_same_form(form, representation, saved)
            else:
                rules, form = given, None
            kind = form or form_class(representation)
            recorded = None if content["evaluator"] is None else recorded_evaluator(content, kind)
            job = cls(
                rules, representation, saved.fields, _same_method(content, kind, method), goal_of(content),
                content["seed"], recorded, saved.arrays, form,
            )  # fmt: skip
            return job if evaluator is None else job.evaluated_by(evaluator)

    def evaluated_by(self, evaluator: Evaluator) -> Job:
        """Return this job with an evaluator; if it has one of a run, the given one must be equal."""
        require_evaluator(evaluator)
        if self.evaluator is not None and evaluator.parameters() != (saved := self.evaluator.parameters()):
            raise ParameterError(f"the run must be resumed with its evaluator {saved}; got {evaluator.parameters()}.")
        return replace(self, evaluator=evaluator)

    def to_json(self) -> dict[str, Any]:
        """Return the job's part of run.json."""
        named = RulesForm(self.game) if self.built is None else self.built
        return {
            "game": named.name,
            "game_parameters": named.parameters,
            "form": {"representation": self.representation, **self.fields},
            "method_parameters": self.method.parameters(),
            "goal": asdict(self.goal),
            "seed": self.seed,
            "evaluator": None if self.evaluator is None else self.evaluator.parameters(),
        }

    @property
    def kind(self) -> type[Form]:
        """The class of the form; that of a tree if it is not decided."""
        return form_class(self.representation or "tree") if self.built is None else type(self.built)

    def form(
        self,
        *,
        building: BuildProgress | None = None,
        force: bool = False,
        workers: int | Executor | None = None,
    ) -> tuple[Form, Job]:
        """Build the form; return it and the job as decided.

        Rules whose tree is too large are sampled without one if the method allows it, and a warning says so.

        Args:
            building: called with the number of histories compiled, or with the current step in words.
            force: compile even if the size estimate exceeds the memory limit.
            workers: see `make_solver`; they compile a large game.

        Raises:
            SizeError: the form is too large.
        """
        if self.built is not None:
            return self.built, self._with(self.built)
        if self.kind is not Tree:
            form: Form = self.kind.build(self.game, Saved(dict(self.fields), dict(self.arrays)), building)
            return form, self._with(form)
        try:
            form = compile_game(self.game, progress=building, force=force, workers=1 if workers is None else workers)
        except SizeError as error:
            form, job = self._without_tree(error)
            text = f"{form.reason}. Sampling its rules without a tree, by {job.method.name}."
            warnings.warn(text, RuntimeWarning, stacklevel=4)
            return form, job
        return form, self._with(form)

    def settled(self) -> Job:
        """Return this job with its form decided by the size estimate; nothing is built.

        Raises:
            SizeError: the form is too large.
        """
        try:
            self.kind.require_room(self.game, self.fields)
        except SizeError as error:
            if self.kind is not Tree:
                raise
            return self._without_tree(error)[1]
        return replace(self, representation=self.kind.representation)

    def _with(self, form: Form) -> Job:
        """Return this job with its form, and with the goal of its method unless it has one."""
        saved, goal = form.saved(), self.goal if self.goal != NO_GOAL else make_goal(self.method)
        return replace(
            self, representation=form.representation, fields=saved.fields, arrays=saved.arrays, goal=goal, built=form
        )  # fmt: skip

    def _without_tree(self, error: SizeError) -> tuple[RulesForm, Job]:
        """Return the rules of a game that is too large to compile, and the job as decided.

        Raises:
            SizeError: `error`, if the method needs a tree; the message names the methods that do not.
        """
        sampled = RulesForm.representation in self.method.accepts
        if self.representation:
            if not sampled:
                names = ", ".join(methods_for(RulesForm))
                error.args = (f"{error} {self.method.name} needs the tree; these methods do not: {names}.",)
            raise error
        reason = f"{name_of(self.game)} is too large to compile: {error.value or error}"
        form = RulesForm.build(self.game, Saved({**self.fields, "reason": reason}))
        method = self.method if sampled else find_method(*_default(form, None))
        return form, replace(self, method=method)._with(form)

    def solver(self, workers: int | Executor | None = None) -> Solver:
        """Return a new solver; see `make_solver`."""
        form, job = self.form(workers=workers)
        return job._solver(form, workers)

    def _solver(self, form: Form, workers: int | Executor | None) -> Solver:
        if isinstance(form, Partition):
            solver: Solver = partitioned_solver(form, self.method, self.seed, workers)
        else:
            solver = self.method.solver(form, self.seed, workers)
        if form.tree is not None and (apart := sizes_apart(form.tree)):
            text = f"{self.method.name} needs payoffs of similar size; NashConv may stay large. {apart}"
            warnings.warn(text, RuntimeWarning, stacklevel=4)
        return solver

    def run(
        self,
        record: Record | None = None,
        *,
        workers: int | Executor | None = None,
        progress: Callable[[Progress], None] | None = None,
        interrupted: Callable[[], bool] = lambda: False,
        observer: Callable[[Solver], None] | None = None,
    ) -> Solution:
        """Solve; see `solve`.

        record: folder of the run, see `make_record`, or None.
        """
        form, job = self.form(workers=workers)
        return drive(
            job._solver(form, workers), job.goal, evaluator=job.evaluator, seed=job.seed, record=record,
            progress=progress, interrupted=interrupted, observer=observer,
        )  # fmt: skip

    def resume(
        self,
        folder: str | Path,
        goal: Goal | None = None,
        *,
        workers: int | Executor | None = None,
        checkpoint_seconds: float | None = None,
        progress: Callable[[Progress], None] | None = None,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> Solution:
        """Resume the run of this job; see `resume`.

        goal: new goal, counted from the start of the run. Default: the job's.
        """
        folder, content = Path(folder), read_run(folder)
        with naming(folder):
            form, _ = self.form()
            check_same_game(folder, content, form)
            solver = self._solver(form, workers)
            if isinstance(self.evaluator, RecordedEvaluator):
                raise ParameterError(
                    f"the run must be resumed with its evaluator {content['evaluator']}; pass it as evaluator=."
                )
        chosen = self.goal if goal is None else make_goal(self.method, goal)
        every = content.get("checkpoint_seconds", 30.0) if checkpoint_seconds is None else checkpoint_seconds
        return drive(
            solver, chosen, evaluator=self.evaluator, seed=self.seed, record=Record(folder, every), resumed=True,
            progress=progress, interrupted=interrupted,
        )  # fmt: skip


def _given_form(content: Mapping[str, Any], game: Solvable | str | None) -> Any:
    """Return the given game or form of a run; its game by name if none is given."""
    if game is None or isinstance(game, str):
        return _game_by_name(content, game or "")
    return game if isinstance(game, Form) else kit_of(game).game


def _game_by_name(content: Mapping[str, Any], name: str) -> Game:
    """Return the game of a run by its name and parameters.

    name: ``"file.py:Class"`` for games of the user, because nothing in a run is ever executed.
    """
    try:
        if not name and not is_registered(content["game"]):
            raise UnknownNameError("game", content["game"], GAMES)
        return load_game(name or content["game"], **content["game_parameters"])
    except (UnknownNameError, ParameterError) as error:
        if name:
            raise
        raise RunError(
            f"the run's game {content['game']!r} cannot be loaded by name ({error}). Pass game= in Python, --game "
            f"FILE.py:Class with show, evaluate and share, or run tefuda solve FILE.py:Class --resume RUN."
        ) from None


def goal_of(content: Mapping[str, Any]) -> Goal:
    """Return the goal of a run; unknown rules are ignored."""
    return Goal(**{rule.name: content["goal"][rule.name] for rule in fields(Goal)})


def _check_same_form(form: Form, representation: str, saved: Saved) -> None:
    """Raise ParameterError unless a form is the same as the saved one."""
    own = form.saved()
    same_arrays = all(np.array_equal(own.arrays.get(name, ()), array) for name, array in saved.arrays.items())
    if (form.representation, own.fields) != (representation, saved.fields) or not same_arrays:
        raise ParameterError(
            f"the run must be resumed with its form {representation} {saved.fields}, got {form.representation} "
            f"{own.fields}."
        )


def _same_method(content: Mapping[str, Any], kind: Form | type[Form], given: _Chosen) -> Method:
    """Return the method of a run; a given method must be the same."""
    saved, table = content["method_parameters"], load_reference(kind.methods)
    if given is None:
        return recorded_method(saved, table)
    chosen = find_method(given, table=table)
    if chosen.parameters() != saved:
        raise ParameterError(f"the run must be resumed with its method {saved}, got {chosen.parameters()}.")
    return chosen


class FormChoice(NamedTuple):
    """A form in which a game can be solved, with its methods.

    form: its representation. methods: names of the methods that solve it without further packages. default: name of
    the default method. size: its size, if it could be estimated. error: the reason why it cannot be built, or "".
    """

    form: str
    methods: list[str]
    default: str
    size: Size | None
    error: str


def choices(game: Game, fields: Mapping[str, Any] | None = None) -> list[FormChoice]:
    """Return the forms in which a game can be solved, the preferred one first; nothing is built.

    fields: fields of the forms, see `Form.saved`.
    """
    return [_choice(game, form_class(name), fields or {}) for name in kit_of(game).forms()]


def _choice(game: Game, kind: type[Form], fields: Mapping[str, Any]) -> FormChoice:
    table: dict[str, Method] = load_reference(kind.methods)
    names, size, error = [name for name in methods_for(kind) if not table[name].extra], None, ""
    try:
        size = kind.size_of(game, fields)
        kind.require_room(game, fields)
    except TefudaError as refused:
        error = str(refused)
    return FormChoice(kind.representation, names, kind.default_method(game), size, error)


def methods_for(form: Form | type[Form]) -> list[str]:
    """Return the names of the methods that solve a form."""
    table: dict[str, Method] = load_reference(form.methods)
    return [name for name, method in table.items() if form.representation in method.accepts]


def _default(form: Form, method: _Chosen) -> tuple[str | Method, None, Mapping[str, Method]]:
    """Return a method, or the default method of a form, as arguments of `find_method`."""
    return form.method if method is None else method, None, load_reference(form.methods)


def _decide(kit: Kit, representation: str, method: _Chosen) -> tuple[str, Method]:
    """Return the representation of a game, "" if it is undecided, and the method."""
    forms = (representation,) if representation else kit.forms()
    kinds = [form_class(name) for name in forms]
    value = _find(kinds, kinds[0].default_method(kit.game) if method is None else method)
    fitting = forms if method is None else tuple(name for name in forms if name in value.accepts)
    if fitting == _UNDECIDED:
        return "", value
    return representation or (*fitting, *value.accepts, *forms)[0], value


def _find(kinds: list[type[Form]], method: str | Method) -> Method:
    """Return a method by its name in the table of the first form that has it."""
    if not isinstance(method, str) or ":" in method:
        return find_method(method)
    tables: list[Mapping[str, Method]] = [load_reference(kind.methods) for kind in kinds]
    for table in tables:
        if method in table:
            return table[method]
    raise UnknownNameError("method", method, dict.fromkeys(name for table in tables for name in table))
