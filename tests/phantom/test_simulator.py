"""The simulator of phantom games, against their rules."""

import numpy as np
import pytest

import tefuda as td
from tefuda.errors import ParameterError, RunError
from tefuda.phantom import BoardSimulator

GAMES = [("dark_hex", {}), ("dark_hex", {"abrupt": True}), ("phantom_ttt", {}), ("phantom_ttt", {"abrupt": True}),
         ("dark_hex", {"rows": 3, "columns": 4})]  # fmt: skip


@pytest.mark.parametrize("name, parameters", GAMES)
def test_games_are_those_of_the_rules(name, parameters):
    """Movers, legal cells, inputs by the view, and payoffs; equal inputs have equal views."""
    game, rng = td.load_game(name, **parameters), np.random.default_rng(4)
    simulator, views = BoardSimulator(game), {}
    games, states = simulator.deal(60, rng), [game.root()] * 60
    while states:
        legal, inputs = simulator.legal(games), simulator.observe(games)
        for row, state in enumerate(states):
            mover = game.player(state)
            assert simulator.player(games)[row] == mover
            labels = [label for label, allowed in zip(game.action_labels, legal[row], strict=True) if allowed]
            assert tuple(labels) == tuple(game.actions(state))
            encoded = np.zeros(simulator.features, dtype=np.float32)
            simulator.encode(game.view(state, mover), encoded)
            assert (encoded == inputs[row]).all()
            assert views.setdefault(inputs[row].tobytes(), game.view(state, mover)) == game.view(state, mover)
        units = np.where(legal, rng.random(legal.shape), -1).argmax(axis=1)
        games = simulator.step(games, units, rng)
        states = [game.child(state, game.action_labels[unit]) for state, unit in zip(states, units, strict=True)]
        over = simulator.player(games) < 0
        ended = [state for state, end in zip(states, over, strict=True) if end]
        assert simulator.payoffs(games[over]).tolist() == [[*map(float, game.payoffs(state))] for state in ended]
        games, states = games[~over], [state for state, end in zip(states, over, strict=True) if not end]


def test_games_are_saved_and_checked():
    rng = np.random.default_rng(0)
    simulator = BoardSimulator(td.load_game("phantom_ttt"))
    games = simulator.deal(50, rng)
    for _ in range(4):
        legal = simulator.legal(games)
        games = simulator.step(games, np.where(legal, rng.random(legal.shape), -1).argmax(axis=1), rng)
    games = games[simulator.player(games) >= 0]
    saved = simulator.save_games(games)
    assert (simulator.load_games(saved, len(games)) == games).all()
    for place, value in (((0, 0), 99), ((0, 9), 3), ((0, slice(1, 3)), saved[0]), ((0, 0), -1)):
        forged = saved.reshape(-1, 18).copy()
        forged[place] = value
        with pytest.raises(RunError):
            simulator.load_games(forged.ravel(), len(games))
    with pytest.raises(RunError):
        simulator.load_games(saved[1:], len(games))
    with pytest.raises(ParameterError):
        BoardSimulator(td.load_game("kuhn"))


def test_learners_resume(tmp_path):
    """A run of NFSP saves its games, and resumes with the same results."""
    simulator = BoardSimulator(td.load_game("dark_hex", rows=2, columns=2))
    td.solve(simulator, "nfsp", iterations=500, evaluator=td.NoEvaluation(), checkpoint=tmp_path / "run")
    resumed = td.resume(tmp_path / "run", iterations=1000)
    whole = td.solve(simulator, "nfsp", iterations=1000, evaluator=td.NoEvaluation())
    assert resumed.strategy.strategy(0, "", ("a1", "b1", "a2", "b2")) == whole.strategy.strategy(
        0, "", ("a1", "b1", "a2", "b2")
    )
