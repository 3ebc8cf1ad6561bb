"""Whole hands at the terminal, by scripted input: output, accepted answers, files."""

import re
from contextlib import suppress
from itertools import chain, repeat

import pytest
from typer.testing import CliRunner

import tefuda as td
from tefuda.apps.cli import app
from tefuda.holdem.hands.agents import CallingAgent
from tefuda.holdem.hands.terminal import HoldemPerson
from tefuda.holdem.hands.whole import holdem
from tefuda.playing.human import PlayerQuit
from tefuda.playing.session import Rotation, Session, read_session, restore_session, save_session


def scripted_session(answers, hands=2, seed=4, other=None, **given):
    """Return a session with these answers, which then quits, against callers, and its output."""
    lines, queue, game = [], chain(answers, repeat("q")), holdem(**given)

    def ask(question):
        lines.append(question)
        return next(queue)

    person = HoldemPerson(ask=ask, notify=lines.append)
    others = [[other or CallingAgent() for _ in range(game.players - 1)] for _ in range(game.players)]
    return Session(game, person, others, seed, Rotation(game, hands)), lines


def test_two_hands():
    """Players rotate by a seat; chips sum to 0; no cards are reported before the showdown."""
    made, lines = scripted_session(["c"] * 99, players=3)
    made.play()
    text = "\n".join(lines)
    assert len(made.ended) == 2 and [hand.seating for hand in made.ended] == [(0, 1, 2), (2, 0, 1)]
    assert sum(hand.won[0] for hand in made.ended) == made.person.total
    assert "You are player 0 of 3, small blind 5." in lines[1] and "the button" in text
    for hand in made.ended:
        state = hand.end.state
        seat = hand.seating.index(0)
        before = text.split("Hand 2")[made.ended.index(hand)].partition(" show")[0]
        for other in {0, 1, 2} - {seat}:
            hole = state.hole(other)
            assert not all(made.game.describe(state)[5 * other :][:2] + " " in before for _ in hole)
        assert text.count("The river:") == 2


def test_output_of_a_hand():
    made, lines = scripted_session(["?", "60", "c", "c", "all-in", "k"], hands=1, seed=1)
    made.play()
    text = "\n".join(lines)
    assert "Against 1 random hand yours wins" in text and "--bets any" in text
    assert "'60' is none of: check (c), raise to 20 (50%), raise to 30 (100%), all-in 990 (a)." in text
    shown = next(line for line in lines if "The pot is" in line)
    assert shown == (
        "Player 1 calls.\n  you       990  bet 10  big blind 10\n  player 1  990  bet 10  the button, small blind 5\n"
        "The pot is 20.\nYou hold Kc 5s."
    )
    assert "You hold Kc 5s, one pair: K, J 5 2." in text and "You show Kc 5s, two pair: K 5, J." in text
    assert made.ended[0].won == (1000, -1000) and "You win 1000." in text


@pytest.mark.parametrize("given", [{}, {"bets": "any"}, {"limit": True}])
def test_the_amounts_that_help_offers_are_taken(given):
    """Every offered amount is accepted, alone and behind raise; limit hold'em offers none."""
    made, lines = scripted_session(["?"], hands=1, **given)
    with suppress(PlayerQuit):
        made.play()
    told = next(line for line in lines if line.startswith("Against"))
    offered = re.search(r"amount[^:]*: (\d+) or (raise \d+) raises to", told)
    assert (offered is None) == ("limit" in given) and ("a listed amount" in told) == (not given)
    assert ("--bets any" in told) == (not given) and "first letters" in told
    for answer in offered.groups() if offered else ():
        made, lines = scripted_session([answer], hands=1, **given)
        with suppress(PlayerQuit):
            made.play()
        assert not any("is none of" in line for line in lines) and any("You raise to" in line for line in lines)


#: Answers, and their actions on the flop of a pot of 20 with sizes, with any amount, and in limit.
ANSWERS = [
    ("check", "c", "c", "c"),
    ("x", "c", "c", "c"),
    ("bet 10", "50%", "r10", "r"),
    ("10", "50%", "r10", "r"),
    ("r 20", "100%", "r20", None),
    ("raise to 20", "100%", "r20", None),
    ("ALL-IN", "a", "r990", None),
    ("a", "a", "r990", None),
    ("50%", "50%", None, None),
    ("11", None, "r11", None),
    ("5", None, None, None),
    ("fold", None, None, None),
    ("", None, None, None),
]


@pytest.mark.parametrize("answer_and_labels", ANSWERS, ids=lambda row: row[0])
def test_understood_answers(answer_and_labels):
    answer, *labels = answer_and_labels
    for label, given in zip(labels, ({}, {"bets": "any"}, {"limit": True}), strict=True):
        made, lines = scripted_session(["c", answer], hands=1, seed=1, **given)
        with suppress(PlayerQuit):
            made.play()
        done = made.ended[0].end.labels if made.ended else made.history.labels
        assert done[9:10] == done[:0] if label is None else done[9] == label
        assert ("none of" in lines[-2]) == (label is None)


@pytest.mark.parametrize("answer", ["check", "k", "x"])
def test_a_bet_is_not_called_by_a_check(answer):
    made, lines = scripted_session([answer], players=3)
    with pytest.raises(PlayerQuit):
        made.play()
    assert f"{answer!r} is none of: fold (f), call 5 (c)" in lines[-2]


def test_many_amounts_are_listed_by_the_first_and_the_last():
    made, lines = scripted_session([], bets="any")
    with pytest.raises(PlayerQuit):
        made.play()
    assert lines[-1] == "check (c) or raise to 20 up to all-in 990? "


def test_a_player_who_folds_shows_nothing():
    made, lines = scripted_session(["fold"], hands=1, players=3)
    made.play()
    text = "\n".join(lines)
    assert "Player 1 shows" in text and "You show" not in text and "You lose 5." in text
    made, lines = scripted_session([], hands=1, other=td.ScriptedAgent("folds", lambda seat, view, actions: actions[0]))
    made.play()
    assert lines[-2] == "Player 1 folds.\nYou win 5.\nAfter 1 hand: +5.\n" and " show" not in "".join(lines)


def test_saved_and_resumed(tmp_path):
    """The resumed session has the same hands, cards and bets as an uninterrupted one."""
    whole, _ = scripted_session(["c"] * 99, players=4)
    whole.play()
    part, _ = scripted_session(["c", "c"], players=4)
    with pytest.raises(PlayerQuit):
        part.play()
    save_session(tmp_path / "kept", part, ["caller"] * 3, {"hands": 2})
    again, lines = scripted_session(["c"] * 99, players=4)
    restore_session(tmp_path / "kept", again, read_session(tmp_path / "kept"))
    again.play()
    assert [hand.end.labels for hand in again.ended] == [hand.end.labels for hand in whole.ended]
    assert "The flop:" in "\n".join(lines)  # earlier events are reported again


def test_at_the_command_line(tmp_path, monkeypatch):
    """The output is ASCII; the session is saved by a command and resumed."""
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke
    first = run(app, ["play", "holdem", "--limit", "true", "--hands", "1", "--seed", "1"], input="c\nsave one\nq\n")
    assert first.exit_code == 0 and first.output.isascii() and "resume one" in first.output
    more = run(app, ["play", "holdem", "--resume", "one"], input="c\n" * 9)
    assert more.exit_code == 0 and "After 1 hand: you" in more.output
    refused = run(app, ["play", "holdem", "--players", "3", "--against", "equity,caller,random"])
    assert refused.exit_code == 2 and "name 1 or 2 opponents" in " ".join(refused.output.split())
