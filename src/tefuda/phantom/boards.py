"""Boards of phantom games: the stones that win, as bits of cells, row by row."""

from __future__ import annotations

from functools import lru_cache

import numpy as np


@lru_cache(maxsize=16)
def hex_wins(rows: int, columns: int) -> np.ndarray:
    """Return `[2, 2^cells]` bool, the sets of stones that join a player's sides of a hex board.

    Player 0 joins top and bottom, player 1 left and right. Neighbours of (r, c) are (r, c +- 1), (r +- 1, c),
    (r + 1, c - 1) and (r - 1, c + 1).
    """
    stones = np.arange(1 << rows * columns)
    left = sum(1 << row * columns for row in range(rows))
    right, top = left << columns - 1, (1 << columns) - 1
    sides = ((top, top << (rows - 1) * columns), (left, right))
    reached = np.stack([stones & first for first, _ in sides])
    for _ in range(rows * columns):  # the longest path
        back, forth = reached & ~left, reached & ~right
        near = back >> 1 | forth << 1 | reached >> columns | reached << columns
        reached |= (near | back << columns - 1 | forth >> columns - 1) & stones
    return np.stack([found & last > 0 for found, (_, last) in zip(reached, sides, strict=True)])


@lru_cache(maxsize=16)
def line_wins(size: int) -> np.ndarray:
    """Return `[2, 2^cells]` bool, the sets of stones with a line across, down or diagonally on a square."""
    stones, cells = np.arange(1 << size**2), np.arange(size**2).reshape(size, size)
    lines = [*cells, *cells.T, cells.diagonal(), cells[::-1].diagonal()]
    found = [stones & mask == mask for mask in ((1 << line).sum() for line in lines)]
    return np.stack([np.any(found, axis=0)] * 2)
