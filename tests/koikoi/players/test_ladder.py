"""Playing strength in Koi-Koi. Figures: docs/results/koikoi.md."""

import random

import numpy as np
import pytest

import tefuda as td
from tefuda.koikoi.match_state import MatchValue
from tefuda.koikoi.players.advice import Adviser
from tefuda.koikoi.players.ladder import DuelResult, PlayerConfiguration, duel, flat, make_players, play_matches
from tefuda.koikoi.players.tables import count_outcomes, make_tables
from tefuda.koikoi.reduced import koikoi, mini8
from tefuda.koikoi.rules import PRESETS, find_rules
from tests.conftest import refused
from tests.koikoi.random_rounds import turns

STANDARD = PRESETS["standard"]


def test_flat_search_as_published():
    """With 100 random playouts per candidate it wins 1.08 +- .08 a round against greedy."""
    found = duel(PRESETS["standard"], flat(100), PlayerConfiguration("greedy"), 400, seed=4)
    assert abs(found.mean - 1.08) < 4 * np.hypot(found.error, 0.08)
    assert abs((found.points > 0).mean() - 0.408) < 4 * np.sqrt(0.408 * 0.592 / 800)


def gained_by_search(tables, deals):
    """Return the gain of 100 determinizations over the tables alone, per deal against greedy play."""
    one, two = (
        duel(STANDARD, player, PlayerConfiguration("greedy"), deals, seed=3, tables=tables)
        for player in (PlayerConfiguration("search", 100, depth=2), PlayerConfiguration("tables"))
    )
    return (one.points - two.points).mean(axis=1)


def test_search_beats_its_own_tables():
    """With empty tables the gain is 2.16 in 150 deals (four seeds, s.e. .41)."""
    assert gained_by_search(make_tables(), 150).mean() > 2.16 - 4 * 0.41


@pytest.mark.slow
def test_search_beats_learned_tables(learned):
    """The gain is .54 in 600 deals (s.e. .2), so 4,000 deals are enough."""
    gained = gained_by_search(learned, 4000)
    assert gained.mean() > 3 * gained.std() / np.sqrt(len(gained))


def test_equal_positions_have_equal_luck(learned):
    """A player wins nothing against itself on any deal, with or without an opening by tables."""
    for player in (PlayerConfiguration("random"), PlayerConfiguration("search", 20)):
        for opening in (0, 10):
            won = duel(STANDARD, player, player, 10, seed=1, tables=learned, opening=opening).points
            assert not won.sum(axis=1).any() and won.any()


def test_a_tree_with_a_strong_prior_equals_halving(learned):
    """A prior of a million visits outweighs all results, so the simulations equal those without a tree."""
    game, rng = koikoi(), random.Random(3)
    ways = [
        PlayerConfiguration("search", 60, allocation="halving", depth=3),
        PlayerConfiguration("search", 60, allocation="tree", depth=3, prior=1e6, explore=0),
    ]
    one, two = (Adviser(game, player, learned) for player in ways)
    asked = [state for _ in range(4) for state in turns(game, rng.sample(range(48), 48), rng)]
    for state in asked:
        advice = [adviser.advise(game.view(state, state.mover), state.mover, 1) for adviser in (one, two)]
        assert advice[0] == advice[1]
    assert len(asked) > 30


@pytest.mark.slow
def test_a_tree_learns_beyond_its_tables():
    """The tree beats a search with the same empty tables from turn 11 to the end (300 deals, s.e. .08)."""
    nothing = make_tables()
    tree, search = (
        PlayerConfiguration("search", 2000, depth=0, allocation=allocation, prior=0.5, explore=3)
        for allocation in ("tree", "halving")
    )
    found = duel(STANDARD, tree, search, 300, seed=1, tables=nothing, opening=10)
    assert found.mean > 2 * found.error and found.mean > 0.15


def test_a_clairvoyant_player_wins_more_than_others(learned):
    """It knows all cards and the opponent, so it does at least as well on each deal."""
    clairvoyant, by_tables, greedy = (PlayerConfiguration(kind) for kind in ("clairvoyant", "tables", "greedy"))
    for other in (greedy, by_tables):
        best = duel(STANDARD, clairvoyant, other, 12, seed=6, tables=learned)
        assert np.all(best.points >= duel(STANDARD, by_tables, other, 12, seed=6, tables=learned).points)
        assert np.all(best.points >= duel(STANDARD, greedy, other, 12, seed=6, tables=learned).points)
        assert best.mean > 6


def test_matches_are_played_to_the_end(learned):
    rules = find_rules("standard", rounds=3)
    value = MatchValue(rules, count_outcomes(rules, learned, 2000))
    search = PlayerConfiguration("search", 5, depth=2)
    found = play_matches(rules, search, PlayerConfiguration("random"), 20, tables=learned, value=value, seed=1)
    assert set(found.ravel()) <= {0, 0.5, 1} and found.mean() > 0.6
    again = play_matches(rules, search, PlayerConfiguration("random"), 20, tables=learned, value=value, seed=1)
    assert np.array_equal(found, again)
    mirrored = play_matches(rules, search, search, 10, tables=learned, seed=1)
    assert np.all(mirrored.sum(axis=1) == 1) and len(np.unique(mirrored[:, 0])) > 1
    with pytest.raises(td.errors.ParameterError, match="greedy"):
        play_matches(rules, PlayerConfiguration("greedy"), search, 10, tables=learned, value=value)


@pytest.mark.learner
def test_maximising_the_match_wins_more_matches(learned):
    """Tables that maximise the chance to win the match beat the same tables that maximise points.

    3,000 matches of three rounds, each twice with the same cards: s.e. .003.
    """
    rules, player = find_rules("standard", rounds=3), PlayerConfiguration("tables")
    value = MatchValue(rules, count_outcomes(rules, learned, 100_000))
    found = play_matches(rules, player, player, 3000, tables=learned, value=value, seed=2).mean(axis=1)
    error = found.std() / np.sqrt(len(found))
    assert error < 0.006 and found.mean() > 0.5 + 3 * error


def test_players_refused():
    rules = PRESETS["standard"]
    with pytest.raises(td.errors.ParameterError, match="tables"):
        duel(rules, PlayerConfiguration("tables"), PlayerConfiguration("greedy"), 10)
    with pytest.raises(td.errors.ParameterError, match="depth"):
        PlayerConfiguration("search", depth=2, rollout="random")
    with refused(td.errors.ParameterError, key="allocation", value="quickly"):
        PlayerConfiguration("search", allocation="quickly")
    with pytest.raises(td.errors.ParameterError, match="tree"):
        PlayerConfiguration("search", depth=0, rollout="random", allocation="tree")
    with pytest.raises(td.errors.ParameterError, match="opening"):
        duel(rules, PlayerConfiguration("greedy"), PlayerConfiguration("random"), 10, opening=4)
    with pytest.raises(td.errors.ParameterError, match="sees all cards"):
        Adviser(koikoi(), PlayerConfiguration("clairvoyant"))
    with pytest.raises(td.errors.ParameterError, match="mini8"):
        Adviser(mini8(), PlayerConfiguration("greedy"))


def test_standard_errors_are_of_pairs_of_rounds():
    """Two deals with 0 and 2 points a round have mean 1, standard deviation sqrt 2, error 1."""
    found = DuelResult(np.array([[1.0, -1.0], [3.0, 1.0]]))
    assert (found.mean, found.error) == (1.0, pytest.approx(1.0)) and (found.searched, found.seconds) == (0, 0.0)


def test_deals_are_played_in_blocks():
    """The first 50 of 60 deals equal a duel of 50; progress is reported; both players are configured."""
    reports, players = [], (PlayerConfiguration("greedy"), PlayerConfiguration("random"))
    found = duel(STANDARD, *players, 60, seed=3, progress=lambda *done: reports.append(done))
    assert reports == [(50, 60), (60, 60)] and found.points[50:].any()
    assert np.array_equal(found.points[:50], duel(STANDARD, *players, 50, seed=3).points)
    table = make_players((flat(5), flat(7, "greedy")), None)
    assert [search.determinizations for search in table.searches] == [5, 7]
    assert [search.rollout for search in table.searches] == [0, 1] == table.rollouts[:, 0].tolist()


@pytest.mark.parametrize(
    "players, needed",
    [
        ((PlayerConfiguration("greedy"), PlayerConfiguration("random")), ""),
        ((PlayerConfiguration("tables"), PlayerConfiguration("random")), "tables"),
        ((PlayerConfiguration("network"), PlayerConfiguration("greedy")), "nets accumulators"),
        ((flat(5), PlayerConfiguration("greedy")), "searches rollouts scratch"),
        ((PlayerConfiguration("greedy"), PlayerConfiguration("search")), "searches tables scratch"),
        ((PlayerConfiguration("search", hands=3), flat(5)), "searches tables rollouts scratch hands weights"),
        (
            (PlayerConfiguration("search", allocation="tree"), PlayerConfiguration("greedy")),
            "searches tables scratch nodes",
        ),
        ((PlayerConfiguration("clairvoyant"), PlayerConfiguration("greedy")), "clairvoyant tables"),
    ],
)
def test_unneeded_parts_are_not_compiled(players, needed):
    """Unneeded parts are None, a type for which kernels are compiled; an opening needs tables."""
    table = make_players(players, make_tables())
    given, needed = {name for name, one in table._asdict().items() if one is not None}, set(needed.split())
    inside = {"hands", "weights", "nodes"}
    always = {"kinds", "utility", "past_plays", "indices", "tables"}
    assert given == always | needed - inside and all((one is not None) == ("tables" in needed) for one in table.tables)
    assert {name for name in inside if table.scratch and getattr(table.scratch, name) is not None} == needed & inside
    assert None not in make_players(players, make_tables(), opening=True).tables
