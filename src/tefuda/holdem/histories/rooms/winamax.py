"""Reader of hand histories of Winamax."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tefuda.holdem.histories.draft import DEAD, EXTRA, POSTED, Draft, SkipHand
from tefuda.holdem.histories.money import MONEY, currency_of, moment
from tefuda.holdem.histories.rooms.grammar import Grammar, common_lines, read_with_summary

#: First line of a hand.
HEADER = r"[ \t]*Winamax Poker - (?:CashGame|Tournament|Go Fast|Escape|HOLD-UP)\b"
_HEADER = re.compile(
    r"\s*Winamax Poker - (?P<kind>CashGame|Tournament|Go Fast|Escape|HOLD-UP)(?P<name>.*) - "
    r"HandId: #(?P<number>[\d-]+) - (?P<game>.+?) \((?P<stakes>[^()]*)\) - (?P<time>.*)"
)
_LEVEL = re.compile(rf"buyIn: (?P<parts>{MONEY}(?: \+ {MONEY})*).*?level: (?P<level>\d+)")
_ALL_IN = "(?: and is all-in)?"


def read(lines: Sequence[str], digits: int = 2) -> Draft:
    """Return the draft of a hand; raises the errors of `Grammar.read`."""
    header = _HEADER.fullmatch(lines[0])
    if header is None:
        raise SkipHand("unreadable line", lines[0])
    game = re.fullmatch(r"Hold'?em (no|fixed) limit", header["game"], re.I)
    if game is None:
        raise SkipHand("game", header["game"])
    draft = Draft("Winamax", header["number"], digits, currency=currency_of(header["stakes"]) or "play")
    if header["kind"] == "Tournament":
        known = _LEVEL.search(header["name"])
        draft.enter("", *(known.groups() if known else ("",)))
    stakes = [draft.chips(stake) for stake in header["stakes"].split("/")]
    draft.big = stakes[-1]
    if game[1].lower() == "fixed" and len(stakes) > 1:
        draft.limit = (stakes[-2], stakes[-1])
    draft.flags |= {"fast"} if header["kind"] in ("Go Fast", "Escape") else set()
    draft.start = moment(header["time"])
    read_with_summary(draft, lines, _HAND, _SUMMARY)
    return draft


def _post_late(draft: Draft, name: str, kind: str, amount: str) -> None:
    draft.post(name, EXTRA if kind == "big blind" else DEAD, amount)


def _table(draft: Draft, name: str, size: str, play: str | None, button: str) -> None:
    draft.place(name, size, play, button)
    number = re.search(r"\((\d+)\)", name)
    if draft.tournament and number:
        draft.tournament = draft.tournament._replace(number=number[1])


_HAND = Grammar(
    [
        *common_lines(end=_ALL_IN),
        (rf"(.+) posts {POSTED} ({MONEY}) out of position{_ALL_IN}", _post_late),
        (rf"(.+) collected ({MONEY}) from (pot|main pot|side pot(?: \d+)?)", Draft.award),
        (r"Table: '(.*)' (\d+)-max \((?:real|(play)) money\) Seat #(\d+) is the button", _table),
        (r"\*\*\* (?:ANTE/BLINDS|PRE-FLOP|SHOW DOWN) \*\*\*", None),
        (r".+ (?:said, \".*\"|is disconnected|has reconnected|leaves the table|joins the table)\b.*", None),
    ]
)  # fmt: skip
_SUMMARY = Grammar(
    [
        (rf"Total pot ({MONEY}) \| (?:No rake|Rake ({MONEY}))", Draft.sum_up),
        (r"Board: \[.*\]|Seat \d+: .*|\*\*\* # \d+ \*\*\*|#Game No : \d+", None),
    ]
)
