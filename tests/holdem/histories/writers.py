"""Writers of random hands in the formats of rooms, for round trips."""

import json
import random
import re
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from xml.sax.saxutils import quoteattr

import numpy as np

from tefuda.games.plays import play
from tefuda.holdem.cards import card_text, cards_text
from tefuda.holdem.hands.hand import HIDDEN
from tefuda.holdem.hands.rules import BOARD
from tefuda.holdem.hands.sizing import Menu, read_menu
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.histories.open_hand_history import write as write_open_hand_history
from tefuda.holdem.histories.phh_text import hand_text
from tefuda.holdem.histories.record import Award, HandHistory, Payments, Seat
from tefuda.holdem.histories.rooms.pokerstars import write as write_pokerstars
from tefuda.holdem.histories.writing import forced_bets
from tests.holdem.tables import random_rules

NAMES = (
    "Ash", "Birch: the 2nd", "Seat 3", "B[4] (x)", "a:b: c", "Ü ö é", "7", "$5", "folds", "Ann: calls", "x raises",
    "posts big blind", "Bob, \"B\"", "<i>&amp;", "p 10", "Zoë (button)", "collected $5 from pot", "*** FLOP ***",
)  # fmt: skip


START = datetime(2026, 3, 14, 19, 15, 2, tzinfo=UTC)
#: Names of forced bets.
WORDS = {"ante": "ante", "small": "small blind", "big": "big blind", "straddle": "straddle", "extra": "big blind"}


@dataclass
class Played:
    """A random hand at a table of a room: its record, and the game with all cards."""

    game: Holdem
    state: object
    record: HandHistory

    rules = property(lambda hand: hand.record.rules)
    names = property(lambda hand: hand.record.names)
    number = property(lambda hand: hand.record.number)
    hero = property(lambda hand: hand.record.hero)
    seats = property(lambda hand: [seat.number for seat in hand.record.seats])
    order = property(lambda hand: sorted(range(hand.rules.players), key=lambda player: hand.seats[player]))
    rake = property(lambda hand: hand.record.rake)
    collected = property(lambda hand: hand.record.payments.collected(hand.rules.players))
    uncalled = property(lambda hand: hand.rules.uncalled(hand.record.hand.wagers))

    @property
    def showdown(self):
        live = self.state.wagers.live
        return live if len(live) > 1 else []

    def cards(self, player):
        return [card_text(card) for card in self.state.hole(player)]

    def posts(self):
        return forced_bets(self.record)

    def steps(self):
        """Verb, player, chips added, total on the street, before; or the cards of a street."""
        for step in self.record.steps():
            street = step.before.street
            yield step if step.verb else ("deal", None, self.state.board[: BOARD[street + 1]], BOARD[street], None)


def facts(record):
    """Forced bets as paid, betting in the currency, and results."""
    rules, unit = record.rules, record.unit
    actions = [re.sub(r"cbr (\S+)", lambda amount: f"cbr {float(amount[1])}", action) for action in record.actions]
    kinds = {"small": "blind", "big": "blind"}  # a blind of the big blind's size may be either, if it is the only one
    bets = [(kinds.get(kind, kind), player, chips * unit) for kind, player, chips in forced_bets(record)]
    return {
        "stacks": [stack * unit for stack in rules.stacks], "limit": [bet * unit for bet in rules.limit or ()],
        "min_bet": not rules.limit and rules.min_bet * unit, "bets": bets, "actions": actions,
        "results": record.results, "paid": record.payoffs and [chips * unit for chips in record.payoffs],
        "rake": record.rake * unit,
    }  # fmt: skip


def is_short(rules):
    """The big blind is all-in for less."""
    player = 1 if rules.players > 2 else 0
    return rules.antes[player] < rules.stacks[player] < rules.antes[player] + rules.blinds[player]


def random_hand(seed, derived=False):
    """Return a random hand; a derived rake is below 15 % and unambiguous."""
    rng = random.Random(seed)
    rules = random_rules(rng, posts=rng.random() < 0.3)
    if is_short(rules):  # rooms differ on straddles then
        rules = replace(rules, full_blinds=True, blinds=(*rules.blinds[:2], *(0,) * (rules.players - 2)))
    game = Holdem(rules, Menu() if rules.limit else read_menu("50%,100%,a", ""))
    state = play(game, np.random.default_rng(seed))[1]
    called, payoffs = rules.called(state.wagers), game.payoffs(state)
    collected = [payoff + paid for payoff, paid in zip(payoffs, called, strict=True)]
    rake = sum(called) * rng.choice((0, 0, 1, 5)) // 100
    taken = rake
    for player in sorted(range(rules.players), key=lambda player: -collected[player]):
        part = min(taken, collected[player] // 10)
        collected[player], taken = collected[player] - part, taken - part
    seats = sorted(rng.sample(range(1, 11), rules.players))
    turn, names = rng.randrange(rules.players), rng.sample(NAMES, rules.players)
    seats = [*map(Seat, names, seats[turn:] + seats[:turn], rules.stacks)]  # the last player has the button
    hero, live = rng.randrange(rules.players), state.wagers.live if len(state.wagers.live) > 1 else []
    known = [card if place // 2 in (hero, *live) else HIDDEN for place, card in enumerate(state.holes)]
    awards = tuple(Award(player, chips) for player, chips in enumerate(collected) if chips)
    record = HandHistory(
        replace(rules, cap=0), state._replace(holes=tuple(known)), Decimal("0.01"),
        tuple((player, state.hole(player)) for player in live), seats=tuple(seats), room="PokerStars",
        number=str(10**9 + seed), start=START, table="Round", size=10, button=seats[-1].number, currency="USD",
        hero=hero, dead=(0,) * rules.players, payments=Payments(awards, rake - taken, outside=(0,) * rules.players),
    )  # fmt: skip
    return Played(game, state, record)


def dollars(chips):
    return f"${chips // 100:,}.{chips % 100:02d}" if chips % 100 else f"${chips // 100:,}"


def streets(hand, cards, before):
    """Cards of a street in brackets, after those of the streets before."""
    earlier = f"[{cards_text(cards[:before])}] " if before else ""
    return ("FLOP", "TURN", "RIVER")[BOARD.index(before)], f"{earlier}[{cards_text(cards[before:])}]"


def pokerstars(hand):
    return write_pokerstars(hand.record)


def ggpoker(hand):
    text = pokerstars(hand).replace("PokerStars Hand #", "Poker Hand #HD")
    return text.replace("*** SHOW DOWN ***", "*** SHOWDOWN ***")


def _bracketed(hand, money, header, *, deal, dead, winners, end=""):
    rules, names = hand.rules, hand.names
    lines = [
        *header, f"Seat {hand.seats[-1]} is the button", f"Total number of players : {rules.players}",
        *(f"Seat {hand.seats[p]}: {names[p]} ( {money(rules.stacks[p])} )" for p in hand.order),
        *(f"{names[p]} posts {WORDS[kind]} [{money(chips)}]{end}" for kind, p, chips in hand.posts()),
        "** Dealing down cards **", f"Dealt to {names[hand.hero]} [ {', '.join(hand.cards(hand.hero))} ]",
    ]  # fmt: skip
    for verb, player, chips, total, before in hand.steps():
        if verb == "deal":
            street = (deal[0], deal[1], deal[2])[BOARD.index(total)]
            lines.append(f"** Dealing {street} ** [ {', '.join(cards_text([card]) for card in chips[total:])} ]")
        elif dead and chips and chips == before.stacks[player]:
            lines.append(f"{names[player]} is all-In  [{money(chips)}]")
        else:
            lines.append(f"{names[player]} {verb}{f' [{money(chips)}]' if chips else ''}")
    lines += [f"{names[p]} shows [ {', '.join(hand.cards(p))} ]" for p in hand.showdown]
    return "\n".join([*lines, *winners]) + "\n\n\n"


def cassava(hand):
    """888poker, with decimal commas."""

    def money(chips):
        return f"{chips // 100:,}".replace(",", " ") + (f",{chips % 100:02d}" if chips % 100 else "") + " $"

    rules = hand.rules
    limit, small = "Fix Limit" if rules.limit else "No Limit", min(filter(None, rules.blinds))
    header = [
        f"#Game No : {hand.number}", f"***** 888poker Hand History for Game {hand.number} *****",
        f"{money(small)}/{money(rules.min_bet)} Blinds {limit} Holdem - *** 14 03 2026 15:15:02",
        "Table Round 10 Max (Real Money)",
    ]  # fmt: skip
    winners = ["** Summary **"]
    winners += [f"{hand.names[p]} collected [ {money(chips)} ]" for p, chips in enumerate(hand.collected) if chips]
    return _bracketed(
        hand, money, header, deal=("flop", "turn", "river"), dead=False, winners=winners,
    )  # fmt: skip


def partypoker(hand):
    """partypoker: winners' chips contain their uncalled bets."""

    def money(chips):
        return f"{dollars(chips)} USD"

    rules = hand.rules
    bets = rules.limit or (min(filter(None, rules.blinds)), rules.min_bet)
    header = [
        f"***** Hand History for Game {hand.number} *****",
        f"{dollars(bets[0])}/{dollars(bets[1])} USD {'FL' if rules.limit else 'NL'} Texas Hold'em - "
        "Saturday,March 14, 15:15:02 EDT 2026",
        "Table Round ( Real Money )",
    ]
    winners = [
        f"{hand.names[p]} wins {money(chips + hand.uncalled[p])}" for p, chips in enumerate(hand.collected) if chips
    ]
    return _bracketed(
        hand, money, header, deal=("Flop", "Turn", "River"), dead=True, winners=winners,
        end=".",
    )  # fmt: skip


def winamax(hand):
    """Winamax, without uncalled bets."""

    def money(chips):
        return f"{chips // 100}.{chips % 100:02d}€"

    rules, names = hand.rules, hand.names
    bets = rules.limit or (min(filter(None, rules.blinds)), rules.min_bet)
    limit = "fixed" if rules.limit else "no"
    lines = [
        f"Winamax Poker - CashGame - HandId: #{hand.number} - Holdem {limit} limit "
        f"({money(bets[0])}/{money(bets[1])}) - 2026/03/14 15:15:02 UTC",
        f"Table: 'Round' 10-max (real money) Seat #{hand.seats[-1]} is the button",
        *(f"Seat {hand.seats[p]}: {names[p]} ({money(rules.stacks[p])})" for p in hand.order),
        "*** ANTE/BLINDS ***",
    ]
    words = {
        "ante": "ante {}", "small": "small blind {}", "big": "big blind {}", "straddle": "straddle {}",
        "extra": "big blind {} out of position",
    }  # fmt: skip
    lines += [f"{names[p]} posts {words[kind].format(money(chips))}" for kind, p, chips in hand.posts()]
    lines += [f"Dealt to {names[hand.hero]} [{' '.join(hand.cards(hand.hero))}]", "*** PRE-FLOP ***"]
    for verb, player, chips, total, before in hand.steps():
        if verb == "deal":
            street, cards = streets(hand, chips, total)
            lines.append(f"*** {street} *** {cards.replace('] [', '][')}")
            continue
        amount = f" {money(total - max(before.bets))} to {money(total)}" if verb == "raises" else ""
        lines.append(f"{names[player]} {verb}{amount or (f' {money(chips)}' if chips else '')}")
    lines += ["*** SHOW DOWN ***"] * bool(hand.showdown)
    lines += [f"{names[p]} shows [{' '.join(hand.cards(p))}] (One pair : 9)" for p in hand.showdown]
    lines += [f"{names[p]} collected {money(chips)} from pot" for p, chips in enumerate(hand.collected) if chips]
    rake = f"Rake {money(hand.rake)}" if hand.rake else "No rake"
    lines += ["*** SUMMARY ***", f"Total pot {money(sum(hand.collected) + hand.rake)} | {rake}"]
    return "\n".join(lines) + "\n\n"


def ipoker(hand):
    """iPoker: a session of one game, actions grouped by player; None for a straddle, which has no type."""

    def money(chips):
        return f"€{chips // 100:,}.{chips % 100:02d}"

    def card(text):
        return text[1].upper() + text[0].replace("T", "10")

    rules, names, number = hand.rules, [quoteattr(name) for name in hand.names], 0
    kinds, rounds = {"ante": 15, "small": 1, "big": 2, "extra": 2}, [[] for _ in range(5)]
    bets = rules.limit or (min(filter(None, rules.blinds)), rules.min_bet)
    for kind, player, chips in hand.posts():
        if kind == "straddle":
            return None
        rounds[0].append((player, (number := number + 1), kinds[kind], chips))
    street, cards = 1, {}
    for verb, player, chips, total, _ in hand.steps():
        if verb == "deal":
            street += 1
            cards[street] = chips[total:]
            continue
        kind = {"folds": 0, "checks": 4, "calls": 3, "bets": 5, "raises": 23}[verb]
        rounds[street].append((player, (number := number + 1), kind, total if verb == "raises" else chips))
    lines = [
        "<session>", f"<general><gametype>Holdem {'L' if rules.limit else 'NL'} {money(bets[0])}/{money(bets[1])}"
        f"</gametype><currency>EUR</currency><nickname>{_text(hand.names[hand.hero])}</nickname></general>",
        f'<game gamecode="{hand.number}"><general><startdate>2026/03/14 15:15:02</startdate><players>',
        *(
            f'<player seat="{hand.seats[p]}" name={names[p]} chips="{money(rules.stacks[p])}" '
            f'dealer="{int(p == rules.players - 1)}" win="{money(hand.collected[p] + hand.uncalled[p])}" bet="0"/>'
            for p in hand.order
        ),
        "</players></general>",
    ]  # fmt: skip
    for street, actions in enumerate(rounds):
        lines.append(f'<round no="{street}">')
        lines += [
            f'<cards type="Pocket" player={names[p]}>{" ".join(map(card, hand.cards(p)))}</cards>'
            for p in sorted({*hand.showdown, hand.hero})
            if street == 1
        ]
        if street in cards:
            kind = ("Flop", "Turn", "River")[street - 2]
            lines.append(
                f'<cards type="{kind}" player="">{" ".join(card(card_text(c)) for c in cards[street])}</cards>'
            )
        for p, place, kind, chips in sorted(actions):
            lines.append(f'<action no="{place}" player={names[p]} type="{kind}" sum="{money(chips)}" cards=""/>')
        lines.append("</round>")
    return "\n".join([*lines, "</game>", "</session>"])


def _text(name):
    return name.replace("&", "&amp;").replace("<", "&lt;")


def open_hand_history(hand, totals=False):
    """Open Hand History; raises are chips added, or totals."""
    content = json.loads(write_open_hand_history(hand.record))
    for round_ in content["ohh"]["rounds"] if totals else ():
        sums = Counter()
        for action in round_["actions"]:
            if "amount" in action and action["action"] not in ("Post Ante", "Post Dead"):
                sums[action["player_id"]] += round(100 * action["amount"])
            if action["action"] == "Raise":
                action["amount"] = sums[action["player_id"]] / 100
    return json.dumps(content)


def phh(hand):
    return hand_text(hand.record)


WRITERS = {
    "pokerstars": pokerstars, "ggpoker": ggpoker, "cassava": cassava, "partypoker": partypoker, "winamax": winamax,
    "ipoker": ipoker, "open_hand_history": open_hand_history, "phh": phh,
}  # fmt: skip
