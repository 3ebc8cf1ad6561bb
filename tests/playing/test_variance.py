"""Variance reduction (AIVAT): estimators are unbiased for any guess, with measured deviations."""

import numpy as np
import pytest

import tefuda as td
from tefuda.playing import agents, match, stereotypes, variance
from tests.conftest import compiled
from tests.small_games import Wild

KINDS = ("chips", "chance_corrected", "imaginary", "aivat")


def mean_and_deviation(profile, values):
    """Return mean and standard deviation of `[Z]` values of terminal histories under a profile, exactly."""
    share = td.evaluating.reach(profile).total[profile.tree.terminals]
    mean = float(share @ values)
    return mean, float(np.sqrt(max(share @ (values - mean) ** 2, 0.0)))


@pytest.mark.parametrize("name, parameters", [("leduc", {}), ("kuhn", {"players": 3}), ("goofspiel", {"cards": 3})])
@pytest.mark.parametrize("guess", ["own", "bad", "nothing"])
def test_every_estimator_is_unbiased(name, parameters, guess):
    """Exact expectations over terminal histories equal the value, for random strategies and any guess."""
    tree = compiled(name, **parameters)
    rng = np.random.default_rng(3)
    profile, played = td.Profile.random(tree, rng), td.Profile.random(tree, rng)
    wild = {"own": None, "bad": rng.normal(size=len(tree.player)), "nothing": np.zeros(len(tree.player))}[guess]
    for player in range(tree.players):
        true = played.replace(player, profile)
        found = variance.estimates(profile, player, wild)
        value = td.values(true)[player]
        for kind in KINDS:
            mean, _ = mean_and_deviation(true, getattr(found, kind))
            assert mean == pytest.approx(value, abs=1e-12), kind
        if guess == "nothing":
            assert found.aivat == pytest.approx(found.imaginary) and found.chance_corrected == pytest.approx(
                found.chips
            )


@pytest.mark.parametrize("name, parameters", [("nonlocal", {}), ("unseen", {}), ("forgetful", {}), ("rps", {})])
def test_unbiased_where_views_show_neither_moves_nor_ends(name, parameters):
    """Player 0 stops with 1/4, player 1 plays l with 2/3: the value is 1/4 * 1 + 3/4 * 2/3 * 3 = 7/4."""
    tree, rng = compiled(name, **parameters), np.random.default_rng(7)
    for _ in range(5):
        assert_unbiased(tree, rng)
    if name == "unseen":
        mixed = td.Profile.from_function(tree, lambda player, *_: (2 / 3, 1 / 3) if player else (0.25, 0.75))
        found = variance.estimates(mixed, 0)
        means = [mean_and_deviation(mixed, getattr(found, kind))[0] for kind in KINDS]
        assert means == pytest.approx([1.75] * 4, abs=1e-12)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_unbiased_on_random_games_of_every_shape(players):
    """Hidden and simultaneous moves, hidden ends, general sums, imperfect recall: 24 games each."""
    rng, sizes = np.random.default_rng(players), []
    for seed in range(12):
        shapes = {"seed": seed, "players": players}
        sampled = {**shapes, "depth": 4, "hidden": (0.3, 0.9, 1.0)[seed % 3], "zero_sum": bool(seed % 2)}
        for tree in (td.compile_game(Wild(**shapes)), td.compile_game(td.load_game("sampled", **sampled))):
            sizes.append(len(tree.terminals))
            assert_unbiased(tree, rng)
    assert sum(sizes) > 500


def assert_unbiased(tree, rng):
    """Assert that each estimator of each player has the exact value as mean over all ends."""
    profile, played = td.Profile.random(tree, rng), td.Profile.random(tree, rng)
    for player in range(tree.players):
        others = [other for other in range(tree.players) if other != player]
        for known in ([], others[:1], others):
            true = played
            for one in (player, *known):
                true = true.replace(one, profile)
            value = td.evaluating.history_values(true)[0, player]
            for guess in (None, rng.normal(size=len(tree.player))):
                found = variance.estimates(profile, player, guess, known)
                means = [mean_and_deviation(true, getattr(found, kind))[0] for kind in KINDS]
                assert means == pytest.approx([value] * 4, abs=1e-9), (tree.title, player, known)
            if len(known) == len(others):
                assert variance.estimates(profile, player, None, known).aivat == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("name, parameters", [("unseen", {}), ("wild", {"seed": 5, "players": 3}), ("kuhn", {})])
def test_imaginary_observations_are_means_over_the_opponents_infosets(name, parameters):
    """A direct computation combines ends after equal actions of opponents at equal infosets."""
    tree, rng = compiled(name, **parameters), np.random.default_rng(9)
    profile = td.Profile.random(tree, rng)
    for player in range(tree.players):
        alike = dict[object, list[tuple[float, float]]]()
        marks = []
        for end, payoff in zip(tree.terminals.tolist(), tree.payoffs[:, player], strict=True):
            weight, others, node = 1.0, [], end
            while (above := int(tree.parent[node])) >= 0:
                mover, infoset, place = (
                    int(tree.player[above]),
                    int(tree.infoset[above]),
                    node - tree.first_child[above],
                )
                if mover in (player, td.CHANCE):
                    here = (
                        tree.chance[node]
                        if mover == td.CHANCE
                        else profile.probabilities[tree.first_row[infoset] + place]
                    )
                    weight *= here
                else:
                    others.append((infoset, int(place)))
                node = above
            marks.append(tuple(others))
            alike.setdefault(tuple(others), []).append((weight, payoff))
        means = [sum(w * u for w, u in alike[mark]) / sum(w for w, _ in alike[mark]) for mark in marks]
        assert variance.estimates(profile, player).imaginary == pytest.approx(means)


def test_unfit_guesses_and_targets_are_refused():
    """A guess of another game is refused, and a player or target that the hands do not contain."""
    tree = compiled("kuhn")
    flat, raises = td.Profile.uniform(tree), stereotypes.always_raise(tree)
    for guess in (np.zeros(3), np.full(len(tree.player), np.nan)):
        with pytest.raises(td.errors.ParameterError):
            variance.estimates(flat, 0, guess)
    for player, known in ((2, ()), (0, (2,))):
        with pytest.raises(td.errors.ParameterError):
            variance.estimates(flat, player, known=known)
    played = match.duplicate_match(tree, [agents.ProfileAgent(name, flat) for name in "ab"], deals=2, play=True)
    for agent in (2, -1):
        with pytest.raises(td.errors.ParameterError):
            variance.aivat(played, agent, flat)
    for imaginary in (True, False):
        variance.off_policy(flat, raises, 0, imaginary=imaginary)
        with pytest.raises(td.errors.ParameterError):
            variance.off_policy(raises, flat, 0, imaginary=imaginary)
        with pytest.raises(td.errors.ParameterError):
            variance.off_policy(flat, raises, 2, imaginary=imaginary)


def test_it_is_unbiased_where_the_guess_has_probability_zero():
    """Only the player's part of the profile weights hands; the opponents' parts do not matter."""
    tree, rng = compiled("kuhn"), np.random.default_rng(6)
    played, raises = td.Profile.random(tree, rng), stereotypes.always_raise(tree)
    found = variance.estimates(raises.replace(0, played), 0)
    for kind in KINDS:
        mean, _ = mean_and_deviation(played, getattr(found, kind))
        assert mean == pytest.approx(td.values(played)[0], abs=1e-12), kind


#: Standard deviations of a hand: seat, opponent, then by kind (CFR+, 300 iterations; exact for that policy). Imaginary
#: observations there combine ends that differ in the player's card; here also in its own last actions.
DEVIATIONS = [
    (0, "equilibrium", -0.0855, (3.4986, 1.4852, 3.2131, 0.0391)),
    (1, "equilibrium", 0.0855, (3.4986, 1.4852, 3.1120, 0.0313)),
    (0, "uniform", 0.5914, (4.1606, 2.7861, 3.9951, 1.5510)),
    (1, "uniform", 0.8306, (4.5731, 2.9472, 4.3727, 1.7465)),
]


@pytest.mark.parametrize("seat, opponent, value, deviations", DEVIATIONS)
def test_deviations_on_leduc(leduc, seat, opponent, value, deviations):
    """Figures agree to a hundredth with another CFR+ of 300 iterations, in the same order."""
    profile = td.solve(leduc, "cfr+", iterations=300).strategy
    others = profile if opponent == "equilibrium" else td.Profile.uniform(leduc)
    found = variance.estimates(profile, seat)
    got = [mean_and_deviation(others.replace(seat, profile), getattr(found, kind)) for kind in KINDS]
    assert [mean for mean, _ in got] == pytest.approx([value] * 4, abs=2e-3)
    chips, corrected, imaginary, aivat = (deviation for _, deviation in got)
    assert (chips, corrected, aivat) == pytest.approx((*deviations[:2], deviations[3]), abs=0.01)
    assert aivat < corrected < chips and aivat < imaginary < deviations[2] - 0.1


@pytest.mark.parametrize("imaginary", [True, False])
def test_off_policy_values_are_unbiased(leduc, imaginary):
    rng = np.random.default_rng(5)
    played, target, others = (td.Profile.random(leduc, rng) for _ in range(3))
    for player in (0, 1):
        values = variance.off_policy(played, target, player, imaginary=imaginary)
        mean, _ = mean_and_deviation(others.replace(player, played), values)
        assert mean == pytest.approx(td.values(others.replace(player, target))[player], abs=1e-12)
    same = variance.off_policy(played, played, 0, imaginary=True)
    assert same == pytest.approx(variance.estimates(played, 0).imaginary)


def test_duplicate_deals_and_aivat_together(leduc):
    """An equilibrium against uniform play: AIVAT agrees with the exact value at a third of the error."""
    profile = stereotypes.equilibrium(leduc)
    table = [agents.ProfileAgent("equilibrium", profile), agents.ProfileAgent("uniform", td.Profile.uniform(leduc))]
    played = match.duplicate_match(leduc, table, deals=2000, seed=3, play=True)
    mean, error = variance.aivat(played, 0, profile)
    exact = match.duplicate_match(leduc, table).mean[0]
    plain = played.by_deal[:, 0].std(ddof=1) / np.sqrt(2000)
    assert abs(mean - exact) < 4 * error and error < 0.6 * plain


def test_aivat_for_every_agent_of_three():
    """With three agents, the agent in a seat differs from the seat of an agent."""
    tree, rng = compiled("kuhn", players=3), np.random.default_rng(4)
    table = [agents.ProfileAgent(str(n), td.Profile.random(tree, rng)) for n in range(3)]
    exact = match.duplicate_match(tree, table).mean
    played = match.duplicate_match(tree, table, deals=400, seed=1, play=True)
    for agent, one in enumerate(table):
        mean, error = variance.aivat(played, agent, one.profile)
        assert 0 < error < 0.05 and abs(mean - exact[agent]) < 4 * error
        rows = [
            variance.estimates(one.profile, seat).aivat[np.searchsorted(tree.terminals, ends)]
            for order, ends in zip(played.seatings, played.ends, strict=True)
            for seat, who in enumerate(order)
            if who == agent
        ]
        assert mean == pytest.approx(np.mean(rows), abs=1e-12)


def test_the_error_of_aivat_is_that_of_replicates():
    """Units are means of replicates, with n - 1 in the variance."""
    tree = compiled("kuhn")
    profile = td.Profile.uniform(tree)
    table = [agents.ProfileAgent("a", profile), agents.ProfileAgent("b", stereotypes.always_raise(tree))]
    played = match.duplicate_match(tree, table, deals=20, replicates=5, seed=1, play=True)
    place = {int(end): number for number, end in enumerate(tree.terminals)}
    rows = [
        [variance.estimates(profile, seat).aivat[place[int(end)]] for end in ends]
        for seat, ends in zip((0, 1), played.ends, strict=True)
    ]
    units = np.mean(rows, axis=0).reshape(5, 20).mean(axis=1)
    mean, error = variance.aivat(played, 0, profile)
    assert (mean, error) == pytest.approx((units.mean(), np.sqrt(((units - units.mean()) ** 2).sum() / 4 / 5)))


@pytest.mark.parametrize("name, parameters", [("leduc", {}), ("kuhn", {"players": 3}), ("liars_dice", {"sides": 3})])
def test_estimates_against_known_opponents_are_unbiased_and_reveal_nothing(name, parameters):
    """Exact means equal the value; ends after the same last action of the player have one estimate."""
    tree = compiled(name, **parameters)
    rng = np.random.default_rng(5)
    opponents, person = td.Profile.random(tree, rng), td.Profile.random(tree, rng)
    for player in range(tree.players):
        estimate = variance.estimates_against(opponents, player).aivat
        true = opponents.replace(player, person)
        assert mean_and_deviation(true, estimate)[0] == pytest.approx(td.values(true)[player], abs=1e-12)
        by_last_action = {}
        for end, value in zip(tree.terminals.tolist(), estimate.tolist(), strict=True):
            node, action = end, None
            while node and tree.player[node] != player:
                node, action = int(tree.parent[node]), node
            last = (int(tree.infoset[node]), action - int(tree.first_child[node])) if node else None
            by_last_action.setdefault(last, []).append(value)
        assert all(np.ptp(values) < 1e-12 for values in by_last_action.values())
