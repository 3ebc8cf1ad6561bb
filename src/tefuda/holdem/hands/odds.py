"""Equity against random hands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tefuda.errors import check_range, check_seed
from tefuda.holdem.cards import CARDS, mask_of
from tefuda.holdem.hands.rules import BOARD
from tefuda.holdem.kernels import odds as kernels
from tefuda.holdem.rank import MASKS


def pot_share(hole: Sequence[int], board: Sequence[int], opponents: int, samples: int = 2000, seed: int = 0) -> float:
    """Estimate the share of the pot that a hand wins against random hands if no player folds.

    Args:
        hole: hole cards.
        board: cards of the board.
        opponents: number of opponents.
        samples: number of random deals of the other cards.
        seed: random seed.

    >>> from tefuda.holdem import pot_share, read_cards
    >>> round(pot_share(read_cards("As Ah"), (), 1, samples=50_000), 2)
    0.85
    """
    check_range("opponents", opponents, 1, 22)
    check_range("samples", samples, 1, 10**8)
    check_seed(seed)
    known = {*hole, *board}
    deck = MASKS[[card for card in range(CARDS) if card not in known]]
    own, board_set = np.uint64(mask_of(hole)), np.uint64(mask_of(board))
    return float(kernels.mean_share(own, board_set, deck, BOARD[3] - len(board), opponents, samples, np.uint64(seed)))
