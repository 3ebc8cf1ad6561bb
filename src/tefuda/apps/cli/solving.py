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
from tefuda.errors import ParameterError, SizeError, UnknownNameError
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
        solution = resume_run(context, resume, _rules_to_resume(context, resume, game))
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


def _rules_to_resume(context: Context, run: Path, game: str) -> Any:
    """Return the rules of a run; raise if options differ from those of its first command."""
    from tefuda.forms.rules import RulesForm
    from tefuda.solvers.runs.run import read_run
    from tefuda.solvers.runs.saved import game_of_run

    game, content, params = reading.positional_game(context, game), read_run(run), context.params
    refuse_options(context, f"cannot change the abstraction of {run}; leave it out.", ("abstract",))
    representation = content["form"]["representation"]
    for name, wanted in (("dense", "simulator"), ("no_tree", "rules"), ("memory", "rules")):
        if name in given_options(context) and representation != wanted:
            raise ParameterError(f"{run} was started as {representation}; leave {flag(name)} out.", key=name)
    saved, left = content["method_parameters"], reading.read_options(context.args)
    fields = {key: left.pop(key) for key in list(left) if key in saved and key != "name"}
    fields |= reading.read_assignments(params["change"])
    for name in fields:
        if name not in saved:
            raise UnknownNameError(f"option of method {saved['name']}", name, saved)
    pairs = {flag(name): (value, saved[name]) for name, value in fields.items()}
    own = {"method": user_method(params) or saved["name"], "seed": content["seed"], "out": run}
    pairs |= {option: (params[name], own[name]) for name, option in given_options(context).items() if name in own}
    for option, (value, first) in pairs.items():
        if value != first:
            raise ParameterError(f"{run} was started with {option} {first}, got {value}; leave it out.", key=option)
    if game:
        rules = reading.read_game(game, left, context)
    else:
        reading.check_same_game(run, content, left, context)
        rules = game_of_run(content)
    return RulesForm(rules, params["memory"]) if "memory" in given_options(context) else rules


def _begin(context: Context) -> Any:
    from tefuda.solvers.runs import methods

    params = context.params
    if not params["game"]:
        raise ParameterError("which game? Write tefuda solve GAME (tefuda games lists them), or --resume RUN.")
    named = params["method"] or ("nfsp" if params["dense"] else "external" if params["no_tree"] else "")
    chosen, left = reading.read_method(named, params["change"], context.args)
    methods.make_goal(chosen, **goal_of(context))
    rules = reading.read_game(params["game"], left, context)
    if "abstract" in given_options(context):
        from tefuda.abstracting.named import check_named

        check_named(params["abstract"])
        if params["dense"] or params["no_tree"]:
            raise ParameterError(
                "--abstract merges infosets of a tree, but --dense and --no-tree have no tree; give one of them."
            )
    if params["dense"] and params["no_tree"]:
        raise ParameterError("--dense and --no-tree exclude each other; give one of them.")
    folder = new_run_folder(context, f"{rules.name}-{chosen.name}")  # raises before the work
    form, method = _form_and_method(context, rules, chosen, bool(named))
    if not named:
        print(f"method: {method.name}, the recommended one (--method chooses another)", file=sys.stderr)
    if method != chosen:
        folder, chosen = new_run_folder(context, f"{rules.name}-{method.name}"), method
    evaluator = _evaluator(params["evaluator"], form) if params["evaluator"] else None
    return start_run(context, form, chosen, folder, f"{rules.name} {chosen.name}", evaluator=evaluator)


def _evaluator(name: str, form: Any) -> Any:
    """Return an evaluator by name; its module imports all agents."""
    from tefuda.exploiting.named import evaluator_named

    return evaluator_named(name, form)


def _form_and_method(context: Context, rules: Any, method: Any, named: bool) -> tuple[Any, Any]:
    """Return the form of a game, and the method, which depends on the form unless it is named."""
    from tefuda.apps.display.progress import building
    from tefuda.forms.rules import RulesForm
    from tefuda.solvers.runs.methods import DEFAULT, choose_form, find_method

    params, memory = context.params, "memory" in given_options(context)
    if params["no_tree"]:
        return RulesForm(rules, params["memory"]), method
    if params["dense"]:
        form = _simulator(rules, params)
    elif params["abstract"]:
        form = _merged(reading.build_tree(rules, params["force"]), params["abstract"])
    else:
        with building(rules.name) as progress:
            chosen = method if named or method != find_method(DEFAULT) else None
            workers = params["workers"] if method.parallel else None
            form, method = choose_form(rules, chosen, progress=progress, force=params["force"], workers=workers)
    if memory and not isinstance(form, RulesForm):
        raise ParameterError(
            f"--memory limits the tables without a tree, and {rules.name} is solved as {form.representation}; leave it "
            "out, or give --no-tree.",
            key="memory",
        )
    return replace(form, memory=params["memory"]) if memory else form, method


def _merged(tree: Any, named: str) -> Any:
    """Return the partition of this name; print its guarantee."""
    from tefuda.abstracting.named import partition_named

    partition = partition_named(tree, named)
    lossless = "every equilibrium of the small game is an equilibrium of the real game"
    promise = lossless if named == "lossless" else partition.guarantee
    print(escaped(f"{partition!r}: {promise}"), file=sys.stderr)
    return partition


def _simulator(rules: Any, params: dict[str, Any]) -> Any:
    """Return a simulator with views for networks: of the tree, or of the rules if the tree is too large."""
    from tefuda.forms.rules_simulator import simulate_rules
    from tefuda.forms.simulate import TreeSimulator

    try:
        return TreeSimulator(reading.build_tree(rules, params["force"]))
    except SizeError as error:
        print(escaped(f"{error} Using the rules instead."), file=sys.stderr)
    return simulate_rules(rules, encoded=True)


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
    from tefuda.solvers.runs.driver import drive
    from tefuda.solvers.runs.methods import make_solver
    from tefuda.solvers.runs.saved import load
    from tefuda.solvers.runs.sweep import Trial, run_trial

    parent = folder or Path()  # unused without a folder
    trials = [Trial(tree, method, goal, seed, parent) for method, goal in zip(methods, goals, strict=True)]
    for trial in trials if folder is not None else []:
        trial.check()  # before the first one starts
    solutions: list[Any] = []

    def consequence() -> str:
        if folder is not None:
            return f"repeat the command to resume the runs in {folder}"
        complete = (f"{solution.method['name']} {non_negative(solution.nash_conv)}" for solution in solutions)
        results = ", ".join(complete) or "none"
        return f"nothing is saved without --out; complete methods, with their NashConv: {results}"

    for trial in trials:
        method = trial.method
        with on_interruption(consequence), solving(f"{tree.name} {method.name}", method.unit) as report:
            if folder is None:
                solutions.append(drive(make_solver(tree, method, seed=seed), trial.goal, seed=seed, progress=report))
            else:
                run_trial(trial, report)
                solutions.append(load(trial.folder, tree))
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
