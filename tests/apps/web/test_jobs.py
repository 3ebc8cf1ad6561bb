"""Jobs: progress in order, a queue, interruption, errors in words, and an end with the server."""

import os
import signal
import subprocess
import sys
import threading

import pytest

import tefuda as td
from tefuda.apps.web.jobs import CANCELLED, DONE, FAILED, Jobs
from tests.processes import PATIENCE, living_in, needs_linux, stand_still, wait_until

SERVER = """
import sys
from tefuda.apps.web.jobs import Jobs
from tests.processes import stand_still
from tests.apps.web.test_jobs import hang
if __name__ == "__main__":
    jobs = Jobs(2)
    for name in ("one", "two", "three"):
        jobs.start(name, hang, listener=lambda job: job.progress and print(job.progress, flush=True))
    sys.stdin.read()
"""


def count(task, number):
    for value in range(number):
        task.publish(value)
    return number


def fail(task, error):
    raise error


def die(task):
    os.kill(os.getpid(), signal.SIGKILL)


def wait(task):
    """Publish once, and return the reason of the interruption."""
    task.publish("ready")
    wait_until(task.interrupted)
    return task.reason


def hang(task):
    """As in a long kernel: no other thread of the process runs."""
    task.publish("ready")
    stand_still(600)


@pytest.fixture
def jobs():
    jobs = Jobs(2, queue=2)
    yield jobs
    jobs.close(patience=0)


def running(jobs, name):
    """Start a job that waits for its interruption, and wait until it runs."""
    ready = threading.Event()
    job = jobs.start(name, wait, listener=lambda job: ready.set() if job.progress else None)
    assert ready.wait(PATIENCE)
    return job


def test_progress_and_result(jobs):
    seen = []
    job = jobs.start("count", count, 3, listener=lambda job: seen.append((job.state, job.progress)))
    assert job.ended.wait(PATIENCE) and jobs.find("count") is job
    assert seen == [("waiting", None), *(("running", value) for value in (None, 0, 1, 2)), ("done", 2)]
    assert (job.state, job.result, job.error) == (DONE, 3, "")


def test_errors_of_the_library_are_messages(jobs):
    job = jobs.start("fail", fail, td.errors.ParameterError("seed must be positive", key="seed"))
    assert job.ended.wait(PATIENCE)
    assert (job.state, job.error) == (FAILED, "seed must be positive")


@pytest.mark.parametrize("function, arguments", [(fail, (ValueError("secret"),)), (die, ()), (fail, (MemoryError(),))])
def test_other_ends_are_failures_without_details(jobs, function, arguments):
    job = jobs.start("end", function, *arguments)
    assert job.ended.wait(PATIENCE)
    assert job.state == FAILED and job.error and "secret" not in job.error


def test_interrupted_jobs_return_and_waiting_ones_are_cancelled(jobs):
    one, two = running(jobs, "one"), running(jobs, "two")
    three = jobs.start("three", count, 1)
    four = jobs.start("four", count, 1)
    assert jobs.active() == (one, two, three, four)
    with pytest.raises(td.errors.ParameterError):
        jobs.start("five", count, 1)  # the queue is full
    with pytest.raises(td.errors.ParameterError):
        jobs.start("one", count, 1)  # it runs
    jobs.interrupt("four")
    assert four.state == CANCELLED
    jobs.interrupt("one", "stop")
    assert one.ended.wait(PATIENCE) and one.result == "stop"
    assert three.ended.wait(PATIENCE) and three.result == 1
    jobs.interrupt("one")  # it has ended: nothing happens
    jobs.interrupt("unknown")
    assert jobs.start("one", count, 2).ended.wait(PATIENCE)


def test_closing_ends_jobs_that_do_not_listen(jobs, monkeypatch):
    """The patience with the deaf job is over when the listening one has ended."""
    ready = threading.Event()
    deaf = jobs.start("deaf", hang, listener=lambda job: ready.set() if job.progress else None)
    listening = running(jobs, "listening")
    assert ready.wait(PATIENCE)
    monkeypatch.setattr(deaf.ended, "wait", lambda seconds: listening.ended.wait(PATIENCE) and False)
    jobs.close(patience=PATIENCE)
    monkeypatch.undo()
    assert deaf.ended.wait(PATIENCE) and deaf.state == FAILED and listening.result == "pause"


@needs_linux
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_job_outlives_its_server(tmp_path, number):
    """Not even in the middle of a kernel."""
    (tmp_path / "server.py").write_text(SERVER)
    server = subprocess.Popen(
        [sys.executable, "server.py"], cwd=tmp_path, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    with server.stdin, server.stdout as output:
        assert [output.readline(), output.readline()] == ["ready\n", "ready\n"]
        assert len(living_in(tmp_path)) >= 3
        server.send_signal(number)
        assert server.wait(PATIENCE) != 0
    wait_until(lambda: not living_in(tmp_path))
