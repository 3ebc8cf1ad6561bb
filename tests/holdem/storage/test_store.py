"""Stores: equal records, duplicates, aliases, imports at once, kills, full disks, damage."""

import multiprocessing
import os
import resource
import signal
import sqlite3
import stat
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

import tefuda as td
from tefuda.holdem import HandStore, read_histories
from tefuda.holdem.histories.rooms.pokerstars import write
from tefuda.holdem.storage.codec import decoded_hand, encoded
from tefuda.holdem.storage.store import FILE, SECRET
from tests.holdem.histories.samples import FILES
from tests.holdem.histories.writers import random_hand

FORK = multiprocessing.get_context("fork")
OTHERS = Path(__file__).parents[2] / "data" / "hands"  # PHH and a log, without hand numbers


def files_of(folder, hands, number):
    """Files with copies of random hands under other numbers."""
    folder.mkdir()
    records = [random_hand(seed).record for seed in range(20)]
    for file in range(number):
        copies = [replace(records[place % 20], number=f"{file}{place:06}") for place in range(hands)]
        (folder / f"{file}.txt").write_text("".join(map(write, copies)))
    return folder


def test_records_come_back_equal(tmp_path):
    paths = [*FILES, OTHERS]
    hands = read_histories(paths)
    assert all(decoded_hand(encoded(hand)) == hand for hand in hands)
    with HandStore(tmp_path, create=True) as store:
        added = store.add(paths)
        assert added.added == len(store) == len(hands) and added.collection.reasons == hands.reasons
        assert [*store.hands] == [*hands] and store.hands.hands[-1] == hands.hands[-1]
        assert store.find("GGPoker", "HD900001401") == next(hand for hand in hands if hand.number == "HD900001401")
        with pytest.raises(td.errors.ParameterError):
            store.find("GGPoker", "1")


def test_reports_are_those_of_the_files(tmp_path):
    hands = read_histories(FILES)
    with HandStore(tmp_path, create=True) as store:
        store.add(FILES[:5])
        store.add(FILES)  # in two pieces
    with HandStore(tmp_path) as store:
        stored = store.hands
        assert stored.report("Ash", "position") == hands.report("Ash", "position")
        assert str(stored.report("*", "player").summary()) == str(hands.report("*", "player").summary())
        assert stored.graph("Ash").adjusted.tolist() == hands.graph("Ash").adjusted.tolist()
        where = "position=BTN pot=3bet"
        chosen = stored.filter(where, "Ash")
        assert [*chosen] == [*hands.filter(where, "Ash")] and len(chosen.filter("street=river", "Ash")) > 0
        assert chosen.report("Ash") == hands.filter(where, "Ash").report("Ash")


def test_hands_are_stored_once(tmp_path):
    """By room and number; without a number by text, but hands of a file with equal texts count."""
    text = (OTHERS / "rake.phh").read_text()
    double = tmp_path / "double.phhs"
    double.write_text("".join(f"[{number}]\n{text}\n" for number in (1, 2)))
    with HandStore(tmp_path / "store", create=True) as store:
        assert [store.add(FILES[:3]).added, store.add(FILES[:2]).known_files] == [3, 2]
        longer = tmp_path / "longer.txt"
        longer.write_bytes(FILES[0].read_bytes() + b"\n\n" + FILES[5].read_bytes())
        again = store.add(longer)
        assert (again.added, again.repeated, again.known_files) == (2, 1, 0)
        assert len(store) == len(store.hands.table().hands) == 5
        assert store.add(double).added == len(read_histories(double)) == 2
        double.write_text(double.read_text() + f"[3]\n{text}\n")
        again = store.add(double)
        assert (again.added, again.repeated) == (1, 2)


def test_aliases_depend_on_the_secret(tmp_path):
    """The same player has one alias in all imports; no name, file, table or minute is in the database."""
    with HandStore(tmp_path / "a", create=True, alias=True) as store, HandStore(tmp_path / "b", True, True) as other:
        store.add(FILES[0])
        store.add(FILES)  # aliased, as the store is
        other.add(FILES)
        plain, hidden = [*read_histories(FILES)], [*store.hands]
        names = {}
        for one, two in zip(plain, hidden, strict=True):
            assert one.results == two.results and one.hand == two.hand
            for name, alias in zip(one.names, two.names, strict=True):
                assert names.setdefault((one.room, name), alias) == alias
        assert len({*names.values()}) == len(names)
        assert not {*names.values()} & {name for hand in other.hands for name in hand.names}
        assert store.hands.report().total.net == pytest.approx(read_histories(FILES).report().total.net)
    content = (tmp_path / "a" / FILE).read_bytes()
    for private in ("Dahlia", "Birch", "Sample I", "pokerstars-side-pot", "19:15:02"):
        assert private.encode() not in content
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / "a" / SECRET).stat().st_mode) == 0o600
    (tmp_path / "a" / SECRET).unlink()
    with pytest.raises(td.errors.RunError):
        HandStore(tmp_path / "a")
    with HandStore(tmp_path / "c", create=True):
        pass
    with pytest.raises(td.errors.ParameterError):
        HandStore(tmp_path / "c", alias=True)


def test_two_first_imports_with_aliases_have_one_secret(tmp_path):
    """Another import has made the empty files, and writes its secret a moment later."""
    given, (database, secret) = "ab" * 24, (tmp_path / name for name in (FILE, SECRET))
    database.touch()
    secret.touch(mode=0o600)
    other = threading.Timer(0.1, secret.write_text, (given,))
    other.start()
    with HandStore(tmp_path, create=True, alias=True) as store, HandStore(tmp_path, create=True, alias=True) as second:
        assert store.secret == second.secret == given
    other.join()


def add_files(folder, files, size=0):
    if size:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    try:
        with HandStore(folder, create=True) as store:
            store.add(files)
    except td.errors.RunError:
        os._exit(3)
    os._exit(0)


def processes(*arguments):
    started = [FORK.Process(target=add_files, args=each) for each in arguments]
    for process in started:
        process.start()
    return started


def numbers_of(folder):
    """Numbers of the hands; each is counted, readable and unique."""
    with HandStore(folder) as store:
        hands = store.hands
        numbers = [hand.number for hand in hands]
        assert len({*numbers}) == len(numbers) and {*hands.table()["hand"].tolist()} == {*range(len(numbers))}
        return numbers


def test_two_imports_at_once(tmp_path, monkeypatch):
    """Both finish; hands that are in both files are stored once."""
    monkeypatch.setattr("tefuda.holdem.storage.store._PIECE", 7)
    files = files_of(tmp_path / "files", 40, 3)
    for process in processes(*[(tmp_path / "store", files)] * 3):
        process.join()
        assert process.exitcode == 0
    assert len(numbers_of(tmp_path / "store")) == 120


@pytest.mark.parametrize("pause", [0.05, 0.15, 0.3])
def test_nothing_is_lost_by_a_kill(tmp_path, monkeypatch, pause):
    monkeypatch.setattr("tefuda.holdem.storage.store._PIECE", 5)
    files = files_of(tmp_path / "files", 200, 2)
    (process,) = processes((tmp_path / "store", files))
    while not (tmp_path / "store" / FILE).exists():
        time.sleep(0.01)
    time.sleep(pause)
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    with HandStore(tmp_path / "store", create=True) as store:
        before = len(store)
        assert before % 5 == 0 and store.add(files).added == 400 - before
    assert len(numbers_of(tmp_path / "store")) == 400


@pytest.mark.parametrize("size", [5_000, 90_000, 130_000])
def test_a_full_disk_keeps_earlier_pieces(tmp_path, monkeypatch, size):
    """The size of the file is limited."""
    monkeypatch.setattr("tefuda.holdem.storage.store._PIECE", 5)
    files = files_of(tmp_path / "files", 100, 1)
    (process,) = processes((tmp_path / "store", files, size))
    process.join()
    assert process.exitcode == 3
    with HandStore(tmp_path / "store", create=True) as store:
        before = len(store)
        assert before % 5 == 0 and (before > 0) == (size > 60_000) and store.add(files).added == 100 - before
    assert len(numbers_of(tmp_path / "store")) == 100


def test_foreign_and_damaged_stores(tmp_path):
    with pytest.raises(td.errors.RunError):
        HandStore(tmp_path / "none")
    assert not (tmp_path / "none").exists()
    for name, content in {"text": b"hello", "cut": b"SQLite format 3\0" + b"x" * 200}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / FILE).write_bytes(content)
    (tmp_path / "other").mkdir()
    sqlite3.connect(tmp_path / "other" / FILE).execute("CREATE TABLE song (title)").connection.close()
    for name in ("text", "cut", "other"):
        for create in (False, True):
            with pytest.raises(td.errors.RunError):
                HandStore(tmp_path / name, create)
    with HandStore(tmp_path / "good", create=True) as store:
        store.add(FILES[0])
    damage = sqlite3.connect(tmp_path / "good" / FILE)
    damage.execute("UPDATE hand SET record = replace(record, 'Ash', 'Asp')")
    damage.execute("UPDATE piece SET rows = zeroblob(length(rows))")
    damage.commit()
    with HandStore(tmp_path / "good") as store:
        for use in (lambda: store.hands.hands[0], lambda: store.hands.report()):
            with pytest.raises(td.errors.RunError):
                use()


def test_rows_of_another_version_are_counted_again(tmp_path):
    with HandStore(tmp_path, create=True) as store:
        store.add(FILES)
        wanted = store.hands.report("Ash")
    old = sqlite3.connect(tmp_path / FILE)
    old.execute("UPDATE piece SET form = 'old', rows = x'00', texts = '[]', checksum = 3523407757")
    old.commit()
    with HandStore(tmp_path) as store:
        assert store.hands.report("Ash") == wanted
