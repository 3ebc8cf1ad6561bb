"""Exact trunks: bounds that converge to the game's value, and plans that prove them."""

import numpy as np
import pytest

import tefuda as td
from tefuda.evaluating.augmented import best_response_values
from tefuda.forms.subgame import subgame
from tefuda.resolving.limited.equilibria import EquilibriumSolver, region_response_values
from tefuda.resolving.limited.planes import enclose
from tefuda.resolving.limited.trunk import resolving_lookahead, root_lookahead, trunk_of
from tests.conftest import compiled

GAMES = [
    ("kuhn", {}, 1),
    ("kuhn", {}, 2),
    ("rps", {}, 1),
    ("leduc", {}, "deal"),
    ("leduc", {}, 2),
    ("liars_dice", {"sides": 3}, 2),
    ("goofspiel", {"cards": 3}, 2),
]


def whole(ahead, found):
    """Return the plans above and below a cut as one profile."""
    weights = np.zeros(ahead.trunk.tree.rows)
    for region, plans in zip((ahead.form, *ahead.trunk.below), (found.plans, *found.below), strict=True):
        weights[region.rows] = plans[region.sequence]
    return td.Profile.from_weights(ahead.trunk.tree, weights)


@pytest.mark.parametrize("name, parameters, cut", GAMES)
def test_exact_values_at_the_cut_give_the_equilibrium(name, parameters, cut):
    tree = compiled(name, **parameters)
    ahead = root_lookahead(trunk_of(tree, cut))
    found = enclose(ahead)
    value = td.exploiting.game_value(tree, 0) - tree.payoffs[0].mean()
    assert found.lower == pytest.approx(value, abs=1e-8) and found.upper == pytest.approx(value, abs=1e-8)
    assert td.nash_conv(whole(ahead, found)) <= 1e-8


@pytest.mark.parametrize("tolerance", [0.3, 0.05, 0.02])
def test_bounds_include_unfinished_work(tolerance):
    """The bounds enclose the value before they meet."""
    tree = compiled("leduc")
    ahead = root_lookahead(trunk_of(tree, "deal"))
    found, value = enclose(ahead, tolerance=tolerance), td.exploiting.game_value(tree, 0)
    assert found.lower <= value + 1e-9 and found.upper >= value - 1e-9
    assert 0 < found.upper - found.lower <= tolerance * ahead.form.scale


def test_plans_prove_the_bounds_at_any_time():
    tree = compiled("leduc")
    ahead = root_lookahead(trunk_of(tree, "deal"))
    found = enclose(ahead, seconds=0)
    gains = td.evaluate(whole(ahead, found))
    assert found.upper - found.lower > 1
    assert gains.best[1] <= -found.lower + 1e-9 and gains.best[0] <= found.upper + 1e-9


@pytest.mark.parametrize("state", ["0: KQ|cc/", "1: K|r", "0: K|cr"])
def test_equilibria_of_a_subgame(state):
    tree = compiled("leduc")
    region = trunk_of(tree, 10**6, int(subgame(tree, state).public_state)).region
    solved, rng = EquilibriumSolver(region), np.random.default_rng(0)
    values = []
    for _ in range(5):
        ranges = rng.dirichlet(np.ones(region.starts(0))), rng.dirichlet(np.ones(region.starts(1)))
        plans = solved.plans(ranges)
        best = region_response_values(region, plans)
        assert ranges[0] @ best[0] == pytest.approx(-(ranges[1] @ best[1]), abs=1e-12)  # no response gains
        values.append((ranges, best))
    (_, others), best = values[1]  # plans contain all ranges below
    for own in np.eye(region.starts(0)):
        assert own @ region_response_values(region, solved.plans((own, others)))[0] <= own @ best[0] + 1e-12


@pytest.mark.parametrize("player", [0, 1])
def test_resolving_never_helps_the_opponent(player):
    tree = compiled("leduc")
    blueprint = td.solve(tree, "cfr+", iterations=10).strategy
    reach = td.evaluating.reach(blueprint)
    for there in trunk_of(tree, "deal").subgames:
        trunk = trunk_of(tree, "deal", there.public_state)
        own = np.zeros(there.augmented_count(player))
        own[there.augmented_infosets[player]] = reach.own[there.roots, player]
        before = best_response_values(there, blueprint, 1 - player)
        ahead = resolving_lookahead(trunk, player, own, before)
        rows, found = ahead.form.rows, enclose(ahead)
        weights = blueprint.probabilities.copy()
        mine = tree.player_of_row[rows] == player
        weights[rows[mine]] = found.plans[ahead.form.sequence[mine]]
        after = best_response_values(there, td.Profile.from_weights(tree, weights), 1 - player)
        margin = (found.lower if player == 0 else -found.upper) * own.sum()
        assert (before - after).min() == pytest.approx(margin, abs=1e-9) and margin >= -1e-10
