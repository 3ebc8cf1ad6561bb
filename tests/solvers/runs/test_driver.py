"""The loop around solvers: stop rules, points of the curve, resumed runs."""

import dataclasses

import tefuda as td
from tefuda.solvers.runs import driver, evaluators


def run_of(solver, curve=(), **goal):
    return driver._Run(solver, td.NashConv(), 0, driver.Goal(**goal), None, lambda: False, curve=list(curve))


def points_of(goal, **changes):
    """Return the iterations of the curve's points on Kuhn poker."""
    method = dataclasses.replace(td.METHODS["cfr+"], **changes)
    return [point.iteration for point in td.solve(td.load_game("kuhn"), method, **goal).curve]


def test_points_grow_by_a_fifth_or_a_twentieth():
    """Points grow by 1.2, with a NashConv goal by 1.05; the goal is a point; none without an average."""
    assert points_of({"iterations": 30}) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 19, 22, 26, 30]
    assert points_of({"iterations": 45, "until": 0}) == [*range(1, 41), 42, 44, 45]
    assert points_of({"iterations": 20}, delay=15) == [16, 19, 20]


def test_reasons_to_stop(kuhn):
    """The run stops at the first rule that holds."""
    solver = td.make_solver(kuhn, "cfr+")
    solver.advance(10)
    point = td.solvers.Point(10, 0.0, 0.25, 0.5, 0.25, 900)
    assert run_of(solver, [point], until=0.25).stop_reason() == "NashConv reached 0.25"
    assert run_of(solver, [point], until=0.2, iterations=11).stop_reason() == ""
    assert run_of(solver, [point], iterations=10).stop_reason() == "10 iterations"
    assert run_of(solver, [point], nodes=900).stop_reason() == "900 nodes"
    assert run_of(solver, [point], nodes=901, seconds=2.0).stop_reason() == ""
    late = run_of(solver, [point], seconds=2.0)
    late.seconds = 1.9
    assert late.stop_reason() == ""
    late.seconds = 2.0
    assert late.stop_reason() == "2 seconds"


def test_the_goal_of_nodes_counts_from_the_last_point(kuhn):
    """100 nodes are missing at 90 an iteration: run one more iteration, not the curve's two."""
    solver = td.make_solver(kuhn, "cfr+")
    solver.advance(10)
    curve = [td.solvers.Point(5, 0.0, 1.0, 1.0, 1.0, 400), td.solvers.Point(10, 0.0, 0.5, 0.5, 0.5, 900)]
    assert run_of(solver, curve, nodes=1000).next_point() == 11


def test_progress_has_the_values_of_the_last_evaluation(kuhn):
    reports = []
    solution = td.solve(kuhn, "cfr+", iterations=100, progress=reports.append)
    assert reports[-1].values == solution.values and reports[-1].point == solution.curve[-1]
    td.solve(kuhn, "cfr+", iterations=10, evaluator=td.NoEvaluation(), progress=reports.append)
    assert reports[-1].values == ()


def test_seconds_add_up(kuhn):
    """The seconds of progress reports never decrease."""
    seconds = []
    td.solve(kuhn, "cfr+", iterations=3000, progress=lambda report: seconds.append(report.seconds))
    assert len(seconds) > 20 and seconds == sorted(seconds)


def test_nothing_is_evaluated_twice(kuhn, monkeypatch):
    evaluated, real = [], evaluators.evaluate
    monkeypatch.setattr(evaluators, "evaluate", lambda *arguments: evaluated.append(1) or real(*arguments))
    td.solve(kuhn, "cfr+", iterations=12)
    assert len(evaluated) == 2 * len([*range(1, 11), 12])  # the last iterate and the average, at every point


def test_checkpoints_are_as_often_as_requested(kuhn, tmp_path, monkeypatch):
    """With 0 seconds between checkpoints each piece writes one, besides the first and the last."""
    written, real = [], driver.write_checkpoint
    monkeypatch.setattr(driver, "write_checkpoint", lambda *arguments: written.append(1) or real(*arguments))
    for every, least, most in ((0.0, 11, 10**6), (1e9, 2, 2)):
        written.clear()
        td.solve(kuhn, "cfr+", iterations=10, checkpoint=tmp_path / str(every), checkpoint_seconds=every)
        assert least <= len(written) <= most
