"""Local best response at heads-up limit hold'em (lisy2017): a lower bound of a best response's value.

The responder knows the opponent's strategy and tracks the opponent's range. It takes the best of fold,
call and raise, assuming that both players only check and call afterwards.
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
from tefuda.holdem.limit.sampler import Abstraction, BucketPolicy, Deal
from tefuda.holdem.rank import SETS
from tefuda.views import short_repr
from tefuda.workers import pieces

# Every hand takes about a millisecond; an exact best response would take thousands of processor hours.
_HELD = 4  # hole cards at the front of the deck, before the board
_PIECE = 100  # hands between reports of progress, about a third of a second in both seats
#: Function of a betting line, the board and a node: `[1326, A]` action probabilities of each hand.
HandProbabilities = Callable[[str, tuple[int, ...], int], np.ndarray]


@dataclass(frozen=True, eq=False, repr=False)
class LocalResponse:
    """Result of a local best response.

    Attributes:
        big_blind: big blind in chips.
        winnings: `[2, K]` chips that the responder wins in K hands of each seat; both seats get the same cards.
    """

    big_blind: int
    winnings: np.ndarray = field(repr=False)  # [2, K]

    __repr__ = short_repr

    @property
    def value(self) -> float:
        """Mean winnings over both seats, in chips a hand."""
        return float(self.winnings.mean())

    @property
    def by_seat(self) -> tuple[float, float]:
        """Mean winnings in each seat, in chips a hand."""
        first, second = self.winnings.mean(axis=1)
        return float(first), float(second)

    @property
    def half_width(self) -> float:
        """Half-width of the 95 % confidence interval of `value`, over deals."""
        deals = self.winnings.mean(axis=0)
        return 1.96 * float(deals.std(ddof=1)) / len(deals) ** 0.5

    @property
    def milliblinds(self) -> tuple[float, float]:
        """`value` and `half_width` in thousandths of a big blind a hand."""
        return 1000 * self.value / self.big_blind, 1000 * self.half_width / self.big_blind


def local_response(
    policy: BucketPolicy,
    hands: int = 10_000,
    seed: int = 0,
    *,
    boards: int = 150,
    deal: Deal = Deal(),  # noqa: B008 (frozen)
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> LocalResponse:
    """Play a local best response against a strategy.

    Args:
        policy: heads-up strategy of both seats.
        hands: number of hands in each seat.
        seed: random seed of cards and actions; use one seed for all strategies that you compare.
        boards: number of random boards for comparing hands on the flop.
        deal: deck and known board.
        progress: callback for the hands done and their total.

    Raises:
        ParameterError: the game has not two players, or a number is out of range.
    """
    require_two(policy)
    check_range("hands", hands, 2, 10**8)
    check_range("boards", boards, 1, 10**5)
    check_seed(seed)
    cards, other, key, winnings = deal.cards(players=2), _other(deal), _key(seed), np.zeros((2, hands))
    for piece in pieces(hands, _PIECE, progress):
        for seat in (0, 1):
            cards.deck.sort()
            local.play_hands(
                policy.game.arrays, policy.sigma, cards, policy.game.sorted, other, class_win_rates(), boards, key,
                piece.start, seat, winnings[seat, piece],
            )  # fmt: skip
    return LocalResponse(max(policy.game.graph.rules.blinds), winnings)


def require_two(policy: BucketPolicy) -> None:
    """Raise ParameterError unless a strategy is of limit with two players."""
    rules = policy.game.graph.rules
    if rules.players != 2 or not rules.limit:
        kind = "limit" if rules.limit else "no-limit"
        raise ParameterError(f"a local best response needs two players in limit; got {rules.players} in {kind}.")


def _key(seed: int) -> np.uint64:
    return np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]


def local_response_to(
    chances: HandProbabilities,
    graph: BettingGraph,
    game: Abstraction,
    hands: int = 1000,
    seed: int = 0,
    *,
    boards: int = 150,
) -> LocalResponse:
    """Play a local best response against any strategy, such as networks; slower than `local_response`.

    Args:
        chances: function of a betting line, the board and a node of `graph`; it returns `[1326, A]` action
            probabilities of all hands. Rows of impossible hands are ignored.
        graph: all betting sequences of the table.
        game: abstraction of the table; its river strengths compare hands on the flop.
        hands: number of hands in each seat.
        seed: random seed of cards and actions.
        boards: number of random boards for comparing hands on the flop.
    """
    response = _QueriedResponse(chances, graph, game, Deal().cards(players=2), _other(Deal()), boards)
    winnings = [[response.hand(_key(seed), number, seat) for number in range(hands)] for seat in (0, 1)]
    return LocalResponse(max(graph.rules.blinds), np.array(winnings))


@dataclass(frozen=True)
class _QueriedResponse:
    """Local best response to a strategy that is queried at every node."""

    chances: HandProbabilities
    graph: BettingGraph
    game: Abstraction
    cards: limit.Cards
    other: local.OpponentHands
    boards: int

    def hand(self, key: np.uint64, number: int, seat: int) -> float:
        """Return the responder's winnings in a hand, by the rules of `holdem.kernels.local.respond`."""
        cards, other, arrays = self.cards, self.other, self._arrays
        cards.deck.sort()
        state = limit.shuffle(cards.deck, 9, np.uint64(stream(key, number, 0, 0)))
        hands = [int(hand_number(*cards.deck[2 * seat_ : 2 * seat_ + 2])) for seat_ in (0, 1)]
        own = local.ResponderHand(hands[seat], other.sets[hands[seat]], class_win_rates(), self.boards)
        other.range[:] = (other.sets & own.cards) == 0
        node, street, estimated, line = 0, -1, False, ""
        paid, level = arrays.paid.copy(), float(arrays.paid.max())
        while node >= 0:
            if arrays.street[node] != street:
                line += "/" * (street >= 0)
                street, estimated = int(arrays.street[node]), False
                board = np.uint64(limit.board_at(cards, street, _HELD))
                other.range[(other.sets & board) != 0] = 0.0
            player = int(arrays.player[node])
            if player == seat:
                if not estimated:
                    state = local.compare_hands(
                        other, cards, self.game.sorted, street, np.uint64(board), own, np.uint64(state)
                    )
                estimated = True
                raised_node = int(arrays.child[node, 2])
                sigma = self._query(line + "r", street, raised_node) if raised_node >= 0 else np.zeros(1)
                action = local.choose_action(arrays, sigma, other, node, paid.sum(), level - paid[seat])
            else:
                sigma = self._query(line, street, node)
                action, state = local.act_for_opponent(arrays, sigma, other, node, hands[1 - seat], np.uint64(state))
            if action == 0:
                return float(-paid[seat] if player == seat else paid[1 - seat])
            level += float(arrays.rise[node, action])
            paid[player] = level
            node, line = int(arrays.child[node, action]), line + LETTERS[action]
        return float(
            local.showdown_value(other, own, np.uint64(limit.board_at(cards, 3, _HELD)), paid[seat], paid[1 - seat])
        )

    @cached_property
    def _arrays(self) -> limit.Graph:
        """Betting with hands as buckets, for strategies given node by node."""
        self.other.buckets[:] = np.arange(len(HANDS))
        return self.graph.arrays._replace(base=np.zeros_like(self.graph.arrays.base))

    def _query(self, line: str, street: int, node: int) -> np.ndarray:
        board = tuple(int(card) for card in self.cards.deck[_HELD : _HELD + BOARD[street]])
        return np.ascontiguousarray(self.chances(line, board, node), dtype=np.float32).ravel()


def _other(deal: Deal) -> local.OpponentHands:
    start = np.asarray(np.isin(HANDS, deal.deck).all(axis=1))
    held, wins, met = np.zeros((3, len(HANDS)))
    return local.OpponentHands(SETS, start, held, wins, met, np.zeros(len(HANDS), dtype=np.int64))


@cache
def class_win_rates() -> np.ndarray:
    """Return `[169, 169]` win rates of the row's class against the column's, preflop; ties count half."""
    wins, ties, totals = class_equities()
    return (wins + ties / 2) / totals
