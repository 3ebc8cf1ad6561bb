"""Texas hold'em on the command line: equities, spots, charts."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tefuda.apps.cli.common import Json, Seed, app, print_json, whole

holdem = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Texas hold'em: equities, ranges, spots.")
app.add_typer(holdem, name="holdem")

_RANGE = "AA,AKs,T9s:0.5,22+,A5s-A2s,AsKs; * is any hand."
Range = Annotated[str, typer.Argument(help=_RANGE)]


@holdem.callback()
def _group() -> None:
    """Texas hold'em: equities, ranges, spots."""


@holdem.command()
def equity(
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
    from tefuda.holdem.equity import equity as compare
    from tefuda.words import percent

    number = None if samples is None else whole("samples", samples, 2)
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
