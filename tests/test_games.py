"""The games that come along: sizes with their sources, counts, and rules checked by hand."""

import json
from fractions import Fraction

import numpy as np
import pytest

import tefuda as tf
from tests import counts
from tests.conftest import compiled, rules

COUNTS = json.loads(counts.FILE.read_text())


@pytest.mark.parametrize("name", counts.GAMES)
def test_counts_by_recursion_and_by_compiling(name):
    game, parameters = counts.GAMES[name]
    expected = COUNTS[name]
    assert counts.count(tf.load_game(game, **parameters)) == expected
    tree = compiled(game, **parameters)
    assert (len(tree.player), len(tree.terminals)) == (sum(expected["histories"]), sum(expected["ends"]))
    players = range(tree.players)
    assert [int((tree.player == player).sum()) for player in players] == expected["decisions"]
    assert [int((tree.infoset_player == player).sum()) for player in players] == expected["infosets"]


@pytest.mark.parametrize("name", counts.GAMES)
def test_every_game_passes_check_game(name):
    game, parameters = counts.GAMES[name]
    report = tf.check_game(tf.load_game(game, **parameters))
    assert report.ok and report.whole, str(report)


def test_every_game_is_counted():
    assert {game for game, _ in counts.GAMES.values()} == set(tf.GAMES) - {
        *("efg", "openspiel", "matrix", "minikoi"),  # these need input
        *("koikoi", "mini8", "mini12"),  # counted in test_koikoi.py
    }


# Histories, terminals, infosets as published with OpenSpiel's games, where each die and card is a chance node of its
# own; ours deal at once, so a few histories of dealing are missing: `dealing` of them.
SIZES = [
    ("kuhn", {}, 58, 30, 12, 3),
    ("kuhn", {"players": 3}, 617, 312, 48, 16),
    ("leduc", {"distinct_suits": True}, 9_457, 5_520, 936, 6),
    ("leduc", {}, 1_939, 1_116, 288, 3),
    ("leduc", {"players": 3}, 223_881, 126_996, 7_428, 20),
    ("liars_dice", {"sides": 4}, 8_181, None, 1_024, 4),
    ("liars_dice", {"sides": 6}, 294_883, 147_420, 24_576, 6),
    ("goofspiel", {"cards": 4}, 1_077, 576, 162, 0),
    ("goofspiel", {"cards": 5}, 26_931, 14_400, 2_124, 0),
]


@pytest.mark.parametrize("name, parameters, histories, terminals, infosets, dealing", SIZES)
def test_sizes(name, parameters, histories, terminals, infosets, dealing):
    tree = compiled(name, **parameters)
    assert len(tree.player) == histories - dealing and tree.infosets == infosets
    assert terminals in (None, len(tree.terminals))


def end_of(game, *history):
    """The payoffs after a history."""
    state = game.root()
    for label in history:
        state = game.child(state, label)
    assert game.player(state) == tf.TERMINAL
    return game.payoffs(state)


@pytest.mark.parametrize(
    "hands, bids, payoffs",
    [
        (("3", "5"), ("1-3",), (1, -1)),  # one three is there: the caller, player 1, was wrong
        (("3", "5"), ("1-4",), (-1, 1)),
        (("6", "5"), ("1-4",), (1, -1)),  # the six is wild
        (("6", "5"), ("1-4", "2-5"), (-1, 1)),  # five and wild six: two fives
        (("5", "5"), ("1-6",), (-1, 1)),  # a bid of sixes counts only sixes
        (("6", "6"), ("2-1",), (1, -1)),
    ],
)
def test_liars_dice_by_hand(hands, bids, payoffs):
    assert end_of(rules("liars_dice"), hands, *bids, "liar") == payoffs


def test_three_liars():
    """The caller and the last bidder settle; the third player pays nothing."""
    game = rules("liars_dice", players=3, sides=3)
    assert end_of(game, ("1", "2", "1"), "1-1", "2-1", "liar") == (0, 1, -1)
    assert end_of(game, ("1", "2", "1"), "1-1", "1-2", "3-2", "liar") == (1, 0, -1)


def test_rolls_are_multinomial():
    game = rules("liars_dice", dice=2, sides=3)
    chances = dict(game.chances(game.root()))
    assert chances["12", "33"] == Fraction(2, 9) * Fraction(1, 9) and sum(chances.values()) == 1


def test_goofspiel_by_hand():
    game = rules("goofspiel", cards=3)
    # Prizes 3, 2, 1. Player 0 bids 3, 1 and is left with 2; player 1 bids 1, 3 and is left with 2: 3 against 2.
    assert end_of(game, 3, 1, 1, 3) == (1, -1)
    assert end_of(game, 3, 3, 2, 2) == (0, 0)
    points = rules("goofspiel", cards=3, payoff="point_difference")
    assert end_of(points, 3, 1, 1, 3) == (Fraction(1, 2), Fraction(-1, 2))
    assert rules("goofspiel", cards=3, order="ascending").root()[0] == (1,)


def test_what_goofspiel_shows():
    """Hidden bids: both players know who won, not with what; open bids: all."""
    state = rules("goofspiel", cards=4).root()
    hidden, shown = rules("goofspiel", cards=4), rules("goofspiel", cards=4, hidden=False)
    views = {
        (game.hidden, bids): game.view(game.child(game.child(state, bids[0]), bids[1]), 0)
        for game in (hidden, shown)
        for bids in ((4, 1), (4, 2))
    }
    assert views[True, (4, 1)] == views[True, (4, 2)] == "4.3| 4| 0"
    assert views[False, (4, 1)] != views[False, (4, 2)]


@pytest.mark.parametrize("cards, value", [(3, -1 / 18), (4, None), (6, None)])
def test_kuhn_with_more_cards(cards, value):
    """The value of the LP, and with three cards Kuhn's."""
    solution = tf.solve(compiled("kuhn", cards=cards), "lp")
    assert solution.nash_conv < 1e-12 and solution.values[0] < 0
    assert value is None or solution.values[0] == pytest.approx(value, abs=1e-12)


BAD = [
    ("liars_dice", {"sides": 1}, "sides is 1"),
    ("liars_dice", {"dice": 0}, "dice is 0"),
    ("goofspiel", {"cards": 99}, "cards is 99"),
    ("goofspiel", {"order": "up"}, "descending, ascending or random"),
    ("goofspiel", {"payoff": "coins"}, "win_loss"),
    ("kuhn", {"cards": 1}, "cards is 1"),
    ("leduc", {"player": 3}, "players"),
    ("ledukh", {}, "leduc"),
]


@pytest.mark.parametrize("name, parameters, words", BAD)
def test_wrong_parameters_are_refused(name, parameters, words):
    with pytest.raises(tf.InputError, match=words):
        tf.load_game(name, **parameters)


@pytest.mark.parametrize("seed", range(3))
def test_playthrough_is_repeatable(seed):
    lines = [list(tf.playthrough(rules("goofspiel"), np.random.default_rng(seed))) for _ in range(2)]
    assert lines[0] == lines[1] and lines[0][-1].startswith("end: ")


def test_random_games_are_games_of_all_their_players():
    """In most of them everybody moves; a hash that mixes badly once gave every decision to one player."""
    movers = [len(set(compiled("sampled", seed=seed).infoset_player.tolist())) for seed in range(40)]
    assert np.mean(np.array(movers) == 2) > 0.7
