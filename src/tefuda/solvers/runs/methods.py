"""All methods by name, and the public functions that run them: make_solver, solve."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, TypedDict, Unpack, overload

from tefuda.errors import ParameterError, UnknownNameError, check_seed, wrong_type
from tefuda.evaluating.profile import Profile
from tefuda.forms.compile import compile_game
from tefuda.forms.form import Form, Saved, rebuilt
from tefuda.forms.partition import Partition
from tefuda.forms.tree import Tree
from tefuda.games.own import load_named
from tefuda.games.protocol import Game, own_function
from tefuda.lazy import load_reference
from tefuda.settings import option_fields, with_options
from tefuda.solvers.exact import cfr, fictitious, lp
from tefuda.solvers.exact.partitioned import partitioned_solver
from tefuda.solvers.learned import neural, nfsp
from tefuda.solvers.protocol import AnyMethod, Policy, Solver, TreeSolver
from tefuda.solvers.runs.driver import Goal, Progress, drive, new_record
from tefuda.solvers.runs.evaluators import Evaluator
from tefuda.solvers.runs.solution import Solution
from tefuda.solvers.sampled import mccfr, oos

_ALL: tuple[AnyMethod, ...] = (
    *cfr.FAMILY, lp.LP, fictitious.XFP, fictitious.FSP, *mccfr.FAMILY, oos.OOS, *nfsp.FAMILY, *neural.FAMILY,
)  # fmt: skip
METHODS: dict[str, AnyMethod] = {method.name: method for method in _ALL}
#: The recommended method; docs/methods.md compares all.
DEFAULT = Form.method


def find_method(
    method: str | AnyMethod, changes: Mapping[str, Any] | None = None, table: Mapping[str, AnyMethod] = METHODS
) -> AnyMethod:
    """Return a method with some options changed.

    Args:
        method: a name in the table; ``"FILE.py:NAME"`` or ``"module:NAME"``, a method of the user; or a method.
        changes: values of options by their names.
        table: the methods of a form by name.

    Raises:
        UnknownNameError: there is no such method, or it has no such option.
        ParameterError: a value out of range, or a file that cannot be loaded.

    >>> td.find_method("cfr+", {"delay": 10}).delay
    10
    """
    if isinstance(method, str) and ":" in method:
        method = load_named(method, "method")
    elif isinstance(method, str):
        if method not in table:
            raise UnknownNameError("method", method, table)
        method = table[method]
    if not isinstance(method, AnyMethod):
        raise wrong_type("a method, or its name,", method, "A method of your own derives from AnyMethod.")
    if not changes:
        return method
    if "name" in changes:
        raise UnknownNameError(f"option of method {method.name}", "name", option_fields(type(method)).keys() - {"name"})
    return with_options(method, changes, f"method {method.name}")


def unit_of(parameters: Mapping[str, Any]) -> str:
    """Return the word for a method's unit by its parameters: "iterations", unless a method of `METHODS` has another."""
    method = alike(parameters, METHODS)
    return method.unit if method else "iterations"


def alike(parameters: Mapping[str, Any], table: Mapping[str, AnyMethod]) -> AnyMethod | None:
    """Return the method of this name in a table, or else one with these options; None if there is none."""
    families = (method for method in table.values() if parameters.keys() <= option_fields(type(method)).keys())
    return table.get(parameters["name"]) or next(families, None)


#: The things that can be solved: forms of a game, rules, and objects that bring a form (``own_form``).
Solvable = Form | Game


def own_form(game: Any) -> Any:
    """Return the form that an object brings by its ``own_form``; else the object."""
    bring = None if isinstance(game, Form) else own_function(game, "own_form")
    return game if bring is None else bring()


def chosen_method(form: Any, method: str | AnyMethod | None) -> AnyMethod:
    """Return a method of a form or of rules by name; the default one if none is given."""
    if isinstance(method, AnyMethod):
        return method
    if not isinstance(form, Form):
        return find_method(DEFAULT if method is None else method)
    return find_method(form.method if method is None else method, table=load_reference(form.methods))


def form_of(game: Any, method: AnyMethod) -> Form:
    """Return a form of a game that a method accepts: rules are compiled, or else represented as the method prefers."""
    if isinstance(game, Form):
        form: Form = game
    elif "tree" in method.accepts or not method.accepts:
        form = compile_game(game)
    else:
        form = rebuilt(method.accepts[0], game, Saved())
    if form.representation not in method.accepts:
        raise ParameterError(
            f"{method.name} solves games as {' or '.join(method.accepts)}; got {form.game.title} as "
            f"{form.representation}. Choose another method, or another form of the game."
        )
    return form


@overload
def make_solver(
    game: Tree | Partition, method: str | AnyMethod | None = None, *, seed: int = 0, workers: Any = None
) -> TreeSolver: ...
@overload
def make_solver(
    game: Solvable, method: str | AnyMethod | None = None, *, seed: int = 0, workers: Any = None
) -> Solver: ...
def make_solver(
    game: Solvable, method: str | AnyMethod | None = None, *, seed: int = 0, workers: int | Executor | None = None
) -> Solver:
    """Return a new solver.

    Args:
        game: a form of a game: a tree; a partition of a tree, solved in its classes and evaluated in the real game; a
            simulator; a compiled spot of hold'em; ... Or rules, which are compiled.
        method: a name in the table of the form (`METHODS`), or a value such as
            ``dataclasses.replace(CFR_PLUS, delay=10)``; the default of the form unless given.
        seed: random seed.
        workers: processes, or a `concurrent.futures.Executor`, for methods that work in batches; the result does not
            depend on them.

    Raises:
        UnknownNameError: there is no such method.
        ParameterError: the method does not accept the form, or workers; or a seed out of range.
        GameError: the argument is no game, or none that the method solves.

    >>> solver = td.make_solver(td.load_game("kuhn"), "cfr+")
    >>> solver.advance(10)
    >>> solver.iterations
    10
    """
    check_seed(seed)
    game = own_form(game)
    value = chosen_method(game, method)
    if workers is not None and not value.parallel:
        raise ParameterError(f"{value.name} works in one process; leave workers out, or choose a parallel method.")
    form = form_of(game, value)
    if isinstance(form, Partition):
        return partitioned_solver(form, value, seed, workers)
    return value.solver(form, seed, workers)


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


_Chosen = str | AnyMethod | None


@overload
def solve(game: Tree | Partition, method: _Chosen = None, **options: Unpack[_Options]) -> Solution[Profile]: ...
@overload
def solve(game: Form, method: _Chosen = None, **options: Unpack[_Options]) -> Solution[Policy]: ...
@overload
def solve(game: Game, method: _Chosen = None, **options: Unpack[_Options]) -> Solution: ...
def solve(
    game: Solvable,
    method: str | AnyMethod | None = None,
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
) -> Solution:
    """Solve a game: run a method until the first of the stop rules holds, and evaluate it along the way.

    Args:
        game: see `make_solver`.
        method: see `make_solver`.
        iterations: stop after this number of iterations; 1,000 if no rule is given.
        until: stop at this NashConv, or when the whole interval of another evaluator's figure is as good.
        seconds: stop after this time of solving.
        nodes: stop after this number of histories visited, for methods that count them.
        evaluator: `NashConv`, `HeadToHead`, `LearnedResponse`, `NoEvaluation`, ...; the form's default (`NashConv`
            on trees) unless given.
        seed: random seed.
        workers: see `make_solver`.
        checkpoint: a folder to save the run in; `resume` resumes it.
        checkpoint_seconds: seconds between checkpoints.
        progress: called about ten times a second.
        interrupted: called as often; once it returns True, the partial solution is returned, with the status
            ``"interrupted"``.

    Returns:
        The solution. Its strategy is the method's answer: the better of the average and the last iterate for the CFR
        family, the average for fictitious play.

    Raises:
        UnknownNameError: there is no such method.
        ParameterError: a value out of range, a goal that cannot be reached, or an argument that the method cannot use.
        GameError: the argument is no game, or none that the method solves.
        RunError: the folder holds a run, or cannot be written.
        KeyboardInterrupt: by the user, at once; the run can be resumed from its checkpoint.

    >>> solution = td.solve(td.load_game("kuhn"), "cfr+", until=1e-3)
    >>> solution.nash_conv <= 1e-3, round(solution.values[0], 2)
    (True, -0.06)
    """
    record = new_record(checkpoint, checkpoint_seconds)
    game = own_form(game)
    value = chosen_method(game, method)
    goal = find_goal(value, iterations, until, seconds, nodes)
    solver = make_solver(game, value, seed=seed, workers=workers)
    return drive(
        solver, goal, evaluator=evaluator, seed=seed, record=record, progress=progress, interrupted=interrupted
    )


def find_goal(
    method: AnyMethod,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
) -> Goal:
    """Return the goal of a run; refuse one that leaves nothing to average, or that the method cannot count."""
    if (iterations, until, seconds, nodes) == (None, None, None, None):
        iterations, until = (method.enough, None) if method.close_enough is None else (None, method.close_enough)
    if nodes is not None and not method.counts_nodes:
        raise ParameterError(f"{method.name} visits no single histories; sampling methods count nodes.")
    goal, delay = Goal(iterations, until, seconds, nodes), method.delay
    if goal.iterations is not None and goal.iterations <= delay:
        raise ParameterError(
            f"delay {delay} leaves nothing to average in {goal.iterations} iterations; choose a smaller delay."
        )
    return goal
