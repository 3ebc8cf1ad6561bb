"""Who plays Koi-Koi how well. Figures: docs/koikoi.md."""

import numpy as np
import pytest

import tefuda as tf
from tefuda.koikoi.advice import Adviser
from tefuda.koikoi.ladder import Player, contest, duel, flat
from tefuda.koikoi.reduced import koikoi, mini8
from tefuda.koikoi.rules import PRESETS, find_rules
from tefuda.koikoi.standing import MatchValue
from tefuda.koikoi.worth import survey

STANDARD = PRESETS["standard"]


def test_flat_search_as_published():
    """100 worlds played out randomly: +1.08 +- .08 a round against greedy, .408 of the rounds won."""
    found = duel(PRESETS["standard"], flat(100), Player("greedy"), 400, seed=4)
    assert abs(found.mean - 1.08) < 4 * np.hypot(found.error, 0.08)
    assert abs((found.won > 0).mean() - 0.408) < 4 * np.sqrt(0.408 * 0.592 / 800)


def test_search_beats_its_own_tables(learned):
    """What 100 worlds add to tables: 200 pairs of rounds against greedy play, on the same deals."""
    one, two = (
        duel(STANDARD, player, Player("greedy"), 200, seed=3, worth=learned)
        for player in (Player("search", 100, depth=2), Player("tables"))
    )
    gained = (one.won - two.won).mean(axis=1)
    assert gained.mean() > 2 * gained.std() / np.sqrt(len(gained)) and gained.mean() > 0.2


def test_a_seer_wins_more_than_anybody(learned):
    """What it plans it gets: knowing all cards and the other, it does at least as well on each deal."""
    seer, tables, greedy = (Player(kind) for kind in ("seer", "tables", "greedy"))
    for other in (greedy, tables):
        best = duel(STANDARD, seer, other, 12, seed=6, worth=learned)
        assert np.all(best.won >= duel(STANDARD, tables, other, 12, seed=6, worth=learned).won)
        assert np.all(best.won >= duel(STANDARD, greedy, other, 12, seed=6, worth=learned).won)
        assert best.mean > 6


def test_matches_are_played_to_the_end(learned):
    rules = find_rules("standard", rounds=3)
    value = MatchValue(rules, survey(rules, learned, 2000))
    search = Player("search", 5, depth=2)
    found = contest(rules, search, Player("random"), 20, worth=learned, value=value, seed=1)
    assert set(found) <= {0, 0.5, 1} and found.mean() > 0.6
    again = contest(rules, search, Player("random"), 20, worth=learned, value=value, seed=1)
    assert np.array_equal(found, again)


def test_players_refused():
    rules = PRESETS["standard"]
    with pytest.raises(tf.ParameterError, match="tables"):
        duel(rules, Player("tables"), Player("greedy"), 10)
    with pytest.raises(tf.ParameterError, match="depth"):
        Player("search", depth=2, rollout="random")
    with pytest.raises(tf.ParameterError, match="halving"):
        Player("search", halving=2)
    with pytest.raises(tf.ParameterError, match="sees all cards"):
        Adviser(koikoi(), Player("seer"))
    with pytest.raises(tf.ParameterError, match="mini8"):
        Adviser(mini8(), Player("greedy"))
