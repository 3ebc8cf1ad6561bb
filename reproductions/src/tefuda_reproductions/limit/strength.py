"""Simulator of limit hold'em with inputs of strength beside all cards."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from tefuda._kernels.jit import python_function
from tefuda.errors import check_range
from tefuda.forms.form import Saved
from tefuda.holdem.buckets.clusters import Buckets, cells
from tefuda.holdem.cards import CLASSES
from tefuda.holdem.hands.simulator import HandsSimulator
from tefuda.holdem.hands.whole import Holdem
from tefuda.words import Notify
from tefuda_reproductions.limit.kernels import strength as kernels

BUCKETS = 50


class StrengthSimulator(HandsSimulator):
    """Simulator of whole hands; inputs of strength follow those of `HandsSimulator`.

    `kernels.strength` lists the inputs.

    Args:
        game: hold'em with a menu of sizes.
        buckets: number of buckets of strength on each street after the first.
        notify: callback for progress messages.

    Raises:
        ParameterError: see `HandsSimulator`, or a number of buckets out of range.
    """

    def __init__(self, game: Holdem, buckets: int = BUCKETS, notify: Notify = lambda text: None) -> None:
        super().__init__(game)
        check_range("buckets", buckets, 1, 256)
        self.buckets, self.cards_only = buckets, self.features
        self.tables = Buckets((len(CLASSES), buckets, buckets, buckets)).assign(cells(notify=notify))
        self.features += int(python_function(kernels.tail_size)(buckets))

    def saved(self) -> Saved:
        return Saved({"source": "strength", "buckets": self.buckets})

    def observe(self, games: np.ndarray) -> np.ndarray:
        return self._observe(games, all_players=False)[:, 0]

    def observe_all(self, games: np.ndarray) -> np.ndarray:
        return self._observe(games, all_players=True).reshape(len(games), -1)

    def _observe(self, games: np.ndarray, all_players: bool) -> np.ndarray:
        inputs = np.zeros((len(games), self.players if all_players else 1, self.features), dtype=np.float32)
        kernels.observe_all(self.table, self.tables, self.buckets, games, all_players, inputs)
        return inputs

    def encode(self, view: Hashable, row: np.ndarray) -> None:
        super().encode(view, row[: self.cards_only])
        mover = self.rules.read_view(view, 0).wagers.mover
        state = self.rules.read_view(view, mover)
        hand, board = np.sort([state.hole(mover)]), np.array(state.board, dtype=np.int64)
        row[self.cards_only :] = self.of_hands(hand, board)[0]

    def of_hands(self, hands: np.ndarray, board: np.ndarray) -> np.ndarray:
        """Return `[n, T]` float32 inputs of strength on an open board.

        hands: `[n, 2]` cards, the lower first.
        """
        inputs = np.zeros((len(hands), self.features - self.cards_only), dtype=np.float32)
        street = max(0, len(board) - 2)
        kernels.fill_hands(self.tables, self.buckets, hands.astype(np.int64), board, street, inputs)
        return inputs
