"""Sessions: play, save, resume; changed files raise errors."""

import json
import re
from itertools import chain, repeat

import pytest
from typer.testing import CliRunner

import tefuda as td
from tefuda.apps.cli import app
from tefuda.files import read_json, write_json
from tefuda.playing.agents import Decision, ObservedHand
from tefuda.playing.human import PlayerQuit
from tefuda.playing.session import Rotation, Session, read_session, restore_session, save_session
from tests.conftest import compiled, rules


def sitting(game, answers, tree=None, hands=3, seed=1, others=None):
    """Return a session with a person of these answers, who then quits, and all printed lines."""
    lines, queue = [], chain(answers, repeat("q"))

    def ask(question):
        lines.append(question)
        return next(queue)

    person = td.HumanAgent(ask=ask, notify=lines.append)
    others = others or [[td.RandomAgent() for _ in range(game.players - 1)] for _ in range(game.players)]
    return Session(game, person, others, seed, Rotation(game, hands), tree), lines


def test_seats_rotate_and_results_add_up():
    game = rules("kuhn", players=3)
    made, lines = sitting(game, ["p"] * 99, hands=4)
    made.play()
    assert [hand.seating for hand in made.ended] == [(0, 1, 2), (2, 0, 1), (1, 2, 0), (0, 1, 2)]
    seats = [line for line in lines if line.startswith("You are")]
    assert [seat[:16] for seat in seats] == [f"You are player {n}" for n in (0, 1, 2, 0)]
    won = sum(hand.won[0] for hand in made.ended)
    assert made.person.total == won and made.person.hands == 4
    assert lines[-1].startswith("After 4 hands: you ") and all(sum(hand.won) == 0 for hand in made.ended)


def test_a_saved_game_is_resumed_exactly(tmp_path):
    """Saved and resumed at each decision, later hands and questions equal an uninterrupted game's."""
    game, path = rules("leduc"), tmp_path / "game.json"
    whole, told = sitting(game, ["c"] * 99, hands=4)
    whole.play()
    for stop in range(sum(line.endswith("? ") for line in told)):
        first, _ = sitting(game, ["c"] * stop, hands=4)
        with pytest.raises(PlayerQuit):
            first.play()
        save_session(path, first, ["random"], {})
        second, lines = sitting(game, ["c"] * 99, hands=4)
        restore_session(path, second, read_session(path))
        assert second.ended == first.ended and second.person.total == first.person.total
        second.play()
        assert [hand.end for hand in second.ended] == [hand.end for hand in whole.ended] and lines[-1] == told[-1]
        assert second.person.result() == whole.person.result()


def test_learners_observe_each_hand_once_also_after_resuming(tmp_path):
    """The exploiter observes each hand once, by seat, also after resuming."""

    class Learner(td.RandomAgent):
        def start(self, game, seat):
            self.observed_hands, self.seat = [], seat

        def observe_hand(self, hand):
            self.observed_hands.append(hand)

    tree, path = compiled("kuhn"), tmp_path / "game.json"
    others = [[Learner()], [Learner()]]
    first, _ = sitting(tree.game, ["p"] * 3, tree, hands=6, others=others)
    with pytest.raises(PlayerQuit):
        first.play()
    save_session(path, first, ["x"], {})
    known = [[len(one.observed_hands) for one in seat] for seat in others]
    again = [[Learner()], [Learner()]]
    second, _ = sitting(tree.game, [], tree, hands=6, others=again)
    restore_session(path, second, read_session(path))
    assert [[len(getattr(one, "observed_hands", ())) for one in seat] for seat in again] == known
    assert sum(map(sum, known)) == len(first.ended) > 1


FORGED = (
    ({"hands": [[["J", "K"]]]}, "end before the hand"),
    ({"hands": [[["Q", "K"], "p", "p"]] * 9}, "the outcome was"),
    ({"seed": 5}, "the outcome was"),
    ({"begun": [["Q", "K"], "x"]}, "the action was"),
    ({"begun": [["K", "K"]]}, "the outcome was"),
    ({"begun": [["Q", "K"], "p", "p"]}, "is over"),
    ({"begun": [["Q", "K"], "p", "p", "p"]}, "is over"),
    ({"hands": 5}, "hands"),
    ({"hands": ["pp"]}, "not lists of labels"),
    ({"against": [5]}, "not lists of labels"),
    ({"format": 9}, "format"),
    ({"seed": -1}, "seed"),
)


def reopened(game, path):
    """Return a session resumed from a file."""
    kept = read_session(path)
    made = sitting(game, [], hands=9, seed=kept.seed)[0]
    restore_session(path, made, kept)
    return made


@pytest.mark.parametrize("changes, words", FORGED, ids=str)
def test_files_that_do_not_fit_are_refused(tmp_path, changes, words):
    """Damaged files, other formats, and labels that rules or luck do not give are refused."""
    game, path = rules("kuhn"), tmp_path / "game.json"
    first, _ = sitting(game, ["p"] * 3, hands=9)
    with pytest.raises(PlayerQuit):
        first.play()
    save_session(path, first, ["random"], {})
    write_json(path, {**read_json(path), **changes})
    with pytest.raises(td.errors.RunError, match=words):
        reopened(game, path)


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "game.json"
    save_session(path, sitting(rules("kuhn"), [])[0], ["random"], {})
    for data in (path.read_bytes()[:-9], b"", b"{}", path.read_bytes().replace(b'"seed": 1', b'"seed": 3')):
        path.write_bytes(data)
        with pytest.raises(td.errors.RunError, match=r"damaged|changed"):
            read_session(path)


def ran(words, answers):
    return CliRunner().invoke(app, ["play", *words], input="".join(f"{answer}\n" for answer in answers))


def test_at_the_command_line(tmp_path, monkeypatch):
    """All games can be played, saved and resumed; options that contradict the file raise errors."""
    monkeypatch.chdir(tmp_path)
    done = ran(
        ["kuhn", "--against", "always-raise", "--hands", "2", "--seed", "3"], ["x", "?", "save", "save k.json", *"pppp"]
    )
    assert done.exit_code == 0 and "Write save FILE." in done.stdout and "Saved in k.json" in done.stdout
    assert "Seed 3." in done.stdout and "'x' is none of" in done.stdout and "save: save the game" in done.stdout
    assert "After 2 hands: you" in done.stdout
    left = ran(["kuhn", "--resume", "k.json", "--json"], ["p", "q"])
    said = json.loads(left.stdout.splitlines()[-1])
    assert left.exit_code == 0 and said["left"] and said["seed"] == 3 and said["agents"] == ["you", "always-raise"]
    again = ran(["kuhn", "--resume", "k.json"], ["p"] * 4)
    assert again.exit_code == 0 and "After 2 hands: you" in again.stdout
    for words, told in (
        (["kuhn", "--resume", "none.json"], "none.json"),
        (["leduc", "--resume", "k.json"], "the file is of kuhn"),
        (["kuhn", "--resume", "k.json", "--players", "3"], "--players is 3"),
        (["kuhn", "--resume", "k.json", "--seed", "4"], "--seed"),
        (["kuhn", "--resume", "k.json", "--against", "uniform"], "against always-raise"),
        (["kuhn", "--save", "k.json"], "k.json exists"),
        (["kuhn", "--against", "human"], "one person"),
        (["kuhn", "--against", "nobody"], "nobody"),
        (["kuhn", "--against", "a,b"], "name 1"),
        (["kuhn", "--language", "la"], "--language is 'la'"),
        (["kuhn", "--hands", "-2"], "hands"),
        (["koikoi", "--against", "equilibrium"], "compiled tree"),
    ):
        refused = ran(words, [])
        assert refused.exit_code == 2 and told in refused.stderr, (words, refused.stderr)


@pytest.mark.parametrize("name", ["rps", "leduc", "liars_dice", "goofspiel", "mini8"])
def test_every_game_can_be_played(name):
    """Play to the end of a hand, always by the first action."""
    game = rules(name, **({"cards": 3} if name == "goofspiel" else {}))
    made, lines = sitting(game, [], hands=1)
    made.person.ask = lambda question: ""
    made.person.names = lambda turn: [("", str(turn.actions[0]))]
    made.play()
    assert len(made.ended) == 1 and lines[-1].startswith("After 1 hand")


def steps_of(session, choose, hands):
    """Return all values of the steps of some hands, by the person's choices."""
    seen = [session.step()]
    while len(session.ended) < hands or isinstance(seen[-1], Decision):
        seen.append(session.step(choose(seen[-1])) if isinstance(seen[-1], Decision) else session.step())
    return seen


@pytest.mark.parametrize("name, parameters", [("leduc", {"players": 3}), ("liars_dice", {}), ("holdem", {})])
def test_steps_give_the_hands_of_play(name, parameters):
    """Steps, also those of a new session at every decision, give the hands of uninterrupted play."""
    game = rules(name, **parameters)
    whole, _ = sitting(game, [], hands=3)
    whole.person.ask = lambda question: ""
    whole.person.parse_action = lambda answer, names: len(names) // 2
    whole.play()
    stepped, _ = sitting(game, [], hands=3)
    seen = steps_of(stepped, lambda decision: decision.actions[len(decision.actions) // 2], 3)
    assert [hand.end for hand in stepped.ended] == [hand.end for hand in whole.ended]
    assert [value for value in seen if isinstance(value, ObservedHand)] == stepped.observed_hands
    assert stepped.observed_hands == whole.observed_hands and stepped.step() is None
    labels, decisions = [hand.end.labels for hand in whole.ended], []
    for hand, done in enumerate(labels):
        for length in range(len(done)):
            again, _ = sitting(game, [], hands=3)
            try:
                again.replay(labels[:hand], done[:length])
            except td.errors.ParameterError:
                continue
            decisions.append(again.step())
    assert [value for value in decisions if isinstance(value, Decision)]
    assert {value for value in decisions if isinstance(value, Decision)} <= set(seen)


def test_agents_observe_each_state_once_over_all_steps():
    """An agent with ``observe`` receives each state of a hand once."""

    class Observer(td.RandomAgent):
        def observe(self, view):
            self.views.append(view)

    others = [[Observer()], [Observer()]]
    for seat in others:
        seat[0].views = []
    made, _ = sitting(rules("leduc"), [], hands=4, others=others)
    steps_of(made, lambda decision: "c", 4)
    for seat, observer in enumerate(others):
        states = [len(hand.end.labels) + 1 for hand in made.ended if hand.seating[seat] != 0]
        assert len(observer[0].views) == sum(states) > 0


def test_a_step_refuses_actions_that_are_not_legal():
    made, _ = sitting(rules("kuhn"), [])
    with pytest.raises(td.errors.ParameterError, match="no decision is pending"):
        made.step("p")
    decision, labels = made.step(), list(made.history.labels)
    with pytest.raises(td.errors.ParameterError, match="legal actions"):
        made.step("x")
    assert made.history.labels == labels and made.step() == decision == made.pending


def test_a_step_that_an_agent_interrupts_is_continued():
    """After an error of another agent, the next step continues after the person's action."""

    class Failing(td.RandomAgent):
        def act(self, decision):
            if self.fails.pop():
                raise KeyboardInterrupt
            return 0

    others = [[Failing()], [Failing()]]
    for seat in others:
        seat[0].fails = [False, False, False, True]
    made, _ = sitting(rules("kuhn"), [], others=others)
    made.step()
    with pytest.raises(KeyboardInterrupt):
        made.step("b")
    assert made.history.labels[1:] == ["b"] and made.pending is None
    with pytest.raises(td.errors.ParameterError, match="no decision is pending"):
        made.step("b")
    assert made.step() == made.observed_hands[0]


@pytest.mark.parametrize(
    "game, against, actions",
    [("kuhn", "uniform", ["p"]), ("holdem", "caller", ["c"]), ("spot", "random", ["Check", "Call"])],
)
def test_a_person_plays_in_japanese(game, against, actions):
    """Only names of games and agents, options and labels of actions are left in English."""
    words = [game, "--against", against, "--hands", "2", "--seed", "1", "--language", "ja"]
    played = ran(words, ["?", *actions * 20])
    assert played.exit_code == 0 and "第2回" in played.stdout and "2回を終えて" in played.stdout
    left = set(re.findall("[A-Za-z]{3,}", played.stdout))
    assert left <= {game, against, "save", "all", "raise", "any", "bets", "OOP", "Check", "Call", "Fold", "AllIn"}
