"""Saved runs: resume a run, or load its solution."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, RunError, UnknownNameError
from tefuda.evaluating.profile import Profile
from tefuda.evaluating.values import evaluate as evaluate_profile
from tefuda.forms.arrays import finite_numbers
from tefuda.forms.builder import BuildProgress
from tefuda.forms.form import Form, Saved, form_class
from tefuda.forms.rules import RulesForm
from tefuda.forms.tree import Tree
from tefuda.games.catalogue import GAMES, is_registered, load_game
from tefuda.games.protocol import Game
from tefuda.lazy import load_reference
from tefuda.settings import with_options
from tefuda.solvers.protocol import Method
from tefuda.solvers.runs.driver import Progress, Record, drive, goal_of_run
from tefuda.solvers.runs.evaluators import (
    Evaluation,
    Evaluator,
    NashConv,
    RecordedEvaluator,
    recorded_evaluator,
    reported_strategy,
    require_evaluator,
)
from tefuda.solvers.runs.methods import Solvable, find_method, make_goal, make_solver, matching_method, own_form
from tefuda.solvers.runs.run import (
    check_same_game,
    naming,
    profile_digest,
    read_checkpoint,
    read_curve,
    read_form,
    read_run,
)
from tefuda.solvers.runs.solution import Solution


def resume(
    folder: str | Path,
    *,
    game: Solvable | None = None,
    method: str | Method | None = None,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    evaluator: Evaluator | None = None,
    workers: int | Executor | None = None,
    checkpoint_seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    building: BuildProgress | None = None,
    interrupted: Callable[[], bool] = lambda: False,
) -> Solution:
    """Resume a run that was interrupted or finished.

    Args:
        folder: folder of the run.
        game: the game or form of the run. Needed if `load_game` does not know the game, or if the form is not the
            method's default.
        method: the method. Needed if the user defined it: nothing in a run is ever executed.
        iterations: new goal, counted from the start of the run. Default: the goal of the run.
        until: see `iterations` and `solve`.
        seconds: see `iterations` and `solve`.
        nodes: see `iterations` and `solve`.
        evaluator: the run's evaluator. Needed if it is neither the default of the form nor `NoEvaluation`.
        workers: see `make_solver`; it may differ from the start of the run.
        checkpoint_seconds: seconds between checkpoints. Default: those of the run.
        progress: see `solve`.
        building: called with the number of histories compiled.
        interrupted: see `solve`.

    Returns:
        The solution of the whole run.

    Raises:
        RunError: the run is damaged, belongs to another game, or was written by another version.

    >>> solution = td.solve(td.load_game("kuhn"), "cfr+", iterations=10, checkpoint="kuhn-run")
    >>> td.resume("kuhn-run", iterations=20).iterations
    20
    """
    folder, content = Path(folder), read_run(folder)
    with naming(folder):
        form = form_of_run(folder, content, game, building)
        solver = make_solver(form, method_of_run(content, form, method), seed=content["seed"], workers=workers)
        evaluator = evaluator_of_run(content, form, evaluator)
    given = (iterations, until, seconds, nodes)
    goal = goal_of_run(content) if set(given) == {None} else make_goal(solver.method, *given)
    every = content["settings"].get("checkpoint_seconds", 30.0) if checkpoint_seconds is None else checkpoint_seconds
    return drive(
        solver, goal, evaluator=evaluator, seed=content["seed"], record=Record(folder, every), resumed=True,
        progress=progress, interrupted=interrupted,
    )  # fmt: skip


def load(
    folder: str | Path,
    game: Solvable | None = None,
    *,
    method: str | Method | None = None,
    building: BuildProgress | None = None,
) -> Solution:
    """Load the solution of a saved run, finished or not, without iterating or writing files.

    Args:
        folder: folder of the run.
        game: see `resume`.
        method: see `resume`.
        building: called with the number of histories compiled.

    Returns:
        The solution. An exact evaluator evaluates it again; otherwise it has the saved figure.

    Raises:
        RunError: the run is missing or damaged, or belongs to another version or game.

    >>> saved = td.solve(td.load_game("kuhn"), "cfr+", iterations=10).save("run")
    >>> td.load("run").iterations
    10
    """
    folder, content = Path(folder), read_run(folder)
    with naming(folder):
        form = form_of_run(folder, content, game, building)
        evaluator = recorded_evaluator(content, form) or RecordedEvaluator(content)
        evaluation, done = _evaluation(folder, content, form, evaluator, method)
    return Solution(
        form=form,
        method=content["method_parameters"],
        evaluation=evaluation,
        curve=read_curve(folder, evaluator, done["iterations"]),
        evaluator=evaluator,
        run=str(folder),
        **{name: content[name] for name in ("seed", "status", "stop", "settings", "reported")},
        **done,
    )


def _evaluation(
    folder: Path, content: dict[str, Any], form: Form, evaluator: Evaluator, method: str | Method | None
) -> tuple[Evaluation, dict[str, Any]]:
    """Return the evaluation of a run, and its iterations, seconds and nodes.

    An exact figure is computed unless run.json has that of the saved strategy: a run that was killed while it was
    saved has a newer strategy.
    """
    done = {name: content[name] for name in ("iterations", "seconds", "nodes")}
    if form.tree is not None:
        profile = Profile.load(folder / "profile.npz", form.tree)
        if not isinstance(evaluator, NashConv):
            return Evaluation(content["iterate"], profile, *_saved_figures(content)), done
        if content.get("profile") == profile_digest(profile):
            return Evaluation(content["iterate"], profile, *_saved_figures(content), _saved_values(content, form)), done
        exact = evaluate_profile(profile)
        conv = exact.nash_conv
        return Evaluation(content["iterate"], profile, conv, conv, conv, tuple(exact.values.tolist())), done
    solver = make_solver(form, method_of_run(content, form, method), seed=content["seed"])
    with closing(solver):
        _, seconds = read_checkpoint(folder, solver, evaluator)
        if not evaluator.exact:
            return Evaluation(*reported_strategy(solver), *_saved_figures(content)), done
        done = {"iterations": solver.iterations, "seconds": seconds, "nodes": solver.nodes}
        return evaluator.evaluate(solver), done


def _saved_figures(content: dict[str, Any]) -> tuple[float, float, float]:
    """Return the figure of a run and its interval; nan for null in run.json."""
    saved = content["figure"]
    figure, low, high = (math.nan if saved[key] is None else float(saved[key]) for key in ("value", "low", "high"))
    return figure, low, high


def _saved_values(content: dict[str, Any], form: Form) -> tuple[float, ...]:
    """Return the values of the players in run.json."""
    try:
        return tuple(finite_numbers("values", content.get("values"), form.players).tolist())
    except ParameterError as error:
        raise RunError(f"run.json is damaged: {error} Use an intact copy.") from None


def form_of_run(
    folder: Path, content: Mapping[str, Any], game: Solvable | None = None, building: BuildProgress | None = None
) -> Form:
    """Return the form of a run: rebuilt, or the given form if it is the same."""
    representation, saved = read_form(folder, content)
    game = own_form(game)
    if isinstance(game, Tree) and saved.arrays:  # their shapes are those of the run's tree
        check_same_game(folder, content, game)
    if isinstance(game, RulesForm) and representation == game.representation:
        form: Form = replace(RulesForm.build(game.game, saved), memory=game.memory)  # the limit may have changed
    elif isinstance(game, Form) and (game.representation == representation or not isinstance(game, (Tree, RulesForm))):
        form = game
        _check_same_form(game, representation, saved)
    else:
        rules: Any = game_of_run(content) if game is None else game.game if isinstance(game, RulesForm) else game
        form = form_class(representation).build(rules, saved, building)
    check_same_game(folder, content, form)
    return form


def _check_same_form(form: Form, representation: str, saved: Saved) -> None:
    """Raise ParameterError unless a form is the same as the saved one."""
    own = form.saved()
    same_arrays = all(np.array_equal(own.arrays.get(name, ()), array) for name, array in saved.arrays.items())
    if (form.representation, own.fields) != (representation, saved.fields) or not same_arrays:
        raise ParameterError(
            f"the run must be resumed with its form {representation} {saved.fields}, got {form.representation} "
            f"{own.fields}."
        )


def evaluator_of_run(content: Mapping[str, Any], form: Form, given: Evaluator | None = None) -> Evaluator:
    """Return the evaluator of a run; a given evaluator must be the same."""
    evaluator, saved = require_evaluator(given) or recorded_evaluator(content, form), content["evaluator"]
    if evaluator is None or evaluator.parameters() != saved:
        got = f"got {evaluator.parameters()}" if evaluator else "pass it as evaluator="
        raise ParameterError(f"the run must be resumed with its evaluator {saved}; {got}.")
    return evaluator


def method_of_run(content: Mapping[str, Any], form: Form, given: str | Method | None = None) -> Method:
    """Return the method of a run with its options; a given method must be the same."""
    saved, table = dict(content["method_parameters"]), load_reference(form.methods)
    if given is not None:
        chosen = find_method(given, table=table)
        if chosen.parameters() != saved:
            raise ParameterError(f"the run must be resumed with its method {saved}, got {chosen.parameters()}.")
        return chosen
    value = matching_method(saved, table)
    if value is None or "source" in saved:
        raise ParameterError(
            f"the run has {saved['name']!r}, a method of the user; pass it as method= in Python, or as --method "
            "FILE.py:NAME on the command line."
        )
    method: Method = with_options(value, saved, f"method {saved['name']}")
    if missing := [name for name, value in method.parameters().items() if name not in saved or saved[name] != value]:
        raise ParameterError(f"the method's parameters must contain every option; {missing[0]} is missing.")
    return method


def game_of_run(content: Mapping[str, Any], name: str = "") -> Game:
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
