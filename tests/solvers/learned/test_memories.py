"""Memories of learners: order, uniformity, unwritten rows, files for large columns."""

import numpy as np
import pytest

import tefuda as td
from tefuda.solvers.learned import memories


def test_the_ring_contains_the_last_rows():
    """Rows are in order and wrap around; columns that are not given stay unchanged."""
    ring = memories.RingBuffer(5, {}, number=((), np.int64), continues=((2,), np.float32))
    for start in (0, 4, 8):
        ring.add(number=np.arange(start, start + 4))
    assert sorted(ring.columns["number"]) == [7, 8, 9, 10, 11] and ring.columns["number"][11 % 5] == 11
    assert ring.size == 5 and ring.offered == 12


def test_the_reservoir_is_uniform():
    """Each of 3,000 rows is equally likely (chi-square, 29 degrees of freedom, p = .001)."""
    counts, rng = np.zeros(30), np.random.default_rng(2)
    for _ in range(300):
        reservoir = memories.Reservoir(100, {}, number=((), np.int64))
        for start in range(0, 3000, 60):
            reservoir.offer(rng, number=np.arange(start, start + 60) // 100)
        counts += np.bincount(reservoir.columns["number"], minlength=30)
    assert (((counts - 1000) ** 2) / 1000).sum() < 58.3


@pytest.mark.parametrize("kind", [memories.RingBuffer, memories.Reservoir])
def test_only_filled_rows_are_drawn(kind):
    """Three of a thousand rows are filled, and only those are drawn."""
    memory, rng = kind(1000, {}, number=((), np.int64)), np.random.default_rng(3)
    rows = {"number": np.array([7, 8, 9])}
    memory.add(**rows) if kind is memories.RingBuffer else memory.offer(rng, **rows)
    (drawn,) = memory.sample(5000, rng)
    assert set(drawn) == {7, 8, 9} and set(memory.filled_rows()["number"]) == {7, 8, 9}


def test_large_columns_lie_in_files(monkeypatch):
    monkeypatch.setattr(memories, "_LARGE", 2000)
    memory = memories.RingBuffer(1000, {}, number=((2,), np.float32), small=((), np.int8))
    assert isinstance(memory.columns["number"], np.memmap) and not isinstance(memory.columns["small"], np.memmap)
    memory.add(number=np.ones((1500, 2)), small=np.arange(1500) % 9)
    assert memory.columns["number"].sum() == 2000


def test_states_are_checked():
    """A saved state is restored; too few rows and numbers out of range are refused."""
    memory, other = (memories.RingBuffer(10, {"unit": (0, 3)}, unit=((), np.int64)) for _ in range(2))
    memory.add(unit=np.arange(4))
    state = memory.state()
    other.check(state)
    other.restore(state)
    assert other.filled_rows()["unit"].tolist() == [0, 1, 2, 3] and other.offered == 4
    short, out = {**state, "unit": state["unit"][:3]}, {**state, "unit": state["unit"] + 1}
    for forged in (short, out, {"offered": state["offered"]}):
        with pytest.raises(td.errors.RunError):
            other.check(forged)
