"""A person at a table: questions and texts, without hidden information."""

import re
from itertools import chain, repeat

import pytest
from typer.testing import CliRunner

import tefuda as td
from tefuda.apps.cli import app
from tefuda.games.kit import kit_of
from tefuda.games.protocol import Observation
from tefuda.games.small.cards import rank_names
from tefuda.playing import agents, match, stereotypes
from tefuda.playing.deals import DealSource, Task
from tefuda.playing.human import PlayerQuit, read_answer
from tefuda.playing.table import play_seating
from tests.conftest import compiled, rules


def seated(tree, answers, seat=0, deals=10, other=None):
    """Return a person with these answers, who then quits, and all printed lines."""
    lines, queue = [], chain(answers, repeat("q"))

    def ask(question):
        lines.append(question)
        return next(queue)

    human = td.HumanAgent(ask=ask, notify=lines.append)
    table = [other or agents.ProfileAgent("u", td.Profile.uniform(tree)) for _ in range(tree.players)]
    table[seat] = human
    try:
        play_seating(Task(tree, table, tuple(range(tree.players)), DealSource(deals)))
    except PlayerQuit:
        lines.append("left")
    return human, lines


def test_kuhn_in_words():
    """Unclear answers are asked again; words, letters and prefixes are valid answers."""
    raises = agents.ProfileAgent("raise", stereotypes.always_raise(compiled("kuhn")))
    human, lines = seated(compiled("kuhn"), ["", "x", "?", "ch", "call", "b"], deals=2, other=raises)
    assert lines[0] == "You are player 0 of 2 at kuhn. (? helps, q leaves)"
    assert re.fullmatch(r"You hold the (jack|queen|king); pot 2\.", lines[1])
    assert lines[2] == "check (p) or bet (b)? " and "'x' is none of: check (p), bet (b)." in lines
    assert any("q quits" in line for line in lines)
    assert "fold (p) or call (b)? " in lines
    ends = [line for line in lines if line.startswith("The end")]
    assert ends == [
        "The end: pot 4: you check, player 1 bets, you call.",
        "The end: pot 4: you bet, player 1 calls.",
    ]
    assert sum(bool(re.fullmatch(r"Player 1 shows the (jack|queen|king)\.", line)) for line in lines) == 2
    assert lines[-1] == f"You {'win' if lines[-1][4] == 'w' else 'lose'} 2. {human.result()}\n" and human.hands == 2


def test_quitting_keeps_the_winnings():
    """Ctrl-D quits like q; an unfinished hand does not count; an action called q is played."""
    human, lines = seated(compiled("kuhn"), ["p"] * 3 + ["q"])
    assert lines[-1] == "left" and human.hands >= 1 and human.result().startswith(f"After {human.hands} hand")

    def end_of_input(question):
        raise EOFError

    with pytest.raises(PlayerQuit):
        td.HumanAgent(ask=end_of_input, notify=str).act(agents.Decision(0, "K|", ("p", "b"), 0.5))
    human = td.HumanAgent(ask=lambda question: "q", notify=str)
    assert human.act(agents.Decision(0, "x", ("p", "q"), 0.5)) == 1
    assert human.act(agents.Decision(0, "x", ("p", "queen"), 0.5)) == 1


@pytest.mark.parametrize("broken", [EOFError, KeyboardInterrupt])
def test_an_interrupted_question_ends_its_line(monkeypatch, capsys, broken):
    """The next text starts on a new line after an interrupted question."""

    def interrupted(question):
        print(question, end="")
        raise broken

    monkeypatch.setattr("builtins.input", interrupted)
    with pytest.raises(broken):
        read_answer("check or bet? ")
    assert capsys.readouterr().out == "check or bet? \n"


def test_the_running_result_is_for_all_seats():
    tree = compiled("kuhn")
    human = td.HumanAgent(ask=lambda question: "p", notify=str)
    found = match.duplicate_match(tree, [human, agents.ProfileAgent("u", td.Profile.uniform(tree))], deals=5)
    assert human.hands == 10 and human.total == pytest.approx(found.payoffs[:, :, 0].sum())


GAMES = (
    ("kuhn", {}),
    ("kuhn", {"players": 3}),
    ("leduc", {}),
    ("leduc", {"players": 3, "ranks": 2}),
    ("leduc", {"distinct_suits": True}),
    ("nolimit_leduc", {}),
    ("liars_dice", {"sides": 3}),
    ("liars_dice", {"dice": 2, "sides": 2}),
    ("goofspiel", {"cards": 3}),
    ("goofspiel", {"cards": 3, "hidden": False, "order": "random"}),
    ("rps", {}),
)


@pytest.mark.parametrize("name, parameters", GAMES, ids=str)
def test_words_of_every_view(name, parameters):
    """Words depend on the view alone, name only legal actions, and differ between views."""
    tree, game, seen = compiled(name, **parameters), rules(name, **parameters), {}
    for number, key in enumerate(tree.keys):
        player = int(tree.infoset_player[number])
        known = kit_of(game).observe(key, player)
        assert isinstance(known, Observation) and known.hand and set(known.actions) <= set(tree.labels(number))
        assert seen.setdefault((player, known.hand, known.table), key) == key
    assert name == "rps" or "|" not in known.hand + known.table


TOLD = (
    ("kuhn", {"players": 3}, "K|pb", 2,
     Observation("the king", "pot 4: player 0 checks, player 1 bets", {"p": "fold", "b": "call"})),
    ("leduc", {}, "KQ|rrc/", 0,
     Observation("the king", "pot 10: you bet, player 1 raises, you call, the board is the queen",
          {"c": "check", "r": "bet"})),
    ("leduc", {"distinct_suits": True}, "Jh|r", 1,
     Observation("the jack of hearts", "pot 4: player 0 bets", {"f": "fold", "c": "call", "r": "raise"})),
    ("nolimit_leduc", {"stack": 10}, "KQ|cr4c/r6", 1,
     Observation("the king", "pot 10: player 0 checks, you bet 3, player 0 calls, the board is the queen, "
          "player 0 bets 2",
          {"f": "fold", "c": "call", "r8": "raise by 2", "r9": "raise by 3", "r10": "raise by 4"})),
    ("liars_dice", {}, "3|1-2 1-5", 0,
     Observation("a 3", "2 dice in all, 6 is wild; you bid 1 x 2; player 1 bids 1 x 5", {})),
    ("goofspiel", {}, "4.3| 2| 1", 0,
     Observation("cards 1, 3, 4", "prize 4: player 1 wins, you bid 2; now prize 3", {})),
    ("goofspiel", {"hidden": False}, "4.3| 2-4", 0, Observation("cards 1, 3, 4", "prize 4: bids 2-4; now prize 3", {})),
)  # fmt: skip


@pytest.mark.parametrize("name, parameters, view, player, wanted", TOLD, ids=str)
def test_words(name, parameters, view, player, wanted):
    assert kit_of(rules(name, **parameters)).observe(view, player) == wanted


def test_folded_cards_stay_hidden():
    """Player 1 folds: the text shows none of that player's cards."""
    folds = agents.ProfileAgent("fold", stereotypes.always_pass(compiled("kuhn")))
    _, lines = seated(compiled("kuhn"), ["b"] * 6, deals=6, other=folds)
    assert not any("shows" in line for line in lines) and rank_names(3) == ("J", "Q", "K")
    for place, line in enumerate(lines):
        if line.startswith("The end"):
            held = re.search("(jack|queen|king)", lines[place - 2])[0]
            assert all(card == held or card not in line for card in ("jack", "queen", "king"))


def test_labels_do_not_act_on_the_terminal(monkeypatch):
    """Escape codes of a custom game are shown as text, in questions too."""
    asked = []
    monkeypatch.setattr("builtins.input", lambda question: asked.append(question) or "q")
    assert td.HumanAgent(notify=str).act(agents.Decision(0, "x", ("\x1b[2J", "q"), 0.5)) == 1
    assert asked == ["\\x1b[2J or q? "]


def test_at_the_command_line():
    """Quitting exits with 0 and prints the running result; a person cannot play in other processes."""
    words = ["match", "kuhn", "--agents", "human,uniform", "--deals", "50", "--seed", "1"]
    left = CliRunner().invoke(app, words, input="p\np\np\np\np\np\nq\n")
    assert left.exit_code == 0 and "The end: pot" in left.stdout
    assert re.fullmatch(
        r"After \d+ hands?: [+-]?\d+(, [+-]?\d+\.\d+ a hand)?\.", left.stdout.splitlines()[-1].split("? ")[-1]
    )
    assert CliRunner().invoke(app, [*words, "--json"], input="q\n").stdout.splitlines()[-1].startswith('{"left": true')
    refused = CliRunner().invoke(app, [*words, "--workers", "2"])
    assert refused.exit_code == 2 and "--workers" in refused.stderr
