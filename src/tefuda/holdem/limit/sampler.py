"""Monte Carlo CFR on limit hold'em with hands in buckets, compiled: external sampling for players of any number.

Regrets and averages of late iterations count more (linear weights, in blocks), however
iterations are split: `limit_solver` keeps what was learned and goes on with it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tefuda.errors import ParameterError, check_range, check_seed
from tefuda.holdem.cards import CARDS, cards_text, hand_number, mask_of, read_cards
from tefuda.holdem.hands.rules import BOARD
from tefuda.holdem.kernels import limit as kernels
from tefuda.holdem.kernels.buckets import Sorted, bucket_of_one
from tefuda.holdem.limit.buckets import Buckets, cells
from tefuda.holdem.limit.graph import BettingGraph
from tefuda.holdem.rank import MASKS

Counts = tuple[int, int, int, int]


@dataclass(frozen=True, eq=False)
class Abstraction:
    """Limit hold'em as players see it who tell hands apart by buckets: nodes of the betting times buckets.

    graph: of the betting. counts: buckets on each street. sorted: where every hand is.
    """

    graph: BettingGraph
    counts: Counts
    sorted: Sorted = field(repr=False)

    @cached_property
    def arrays(self) -> kernels.Graph:
        """The graph with rows for these buckets."""
        return self.graph.with_buckets(self.counts)

    @property
    def rows(self) -> int:
        """Nodes times buckets times actions."""
        return self.graph.rows(self.counts)

    def rows_of(self, node: int, board: Sequence[int], hand: int) -> slice:
        """The rows of the actions of a node for a hand on a board of as many cards as are open."""
        street = int(self.arrays.street[node])
        before = np.uint64(mask_of(board[: BOARD[max(street - 1, 0)]]))
        bucket = bucket_of_one(self.sorted, street, before, np.uint64(mask_of(board)), hand)
        first = int(self.arrays.base[node] + bucket * self.arrays.size[node])
        return slice(first, first + int(self.arrays.size[node]))

    def normalised(self, weights: np.ndarray) -> np.ndarray:
        """`[R]` float32 strategies from weights `[R]`; uniform where there are none."""
        found = np.zeros(self.rows, dtype=np.float32)
        kernels.normalise(self.arrays, np.array(self.counts), weights, found)
        return found


def abstraction(graph: BettingGraph, buckets: Buckets) -> Abstraction:
    """A game in buckets, whose cells come from the cache or are worked out first."""
    return Abstraction(graph, buckets.counts, buckets.of(cells(buckets.seed)))


@dataclass(frozen=True, eq=False)
class LimitPolicy:
    """What is played at limit hold'em, by node and bucket; a `Policy` over `tefuda.holdem.hands.whole`.

    game: whose rows they are. sigma: `[R]` float32 probabilities of all players.
    """

    game: Abstraction
    sigma: np.ndarray  # [R] float32

    def strategy(self, player: int, key: Hashable, actions: Sequence[Hashable]) -> list[float]:
        """See `solvers.protocol.Policy`; keys are views such as ``"AhKd|9d7d5h|rc/c"``.

        Raises:
            ParameterError: a key of another game.
        """
        cards, board, done = str(key).split("|")
        node, hand = self.game.graph.node(done), read_cards(cards)
        if node < 0 or len(hand) != 2:
            raise ParameterError(f"nobody decides at {key!r}.")
        open_ = read_cards(board)[: BOARD[int(self.game.arrays.street[node])]]
        found = self.sigma[self.game.rows_of(node, open_, hand_number(*hand))].astype(float)
        return list(found / found.sum())


@dataclass(frozen=True)
class Dealt:
    """The cards of a deal.

    Args:
        deck: the cards there are; those of the board are not dealt again.
        board: cards known before the deal, in the order in which they come: none, or the flop, then turn and river.

    Raises:
        ParameterError: a board of another size, or with a card twice.
    """

    deck: tuple[int, ...] = tuple(range(CARDS))
    board: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len(self.board) not in BOARD or len({*self.board}) < len(self.board):
            raise ParameterError(
                f"board is {cards_text(self.board)!r}, {len(self.board)} cards; give 0, 3, 4 or 5 different ones.",
                key="board",
                value=self.board,
            )
        object.__setattr__(self, "deck", tuple(card for card in self.deck if card not in self.board))

    def cards(self, players: int) -> kernels.Cards:
        """Return the cards as kernels deal them.

        Args:
            players: number of hands.

        Raises:
            ParameterError: too few cards for the hands and the rest of the board.
        """
        wanted = 2 * players + BOARD[3] - len(self.board)
        if len(self.deck) < wanted:
            raise ParameterError(f"{wanted} cards are dealt; the deck has {len(self.deck)} beside the board.")
        given = np.array([mask_of(self.board[:number]) for number in BOARD], dtype=np.uint64)
        return kernels.Cards(np.array(self.deck, dtype=np.uint8), MASKS, given, len(self.board))


class LimitSampler:
    """Samples hands of limit hold'em.

    iterations: run so far; each deals once and walks for every player who learns.

    Args:
        game: in buckets.
        seed: the same seed gives the same bits, however `advance` is split.
        every: after so many iterations, n times, what was learned is multiplied by n / (n + 1). 0: never.
        fixed: `[R]` strategies of players that do not learn, or not always.
        trust: with which probability of a hand each player plays `fixed`; who always does learns nothing.
        tremble: with which probability who learns does anything instead, fold, call or raise, while another walks: so
            all learn what to do against play that is not that of the game in buckets.
        dealt: the cards.

    Raises:
        ParameterError: a value out of range.
    """

    def __init__(
        self,
        game: Abstraction,
        seed: int = 0,
        *,
        every: int = 10_000,
        fixed: np.ndarray | None = None,
        trust: Sequence[float] = (),
        tremble: float = 0.0,
        dealt: Dealt = Dealt(),
    ) -> None:
        check_seed(seed)
        check_range("every", every, 0)
        players = game.graph.rules.players
        self.game, self.every, self.iterations = game, every, 0
        shares = np.array(trust or (0.0,) * players, dtype=np.float64)
        for share in shares:
            check_range("trust", float(share), 0, 1, whole=False)
        check_range("tremble", float(tremble), 0, 1, whole=False)
        if fixed is None and shares.any():
            raise ParameterError("somebody is trusted to play fixed strategies, and none are given.")
        regret, total = (np.zeros(game.rows, dtype=np.float32) for _ in range(2))
        self.table = kernels.Table(
            regret, total, np.zeros(1, dtype=np.float32) if fixed is None else fixed, shares, float(tremble)
        )
        self._cards = dealt.cards(players)
        self._room = room_for(players)
        self._key = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
        self.sums = np.zeros(players)

    def advance(self, iterations: int) -> None:
        """Run so many iterations."""
        goal = self.iterations + iterations
        while self.iterations < goal:
            blocks = self.iterations // self.every if self.every else 0
            stop = min(goal, (blocks + 1) * self.every) if self.every else goal
            self._cards.deck.sort()
            kernels.iterate(
                self.game.arrays, self.table, self._cards, self.game.sorted, self._room, self._key, self.iterations,
                stop - self.iterations, self.sums,
            )  # fmt: skip
            self.iterations = stop
            if self.every and stop == (blocks + 1) * self.every:
                self._discount((blocks + 1) / (blocks + 2))

    def _discount(self, part: float) -> None:
        for weights in (self.table.regret, self.table.total):
            weights *= np.float32(part)

    def average(self) -> LimitPolicy:
        """The average strategies; uniform where no walk came."""
        return LimitPolicy(self.game, self.game.normalised(self.table.total))

    def current(self) -> LimitPolicy:
        """The strategies in force, by regret matching: what answers players who are always fixed."""
        return LimitPolicy(self.game, self.game.normalised(self.table.regret))


def room_for(players: int) -> kernels.Room:
    """What walks need."""
    deep, wide = kernels.DEEPEST, kernels.ACTIONS
    return kernels.Room(
        hands=np.zeros(players, dtype=np.int64),
        buckets=np.zeros((players, 4), dtype=np.int64),
        strengths=np.zeros(players, dtype=np.int32),
        is_fixed=np.zeros(players, dtype=np.bool_),
        sigma=np.zeros(wide),
        paid=np.zeros(players),
        node=np.zeros(deep, dtype=np.int64),
        at=np.zeros(deep, dtype=np.int64),
        level=np.zeros(deep),
        live=np.zeros(deep, dtype=np.int64),
        paids=np.zeros((deep, players)),
        chances=np.zeros((deep, wide)),
        values=np.zeros((deep, wide)),
    )
