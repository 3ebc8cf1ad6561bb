"""Draft of a hand: its facts as a reader finds them in a file, before they are checked by the rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from sys import intern
from typing import Any

from tefuda.holdem.cards import CARDS, card_text
from tefuda.holdem.hands.hand import HIDDEN
from tefuda.holdem.histories.money import MONEY, FinerAmountError, currency_of, units
from tefuda.holdem.histories.record import Seat, Tournament

#: Reasons for which a hand is skipped, with the words of the summary.
REASONS = {
    "game": "not hold'em", "players": "more than 10 players", "cancelled": "cancelled", "cut off": "cut off",
    "duplicate": "duplicate", "does not balance": "does not balance", "illegal action": "illegal action",
    "unreadable line": "unreadable line", "hidden stacks": "hidden stacks",
}  # fmt: skip

#: Forced bets. `BOTH` is a small and a big blind, of which the small one is dead.
ANTE, SMALL, BIG, STRADDLE, DEAD, BOTH, EXTRA = "ante", "small", "big", "straddle", "dead", "both", "extra"
#: Forced bets by the words of rooms.
POSTS = {
    "ante": ANTE, "small blind": SMALL, "big blind": BIG, "straddle": STRADDLE, "button straddle": STRADDLE,
    "dead blind": DEAD, "missed blind": DEAD, "dead small blind": DEAD, "small & big blinds": BOTH,
    "big blind + dead": BOTH,
}  # fmt: skip
#: These words in a regular expression.
POSTED = f"({'|'.join(map(re.escape, POSTS))})"
#: Actions. Amounts are chips added (`CALL`, `ADD`, `ALL_IN`), the total on the street (`TO`), or the increase of the
#: bet (`BY`); that of `RAISE` is the chips added or the total.
FOLD, CHECK, CALL, ADD, TO, BY, ALL_IN, RAISE = "fold", "check", "call", "add", "to", "by", "all-in", "raise"
DEAL = "deal"

_VERBS = {"folds": FOLD, "checks": CHECK, "calls": CALL, "bets": ADD, "raises": ADD, "is all-In": ALL_IN}
_CARD = {card_text(card): card for card in range(CARDS)}
_NUMBERED = {"": 0, "FIRST": 0, "SECOND": 1, "THIRD": 2}


class SkipHand(Exception):
    """Reason for which a hand is not read.

    Args:
        reason: one of `REASONS`.
        detail: explanation.
        line: number of the line within the hand, from 0.
    """

    def __init__(self, reason: str, detail: str = "", line: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.detail, self.line = reason, detail, line


@dataclass
class Draft:
    """Facts of a hand as a file states them; players are names."""

    room: str
    number: str
    digits: int = 2
    start: datetime | None = None
    table: str = ""
    size: int = 0
    button: int = 0
    currency: str = ""
    limit: tuple[int, int] | None = None
    big: int = 0  # big blind of the table in no-limit; 0 if unknown
    cap: int = 0  # cap of the hand; 0 if there is none
    hero: str = ""
    tournament: Tournament | None = None
    seats: dict[str, Seat] = field(default_factory=dict)
    dealt: set[str] = field(default_factory=set)  # players known to be dealt in
    posts: list[tuple[str, str, int]] = field(default_factory=list)  # kind, name, amount
    events: list[tuple[str, str, Any, int]] = field(default_factory=list)  # verb, name, amount or cards, line
    runs: list[list[int]] = field(default_factory=list)  # cards of the second and third board
    holes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    shown: dict[str, tuple[int, ...]] = field(default_factory=dict)  # no cards: mucked
    awards: list[tuple[str, int, str]] = field(default_factory=list)  # name, amount, pot
    contains_uncalled: bool = False  # whether awards usually contain uncalled bets
    returned: int | None = None
    total: int | None = None
    rake: int | None = None
    jackpot: int = 0
    added: int = 0
    cash_outs: dict[str, int] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    line: int = 0  # line that is being read, within the hand

    def chips(self, text: str) -> int:
        """Return an amount in units."""
        return units(text, self.digits)

    def known(self, name: str) -> str:
        """Return the name of a player at the table.

        Raises:
            SkipHand: no seat has this name.
        """
        if name not in self.seats:
            raise SkipHand("unreadable line", f"{name!r} has no seat", self.line)
        return name

    def seat(self, number: str, name: str, stack: str, bounty: str | None = None, out: str | None = None) -> None:
        """Add a seat; see `sit`."""
        name = intern(name)  # a player sits in many hands
        self.sit(Seat(name, int(number), self.chips(stack), units(bounty, 2) if bounty else 0, bool(out)))

    def sit(self, seat: Seat) -> None:
        """Add a seat; a player or a seat that is named twice makes the hand unreadable."""
        if seat.name in self.seats or any(seat.number == other.number for other in self.seats.values()):
            raise SkipHand("unreadable line", f"seat {seat.number} or {seat.name!r} is named twice", self.line)
        self.seats[seat.name] = seat

    def place(self, name: str, size: str | None = None, play: str | None = None, button: str | None = None) -> None:
        """Set the table; `play` is given for play money."""
        self.table, self.size, self.button = name.strip(), int(size or self.size), int(button or self.button)
        if play and self.currency != "chips":
            self.currency = "play"

    def enter(self, number: str, buy_in: str, stage: str = "0") -> None:
        """Set the tournament, whose amounts are chips: its number, the text of its buy-in, its level."""
        parts = tuple(units(part, 2) for part in re.findall(MONEY, buy_in))
        self.tournament = Tournament(number, parts, currency_of(buy_in), level(stage))
        self.currency, self.digits = "chips", self.digits - 2

    def post(self, name: str, kind: str, amount: str) -> None:
        """Add a forced bet of a kind, which may be a word of `POSTS`."""
        self.posts.append((POSTS.get(kind, kind), self.known(name), self.chips(amount)))

    def act(self, verb: str, name: str, amount: Any = None) -> None:
        """Add an action."""
        self.events.append((verb, self.known(name), amount, self.line))

    def bet(self, name: str, verb: str, amount: str | None = None, total: str | None = None) -> None:
        """Add an action by its English verb; of a raise with a total, only the total counts."""
        if (amount is None) != (verb in ("folds", "checks")):
            raise SkipHand("unreadable line", f"{name} {verb} {amount or ''}", self.line)
        if total is not None:
            self.act(TO, name, self.chips(total))
        else:
            self.act(_VERBS[verb], name, self.chips(amount) if amount else None)

    def deal(self, cards: str, run: str | None = None) -> None:
        """Add cards of the board, of the first, second or third run."""
        number = _NUMBERED[run or ""]
        if number == 0:
            self.events.append((DEAL, "", self.cards(cards), self.line))
            return
        while len(self.runs) < number:
            self.runs.append([])
        self.runs[number - 1] += self.cards(cards)

    def show(self, name: str, cards: str) -> None:
        """Add cards shown, one or two; no cards if the player mucks."""
        seen = self.cards(cards)
        self.shown[self.known(name)] = (*seen, HIDDEN)[:2] if seen else ()
        if seen:
            self.learn(name, cards)

    def muck(self, name: str, cards: str = "") -> None:
        """Note that a player forfeits the pots; some rooms name the cards."""
        self.shown[self.known(name)] = ()
        self.learn(name, cards)

    def learn(self, name: str, cards: str) -> None:
        """Add hole cards of a player."""
        seen, known = self.cards(cards), self.holes.get(self.known(name), ())
        if len(seen) > 2 or (len(known) == len(seen) and {*known} != {*seen}):
            raise SkipHand("unreadable line", f"cards of {name!r} differ", self.line)
        self.holes[name] = max(known, seen, key=len)

    def hole(self, name: str, cards: str | None = None) -> None:
        """Add a player who was dealt in; the first one with cards is the hero."""
        self.dealt.add(self.known(name))
        if cards:
            self.learn(name, cards)
            self.hero = self.hero or name

    def cards(self, text: str) -> tuple[int, ...]:
        """Return the cards of a text such as ``As 10c, Td``."""
        try:
            return tuple([_CARD[card] for card in text.replace(",", " ").replace("10", "T").split()])
        except KeyError:
            raise SkipHand("unreadable line", f"{text!r} are no cards", self.line) from None

    def award(self, name: str, amount: str, pot: str | None = None) -> None:
        """Add chips that a player collects."""
        self.awards.append((self.known(name), self.chips(amount), pot or "pot"))

    def sum_up(self, total: str, rake: str | None = None, fees: str = "") -> None:
        """Set the total of the pots, the rake, and fees such as ``| Jackpot $0.10``."""
        self.total, self.rake = self.chips(total), self.chips(rake or "0")
        self.jackpot = sum(self.chips(fee) for fee in re.findall(rf"\| \w+ ({MONEY})", fees))

    def cash_out(self, name: str, amount: str) -> None:
        """Add chips that the room pays a player outside the pots."""
        self.pay(name, self.chips(amount))

    def pay(self, name: str, chips: int) -> None:
        """Add chips that the room pays a player outside the pots; negative ones are paid by the player."""
        self.cash_outs[self.known(name)] = self.cash_outs.get(name, 0) + chips


Handler = Callable[..., None]


class Grammar:
    """Patterns of a room's lines, each with a function that takes the draft and the groups.

    A line must match a whole pattern; the first that matches counts. None ignores a line.
    """

    def __init__(self, patterns: Iterable[tuple[str, Handler | None]]) -> None:
        parts, self._handlers = [], dict[str, tuple[Handler | None, range]]()
        start = 1
        for number, (pattern, handler) in enumerate(patterns):
            groups = re.compile(pattern).groups
            parts.append(f"(?P<_{number}>{pattern})")
            self._handlers[f"_{number}"] = (handler, range(start + 1, start + 1 + groups))
            start += groups + 1
        self._match = re.compile("|".join(parts)).fullmatch

    def read(self, draft: Draft, lines: Sequence[str], first: int = 0) -> None:
        """Read lines into a draft; empty lines are ignored.

        Raises:
            SkipHand: a line matches no pattern, or is impossible; the hand is of another game, or unfinished.
            FinerAmountError: an amount has more decimals.
        """
        for draft.line, line in enumerate(lines, first):
            if not line:
                continue
            match = self._match(line)
            if match is None:
                raise SkipHand("unreadable line", line, draft.line)
            handler, groups = self._handlers[match.lastgroup or ""]
            if handler is not None:
                try:
                    handler(draft, *map(match.group, groups))
                except FinerAmountError:
                    raise
                except ValueError:
                    raise SkipHand("unreadable line", line, draft.line) from None


def read_with_summary(draft: Draft, lines: Sequence[str], hand: Grammar, summary: Grammar) -> None:
    """Read the lines after the first into a draft, those of the summary by its own grammar.

    Raises:
        SkipHand: the summary is missing, or a line is unreadable.
    """
    start = next((number for number, line in enumerate(lines) if line.startswith("*** SUMMARY")), len(lines))
    if not any(line.startswith("Total pot") for line in lines[start : start + 3]):
        raise SkipHand("cut off", "the summary is missing", len(lines) - 1)
    hand.read(draft, lines[1:start], 1)
    summary.read(draft, lines[start + 1 :], start + 1)


def first_lines(lines: Sequence[str], game: re.Pattern[str], won: str) -> tuple[str, re.Match[str]]:
    """Return the number of the hand in the first line, and the match of the second, which names the game.

    Raises:
        SkipHand: one of them does not match, or the word `won` is in no line: no player collects the pot.
    """
    named = re.search(r"Game (\d+)", lines[0])
    played = game.fullmatch(lines[1]) if len(lines) > 1 else None
    if named is None or played is None:
        raise SkipHand("unreadable line" if len(lines) > 3 else "cut off", lines[0])
    if not re.fullmatch(r"Hold'?em", played["game"], re.I) or played["limit"].startswith(("PL", "Pot")):
        raise SkipHand("game", lines[1], 1)
    if not any(won in line for line in lines):
        raise SkipHand("cut off", "no player collects the pot", len(lines) - 1)
    return named[1], played


_ROMAN = dict(M=1000, CM=900, D=500, CD=400, C=100, XC=90, L=50, XL=40, X=10, IX=9, V=5, IV=4, I=1)


def level(text: str) -> int:
    """Return a level in arabic or roman numerals."""
    if text.isdigit():
        return int(text)
    values = [_ROMAN[letter] for letter in text]
    following: Mapping[int, int] = dict(enumerate(values[1:]))
    return sum(-value if value < following.get(place, 0) else value for place, value in enumerate(values))


def roman(level: int) -> str:
    """Return a level in roman numerals; ``"0"`` if it is unknown."""
    text = ""
    for letters, value in _ROMAN.items():
        text, level = text + letters * (level // value), level % value
    return text or "0"
