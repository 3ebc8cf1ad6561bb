"""Spots that were solved, on the command line: places shown, streets solved again; and many boards at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tefuda.apps.cli.holdem import holdem
from tefuda.apps.cli.nodes import boards_grid, print_node, print_place, print_quality
from tefuda.apps.cli.shared.common import Json, Png, Workers, given, only_own, print_json, to_write, whole
from tefuda.apps.cli.shared.goals import Iterations, Until
from tefuda.apps.cli.shared.interruption import going_on
from tefuda.apps.cli.spots import read_on
from tefuda.errors import ParameterError


@holdem.command()
def show(
    context: typer.Context,
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="The folder of a spot that was solved, or of limit, finished or not.")
    ],
    line: Annotated[
        str, typer.Option(help='Where: "Check/Bet(50)/Call/Ts", of limit "rc/cr"; the root unless given.')
    ] = "",
    board: Annotated[str, typer.Option(help='Of limit: the cards that lie there, "Qs Jh 2h".')] = "",
    classes: Annotated[bool, typer.Option("--classes", help="Class by class, with EV and equity.")] = False,
    hands: Annotated[bool, typer.Option("--hands", help="Hand by hand, with the EV of each action.")] = False,
    csv: Annotated[Path | None, typer.Option(help="Write it hand by hand to this file.", callback=to_write)] = None,
    as_json: Json = False,
) -> None:
    """Show a place of a solved spot: who comes, what is done, EV and equity; nothing is solved.

    Of a run of tefuda holdem limit: what each class of hands does, after letters f, c and r and / between streets.
    """
    from tefuda.holdem.limit.sampler import LimitPolicy
    from tefuda.holdem.spots.node import Node

    solution = _of_holdem(run)
    if isinstance(solution.strategy, LimitPolicy):
        only_own(context, "a run of tefuda holdem limit", ("line", "board", "as_json"))
        _show_limit(run, solution.strategy, line, board, as_json)
        return
    only_own(context, "a run of a spot, whose line names its cards", ("line", "classes", "hands", "csv", "as_json"))
    node = Node(solution.strategy, line)
    if csv is not None:
        node.to_csv(csv)
    if as_json:
        figure = {"exploitability_percent": solution.verdict.figure, "iterations": solution.iterations}
        print_json({**node.summary(hands), **figure, "status": solution.status, "run": str(run)})
        return
    print_node(node, "hands" if hands else "classes" if classes else "")
    print_quality(solution)


def _of_holdem(run: Path, kinds: tuple[str, ...] = ("hands", "buckets")) -> Any:
    """Load a run of hold'em.

    Raises:
        ParameterError: a run of another form.
    """
    from tefuda.solvers.runs.run import read_run
    from tefuda.solvers.runs.saved import load

    if read_run(run)["form"]["representation"] not in kinds:
        raise ParameterError(f"{run} is no run of {' or '.join(kinds)} of hold'em; tefuda show {run} shows it.")
    return load(run)


def _show_limit(run: Path, policy: Any, line: str, board: str, as_json: bool) -> None:
    """Show a place of a run of limit hold'em."""
    from tefuda.holdem.limit.place import LimitPlace

    place = LimitPlace(policy, line, board)
    if as_json:
        print_json({**place.summary(), "run": str(run)})
        return
    print_place(place)


#: What the safe ways promise, and what unsafe re-solving does not.
_PROMISES = (
    "no hand of the other gets more from its best answer than from its best answer to the blueprint; the EVs above are "
    "against that answer, so that the EV of a hand may be lower than in the blueprint, where the other does not answer",
    "unsafe believes the blueprint's ranges: an opponent who comes with other hands may get more than before",
)


@holdem.command()
def resolve(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a spot that was solved, however roughly.")],
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
    from tefuda.errors import check_choice
    from tefuda.holdem.spots.node import Node
    from tefuda.holdem.spots.spot import PLAYERS
    from tefuda.holdem.spots.subgame import HOWS, solve_again
    from tefuda.words import distance

    check_choice("how", how, HOWS)
    number = whole("iterations", iterations)
    solution = _of_holdem(run, ("hands",))
    if at:  # a wrong line is refused before the street is solved
        solve_again(solution.strategy, line, 0, how, bets=bets, raises=raises, iterations=1).strategy.find(at)
    found = []
    with telling("street") as tell:
        for player, who in enumerate(PLAYERS):
            tell(f"{who}: {number:,} iterations")
            found.append(solve_again(solution.strategy, line, player, how, bets=bets, raises=raises, iterations=number))
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
    out.print(_PROMISES[how == "unsafe"], soft_wrap=True)


@holdem.command()
def batch(
    context: typer.Context,
    *,
    boards: Annotated[str, typer.Option(help='"Qs Jh 2h; As Kd 7c:24", a file of such lines, or flops.')],
    spot: Annotated[Path | None, typer.Option(help="A file of a spot (key=value); options stand over it.")] = None,
    pot: Annotated[int, typer.Option(help="Chips at the start.")] = 0,
    stack: Annotated[int, typer.Option(help="What each player still has.")] = 0,
    oop: Annotated[str, typer.Option(help="The range that acts first on every street.")] = "",
    ip: Annotated[str, typer.Option(help="The range that acts last.")] = "",
    bets: Annotated[str, typer.Option(help="Sizes on all streets, as of solve.")] = "50,a",
    raises: Annotated[str, typer.Option(help="Sizes of raises.")] = "50,a",
    limit: Annotated[str, typer.Option(help="Limit hold'em with these blinds: 5/10.")] = "",
    rake: Annotated[float, typer.Option(help="Part of the pot taken at the end.")] = 0.0,
    rake_cap: Annotated[float | None, typer.Option(help="Chips of it at most.")] = None,
    change: Annotated[list[str] | None, typer.Option("--set", help="Any key of a spot's file.")] = None,
    method: Annotated[str, typer.Option(help="As of solve.")] = "dcfr-3",
    precision: Annotated[str, typer.Option(help="As of solve.")] = "single",
    until: Until = None,
    iterations: Iterations = None,
    memory: Annotated[float, typer.Option(help="Bytes that a board may take.")] = 8e9,
    figures_only: Annotated[bool, typer.Option("--figures-only", help="Keep no solutions, only figures.")] = False,
    workers: Workers = 1,
    out_folder: Annotated[Path, typer.Option("--out", help="Keeps all boards; the same command goes on.")] = Path(
        "runs/boards"
    ),
    png: Png = None,
    as_json: Json = False,
) -> None:
    """Solve a spot on many boards: EV, equity and frequencies by board, and their means."""
    from tefuda.apps.display import out, table_of, telling
    from tefuda.apps.plot import plot_panels, require_matplotlib
    from tefuda.holdem.spots.batch import solve_boards
    from tefuda.holdem.spots.solver import METHODS
    from tefuda.solvers.runs.methods import find_method
    from tefuda.words import count

    chosen: Any = find_method(method, {"precision": precision}, METHODS)
    if png is not None:
        require_matplotlib(png)
    wanted, listed = read_on(boards, context.params, given(context))
    words = f"the same command goes on; {out_folder}/report.csv has the boards that are done"
    with going_on(words), telling(count(len(listed), "boards")) as tell:
        report = solve_boards(
            wanted, listed, out_folder, method=chosen, until=until,
            iterations=None if iterations is None else whole("iterations", iterations), memory=memory,
            keep=not figures_only, workers=workers, progress=lambda done, of: tell(f"{done:,} of {of:,}"),
        )  # fmt: skip
    if png is not None:
        plot_panels(report.panels(), png, title=wanted.name)
    if as_json:
        print_json({"out": str(out_folder), "boards": list(report.rows), "means": report.means()})
        return
    out.print(table_of(boards_grid(report)))
    out.print(f"{out_folder}/report.csv has all figures; equilibria are not unique: EV is what agrees", soft_wrap=True)


@holdem.command()
def lookahead(
    context: typer.Context,
    spot: Annotated[Path, typer.Option(help="A file of a spot, from flop or turn on.")],
    leaves: Annotated[
        str, typer.Option(help="solved: what is behind the street is; checked-down: nobody bets.")
    ] = "solved",
    each: Annotated[float, typer.Option(help="Iterations behind the street in each of the street's, if solved.")] = 2,
    iterations: Annotated[float, typer.Option(help="Of the street.")] = 200,
    below: Annotated[float, typer.Option(help="Of what is behind it, in the end.")] = 400,
    how: Annotated[
        str, typer.Option(help="It is solved behind max-margin, or unsafe: ranges are believed.")
    ] = "max-margin",
    line: Annotated[str, typer.Option(help="What to show; the root unless given.")] = "",
    as_json: Json = False,
) -> None:
    """Solve a spot by looking ahead one street only, and say what that costs."""
    import numpy as np

    from tefuda.apps.display import out
    from tefuda.errors import check_choice
    from tefuda.holdem.spots.ahead import Solved, checked_down, look_ahead
    from tefuda.holdem.spots.compiled import compile_spot
    from tefuda.holdem.spots.node import Node
    from tefuda.holdem.spots.solver import judged
    from tefuda.holdem.spots.spot import read_spot
    from tefuda.holdem.spots.strategy import SpotStrategy

    check_choice("leaves", leaves, ("solved", "checked-down"))
    check_choice("how", how, ("max-margin", "unsafe"))
    if leaves != "solved" and "each" in given(context):
        raise ParameterError("--each can do nothing with --leaves checked-down, which solves nothing; leave it out.")
    values = Solved(whole("each", each)) if leaves == "solved" else checked_down
    numbers = whole("iterations", iterations), whole("below", below)
    given_spot = read_spot(spot)
    SpotStrategy(compile_spot(given_spot), np.zeros(0)).find(line)  # a wrong one is refused before anything is solved
    safe = how == "max-margin"
    found = look_ahead(given_spot, values, iterations=numbers[0], below=numbers[1], safe=safe)
    evs, nash_conv = judged(found)
    figure = 100 * nash_conv / 2 / found.compiled.spot.betting.pot
    if as_json:
        print_json({"exploitability_percent": figure, "ev": list(evs), "place": Node(found, line).summary()})
        return
    print_node(Node(found, line))
    out.print(
        f"the whole, judged exactly: exploitability (NashConv / 2) {figure:.4g} % of the starting pot", soft_wrap=True
    )
