"""Reader of hand histories of 888poker and its skins."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tefuda.holdem.histories.draft import DEAD, EXTRA, Draft
from tefuda.holdem.histories.money import MONEY, currency_of, moment
from tefuda.holdem.histories.rooms.grammar import Grammar, common_lines, first_lines

#: First line of a hand.
HEADER = r"[ \t]*\*{5} +(?!Hand History)[^\n*]+ Hand History for Game \d+ \*{5}"
_GAME = re.compile(
    rf"(?P<stakes>{MONEY}/(?P<big>{MONEY})) Blinds (?P<limit>No Limit|Fix Limit|Pot Limit) (?P<game>.+?)"
    r"(?: Jackpot table)? - \*\*\* (?P<day>\d\d) (?P<month>\d\d) (?P<year>\d{4}) (?P<time>.+)"
)
_TOURNAMENT = re.compile(r"Tournament #(\d+) (.*?) - Table #?(.+) (\d+) Max \(.*\)")


def read(lines: Sequence[str], digits: int = 2) -> Draft:
    """Return the draft of a hand; raises the errors of `Grammar.read`."""
    number, game = first_lines(lines, _GAME, " collected [")
    draft = Draft("888poker", number, digits, currency=currency_of(game["stakes"]) or "play")
    for tournament in filter(None, map(_TOURNAMENT.fullmatch, lines[2:4])):
        draft.enter(tournament[1], tournament[2])
        draft.place(tournament[3], tournament[4])
    draft.flags |= {"fast"} if "Snap" in lines[0] else set()
    draft.start = moment(f"{game['year']}/{game['month']}/{game['day']} {game['time']}")
    draft.big = draft.chips(game["big"])
    if game["limit"] == "Fix Limit":
        draft.limit = (draft.big, 2 * draft.big)
    _HAND.read(draft, lines[2:], 2)
    return draft


def _dead(draft: Draft, name: str, dead: str, live: str) -> None:
    draft.post(name, DEAD, dead)
    draft.post(name, EXTRA, live)


_HAND = Grammar(
    [
        *common_lines(brackets=(r"\[", r"\]")),
        (rf"(.+) posts dead blind \[({MONEY}) \+ ({MONEY})\]", _dead),
        (rf"(.+) collected \[ ?({MONEY}) ?\]", Draft.award),
        (r"Table (.+) (\d+) Max \((?:Real|(Play)) Money\)", Draft.place),
        (r"Tournament #\d+ .* - Table .* \d+ Max \(.*\)", None),
        (r".+ did not show (?:his|her|their) hand|Seat \d+: .*", None),
        (r".+ (?:has left the table|is sitting out|joins the table|said, \".*\").*", None),
    ]
)
