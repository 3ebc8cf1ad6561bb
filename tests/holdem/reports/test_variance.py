"""Variance of results: twins by loops and simulation, closed forms, and the report that has them."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from tefuda.holdem import HandCollection, read_histories
from tefuda.holdem.reports.variance import HORIZONS, downswings, loss_probability, session_interval

FOLDER = Path(__file__).parents[2] / "data" / "hands44"


def swings(results):
    """Largest drop, longest stretch below a peak and last drop, hand by hand."""
    total = peak = deepest = below = longest = 0
    for result in results:
        total += result
        below = 0 if total >= peak else below + 1
        peak = max(peak, total)
        deepest, longest = max(deepest, peak - total), max(longest, below)
    return deepest, longest, peak - total


@pytest.mark.parametrize("seed", range(20))
def test_downswings_hand_by_hand(seed):
    results = np.random.default_rng(seed).integers(-3, 4, size=seed * 7).astype(float)
    assert downswings(results) == swings(results.tolist())


def test_downswings_by_hand():
    """Two hands are below the peak of 1; the end is 2 below the peak of 2."""
    assert downswings(np.array([1.0, -1, -1, 3, -2])) == (2, 2, 2)
    assert downswings(np.zeros(0)) == (0, 0, 0)


def test_loss_probability():
    """The normal law, and the share of losses when the mean is drawn from its own law first."""
    results = np.tile([-1.0, 1.5], 500)
    mean, deviation = results.mean(), results.std(ddof=1)
    exact = norm.cdf(-mean / (deviation * math.sqrt(1 / 2000 + 1 / 1000)))
    assert loss_probability(results, 2000) == pytest.approx(exact, abs=1e-12)
    rng = np.random.default_rng(1)
    means = mean + deviation / math.sqrt(1000) * rng.standard_normal(200_000)
    sums = 2000 * means + deviation * math.sqrt(2000) * rng.standard_normal(200_000)
    assert abs((sums < 0).mean() - exact) < 4 * math.sqrt(exact * (1 - exact) / 200_000)
    assert loss_probability(np.ones(5), 100) == 0 and loss_probability(-np.ones(5), 100) == 1
    assert math.isnan(loss_probability(np.ones(1), 100))


def test_session_interval():
    """For sessions of one length it is that of the mean of their results."""
    sums = np.random.default_rng(2).normal(3, 10, size=400)
    low, high = session_interval(sums, np.full(400, 50))
    assert (low + high) / 2 == pytest.approx(2 * sums.mean(), abs=0.1)
    assert high - low == pytest.approx(2 * 1.96 * 2 * sums.std() / 20, rel=0.1)
    assert session_interval(sums, np.full(400, 50)) == (low, high) != session_interval(sums, np.full(400, 50), seed=1)
    assert all(map(math.isnan, session_interval(np.ones(1), np.ones(1))))
    assert session_interval(np.ones(3), np.full(3, 4)) == (25, 25)


def test_variance_of_the_samples():
    hands = read_histories(FOLDER)
    report = hands.report("Ash")
    found, graph = report.variance, hands.graph("Ash")
    results = np.diff(graph.net, prepend=0.0)
    assert (found.deepest, found.longest, found.current) == pytest.approx(swings(results.tolist()))
    assert found.sessions == len({*hands.table().of("Ash").sessions.tolist()}) - 2  # of two tournaments
    assert found.session_interval[0] < report.total.per_100 < found.session_interval[1]
    assert [*found.loss] == [*HORIZONS] and found.loss[1000] > found.loss[100_000] > 0
    assert json.loads(json.dumps(report.summary()))["variance"]["loss"]["1000"] == found.loss[1000]
    assert HandCollection().report("*").variance is None
