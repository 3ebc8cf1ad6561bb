"""Solving: one run, a comparison of methods, and sweeps over seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Context, Option

from tefuda.apps.cli.jobs import read_job, read_rules, rules_to_resume, run_job
from tefuda.apps.cli.shared import options, reading
from tefuda.apps.cli.shared.common import (
    GAME_OPTIONS,
    Section,
    allow_only,
    command,
    exit_by_status,
    listed,
    notifying,
    refuse_options,
    report,
)
from tefuda.apps.cli.shared.interruption import on_interruption
from tefuda.apps.cli.shared.runs import resume_run
from tefuda.apps.cli.spots import show_tree, solution_of_spot
from tefuda.errors import ParameterError
from tefuda.words import non_negative

#: Example of solving a small spot.
SPOT = (
    'tefuda solve spot --board "Ts 3h 2h 5c 9s" --pot 100 --stack 100 \\\n'
    "      --oop AA,QQ --ip KK --until 1 --out runs/spot"
)
_MEMORY = "Memory limit of tables in bytes; default: 2e9, of hold'em 8e9."


@command(
    context_settings=GAME_OPTIONS,
    **listed(
        Section.SOLVE,
        "tefuda solve leduc --iterations 10000 --out runs/leduc",
        "tefuda solve kuhn --players 3 --method cfr+ --delay 10 --iterations 1000",
        "tefuda solve --resume runs/leduc --iterations 20000",
        SPOT,
        "tefuda solve holdem --limit --buckets 20 --iterations 1e6 --out runs/limit",
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
    form: Annotated[
        str, Option("--as", help="rules: sampled without a tree; simulator: networks on views; tree.")
    ] = "",
    exact: Annotated[bool, Option("--exact", help="Solve in rational numbers, with a certificate.")] = False,
    memory: Annotated[float, Option(help=_MEMORY, show_default=False)] = 2e9,
    line: Annotated[str, Option(help='Spots: betting line to show, "Check/Bet(50)/Call/Ts".')] = "",
    tree: Annotated[bool, Option("--tree", help="Spots: print the betting tree and its size only.")] = False,
    png: options.Png = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Solve a game, a spot or limit hold'em, and save the run.

    Other options are parameters of the game (--players 3; see tefuda games NAME) or of the method (--delay 10; see
    tefuda methods NAME). --resume needs the game only if it is your own.

    A spot of hold'em from the flop on takes --spot FILE, --board, --pot, --stack, --oop, --ip, --bets and --raises
    (50,a unless given), --limit 5/10, --rake 0.05, --rake-cap, --lock "Check/Bet(50) = Call KK:0.25; Fold KK:0.75" and
    every key of a spot file (--turn-bet 33); its method takes --precision half, and --workers are threads.

    Limit hold'em takes --buckets 20 on flop, turn and river (or 4 numbers, the first before the flop), --textures 1,1
    (classes of turn and river cards), --tremble 0.1 (random actions of opponents) and --deals 1000 (of the local best
    response that evaluates it; --evaluator none: no evaluation). The preparation of hands counts in --seconds.
    """
    from tefuda.games.parameters import own_name

    if exact:
        allow_only(context, "--exact", ("exact", "as_json"))
        rules, given = read_rules(context)
        given.refuse_others((), context)
        _solve_exactly(rules, as_json)
        return
    if png is not None and evaluator == "none":
        raise ParameterError(
            "--png draws the curve of the evaluator, and --evaluator none has none; leave one of them out."
        )
    resume = context.params["resume"]
    if resume is not None:
        refuse_options(context, "has no effect with --resume; leave it out.", ("tree",))
        solution = resume_run(context, resume, rules_to_resume(context, resume))
    else:
        job = read_job(context)
        if tree:
            show_tree(job, as_json)
            return
        solution = run_job(context, job)
    _show(solution, line, png, as_json)
    exit_by_status(solution, f"tefuda solve {own_name(solution.form.game)}".rstrip())


def _show(solution: Any, line: str, png: Path | None, as_json: bool) -> None:
    """Report a solution; draw its curve if it has points."""
    from tefuda.apps.display.results import solution_report

    drawn = png if len(solution.curve) > 0 else None
    if drawn is not None:
        solution.plot(drawn)
    content, things = solution.summary(), list[Any]()
    if solution.form.representation == "hands" and solution.evaluation.values:
        figures, things = solution_of_spot(solution, line)
        content |= figures
    else:
        things += solution_report(solution)
    if solution.form.representation == "buckets":
        things.append(f"play it    tefuda play {solution.run}")
    if not solution.run:
        content["error"] = f"the run could not be saved: {solution.settings['unsaved']}"
    report(as_json, content, things, drawn)


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
