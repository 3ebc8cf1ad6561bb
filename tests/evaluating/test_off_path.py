"""Evaluations of profiles at all infosets, against twins that walk the rules."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import tefuda as td
from tefuda.evaluating.off_path import OFF_PATH, ON_PATH, UNREACHABLE, dominated_actions, infoset_marks
from tefuda.evaluating.values import history_values, reach
from tests.conftest import compiled, refused

regrets_of = td.evaluating.off_path_regret


def slow_regrets(profile, epsilon):
    """Regrets by histories: a profile per player, in which only the others tremble."""
    tree, uniform, regrets = profile.tree, td.Profile.uniform(profile.tree), []
    for number in range(tree.infosets):
        player = int(tree.infoset_player[number])
        mixed = profile.mixed(uniform, epsilon).replace(player, profile)
        nodes = tree.histories_of(number)
        weights = reach(mixed).counterfactual(player)[nodes]
        after = tree.first_child[nodes] + np.arange(tree.action_counts[number])[:, None]
        values = history_values(mixed)[:, player][after] @ weights / weights.sum()
        regrets.append(values.max() - values @ profile.probabilities[tree.rows_of(number)])
    return regrets


@pytest.mark.parametrize("name", ["kuhn", "kuhn_raise", "gift_pennies", "leduc"])
def test_regrets_by_histories(name):
    profile = td.Profile.random(compiled(name), np.random.default_rng(1))
    assert regrets_of(profile, 0.02).regrets == pytest.approx(slow_regrets(profile, 0.02), abs=1e-11)


def test_three_players():
    profile = td.Profile.random(compiled("kuhn", players=3), np.random.default_rng(2))
    assert regrets_of(profile, 0.1).regrets == pytest.approx(slow_regrets(profile, 0.1), abs=1e-12)


#: The table of answers on Leduc poker, computed for the notes on off-path play: (method, largest regret, infosets).
LEDUC = [("cfr+", 3.82, 117), ("ema", 6.72, 84), ("pcfr+", 4.38, 100)]


@pytest.mark.parametrize("method, largest, count", LEDUC)
def test_nonsense_that_nash_conv_does_not_see(method, largest, count):
    solution = td.solve(compiled("leduc"), method, iterations=1000)
    judged = regrets_of(solution.strategy)
    assert judged.largest == pytest.approx(largest, abs=0.005) and abs(judged.count - count) <= 3


def test_guesses_by_hand():
    """The ace instead of another card costs 1000 (51 - 1) / 52; player 0 stops, so that NashConv is 0."""
    tree = compiled("guess_the_ace")
    profile = td.Profile.from_function(tree, lambda player, key, actions: (1, 0))
    judged = regrets_of(profile)
    assert td.nash_conv(profile) == 0 and judged.infoset == "1: guess"
    assert judged.largest == pytest.approx(float(Fraction(50_000, 52))) and judged.count == 1


def test_dominated_actions_of_kuhn_with_a_raise():
    """J never calls, and K never folds; the other actions depend on cards or on later actions."""
    tree = compiled("kuhn_raise")
    rows = {(tree.name_of(int(tree.infoset_of_row[row])), int(row - tree.rows_of(int(tree.infoset_of_row[row])).start))
            for row in np.flatnonzero(dominated_actions(tree))}  # fmt: skip
    calls = {("0: J|pb", 1), ("0: J|br", 1), ("1: J|b", 1)}
    assert rows == calls | {("0: K|pb", 0), ("0: K|br", 0), ("1: K|b", 0)}
    assert regrets_of(td.Profile.uniform(tree)).dominated_count == 6
    assert regrets_of(td.Profile.uniform(tree), 0.6).dominated_count == 0


def test_histories_that_chance_never_takes():
    """A branch of probability 0 has no reach, hence no regret, and excuses no dominated action."""

    class Never(type(compiled("guess_the_ace").game)):
        def chances(self, state):
            return (("ace", 0), ("other", 1))

    tree = td.compile_game(Never())
    assert "1: guess" in tree.names
    judged = regrets_of(td.Profile.uniform(tree))
    assert np.isfinite(judged.regrets).all() and judged.dominated_count == 1


def test_marks_of_infosets():
    """Kuhn's J never bets here and K always does; a player 1 who always folds leads to no raise."""
    tree = compiled("kuhn_raise")
    chosen = {"0: J|": "p", "0: Q|": "p", "0: K|": "b"}
    profile = td.Profile.from_function(
        tree, lambda p, key, actions: {chosen.get(f"{p}: {key}", "p" if "p" in actions else "b"): 1.0}
    )
    marks = dict(zip(tree.names, infoset_marks(profile), strict=True))
    assert {marks[f"0: {card}|"] for card in "JQK"} == {ON_PATH}
    assert marks["0: J|pb"] == marks["0: K|br"] == UNREACHABLE  # player 1 never bets, and never raises
    assert [marks[f"1: {card}|b"] for card in "JQK"] == [ON_PATH, ON_PATH, UNREACHABLE]  # only K bets
    other = profile.replace(1, td.Profile.uniform(tree))
    marks = dict(zip(tree.names, infoset_marks(other), strict=True))
    assert marks["0: K|br"] == ON_PATH and marks["0: J|br"] == marks["0: K|pb"] == OFF_PATH
    tree = compiled("kuhn")
    profile = td.Profile.from_function(tree, lambda p, key, actions: (0, 1) if key in ("K|", "J|") else (1, 0))
    explorer = td.Explorer(profile.replace(1, td.Profile.uniform(tree)))
    assert explorer.position("K Q~p~b").mark == OFF_PATH and explorer.position("Q K~p~b").mark == ON_PATH
    assert explorer.position("-").mark is None
    table = td.Explorer(profile).public_table(explorer.position("K Q~p~b").public_state)
    assert {row.infoset: row.mark for row in table.rows}["0: K|pb"] == UNREACHABLE


@pytest.mark.parametrize("epsilon", [0, -1, 1.5, float("nan"), "x", None])
def test_epsilon_out_of_range(epsilon):
    with refused(td.errors.ParameterError, key="epsilon"):
        regrets_of(td.Profile.uniform(compiled("kuhn")), epsilon)


def test_what_is_no_profile():
    with pytest.raises(td.errors.ProfileError):
        regrets_of({"0: K|": {"p": 1}})
    with pytest.raises(td.errors.GameError):
        regrets_of(td.Profile.uniform(compiled("forgetful")))


def test_infosets_that_an_average_never_weighs_are_completed(tmp_path):
    """Best responses to the average with trembles stand there; nothing else changes, NashConv included."""
    tree = compiled("leduc")
    solution = td.solve(tree, replace(td.METHODS["cfr+"], delay=50), iterations=200, checkpoint=tmp_path)
    profile, plain = solution.strategy, td.make_solver(tree, replace(td.METHODS["cfr+"], delay=50))
    plain.advance(200)
    weights = plain.arrays()["average"]
    before, never = td.Profile.from_weights(tree, weights), np.add.reduceat(weights, tree.first_row[:-1]) == 0
    assert never.sum() > 10 and np.array_equal(profile.completed, never)
    trembling = before.mixed(td.Profile.uniform(tree), 1e-6)
    best = [td.best_response(trembling, player).profile for player in (0, 1)]
    for number in range(tree.infosets):
        expected = best[tree.infoset_player[number]] if never[number] else before
        assert profile[number] == expected[number]
    assert td.nash_conv(profile) == pytest.approx(td.nash_conv(before), abs=1e-15)
    marks = infoset_marks(profile)
    assert [mark == "completed" for mark in marks] == never.tolist() and infoset_marks(before).count("completed") == 0
    assert regrets_of(profile).count < regrets_of(before).count
    assert np.array_equal(td.load(tmp_path).strategy.completed, never)


def test_nothing_is_completed_that_was_played():
    for method in ("cfr+", "ema", "cfr"):
        assert td.solve(compiled("kuhn"), method, iterations=100).strategy.completed is None
    with pytest.raises(td.errors.ProfileError):
        td.Profile(compiled("kuhn"), td.Profile.uniform(compiled("kuhn")).probabilities, np.ones(3, dtype=bool))


def test_completion_in_a_partition():
    """Classes of infosets with equal views have one strategy, and one mark."""
    tree = compiled("leduc", distinct_suits=True)
    halves = td.lossless(tree)
    solver = td.make_solver(halves, replace(td.METHODS["cfr+"], delay=20))
    solver.advance(60)
    profile = solver.average()
    assert profile.completed.any()
    assert np.array_equal(profile.completed, solver.inner.average().completed[halves.classes])
