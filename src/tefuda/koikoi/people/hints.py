"""Hints at Koi-Koi: the points that the shipped network expects from each candidate of a decision.

This is `koikoi/kernels/network.py` in NumPy: slower, but nothing is compiled, so the first hint is
immediate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tefuda.koikoi.cards import ANIMAL, CHAFF, RIBBON, ids_of, mask_of, month_counts, month_of, of_kind
from tefuda.koikoi.game import DRAW, KOI, PICK_HAND, STOP, KoiKoi, Round
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
    state, skipped = knowledge.state, _skipped(knowledge.past_plays)
    values = {label: _value(game, game.child(state, label), seat, skipped) for label in game.actions(state)}
    return sorted(values.items(), key=lambda pair: -pair[1])


def _value(game: KoiKoi, state: Round, seat: int, skipped: list[tuple[int, int]]) -> float:
    """Return a player's points for stopping, or the network's value; of further choices, that of the best."""
    if state.phase in (PICK_HAND, KOI):
        return max(_value(game, game.child(state, label), seat, skipped) for label in game.actions(state))
    if state.events.endswith(STOP):
        return float(game.score(state, seat).points)
    return expected(shipped_network(), game.rules, state, seat, skipped)


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
        best = hints(self.game, str(decision.view), decision.seat)
        values, actions = dict(best), tuple(map(str, decision.actions))
        shares = tuple(float(label == best[0][0]) for label in actions)
        return Advice(shares, tuple(float(values[label]) for label in actions))


def expected(net: Net, rules: KoiKoiRules, state: Round, seat: int, skipped: list[tuple[int, int]]) -> float:
    """Return the value in points of a state before a draw or after a turn; skipped: see `_skipped`."""
    first = np.maximum(net.b1 + net.rows[list(rows_of(rules, state, seat, skipped))].sum(axis=0), 0)
    second = np.maximum(net.b2 + net.w2 @ first, 0)
    third = np.maximum(net.b3 + second @ net.w3, 0)
    return POINTS_PER_OUTPUT * float(net.b4[0] + net.w4 @ third)


def rows_of(rules: KoiKoiRules, state: Round, seat: int, skipped: list[tuple[int, int]]) -> Iterator[int]:
    """Yield the active rows of the network's first layer."""
    order = (seat, 1 - seat)
    hand, piles, calls = state.hands[seat], [state.piles[player] for player in order], state.calls
    for card in range(48):
        yield 7 * card + _place(hand, state.field, piles, card)
    start = 7 * 48
    for counts in zip(*map(month_counts, (hand, state.field, piles[0] | piles[1])), strict=True):
        yield start + _TRIPLES.index(counts)
        start += len(_TRIPLES)
    for taking, nothing in skipped:
        yield start + 3 * min(taking, 3) + min(nothing, 2)
        start += 12
    for pile in piles:
        for number, size in _pile(pile):
            yield start + number
            start += size
    base = sum(points for _, points in rules.scored_yaku(piles[0], calls[seat]))
    for points in (base, *(rules.pile_points(state.called[player], calls[player]) for player in order)):
        yield start + min(points, _HELD)
        start += _HELD + 1
    called = 2 if calls[1 - seat] else 1 if calls[seat] else 0
    kind = BEFORE_DRAW if state.phase == DRAW else AFTER_TURN
    yield start + PHASES * kind + 3 * hand.bit_count() + called


def _place(hand: int, field: int, piles: list[int], card: int) -> int:
    """Return a card's location: unseen, own pile, opponent's pile, hand or field (with or without a mate)."""
    mates = month_of(card)
    if hand >> card & 1:
        return 3 if field & mates else 4
    if field >> card & 1:
        return 5 if hand & mates else 6
    return 1 if piles[0] >> card & 1 else 2 if piles[1] >> card & 1 else 0


def _pile(pile: int) -> Iterator[tuple[int, int]]:
    """Yield the distance of a pile to each yaku, and the number of possible distances."""
    yield 2 * (pile & _DRY).bit_count() + bool(pile & _RAIN), 10
    for cards, most in _SETS:
        yield (pile & cards).bit_count(), most + 1
    cup, curtain, moon = (pile >> card & 1 for card in (32, 8, 28))
    yield 4 * cup + 2 * curtain + moon, 8
    for cards, most in _KINDS:
        yield min((pile & cards).bit_count(), most), most + 1


def _skipped(past: np.ndarray) -> list[tuple[int, int]]:
    """Return the opponent's skips of each month, capturing and not, from plays `[n, 6]`."""
    counts = [[0, 0] for _ in range(12)]
    for play in past.tolist():
        laid = play[PAST_CARD].bit_length() - 1
        for month in {card // 4 for card in ids_of(play[PAST_FIELD])} - {laid // 4}:
            counts[month][play[PAST_TAKEN] == 0] += 1
    return [(taking, nothing) for taking, nothing in counts]
