"""The client of Slumbot against recorded replies and a server made of them; no network."""

import json

import numpy as np
import pytest
from bench import slumbot

import tefuda as td
from tefuda.holdem.cards import card_text
from tefuda.holdem.hands.agents import CallingAgent
from tefuda.holdem.hands.hand import HIDDEN
from tefuda.holdem.histories.logs import competition_table
from tefuda.holdem.histories.phh import read_phh

GAME = competition_table(2)
#: Replies of the server as others recorded them.
NEW = {"old_action": "", "action": "b200", "client_pos": 0, "hole_cards": ["As", "7s"], "board": [], "token": "2a46"}
FLOP = {"old_action": "b200", "action": "b200c/", "client_pos": 0, "hole_cards": ["As", "7s"],
        "board": ["8h", "6d", "2s"]}  # fmt: skip
SHOWDOWN = {
    "old_action": "b200c/kk/kb200c/", "action": "b200c/kk/kb200c/kk", "client_pos": 0, "hole_cards": ["Ad", "9s"],
    "board": ["Kc", "4c", "3s", "2s", "2d"], "bot_hole_cards": ["As", "Ts"], "winnings": -400, "won_pot": -800,
    "session_num_hands": 1, "session_total": -400,
}  # fmt: skip
FOLDED = {"old_action": "b200", "action": "b200f", "client_pos": 0, "hole_cards": ["7d", "2c"], "board": [],
          "bot_hole_cards": ["9d", "5d"], "winnings": -100, "won_pot": -300}  # fmt: skip


def test_recorded_replies_are_read():
    state, seat = slumbot.state_of(GAME, NEW)
    assert (seat, state.line, state.wagers.stacks, state.hole(1)) == (0, "r200", (19900, 19800), (HIDDEN, HIDDEN))
    assert GAME.view(state, 0) == "As7s||r200" and state.wagers.mover == 0
    flop, _ = slumbot.state_of(GAME, FLOP)
    assert (flop.line, flop.wagers.mover, GAME.rules.pot(flop.wagers)) == ("r200c/", 0, 400)
    assert [slumbot.increment(GAME, at, "c") for at in (state, flop)] == ["c", "k"]
    assert slumbot.increment(GAME, flop, "r300") == "b300" and slumbot.increment(GAME, state, "a") == "b20000"
    end, _ = slumbot.state_of(GAME, SHOWDOWN)
    assert end.line == "r200c/cc/cr200c/cc" and GAME.payoffs(end) == (-400, 400)
    fold, _ = slumbot.state_of(GAME, FOLDED)
    assert fold.wagers.is_over and GAME.payoffs(fold) == (-100, 100)
    assert slumbot.betting(GAME.rules, "b20000c///") == slumbot.betting(GAME.rules, "b20000c")
    assert slumbot.betting(GAME.rules, "b20000c")[1] == "r20000c///"


@pytest.mark.parametrize(
    "changes",
    [{"action": "zzz"}, {"action": None}, {"action": "k"}, {"action": "b200c/c"}, {"action": "b150"},
     {"action": "b20001"}, {"client_pos": 2}, {"hole_cards": ["As"]}, {"hole_cards": ["As", "As"]},
     {"hole_cards": [1, 2]}, {"hole_cards": 17}, {"board": ["As", "2c", "3d"], "action": "b200c"},
     {"board": ["2c", "3d"], "action": "b200c"}, {"bot_hole_cards": ["7s", "2c"]}],
)  # fmt: skip
def test_impossible_replies_are_refused(changes):
    with pytest.raises(td.errors.RunError):
        slumbot.state_of(GAME, NEW | changes)


class Server:
    """A server that deals random hands and plays random legal amounts."""

    def __init__(self, seed=0):
        self.rng, self.hands, self.paths = np.random.default_rng(seed), 0, []

    def __call__(self, path, content):
        self.paths.append((path, dict(content)))
        if path == "/api/new_hand":
            self.seat, self.deck, self.done = self.hands % 2, self.rng.permutation(52).tolist(), ""
            self.hands += 1
        else:
            assert content["token"] == f"t{len(self.paths) - 1}"  # the newest one
            self.done += content["incr"]
        while (wagers := self.betting()[0]).mover not in (self.seat, -1):
            choices = GAME.rules.choices(wagers)
            call = "c" if choices.call else "k"
            bets = [f"b{self.rng.integers(choices.low, choices.high + 1)}"] if choices.low else []
            self.done += self.rng.choice([*bets, call, call, *["f"] * (choices.call > 0)])
        return self.reply(wagers)

    def betting(self):
        return slumbot.betting(GAME.rules, self.done)

    def reply(self, wagers):
        own, other, board = self.deck[:2], self.deck[2:4], self.deck[4 : 4 + (0, 3, 4, 5)[wagers.street]]
        found = {"action": self.done, "client_pos": self.seat, "hole_cards": [card_text(card) for card in own],
                 "board": [card_text(card) for card in board], "token": f"t{len(self.paths)}"}  # fmt: skip
        if wagers.is_over:
            holes = (*own, *other) if self.seat == 0 else (*other, *own)
            end = slumbot.Hand(holes, tuple(board), wagers, self.betting()[1])
            shown = [card_text(card) for card in other]
            found |= {"winnings": GAME.payoffs(end)[self.seat], "bot_hole_cards": shown, "baseline_winnings": 5}
        return found


def test_a_match_is_saved_resumed_and_counted(tmp_path, capsys):
    server = Server()

    def failing(path, content):
        if len(server.paths) == 40:
            raise td.errors.RunError("the network is down")
        return server(path, content)

    command = ["random", "--folder", str(tmp_path / "match"), "--pause", "0", "--seed", "3"]
    assert slumbot.main([*command, "--hands", "60"], failing) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "error: the network is down"
    assert slumbot.main([*command, "--hands", "60"], server) == 0
    found = json.loads(capsys.readouterr().out)
    files = sorted((tmp_path / "match").glob("*.phhs"))
    records = [record for file in files for record in read_phh(file)]
    assert [len(read_phh(file)) for file in files] == [25, 25, 10] and server.hands == found["hands"] + 1 == 61
    won = [float(record.net["random"]) / 100 * 1000 for record in records]
    assert found["mbb"] == pytest.approx(np.mean(won)) and found["interrupted"] == 1 and found["half"] > 0
    assert {record.names.index("random") for record in records} == {0, 1} and len(set(won)) > 10
    assert all(record.payoffs in (None, record.won) for record in records)
    assert sum(record.payoffs is not None for record in records) > 30
    assert slumbot.main([*command, "--hands", "61", "--seed", "4"], server) == 2  # another match
    assert "another folder" in capsys.readouterr().err


def test_amounts_of_the_server_are_those_of_the_street():
    """A bet of 400 on the flop after a raise to 200 is b400 here, r600 in ACPC."""
    state, _ = slumbot.state_of(GAME, FLOP)
    after = GAME.child(state, "r400")
    assert after.line == slumbot.betting(GAME.rules, "b200c/b400")[1] == "r200c/r400"


@pytest.mark.parametrize("winnings", [-300, 4.5, True, "many"])
def test_results_that_differ_from_the_rules_are_refused(winnings):
    replies = iter([{**SHOWDOWN, "winnings": None, "action": "b200c/kk/kb200c/k",
                     "client_pos": 1}, SHOWDOWN | {"client_pos": 1, "winnings": winnings}])  # fmt: skip
    client = slumbot.Client(GAME, CallingAgent(), lambda path, content: next(replies))
    with pytest.raises(td.errors.RunError):
        client.play(1)


def test_without_a_network_there_is_one_line(tmp_path, capsys):
    """Port 9 of this computer has no server."""
    command = ["caller", "--folder", str(tmp_path), "--server", "http://127.0.0.1:9", "--hands", "1"]
    assert slumbot.main(command) == 2
    text = capsys.readouterr().err
    assert text.count("\n") == 1 and text.startswith("error: http://127.0.0.1:9/api/new_hand gives no reply")


def test_errors_of_the_server_and_agents_that_observe_are_named():
    client = slumbot.Client(GAME, CallingAgent(), lambda path, content: {"error_msg": "Hand is already over"})
    with pytest.raises(td.errors.RunError, match="already over"):
        client.play(1)
    (search,) = td.named_agents(GAME, ["search"])
    with pytest.raises(td.errors.ParameterError, match="search"):
        slumbot.Client(GAME, search, Server())
