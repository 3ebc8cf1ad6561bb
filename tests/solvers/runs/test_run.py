"""Runs after kill -9, Ctrl-C, full disks, damaged or foreign files: resumed bit for bit."""

import contextlib
import csv
import dataclasses
import errno
import json
import multiprocessing
import os
import random
import shutil
import signal

import numpy as np
import pytest

import tefuda as td
from tefuda import files, locks
from tefuda.solvers.runs import driver
from tefuda.solvers.runs import run as folders

ITERATIONS = 20_000

#: Programs for correlation plans refuse poker; their runs are tested in tests/correlating.
WITHOUT_EXTRAS = [
    name for name, method in td.METHODS.items() if not method.extra and name not in ("correlated", "commitment")
]


def go_on(tree, folder):
    if (folder / "run.json").exists():
        td.resume(folder, game=tree)
    else:
        td.solve(tree, "ema", iterations=ITERATIONS, checkpoint=folder, checkpoint_seconds=0.004)


def test_kill_at_random_moments_loses_at_most_one_interval(leduc, tmp_path):
    """Two runs are killed six times each; resumed, they equal uninterrupted runs."""
    whole = td.solve(leduc, "ema", iterations=ITERATIONS)
    context, rng = multiprocessing.get_context("fork"), random.Random(1)
    for folder in (tmp_path / name for name in "ab"):
        reached = 0
        for _ in range(6):
            process = context.Process(target=go_on, args=(leduc, folder))
            process.start()
            process.join(
                0.01 + 0.05 * rng.random()
            )  # at an arbitrary time, even before the run exists or after its end
            process.kill()
            process.join()
            if (folder / "run.json").exists():
                arrays, _ = files.read_arrays(folder / "checkpoint.npz")
                assert arrays["iterations"] >= reached  # saved iterations are never lost
                reached = int(arrays["iterations"])
        go_on(leduc, folder)
        found = td.load(folder, leduc)
        assert found.status == "finished"
        assert np.array_equal(found.strategy.probabilities, whole.strategy.probabilities)
        assert [point[0::2] for point in found.curve] == [point[0::2] for point in whole.curve]


def ends_as_if_straight(tree, folder, iterations):
    resumed, straight = td.resume(folder, iterations=iterations), td.solve(tree, "cfr+", iterations=iterations)
    same = np.array_equal(resumed.strategy.probabilities, straight.strategy.probabilities)
    return same and resumed.status == "finished"


def test_interrupted_returns_the_partial_solution(leduc, tmp_path):
    """`interrupted` ends and saves a run, marked as interrupted; resumed, it equals an uninterrupted run."""
    reports = []
    stopped = td.solve(
        leduc, "cfr+", iterations=10**9, checkpoint=tmp_path / "run", progress=reports.append,
        interrupted=lambda: bool(reports) and reports[-1].iterations > 500,
    )  # fmt: skip
    assert stopped.status == td.load(tmp_path / "run", leduc).status == "interrupted"
    assert stopped.iterations == reports[-1].iterations > 500
    assert stopped.curve[-1].iteration == stopped.iterations and stopped.curve[-1].nash_conv == stopped.nash_conv
    assert ends_as_if_straight(leduc, tmp_path / "run", stopped.iterations + 300)


def test_ctrl_c_leaves_solve_at_once(leduc, tmp_path):
    """`solve` raises in the caller at once, evaluates nothing, and marks the run as interrupted."""

    def interrupt(report):
        if report.iterations > 500:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        td.solve(leduc, "cfr+", iterations=10**9, progress=interrupt)
    folder, before = tmp_path / "run", signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt):
        td.solve(leduc, "cfr+", iterations=10**9, checkpoint=folder, checkpoint_seconds=0, progress=interrupt)
    assert signal.getsignal(signal.SIGTERM) is before
    content = files.read_json(folder / "run.json")
    assert (content["status"], content["stop"]) == ("interrupted", "interrupted")
    assert ends_as_if_straight(leduc, folder, 2000)


@pytest.mark.parametrize("name", WITHOUT_EXTRAS)
def test_resume_is_bit_for_bit(leduc, tmp_path, name):
    method = td.METHODS[name]
    if isinstance(method, td.CFRMethod):
        method = dataclasses.replace(method, horizon=300)
    if isinstance(method, td.solvers.NFSP):
        method = td.find_method(method, {"transitions": 300, "behaviour": 200, "min_rows": 50})
    td.solve(leduc, method, iterations=123, checkpoint=tmp_path)
    resumed, straight = td.resume(tmp_path, iterations=400), td.solve(leduc, method, iterations=400)
    assert np.array_equal(resumed.strategy.probabilities, straight.strategy.probabilities)
    assert resumed.method == straight.method


@pytest.mark.parametrize("name", [name for name in WITHOUT_EXTRAS if name not in ("triggers", "quantal", "team")])
def test_printed_figures_are_those_of_the_reported_strategy(leduc, name):
    """All outputs agree; fictitious play reports the average's figure, even if the last iterate is better."""
    solver, solution = td.make_solver(leduc, name), td.solve(leduc, name, iterations=60)
    solver.advance(60)
    average, current = td.nash_conv(solver.average()), td.nash_conv(solver.current())
    means = name.startswith(("nfsp", "fsp", "xfp", "lp", "double-oracle", "sdo", "xdo", "psro"))
    last = name.startswith(("rt", "mmd-exact", "r-nad"))
    reported = "average" if means else "current" if last else "better"
    assert td.METHODS[name].reported == solution.reported == reported
    point = solution.curve[-1]
    figures = {"average": point.average_nash_conv, "current": point.current_nash_conv, "better": min(point[3:5])}
    assert solution.nash_conv == point.nash_conv == figures[reported]
    assert point[3:5] == pytest.approx((average, current), rel=1e-9)
    assert td.nash_conv(solution.strategy) == pytest.approx(solution.nash_conv, abs=1e-12)
    assert solution.summary()["reported"] == solution.reported


def test_a_finished_run_stays_finished(leduc, tmp_path):
    """Ctrl-C before the first checkpoint of a resumed run, and `mark_stopped`, change no file."""
    td.solve(leduc, iterations=50, checkpoint=tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def interrupt(report):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        td.resume(tmp_path, iterations=10**9, checkpoint_seconds=1e9, progress=interrupt)
    folders.mark_stopped(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_resuming_a_finished_run_changes_nothing(leduc, tmp_path):
    before = td.solve(leduc, iterations=50, checkpoint=tmp_path)
    after = td.resume(tmp_path)
    assert (after.iterations, after.nash_conv) == (50, before.nash_conv)


def test_full_disk_in_mid_run_keeps_the_last_checkpoint_and_the_result(leduc, tmp_path, monkeypatch):
    folder, full = tmp_path / "run", []
    real = os.fsync

    def fsync(descriptor):
        if full:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)

    def fill(report):
        if report.iterations >= 100:
            full.append(1)

    with pytest.warns(RuntimeWarning, match="space"):
        solution = td.solve(leduc, "cfr+", iterations=200, checkpoint=folder, progress=fill)
    assert solution.iterations == 200 and solution.run is None and "No space" in solution.settings["unsaved"]
    full.clear()
    monkeypatch.undo()
    resumed = td.resume(folder)
    assert np.array_equal(resumed.strategy.probabilities, solution.strategy.probabilities)
    assert sorted(path.name for path in folder.iterdir()) == sorted(files_of_a_run())


def test_full_memory_in_mid_run_keeps_the_last_checkpoint_and_the_result(leduc, tmp_path, monkeypatch):
    solver, folder, full = td.make_solver(leduc, "cfr+"), tmp_path / "run", []
    savez = np.savez

    def full_memory(*arguments, **arrays):
        if full:
            raise MemoryError
        savez(*arguments, **arrays)

    monkeypatch.setattr(np, "savez", full_memory)
    with pytest.warns(RuntimeWarning):
        solution = driver.drive(
            solver, td.Goal(iterations=20), record=driver.Record(folder), progress=lambda report: full.append(1)
        )
    assert solution.iterations == 20 and solution.settings["unsaved"]
    with pytest.raises(td.errors.RunError):
        files.write_arrays(tmp_path / "new.npz", solver.state(), {})
    full.clear()
    assert ends_as_if_straight(leduc, folder, 30)


def files_of_a_run():
    return ["run.json", "curve.csv", "profile.npz", "checkpoint.npz"]


def test_unwritable_path_fails_before_any_work(leduc, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(td.errors.RunError, match="cannot write"):
        td.solve(leduc, iterations=10**9, checkpoint=tmp_path / "file" / "run")


@pytest.fixture(scope="module")
def kept(leduc, tmp_path_factory):
    folder = tmp_path_factory.mktemp("kept") / "run"
    td.solve(leduc, "cfr+", iterations=20, checkpoint=folder)
    return folder


@pytest.fixture
def run(kept, tmp_path):
    return shutil.copytree(kept, tmp_path / "run")


@pytest.mark.parametrize("name", ["checkpoint.npz", "profile.npz", "run.json", "curve.csv"])
def test_truncated_or_flipped_files_are_refused(leduc, run, name):
    whole = (run / name).read_bytes()
    rng = random.Random(0)
    damaged = [whole[: len(whole) * k // 7] for k in range(7)]
    for _ in range(40):
        place = rng.randrange(len(whole))
        damaged.append(whole[:place] + bytes([whole[place] ^ (1 << rng.randrange(8))]) + whole[place + 1 :])
    for data in damaged:
        (run / name).write_bytes(data)
        with pytest.raises(td.errors.RunError):
            td.load(run, leduc) if name in ("profile.npz", "curve.csv") else td.resume(run, game=leduc)


def test_runs_of_other_games_methods_or_versions_are_refused(leduc, run):
    with pytest.raises(td.errors.RunError, match="kuhn"):
        td.resume(run, game=td.load_game("kuhn"))
    with pytest.raises(td.errors.RunError, match="run"):
        td.solve(leduc, iterations=5, checkpoint=run)
    content = files.read_json(run / "run.json")
    files.write_json(run / "run.json", {**content, "format": 99})
    with pytest.raises(td.errors.RunError, match="format"):
        td.resume(run, game=leduc)
    files.write_json(run / "run.json", {**content, "method_parameters": {**content["method_parameters"], "delay": 3}})
    with pytest.raises(td.errors.RunError, match="another"):
        td.resume(run, game=leduc)
    files.write_json(run / "run.json", {**content, "game": "nonesuch"})
    with pytest.raises(td.errors.RunError, match="nonesuch"):
        td.resume(run)


def test_run_json_contains_game_method_and_figures(run):
    content = json.loads((run / "run.json").read_text())
    assert content["game"] == "leduc" and content["method"] == "cfr+" and content["iterations"] == 20
    assert content["method_parameters"]["averaging"] == 1.0 and content["versions"]["numpy"] == np.__version__


# Killed between any two writes.


class Killed(BaseException):
    """Raised where the process would end."""


def logging_solver(tree):
    """CFR+ with a log row for each iteration, like learners."""
    solver = td.make_solver(tree, "cfr+")
    rows, advance = [], solver.advance

    def advanced(count):
        for _ in range(count):
            advance(1)
            size = float(sum(np.abs(one).sum() for one in solver.state().values()))
            rows.append({"iteration": solver.iterations, "size": size})

    solver.advance, solver.log = advanced, lambda: list(rows)
    return solver


def driven(tree, folder):
    """Start or resume a run that is saved after every piece."""
    if folders.holds_run(folder):
        content = folders.read_run(folder)
        record = driver.Record(folder, content["checkpoint_seconds"])
        return driver.drive(logging_solver(tree), driver.Goal(**content["goal"]), record=record, resumed=True)
    return driver.drive(logging_solver(tree), td.Goal(iterations=4), record=driver.Record(folder, 0.0))


def saved_content(tree, folder):
    """Return the saved content of a run without times."""
    found, content = td.load(folder, tree), files.read_json(folder / "run.json")
    return (
        found.strategy.probabilities.tobytes(), [point[0::2] for point in found.curve], folders.read_log(folder, 10**9),
        (content["status"], content["iterations"], content["stop"]), sorted(path.name for path in folder.iterdir()),
    )  # fmt: skip


@pytest.mark.parametrize("after", [False, True])
def test_a_run_killed_at_any_write_ends_with_the_same_result(kuhn, tmp_path, monkeypatch, after):
    """Killed before or after any rename, a resumed run has the same bits, and no temporary files remain."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    driven(kuhn, tmp_path / "whole")
    wanted, replace = saved_content(kuhn, tmp_path / "whole"), os.replace
    assert len(wanted[2]) == 4 and "training.csv" in wanted[4]

    def dying(number, written):
        def killed(*places):
            written.append(places)
            if len(written) == number and not after:
                raise Killed
            replace(*places)
            if len(written) == number:
                raise Killed

        return killed

    for number in range(1, 100):
        folder, written = tmp_path / f"{number}", []
        monkeypatch.setattr(os, "replace", dying(number, written))
        with contextlib.suppress(Killed):
            driven(kuhn, folder)
        monkeypatch.setattr(os, "replace", replace)
        if folders.holds_run(folder):
            seen = td.load(folder, kuhn)  # any existing run can be read
            assert all(point.iteration <= seen.iterations for point in seen.curve)
        driven(kuhn, folder)
        assert saved_content(kuhn, folder) == wanted, f"killed at write {number}"
        if len(written) < number:
            break
    assert number > 20


def test_a_run_killed_repeatedly_finishes(kuhn, tmp_path, monkeypatch):
    """The process ends each time at its ninth write."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    driven(kuhn, tmp_path / "whole")
    wanted, replace = saved_content(kuhn, tmp_path / "whole"), os.replace
    for _ in range(10):
        written = []

        def killed(*places, written=written):
            written.append(places)
            if len(written) > 8:
                raise Killed
            replace(*places)

        monkeypatch.setattr(os, "replace", killed)
        with contextlib.suppress(Killed):
            driven(kuhn, tmp_path / "run")
            break
    monkeypatch.setattr(os, "replace", replace)
    driven(kuhn, tmp_path / "run")
    assert saved_content(kuhn, tmp_path / "run") == wanted


def test_a_new_run_has_no_log_of_an_earlier_one(kuhn, tmp_path):
    """Only run.json of the earlier run was deleted."""
    driven(kuhn, tmp_path)
    (tmp_path / "run.json").unlink()
    td.solve(kuhn, "cfr+", iterations=2, checkpoint=tmp_path)
    assert not (tmp_path / "training.csv").exists()


@pytest.mark.parametrize("name", ["curve.csv", "training.csv"])
def test_tables_of_a_run_are_checked(kuhn, tmp_path, name):
    """A changed character, a missing or another row, and another evaluator's columns are refused.

    Other programs read the tables as plain CSV.
    """
    driven(kuhn, tmp_path)
    text = (tmp_path / name).read_text()
    rows = list(csv.DictReader(text.splitlines()))
    assert [row["iteration"] for row in rows] == ["1", "2", "3", "4"]
    assert all(row[next(reversed(row))] == "" for row in rows) and next(reversed(rows[0])).startswith("sha256:")
    lines = text.splitlines(keepends=True)
    others = ["", text[:-2], "".join(lines[:-1]), "".join([*lines, lines[-1]]), text.replace("iteration", "iterations")]
    others += [
        text[:place] + ("1" if text[place] != "1" else "2") + text[place + 1 :] for place in range(0, len(text), 5)
    ]
    heads, *body = ([*line.rstrip("\n").split(",")][:-1] for line in lines)
    folders._write_table(tmp_path / name, ["x", *heads[1:]], body)
    others.append((tmp_path / name).read_text())  # its checksum is right
    for other in others:
        (tmp_path / name).write_text(other)
        with pytest.raises(td.errors.RunError, match=name.replace(".", r"\.")):
            td.load(tmp_path, kuhn) if name == "curve.csv" else folders.read_log(tmp_path, 4)


#: Texts that Python reads as numbers, and that no table contains.
NOT_PLAIN = ("1_0", "\u0663", " 2", "2 ", "1e400", "9" * 400, "Infinity", "NaN", "\u00b2")


@pytest.mark.parametrize("name", ["curve.csv", "training.csv"])
def test_numbers_of_tables_are_written_in_plain_digits(kuhn, tmp_path, name):
    """The checksums of these tables are right."""
    driven(kuhn, tmp_path)
    heads, rows = folders._read_table(tmp_path / name)
    for text in NOT_PLAIN:
        for column in range(len(heads)):
            folders._write_table(tmp_path / name, heads, [rows[0], [*rows[1][:column], text, *rows[1][column + 1 :]]])
            with pytest.raises(td.errors.RunError):
                td.load(tmp_path, kuhn) if name == "curve.csv" else folders.read_log(tmp_path, 4)


def test_a_point_of_a_curve_is_evaluated_or_not(kuhn, tmp_path):
    """Only figure and interval together are nan; iterations and nodes are whole numbers."""
    td.solve(kuhn, "cfr+", iterations=4, evaluator=td.NoEvaluation(), checkpoint=tmp_path)
    heads, rows = folders._read_table(tmp_path / "curve.csv")
    assert heads == ["iteration", "seconds", "figure", "low", "high", "nodes"] and rows[1][2:5] == ["nan"] * 3
    for column, text in ((0, "2.5"), (1, "nan"), (2, "0.5"), (3, "0.5"), (4, "inf"), (5, "0.5"), (5, "nan")):
        forged = [*rows[1][:column], text, *rows[1][column + 1 :]]
        folders._write_table(tmp_path / "curve.csv", heads, [rows[0], forged, *rows[2:]])
        with pytest.raises(td.errors.RunError):
            td.load(tmp_path, kuhn)


# Two processes on one run.


def test_a_run_that_another_process_writes_is_refused(kuhn, tmp_path):
    """Starting, resuming and saving are refused; reading is allowed."""
    solution = td.solve(kuhn, "cfr+", iterations=2, checkpoint=tmp_path / "run")
    with locks.locked(tmp_path / "run" / "run.json"), locks.locked(tmp_path / "new" / "run.json"):
        for use in (
            lambda: td.resume(tmp_path / "run", game=kuhn, iterations=4),
            lambda: td.solve(kuhn, "cfr+", iterations=2, checkpoint=tmp_path / "new"),
            lambda: solution.save(tmp_path / "new"),
        ):
            with pytest.raises(td.errors.BusyError) as caught:
                use()
            assert caught.value.process == os.getpid()
        assert td.load(tmp_path / "run", kuhn).iterations == 2
    assert td.resume(tmp_path / "run", game=kuhn, iterations=4).iterations == 4
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == sorted(files_of_a_run())


def test_a_run_is_owned_while_it_is_driven(kuhn, tmp_path):
    """No other process can lock the folder of a new or resumed run."""

    def try_to_own(report):
        with pytest.raises(td.errors.BusyError), locks.locked(tmp_path / "run" / "run.json"):
            pass
        asked.append(report.iterations)

    for iterations, run in ((1, td.solve), (2, td.resume)):
        asked, given = [], (kuhn, "cfr+") if run is td.solve else (tmp_path / "run",)
        place = {"checkpoint": tmp_path / "run"} if run is td.solve else {}
        assert run(*given, iterations=iterations, progress=try_to_own, **place).iterations == iterations
        assert asked


def test_a_path_without_write_access_is_refused_before_the_game_is_compiled(tmp_path, monkeypatch):
    monkeypatch.setattr("tefuda.solvers.runs.job.compile_game", lambda *_, **__: pytest.fail("compiled"))
    (tmp_path / "file").touch()
    for place in (tmp_path / "file" / "run", tmp_path / ("n" * 300)):
        with pytest.raises(td.errors.RunError, match="cannot write"):
            td.solve(td.load_game("kuhn"), checkpoint=place)
    with locks.locked(tmp_path / "run" / "run.json"), pytest.raises(td.errors.BusyError):
        td.solve(td.load_game("kuhn"), checkpoint=tmp_path / "run")


def test_a_goal_below_the_iterations_so_far_is_reported(kuhn, tmp_path):
    """No iteration is run, and the reason to stop contains both numbers."""
    first = td.solve(kuhn, "cfr+", iterations=50, checkpoint=tmp_path / "run")
    again, same = (td.resume(tmp_path / "run", iterations=count) for count in (20, 50))
    assert again.iterations == 50 and again.strategy.probabilities.tolist() == first.strategy.probabilities.tolist()
    assert "20" in again.stop and "50" in again.stop and same.stop == first.stop and len(again.stop) > len(first.stop)
    more = td.resume(tmp_path / "run", iterations=60)
    assert (more.iterations, more.stop) == (60, td.solve(kuhn, "cfr+", iterations=60).stop)


def test_refusals_name_their_run(kuhn, tmp_path):
    """Errors about the game, method or evaluator of a run contain its folder."""
    td.solve(kuhn, "cfr+", iterations=2, checkpoint=tmp_path)
    content = files.read_json(tmp_path / "run.json")
    method, evaluator = content["method_parameters"], {"name": "against", "agent": "x"}
    for other in (
        {"game": "nonesuch"},
        {"game_parameters": {"players": 1}},
        {"method_parameters": {**method, "name": "nonesuch", "more": 1}},
        {"method_parameters": {**method, "delay": -1}},
        {"method_parameters": {name: one for name, one in method.items() if name != "delay"}},
        {"evaluator": evaluator},
        {"form": {"representation": "nothing"}},
        {"form": {"representation": "hands"}},
        {"fingerprint": "0"},
        {"seed": -1},
    ):
        files.write_json(tmp_path / "run.json", {**content, **other})
        with pytest.raises(td.InputError) as caught:
            td.resume(tmp_path)
        assert str(tmp_path) in str(caught.value), other
