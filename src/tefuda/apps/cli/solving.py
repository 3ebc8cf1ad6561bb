"""Solving: one run, several methods beside each other, methods times seeds."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from tefuda.apps.cli.common import (
    GAME_OPTIONS,
    Force,
    Game,
    Json,
    build_tree,
    check_kept,
    command,
    game_names,
    given,
    method_names,
    only_own,
    print_json,
    read_assignments,
    read_game,
    read_method,
    read_numbers,
    read_options,
    tree_of,
    whole,
)
from tefuda.apps.cli.interruption import collected, going_on
from tefuda.errors import ParameterError
from tefuda.words import brief, distance, harmless


@command(context_settings=GAME_OPTIONS)
def solve(
    context: typer.Context,
    game: Annotated[
        str,
        typer.Argument(
            help="A game's name, or file.py:Class. With --resume: only one of your own.", autocompletion=game_names
        ),
    ] = "",
    method: Annotated[str, typer.Option(help="How to solve it.", autocompletion=method_names)] = "",
    iterations: Annotated[float | None, typer.Option(help="Stop after so many (1,000 if no rule is given).")] = None,
    until: Annotated[float | None, typer.Option(help="Stop at this NashConv.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after so many seconds of solving.")] = None,
    seed: Annotated[int, typer.Option(help="Of the random numbers, for methods that draw any.")] = 0,
    nodes: Annotated[float | None, typer.Option(help="Stop after so many histories visited: 1e7.")] = None,
    workers: Annotated[int | None, typer.Option(help="Spread batches over so many processes.")] = None,
    change: Annotated[list[str] | None, typer.Option("--set", help="A field of the method: --set alpha=2.")] = None,
    out: Annotated[Path | None, typer.Option(help="The folder to keep the run in.")] = None,
    checkpoint_seconds: Annotated[float, typer.Option(help="How often the run is saved.")] = 30.0,
    resume: Annotated[Path | None, typer.Option(help="Go on with the run in this folder.")] = None,
    exact: Annotated[bool, typer.Option("--exact", help="In rational numbers, with a certificate.")] = False,
    no_tree: Annotated[
        bool, typer.Option("--no-tree", help="Sample the rules uncompiled; --out FILE.npz keeps what was learnt.")
    ] = False,
    memory: Annotated[float, typer.Option(help="With --no-tree: bytes for infosets.")] = 2e9,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Solve a game: strategy, value and curve; keep the run.

    Options that are not listed are parameters of the method (--delay 10, --batch 1000; tefuda methods) or of the game.
    """
    from tefuda.apps.display import show_solution
    from tefuda.solvers import methods

    if exact:
        only_own(context, "--exact", ("exact", "as_json"))
        _solve_exactly(read_game(game, read_options(context.args), context), as_json)
        return
    if no_tree:
        only_own(context, "--no-tree", _NO_TREE)
        chosen, options = read_method(method or "external", change or [], context.args)
        _sample(context, read_game(game, options, context), chosen)
        return
    if "memory" in given(context):
        raise ParameterError("--memory bounds what is sampled without a tree; give --no-tree with it.")
    count, steps = (None if n is None else whole(name, n) for name, n in (("nodes", nodes), ("iterations", iterations)))
    if resume is not None:
        rules = _rules_to_go_on_with(context, resume, game)
        goal = {"iterations": steps, "until": until, "seconds": seconds, "nodes": count}
        every = checkpoint_seconds if "checkpoint_seconds" in given(context) else None
        solution = _go_on(resume, build_tree(rules, force), workers=workers, checkpoint_seconds=every, **goal)
    else:
        if not game:
            raise ParameterError("which game? Write tefuda solve GAME (tefuda games lists them), or --resume RUN.")
        chosen, options = read_method(method, change or [], context.args)
        if not method:
            print(f"method: {chosen.name}, the recommended one (--method chooses another)", file=sys.stderr)
        aim, rules = methods.find_goal(chosen, steps, until, seconds, count), read_game(game, options, context)
        folder = out or _next_folder(Path("runs"), f"{rules.name}-{chosen.name}")
        solver = methods.make_solver(build_tree(rules, force), chosen, seed=seed, workers=workers)
        solution = _begin(solver, aim, seed, folder, checkpoint_seconds)
    if as_json:
        unsaved = {} if solution.run else {"error": f"the run could not be saved: {solution.settings['unsaved']}"}
        print_json({**solution.summary(), **unsaved})
    else:
        show_solution(solution)
    _say_how_it_ended(solution)


_NO_TREE = (
    "no_tree", "memory", "method", "iterations", "nodes", "seed", "change", "out", "checkpoint_seconds", "as_json",
)  # fmt: skip


def _sample(context: typer.Context, game: Any, method: Any) -> None:
    """Sample a game over its rules; what is kept in a file goes on."""
    from tefuda.solvers.sampler import RulesSolver

    told = context.params
    goals = {name: None if told[name] is None else whole(name, told[name]) for name in ("iterations", "nodes")}
    if goals == {"iterations": None, "nodes": None}:
        goals["iterations"] = 1000
    solver, out = RulesSolver(game, method, told["seed"], told["memory"]), told["out"]
    if out is not None and out.exists():
        solver.load(out)
        if "seed" in given(context) and solver.seed != told["seed"]:
            raise ParameterError(f"{out} was begun with --seed {solver.seed}; it cannot go on with {told['seed']}.")
        print(harmless(f"going on with {out}, at {solver.iterations:,} iterations"), file=sys.stderr)
    stopped = _run_sampler(solver, goals, out, told["checkpoint_seconds"])
    figures = {name: getattr(solver, name) for name in ("iterations", "nodes", "memory")}
    figures |= {"infosets": len(solver.tables), "memory_full": solver.memory > solver.limit, "interrupted": stopped}
    if told["as_json"]:
        about = {"game": game.name, "method": method.name, "seed": solver.seed}
        print_json({**about, **figures, "file": out and str(out)})
    else:
        print(", ".join(f"{figures[name]:,} {name}" for name in ("iterations", "nodes", "infosets")))
        print(harmless(f"saved in {out}") if out else "nothing was kept: --out FILE.npz keeps it")
    if figures["memory_full"]:
        print(f"the memory of {solver.limit:,.0f} bytes is full: --memory gives more", file=sys.stderr)
    if stopped:
        cure = f"the same command goes on with what {out} holds" if out else "--out FILE.npz would keep what there is"
        print(harmless(f"tefuda: interrupted; {cure}"), file=sys.stderr)
        raise typer.Exit(130)


def _run_sampler(solver: Any, goals: dict[str, int | None], out: Path | None, every: float) -> bool:
    """Run it to its goals and keep it, the first time at once so that nothing is lost; whether it was interrupted."""
    from time import monotonic

    from tefuda.apps.display import telling

    kept = -math.inf

    def report(_: Any) -> None:
        nonlocal kept
        tell(f"{solver.iterations:,} iterations, {solver.nodes:,} nodes, {len(solver.tables):,} infosets")
        if out is not None and monotonic() - kept >= every:
            solver.save(out)
            kept = monotonic()

    words = f"the same command goes on with what {out} holds" if out else "nothing is kept: --out FILE.npz keeps it"
    name = f"{solver.game.name} {solver.method.name}"
    with going_on(words), telling(name) as tell, collected() as interrupted:
        solver.run(**goals, progress=report, interrupted=interrupted)
        if out is not None:
            solver.save(out)
        return interrupted()


def _rules_to_go_on_with(context: typer.Context, run: Path, game: str) -> Any:
    """The rules of a run; refuses options that say what the run is not: it goes on as it was begun."""
    from tefuda.solvers.methods import find_method, game_of_run, method_of_run
    from tefuda.solvers.run import read_run

    if game.startswith("-"):  # an option that is not the command's, in the game's place
        context.args, game = [game, *context.args], ""
    content = read_run(run)
    method, options, told = method_of_run(content), read_options(context.args), context.params
    fields = {key: options.pop(key) for key in list(options) if key in method.parameters() and key != "name"}
    changed = find_method(method, fields | read_assignments(told["change"] or [])).parameters()
    said = {f"--{name.replace('_', '-')}": (changed[name], kept) for name, kept in method.parameters().items()}
    own = {"method": method.name, "seed": content["seed"], "out": run}
    said |= {option: (told[name], own[name]) for name, option in given(context).items() if name in own}
    for option, (wanted, kept) in said.items():
        if wanted != kept:
            raise ParameterError(f"{run} was begun with {option} {kept}; it cannot go on with {wanted}.")
    if game:
        return read_game(game, options, context)
    check_kept(run, content, options, context)
    return game_of_run(content)


def _go_on(run: Path, tree: Any, **options: Any) -> Any:
    from tefuda.apps.display import solving
    from tefuda.solvers.methods import resume

    with solving(str(run), "iterations") as report, _ending_in_order(run) as interrupted:
        return resume(run, game=tree, progress=report, interrupted=interrupted, **options)


@contextmanager
def _ending_in_order(folder: Path) -> Iterator[Callable[[], bool]]:
    """What tells whether to end and keep the run; a second interruption keeps what was kept last."""
    with going_on(f"tefuda solve --resume {folder} goes on with what it holds"), collected() as interrupted:
        yield interrupted


def _begin(solver: Any, goal: Any, seed: int, folder: Path, checkpoint_seconds: float) -> Any:
    from tefuda.apps.display import solving
    from tefuda.solvers.driver import Record, drive

    record, name = Record(folder, checkpoint_seconds), f"{solver.tree.name} {solver.method.name}"
    with solving(name, solver.method.unit) as report, _ending_in_order(folder) as interrupted:
        return drive(solver, goal, seed=seed, record=record, progress=report, interrupted=interrupted)


def _say_how_it_ended(solution: Any) -> None:
    """A run that is not whole says so, and exits with another code."""
    from tefuda.games.parameters import own_name

    if solution.run is None:
        print(harmless(f"tefuda: the run could not be saved: {solution.settings['unsaved']}"), file=sys.stderr)
        raise typer.Exit(1)
    if solution.status == "interrupted":
        words = f"tefuda solve {own_name(solution.tree.rules)} --resume {solution.run}".replace("  ", " ")
        print(harmless(f"tefuda: interrupted; go on with: {words}"), file=sys.stderr)
        raise typer.Exit(130)


def _solve_exactly(game: Any, as_json: bool) -> None:
    from tefuda.apps.display import exact_table, out
    from tefuda.solvers.exact import exact_solution

    solution = exact_solution(game)
    if as_json:
        print_json(solution.summary())
        return
    out.print(exact_table(solution))
    for player, value in enumerate(solution.values):
        out.print(f"value to player {player}: {value}  = {float(value):.12g}")
    out.print("certified: the exact best responses against both strategies meet at this value")


@command(context_settings=GAME_OPTIONS)
def compare(
    context: typer.Context,
    game: Game,
    methods: Annotated[
        str, typer.Option(help="Names, separated by commas.", autocompletion=method_names)
    ] = "cfr,cfr+,dcfr,pcfr+,ema",
    iterations: Annotated[float, typer.Option(help="At most so many each.")] = 100_000,
    until: Annotated[float, typer.Option(help="Stop each at this NashConv.")] = 1e-6,
    seconds: Annotated[float | None, typer.Option(help="At most so many seconds each.")] = None,
    seed: Annotated[int, typer.Option(help="Of the random numbers, for methods that draw any.")] = 0,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Keeps the runs; what it holds is not run again.")
    ] = None,
    png: Annotated[Path | None, typer.Option(help="Draw the curves to this file (extra plot).")] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Run several methods on one game and plot their curves."""
    from tefuda.apps.display import comparison_table, curve_plot, out
    from tefuda.apps.plot import plot_curves, require_matplotlib
    from tefuda.solvers.methods import find_goal, find_method

    if png is not None:
        require_matplotlib()
    chosen = [find_method(name.strip()) for name in methods.split(",")]
    goals = [find_goal(method, whole("iterations", iterations), until, seconds) for method in chosen]
    tree = tree_of(context, game, force)
    solutions = _solve_each(tree, chosen, goals, seed, folder)
    curves = {solution.method["name"]: solution.curve for solution in solutions}
    if png is not None:
        plot_curves(curves, png, title=tree.name)
    if as_json:
        points = {name: [point._asdict() for point in curve] for name, curve in curves.items()}
        print_json({"game": tree.name, "solutions": [one.summary() for one in solutions], "curves": points})
        return
    out.print(curve_plot(curves))
    out.print(comparison_table(solutions))
    if png is not None:
        out.print(f"drawn in {png}")


def _solve_each(tree: Any, methods: list[Any], goals: list[Any], seed: int, folder: Path | None) -> list[Any]:
    """One method after another; in a folder, if there is one, as a sweep keeps its runs."""
    from tefuda.apps.display import solving
    from tefuda.solvers.driver import drive
    from tefuda.solvers.methods import make_solver
    from tefuda.solvers.solution import read_solution
    from tefuda.solvers.sweep import Trial, run_trial

    parent = folder or Path()  # not looked at without a folder
    trials = [Trial(tree, method, goal, seed, parent) for method, goal in zip(methods, goals, strict=True)]
    for trial in trials if folder is not None else []:
        trial.check()  # before any of them begins
    found: list[Any] = []

    def words() -> str:
        if folder is not None:
            return f"the same command goes on with what {folder} holds"
        done = ", ".join(f"{one.method['name']} {distance(one.nash_conv)}" for one in found) or "none"
        return f"nothing is kept (--out would); methods that were complete, with their NashConv: {done}"

    for trial in trials:
        method = trial.method
        with going_on(words), solving(f"{tree.name} {method.name}", method.unit) as report:
            if folder is None:
                found.append(drive(make_solver(tree, method, seed=seed), trial.goal, seed=seed, progress=report))
            else:
                run_trial(trial, report)
                found.append(read_solution(trial.folder, tree))
    return found


@command(context_settings=GAME_OPTIONS)
def sweep(
    context: typer.Context,
    game: Game,
    methods: Annotated[str, typer.Option(help="Names, separated by commas.", autocompletion=method_names)],
    seeds: Annotated[str, typer.Option(help="How many, or which, separated by commas.")] = "5",
    iterations: Annotated[float, typer.Option(help="Of each run (games, for self-play).")] = 100_000,
    workers: Annotated[int, typer.Option(help="Processes.")] = 1,
    folder: Annotated[Path, typer.Option(help="Keeps the runs; what it holds is not run again.")] = Path("runs/sweep"),
    png: Annotated[Path | None, typer.Option(help="Draw the first seed's curves to this file (extra plot).")] = None,
    as_json: Json = False,
) -> None:
    """Run methods with seeds: means and deviations of NashConv."""
    from tefuda.apps.display import out, sweep_table, telling
    from tefuda.apps.plot import plot_curves, require_matplotlib
    from tefuda.solvers.methods import find_method
    from tefuda.solvers.sweep import sweep as run_sweep

    if png is not None:
        require_matplotlib()
    chosen = [find_method(name.strip()) for name in methods.split(",")]
    tree = tree_of(context, game)
    with going_on(f"the same command goes on with what {folder} holds"), telling(f"{tree.name} sweep") as tell:
        groups = run_sweep(
            tree, chosen, seeds=read_numbers("seeds", seeds), iterations=whole("iterations", iterations), folder=folder,
            workers=workers, progress=lambda report: tell(f"{brief(report.done)} of {report.runs:,} runs"),
        )  # fmt: skip
    if png is not None:
        plot_curves(
            {group.method: group.solutions[0].curve for group in groups}, png, title=tree.name, unit=chosen[0].unit
        )
    if as_json:
        print_json({"game": tree.name, "folder": str(folder), "groups": [group.summary() for group in groups]})
    else:
        out.print(sweep_table(groups))


def _next_folder(parent: Path, name: str) -> Path:
    """The first of name-1, name-2, ... that does not exist."""
    number = 1
    while (parent / f"{name}-{number}").exists():
        number += 1
    return parent / f"{name}-{number}"
