"""Snapshots of runs."""

from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tests.conftest import compiled


@pytest.mark.parametrize("method", ["cfr", "cfr+", "external", "xfp"])
def test_snapshots_are_the_states_of_the_solver(method):
    """Every snapshot equals a solver that runs that many iterations at once."""
    tree, snapshots = compiled("kuhn"), td.solvers.Snapshots(every=1.5)
    td.solve(tree, method, iterations=60, seed=3, observer=snapshots)
    assert snapshots.taken[0].iteration == 1
    for before, after in zip(snapshots.taken, snapshots.taken[1:], strict=False):
        assert after.iteration >= 1.5 * before.iteration
    for snapshot in snapshots.taken:
        solver = td.make_solver(tree, method, seed=3)
        solver.advance(snapshot.iteration)
        assert np.array_equal(snapshot.average, solver.average().probabilities)
        assert np.array_equal(snapshot.current, solver.current().probabilities)
        regrets = solver.arrays().get("regret")
        assert (snapshot.regrets is None) == (regrets is None)
        assert regrets is None or np.array_equal(snapshot.regrets, regrets)
    for infoset in range(tree.infosets):
        series, rows = snapshots.series(infoset), tree.rows_of(infoset)
        assert series.iterations == tuple(snapshot.iteration for snapshot in snapshots.taken)
        assert series.average[-1] == tuple(snapshots.taken[-1].average[rows])


def test_the_limit_drops_every_second_snapshot_and_keeps_the_newest():
    tree = compiled("kuhn")
    small = td.solvers.Snapshots(every=1.1, limit=8 * 3 * tree.rows * 5)
    solution = td.solve(tree, "cfr", iterations=500, observer=small)
    assert 2 <= len(small.taken) <= 5 and sum(snapshot.bytes for snapshot in small.taken) <= small.limit
    assert {snapshot.iteration for snapshot in small.taken} < {point.iteration for point in solution.curve}
    assert small.every > 1.1 and small.taken[-1].iteration > 100


def test_the_newest_snapshot_is_never_dropped():
    tree = compiled("kuhn")
    solver, snapshots = td.make_solver(tree, "cfr"), td.solvers.Snapshots(every=1, limit=8 * 3 * tree.rows * 3)
    for _ in range(4):
        solver.advance(1)
        snapshots(solver)
    assert [snapshot.iteration for snapshot in snapshots.taken] == [2, 4]


def test_the_first_snapshot_follows_the_delay():
    """Before it there is no average."""
    solver, snapshots = (
        td.make_solver(compiled("kuhn"), replace(td.METHODS["cfr+"], delay=3)),
        td.solvers.Snapshots(every=1),
    )
    for _ in range(6):
        snapshots(solver)
        solver.advance(1)
    assert [snapshot.iteration for snapshot in snapshots.taken] == [4, 5]


def test_an_observer_does_not_change_the_run():
    tree = compiled("kuhn")
    one, two = (
        td.solve(tree, "cfr+", iterations=200, observer=observer) for observer in (None, td.solvers.Snapshots())
    )
    assert np.array_equal(one.strategy.probabilities, two.strategy.probabilities)


def test_snapshots_need_a_tree_and_a_run():
    with pytest.raises(td.InputError):
        td.solve(td.RulesForm(td.load_game("kuhn")), iterations=2, observer=td.solvers.Snapshots())
    with pytest.raises(td.errors.ParameterError):
        td.solvers.Snapshots().series("0: J|")
    with pytest.raises(td.errors.ParameterError):
        td.solvers.Snapshots(every=0.5)
