"""Locks: one owner at a time, no lock of a dead process, and leftovers of killed writes only."""

import functools
import itertools
import multiprocessing
import os
import platform
import resource
import signal
import stat
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

import tefuda as td
from tefuda import files, locks
from tests.processes import PATIENCE

FORK = multiprocessing.get_context("fork")


def holding(path, line) -> None:
    with locks.locked(path):
        line.send("ready")
        line.poll(PATIENCE)


@pytest.fixture
def other(tmp_path):
    """Another process that owns a run until the test ends."""
    here, there = FORK.Pipe()
    process = FORK.Process(target=holding, args=(tmp_path / "run.json", there))
    process.start()
    assert here.recv() == "ready"
    yield process
    here.send("end")
    process.join()


def test_the_second_owner_is_refused_with_the_process_of_the_first(tmp_path, other):
    with pytest.raises(td.errors.BusyError, match=str(other.pid)) as caught, locks.locked(tmp_path / "run.json"):
        pass
    assert caught.value.process == other.pid and str(tmp_path) in str(caught.value)
    with locks.locked(tmp_path / "another.json"):
        pass


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_dead_process_holds_no_lock(tmp_path, other, number):
    os.kill(other.pid, number)
    other.join()
    assert [path.name for path in tmp_path.iterdir()] == [".run.json.lock"]  # it could not tidy up
    with locks.locked(tmp_path / "run.json"):
        assert int((tmp_path / ".run.json.lock").read_text().split()[0]) == os.getpid()
    assert not any(tmp_path.iterdir())


def test_an_owner_that_ends_soon_is_waited_for(tmp_path, monkeypatch):
    """On the clock of the lock a tenth of a second passes between two looks."""
    entered, left, clock = threading.Event(), threading.Event(), itertools.count()

    def briefly():
        with locks.locked(tmp_path / "file"):
            entered.set()
            left.wait(PATIENCE)

    def sleep(seconds):
        left.set()
        thread.join()

    thread = threading.Thread(target=briefly)
    thread.start()
    assert entered.wait(PATIENCE)
    monkeypatch.setattr(locks, "time", SimpleNamespace(monotonic=lambda: next(clock) / 10, sleep=sleep))
    with locks.locked(tmp_path / "file"):  # a thread of this process is an owner like any other
        assert list(tmp_path.iterdir()) == [tmp_path / ".file.lock"]
    thread.join()
    assert not any(tmp_path.iterdir())


def test_threads_of_one_process_exclude_each_other(tmp_path):
    with locks.locked(tmp_path / "file"):
        with pytest.raises(td.errors.BusyError) as caught, locks.locked(tmp_path / "file"):
            pass
        assert caught.value.process == os.getpid()
        assert (tmp_path / ".file.lock").exists()  # the refused one took nothing away


def test_a_fork_does_not_keep_the_lock(tmp_path):
    """A child that was forked while its parent owned a run outlives that."""
    here, there = FORK.Pipe()
    with locks.locked(tmp_path / "file"):
        process = FORK.Process(target=there.poll, args=(PATIENCE,))
        process.start()
    with locks.locked(tmp_path / "file"):
        pass
    here.send("end")
    process.join()


def orphaning(path, line) -> None:
    """Own a file, leave a child behind, and be killed."""
    with locks.locked(path):
        if (child := os.fork()) == 0:
            line.poll(PATIENCE)
            os._exit(0)
        line.send(child)
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_fork_of_a_killed_process_does_not_keep_the_lock(tmp_path):
    here, there = FORK.Pipe()
    process = FORK.Process(target=orphaning, args=(tmp_path / "file", there))
    process.start()
    child = here.recv()
    process.join()
    os.kill(child, 0)  # it is alive
    with locks.locked(tmp_path / "file"):
        pass
    here.send("end")


def test_a_fork_that_leaves_the_block_removes_nothing(tmp_path):
    owner = locks.locked(tmp_path / "file")
    owner.__enter__()
    if (child := os.fork()) == 0:
        try:
            owner.__exit__(None, None, None)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert (tmp_path / ".file.lock").exists()
    owner.__exit__(None, None, None)
    assert not any(tmp_path.iterdir())


def limited(most, line, use) -> None:
    """Use files of limited size; send the class of the error, or None."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    try:
        use()
        line.send(None)
    except Exception as error:
        line.send(type(error))


def error_in_files_of(most, use):
    here, there = FORK.Pipe()
    process = FORK.Process(target=limited, args=(most, there, use))
    process.start()
    found = here.recv()
    process.join()
    return found


@pytest.mark.parametrize("most", [0, 1, 5])
def test_a_lock_without_room_for_its_owner_is_deleted(tmp_path, most):
    """On a full disk, too, where the first bytes of the process id are another one."""
    assert error_in_files_of(most, locks.locked(tmp_path / "file").__enter__) is td.errors.RunError
    assert not any(tmp_path.iterdir())


def test_runs_without_room_are_refused_and_lose_nothing(tmp_path):
    game, run = td.load_game("kuhn"), tmp_path / "run"
    td.solve(game, "cfr", iterations=5, checkpoint=run)
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    solving = functools.partial(td.solve, game, "cfr", iterations=5, checkpoint=tmp_path / "new")
    for most in (0, 100):
        assert error_in_files_of(most, solving) is td.errors.RunError
        assert not any((tmp_path / "new").iterdir())
    assert error_in_files_of(0, functools.partial(td.resume, run, iterations=9)) is td.errors.RunError
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before


@pytest.mark.parametrize("text", ["", "nonsense", "9" * 4000, "٣ host", "-1"])
def test_a_lock_that_says_nothing_is_a_lock(tmp_path, text):
    with locks.locked(tmp_path / "file"):
        (tmp_path / ".file.lock").write_text(text)
        with pytest.raises(td.errors.BusyError, match="another") as caught, locks.locked(tmp_path / "file"):
            pass
    assert caught.value.process is None


def test_a_process_of_another_machine_is_named_with_it(tmp_path):
    with locks.locked(tmp_path / "file"):
        (tmp_path / ".file.lock").write_text("12 elsewhere\n")
        with pytest.raises(td.errors.BusyError, match="elsewhere"), locks.locked(tmp_path / "file"):
            pass


def test_eight_processes_never_own_a_file_at_once(tmp_path):
    """Each adds one to a number 25 times; without exclusion some would be lost."""
    (tmp_path / "number").write_text("0")
    processes = [FORK.Process(target=counting, args=(tmp_path,)) for _ in range(8)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 8
    assert int((tmp_path / "number").read_text()) == 200 and len(list(tmp_path.iterdir())) == 1


def counting(folder) -> None:
    done = 0
    while done < 25:
        try:
            with locks.locked(folder / "number"):
                number = int((folder / "number").read_text())
                (folder / "number").write_text(str(number + 1))
                done += 1
        except td.errors.BusyError:
            pass


def test_without_locks_of_the_system_nothing_is_locked(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "fcntl", None)
    with locks.locked(tmp_path / "file"), locks.locked(tmp_path / "file"):
        files.write_bytes(tmp_path / "file", b"one")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_file_system_without_locks_loses_nothing(tmp_path, monkeypatch):
    """No lock is taken there, and no temporary file is deleted, for its writer may be alive."""

    def refused(*_):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(locks.fcntl, "flock", refused)
    leftover = locks.hidden_path(tmp_path / "file", f"{'0' * 16}.tmp")
    leftover.touch()
    with locks.locked(tmp_path / "file"), locks.locked(tmp_path / "file"):
        files.write_bytes(tmp_path / "file", b"one")
    assert leftover.exists() and (tmp_path / "file").read_bytes() == b"one"


def test_leftovers_of_killed_writes_are_deleted_and_nothing_else(tmp_path):
    """Those of a living writer and whatever only looks like them stay."""
    place = tmp_path / "file"
    living, mine = locks.temporary(place)
    dead, gone = locks.temporary(place)
    os.close(dead)
    others = [f".file.{'0' * 15}.tmp", f".file.{'g' * 16}.tmp", f".file.json.{'0' * 16}.tmp", ".file.conf", ".file.tmp"]
    for name in others:
        (tmp_path / name).touch()
    files.write_bytes(place, b"one")
    assert {path.name for path in tmp_path.iterdir()} == {*others, mine.name, "file"} and not gone.exists()
    os.close(living)


def test_a_writer_whose_file_was_taken_for_a_leftover_makes_another(tmp_path, monkeypatch):
    """Between making it and locking it another process may delete it."""
    real, seen = locks._try_lock, []

    def late(descriptor):
        if not seen:
            seen.append(1)
            locks.clear_leftovers(tmp_path / "file")
        return real(descriptor)

    monkeypatch.setattr(locks, "_try_lock", late)
    files.write_bytes(tmp_path / "file", b"one")
    assert seen and (tmp_path / "file").read_bytes() == b"one" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_files_follow_the_umask(tmp_path, mask):
    before = os.umask(mask)
    try:
        files.write_bytes(tmp_path / "file", b"one")
        files.write_bytes(tmp_path / "file", b"two")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o666 & ~mask


@pytest.mark.parametrize("name", ["n" * 255, "é" * 127, "n" * 201])
def test_every_name_that_a_file_can_have_can_be_written_and_owned(tmp_path, name):
    with locks.locked(tmp_path / name):
        files.write_bytes(tmp_path / name, b"one")
        with pytest.raises(td.errors.BusyError), locks.locked(tmp_path / name):
            pass
    assert [path.name for path in tmp_path.iterdir()] == [name]
    files.check_writable(tmp_path / name)


def test_two_long_names_are_two_locks(tmp_path):
    with locks.locked(tmp_path / ("n" * 250 + "a")), locks.locked(tmp_path / ("n" * 250 + "b")):
        assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("place", ["n" * 256, "n" * 300 + "/file", "file\0"])
def test_names_that_no_file_can_have_are_refused(tmp_path, place):
    path = Path(tmp_path / place)
    for use in (
        lambda: files.write_bytes(path, b""),
        lambda: files.read_bytes(path),
        lambda: files.check_writable(path),
    ):
        with pytest.raises(td.errors.RunError):
            use()


def test_a_lock_that_its_last_owner_deleted_is_made_again(tmp_path, monkeypatch):
    """The last owner may end between opening and locking: the locked file is then unlinked."""
    real, seen = locks._try_lock, []

    def late(descriptor):
        if not seen:
            seen.append(1)
            (tmp_path / ".file.lock").unlink()
        return real(descriptor)

    monkeypatch.setattr(locks, "_try_lock", late)
    with locks.locked(tmp_path / "file"):
        assert seen and (tmp_path / ".file.lock").exists()
        with pytest.raises(td.errors.BusyError), locks.locked(tmp_path / "file"):
            pass


def test_what_a_dead_owner_wrote_is_replaced(tmp_path):
    (tmp_path / ".file.lock").write_text("1234567890 a host with a long name\nand more\n")
    with locks.locked(tmp_path / "file"):
        assert (tmp_path / ".file.lock").read_text() == f"{os.getpid()} {platform.node()}\n"
