"""Learners over simulators in games whose payoffs do not sum to a constant."""

import dataclasses

import numpy as np
import pytest

import tefuda as td
from tests.edge_games import RareCommonInterest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-deep")
from tefuda.solvers.deep import baselines  # noqa: E402

pytestmark = [pytest.mark.deep, pytest.mark.learner]

GRADIENT = {"games": 300, "hidden": 16, "layers": 1, "minibatches": 2, "rate": 3e-3}
REGRETS = {
    "traversals": 400, "steps": 60, "rate": 5e-3, "hidden": 16, "baseline_hidden": 16, "layers": 1, "batch": 0,
    "baseline_batch": 0, "baseline_steps": 60, "weighting": 2.0,
}  # fmt: skip


@pytest.mark.parametrize(
    "form, name, iterations, settings",
    [
        (td.forms.TreeSimulator, "ppo", 30, GRADIENT),
        (td.forms.TreeSimulator, "escher", 12, REGRETS),
        (td.forms.TreeSimulator, "dream", 12, REGRETS),
        (td.forms.RulesSimulator, "mmd", 30, GRADIENT),
    ],
)
def test_rare_common_interest_is_learned(form, name, iterations, settings):
    """Player 1 learns the action that is good for both players.

    Shares of that action over eight seeds: means .895, .997, .999, .983, deviations .035, .005,
    .001, .006.
    A zero-sum critic ends at .11, .01, 1 and .03. Baselines cannot bias `dream`.
    """
    game = RareCommonInterest()
    simulator = form(td.compile_game(game) if form is td.forms.TreeSimulator else game)
    solver = td.make_solver(simulator, td.find_method(name, settings), seed=0)
    solver.advance(iterations)
    assert solver.average().strategy(1, "r", ("h", "t"))[0] > 0.75


def test_targets_at_ends_are_the_payoffs_of_each_player():
    tree = td.compile_game(RareCommonInterest())
    solver = td.make_solver(tree, td.find_method("dream", REGRETS | {"traversals": 20}), seed=1)
    solver.advance(1)
    steps = solver.baseline.steps.all(solver.baseline.memory)
    ends = np.flatnonzero(steps.continues == 0)
    for player in (0, 1):
        target = solver.baseline.target(player, steps).target
        assert np.array_equal(target[ends, 0], steps.payoff[ends, player])
    assert not np.array_equal(steps.payoff[ends, 0], steps.payoff[ends, 1])


def test_units_of_values_are_the_largest_payoff():
    """The unit is exact over a tree, however rare the largest payoff is."""
    tree = td.compile_game(RareCommonInterest(share=1e-9, stake=50.0))
    assert baselines.largest_payoff(td.forms.TreeSimulator(tree)) == 50
    nothing = dataclasses.replace(tree, payoffs=np.zeros_like(tree.payoffs))
    assert baselines.largest_payoff(td.forms.TreeSimulator(nothing)) == 1
