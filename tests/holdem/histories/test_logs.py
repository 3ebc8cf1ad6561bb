"""Logs of the computer poker competition, and files and folders of hands."""

import dataclasses
import random
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

import tefuda as td
from tefuda.games.plays import play
from tefuda.holdem.hands.acpc import match_state
from tefuda.holdem.hands.whole import holdem
from tefuda.holdem.histories.collection import winnings
from tefuda.holdem.histories.logs import competition_table, log_lines, read_line
from tefuda.holdem.histories.phh import read_hands
from tefuda.holdem.histories.phh_text import hand_text
from tefuda.holdem.histories.reading import is_history, read_histories
from tests.holdem.tables import random_game

LOG = """# name/game/hands/seed 2p_nolimit 2 1
STATE:0:cr300c/cc/cr900c/cc:9s8h|AcKd/8c8d5c/Kh/2d:900|-900:Ann|Ben
STATE:1:f:AhAs|2c7d:50|-50:Ann|Ben
SCORE:950|-950:Ann|Ben
"""
HAND = """
variant = "NT"
antes = [0, 0]
blinds_or_straddles = [5, 10]
min_bet = 10
starting_stacks = [1000, 1000]
actions = ["d dh p1 AhAs", "d dh p2 2c7d", "p2 f"]
players = ["Ann", "Ben"]
"""


def read_log(text, table=competition_table):
    return [read_line(line, table) for _, line in log_lines(text)]


def test_a_log():
    """Trips win 900 chips; the small blind folds."""
    first, second = read_log(LOG)
    assert first.payoffs == (900, -900) and second.payoffs == (50, -50)
    assert (first.hand.line, first.fields["hand"]) == ("cr300c/cc/cr600c/cc", 0)
    assert winnings([first, second]) == {"": {"Ann": (2, 950), "Ben": (2, -950)}}
    assert read_hands(hand_text(first))[0].results == (900, -900)


@pytest.mark.parametrize("seed", range(8))
def test_random_hands_of_a_log(seed):
    """Hands in the protocol's notation have the payoffs of the game; other tables are refused."""
    game = random_game(random.Random(seed))
    state = play(game, np.random.default_rng(seed))[1]
    payoffs = game.payoffs(state)
    cards = match_state(game, state, 0, seed).split(":")
    holes = "|".join(
        "".join(map(td.holdem.cards_text, [[card] for card in state.hole(seat)])) for seat in range(game.players)
    )
    board = "".join(f"/{part}" for part in cards[4].split("/")[1:])
    names = "|".join(f"player {seat}" for seat in range(game.players))
    line = f"STATE:{seed}:{cards[3]}:{holes}{board}:{'|'.join(map(str, payoffs))}:{names}"
    (record,) = read_log(line, table=lambda players: game)
    assert (record.payoffs, record.hand.line) == (payoffs, state.line)
    deeper = dataclasses.replace(game.rules, blinds=tuple(2 * blind for blind in game.rules.blinds))
    with pytest.raises(td.errors.ParameterError):
        [*read_log(line.replace("|", "|9", 1), table=lambda players: dataclasses.replace(game, rules=deeper))]


@pytest.mark.parametrize(
    "line, part",
    [
        ("STATE:0:f:AhAs|2c7d:5|-5:Ann|Ben", "5|-5"),  # not blinds of 50 and 100
        ("STATE:0:f:AhAs|2c7d:50|-500000:Ann|Ben", "50|-500000"),
        ("STATE:0:f:AhAs|2c7d:nan|-50:Ann|Ben", "STATE:0:f:AhAs|2c7d:nan|-50:Ann|Ben"),
        ("STATE:0:f:AhAs|2c7d:50|-50:Ann", "STATE:0:f:AhAs|2c7d:50|-50:Ann"),
        ("STATE:0:r:AhAs|2c7d:50|-50:Ann|Ben", "r"),  # limit hold'em
        ("STATE:0:f:AhAh|2c7d:50|-50:Ann|Ben", "AhAh|2c7d"),
        ("STATE:0:f:AhAs|2c7d:50|-50|0:Ann|Ben", "STATE:0:f:AhAs|2c7d:50|-50|0:Ann|Ben"),
        ("STATE:0:cc/cc/cc/cc:|AcKd/8c8d5c/Kh/2d:-20001|20001:Ann|Ben", "-20001|20001"),
        ("STATE:0:cc/cc/cc/cc:AhAs|2c7d|5d6d/8c8d5c/Kh/2d:0|0|0:Ann|Ben|Cem", "/"),  # a player is still to act
        ("hello", "hello"),
    ],
)
def test_bad_lines_of_a_log(line, part):
    with pytest.raises(td.errors.ParameterError) as refused:
        read_log(f"{LOG}{line}\n")
    error = refused.value
    assert error.text == line and line[slice(*(error.position or (0, None)))] == part


def test_options_of_a_log():
    """Limit hold'em at 5/10, hidden cards, and split chips as the log records them."""
    limit = "STATE:7:rrc/cc/cc/cc:AhKs|AcKd/8c8d5c/Qh/2d:0|0:Ann|Ben"
    assert read_log(limit, table=lambda players: holdem(players, limit=True))[0].payoffs == (0, 0)
    (hidden,) = read_log("STATE:7:cc/cc/cc/cc:|AcKd/8c8d5c/Kh/2d:-99.5|99.5:Ann|Ben")
    assert hidden.payoffs is None and hidden.results == (Decimal("-99.5"), Decimal("99.5"))
    assert [*read_log("\n# nothing\n")] == []


def test_files_and_folders(tmp_path):
    """Folders contain PHH files and logs, also in subfolders; a file counts once."""
    folder = tmp_path / "hands"
    (folder / "deeper").mkdir(parents=True)
    (folder / "one.phh").write_text(HAND)
    (folder / "deeper" / "two.phhs").write_text(f"[1]{HAND}[2]{HAND}")
    (folder / "acpc.log").write_bytes(b"\xef\xbb\xbf" + LOG.encode())
    (folder / "notes.txt").write_text("nothing")
    files = [str(folder / name) for name in ("acpc.log", "deeper/two.phhs", "one.phh")]
    hands = read_histories([files[2], folder, folder])
    assert hands.files == (files[2], *files[:2]) and hands.ignored == (str(folder / "notes.txt"),)
    assert winnings(hands) == {"": {"Ann": (5, 965), "Ben": (5, -965)}} and not hands.skipped
    assert all(map(is_history, map(Path, (folder, *files)))) and not is_history(folder / "notes.txt")
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "empty", folder / "notes.txt", tmp_path / "none.phh", tmp_path / "none"):
        with pytest.raises(td.errors.RunError):
            read_histories([path])
