"""Local best response (lisy2017) of all hands at once, with less variance than `local`.

On each board all hands of the responder meet all hands of the opponent. The opponent's actions are
weighted by their probabilities instead of sampled. A few hundred boards distinguish two strategies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

from tefuda.errors import ParameterError, check_range, check_seed
from tefuda.holdem.buckets.local import LocalResponse, class_win_rates, require_two
from tefuda.holdem.buckets.sampler import BucketPolicy, Deal
from tefuda.holdem.cards import CLASS_OF, HANDS, mask_of
from tefuda.holdem.hands.rules import BOARD
from tefuda.holdem.kernels import response as kernels
from tefuda.holdem.rank import MASKS, SETS, strengths


def board_response(
    policy: BucketPolicy,
    boards: int = 200,
    seed: int = 0,
    *,
    ahead: int = 150,
    deal: Deal = Deal(),  # noqa: B008 (frozen)
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> LocalResponse:
    """Play a local best response against a strategy on random boards; each takes a quarter of a second.

    Args:
        policy: heads-up strategy of both seats.
        boards: number of complete boards; `LocalResponse.winnings` has a column for each.
        seed: random seed of the boards; use one seed for all strategies that you compare.
        ahead: number of random completions of the board for comparing hands on the flop.
        deal: deck and known board.
        progress: callback for the boards done and their total.

    Raises:
        ParameterError: the game has not two players, or a number is out of range.
    """
    check_range("boards", boards, 2, 10**6)
    check_seed(seed)
    responder, winnings = BoardResponder(policy, ahead, deal), np.zeros((2, boards))
    for number in range(boards):
        rng = np.random.default_rng([seed, number])
        winnings[:, number] = responder.play(rng.permutation(np.sort(deal.deck))[: responder.missing], rng)
        progress(number + 1, boards)
    return LocalResponse(max(policy.game.graph.rules.blinds), winnings)


@dataclass(frozen=True, eq=False)
class BoardResponder:
    """Local best response to a strategy; see `board_response`."""

    policy: BucketPolicy
    ahead: int = 150
    deal: Deal = Deal()  # noqa: RUF009 (frozen)

    def __post_init__(self) -> None:
        require_two(self.policy)
        if not self.policy.game.graph.rules.limit:
            raise ParameterError("responses of all hands at once know limit alone; use local_response.")
        check_range("ahead", self.ahead, 1, 10_000)

    @property
    def missing(self) -> int:
        """Number of board cards that are not known before the deal."""
        return BOARD[3] - len(self.deal.board)

    def play(self, cards: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
        """Return the mean payoff in each seat, in chips a hand, on the board that the cards complete."""
        board = _Board((*self.deal.board, *cards.tolist()), self.deal, self.ahead, rng)
        scene = board.scene(np.maximum(self.policy.game.buckets_on(board.cards), 0))
        first, second = (self._respond(board, scene, seat) for seat in (0, 1))
        return first, second

    def _respond(self, board: _Board, scene: kernels.BoardHands, seat: int) -> float:
        arrays, sigma, sheet = self.policy.game.arrays, self.policy.sigma, self._sheet
        kernels.fill_reaches(arrays, sigma, scene, sheet, seat)
        first, parts = np.zeros(len(arrays.player), dtype=np.int64), [np.zeros((0, scene.live[3]))]
        for street in self._streets:
            if street == 3:  # the kernel compares hands
                break
            nodes = np.flatnonzero((arrays.street == street) & (arrays.player == seat))
            first[nodes] = sum(map(len, parts)) + 2 * np.arange(len(nodes))
            reach, after = sheet.reach[nodes, : scene.live[street]], arrays.child[nodes, 2]
            following = reach - np.where(after[:, None] >= 0, sheet.folds[after, : scene.live[street]], 0)
            stacked = np.stack([reach, following], axis=1).reshape(2 * len(nodes), -1)
            parts.append(stacked @ board.wins(street).T)
        kernels.fill_choices(arrays, scene, sheet, seat, first, np.concatenate(parts))
        kernels.fill_values(arrays, sigma, scene, sheet, seat)
        return float(sheet.value[0].mean() / scene.opponent_counts[self._streets[0]])

    @cached_property
    def _streets(self) -> list[int]:
        return sorted({int(street) for street in self.policy.game.arrays.street})

    @cached_property
    def _sheet(self) -> kernels.NodeValues:
        """Scratch arrays that all boards share; the number of hands is the same on all boards."""
        nodes, cards = self.policy.game.graph.nodes, len(self.deal.deck)
        hands, own = comb(cards, 2), comb(cards - self.missing, 2)  # at the first street, at the last
        reach, folds = (np.zeros((nodes, hands), dtype=np.float32) for _ in range(2))
        here, choice = np.zeros((nodes, own), dtype=np.bool_), np.zeros((nodes, own), dtype=np.int8)
        return kernels.NodeValues(np.zeros((nodes, 2)), reach, folds, here, choice, np.zeros((nodes, own)))


class _Board:
    """Complete board, with the hands ordered by strength on it."""

    def __init__(self, cards: tuple[int, ...], deal: Deal, ahead: int, rng: np.random.Generator) -> None:
        self.cards, self.deal, self.ahead, self.rng = cards, deal, ahead, rng
        values = _strengths(SETS, self.board(3))
        inside = np.isin(HANDS, deal.deck).all(axis=1)
        possible = np.array([inside & ((SETS & self.board(street)) == 0) for street in range(4)])
        self.live = possible.sum(axis=1)
        # First the hands that the whole board does not block, from the weakest; then by the street that blocks them.
        self.order = np.lexsort((values, -possible.sum(axis=0)))[: self.live[0]]
        self.ends = np.append(np.flatnonzero(np.diff(values[self.order[: self.live[3]]])) + 1, self.live[3])

    def board(self, street: int) -> np.uint64:
        """Return the board cards that block hands on a street: the open and the known ones."""
        return np.uint64(mask_of(self.cards[: max(BOARD[street], len(self.deal.board))]))

    def scene(self, buckets: np.ndarray) -> kernels.BoardHands:
        """Return the board for kernels, with buckets `[4, 1326]`."""
        given = len(self.deal.board)
        unseen = [len(self.deal.deck) - max(number - given, 0) - 2 for number in BOARD]  # by a holder of two of them
        others = np.array([comb(number, 2) for number in unseen], dtype=np.float64)
        hands = HANDS[self.order].astype(np.int64)
        return kernels.BoardHands(hands, self.live, self.ends, buckets[:, self.order].copy(), others)

    def wins(self, street: int) -> np.ndarray:
        """Return `[L, H]` float32 win rates against the possible hands of a street; 0 for shared cards.

        Ties count half.
        """
        own, opponents = self.order[: self.live[3]], self.order[: self.live[street]]
        if street == 0:
            rates = class_win_rates()[CLASS_OF[own][:, None], CLASS_OF[opponents]]
        else:
            rates = self._count_wins(street, SETS[opponents])
        return np.where((SETS[own][:, None] & SETS[opponents]) == 0, rates, 0).astype(np.float32)

    def _count_wins(self, street: int, sets: np.ndarray) -> np.ndarray:
        """Return win rates over complete boards: over all on the turn, over random ones on the flop."""
        board, own = self.board(street), self.live[3]
        completions = [MASKS[card] for card in self.deal.deck if not MASKS[card] & board]
        missing = BOARD[3] - max(BOARD[street], len(self.deal.board))
        if missing == 0:
            completions = [np.uint64(0)]
        elif missing == 2:
            pairs = (self.rng.permutation(len(completions))[:2] for _ in range(self.ahead))
            completions = [completions[first] | completions[second] for first, second in pairs]
        wins, free = (
            np.zeros((own, len(sets)), dtype=np.int16),
            np.zeros((len(sets), len(completions)), dtype=np.float32),
        )
        for number, completion in enumerate(completions):
            values = _strengths(sets, board | completion)
            free[:, number] = values >= 0
            ranks = np.unique(values, return_inverse=True)[1].astype(np.int16)
            mine, theirs = (np.where(values >= 0, ranks, blocked).astype(np.int16) for blocked in (-1, kernels.BLOCKED))
            kernels.count_wins(mine[:own], theirs, wins)
        return wins / np.maximum(2 * (free[:own] @ free.T), 1)


def _strengths(sets: np.ndarray, board: np.uint64) -> np.ndarray:
    """Return `[H]` int32 strengths of hands on a complete board; -1 for hands that it blocks."""
    return np.where(sets & board, np.int32(-1), strengths(sets | board))
