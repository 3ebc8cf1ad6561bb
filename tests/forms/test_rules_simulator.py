"""The simulator that steps rules, compared with the compiled tree."""

import numpy as np
import pytest

import tefuda as td
from tefuda import files
from tefuda.games.protocol import CHANCE
from tests.conftest import compiled
from tests.simulated import Listed, labels_of
from tests.small_games import Good, broken

GAMES = [("kuhn", {}), ("leduc", {}), ("leduc", {"players": 3}), ("goofspiel", {"cards": 4})]


@pytest.mark.parametrize("name, parameters", GAMES)
def test_the_same_games_as_over_the_tree(name, parameters):
    """Movers, legal actions, features and payoffs are equal under the same actions and random numbers."""
    tree = compiled(name, **parameters)
    one, other = td.forms.TreeSimulator(tree), td.forms.RulesSimulator(Listed(tree.game), labels_of(tree))
    assert (one.players, one.units, one.features) == (other.players, other.units, other.features)
    luck, rngs = np.random.default_rng(5), [np.random.default_rng(7) for _ in range(2)]
    games, twins = one.deal(300, rngs[0]), other.deal(300, rngs[1])
    ended = 0
    while len(games):
        assert np.array_equal(one.player(games), other.player(twins))
        legal = one.legal(games)
        assert np.array_equal(legal, other.legal(twins)) and np.array_equal(one.observe(games), other.observe(twins))
        units = luck.integers(one.units, size=len(games))  # illegal ids too: the nearest legal action replaces them
        games, twins = one.step(games, units, rngs[0]), other.step(twins, units, rngs[1])
        over = one.player(games) < 0
        assert np.array_equal(over, other.player(twins) < 0)
        assert np.array_equal(one.payoffs(games[over]), other.payoffs(twins[over]))
        assert not other.legal(twins[over]).any() and not other.observe(twins[over]).any()
        games, twins, ended = games[~over], twins[~over], ended + int(over.sum())
    assert ended == 300 and rngs[0].random() == rngs[1].random()


def test_checkpoints_restore_games():
    """Saved games are restored with new labels; games that cannot be played are refused."""
    simulator, rng = td.forms.RulesSimulator(td.load_game("goofspiel", cards=4), labels=None), np.random.default_rng(2)
    games = simulator.step(simulator.deal(20, rng), rng.integers(simulator.units, size=20), rng)
    saved = simulator.save_games(games)
    fresh = td.forms.RulesSimulator(td.load_game("goofspiel", cards=4))
    found = fresh.load_games(saved, 20)
    assert [game.state for game in found] == [game.state for game in games]
    assert np.array_equal(fresh.legal(found), simulator.legal(games))
    content = files.parse_json(saved.tobytes())
    long, played = content["histories"][0] * 9, content["histories"]
    for forged in (
        {},
        {"labels": 5, "histories": played},
        {"labels": content["labels"][1:], "histories": played},
        {"labels": content["labels"] + content["labels"][:1], "histories": played},
        {"labels": content["labels"] + list("abcdefghijklmnop"), "histories": played},
        {"labels": content["labels"], "histories": played[1:]},
        {"labels": content["labels"], "histories": [long, *played[1:]]},
        {"labels": content["labels"], "histories": [["x"], *played[1:]]},
        {"labels": content["labels"], "histories": [[], *played[1:]]},
        [[[[]]]],
    ):
        text = np.frombuffer(files.json.dumps(forged).encode(), dtype=np.uint8)
        if forged and isinstance(forged, dict) and forged["histories"][0] == []:
            assert fresh.player(fresh.load_games(text, 20))[0] == 0  # the root of goofspiel is a decision
            continue
        with pytest.raises(td.errors.RunError, match="played"):
            fresh.load_games(text, 20)
    tree = td.forms.TreeSimulator(compiled("kuhn"))
    for wrong in (np.array([0, 0]), np.array([10**6, 1]), np.array([1]), np.array([0.5, 1.0])):
        with pytest.raises(td.errors.RunError):
            tree.load_games(wrong, 2)


class Late:
    """A game in which a random player meets a rare label: one outcome of 10,000 leads to it."""

    name, players = "late", 1

    def root(self):
        return "start"

    def player(self, state):
        return {"start": CHANCE, "end": -2}.get(state, 0)

    def actions(self, state):
        return ("a", "b") if state == "often" else tuple(f"{state}{number}" for number in range(self.rare))

    def chances(self, state):
        return (("often", 0.9999), ("seldom", 0.0001))

    def child(self, state, action):
        return action if state == "start" else "end"

    def payoffs(self, state):
        return (0.0,)

    def view(self, state, player):
        return state

    def __init__(self, rare):
        self.rare = rare


def test_late_labels_get_spare_action_ids():
    """Spare action ids go to new labels; without spare ids the error asks for declared labels."""
    simulator = td.forms.RulesSimulator(Late(3))
    assert simulator.units == 2 + 8
    game = simulator.load_games(np.frombuffer(b'{"labels": ["a", "b"], "histories": [["seldom"]]}', np.uint8), 1)
    assert np.flatnonzero(simulator.legal(game)[0]).tolist() == [2, 3, 4]
    other = td.forms.RulesSimulator(Late(9))
    game = other.load_games(np.frombuffer(b'{"labels": ["a", "b"], "histories": [["seldom"]]}', np.uint8), 1)
    with pytest.raises(td.errors.GameError, match="action_labels"):
        other.legal(game)
    assert td.forms.RulesSimulator(Late(9), labels=["a", "b", *(f"seldom{number}" for number in range(9))]).units == 11
    with pytest.raises(td.errors.ParameterError, match="label"):
        td.forms.RulesSimulator(Late(2), labels=["a", "a"])


def test_views_are_distinguished():
    """All 936 views of Leduc with suits, and nested views, have distinct inputs."""
    tree = compiled("leduc", distinct_suits=True)
    simulator = td.forms.RulesSimulator(tree.game, encoded=True)
    seen = {}
    for key in {*tree.keys, ("a", ("b", 1)), ("a", ("b", 2)), ("ab", 1), frozenset("ab"), frozenset("abc"), None, 7}:
        row = np.zeros(simulator.width, np.float32)
        simulator.encode(key, row)
        assert set(np.unique(row)) <= {0.0, 1.0} and row.any()
        assert seen.setdefault(row.tobytes(), key) == key
    assert len(seen) == len(set(tree.keys)) + 7


def test_koikoi_is_stepped():
    """The whole game, too large for a tree: 48 cards and two calls; payoffs sum to 0."""
    simulator, rng = td.forms.RulesSimulator(td.load_game("koikoi")), np.random.default_rng(3)
    assert simulator.units == 50 and simulator.features == 256 and simulator.name == "koikoi"
    games, steps = simulator.deal(4, rng), 0
    while len(games):
        legal = simulator.legal(games)
        assert legal.any(axis=1).all()
        games, steps = simulator.step(games, legal.argmax(axis=1), rng), steps + 1
        over = simulator.player(games) < 0
        assert (simulator.payoffs(games[over]).sum(axis=1) == 0).all()
        games = games[~over]
    assert 8 <= steps <= 48
    assert td.RulesForm(td.load_game("koikoi")).fingerprint == simulator.fingerprint
    assert td.RulesForm(td.load_game("koikoi", double_at=0)).fingerprint != simulator.fingerprint


def test_rules_that_fail_late_end_in_a_message():
    class Broken(Late):
        def child(self, state, action):
            return 1 // 0 if action == "b" and self.armed else super().child(state, action)

    game = Broken(2)
    game.armed = False
    simulator, rng = td.forms.RulesSimulator(game), np.random.default_rng(0)
    games, game.armed = simulator.deal(1, rng), True
    with pytest.raises(td.errors.GameError, match="ZeroDivisionError"):
        simulator.step(games, np.array([1]), rng)
    with pytest.raises(td.errors.ParameterError, match="simulator"):
        td.solve(simulator, "cfr+")


@pytest.mark.parametrize("players", [2, 3])
def test_games_of_a_matrix_are_stepped(players):
    """Labels are those of every player; payoffs are the table's."""
    game = td.load_game("rps", players=players)
    simulator, rng = td.forms.RulesSimulator(game), np.random.default_rng(0)
    assert list(simulator.legal(simulator.deal(1, rng))[0]) == [True] * 3
    games, shown = simulator.deal(40, rng), []
    for _ in range(players):
        shown.append(rng.integers(3, size=40))
        games = simulator.step(games, shown[-1], rng)
    states = [tuple(game.action_labels[unit] for unit in row) for row in np.stack(shown, axis=1)]
    assert simulator.payoffs(games).tolist() == [list(map(float, game.payoffs(state))) for state in states]
    other = td.load_game("matrix", payoffs=[[1, 2], [3, 4]], labels=[["up", "down"], ["left", "right"]])
    assert td.forms.RulesSimulator(other).units == 4


@pytest.mark.parametrize("labels", [5, (), ("p", "p"), ([],)], ids=str)
def test_invalid_declared_labels_are_refused(labels):
    with pytest.raises(td.errors.ParameterError, match="label"):
        td.forms.RulesSimulator(broken(action_labels=labels))
    with pytest.raises(td.errors.ParameterError, match="label"):
        td.forms.RulesSimulator(Good(), labels=labels)
