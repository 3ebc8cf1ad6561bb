"""Gambit's strategic form: both forms by hand, round trips, and damaged files."""

import re
from fractions import Fraction

import numpy as np
import pytest

import tefuda as td
from tefuda.games.small.matrix import Matrix
from tests.conftest import rules

# The first player's strategy changes fastest: (1, 1), (2, 1), (3, 1), (1, 2), ...
PAYOFFS = """NFG 1 R "three by two" { "Ann" "Ben" } { 3 2 }
"a comment"

1 -1, 2 0.5 1/3 -1/3
4, -4 5 -5 6 1e-1
"""
OUTCOMES = """NFG 1 D "outcomes" { "Ann" "Ben" }
{ { "up" "down" } { "left" "left" } }
{
{ "win" 1, 1/2 }
{ "" 0 2 }
}
1 2
0 1
"""
THREE = 'NFG 1 R "" { "A" "B" "C" } { 2 2 2 } ' + " ".join(map(str, range(24)))


def written(tmp_path, text, name="game.nfg"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_payoffs_by_hand(tmp_path):
    game = td.games.read_nfg(written(tmp_path, PAYOFFS))
    assert (game.title, game.labels) == ("three by two", (("1", "2", "3"), ("1", "2")))
    expected = {"11": (1, -1), "21": (2, Fraction(1, 2)), "31": (Fraction(1, 3), Fraction(-1, 3)), "12": (4, -4)}
    assert {pair: game.payoffs(pair) for pair in expected} == expected
    assert game.payoffs("32") == (6, Fraction(1, 10)) and td.check_game(game).ok


def test_outcomes_by_hand(tmp_path):
    """Outcome 0 pays nothing; equal names are numbered."""
    game = td.load_game(str(written(tmp_path, OUTCOMES)))
    assert game.labels == (("up", "down"), ("left 1", "left 2"))
    pairs = [(own, other) for other in game.labels[1] for own in game.labels[0]]
    assert [game.payoffs(pair) for pair in pairs] == [(1, Fraction(1, 2)), (0, 2), (0, 0), (1, Fraction(1, 2))]


def test_strategies_without_a_name_are_numbered(tmp_path):
    game = td.games.read_nfg(written(tmp_path, OUTCOMES.replace('"up" "down"', '"" "down"')))
    assert game.labels[0] == ("strategy 1", "down 2")


def test_three_players(tmp_path):
    game = td.games.read_nfg(written(tmp_path, THREE))
    assert game.title == "game" and game.players == 3
    assert game.payoffs(("2", "1", "1")) == (3, 4, 5) and game.payoffs(("1", "1", "2")) == (12, 13, 14)


def same_table(one, other):
    return np.array_equal(np.array(one.payoff_table, dtype=object), np.array(other.payoff_table, dtype=object))


@pytest.mark.parametrize("outcomes", [False, True])
@pytest.mark.parametrize("source", [PAYOFFS, OUTCOMES, THREE, "rps", "blotto", "names"])
def test_round_trips_without_loss(source, outcomes, tmp_path):
    if source == "names":
        game: Matrix = Matrix([["1/3", "0.1"], [-2, 10**20]], [["a b", 'say "x"'], ["é", "l"]])
    else:
        game = rules(source) if source[:3] != "NFG" else td.games.read_nfg(written(tmp_path, source))
    for name in ("first.nfg", "second.nfg"):
        td.games.write_nfg(game, tmp_path / name, outcomes=outcomes)
        again = td.games.read_nfg(tmp_path / name)
        assert same_table(game, again)
        assert source == "names" or again.labels == game.labels
        game = again
    assert (tmp_path / "first.nfg").read_bytes().split(b"\n", 1)[1] == (tmp_path / "second.nfg").read_bytes().split(
        b"\n", 1
    )[1]


def test_a_run_of_a_file_is_resumed(tmp_path):
    path = str(written(tmp_path, PAYOFFS.replace("0.5", "-2").replace("1e-1", "-6")))
    td.solve(td.load_game(path), "cfr+", iterations=5, checkpoint=tmp_path / "run")
    assert td.resume(tmp_path / "run", iterations=10).iterations == 10


BROKEN = {
    "empty": ("", "does not start with NFG 1"),
    "a tree": ('EFG 2 R "t" { "A" "B" }', "does not start with NFG 1"),
    "one player": (PAYOFFS.replace('"Ann" "Ben"', '"Ann"'), "line 1, column 34: .*two players"),
    "a size too many": (PAYOFFS.replace("{ 3 2 }", "{ 3 2 2 }"), "line 1, column 48: strategies of 3 players"),
    "no strategies": (PAYOFFS.replace("{ 3 2 }", "{ 3 0 }"), "line 1, column 44: 0 profiles"),
    "fewer than none": (PAYOFFS.replace("{ 3 2 }", "{ -3 -2 }"), "line 1, column 42: -3 profiles"),
    "half a strategy": (PAYOFFS.replace("{ 3 2 }", "{ 3/2 2 }"), "line 1, column 42: the number of strategies is 3/2"),
    "too large": (PAYOFFS.replace("{ 3 2 }", "{ 5000 2001 }"), "line 1, column 47: 10,005,000 profiles"),
    "far too large": (PAYOFFS.replace("{ 3 2 }", "{ 1e17 2 }"), "line 1, column 42: 100,000,000,000,000,000 profiles"),
    "a payoff too few": (PAYOFFS.replace(" 1e-1", ""), "expected a number, found the end of the file"),
    "a payoff too many": (PAYOFFS + "7", "line 6, column 1: unexpected '7'"),
    "no number": (PAYOFFS.replace("0.5", "nan"), "line 4, column 9: 'nan' is not a number"),
    "beyond floats": (PAYOFFS.replace("0.5", "1e999"), "line 4, column 9: '1e999' is not"),
    "no outcome": (OUTCOMES.replace("0 1\n", "0 3\n"), "line 8, column 3: outcome 3 of 2"),
    "a negative outcome": (OUTCOMES.replace("0 1\n", "-1 1\n"), "line 8, column 1: outcome -1 of 2"),
    "an outcome too few": (OUTCOMES.replace("0 1\n", "0\n"), "expected a number, found the end of the file"),
    "an outcome of one payoff": (OUTCOMES.replace("1, 1/2", "1"), "line 4, column 11: expected a number, found '}'"),
    "an outcome of three": (OUTCOMES.replace("0 2", "0 2 3"), "line 5, column 10: expected } after 2 payoffs"),
    "a text without an end": (PAYOFFS.replace('comment"', "comment"), "line 2, column 1: a string has no closing"),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_broken_files_are_refused_with_line_and_column(tmp_path, what):
    text, words = BROKEN[what]
    with pytest.raises(td.errors.GameError, match=words):
        td.games.read_nfg(written(tmp_path, text))


@pytest.mark.parametrize("text", [PAYOFFS, OUTCOMES])
def test_no_damage_passes_or_escapes(tmp_path, text):
    """A word cut out or doubled, a hundred times: an error with its place, or another valid file."""
    words = list(re.finditer(r"\S+", text))
    rng, messages = np.random.default_rng(0), []
    for _ in range(100):
        word = words[rng.integers(len(words))]
        kept = "" if rng.random() < 0.5 else f"{word[0]} {word[0]}"
        try:
            td.games.read_nfg(written(tmp_path, text[: word.start()] + kept + text[word.end() :]))
        except td.errors.GameError as error:
            messages.append(str(error))
    assert len(messages) > 60
    assert all(re.search(r"line \d+, column \d+|does not start", message) for message in messages)


def test_other_games_are_not_written(tmp_path):
    with pytest.raises(td.errors.ParameterError):
        td.games.write_nfg(rules("kuhn"), tmp_path / "kuhn.nfg")
