"""Solved spots: re-solved streets; batches of boards; depth-limited solving."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from typer import Context, Option

from tefuda.apps.cli.holdem import SPOTS, holdem
from tefuda.apps.cli.nodes import boards_grid, node_report
from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import given_options, listed, notifying, refuse_options, report
from tefuda.apps.cli.shared.interruption import on_interruption
from tefuda.apps.cli.shared.reading import whole_number
from tefuda.apps.cli.shared.runs import goal_of, load_holdem_run
from tefuda.apps.cli.spots import read_with_boards
from tefuda.errors import check_choice
from tefuda.words import count, non_negative

#: The guarantee of safe re-solving, and the caveat of unsafe re-solving.
_PROMISES = (
    "no opponent's hand gains more by its best response than by its best response to the blueprint; the EVs above are "
    "against that response, so a hand's EV may be lower than in the blueprint, where the opponent does not respond",
    "unsafe assumes the ranges of the blueprint: an opponent with other hands may gain more than before",
)


@holdem.command(**listed(SPOTS, 'tefuda holdem resolve runs/turn --line "Check/Check/Ts" --bets 75,a'))
def resolve(
    run: options.RunFolder,
    line: Annotated[str, Option(help='Betting line to the street: "Check/Bet(50)/Call/Ts".')],
    gadget: Annotated[str, Option(help="Gadget: max-margin, gadget or unsafe.")] = "max-margin",
    bets: Annotated[str | None, Option(help="Bet sizes of the subgame; default: as before.")] = None,
    raises: Annotated[str | None, Option(help="Raise sizes of the subgame.")] = None,
    iterations: Annotated[float, Option(help="Iterations per player.")] = 1000,
    at: Annotated[str, Option(help='Betting line in the subgame to show: "Check/Bet(75)".')] = "",
    as_json: options.Json = False,
) -> None:
    """Re-solve a street of a solved spot, with other sizes."""
    from tefuda.holdem.spots.node import Node
    from tefuda.holdem.spots.spot import PLAYERS
    from tefuda.holdem.spots.subgame import GADGETS, resolve_street

    check_choice("gadget", gadget, GADGETS)
    number = whole_number("iterations", iterations)
    solution = load_holdem_run(run, "hands")
    if at:  # an invalid line raises before the street is solved
        resolve_street(solution.strategy, line, 0, gadget, bets=bets, raises=raises, iterations=1).strategy.find(at)
    results = []
    with notifying("street") as notify:
        for player, name in enumerate(PLAYERS):
            notify(f"{name}: {number:,} iterations")
            results.append(
                resolve_street(solution.strategy, line, player, gadget, bets=bets, raises=raises, iterations=number)
            )
    node = Node(results[0].strategy, at)
    if node.player == 1:
        node = Node(results[1].strategy, at)
    players = [
        {
            "player": PLAYERS[result.player],
            "accepted": result.accepted,
            "margin": result.margin,
            "total_gain": result.total_gain,
        }
        for result in results
    ]
    lines = []
    for result in results:
        rejected = "" if result.accepted else "; the blueprint is used, because some hand of the opponent would gain"
        loss = f"{non_negative(result.total_gain)} chips per game in total, each at least {non_negative(result.margin)}"
        lines.append(f"{PLAYERS[result.player]} by {gadget}: the opponent's hands lose {loss}{rejected}")
    content = {"line": line, "gadget": gadget, "players": players, "node": node.summary()}
    report(as_json, content, [*node_report(node), *lines, _PROMISES[gadget == "unsafe"]])


_BATCH = 'tefuda holdem batch --spot turn.txt --boards "Qs Jh 2h 8d; As Kd 7c 2s"'


@holdem.command(**listed(SPOTS, _BATCH))
@options.with_options(options.SPOT | options.STOP)
def batch(
    context: Context,
    *,
    boards: Annotated[str, Option(help='"Qs Jh 2h; As Kd 7c:24", a file of boards, or flops.')],
    figures_only: Annotated[bool, Option("--figures-only", help="Save figures only, no strategies.")] = False,
    workers: options.Workers = 1,
    out: Annotated[Path, Option(help="Folder of all boards; repeat to resume.")] = Path("runs/boards"),
    png: options.Png = None,
    as_json: options.Json = False,
) -> None:
    """Solve a spot on many boards and report each of them.

    Prints EV, equity and action frequencies of every board, and their means.
    """
    from tefuda.apps.plot import plot_panels
    from tefuda.holdem.spots.batch import solve_boards
    from tefuda.holdem.spots.solver import METHODS
    from tefuda.solvers.runs.methods import find_method

    params, goal = context.params, goal_of(context)
    chosen: Any = find_method(params["method"], {"precision": params["precision"]}, METHODS)
    spot, listed = read_with_boards(boards, params, given_options(context))
    message = f"repeat the command to resume; {out}/report.csv has the complete boards"
    with on_interruption(message), notifying(count(len(listed), "boards")) as notify:
        results = solve_boards(
            spot, listed, out, method=chosen, iterations=goal.iterations, until=goal.until, memory=params["memory"],
            keep=not figures_only, workers=workers, progress=lambda done, of: notify(f"{done:,} of {of:,}"),
        )  # fmt: skip
    if png is not None:
        plot_panels(results.panels(), png, title=spot.name)
    content = {"out": str(out), "boards": list(results.rows), "means": results.means()}
    end = f"{out}/report.csv has all numbers; equilibria are not unique: strategies with equal EV may differ"
    report(as_json, content, [boards_grid(results), end], png)


@holdem.command(**listed(SPOTS, "tefuda holdem lookahead --spot turn.txt --leaves checked-down"))
def lookahead(
    context: Context,
    spot: Annotated[Path, Option(help="File of a spot from the flop or turn on.")],
    leaves: Annotated[str, Option(help="Leaf values: solved, or checked-down (no bets).")] = "solved",
    each: Annotated[float, Option(help="Iterations below per iteration of the street.")] = 2,
    iterations: Annotated[float, Option(help="Iterations of the street.")] = 200,
    below: Annotated[float, Option(help="Iterations of the later streets at the end.")] = 400,
    gadget: Annotated[str, Option(help="Gadget: max-margin or unsafe.")] = "max-margin",
    line: options.Line = "",
    as_json: options.Json = False,
) -> None:
    """Solve a spot street by street and evaluate the strategy."""
    import numpy as np

    from tefuda.holdem.spots.compiled import compile_spot
    from tefuda.holdem.spots.depth_limited import SolvedValues, depth_limited, equity_values
    from tefuda.holdem.spots.node import Node
    from tefuda.holdem.spots.solver import evaluate_strategy
    from tefuda.holdem.spots.spot import read_spot
    from tefuda.holdem.spots.strategy import SpotStrategy

    check_choice("leaves", leaves, ("solved", "checked-down"))
    check_choice("gadget", gadget, ("max-margin", "unsafe"))
    if leaves != "solved":
        refuse_options(context, "has no effect with --leaves checked-down; leave it out.", ("each",))
    values = SolvedValues(whole_number("each", each)) if leaves == "solved" else equity_values
    numbers = whole_number("iterations", iterations), whole_number("below", below)
    given_spot = read_spot(spot)
    SpotStrategy(compile_spot(given_spot), np.zeros(0)).find(line)  # an invalid line raises before solving
    strategy = depth_limited(given_spot, values, iterations=numbers[0], below=numbers[1], safe=gadget == "max-margin")
    evs, nash_conv = evaluate_strategy(strategy)
    figure, node = 100 * nash_conv / 2 / strategy.compiled.spot.betting.pot, Node(strategy, line)
    summary = f"exploitability of the strategy (NashConv / 2): {figure:.4g} % of the starting pot, exact"
    content = {"exploitability_percent": figure, "ev": list(evs), "node": node.summary()}
    report(as_json, content, [*node_report(node), summary])
