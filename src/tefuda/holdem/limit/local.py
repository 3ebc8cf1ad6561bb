"""Local best response at heads-up limit hold'em (lisy2017): a lower bound of what a best response wins.

The responder knows the opponent's strategy and tracks its range; it takes the best of fold, call and raise if both
players only check and call from then on. It takes a millisecond a hand, a best response thousands of processor hours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np

from tefuda._kernels.draw import stream
from tefuda.errors import ParameterError, check_range, check_seed
from tefuda.holdem.cards import HANDS, hand_number
from tefuda.holdem.equities import class_equities
from tefuda.holdem.hands.rules import BOARD
from tefuda.holdem.kernels import limit, local
from tefuda.holdem.limit.graph import LETTERS, BettingGraph
from tefuda.holdem.limit.sampler import Abstraction, Dealt, LimitPolicy
from tefuda.holdem.rank import SETS
from tefuda.views import short_repr
from tefuda.workers import pieces

_HELD = 4  # cards of both hands, before the board's
_PIECE = 100  # hands between reports of progress: both seats of them take a third of a second
#: A line of actions, open cards and a node give `[1326, A]` the probabilities of its actions with each hand.
Chances = Callable[[str, tuple[int, ...], int], np.ndarray]


@dataclass(frozen=True, eq=False, repr=False)
class LocalResponse:
    """The result of a local best response.

    big_blind: in chips. won: `[2, K]` chips of K hands in each seat; the K-th hands have the same cards.
    """

    big_blind: int
    won: np.ndarray = field(repr=False)  # [2, K]

    __repr__ = short_repr

    @property
    def value(self) -> float:
        """Chips a hand, mean over both seats."""
        return float(self.won.mean())

    @property
    def by_seat(self) -> tuple[float, float]:
        """Chips a hand in each seat."""
        first, second = self.won.mean(axis=1)
        return float(first), float(second)

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval of `value`, by deals."""
        deals = self.won.mean(axis=0)
        return 1.96 * float(deals.std(ddof=1)) / len(deals) ** 0.5

    @property
    def millis(self) -> tuple[float, float]:
        """`value` and `half_width` in thousandths of a big blind a hand, as the field counts."""
        return 1000 * self.value / self.big_blind, 1000 * self.half_width / self.big_blind


def local_response(
    policy: LimitPolicy,
    hands: int = 10_000,
    seed: int = 0,
    *,
    boards: int = 150,
    dealt: Dealt = Dealt(),  # noqa: B008 (frozen)
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> LocalResponse:
    """Play a local best response against a strategy.

    Args:
        policy: the strategy of both seats, heads-up.
        hands: number of hands in each seat.
        seed: random seed of cards and actions: the same for all strategies to compare.
        boards: number of random boards by which hands are compared on the flop.
        dealt: the cards.
        progress: callback for hands done and in all.

    Raises:
        ParameterError: not two players, or a number out of range.
    """
    require_two(policy)
    check_range("hands", hands, 2, 10**8)
    check_range("boards", boards, 1, 10**5)
    check_seed(seed)
    cards, other, key, won = dealt.cards(players=2), _other(dealt), _key(seed), np.zeros((2, hands))
    for piece in pieces(hands, _PIECE, progress):
        for seat in (0, 1):
            cards.deck.sort()
            local.play_hands(
                policy.game.arrays, policy.sigma, cards, policy.game.sorted, other, class_chances(), boards, key,
                piece.start, seat, won[seat, piece],
            )  # fmt: skip
    return LocalResponse(max(policy.game.graph.rules.blinds), won)


def require_two(policy: LimitPolicy) -> None:
    """Raise ParameterError unless a strategy is of two players."""
    if (players := policy.game.graph.rules.players) != 2:
        raise ParameterError(f"a local best response is for two players; this table has {players}.")


def _key(seed: int) -> np.uint64:
    return np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]


def local_response_to(
    chances: Chances, graph: BettingGraph, game: Abstraction, hands: int = 1000, seed: int = 0, *, boards: int = 150
) -> LocalResponse:
    """Play a local best response against a strategy given for all hands at once, such as networks; slower.

    Args:
        chances: the strategy: a line of actions, open cards, and the node of `graph` give `[1326, A]` probabilities of
            the node's actions, anything for impossible hands.
        graph: all sequences of betting of the table.
        game: an abstraction of the table, whose strengths on rivers compare hands on the flop.
        hands: number of hands in each seat.
        seed: random seed of cards and actions.
        boards: number of random boards by which hands are compared on the flop.
    """
    scene = _Scene(chances, graph, game, Dealt().cards(players=2), _other(Dealt()), boards)
    won = [[scene.hand(_key(seed), number, seat) for number in range(hands)] for seat in (0, 1)]
    return LocalResponse(max(graph.rules.blinds), np.array(won))


@dataclass(frozen=True)
class _Scene:
    """A local best response to a strategy that is asked at every node."""

    chances: Chances
    graph: BettingGraph
    game: Abstraction
    cards: limit.Cards
    other: local.OpponentHands
    boards: int

    def hand(self, key: np.uint64, number: int, seat: int) -> float:
        """Return what the responder wins in a hand, by the rules of `holdem.kernels.local.respond`."""
        cards, other, arrays = self.cards, self.other, self._arrays
        cards.deck.sort()
        state = limit.shuffle(cards.deck, 9, np.uint64(stream(key, number, 0, 0)))
        held = [int(hand_number(*cards.deck[2 * place : 2 * place + 2])) for place in (0, 1)]
        own = local.ResponderHand(held[seat], other.sets[held[seat]], class_chances(), self.boards)
        other.range[:] = (other.sets & own.cards) == 0
        node, street, looked, done = 0, -1, False, ""
        paid, level = arrays.paid.copy(), float(arrays.paid.max())
        while node >= 0:
            if arrays.street[node] != street:
                done += "/" * (street >= 0)
                street, looked = int(arrays.street[node]), False
                board = np.uint64(limit.board_at(cards, street, _HELD))
                other.range[(other.sets & board) != 0] = 0.0
            player = int(arrays.player[node])
            if player == seat:
                if not looked:
                    state = local.compare_hands(
                        other, cards, self.game.sorted, street, np.uint64(board), own, np.uint64(state)
                    )
                looked = True
                after = int(arrays.child[node, 2])
                sigma = self._asked(done + "r", street, after) if after >= 0 else np.zeros(1)
                action = local.choose_action(arrays, sigma, other, node, paid.sum(), level - paid[seat])
            else:
                sigma = self._asked(done, street, node)
                action, state = local.act_for_opponent(arrays, sigma, other, node, held[1 - seat], np.uint64(state))
            if action == 0:
                return float(-paid[seat] if player == seat else paid[1 - seat])
            level += float(arrays.bets[street]) if action == 2 else 0.0
            paid[player] = level
            node, done = int(arrays.child[node, action]), done + LETTERS[action]
        return float(
            local.showdown_value(other, own, np.uint64(limit.board_at(cards, 3, _HELD)), paid[seat], paid[1 - seat])
        )

    @cached_property
    def _arrays(self) -> limit.Graph:
        """Betting with hands as buckets: strategies are given node by node."""
        self.other.buckets[:] = np.arange(len(HANDS))
        return self.graph.arrays._replace(base=np.zeros_like(self.graph.arrays.base))

    def _asked(self, done: str, street: int, node: int) -> np.ndarray:
        board = tuple(int(card) for card in self.cards.deck[_HELD : _HELD + BOARD[street]])
        return np.ascontiguousarray(self.chances(done, board, node), dtype=np.float32).ravel()


def _other(dealt: Dealt) -> local.OpponentHands:
    start = np.asarray(np.isin(HANDS, dealt.deck).all(axis=1))
    held, wins, met = np.zeros((3, len(HANDS)))
    return local.OpponentHands(SETS, start, held, wins, met, np.zeros(len(HANDS), dtype=np.int64))


@cache
def class_chances() -> np.ndarray:
    """Return `[169, 169]` how often each class beats each other before the flop, ties counting half."""
    wins, ties, totals = class_equities()
    return (wins + ties / 2) / totals
