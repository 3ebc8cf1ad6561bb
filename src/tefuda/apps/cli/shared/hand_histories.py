"""Report of hand histories: `tefuda hands FILE...`."""

from __future__ import annotations

from collections.abc import Sequence
from operator import gt
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from typer import Context, Option

from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import notifying, report
from tefuda.apps.cli.shared.hand_reports import ReportWishes, player_report
from tefuda.apps.cli.shared.hand_reviews import ReviewWishes, review_report
from tefuda.apps.cli.shared.reading import read_game, read_options
from tefuda.errors import ParameterError, RunError
from tefuda.words import count

Strict = Annotated[bool, Option(help="Hold'em: a hand that is skipped is an error.")]
Rejects = Annotated[
    Path | None, Option(help="Hold'em: file for the texts of skipped hands.", callback=options.writable_file)
]
Zone = Annotated[str, Option(help="Hold'em: zone of times without one, such as Europe/Berlin.")]
Alias = Annotated[bool, Option(help="Hold'em: replace the names of players.")]
_SHOWN = 5  # skipped hands that are printed one by one


class Wishes(NamedTuple):
    """Options of a report of hand histories."""

    strict: bool = False
    rejects: Path | None = None
    time_zone: str = ""
    alias: bool = False
    of_player: ReportWishes = ReportWishes()
    review: ReviewWishes = ReviewWishes()


def report_hands(context: Context, paths: Sequence[Path], wishes: Wishes, as_json: bool) -> None:
    """Read hand histories, and report the winnings and the skipped hands."""
    from tefuda.holdem.histories.collection import winnings

    hands = _read(context, paths, wishes)
    if wishes.rejects is not None:
        _write_rejects(wishes.rejects, hands.skipped)
    if hands.skipped and (wishes.strict or not hands.hands or read_options(context.args)):
        raise RunError(f"{hands.summary}.\n{hands.skipped[0]}", value=hands.reasons)
    content, notes = _notes(list(hands))
    won = winnings(hands)
    content["skipped"], content["won"] = hands.reasons, {
        currency: {name: [number, float(sum_)] for name, (number, sum_) in players.items()}
        for currency, players in won.items()
    }  # fmt: skip
    files = f" in {count(len(hands.files), 'files')}" if len(hands.files) > 1 else ""
    grids = [_grid(players, name) for name, players in won.items()]
    if hands.ignored:
        notes.append(f"{count(len(hands.ignored), 'files')} without hands: {', '.join(hands.ignored[:_SHOWN])}.")
    texts = [f"{hands.summary}{files}.", *grids, *map(str, hands.skipped[:_SHOWN]), *notes]
    if wishes.review.review:
        with notifying("review") as notify:
            content["review"], grids = review_report(hands, wishes.review, wishes.of_player, notify)
        texts = [texts[0], *grids]
    elif wishes.of_player.is_wanted:
        with notifying("hands") as notify:
            content["report"], grids = player_report(hands, wishes.of_player, notify)
        texts = [texts[0], *grids]
    report(as_json, content, texts, wishes.of_player.png)


def _read(context: Context, paths: Sequence[Path], wishes: Wishes) -> Any:
    """Read the hands; options of the table are those of the logs of the ACPC."""
    from tefuda.holdem.histories import logs, reading

    chosen, tables = read_options(context.args), list[int]()

    def table(players: int) -> Any:
        tables.append(players)
        return read_game("holdem", {"players": players, **logs.TABLE, **chosen}, context)

    hands = reading.read_histories(paths, wishes.time_zone or None, wishes.alias, table)
    if chosen and not tables:
        raise ParameterError(f"these files give the table; leave {context.args[0]} out.", key=next(iter(chosen)))
    return hands


def _write_rejects(file: Path, skipped: Sequence[Any]) -> None:
    from tefuda.files import write_bytes

    texts = [f"{each.text.rstrip()}\n\n\n" for each in skipped]
    write_bytes(file, "".join(texts).encode("utf-8", "replace"))


def _grid(players: dict[str, tuple[int, Any]], title: str) -> Any:
    """Return the winnings in a currency, the highest first."""
    from tefuda.apps.grids import Grid

    rows = [
        (name, f"{number:,}", f"{sum_:+,f}", f"{float(sum_) / number:+,.2f}")
        for name, (number, sum_) in sorted(players.items(), key=lambda row: -row[1][1])
    ]
    return Grid(("player", "hands", "won", "per hand"), tuple(rows), title)


def _notes(records: list[Any]) -> tuple[dict[str, Any], list[str]]:
    """Return numbers and sentences on hands left out, and on recorded results that differ from the rules."""
    unknown = sum(record.results is None for record in records)
    files = [record for record in records if record.payments is None]  # without fees of a room
    recorded = [record for record in files if record.recorded and record.recorded != record.paid]
    taken = -sum(sum(record.recorded) for record in recorded)
    added = sum(any(map(gt, record.recorded, record.paid or record.recorded)) for record in recorded)
    notes = [
        (unknown, "left out: unfinished, or decided by unknown cards"),
        (
            len(recorded),
            f"counted by recorded stacks or winnings, not by the rules; they take {taken:,f} from the pots",
        ),
        (added, "counted although recorded stacks or winnings pay a player more than the rules do"),
    ]
    content = {"hands": len(records), "left_out": unknown, "by_record": len(recorded), "taken": float(taken)}
    return content, [f"{count(number, 'hands')} {note}." for number, note in notes if number]
