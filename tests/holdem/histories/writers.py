"""Writers of random hands in the formats of rooms, for round trips."""

import json
import random
from dataclasses import dataclass, replace
from xml.sax.saxutils import quoteattr

import numpy as np

from tefuda.games.plays import play
from tefuda.holdem.cards import card_text, cards_text
from tefuda.holdem.hands.hand import CALL, FOLD, NEXT, raised_to
from tefuda.holdem.hands.rules import BOARD
from tefuda.holdem.hands.sizing import Menu, read_menu
from tefuda.holdem.hands.whole import Holdem
from tests.holdem.tables import random_rules

NAMES = (
    "Ash", "Birch: the 2nd", "Seat 3", "B[4] (x)", "a:b: c", "Ü ö é", "7", "$5", "folds", "Ann: calls", "x raises",
    "posts big blind", "Bob, \"B\"", "<i>&amp;", "p 10", "Zoë (button)", "collected $5 from pot", "*** FLOP ***",
)  # fmt: skip


#: Names of forced bets.
WORDS = {"ante": "ante", "small": "small blind", "big": "big blind", "straddle": "straddle", "extra": "big blind"}


@dataclass
class Played:
    """A random hand at a table of a room, with the facts that files state."""

    game: Holdem
    state: object
    names: list
    seats: list  # seat numbers by player; the last player has the button
    number: str
    rake: int
    collected: list
    uncalled: list
    hero: int

    @property
    def rules(self):
        return self.game.rules

    @property
    def order(self):
        return sorted(range(self.rules.players), key=lambda player: self.seats[player])

    @property
    def showdown(self):
        live = self.state.wagers.live
        return live if len(live) > 1 else []

    @property
    def net(self):
        called = self.rules.called(self.state.wagers)
        return {name: won - paid for name, won, paid in zip(self.names, self.collected, called, strict=True)}

    def cards(self, player):
        return [card_text(card) for card in self.state.hole(player)]

    def posts(self):
        """Kind, player and chips of the forced bets, as paid."""
        rules, left = self.rules, list(self.rules.stacks)
        for kind, amounts in (("ante", rules.antes), ("blind", rules.blinds), ("extra", rules.posts)):
            for player, amount in enumerate(amounts):
                if paid := min(amount, left[player]):
                    left[player] -= paid
                    yield self.kind(kind, player), player, paid

    def kind(self, kind, player):
        blinds = self.rules.blinds
        if kind != "blind":
            return kind
        order = (1, 0) if self.rules.players == 2 else (0, 1)
        return ("small", "big")[order.index(player)] if player < 2 else "straddle" if blinds[player] else ""

    def steps(self):
        """Verb, player, chips added, total on the street, before; or the cards of a street."""
        for before, token in self.game_replay():
            if token == NEXT:
                yield "deal", None, self.state.board[: BOARD[before.street + 1]], BOARD[before.street], before
                continue
            mover, call = before.mover, self.rules.choices(before).call
            if token == FOLD:
                yield "folds", mover, 0, 0, before
            elif token == CALL:
                yield ("calls" if call else "checks"), mover, call, 0, before
            else:
                total = raised_to(self.rules, before, token)
                verb = "raises" if max(before.bets) else "bets"
                yield verb, mover, total - before.bets[mover], total, before

    def game_replay(self):
        from tefuda.holdem.hands.hand import replay

        return replay(self.rules, self.state.line)


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
    uncalled = [rules.stacks[player] - state.wagers.stacks[player] - called[player] for player in range(rules.players)]
    rake = sum(called) * rng.choice((0, 0, 1, 5)) // 100
    taken = rake
    for player in sorted(range(rules.players), key=lambda player: -collected[player]):
        part = min(taken, collected[player] // 10)
        collected[player], taken = collected[player] - part, taken - part
    seats = sorted(rng.sample(range(1, 11), rules.players))
    turn = rng.randrange(rules.players)
    return Played(
        game, state, rng.sample(NAMES, rules.players), seats[turn:] + seats[:turn], str(10**9 + seed), rake - taken,
        collected, uncalled, rng.randrange(rules.players),
    )  # fmt: skip


def dollars(chips):
    return f"${chips // 100:,}.{chips % 100:02d}" if chips % 100 else f"${chips // 100:,}"


def streets(hand, cards, before):
    """Cards of a street in brackets, after those of the streets before."""
    earlier = f"[{cards_text(cards[:before])}] " if before else ""
    return ("FLOP", "TURN", "RIVER")[BOARD.index(before)], f"{earlier}[{cards_text(cards[before:])}]"


def pokerstars(hand, room="PokerStars Hand #{}: ", money=dollars):
    """PokerStars; with another room GGPoker."""
    rules, names = hand.rules, hand.names
    stakes = rules.limit or (max(1, min(filter(None, rules.blinds))), rules.min_bet)
    limit = "Limit" if rules.limit else "No Limit"
    lines = [
        f"{room.format(hand.number)}Hold'em {limit} ({money(stakes[0])}/{money(stakes[1])}) - 2026/03/14 15:15:02 ET",
        f"Table 'Round' 10-max Seat #{hand.seats[-1]} is the button",
        *(f"Seat {hand.seats[p]}: {names[p]} ({money(rules.stacks[p])} in chips)" for p in hand.order),
    ]
    words = {
        "ante": "the ante",
        "small": "small blind",
        "big": "big blind",
        "straddle": "straddle",
        "extra": "big blind",
    }
    lines += [f"{names[p]}: posts {words[kind]} {money(chips)}" for kind, p, chips in hand.posts()]
    lines += ["*** HOLE CARDS ***", f"Dealt to {names[hand.hero]} [{' '.join(hand.cards(hand.hero))}]"]
    for verb, player, chips, total, before in hand.steps():
        if verb == "deal":
            street, cards = streets(hand, chips, total)
            lines.append(f"*** {street} *** {cards}")
            continue
        amount = f" {money(chips)}" if chips else ""
        if verb == "raises":
            amount = f" {money(total - max(before.bets))} to {money(total)}"
        end = " and is all-in" if chips and chips == before.stacks[player] else ""
        lines.append(f"{names[player]}: {verb}{amount}{end}")
    lines += [f"Uncalled bet ({money(chips)}) returned to {names[p]}" for p, chips in enumerate(hand.uncalled) if chips]
    lines += ["*** SHOW DOWN ***"] * bool(hand.showdown)
    lines += [f"{names[p]}: shows [{' '.join(hand.cards(p))}] (a hand)" for p in hand.showdown]
    lines += [f"{names[p]} collected {money(chips)} from pot" for p, chips in enumerate(hand.collected) if chips]
    pot = sum(hand.collected) + hand.rake
    lines += ["*** SUMMARY ***", f"Total pot {money(pot)} | Rake {money(hand.rake)}"]
    lines += [f"Seat {hand.seats[p]}: {names[p]} folded" for p in hand.order]
    return "\n".join(lines) + "\n\n\n"


def ggpoker(hand):
    return pokerstars(hand, "Poker Hand #HD{}: ").replace("*** SHOW DOWN ***", "*** SHOWDOWN ***")


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
    rules, number = hand.rules, iter(range(10**6))

    def action(player, kind, chips=0, cards=None):
        given = {"cards": cards} if cards else {}
        return {"action_number": next(number), "player_id": player, "action": kind, "amount": chips / 100, **given}

    kinds = {
        "ante": "Post Ante", "small": "Post SB", "big": "Post BB", "straddle": "Straddle", "extra": "Post Extra Blind",
    }  # fmt: skip
    rounds = [{"id": 0, "street": "Preflop", "actions": [action(p, kinds[kind], x) for kind, p, x in hand.posts()]}]
    rounds[0]["actions"].append(action(hand.hero, "Dealt Cards", cards=hand.cards(hand.hero)))
    for verb, player, chips, total, _ in hand.steps():
        if verb == "deal":
            rounds.append({"id": len(rounds), "cards": [card_text(card) for card in chips[total:]], "actions": []})
            continue
        amount = total if verb == "raises" and totals else chips
        rounds[-1]["actions"].append(action(player, verb[:-1].title(), amount))
    shown = [action(p, "Shows Cards", cards=hand.cards(p)) for p in hand.showdown]
    rounds.append({"id": len(rounds), "street": "Showdown", "cards": "", "actions": shown})
    wins = [{"player_id": p, "win_amount": chips / 100} for p, chips in enumerate(hand.collected) if chips]
    pot = {"number": 0, "amount": (sum(hand.collected) + hand.rake) / 100, "rake": hand.rake / 100, "player_wins": wins}
    content = {
        "spec_version": "1.4.7", "site_name": "Round", "game_number": hand.number, "table_size": 10,
        "start_date_utc": "2026-03-14T15:15:02Z", "game_type": "Holdem", "currency": "USD",
        "bet_limit": {"bet_type": "FL" if rules.limit else "NL", "bet_cap": 0}, "dealer_seat": hand.seats[-1],
        "big_blind_amount": rules.min_bet / 100, "hero_player_id": hand.hero, "rounds": rounds, "pots": [pot],
        "players": [
            {"id": p, "seat": hand.seats[p], "name": hand.names[p], "starting_stack": rules.stacks[p] / 100}
            for p in hand.order
        ],
    }  # fmt: skip
    return json.dumps({"ohh": content}, indent=1) + "\n\n"


WRITERS = {
    "pokerstars": pokerstars, "ggpoker": ggpoker, "cassava": cassava, "partypoker": partypoker, "winamax": winamax,
    "ipoker": ipoker, "open_hand_history": open_hand_history,
}  # fmt: skip
