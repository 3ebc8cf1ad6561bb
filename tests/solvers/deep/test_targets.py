"""Targets of regret networks: a learner for each kind, and completed sums."""

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.simulate import TreeSimulator
from tefuda.solvers.learned import neural
from tests.conftest import compiled

pytestmark = pytest.mark.deep
torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-deep")
from tefuda.solvers.deep import regrets, targets  # noqa: E402
from tefuda.solvers.learned.encoders import Targets  # noqa: E402


def test_every_target_has_a_learner():
    assert set(targets.LEARNERS) == set(neural.REGRETS.values())


def test_visited_rows_replace_the_last_outputs():
    """Each infoset of the player has one row, in order; a visited one contains its new sums."""
    method = td.find_method("deep-cfr", {"regrets": "sum", "network": "table"})
    solver = regrets.DeepSolver(TreeSimulator(compiled("kuhn")), method, 3)
    model, mine = solver.learners[1].regrets.model, np.flatnonzero(compiled("kuhn").infoset_player == 1)
    model.values[mine] = 5.0
    met = Targets(mine[2:3], np.ones((1, 2), bool), np.array([[1.0, 2.0]]), np.ones((1, 2)))
    found = targets.all_targets(solver.encoder, model, 1, met)
    assert found.observations.tolist() == mine.tolist() and found.target[2].tolist() == [1, 2]
    assert (np.delete(found.target, 2, axis=0) == 5).all()
