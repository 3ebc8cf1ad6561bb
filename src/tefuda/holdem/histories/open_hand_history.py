"""Reader and writer of Open Hand History: JSON objects with the key ``ohh``, one after another.

Source: specification 1.4.7 (hh-specs.handhistory.org).
"""

from __future__ import annotations

import itertools
import json
import re
from datetime import UTC, datetime
from typing import Any

from tefuda.errors import ParameterError
from tefuda.holdem.cards import card_text
from tefuda.holdem.hands.hand import HIDDEN
from tefuda.holdem.hands.rules import BOARD, STREETS
from tefuda.holdem.histories import draft as facts
from tefuda.holdem.histories import writing
from tefuda.holdem.histories.draft import Draft, SkipHand
from tefuda.holdem.histories.money import exact_units
from tefuda.holdem.histories.record import Award, HandHistory, Payments, Seat, Tournament

#: Start of a hand.
GAME = re.compile(r'\{\s*"ohh"\s*:')
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
_POSTS = {
    "Post SB": facts.SMALL, "Post BB": facts.BIG, "Post Ante": facts.ANTE, "Post Dead": facts.DEAD,
    "Post Extra Blind": facts.EXTRA, "Straddle": facts.STRADDLE,
}  # fmt: skip
_ACTIONS = {"Fold": facts.FOLD, "Check": facts.CHECK, "Bet": facts.ADD, "Call": facts.CALL, "Raise": facts.RAISE}
_FLAGS = {"Fast": "fast", "Anonymous": "anonymous"}
_BUY_IN = ("buyin_amount", "bounty_fee_amount", "fee_amount")
_PARTS = ((), _BUY_IN[:1], _BUY_IN[::2], _BUY_IN)  # of a buy-in, by their number


def read(text: str, digits: int = 2) -> Draft:
    """Return the draft of a hand; raises the errors of `Grammar.read`."""
    try:
        hand = _DECODER.raw_decode(text)[0]["ohh"]
    except json.JSONDecodeError as error:
        is_cut = error.pos >= len(text.rstrip()) - 1
        raise SkipHand("cut off" if is_cut else "unreadable line", error.msg, error.lineno - 1) from None
    except RecursionError:
        raise SkipHand("unreadable line", "too deep") from None
    try:
        return _Reader(hand, digits).draft
    except (KeyError, TypeError, AttributeError) as error:
        raise SkipHand("unreadable line", f"{error} is missing or has another type") from None


class _Reader:
    def __init__(self, hand: dict[str, Any], digits: int) -> None:
        is_tournament = hand.get("tournament") is True
        self.draft = Draft(str(hand["site_name"]), str(hand["game_number"]), digits - 2 * is_tournament)
        self._read_game(hand)
        if is_tournament:
            info = hand.get("tournament_info") or {}
            parts = tuple(exact_units(str(info[name]), 2) for name in _BUY_IN if info.get(name) is not None)
            number, currency = (str(info.get(name, "")) for name in ("tournament_number", "currency"))
            self.draft.tournament, self.draft.currency = Tournament(number, parts, currency), "chips"
        self.names = {player["id"]: str(player["name"]) for player in hand["players"]}
        if len(self.names) < len(hand["players"]):
            raise SkipHand("unreadable line", "two players have the same number")
        for player in hand["players"]:
            self._read_seat(player)
        self.draft.hero = self.names.get(hand.get("hero_player_id"), "")
        for round_ in hand["rounds"]:
            self._read_round(round_)
        self._read_pots(hand["pots"])

    def chips(self, number: Any) -> int:
        """Return an amount in units; 0 if it is missing."""
        return exact_units(str(number or 0), self.draft.digits)

    def _read_game(self, hand: dict[str, Any]) -> None:
        draft, limit = self.draft, hand["bet_limit"]
        kind, flags = limit["bet_type"], hand.get("flags") or ()
        if hand["game_type"] != "Holdem" or kind not in ("NL", "FL"):
            raise SkipHand("game", f"{hand['game_type']} {kind}")
        draft.table, draft.size = str(hand.get("table_name", "")), int(hand.get("table_size") or 0)
        draft.button, draft.big = int(hand["dealer_seat"]), self.chips(hand.get("big_blind_amount"))
        draft.currency = "play" if "Play_Money" in flags else str(hand.get("currency", ""))
        draft.cap, draft.flags = self.chips(limit.get("bet_cap")), {_FLAGS[flag] for flag in flags if flag in _FLAGS}
        if kind == "FL":
            draft.limit = (draft.big, 2 * draft.big)
        start = datetime.fromisoformat(str(hand["start_date_utc"]).replace("Z", "+00:00"))
        draft.start = start.replace(tzinfo=start.tzinfo or UTC).astimezone(UTC)

    def _read_seat(self, player: dict[str, Any]) -> None:
        name, number = str(player["name"]), int(player["seat"])
        is_out, bounty = player.get("is_sitting_out") is True, exact_units(str(player.get("player_bounty") or 0), 2)
        if player.get("starting_stack") is None:
            raise SkipHand("hidden stacks", name)
        self.draft.sit(Seat(name, number, self.chips(player["starting_stack"]), bounty, is_out))

    def _read_round(self, round_: dict[str, Any]) -> None:
        if cards := round_.get("cards"):
            self.draft.deal(" ".join(cards))
        for action in sorted(round_["actions"], key=lambda action: int(action["action_number"])):
            self._read_action(action)

    def _read_action(self, action: dict[str, Any]) -> None:
        draft, kind = self.draft, action["action"]
        name, chips, cards = self.names.get(action.get("player_id"), ""), self.chips(action.get("amount")), ""
        if isinstance(action.get("cards"), list):  # writers put an empty text for no cards
            cards = " ".join(action["cards"])
        if kind in _POSTS:
            draft.posts.append((_POSTS[kind], draft.known(name), chips))
        elif kind in _ACTIONS:
            draft.act(_ACTIONS[kind], name, None if kind in ("Fold", "Check") else chips)
        elif kind == "Dealt Cards":
            draft.dealt.add(draft.known(name))
            draft.learn(name, cards)
        elif kind in ("Shows Cards", "Mucks Cards"):
            (draft.show if kind == "Shows Cards" else draft.muck)(name, cards)
        elif kind == "Added To Pot":
            draft.added += chips
        elif kind != "Added Chips":
            raise SkipHand("unreadable line", f"action {kind!r}")

    def _read_pots(self, pots: list[dict[str, Any]]) -> None:
        draft = self.draft
        draft.total = sum(self.chips(pot["amount"]) for pot in pots)
        if all("rake" in pot for pot in pots):
            draft.rake = sum(self.chips(pot["rake"]) for pot in pots)
        draft.jackpot = sum(self.chips(pot.get("jackpot")) for pot in pots)
        for pot in pots:
            for win in pot["player_wins"]:
                name, chips = draft.known(self.names.get(win["player_id"], "")), self.chips(win["win_amount"])
                draft.awards += [(name, chips, f"pot {pot['number']}")] * bool(chips)
                if cashed := self.chips(win.get("cashout_amount")):
                    draft.cash_outs[name] = draft.cash_outs.get(name, 0) + cashed - chips


# Writing.

_POST_NAMES = {kind: name for name, kind in _POSTS.items()}


def write(hand: HandHistory) -> str:
    """Return a hand as JSON; a hand without a start begins in 1970, one without a zone in UTC.

    Raises:
        ParameterError: the hand is unfinished, decided by unknown cards, or was run more than once.
    """
    if hand.boards:
        raise ParameterError("run more than once, for which Open Hand History has no field")
    content = {"spec_version": "1.4.7", "site_name": hand.room, "network_name": hand.room, **_table(hand)}
    seats = [*writing.dealt_seats(hand), *hand.absent]
    content["players"] = [
        {"id": player, "seat": seat.number, "name": seat.name, "starting_stack": _number(hand, seat.stack)}
        | ({"player_bounty": seat.bounty / 100} if seat.bounty else {})
        | ({"is_sitting_out": True} if seat.is_out else {})
        for player, seat in enumerate(seats)
    ]
    content |= {"rounds": _rounds(hand), "pots": _pots(hand, writing.payments_of(hand))}
    return json.dumps({"ohh": content}, ensure_ascii=False, indent=1) + "\n\n"


def _number(hand: HandHistory, chips: int) -> float:
    """Return an amount as a JSON number; its shortest text is exact."""
    return float(writing.amount_text(chips * hand.unit))


def _table(hand: HandHistory) -> dict[str, Any]:
    rules, seats, start = hand.rules, writing.dealt_seats(hand), hand.start or datetime(1970, 1, 1)
    caps = [stack for stack, seat in zip(rules.stacks, seats, strict=True) if stack < seat.stack]
    flags = [name for name, flag in _FLAGS.items() if flag in hand.flags] + ["Play_Money"] * (hand.currency == "play")
    small = min(filter(None, rules.blinds), default=rules.min_bet)
    table: dict[str, Any] = {
        "game_number": hand.number, "table_name": hand.table, "game_type": "Holdem", "flags": flags,
        "start_date_utc": f"{start.replace(tzinfo=None).isoformat()}Z",
        "table_size": writing.table_size(hand), "dealer_seat": hand.button or seats[-1].number,
        "bet_limit": {"bet_type": "FL" if rules.limit else "NL", "bet_cap": _number(hand, max(caps, default=0))},
        "small_blind_amount": _number(hand, small), "big_blind_amount": _number(hand, rules.smallest_bet(0)),
        "ante_amount": _number(hand, min(rules.antes)), "currency": hand.currency,
    }  # fmt: skip
    if hand.hero is not None:
        table["hero_player_id"] = hand.hero
    if (tournament := hand.tournament) is not None:
        parts = dict(zip(_PARTS[len(tournament.buy_in)], (part / 100 for part in tournament.buy_in), strict=True))
        info = {"tournament_number": tournament.number, "currency": tournament.currency, **parts}
        table |= {"tournament": True, "tournament_info": info}
    return table


def _rounds(hand: HandHistory) -> list[dict[str, Any]]:
    rounds: list[dict[str, Any]] = [{"id": 0, "street": "Preflop", "actions": []}]
    numbers = itertools.count()

    def act(player: int, kind: str, chips: int = 0, **more: object) -> None:
        action = {"action_number": next(numbers), "player_id": player, "action": kind}
        rounds[-1]["actions"].append(action | ({"amount": _number(hand, chips)} if chips else {}) | more)

    for kind, player, chips in writing.forced_bets(hand):
        act(player, _POST_NAMES[kind], chips)
    for player in range(hand.rules.players):
        hole = hand.known_holes.get(player)
        act(player, "Dealt Cards", 0, **({"cards": list(map(card_text, hole))} if hole else {}))
    if added := writing.payments_of(hand).added:
        act(0, "Added To Pot", added)
    for verb, player, chips, _, before in hand.steps():
        if verb:
            all_in = {"is_allin": True} if chips and chips == before.stacks[player] else {}
            act(player, verb[:-1].title(), chips, **all_in)
            continue
        cards = hand.hand.board[BOARD[before.street] : BOARD[before.street + 1]]
        street = STREETS[before.street + 1].title()
        rounds.append({"id": len(rounds), "street": street, "cards": list(map(card_text, cards)), "actions": []})
    rounds.append({"id": len(rounds), "street": "Showdown", "actions": []})
    for player, shown in hand.shown:
        seen = [card_text(card) for card in shown if card != HIDDEN]
        act(player, "Shows Cards" if seen else "Mucks Cards", 0, **({"cards": seen} if seen else {}))
    return rounds


def _pots(hand: HandHistory, payments: Payments) -> list[dict[str, Any]]:
    """Return the pots with their winners; the fees are those of the first pot."""
    outside = dict(enumerate(payments.outside))
    labels = [*dict.fromkeys(award.pot for award in payments.awards), *[""] * (not payments.awards)]
    pots = []
    for number, label in enumerate(labels):
        rake, jackpot = (payments.rake, payments.jackpot) if number == 0 else (0, 0)
        awards = [award for award in payments.awards if award.pot == label]
        wins = [_win(hand, award, outside.pop(award.player, 0)) for award in awards]
        if number == len(labels) - 1:
            wins += [_win(hand, Award(player, 0), chips) for player, chips in outside.items() if chips]
        total = sum(award.amount for award in awards) + rake + jackpot
        amounts = {"amount": total, "rake": rake, "jackpot": jackpot}
        pots.append(
            {"number": number, **{name: _number(hand, chips) for name, chips in amounts.items()}, "player_wins": wins}
        )
    return pots


def _win(hand: HandHistory, award: Award, outside: int) -> dict[str, Any]:
    cashed = {"cashout_amount": _number(hand, award.amount + outside)} if outside else {}
    return {"player_id": award.player, "win_amount": _number(hand, award.amount), **cashed}
