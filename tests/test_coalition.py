"""What one is sure of against all others together."""

import numpy as np
import pytest

import tefuda as tf
from tefuda.exploiting.maximin import count_plans, pure_plans
from tefuda.forms.sequence import last_rows
from tests.conftest import compiled


@pytest.mark.parametrize("player, value, plans", [(0, -5 / 132, 6561), (1, -7 / 264, 10_000), (2, 1 / 24, 65_536)])
def test_three_player_kuhn(player, value, plans):
    """Exact values and numbers of plans (sequence-form linear program); no more than any equilibrium gives the seat."""
    tree = compiled("kuhn", players=3)
    found = tf.maximin(tree, player)
    assert found.value == pytest.approx(value, abs=1e-9)
    assert count_plans(tf.sequence_form(tree), player) == plans
    equilibrium = tf.solve(tree, "cfr+", iterations=2000).profile
    assert found.value <= tf.values(tree, equilibrium)[player] + tf.nash_conv(tree, equilibrium)


def test_no_joint_plan_hurts_more():
    """All 6,561 times 10,000 of them, from the histories' payoffs."""
    tree = compiled("kuhn", players=3)
    form, found = tf.sequence_form(tree), tf.maximin(tree, 2)
    last = last_rows(tree)[0][tree.terminals]
    sequences = np.where(last >= 0, form.sequence[last] - form.span[:3], 0).astype(int)
    reached = tf.reach(tree, found.profile)
    table = np.zeros([int(form.span[p + 1] - form.span[p]) for p in (0, 1)])
    worth = (reached.chance * reached.own[:, 2])[tree.terminals] * tree.payoffs[:, 2]
    np.add.at(table, (sequences[:, 0], sequences[:, 1]), worth)
    least = (pure_plans(form, 0) @ table @ pure_plans(form, 1).T).min()
    assert least == pytest.approx(found.value, abs=1e-9)


def test_it_is_for_three():
    with pytest.raises(tf.GameError, match="method lp"):
        tf.maximin(compiled("kuhn"), 0)
    with pytest.raises(tf.SizeError, match="pure plans"):
        tf.maximin(compiled("leduc", players=3), 0)
