"""Regions: parts of a game in sequence form, against the values of their histories."""

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.programs import Workspace, gathered, program, realised, responded
from tefuda.forms.sequence import chance_reach, sequence_form
from tefuda.forms.subgame import subgame, subgames
from tefuda.resolving.limited.region import max_margin_gadget, region_of
from tests.conftest import compiled

GAMES = [
    ("kuhn", {}),
    ("kuhn", {"players": 3}),
    ("leduc", {}),
    ("liars_dice", {"sides": 3}),
    ("goofspiel", {"cards": 3}),
]
START = np.zeros(1, dtype=np.int64)


def plans_of(region, profile, ranges):
    """Return the behaviour and realisation probabilities of a profile in a region, from ranges."""
    behaviour = region.spread(profile.probabilities[region.rows])
    return behaviour, realised(region, behaviour, ranges)


def counterfactual_values(region, player, behaviour, plans, extra=None):
    """Return the counterfactual values of a player's augmented infosets under its behaviour strategy."""
    work = Workspace(region, "g u v")
    work["g"][:], work["u"][:] = behaviour, gathered(region, player, plans)
    if extra is not None:
        np.add.at(work["u"], *extra)
    work.run(program(work.layout.fold_mean(player)))
    return work["u"][int(region.span[player]) :][: region.starts(player)]


@pytest.mark.parametrize("name, parameters", GAMES)
def test_a_game_is_a_region_of_itself(name, parameters):
    tree = compiled(name, **parameters)
    form = sequence_form(tree)
    region = region_of(tree, START, np.zeros((tree.players, 1), dtype=np.int64))
    assert region.rows.tolist() == list(range(tree.rows))
    assert [region.starts(player) for player in range(tree.players)] == [1] * tree.players
    for field in ("span", "group_span", "groups", "parent", "infoset", "sequence", "leaf_start", "leaf_other", "pairs"):
        assert np.array_equal(getattr(region, field), getattr(form, field)), field
    assert np.allclose(region.leaf_value, form.leaf_value, rtol=1e-15)  # payoffs less their mean, 0 up to rounding


@pytest.mark.parametrize("name, parameters", GAMES)
def test_values_of_augmented_infosets_are_sums_of_their_histories(name, parameters):
    tree = compiled(name, **parameters)
    profile = td.Profile.random(tree, np.random.default_rng(1))
    found, worth = td.evaluating.reach(profile), td.evaluating.history_values(profile)
    for sub in subgames(tree):
        region = region_of(tree, sub.roots, sub.augmented_infosets)
        ranges = []
        for player in range(tree.players):
            own = np.zeros(sub.augmented_count(player))
            own[sub.augmented_infosets[player]] = found.own[sub.roots, player]
            ranges.append(own)
        behaviour, plans = plans_of(region, profile, ranges)
        for player in range(tree.players):
            wanted = sub.summed(player, found.counterfactual(player)[sub.roots] * worth[sub.roots, player])
            assert counterfactual_values(region, player, behaviour, plans) == pytest.approx(wanted, abs=1e-12)


def test_a_trunk_and_its_regions_make_the_game():
    tree = compiled("leduc")
    profile = td.Profile.random(tree, np.random.default_rng(2))
    below = [sub for sub in subgames(tree) if tree.keys[tree.infoset[sub.roots[0]]].endswith("/")]
    assert len(below) == 15  # five ways to end the first round, three cards
    exits = np.concatenate([sub.roots for sub in below])
    trunk = region_of(tree, START, np.zeros((2, 1), dtype=np.int64), exits)
    assert trunk.exits.tolist() == sorted(exits.tolist())
    behaviour, plans = plans_of(trunk, profile, [np.ones(1), np.ones(1)])
    found, worth = td.evaluating.reach(profile), td.evaluating.history_values(profile)
    for player in range(2):
        assert plans[trunk.exit_sequences[:, player]] == pytest.approx(found.own[trunk.exits, player])
        left = found.counterfactual(player)[trunk.exits] * worth[trunk.exits, player]
        total = counterfactual_values(trunk, player, behaviour, plans, (trunk.exit_sequences[:, player], left))
        assert total == pytest.approx(worth[:1, player])


@pytest.mark.parametrize("player", [0, 1])
def test_max_margin_gadget_charges_for_the_augmented_infoset(player):
    tree = compiled("leduc")
    profile = td.Profile.random(tree, np.random.default_rng(3))
    sub = subgame(tree, "0: KQ|cc/")
    region = region_of(tree, sub.roots, sub.augmented_infosets)
    own, payments = np.array([0.2, 0.3, 0.5]), np.array([0.4, -0.1, 0.3])
    ranges = [own, np.ones(3)] if player == 1 else [np.ones(3), own]
    utility = responded(region, player, gathered(region, player, plans_of(region, profile, ranges)[1]))[0]
    wanted = (utility[int(region.span[player]) :][:3] - payments).max()

    bought = max_margin_gadget(region, player, payments)
    assert (bought.starts(player), bought.starts(1 - player)) == (1, 3)
    assert bought.sequences == region.sequences + 1 and len(bought.infoset) == len(region.infoset) + 1
    ranges[player] = np.ones(1)
    utility = responded(bought, player, gathered(bought, player, plans_of(bought, profile, ranges)[1]))[0]
    assert utility[int(bought.span[player])] == pytest.approx(wanted)


def test_chance_counts_from_the_start():
    tree = compiled("leduc")
    assert chance_reach(tree) == pytest.approx(td.evaluating.reach(td.Profile.uniform(tree)).chance)


def test_open_regions_are_refused():
    tree = compiled("kuhn")
    one_deal = np.array(tree.children(0)[:1])
    with pytest.raises(td.errors.GameError, match="'0: J\\|' lies partly outside"):
        region_of(tree, one_deal, np.zeros((2, 1), dtype=np.int64))
    deals = np.array(tree.children(0))
    with pytest.raises(td.errors.GameError, match="augmented infosets"):
        region_of(tree, deals, np.tile(np.arange(len(deals)), (2, 1)))
