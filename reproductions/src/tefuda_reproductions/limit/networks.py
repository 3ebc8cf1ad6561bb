"""Action probabilities of networks for all hands at once, for a local best response."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from tefuda.holdem.buckets.graph import BettingGraph
from tefuda.holdem.buckets.local import HandProbabilities
from tefuda.holdem.cards import CARDS, HANDS, cards_text, hand_text, mask_of
from tefuda.holdem.hands.inputs import inputs
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.kernels import steps
from tefuda.holdem.kernels.rank import CATEGORY_SHIFT
from tefuda.holdem.rank import SETS, strengths


class EncodedPolicy(Protocol):
    """Strategy learned with a simulator."""

    def function(self, player: int, observations: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """Return `[n, U]` action probabilities of a player for inputs `[n, F]` and legal actions `[n, U]`."""


#: Function of hands `[n, 2]` and the open board that returns further inputs `[n, T]`, such as those of strength.
HandInputs = Callable[[np.ndarray, np.ndarray], np.ndarray]


def hand_probabilities(
    policy: EncodedPolicy, game: Holdem, graph: BettingGraph, further: HandInputs | None = None
) -> HandProbabilities:
    """Return a function for the action probabilities of all hands.

    Args:
        policy: strategy learned with a `simulator.HandsSimulator` of the game.
        game: limit hold'em of two players.
        graph: betting graph of the game.
        further: inputs of hands after those of the simulator, if the policy was learned with more.
    """

    def probabilities_at(line: str, board: tuple[int, ...], node: int) -> np.ndarray:
        arrays, open_ = graph.arrays, np.uint64(mask_of(board))
        units = slice(int(arrays.low[node]), int(arrays.low[node] + arrays.size[node]))
        player, free = int(arrays.player[node]), np.flatnonzero((SETS & open_) == 0)
        view = f"{hand_text(free[0])}|{cards_text(board).replace(' ', '')}|{line}"
        shared = np.array(inputs(game.rules, game.read_view(view, player), player), dtype=np.float32)
        inputs_, rows = np.repeat(shared[None], len(free), axis=0), np.arange(len(free))
        inputs_[:, :CARDS] = 0
        inputs_[rows[:, None], HANDS[free]] = 1
        if board:
            inputs_[:, steps.CARDS : steps.CARDS + steps.CATEGORIES] = 0
            inputs_[rows, steps.CARDS + (strengths(SETS[free] | open_) >> CATEGORY_SHIFT)] = 1
        if further is not None:
            inputs_ = np.concatenate([inputs_, further(HANDS[free], np.array(board, dtype=np.int64))], axis=1)
        legal = np.zeros((len(free), 3), dtype=bool)
        legal[:, units] = True
        probabilities = np.zeros((len(HANDS), units.stop - units.start))
        probabilities[free] = policy.function(player, inputs_, legal)[:, units]
        return probabilities / np.maximum(probabilities.sum(axis=1, keepdims=True), 1e-12)

    return probabilities_at
