"""Decisions of each player in a hand, counted by one replay of its betting.

A statistic is a number of times that a player could do something, and a number of times that it did. Within a hand
each is 0 or 1, a bit of a number. Blinds, posts and straddles are no raises.
"""

from __future__ import annotations

from typing import Any

from tefuda.holdem.hands.hand import CALL, FOLD, NEXT, RAISE
from tefuda.holdem.hands.rules import TableRules, Wagers

#: Statistics that are counted for each hand, in the order of their bits.
COUNTED = (
    "vpip", "pfr", "rfi", "steal", "limp", "cold_call", "three_bet", "squeeze", "four_bet", "fold_to_three_bet",
    "cbet_flop", "cbet_turn", "fold_to_cbet_flop", "fold_to_cbet_turn", "wtsd", "wtsd_with_run_outs", "wsd", "wwsf",
)  # fmt: skip
BIT = {name: 1 << place for place, name in enumerate(COUNTED)}
_EARLY, _LATE = ("UTG", "UTG+1", "UTG+2", "UTG+3"), ("LJ", "HJ", "CO")
#: Positions in the order of acting before the flop.
POSITIONS = (*_EARLY, *_LATE, "BTN", "SB", "BB")
_STEALING = ("CO", "BTN", "SB")
_CBETS = {1: ("cbet_flop", "fold_to_cbet_flop"), 2: ("cbet_turn", "fold_to_cbet_turn")}


def positions(rules: TableRules) -> list[str]:
    """Return the position of each player; heads-up the small blind is on the button.

    >>> positions(td.holdem.TableRules((100,) * 6, (1, 2, 0, 0, 0, 0)))
    ['SB', 'BB', 'UTG', 'HJ', 'CO', 'BTN']
    """
    players = rules.players
    if players == 2:
        return ["BB", "BTN"]
    blinds = ["BB"] if rules.blinds[0] and not rules.blinds[1] else ["SB", "BB"]  # without a small blind
    others = players - len(blinds) - 1
    late = min(len(_LATE), max(others - 1, min(others, 1)))
    return [*blinds, *_EARLY[: others - late], *_LATE[len(_LATE) - late :], "BTN"]


class HandCounts:
    """Counts of all players in a hand.

    Attributes:
        chances: bits of the statistics that each player could do.
        made: bits of the statistics that each player did.
        positions: position of each player.
        actions: bets and raises, calls, and folds of each player after the flop.
        streets: last street that each player saw, 0 to 3.
        raises: number of raises before the flop.
        on_flop: number of players who saw the flop, or a run-out.
        all_in: betting at the time when no more was possible and cards were to come; None if that did not happen.
    """

    def __init__(self, hand: Any) -> None:
        self.rules: TableRules = hand.rules
        players = self.rules.players
        self.chances, self.made = [0] * players, [0] * players
        self.actions = [[0, 0, 0] for _ in range(players)]
        self.streets = [0] * players
        self.raises, self.on_flop = 0, 0
        self.all_in: Wagers | None = None
        self.positions = positions(self.rules)
        self._raisers, self._acted = list[int](), set[int]()
        self._callers, self._is_entered = 0, False
        self._aggressor, self._continued = -1, -1  # last raiser of the street before; player who made a c-bet
        for before, token in hand.replay():
            if token == NEXT:
                self._open(before)
            else:
                self._act(before, token)
        self._end(hand)

    def _mark(self, player: int, name: str, is_made: bool) -> None:
        self.chances[player] |= BIT[name]
        if is_made:
            self.made[player] |= BIT[name]

    def _act(self, before: Wagers, token: str) -> None:
        player = before.mover
        faces_bet = max(before.bets) > before.bets[player] or (
            self.rules.full_blinds and self.rules.choices(before).facing_bet
        )
        is_call = token == CALL and faces_bet
        if before.street:
            self._after_flop(before, token, is_call)
        else:
            self._before_flop(before, token, faces_bet)
        if token[0] == RAISE:
            self._raisers.append(player)
            self._callers = 0
        self._callers += is_call
        self._is_entered |= token != FOLD
        self._acted.add(player)

    def _can_raise(self, before: Wagers) -> bool:
        return self.rules.choices(before).low > 0

    def _before_flop(self, before: Wagers, token: str, faces_bet: bool) -> None:
        player, raisers = before.mover, self._raisers
        is_raise, is_call = token[0] == RAISE, token == CALL and faces_bet
        if is_raise or is_call:
            self.made[player] |= BIT["vpip"] | (BIT["pfr"] if is_raise else 0)
        if not raisers and faces_bet:
            self._mark(player, "limp", is_call)
            if not self._is_entered:
                self._mark(player, "rfi", is_raise)
                if self.positions[player] in _STEALING:
                    self._mark(player, "steal", is_raise)
        elif len(raisers) == 1 and player not in raisers:
            if self._can_raise(before):
                self._mark(player, "three_bet", is_raise)
                if self._callers:
                    self._mark(player, "squeeze", is_raise)
            if player not in self._acted and not (self.rules.blinds[player] or self.rules.posts[player]):
                self._mark(player, "cold_call", is_call)
        elif len(raisers) == 2 and player != raisers[1] and self._can_raise(before):
            self._mark(player, "four_bet", is_raise)
        is_answer = len(raisers) > 1 and player == raisers[0] and player not in raisers[1:]
        if is_answer and not self.chances[player] & BIT["fold_to_three_bet"]:
            self._mark(player, "fold_to_three_bet", token == FOLD)

    def _after_flop(self, before: Wagers, token: str, is_call: bool) -> None:
        player, raisers, is_raise = before.mover, self._raisers, token[0] == RAISE
        for kind, is_done in enumerate((is_raise, is_call, token == FOLD)):
            self.actions[player][kind] += is_done
        if before.street not in _CBETS:
            return
        bet, fold = _CBETS[before.street]
        if not raisers and player == self._aggressor and player not in self._acted and self._can_raise(before):
            self._mark(player, bet, is_raise)
            self._continued = player if is_raise else -1
        elif raisers and raisers == [self._continued]:
            self._mark(player, fold, token == FOLD)

    def _open(self, before: Wagers) -> None:
        """Count the players of the next street."""
        live, street = before.live, before.street + 1
        rich = [player for player in live if before.stacks[player]]
        for player in live:
            self.streets[player] = street
        if street == 1:
            self.raises, self.on_flop = len(self._raisers), len(live)
            for player in live:
                self.chances[player] |= BIT["wtsd_with_run_outs"]
                if player in rich and len(rich) > 1:
                    self.chances[player] |= BIT["wtsd"] | BIT["wwsf"]
        if self.all_in is None and len(rich) < 2:
            self.all_in = before
        self._aggressor = self._raisers[-1] if self._raisers else -1
        self._raisers, self._acted, self._callers, self._continued = [], set(), 0, -1

    def _end(self, hand: Any) -> None:
        wagers: Wagers = hand.hand.wagers
        if wagers.street == 0:
            self.raises = len(self._raisers)
        live = wagers.live
        is_walk = len(live) == 1 and not self._is_entered
        for player in range(self.rules.players):
            if not (is_walk and player in live):
                self.chances[player] |= BIT["vpip"] | BIT["pfr"]
            if player in live and len(live) > 1 and wagers.is_over:
                self.chances[player] |= BIT["wsd"]
                self.made[player] |= self.chances[player] & (BIT["wtsd"] | BIT["wtsd_with_run_outs"])

    def collect(self, player: int, is_winner: bool | None) -> None:
        """Count whether a player collected chips; None if that is unknown."""
        results = BIT["wsd"] | BIT["wwsf"]
        if is_winner is None:
            self.chances[player] &= ~results
        elif is_winner:
            self.made[player] |= self.chances[player] & results
