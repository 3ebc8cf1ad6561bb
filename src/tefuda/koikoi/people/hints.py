"""Hints at Koi-Koi: the points that the shipped network expects from each candidate of a decision.

This is `koikoi/kernels/network.py` in NumPy: slower, but nothing is compiled, so the first hint is
immediate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tefuda.koikoi.cards import ANIMAL, CHAFF, RIBBON, ids_of, mask_of, month_of, of_kind
from tefuda.koikoi.game import CALL, KOI, LABELS, PICK_DRAW, PLAY, STOP, KoiKoi, Round
from tefuda.koikoi.kernels.belief import PAST_CARD, PAST_FIELD, PAST_TAKEN
from tefuda.koikoi.kernels.network import POINTS_PER_OUTPUT, Net
from tefuda.koikoi.kernels.tables import AFTER_TURN, BEFORE_DRAW, PHASES
from tefuda.koikoi.players.advice import read_knowledge
from tefuda.koikoi.players.network import shipped_network, trained_for
from tefuda.koikoi.rules import KoiKoiRules
from tefuda.playing.agents import Decision
from tefuda.playing.coach import Advice

_DRY, _RAIN = mask_of((0, 8, 28, 44)), mask_of((40,))
#: Sets of cards and their maximum counts: boar-deer-butterfly, poems, blue ribbons; animals, ribbons, chaff.
_SETS = tuple((mask_of(cards), 3) for cards in ((20, 24, 36), (1, 5, 9), (21, 33, 37)))
_KINDS = ((of_kind(ANIMAL), 9), (of_kind(RIBBON), 10), (of_kind(CHAFF) | mask_of((32,)), 14))
_HELD = 15  # maximum points of a pile
_TRIPLES = [(h, f, t) for h in range(5) for f in range(5 - h) for t in range(5 - h - f)]


@dataclass(frozen=True)
class NetworkPosition:
    """A position from one player's view, as the network reads it.

    Attributes:
        kind: BEFORE_DRAW or AFTER_TURN.
        hand: mask of the hand.
        field: mask of the field.
        own: mask of the player's pile.
        other: mask of the opponent's pile.
        calls: numbers of calls of the player and the opponent.
        levels: points of both at their last calls.
    """

    kind: int
    hand: int
    field: int
    own_pile: int
    opponent_pile: int
    calls: tuple[int, int]
    levels: tuple[int, int]


def hints(game: KoiKoi, view: str, seat: int) -> list[tuple[str, float]]:
    """Return the candidates of a decision in the whole game with their expected points, the best first.

    Args:
        game: the whole game.
        view: the view of the player to move.
        seat: the player whose view it is.

    Raises:
        ParameterError: the player is not to move.
    """
    knowledge = read_knowledge(game, view, seat)
    passed, best = _passed(knowledge.past_plays), dict[str, float]()
    for label, points, position in _candidates(game, knowledge.state, seat):
        value = points
        if position is not None:
            value = max(points, expected(shipped_network(), game.rules, position, passed))
        best[label] = max(value, best.get(label, -np.inf))
    return sorted(best.items(), key=lambda pair: -pair[1])


@dataclass(frozen=True)
class NetworkCoach:
    """Coach with the expected points of `hints`; it recommends the best candidate.

    Args:
        game: the whole game.
    """

    game: KoiKoi
    precision: ClassVar[float] = 0.1  # points; the network distinguishes no smaller differences

    @property
    def name(self) -> str:
        """Its name, which says whether the network was trained with these rules."""
        return "neural" if trained_for(self.game.rules) else "neural, trained with the preset standard"

    def advise(self, decision: Decision) -> Advice:
        """See `Coach`."""
        best = hints(self.game, str(decision.view), decision.seat)
        values, actions = dict(best), tuple(map(str, decision.actions))
        shares = tuple(float(label == best[0][0]) for label in actions)
        return Advice(shares, tuple(float(values[label]) for label in actions))


def expected(net: Net, rules: KoiKoiRules, position: NetworkPosition, passed: list[tuple[int, int]]) -> float:
    """Return a network's value of a position in points; passed: see `_passed`."""
    first = np.maximum(net.b1 + net.rows[list(rows_of(rules, position, passed))].sum(axis=0), 0)
    second = np.maximum(net.b2 + net.w2 @ first, 0)
    third = np.maximum(net.b3 + second @ net.w3, 0)
    return POINTS_PER_OUTPUT * float(net.b4[0] + net.w4 @ third)


def rows_of(rules: KoiKoiRules, position: NetworkPosition, passed: list[tuple[int, int]]) -> Iterator[int]:
    """Yield the active rows of the network's first layer."""
    for card in range(48):
        yield 7 * card + _place(position, 1 << card)
    start = 7 * 48
    for first in range(0, 48, 4):
        counts = (
            (cards >> first & 0xF).bit_count()
            for cards in (position.hand, position.field, position.own_pile | position.opponent_pile)
        )
        yield start + _TRIPLES.index(tuple(counts))  # type: ignore[arg-type]
        start += len(_TRIPLES)
    for taking, nothing in passed:
        yield start + 3 * min(taking, 3) + min(nothing, 2)
        start += 12
    for pile in (position.own_pile, position.opponent_pile):
        for number, size in _pile(pile):
            yield start + number
            start += size
    base = sum(points for _, points in rules.scored_yaku(position.own_pile, position.calls[0]))
    for points in (base, *position.levels):
        yield start + min(points, _HELD)
        start += _HELD + 1
    called = 2 if position.calls[1] else 1 if position.calls[0] else 0
    yield start + PHASES * position.kind + 3 * position.hand.bit_count() + called


def _place(position: NetworkPosition, card: int) -> int:
    """Return a card's location: unseen, own pile, opponent's pile, hand or field (with or without a mate)."""
    mates = month_of(card.bit_length() - 1)
    if card & position.hand:
        return 3 if position.field & mates else 4
    if card & position.field:
        return 5 if position.hand & mates else 6
    return 1 if card & position.own_pile else 2 if card & position.opponent_pile else 0


def _pile(pile: int) -> Iterator[tuple[int, int]]:
    """Yield the distance of a pile to each yaku, and the number of possible distances."""
    yield 2 * (pile & _DRY).bit_count() + bool(pile & _RAIN), 10
    for cards, most in _SETS:
        yield (pile & cards).bit_count(), most + 1
    cup, curtain, moon = (pile >> card & 1 for card in (32, 8, 28))
    yield 4 * cup + 2 * curtain + moon, 8
    for cards, most in _KINDS:
        yield min((pile & cards).bit_count(), most), most + 1


def _passed(past: np.ndarray) -> list[tuple[int, int]]:
    """Return the opponent's skips of each month, capturing and not, from plays `[n, 6]`."""
    counts = [[0, 0] for _ in range(12)]
    for play in past.tolist():
        laid = play[PAST_CARD].bit_length() - 1
        for month in {card // 4 for card in ids_of(play[PAST_FIELD])} - {laid // 4}:
            counts[month][play[PAST_TAKEN] == 0] += 1
    return [(taking, nothing) for taking, nothing in counts]


def _candidates(game: KoiKoi, state: Round, seat: int) -> Iterator[tuple[str, float, NetworkPosition | None]]:
    """Yield candidates: label, the points if the round ends, and the position if it continues.

    The points are -inf if the round cannot end.
    """
    hand, field, own = state.hands[seat], state.field, state.piles[seat]
    if state.phase == KOI:
        points, after = _after(game, state, seat, hand, field, own)
        yield STOP, points, None
        if after is not None:
            yield CALL, -np.inf, after
        return
    for card in ids_of(hand) if state.phase == PLAY else (state.shown,):
        mates = field & month_of(card)
        takes = [1 << mate for mate in ids_of(mates)] if mates.bit_count() == 2 else [mates]
        for take in takes:
            label = LABELS[card] if state.phase == PLAY else LABELS[take.bit_length() - 1]
            pile, lying = (own | take | 1 << card, field & ~take) if take else (own, field | 1 << card)
            left = hand & ~(1 << card)
            if state.phase == PICK_DRAW:
                yield label, *_after(game, state, seat, left, lying, pile)
            else:
                yield label, -np.inf, _position(game, state, seat, BEFORE_DRAW, left, lying, pile)


def _after(
    game: KoiKoi, state: Round, seat: int, hand: int, field: int, own: int
) -> tuple[float, NetworkPosition | None]:
    """Return the points of stopping after a turn, and the position if the round continues.

    The points are -inf without a new yaku.
    """
    after = _position(game, state, seat, AFTER_TURN, hand, field, own)
    rules, (calls, theirs) = game.rules, after.calls
    if rules.pile_points(own, calls) <= after.levels[0]:
        return -np.inf, after
    points = float(rules.score(own, calls, theirs).points)
    if not hand or (rules.max_koikoi is not None and calls + theirs >= rules.max_koikoi):
        return points, None
    called = rules.pile_points(own, calls + 1)
    return points, NetworkPosition(
        AFTER_TURN, hand, field, own, after.opponent_pile, (calls + 1, theirs), (called, after.levels[1])
    )


def _position(game: KoiKoi, state: Round, seat: int, kind: int, hand: int, field: int, own: int) -> NetworkPosition:
    """Return the position of a player with these cards and the rest of a state."""
    order = (seat, 1 - seat)
    calls = (state.calls[seat], state.calls[1 - seat])
    mine, theirs = (game.rules.pile_points(state.called[player], state.calls[player]) for player in order)
    return NetworkPosition(kind, hand, field, own, state.piles[1 - seat], calls, (mine, theirs))
