"""Hands are saved and loaded."""

import json

import numpy as np
import pytest

import tefuda as td
from tefuda.files import write_json
from tefuda.games.parameters import json_parameters
from tefuda.playing import agents, hands, match, session
from tests.conftest import compiled


def test_hands_are_saved_and_loaded(tmp_path):
    """The match is loaded; foreign, unfinished, missing or changed hands raise errors."""
    tree, path = compiled("leduc"), tmp_path / "hands.jsonl"
    table = [agents.ProfileAgent(name, td.Profile.uniform(tree)) for name in ("a", "b")]
    played = match.duplicate_match(tree, table, deals=10, replicates=2, seed=3, play=True, record=True)
    td.playing.write_hands(path, played)
    found = td.playing.read_hands(path, tree)
    assert found.hands == played.hands and found.agents == played.agents and found.replicates == 2
    assert np.array_equal(found.payoffs, played.payoffs) and np.array_equal(found.ends, played.ends)
    assert found.exact is None and found.seatings == played.seatings
    lines = path.read_text().splitlines()
    hand = json.loads(lines[1])
    for changed, words in (
        ([lines[0], *lines[2:]], "missing"),
        (lines[:1], "missing"),
        ([lines[0], json.dumps({**hand, "payoffs": [9, -9]}), *lines[2:]], "line 2, payoffs are"),
        ([lines[0], json.dumps({**hand, "labels": hand["labels"][:-1]}), *lines[2:]], "line 2, the hand is not over"),
        (["{"], "line 1 is no JSON"),
        (["{}"], "line 1, .*'format' is missing"),
        ([*lines, lines[1]], "replicates"),
        ([lines[0].replace(": 2", ": 3"), *lines[1:]], "3 replicates"),
    ):
        (tmp_path / "bad.jsonl").write_text("\n".join(changed))
        with pytest.raises(td.errors.RunError, match=words):
            td.playing.read_hands(tmp_path / "bad.jsonl", tree)
    with pytest.raises(td.errors.RunError, match=r"line 2, .* is impossible"):
        td.playing.read_hands(path, compiled("kuhn"))


def test_records_of_matches_and_of_people(tmp_path):
    """A match records all hands, a session finished ones; seats rotate, and rules give the payoffs."""
    tree = compiled("leduc")
    table = [agents.ProfileAgent(name, td.Profile.uniform(tree)) for name in ("a", "b")]
    played = match.duplicate_match(tree, table, deals=5, play=True, record=True)
    td.playing.write_hands(tmp_path / "h.jsonl", played)
    hands.write_part(tmp_path / "part.jsonl", table, played.hands[:7], 5, 1)
    assert td.playing.read_record(tmp_path / "h.jsonl", tree) == td.playing.Record(("a", "b"), played.hands)
    assert (
        td.playing.read_record(tmp_path / "part.jsonl", tree).hands == played.hands[:7]
    )  # `read_hands` requires complete deals
    answers = iter(["c"] * 40)
    others = [[td.RandomAgent("r")], [td.RandomAgent("r")]]
    game = tree.game
    made = session.Session(
        game, td.HumanAgent(ask=lambda _: next(answers), notify=lambda _: None), others, 3, session.Rotation(game, 4)
    )
    made.play()
    session.save_session(tmp_path / "s.json", made, ["r"], {})
    for place in (tree, game):
        found = td.playing.read_record(tmp_path / "s.json", place)
        assert found.agents == ("you", "r") and [hand.seating for hand in found.hands] == [
            (0, 1),
            (1, 0),
            (0, 1),
            (1, 0),
        ]
        assert [hand.labels for hand in found.hands] == [hand.end.labels for hand in made.ended]
        assert [hand.payoffs for hand in found.hands] == [tuple(hand.end.payoffs) for hand in made.ended]


def test_records_that_do_not_fit_are_refused(tmp_path):
    """Other games or parameters, unfinished or damaged hands, and changed rules are refused."""
    tree, path = compiled("kuhn"), tmp_path / "s.json"
    good = {"format": 1, "play": "kuhn", "parameters": {"players": 2}, "against": ["r"], "seed": 0, "options": {}}
    deal = list(tree.labels_at(0)[0]) if isinstance(tree.labels_at(0)[0], tuple) else tree.labels_at(0)[0]
    good |= {"parameters": tree.parameters, "hands": [[deal, "p", "p"]], "begun": []}
    write_json(path, good)
    assert len(td.playing.read_record(path, tree).hands) == 1
    for changed in (
        {"play": "leduc"},
        {"parameters": {**tree.parameters, "players": 3}},
        {"against": ["r", "s"]},
        {"hands": [[deal, "p"]]},
        {"hands": [[deal, "p", "p", "p"]]},
        {"hands": [["x", "p", "p"]]},
    ):
        write_json(path, good | changed)
        with pytest.raises(td.errors.RunError, match=r"s\.json"):
            td.playing.read_record(path, tree)
    path.write_text(path.read_text().replace("kuhn", "kuhm"))
    with pytest.raises(td.errors.RunError, match="checksum"):
        td.playing.read_record(path, tree)
    koikoi = td.load_game("koikoi")
    write_json(path, good | {"play": koikoi.name, "parameters": json_parameters(koikoi), "hands": []})
    with pytest.raises(td.errors.RunError, match="change"):
        td.playing.read_record(path, koikoi)


def test_the_header_of_a_record(tmp_path):
    for content, expected in ((b"{}", True), (b"PK", False), (b"", False)):
        (tmp_path / "f").write_bytes(content)
        assert hands.is_record(tmp_path / "f") is expected
    assert not hands.is_record(tmp_path) and not hands.is_record("no such file\0")
