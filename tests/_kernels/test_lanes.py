"""Vectors in kernels: equality with NumPy."""

import numpy as np
import pytest
from numba.core.errors import TypingError

from tefuda._kernels.jit import kernel
from tefuda._kernels.lanes import (
    HALF,
    TRANSPOSED,
    WIDTH,
    absolute_values,
    any_nonzero,
    broadcast,
    convert,
    lane_maximum,
    load_half,
    load_part,
    load_vector,
    maximum,
    multiply_add,
    positive_part,
    select,
    store_part,
    store_vector,
    transpose,
    zero_half,
)


@kernel
def mixed(wide, short, counts, out, left):
    """Use every operation on vectors of all types, with `left` lanes."""
    one, two, three = load_part(wide, 3, left, out), load_part(short, 1, left, out), load_part(counts, 2, left, out)
    store_vector(out, 0, one)
    store_vector(out, WIDTH, two + three)
    store_vector(out, 2 * WIDTH, select(one, two, one, two))
    store_vector(out, 3 * WIDTH, positive_part(wide, 3, left, out) * 2 - two / broadcast(4, out))
    store_vector(out, 6 * WIDTH, convert(positive_part(short, 1, left, out) + positive_part(counts, 2, left, out), out))
    store_vector(
        out, 7 * WIDTH, lane_maximum(absolute_values(load_vector(out, 3 * WIDTH), left), absolute_values(two, 3))
    )
    store_part(short, 40, left, one)
    store_part(counts, 40, left, positive_part(wide, 3, left, out) * 1000)
    store_part(out, 4 * WIDTH, left, load_vector(out, 2 * WIDTH))
    out[5 * WIDTH], out[5 * WIDTH + 1] = maximum(one), any_nonzero(one)


def test_vectors_equal_numpy():
    """Lanes beyond the end read as 0 and are not written; integers are rounded half to even."""
    rng = np.random.default_rng(0)
    wide, counts = rng.integers(-60_000, 60_000, 60) / 4, rng.integers(0, 65536, 60).astype(np.uint16)
    wide[3:5] = -2.5, 1.5
    short = rng.integers(-32768, 32768, 60).astype(np.int16)
    for left in (0, 1, 5, WIDTH - 1, WIDTH, 40):
        mask, out, whole, many = np.arange(WIDTH) < left, np.full(8 * WIDTH, 7, np.float32), short.copy(), counts.copy()
        mixed(wide, whole, many, out, left)
        one, two, three = (np.where(mask, of[start : start + WIDTH], 0).astype(np.float32) for of, start in (
            (wide, 3), (short, 1), (counts, 2),
        ))  # fmt: skip
        found = out.reshape(8, WIDTH)
        assert np.array_equal(found[0], one) and np.array_equal(found[1], two + three)
        assert np.array_equal(found[2], np.maximum(one, two))
        assert np.array_equal(found[3], np.maximum(one, 0) * 2 - two / 4)
        assert np.array_equal(found[6], np.maximum(two, 0) + three)
        alone = np.where(mask, np.abs(found[3]), 0)
        assert np.array_equal(found[7], np.maximum(alone, np.where(np.arange(WIDTH) < 3, np.abs(two), 0)))
        assert np.array_equal(found[4], np.where(mask, found[2], 7))
        assert found[5, :2].tolist() == [one.max(), (one != 0).any()]
        assert np.array_equal(whole[40:56], np.where(mask, np.rint(one), short[40:56]))
        assert np.array_equal(np.delete(whole, range(40, 56)), np.delete(short, range(40, 56)))
        few = np.maximum(one, 0) * 1000 < 65535
        assert np.array_equal(
            many[40:56][few | ~mask], np.where(mask, np.maximum(one, 0) * 1000, counts[40:56])[few | ~mask]
        )


def test_arrays_with_gaps_are_refused():
    short, counts, out = np.zeros(60, np.int16), np.zeros(60, np.uint16), np.zeros(6 * WIDTH, np.float32)
    with pytest.raises(TypingError):
        mixed(np.zeros(120)[::2], short, counts, out, 3)


@kernel
def halves(values, number, left):
    """Multiply half vectors by a number, add them up, and store `left` lanes."""
    total = multiply_add(load_half(values, 1), number, zero_half(values))
    store_part(values, 20, left, multiply_add(load_half(values, 2), 2, total))


@pytest.mark.parametrize("number", ["float32", "float64"])
def test_half_vectors_equal_numpy(number):
    for left in (0, 3, HALF, 40):
        values = np.random.default_rng(0).random(40).astype(number)
        expected, lanes = values.copy(), min(left, HALF)
        expected[20 : 20 + lanes] = (values[1 : 1 + HALF] * 0.75 + 2 * values[2 : 2 + HALF])[:lanes]
        halves(values, 0.75, left)
        assert values == pytest.approx(expected, rel=1e-6 if number == "float32" else 1e-15)
        assert np.array_equal(np.delete(values, range(20, 20 + lanes)), np.delete(expected, range(20, 20 + lanes)))


@kernel
def turned(to, of, starts):
    """Return eight scattered rows as columns."""
    transpose(to, 3, 20, of, starts, 2, 1)


@pytest.mark.parametrize("number", ["float32", "float64"])
def test_transpose_of_a_block(number):
    of, to = np.random.default_rng(0).random(300).astype(number), np.zeros(200, number)
    starts = np.array([0, 0, 150, 7, 60, 61, 250, 0, 33, 120])
    turned(to, of, starts)
    wanted = np.zeros(200, number)
    for column, start in enumerate(starts[2:]):
        for place in range(TRANSPOSED):
            wanted[3 + 20 * place + column] = of[start + 1 + place]
    assert np.array_equal(to, wanted)
