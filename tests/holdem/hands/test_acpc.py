"""Match states of the computer poker competition, written and read."""

import random

import numpy as np
import pytest

import tefuda as td
from tefuda.games.plays import play
from tefuda.holdem.hands.acpc import match_state, read_match_state, written_action
from tefuda.holdem.hands.hand import HIDDEN
from tefuda.holdem.hands.whole import holdem
from tests.holdem.tables import after, random_game

GAME = holdem(stack=20_000, blinds=(50, 100))
LINE = "MATCHSTATE:0:30:cc/:9s8h|/8c8d5c"


def test_the_examples_of_the_protocol():
    state = after(GAME, "9s 8h Ac Kd c c 8c 8d 5c")
    assert match_state(GAME, state, 0, 30) == LINE
    assert match_state(GAME, state, 1, 30) == "MATCHSTATE:1:30:cc/:|AcKd/8c8d5c"
    assert match_state(GAME, state, 0, 30, "r200") == f"{LINE}:r300"
    found = read_match_state(GAME, f"{LINE}:r300\r\n")
    assert (found.position, found.number, found.action) == (0, 30, "r200")
    assert GAME.view(found.hand, 0) == GAME.view(state, 0) and found.hand.hole(1) == (HIDDEN, HIDDEN)


def test_a_bet_counts_the_whole_hand():
    """A flop bet of 400 after a raise to 200 and a call is r600; position 1 acts first before the flop."""
    state = after(GAME, "9s 8h Ac Kd r200 c 8c 8d 5c")
    assert written_action(GAME, state, "r400") == "r600" and written_action(GAME, state, "c") == "c"
    line = match_state(GAME, GAME.child(state, "r400"), 1, 0)
    assert line == "MATCHSTATE:1:0:r200c/r600:|AcKd/8c8d5c"
    assert read_match_state(GAME, line).hand.line == "r200c/r400"
    limit = holdem(limit=True)
    assert written_action(limit, after(limit, "9s 8h Ac Kd"), "r") == "r"


@pytest.mark.parametrize("seed", range(12))
def test_random_hands_are_read_as_written(seed):
    game, rng = random_game(random.Random(seed)), np.random.default_rng(seed)
    for number in range(5):
        steps, end = play(game, rng)
        for state in (*(step.state for step in steps if step.player >= 0), end):
            for seat in range(game.players):
                line = match_state(game, state, seat, number)
                found = read_match_state(game, line)
                assert (found.position, found.number) == (seat, number)
                assert (found.hand.wagers, found.hand.line) == (state.wagers, state.line)
                assert found.hand.board == state.board and found.hand.hole(seat) == state.hole(seat)
                assert match_state(game, found.hand, seat, number) == line


BAD = [
    ("MATCHSTATE:0:30:cc/", "is no match state"),
    (
        "MATCHSTATE:2:30:cc/:9s8h|/8c8d5c",
        "'2' is no position; write 0 to 1.\n.*\n {13}^$",
    ),
    ("MATCHSTATE:0:30:cx/:9s8h|/8c8d5c", "'x' is no action.*\n.*\n {19}^$"),
    ("MATCHSTATE:0:30:r150:9s8h|", "'r150' is no legal action"),
    ("MATCHSTATE:0:30:r:9s8h|", "legal action"),
    ("MATCHSTATE:0:30:c/:9s8h|/8c8d5c", "'/' is no legal"),
    ("MATCHSTATE:0:30:cc/:9s8h|", "3 cards of the board"),
    ("MATCHSTATE:0:30:cc/:9s8h/8c8d5c", "2 players"),
    ("MATCHSTATE:0:30:cc/:9s8|/8c8d5c", "two hole cards"),
    ("MATCHSTATE:0:30:cc/:9s9s|/8c8d5c", "is repeated"),
    ("MATCHSTATE:0:30:cc/:9s8c|/8c8d5c", "invalid cards: .*'8c' is repeated"),
    ("MATCHSTATE:0:30:cc/:9s8h|/8c8d5c:r5", "no action|legal action"),
    (f"MATCHSTATE:0:30:r{'9' * 400}:9s8h|", "no action"),
    (f"MATCHSTATE:0:{'9' * 5000}:cc/:9s8h|/8c8d5c", "is no match state"),
]


@pytest.mark.parametrize("line, told", BAD)
def test_bad_lines_are_refused(line, told):
    with pytest.raises(td.errors.ParameterError, match=told.replace("^$", r"\^$")):
        read_match_state(GAME, line)
