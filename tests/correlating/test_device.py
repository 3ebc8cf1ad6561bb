"""Gaps of correlation devices: published digits, devices with known gaps, and a slow twin."""

from itertools import product

import numpy as np
import pytest
from bench.beyond.devices import translated

import tefuda as td
from tefuda.correlating import Device
from tefuda.correlating.gaps import CONCEPTS, CONVENTIONS
from tests.conftest import compiled, refused
from tests.edge_games import FewDecide
from tests.joint_plans import path_to
from tests.known_devices import gibson, in_out, signalling
from tests.plain_cfr import ORACLES, iterates


@pytest.mark.parametrize("name, parameters", [("kuhn", {"players": 3}), ("sheriff", {})])
def test_gaps_of_plain_cfr(name, parameters):
    """Figures of two other programs, to 10 digits: total gaps, the largest EFCE gap, values."""
    tree, asked = compiled(name, **parameters), ORACLES[name]
    device = Device(tree)
    for count, profile in enumerate(iterates(tree, max(asked)), 1):
        device.add(profile)
        if count in asked:
            gaps, (figures, values) = device.gaps, asked[count]
            found = [*(gaps.gap(concept) for concept in CONCEPTS), gaps.gap("efce", "largest")]
            assert found == pytest.approx(figures, abs=1e-11)
            assert gaps.values == pytest.approx(values or gaps.values, abs=1e-11)


def test_devices_with_known_gaps():
    """Gibson 2013, section 2.2; von Stengel and Forges 2008, sections 2.3 and 2.4."""
    gaps = gibson().gaps
    assert gaps.gap("nfcce") == 0 and gaps.gap("efce") == pytest.approx(1 / 4)
    gaps = in_out().gaps
    assert gaps.values == (0,) and [gaps.gap("efce", how) for how in CONVENTIONS] == [1, 1]
    gaps = signalling().gaps
    assert gaps.values == pytest.approx((7 / 2, 13 / 2))
    assert [gaps.gap(concept, how) for concept, how in product(CONCEPTS, CONVENTIONS)] == [0] * 6
    assert sum(gaps.totals["nfcce"]) == pytest.approx(-3 / 2)


def random_device(tree, seed, pure=False):
    """Return five random profiles and their weights."""
    rng = np.random.default_rng(seed)
    profiles = [td.Profile.random(tree, rng) for _ in range(5)]
    if pure:
        best = [np.maximum.reduceat(one.probabilities, tree.first_row[:-1])[tree.infoset_of_row] for one in profiles]
        profiles = [td.Profile(tree, one.probabilities == top) for one, top in zip(profiles, best, strict=True)]
    return profiles, rng.random(5)


@pytest.mark.parametrize(
    "players, depth, seed", [(1, 3, 2), (1, 4, 1), (2, 5, 0), (2, 4, 1), (2, 4, 3), (3, 5, 1), (3, 4, 0), (3, 4, 3)]
)
def test_gaps_equal_those_of_a_slow_twin(players, depth, seed):
    """All plans of a player are tried below each trigger, leaf by leaf."""
    check_gaps(compiled("sampled", seed=seed, players=players, depth=depth, branching=2, zero_sum=False), seed)


def test_gaps_of_games_that_end_before_a_first_move():
    """Payoffs of these ends belong to no trigger but the one before the game."""
    check_gaps(td.compile_game(FewDecide("ends early")), 1)


def check_gaps(tree, seed):
    for pure in (False, True):
        profiles, weights = random_device(tree, seed, pure)
        gaps = Device.of(profiles, weights).gaps
        for player in range(tree.players):
            totals, largest = slow_gains(tree, profiles, weights / weights.sum(), player)
            assert [gaps.totals[concept][player] for concept in CONCEPTS] == pytest.approx(totals, abs=1e-12)
            assert gaps.largest["efce"][player] == pytest.approx(largest, abs=1e-12)


def slow_gains(tree, profiles, weights, player):
    """Return a player's total gains of the three concepts, and its largest gain by a recommended action."""
    leaves = [leaf(tree, profiles, player, end) for end in range(len(tree.terminals))]
    rows = {number: range(tree.rows)[tree.rows_of(number)] for number in tree.infosets_of(player).tolist()}
    plans = [dict(zip(rows, choice, strict=True)) for choice in product(*rows.values())]

    def best(trigger, start):
        """Return the best response from an infoset on; profiles count by the trigger's probability."""
        reach, values = weights * [np.prod(one.probabilities[list(trigger)]) for one in profiles], []
        for plan in plans:
            value = 0.0
            for infosets, taken, others, _ in leaves:
                begin = 0 if start is None else infosets.index(start) if start in infosets else None
                if begin is not None and all(
                    plan[n] == row for n, row in zip(infosets[begin:], taken[begin:], strict=True)
                ):
                    value += (reach * others).sum()
            values.append(value)
        return max(values)

    def obey(path):
        """Return the value of the leaves that end with these own rows."""
        return sum((weights * all_).sum() for _, taken, _, all_ in leaves if taken == path)

    paths = {taken[: depth + 1] for _, taken, _, _ in leaves for depth in range(len(taken))}

    def after(path, rule):
        """Return the value after own rows, with a rule for the value at each infoset."""
        following = {int(tree.infoset_of_row[longer[-1]]) for longer in paths if longer[:-1] == path}
        return obey(path) + sum(rule(path, number) for number in following)

    def obeying(path, number):
        return sum(after((*path, row), obeying) for row in rows[number])

    def efcce(path, number):
        return max(best(path, number), sum(after((*path, row), efcce) for row in rows[number]))

    def efce(path, number):
        return sum(max(best((*path, row), number), after((*path, row), efce)) for row in rows[number])

    value = after((), obeying)
    totals = [best((), None) - value, after((), efcce) - value, after((), efce) - value]
    gains = [best(path, int(tree.infoset_of_row[path[-1]])) - after(path, obeying) for path in paths]
    return totals, max(gains, default=0.0)


def leaf(tree, profiles, player, end):
    """Return own infosets and rows before an end, and its payoff times the reach of others, and of all."""
    taken, chance = path_to(tree, int(tree.terminals[end]))
    played = np.array([profile.probabilities for profile in profiles])
    reach = [played[:, list(rows)].prod(axis=1) for rows in taken]
    own = taken[player]
    others = chance * tree.payoffs[end, player] * np.prod(reach[:player] + reach[player + 1 :], axis=0)
    return tree.infoset_of_row[list(own)].tolist(), own, others, others * reach[player]


@pytest.mark.parametrize("name, parameters", [("kuhn", {"players": 3}), ("leduc", {}), ("bargaining", {})])
def test_one_profile_has_nash_conv_as_its_gap(name, parameters):
    profile = td.Profile.random(compiled(name, **parameters), np.random.default_rng(1))
    gaps = Device.of([profile]).gaps
    for concept in CONCEPTS:
        assert gaps.gap(concept) == pytest.approx(td.nash_conv(profile), rel=1e-12)
        assert gaps.totals[concept] == pytest.approx(td.evaluate(profile).gains, rel=1e-9)
    assert gaps.values == pytest.approx(td.values(profile))


def test_distances_of_openspiel():
    """CCE distance of a device of random profiles, whose totals it sums over the players."""
    pyspiel = pytest.importorskip("pyspiel")
    profiles, weights = random_device(compiled("kuhn", players=3), 3)
    device = [
        (weight, pyspiel.TabularPolicy(dict(translated(profile))))
        for profile, weight in zip(profiles, weights / weights.sum(), strict=True)
    ]
    theirs = pyspiel.cce_dist(pyspiel.load_game("kuhn_poker(players=3)"), device)
    assert Device.of(profiles, weights).gaps.totals["nfcce"] == pytest.approx(theirs.deviation_incentives, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_gaps_rise_from_concept_to_concept(seed):
    """NFCCE contains EFCCE, which contains EFCE; a total gain is at least the largest one."""
    tree = compiled("sampled", seed=seed, players=3, zero_sum=False)
    gaps = Device.of(*random_device(tree, seed)).gaps
    for player in range(3):
        never, infosets, actions = (gaps.totals[concept][player] for concept in CONCEPTS)
        assert never <= infosets + 1e-12 and infosets <= actions + 1e-12
        assert gaps.largest["efce"][player] <= actions + 1e-12 and actions >= -1e-12


def test_wrong_devices_are_refused(kuhn):
    uniform = td.Profile.uniform(kuhn)
    with refused(td.errors.ParameterError, key="profiles"):
        Device.of([])
    with refused(td.errors.ProfileError):
        Device.of([uniform, td.Profile.uniform(compiled("leduc"))])
    with refused(td.errors.ProfileError):
        Device.of([kuhn])
    for weights in ([1, np.nan], [1, np.inf], [1], "ab"):
        with pytest.raises(td.errors.ParameterError, match="weights"):
            Device.of([uniform, uniform], weights)
    for weights in ([1, -1], [0, 0]):
        with refused(td.errors.ParameterError, key="weights", value=weights):
            Device.of([uniform, uniform], weights)
    assert Device.of([uniform, uniform], [1e300, 1e-300]).gaps == Device.of([uniform], [5e-324]).gaps
    with pytest.raises(td.errors.ParameterError, match="weight"):
        Device(kuhn).add(uniform, np.nan)
    with refused(td.errors.SolverError):
        assert Device(kuhn).gaps
    with refused(td.errors.ParameterError, key="concept", value="ce"):
        Device.of([uniform]).gaps.gap("ce")
    for player in (2, -1):
        with refused(td.errors.ParameterError, key="player", value=player):
            Device.of([uniform]).gaps.gap(player=player)
    with refused(td.errors.ParameterError, key="player", value=2):
        td.solve(kuhn, "cfr", iterations=9, evaluator=td.correlating.CorrelationGap(player=2))
    with refused(td.errors.GameError):
        Device(compiled("forgetful"))
