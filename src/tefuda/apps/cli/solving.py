"""Solving: one run, several methods beside each other, methods times seeds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tefuda.apps.cli.shared.common import (
    GAME_OPTIONS,
    Force,
    Game,
    Json,
    Png,
    Seed,
    Workers,
    build_tree,
    check_kept,
    command,
    game_names,
    given,
    method_names,
    next_folder,
    only_own,
    print_json,
    read_assignments,
    read_game,
    read_judge,
    read_method,
    read_numbers,
    read_options,
    say_how_it_ended,
    to_write_in,
    tree_of,
    whole,
)
from tefuda.apps.cli.shared.goals import (
    CheckpointSeconds,
    Iterations,
    Out,
    Resume,
    Seconds,
    Until,
    begin,
    go_on,
    goal_of,
    own_method,
)
from tefuda.apps.cli.shared.interruption import going_on
from tefuda.errors import ParameterError, SizeError, UnknownNameError
from tefuda.words import distance, harmless


@command(context_settings=GAME_OPTIONS)
def solve(
    context: typer.Context,
    *,
    game: Annotated[
        str,
        typer.Argument(
            help="A game's name, or file.py:Class. With --resume: only one of your own.", autocompletion=game_names
        ),
    ] = "",
    method: Annotated[str, typer.Option(help="A method's name, or file.py:NAME.", autocompletion=method_names)] = "",
    iterations: Iterations = None,
    until: Until = None,
    seconds: Seconds = None,
    seed: Seed = 0,
    nodes: Annotated[float | None, typer.Option(help="Stop after so many histories visited: 1e7.")] = None,
    workers: Annotated[int | None, typer.Option(help="Spread batches over so many processes.")] = None,
    change: Annotated[list[str] | None, typer.Option("--set", help="A field of the method: --set alpha=2.")] = None,
    out: Out = None,
    checkpoint_seconds: CheckpointSeconds = 30.0,
    resume: Resume = None,
    judge: Annotated[str, typer.Option(help="nash-conv, none, against:AGENT (won from it a hand), or learned.")] = "",
    abstract: Annotated[
        str, typer.Option(help="Merge infosets: lossless, or strength=3, rank=3, future=3:9 (rounds)[,forgetful].")
    ] = "",
    dense: Annotated[
        bool, typer.Option("--dense", help="Learn from what is seen (nfsp), by rules if no tree fits.")
    ] = False,
    exact: Annotated[bool, typer.Option("--exact", help="In rational numbers, with a certificate.")] = False,
    no_tree: Annotated[
        bool, typer.Option("--no-tree", help="Sample the rules, uncompiled (external, outcome, oos).")
    ] = False,
    memory: Annotated[float, typer.Option(help="With --no-tree: bytes for infosets.")] = 2e9,
    png: Png = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Solve a game: strategy, value and curve; keep the run.

    Options that are not listed are parameters of the method (--delay 10, --batch 1000; tefuda methods) or of the game.
    """
    from tefuda.games.parameters import own_name

    if exact:
        only_own(context, "--exact", ("exact", "as_json"))
        _solve_exactly(read_game(game, read_options(context.args), context), as_json)
        return
    if "memory" in given(context) and not no_tree:
        raise ParameterError("--memory bounds what is sampled without a tree; give --no-tree with it.")
    _check_drawn(png, judge or ("none" if no_tree else ""))
    if resume is not None:
        solution = go_on(context, resume, _rules_to_go_on_with(context, resume, game))
    else:
        solution = _begin(context)
    _show(solution, png, as_json)
    say_how_it_ended(solution, f"tefuda solve {own_name(solution.game.rules)}".rstrip())


def _check_drawn(png: Path | None, judge: str) -> None:
    """Raise unless there will be a curve to draw, and a place for the picture; nothing if none is wanted."""
    if png is None:
        return
    from tefuda.apps.plot import require_matplotlib

    if judge == "none":
        raise ParameterError("--png draws the judge's figures, and --judge none gives none; leave one of them out.")
    require_matplotlib(png)


def _show(solution: Any, png: Path | None, as_json: bool) -> None:
    """Draw and print a solution; a run that was interrupted before its first point has no curve to draw."""
    from tefuda.apps.display import out, show_solution

    drawn = png is not None and len(solution.curve) > 0
    if drawn:
        solution.plot(png)
    if as_json:
        unsaved = {} if solution.run else {"error": f"the run could not be saved: {solution.settings['unsaved']}"}
        print_json({**solution.summary(), **unsaved})
        return
    show_solution(solution)
    if drawn:
        out.print(f"drawn in   {png}")


def _rules_to_go_on_with(context: typer.Context, run: Path, game: str) -> Any:
    """The rules of a run; refuses options that say what the run is not: it goes on as it was begun."""
    from tefuda.forms.uncompiled import Uncompiled
    from tefuda.solvers.runs.run import read_run
    from tefuda.solvers.runs.saved import game_of_run

    if game.startswith("-"):  # an option that is not the command's, in the game's place
        context.args, game = [game, *context.args], ""
    content, told = read_run(run), context.params
    if "abstract" in given(context):
        raise ParameterError(f"{run} goes on in the classes it began with; leave --abstract out.")
    held = content["form"]["representation"]
    for name, wanted in (("dense", "simulator"), ("no_tree", "rules")):
        if told[name] and held != wanted:
            raise ParameterError(f"{run} was begun without --{name.replace('_', '-')}; it cannot go on with it.")
    kept, options = content["method_parameters"], read_options(context.args)
    fields = {key: options.pop(key) for key in list(options) if key in kept and key != "name"}
    fields |= read_assignments(told["change"] or [])
    for name in fields:
        if name not in kept:
            raise UnknownNameError(f"option of method {kept['name']}", name, kept)
    said = {f"--{name.replace('_', '-')}": (value, kept[name]) for name, value in fields.items()}
    own = {"method": own_method(told) or kept["name"], "seed": content["seed"], "out": run}
    said |= {option: (told[name], own[name]) for name, option in given(context).items() if name in own}
    for option, (wanted, begun) in said.items():
        if wanted != begun:
            raise ParameterError(f"{run} was begun with {option} {begun}; it cannot go on with {wanted}.")
    if game:
        rules = read_game(game, options, context)
    else:
        check_kept(run, content, options, context)
        rules = game_of_run(content)
    return Uncompiled(rules, told["memory"]) if held == "rules" else rules


def _begin(context: typer.Context) -> Any:
    """A new run."""
    from tefuda.abstracting.named import check_named
    from tefuda.solvers.runs import methods
    from tefuda.solvers.runs.driver import new_record

    told = context.params
    if not told["game"]:
        raise ParameterError("which game? Write tefuda solve GAME (tefuda games lists them), or --resume RUN.")
    named = told["method"] or ("nfsp" if told["dense"] else "external" if told["no_tree"] else "")
    chosen, options = read_method(named, told["change"] or [], context.args)
    if not named:
        print(f"method: {chosen.name}, the recommended one (--method chooses another)", file=sys.stderr)
    methods.find_goal(chosen, **goal_of(context))
    rules = read_game(told["game"], options, context)
    if "abstract" in given(context):
        check_named(told["abstract"])
        if told["dense"] or told["no_tree"]:
            raise ParameterError("--abstract merges infosets of a tree; --dense and --no-tree have none. Give one.")
    if told["dense"] and told["no_tree"]:
        raise ParameterError("--dense learns from views, --no-tree samples rules. Give one of them.")
    folder = told["out"] or next_folder(Path("runs"), f"{rules.name}-{chosen.name}")
    new_record(folder, told["checkpoint_seconds"])
    form = _form_of(rules, told)
    judge = read_judge(told["judge"], form.game) if told["judge"] else None
    return begin(context, form, chosen, folder, judge=judge, name=f"{rules.name} {chosen.name}")


def _form_of(rules: Any, told: dict[str, Any]) -> Any:
    """Return the form of the game that the options choose."""
    from tefuda.forms.uncompiled import Uncompiled

    if told["no_tree"]:
        return Uncompiled(rules, told["memory"])
    return _simulator(rules, told) if told["dense"] else _merged(build_tree(rules, told["force"]), told["abstract"])


def _merged(tree: Any, named: str) -> Any:
    """The tree, or a partition of it if one is named: what is promised of it is said."""
    from tefuda.abstracting.named import partition_named

    if not named:
        return tree
    found = partition_named(tree, named)
    promise = "every equilibrium of the small game is one of the real game" if named == "lossless" else found.promise
    print(harmless(f"{found!r}: {promise}"), file=sys.stderr)
    return found


def _simulator(rules: Any, told: dict[str, Any]) -> Any:
    """Return the game for networks: its tree, or its rules where no tree fits, seen by views, as players see it."""
    from tefuda.forms.rules_simulator import simulate_rules
    from tefuda.forms.simulate import TreeSimulator

    try:
        return TreeSimulator(build_tree(rules, told["force"]))
    except SizeError as error:
        print(harmless(f"{error} Going by the rules instead."), file=sys.stderr)
    return simulate_rules(rules, encoded=True)


def _solve_exactly(game: Any, as_json: bool) -> None:
    from tefuda.apps.display import exact_table, out
    from tefuda.solvers.exact.rational import exact_solution

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
    seed: Seed = 0,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Keeps the runs; what it holds is not run again.", callback=to_write_in)
    ] = None,
    png: Png = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Run several methods on one game and plot their curves."""
    from tefuda.apps.display import comparison_table, curve_plot, out
    from tefuda.apps.plot import plot, require_matplotlib
    from tefuda.solvers.runs.methods import find_goal, find_method

    if png is not None:
        require_matplotlib(png)
    chosen = [find_method(name.strip()) for name in methods.split(",")]
    goals = [find_goal(method, whole("iterations", iterations), until, seconds) for method in chosen]
    tree = tree_of(context, game, force)
    solutions = _solve_each(tree, chosen, goals, seed, folder)
    curves = {solution.method["name"]: solution.curve for solution in solutions}
    if png is not None:
        plot(solutions, png)
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
    from tefuda.solvers.runs.driver import drive
    from tefuda.solvers.runs.methods import make_solver
    from tefuda.solvers.runs.saved import load
    from tefuda.solvers.runs.sweep import Trial, run_trial

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
                found.append(load(trial.folder, tree))
    return found


@command(context_settings=GAME_OPTIONS)
def sweep(
    context: typer.Context,
    game: Game,
    methods: Annotated[str, typer.Option(help="Names, separated by commas.", autocompletion=method_names)],
    seeds: Annotated[str, typer.Option(help="How many, or which, separated by commas.")] = "5",
    iterations: Annotated[float, typer.Option(help="Of each run (games, for self-play).")] = 100_000,
    workers: Workers = 1,
    folder: Annotated[
        Path, typer.Option("--out", help="Keeps the runs; what it holds is not run again.", callback=to_write_in)
    ] = Path("runs/sweep"),
    png: Png = None,
    as_json: Json = False,
) -> None:
    """Run methods with seeds: means and deviations of NashConv."""
    from tefuda.apps.display import out, sweep_table, telling
    from tefuda.apps.plot import plot, require_matplotlib
    from tefuda.solvers.runs.methods import find_method
    from tefuda.solvers.runs.sweep import CURVES
    from tefuda.solvers.runs.sweep import sweep as run_sweep

    if png is not None:
        require_matplotlib(png)
    chosen = [find_method(name.strip()) for name in methods.split(",")]
    tree = tree_of(context, game)
    with going_on(f"the same command goes on with what {folder} holds"), telling(f"{tree.name} sweep") as tell:
        groups = run_sweep(
            tree, chosen, seeds=read_numbers("seeds", seeds), iterations=whole("iterations", iterations), folder=folder,
            workers=workers, progress=lambda done, of: tell(f"{done:,} of {of:,} iterations"),
        )  # fmt: skip
    if png is not None:
        plot(groups, png)
    if as_json:
        print_json({"game": tree.name, "folder": str(folder), "groups": [group.summary() for group in groups]})
        return
    out.print(sweep_table(groups))
    out.print(f"all curves in {folder / CURVES}")
    if png is not None:
        out.print(f"drawn in {png}")
