"""Solving a spot: the one driver's stop rules, progress, curve, checkpoints and resume, over all hands at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tefuda.errors import ParameterError, RunError, SizeError, UnknownNameError, check_range
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.game import SpotGame
from tefuda.holdem.spots.size import PRECISIONS, SpotSize, size_of
from tefuda.holdem.spots.solver import DEFAULT, METHODS, Exploitability, HandMethod, HandSolver
from tefuda.holdem.spots.spot import Spot
from tefuda.holdem.spots.walking import check_threads
from tefuda.solvers.exact.cfr import Method
from tefuda.solvers.protocol import SPOT_FORMS
from tefuda.solvers.runs.driver import Goal, Past, Progress, drive, go_on, new_record
from tefuda.solvers.runs.methods import find_method as find_rule
from tefuda.solvers.runs.methods import game_of_run
from tefuda.solvers.runs.run import check_held, check_same_game, naming, read_checkpoint, read_run
from tefuda.solvers.runs.solution import Solution
from tefuda.words import count

MEMORY = 8e9  # bytes a spot may take unless told otherwise


def find_method(name: str | HandMethod = DEFAULT, precision: str | None = None) -> HandMethod:
    """A method over hands by its name in `solver.METHODS`, or the value itself, in another precision if one is given.

    Raises:
        UnknownNameError: there is none of that name.
    """
    if not isinstance(name, HandMethod) and name not in METHODS:
        raise UnknownNameError("method over hands", name, METHODS)
    value = name if isinstance(name, HandMethod) else METHODS[name]
    return value if precision is None else replace(value, precision=precision)


def require_room(size: SpotSize, precision: str, memory: float) -> None:
    """Raise SizeError if a spot takes more memory than it may."""
    check_range("memory", memory, 0, whole=False)
    wanted = size.bytes(precision)
    if wanted > memory:
        raise SizeError(
            f"the spot takes {wanted / 1e9:.2f} GB ({count(size.decisions, 'decision nodes')} on "
            f"{count(size.boards, 'boards')}); {memory / 1e9:.2f} GB are allowed. Give fewer sizes or a later street, "
            f"or allow more: memory={1.1 * wanted:.0g}."
        )


def solve_spot(
    spot: Spot,
    method: str | HandMethod = DEFAULT,
    *,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    precision: str | None = None,
    threads: int = 1,
    memory: float = MEMORY,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = 30.0,
    progress: Callable[[Progress], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
) -> Solution:
    """Solve a spot, judging it along the way.

    Args:
        spot: what is solved.
        method: a name in `solver.METHODS`, or a value.
        iterations: stop after so many; at 0.5 % of the pot if no rule is given.
        until: stop at this exploitability, NashConv / 2 in percent of the starting pot.
        seconds: stop after so much solving.
        precision: ``"half"``, ``"single"`` or ``"double"``; the method's own unless given.
        threads: over how many the boards after the first are spread; the same bits come out.
        memory: bytes it may take.
        checkpoint: a folder to keep the run in; `resume_spot` goes on from there.
        checkpoint_seconds: how often it is refreshed.
        progress: told how far the run is.
        interrupted: asked now and then; once it says so, what there is is returned.

    Returns:
        A solution; its `policy` is a `strategy.SpotStrategy`, its values chips of both from the pot.

    Raises:
        SizeError: it takes more memory than it may.
    """
    value = find_method(method, precision)
    check_threads(spot.street, threads)
    require_room(size_of(spot), value.precision, memory)
    goal = Goal(iterations, 0.5 if (iterations, until, seconds) == (None, None, None) else until, seconds)
    record = new_record(checkpoint, checkpoint_seconds)
    solver = HandSolver(SpotGame(spot), value, compile_spot(spot), threads)
    return drive(solver, goal, judge=Exploitability(), record=record, progress=progress, interrupted=interrupted)


def resume_spot(
    folder: str | Path,
    *,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    threads: int = 1,
    progress: Callable[[Progress], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
) -> Solution:
    """Go on with a run of a spot, or look at it: with no new goal a finished run is returned as it is.

    Args:
        folder: the run.
        iterations: a new goal, counted from the very start; the run's own unless any goal is given.
        until: likewise.
        seconds: likewise.
        threads: see `solve_spot`; any number goes on with what another made.
        progress: told how far the run is.
        interrupted: see `solve_spot`.

    Raises:
        RunError: the run is damaged, of another game, or written by a newer version.
        ParameterError: it is no run of a spot.
    """
    content, solver = _kept(Path(folder), threads)
    goal = None if (iterations, until, seconds) == (None, None, None) else Goal(iterations, until, seconds)
    return go_on(Path(folder), content, solver, Exploitability(), goal=goal, progress=progress, interrupted=interrupted)


def read_spot_run(folder: str | Path) -> Solution:
    """What a run of a spot has found so far; nothing is solved and nothing is written.

    Args:
        folder: the run, finished or not.

    Raises:
        RunError: see `resume_spot`; or there has been no iteration yet.
        ParameterError: it is no run of a spot.
    """
    content, solver = _kept(Path(folder))
    past = Past(*read_checkpoint(Path(folder), solver, Exploitability()))
    if not solver.iterations:
        raise RunError(f"{folder} holds no iteration yet: tefuda holdem solve --resume {folder}.")
    found = drive(solver, Goal(solver.iterations), judge=Exploitability(), past=past)
    return replace(found, status=content["status"], stop=content["stop"], run=str(folder))


def _kept(folder: Path, threads: int = 1) -> tuple[dict[str, Any], HandSolver]:
    """What is written of a run of a spot, and a new solver of its game and method."""
    content = read_run(folder)
    with naming(folder):
        check_held(folder, content, SPOT_FORMS)
        game = game_of_run(content)
        if not isinstance(game, SpotGame):
            raise RunError(f"{folder} is damaged: {content['game']} is no spot. Use an intact copy.")
        solver = HandSolver(game, method_of(content["method_parameters"]), threads=threads)
        check_same_game(folder, content, solver.game)
    return content, solver


def method_of(parameters: Mapping[str, Any]) -> HandMethod:
    """The method of a run.

    Raises:
        ParameterError: it is none, or one of its fields is not what it must be.
    """
    try:
        name, rule, precision = str(parameters["name"]), dict(parameters["rule"]), parameters["precision"]
        return HandMethod(name, find_rule(Method(str(rule.pop("name"))), rule), precision)  # type: ignore[arg-type]
    except (KeyError, TypeError, ValueError) as error:
        raise ParameterError(f"the run's method {dict(parameters)} cannot be read: {error}") from None


__all__ = [
    "MEMORY",
    "PRECISIONS",
    "find_method",
    "method_of",
    "read_spot_run",
    "require_room",
    "resume_spot",
    "solve_spot",
]
