"""Reader of Open Hand History: JSON objects with the key ``ohh``, one after another.

Source: specification 1.4.7 (hh-specs.handhistory.org).
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

from tefuda.holdem.histories.draft import (
    ADD,
    ANTE,
    BIG,
    CALL,
    CHECK,
    DEAD,
    EXTRA,
    FOLD,
    RAISE,
    SMALL,
    STRADDLE,
    Draft,
    SkipHand,
)  # fmt: skip
from tefuda.holdem.histories.money import exact_units
from tefuda.holdem.histories.record import Seat, Tournament

#: Start of a hand.
GAME = re.compile(r'\{\s*"ohh"\s*:')
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
_POSTS = {
    "Post SB": SMALL, "Post BB": BIG, "Post Ante": ANTE, "Post Dead": DEAD, "Post Extra Blind": EXTRA,
    "Straddle": STRADDLE,
}  # fmt: skip
_ACTIONS = {"Fold": FOLD, "Check": CHECK, "Bet": ADD, "Call": CALL, "Raise": RAISE}
_FLAGS = {"Fast": "fast", "Anonymous": "anonymous"}


def read(text: str, digits: int = 2) -> Draft:
    """Return the draft of a hand.

    Raises:
        SkipHand: the hand is of another game, unfinished, or unreadable.
        FinerAmountError: an amount has more decimals.
    """
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
        self.digits = digits - 2 * is_tournament
        self.draft = Draft(str(hand["site_name"]), str(hand["game_number"]), self.digits)
        self._read_game(hand)
        if is_tournament:
            self.draft.tournament, self.draft.currency = _tournament(hand.get("tournament_info") or {}), "chips"
        self.names = {player["id"]: str(player["name"]) for player in hand["players"]}
        if len({*self.names.values()}) < len(hand["players"]):
            raise SkipHand("unreadable line", "two players have the same name or number")
        for player in hand["players"]:
            self._read_seat(player)
        self.draft.hero = self.names.get(hand.get("hero_player_id"), "")
        for round_ in hand["rounds"]:
            self._read_round(round_)
        self._read_pots(hand["pots"])

    def chips(self, number: Any) -> int:
        """Return an amount in units; 0 if it is missing."""
        try:
            return exact_units(str(number or 0), self.digits)
        except ArithmeticError:
            raise SkipHand("unreadable line", f"{number} is no amount") from None

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
            draft.limit, draft.big = (draft.big, 2 * draft.big), 0
        start = datetime.fromisoformat(str(hand["start_date_utc"]).replace("Z", "+00:00"))
        draft.start = start.replace(tzinfo=start.tzinfo or UTC).astimezone(UTC)

    def _read_seat(self, player: dict[str, Any]) -> None:
        name, number = str(player["name"]), int(player["seat"])
        if any(seat.number == number for seat in self.draft.seats.values()):
            raise SkipHand("unreadable line", f"seat {number} is named twice")
        is_out, bounty = player.get("is_sitting_out") is True, exact_units(str(player.get("player_bounty") or 0), 2)
        if player.get("starting_stack") is None:
            raise SkipHand("hidden stacks", name)
        self.draft.seats[name] = Seat(name, number, self.chips(player["starting_stack"]), bounty, is_out)

    def _read_round(self, round_: dict[str, Any]) -> None:
        if cards := round_.get("cards"):
            self.draft.board(" ".join(cards))
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
            draft.show(name, cards if kind == "Shows Cards" else "")
            if cards:
                draft.learn(name, cards)
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
                    draft.cash_out(name, cashed - chips)


def _tournament(info: dict[str, Any]) -> Tournament:
    amounts = [info.get(name) for name in ("buyin_amount", "bounty_fee_amount", "fee_amount")]
    parts = tuple(exact_units(str(amount), 2) for amount in amounts if amount is not None)
    return Tournament(str(info.get("tournament_number", "")), parts, str(info.get("currency", "")))
