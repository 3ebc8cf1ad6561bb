"""Re-solving on the command line: the effect of each gadget on a blueprint, by public state and level."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Context, Option

from tefuda.apps.cli.depth_limited import OPTIONS, read_blueprint, solve_depth_limited
from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import GAME_OPTIONS, Section, command, listed, notifying, refuse_options, report
from tefuda.apps.cli.shared.reading import is_run, read_names, whole_number
from tefuda.apps.cli.streets import LEAVES, resolve_street, solve_street_by_street
from tefuda.words import count, non_negative, signed

#: Options of re-solving a blueprint, which --cut does not use.
_OF_SUBGAMES = ("gadget", "depth", "method", "game", "line", "at", "png")
#: The gadgets that are compared unless some are named.
_GADGETS = "unsafe,cfr-d,max-margin,reach"


@command(
    context_settings=GAME_OPTIONS,
    **listed(
        Section.SOLVE,
        "tefuda resolve leduc --gadget max-margin,reach",
        "tefuda resolve kuhn --cut 2",
        'tefuda resolve runs/turn --line "Check/Check/Ts" --bets 75,a',
        "tefuda resolve spot --spot turn.txt --cut deal --leaves checked-down",
    ),
)
@options.with_options(OPTIONS)
def resolve(
    context: Context,
    *,
    target: Annotated[str, Argument(help="A run folder, whose solution is the blueprint, or a game.")],
    gadget: Annotated[str, Option(help="Names of gadgets, separated by commas; spots: max-margin.")] = "",
    blueprint: options.Blueprint = "",
    depth: Annotated[int, Option(help="Re-solve at this many decisions of a player; 0: all.")] = 0,
    method: Annotated[str, Option(help="Method that solves the subgames.")] = "lp",
    iterations: Annotated[
        float, Option(help="Iterations per subgame; 0: until solved, networks and streets 1,000.")
    ] = 0,
    line: Annotated[str, Option(help='Runs of spots: line to the street, "Check/Bet(50)/Call/Ts".')] = "",
    at: Annotated[str, Option(help='Spots: line to show in the result, "Check/Bet(75)".')] = "",
    game: options.OwnGame = "",
    force: options.Force = False,
    png: options.Png = None,
    as_json: options.Json = False,
) -> None:
    """Re-solve the subgames of a blueprint, or with a depth limit.

    With --cut an agent solves anew at each depth limit that play reaches, until the game ends within it. Otherwise it
    re-solves each public state alone, then all public states at the n-th decision of each player, then all from the
    n-th decision on. Each time it starts from the strategy found so far, as an agent does in play.

    Of a run of a spot of hold'em, --line names the street to re-solve, --bets and --raises its sizes (as before unless
    given). tefuda resolve spot --cut deal solves a spot street by street; its options are those of tefuda solve spot.
    """
    from tefuda.solvers.runs.run import read_run

    if context.params["cut"]:
        if target == "spot" and context.params["leaves"] in ("", *LEAVES):
            solve_street_by_street(context)
            return
        refuse_options(context, "has no effect with --cut; leave it out.", _OF_SUBGAMES)
        solve_depth_limited(context, target)
        return
    refuse_options(context, "needs --cut; give it too, or leave this out.", OPTIONS)
    if is_run(target) and read_run(Path(target))["form"]["representation"] == "hands":
        resolve_street(context, Path(target))
        return
    refuse_options(context, "is an option of spots; leave it out.", ("line", "at"))
    _resolve_subgames(context, target)


def _resolve_subgames(context: Context, target: str) -> None:
    """Re-solve the subgames of a blueprint by each gadget, and report the exploitability."""
    from tefuda.apps.plot import plot_panels
    from tefuda.resolving.gadgets import find_gadget
    from tefuda.resolving.nesting import ResolvingExperiment
    from tefuda.resolving.resolution import tree_solver

    params = context.params
    png = params["png"]
    gadgets = [find_gadget(name) for name in dict.fromkeys(read_names(params["gadget"] or _GADGETS))]
    solving = tree_solver(params["method"], whole_number("iterations", params["iterations"], 0) or None)
    levels = whole_number("depth", params["depth"], 0) or None
    tree, profile, named = read_blueprint(context, target, params["blueprint"], params["game"], params["force"])
    with notifying(f"{tree.name} resolve") as notify:
        notify("finding public states")
        scope, done = ResolvingExperiment(profile, solving, levels), 0

        def count_subgame() -> None:
            nonlocal done
            done += 1
            notify(f"{done:,} of {count(scope.count * len(gadgets), 'subgames')} solved")

        results = [scope.run(gadget, count_subgame) for gadget in gadgets]
    if png is not None:
        plot_panels(_panels(named, results), png, title=f"{tree.name}, re-solved")
    about = {"game": tree.name, "game_parameters": tree.parameters, "blueprint": named, "method": params["method"]}
    by_gadget = {
        result.gadget: {
            "states": [vars(state) for state in result.states], "increases": _increases(result),
            "levels": result.levels, "from_level": result.from_level,
        }
        for result in results
    }  # fmt: skip
    content = {**about, "nash_conv": results[0].before, "gadgets": by_gadget}
    report(params["as_json"], content, _grids(f"{tree.name}, blueprint {named}", results), png)


def _increases(result: Any) -> int:
    """Return the number of public states at which re-solving increases NashConv."""
    return int((result.changes > 1e-9).sum())


def _grids(name: str, results: Any) -> list[Any]:
    """Return the tables of one public state at a time, and of whole levels."""
    from tefuda.apps.grids import Grid

    alone = tuple(
        (result.gadget, *map(signed, (result.changes.min(), result.changes.mean(), result.changes.max())),
         f"{_increases(result):,}", f"{len(result.states):,}")
        for result in results
    )  # fmt: skip
    head = f"{name}: NashConv {non_negative(results[0].before, 6)}. Change by re-solving one public state"
    numbers = range(1, len(results[0].levels) + 1)
    columns = ("gadget", *(f"only {number}" for number in numbers), *(f"{number} on" for number in numbers))
    rows = tuple(
        (result.gadget, *(non_negative(value, 4) for value in (*result.levels, *result.from_level)))
        for result in results
    )
    title = "NashConv if both players re-solve at their 1st, 2nd, ... decision only, or from it on"
    return [Grid(("gadget", "smallest", "mean", "largest", "increases", "of"), alone, head), Grid(columns, rows, title)]


def _panels(named: str, results: Any) -> list[Any]:
    from tefuda.figure import Panel

    x_label, level = "decision of each player", {f"blueprint {named}": results[0].before}
    panels = []
    for name, title in (("levels", "at one decision only"), ("from_level", "at a decision and all after it")):
        lines = {
            result.gadget: [(number, value) for number, value in enumerate(getattr(result, name), 1)]
            for result in results
        }
        panels.append(Panel(title, x_label, lines, level, scales=("linear", "linear")))
    return panels
