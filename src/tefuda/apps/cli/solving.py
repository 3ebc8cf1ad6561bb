"""Solving: one run, or runs of several methods and seeds."""

from __future__ import annotations

from dataclasses import asdict
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
    make_next_folder,
    notifying,
    refuse_options,
    report,
)
from tefuda.apps.cli.shared.interruption import on_interruption
from tefuda.apps.cli.shared.runs import goal_of, resume_run
from tefuda.apps.cli.spots import show_tree, solution_of_spot
from tefuda.errors import ParameterError
from tefuda.words import count

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
        "tefuda solve sheriff --exact --method correlated --concept nfcce",
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
    nodes: options.Nodes = None,
    workers: Annotated[int | None, Option(help="Processes for sampling; threads for large trees.")] = None,
    change: Annotated[list[str] | None, Option("--set", help="Option of the method: --set alpha=2.")] = None,
    evaluator: Annotated[str, Option(help="nash-conv, efce-gap, bound, none, against:AGENT, learned.")] = "",
    abstract: Annotated[str, Option(help="Abstraction: lossless, strength=3, rank=3 or future=3:9.")] = "",
    form: Annotated[
        str, Option("--as", help="rules: sampled without a tree; simulator: networks on views; tree.")
    ] = "",
    exact: Annotated[bool, Option("--exact", help="Solve in rational numbers, with a certificate.")] = False,
    every: Annotated[bool, Option("--all", help="Ranges over all equilibria; all of a table.")] = False,
    most: Annotated[int | None, Option(help="Largest number of equilibria of --all.")] = None,
    memory: Annotated[float, Option(help=_MEMORY, show_default=False)] = 2e9,
    line: Annotated[str, Option(help='Spots: betting line to show, "Check/Bet(50)/Call/Ts".')] = "",
    tree: Annotated[bool, Option("--tree", help="Spots: print the betting tree and its size only.")] = False,
    png: options.Png = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Solve a game, a spot or hold'em in buckets, and save the run.

    Other options are parameters of the game (--players 3; see tefuda games NAME) or of the method (--delay 10; see
    tefuda methods NAME). --resume needs the game only if it is your own.

    A spot of hold'em from the flop on takes --spot FILE, --board, --pot, --stack, --oop, --ip, --bets and --raises
    (50,a unless given), --limit 5/10, --rake 0.05, --rake-cap, --lock "Check/Bet(50) = Call KK:0.25; Fold KK:0.75",
    --at "Check/Bet(50): 90c" (a size at one node) and every key of a spot file (--turn-bet 33); its method takes
    --precision half, and --workers are threads.

    Hold'em in buckets takes --buckets 20 on flop, turn and river (or 4 numbers, the first before the flop), --textures
    1,1 (of turn and river), --tremble 0.1 (random actions of opponents), --deals 1000 (of the local best response), and
    for no-limit the sizes --opens, --reraises, --bets and --raises. Preparing hands counts in --seconds.
    """
    from tefuda.games.parameters import own_name

    if every or exact:
        _solve_without_run(context, every, as_json)
        return
    refuse_options(context, "limits the equilibria of --all; leave it out.", ("most",))
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
    things += _off_path_hint(solution)
    if solution.form.representation == "buckets":
        things.append(f"play it    tefuda play {solution.run}")
    if not solution.run:
        content["error"] = f"the run could not be saved: {solution.settings['unsaved']}"
    report(as_json, content, things, drawn)


def _off_path_hint(solution: Any) -> list[str]:
    """Return a line about an answer of `lp` whose off-path regret is above 1 % of the payoff range."""
    from tefuda.evaluating.off_path import off_path_regret

    if "off_path" not in solution.method:
        return []
    judged, payoffs = off_path_regret(solution.strategy), solution.tree.payoffs
    hint = f"off its path this answer has a regret of {judged.largest:.3g}, at {judged.infoset}; try --off-path floors"
    return [hint] if judged.largest > 0.01 * float(payoffs.max() - payoffs.min()) else []


def _solve_without_run(context: Context, every: bool, as_json: bool) -> None:
    both = ("method", "seconds", "force", "as_json")
    if every:
        allow_only(context, "--all", ("every", "most", *both))
    else:
        allow_only(context, "--exact", ("exact", "change", *both) if context.params["method"] else ("exact", "as_json"))
    if not every and context.params["method"]:
        _show_plan(context, as_json)
        return
    rules, given = read_rules(context)
    given.refuse_others((), context)
    if every:
        _show_all(rules, context.params)
    else:
        _solve_exactly(rules, as_json)


def _solve_exactly(game: Any, as_json: bool) -> None:
    from tefuda.apps.grids import exact_grid
    from tefuda.solvers.exact.rational import exact_solution

    with notifying("solve") as notify:
        notify("an equilibrium in fractions, for up to 10 s one that is sensible off its path")
        solution = exact_solution(game)
    refined = f"quasi-perfect: with trembles of size eps the value is {solution.polynomial}"
    values = [
        f"value to player {player}: {value}  = {float(value):.12g}" for player, value in enumerate(solution.values)
    ]
    certificate = "certified: the exact best responses to both strategies have this value"
    off_path = refined if solution.refined else f"not refined off the path: {solution.reason}"
    report(as_json, solution.summary(), [exact_grid(solution), *values, certificate, off_path])


_SOME = "some equilibria: there may be more"


def _show_plan(context: Context, as_json: bool) -> None:
    """Report an optimal correlation plan in fractions."""
    from tefuda.apps.grids import strategy_grid
    from tefuda.correlating.optimal import PlanMethod

    job = read_job(context)
    if not isinstance(job.method, PlanMethod):
        raise ParameterError(
            f"--exact solves with correlated, commitment or no method; got {job.method.name}.", key="method"
        )
    tree = reading.build_tree(job.game, context.params["force"])
    with notifying("solve") as notify:
        notify("a linear program, then its basis in fractions")
        plan = job.method.plan(tree, context.params["seconds"])
    exact = plan.exact or ("no basis was certified",) * 2
    if plan.relaxed:
        lines = [f"upper bound of the objective: {plan.objective:.12g}; the game has triangles, and this is no device"]
    else:
        values = enumerate(zip(exact, plan.values, strict=True))
        lines = [f"value to player {player}: {text}  = {value:.12g}" for player, (text, value) in values]
        lines += [f"objective {plan.objective:.12g}, at most {plan.bound:.12g}"]
    report(as_json, plan.summary(), [*([] if plan.relaxed else [strategy_grid(plan.strategy)]), *lines])


def _show_all(game: Any, params: dict[str, Any]) -> None:
    """Report all equilibria: extreme ones of a small or general-sum game, ranges of a constant-sum tree."""
    from tefuda.apps.grids import equilibria_grid, ranges_grid
    from tefuda.solvers.exact.equilibria import equilibria
    from tefuda.solvers.exact.lp import is_two_player_constant_sum
    from tefuda.solvers.exact.ranges import ranges

    tree, limit, most = reading.build_tree(game, params["force"]), params["seconds"], params["most"]
    if params["method"] or most is not None or not is_two_player_constant_sum(tree) or tree.infosets <= tree.players:
        found = equilibria(game, params["method"] or "vertices", seconds=limit, most=most)
        every = f"all {'pure' if found.method == 'pure' else 'extreme'} equilibria"
        counts = f"{count(len(found.extreme), 'equilibria')} ({every if found.complete else _SOME})"
        if found.components:
            counts += f" in {count(len(found.components), 'components')}"
        report(params["as_json"], found.summary(), [equilibria_grid(found), counts])
        return
    with notifying("ranges") as notify:

        def show(done: int, total: int) -> None:
            notify(f"{done:,} of {total:,} sequences of a player")

        both = [ranges(tree, player, seconds=limit, progress=show) for player in (0, 1)]
    lines = [
        f"player {each.player}: {each.fixed:,} of {count(each.plans.shape[1], 'sequences')} have one probability, "
        f"{each.never:,} are never played"
        if each.complete
        else f"player {each.player}: the time limit passed, and the ranges may be wider"
        for each in both
    ]
    content = {"game": tree.name, "players": [each.summary() for each in both]}
    report(params["as_json"], content, [*map(ranges_grid, both), *lines])


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
