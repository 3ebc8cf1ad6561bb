"""Reader and writer of hand histories of PokerStars, GGPoker and rooms that copy the format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial

from tefuda.holdem.cards import cards_text
from tefuda.holdem.hands.hand import HIDDEN
from tefuda.holdem.hands.rules import BOARD, STREETS
from tefuda.holdem.histories import draft as facts
from tefuda.holdem.histories import writing
from tefuda.holdem.histories.draft import Draft, SkipHand, roman
from tefuda.holdem.histories.money import CURRENCIES, EASTERN, MONEY, currency_of, in_utc, moment
from tefuda.holdem.histories.record import CASHED_OUT, HandHistory
from tefuda.holdem.histories.rooms.grammar import Grammar, common_lines, read_with_summary
from tefuda.holdem.rank import strength, strength_text

#: First line of a hand: name of the room, number.
HEADER = r"[ \t]*(?:[A-Z][\w.']*(?: [A-Z][\w.']*)*)(?: Zoom| Home Game)? (?:Hand|Game) #[A-Z]{0,3}\d+:"
_NAMES = re.compile(r"\s*(?P<room>.+?)(?P<fast> Zoom)?(?: Home Game)? (?:Hand|Game) #(?P<number>([A-Z]*)\d+):\s*")
_GAME = re.compile(
    r"(?:\{[^}]*\}\s*)?(?P<what>.*?)\s*\((?P<stakes>[^()]*(?:\([^()]*\))?[^()]*)\)\s*-\s*(?P<time>\d{4}[/-].*)"
)
_HOLDEM = re.compile(r"(?P<before>.*?)\s*\bHold'?em\s+(?P<limit>No Limit|Limit|NL|Fixed Limit)")
_STAKES = re.compile(rf"\s*(?P<small>{MONEY})\s*/\s*(?P<big>{MONEY})(?:.*?(?P<cap>{MONEY}) Cap)?.*")
_TOURNAMENT = re.compile(r"Tournament #(?P<number>\w+),\s*(?P<name>.*) - Level ?(?P<level>[IVXLCDM]+|\d+)")
_BUY_IN = re.compile(rf"{MONEY}(?:\+{MONEY})+(?: [A-Z]{{3}})?")
_END = r"(?: and is all-in| and has reached the .* cap)*(?: \[[^\]]*\])?"


def read(lines: Sequence[str], digits: int = 2) -> Draft:
    """Return the draft of a hand; raises the errors of `Grammar.read`."""
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
    draft.start = moment(game["time"])
    return draft


def _read_game(draft: Draft, what: str, stakes: str) -> None:
    tournament, amounts = _TOURNAMENT.search(what), _STAKES.fullmatch(stakes)
    name = tournament["name"].rstrip() if tournament else what
    game = _HOLDEM.fullmatch(name)
    if game is None or re.search(r"6\+|short", game["before"][-12:], re.I) or (game["before"] and not tournament):
        raise SkipHand("game", name)
    if amounts is None:
        raise SkipHand("unreadable line", stakes)
    draft.currency = currency_of(stakes) or "play"
    if tournament:
        buy_in = game["before"] if _BUY_IN.fullmatch(game["before"]) else ""
        draft.enter(tournament["number"], buy_in, tournament["level"])
    small, draft.big = draft.chips(amounts["small"]), draft.chips(amounts["big"])
    draft.cap = draft.chips(amounts["cap"]) if amounts["cap"] else 0
    if game["limit"] in ("Limit", "Fixed Limit"):
        draft.limit = (small, draft.big)


def _returned(draft: Draft, amount: str, name: str) -> None:
    draft.known(name)
    draft.returned = (draft.returned or 0) + draft.chips(amount)


def _added(draft: Draft, amount: str) -> None:
    draft.added += draft.chips(amount)


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
    r"\*\*\* (?:(?:FIRST|SECOND|THIRD) )?(?:HOLE CARDS|SHOW ?DOWN|PRE-?FLOP) \*\*\*.*",
)
_HAND = Grammar(
    [
        (rf"Uncalled bet \(({MONEY})\) returned to (.+)", _returned),
        *common_lines("(.+):", _END),
        (rf"(.+): (straddle) ({MONEY}){_END}", Draft.post),
        (rf"(.+) collected ({MONEY}) from (pot|(?:main|side) pot(?:-\d+)?)", Draft.award),
        (r"Table '(.*)' (\d+)-max (\(Play Money\) )?Seat #(\d+) is the button.*", Draft.place),
        (rf"(.+) cashed out the hand for ({MONEY})(?: \| .*)?", Draft.pay),
        (rf"(.+): Receives Cashout \(({MONEY})\)", Draft.pay),
        (rf"(.+): Pays (?:Cashout Risk|all-in insurance premium) \(({MONEY})\)", partial(Draft.pay, sign=-1)),
        (rf"(?:Cash Drop to Pot|STP added|Splash pot)\D*({MONEY})", _added),
        *((pattern, None) for pattern in _CHATTER),
    ]
)
_SUMMARY = Grammar(
    [
        (rf"Total pot ({MONEY})(?: .*)? ?\| Rake ({MONEY})((?: \| \w+ {MONEY})*)", Draft.sum_up),
        (r"Seat (\d+): .+ (?:showed|mucked) \[([^\]]+)\].*", _listed),
        (r"Seat (\d+): .+", _listed),
        (r"(?:(?:FIRST|SECOND|THIRD) )?Board \[.*\]|Hand was run .*|#Game No : \d+|\*\*\* # \d+ \*\*\*", None),
        *((pattern, None) for pattern in _CHATTER),
    ]
)


# Writing.

_WORDS = {
    facts.ANTE: "the ante", facts.SMALL: "small blind", facts.BIG: "big blind", facts.STRADDLE: "straddle",
    facts.EXTRA: "big blind",
}  # fmt: skip
_SIGNS = {currency: sign for sign, currency in CURRENCIES.items()}
_RUNS = ("FIRST", "SECOND", "THIRD")
_POT = re.compile(r"pot|(?:main|side) pot(?:-\d+)?")
_NO_START = datetime(1970, 1, 1, tzinfo=UTC)


def write(hand: HandHistory) -> str:
    """Return a hand as text in the format of PokerStars, whatever its room.

    A hand without a number gets 1, one without a start begins in 1970.

    Raises:
        ParameterError: the hand is unfinished, or decided by unknown cards.
    """
    return "\n".join(_Writer(hand).lines()) + "\n\n\n"


class _Writer:
    def __init__(self, hand: HandHistory) -> None:
        self.hand, self.rules, self.names = hand, hand.rules, hand.names
        self.payments, self.seats = writing.payments_of(hand), writing.dealt_seats(hand)
        self.holes = hand.known_holes

    def money(self, chips: int) -> str:
        return f"{_SIGNS.get(self.hand.currency, '')}{writing.amount_text(chips * self.hand.unit)}"

    def lines(self) -> Iterator[str]:
        """Yield the lines of the hand."""
        hand = self.hand
        zoom, number = "Zoom " if "fast" in hand.flags else "", re.sub(r"\D", "", hand.number) or "1"
        yield f"PokerStars {zoom}Hand #{number}: {self._game()} - {_start_text(hand.start or _NO_START)}"
        play = " (Play Money)" if hand.currency in ("play", "") else ""
        size, button = writing.table_size(hand), hand.button or self.seats[-1].number
        yield f"Table '{hand.table or 'tefuda'}' {size}-max{play} Seat #{button} is the button"
        yield from self._seats()
        yield from self._posts()
        yield "*** HOLE CARDS ***"
        if hand.hero is not None and hand.hero in self.holes:
            yield f"Dealt to {self.names[hand.hero]} [{cards_text(self.holes[hand.hero])}]"
        yield from self._betting()
        for name, chips in zip(self.names, self.rules.uncalled(hand.hand.wagers), strict=True):
            yield from [f"Uncalled bet ({self.money(chips)}) returned to {name}"] * bool(chips)
        yield from self._showdown()
        yield from self._awards()
        yield from self._summary()

    def _game(self) -> str:
        hand, rules = self.hand, self.rules
        small = min(filter(None, rules.blinds), default=rules.min_bet)
        bets = "/".join(map(self.money, rules.limit or (min(small, rules.min_bet), rules.min_bet)))
        game = f"Hold'em {'Limit' if rules.limit else 'No Limit'}"
        if (tournament := hand.tournament) is not None:
            buy_in = "+".join(self._bounty(part) for part in tournament.buy_in) or "Freeroll"
            start = f"Tournament #{tournament.number}, {buy_in} {tournament.currency}".rstrip()
            return f"{start} {game} - Level {roman(tournament.level)} ({bets})"
        caps = [stack for stack, seat in zip(rules.stacks, self.seats, strict=True) if stack < seat.stack]
        code = f" {hand.currency}" if hand.currency not in ("", "play", "chips") else ""
        return f"{game} ({bets}{f' - {self.money(caps[0])} Cap -' if caps else ''}{code})"

    def _bounty(self, hundredths: int) -> str:
        sign = _SIGNS.get(self.hand.tournament.currency, "") if self.hand.tournament else ""
        return f"{sign}{hundredths // 100}.{hundredths % 100:02d}"

    def _seats(self) -> Iterator[str]:
        for seat in sorted((*self.seats, *self.hand.absent), key=lambda seat: seat.number):
            bounty = f", {self._bounty(seat.bounty)} bounty" if seat.bounty else ""
            out = " is sitting out" if seat.is_out else ""
            yield f"Seat {seat.number}: {seat.name} ({self.money(seat.stack)} in chips{bounty}){out}"

    def _posts(self) -> Iterator[str]:
        """Yield the forced bets; a dead blind is a second small blind, or part of two blinds."""
        posts = [*writing.forced_bets(self.hand)]
        dead, both = (
            {player: chips for kind, player, chips in posts if kind == each} for each in (facts.DEAD, facts.EXTRA)
        )
        for kind, player, chips in posts:
            if kind == facts.DEAD and player not in both:
                yield f"{self.names[player]}: posts small blind {self.money(chips)}"
            elif kind == facts.EXTRA and player in dead:
                yield f"{self.names[player]}: posts small & big blinds {self.money(chips + dead[player])}"
            elif kind != facts.DEAD:
                yield f"{self.names[player]}: posts {_WORDS[kind]} {self.money(chips)}"

    def _betting(self) -> Iterator[str]:
        """Yield the actions and the boards; the second and third board come last."""
        if self.payments.added:
            yield f"STP added: {self.money(self.payments.added)}"
        boards = self.hand.boards or (self.hand.hand.board,)
        common = max(known for known in BOARD if len({board[:known] for board in boards}) == 1)
        for verb, player, chips, total, before in self.hand.steps():
            if not verb:
                yield _street(boards[0], before.street, _RUNS[0] * (BOARD[before.street] >= common < BOARD[3]))
                continue
            amount = f" {self.money(chips)}" if chips else ""
            if verb == "raises":
                amount = f" {self.money(total - max(before.bets))} to {self.money(total)}"
            all_in = " and is all-in" if chips and chips == before.stacks[player] else ""
            yield f"{self.names[player]}: {verb}{amount}{all_in}"
        for run, board in zip(_RUNS[1:], boards[1:], strict=False):
            yield from (_street(board, street, run) for street, known in enumerate(BOARD[1:]) if known > common)

    def _showdown(self) -> Iterator[str]:
        yield from ["*** SHOW DOWN ***"] * (len(self.hand.hand.wagers.live) > 1)
        for player, cards in self.hand.shown:
            seen, known = cards_text(card for card in cards if card != HIDDEN), {*cards, *self.hand.hand.board}
            made = f" ({strength_text(strength([*known]))})" if len(known - {HIDDEN}) == 2 + BOARD[3] else ""
            yield f"{self.names[player]}: " + (f"shows [{seen}]{made}" if seen else "mucks hand")

    def _awards(self) -> Iterator[str]:
        """Yield the chips collected; the room keeps the pots of players who cashed out, and pays them."""
        payments = self.payments
        kept = tuple(award for award in payments.awards if award.pot == CASHED_OUT)
        cashed = payments._replace(awards=kept).collected(self.rules.players)
        awards = [award for award in payments.awards if award.pot != CASHED_OUT]
        pots = [*dict.fromkeys(award.pot for award in awards)]
        if not all(map(_POT.fullmatch, pots)):
            pots = ["pot"] if len(pots) == 1 else ["main pot", *(f"side pot-{place}" for place in range(1, len(pots)))]
        labels = dict(zip(dict.fromkeys(award.pot for award in awards), pots, strict=True))
        for award in awards:
            yield f"{self.names[award.player]} collected {self.money(award.amount)} from {labels[award.pot]}"
        for player, extra in enumerate(payments.outside):
            if extra > 0 or cashed[player]:
                yield f"{self.names[player]} cashed out the hand for {self.money(extra + cashed[player])}"
            elif extra:
                yield f"{self.names[player]}: Pays Cashout Risk ({self.money(-extra)})"

    def _summary(self) -> Iterator[str]:
        hand, payments = self.hand, self.payments
        pot = sum(self.rules.called(hand.hand.wagers)) + payments.added
        jackpot = f" | Jackpot {self.money(payments.jackpot)}" if payments.jackpot else ""
        yield from ("*** SUMMARY ***", f"Total pot {self.money(pot)} | Rake {self.money(payments.rake)}{jackpot}")
        if hand.hand.board:
            yield f"Board [{cards_text(hand.hand.board)}]"
        shown, won = dict(hand.shown), payments.collected(self.rules.players)
        for player, seat in enumerate(self.seats):
            end = f"collected ({self.money(won[player])})" if won[player] else "folded"
            if player in self.holes and (shown.get(player) or player != hand.hero):
                verb = "showed" if shown.get(player) else "mucked"
                end = f"{verb} [{cards_text(self.holes[player])}]"
            yield f"Seat {seat.number}: {seat.name} {end}"


def _street(board: Sequence[int], before: int, run: str) -> str:
    """Return the line of the next street, with the cards of the streets before."""
    known, seen = BOARD[before : before + 2]
    earlier = f"[{cards_text(board[:known])}] " if known else ""
    name = f"{run} {STREETS[before + 1].upper()}".strip()
    return f"*** {name} *** {earlier}[{cards_text(board[known:seen])}]"


def _start_text(start: datetime) -> str:
    """Return a start in Eastern time; in UTC in the hour that is ambiguous, as it is without a zone."""
    if start.tzinfo is None:
        return f"{start:%Y/%m/%d %H:%M:%S}"
    eastern = start.astimezone(EASTERN).replace(tzinfo=None, fold=0)
    local, zone = (eastern, "ET") if in_utc(eastern, "ET") == start else (start, "UTC")
    return f"{local:%Y/%m/%d %H:%M:%S} {zone}"
