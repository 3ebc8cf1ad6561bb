"""An iteration with its numbers at every history."""

from dataclasses import replace

import pytest

import tefuda as td
from tests.conftest import compiled

#: The regrets of the second action, times 24, after one iteration from uniform play with simultaneous updates.
FIRST_ITERATION = {
    "0: J|": 3, "0: Q|": 3, "0: K|": 3, "1: J|b": -2, "1: Q|b": 2, "1: K|b": 6,
    "1: J|p": 1, "1: Q|p": 1, "1: K|p": 1, "0: J|pb": -2, "0: Q|pb": 2, "0: K|pb": 6,
}  # fmt: skip


def test_the_first_iteration_of_kuhn_has_the_textbook_regrets():
    walk = td.solvers.trace(compiled("kuhn"), replace(td.METHODS["cfr"], order="simultaneous"))
    assert walk.order == "simultaneous"
    found = {one.infoset: [24 * action.regret for action in one.actions] for one in map(walk.explain, walk.infosets)}
    assert found == {name: pytest.approx([-number, number], abs=1e-12) for name, number in FIRST_ITERATION.items()}


@pytest.mark.parametrize("name, method, iteration", [("kuhn", "cfr", 3), ("kuhn", "pcfr+", 4), ("leduc", "cfr+", 2)])
def test_numbers_at_histories_are_those_of_the_explanations(name, method, iteration):
    """Reach, values and regrets at the drawn histories give the counterfactual values of the infoset."""
    tree = compiled(name)
    walk = td.solvers.trace(tree, method, iteration)
    by_path = {history.path: history for history in walk.histories}
    assert len(by_path) == len(tree.player)
    for explanation in map(walk.explain, walk.infosets[:: max(1, len(walk.infosets) // 20)]):
        player = explanation.player
        inside = [history for history in walk.histories if history.infoset == explanation.infoset]
        assert tuple(history.others[player] for history in inside) == explanation.reach
        assert {history.own[player] for history in inside} == {explanation.own_reach}
        total = sum(history.others[player] * history.values[player] for history in inside)
        assert total == pytest.approx(explanation.value, abs=1e-12)
        around = td.solvers.trace(tree, method, iteration, explanation.infoset)
        assert [tree.name_of(number) for number in around.infosets] == [explanation.infoset]
        for history in around.histories:
            if history.parent is not None and around.histories[history.parent].mover not in (player, -2):
                before = around.histories[history.parent].others[player]
                assert history.others[player] == pytest.approx(before * history.shares[player], abs=1e-15)
            whole = by_path[history.path]
            assert (history.values, history.others, history.own) == (whole.values, whole.others, whole.own)


def test_parents_are_indices_of_the_histories_shown():
    walk = td.solvers.trace(compiled("leduc"), at="0: K|cr")
    for history in walk.histories[1:]:
        parent = walk.histories[history.parent].path
        assert history.path == (history.label if parent == "-" else f"{parent}~{history.label}")
    with pytest.raises(td.errors.UnknownNameError):
        td.solvers.trace(compiled("kuhn"), "fsp")
