"""Spots that were solved, on the command line: places of them shown, streets of them solved again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tefuda.apps.cli.common import Json, print_json, whole
from tefuda.apps.cli.holdem import holdem
from tefuda.apps.cli.nodes import print_node, print_quality


@holdem.command()
def show(
    run: Annotated[Path, typer.Argument(help="The folder of a spot that was solved, finished or not.")],
    line: Annotated[str, typer.Option(help='Where: "Check/Bet(50)/Call/Ts"; the root unless given.')] = "",
    hands: Annotated[bool, typer.Option("--hands", help="Hand by hand, with the EV of each action.")] = False,
    csv: Annotated[Path | None, typer.Option(help="Write it hand by hand to this file.")] = None,
    as_json: Json = False,
) -> None:
    """Show a place of a solved spot: who comes, what is done, EV and equity; nothing is solved."""
    from tefuda.holdem.node import Node
    from tefuda.holdem.solving import read_spot_run

    solution: Any = read_spot_run(run)
    node = Node(solution.policy, line)
    node.strategy.find(line)
    if csv is not None:
        node.to_csv(csv)
    if as_json:
        figure = {"exploitability_percent": solution.verdict.figure, "iterations": solution.iterations}
        print_json({**node.summary(hands), **figure, "status": solution.status, "run": str(run)})
        return
    print_node(node, hands)
    print_quality(solution)


@holdem.command()
def resolve(
    run: Annotated[Path, typer.Argument(help="The folder of a spot that was solved, however roughly.")],
    line: Annotated[str, typer.Option(help='Where a street starts: "Check/Bet(50)/Call/Ts".')],
    how: Annotated[str, typer.Option(help="max-margin, gadget or unsafe.")] = "max-margin",
    bets: Annotated[str | None, typer.Option(help="Sizes from there on; as before unless given.")] = None,
    raises: Annotated[str | None, typer.Option(help="Sizes of raises from there on.")] = None,
    iterations: Annotated[float, typer.Option(help="For each player.")] = 1000,
    at: Annotated[str, typer.Option(help='What to show, from there on: "Check/Bet(75)".')] = "",
    as_json: Json = False,
) -> None:
    """Solve a street of a solved spot again, with other sizes if you like, so that nothing is given away."""
    from tefuda.apps.display import out, telling
    from tefuda.holdem.node import Node
    from tefuda.holdem.solving import read_spot_run
    from tefuda.holdem.spot import PLAYERS
    from tefuda.holdem.subgame import solve_again
    from tefuda.words import distance

    solution: Any = read_spot_run(run)
    number = whole("iterations", iterations)
    found = []
    with telling("street") as tell:
        for player, who in enumerate(PLAYERS):
            tell(f"{who}: {number:,} iterations")
            found.append(solve_again(solution.policy, line, player, how, bets=bets, raises=raises, iterations=number))
    node = Node(found[0].strategy, at)
    if node.player == 1:
        node = Node(found[1].strategy, at)
    if as_json:
        names = ("taken", "margin", "gained")
        told = [{"player": PLAYERS[one.player]} | {name: getattr(one, name) for name in names} for one in found]
        print_json({"line": line, "how": how, "players": told, "place": node.summary()})
        return
    print_node(node)
    for one in found:
        kept = "" if one.taken else "; left as it was: some hand of the other would have got more"
        words = f"{distance(one.gained)} chips a game in all, each at least {distance(one.margin)}{kept}"
        out.print(f"{PLAYERS[one.player]} by {how}: the other's hands lose {words}", soft_wrap=True)
