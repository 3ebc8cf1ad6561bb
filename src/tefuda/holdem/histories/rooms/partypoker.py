"""Reader of hand histories of partypoker."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from tefuda.holdem.histories.draft import Draft, SkipHand
from tefuda.holdem.histories.money import MONEY, currency_of, in_utc
from tefuda.holdem.histories.rooms.grammar import Grammar, common_lines, first_lines

#: First line of a hand.
HEADER = r"[ \t]*\*{5} +Hand History [fF]or Game \d+ \*{5}"
_MONEY = rf"{MONEY}(?: [A-Z]{{3}})?"
_GAME = re.compile(
    r"(?P<before>.*?)\b(?P<limit>NL|FL|PL|No Limit|Fixed Limit|Pot Limit) +(?:Texas )?(?P<game>[\w/' ]+?)"
    r"(?P<after> .*)? - +\w+, ?(?P<month>\w+) (?P<day>\d+), (?P<time>\d\d?:\d\d:\d\d) (?P<zone>\w+) (?P<year>\d{4})"
)
_STAKES = re.compile(rf"({MONEY})/({MONEY})")
_TOURNAMENT = re.compile(rf"(?:(?P<buy_in>{_MONEY}) Buy-in )?.*?Trny: ?(?P<number>\d+)(?:.*?Level: ?(?P<level>\w+))?")


def read(lines: Sequence[str], digits: int = 2) -> Draft:
    """Return the draft of a hand; raises the errors of `Grammar.read`."""
    number, game = first_lines(lines, _GAME, " wins ")
    currency = currency_of(game["before"]) or "play"
    draft = Draft("partypoker", number, digits, currency=currency, contains_uncalled=True)
    draft.flags |= {"fast"} if "fast" in game["before"].lower() else set()
    if tournament := _TOURNAMENT.search(game["after"] or ""):
        draft.enter(tournament["number"], tournament["buy_in"] or "", tournament["level"] or "0")
    if stakes := _STAKES.search((game["after"] or "") if tournament else game["before"]):
        draft.big = draft.chips(stakes[2])
    if game["limit"] in ("FL", "Fixed Limit"):
        if not stakes:
            raise SkipHand("unreadable line", lines[1], 1)
        draft.limit = (draft.chips(stakes[1]), draft.big)
    with suppress(ValueError):  # a month in another language
        text = f"{game['month'][:3]} {game['day']} {game['year']} {game['time']}"
        draft.start = in_utc(datetime.strptime(text, "%b %d %Y %H:%M:%S"), game["zone"])
    _HAND.read(draft, lines[2:], 2)
    return draft


_HAND = Grammar(
    [
        *common_lines("(.+)", r"\.?", _MONEY, (r"\[?", r"\]?"), "|is all-In"),
        (r"(.+) doesn't show \[ ?(.*?) ?\].*", Draft.muck),
        (rf"(.+) wins ({_MONEY})(?: from the (main pot|side pot(?: #?\d+)?))?(?: with .*)?\.?", Draft.award),
        (r"Table (.*?) *\( ?(?:Real|(Play)) Money ?\)", lambda draft, name, play: draft.place(name, play=play)),
        (rf"Cashout Amount:? *({_MONEY})", lambda draft, amount: draft.pay(draft.hero, amount)),
        (r".+ (?:does not show cards|didn't show|is sitting out|has left the table|has joined the table)\b.*", None),
        (r".+ (?:(?:could|did) not respond|will be using|is disconnected|has been reconnected|balance)\b.*", None),
        (r"Your time bank .*|.+: .*|Game #\d+ starts\.|Main Pot: .*|Board: .*|.+ said, \".*\"", None),
    ]
)
