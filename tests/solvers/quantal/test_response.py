"""Responses of both forms: derivatives, definitions, and large rationality."""

import numpy as np
import pytest

import tefuda as td
from tefuda.evaluating.values import action_values, counterfactual, sequence_utilities
from tefuda.forms.sequence import last_rows, sequence_form
from tefuda.solvers.quantal.response import FORMS, response_of
from tests.conftest import compiled

GAMES = [
    ("kuhn", {}),
    ("sampled", {"players": 3, "zero_sum": False, "seed": 5}),
    ("sampled", {"players": 2, "zero_sum": False, "seed": 7}),
    ("sheriff", {}),
]


def drawn(tree, response):
    return response.normalised(np.random.default_rng(0).normal(size=tree.rows))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name, parameters", GAMES)
def test_derivatives_are_differences(name, parameters, form):
    """Derivatives by the strategy and by rationality equal central differences."""
    tree, step = compiled(name, **parameters), 1e-5
    response = response_of(tree, form)
    logs, rng = drawn(tree, response), np.random.default_rng(1)
    slopes = response.slopes(logs, 0.7)
    change = rng.normal(size=tree.rows)
    change -= np.add.reduceat(np.exp(logs) * change, tree.first_row[:-1])[tree.infoset_of_row]
    ends = [response.logits(response.normalised(logs + sign * step * change), 0.7) for sign in (1, -1)]
    assert slopes.by_logs @ change == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-8)
    ends = [response.logits(logs, 0.7 + sign * step) for sign in (1, -1)]
    assert slopes.by_rationality == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-8)
    assert slopes.logits == pytest.approx(response.logits(logs, 0.7), abs=1e-13)


@pytest.mark.parametrize("name, parameters", GAMES)
def test_agents_respond_to_conditional_values(name, parameters):
    """The logits of the agent form are the values of actions given the infoset, not counterfactual values."""
    tree = compiled(name, **parameters)
    response = response_of(tree, "agent")
    logs = drawn(tree, response)
    profile = response.profile(logs)
    found = response.logits(logs, 2.0)
    assert found == pytest.approx(2 * action_values(profile), abs=1e-11)
    assert np.abs(found - 2 * counterfactual(profile).actions).max() > 0.01


def test_reduced_logits_are_soft_maxima():
    """V(I, a) = g(I, a) + the soft maxima of the player's next infosets, by recursion."""
    tree = compiled("kuhn")
    response = response_of(tree, "reduced")
    logs, rationality = drawn(tree, response), 3.0
    found = response.logits(logs, rationality) / rationality
    leaves = sequence_utilities(response.profile(logs)).leaves[sequence_form(tree).sequence]
    parent = last_rows(tree)[1]
    for row in range(tree.rows):
        after = [found[tree.rows_of(infoset)] for infoset in np.flatnonzero(parent == row)]
        soft = sum(np.log(np.exp(rationality * values).sum()) / rationality for values in after)
        assert found[row] == pytest.approx(leaves[row] + soft, abs=1e-12)


def test_beliefs_survive_underflow():
    """Below 1e-300, values of actions are those of the same beliefs with larger reach."""
    tree = compiled("kuhn")
    response = response_of(tree, "agent")
    small, tiny = (np.array([0.0, -size] * (tree.rows // 2)) for size in (30.0, 3000.0))
    found = [response.logits(response.normalised(logits), 1.0) for logits in (small, tiny)]
    assert np.isfinite(found[1]).all()
    assert found[0] == pytest.approx(found[1], abs=1e-10)


@pytest.mark.parametrize("form", FORMS)
def test_residual_is_the_divergence(form):
    """The residual is the weighted divergence by its definition, and 0 in equilibrium."""
    tree = compiled("kuhn")
    response = response_of(tree, form)
    logs = drawn(tree, response)
    target = response.normalised(response.logits(logs, 2.0))
    divergence = np.add.reduceat(np.exp(logs) * (logs - target), tree.first_row[:-1])
    assert response.residual(logs, 2.0) == pytest.approx(response.weights(logs, 2.0) @ divergence, rel=1e-10)
    assert response.residual(target, 0.0) > 0
    start = response.normalised(response.logits(logs, 0.0))
    assert response.residual(start, 0.0) < 1e-28


def test_forced_moves_are_equilibria_at_once():
    path = td.solvers.quantal_path(td.load_game("matrix", payoffs=[(1,)]), 3)
    assert path.complete and path.last.probabilities.tolist() == [1, 1]
