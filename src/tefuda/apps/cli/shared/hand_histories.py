"""Report of hand histories: `tefuda hands FILE...`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import gt
from pathlib import Path
from typing import Any

from typer import Context, Option

from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import notifying, report
from tefuda.apps.cli.shared.hand_reports import is_report_wanted, player_report
from tefuda.apps.cli.shared.hand_reviews import review_report
from tefuda.apps.cli.shared.interruption import on_interruption
from tefuda.apps.cli.shared.reading import read_game, read_options
from tefuda.errors import ParameterError, RunError
from tefuda.words import count

#: Options of hand histories.
OPTIONS: options.Options = {
    "strict": (bool, False, "Hold'em: a hand that is skipped is an error."),
    "rejects": (
        Path | None, None,
        Option(help="Hold'em: file for the texts of skipped hands.", callback=options.writable_file),
    ),
    "time_zone": (str, "", "Hold'em: zone of times without one, such as Europe/Berlin."),
    "alias": (bool, False, "Hold'em: replace the names of players."),
    "export": (
        Path | None, None,
        Option(help="Hold'em: file for the hands, .txt, .ohh or .phhs.", callback=options.writable_file),
    ),
    "names": (bool, False, Option("--names", help="Hold'em: keep names, tables and times in --export.")),
    "store": (Path | None, None, "Hold'em: folder in which the hands stay."),
}  # fmt: skip
_SHOWN = 5  # skipped hands that are printed one by one


def report_hands(context: Context, paths: Sequence[Path]) -> None:
    """Read hand histories, and report the winnings and the skipped hands; `context` has all options."""
    from tefuda.holdem.histories.export import writer
    from tefuda.holdem.histories.reading import read_histories

    params = context.params
    store, export = params["store"], params["export"]
    if params["names"] and export is None:
        raise ParameterError("--names has no effect without --export; leave it out.", key="names")
    if export is not None:
        writer(export.suffix)
    with contextlib.ExitStack() as stack:
        if store is None:
            with _tables(context) as table:
                hands = read_histories(paths, params["time_zone"] or None, params["alias"], table)
            content, texts = _winnings(context, hands)
        else:
            hands, content, texts = _stored(stack, context, paths)
        if params["review"]:
            with notifying("review") as notify:
                content["review"], grids = review_report(hands, params, notify)
            texts = [texts[0], *grids]
        elif is_report_wanted(params) or (store and not paths and export is None):
            with notifying("hands") as notify:
                content["report"], grids = player_report(hands, params, notify)
            texts = [texts[0], *grids]
        if export is not None:
            _export(hands, params, content, texts)
    report(params["as_json"], content, texts, params["png"])


def _winnings(context: Context, hands: Any) -> tuple[dict[str, Any], list[Any]]:
    from tefuda.holdem.histories.collection import winnings

    _check_skipped(context, hands, len(hands.hands))
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
    return content, [f"{hands.summary}{files}.", *grids, *map(str, hands.skipped[:_SHOWN]), *notes]


def _check_skipped(context: Context, hands: Any, read: int) -> None:
    """Write the rejects; raise RunError if skipped hands are errors."""
    from tefuda.files import write_bytes
    from tefuda.holdem.histories.collection import summary_text

    if (rejects := context.params["rejects"]) is not None:
        texts = "".join(f"{each.text.rstrip()}\n\n\n" for each in hands.skipped)
        write_bytes(rejects, texts.encode("utf-8", "replace"))
    if hands.skipped and (context.params["strict"] or not read or read_options(context.args)):
        raise RunError(f"{summary_text(read, hands.reasons)}.\n{hands.skipped[0]}", value=hands.reasons)


def _stored(
    stack: contextlib.ExitStack, context: Context, paths: Sequence[Path]
) -> tuple[Any, dict[str, Any], list[Any]]:
    """Import files into a store that the stack closes; return its hands, JSON values and texts."""
    from tefuda.holdem.histories.collection import summary_text
    from tefuda.holdem.storage.store import HandStore

    folder = context.params["store"]
    store = stack.enter_context(HandStore(folder, create=bool(paths), alias=context.params["alias"]))
    content, texts = dict[str, Any](), list[Any]()
    if paths:
        before = len(store)
        saved = lambda: f"{count(len(store) - before, 'hands')} are stored; repeat the command to continue"  # noqa: E731
        with on_interruption(saved), notifying("import") as notify, _tables(context) as table:
            zone = context.params["time_zone"] or None
            done = store.add(paths, zone, table, lambda read: notify(f"{count(read, 'hands')} read"))
        read = done.added + done.repeated
        _check_skipped(context, done.collection, read or done.known_files)
        content["import"] = {name: getattr(done, name) for name in ("added", "repeated", "known_files")}
        content["skipped"] = done.collection.reasons
        known = f"; {count(done.known_files, 'files')} were read before" if done.known_files else ""
        texts = [
            f"{summary_text(read, done.collection.reasons)}; {done.added:,} added, {done.repeated:,} were in the "
            f"store{known}.",
            *map(str, done.skipped[:_SHOWN]),
        ]
    content["hands"] = len(store)
    return store.hands, content, [f"{folder} has {count(len(store), 'hands')}.", *texts]


def _export(hands: Any, params: Mapping[str, Any], content: dict[str, Any], texts: list[Any]) -> None:
    """Write the hands that meet the conditions; add the result to the JSON values and texts."""
    if params["where"]:
        hands = hands.filter(params["where"], params["player"] or None)
    written, left_out = hands.export(params["export"], params["names"])
    content["exported"] = {"hands": written, "left_out": left_out}
    texts.append(f"{count(written, 'hands')} written to {params['export']}.")
    texts += [f"{count(number, 'hands')} left out: {reason}." for reason, number in left_out.items()]


@contextlib.contextmanager
def _tables(context: Context) -> Iterator[Callable[[int], Any]]:
    """Yield the tables of logs of the ACPC by the number of players; options that no log needs are errors."""
    from tefuda.holdem.histories import logs

    chosen, tables = read_options(context.args), list[int]()

    def table(players: int) -> Any:
        tables.append(players)
        return read_game("holdem", {"players": players, **logs.TABLE, **chosen}, context)

    yield table
    if chosen and not tables:
        raise ParameterError(f"these files give the table; leave {context.args[0]} out.", key=next(iter(chosen)))


def _grid(players: dict[str, tuple[int, Any]], title: str) -> Any:
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
    recorded = [record for record in files if record.recorded and record.recorded != record.payoffs]
    taken = sum(record.rake * record.unit for record in recorded)
    added = sum(any(map(gt, record.recorded, record.payoffs or record.recorded)) for record in recorded)
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
