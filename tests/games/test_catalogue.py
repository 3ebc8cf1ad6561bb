"""Built-in games: sizes with their sources, counts, and rules checked by hand."""

import json

import pytest

import tefuda as td
from tests import counts
from tests.conftest import compiled

COUNTS = json.loads(counts.FILE.read_text())


@pytest.mark.parametrize("name", counts.GAMES)
def test_counts_by_recursion_and_by_compiling(name):
    game, parameters = counts.GAMES[name]
    expected = COUNTS[name]
    assert counts.count(td.load_game(game, **parameters)) == expected
    tree = compiled(game, **parameters)
    assert (len(tree.player), len(tree.terminals)) == (sum(expected["histories"]), sum(expected["ends"]))
    players = range(tree.players)
    assert [int((tree.player == player).sum()) for player in players] == expected["decisions"]
    assert [int((tree.infoset_player == player).sum()) for player in players] == expected["infosets"]


@pytest.mark.parametrize("name", counts.GAMES)
def test_every_game_passes_check_game(name):
    game, parameters = counts.GAMES[name]
    report = td.check_game(td.load_game(game, **parameters))
    assert report.ok and report.complete, str(report)


def test_every_game_is_counted():
    assert {game for game, _ in counts.GAMES.values()} == set(td.GAMES) - {
        *("efg", "nfg", "openspiel", "matrix", "minikoi"),  # these need input
        "phantom_ttt",  # too large for a tree
        *("koikoi", "mini8", "mini12"),  # counted in test_koikoi.py
        *(
            "holdem",
            "spot",
            "endgame",
            "royal_holdem",
        ),  # games with whole hands; a spot, counted in tests/holdem/spots/test_solver.py
    }


# Histories, terminals, infosets as published with OpenSpiel's games. OpenSpiel has a chance node for each die and
# card; tefuda deals at once, so `dealing` histories are missing.
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
    with pytest.raises(td.InputError, match=words):
        td.load_game(name, **parameters)
