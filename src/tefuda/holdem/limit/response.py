"""Local best response (lisy2017) of all hands at once, board by board: less variance than hand by hand (`local`).

On a board all hands of the responder meet all hands of the opponent, whose actions are weighed, not drawn. A few
hundred boards tell two strategies apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

from tefuda.errors import check_range, check_seed
from tefuda.holdem.cards import CLASS_OF, HANDS, mask_of
from tefuda.holdem.hands.rules import BOARD
from tefuda.holdem.kernels import response as kernels
from tefuda.holdem.limit.local import LocalResponse, class_chances, require_two
from tefuda.holdem.limit.sampler import Dealt, LimitPolicy
from tefuda.holdem.rank import MASKS, SETS, strengths


def board_response(
    policy: LimitPolicy,
    boards: int = 200,
    seed: int = 0,
    *,
    ahead: int = 150,
    dealt: Dealt = Dealt(),  # noqa: B008 (frozen)
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> LocalResponse:
    """Play a local best response against a strategy on boards drawn at random; a quarter of a second each.

    Args:
        policy: the strategy of both seats, heads-up.
        boards: number of complete boards; `LocalResponse.won` has a column for each.
        seed: random seed of the boards: the same for all strategies to compare.
        ahead: number of random rivers by which hands are compared on the flop.
        dealt: the cards.
        progress: callback for boards done and in all.

    Raises:
        ParameterError: not two players, or a number out of range.
    """
    check_range("boards", boards, 2, 10**6)
    check_seed(seed)
    responder, won = Responder(policy, ahead, dealt), np.zeros((2, boards))
    for number in range(boards):
        rng = np.random.default_rng([seed, number])
        won[:, number] = responder.on(rng.permutation(np.sort(dealt.deck))[: responder.closed], rng)
        progress(number + 1, boards)
    return LocalResponse(max(policy.game.graph.rules.blinds), won)


@dataclass(frozen=True, eq=False)
class Responder:
    """A local best response to a strategy; see `board_response`."""

    policy: LimitPolicy
    ahead: int = 150
    dealt: Dealt = Dealt()  # noqa: RUF009 (frozen)

    def __post_init__(self) -> None:
        require_two(self.policy)
        check_range("ahead", self.ahead, 1, 10_000)

    @property
    def closed(self) -> int:
        """Number of cards of the board still to come."""
        return BOARD[3] - len(self.dealt.board)

    def on(self, cards: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
        """Return the mean payoff in each seat, in chips a hand, if these cards of the deck complete the board."""
        place = _Place((*self.dealt.board, *cards.tolist()), self.dealt, self.ahead, rng)
        scene = place.scene(np.maximum(self.policy.game.buckets_on(place.cards), 0))
        first, second = (self._answer(place, scene, seat) for seat in (0, 1))
        return first, second

    def _answer(self, place: _Place, scene: kernels.BoardHands, seat: int) -> float:
        arrays, sigma, sheet = self.policy.game.arrays, self.policy.sigma, self._sheet
        kernels.fill_reaches(arrays, sigma, scene, sheet, seat)
        first, parts = np.zeros(len(arrays.player), dtype=np.int64), [np.zeros((0, scene.live[3]))]
        for street in self._streets:
            if street == 3:  # the kernel compares hands
                break
            nodes = np.flatnonzero((arrays.street == street) & (arrays.player == seat))
            first[nodes] = sum(map(len, parts)) + 2 * np.arange(len(nodes))
            reach, after = sheet.reach[nodes, : scene.live[street]], arrays.child[nodes, 2]
            stay = reach - np.where(after[:, None] >= 0, sheet.folds[after, : scene.live[street]], 0)
            both = np.stack([reach, stay], axis=1).reshape(2 * len(nodes), -1)
            parts.append(both @ place.wins(street).T)
        kernels.fill_choices(arrays, scene, sheet, seat, first, np.concatenate(parts))
        kernels.fill_values(arrays, sigma, scene, sheet, seat)
        return float(sheet.value[0].mean() / scene.opponent_counts[self._streets[0]])

    @cached_property
    def _streets(self) -> list[int]:
        return sorted({int(street) for street in self.policy.game.arrays.street})

    @cached_property
    def _sheet(self) -> kernels.NodeValues:
        """Scratch that all boards share: each leaves as many hands."""
        nodes, cards = self.policy.game.graph.nodes, len(self.dealt.deck)
        hands, own = comb(cards, 2), comb(cards - self.closed, 2)  # at the first street, at the last
        reach, folds = (np.zeros((nodes, hands), dtype=np.float32) for _ in range(2))
        here, choice = np.zeros((nodes, own), dtype=np.bool_), np.zeros((nodes, own), dtype=np.int8)
        return kernels.NodeValues(np.zeros((nodes, 2)), reach, folds, here, choice, np.zeros((nodes, own)))


class _Place:
    """A complete board, hands in its order."""

    def __init__(self, cards: tuple[int, ...], dealt: Dealt, ahead: int, rng: np.random.Generator) -> None:
        self.cards, self.dealt, self.ahead, self.rng = cards, dealt, ahead, rng
        found = _strengths(SETS, self.board(3))
        inside = np.isin(HANDS, dealt.deck).all(axis=1)
        left = np.array([inside & ((SETS & self.board(street)) == 0) for street in range(4)])
        self.live = left.sum(axis=1)
        # Hands possible on the whole board come first, the weakest first; then by the street that blocks them.
        self.order = np.lexsort((found, -left.sum(axis=0)))[: self.live[0]]
        self.ends = np.append(np.flatnonzero(np.diff(found[self.order[: self.live[3]]])) + 1, self.live[3])

    def board(self, street: int) -> np.uint64:
        """Return the cards of the board that no hand can have on a street: open and given ones."""
        return np.uint64(mask_of(self.cards[: max(BOARD[street], len(self.dealt.board))]))

    def scene(self, buckets: np.ndarray) -> kernels.BoardHands:
        """Return the board for kernels, with buckets `[4, 1326]`."""
        given = len(self.dealt.board)
        unseen = [len(self.dealt.deck) - max(number - given, 0) - 2 for number in BOARD]  # by a holder of two of them
        others = np.array([comb(number, 2) for number in unseen], dtype=np.float64)
        hands = HANDS[self.order].astype(np.int64)
        return kernels.BoardHands(hands, self.live, self.ends, buckets[:, self.order].copy(), others)

    def wins(self, street: int) -> np.ndarray:
        """Return `[L, H]` float32 how often hands beat those possible on a street, ties half; 0 of shared cards."""
        own, other = self.order[: self.live[3]], self.order[: self.live[street]]
        if street == 0:
            found = class_chances()[CLASS_OF[own][:, None], CLASS_OF[other]]
        else:
            found = self._counted(street, SETS[other])
        return np.where((SETS[own][:, None] & SETS[other]) == 0, found, 0).astype(np.float32)

    def _counted(self, street: int, sets: np.ndarray) -> np.ndarray:
        """Count over complete boards: on the turn all, on the flop random ones."""
        board, own = self.board(street), self.live[3]
        left = [MASKS[card] for card in self.dealt.deck if not MASKS[card] & board]
        missing = BOARD[3] - max(BOARD[street], len(self.dealt.board))
        if missing == 0:
            left = [np.uint64(0)]
        elif missing == 2:
            left = [
                left[one] | left[two] for one, two in (self.rng.permutation(len(left))[:2] for _ in range(self.ahead))
            ]
        wins, free = np.zeros((own, len(sets)), dtype=np.int16), np.zeros((len(sets), len(left)), dtype=np.float32)
        for number, more in enumerate(left):
            found = _strengths(sets, board | more)
            free[:, number] = found >= 0
            places = np.unique(found, return_inverse=True)[1].astype(np.int16)
            mine, its = (np.where(found >= 0, places, blocked).astype(np.int16) for blocked in (-1, kernels.BLOCKED))
            kernels.count_wins(mine[:own], its, wins)
        return wins / np.maximum(2 * (free[:own] @ free.T), 1)


def _strengths(sets: np.ndarray, board: np.uint64) -> np.ndarray:
    """Return `[H]` int32 the strengths of hands on a complete board; -1 for those that it blocks."""
    return np.where(sets & board, np.int32(-1), strengths(sets | board))
