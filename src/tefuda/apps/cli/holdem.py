"""Texas hold'em on the command line: equities, ranges, push or fold, many boards."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Context, Option, Typer

from tefuda.apps.cli.nodes import boards_grid, chart
from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import (
    GAME_OPTIONS,
    Section,
    SectionedGroup,
    app,
    examples,
    listed,
    notifying,
    refuse_options,
    report,
)
from tefuda.apps.cli.shared.interruption import on_interruption
from tefuda.apps.cli.shared.reading import whole_number, with_own_options
from tefuda.apps.cli.shared.runs import goal_of
from tefuda.apps.cli.spots import read_with_boards, sizes_report, spot_of
from tefuda.words import count

holdem = Typer(
    cls=SectionedGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Texas hold'em: equities, ranges, push or fold, many boards.",
    epilog=examples("tefuda holdem equity AA KK", "tefuda holdem pushfold --stack 10"),
)
app.add_typer(holdem, name="holdem", rich_help_panel=Section.GAMES)

Range = Annotated[str, Argument(help="A range: AA,AKs,T9s:0.5,22+,A5s-A2s,AsKs; * is any hand.")]


@holdem.command(**listed("Commands", "tefuda holdem equity AA KK", 'tefuda holdem equity 22+ AKs --board "Qs Jh 2h"'))
def equity(
    context: Context,
    first: Range,
    second: Range,
    board: Annotated[str, Option(help='Board cards: "Qs Jh 2h".')] = "",
    samples: Annotated[float | None, Option(help="Number of random boards; the default is all boards.")] = None,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Compute the all-in equity of two ranges."""
    from tefuda.apps.grids import Grid
    from tefuda.holdem.equities import equity as compare
    from tefuda.words import percent

    number = None if samples is None else whole_number("samples", samples, 2)
    if number is None:
        refuse_options(
            context, "has no effect without --samples, because all boards are counted; leave it out.", ("seed",)
        )
    with notifying("equity") as notify:
        result = compare(
            first, second, board, samples=number, seed=seed,
            progress=lambda done, of: notify(f"{done:,} of {of:,} boards"),
        )  # fmt: skip
    shares, wins = (result.first, result.second), (result.wins, result.losses)
    rows = [
        (name, f"{100 * share:.4f} %", percent(won / result.total), percent(result.ties / result.total))
        for name, share, won in zip((first, second), shares, wins, strict=True)
    ]
    title = f"± {100 * result.half_width:.4f} % (95 %)" if number else ""
    counts = {"wins": result.wins, "ties": result.ties, "losses": result.losses, "total": result.total}
    content = {"equity": list(shares), "half_width": result.half_width, **counts}
    report(as_json, content, [Grid(("range", "equity", "wins", "ties"), tuple(rows), title)])


@holdem.command(name="range", **listed("Commands", "tefuda holdem range 22+,A5s-A2s,KQo:0.5"))
def show_range(text: Range, as_json: options.Json = False) -> None:
    """Print a range as a chart of 13 x 13 hand classes.

    Suited hands are above the pairs, offsuit hands below.
    """
    from tefuda.holdem.cards import CLASSES, HANDS
    from tefuda.holdem.ranges import Range as Weights
    from tefuda.words import count, percent

    weights = Weights.read(text)
    grid = weights.grid()
    by_class = dict(zip(CLASSES, grid.ravel().tolist(), strict=True))
    hands = f"{weights.hands:g} hands" if weights.hands % 1 else count(int(weights.hands), "hands")
    summary = f"{hands}, {percent(weights.hands / len(HANDS))} of all hands: {weights}"
    report(as_json, {"range": str(weights), "hands": weights.hands, "classes": by_class}, [_chart(grid), summary])


@holdem.command(**listed("Commands", "tefuda holdem pushfold --stack 10"))
def pushfold(
    stack: Annotated[float, Option(help="Stack in big blinds before posting.")],
    small: Annotated[float, Option(help="Small blind in big blinds.")] = 0.5,
    ante: Annotated[float, Option(help="Ante of each player in big blinds.")] = 0.0,
    as_json: options.Json = False,
) -> None:
    """Solve heads-up push or fold before the flop.

    Prints the pushing range of the small blind and the calling range of the big blind.
    """
    from tefuda.holdem.spots.pushfold import pushfold as solve_exactly
    from tefuda.words import non_negative, percent, signed

    solution = solve_exactly(stack, small, ante)
    (push, call), shares = solution.ranges, [100 * share for share in solution.shares]
    content = {
        "stack": stack, "value": solution.value, "nash_conv": solution.nash_conv, "push": str(push), "call": str(call),
        "push_percent": shares[0], "call_percent": shares[1],
    }  # fmt: skip
    summary = (
        f"value to the small blind {signed(solution.value, 6)} big blinds per hand, exact by linear programming "
        f"(NashConv {non_negative(abs(solution.nash_conv))}); other equilibria with this value may exist"
    )
    pushes = [f"small blind: all-in, {percent(solution.shares[0])}", _chart(push.grid())]
    calls = [f"big blind: calls, {percent(solution.shares[1])}", _chart(call.grid())]
    report(as_json, content, [*pushes, *calls, summary])


_BATCH = 'tefuda holdem batch --spot turn.txt --boards "Qs Jh 2h 8d; As Kd 7c 2s"'


@holdem.command(context_settings=GAME_OPTIONS, **listed("Commands", _BATCH))
@options.with_options(options.STOP)
def batch(
    context: Context,
    *,
    boards: Annotated[str, Option(help='"Qs Jh 2h; As Kd 7c:24", a file of boards, or flops.')],
    method: Annotated[str, Option(help="dcfr-3, dcfr, cfr, cfr+, cfr+quadratic or lcfr.")] = "dcfr-3",
    change: Annotated[list[str] | None, Option("--set", help="A key of the spot file: turn_bet=33.")] = None,
    memory: Annotated[float, Option(help="Memory limit in bytes; default: 8e9.", show_default=False)] = 8e9,
    figures_only: Annotated[bool, Option("--figures-only", help="Save figures only, no strategies.")] = False,
    workers: options.Workers = 1,
    out: Annotated[Path, Option(help="Folder of all boards; repeat to resume.")] = Path("runs/boards"),
    png: options.Png = None,
    as_json: options.Json = False,
) -> None:
    """Solve a spot on many boards and report each of them.

    Prints EV, equity and action frequencies of every board, and their means. Other options are those of a spot and of
    its method, as in tefuda solve spot.
    """
    from tefuda.apps.plot import plot_panels
    from tefuda.holdem.spots.batch import solve_boards
    from tefuda.holdem.spots.solver import METHODS
    from tefuda.solvers.runs.methods import find_method

    goal, (spot, listed, given) = goal_of(context), read_with_boards(boards, context)
    chosen = with_own_options(find_method(method, table=METHODS), given, context)
    message = f"repeat the command to resume; {out}/report.csv has the complete boards"
    with on_interruption(message), notifying(count(len(listed), "boards")) as notify:
        results = solve_boards(
            spot, listed, out, method=chosen, iterations=goal.iterations, until=goal.until, memory=memory,
            keep=not figures_only, workers=workers, progress=lambda done, of: notify(f"{done:,} of {of:,}"),
        )  # fmt: skip
    if png is not None:
        plot_panels(results.panels(), png, title=spot.name)
    content = {"out": str(out), "boards": list(results.rows), "means": results.means()}
    end = f"{out}/report.csv has all numbers; equilibria are not unique: strategies with equal EV may differ"
    report(as_json, content, [boards_grid(results), end], png)


_SIZES = "tefuda holdem sizes --spot river.txt --sizes 2 --out simple.txt"


@holdem.command(context_settings=GAME_OPTIONS, **listed("Commands", _SIZES))
def sizes(
    context: Context,
    *,
    number: Annotated[int, Option("--sizes", help="Largest number of sizes at a node: 1 or 2.")] = 1,
    until: Annotated[float | None, Option(parser=options.parse_figure, help="Exploitability in % of the pot.")] = None,
    depth: Annotated[int | None, Option(help="Actions before the last nodes; default: all (flop: 1).")] = None,
    change: Annotated[list[str] | None, Option("--set", help="A key of the spot file: turn_bet=33.")] = None,
    workers: options.Workers = 1,
    out: Annotated[Path | None, Option(help="File for the spot.", callback=options.writable_file)] = None,
    as_json: options.Json = False,
) -> None:
    """Leave one or two bet sizes at each node of a spot.

    A node keeps the sizes that cost its player the least EV. Prints them with the loss. Other options are those of a
    spot, as in tefuda solve spot.
    """
    from tefuda.files import write_bytes
    from tefuda.holdem.spots.simplification import simplify_sizes

    spot, given = spot_of(context)
    given.refuse_others((), context)
    with on_interruption("nothing is saved"), notifying("sizes") as notify:
        result = simplify_sizes(spot, number, until=until, depth=depth, workers=workers, notify=notify)
    if out is not None:
        write_bytes(out, result.spot.file_text().encode())
    saved = [] if out is None else [f"saved the spot in {out}"]
    report(as_json, {**result.summary(), "out": out and str(out)}, [*sizes_report(result), *saved])


def _chart(grid: Any) -> Any:
    """Return the chart of a range; partial classes are in percent."""
    from tefuda.holdem.cards import CLASSES

    def cell(name: str, weight: float) -> str:
        return "." if weight == 0 else name if weight == 1 else f"{100 * weight:.0f}%"

    return chart([cell(name, weight) for name, weight in zip(CLASSES, grid.ravel().tolist(), strict=True)])
