"""Solving: one run, or runs of several methods and seeds."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
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
    make_next_folder,
    notifying,
    refuse_options,
    report,
)
from tefuda.apps.cli.shared.interruption import on_interruption
from tefuda.apps.cli.shared.runs import goal_of, new_run_folder, resume_run, start_run, user_method
from tefuda.errors import ParameterError, UnknownNameError
from tefuda.words import escaped


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
    nodes: options.Nodes = None,
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
    **listed(
        Section.SOLVE,
        "tefuda compare kuhn --methods cfr,cfr+,dcfr --iterations 1000",
        "tefuda compare kuhn leduc --methods external,outcome --seeds 5 --seconds 9",
    ),
)
@options.with_options({**options.STOP, "seconds": options.GOAL["seconds"]})
def compare(
    context: Context,
    *,
    games: Annotated[list[str], Argument(metavar="GAME", help="Games: kuhn, leduc(ranks=4), file.py:Class.")],
    methods: options.Methods = "cfr,cfr+,dcfr,pcfr+,ema",
    seeds: Annotated[str, Option(help="Number of seeds, or seeds separated by commas (one: 7,).")] = "1",
    nodes: options.Nodes = None,
    workers: options.Workers = 1,
    folder: Annotated[Path | None, options.RUNS] = None,
    csv: options.Csv = None,
    latex: Annotated[Path | None, Option(help="Write the table as LaTeX.", callback=options.writable_file)] = None,
    png: options.Png = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Compare methods by their NashConv, on games and over seeds.

    Each run stops at the first rule that holds; without any rule, after 100,000 iterations or at a NashConv of 1e-6.
    The table has medians over seeds. The CSV file has all points of all runs. Other options are parameters of the
    games (--players 3).
    """
    from tefuda.apps.grids import comparison_grid, latex_table
    from tefuda.apps.plot import plot
    from tefuda.files import write_bytes
    from tefuda.solvers.runs.driver import Goal
    from tefuda.solvers.runs.job import NO_GOAL
    from tefuda.solvers.runs.methods import find_method
    from tefuda.solvers.runs.sweep import sweep, write_curves

    chosen, numbers = [find_method(name) for name in reading.read_names(methods)], reading.read_seeds("seeds", seeds)
    goal = goal_of(context)
    names, context.args = reading.split_words(games)
    if not names or len({*names}) < len(names):
        raise ParameterError(f"expected different games, then their options, got {' '.join(games)}.", value=games)
    trees = {name: reading.tree_of(context, name, force, workers) for name in names}
    folder = folder or make_next_folder(Path("runs"), f"compare-{'-'.join(trees)}")
    with (
        on_interruption(f"repeat the command with --out {folder} to resume its runs"),
        notifying("compare") as notify,
    ):
        groups = sweep(
            trees, chosen, seeds=numbers, folder=folder, workers=workers, progress=notify,
            **asdict(Goal(100_000, 1e-6) if goal == NO_GOAL else goal),
        )  # fmt: skip
    grid = comparison_grid(groups)
    if csv is not None:
        write_curves(groups, csv)
    if latex is not None:
        write_bytes(latex, latex_table(grid).encode())
    if png is not None:
        plot(groups, png)
    content = {"folder": str(folder), "groups": [group.summary() for group in groups]}
    report(as_json, content, [_curves(groups), grid, f"runs and their curves are in {folder}"], png)


def _curves(groups: Any) -> Any:
    """Return a plot of the median of each group for the terminal."""
    from tefuda.apps.display.curves import curve_plot
    from tefuda.apps.plot import median_curves
    from tefuda.solvers.runs.methods import unit_of
    from tefuda.solvers.runs.points import EstimatedPoint

    points = {
        curve.label: list(map(EstimatedPoint, curve.iterations, curve.seconds, curve.middle, curve.low, curve.high))
        for curve in median_curves(groups)
    }
    units = dict.fromkeys(unit_of(solution.method) for group in groups for solution in group.solutions)
    return curve_plot(points, unit=" or ".join(units))
