"""Solving limit hold'em in buckets: the one driver's stop rules, progress, curve, checkpoints and resume."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tefuda.errors import ParameterError, RunError, SizeError, check_range
from tefuda.files import WHOLE, check_fields
from tefuda.holdem.hands.rules import TableRules
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.limit.buckets import cells
from tefuda.holdem.limit.graph import alike, betting_graph
from tefuda.holdem.limit.sampler import LimitPolicy, abstraction
from tefuda.holdem.limit.solver import BucketMethod, BucketSolver, LocalResponseJudge
from tefuda.playing.judge import PolicyAgent
from tefuda.solvers.protocol import BUCKETS
from tefuda.solvers.runs.driver import Progress, drive, go_on, new_record
from tefuda.solvers.runs.judges import Judge, Unjudged
from tefuda.solvers.runs.methods import find_goal, game_of_run, judge_of_run
from tefuda.solvers.runs.run import check_held, check_same_game, naming, read_checkpoint, read_run
from tefuda.solvers.runs.solution import Solution
from tefuda.words import Tell, count

MEMORY = 8e9  # bytes regrets and averages may take unless told otherwise
_BYTES = 8  # of each action: its regret and its part in the average


def _untold(text: str) -> None:
    """Nobody wants to know."""


def solve_limit(
    game: Holdem,
    method: BucketMethod = BucketMethod(),  # noqa: B008 (frozen)
    *,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    judge: Judge | None = None,
    seed: int = 0,
    memory: float = MEMORY,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = 30.0,
    tell: Tell = _untold,
    progress: Callable[[Progress], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
) -> Solution:
    """Solve limit hold'em by sampling, hands in buckets.

    Args:
        game: as ``load_game("holdem", limit=True)`` makes it.
        method: how many buckets.
        iterations: stop after so many; after a million if no rule is given.
        until: stop when the judge's whole interval is at most this.
        seconds: stop after so much solving.
        judge: `limit_solver.LocalResponseJudge` for two players, else nobody, unless given.
        seed: of deals and walks.
        memory: bytes it may take.
        checkpoint: a folder to keep the run in; `resume_limit` goes on from there.
        checkpoint_seconds: how often it is refreshed.
        tell: told how far putting hands into buckets is, which takes half a minute once.
        progress: told how far the run is.
        interrupted: asked now and then; once it says so, what there is is returned.

    Returns:
        A solution; its `policy` is a `sampler.LimitPolicy`.

    Raises:
        ParameterError: another game, or a value out of range.
        SizeError: it takes more memory than it may.
    """
    goal = find_goal(method, iterations, until, seconds)
    record = new_record(checkpoint, checkpoint_seconds)
    solver = _solver(game, method, seed, memory, tell)
    chosen = judge or (LocalResponseJudge() if game.players == 2 else Unjudged())
    return drive(solver, goal, judge=chosen, seed=seed, record=record, progress=progress, interrupted=interrupted)


def resume_limit(
    folder: str | Path,
    *,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    judge: Judge | None = None,
    tell: Tell = _untold,
    progress: Callable[[Progress], None] | None = None,
    interrupted: Callable[[], bool] = lambda: False,
) -> Solution:
    """Go on with a run of limit hold'em in buckets.

    Args:
        folder: the run.
        iterations: a new goal, counted from the very start; the run's own unless any goal is given.
        until: likewise.
        seconds: likewise.
        judge: the run's; to be given if it is neither a local best response nor none.
        tell: see `solve_limit`.
        progress: told how far the run is.
        interrupted: see `solve_limit`.

    Raises:
        RunError: the run is damaged, of another game, or written by a newer version.
        ParameterError: it is no such run.
    """
    content, solver = _kept(Path(folder), tell)
    judge = _judge(content, judge)
    given = (iterations, until, seconds)
    goal = None if given == (None, None, None) else find_goal(solver.method, *given)
    return go_on(Path(folder), content, solver, judge, goal=goal, progress=progress, interrupted=interrupted)


def read_limit_run(folder: str | Path, tell: Tell = _untold) -> LimitPolicy:
    """The average strategies of a run, finished or not; nothing is solved and nothing is written.

    Args:
        folder: the run.
        tell: see `solve_limit`.

    Raises:
        RunError: see `resume_limit`; or there has been no iteration yet.
        ParameterError: it is no such run.
    """
    content, solver = _kept(Path(folder), tell)
    read_checkpoint(Path(folder), solver, _judge(content))
    if not solver.iterations:
        raise RunError(f"{folder} holds no iteration yet: tefuda holdem limit --resume {folder}.")
    return solver.average()


def agent_of_run(game: Holdem, folder: Path, tell: Tell = _untold) -> PolicyAgent:
    """Who plays a run's average strategies at a table.

    Args:
        game: the table.
        folder: of the run.
        tell: see `solve_limit`.

    Raises:
        ParameterError: the run is of another table.
    """
    content = read_run(folder)
    check_held(folder, content, (BUCKETS,))
    own = _game(folder, content)
    if alike(own.rules) != alike(game.rules):
        raise ParameterError(f"{folder} plays {_told(own.rules)}; this is another table, {_told(game.rules)}.")
    betting_graph(game.rules)  # refuses stacks that may run out
    return PolicyAgent(folder.name or str(folder), read_limit_run(folder, tell))


def _told(rules: TableRules) -> str:
    """What of a table's rules a run depends on, in words."""
    kind = f"limit hold'em, {rules.cap} bets a street" if rules.limit else "hold'em without a limit"
    return f"{kind}, {rules.players} players, blinds {' and '.join(map(str, sorted(filter(None, rules.blinds))))}"


def _solver(game: Holdem, method: BucketMethod, seed: int, memory: float, tell: Tell) -> BucketSolver:
    """A new solver, refused before hands are put into buckets if it takes too much memory."""
    check_range("memory", memory, 0, whole=False)
    graph = betting_graph(game.rules)
    rows = graph.rows(method.buckets)
    if (wanted := _BYTES * rows) > memory:
        raise SizeError(
            f"{count(graph.nodes, 'turns')} with {count(rows, 'actions')} of buckets take {wanted / 1e9:.2f} GB; "
            f"{memory / 1e9:.2f} GB are allowed. Give fewer buckets or players, or allow more: "
            f"memory={1.1 * wanted:.0g}."
        )
    cells(method.cells, tell)
    return BucketSolver(game, method, seed, abstraction(graph, method.sorting))


def _kept(folder: Path, tell: Tell) -> tuple[dict[str, Any], BucketSolver]:
    """What is written of a run, and a new solver of its game and method."""
    content = read_run(folder)
    with naming(folder):
        check_held(folder, content, (BUCKETS,))
        game, method = _game(folder, content), method_of(content["method_parameters"])
        solver = _solver(game, method, content["seed"], MEMORY, tell)
        check_same_game(folder, content, solver.game)
    return content, solver


def _game(folder: Path, content: Mapping[str, Any]) -> Holdem:
    game = game_of_run(content)
    if not isinstance(game, Holdem):
        raise RunError(f"{folder} is damaged: {content['game']} is no table of hold'em. Use an intact copy.")
    return game


def method_of(parameters: Mapping[str, Any]) -> BucketMethod:
    """The method of a run.

    Raises:
        ParameterError: it is none of this family, or has a number out of range.
    """
    try:
        return BucketMethod(**parameters)  # fields that were not known then have their defaults
    except TypeError as error:
        raise ParameterError(f"the run's method {dict(parameters)} cannot be read: {error}.") from None


def _judge(content: Mapping[str, Any], given: Judge | None = None) -> Judge:
    """The judge of a run: one curve has one judge."""
    kept = dict(content.get("judge", {}))
    if given is None and kept.get("name") == LocalResponseJudge.name:
        check_fields("the run's judge", kept, {"deals": WHOLE, "seed": WHOLE})
        given = LocalResponseJudge(kept["deals"], kept["seed"])
    return judge_of_run(content, given)
