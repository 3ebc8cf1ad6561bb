"""Solving: one run, a comparison of methods, and sweeps over seeds."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Context, Option

from tefuda.apps.cli.shared import options, reading
from tefuda.apps.cli.shared.common import (
    GAME_OPTIONS,
    Section,
    allow_only,
    command,
    exit_by_status,
    flag,
    given_options,
    listed,
    notifying,
    refuse_options,
    report,
)
from tefuda.apps.cli.shared.interruption import on_interruption
from tefuda.apps.cli.shared.runs import goal_of, new_run_folder, resume_run, start_run, user_method
from tefuda.errors import ParameterError, UnknownNameError
from tefuda.words import escaped, non_negative


@command(
    context_settings=GAME_OPTIONS,
    **listed(
        Section.SOLVE,
        "tefuda solve leduc --iterations 10000 --out runs/leduc",
        "tefuda solve kuhn --players 3 --method cfr+ --delay 10 --iterations 1000",
        "tefuda solve --resume runs/leduc --iterations 20000",
    ),
)
@options.with_options(options.GOAL)
def solve(
    context: Context,
    *,
    game: Annotated[str, Argument(help="Name of a game, or file.py:Class.", autocompletion=options.game_names)] = "",
    method: Annotated[str, Option(help="Name of a method, or file.py:NAME.", autocompletion=options.method_names)] = "",
    seed: options.Seed = 0,
    nodes: Annotated[float | None, Option(help="Stop after visiting this many histories.")] = None,
    workers: Annotated[int | None, Option(help="Processes for sampling; threads for large trees.")] = None,
    change: Annotated[list[str] | None, Option("--set", help="Option of the method: --set alpha=2.")] = None,
    evaluator: Annotated[str, Option(help="nash-conv, bound, none, against:AGENT or learned.")] = "",
    abstract: Annotated[str, Option(help="Abstraction: lossless, strength=3, rank=3 or future=3:9.")] = "",
    dense: Annotated[bool, Option("--dense", help="Train networks on views, not on the tree.")] = False,
    exact: Annotated[bool, Option("--exact", help="Solve in rational numbers, with a certificate.")] = False,
    no_tree: Annotated[bool, Option("--no-tree", help="Sample the rules without compiling a tree.")] = False,
    memory: Annotated[float, Option(help="Bytes of tables without a tree; default: 2e9.", show_default=False)] = 2e9,
    png: options.Png = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Solve a game and save the run.

    Other options are parameters of the game (--players 3; see tefuda games NAME) or of the method (--delay 10; see
    tefuda methods NAME). --resume needs the game only if it is your own.
    """
    from tefuda.games.parameters import own_name

    if exact:
        allow_only(context, "--exact", ("exact", "as_json"))
        _solve_exactly(reading.game_of(context, game), as_json)
        return
    if png is not None and evaluator == "none":
        raise ParameterError(
            "--png draws the curve of the evaluator, and --evaluator none has none; leave one of them out."
        )
    resume = context.params["resume"]
    if resume is not None:
        solution = resume_run(context, resume, _game_to_resume(context, resume, game))
    else:
        solution = _begin(context)
    _show(solution, png, as_json)
    exit_by_status(solution, f"tefuda solve {own_name(solution.form.game)}".rstrip())


def _show(solution: Any, png: Path | None, as_json: bool) -> None:
    """Report a solution; draw its curve if it has points."""
    from tefuda.apps.display.results import solution_report

    drawn = png if len(solution.curve) > 0 else None
    if drawn is not None:
        solution.plot(drawn)
    unsaved = {} if solution.run else {"error": f"the run could not be saved: {solution.settings['unsaved']}"}
    report(as_json, {**solution.summary(), **unsaved}, solution_report(solution), drawn)


def _game_to_resume(context: Context, run: Path, game: str) -> Any:
    """Return the rules of a run if they are given; raise if options differ from its first command."""
    from tefuda.forms.rules import RulesForm
    from tefuda.solvers.runs.job import Job
    from tefuda.solvers.runs.run import read_run

    game, content, given = reading.positional_game(context, game), read_run(run), given_options(context)
    left = _refuse_changes(context, run, content)
    if not game:
        reading.check_same_game(run, content, left, context)
    rules = reading.read_game(game, left, context) if game else None
    if "memory" not in given:
        return rules
    return RulesForm(Job.read(run).game if rules is None else rules, context.params["memory"])


def _refuse_changes(context: Context, run: Path, content: dict[str, Any]) -> dict[str, Any]:
    """Raise if options differ from those with which a run was started; return the options of its game."""
    params, given = context.params, given_options(context)
    refuse_options(context, f"cannot change the abstraction of {run}; leave it out.", ("abstract",))
    representation = content["form"]["representation"]
    for name, wanted in (("dense", "simulator"), ("no_tree", "rules"), ("memory", "rules")):
        if name in given and representation != wanted:
            raise ParameterError(f"{run} was started as {representation}; leave {flag(name)} out.", key=name)
    saved, left = content["method_parameters"], reading.read_options(context.args)
    fields = {key: left.pop(key) for key in list(left) if key in saved and key != "name"}
    fields |= reading.read_assignments(params["change"])
    for name in fields:
        if name not in saved:
            raise UnknownNameError(f"option of method {saved['name']}", name, saved)
    pairs = {flag(name): (value, saved[name]) for name, value in fields.items()}
    own = {"method": user_method(params) or saved["name"], "seed": content["seed"], "out": run}
    pairs |= {option: (params[name], own[name]) for name, option in given.items() if name in own}
    for option, (value, first) in pairs.items():
        if value != first:
            raise ParameterError(f"{run} was started with {option} {first}, got {value}; leave it out.", key=option)
    return left


def _begin(context: Context) -> Any:
    job, folder = _job(context)
    if context.params["evaluator"]:
        from tefuda.exploiting.named import evaluator_named  # imports all agents

        job = replace(job, evaluator=evaluator_named(context.params["evaluator"], job.built))
    return start_run(context, job, folder, f"{job.built.name} {job.method.name}")


def _job(context: Context) -> tuple[Any, Path]:
    """Return the job of the options, with its form, and the folder of its run."""
    from tefuda.apps.display.progress import building
    from tefuda.solvers.runs.job import Job
    from tefuda.solvers.runs.methods import DEFAULT, find_method

    params = context.params
    if not params["game"]:
        raise ParameterError("which game? Write tefuda solve GAME (tefuda games lists them), or --resume RUN.")
    form = _form_options(context)
    named = params["method"] or _METHODS.get(form.get("representation", ""), "")
    method, left = reading.read_method(named, params["change"], context.args)
    free = not named and method == find_method(DEFAULT)  # the form chooses the method
    game = _game(context, left)
    job = Job.of(
        game, None if free else method, **form, goal=goal_of(context), seed=params["seed"], workers=params["workers"]
    )
    folder = new_run_folder(context, f"{game.name}-{job.method.name}")  # raises before the work
    begun = job.method.name
    with building(game.name) as progress:
        built, job = job.form(building=progress, force=params["force"], workers=params["workers"])
    if params["abstract"]:
        job = Job.of(_partition(built, params["abstract"]), job.method, goal=job.goal, seed=job.seed)
    if not named:
        print(f"method: {job.method.name}, the recommended one (--method chooses another)", file=sys.stderr)
    if "memory" in given_options(context) and job.representation != "rules":
        raise ParameterError(
            f"--memory limits the tables without a tree, and {game.name} is solved as {job.representation}; leave it "
            "out, or give --no-tree.",
            key="memory",
        )
    return job, folder if job.method.name == begun else new_run_folder(context, f"{game.name}-{job.method.name}")


#: The default method of a form that an option chooses.
_METHODS = {"simulator": "nfsp", "rules": "external"}


def _form_options(context: Context) -> dict[str, Any]:
    """Return representation and fields by the options; raise if these exclude each other."""
    from tefuda.abstracting.named import check_named

    params, given = context.params, given_options(context)
    if "abstract" in given:
        check_named(params["abstract"])
        if params["dense"] or params["no_tree"]:
            raise ParameterError(
                "--abstract merges infosets of a tree, but --dense and --no-tree have no tree; give one of them."
            )
        return {"representation": "tree"}
    if params["dense"] and params["no_tree"]:
        raise ParameterError("--dense and --no-tree exclude each other; give one of them.")
    fields = {"memory": params["memory"]} if "memory" in given else {}
    if params["dense"]:
        return {"representation": "simulator"}
    return {"representation": "rules", "fields": fields} if params["no_tree"] else {"fields": fields}


def _game(context: Context, options: dict[str, Any]) -> Any:
    """Return the game of the command; as a simulator if its tree is to be compiled whatever its size."""
    params = context.params
    game = reading.read_game(params["game"], options, context)
    if not (params["dense"] and params["force"]):
        return game
    from tefuda.forms.simulate import TreeSimulator

    return TreeSimulator(reading.build_tree(game, force=True))


def _partition(tree: Any, named: str) -> Any:
    """Return the partition of this name; print its guarantee."""
    from tefuda.abstracting.named import partition_named

    partition = partition_named(tree, named)
    lossless = "every equilibrium of the small game is an equilibrium of the real game"
    promise = lossless if named == "lossless" else partition.guarantee
    print(escaped(f"{partition!r}: {promise}"), file=sys.stderr)
    return partition


def _solve_exactly(game: Any, as_json: bool) -> None:
    from tefuda.apps.grids import exact_grid
    from tefuda.solvers.exact.rational import exact_solution

    solution = exact_solution(game)
    values = [
        f"value to player {player}: {value}  = {float(value):.12g}" for player, value in enumerate(solution.values)
    ]
    certificate = "certified: the exact best responses to both strategies have this value"
    report(as_json, solution.summary(), [exact_grid(solution), *values, certificate])


@command(
    context_settings=GAME_OPTIONS,
    **listed(Section.SOLVE, "tefuda compare kuhn --methods cfr,cfr+,dcfr --iterations 1000"),
)
def compare(
    context: Context,
    game: options.Game,
    methods: options.Methods = "cfr,cfr+,dcfr,pcfr+,ema",
    iterations: Annotated[float, Option(help="Largest number of iterations per method.")] = 100_000,
    until: Annotated[float, Option(help="Stop each method at this NashConv.")] = 1e-6,
    seconds: Annotated[float | None, Option(help="Largest number of seconds per method.")] = None,
    seed: options.Seed = 0,
    folder: Annotated[Path | None, options.RUNS] = None,
    png: options.Png = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Solve one game by several methods and plot their curves."""
    from tefuda.apps.display.curves import curve_plot
    from tefuda.apps.grids import comparison_grid
    from tefuda.apps.plot import plot
    from tefuda.solvers.runs.methods import find_method, make_goal

    chosen = [find_method(name) for name in reading.read_names(methods)]
    goals = [make_goal(method, reading.whole_number("iterations", iterations), until, seconds) for method in chosen]
    tree = reading.tree_of(context, game, force)
    solutions = _solve_each(tree, chosen, goals, seed, folder)
    curves = {solution.method["name"]: solution.curve for solution in solutions}
    if png is not None:
        plot(solutions, png)
    points = {name: [point._asdict() for point in curve] for name, curve in curves.items()}
    content = {"game": tree.name, "solutions": [solution.summary() for solution in solutions], "curves": points}
    report(as_json, content, [curve_plot(curves), comparison_grid(solutions)], png)


def _solve_each(tree: Any, methods: list[Any], goals: list[Any], seed: int, folder: Path | None) -> list[Any]:
    """Solve by one method after another; save the runs if there is a folder."""
    from tefuda.apps.display.progress import solving
    from tefuda.solvers.runs.evaluators import NashConv
    from tefuda.solvers.runs.job import Job
    from tefuda.solvers.runs.saved import load
    from tefuda.solvers.runs.sweep import check_saved, folder_of, run_or_resume

    jobs = [
        Job.of(tree, method, goal=goal, seed=seed, evaluator=NashConv())
        for method, goal in zip(methods, goals, strict=True)
    ]
    if folder is not None:
        for job in jobs:
            check_saved(folder, job)  # before the first one starts
    solutions: list[Any] = []

    def consequence() -> str:
        if folder is not None:
            return f"repeat the command to resume the runs in {folder}"
        complete = (f"{solution.method['name']} {non_negative(solution.nash_conv)}" for solution in solutions)
        results = ", ".join(complete) or "none"
        return f"nothing is saved without --out; complete methods, with their NashConv: {results}"

    for job in jobs:
        with on_interruption(consequence), solving(f"{tree.name} {job.method.name}", job.method.unit) as report:
            if folder is None:
                solutions.append(job.run(progress=report))
            else:
                run_or_resume(folder, job, report)
                solutions.append(load(folder_of(folder, job), tree))
    return solutions


@command(
    context_settings=GAME_OPTIONS,
    **listed(Section.SOLVE, "tefuda sweep kuhn --methods chance,external --seeds 3 --iterations 1000"),
)
def sweep(
    context: Context,
    game: options.Game,
    methods: options.Methods,
    seeds: Annotated[str, Option(help="Number of seeds, or seeds separated by commas.")] = "5",
    iterations: Annotated[float, Option(help="Iterations (self-play: games) of each run.")] = 100_000,
    workers: options.Workers = 1,
    folder: Annotated[Path, options.RUNS] = Path("runs/sweep"),
    png: options.Png = None,
    as_json: options.Json = False,
) -> None:
    """Run methods with several seeds and report the mean NashConv."""
    from tefuda.apps.grids import sweep_grid
    from tefuda.apps.plot import plot
    from tefuda.solvers.runs.methods import find_method
    from tefuda.solvers.runs.sweep import CURVES
    from tefuda.solvers.runs.sweep import sweep as run_sweep

    chosen = [find_method(name) for name in reading.read_names(methods)]
    numbers, number = reading.read_seeds("seeds", seeds), reading.whole_number("iterations", iterations)
    tree = reading.tree_of(context, game, workers=workers)
    with (
        on_interruption(f"repeat the command to resume the runs in {folder}"),
        notifying(f"{tree.name} sweep") as notify,
    ):
        groups = run_sweep(
            tree, chosen, seeds=numbers, iterations=number, folder=folder, workers=workers,
            progress=lambda done, of: notify(f"{done:,} of {of:,} iterations"),
        )  # fmt: skip
    if png is not None:
        plot(groups, png)
    content = {"game": tree.name, "folder": str(folder), "groups": [group.summary() for group in groups]}
    report(as_json, content, [sweep_grid(groups), f"all curves in {folder / CURVES}"], png)
