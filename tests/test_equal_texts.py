"""Labels with equal texts stay distinct at a table, in JSON and in OpenSpiel."""

import json
from textwrap import dedent

import numpy as np
import pytest
from typer.testing import CliRunner

import tefuda as td
from tefuda.apps.cli import app
from tefuda.apps.cli.depth_limited import _leaves
from tefuda.playing.agents import Decision

#: Player 0 takes the number 1, which wins 1, or the text "1", which loses 1; player 1 guesses unseen.
SOURCE = dedent(
    """
    class EqualTexts:
        name, players, constant_sum = "equal-texts", 2, 0
        def root(self): return ()
        def player(self, state): return (0, 1, -2)[len(state)]
        def actions(self, state): return (1, "1")
        def chances(self, state): return ()
        def child(self, state, action): return (*state, action)
        def payoffs(self, state): return (3, -3) if state == (1, 1) else (-1, 1) if state[0] == state[1] else (0, 0)
        def view(self, state, player): return f"player {player}"
    """
)


@pytest.fixture(scope="module")
def twins():
    content = {}
    exec(SOURCE, content)
    return td.compile_game(content["EqualTexts"]())


def test_a_person_can_take_either(twins):
    answers, lines = iter(["1", "1 2", "1 1"]), []
    person = td.HumanAgent(ask=lambda question: lines.append(question) or next(answers), notify=lines.append)
    person.start(twins, 0)
    turn = Decision(0, "player 0", twins.labels(0), 0.5)
    assert [person.act(turn), person.act(turn)] == [1, 0]  # "1" alone means neither
    assert any("is none of: 1 1, 1 2" in line for line in lines)


def test_json_shows_both(twins, tmp_path):
    path = tmp_path / "game.py"
    path.write_text(SOURCE)
    td.solve(twins, "lp").save(tmp_path / "run")
    result = CliRunner().invoke(app, ["show", str(tmp_path / "run"), "--game", f"{path}:EqualTexts", "--json"])
    shown = json.loads(result.stdout.splitlines()[-1])["profile"]
    assert {name: sum(row.values()) for name, row in shown.items()} == pytest.approx(dict.fromkeys(twins.names, 1.0))
    assert all(list(row) == ["1 1", "1 2"] for row in shown.values())


def test_policies_of_openspiel_distinguish_them(twins):
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel")
    game, profile = td.exchange.to_openspiel(twins.game), td.Profile.random(twins, np.random.default_rng(4))
    policy = td.exchange.to_tabular_policy(profile, game)
    assert policy.action_probability_array.ravel() == pytest.approx(profile.probabilities)
    assert td.exchange.from_policy(twins, game, policy).probabilities == pytest.approx(profile.probabilities)
    tree = td.compile_game(td.load_game("goofspiel", cards=3))  # labels are numbers
    game, profile = td.exchange.to_openspiel(tree.game), td.Profile.random(tree, np.random.default_rng(4))
    back = td.exchange.from_policy(tree, game, td.exchange.to_tabular_policy(profile, game))
    assert back.probabilities == pytest.approx(profile.probabilities)


def test_a_lookahead_bends_to_both(twins):
    plans = _leaves("continuations", td.Profile.uniform(twins), "1", 1)
    assert [list(plan[0, "player 0"].values()) for plan in plans.profiles[1:]] == [
        pytest.approx([10 / 11, 1 / 11]),
        pytest.approx([1 / 11, 10 / 11]),
    ]
