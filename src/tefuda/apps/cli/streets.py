"""Streets of spots: a street of a run re-solved, and spots solved street by street."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from typer import Context

from tefuda.apps.cli.nodes import node_report
from tefuda.apps.cli.shared.common import allow_only, notifying, option_pairs, report
from tefuda.apps.cli.shared.reading import unknown_option, whole_number
from tefuda.apps.cli.shared.runs import load_holdem_run
from tefuda.apps.cli.spots import spot_of
from tefuda.errors import ParameterError, check_choice
from tefuda.words import non_negative

#: Leaf values of spots.
LEAVES = ("solved", "checked-down")
#: The guarantee of safe re-solving, and the caveat of unsafe re-solving.
_PROMISES = (
    "no opponent's hand gains more by its best response than by its best response to the blueprint; the EVs above are "
    "against that response, so a hand's EV may be lower than in the blueprint, where the opponent does not respond",
    "unsafe assumes the ranges of the blueprint: an opponent with other hands may gain more than before",
)


def resolve_street(context: Context, run: Path) -> None:
    """Re-solve the street at --line of a solved spot, with the sizes of --bets and --raises."""
    from tefuda.holdem.spots.node import Node
    from tefuda.holdem.spots.spot import PLAYERS
    from tefuda.holdem.spots.subgame import GADGETS
    from tefuda.holdem.spots.subgame import resolve_street as resolve

    params, line, at = context.params, context.params["line"], context.params["at"]
    allow_only(context, "a run of a spot", ("line", "gadget", "iterations", "at", "as_json"))
    if not line:
        raise ParameterError(f'{run} is a run of a spot; name a street: --line "Check/Bet(50)/Call/Ts".', key="line")
    gadget, sizes = params["gadget"] or "max-margin", dict[str, Any](option_pairs(context.args))
    for name in sizes.keys() - {"bets", "raises"}:
        raise unknown_option(name, ("bets", "raises"), context)
    check_choice("gadget", gadget, GADGETS)
    number = whole_number("iterations", params["iterations"], 0) or 1000
    blueprint = load_holdem_run(run, "hands").strategy
    if at:  # an invalid line raises before the street is solved
        resolve(blueprint, line, 0, gadget, iterations=1, **sizes).strategy.find(at)
    results = []
    with notifying("street") as notify:
        for player, name in enumerate(PLAYERS):
            notify(f"{name}: {number:,} iterations")
            results.append(resolve(blueprint, line, player, gadget, iterations=number, **sizes))
    node = Node(results[0].strategy, at)
    if node.player == 1:
        node = Node(results[1].strategy, at)
    players = [
        {"player": PLAYERS[result.player]}
        | {name: getattr(result, name) for name in ("accepted", "margin", "total_gain")}
        for result in results
    ]
    lines = []
    for result in results:
        rejected = "" if result.accepted else "; the blueprint is used, because some hand of the opponent would gain"
        loss = f"{non_negative(result.total_gain)} chips per game in total, each at least {non_negative(result.margin)}"
        lines.append(f"{PLAYERS[result.player]} by {gadget}: the opponent's hands lose {loss}{rejected}")
    content = {"line": line, "gadget": gadget, "players": players, "node": node.summary()}
    report(params["as_json"], content, [*node_report(node), *lines, _PROMISES[gadget == "unsafe"]])


def solve_street_by_street(context: Context) -> None:
    """Solve a spot with a depth limit at the end of its street, and evaluate the strategy."""
    from tefuda.holdem.spots.compiled import compile_spot
    from tefuda.holdem.spots.depth_limited import SolvedValues, depth_limited, equity_values
    from tefuda.holdem.spots.node import Node
    from tefuda.holdem.spots.solver import evaluate_strategy

    params = context.params
    leaves, gadget = params["leaves"] or "solved", params["gadget"] or "max-margin"
    allowed = ("cut", "leaves", "iterations", "below", "gadget", "at", "as_json", *["each"] * (leaves == "solved"))
    allow_only(context, f"--leaves {leaves}", allowed)
    check_choice("cut", params["cut"], ("deal",))
    check_choice("gadget", gadget, ("max-margin", "unsafe"))
    values = SolvedValues(whole_number("each", params["each"])) if leaves == "solved" else equity_values
    number, below = whole_number("iterations", params["iterations"], 0) or 200, whole_number("below", params["below"])
    spot, given = spot_of(context)
    given.refuse_others((), context)
    compile_spot(spot).find(params["at"])  # an invalid line raises before solving
    strategy = depth_limited(spot, values, iterations=number, below=below, safe=gadget == "max-margin")
    evs, nash_conv = evaluate_strategy(strategy)
    figure, node = 100 * nash_conv / 2 / spot.betting.pot, Node(strategy, params["at"])
    summary = f"exploitability of the strategy (NashConv / 2): {figure:.4g} % of the starting pot, exact"
    content = {"exploitability_percent": figure, "ev": list(evs), "node": node.summary()}
    report(params["as_json"], content, [*node_report(node), summary])
