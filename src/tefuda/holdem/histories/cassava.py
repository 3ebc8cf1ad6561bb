"""Reader of hand histories of 888poker and its skins."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tefuda.holdem.histories.draft import DEAD, EXTRA, POSTS, Draft, Grammar, SkipHand, first_lines
from tefuda.holdem.histories.money import MONEY, currency_of, moment, units
from tefuda.holdem.histories.record import Tournament

#: First line of a hand.
HEADER = r"[ \t]*\*{5} +(?!Hand History)[^\n*]+ Hand History for Game \d+ \*{5}"
_NUMBER = re.compile(r"Game (\d+)")
_GAME = re.compile(
    rf"({MONEY})/({MONEY}) Blinds (No Limit|Fix Limit|Pot Limit) (.+?)(?: Jackpot table)? - "
    r"\*\*\* (\d\d) (\d\d) (\d{4}) (.+)"
)


def read(lines: Sequence[str], digits: int = 2) -> Draft:
    """Return the draft of a hand.

    Raises:
        SkipHand: the hand is of another game, unfinished, or has an unreadable line.
        FinerAmountError: an amount has more decimals.
    """
    number, game = first_lines(lines, _NUMBER, _GAME)
    is_tournament = any(line.startswith("Tournament #") for line in lines[2:4])
    draft = Draft("888poker", number[1], digits - 2 * is_tournament)
    if not re.fullmatch(r"Hold'?em", game[4], re.I) or game[3] == "Pot Limit":
        raise SkipHand("game", f"{game[3]} {game[4]}", 1)
    draft.flags |= {"fast"} if "Snap" in lines[0] else set()
    draft.currency = "chips" if is_tournament else currency_of(game[1]) or currency_of(game[2]) or "play"
    draft.start = moment(f"{game[7]}/{game[6]}/{game[5]} {game[8]}")
    draft.big = draft.chips(game[2])
    if game[3] == "Fix Limit":
        draft.limit, draft.big = (draft.big, 2 * draft.big), 0
    if not any(" collected [" in line for line in lines):
        raise SkipHand("cut off", "no player collects the pot", len(lines) - 1)
    _HAND.read(draft, lines[2:], 2)
    return draft


def _table(draft: Draft, name: str, size: str, money: str) -> None:
    draft.table, draft.size = name, int(size)
    if money == "Play Money":
        draft.currency = "play"


def _tournament(draft: Draft, number: str, buy_in: str, table: str, size: str) -> None:
    parts = tuple(units(part, 2) for part in re.findall(MONEY, buy_in))
    draft.tournament = Tournament(number, parts, currency_of(buy_in))
    draft.table, draft.size = table, int(size)


def _dead(draft: Draft, name: str, dead: str, live: str) -> None:
    draft.post(DEAD, name, dead)
    draft.post(EXTRA, name, live)


_HAND = Grammar(
    [
        (rf"Seat (\d+): (.+) \( ?({MONEY}) ?\)", Draft.seat),
        (r"Dealt to (.+) \[ ?(.*?) ?\]", Draft.hole),
        (rf"(.+) (folds|checks|calls|bets|raises)(?: \[({MONEY})\])?", Draft.bet),
        (r"\*\* Dealing (?:flop|turn|river) \*\* \[ ?(.*?) ?\]", Draft.board),
        (rf"(.+) posts ({'|'.join(POSTS)}) \[({MONEY})\]", lambda draft, name, kind, chips: draft.post(
            POSTS[kind], name, chips)),
        (rf"(.+) posts dead blind \[({MONEY}) \+ ({MONEY})\]", _dead),
        (r"(.+) shows \[ ?(.*?) ?\]", Draft.show),
        (r"(.+) mucks \[ ?(.*?) ?\]", Draft.muck),
        (rf"(.+) collected \[ ?({MONEY}) ?\]", Draft.award),
        (r"Table (.+) (\d+) Max \((Real Money|Play Money)\)", _table),
        (r"Tournament #(\d+) (.*?) - Table #?(.+) (\d+) Max \(.*\)", _tournament),
        (r"Seat (\d+) is the button", Draft.place_button),
        (r"Total number of players : \d+|\*\* (?:Dealing down cards|Summary) \*\*|#Game No : \d+", None),
        (r".+ did not show (?:his|her|their) hand|\*\*\* # \d+ \*\*\*|Seat \d+: .*", None),
        (r".+ (?:has left the table|is sitting out|joins the table|said, \".*\").*", None),
    ]
)  # fmt: skip
