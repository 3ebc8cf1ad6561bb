"""Texas hold'em on the command line: spots, equities, ranges."""

from __future__ import annotations

from typing import Annotated, Any

from typer import Argument, Context, Option, Typer

from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import (
    Section,
    SectionedGroup,
    allow_only,
    app,
    examples,
    exit_by_status,
    given_options,
    listed,
    notifying,
    refuse_options,
    report,
)
from tefuda.apps.cli.shared.reading import whole_number
from tefuda.apps.cli.shared.runs import RESUME_OPTIONS
from tefuda.errors import ParameterError

#: Parameters of options whose names in messages differ.
_OPTION_OF = {"rake_rate": "rake"}


#: Example of solving a small spot.
EXAMPLE = (
    'tefuda holdem solve --board "Ts 3h 2h 5c 9s" --pot 100 --stack 100 \\\n'
    "      --oop AA,QQ --ip KK --until 1 --out runs/spot"
)


class HoldemGroup(SectionedGroup):
    """Commands whose errors name an option as it is on the command line: ``--rake-cap``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Record the options on the command line."""
        ctx.meta["written"] = {text.partition("=")[0] for text in args}
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; its errors name the option."""
        try:
            return super().invoke(ctx)
        except ParameterError as error:
            command = self.commands[ctx.invoked_subcommand]
            options = {param.name: opt for param in command.params for opt in param.opts if opt in ctx.meta["written"]}
            option = options.get(_OPTION_OF.get(error.key, error.key))
            if option is not None and str(error).startswith(error.key):
                error.args = (option + str(error).removeprefix(error.key),)
            raise


holdem = Typer(
    cls=HoldemGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Texas hold'em: solve spots, compute equities, and more.",
    epilog=examples(
        "tefuda holdem equity AA KK",
        "tefuda holdem pushfold --stack 10",
        EXAMPLE,
    ),
)
app.add_typer(holdem, name="holdem", rich_help_panel=Section.GAMES)

#: Sections of the commands.
SPOTS, LIMIT, RANGES = "Spots", "Limit hold'em", "Hands and ranges"

Range = Annotated[str, Argument(help="A range: AA,AKs,T9s:0.5,22+,A5s-A2s,AsKs; * is any hand.")]


@holdem.command(**listed(SPOTS, EXAMPLE))
@options.with_options(options.SPOT | options.GOAL)
def solve(
    context: Context,
    *,
    board: Annotated[str, Option(help='Three to five board cards: "Qs Jh 2h 8d 3c".')] = "",
    lock: Annotated[list[str] | None, Option(help='Node lock: "Check/Bet(50) = Call KK:0.25".')] = None,
    threads: Annotated[int, Option(help="Number of threads.")] = 1,
    line: options.Line = "",
    tree: Annotated[bool, Option("--tree", help="Print the betting tree and its size only.")] = False,
    as_json: options.Json = False,
) -> None:
    """Solve a heads-up spot from the flop, turn or river on.

    Prints strategies, EV and exploitability. To lock a node: --lock "Check/Bet(50) = Call KK:0.25; Fold KK:0.75".
    """
    from tefuda.apps.cli.shared.runs import resume_run
    from tefuda.apps.cli.spots import read, run, show, show_tree

    params = context.params
    if params["resume"] is not None:
        allow_only(context, "--resume", (*RESUME_OPTIONS, "threads", "line", "as_json"))
        solution = resume_run(context, params["resume"], only="hands")
    else:
        spot = read(params, given_options(context))
        if tree:
            show_tree(spot, params["precision"], as_json)
            return
        solution = run(context, spot)
    show(solution, line, as_json)
    exit_by_status(solution, "tefuda solve")


@holdem.command(**listed(RANGES, "tefuda holdem equity AA KK", 'tefuda holdem equity 22+ AKs --board "Qs Jh 2h"'))
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


@holdem.command(name="range", **listed(RANGES, "tefuda holdem range 22+,A5s-A2s,KQo:0.5"))
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


@holdem.command(**listed(RANGES, "tefuda holdem pushfold --stack 10"))
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


def _chart(grid: Any) -> Any:
    """Return the chart of a range; partial classes are in percent."""
    from tefuda.apps.cli.nodes import chart
    from tefuda.holdem.cards import CLASSES

    def cell(name: str, weight: float) -> str:
        return "." if weight == 0 else name if weight == 1 else f"{100 * weight:.0f}%"

    return chart([cell(name, weight) for name, weight in zip(CLASSES, grid.ravel().tolist(), strict=True)])
