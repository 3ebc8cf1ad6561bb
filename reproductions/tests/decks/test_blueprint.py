"""Linear CFR with shared regrets: twins of the solver over hands, and sampled boards without bias."""

from functools import cache

import numpy as np
import pytest

from tefuda.holdem.kernels import arrays
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.solver import HandSolver
from tefuda_reproductions.decks.blueprint import LINEAR, SharedSolver
from tefuda_reproductions.decks.buckets import buckets, cells, small_deck


@cache
def compiled():
    return compile_spot(small_deck(), isomorphism=False)


def test_hands_that_share_nothing():
    """With a cell for each number it is linear CFR over hands, until regrets that cancel are round-off."""
    alone, shared = HandSolver(compiled(), LINEAR), SharedSolver(compiled(), np.arange(compiled().stored))
    for solver in (alone, shared):
        solver.advance(2)
    assert 3 * alone.arrays()["regrets"] == pytest.approx(shared._regrets_by_cell, abs=1e-12)
    assert 2 * alone.arrays()["sums"] == pytest.approx(shared.arrays()["sums"], abs=1e-12)


def test_hands_of_a_bucket_play_alike():
    cell = cells(compiled(), buckets(compiled(), (6, 6, 6)))
    solver = SharedSolver(compiled(), cell)
    solver.advance(20)
    average = solver.average()
    (bucket,), (hands, *_) = buckets(compiled(), (6, 6, 6))[:1], compiled().contexts[0].hands
    for shares in average.probabilities("Check/Bet(200)").values():
        assert all(len({*shares[hands][bucket[hands] == number].tolist()}) == 1 for number in range(6))


class EachBoard:
    """A generator that draws a given turn and river."""

    def __init__(self, path):
        self.path = list(path)

    def choice(self, children):
        return self.path.pop(0) if self.path else children[0]


def test_sampled_boards_have_the_regrets_of_all_boards_in_expectation():
    """The mean of the first regrets over all turns and rivers is that of all boards."""
    cell = cells(compiled(), buckets(compiled(), (6, 6, 6)))
    whole, rule = SharedSolver(compiled(), cell), np.zeros((1, arrays.RULE_COLUMNS))
    rule[0, [arrays.POSITIVE, arrays.NEGATIVE, arrays.DECAY, arrays.WEIGHT]] = 1.0
    whole._learn(0, rule, slice(None))
    paths = [(turn, river) for turn in compiled().contexts[0].children for river in compiled().contexts[turn].children]
    total = np.zeros_like(whole._regrets_by_cell)
    for path in paths:
        generator = EachBoard(path)
        sampled = SharedSolver(compiled(), cell, generator)
        sampled._learn(0, rule, sampled._draw(generator))
        total += sampled._regrets_by_cell
    assert len(paths) == 72
    assert total / 72 == pytest.approx(whole._regrets_by_cell, abs=1e-9) and abs(total).max() > 0.01


def test_seeds():
    """A seed gives the same bits; another seed draws other boards."""
    cell = cells(compiled(), buckets(compiled(), (6, 6, 6)))
    found = []
    for seed in (1, 1, 2):
        solver = SharedSolver(compiled(), cell, np.random.default_rng(seed))
        solver.advance(5)
        found.append(solver.average().sums)
    assert np.array_equal(found[0], found[1]) and not np.array_equal(found[0], found[2])
