"""Blocks: the leaves of one public end as payoff matrices between runs of neighbouring sequences.

Dimension letters: P players, Q sequences of all players, E distinct ends (rows of sequences), B blocks of one shape.

In many card games all actions are public and private cards are dealt at public moments. There the hands of a player at
a public state have neighbouring sequences, a *run*, and the leaves of one public end fill most of a matrix (a tensor
for more than two players) of own hands and opponents' hands. A *block* is such a matrix between runs. Kernels multiply
it by the opponents' reach in vectors of hands, and matrices that are equal but for a factor, the pot, are stored once.
Leaves of any other shape stay in lists.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.sequence import HANDS

_EQUAL = 1e-13  # relative difference of matrices that are stored as one
# A block is used if it has more than this many leaves for each of its vectors, and this many more.
_LEAVES_PER_VECTOR, _LEAVES_PER_BLOCK = 1, 8
_LEAF_SIZE = 12  # bytes of a listed leaf; a player's blocks must not take more


def runs_of(span: np.ndarray, groups: np.ndarray, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return `[Q]` the first sequence of each sequence's run, and the length of the run.

    nodes: `[J, K]` labels of the infosets; neighbours in a group with equal labels are hands of one public state.
    """
    first, size = np.arange(span[-1]), np.ones(span[-1], dtype=np.int64)
    changes = np.append(True, np.any(np.diff(nodes, axis=0) != 0, axis=1))
    for start, m, k, base in groups.tolist():
        begins = changes[start : start + m].copy()
        begins[0] = True
        begin = np.flatnonzero(begins)
        length = np.diff(np.append(begin, m))
        first[base : base + k * m] = (base + m * np.arange(k)[:, None] + np.repeat(begin, length)).ravel()
        size[base : base + k * m] = np.tile(np.repeat(length, length), k)
    return first, size


def find_blocks(
    merged: np.ndarray, sums: np.ndarray, span: np.ndarray, runs: tuple[np.ndarray, np.ndarray] | None
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return a form's arrays of blocks by name, and `[E, P]` whether a player's leaf is in none of them."""
    players, listed = merged.shape[1], np.ones(merged.shape, dtype=bool)
    if runs is None or players == 1:
        none = _Blocks(np.zeros((0, 2 * players + 1), dtype=np.int64), np.zeros(0), np.zeros(0))
        return _packed([none] * players), listed
    ends, parts = _public_ends(merged, runs, span), []
    for player in range(players):
        counts = np.bincount(ends.number, sums[:, player] != 0, len(ends.corner))
        dense = counts > _LEAVES_PER_BLOCK + _LEAVES_PER_VECTOR * ends.vectors(player)
        part = _blocks_of(ends, player, np.flatnonzero(dense), sums[:, player])
        if part.size > _LEAF_SIZE * counts[dense].sum():
            dense[:] = False
            part = _blocks_of(ends, player, np.flatnonzero(dense), sums[:, player])
        listed[:, player] = ~dense[ends.number]
        parts.append(part)
    return _packed(parts), listed


def can_be_dense(hands: int, players: int) -> bool:
    """Return whether a public end can be a block if each player has this number of hands there."""
    hands = min(int(hands), HANDS)
    return players > 1 and hands**players > _LEAVES_PER_BLOCK + _LEAVES_PER_VECTOR * hands ** (players - 1)


class Leaves(NamedTuple):
    """A player's leaves, sorted by its sequence."""

    own: np.ndarray  # [L] the player's sequence
    others: np.ndarray  # [L, P - 1] the opponents' sequences
    value: np.ndarray  # [L] sum over a leaf's histories of payoff times chance probability


def block_leaves(blocks: np.ndarray, scale: np.ndarray, matrix: np.ndarray) -> Leaves:
    """Return the leaves of a player's blocks, in no order; arguments: those fields of its form."""
    columns = blocks[:, 4::2].prod(axis=1)
    block = np.repeat(np.arange(len(blocks)), columns * HANDS)
    cell = np.arange(len(block)) - np.repeat(np.cumsum(columns * HANDS) - columns * HANDS, columns * HANDS)
    column, lane = cell // HANDS, cell % HANDS
    value = matrix[blocks[block, 1] + column * blocks[block, 2] + lane] * scale[block]
    full = np.flatnonzero(value)
    block, column, others = block[full], column[full], []
    for first in range(3, blocks.shape[1], 2):
        others.append(blocks[block, first] + column % blocks[block, first + 1])
        column = column // blocks[block, first + 1]
    pairs = np.stack(others, axis=1) if others else np.zeros((len(full), 0), dtype=np.int64)
    return Leaves(blocks[block, 0] + lane[full], pairs, value[full])


def joined(ones: Leaves, others: Leaves) -> Leaves:
    """Return the leaves of two lists, sorted by own sequence, then by the opponents'."""
    both = Leaves(*(np.concatenate(pair) for pair in zip(ones, others, strict=True)))
    order = np.lexsort((*both.others.T[::-1], both.own))
    return Leaves(*(array[order] for array in both))


class _Ends(NamedTuple):
    """The public ends of a game: the S distinct tuples of the players' runs."""

    number: np.ndarray  # [E] public end of each end
    hands: np.ndarray  # [E, P] position of each player's sequence in its run
    corner: np.ndarray  # [S, P] first sequences of the runs
    sizes: np.ndarray  # [S, P] lengths of the runs

    def widths(self, player: int) -> np.ndarray:
        """Return `[S]` the player's hands, rounded up to whole vectors."""
        return -(-self.sizes[:, player] // HANDS) * HANDS

    def vectors(self, player: int) -> np.ndarray:
        """Return `[S]` the number of vectors in a block."""
        columns = np.delete(self.sizes, player, axis=1).astype(np.float64).prod(axis=1)
        return columns * self.widths(player) / HANDS


def _public_ends(merged: np.ndarray, runs: tuple[np.ndarray, np.ndarray], span: np.ndarray) -> _Ends:
    first, size = runs
    corners = first[merged]
    order, starts = groups_of_equal(corners, span)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(order))))
    corner = corners[order[starts]]
    return _Ends(number, merged - corners, corner, size[corner])


class _Blocks(NamedTuple):
    """A player's blocks, sorted by own sequences; a block has at most HANDS own hands."""

    table: np.ndarray  # [B, 2P + 1], the columns of `SequenceForm.blocks`
    scale: np.ndarray  # [B]
    matrix: np.ndarray  # [X]

    @property
    def size(self) -> int:
        """Memory in bytes, with indices of four bytes."""
        return 4 * self.table.size + 8 * (len(self.scale) + len(self.matrix))


def _blocks_of(ends: _Ends, player: int, chosen: np.ndarray, values: np.ndarray) -> _Blocks:
    """Return a player's blocks at some public ends; values: `[E]` its payoffs."""
    others = [other for other in range(ends.corner.shape[1]) if other != player]
    width = ends.widths(player)
    length = ends.sizes[:, others].prod(axis=1) * width
    chosen = chosen[np.lexsort((ends.corner[chosen, player], length[chosen]))]
    start = np.zeros(len(ends.corner), dtype=np.int64)
    start[chosen] = np.cumsum(np.append(0, length[chosen]))[:-1]
    inside = np.zeros(len(start), dtype=bool)
    inside[chosen] = True
    mine = np.flatnonzero(inside[ends.number])
    number, column = ends.number[mine], np.zeros(len(mine), dtype=np.int64)
    for other in reversed(others):
        column = column * ends.sizes[number, other] + ends.hands[mine, other]
    matrix = np.zeros(int(length[chosen].sum()))
    matrix[start[number] + column * width[number] + ends.hands[mine, player]] = values[mine]
    place, scale, matrix = _shared(matrix, length[chosen])
    parts = width[chosen] // HANDS
    part = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
    chosen, place, scale = (np.repeat(array, parts) for array in (chosen, place, scale))
    pairs = [table[chosen, other] for other in others for table in (ends.corner, ends.sizes)]
    table = np.stack([ends.corner[chosen, player] + HANDS * part, place + HANDS * part, width[chosen], *pairs], axis=1)
    order = np.argsort(table[:, 0], kind="stable")
    return _Blocks(table[order], scale[order], matrix)


def _shared(matrix: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Store matrices that are equal but for a factor once; return their places, factors and numbers.

    matrix: the B matrices, one after the other. lengths: `[B]` their sizes, rising.
    """
    places, scales, kept, used, start = [np.zeros(0, np.int64)], [np.zeros(0)], [np.zeros(0)], 0, 0
    for length, count in zip(*np.unique(lengths, return_counts=True), strict=True):
        rows = matrix[start : start + length * count].reshape(count, length)
        unit, scale = _units(rows)
        distinct, number = np.unique(unit, return_inverse=True)
        places.append(used + number * length)
        scales.append(scale)
        kept.append(rows[distinct].ravel())
        used, start = used + len(distinct) * length, start + length * count
    return np.concatenate(places), np.concatenate(scales), np.concatenate(kept)


def _units(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return `[B]` a row that each row is a multiple of, and `[B]` the factor."""
    number = np.arange(len(rows))
    top = rows[number, np.abs(rows).argmax(axis=1)]
    top[top == 0] = 1.0
    digits = np.rint(rows / top[:, None] * 2.0**40).astype(np.int64)
    mixing = np.random.default_rng(0).integers(2**62, size=rows.shape[1]) * 2 + 1
    _, first, group = np.unique((digits * mixing).sum(axis=1), return_index=True, return_inverse=True)
    unit = first[group]
    scale = top / top[unit]
    short = scale.astype(np.float32).astype(np.float64)  # ratios of pots: most are short numbers, but for round-off
    scale = np.where(np.abs(short - scale) <= _EQUAL * np.abs(scale), short, scale)
    differs = (np.abs(rows - scale[:, None] * rows[unit]) > _EQUAL * np.abs(top)[:, None]).any(axis=1)
    return np.where(differs, number, unit), np.where(differs, 1.0, scale)


def _packed(parts: list[_Blocks]) -> dict[str, np.ndarray]:
    """Return the arrays of all players' blocks by name."""
    columns, before = 2 * len(parts) + 1, 0
    for part in parts:
        part.table[:, 1] += before
        before += len(part.matrix)
    return {
        "block_span": np.cumsum([0, *(len(part.table) for part in parts)]),
        "blocks": np.concatenate([*(part.table for part in parts), np.full((1, columns), 2**32 - 1)]),
        "block_matrix": np.concatenate([part.matrix for part in parts]),
        "block_scale": np.concatenate([part.scale for part in parts]),
    }


def groups_of_equal(rows: np.ndarray, span: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the order that sorts rows of sequences, and the start of each run of equal rows."""
    top = float(span[-1]) ** rows.shape[1]
    if top < 2**63:  # packed numbers sort several times as fast as columns
        packed = np.zeros(len(rows), dtype=np.int64)
        for column in rows.T:
            packed = packed * int(span[-1]) + column
        order = np.argsort(packed, kind="stable")
        changes = np.diff(packed[order]) != 0
    else:
        order = np.lexsort(rows.T[::-1])
        changes = np.any(np.diff(rows[order], axis=0) != 0, axis=1)
    return order, np.append(0, np.flatnonzero(changes) + 1)[: len(rows)]
