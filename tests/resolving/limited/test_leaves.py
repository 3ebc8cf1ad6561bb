"""Regret minimisation over lookaheads: CFR without a cut, CFR-D with one."""

from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda.resolving.limited.leaves import ExactValues, LookaheadSolver, ValuedLeaves
from tefuda.resolving.limited.trunk import root_lookahead, trunk_of
from tefuda.solvers.exact.cfr import CFR_BR, DCFR
from tests.conftest import compiled, refused


@pytest.mark.parametrize(
    "method",
    [
        td.METHODS["cfr"],
        td.METHODS["cfr+"],
        replace(td.METHODS["cfr+"], convention="opp", delay=3),
        replace(td.METHODS["cfr"], order="simultaneous"),
        replace(DCFR, order="simultaneous", prediction=1.0),
    ],
    ids=lambda method: f"{method.name} {method.order} {method.convention}",
)
def test_without_a_cut_it_equals_the_method(method):
    tree = compiled("leduc")
    ahead = root_lookahead(trunk_of(tree, 1000))
    search, solver = LookaheadSolver(ahead, ExactValues(), method), td.make_solver(tree, method)
    search.advance(4)
    search.advance(6)
    solver.advance(10)
    plans = search.solution().plans
    found = td.Profile.from_weights(tree, plans[ahead.form.sequence])
    reached = np.repeat(np.add.reduceat(plans[ahead.form.sequence], tree.first_row[:-1]) > 0, tree.action_counts)
    assert found.probabilities[reached] == pytest.approx(solver.average().probabilities[reached], abs=1e-12)


def test_with_equilibria_below_the_cut_it_converges():
    tree = compiled("leduc")
    found = [td.depth_limited(tree, "deal", ValuedLeaves(ExactValues(), count)).nash_conv for count in (5, 20)]
    assert found[1] < 0.25 and found[1] < 0.6 * found[0]  # 0.20 and 0.40; 0.12 after 40, 0.06 after 80


def test_values_are_asked_in_proportion_to_ranges():
    trunk = trunk_of(compiled("leduc"), "deal")
    rng = np.random.default_rng(0)
    ranges = rng.random(len(trunk.ends[0])), rng.random(len(trunk.ends[1]))
    one = ExactValues().values(trunk, ranges)
    two = ExactValues().values(trunk, (3 * ranges[0], 2 * ranges[1]))
    assert two[0] == pytest.approx(2 * one[0]) and two[1] == pytest.approx(3 * one[1])
    assert ranges[0] @ one[0] == pytest.approx(-(ranges[1] @ one[1]))
    none = ExactValues().values(trunk, (0 * ranges[0], ranges[1]))
    assert not none[1].any() and none[0].any()


def test_refused():
    ahead = root_lookahead(trunk_of(compiled("kuhn"), 1))
    with pytest.raises(td.errors.ParameterError, match="best response"):
        LookaheadSolver(ahead, ExactValues(), CFR_BR)
    with pytest.raises(td.errors.SolverError, match="iterations"):
        LookaheadSolver(ahead, ExactValues()).solution()
    with refused(td.errors.ParameterError, key="iterations", value=0):
        ValuedLeaves(ExactValues(), 0)


@pytest.mark.parametrize("wrong", [lambda n: np.zeros(n + 1), lambda n: np.full(n, np.nan), lambda n: 0.0])
def test_functions_that_give_no_values_are_refused(wrong):
    class Wrong:
        def values(self, trunk, ranges):
            return np.zeros(len(ranges[0])), wrong(len(ranges[1]))

    with pytest.raises(td.errors.ParameterError, match="player"):
        td.depth_limited(compiled("kuhn"), 1, Wrong())


def test_a_budget_of_no_time_is_an_iteration():
    ahead, asked = root_lookahead(trunk_of(compiled("kuhn"), 1)), []

    class Zero:
        def values(self, trunk, ranges):
            asked.append(ranges)
            return np.zeros(len(ranges[0])), np.zeros(len(ranges[1]))

    found = ValuedLeaves(Zero(), 50).solve_lookahead(ahead, 0, 0.0)
    assert len(asked) == 2 and len(found.plans) == ahead.form.sequences
    ValuedLeaves(Zero(), 50).solve_lookahead(ahead, 0)
    assert len(asked) == 102
