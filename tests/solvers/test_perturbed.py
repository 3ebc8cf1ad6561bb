"""Equilibria of players whose hands tremble, and exact limits with exploration."""

import pytest

import tefuda as tf
from tefuda.solvers.fictitious import FictitiousPlay
from tefuda.solvers.perturbed import trembling, trembling_equilibrium


def test_trembling_responses(leduc):
    """Unaware trembles, eps .1; and aware ones by the table of section 1.7."""
    for aware, rows in (
        (False, {10: 1.9178, 100: 0.6175, 1000: 0.2726}),
        (True, {10: 1.9003, 100: 0.5719, 1000: 0.2984}),
    ):
        solver = tf.make_solver(leduc, FictitiousPlay(tremble=0.1, aware=aware))
        for t, expected in rows.items():
            solver.advance(t - solver.iterations)
            assert tf.nash_conv(leduc, solver.average()) == pytest.approx(
                expected, abs=1e-3 if t < 1000 else 0.03 * expected
            )


LIMITS = [
    ("aware", (0.0242, 0.1290, 0.2727)),
    ("unaware", (0.0125, 0.0720, 0.1693)),
    ("calm", (0.0028, 0.0140, 0.0277)),
]


@pytest.mark.parametrize("kind, floors", LIMITS)
def test_exact_limits(leduc, kind, floors):
    """Where learners end that explore for ever."""
    for epsilon, floor, tolerance in zip((0.01, 0.05, 0.1), floors, (0.0005, 0.0005, 0.001), strict=True):
        profile = trembling_equilibrium(leduc, kind, epsilon, iterations=32_000)
        assert tf.nash_conv(leduc, profile) == pytest.approx(floor, abs=tolerance)


def test_equilibrium_mixed_with_uniform_play(leduc):
    """CFR+'s equilibrium; another has another third digit, a vertex of the LP's .704."""
    profile = tf.solve(leduc, "cfr+", iterations=20_000).profile
    assert tf.nash_conv(leduc, trembling(profile, 0.1)) == pytest.approx(0.655, abs=0.003)
    with pytest.raises(tf.ParameterError, match="aware, unaware or calm"):
        trembling_equilibrium(leduc, "drunk", 0.1)
