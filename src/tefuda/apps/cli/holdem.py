"""Texas hold'em on the command line: equities, ranges, play before the flop, tournaments, many boards."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Context, Option, Typer

from tefuda.apps.cli.nodes import boards_grid, chart, decision_report
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
from tefuda.apps.cli.shared.reading import read_numbers, whole_number, with_own_options
from tefuda.apps.cli.shared.runs import goal_of
from tefuda.apps.cli.spots import read_with_boards, sizes_report, spot_of
from tefuda.errors import ParameterError
from tefuda.words import count, fixed, non_negative, percent, signed

if TYPE_CHECKING:
    from tefuda.holdem.preflop.pushfold import PushFold
    from tefuda.holdem.preflop.three_players import ThreeWayPushFold

holdem = Typer(
    cls=SectionedGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Texas hold'em: equities, ranges, preflop, ICM, many boards.",
    epilog=examples("tefuda holdem equity AA KK", "tefuda holdem pushfold --stack 10"),
)
app.add_typer(holdem, name="holdem", rich_help_panel=Section.GAMES)

_BUBBLE_PLAYERS = 10  # most players of a table of bubble factors
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

    weights = Weights.read(text)
    grid = weights.grid()
    by_class = dict(zip(CLASSES, grid.ravel().tolist(), strict=True))
    hands = f"{weights.hands:g} hands" if weights.hands % 1 else count(int(weights.hands), "hands")
    summary = f"{hands}, {percent(weights.hands / len(HANDS))} of all hands: {weights}"
    report(as_json, {"range": str(weights), "hands": weights.hands, "classes": by_class}, [_chart(grid), summary])


Payouts = Annotated[str, Option(help="Prizes of the places, the first first: 50,30,20.")]
_THREE = "tefuda holdem pushfold --stacks 10,10,10 --payouts 50,30,20"


@holdem.command(**listed("Commands", "tefuda holdem pushfold --stack 10", _THREE))
def pushfold(
    context: Context,
    stack: Annotated[float | None, Option(help="Stack of both players in big blinds before posting.")] = None,
    small: Annotated[float, Option(help="With --stack: small blind in big blinds.")] = 0.5,
    ante: Annotated[float, Option(help="Ante of each player, in the unit of the stacks.")] = 0.0,
    stacks: Annotated[str, Option(help="Stacks of SB,BB or of BTN,SB,BB in any unit.")] = "",
    blinds: Annotated[str, Option(help="With --stacks: small and big blind.")] = "0.5,1",
    payouts: Payouts = "",
    as_json: options.Json = False,
) -> None:
    """Solve push or fold before the flop, for two or three players.

    Prints the range of each decision. Two players are solved exactly, three by CFR+ in some minutes, and once in two
    minutes more, when the strengths of all hands of three players are sampled and cached. With --payouts ICM values
    the chips.
    """
    from tefuda.holdem.preflop.pushfold import PushFold
    from tefuda.holdem.preflop.pushfold import pushfold as solve_exactly

    prizes = read_numbers("payouts", payouts) if payouts else ()
    if stacks:
        refuse_options(context, "has no effect with --stacks; leave it out.", ("stack", "small"))
        chips, both = read_numbers("stacks", stacks), read_numbers("blinds", blinds)
        with notifying("push or fold") as notify:
            solution = solve_exactly(stacks=chips, blinds=both, ante=ante, payouts=prizes, notify=notify)
    else:
        refuse_options(context, "needs --stacks, as --stack counts big blinds.", ("blinds",))
        if stack is None:
            raise ParameterError("push or fold needs stacks: --stack 10 or --stacks 10,10,10.", key="stack")
        solution = solve_exactly(stack, small, ante, payouts=prizes)
    if isinstance(solution, PushFold):
        _report_heads_up(solution, as_json)
    else:
        _report_three_players(solution, as_json)


def _report_heads_up(solution: PushFold, as_json: bool) -> None:
    (push, call), shares = solution.ranges, [100 * share for share in solution.shares]
    content = {
        "stack": solution.stack, "value": solution.value, "nash_conv": solution.nash_conv, "push": str(push),
        "call": str(call), "push_percent": shares[0], "call_percent": shares[1], "values": list(solution.values),
    }  # fmt: skip
    prizes = f"; expected prizes {', '.join(map(fixed, solution.values))}" if solution.stakes.payouts else ""
    summary = (
        f"value to the small blind {signed(solution.value, 6)} big blinds per hand, exact by linear programming "
        f"(NashConv {non_negative(abs(solution.nash_conv))}){prizes}; other equilibria with this value may exist"
    )
    pushes = [f"small blind: all-in, {percent(solution.shares[0])}", _chart(push.grid())]
    calls = [f"big blind: calls, {percent(solution.shares[1])}", _chart(call.grid())]
    report(as_json, content, [*pushes, *calls, summary])


def _report_three_players(solution: ThreeWayPushFold, as_json: bool) -> None:
    from tefuda.holdem.preflop.three_players import DECISIONS

    stakes, unit = solution.stakes, "expected prizes" if solution.stakes.payouts else "big blinds per hand"
    decisions = list(zip(DECISIONS, solution.ranges, solution.shares, strict=True))
    content = {
        "stacks": stakes.stacks, "blinds": stakes.blinds, "ante": stakes.ante, "payouts": stakes.payouts,
        "values": solution.values, "nash_conv": solution.nash_conv, "iterations": solution.iterations,
        "decisions": [
            {"decision": name, "range": str(range_), "percent": 100 * share} for name, range_, share in decisions
        ],
    }  # fmt: skip
    charts = [
        part for name, range_, share in decisions for part in (f"{name}: {percent(share)}", _chart(range_.grid()))
    ]
    number = fixed if stakes.payouts else signed
    values = ", ".join(
        f"{seat} {number(value)}" for seat, value in zip(("BTN", "SB", "BB"), solution.values, strict=True)
    )
    summary = (
        f"{unit}: {values}; NashConv {non_negative(solution.nash_conv)} after "
        f"{count(solution.iterations, 'iterations')}; with three players other equilibria may have other values"
    )
    report(as_json, content, [*charts, summary])


@holdem.command(**listed("Commands", "tefuda holdem preflop --stack 10 --limp --raise 2"))
def preflop(
    stack: Annotated[float, Option(help="Stack in big blinds before posting, at most 15.")],
    limp: Annotated[bool, Option("--limp", help="Let the small blind call.")] = False,
    sizes: Annotated[str, Option("--raise", help="Raises of the small blind to these big blinds: 2,2.5.")] = "",
    small: Annotated[float, Option(help="Small blind in big blinds.")] = 0.5,
    ante: Annotated[float, Option(help="Ante of each player in big blinds.")] = 0.0,
    as_json: options.Json = False,
) -> None:
    """Solve heads-up play before the flop with limps and raises.

    Where a flop would follow, the hands are checked down, so position and later bets have no value.
    """
    from tefuda.holdem.cards import CLASS_OF
    from tefuda.holdem.preflop.tree import SEATS, preflop_tree

    with notifying("preflop") as notify:
        notify("linear program")
        tree = preflop_tree(stack, read_numbers("raise", sizes) if sizes else (), limp, small, ante)
    shown, listed_decisions = list[Any](), []
    for line, node in tree.decisions.items():
        shares = {name: 100 * share for name, share in node.frequencies.items()}
        ranges = {name: str(range_) for name, range_ in node.ranges.items()}
        listed_decisions.append({"line": line, "seat": SEATS[node.player], "percent": shares, "ranges": ranges})
        summary = ", ".join(f"{name} {percent(share / 100)}" for name, share in shares.items())
        charts = decision_report(node.actions, node.reach[CLASS_OF], node.shares[:, CLASS_OF], SEATS[node.player])
        shown += [f"{line or 'first decision'}: {summary}", *charts] if node.reach.any() else [f"{line}: no hand comes"]
    content = {
        "stack": stack, "limp": limp, "value": tree.value, "nash_conv": tree.nash_conv,
        "decisions": listed_decisions,
    }  # fmt: skip
    value = (
        f"value to the small blind {signed(tree.value, 6)} big blinds per hand, exact for this game (NashConv "
        f"{non_negative(abs(tree.nash_conv))}); flops are checked down, so position and later bets have no value"
    )
    report(as_json, content, [*shown, value])


@holdem.command(**listed("Commands", "tefuda holdem icm --stacks 4000,3000,2000,1000 --payouts 50,30,20"))
def icm(
    context: Context,
    stacks: Annotated[str, Option(help="Chips of each player: 4000,3000,2000.")],
    payouts: Payouts,
    exact: Annotated[bool, Option("--exact", help="Print fractions, for up to 12 players.")] = False,
    samples: Annotated[float, Option(help="Number of sampled orders of more than 20 players.")] = 1e4,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Value the stacks of a tournament by the independent chip model.

    Prints each value and, for up to ten players, the bubble factors: the value that a player loses by losing all-in
    against each other player, divided by the value won by winning.
    """
    from tefuda.apps.grids import Grid
    from tefuda.holdem.tournaments import EXACT_PLAYERS, bubble_factor
    from tefuda.holdem.tournaments import icm as value_stacks

    chips, prizes = read_numbers("stacks", stacks), read_numbers("payouts", payouts)
    if len(chips) <= EXACT_PLAYERS:
        refuse_options(context, "has no effect, as values of 20 players are exact; leave it out.", ("samples", "seed"))
    with notifying("icm") as notify:
        result = value_stacks(
            chips, prizes, exact, samples=whole_number("samples", samples, 2), seed=seed,
            progress=lambda done, of: notify(f"{done:,} of {of:,} orders"),
        )  # fmt: skip
    live = [player for player, stack in enumerate(chips) if stack] if len(chips) <= _BUBBLE_PLAYERS else []
    factors = [[bubble_factor(chips, prizes, one, two, exact) if one != two else None for two in live] for one in live]

    def text(value: Any) -> str:
        return "" if value is None else fixed(value) if isinstance(value, float) else str(value)

    def plain(value: Any) -> Any:
        return str(value) if isinstance(value, Fraction) else value

    halves = [f" ± {fixed(half)}" if half else "" for half in result.half_widths]
    rows = tuple(
        (
            *(f"{player + 1}", f"{stack:,}", percent(stack / sum(chips)), text(result.values[player]) + halves[player]),
            *(map(text, factors[live.index(player)]) if player in live else [""] * len(live)),
        )
        for player, stack in enumerate(chips)
    )
    columns = ("player", "chips", "share of chips", "value", *(f"against {two + 1}" for two in live))
    title = "values by ICM; against: bubble factors, the value lost by losing all-in over that won by winning"
    content = {
        "stacks": chips, "payouts": prizes, "values": list(map(plain, result.values)),
        "half_widths": result.half_widths, "players": [player + 1 for player in live],
        "bubble_factors": [list(map(plain, row)) for row in factors],
    }  # fmt: skip
    report(as_json, content, [Grid(columns, rows, title)])


_BATCH = 'tefuda holdem batch --spot turn.txt --boards "Qs Jh 2h 8d; As Kd 7c 2s"'


@holdem.command(context_settings=GAME_OPTIONS, **listed("Commands", _BATCH))
@options.with_options(options.STOP)
def batch(
    context: Context,
    *,
    boards: Annotated[str, Option(help='"Qs Jh 2h; As Kd 7c:24", a file of boards, or flops.')],
    method: Annotated[str, Option(help="dcfr-3, lcfr, ema or another of holdem.spots.solver.METHODS.")] = "dcfr-3",
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
