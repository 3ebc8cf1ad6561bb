"""One round of Koi-Koi as a game: any deck, hands of any size, any yaku.

    DEAL ─▶ PLAY ─▶ [PICK_HAND] ─▶ DRAW ─▶ [PICK_DRAW] ─▶ [KOI] ─▶ PLAY of the opponent ... ─▶ END

Player 0 is the dealer and plays first. A forced move (the last card, stopping with an empty hand)
is a chance event with one outcome. A state stores sets of cards as masks. Labels are the codes of
cards, ``"stop"`` and ``"koi-koi"``. Actions are also numbers, Discrete(50): 0..47 the cards, 48
stop, 49 koi-koi.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import accumulate, combinations
from math import comb
from typing import Any, NamedTuple

from tefuda.errors import ParameterError, check_range, illegal_label
from tefuda.games.protocol import CHANCE, TERMINAL
from tefuda.koikoi.cards import ALL, DECK, ids_of, mask_of, month_of
from tefuda.koikoi.rules import KoiKoiRules, Score, is_teyaku, must_redeal

DEAL, PLAY, PICK_HAND, DRAW, PICK_DRAW, KOI, END = range(7)
STOP, CALL = "stop", "koi-koi"
#: Labels by number: Discrete(50).
LABELS: tuple[str, ...] = (*(card.code for card in DECK), STOP, CALL)
_MOST_DEALS = 1_000_000  # maximum number of listed deals; in larger games cards are dealt one by one
_part = cache(Fraction)  # a fraction costs as much as drawing a card


class Play(NamedTuple):
    """A card laid from a hand.

    Attributes:
        turn: number of the turn.
        field: mask of the field before it.
        piles: masks of both piles before it.
        calls: numbers of calls before it.
        card: id of the card.
        taken: mask of its capture.
    """

    turn: int
    field: int
    piles: tuple[int, int]
    calls: tuple[int, int]
    card: int
    taken: int


class Round(NamedTuple):
    """A state of a round.

    Attributes:
        phase: DEAL to END.
        turn: number of the turn, from 1.
        hands: masks of both hands.
        field: mask of the field.
        stock: mask of the stock.
        piles: masks of both piles.
        calls: numbers of calls of koi-koi.
        shown: id of the card being settled; -1 if none.
        start: first cards that each player saw, as text.
        events: public events since then, as text.
        called: piles of both players at their last calls.
        points: points to the dealer, at the END.
        plays: plays of both players, in order.
    """

    phase: int
    turn: int
    hands: tuple[int, int]
    field: int
    stock: int
    piles: tuple[int, int] = (0, 0)
    calls: tuple[int, int] = (0, 0)
    shown: int = -1
    start: tuple[str, str] = ("", "")
    events: str = ""
    called: tuple[int, int] = (0, 0)
    points: int = 0
    plays: tuple[Play, ...] = ()

    @property
    def mover(self) -> int:
        """The player to move."""
        return (self.turn - 1) % 2


class View(str):
    """A player's knowledge of a round, as text and as numbers.

    The text equals the same text read from a file.

    Args:
        text: the first cards seen and all events since, ``"1B 3R|2A 9C1| 3R/5A"``.
        known: the round as the player knows it, without the opponent's hand; the stock holds all
            unseen cards.
        player: the player whose view it is.
    """

    __slots__ = ("known", "player")
    known: Round
    player: int

    def __new__(cls, text: str, known: Round, player: int) -> View:
        view = super().__new__(cls, text)
        view.known, view.player = known, player
        return view

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Pickle the text only; trees store a view for every infoset."""
        return str, (str(self),)


@dataclass(frozen=True)
class KoiKoi:
    """One round of Koi-Koi.

    Args:
        rules: the rules.
        deck: mask of all cards.
        hand: number of cards in each hand.
        field: number of cards dealt to the field.
        open_field: mask of cards that always start on the field.
        merged: whether the chaff of a month count as one card, without a choice between them.
        name: name of the game.
        parameters: arguments of `load_game`.

    Raises:
        ParameterError: not enough cards.
    """

    rules: KoiKoiRules = KoiKoiRules()
    deck: int = ALL
    hand: int = 8
    field: int = 8
    open_field: int = 0
    merged: bool = False
    name: str = "koikoi"
    parameters: Any = dataclasses.field(default=None, compare=False)

    players = 2
    constant_sum = 0
    kit = "tefuda.koikoi.playing.kit:KoiKoiKit"

    def __post_init__(self) -> None:
        check_range("hand", self.hand, 1, 24)
        check_range("field", self.field, 0, 24)
        needed = 2 * self.hand + self.field + self.open_field.bit_count()
        if needed > self.deck.bit_count() or self.open_field & ~self.deck:
            raise ParameterError(
                f"hands of {self.hand} and a field of {self.field} need {needed} cards; there are "
                f"{self.deck.bit_count()}. Choose smaller hands, a smaller field, or more cards."
            )

    @property
    def whole(self) -> bool:
        """True for the whole game, False for a reduced game."""
        return (self.deck, self.hand, self.field, self.open_field, self.merged) == (ALL, 8, 8, 0, False)

    @property
    def turns(self) -> int:
        """Number of turns of both players together."""
        return 2 * self.hand

    @cached_property
    def listed(self) -> bool:
        """True if all deals are outcomes of one chance event; False if cards are dealt one by one."""
        free = self.deck.bit_count() - self.open_field.bit_count()
        deals = comb(free, self.hand) * comb(free - self.hand, self.hand)
        return deals * comb(free - 2 * self.hand, self.field) <= _MOST_DEALS

    @cached_property
    def codes(self) -> tuple[str, ...]:
        """The label of each card, by id; merged chaff share one label."""
        return tuple(card.kind_code if self.merged and card.kind == "C" else card.code for card in DECK)

    @cached_property
    def _cards(self) -> dict[str, tuple[int, ...]]:
        """The cards of each label, by id."""
        return {label: tuple(c for c, code in enumerate(self.codes) if code == label) for label in self.codes}

    @cached_property
    def _merged_cards(self) -> int:
        """The mask of the merged cards of the deck."""
        groups = (mask_of(cards) & self.deck for cards in self._cards.values())
        return sum(cards for cards in groups if cards & cards - 1)

    @property
    def action_labels(self) -> tuple[str, ...]:
        """The labels of all actions."""
        return (*dict.fromkeys(self.codes[card] for card in ids_of(self.deck)), STOP, CALL)

    def root(self) -> Round:
        return Round(DEAL, 1, (0, 0), self.open_field, self.deck & ~self.open_field)

    def player(self, state: Round) -> int:
        phase = state.phase
        if phase == END:
            return TERMINAL
        if phase in (DEAL, DRAW) or (phase == KOI and not self.may_call(state)):
            return CHANCE
        forced = phase == PLAY and self._same(state.hands[state.mover])
        return CHANCE if forced else state.mover

    def actions(self, state: Round) -> tuple[str, ...]:
        """Return the actions of the player to move, including forced ones."""
        if state.phase == PLAY:
            return self._labels(state.hands[state.mover])
        if state.phase in (PICK_HAND, PICK_DRAW):
            return self._labels(state.field & month_of(state.shown))
        return (STOP, CALL) if self.may_call(state) else (STOP,)

    def may_call(self, state: Round) -> bool:
        """Return whether the player may call koi-koi: its hand is not empty, and calls are left."""
        most = self.rules.max_koikoi
        return bool(state.hands[state.mover]) and (most is None or sum(state.calls) < most)

    def chances(self, state: Round) -> tuple[tuple[str, Fraction], ...]:
        if state.phase == DEAL:
            return self._deals if self.listed else self._outcomes(state.stock)
        if state.phase == DRAW:
            return self._outcomes(state.stock)
        return ((self.actions(state)[0], Fraction(1)),)

    def draw(self, state: Round, uniform: Callable[[], float]) -> tuple[str, Fraction]:
        """Sample an outcome of chance.

        Forced moves use no random number, so the same luck draws the same cards after them.
        """
        if state.phase == DEAL and self.listed:
            return self._deals[bisect_right(self._deal_ends, uniform(), 0, len(self._deals) - 1)]
        if state.phase not in (DEAL, DRAW):
            return self.chances(state)[0]
        cards = ids_of(state.stock)
        code = self.codes[cards[int(uniform() * len(cards))]]
        count = sum(state.stock >> card & 1 for card in self._cards[code])
        return code, _part(count, len(cards))

    def child(self, state: Round, action: Any) -> Round:
        phase = state.phase
        if phase == PLAY:
            return self._play(state, action)
        if phase == DRAW:
            card = self.find(state.stock, action)
            return self._settle(state, card, PICK_DRAW, state.hands, state.stock & ~(1 << card), action)
        if phase in (PICK_HAND, PICK_DRAW):
            chosen = 1 << self.find(state.field & month_of(state.shown), action)
            return self._take(state, state.shown, chosen, phase, state.hands, state.stock, f"+{action}")
        if phase == KOI:
            return self._decide(state, action)
        return self._deal(state, action)

    def payoffs(self, state: Round) -> tuple[int, int]:
        return state.points, -state.points

    def view(self, state: Round, player: int) -> str:
        text = f"{state.start[player]}|{state.events}"
        if self._merged_cards:  # masks would reveal which of the merged cards is hidden
            return text
        if state.phase == DEAL:
            return View(text, self.root(), player)
        phase, turn, (first, second), field, stock, piles, calls, shown, _, events, called, points, plays = state
        hands, unseen = ((first, 0), stock | second) if player == 0 else ((0, second), stock | first)
        known = Round(phase, turn, hands, field, unseen, piles, calls, shown, ("", ""), events, called, points, plays)
        return View(text, known, player)

    def shown(self, state: Round) -> tuple[bool, bool]:
        """Return False for both players: no player shows the cards left in hand."""
        return False, False

    def _outcomes(self, cards: int) -> tuple[tuple[str, Fraction], ...]:
        """Return the labels of the cards of a mask, with their probabilities."""
        codes, count = self.labels(cards), cards.bit_count()
        if not self.merged:
            return tuple((code, Fraction(1, count)) for code in codes)
        return tuple((code, Fraction(codes.count(code), count)) for code in dict.fromkeys(codes))

    @cached_property
    def _dealt(self) -> dict[str, list[tuple[int, int, int]]]:
        """The hands and fields of all listed deals, by label."""
        deals = dict[str, list[tuple[int, int, int]]]()
        free = ids_of(self.deck & ~self.open_field)
        for first in combinations(free, self.hand):
            remaining = [card for card in free if card not in first]
            for second in combinations(remaining, self.hand):
                for open_cards in combinations([card for card in remaining if card not in second], self.field):
                    masks = mask_of(first), mask_of(second), mask_of(open_cards) | self.open_field
                    if not must_redeal(self.rules, masks[:2], masks[2]):
                        deals.setdefault("|".join(map(self.text, masks)), []).append(masks)
        if not deals:
            reasons = self.rules.dealing.redeal
            raise ParameterError(
                f"every deal of {self.name} would be dealt again; remove a reason from redeal={reasons}."
            )
        return deals

    @cached_property
    def _deals(self) -> tuple[tuple[str, Fraction], ...]:
        count = sum(map(len, self._dealt.values()))
        return tuple((label, Fraction(len(deals), count)) for label, deals in self._dealt.items())

    @cached_property
    def _deal_ends(self) -> list[float]:
        return list(accumulate(float(chance) for _, chance in self._deals))

    def _deal(self, state: Round, action: str) -> Round:
        """Deal all cards, or the next card: to the dealer, to the opponent, to the field."""
        if self.listed:
            if action not in self._dealt:
                raise illegal_label(action, tuple(self._dealt))
            return self._begin(*self._dealt[action][0])
        card = 1 << self.find(state.stock, action)
        first, second = state.hands
        if first.bit_count() < self.hand:
            first |= card
        elif second.bit_count() < self.hand:
            second |= card
        else:
            state = state._replace(field=state.field | card)
        state = state._replace(hands=(first, second), stock=state.stock & ~card)
        open_cards = state.field & ~self.open_field
        if second.bit_count() < self.hand or open_cards.bit_count() < self.field:
            return state
        if must_redeal(self.rules, (first, second), state.field):
            return self.root()
        return self._begin(first, second, state.field)

    def begin(self, first: int, second: int, field: int) -> Round:
        """Return the first turn after a deal given as masks; redeals and teyaku are ignored."""
        start = tuple(f"{self.text(hand)}|{self.text(field)}" for hand in (first, second))
        return Round(PLAY, 1, (first, second), field, self.deck & ~(first | second | field), start=start)  # type: ignore[arg-type]

    def _begin(self, first: int, second: int, field: int) -> Round:
        """Return the first turn after a deal, or the END if a hand is a teyaku."""
        state = self.begin(first, second, field)
        points = self.rules.dealing.teyaku if self.hand == 8 else 0
        if points and (lucky := is_teyaku(first) - is_teyaku(second)):
            return state._replace(phase=END, points=lucky * points, events="teyaku")
        return state

    def _labels(self, cards: int) -> tuple[str, ...]:
        labels = self.labels(cards)
        return tuple(dict.fromkeys(labels)) if self._merged_cards else labels

    def _same(self, cards: int) -> bool:
        """Return whether the cards of a mask have one label."""
        return not cards & cards - 1 or (bool(self._merged_cards) and len(self._labels(cards)) == 1)

    def captures(self, field: int, card: int) -> tuple[int, ...]:
        """Return the masks of which a card captures one; 0 if it stays on the field."""
        mates = field & month_of(card)
        if mates.bit_count() != 2:
            return (mates,)
        lowest = mates & -mates
        return (lowest,) if self._same(mates) else (lowest, mates ^ lowest)

    def labels(self, cards: int) -> tuple[str, ...]:
        """Return the label of each card of a mask."""
        return tuple([self.codes[card] for card in ids_of(cards)])

    def text(self, cards: int) -> str:
        """Return the labels of the cards of a mask, with spaces between them."""
        return " ".join(self.labels(cards))

    def find(self, cards: int, label: str) -> int:
        """Return the first card of a mask with a label.

        Raises:
            ParameterError: no card of the mask has this label.
        """
        for card in self._cards.get(label, ()):
            if cards >> card & 1:
                return card
        raise ParameterError(f"{label!r} is not possible here; possible cards: {self.text(cards) or 'none'}.")

    def _play(self, state: Round, action: str) -> Round:
        first, second = state.hands
        card = self.find(second if state.mover else first, action)
        remaining = ~(1 << card)
        return self._settle(state, card, PICK_HAND, (first & remaining, second & remaining), state.stock, f" {action}")

    def _settle(self, state: Round, card: int, pick: int, hands: tuple[int, int], stock: int, event: str) -> Round:
        """Settle a card: it stays, captures one or three cards, or the player picks one of two."""
        captures = self.captures(state.field, card)
        if len(captures) > 1:
            return state._replace(phase=pick, hands=hands, stock=stock, shown=card, events=state.events + event)
        return self._take(state, card, captures[0], pick, hands, stock, event)

    def _take(
        self, state: Round, card: int, taken: int, pick: int, hands: tuple[int, int], stock: int, event: str
    ) -> Round:
        """Return the state after a card has captured a mask: the draw, or the end of the turn."""
        _, turn, _, field, _, piles, calls, _, start, events, called, points, plays = state
        mover, events = state.mover, events + event
        if pick == PICK_HAND:
            plays = (*plays, Play(turn, field, piles, calls, card, taken))
        if taken:
            first, second = piles
            captured = taken | 1 << card
            field, piles = field & ~taken, (first, second | captured) if mover else (first | captured, second)
        else:
            field |= 1 << card
        if pick == PICK_HAND and stock:
            phase, events = DRAW, f"{events}/"
        else:
            phase, turn = self._after(turn, piles[mover], called[mover], calls[mover])
            points = self.rules.exhausted_points(piles, calls) if phase == END else 0
        return Round(phase, turn, hands, field, stock, piles, calls, -1, start, events, called, points, plays)

    def _after(self, turn: int, pile: int, called: int, calls: int) -> tuple[int, int]:
        """Return phase and turn at the end of a turn.

        The player decides to stop or to call if its points have risen since the last call.
        """
        if pile != called and self.rules.pile_points(pile, calls) > self.rules.pile_points(called, calls):
            return KOI, turn
        return (PLAY, turn + 1) if turn < self.turns else (END, turn)

    def _decide(self, state: Round, action: str) -> Round:
        mover = state.mover
        if action == STOP:
            points = self.score(state, mover).points
            return state._replace(phase=END, points=points if mover == 0 else -points, events=f"{state.events} {STOP}")
        if action != CALL or not self.may_call(state):
            raise ParameterError(
                f"{action!r} is not possible here; possible actions: {', '.join(self.actions(state))}."
            )
        calls = (state.calls[0] + (mover == 0), state.calls[1] + (mover == 1))
        called = (state.piles[0], state.called[1]) if mover == 0 else (state.called[0], state.piles[1])
        events = f"{state.events} {CALL}"  # a caller has cards left, so a turn follows
        return state._replace(phase=PLAY, turn=state.turn + 1, calls=calls, called=called, events=events)

    def score(self, state: Round, player: int) -> Score:
        """Return the points of a player for stopping."""
        return self.rules.score(state.piles[player], state.calls[player], state.calls[1 - player])
