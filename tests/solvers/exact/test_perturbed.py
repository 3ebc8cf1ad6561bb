"""Equilibria of players with trembling hands, and exact limits with exploration."""

from itertools import product

import numpy as np
import pytest

import tefuda as td
from tefuda.solvers.exact.fictitious import FictitiousPlay
from tefuda.solvers.exact.perturbed import trembling, trembling_equilibrium
from tests.conftest import compiled, refused


def test_trembling_responses(leduc):
    """Unaware and aware trembling responses with eps .1."""
    for aware, rows in (
        (False, {10: 1.9178, 100: 0.6175, 1000: 0.2726}),
        (True, {10: 1.9003, 100: 0.5719, 1000: 0.2984}),
    ):
        solver = td.make_solver(leduc, FictitiousPlay(tremble=0.1, aware=aware))
        for t, expected in rows.items():
            solver.advance(t - solver.iterations)
            assert td.nash_conv(solver.average()) == pytest.approx(expected, abs=1e-3 if t < 1000 else 0.03 * expected)


LIMITS = [
    ("aware", (0.0242, 0.1290, 0.2727)),
    ("unaware", (0.0125, 0.0720, 0.1693)),
    ("anticipatory", (0.0028, 0.0140, 0.0277)),
]


@pytest.mark.parametrize("kind, floors", LIMITS)
def test_exact_limits(leduc, kind, floors):
    """Compare the exact limits of learners that never stop exploring."""
    for epsilon, floor, tolerance in zip((0.01, 0.05, 0.1), floors, (0.0005, 0.0005, 0.001), strict=True):
        profile = trembling_equilibrium(leduc, kind, epsilon, iterations=32_000)
        assert td.nash_conv(profile) == pytest.approx(floor, abs=tolerance)


def test_equilibrium_mixed_with_uniform_play(leduc):
    """CFR+ and the LP (.704) find different equilibria, so the third digit differs."""
    profile = td.solve(leduc, "cfr+", iterations=20_000).strategy
    assert td.nash_conv(trembling(profile, 0.1)) == pytest.approx(0.655, abs=0.003)
    with refused(td.errors.ParameterError, key="kind", value="drunk"):
        trembling_equilibrium(leduc, "drunk", 0.1)


def plans(tree, player):
    """Yield all pure strategies of a player of Kuhn poker, uniform for the opponent."""
    own = tree.infosets_of(player)
    for actions in product(range(2), repeat=len(own)):
        probabilities = np.full(tree.rows, 0.5)
        for infoset, action in zip(own, actions, strict=True):
            probabilities[tree.rows_of(infoset)] = np.eye(2)[action]
        yield td.Profile(tree, probabilities)


@pytest.mark.parametrize("kind", ["aware", "unaware"])
def test_averages_contain_the_trembles(kuhn, kind):
    """Every action has at least probability epsilon / 2.

    Without its trembles, a strategy is best: among trembling strategies if the player knows of
    the trembles, else among all strategies.
    """
    epsilon = 0.2
    found = trembling_equilibrium(kuhn, kind, epsilon, iterations=4000)
    assert found.probabilities.min() >= epsilon / 2 - 1e-12
    choices = td.Profile(kuhn, np.clip((found.probabilities - epsilon / 2) / (1 - epsilon), 0, 1))
    for player in range(2):

        def gain(plan, player=player):
            played = trembling(plan, epsilon) if kind == "aware" else plan
            return td.values(found.replace(player, played))[player]

        assert max(map(gain, plans(kuhn, player))) - gain(choices) < 1e-3
    assert choices.probabilities.min() < 0.01  # only trembles play this action


def test_anticipatory_averages_contain_no_trembles(kuhn):
    """A jack never calls and a king always does, whatever the opponent's trembles."""
    found = trembling_equilibrium(kuhn, "anticipatory", 0.2, iterations=4000)
    assert list(found["1: J|b"].values()) == pytest.approx([1, 0], abs=1e-3)
    assert list(found["1: K|b"].values()) == pytest.approx([0, 1], abs=1e-3)


def test_games_without_a_claim_are_refused():
    """Averages of CFR+ need not be an equilibrium with three players or without a constant sum."""
    with pytest.raises(td.errors.GameError, match="players"):
        trembling_equilibrium(compiled("kuhn", players=3), "aware", 0.1)
    general = td.compile_game(td.load_game("matrix", payoffs=[[[3, 3], [0, 5]], [[5, 0], [1, 1]]]))
    with pytest.raises(td.errors.GameError, match="constant-sum"):
        trembling_equilibrium(general, "anticipatory", 0.1)


@pytest.mark.parametrize("name", ["kuhn_raise", "leduc"])
def test_cfr_with_floors_is_the_aware_equilibrium(name):
    """CFR+ with floor= converges to the same game: equal values with trembles, in 3,000 iterations."""
    solver = td.make_solver(compiled(name), td.find_method("cfr+", {"floor": 0.03}))
    solver.advance(3000)
    one, other = (
        trembling(solver.average(), 0.03),
        trembling_equilibrium(compiled(name), "aware", 0.03, iterations=3000),
    )
    assert td.values(one) == pytest.approx(td.values(other), abs=1e-4)
    assert td.nash_conv(one) == pytest.approx(td.nash_conv(other), rel=0.01)


def test_floors_are_refused_where_they_have_no_effect():
    for changes in ({"floor": -0.1}, {"floor": 0.6}, {"floor": float("nan")}):
        with refused(td.errors.ParameterError, key="floor"):
            td.find_method("cfr+", changes)
    with pytest.raises(td.errors.ParameterError):
        td.find_method("cfr-br", {"floor": 0.01})
    with pytest.raises(td.errors.ParameterError):
        td.solvers.trace(compiled("kuhn"), td.find_method("cfr+", {"floor": 0.01}))
