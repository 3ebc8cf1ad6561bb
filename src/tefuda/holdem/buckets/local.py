"""Local best response at heads-up hold'em (lisy2017): a lower bound of a best response's value.

The responder knows the opponent's strategy and tracks the opponent's range. It takes the best action of
a menu, assuming that both players only check and call afterwards. The bound of each menu is valid, so
the largest one counts.

A menu has the responder's actions on each street, such as ``"c/c/fcpa/fcpa"``:

- ``f`` fold, ``c`` check or call, ``p`` a bet of the pot, ``a`` all-in;
- ``t`` the sizes of the strategy's tree, ``m`` 20 sizes from 0.25 to 4 pots.

The strategy answers a size outside its tree like the size with the larger probability in the
pseudo-harmonic mapping (`games.translation`). Drawn answers would be hidden from the responder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from tefuda._kernels.draw import stream
from tefuda.errors import ParameterError, check_range, check_seed
from tefuda.holdem.buckets.graph import BettingGraph
from tefuda.holdem.buckets.sampler import Abstraction, BucketPolicy, Deal
from tefuda.holdem.cards import HANDS, hand_number
from tefuda.holdem.equities import class_equities
from tefuda.holdem.hands.rules import BOARD
from tefuda.holdem.kernels import local, sampler
from tefuda.holdem.rank import SETS
from tefuda.views import short_repr
from tefuda.workers import pieces

_HELD = 4  # hole cards at the front of the deck, before the board
_PIECE = 100  # deals between reports of progress
_FLOP_BOARDS = 150  # random boards for comparing hands on the flop in limit, where no all-in is paid by them
_MANY = np.linspace(0.25, 4, 20)  # parts of the pot
_ALL_IN = 1e12  # parts of the pot, more than any stack
TREE = "fct/fct/fct/fct"
#: Menus with the sizes of the strategy's tree.
TREE_MENUS = ("fc/fc/fc/fc", "c/c/fct/fct", "fc/fc/fct/fct", TREE)
#: All menus: those of the source, also with folds before the turn, and those of the tree.
MENUS = (
    *TREE_MENUS, "c/c/fcpa/fcpa", "c/c/fcma/fcma", "c/fcma/fc/fc", "fc/fc/fcpa/fcpa", "fc/fc/fcma/fcma",
    "fcma/fcma/fcma/fcma",
)  # fmt: skip
_STREET = re.compile(r"f?ct?(m|p)?a?")
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

    def difference(self, other: LocalResponse) -> tuple[float, float]:
        """Return the winnings beyond those of another response to the same deals, and the half-width.

        In thousandths of a big blind a hand.

        Raises:
            ParameterError: the responses have different numbers of hands.
        """
        if self.winnings.shape != other.winnings.shape:
            numbers = f"{self.winnings.shape[1]:,} and {other.winnings.shape[1]:,}"
            raise ParameterError(f"a paired difference needs the same deals; got {numbers} hands.")
        return LocalResponse(self.big_blind, self.winnings - other.winnings).milliblinds


def largest(responses: Mapping[str, LocalResponse]) -> str:
    """Return the menu with the largest value."""
    return max(responses, key=lambda menu: responses[menu].value)


def local_response(
    policy: BucketPolicy,
    hands: int = 10_000,
    seed: int = 0,
    *,
    menu: str = TREE,
    boards: int | None = None,
    draws: bool | None = None,
    deal: Deal = Deal(),  # noqa: B008 (frozen)
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> LocalResponse:
    """Play a local best response against a strategy, with one menu; see `local_responses`."""
    options: dict[str, Any] = {"boards": boards, "draws": draws, "deal": deal, "progress": progress}
    return local_responses(policy, (menu,), hands, seed, **options)[menu]


def local_responses(
    policy: BucketPolicy,
    menus: Sequence[str] = MENUS,
    hands: int = 10_000,
    seed: int = 0,
    *,
    boards: int | None = None,
    draws: bool | None = None,
    deal: Deal = Deal(),  # noqa: B008 (frozen)
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> dict[str, LocalResponse]:
    """Play local best responses against a strategy, on the same deals with all menus.

    The payoff is the mean over the opponent's range, and at an all-in over all remaining boards; before the flop by
    hand class.

    Args:
        policy: heads-up strategy of both seats.
        menus: menus as the module describes.
        hands: number of hands in each seat.
        seed: random seed of cards and actions; use one seed for all strategies that you compare.
        boards: number of random boards for comparing hands on the flop; 0: all. Default: 150 in limit, all in no-limit.
        draws: whether the opponent's actions are drawn, instead of followed with their probabilities. Default: drawn in
            limit, where lines are long and a drawn one takes a quarter of the time.
        deal: deck and known board.
        progress: callback for the hands done and their total.

    Raises:
        ParameterError: the game has not two players, an unknown menu, or a number is out of range.
    """
    check_range("hands", hands, 2, 10**8)
    check_seed(seed)
    game, key = make_response(policy, read_menus(menus), boards, deal, draws), _key(seed)
    winnings = np.zeros((len(menus), 2, hands))
    for piece in pieces(hands, _PIECE, progress):
        decks = np.zeros((piece.stop - piece.start, len(deal.deck)), dtype=np.uint8)
        game.cards.deck.sort()
        local.deal_hands(game.cards, key, piece.start, decks)
        for seat in (0, 1):
            winnings[:, seat, piece] = _play(game, decks, seat, key, piece.start)
    big_blind = max(policy.game.graph.rules.blinds)
    return {menu: LocalResponse(big_blind, won) for menu, won in zip(menus, winnings, strict=True)}


def _play(game: local.Response, decks: np.ndarray, seat: int, key: np.uint64, first: int) -> np.ndarray:
    """Return `[M, K]` winnings of each menu in a seat."""
    won = np.zeros((len(decks), len(game.menus.folds)))
    local.play_hands(game, decks, key, first, seat, won)
    return won.T


def make_response(
    policy: BucketPolicy, menus: Sequence[tuple[str, ...]], boards: int | None, deal: Deal, draws: bool | None
) -> local.Response:
    """Return local best responses as kernels read them."""
    require_two(policy)
    rules, arrays = policy.game.graph.rules, policy.game.arrays
    number = boards if boards is not None else _FLOP_BOARDS if rules.limit else 0
    check_range("boards", number, 0, 10**5)
    sizes = [[street_sizes(actions) for actions in menu] for menu in menus]
    table = local.Menus(
        np.array([["f" in actions for actions in menu] for menu in menus]),
        np.array([["t" in actions for actions in menu] for menu in menus]),
        np.array([[list(more) + [0.0] * (len(_MANY) + 1 - len(more)) for more in menu] for menu in sizes]),
        np.inf if rules.limit else float(min(rules.stacks)),
        0.0 if rules.limit else float(rules.min_bet),
    )
    lines, actions = policy.game.graph.longest + 2, arrays.child.shape[1]
    node, at, drawn = np.zeros((3, lines), dtype=np.int64)
    scratch = local.Lines(node, at, drawn, np.zeros((lines, 5)), *np.zeros((2, actions)))
    return local.Response(
        arrays, policy.sigma, deal.cards(players=2), policy.game.sorted, _opponent(deal, lines), table, scratch,
        class_win_rates(), number, bool(rules.limit) if draws is None else draws,
    )  # fmt: skip


def read_menus(menus: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the actions of each menu by street.

    Raises:
        ParameterError: a text is no menu.
    """
    streets = [tuple(menu.split("/")) for menu in menus]
    for menu, parts in zip(menus, streets, strict=True):
        if len(parts) != len(BOARD) or not all(_STREET.fullmatch(part) for part in parts):
            known = "f, c, t (sizes of the tree), m (many sizes), p (the pot), a (all-in)"
            raise ParameterError(f"a menu has actions for four streets, as c/c/fcpa/fcpa, of {known}; got {menu!r}.")
    return streets


def street_sizes(actions: str) -> list[float]:
    """Return the parts of the pot that a street's actions list beside the tree's sizes, in rising order."""
    sizes = [*_MANY] if "m" in actions else [1.0] if "p" in actions else []
    return [float(size) for size in sizes] + [_ALL_IN] * ("a" in actions)


def require_two(policy: BucketPolicy) -> None:
    """Raise ParameterError unless a strategy has two players."""
    if (players := policy.game.graph.rules.players) != 2:
        raise ParameterError(f"a local best response needs two players; this table has {players}.")


def _key(seed: int) -> np.uint64:
    return np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]


def local_response_to(
    chances: HandProbabilities,
    graph: BettingGraph,
    game: Abstraction,
    hands: int = 1000,
    seed: int = 0,
    *,
    boards: int = _FLOP_BOARDS,
) -> LocalResponse:
    """Play a local best response against any strategy, such as networks; slower than `local_response`.

    The opponent's actions are drawn, so that few nodes are queried.

    Args:
        chances: function of a betting line, the board and a node of `graph`; it returns `[1326, A]` action
            probabilities of all hands. Rows of impossible hands are ignored.
        graph: all betting sequences of the table.
        game: abstraction of the table; its river strengths compare hands on the flop.
        hands: number of hands in each seat.
        seed: random seed of cards and actions.
        boards: number of random boards for comparing hands on the flop.
    """
    nothing = BucketPolicy(game, np.zeros(0, dtype=np.float32))
    response = make_response(nothing, read_menus([TREE]), boards, Deal(), True)
    arrays = response.graph._replace(base=np.zeros_like(response.graph.base))  # rows of the nodes that are queried
    queried = _QueriedResponse(chances, graph, response._replace(graph=arrays))
    winnings = [[queried.hand(_key(seed), number, seat) for number in range(hands)] for seat in (0, 1)]
    return LocalResponse(max(graph.rules.blinds), np.array(winnings))


@dataclass(frozen=True)
class _QueriedResponse:
    """Local best response to a strategy that is queried at every node."""

    chances: HandProbabilities
    graph: BettingGraph
    game: local.Response

    def hand(self, key: np.uint64, number: int, seat: int) -> float:
        """Return the responder's winnings in a hand, by the rules of `holdem.kernels.local.respond`."""
        game, cards, decks = self.game, self.game.cards, np.zeros((1, len(self.game.cards.deck)), dtype=np.uint8)
        cards.deck.sort()
        local.deal_hands(cards, key, number, decks)
        cards.deck[:] = decks[0]
        hands = [int(hand_number(*cards.deck[2 * player : 2 * player + 2])) for player in (0, 1)]
        state = np.uint64(stream(key, number, 1, seat))
        responder = local.ResponderHand(seat, hands[seat], SETS[hands[seat]], state)
        local.open_streets(game, responder)
        game.opponent.buckets[:] = np.where(game.opponent.buckets < 0, -1, np.arange(len(HANDS)))
        local.open_line(game, responder)
        node, street, line, value, state = 0, -1, "", 0.0, np.uint64(stream(key, number, 2, seat))
        while node >= 0:
            line += "/" if 0 <= street < self.graph.arrays.street[node] else ""
            street, labels = int(local.open_node(game, 0, node, street)), self.graph.labels[node]
            low, acts = int(self.graph.arrays.low[node]), int(self.graph.arrays.player[node]) == seat
            children = self.graph.arrays.child[node]
            if acts:
                bets = {children[low + index]: line + labels[index] for index in range(2 - low, len(labels))}
                after, value = local.act(self._queried(bets), responder, 0, 0, node)
            else:
                game = self._queried({node: line})
                state = np.uint64(local.open_decision(game, hands[1 - seat], 0, node, state))
                after, value = local.follow_opponent(game, 0, node, game.lines.drawn[0])
                for rows in (game.opponent.range, game.lines.chips):
                    rows[0] = rows[1]
            line += labels[int(np.flatnonzero(children == after)[0]) - low] if after >= 0 else ""
            node = int(after)
        return float(value if node == sampler.WON else local.show_hands(game, responder, 0, street))

    def _queried(self, lines: Mapping[int, str]) -> local.Response:
        """Return the game with the strategy at some nodes, by line, and hands as buckets."""
        cards, parts, base = self.game.cards.deck, [np.zeros(0, dtype=np.float32)], self.game.graph.base
        for node, line in lines.items():
            board = tuple(int(card) for card in cards[_HELD : _HELD + BOARD[self.graph.arrays.street[node]]])
            base[node] = sum(map(len, parts))
            parts.append(np.asarray(self.chances(line, board, node), dtype=np.float32).ravel())
        return self.game._replace(sigma=np.concatenate(parts))


def _opponent(deal: Deal, lines: int) -> local.OpponentHands:
    start, hands = np.asarray(np.isin(HANDS, deal.deck).all(axis=1)), len(HANDS)
    buckets, compared = np.full((4, hands), -1, dtype=np.int64), np.zeros(4, dtype=np.bool_)
    return local.OpponentHands(
        SETS, start, np.zeros((lines, hands)), buckets, np.zeros(4), np.zeros((4, hands)), np.zeros(hands), compared
    )


@cache
def class_win_rates() -> np.ndarray:
    """Return `[169, 169]` win rates of the row's class against the column's, preflop; ties count half."""
    wins, ties, totals = class_equities()
    return (wins + ties / 2) / totals
