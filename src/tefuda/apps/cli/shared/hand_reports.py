"""Statistics, groups, lists and graphs of hand histories, for `tefuda hands`."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from typer import Option

from tefuda.apps.cli.shared.options import Options
from tefuda.words import count, fixed, percent, signed

if TYPE_CHECKING:
    from tefuda.apps.grids import Grid
    from tefuda.holdem.reports.statistics import Report, Share, Statistics
    from tefuda.holdem.reports.table import SeatTable

#: Options of a report of a player.
OPTIONS: Options = {
    "report": (bool, False, Option("--report", help="Hold'em: statistics of the hero.")),
    "player": (str, "", "Hold'em: player of the report; * for all; default: the hero."),
    "by": (str, "", "Hold'em: group the report, such as by position."),
    "where": (str, "", "Hold'em: conditions, such as 'position=BTN pot=3bet hero=KK+'."),
    "show": (int, 0, Option(help="Hold'em: list this many hands with the largest results.", min=0)),
    "over": (str, "", "With --png of a report: hands or days on the x axis."),
}

_NAMES = {
    "vpip": "VPIP", "pfr": "PFR", "rfi": "RFI", "steal": "steal", "limp": "limp", "cold_call": "cold call",
    "three_bet": "3-bet", "squeeze": "squeeze", "four_bet": "4-bet", "fold_to_three_bet": "fold to 3-bet",
    "cbet_flop": "c-bet flop", "cbet_turn": "c-bet turn", "fold_to_cbet_flop": "fold to c-bet flop",
    "fold_to_cbet_turn": "fold to c-bet turn", "wtsd": "WTSD", "wtsd_with_run_outs": "WTSD with run-outs",
    "wsd": "W$SD", "wwsf": "WWSF",
}  # fmt: skip
_PATIENCE = 2.0  # seconds before progress is shown
_IN_GROUPS = ("vpip", "pfr", "three_bet", "cbet_flop", "wtsd", "wsd")


def is_report_wanted(params: Mapping[str, Any]) -> bool:
    """Return True if any option of a report is given."""
    return any(params[name] for name in (*OPTIONS, "csv", "png"))


def player_report(hands: Any, params: Mapping[str, Any], notify: Any) -> tuple[dict[str, Any], list[Any]]:
    """Return the report of a player as JSON values and as tables; write its files."""
    from tefuda.files import csv_text, write_bytes
    from tefuda.holdem.reports.filters import read_filter
    from tefuda.holdem.reports.graph import OVER, result_graph
    from tefuda.holdem.reports.statistics import report

    player, where = params["player"], params["where"]
    is_chosen = read_filter(where)
    start = time.monotonic()

    def show(done: int, total: int, things: str) -> None:
        if time.monotonic() > start + _PATIENCE:
            notify(f"{done:,} of {total:,} {things}")

    table = hands.table(lambda done, total: show(done, total, "hands counted"))
    rows = table.of(player or None)
    rows = rows.take(is_chosen(rows))
    rows.adjusted(lambda done, total: show(done, total, "all-ins enumerated"))
    found = report(rows, player, params["by"])
    if params["csv"] is not None:
        columns = rows.columns()
        write_bytes(params["csv"], csv_text(columns, zip(*columns.values(), strict=True)).encode())
    if params["png"] is not None:
        result_graph(rows).plot(params["png"], params["over"] or OVER[0])
    listed = _largest(rows, params["show"])
    content = found.summary() | {"where": where, "largest": listed}
    return content, [*_grids(found), *([_list_grid(listed)] if listed else [])]


def _grids(found: Report) -> list[Any]:
    total = found.total
    name = {"": "hero", "*": "all players"}.get(found.player, found.player)
    if not total.hands:
        return [f"{name}: no hand meets the conditions."]
    frequency = percent(total.afq.share) if total.afq.chances else "-"
    actions = f"{total.bets:,} bets and raises, {count(total.calls, 'calls')}, {count(total.folds, 'folds')}"
    lines = [
        f"{name}: {count(total.hands, 'hands')}, {count(total.walks, 'walks')}. "
        f"After the flop: {actions}; AF {fixed(total.af, 2)}, AFq {frequency}."
    ]
    if total.cash_hands:
        interval = "" if math.isnan(total.half_width) else f" +- {fixed(total.half_width, 2)} (95 %)"
        needed = f"; +- 5 needs {total.hands_needed:,.0f} hands" if total.hands_needed > 0 else ""
        lines.append(
            f"{count(total.cash_hands, 'cash hands')}: {signed(total.net, 2)} bb, all-in adjusted "
            f"{signed(total.adjusted, 2)}; without showdown {signed(total.red, 2)}, with showdown "
            f"{signed(total.blue, 2)}; fees {fixed(total.rake, 2)} bb; "
            f"bb/100 {signed(total.per_100, 2)}{interval}{needed}."
        )
    if (spread := found.variance) is not None:
        low, high = spread.session_interval
        interval = f"; bb/100 by sessions {signed(low, 2)} to {signed(high, 2)}" if spread.sessions > 1 else ""
        losses = ", ".join(f"{percent(share)} over {hands:,}" for hands, share in spread.loss.items())
        lines += [
            f"{count(spread.sessions, 'sessions')}{interval}. Probability of a loss: {losses} more hands.",
            f"Largest downswing {fixed(spread.deepest, 2)} bb, longest {count(spread.longest, 'hands')}; "
            f"now {fixed(spread.current, 2)} bb below the peak.",
        ]
    return [*lines, _statistics_grid(total), *([_groups_grid(found)] if found.by else [])]


def _few(shares: list[Share]) -> list[int]:
    from tefuda.holdem.reports.statistics import FEW

    return [place for place, each in enumerate(shares) if each.chances < FEW]


def _statistics_grid(total: Statistics) -> Grid:
    """Return the statistics with their opportunities; those with fewer than 10 are grey."""
    from tefuda.apps.grids import Grid

    rows = [
        (
            _NAMES[name], f"{each.made:,}", f"{each.chances:,}", percent(each.share) if each.chances else "-",
            " to ".join(percent(end) for end in each.interval) if each.chances else "-",
        )
        for name, each in total.counts.items()
    ]  # fmt: skip
    faint = frozenset((row, column) for row in _few([*total.counts.values()]) for column in range(1, 5))
    return Grid(("statistic", "made", "of", "share", "95 % interval"), tuple(rows), faint=faint)


def _groups_grid(found: Report) -> Grid:
    from tefuda.apps.grids import Grid

    rows, faint = [], set[tuple[int, int]]()
    heads = (found.by, "hands", "bb/100", "+-", "adjusted", *(_NAMES[name] for name in _IN_GROUPS), "AF")
    for row, group in enumerate(found.groups):
        shares = [group.counts[name] for name in _IN_GROUPS]
        adjusted = 100 * group.adjusted / group.cash_hands if group.cash_hands else math.nan
        figures = (signed(group.per_100, 1), fixed(group.half_width, 1), signed(adjusted, 1))
        parts = (fixed(100 * each.share, 1) for each in shares)
        rows.append((group.name, f"{group.hands:,}", *figures, *parts, fixed(group.af, 2)))
        faint |= {(row, 5 + place) for place in _few(shares)}
    return Grid(heads, tuple(rows), "shares in percent", faint=frozenset(faint))


def _largest(rows: SeatTable, number: int) -> list[dict[str, Any]]:
    """Return the hands with the largest results, won or lost."""
    import numpy as np

    from tefuda.holdem.cards import cards_text
    from tefuda.holdem.hands.hand import board_text

    order: Any = np.argsort(-np.abs(np.nan_to_num(rows.bb)), kind="stable")[:number]
    part, found = rows.take(order), []
    columns = part.columns()
    for place, (hand, player) in enumerate(zip(part["hand"].tolist(), part["player"].tolist(), strict=True)):
        record = rows.hands[hand]
        names = ("room", "number", "start", "player", "position", "pot", "net_bb", "adjusted_bb", "line")
        cards = cards_text(record.hand.hole(player), "") if columns["class"][place] else ""
        found.append(
            {name: columns[name][place] for name in names}
            | {"cards": cards, "board": board_text(record.hand.board), "source": f"{record.source}:{record.line}"}
        )
    return found


def _list_grid(listed: list[dict[str, Any]]) -> Grid:
    from tefuda.apps.grids import Grid

    names = ("number", "start", "position", "cards", "board", "pot")
    listed = [hand | {"start": hand["start"][:16].replace("T", " ")} for hand in listed]
    rows = [
        (*(hand[name] for name in names), signed(hand["net_bb"], 2), signed(hand["adjusted_bb"], 2)) for hand in listed
    ]
    return Grid((*names, "bb", "adjusted"), tuple(rows), "hands with the largest results", (0, 1, 2, 3, 4, 5))
