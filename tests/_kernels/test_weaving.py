"""Kernels that are woven of pieces, and the rows of numbers they work on: the same as NumPy and plain Python."""

from typing import NamedTuple

import numpy as np
import pytest
from numba.core.caching import NullCache
from numba.core.errors import TypingError

from tefuda._kernels.lanes import (
    TURNED,
    WIDTH,
    every,
    gains,
    larger,
    most,
    numbers,
    put,
    ratio,
    row,
    set_row,
    sizes,
    some,
    take,
    turn,
    where,
)
from tefuda._kernels.weaving import weave, woven


def compiled(name, whole, **constants):
    """A kernel that is not kept on disk: what is kept is told apart by the sources of the package alone."""
    kernel = weave(name, whole, **constants)
    kernel._cache = NullCache()
    return kernel


class Pair(NamedTuple):
    table: np.ndarray
    order: np.ndarray


@woven
def sum_of(table, line, total):
    """A line's sum but for its third number."""
    for column in range(table.shape[1]):
        if column == 2:
            continue
        total = total + table[line, column]
    return total


@woven
def doubled(out, place):
    """A place of an array, made twice as much."""
    out[place] *= 2
    return out[place]


@woven
def sums(pair, many, out, twice):
    """Sums of every second line up to the sixth; then lines from the last to the first."""
    found = 0.0
    for line in range(1, many, 2):
        found = sum_of(pair.table, line, found)
        out[line] = found
        if line == 5:
            break
    for line in range(many - 1, -1, -3):
        out[line] += pair.order[line]
    if twice:
        doubled(out, 0)  # what it returns nobody wants, and what follows is done
    out[1] += 0.5


def test_loops_and_tuples():
    """Steps, `continue`, `break`, counting down; what constants leave out; arrays of a named tuple."""
    pair = Pair(np.arange(40.0).reshape(10, 4), np.arange(100, 110))
    wanted = np.zeros(10)
    wanted[[1, 3, 5]] = np.cumsum([pair.table[line, [0, 1, 3]].sum() for line in (1, 3, 5)])
    wanted[[9, 6, 3, 0]] += pair.order[[9, 6, 3, 0]]
    for twice in (False, True):
        out = np.zeros(10)
        compiled(f"sums_{twice}", sums, twice=twice)(pair, 10, out)
        assert out.tolist() == [wanted[0] * (1 + twice), wanted[1] + 0.5, *wanted[2:]]


@woven
def mixed(wide, short, counts, out, left):
    """Rows of all kinds of numbers, of which some count."""
    one, two, three = take(wide, 3, left, out), take(short, 1, left, out), take(counts, 2, left, out)
    set_row(out, 0, one)
    set_row(out, WIDTH, two + three)
    set_row(out, 2 * WIDTH, where(one, two, one, two))
    set_row(out, 3 * WIDTH, gains(wide, 3, left, out) * 2 - ratio(two, every(4, out)))
    set_row(out, 6 * WIDTH, numbers(gains(short, 1, left, out) + gains(counts, 2, left, out), out))
    set_row(out, 7 * WIDTH, larger(sizes(row(out, 3 * WIDTH), left), sizes(two, 3)))
    put(short, 40, left, one)
    put(counts, 40, left, gains(wide, 3, left, out) * 1000)
    put(out, 4 * WIDTH, left, row(out, 2 * WIDTH))
    out[5 * WIDTH], out[5 * WIDTH + 1] = most(one), some(one)


def test_rows():
    """Lanes that do not count are 0 when read and left alone when written; integers are rounded, half to even."""
    kernel = compiled("mixed", mixed)
    rng = np.random.default_rng(0)
    wide, counts = rng.integers(-60_000, 60_000, 60) / 4, rng.integers(0, 65536, 60).astype(np.uint16)
    wide[3:5] = -2.5, 1.5
    short = rng.integers(-32768, 32768, 60).astype(np.int16)
    for left in (0, 1, 5, WIDTH - 1, WIDTH, 40):
        mask, out, whole, many = np.arange(WIDTH) < left, np.full(8 * WIDTH, 7, np.float32), short.copy(), counts.copy()
        kernel(wide, whole, many, out, left)
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
        assert found[5, :2].tolist() == [one.max(), (one > 0).any()]
        assert np.array_equal(whole[40:56], np.where(mask, np.rint(one), short[40:56]))
        assert np.array_equal(np.delete(whole, range(40, 56)), np.delete(short, range(40, 56)))
        few = np.maximum(one, 0) * 1000 < 65535
        assert np.array_equal(
            many[40:56][few | ~mask], np.where(mask, np.maximum(one, 0) * 1000, counts[40:56])[few | ~mask]
        )


def test_arrays_with_gaps_are_refused():
    short, counts, out = np.zeros(60, np.int16), np.zeros(60, np.uint16), np.zeros(6 * WIDTH, np.float32)
    with pytest.raises(TypingError):
        compiled("mixed", mixed)(np.zeros(120)[::2], short, counts, out, 3)


@woven
def turned(to, of, starts):
    """Eight rows from here and there as columns."""
    turn(to, 3, 20, of, starts, 2, 1)


@pytest.mark.parametrize("number", ["float32", "float64"])
def test_turn(number):
    of, to = np.random.default_rng(0).random(300).astype(number), np.zeros(200, number)
    starts = np.array([0, 0, 150, 7, 60, 61, 250, 0, 33, 120])
    compiled("turned", turned)(to, of, starts)
    wanted = np.zeros(200, number)
    for column, start in enumerate(starts[2:]):
        for place in range(TURNED):
            wanted[3 + 20 * place + column] = of[start + 1 + place]
    assert np.array_equal(to, wanted)
