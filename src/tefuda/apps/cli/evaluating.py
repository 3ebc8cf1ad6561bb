"""Evaluation of profiles, and reports of runs."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Context, Option

from tefuda.apps.cli.buckets import report_local_response
from tefuda.apps.cli.nodes import OPTIONS, show_node
from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import (
    GAME_OPTIONS,
    Section,
    allow_only,
    command,
    given_options,
    listed,
    notifying,
    refuse_options,
    report,
)
from tefuda.apps.cli.shared.reading import build_tree, game_of, is_run, positional_game
from tefuda.apps.cli.shared.runs import load_run
from tefuda.errors import ParameterError, RunError
from tefuda.words import count, distinct, escaped, non_negative, signed

_NEEDS_TREE = "needs a tree, and there is none; leave it out."


@command(
    context_settings=GAME_OPTIONS,
    **listed(Section.SOLVE, "tefuda evaluate runs/leduc", "tefuda evaluate kuhn --profile uniform"),
)
def evaluate(
    context: Context,
    target: Annotated[str, Argument(help="A run folder, or a game with --profile.")] = "",
    run: Annotated[str, Option(help="The run folder, if not given as argument.")] = "",
    profile: Annotated[str, Option(help="uniform, or a file profile.npz of this game.")] = "",
    game: options.OwnGame = "",
    correlation: Annotated[bool, Option("--correlation", help="Gaps to correlated equilibria.")] = False,
    population: Annotated[bool, Option("--population", help="Plans and payoffs, or sequences, of a run.")] = False,
    deals: Annotated[float, Option(help="Hold'em in buckets: deals of a local best response.")] = 0,
    seed: Annotated[int, Option(help="Random seed of these deals.")] = 1,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Evaluate a strategy exactly, or by a local best response.

    --deals computes local best responses to a run of hold'em in buckets. Their value, in thousandths of a big blind per
    hand, is a lower bound of the value of a best response; deals in both seats estimate it with a 95 % interval. In
    no-limit the responder has several menus of actions; each is a bound, so the largest value counts.

    --correlation takes a run as a correlation device, which draws one of its iterates and recommends moves by it, if it
    was solved with --evaluator efce-gap or --method triggers; else the device recommends by the strategy alone. Gaps
    are total (best responses to the device, summed over the players) and largest (gain by one trigger).

    --population shows the plans of a run of double-oracle or psro with their payoffs, or the sequences of sdo or xdo.
    """
    from tefuda.evaluating.profile import Profile

    if "deals" in given_options(context):
        allow_only(context, "--deals", ("deals", "seed", "as_json"))
        report_local_response(Path(target), deals, seed, as_json)
        return
    refuse_options(context, "needs --deals; give it too, or leave this out.", ("seed",))
    target = positional_game(context, target)
    if bool(target) == bool(run):
        raise ParameterError("give either a run folder (--run RUN) or a game with --profile.", key="run")
    target = target or run
    if is_run(target) or run:
        solution = load_run(Path(target), game, force, context)
        if solution.form.tree is None:
            refuse_options(context, _NEEDS_TREE, ("profile", "correlation", "population"))
            _report_without_tree(solution, as_json)
            return
        tree, strategy = solution.tree, solution.strategy
    else:
        if game:
            raise ParameterError(f"--game names the game of a run; {target} is no run folder.", key="game")
        if not profile:
            raise ParameterError("a game needs a profile: give --profile uniform or FILE.npz, or a run folder.")
        rules = game_of(context, target)
        if _has_referee(rules) and profile == "uniform":
            refuse_options(context, _NEEDS_TREE, ("correlation", "population"))
            _report_refereed(rules, None, as_json)
            return
        tree = build_tree(rules, force)
    if profile:
        strategy = Profile.uniform(tree) if profile == "uniform" else Profile.load(profile, tree)
    _report_on_tree(context, solution if is_run(target) and not profile else None, tree, strategy)


def _report_on_tree(context: Context, solution: Any, tree: Any, strategy: Any) -> None:
    """Report a strategy, and the run that it belongs to if any, by the options."""
    as_json = context.params["as_json"]
    if context.params["population"]:
        refuse_options(context, "has no effect with --population; leave one of them out.", ("correlation",))
        _report_population(solution, as_json)
    elif context.params["correlation"]:
        _report_correlation(solution, tree, strategy, as_json)
    else:
        _report_exact(tree, strategy, as_json)


def _report_without_tree(solution: Any, as_json: bool) -> None:
    """Report the evaluation of a run that was solved without a tree."""
    if _has_referee(solution.form.game):
        _report_refereed(solution.form.game, solution.strategy, as_json)
        return
    numbers = {"evaluator": solution.evaluator.parameters(), **solution.evaluator.figures(solution.evaluation)}
    text, unit = solution.evaluator.describe(solution.evaluation), solution.evaluator.unit
    report(as_json, {"game": solution.form.name, **numbers}, [text if unit in text else f"{text}   {unit}"])


def _report_population(solution: Any, as_json: bool) -> None:
    from tefuda.apps.grids import population_grids
    from tefuda.solvers.populations.plans import PopulationSolver
    from tefuda.solvers.runs.saved import load_solver

    solver = solution and load_solver(solution)
    solver = getattr(solver, "inner", solver)
    if not isinstance(solver, PopulationSolver):
        raise ParameterError("--population needs a run with a population; solve the game with --method sdo.")
    report(as_json, {"game": solution.form.name, **solver.summary()}, population_grids(solver))


def _report_correlation(solution: Any, tree: Any, strategy: Any, as_json: bool) -> None:
    from tefuda.apps.grids import gaps_grid
    from tefuda.correlating.device import Device

    device, kind, about = None, "iterates", "it draws an iterate of the run"
    try:
        device = solution and Device.of_run(solution)
    except RunError as error:
        if error.key != "device":
            raise
    if device is None:
        device, kind = Device.of([strategy]), "strategy"
        about = "it recommends by one profile, so all totals equal NashConv"
    gaps = device.gaps
    values = [f"value to player {player}: {signed(value, 9)}" for player, value in enumerate(gaps.values)]
    report(
        as_json, {"game": tree.name, "device": kind, **gaps.summary()}, [gaps_grid(gaps), *values, f"device: {about}"]
    )


def _has_referee(game: Any) -> bool:
    """Return whether a game is a phantom game that is evaluated without a tree."""
    from tefuda.games.kit import kit_of

    return kit_of(game).forms()[0] == "referee"


def _report_refereed(game: Any, policy: Any, as_json: bool) -> None:
    """Report value and best responses of a strategy of a phantom game; None: uniform."""
    from tefuda.phantom.form import referee

    with notifying(f"{game.name} best responses") as notify:
        notify("numbering infosets")
        found = referee(game).evaluate(policy, progress=lambda done, of: notify(f"{done:,} of {of:,}"))
    report(as_json, *_judged(game.name, found))


def _judged(name: str, evaluation: Any) -> tuple[dict[str, Any], list[Any]]:
    """Return content and lines of a report of a `ProfileEvaluation`."""
    from tefuda.apps.grids import values_grid

    figures = {name: getattr(evaluation, name) for name in ("nash_conv", "exploitability", "epsilon")}
    values = {"values": evaluation.values.tolist(), "best_responses": evaluation.best.tolist()}
    players = count(len(evaluation.values), "players")
    return {"game": name, **values, **figures}, [
        values_grid(evaluation),
        f"NashConv        {non_negative(evaluation.nash_conv, 9)}   (sum of the gains)",
        f"exploitability  {non_negative(evaluation.exploitability, 9)}   (NashConv / {players})",
        f"epsilon         {non_negative(evaluation.epsilon, 9)}   (largest gain)",
    ]


def _report_exact(tree: Any, strategy: Any, as_json: bool) -> None:
    from tefuda.evaluating.off_path import off_path_regret
    from tefuda.evaluating.values import evaluate
    from tefuda.forms.sequence import has_perfect_recall

    content, lines = _judged(tree.name, evaluate(strategy))
    if has_perfect_recall(tree):
        judged = off_path_regret(strategy)
        content |= judged.summary()
        where = f"at {escaped(judged.infoset)}; {judged.count:,} infosets above {judged.epsilon:g}"
        lines += [
            f"off-path regret {non_negative(judged.largest, 9)}   ({where}, if opponents tremble that often)",
            f"dominated       {judged.dominated_count}   (actions played that are worse whatever follows)",
        ]
    else:
        lines[1:] = [f"{tree.name} has imperfect recall, so best responses and NashConv are unknown"]
    report(as_json, content, lines)


@command(**listed(Section.SOLVE, "tefuda show runs/leduc --player 0"))
@options.with_options(OPTIONS)
def show(
    context: Context,
    *,
    run: options.RunFolder,
    everything: Annotated[bool, Option("--all", help="Show every infoset.")] = False,
    player: Annotated[int | None, Option(help="Show only this player's infosets.")] = None,
    infoset: Annotated[str, Option(help="Show only infosets whose name contains this.")] = "",
    tree: Annotated[bool, Option("--tree", help="Show the game's tree with the strategy.")] = False,
    game: options.OwnGame = "",
    as_json: options.Json = False,
) -> None:
    """Show a run with its strategy and curve, or list runs.

    Given a folder of runs, lists them with their method, status and figure; damaged runs come last. With --line, shows
    ranges, actions, EV and equity at a decision of a run of hold'em; whole hands have lines of letters f, c and r,
    in no-limit with amounts (r250c/c), with / between streets. A tree has histories: labels joined by ~, such as
    "J Q~b"; the report says whether the infoset is on the path, off the path (an own mistake leads there) or
    unreachable.
    """
    from tefuda.apps.display.consoles import terminal_width
    from tefuda.apps.display.results import solution_report
    from tefuda.apps.drawing.output import draw
    from tefuda.apps.grids import runs_grid, strategy_grid
    from tefuda.evaluating.profile import check_player
    from tefuda.solvers.runs.listing import list_runs

    if context.params["line"]:
        refuse_options(
            context, "has no effect with --line; leave it out.", ("everything", "player", "infoset", "tree", "game")
        )
        show_node(context, run)
        return
    refuse_options(context, "needs --line; give it too, or leave this out.", OPTIONS)
    if not is_run(str(run)) and os.path.isdir(run) and (runs := list_runs(run)):
        report(
            as_json, [asdict(each) for each in runs], [runs_grid(runs), *(each.error for each in runs if each.error)]
        )
        return
    solution, chosen = load_run(run, game), bool(everything or infoset or tree or player is not None)
    content = {**solution.summary(), "curve": [point._asdict() for point in solution.curve]}
    if solution.form.tree is None:
        if chosen:
            raise ParameterError(f"{run} was solved without a tree and has no table of infosets; leave the option out.")
    else:
        if player is not None:
            check_player(solution.tree, player)
        if as_json:
            content["profile"] = _profile_json(solution.strategy, player, infoset)
    if tree:
        drawn = draw(solution.tree, profile=solution.strategy)
        report(as_json, content | {"tree": drawn.splitlines()}, [drawn])
    elif chosen:
        limit = None if everything else 40
        grid = strategy_grid(
            solution.strategy, limit=limit, player=player, only=infoset, actions=None, width=terminal_width()
        )
        report(as_json, content, [grid])
    else:
        report(as_json, content, solution_report(solution))


def _profile_json(profile: Any, player: int | None, infoset: str) -> dict[str, dict[str, float]]:
    """Return the strategies at the infosets of a player whose names contain a text."""
    rows = ((name, row) for name, row in profile.items(player) if infoset in name)
    return {name: dict(zip(distinct(list(map(str, row))), row.values(), strict=True)) for name, row in rows}
