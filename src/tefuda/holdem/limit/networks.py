"""Networks that learned whole hands of limit hold'em, asked of all hands at once: for a local best response."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from tefuda.holdem.cards import CARDS, HANDS, card_text, cards_text, mask_of
from tefuda.holdem.hands.inputs import inputs
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.kernels.steps import CARDS as SEEN_CARDS
from tefuda.holdem.kernels.steps import CATEGORIES
from tefuda.holdem.limit.graph import BettingGraph
from tefuda.holdem.limit.local import Chances
from tefuda.holdem.rank import MASKS, strengths

_SETS = MASKS[HANDS[:, 0]] | MASKS[HANDS[:, 1]]
_CATEGORY = 26  # strengths end in so many bits below the category


class Encoded(Protocol):
    """What learned over a simulator and is asked by inputs."""

    def answer(self, player: int, seen: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """`[n, U]` probabilities for a player who sees `[n, F]` and may do `[n, U]`."""


def chances_of(policy: Encoded, game: Holdem, graph: BettingGraph) -> Chances:
    """What networks would do with all hands at once: only own cards, and what they make, differ between hands.

    Args:
        policy: learned over a `simulator.HandsSimulator` of the game.
        game: limit, two players.
        graph: its betting.
    """

    def chances(done: str, board: tuple[int, ...], node: int) -> np.ndarray:
        arrays, open_ = graph.arrays, np.uint64(mask_of(board))
        units = slice(int(arrays.low[node]), int(arrays.low[node] + arrays.size[node]))
        player, free = int(arrays.player[node]), np.flatnonzero((_SETS & open_) == 0)
        low, high = HANDS[free[0]]
        view = f"{card_text(high)}{card_text(low)}|{cards_text(board).replace(' ', '')}|{done}"
        row = np.array(inputs(game.rules, game.read_view(view, player), player), dtype=np.float32)
        seen, each = np.repeat(row[None], len(free), axis=0), np.arange(len(free))
        seen[:, :CARDS] = 0
        seen[each[:, None], HANDS[free]] = 1
        if board:
            seen[:, SEEN_CARDS : SEEN_CARDS + CATEGORIES] = 0
            seen[each, SEEN_CARDS + (strengths(_SETS[free] | open_) >> _CATEGORY)] = 1
        legal = np.zeros((len(free), 3), dtype=bool)
        legal[:, units] = True
        found = np.zeros((len(HANDS), units.stop - units.start))
        found[free] = policy.answer(player, seen, legal)[:, units]
        return found / np.maximum(found.sum(axis=1, keepdims=True), 1e-12)

    return chances
