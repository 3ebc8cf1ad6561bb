"""Inputs of strength of hands: class, buckets, and cards of the board that match the own cards.

In this order:

- class of the own cards (169)
- bucket of strength on flop, turn, river (K each, 0 or 1), then their numbers from 1 / K to 1
- for the higher and the lower own card: board cards of its suit (0 to 5, one of 6), of its rank (0 to 3, one of 4)

Streets that are not open have zeros.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.jit import inlined, kernel
from tefuda.holdem.kernels import steps
from tefuda.holdem.kernels.buckets import bucket_of
from tefuda.holdem.kernels.sampler import hand_index

CLASSES, STREETS = 169, 3
SUIT_COUNTS, RANK_COUNTS = 6, 4


@inlined
def tail_size(buckets):
    """Return the number of inputs of strength."""
    return CLASSES + STREETS * (buckets + 1) + 2 * (SUIT_COUNTS + RANK_COUNTS)


@inlined
def fill_strength(tables, buckets, low, high, board, street, values):
    """Fill `values` with the inputs of a hand, the lower card first, on a street of a board."""
    values[:] = 0.0
    hand, open_ = hand_index(low, high), np.uint64(0)
    values[tables.class_of[hand]] = 1.0
    for later in range(1, street + 1):
        for position in range(0 if later == 1 else later + 1, later + 2):
            open_ |= steps.card_bit(board[position])
        bucket = bucket_of(tables, later, open_, hand)
        values[CLASSES + buckets * (later - 1) + bucket] = 1.0
        values[CLASSES + buckets * STREETS + later - 1] = (bucket + 1) / buckets
    first = CLASSES + STREETS * (buckets + 1)
    for own in range(2 if street else 0):
        card, suits, ranks = low if own else high, 0, 0
        for position in range(street + 2):
            suits += (board[position] & 3) == (card & 3)
            ranks += (board[position] >> 2) == (card >> 2)
        values[first + suits], values[first + SUIT_COUNTS + ranks] = 1.0, 1.0
        first += SUIT_COUNTS + RANK_COUNTS


@kernel
def observe_all(table, tables, buckets, rows, all_players, inputs):
    """Fill `inputs` `[G, P or 1, F]`: those of `steps.observe_all`, then those of strength."""
    players, (_, _, cards, _) = table.stacks.shape[0], steps.offsets(table)
    for game in range(rows.shape[0]):
        row = rows[game]
        inputs[game] = 0.0
        for position in range(inputs.shape[1] if row[steps.MOVER] >= 0 else 0):
            player, seen = position if all_players else row[steps.MOVER], inputs[game, position]
            first = seen.shape[0] - tail_size(buckets)
            steps.fill_inputs(table, row, player, seen[:first])
            one, two, board = row[cards + 2 * player], row[cards + 2 * player + 1], row[cards + 2 * players :]
            fill_strength(tables, buckets, min(one, two), max(one, two), board, row[steps.STREET], seen[first:])


@kernel
def fill_hands(tables, buckets, hands, board, street, inputs):
    """Fill `inputs` `[n, T]` for hands `[n, 2]`, the lower card first, on one board."""
    for n in range(hands.shape[0]):
        fill_strength(tables, buckets, hands[n, 0], hands[n, 1], board, street, inputs[n])
