"""Builder of hand histories: replays a draft by the rules and checks actions, amounts and payments.

Rooms differ in details that files do not state. If a hand contradicts the rules or does not balance, it is read again
with these details: raises as totals, betting that any raise reopens, short blinds that count as they are, late small
blinds that are live.
"""

from __future__ import annotations

from collections.abc import Set
from contextlib import suppress
from decimal import Decimal
from typing import Any, NamedTuple

from tefuda.errors import ParameterError
from tefuda.holdem.hands import hand as tokens
from tefuda.holdem.hands.hand import HIDDEN, Hand
from tefuda.holdem.hands.rules import BOARD, MAX_PLAYERS, NO_PLAYER, TableRules, Wagers
from tefuda.holdem.histories import draft as facts
from tefuda.holdem.histories.draft import Draft, SkipHand
from tefuda.holdem.histories.record import HandHistory, Payments
from tefuda.holdem.histories.settlement import settle

_RETRIED = ("illegal action", "does not balance")


class _Reading(NamedTuple):
    """Details in which rooms differ, as arguments of the builder."""

    totals: bool = False
    reopens: bool = False
    full_blinds: bool = True
    live_blinds: bool = False


_OTHERS = (_Reading(totals=True), _Reading(reopens=True), _Reading(full_blinds=False), _Reading(live_blinds=True))


def build(draft: Draft) -> HandHistory:
    """Return the hand of a draft.

    Raises:
        SkipHand: the hand is impossible by the rules, unfinished, or does not balance.
    """
    try:
        return _Builder(draft, _Reading()).build()
    except SkipHand as problem:
        for reading in _OTHERS if problem.reason in _RETRIED else ():
            with suppress(SkipHand):
                return _Builder(draft, reading).build()
        raise


class _Builder:
    """One reading of a draft."""

    def __init__(self, draft: Draft, reading: _Reading) -> None:
        self.draft, self.reading = draft, reading
        dealt = {name for _, name, _ in draft.posts} | {event[1] for event in draft.events} | draft.dealt
        button, seats = draft.button, draft.seats.values()
        order = sorted(seats, key=lambda seat: (seat.number <= button, seat.number))  # from the left of the button
        self.seats = tuple(seat for seat in order if seat.name in dealt)
        self.absent = tuple(seat for seat in order if seat.name not in dealt)
        self.places = {seat.name: place for place, seat in enumerate(self.seats)}
        if len(self.seats) > MAX_PLAYERS:
            raise SkipHand("players", f"{len(self.seats)} players")
        if len(self.seats) < 2:
            raise SkipHand("cut off", "fewer than two players act")
        self.big = draft.limit[0] if draft.limit else draft.big  # big blind of the table; 0 if unknown
        self.antes, self.dead, self.blinds, self.posts = ([0] * len(self.seats) for _ in range(4))
        self.rules = self._rules()
        self.wagers, self.tokens, self.board = self.rules.root(), list[str](), list[int]()
        self.mucked: set[str] = set()

    # Forced bets.

    def _rules(self) -> TableRules:
        draft, stacks, earlier = self.draft, [seat.stack for seat in self.seats], set[str]()
        for kind, name, amount in draft.posts:
            self._post(kind, self.places[name], amount, earlier)
            earlier.add(kind)
        for seat, *paid in zip(self.seats, self.antes, self.blinds, self.posts, self.dead, strict=True):
            if sum(paid) > seat.stack:
                raise SkipHand("illegal action", f"{seat.name!r} posts more than its stack")
        full = max(self.antes)  # players with less are all-in
        antes = [full if 0 < ante == stack else ante for ante, stack in zip(self.antes, stacks, strict=True)]
        antes = [ante + dead for ante, dead in zip(antes, self.dead, strict=True)]
        is_short = self._raise_short_blind(stacks, antes)
        stacks = [min(stack, draft.cap) for stack in stacks] if draft.cap else stacks
        try:
            return TableRules(
                tuple(stacks), tuple(self.blinds), tuple(antes), draft.limit,
                0 if draft.limit else self.big or max(self.blinds), posts=tuple(self.posts),
                full_blinds=is_short, reopens=self.reading.reopens,
            )  # fmt: skip
        except ParameterError as error:
            raise SkipHand("illegal action", error.message) from None

    def _post(self, kind: str, player: int, amount: int, earlier: Set[str]) -> None:
        """Add a forced bet after those of the kinds `earlier`.

        A small blind is dead if it is not the first, or after the big blind. A big blind out of turn, not by one of the
        two players after the button, is a post, or a straddle if it is larger.
        """
        is_late = kind == facts.SMALL and (kind in earlier or (facts.BIG in earlier and len(self.seats) > 2))
        is_extra = kind == facts.BIG and (kind in earlier or player > 1) and amount <= max(self.big, *self.blinds)
        if kind == facts.ANTE:
            self.antes[player] += amount
        elif kind == facts.DEAD or (is_late and not self.reading.live_blinds):
            self.dead[player] += amount
        elif kind == facts.BOTH:
            live = min(amount, self.big or max(self.blinds))
            self.posts[player] += live
            self.dead[player] += amount - live
        elif kind == facts.EXTRA or is_late or is_extra:
            self.posts[player] += amount
        else:
            self.blinds[player] = amount

    def _raise_short_blind(self, stacks: list[int], antes: list[int]) -> bool:
        """Set the big blind of a player who is all-in for less to that of the table; return True then."""
        player = next((self.places[name] for kind, name, _ in self.draft.posts if kind == facts.BIG), -1)
        is_short = player >= 0 and self.reading.full_blinds and 0 < self.blinds[player] < self.big
        if not is_short or self.blinds[player] + antes[player] < stacks[player]:
            return False
        self.blinds[player] = self.big
        return True

    # Actions.

    def build(self) -> HandHistory:
        """Return the hand, replayed and settled."""
        for verb, name, amount, line in self.draft.events:
            try:
                self._deal(amount) if verb == facts.DEAL else self._act(verb, name, amount)
            except SkipHand as skip:
                skip.line = line
                raise
        self._pass_idle(NO_PLAYER)
        if not self.wagers.is_over:
            raise SkipHand("cut off", "the hand is not over", self.draft.line)
        boards = self._boards()
        self._check_cards(boards)
        holes = [(*self.draft.holes.get(seat.name, ()), HIDDEN, HIDDEN)[:2] for seat in self.seats]
        hand = Hand(tuple(card for hole in holes for card in hole), boards[0], self.wagers, "".join(self.tokens))
        return self._history(hand, boards, settle(self.draft, self.rules, hand, boards, self.places))

    def _act(self, verb: str, name: str, amount: Any) -> None:
        player, rules = self.places[name], self.rules
        if self.wagers.mover != player:
            self._pass_idle(player)
        wagers = self.wagers
        if wagers.mover != player:
            if verb == facts.FOLD and wagers.mover == NO_PLAYER and player in wagers.live:
                self.mucked.add(name)  # some rooms write a fold at the showdown
                return
            raise SkipHand("illegal action", f"{name!r} is not to act")
        if verb == facts.FOLD:
            self._step(tokens.FOLD, rules.fold(wagers))
            return
        choices = rules.choices(wagers)
        if verb == facts.ALL_IN:
            verb = facts.CALL if amount <= choices.call else facts.ADD
        if verb in (facts.CHECK, facts.CALL):
            if choices.call != (amount or 0):
                raise SkipHand("illegal action", f"{name!r} calls {amount or 0}, not {choices.call}")
            self._step(tokens.CALL, rules.call(wagers))
            return
        is_total = verb == facts.TO or (verb == facts.RAISE and self.reading.totals)
        total = amount if is_total else amount + (max(wagers.bets) if verb == facts.BY else wagers.bets[player])
        if not choices.low or not choices.low <= total <= choices.high:
            raise SkipHand("illegal action", f"{name!r} bets {total}, not {choices.low} to {choices.high}")
        self._step(tokens.RAISE if rules.limit else f"{tokens.RAISE}{total}", rules.raise_to(wagers, total))

    def _step(self, token: str, after: Wagers) -> None:
        self.wagers = after
        self.tokens.append(token)

    def _pass_idle(self, until: int) -> None:
        """Check for players who have no decision, as opponents are all-in for less; rooms do not ask them."""
        while self.wagers.mover not in (until, NO_PLAYER):
            choices = self.rules.choices(self.wagers)
            if choices.facing_bet or choices.low:
                return
            self._step(tokens.CALL, self.rules.call(self.wagers))

    def _deal(self, cards: tuple[int, ...]) -> None:
        self._pass_idle(NO_PLAYER)
        if self.wagers.mover != NO_PLAYER or self.wagers.is_over:
            raise SkipHand("illegal action", "the board is dealt before the betting is over")
        street = self.wagers.street + 1
        if len(cards) != BOARD[street] - BOARD[street - 1]:
            raise SkipHand("unreadable line", f"{len(cards)} cards are dealt")
        self.board += cards
        self._step(tokens.NEXT, self.rules.next_street(self.wagers))

    # Cards and payments.

    def _boards(self) -> list[tuple[int, ...]]:
        """Return the boards; the second and third share the cards before the hand was run more than once."""
        others = [(*self.board[: len(self.board) - len(cards)], *cards) for cards in self.draft.runs]
        return [tuple(self.board), *others]

    def _check_cards(self, boards: list[tuple[int, ...]]) -> None:
        dealt = [card for hole in self.draft.holes.values() for card in hole if card != HIDDEN]
        dealt += [*self.board, *(card for cards in self.draft.runs for card in cards)]
        if len({*dealt}) < len(dealt) or any(len(board) != len(self.board) for board in boards):
            raise SkipHand("unreadable line", "a card is dealt twice")

    def _shown(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        shown = {name: cards for name, cards in self.draft.shown.items() if name in self.places}
        shown |= dict.fromkeys(self.mucked, ())
        live, pots = {*self.wagers.live}, [(self.places[name], cards) for name, cards in shown.items()]
        return tuple((player, cards) for player, cards in pots if player in live and (cards or len(live) > 1))

    def _history(self, hand: Hand, boards: list[tuple[int, ...]], payments: Payments) -> HandHistory:
        draft, reading = self.draft, self.reading
        other = {"raises as totals" if reading.totals else "house rule"} if reading in _OTHERS else set()
        return HandHistory(
            self.rules, hand, Decimal(1).scaleb(-draft.digits), self._shown(), seats=self.seats, absent=self.absent,
            room=draft.room, number=draft.number, start=draft.start, table=draft.table, size=draft.size,
            button=draft.button, currency=draft.currency, hero=self.places.get(draft.hero),
            boards=tuple(boards) if len(boards) > 1 else (), dead=tuple(self.dead), payments=payments,
            tournament=draft.tournament, flags=frozenset(draft.flags | other),
        )  # fmt: skip
