"""Log of training: seconds by task, a row for each iteration, saved beside a run and resumed with it."""

import csv

import pytest

import tefuda as td
from tests.conftest import compiled

pytest.importorskip("torch", reason="PyTorch is not installed: make test-deep")
from tefuda.solvers.deep import training
from tefuda.solvers.runs import driver

pytestmark = pytest.mark.deep


def test_seconds_count_once(monkeypatch):
    """Time of a nested task is subtracted from the outer task; each row starts at zero."""
    times = iter([0.0, 1.0, 3.0, 10.0, 20.0, 21.0])
    monkeypatch.setattr(training.time, "perf_counter", lambda: next(times))
    log = training.TrainingLog(("traversal", "inference"), ("error",))
    with log.timed("traversal"), log.timed("inference"):
        pass
    log.add_error("error", 2.0)
    log.add_error("error", 3.0)
    log.end(1, nodes=7)
    with log.timed("inference"):
        pass
    log.end(2, nodes=9)
    assert log.rows == [
        {"iteration": 1, "nodes": 7, "traversal_seconds": 8.0, "inference_seconds": 2.0, "error": 5.0},
        {"iteration": 2, "nodes": 9, "traversal_seconds": 0.0, "inference_seconds": 1.0, "error": 0.0},
    ]


def test_runs_save_their_log_and_resume_it(tmp_path):
    """The log has a row for each iteration, also before a resume; a damaged log is an error with advice."""
    small = {"traversals": 20, "steps": 3, "baseline_steps": 3, "hidden": 8, "average_hidden": 8, "average_steps": 3}
    method = td.find_method("vr-deep-pdcfr+", small)
    td.solve(compiled("kuhn"), method, iterations=2, checkpoint=tmp_path / "run")
    td.resume(tmp_path / "run", iterations=3)
    rows = list(csv.DictReader((tmp_path / "run" / "training.csv").read_text().splitlines()))
    assert [row["iteration"] for row in rows] == ["1", "2", "3"] and float(rows[-1]["nodes"]) > 3 * 40
    for name in ("traversal_seconds", "inference_seconds", "fit_seconds", "regrets_error", "prediction_error"):
        assert all(float(row[name]) > 0 for row in rows), name
    assert {float(row["traversals"]) for row in rows} == {40.0} and "average_error" not in rows[0]
    (tmp_path / "run" / "training.csv").write_text("iteration,nodes\nx\n")
    with pytest.raises(td.errors.RunError, match="move"):
        td.resume(tmp_path / "run", iterations=4)


def test_checkpoints_evaluate_nothing(tmp_path, monkeypatch):
    """Checkpoints fit no network of the average; only points of the curve do."""
    small = {"traversals": 20, "steps": 3, "average_steps": 3, "hidden": 8, "average_hidden": 8}
    method, looked = td.find_method("deep-cfr", small), []
    solver = td.make_solver(compiled("kuhn"), method)
    average = solver._averaged
    monkeypatch.setattr(solver, "_averaged", lambda: looked.append(solver.iterations) or average())
    record = driver.Record(tmp_path / "run", 0.0)
    found = driver.drive(solver, td.Goal(iterations=9), record=record)
    assert looked == [1, 2, 4, 8, 9] == [point.iteration for point in found.curve]
