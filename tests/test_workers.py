"""Workers: they leave Ctrl-C to their parent, never outlive it, and fail in plain words."""

import contextlib
import inspect
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

import tefuda as td
from tefuda import errors
from tefuda.workers import Workers, shrinking_chunks, spread
from tests.processes import PATIENCE, living_in, needs_linux, stand_still, started, wait_until

PARENT = """
import sys
from tefuda.workers import Workers
from tests.test_workers import pid, work
if __name__ == "__main__":
    pool = Workers(2)
    print(pool.map(pid, [0]), flush=True)
    pool.map(work, [0, 1])
"""


def pid(nothing):
    return os.getpid()


def work(number):
    """Write a file, then do as in a long kernel."""
    Path(f"working-{number}").touch()
    stand_still(600)


@needs_linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_die_with_their_parent(tmp_path, number):
    """Even where the parent could do nothing any more, and in the middle of a kernel."""
    (tmp_path / "parent.py").write_text(PARENT)
    places = os.pathsep.join(sys.path)
    parent = subprocess.Popen(
        [sys.executable, "parent.py"], cwd=tmp_path, text=True, env={**os.environ, "PYTHONPATH": places},
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    with parent.stdout as told:
        assert told.readline().startswith("[")
        wait_until(lambda: len(list(tmp_path.glob("working-*"))) == 2)
        assert len(living_in(tmp_path)) >= 3
        parent.send_signal(number)
        assert parent.wait(PATIENCE) != 0
    wait_until(lambda: not living_in(tmp_path))


@needs_linux
def test_a_comparison_stops_and_goes_on(tmp_path):
    """Only the parent gets the signal; no process stays behind, and the same command resumes the runs."""
    words = ("compare", "kuhn", "--methods", "external,cfr", "--seeds", "1,2", "--workers", "2", "--out", "saved")
    process = started(tmp_path, *words, "--iterations", "1e12")
    wait_until(lambda: len(list(tmp_path.glob("saved/*/run.json"))) >= 2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, "") and "with --out saved to resume its runs" in err
    assert "Traceback" not in err
    wait_until(lambda: not living_in(tmp_path))


def test_tasks_that_were_not_begun_end_in_silence(monkeypatch):
    """Their pool is ended with them: its own thread has nothing to complain of, which the user would read."""
    complaints, before = [], {*threading.enumerate()}
    monkeypatch.setattr(threading, "excepthook", complaints.append)
    close = Workers.close
    monkeypatch.setattr(Workers, "close", lambda pool: time.sleep(0.3) or close(pool))  # that thread comes first

    def stop(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Workers(1).map(stand_still, [600] * 9, stop)
    for thread in {*threading.enumerate()} - before:
        thread.join(PATIENCE)
    assert not complaints


def test_workers_that_keep_dying():
    with pytest.raises(td.errors.SolverError, match="workers"):
        Workers(1).map(os._exit, [3])


def die_once(file):
    """The first who is given this file dies; who comes after it lives."""
    if not Path(file).exists():
        Path(file).touch()
        os._exit(3)
    return Path(file).name


@pytest.mark.parametrize("given", [False, True])
def test_what_is_done_stays_done_when_a_worker_dies(tmp_path, given):
    """Every result comes once, those of an executor that broke too, which the parent does itself."""
    files = [tmp_path / name for name in "abc"]
    for file in files[::2]:
        file.touch()  # b alone kills
    found, told = [], []
    with ProcessPoolExecutor(1) if given else contextlib.nullcontext(1) as workers:
        pool = Workers(workers)
        with pytest.warns(RuntimeWarning, match="process") if given else contextlib.nullcontext():
            assert pool.map(die_once, files, told.append, found.append) == ["a", "b", "c"]
        pool.close()
    assert sorted(found) == ["a", "b", "c"] and told[-1] == 3 and told == sorted(told)


def raise_at(number):
    if number == 2:
        raise OSError("no room")
    return number


def test_what_is_done_is_told_before_a_failure():
    found = []
    with ThreadPoolExecutor(1) as pool, pytest.raises(OSError, match="room"):
        Workers(pool).map(raise_at, [0, 1, 2, 3], on_result=found.append)
    assert found[:2] == [0, 1]


def test_helping():
    """This process does tasks too; results come in order, each is reported once, and a failure is raised."""
    found, pool, interval = [], Workers(2, helping=True), sys.getswitchinterval()
    processes = pool.map(pid, list(range(12)), on_result=found.append)
    assert os.getpid() in processes and sorted(found) == sorted(processes)
    assert pool.map(raise_at, [7, 8, 0, 1, 3, 4, 5, 9]) == [7, 8, 0, 1, 3, 4, 5, 9]
    with pytest.raises(OSError, match="room"):
        pool.map(raise_at, [0, 1, 3, 4, 5, 2])
    assert sys.getswitchinterval() == interval
    pool.close()


@pytest.mark.parametrize("items", [0, 1, 5, 6, 7, 180, 1000])
@pytest.mark.parametrize("count", [1, 2, 8])
def test_shrinking_chunks(items, count):
    """All items in order; no part is larger than a third of a worker's share, nor than the part before it."""
    parts = shrinking_chunks(range(items), count)
    sizes = [len(part) for part in parts]
    assert [item for part in parts for item in part] == list(range(items))
    assert sizes == sorted(sizes, reverse=True)
    assert not items or (sizes[0] == max(1, items // (3 * count)) and sizes[-1] == 1)


class Slow:
    """An object that cannot be pickled, as is found after some time."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __reduce__(self):
        time.sleep(self.seconds)
        raise pickle.PicklingError("slow")


def test_tasks_that_cannot_be_pickled_one_after_another():
    """The first one ends the pool; the next ones, at any moment of its end, make no thread fail."""
    for number in range(10):  # pytest makes errors of threads failures
        with pytest.raises(td.errors.ParameterError, match="slow"):
            spread(2, len, [Slow(0.2), *[Slow(0.0005 * number)] * 40])


class Foreign:
    """An object that other processes cannot load."""

    def __reduce__(self):
        return in_process, (os.getpid(),)


def in_process(number):
    if os.getpid() != number:
        raise AttributeError("no such thing here")
    return Foreign()


def test_tasks_that_a_worker_cannot_load():
    with pytest.raises(td.errors.ParameterError, match="cannot load"):
        spread(2, id, [Foreign()])


def test_what_cannot_travel():
    for function, task in ((len, lambda: 0), (open, os.devnull)):
        with pytest.raises(td.errors.ParameterError, match="picklable"):
            spread(2, function, [task])
    with pytest.raises(TypeError, match="len"):  # the function's own error is unchanged
        spread(2, len, [3])


def test_an_executor_that_is_shut_down():
    pool = ThreadPoolExecutor(1)
    found = []
    assert Workers(pool).map(len, ["ab", "c"], on_result=found.append) == [2, 1] and sorted(found) == [1, 2]
    pool.shutdown()
    with pytest.raises(td.errors.ParameterError, match="shut"):
        Workers(pool).map(len, ["ab"])


def test_errors_travel_between_processes():
    made = {
        errors.UnknownNameError: errors.UnknownNameError("game", "kuhm", ["kuhn"]),
        errors.MissingExtraError: errors.MissingExtraError("plot", "drawing"),
        errors.GameError: errors.GameError("faults", report="a report"),
        errors.BusyError: errors.BusyError("run", "process 7", 7),
    }
    for kind in vars(errors).values():
        if inspect.isclass(kind) and issubclass(kind, errors.TefudaError):
            error = made.get(kind) or kind("words")
            again = pickle.loads(pickle.dumps(error))
            assert (type(again), str(again), vars(again)) == (kind, str(error), vars(error))
