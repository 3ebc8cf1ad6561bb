"""All methods by name, and the public ways to run them: make_solver, solve, resume."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from tefuda.errors import ParameterError, RunError, UnknownNameError, check_seed, instead_of, shortened
from tefuda.forms.compile import BuildProgress, compile_game
from tefuda.forms.partition import Partition
from tefuda.forms.rules_simulator import RulesSimulator, simulate_rules
from tefuda.forms.simulate import OWN, Simulator, TreeSimulator, is_simulator
from tefuda.forms.tree import Tree
from tefuda.games.catalogue import GAMES, is_named, load_game
from tefuda.games.own import load_named
from tefuda.games.protocol import Game
from tefuda.settings import changed, known
from tefuda.solvers.exact import cfr, fictitious, lp
from tefuda.solvers.exact.partitioned import partition_kept, partitioned_solver
from tefuda.solvers.learned import neural, nfsp
from tefuda.solvers.protocol import HERE, AnyMethod, Solver
from tefuda.solvers.runs.driver import Goal, Progress, drive, go_on, new_record
from tefuda.solvers.runs.judges import Judge, judge_named, require_judge
from tefuda.solvers.runs.run import check_held, check_same_game, naming, read_run
from tefuda.solvers.runs.solution import Solution
from tefuda.solvers.sampled import mccfr, oos

_ALL: tuple[AnyMethod, ...] = (
    *cfr.FAMILY, lp.LP, fictitious.XFP, fictitious.FSP, *mccfr.FAMILY, oos.OOS, *nfsp.FAMILY, *neural.FAMILY,
)  # fmt: skip
METHODS: dict[str, AnyMethod] = {method.name: method for method in _ALL}
#: The recommended method: of all the fastest to 1e-6 and 1e-9 on Leduc and goofspiel 5, and to 1e-3 within a tenth of a
#: second everywhere (docs/methods.md; on Kuhn and liar's dice 4 predictive methods need fewer iterations).
DEFAULT = "ema"


def find_method(method: str | AnyMethod, changes: Mapping[str, Any] | None = None) -> AnyMethod:
    """Return a method by its name in `METHODS`, or the value itself, with some fields changed.

    Args:
        method: a name in `METHODS`; ``"FILE.py:NAME"`` or ``"module:NAME"``, a method of the user; or a method.
        changes: values of fields by their names.

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
        if method not in METHODS:
            raise UnknownNameError("method", method, METHODS)
        method = METHODS[method]
    if not isinstance(method, AnyMethod):
        raise ParameterError(
            f"a method, or its name, is wanted here; got {shortened(method)}.{instead_of(method)} A method of your own "
            f"derives from AnyMethod."
        )
    if not changes:
        return method
    if "name" in changes:
        raise UnknownNameError(f"option of method {method.name}", "name", known(type(method)).keys() - {"name"})
    return changed(method, changes, f"method {method.name}")


def unit_of(name: str) -> str:
    """Return the word for a method's steps by its name: "iterations", "games" or "solves".

    A caller's own methods are in no table: theirs are "iterations".
    """
    return METHODS[name].unit if name in METHODS else "iterations"


#: What can be solved: a tree, one with infosets merged, rules (they are compiled), or a tree or rules as a simulator.
Solvable = Tree | Partition | Game | Simulator


def make_solver(
    game: Solvable, method: str | AnyMethod = DEFAULT, *, seed: int = 0, workers: int | Executor | None = None
) -> Solver:
    """A solver that has done nothing yet; see `protocol.Solver` for what it can do.

    Args:
        game: a tree; rules, which are compiled; a partition of a tree, solved in its classes and judged in the real
            game; or a simulator of a tree or rules, for methods that learn over simulators.
        method: a name in `METHODS`, or a value such as ``dataclasses.replace(CFR_PLUS, delay=10)``.
        seed: of the random numbers, for methods that draw any.
        workers: processes, or a `concurrent.futures.Executor`, for methods that work in batches; the result is the
            same whatever they are.

    Returns:
        A solver with `advance`, `average`, `current`, `state` and `restore`.

    Raises:
        UnknownNameError: no such method.
        ParameterError: the method does not spread over workers, or not learn over simulators, or a seed out of range.
        GameError: what is given is no game, or none that the method solves.

    >>> solver = td.make_solver(td.load_game("kuhn"), "cfr+")
    >>> solver.advance(10)
    >>> solver.iterations
    10
    """
    check_seed(seed)
    value = find_method(method)
    if is_simulator(game):
        if workers is not None:
            raise ParameterError(f"{value.name} learns over a simulator in one process; leave workers out.")
        return value.simulated(game, seed)
    if isinstance(game, Partition):
        return partitioned_solver(game, value, seed, workers)
    tree = game if isinstance(game, Tree) else compile_game(game)
    return value.solver(tree, seed) if workers is None else value.spread(tree, seed, workers)


def solve(
    game: Solvable,
    method: str | AnyMethod = DEFAULT,
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
        method: a name in `METHODS`, or a method value.
        iterations: stop after so many; 1,000 if no rule is given.
        until: stop at this NashConv, or at this figure of the judge, its whole interval being as good.
        seconds: stop after so much solving.
        nodes: stop after so many histories visited, for methods that count them.
        judge: what says along the way how good the answer is: `NashConv` (of compiled games, unless given),
            `HeadToHead`, `LearnedResponse`, or `Unjudged`.
        seed: of the random numbers, for methods that draw any.
        workers: see `make_solver`.
        checkpoint: a folder to keep the run in; `resume` goes on from there.
        checkpoint_seconds: how often it is refreshed.
        progress: told how far the run is, about ten times a second.
        interrupted: asked as often; once it says so, what there is is returned, with the status ``"interrupted"``.

    Returns:
        The solution. Its profile is the method's answer: the better of the average and the last iterate for the CFR
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
    value = find_method(method)
    goal = find_goal(value, iterations, until, seconds, nodes)
    record = new_record(checkpoint, checkpoint_seconds)
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
        iterations = method.enough
    if nodes is not None and not method.counts_nodes:
        raise ParameterError(f"{method.name} visits no single histories; sampling methods count nodes.")
    goal, delay = Goal(iterations, until, seconds, nodes), method.delay
    if goal.iterations is not None and goal.iterations <= delay:
        raise ParameterError(
            f"delay {delay} leaves nothing to average in {goal.iterations} iterations; choose a smaller delay."
        )
    return goal


def resume(
    folder: str | Path,
    *,
    game: Solvable | None = None,
    method: str | AnyMethod | None = None,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    judge: Judge | None = None,
    workers: int | Executor | None = None,
    checkpoint_seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    building: BuildProgress | None = None,
    interrupted: Callable[[], bool] = lambda: False,
) -> Solution:
    """Go on with a run that was interrupted or finished.

    Args:
        folder: the run.
        game: its game, if it is not one of `load_game`'s, or a simulator that was made otherwise than by default.
        method: the method, if it is one of the user: what a run says is never executed.
        iterations: a new goal, counted from the very start; the run's own unless any goal is given.
        until: likewise.
        seconds: likewise.
        nodes: likewise.
        judge: the run's; to be given if it is neither NashConv nor none.
        workers: see `make_solver`; they need not be those of the run's start.
        checkpoint_seconds: how often it is refreshed; as before unless given.
        progress: told how far the run is.
        building: told how many histories are compiled.
        interrupted: see `solve`.

    Returns:
        The solution of the whole run.

    Raises:
        RunError: the run is damaged, of another game, or written by a newer version.

    >>> kept = td.solve(td.load_game("kuhn"), "cfr+", iterations=10, checkpoint="kept")
    >>> td.resume("kept", iterations=20).iterations
    20
    """
    folder, content = Path(folder), read_run(folder)
    with naming(folder):
        form = form_of_run(folder, content, game, building)
        check_same_game(folder, content, form if isinstance(form, Tree) else form.game)
        solver = make_solver(form, method_of_run(content, method), seed=content["seed"], workers=workers)
        judge = judge_of_run(content, judge)
    given = (iterations, until, seconds, nodes)
    goal = None if set(given) == {None} else find_goal(solver.method, *given)
    return go_on(
        folder, content, solver, judge, goal=goal, every=checkpoint_seconds, progress=progress, interrupted=interrupted
    )


def form_of_run(
    folder: Path, content: Mapping[str, Any], game: Solvable | None = None, building: BuildProgress | None = None
) -> Tree | Partition | Simulator:
    """A run's game as the run holds it: a tree, one with infosets merged, or a simulator.

    Args:
        folder: of the run; the classes of a partition are in its checkpoint.
        content: of run.json.
        game: the game in any form, if it cannot be loaded by name.
        building: told how far compiling is.
    """
    check_held(folder, content, HERE)
    held = content.get("held", "tree")  # not before format 3
    if is_simulator(game) or isinstance(game, Partition):
        if game.held != held:
            raise ParameterError(f"the run holds its game as a {held!r}; it cannot go on over a {game.held!r}.")
        return game
    rules = game_of_run(content) if game is None else game
    if held in ("simulated rules", "simulated views", OWN):
        if isinstance(rules, Tree):
            raise ParameterError("the run steps the rules of its game; give the rules, not a tree.")
        return simulate_rules(rules) if held == OWN else RulesSimulator(rules, encoded=held == "simulated views")
    tree = rules if isinstance(rules, Tree) else compile_game(rules, progress=building)
    if held == Partition.held:
        check_same_game(folder, content, tree)
        return partition_kept(folder, tree)
    return TreeSimulator(tree) if held == "simulated tree" else tree


def judge_of_run(content: Mapping[str, Any], given: Judge | None = None) -> Judge:
    """The judge of a run: one curve has one judge.

    Args:
        content: of run.json.
        given: the judge somebody wants; it must be the run's, and is needed if the run's plays or learns.

    Raises:
        ParameterError: the run has another judge, or one that only its maker can make again.
    """
    known = judge_named(content)
    found = require_judge(given) or known
    kept = known.parameters() if known else content["judge"]
    if found is None or found.parameters() != kept:
        wanted = f"it cannot go on with {found.parameters()}" if found else "give that one again: judge="
        raise ParameterError(f"the run was begun with the judge {kept}; {wanted}.")
    return found


def method_of_run(content: Mapping[str, Any], given: str | AnyMethod | None = None) -> AnyMethod:
    """Return the method of a run: one in `METHODS` with all its options under the name it has there, or the given one.

    Args:
        content: content of run.json.
        given: the method of the run, needed if it is one of the user.

    Raises:
        ParameterError: a value out of range, options that do not say everything, or a given method that is not the
            run's.
    """
    kept = dict(content["method_parameters"])
    if given is not None:
        method = find_method(given)
        if method.parameters() != kept:
            raise ParameterError(f"the run must be resumed with its method {kept}, got {method.parameters()}.")
        return method
    alike = (method for method in METHODS.values() if kept.keys() <= known(type(method)).keys())
    value = METHODS.get(kept["name"]) or next(alike, None)
    if value is None or "source" in kept:
        raise ParameterError(
            f"the run was made with {kept['name']!r}, a method of the user. Give it again: method= in Python, "
            "--method FILE.py:NAME on the command line."
        )
    found = changed(value, kept, f"method {kept['name']}")
    if wrong := [name for name, value in found.parameters().items() if name not in kept or kept[name] != value]:
        raise ParameterError(f"the method's parameters must say every option; {wrong[0]} is missing.")
    return found


def game_of_run(content: Mapping[str, Any], name: str = "") -> Game:
    """The game a run was made for, built again from its name and parameters.

    Args:
        content: of run.json.
        name: ``"file.py:Class"``, for games of one's own: what a run says is never executed.

    Raises:
        RunError: it is not a game `load_game` knows.
    """
    try:
        if not name and not is_named(content["game"]):
            raise UnknownNameError("game", content["game"], GAMES)
        return load_game(name or content["game"], **content["game_parameters"])
    except (UnknownNameError, ParameterError) as error:
        if name:
            raise
        raise RunError(
            f"the run is of the game {content['game']!r}, which cannot be loaded by name ({error}). Name it again: "
            f"--game FILE.py:Class with show and evaluate, tefuda solve FILE.py:Class --resume RUN, game= in Python."
        ) from None
