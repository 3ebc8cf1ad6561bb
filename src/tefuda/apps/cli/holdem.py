"""Texas hold'em on the command line: equities, spots, charts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from tefuda.apps.cli.shared.common import Json, Seed, app, given, only_own, print_json, say_how_it_ended, whole
from tefuda.apps.cli.shared.goals import GOALS, CheckpointSeconds, Iterations, Out, Resume, Seconds, Until
from tefuda.errors import ParameterError

#: Names of values in messages that options have another name for.
_SPELLED = {"rake_rate": "rake"}


class Spelling(TyperGroup):
    """Commands whose refusals name an option that was given as it is spelled: ``--rake-cap``, not ``rake_cap``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Note what is written on the command line."""
        ctx.meta["written"] = {text.partition("=")[0] for text in args}
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except ParameterError as error:
            command = self.commands[ctx.invoked_subcommand]
            options = {one.name: opt for one in command.params for opt in one.opts if opt in ctx.meta["written"]}
            option = options.get(_SPELLED.get(error.key, error.key))
            if option is not None and str(error).startswith(error.key):
                error.args = (option + str(error).removeprefix(error.key),)
            raise


holdem = typer.Typer(
    cls=Spelling,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Texas hold'em: equities, ranges, spots, whole hands at a limit.",
)
app.add_typer(holdem, name="holdem")

_RANGE = "AA,AKs,T9s:0.5,22+,A5s-A2s,AsKs; * is any hand."
Range = Annotated[str, typer.Argument(help=_RANGE)]


@holdem.callback()
def _group() -> None:
    """Texas hold'em: equities, ranges, spots, whole hands at a limit."""


@holdem.command()
def equity(
    context: typer.Context,
    first: Range,
    second: Range,
    board: Annotated[str, typer.Option(help='Cards that lie: "Qs Jh 2h".')] = "",
    samples: Annotated[float | None, typer.Option(help="So many boards drawn at random, not all.")] = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Print what two ranges win from each other all-in."""
    from tefuda.apps.display import out, table_of, telling
    from tefuda.apps.grids import Grid
    from tefuda.holdem.equities import equity as compare
    from tefuda.words import percent

    number = None if samples is None else whole("samples", samples, 2)
    if number is None and "seed" in given(context):
        raise ParameterError("--seed can do nothing without --samples: all boards are counted; leave it out.")
    with telling("equity") as tell:
        found = compare(
            first, second, board, samples=number, seed=seed,
            progress=lambda done, of: tell(f"{done:,} of {of:,} boards"),
        )  # fmt: skip
    shares = (found.first, found.second)
    if as_json:
        counts = {"wins": found.wins, "ties": found.ties, "losses": found.losses, "total": found.total}
        print_json({"equity": list(shares), "half_width": found.half_width, **counts})
        return
    wins = (found.wins, found.losses)
    rows = [
        (name, f"{100 * share:.4f} %", percent(won / found.total), percent(found.ties / found.total))
        for name, share, won in zip((first, second), shares, wins, strict=True)
    ]
    title = f"± {100 * found.half_width:.4f} % (95 %)" if number else ""
    out.print(table_of(Grid(("range", "equity", "wins", "ties"), tuple(rows), title)))


@holdem.command(name="range")
def show_range(text: Range, as_json: Json = False) -> None:
    """Print a range as a chart: percent of each class, suited hands above the pairs, offsuit below."""
    from tefuda.apps.display import out
    from tefuda.holdem.cards import CLASSES, HANDS
    from tefuda.holdem.ranges import Range as Weights
    from tefuda.words import count, percent

    found = Weights.read(text)
    grid = found.grid()
    if as_json:
        by_class = dict(zip(CLASSES, grid.ravel().tolist(), strict=True))
        print_json({"range": str(found), "hands": found.hands, "classes": by_class})
        return
    out.print(_chart(grid))
    hands = f"{found.hands:g} hands" if found.hands % 1 else count(int(found.hands), "hands")
    out.print(f"{hands}, {percent(found.hands / len(HANDS))} of all: {found}")


@holdem.command()
def pushfold(
    stack: Annotated[float, typer.Option(help="Of each player in big blinds, before posting.")],
    small: Annotated[float, typer.Option(help="The small blind, in big blinds.")] = 0.5,
    ante: Annotated[float, typer.Option(help="Of each player, in big blinds.")] = 0.0,
    as_json: Json = False,
) -> None:
    """Print who goes all-in and who calls before the flop, heads-up, where nothing else is allowed."""
    from tefuda.apps.display import out
    from tefuda.holdem.spots.pushfold import pushfold as solve_exactly
    from tefuda.words import distance, percent, signed

    found = solve_exactly(stack, small, ante)
    (push, call), shares = found.ranges, found.shares
    if as_json:
        print_json(
            {
                "stack": stack, "value": found.value, "nash_conv": found.nash_conv, "push": str(push),
                "call": str(call), "push_percent": 100 * shares[0], "call_percent": 100 * shares[1],
            }
        )  # fmt: skip
        return
    for who, chart, share in (("small blind: all-in", push, shares[0]), ("big blind: calls", call, shares[1])):
        out.print(f"{who}, {percent(share)}")
        out.print(_chart(chart.grid()))
    out.print(
        f"value to the small blind {signed(found.value, 6)} big blinds a hand, exact by linear programming (NashConv "
        f"{distance(abs(found.nash_conv))}); other equilibria may exist, of the same value",
        soft_wrap=True,
    )


def _chart(grid: Any) -> Any:
    """The chart of 13 x 13 classes: names, with percent below where it is not all or nothing."""
    from tefuda.apps.display import table_of
    from tefuda.apps.grids import Grid
    from tefuda.holdem.cards import CLASSES, RANKS

    def cell(name: str, weight: float) -> str:
        return "." if weight == 0 else name if weight == 1 else f"{100 * weight:.0f}%"

    cells = [cell(name, weight) for name, weight in zip(CLASSES, grid.ravel().tolist(), strict=True)]
    rows = tuple((RANKS[12 - row], *cells[13 * row : 13 * row + 13]) for row in range(13))
    return table_of(Grid(("", *reversed(RANKS)), rows))


@holdem.command()
def solve(
    context: typer.Context,
    *,
    spot: Annotated[Path | None, typer.Option(help="A file of a spot (key=value); options stand over it.")] = None,
    board: Annotated[str, typer.Option(help='Three to five cards: "Qs Jh 2h 8d 3c".')] = "",
    pot: Annotated[int, typer.Option(help="Chips at the start.")] = 0,
    stack: Annotated[int, typer.Option(help="What each player still has.")] = 0,
    oop: Annotated[str, typer.Option(help="The range that acts first on every street.")] = "",
    ip: Annotated[str, typer.Option(help="The range that acts last.")] = "",
    bets: Annotated[str, typer.Option(help="Sizes on all streets: 50,100,a (% of the pot, all-in), 10c, 2e.")] = "50,a",
    raises: Annotated[str, typer.Option(help="Sizes of raises: 50,2.5x,a.")] = "50,a",
    limit: Annotated[str, typer.Option(help="Limit hold'em with these blinds: 5/10 (four bets; --set cap=3).")] = "",
    rake: Annotated[float, typer.Option(help="Part of the pot taken at the end.")] = 0.0,
    rake_cap: Annotated[float | None, typer.Option(help="Chips of it at most.")] = None,
    change: Annotated[list[str] | None, typer.Option("--set", help="Any key of a spot's file: turn_bet=33,a.")] = None,
    lock: Annotated[
        list[str] | None, typer.Option(help='What must be done where: "Check/Bet(50) = Call KK:0.25; Fold KK:0.75".')
    ] = None,
    method: Annotated[str, typer.Option(help="dcfr-3, dcfr, cfr, cfr+, cfr+quadratic, lcfr.")] = "dcfr-3",
    precision: Annotated[
        str, typer.Option(help="single; half takes half the memory; double is for proofs.")
    ] = "single",
    threads: Annotated[int, typer.Option(help="Over how many the boards after the first are spread.")] = 1,
    until: Until = None,
    iterations: Iterations = None,
    seconds: Seconds = None,
    memory: Annotated[float, typer.Option(help="Bytes it may take.")] = 8e9,
    line: Annotated[str, typer.Option(help='What to show: "Check/Bet(50)"; the root unless given.')] = "",
    tree: Annotated[bool, typer.Option("--tree", help="Print the betting tree and its size; solve nothing.")] = False,
    out: Out = None,
    checkpoint_seconds: CheckpointSeconds = 30.0,
    resume: Resume = None,
    as_json: Json = False,
) -> None:
    """Solve a heads-up spot from flop, turn or river on: strategies, EV, exploitability."""
    from tefuda.apps.cli.shared.goals import go_on
    from tefuda.apps.cli.spots import read, run, show, show_tree

    if resume is not None:
        only_own(context, "--resume", (*GOALS, "threads", "line", "as_json"))
        solution = go_on(context, resume, only="hands")
    else:
        given_spot = read(context.params, given(context))
        if tree:
            show_tree(given_spot, precision, as_json)
            return
        solution = run(context, given_spot)
    show(solution, line, as_json)
    say_how_it_ended(solution, "tefuda solve")
