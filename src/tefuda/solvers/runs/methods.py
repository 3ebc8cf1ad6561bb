"""All methods by name, and the public functions that run them: `make_solver` and `solve`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Protocol, TypedDict, Unpack, overload

from tefuda.errors import ParameterError, SizeError, UnknownNameError, check_seed, wrong_type
from tefuda.evaluating.profile import Profile
from tefuda.forms.builder import BuildProgress
from tefuda.forms.compile import compile_game
from tefuda.forms.form import Form, Saved, form_class
from tefuda.forms.partition import Partition
from tefuda.forms.rules import RulesForm
from tefuda.forms.tree import Tree
from tefuda.games.own import load_named
from tefuda.games.protocol import Game, own_function
from tefuda.lazy import load_reference
from tefuda.settings import option_fields, with_options
from tefuda.solvers.exact import cfr, fictitious, lp
from tefuda.solvers.exact.partitioned import partitioned_solver
from tefuda.solvers.learned import neural, nfsp
from tefuda.solvers.protocol import Method, Policy, Solver, TreeSolver
from tefuda.solvers.runs.driver import Goal, Progress, drive, make_record
from tefuda.solvers.runs.evaluators import Evaluator
from tefuda.solvers.runs.solution import Solution
from tefuda.solvers.sampled import mccfr, oos, public_chance

_ALL: tuple[Method, ...] = (
    *cfr.FAMILY, lp.LP, fictitious.XFP, fictitious.FSP, *mccfr.FAMILY, public_chance.PUBLIC_CHANCE,
    oos.OOS, *nfsp.FAMILY, *neural.FAMILY,
)  # fmt: skip
METHODS: dict[str, Method] = {method.name: method for method in _ALL}
#: The recommended method; docs/methods.md compares all methods.
DEFAULT = Form.method


def find_method(
    method: str | Method, changes: Mapping[str, Any] | None = None, table: Mapping[str, Method] = METHODS
) -> Method:
    """Return a method with some options changed.

    Args:
        method: a name in the table, a method of the user as ``"FILE.py:NAME"`` or ``"module:NAME"``, or a method.
        changes: new values of options by their names.
        table: methods by name.

    Raises:
        UnknownNameError: the method or option does not exist.
        ParameterError: a value is out of range, or the file cannot be loaded.

    >>> td.find_method("cfr+", {"delay": 10}).delay
    10
    """
    if isinstance(method, str) and ":" in method:
        method = load_named(method, "method")
    elif isinstance(method, str):
        if method not in table:
            raise UnknownNameError("method", method, table)
        method = table[method]
    if not isinstance(method, Method):
        raise wrong_type("a method, or its name,", method, "A method of your own derives from Method.")
    if not changes:
        return method
    if "name" in changes:
        raise UnknownNameError(f"option of method {method.name}", "name", option_fields(type(method)).keys() - {"name"})
    return with_options(method, changes, f"method {method.name}")


def unit_of(parameters: Mapping[str, Any]) -> str:
    """Return the unit of a method in `METHODS` by its parameters; ``"iterations"`` for other methods."""
    method = matching_method(parameters, METHODS)
    return method.unit if method else "iterations"


def matching_method(parameters: Mapping[str, Any], table: Mapping[str, Method]) -> Method | None:
    """Return the method with this name, or else one with these options; None if there is none."""
    counts = {method: len(option_fields(type(method))) for method in table.values()}
    families = (method for method in counts if parameters.keys() <= option_fields(type(method)).keys())
    return table.get(parameters["name"]) or min(families, key=counts.__getitem__, default=None)


_Chosen = str | Method | None


class WithForm(Protocol):
    """An object with a form of its own, such as a hold'em spot; see `own_function`."""

    @property
    def own_form(self) -> Any:
        """The function that returns the form, or its ``"module:name"``."""


#: Games that can be solved: forms, rules, and objects with a form of their own.
Solvable = Form | Game | WithForm


def own_form(game: Any) -> Any:
    """Return the result of an object's ``own_form``, or the object if it has none."""
    make_form = None if isinstance(game, Form) else own_function(game, "own_form")
    return game if make_form is None else make_form()


def resolve_method(form: Any, method: str | Method | None) -> Method:
    """Return a method by its name in the table of a form or of rules; the default method for None."""
    if isinstance(method, Method):
        return method
    if not isinstance(form, Form):
        return find_method(DEFAULT if method is None else method)
    return find_method(form.method if method is None else method, table=load_reference(form.methods))


def methods_for(form: Form) -> list[str]:
    """Return the names of the methods that solve a form."""
    table: dict[str, Method] = load_reference(form.methods)
    return [name for name, method in table.items() if form.representation in method.accepts]


def choose_form(
    game: Any,
    method: str | Method | None = None,
    *,
    progress: BuildProgress | None = None,
    force: bool = False,
    workers: int | Executor | None = None,
) -> tuple[Form, Method]:
    """Return a form of a game, and the method that solves it.

    Rules are compiled if the method accepts trees. If the tree is too large, they are sampled without one, and a
    warning says so.

    Args:
        game: see `make_solver`.
        method: see `make_solver`. If None and the tree is too large: the default method for rules.
        progress: called with the number of histories compiled so far.
        force: compile even if the size estimate exceeds the memory limit.
        workers: see `make_solver`; they compile a large game.

    Raises:
        ParameterError: the method does not accept the form.
        SizeError: the tree is too large, and the method needs it.
    """
    game = own_form(game)
    value = resolve_method(game, method)
    if isinstance(game, Form):
        form: Form = game
    elif "tree" in value.accepts or not value.accepts:
        try:
            form = compile_game(game, progress=progress, force=force, workers=1 if workers is None else workers)
        except SizeError as error:
            form, value = form_without_tree(game, method, error)
            text = f"{form.reason}. Sampling its rules without a tree, by {value.name}."
            warnings.warn(text, RuntimeWarning, stacklevel=4)
    else:
        form = form_class(value.accepts[0]).build(game, Saved())
    if form.representation not in value.accepts:
        raise ParameterError(
            f"{value.name} solves games as {' or '.join(value.accepts)}, got {form.title} as "
            f"{form.representation}; choose another form of the game, or one of its methods with default options: "
            f"{', '.join(methods_for(form))}."
        )
    return form, value


def form_without_tree(game: Game, method: str | Method | None, error: SizeError) -> tuple[RulesForm, Method]:
    """Return the rules of a game that is too large to compile, and the method that samples them.

    Raises:
        SizeError: `error`, if the method needs a tree; the message names the methods that do not.
    """
    form = RulesForm(game, reason=f"{game.name} is too large to compile: {error.value or error}")
    value = resolve_method(form, method)
    if form.representation not in value.accepts:
        error.args = (f"{error} {value.name} needs the tree; these methods do not: {', '.join(methods_for(form))}.",)
        raise error
    return form, value


def _checked_form(
    game: Any, method: _Chosen, seed: int, workers: int | Executor | None, goals: tuple[Any, ...] = ()
) -> tuple[Form, Method]:
    """Return `choose_form`; check the other arguments before anything is compiled."""
    check_seed(seed)
    game = own_form(game)
    value = resolve_method(game, method)
    if workers is not None and not value.parallel:
        raise ParameterError(f"{value.name} runs in one process; leave workers out, or choose a parallel method.")
    if goals:
        make_goal(value, *goals)
    return choose_form(game, method, workers=workers)


@overload
def make_solver(
    game: Tree | Partition, method: str | Method | None = None, *, seed: int = 0, workers: Any = None
) -> TreeSolver: ...
@overload
def make_solver(
    game: Solvable, method: str | Method | None = None, *, seed: int = 0, workers: Any = None
) -> Solver: ...
def make_solver(
    game: Solvable, method: str | Method | None = None, *, seed: int = 0, workers: int | Executor | None = None
) -> Solver:
    """Return a new solver.

    Args:
        game: rules, which are compiled, or a form of a game, such as a tree, a simulator or a compiled spot of
            hold'em. A partition of a tree is solved in its classes and evaluated in the real game.
        method: a name in the table of the form (`METHODS`), or a value such as
            ``dataclasses.replace(CFR_PLUS, delay=10)``. Default: the method of the form.
        seed: random seed.
        workers: number of processes, or a `concurrent.futures.Executor`, for sampling methods; number of threads for
            the CFR family, on trees of 900,000 histories or more. They compile the rules too. The result does not
            depend on it.

    Raises:
        UnknownNameError: the method does not exist.
        ParameterError: the method does not accept the form or workers, or the seed is out of range.
        GameError: the argument is not a game, or not one that the method solves.

    >>> solver = td.make_solver(td.load_game("kuhn"), "cfr+")
    >>> solver.advance(10)
    >>> solver.iterations
    10
    """
    form, value = _checked_form(game, method, seed, workers)
    if isinstance(form, Partition):
        solver: Solver = partitioned_solver(form, value, seed, workers)
    else:
        solver = value.solver(form, seed, workers)
    if form.tree is not None and (apart := lp.sizes_apart(form.tree)):
        text = f"{value.name} needs payoffs of similar size; NashConv may stay large. {apart}"
        warnings.warn(text, RuntimeWarning, stacklevel=2)
    return solver


class _Options(TypedDict, total=False):
    """The keyword arguments of `solve`."""

    iterations: int | None
    until: float | None
    seconds: float | None
    nodes: int | None
    evaluator: Evaluator | None
    seed: int
    workers: int | Executor | None
    checkpoint: str | Path | None
    checkpoint_seconds: float
    progress: Callable[[Progress], None] | None
    interrupted: Callable[[], bool]
    observer: Callable[[Solver], None] | None


@overload
def solve(game: Tree | Partition, method: _Chosen = None, **options: Unpack[_Options]) -> Solution[Profile]: ...
@overload
def solve(game: Form, method: _Chosen = None, **options: Unpack[_Options]) -> Solution[Policy]: ...
@overload
def solve(game: Game | WithForm, method: _Chosen = None, **options: Unpack[_Options]) -> Solution: ...
def solve(
    game: Solvable,
    method: str | Method | None = None,
    *,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    evaluator: Evaluator | None = None,
    seed: int = 0,
    workers: int | Executor | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = 30.0,
    progress: Callable[[Progress], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
    observer: Callable[[Solver], None] | None = None,
) -> Solution:
    """Solve a game: run a method until the first stop rule holds, and evaluate it along the way.

    Args:
        game: see `make_solver`.
        method: see `make_solver`.
        iterations: stop after this number of iterations. Without any stop rule: the method's default, often 1,000.
        until: stop at this NashConv, or when the whole interval of another evaluator's figure is as good.
        seconds: stop after this time of solving.
        nodes: stop after this number of histories visited, for methods that count them.
        evaluator: `NashConv`, `HeadToHead`, `LearnedResponse`, `NoEvaluation`, ... Default: the evaluator of the form,
            which is `NashConv` on trees.
        seed: random seed.
        workers: see `make_solver`.
        checkpoint: folder to save the run in; `resume` continues it.
        checkpoint_seconds: seconds between checkpoints.
        progress: called about ten times a second.
        interrupted: called as often; once it returns True, the partial solution is returned as ``"interrupted"``.
        observer: called with the solver at each point of the curve, such as `Snapshots`.

    Returns:
        The solution with the strategy that the method reports: for the CFR family the better of the average and the
        last iterate, for fictitious play the average.

    Raises:
        UnknownNameError: the method does not exist.
        ParameterError: a value is out of range, the goal cannot be reached, or the method cannot use an argument.
        GameError: the argument is not a game, or not one that the method solves.
        RunError: the folder contains a run, or cannot be written.
        KeyboardInterrupt: raised at once; the run can be resumed from its checkpoint.

    >>> solution = td.solve(td.load_game("kuhn"), "cfr+", until=1e-3)
    >>> solution.nash_conv <= 1e-3, round(solution.values[0], 2)
    (True, -0.06)
    """
    record = make_record(checkpoint, checkpoint_seconds)
    goals = iterations, until, seconds, nodes
    form, value = _checked_form(game, method, seed, workers, goals)
    goal = make_goal(value, *goals)
    solver = make_solver(form, value, seed=seed, workers=workers)
    return drive(
        solver, goal, evaluator=evaluator, seed=seed, record=record, progress=progress, interrupted=interrupted,
        observer=observer,
    )  # fmt: skip


def make_goal(
    method: Method,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
) -> Goal:
    """Return the goal of a run; raise ParameterError if the method cannot reach or count it."""
    if (iterations, until, seconds, nodes) == (None, None, None, None):
        until = method.default_until
        iterations = method.default_iterations if until is None else None
    if nodes is not None and not method.counts_nodes:
        raise ParameterError(f"{method.name} does not count nodes; only sampling methods do.")
    goal, delay = Goal(iterations, until, seconds, nodes), method.delay
    if goal.iterations is not None and goal.iterations <= delay:
        raise ParameterError(
            f"delay {delay} must be less than the {goal.iterations} iterations; choose a smaller delay."
        )
    return goal
