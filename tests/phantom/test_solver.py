"""The solver and the evaluator of phantom games."""

import numpy as np
import pytest

import tefuda as td
from tefuda.errors import ParameterError, RunError, SizeError
from tefuda.phantom import BoardSimulator, PhantomExploitability, RefereeMethod, referee


@pytest.mark.parametrize("abrupt", [False, True])
def test_small_boards_are_solved(abrupt):
    """Dark hex 2x2 is worth 1, the abrupt one 1/2."""
    form = referee("dark_hex", rows=2, columns=2, abrupt=abrupt)
    solution = td.solve(form, iterations=300)
    assert solution.evaluation.figure < 1e-6
    assert solution.evaluation.values[0] == pytest.approx(0.5 if abrupt else 1, abs=1e-5)
    tree = td.compile_game(form.game)
    profile = td.Profile.from_function(tree, solution.strategy.strategy)
    assert td.nash_conv(profile) / 2 == pytest.approx(solution.evaluation.figure, abs=1e-12)


def test_runs_resume_with_the_same_bits(tmp_path):
    """A run of 2 iterations that is resumed has the bits of one of 6, with any number of threads."""
    form = referee("dark_hex", rows=2, columns=3)
    whole = td.make_solver(form, workers=2)
    whole.advance(6)
    td.solve(form, iterations=2, checkpoint=tmp_path / "run")
    solution = td.resume(tmp_path / "run", iterations=6)
    assert solution.iterations == 6 and td.load(tmp_path / "run").evaluation.figure == solution.evaluation.figure
    again = td.make_solver(form)
    again.restore(whole.state())
    again.advance(1)
    whole.advance(1)
    for name, array in whole.arrays().items():
        assert array.tobytes() == again.arrays()[name].tobytes()


def test_damaged_states_are_refused():
    solver = td.make_solver(referee("dark_hex", rows=2, columns=2))
    solver.advance(2)
    for name, value in (("strategy0", 0.7), ("regret1", -1.0), ("total0", np.nan)):
        state = solver.state()
        state[name][1] = value
        with pytest.raises(RunError):
            td.make_solver(solver.form).restore(state)
    with pytest.raises(ParameterError):
        td.make_solver(solver.form, workers=10)


def test_evaluator_needs_a_phantom_game():
    with pytest.raises(ParameterError):
        td.solve(td.load_game("kuhn"), "cfr+", iterations=1, evaluator=PhantomExploitability())
    with pytest.raises(SizeError):
        PhantomExploitability().check(
            td.make_solver(BoardSimulator(td.load_game("dark_hex", rows=3, columns=4)), "nfsp"), None
        )


@pytest.mark.slow
def test_dark_hex_is_solved():
    """Below .001 after 30 iterations; the last iterate wins as player 0 with certainty."""
    form = referee("dark_hex")
    solver = RefereeMethod().solver(form)
    solver.advance(30)
    average = form.evaluate(solver.average())
    assert average.exploitability < 0.001
    assert -average.best[1] <= 1 <= average.best[0] + 1e-12
    assert form.evaluate(solver.current()).exploitability == pytest.approx(0, abs=1e-12)


@pytest.mark.deep
@pytest.mark.parametrize("name", ["ppo", "mmd"])
def test_learners_are_evaluated(name):
    """A network answers in batches as it does view by view, and learns something on dark hex 2x2."""
    pytest.importorskip("torch")
    form = referee("dark_hex", rows=2, columns=2)
    method = td.find_method(name, {"games": 100})
    solution = td.solve(BoardSimulator(form.game), method, iterations=30, evaluator=PhantomExploitability())
    assert solution.evaluation.figure < form.evaluate().exploitability
    tree = td.compile_game(form.game)
    by_views = td.nash_conv(td.Profile.from_function(tree, solution.strategy.strategy)) / 2
    assert by_views == pytest.approx(solution.evaluation.figure, abs=1e-6)
