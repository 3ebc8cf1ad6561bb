"""AIVAT of hold'em matches (burch2018): winnings without much of the luck, by own values.

The agent plays a known strategy in buckets; nothing is known about the opponent. Positions are valued by the mean
payoffs of the strategy against itself. Any values leave the mean as it is (`kernels.aivat`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tefuda.errors import ParameterError, check_range, check_seed, shortened
from tefuda.holdem.buckets.local import TREE, make_response, read_menus
from tefuda.holdem.buckets.sampler import BucketPolicy, Deal, make_scratch
from tefuda.holdem.cards import read_cards
from tefuda.holdem.kernels import aivat as kernels
from tefuda.playing.deals import Hand
from tefuda.playing.match import Match
from tefuda.workers import ProgressFunction, pieces

_HANDS = 2_000_000  # some 10 seconds
_PIECE = 50_000  # hands between reports of progress
_PRIOR = 30  # payoffs of 0 that are added to those of each position, against noise; 0 to 3,000 save less


@dataclass(frozen=True, eq=False)
class PositionValues:
    """Mean payoffs of a strategy against itself, by player, node and bucket.

    Attributes:
        policy: the strategy of both seats.
        table: the means, as kernels read them.
        deal: deck and known board.
    """

    policy: BucketPolicy
    table: kernels.ValueTable = field(repr=False)
    deal: Deal = Deal()  # noqa: RUF009 (frozen)

    def estimates(self, decks: np.ndarray, lines: np.ndarray, seat: int, seed: int = 0) -> np.ndarray:
        """Return `[K]` AIVAT estimates of an agent's payoffs in chips; nan for actions of probability 0.

        Args:
            decks: `[K, C]` cards of both seats, the board and the rest of the deck in any order.
            lines: `[K, L]` int64 actions of the graph's nodes, -1 after the last.
            seat: the agent's seat; it plays `policy`.
            seed: random seed of boards after an all-in before the flop.
        """
        game, estimates = make_response(self.policy, read_menus([TREE]), 0, self.deal, False), np.zeros(len(decks))
        key = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
        kernels.estimate_hands(game, self.table, decks, lines, seat, key, estimates)
        return estimates


def position_values(
    policy: BucketPolicy,
    hands: int = _HANDS,
    seed: int = 0,
    *,
    deal: Deal = Deal(),  # noqa: B008 (frozen)
    progress: ProgressFunction = lambda done, of: None,
) -> PositionValues:
    """Return the mean payoffs of a heads-up strategy in hands against itself.

    Args:
        policy: strategy of both seats.
        hands: number of hands; 0: all values are 0.
        seed: random seed.
        deal: deck and known board.
        progress: callback for the hands done and their total.

    Raises:
        ParameterError: the game has not two players, or a number is out of range.
    """
    check_range("hands", hands, 0, 10**10)
    check_seed(seed)
    game, arrays = make_response(policy, read_menus([TREE]), 0, deal, False), policy.game.arrays
    table = _empty_table(policy)
    key, room = np.random.SeedSequence([seed, 2]).generate_state(1, np.uint64)[0], make_scratch(policy.game.graph)
    for piece in pieces(hands, _PIECE, progress):
        game.cards.deck.sort()
        kernels.fill_values(
            arrays, policy.sigma, game.cards, game.tables, room, key, piece.start, piece.stop - piece.start, table
        )
    table.value[:] *= table.payoffs / (table.payoffs + np.float32(_PRIOR))
    return PositionValues(policy, table, deal)


def _empty_table(policy: BucketPolicy) -> kernels.ValueTable:
    arrays, counts = policy.game.arrays, np.array(policy.game.counts)
    before = np.full(len(arrays.street), arrays.street[0])  # street of the decision before each node
    for children in arrays.child.T:
        parents = np.flatnonzero(children >= 0)
        before[children[parents]] = arrays.street[parents]
    sizes = np.concatenate([counts[arrays.street], np.where(before < arrays.street, counts[before], 0)])
    first = np.cumsum(sizes) - sizes
    rows, early = first[: len(before)], np.where(before < arrays.street, first[len(before) :], -1)
    shape = 2, int(sizes.sum())
    return kernels.ValueTable(rows, early, np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.int32))


def match_aivat(match: Match, agent: int, values: PositionValues) -> tuple[float, float]:
    """Return an agent's mean winnings per hand in a match by AIVAT, and their standard error, in chips.

    Args:
        match: match of whole hands with ``record=True``.
        agent: index of the agent in the match; it plays the strategy of the values in all seats.
        values: values of the agent's strategy.

    Raises:
        ParameterError: the match has no recorded hands or no such agent, or a line is not one of the strategy.
    """
    check_range("agent", agent, 0, len(match.agents) - 1)
    if len(match.hands) != match.payoffs[..., 0].size or not match.hands:
        raise ParameterError("AIVAT needs all hands of the match; play it with play=True and record=True.")
    found = np.zeros(len(match.hands))
    for seat in (0, 1):
        chosen = [number for number, hand in enumerate(match.hands) if hand.seating[seat] == agent]
        decks, lines = _replayed([match.hands[number] for number in chosen], values.policy)
        found[chosen] = values.estimates(decks, lines, seat)
    if np.isnan(found).any():
        raise ParameterError(f"{match.agents[agent]} took actions that the strategy never takes; give its own values.")
    by_deal = {hand.deal: np.zeros(2) for hand in match.hands}
    for hand, value in zip(match.hands, found, strict=True):
        by_deal[hand.deal] += value, 1
    units = match.independent(np.array([total / number for total, number in by_deal.values()]))
    return float(units.mean()), float(units.std(ddof=1) / np.sqrt(len(units))) if len(units) > 1 else np.nan


def _replayed(hands: Sequence[Hand], policy: BucketPolicy) -> tuple[np.ndarray, np.ndarray]:
    """Return the decks and actions of recorded hands, see `PositionValues.estimates`."""
    graph = policy.game.graph
    decks = np.zeros((len(hands), len(Deal().deck)), dtype=np.uint8)
    lines = np.full((len(hands), graph.longest), -1, dtype=np.int64)
    for number, hand in enumerate(hands):
        cards, node, length = list[int](), 0, 0
        for label in map(str, hand.labels):
            labels = (graph.sizes[node], graph.labels[node]) if node >= 0 else ()
            known = next((names.index(label) for names in labels if label in names), -1)
            if known < 0:
                cards += _card(label)
                continue
            lines[number, length] = action = int(graph.arrays.low[node]) + known
            node, length = int(graph.arrays.child[node, action]), length + 1
        decks[number] = [*cards, *(card for card in Deal().deck if card not in cards)]
    return decks, lines


def _card(label: str) -> tuple[int, ...]:
    try:
        return read_cards(label)
    except ValueError:
        raise ParameterError(f"{shortened(label)} is no action of the strategy there; AIVAT needs its sizes.") from None
