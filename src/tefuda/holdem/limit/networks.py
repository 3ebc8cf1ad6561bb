"""Networks of limit hold'em asked for all hands at once, for a local best response."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from tefuda.holdem.cards import CARDS, HANDS, cards_text, hand_text, mask_of
from tefuda.holdem.hands.inputs import inputs
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.kernels import steps
from tefuda.holdem.kernels.rank import CATEGORY_SHIFT
from tefuda.holdem.limit.graph import BettingGraph
from tefuda.holdem.limit.local import Chances
from tefuda.holdem.rank import SETS, strengths


class Encoded(Protocol):
    """A strategy learned over a simulator."""

    def answer(self, player: int, seen: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """Return `[n, U]` probabilities of a player for inputs `[n, F]` and legal units `[n, U]`."""


def chances_of(policy: Encoded, game: Holdem, graph: BettingGraph) -> Chances:
    """Return a function for the probabilities of actions with all hands: own cards and their category vary.

    Args:
        policy: strategy learned over a `simulator.HandsSimulator` of the game.
        game: limit, two players.
        graph: betting of the game.
    """

    def chances(done: str, board: tuple[int, ...], node: int) -> np.ndarray:
        arrays, open_ = graph.arrays, np.uint64(mask_of(board))
        units = slice(int(arrays.low[node]), int(arrays.low[node] + arrays.size[node]))
        player, free = int(arrays.player[node]), np.flatnonzero((SETS & open_) == 0)
        view = f"{hand_text(free[0])}|{cards_text(board).replace(' ', '')}|{done}"
        row = np.array(inputs(game.rules, game.read_view(view, player), player), dtype=np.float32)
        seen, each = np.repeat(row[None], len(free), axis=0), np.arange(len(free))
        seen[:, :CARDS] = 0
        seen[each[:, None], HANDS[free]] = 1
        if board:
            seen[:, steps.CARDS : steps.CARDS + steps.CATEGORIES] = 0
            seen[each, steps.CARDS + (strengths(SETS[free] | open_) >> CATEGORY_SHIFT)] = 1
        legal = np.zeros((len(free), 3), dtype=bool)
        legal[:, units] = True
        found = np.zeros((len(HANDS), units.stop - units.start))
        found[free] = policy.answer(player, seen, legal)[:, units]
        return found / np.maximum(found.sum(axis=1, keepdims=True), 1e-12)

    return chances
