"""All methods by name, and the public ways to run them: make_solver, solve."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from tefuda.errors import ParameterError, UnknownNameError, check_seed, wanted
from tefuda.forms.compile import compile_game
from tefuda.forms.form import Form, Saved, rebuilt
from tefuda.forms.partition import Partition
from tefuda.games.own import load_named
from tefuda.games.protocol import Game, own_function
from tefuda.lazy import referred
from tefuda.settings import changed, known
from tefuda.solvers.exact import cfr, fictitious, lp
from tefuda.solvers.exact.partitioned import partitioned_solver
from tefuda.solvers.learned import neural, nfsp
from tefuda.solvers.protocol import AnyMethod, Solver
from tefuda.solvers.runs.driver import Goal, Progress, drive, new_record
from tefuda.solvers.runs.judges import Judge
from tefuda.solvers.runs.solution import Solution
from tefuda.solvers.sampled import mccfr, oos

_ALL: tuple[AnyMethod, ...] = (
    *cfr.FAMILY, lp.LP, fictitious.XFP, fictitious.FSP, *mccfr.FAMILY, oos.OOS, *nfsp.FAMILY, *neural.FAMILY,
)  # fmt: skip
METHODS: dict[str, AnyMethod] = {method.name: method for method in _ALL}
#: The recommended method: of all the fastest to 1e-6 and 1e-9 on Leduc and goofspiel 5, and to 1e-3 within a tenth of a
#: second everywhere (docs/methods.md; on Kuhn and liar's dice 4 predictive methods need fewer iterations).
DEFAULT = Form.method


def find_method(
    method: str | AnyMethod, changes: Mapping[str, Any] | None = None, table: Mapping[str, AnyMethod] = METHODS
) -> AnyMethod:
    """Return a method by its name in a table, or the value itself, with some fields changed.

    Args:
        method: a name in the table; ``"FILE.py:NAME"`` or ``"module:NAME"``, a method of the user; or a method.
        changes: values of fields by their names.
        table: the methods of a form by name.

    Returns:
        A method value.

    Raises:
        UnknownNameError: there is no such method, or it has no such field.
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
        raise wanted("a method, or its name,", method, "A method of your own derives from AnyMethod.")
    if not changes:
        return method
    if "name" in changes:
        raise UnknownNameError(f"option of method {method.name}", "name", known(type(method)).keys() - {"name"})
    return changed(method, changes, f"method {method.name}")


def unit_of(parameters: Mapping[str, Any]) -> str:
    """Return the word for a method's steps by its parameters: "iterations", "games" or "solves".

    A caller's own kinds of methods are in no table: theirs are "iterations".
    """
    method = alike(parameters, METHODS)
    return method.unit if method else "iterations"


def alike(parameters: Mapping[str, Any], table: Mapping[str, AnyMethod]) -> AnyMethod | None:
    """Return the method of this name, or else one with these options, if a table of methods has any."""
    families = (method for method in table.values() if parameters.keys() <= known(type(method)).keys())
    return table.get(parameters["name"]) or next(families, None)


#: What can be solved: a form of a game, its rules, or an object that has a form of its own (``own_form``).
Solvable = Form | Game


def own_form(game: Any) -> Any:
    """Return the form that an object brings, its optional ``own_form``; else the object."""
    bring = None if isinstance(game, Form) else own_function(game, "own_form")
    return game if bring is None else bring()


def chosen_method(form: Any, method: str | AnyMethod | None) -> AnyMethod:
    """Return a method of a form, or of rules, by name; the default one if none is given."""
    if isinstance(method, AnyMethod):
        return method
    if not isinstance(form, Form):
        return find_method(DEFAULT if method is None else method)
    return find_method(form.method if method is None else method, table=referred(form.methods))


def form_of(game: Any, method: AnyMethod) -> Form:
    """Return a form of a game that a method accepts: rules are compiled, or else taken as the method prefers.

    Raises:
        ParameterError: the method accepts no such form.
        GameError: what is given is no game.
        SizeError: the game is too large to compile.
    """
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


def make_solver(
    game: Solvable, method: str | AnyMethod | None = None, *, seed: int = 0, workers: int | Executor | None = None
) -> Solver:
    """A solver that has done nothing yet; see `protocol.Solver` for what it can do.

    Args:
        game: a form of a game: a tree; a partition of a tree, solved in its classes and judged in the real game; a
            simulator; a compiled spot of hold'em; ... Or rules, which are compiled.
        method: a name in the table of the form (`METHODS`), or a value such as
            ``dataclasses.replace(CFR_PLUS, delay=10)``; the default of the form unless given.
        seed: of the random numbers, for methods that draw any.
        workers: processes, or a `concurrent.futures.Executor`, for methods that work in batches; the result is the
            same whatever they are.

    Returns:
        A solver with `advance`, `average`, `current`, `state` and `restore`.

    Raises:
        UnknownNameError: no such method.
        ParameterError: the method does not accept the form, or workers; or a seed out of range.
        GameError: what is given is no game, or none that the method solves.

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


def solve(
    game: Solvable,
    method: str | AnyMethod | None = None,
    *,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    judge: Judge | None = None,
    seed: int = 0,
    workers: int | Executor | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = 30.0,
    progress: Callable[[Progress], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
) -> Solution:
    """Solve a game: run a method until the first of the stop rules holds, judging it along the way.

    Args:
        game: see `make_solver`.
        method: see `make_solver`.
        iterations: stop after so many; 1,000 if no rule is given.
        until: stop at this NashConv, or at this figure of the judge, its whole interval being as good.
        seconds: stop after so much solving.
        nodes: stop after so many histories visited, for methods that count them.
        judge: the evaluator: `NashConv`, `HeadToHead`, `LearnedResponse`, `Unjudged`, ...; the default of the form
            (`NashConv` on trees) unless given.
        seed: of the random numbers, for methods that draw any.
        workers: see `make_solver`.
        checkpoint: a folder to keep the run in; `resume` goes on from there.
        checkpoint_seconds: how often it is refreshed.
        progress: told how far the run is, about ten times a second.
        interrupted: asked as often; once it says so, what there is is returned, with the status ``"interrupted"``.

    Returns:
        The solution. Its strategy is the method's answer: the better of the average and the last iterate for the CFR
        family, the average for fictitious play.

    Raises:
        UnknownNameError: no such method.
        ParameterError: a value out of range, a goal that cannot be reached, or what the method cannot use.
        GameError: what is given is no game, or none that the method solves.
        RunError: the folder holds a run, or cannot be written.
        KeyboardInterrupt: of the user, at once; what a checkpoint kept can be gone on with.

    >>> solution = td.solve(td.load_game("kuhn"), "cfr+", until=1e-3)
    >>> solution.nash_conv <= 1e-3, round(solution.values[0], 2)
    (True, -0.06)
    """
    record = new_record(checkpoint, checkpoint_seconds)
    game = own_form(game)
    value = chosen_method(game, method)
    goal = find_goal(value, iterations, until, seconds, nodes)
    solver = make_solver(game, value, seed=seed, workers=workers)
    return drive(solver, goal, judge=judge, seed=seed, record=record, progress=progress, interrupted=interrupted)


def find_goal(
    method: AnyMethod,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
) -> Goal:
    """The goal of a run, refused if it leaves nothing to average.

    Raises:
        ParameterError: a value out of range, a delay as long as the run, or nodes of a method that counts none.
    """
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
