"""Costs of the decisions in hand histories, for `tefuda hands --review`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer import Option

from tefuda.apps.cli.shared.interruption import on_interruption
from tefuda.apps.cli.shared.options import Options, writable_folder
from tefuda.errors import check_choice, out_of_range
from tefuda.words import count, fixed, parse_number, percent

if TYPE_CHECKING:
    from tefuda.holdem.reviews.review import PricedDecision, Review

#: Options of a review.
OPTIONS: Options = {
    "review": (bool, False, Option("--review", help="Hold'em: cost of each decision.")),
    "ranges": (Path | None, None, "With --review: folder of ranges, 6max-100bb/BTN-open.txt."),
    "widths": (str, "usual", "With --review: widths of presets, usual, or mine: from the hands."),
    "budget": (str, "", "With --review: time to solve, estimated: 90s, 10m, 2h."),
    "memory": (str, "2GB", "With --review: memory limit of a spot."),
    "rake": (str, "", "With --review: rake and its largest amount in big blinds, 5%,3."),
    "out": (
        Path, Path("runs/reviews"),
        Option(help="With --review: folder of solved spots.", callback=writable_folder),
    ),
}  # fmt: skip
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "": 1.0, "KB": 1e3, "MB": 1e6, "GB": 1e9, "%": 0.01}
_SHOWN = 10  # decisions
_GROUPS = ("street", "position", "pot_type")  # sums that are printed; --json has all


def review_report(hands: Any, params: Mapping[str, Any], notify: Any) -> tuple[dict[str, Any], list[Any]]:
    """Return the review of hands as JSON values and as tables; draw its picture."""
    from tefuda.apps.plot import plot_panels
    from tefuda.holdem.reviews.running import review

    check_choice("widths", params["widths"], ("usual", "mine"))
    player, budget, folder = params["player"], params["budget"], params["out"]
    counted = hands if params["widths"] == "mine" else None
    hands.table().of(player or None)  # an unknown player, or hands without a hero, is an error
    if params["where"]:
        hands = hands.filter(params["where"], player or None)
    rate, _, cap = (params["rake"] or "0").partition(",")
    most = _amount("rake", cap, ("",)) if cap else 0.0
    with on_interruption(f"{folder} has the solved spots; repeat the command to continue"):
        result = review(
            hands, params["ranges"], _amount("budget", budget, ("", "s", "m", "h")) if budget else None,
            widths=counted, player=player, memory=_amount("memory", params["memory"], ("", "KB", "MB", "GB")),
            rake=(_amount("rake", rate, ("", "%")), most), folder=folder,
            progress=lambda done, of: notify(f"{done:,} of {of:,} spots"), notify=notify,
        )  # fmt: skip
    shown = params["show"] or _SHOWN
    if params["png"] is not None:
        plot_panels([result.panel(shown)], params["png"])
    return result.summary(), _tables(result, shown)


def _amount(name: str, text: str, units: tuple[str, ...]) -> float:
    """Return the number of a text such as ``10m``, ``2GB`` or ``5%``."""
    match = re.fullmatch(r"([0-9.e+]+?)([a-zA-Z%]*)", text.strip())
    try:
        if match is None or match[2] not in units:
            raise ValueError
        return float(parse_number(match[1])) * _UNITS[match[2]]
    except ValueError:
        allowed = f"a number from 0 with one of the units {', '.join(unit for unit in units if unit)}"
        raise out_of_range(name, text, allowed if any(units) else "a number from 0") from None


def _tables(result: Review, shown: int) -> list[Any]:
    from tefuda.apps.grids import Grid

    total = result.total
    things: list[Any] = [
        f"{count(total.decisions, 'decisions')} priced, {percent(result.share_priced)} of all; they cost "
        f"{fixed(total.cost, 2)} bb, {fixed(total.error_rate, 1)} mbb a decision."
    ]
    if dearest := result.dearest(shown):
        heads: tuple[str, ...] = ("hand", "player", "board", "played", "best", "cost in bb", "% pot", "trust")
        title = "dearest decisions; certain: the lower end is above 1 % of the pot; *: outside the assumed range"
        cells: tuple[tuple[str, ...], ...] = tuple(map(_row, dearest))
        texts: tuple[int, ...] = (0, 1, 2, 3, 4, 7)
        if len({each.room for each in dearest}) > 1:
            heads, texts = ("room", *heads), (0, *(place + 1 for place in texts))
            cells = tuple((each.room, *row) for each, row in zip(dearest, cells, strict=True))
        things.append(Grid(heads, cells, title, texts))
    for group in _GROUPS:
        rows = [
            (each.name, f"{each.decisions:,}", fixed(each.cost, 2), fixed(each.error_rate, 1))
            for each in result.by(group)
        ]
        if rows:
            things.append(Grid((group.replace("_", " "), "decisions", "cost bb", "mbb a decision"), tuple(rows)))
    reasons = sorted(result.unpriced.items(), key=lambda item: -item[1])
    return [*things, *(f"not priced: {reason} ({count(number, 'decisions')})" for reason, number in reasons)]


def _row(decision: PricedDecision) -> tuple[str, ...]:
    ends = decision.cost_interval
    interval = "" if ends is None else f" ({fixed(ends[0], 2)} to {fixed(ends[1], 2)})"
    trust = ("certain" if decision.is_certain else "open") + (" *" if not decision.weight else "")
    return (
        decision.number, f"{decision.position} {decision.cards}", decision.board, decision.action, decision.best,
        f"{fixed(decision.cost, 2)}{interval}", fixed(decision.percent, 2), trust,
    )  # fmt: skip
