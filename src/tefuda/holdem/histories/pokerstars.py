"""Reader of hand histories of PokerStars, GGPoker and rooms that copy the format."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tefuda.holdem.histories.draft import (
    BOTH,
    DEAD,
    POSTS,
    STRADDLE,
    Draft,
    Grammar,
    SkipHand,
    level,
    read_with_summary,
)
from tefuda.holdem.histories.money import MONEY, currency_of, in_utc, moment, units
from tefuda.holdem.histories.record import Tournament

#: First line of a hand: name of the room, number.
HEADER = r"[ \t]*(?:[A-Z][\w.']*(?: [A-Z][\w.']*)*)(?: Zoom| Home Game)? (?:Hand|Game) #[A-Z]{0,3}\d+:"
_NAMES = re.compile(r"\s*(?P<room>.+?)(?P<fast> Zoom)?(?: Home Game)? (?:Hand|Game) #(?P<number>([A-Z]*)\d+):\s*")
_GAME = re.compile(
    r"(?:\{[^}]*\}\s*)?(?P<what>.*?)\s*\((?P<stakes>[^()]*(?:\([^()]*\))?[^()]*)\)\s*-\s*(?P<time>\d{4}[/-].*)"
)
_HOLDEM = re.compile(r"(?P<before>.*?)\s*\bHold'?em\s+(?P<limit>No Limit|Limit|NL|Fixed Limit)")
_STAKES = re.compile(rf"\s*(?P<small>{MONEY})\s*/\s*(?P<big>{MONEY})(?:.*?(?P<cap>{MONEY}) Cap)?.*")
_TOURNAMENT = re.compile(r"Tournament #(?P<number>\w+),\s*(?P<name>.*) - Level ?(?P<level>[IVXLCDM]+|\d+)")
_BUY_IN = re.compile(rf"(?P<parts>{MONEY}(?:\+{MONEY})+)(?: [A-Z]{{3}})?")
_ZONE = re.compile(r"\[(?P<time>[^\]]*) ET\]")
_LETTERS = re.compile(r":\d\d:\d\d ([A-Z]{2,4})")
_STREET = r"\*\*\* (?:(FIRST|SECOND|THIRD) )?(?:FLOP|TURN|RIVER) \*\*\*(?: \[.*\])?? \[([^\[\]]*)\]"
_END = r"(?: and is all-in| and has reached the .* cap)*"
_POSTS = POSTS | {
    "button straddle": STRADDLE, "small & big blinds": BOTH, "missed blind": DEAD, "dead small blind": DEAD
}  # fmt: skip


def read(lines: Sequence[str], digits: int = 2) -> Draft:
    """Return the draft of a hand.

    Raises:
        SkipHand: the hand is of another game, unfinished, cancelled, or has an unreadable line.
        FinerAmountError: an amount has more decimals.
    """
    draft = _read_header(lines[0], digits)
    if "Hand cancelled" in lines:
        raise SkipHand("cancelled", line=lines.index("Hand cancelled"))
    read_with_summary(draft, lines, _HAND, _SUMMARY)
    return draft


def _read_header(line: str, digits: int) -> Draft:
    names = _NAMES.match(line)
    game = _GAME.fullmatch(line, names.end()) if names else None
    if names is None or game is None:
        raise SkipHand("game" if names and not re.search("hold'?em", line, re.I) else "unreadable line", line)
    is_gg = names["room"] == "Poker"
    draft = Draft("GGPoker" if is_gg else names["room"], names["number"], digits)
    if draft.room not in ("PokerStars", "GGPoker"):
        draft.flags.add("copy")
    if names["fast"] or names["number"].startswith("RC"):
        draft.flags.add("fast")
    _read_game(draft, game["what"], game["stakes"])
    _read_time(draft, game["time"])
    return draft


def _read_game(draft: Draft, what: str, stakes: str) -> None:
    """Read the game, its stakes and the tournament of a header."""
    tournament, amounts = _TOURNAMENT.search(what), _STAKES.fullmatch(stakes)
    name = tournament["name"].rstrip() if tournament else what
    game = _HOLDEM.fullmatch(name)
    if game is None or re.search(r"6\+|short", game["before"][-12:], re.I) or (game["before"] and not tournament):
        raise SkipHand("game", name)
    if amounts is None:
        raise SkipHand("unreadable line", stakes)
    if tournament:
        buy_in = _BUY_IN.fullmatch(game["before"])
        parts = tuple(units(part, 2) for part in buy_in["parts"].split("+")) if buy_in else ()
        currency = currency_of(game["before"]) if buy_in else ""
        draft.tournament = Tournament(tournament["number"], parts, currency, level(tournament["level"]))
    draft.currency = "chips" if tournament else currency_of(stakes) or "play"
    draft.digits = draft.digits if not tournament else draft.digits - 2
    small, draft.big = draft.chips(amounts["small"]), draft.chips(amounts["big"])
    draft.cap = draft.chips(amounts["cap"]) if amounts["cap"] else 0
    if game["limit"] in ("Limit", "Fixed Limit"):
        draft.limit, draft.big = (small, draft.big), 0


def _read_time(draft: Draft, text: str) -> None:
    """Read the start; Eastern time in brackets is exact, other labels are those of the player's computer."""
    eastern, letters = _ZONE.search(text), _LETTERS.search(text)
    local = moment(eastern["time"] if eastern else text)
    if local is not None:
        draft.start = in_utc(local, "ET" if eastern else letters[1] if letters else "")


def _table(draft: Draft, name: str, size: str, play: str | None, button: str) -> None:
    draft.table, draft.size, draft.button = name, int(size), int(button)
    if play and draft.currency != "chips":
        draft.currency = "play"


def _post(draft: Draft, name: str, kind: str, amount: str) -> None:
    draft.post(_POSTS[kind], name, amount)


def _returned(draft: Draft, amount: str, name: str) -> None:
    draft.known(name)
    draft.returned = (draft.returned or 0) + draft.chips(amount)


def _cashed_out(draft: Draft, name: str, amount: str) -> None:
    draft.cash_out(name, draft.chips(amount))


def _receives(draft: Draft, name: str, verb: str, amount: str) -> None:
    draft.cash_out(name, draft.chips(amount) * (1 if verb == "Receives Cashout" else -1))


def _added(draft: Draft, amount: str) -> None:
    draft.added += draft.chips(amount)


def _total(draft: Draft, total: str, rake: str, fees: str) -> None:
    draft.total, draft.rake = draft.chips(total), draft.chips(rake)
    draft.jackpot = sum(draft.chips(fee) for fee in re.findall(rf"\| \w+ ({MONEY})", fees))


def _listed(draft: Draft, number: str, cards: str | None = None) -> None:
    """Note that a player was dealt in, and the cards shown or mucked."""
    name = next((seat.name for seat in draft.seats.values() if seat.number == int(number)), "")
    draft.dealt.add(draft.known(name))
    if cards:
        draft.learn(name, cards)


_CHATTER = (
    r".+ said, \".*\"",
    r".+ (?:joins|leaves) the table.*|.+ will be allowed to play .*|.+ was removed from the table .*",
    r".+ (?:has timed out|is disconnected|is connected|has returned|is sitting out|sits out|has left)\b.*",
    r".+: (?:sits out|is sitting out|doesn't show hand|has timed out|Chooses to EV Cashout).*",
    r".+ (?:finished|wins|re-buys|takes the add-on|was moved|has \d+ seconds|is being treated|rebuys)\b.*",
    r".+ (?:is out of time|used|is using) .*time.*|Betting is capped|Time has been called.*|Pot is .*",
    r"\*\*\* (?:(?:FIRST|SECOND|THIRD) )?(?:HOLE CARDS|SHOW ?DOWN|PRE-?FLOP) \*\*\*.*|\*\*\* # \d+ \*\*\*",
)
_HAND = Grammar(
    [
        (_STREET, lambda draft, run, cards: draft.deal(draft.cards(cards), run)),
        (
            rf"Seat (\d+): (.+) \(({MONEY}) in chips(?:, ({MONEY}) bounty)?\)( is sitting out| out of hand.*)?",
            Draft.seat,
        ),
        (r"Dealt to (.+?)(?: \[([^\[\]]*)\])? ?", Draft.hole),
        (rf"Uncalled bet \(({MONEY})\) returned to (.+)", _returned),
        (rf"(.+): (folds|checks|calls|bets|raises)(?: ({MONEY}))?(?: to ({MONEY}))?{_END}(?: \[[^\]]*\])?", Draft.bet),
        (rf"(.+): posts (?:the |a )?({'|'.join(_POSTS)}) ({MONEY}){_END}", _post),
        (rf"(.+): (straddle) ({MONEY}){_END}", _post),
        (rf"(.+) collected ({MONEY}) from (pot|(?:main|side) pot(?:-\d+)?)", Draft.award),
        (r"(.+): shows \[([^\]]+)\].*", Draft.show),
        (r"(.+): mucks hand", Draft.muck),
        (r"Table '(.*)' (\d+)-max (\(Play Money\) )?Seat #(\d+) is the button.*", _table),
        (rf"(.+) cashed out the hand for ({MONEY})(?: \| .*)?", _cashed_out),
        (rf"(.+): (Pays Cashout Risk|Receives Cashout|Pays all-in insurance premium) \(({MONEY})\)", _receives),
        (rf"(?:Cash Drop to Pot|STP added|Splash pot)\D*({MONEY})", _added),
        *((pattern, None) for pattern in _CHATTER),
    ]
)
_SUMMARY = Grammar(
    [
        (rf"Total pot ({MONEY})(?: .*)? ?\| Rake ({MONEY})((?: \| \w+ {MONEY})*)", _total),
        (r"Seat (\d+): .+ (?:showed|mucked) \[([^\]]+)\].*", _listed),
        (r"Seat (\d+): .+", _listed),
        (r"(?:(?:FIRST|SECOND|THIRD) )?Board \[.*\]|Hand was run .*|#Game No : \d+|\*\*\* # \d+ \*\*\*", None),
        *((pattern, None) for pattern in _CHATTER),
    ]
)
