"""Runs that survive: kill -9, Ctrl-C, full disks, damaged and foreign files, resumption bit for bit."""

import dataclasses
import errno
import json
import multiprocessing
import os
import random
import shutil
import signal
from pathlib import Path

import numpy as np
import pytest

import tefuda as tf
from tefuda import files

ITERATIONS = 20_000

WITHOUT_EXTRAS = [name for name, method in tf.METHODS.items() if not method.extra]


@pytest.fixture(scope="module")
def leduc():
    return tf.compile_game(tf.load_game("leduc"))


def go_on(tree, folder):
    if (folder / "run.json").exists():
        tf.resume(folder, game=tree)
    else:
        tf.solve(tree, "ema", iterations=ITERATIONS, checkpoint=folder, checkpoint_seconds=0.004)


def test_kill_at_random_moments_loses_at_most_one_interval(leduc, tmp_path):
    """Six kills of each of three runs: they can be resumed, and end as if they had never been interrupted."""
    whole = tf.solve(leduc, "ema", iterations=ITERATIONS)
    context, rng = multiprocessing.get_context("fork"), random.Random(1)
    for folder in (tmp_path / name for name in "abc"):
        reached = 0
        for _ in range(6):
            process = context.Process(target=go_on, args=(leduc, folder))
            process.start()
            process.join(0.01 + 0.05 * rng.random())  # any moment will do: before there is a run, or after its end
            process.kill()
            process.join()
            if (folder / "run.json").exists():
                arrays, _ = files.read_arrays(folder / "checkpoint.npz")
                assert arrays["iterations"] >= reached  # nothing that was kept is lost again
                reached = int(arrays["iterations"])
        go_on(leduc, folder)
        found = tf.read_solution(folder, leduc)
        assert found.status == "finished"
        assert np.array_equal(found.profile.probabilities, whole.profile.probabilities)
        assert [point[0::2] for point in found.curve] == [point[0::2] for point in whole.curve]


def ends_as_if_straight(tree, folder, iterations):
    resumed, straight = tf.resume(folder, iterations=iterations), tf.solve(tree, "cfr+", iterations=iterations)
    same = np.array_equal(resumed.profile.probabilities, straight.profile.probabilities)
    return same and resumed.status == "finished"


def test_who_asks_gets_what_there_is(leduc, tmp_path):
    """`interrupted` ends a run in order: it is kept, says so, and goes on as if nothing had been."""
    reports = []
    stopped = tf.solve(
        leduc, "cfr+", iterations=10**9, checkpoint=tmp_path / "run", progress=reports.append,
        interrupted=lambda: bool(reports) and reports[-1].iterations > 500,
    )  # fmt: skip
    assert stopped.status == tf.read_solution(tmp_path / "run", leduc).status == "interrupted"
    assert stopped.iterations == reports[-1].iterations > 500
    assert stopped.curve[-1].iteration == stopped.iterations and stopped.curve[-1].nash_conv == stopped.nash_conv
    assert ends_as_if_straight(leduc, tmp_path / "run", stopped.iterations + 300)


def test_ctrl_c_leaves_solve_at_once(leduc, tmp_path):
    """It is the caller's to catch: a loop of solves ends, nothing is judged; the run says that it was interrupted."""

    def interrupt(report):
        if report.iterations > 500:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        tf.solve(leduc, "cfr+", iterations=10**9, progress=interrupt)
    folder, before = tmp_path / "run", signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt):
        tf.solve(leduc, "cfr+", iterations=10**9, checkpoint=folder, checkpoint_seconds=0, progress=interrupt)
    assert signal.getsignal(signal.SIGTERM) is before
    content = files.read_json(folder / "run.json")
    assert (content["status"], content["stop"]) == ("interrupted", "interrupted")
    assert ends_as_if_straight(leduc, folder, 2000)


@pytest.mark.parametrize("name", WITHOUT_EXTRAS)
def test_resume_is_bit_for_bit(leduc, tmp_path, name):
    method = tf.METHODS[name]
    if isinstance(method, tf.Method):
        method = dataclasses.replace(method, horizon=300)
    if isinstance(method, tf.NFSP):
        method = dataclasses.replace(method, transitions=300, behaviour=200, least=50)
    tf.solve(leduc, method, iterations=123, checkpoint=tmp_path)
    resumed, straight = tf.resume(tmp_path, iterations=400), tf.solve(leduc, method, iterations=400)
    assert np.array_equal(resumed.profile.probabilities, straight.profile.probabilities)
    assert resumed.method == straight.method


@pytest.mark.parametrize("name", WITHOUT_EXTRAS)
def test_what_is_printed_is_the_answer(leduc, name):
    """One figure everywhere; of fictitious play always the average's, though greedy play may be less exploitable."""
    solver, solution = tf.make_solver(leduc, name), tf.solve(leduc, name, iterations=60)
    solver.advance(60)
    average, current = tf.nash_conv(leduc, solver.average()), tf.nash_conv(leduc, solver.current())
    fictitious = name.startswith(("nfsp", "fsp", "xfp", "lp"))
    assert tf.METHODS[name].answer == solution.answer == ("average" if fictitious else "better")
    last = solution.curve[-1]
    assert solution.nash_conv == last.nash_conv == (last.average_nash_conv if fictitious else min(last[3:5]))
    assert last[3:5] == pytest.approx((average, current), rel=1e-9)
    assert tf.nash_conv(leduc, solution.profile) == pytest.approx(solution.nash_conv, abs=1e-12)
    assert solution.summary()["answer"] == solution.answer


def test_resuming_a_finished_run_changes_nothing(leduc, tmp_path):
    before = tf.solve(leduc, iterations=50, checkpoint=tmp_path)
    after = tf.resume(tmp_path)
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

    with pytest.warns(RuntimeWarning, match="No space left"):
        solution = tf.solve(leduc, "cfr+", iterations=200, checkpoint=folder, progress=fill)
    assert solution.iterations == 200 and solution.run is None and "No space" in solution.settings["unsaved"]
    full.clear()
    monkeypatch.undo()
    resumed = tf.resume(folder)
    assert np.array_equal(resumed.profile.probabilities, solution.profile.probabilities)
    assert sorted(path.name for path in folder.iterdir()) == sorted(files_of_a_run())


def files_of_a_run():
    return ["run.json", "curve.csv", "profile.npz", "checkpoint.npz"]


def test_unwritable_place_fails_before_any_work(leduc, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(tf.RunError, match="cannot write"):
        tf.solve(leduc, iterations=10**9, checkpoint=tmp_path / "file" / "run")


@pytest.fixture(scope="module")
def kept(leduc, tmp_path_factory):
    folder = tmp_path_factory.mktemp("kept") / "run"
    tf.solve(leduc, "cfr+", iterations=20, checkpoint=folder)
    return folder


@pytest.fixture
def run(kept, tmp_path):
    return shutil.copytree(kept, tmp_path / "run")


@pytest.mark.parametrize("name", ["checkpoint.npz", "profile.npz", "run.json"])
def test_truncated_or_flipped_files_are_refused(leduc, run, name):
    whole = (run / name).read_bytes()
    rng = random.Random(0)
    damaged = [whole[: len(whole) * k // 7] for k in range(7)]
    for _ in range(40):
        place = rng.randrange(len(whole))
        damaged.append(whole[:place] + bytes([whole[place] ^ (1 << rng.randrange(8))]) + whole[place + 1 :])
    for data in damaged:
        (run / name).write_bytes(data)
        with pytest.raises(tf.RunError):
            tf.resume(run, game=leduc) if name != "profile.npz" else tf.read_solution(run, leduc)


def test_runs_of_other_games_methods_or_versions_are_refused(leduc, run):
    with pytest.raises(tf.RunError, match="not of this kuhn"):
        tf.resume(run, game=tf.load_game("kuhn"))
    with pytest.raises(tf.RunError, match="holds a run"):
        tf.solve(leduc, iterations=5, checkpoint=run)
    content = files.read_json(run / "run.json")
    files.write_json(run / "run.json", {**content, "format": 99})
    with pytest.raises(tf.RunError, match="Update tefuda"):
        tf.resume(run, game=leduc)
    files.write_json(run / "run.json", {**content, "method_parameters": {**content["method_parameters"], "delay": 3}})
    with pytest.raises(tf.RunError, match="another game or method"):
        tf.resume(run, game=leduc)
    files.write_json(run / "run.json", {**content, "game": "nonesuch"})
    with pytest.raises(tf.RunError, match="nonesuch"):
        tf.resume(run)


def test_run_json_says_what_was_run(run):
    content = json.loads((run / "run.json").read_text())
    assert content["game"] == "leduc" and content["method"] == "cfr+" and content["iterations"] == 20
    assert content["method_parameters"]["averaging"] == 1.0 and content["versions"]["numpy"] == np.__version__


#: NashConv of the runs in tests/data/runs, written by the version of November 2026 whose modules lay flat, once that
#: version had taken them to twice their iterations.
BEFORE_ROOMS = {
    "cfr+": (100, 0.002388808202223258),
    "external": (100, 0.22499999999999995),
    "oos": (400, 0.3038088337127565),
    "xfp": (40, 0.06504065040650411),
    "nfsp": (1000, 0.9558226125469083),
}


@pytest.mark.parametrize("name", BEFORE_ROOMS)
def test_runs_of_an_earlier_version_go_on(tmp_path, name):
    """Digit for digit, but for NFSP: networks add in any order (`blurred`), as wide as the processor is, and what
    that changes in a float32 grows as they learn.
    """
    iterations, expected = BEFORE_ROOMS[name]
    shutil.copytree(Path(__file__).parents[1] / "data" / "runs" / name, tmp_path / name)
    solution = tf.resume(tmp_path / name, iterations=iterations)
    assert solution.iterations == iterations
    found = tf.nash_conv(solution.profile.tree, solution.profile)
    assert found == pytest.approx(expected, rel=1e-3 if name == "nfsp" else 1e-12)


def test_fields_unknown_when_a_run_was_kept_have_their_defaults():
    """A run of NFSP from before `rings` is of one with `rings="one"`, and of no other."""
    method = tf.METHODS["nfsp"]
    kept = method.parameters()
    del kept["rings"]
    assert method.kept_as(kept)
    assert not dataclasses.replace(method, batch=0, rings="each", window_rate=0.4).kept_as(kept | {"batch": 0})
    assert not method.kept_as(kept | {"eta": 0.2})
    del kept["name"]  # has no default
    assert not method.kept_as(kept)
