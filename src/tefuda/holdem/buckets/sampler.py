"""Compiled external-sampling MCCFR on hold'em with hands in buckets, for any number of players.

Regrets and average strategies have linear weights, applied in blocks of iterations.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, check_range, check_seed, shortened
from tefuda.holdem.buckets.clusters import Buckets, cells
from tefuda.holdem.buckets.graph import BettingDecision, BettingGraph
from tefuda.holdem.cards import CARDS, HANDS, check_board, hand_number, mask_of, read_cards
from tefuda.holdem.hands.rules import BOARD
from tefuda.holdem.kernels import sampler as kernels
from tefuda.holdem.kernels.buckets import BucketTables, bucket_of_one, fill_buckets
from tefuda.holdem.rank import MASKS, SETS

Counts = tuple[int, int, int, int]


@dataclass(frozen=True, eq=False)
class Abstraction:
    """Hold'em in buckets: betting nodes times buckets.

    Attributes:
        graph: graph of the betting.
        counts: number of buckets on each street.
        sorted: bucket of every hand on every board.
    """

    graph: BettingGraph
    counts: Counts
    sorted: BucketTables = field(repr=False)

    @cached_property
    def arrays(self) -> kernels.Graph:
        """Graph with infoset-action pairs (rows) for these buckets."""
        return self.graph.with_buckets(self.counts)

    @property
    def rows(self) -> int:
        """Number of infoset-action pairs (rows): nodes times buckets times actions."""
        return self.graph.rows(self.counts)

    def rows_of(self, node: int, board: Sequence[int], hand: int) -> slice:
        """Return the rows of a node's actions for a hand; the board may have cards of later streets."""
        street, size = int(self.arrays.street[node]), int(self.arrays.size[node])
        first = int(
            self.arrays.base[node] + bucket_of_one(self.sorted, street, *_open_cards(board, street), hand) * size
        )
        return slice(first, first + size)

    def row(self, decision: BettingDecision, bucket: Any) -> Any:
        """Return the row of a decision with a bucket, or an array of rows for an array of buckets."""
        arrays, node = self.arrays, decision.node
        return arrays.base[node] + bucket * arrays.size[node] + decision.action - arrays.low[node]

    def buckets_on(self, board: Sequence[int]) -> np.ndarray:
        """Return `[4, 1326]` int64 bucket of each hand on each street of a board.

        It is -1 for hands that the board blocks, and on streets that the board does not reach.
        """
        buckets = np.full((4, len(HANDS)), -1, dtype=np.int64)
        for street in range(int(self.arrays.street[0]), 4):
            if BOARD[street] <= len(board):
                fill_buckets(self.sorted, street, *_open_cards(board, street), SETS, buckets[street])
        return buckets

    def normalised(self, weights: np.ndarray, below: float = 0.0) -> np.ndarray:
        """Return `[R]` float32 strategies in proportion to weights `[R]`; uniform where all are zero.

        Args:
            weights: `[R]` float32 weights.
            below: probability below which actions are dropped, see `BucketPolicy.purified`.
        """
        strategies = np.zeros(self.rows, dtype=np.float32)
        kernels.normalise(self.arrays, np.array(self.counts), weights, below, strategies)
        return strategies


def _open_cards(board: Sequence[int], street: int) -> tuple[np.uint64, np.uint64]:
    """Return the sets of open cards on the previous street and on a street."""
    before, open_ = (np.uint64(mask_of(board[: BOARD[number]])) for number in (max(street - 1, 0), street))
    return before, open_


def abstraction(graph: BettingGraph, buckets: Buckets) -> Abstraction:
    """Return a game in buckets; the cells of hands are computed once and cached."""
    return Abstraction(graph, buckets.counts, buckets.assign(cells(buckets.seed)))


@dataclass(frozen=True, eq=False)
class BucketPolicy:
    """Strategy of hold'em in buckets: a `Policy` of the game in `tefuda.holdem.hands.whole`.

    Attributes:
        game: the game in buckets.
        sigma: `[R]` float32 action probabilities of all players.
    """

    game: Abstraction
    sigma: np.ndarray  # [R] float32

    @property
    def version(self) -> str:
        """The SHA-256 of the probabilities."""
        return hashlib.sha256(self.sigma.tobytes()).hexdigest()

    def strategy(self, player: int, key: Hashable, actions: Sequence[Hashable]) -> list[float]:
        """See `Policy`; keys are views such as ``"AhKd|9d7d5h|rc/c"``.

        Actions have the labels of the game or of its betting lines, and any others have probability 0; without
        actions, the probabilities are those of the node's actions in their order.

        Raises:
            ParameterError: the key is not an infoset of the game, or its actions are others.
        """
        cards, board, line = str(key).split("|")
        node, hand = self.game.graph.node(line), read_cards(cards)
        if node < 0 or len(hand) != 2:
            raise ParameterError(f"{key!r} is no infoset: expected two hole cards and a line before a decision.")
        cards_ = read_cards(board)[: BOARD[int(self.game.arrays.street[node])]]
        probabilities = self.sigma[self.game.rows_of(node, cards_, hand_number(*hand))].astype(float)
        return self._by_label(node, (probabilities / probabilities.sum()).tolist(), actions)

    def purified(self, below: float) -> BucketPolicy:
        """Return the strategy without rare actions (ganzfried2012); the most probable one stays.

        It wins more from opponents that do not adapt, and is easier to exploit.

        Args:
            below: probability below which actions are dropped; 0 drops none, 1 leaves the most probable action alone.

        Raises:
            ParameterError: the probability is not between 0 and 1.
        """
        check_range("purify", below, 0, 1, whole=False)
        return BucketPolicy(self.game, self.game.normalised(self.sigma, below)) if below else self

    def _by_label(self, node: int, probabilities: list[float], actions: Sequence[Hashable]) -> list[float]:
        """Return the probabilities of a node's actions in the order of labels."""
        graph = self.game.graph
        for labels in (graph.labels[node], graph.sizes[node]):
            actions = actions or labels
            by_label = dict(zip(labels, probabilities, strict=True))
            if by_label.keys() <= {*actions}:
                return [by_label.get(str(action), 0.0) for action in actions]
        raise ParameterError(
            f"the actions must include {', '.join(graph.sizes[node])}; got {shortened(list(actions))}."
        )


@dataclass(frozen=True)
class Deal:
    """Deck and known board of a deal.

    Args:
        deck: cards of the deck; cards of the board are removed.
        board: cards known before the deal, in the order of streets: none, or the flop, then turn and river.

    Raises:
        ParameterError: the board has not 0, 3, 4 or 5 cards, or has duplicate cards.
    """

    deck: tuple[int, ...] = tuple(range(CARDS))
    board: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check_board(self.board)
        object.__setattr__(self, "deck", tuple(card for card in self.deck if card not in self.board))

    def cards(self, players: int) -> kernels.Cards:
        """Return the cards in the form that kernels read.

        Args:
            players: number of players who are dealt a hand.

        Raises:
            ParameterError: the deck has too few cards for the hands and the rest of the board.
        """
        needed = 2 * players + BOARD[3] - len(self.board)
        if len(self.deck) < needed:
            raise ParameterError(f"the deck needs {needed} cards beside the board; it has {len(self.deck)}.")
        given = np.array([mask_of(self.board[:number]) for number in BOARD], dtype=np.uint64)
        return kernels.Cards(np.array(self.deck, dtype=np.uint8), MASKS, given, len(self.board))


class BucketSampler:
    """External-sampling solver of hold'em in buckets.

    Args:
        game: the game in buckets.
        seed: random seed; results do not depend on how `advance` splits the iterations.
        every: number of iterations between discounts; 0: no discounts. The n-th discount multiplies regrets and
            averages by n / (n + 1).
        fixed: `[R]` fixed strategies of the players with positive `trust`.
        trust: probability of each player to play `fixed` in a hand; a player with 1 learns nothing.
        tremble: probability of a uniformly random action of the traverser's opponents.
        deal: deck and known board.

    Attributes:
        iterations: number of iterations so far; each deals once and traverses for every learning player.

    Raises:
        ParameterError: a value is out of range.
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
        deal: Deal = Deal(),
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
            raise ParameterError("a positive trust needs fixed strategies; give fixed.")
        regret, total = (np.zeros(game.rows, dtype=np.float32) for _ in range(2))
        self.table = kernels.RegretTables(
            regret, total, np.zeros(1, dtype=np.float32) if fixed is None else fixed, shares, float(tremble)
        )
        self._cards = deal.cards(players)
        self._scratch = make_scratch(game.graph)
        self._key = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
        self.sums = np.zeros(players)

    def advance(self, iterations: int) -> None:
        """Run a number of iterations."""
        goal = self.iterations + iterations
        while self.iterations < goal:
            blocks = self.iterations // self.every if self.every else 0
            stop = min(goal, (blocks + 1) * self.every) if self.every else goal
            self._cards.deck.sort()
            kernels.iterate(
                self.game.arrays, self.table, self._cards, self.game.sorted, self._scratch, self._key, self.iterations,
                stop - self.iterations, self.sums,
            )  # fmt: skip
            self.iterations = stop
            if self.every and stop == (blocks + 1) * self.every:
                self._discount((blocks + 1) / (blocks + 2))

    def _discount(self, part: float) -> None:
        for weights in (self.table.regret, self.table.total):
            weights *= np.float32(part)

    def average(self) -> BucketPolicy:
        """Return the average strategies; uniform where no traversal arrived."""
        return BucketPolicy(self.game, self.game.normalised(self.table.total))

    def current(self) -> BucketPolicy:
        """Return the current strategies, from regret matching."""
        return BucketPolicy(self.game, self.game.normalised(self.table.regret))


def make_scratch(graph: BettingGraph) -> kernels.Scratch:
    """Return scratch arrays for traversals."""
    players, deep, wide = graph.rules.players, graph.longest, graph.arrays.child.shape[1]
    return kernels.Scratch(
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
        paid_before=np.zeros((deep, players)),
        strategies=np.zeros((deep, wide)),
        values=np.zeros((deep, wide)),
    )
