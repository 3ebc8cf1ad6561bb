"""Hands are kept and read back."""

import json

import numpy as np
import pytest

import tefuda as tf
from tefuda.playing import agents, match
from tests.conftest import compiled


def test_hands_are_kept_and_read_back(tmp_path):
    """The whole match comes back; what is not of this game, unfinished, missing or changed is refused."""
    tree, path = compiled("leduc"), tmp_path / "hands.jsonl"
    table = [agents.ProfileAgent(name, tf.Profile.uniform(tree)) for name in ("a", "b")]
    played = match.duplicate_match(tree, table, deals=10, replicates=2, seed=3, play=True, keep=True)
    tf.write_hands(path, played)
    found = tf.read_hands(path, tree)
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
        (["{"], "no file of hands"),
        (["{}"], "line 1, .*'format' is missing"),
        ([*lines, lines[1]], "replicates"),
        ([lines[0].replace(": 2", ": 3"), *lines[1:]], "3 replicates"),
    ):
        (tmp_path / "bad.jsonl").write_text("\n".join(changed))
        with pytest.raises(tf.RunError, match=words):
            tf.read_hands(tmp_path / "bad.jsonl", tree)
    with pytest.raises(tf.RunError, match=r"line 2, .* is not possible"):
        tf.read_hands(path, compiled("kuhn"))
