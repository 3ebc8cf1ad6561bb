"""Defaults of methods and solvers."""

import dataclasses
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import tefuda as td
from tefuda.games.own import load_file
from tefuda.solvers.protocol import Method, TablePolicy, TreeSolver, require_average
from tefuda.solvers.runs.sweep import sweep
from tests.conftest import compiled

HEDGE = Path(__file__).parents[2] / "examples" / "hedge.py"


@dataclasses.dataclass(frozen=True)
class Waiting(Method):
    """User-defined method that plays uniformly."""

    name: str = "waiting"
    pause: tuple[int, ...] = (1, 2)

    solvers: ClassVar[list] = []

    def solver(self, form, seed=0, workers=None):
        return Waiter(form, self)


class Waiter(TreeSolver):
    def __init__(self, tree, method):
        self.tree, self.method, self.iterations = tree, method, 0

    def advance(self, iterations):
        self.iterations += iterations

    def average(self):
        return td.Profile.uniform(self.tree)

    current = average

    def state(self):
        return {"iterations": np.array(self.iterations)}

    def restore(self, state):
        self.iterations = int(state["iterations"])


def test_attributes_of_methods_have_defaults(kuhn):
    """A method of the user needs only the attributes that differ from the defaults."""
    assert Waiting().parameters() == {"name": "waiting", "pause": [1, 2]}
    found = td.solve(kuhn, Waiting(), evaluator=td.NashConv())
    assert (found.iterations, found.nodes, found.reported, found.iterate) == (1000, 0, "average", "average")
    assert found.nash_conv == pytest.approx(11 / 12)  # of uniform play, by hand
    with pytest.raises(td.errors.ParameterError, match="leave workers out"):
        td.make_solver(kuhn, Waiting(), workers=2)
    with pytest.raises(td.errors.ParameterError, match="Method"):
        td.make_solver(kuhn, object())
    assert all(isinstance(method, Method) for method in td.METHODS.values())


def test_methods_over_simulators_accept_simulators(kuhn):
    with pytest.raises(td.errors.ParameterError, match="waiting solves games as tree or partition"):
        td.make_solver(td.forms.TreeSimulator(kuhn), Waiting())
    assert TablePolicy({}).strategy(0, "K|", ("f", "c", "r")) == [1 / 3] * 3


def test_an_empty_average_is_an_error():
    require_average(3, 2)
    with pytest.raises(td.errors.SolverError, match="empty after 2 iterations with delay 2"):
        require_average(2, 2)


def test_a_solver_class_of_the_user(tmp_path):
    """Classes of the user work like built-in ones; wrong states and incomplete classes are refused."""
    hedge, tree = load_file(HEDGE).HEDGE, compiled("kuhn")
    td.solve(tree, hedge, iterations=30, checkpoint=tmp_path / "run")
    with pytest.raises(td.errors.ParameterError):
        td.resume(tmp_path / "run")
    resumed, straight = td.resume(tmp_path / "run", method=hedge, iterations=90), td.solve(tree, hedge, iterations=90)
    assert np.array_equal(resumed.strategy.probabilities, straight.strategy.probabilities)
    assert straight.nash_conv < 0.15 and len(straight.curve) > 5
    one, two = (
        sweep(tree, [f"{HEDGE}:HEDGE"], seeds=[1, 2], iterations=50, folder=tmp_path / str(workers), workers=workers)
        for workers in (1, 2)
    )
    assert one[0].nash_conv == two[0].nash_conv
    with pytest.raises(td.errors.RunError):
        td.make_solver(compiled("leduc"), hedge).restore(td.make_solver(tree, hedge).state())
    unfinished = type("Unfinished", (td.solvers.TreeSolver,), {"advance": None, "average": None, "current": None})()
    with pytest.raises(NotImplementedError, match="Unfinished must define arrays"):
        unfinished.arrays()


def test_a_table_prints_its_first_infosets():
    """Shares of 1 : 3 are a quarter and three quarters; a line break stays in its line."""
    table = TablePolicy({(number % 2, f"K|{number}\n"): [1.0, 3.0] for number in range(14)})
    first, *rows, last = str(table).splitlines()
    assert first == repr(table) and len(rows) == 12 and last == "..."
    assert all(row.split()[-2:] == ["0.250", "0.750"] for row in rows)
    assert str(TablePolicy({})) == repr(TablePolicy({}))
