"""Properties on random games of two and three players."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tefuda as td
from tefuda.games.small.random_game import RandomGame
from tests import oracle
from tests.conftest import compiled
from tests.small_games import Relabelled

GAMES = st.builds(
    RandomGame,
    seed=st.integers(0, 10**6),
    players=st.integers(2, 3),
    depth=st.integers(3, 5),
    branching=st.integers(2, 3),
    hidden=st.sampled_from([0.0, 0.5, 1.0]),
    zero_sum=st.booleans(),
)


EXAMPLES = settings(max_examples=40, deadline=None, derandomize=True)


@EXAMPLES
@given(GAMES)
def test_random_games_are_games(game):
    assert td.check_game(game).ok


@EXAMPLES
@given(GAMES, st.integers(0, 100))
def test_values_and_best_responses_equal_the_slow_references(game, seed):
    tree = td.compile_game(game)
    profile = td.Profile.random(tree, np.random.default_rng(seed)) if tree.infosets else td.Profile.uniform(tree)
    strategy = oracle.behaviour(profile)
    evaluated = td.evaluate(profile)
    assert evaluated.values == pytest.approx(oracle.value(game, strategy), abs=1e-12)
    for player in range(game.players):
        plans = tree.action_counts[tree.infoset_player == player].astype(float).prod()
        if plans <= 128:
            assert evaluated.best[player] == pytest.approx(
                oracle.best_by_brute_force(game, strategy, player), abs=1e-12
            )


@EXAMPLES
@given(GAMES)
def test_regrets_sum_to_nash_conv_of_two_players(game):
    if game.players != 2 or not game.zero_sum:
        return
    tree = td.compile_game(game)
    ledger, solver = (
        td.evaluating.AverageRegret(tree),
        td.make_solver(tree, td.find_method("cfr", {"order": "simultaneous"})),
    )
    for _ in range(20):
        ledger.add(solver.current())
        solver.advance(1)
    assert ledger.overall().sum() == pytest.approx(td.nash_conv(solver.average()), abs=1e-10)


@EXAMPLES
@given(GAMES)
def test_relabelling_changes_nothing(game):
    """Reversed actions and renamed infosets do not change values and NashConv."""
    found = []
    for rules in (game, Relabelled(game)):
        tree = td.compile_game(rules)
        solver = td.make_solver(tree, "cfr")
        solver.advance(15)
        evaluated = td.evaluate(solver.average())
        found.append((*evaluated.values, evaluated.nash_conv))
    assert found[0] == pytest.approx(found[1], abs=1e-10)


@EXAMPLES
@given(GAMES, st.integers(1, 30))
def test_save_and_resume_identities(game, iterations):
    tree = td.compile_game(game)
    whole, first, second = (td.make_solver(tree, "ema") for _ in range(3))
    whole.advance(2 * iterations)
    first.advance(iterations)
    second.restore(first.state())
    second.advance(iterations)
    assert np.array_equal(whole.average().probabilities, second.average().probabilities)


def test_random_games_are_games_of_all_their_players():
    """Most games give decisions to both players; a weak hash once gave all to one player."""
    movers = [len(set(compiled("sampled", seed=seed).infoset_player.tolist())) for seed in range(40)]
    assert np.mean(np.array(movers) == 2) > 0.7
