"""Self-play by policy gradient: advantages, signs, losses, states, and results on Kuhn poker."""

import dataclasses

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.simulate import TreeSimulator
from tefuda.games.small.matrix import Matrix
from tefuda.solvers.learned.policies import IterateAverage
from tests.conftest import compiled

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-deep")
from tefuda.solvers.deep import gradient, modules  # noqa: E402

pytestmark = pytest.mark.deep

TINY = {"games": 20, "hidden": 8, "layers": 1, "minibatches": 2, "epochs": 2}


def changed(name, **changes):
    return dataclasses.replace(td.METHODS[name], **{**TINY, **changes})


def make_steps(values, paid):
    """Return a game with one decision for each value, players alternating, and player 0's payoff."""
    none = np.zeros((1, 0))
    return [
        gradient.Transition(
            np.array([0]), none, none, np.array([n % 2]), none, none, np.array([[value]], dtype=np.float32)
        )
        for n, value in enumerate(values)
    ], np.array([[paid]], dtype=np.float32)


def test_advantages_by_hand():
    """With lambda 1: payoff minus value; with 0: next value minus this one; discounts apply."""
    steps, paid = make_steps([0.5, -0.25, 1.0], 2.0)
    for discount, tail, expected in (
        (1.0, 1.0, [1.5, 2.25, 1.0]),
        (1.0, 0.0, [-0.75, 1.25, 1.0]),
        (1.0, 0.5, [-0.75 + 0.5 * (1.25 + 0.5), 1.25 + 0.5, 1.0]),
        (0.5, 0.0, [-0.625, 0.75, 1.0]),
        (0.5, 0.5, [-0.625 + 0.25 * (0.75 + 0.25), 0.75 + 0.25, 1.0]),
    ):
        assert gradient.advantages(steps, paid, discount, tail)[:, 0].tolist() == pytest.approx(expected)


def test_without_divergence_it_is_ppo():
    """With kl 0 mirror descent equals PPO to the bit, otherwise not; discount is 1 by default."""
    tree, found = compiled("kuhn"), []
    for method in (changed("ppo"), changed("mmd", kl=0.0), changed("mmd")):
        assert method.discount == 1
        solver = td.make_solver(tree, method, seed=1)
        solver.advance(3)
        found.append(solver.state()["vector"])
    assert np.array_equal(found[0], found[1]) and not np.array_equal(found[0], found[2])


def test_losses_by_hand():
    """Check ratio 1 without divergence, and clipping where the action has become twice as likely."""
    solver = td.make_solver(compiled("kuhn"), changed("mmd", entropy=0.0, value=1.0, kl=3.0, clip=0.1), seed=1)
    steps, _ = solver._play(np.random.default_rng(0))
    found = {name: np.concatenate([getattr(step, name) for step in steps]) for name in gradient.Transition._fields}
    gains = np.zeros(len(found["unit"]), dtype=np.float32)
    gains[::2] = 2.0
    columns = (*(found[name] for name in ("rows", "legal", "unit", "probability", "value")), gains, found["value"] + 3)
    batch = gradient.Minibatch(*(torch.from_numpy(one).to(modules.device()) for one in columns))
    assert float(solver.loss(batch, 1.0).detach()) == pytest.approx(0.5 * 9, abs=1e-5)
    halved = batch._replace(probability=batch.probability / 2)  # the ratio is 2: gains are clipped, losses are not
    center = gains - gains.mean()
    center /= center.std()
    surrogate = np.minimum(2 * center, 1.1 * center).mean()
    divergence = 2 * np.log(2) - 1
    assert float(solver.loss(halved, 1.0).detach()) == pytest.approx(4.5 - surrogate + 3 * divergence, abs=1e-5)
    assert float(solver.loss(halved, 0.5).detach()) == pytest.approx(4.5 - surrogate + 6 * divergence, abs=1e-5)


def test_entropy_and_rate_fall():
    """Entropy of uniform play over two actions is log 2; its weight and the learning rate decay."""
    settings = {"value": 0.0, "rate": 0.01, "decay": 1.0, "gae_lambda": 1.0}
    losses = {}
    for entropy in (0.0, 0.2):
        solver = td.make_solver(compiled("kuhn"), changed("ppo", entropy=entropy, **settings), seed=1)
        steps, _ = solver._play(np.random.default_rng(0))
        found = {name: np.concatenate([getattr(step, name) for step in steps]) for name in gradient.Transition._fields}
        gains = np.linspace(-1, 1, len(found["unit"]), dtype=np.float32)
        columns = (*(found[name] for name in ("rows", "legal", "unit", "probability", "value")), gains, found["value"])
        batch = gradient.Minibatch(*(torch.from_numpy(one).to(modules.device()) for one in columns))
        losses[entropy] = [float(solver.loss(batch, decay_factor).detach()) for decay_factor in (1.0, 0.25)]
    for decay_factor, plain, spread in zip((1.0, 0.25), losses[0.0], losses[0.2], strict=True):
        assert plain - spread == pytest.approx(0.2 * decay_factor * np.log(2), abs=1e-6)
    solver.advance(3)
    assert solver._adam.rate == pytest.approx(0.01 / 3**0.5)


def test_players_learn_from_their_own_payoffs():
    """Only player 1 decides, and receives player 0's loss."""
    tree = td.compile_game(Matrix([[[1, -1], [-1, 1]]]))
    solver = td.make_solver(tree, changed("ppo", rate=0.02), seed=1)
    solver.advance(3)
    number = int(tree.infosets_of(1)[0])
    first, second = solver.current().probabilities[tree.rows_of(number)]
    assert second > first + 0.1


def test_policies_count_by_iteration():
    """The average of two iterations weighs the first, uniform policy by one and the second by two."""
    tree = compiled("kuhn")
    solver, average = td.make_solver(tree, changed("ppo", rate=0.02), seed=1), IterateAverage(TreeSimulator(tree))
    rows = tree.first_row[:-1, None] + average.simulator.infoset_action
    for weight in (1, 2):
        by_unit = solver.current().probabilities[rows] * average.simulator.infoset_legal
        for player in (0, 1):
            average.add(player, by_unit, weight)
        solver.advance(1)
    expected = average.profile().probabilities
    assert np.allclose(solver.average().probabilities, expected, rtol=0, atol=1e-9)
    assert np.abs(expected - 0.5).max() > 0.01


@pytest.mark.parametrize("name", ["ppo", "mmd"])
def test_resuming_is_exact(name, tmp_path):
    """A resumed solver equals an uninterrupted one to the bit, over trees and over rules."""
    tree, method = compiled("kuhn"), changed(name)
    one, other = (td.make_solver(tree, method, seed=2) for _ in range(2))
    one.advance(5)
    other.advance(2)
    third = td.make_solver(tree, method, seed=2)
    third.restore(other.state())
    third.advance(3)
    assert all(np.array_equal(array, third.state()[name]) for name, array in one.state().items())
    td.solve(tree, method, iterations=2, seed=2, checkpoint=tmp_path / "run")
    found = td.resume(tmp_path / "run", iterations=5)
    expected = {"current": one.current(), "average": one.average()}[found.evaluation.iterate]
    assert np.array_equal(found.strategy.probabilities, expected.probabilities) and found.reported == "better"
    rules = td.make_solver(td.forms.RulesSimulator(tree.game, encoded=True), method, seed=2)
    rules.advance(2)
    chances = rules.current().strategy(0, "K|", ("p", "b"))
    assert sum(chances) == pytest.approx(1) and chances[0] != chances[1]
    for forged in ({"vector": one.state()["vector"] * np.nan}, {"square": -one.state()["square"] - 1}):
        with pytest.raises(td.errors.RunError):
            other.restore({**one.state(), **forged})


def test_three_players_have_three_views():
    tree = compiled("kuhn", players=3, cards=4)
    solver = td.make_solver(tree, changed("ppo"), seed=0)
    solver.advance(2)
    assert solver._values(solver._inputs(np.array([0], dtype=np.int32), np.array([0]))).shape == (1, 3)
    assert np.allclose(np.bincount(tree.infoset_of_row, solver.current().probabilities), 1)


@pytest.mark.slow
@pytest.mark.learner
@pytest.mark.parametrize("name, bar", [("mmd", 0.05), ("ppo", 0.05)])
def test_kuhn_is_solved_to_a_twentieth(kuhn, name, bar):
    """Check the average's NashConv with default settings; docs/results/neural.md has a table of 20 seeds."""
    solver = td.make_solver(kuhn, name, seed=0)
    solver.advance(td.METHODS[name].default_iterations)
    assert td.nash_conv(solver.average()) <= bar
