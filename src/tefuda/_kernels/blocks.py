"""The part of a traversal that multiplies blocks of leaves by reaches, in vectors of hands.

Callers name it by `jit.LazyKernel`, because lanes.py imports numba.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.jit import inlined, kernel
from tefuda._kernels.lanes import HALF, load_half, multiply_add, store_part, zero_half
from tefuda._kernels.sequence import BLOCK_SCALE, BLOCKS, PLAYERS, rest

ONE, TWO, THREE, FOUR, FIVE = (np.uint64(number) for number in range(1, 6))
WHOLE = np.uint64(HALF)


@kernel(refcounts=False)
def gather_blocks(index, values, state, first, end, x, u, block, stop):
    """Fill u[q] for first <= q < end with the sums over the blocks block, ..., stop - 1.

    The blocks are sorted by own sequences. A vector may reach beyond the sequences of its block: there it writes zeros
    before the next block is written.
    """
    columns, scales = TWO * index[PLAYERS] + ONE, rest(values, index[BLOCK_SCALE])
    table, x, u = rest(index, index[BLOCKS]), rest(state, x), rest(state, u)
    at, written = block * columns, first
    while block < stop:
        own = np.uint64(table[at])
        for q in range(written, own):
            u[q] = 0.0
        written = own + WHOLE
        total = zero_half(values)
        while True:
            place, width = np.uint64(table[at + ONE]), np.uint64(table[at + TWO])
            other, count = np.uint64(table[at + THREE]), np.uint64(table[at + FOUR])
            if columns > FIVE:
                total = add_combinations(table, at, columns, scales[block], values, x, total)
            elif count == FIVE:  # a known number of columns is unrolled: a tenth of the time on Leduc poker
                total = multiply_add(product(values, place, width, x, other, FIVE), scales[block], total)
            else:
                total = multiply_add(product(values, place, width, x, other, count), scales[block], total)
            block += ONE
            at += columns
            if table[at] != own:
                break
        store_part(u, own, end - own, total)
    for q in range(written, end):
        u[q] = 0.0


@inlined
def product(matrix, place, width, x, first, count):
    """Return HALF numbers of a matrix times count numbers of x; a column has `width` numbers."""
    even, odd = zero_half(matrix), zero_half(matrix)  # two sums hide the latency of additions
    q, stop = first, first + count
    while q + ONE < stop:
        even = multiply_add(load_half(matrix, place), x[q], even)
        odd = multiply_add(load_half(matrix, place + width), x[q + ONE], odd)
        place += width + width
        q += TWO
    if q < stop:
        even = multiply_add(load_half(matrix, place), x[q], even)
    return even + odd


@inlined
def add_combinations(table, at, columns, scale, matrix, x, total):
    """Add to `total` a block's product for each combination of hands of all opponents but the first."""
    place, width = np.uint64(table[at + ONE]), np.uint64(table[at + TWO])
    other, count = np.uint64(table[at + THREE]), np.uint64(table[at + FOUR])
    combinations, column = ONE, at + FIVE
    while column < at + columns:
        combinations *= table[column + ONE]
        column += TWO
    for combination in range(combinations):
        reach, left, column = scale, combination, at + FIVE
        while column < at + columns:
            size = table[column + ONE]
            reach *= x[table[column] + left % size]
            left = left // size
            column += TWO
        total = multiply_add(product(matrix, place, width, x, other, count), reach, total)
        place += width * count
    return total
