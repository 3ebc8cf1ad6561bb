"""Spots that were solved, on the command line: places of them shown."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tefuda.apps.cli.common import Json, print_json
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
