"""Lists of runs: summaries, titles, damaged runs, links."""

import os

import pytest

import tefuda as td
from tefuda import locks
from tefuda.errors import BusyError, ParameterError, RunError
from tefuda.files import write_json
from tefuda.solvers.runs.listing import bin_run, find_run, run_curve
from tefuda.solvers.runs.run import read_run
from tests.forged import objects

HOSTILE = ("../kuhn", "..%2fkuhn", "..\\kuhn", "/etc", "kuhn\0", "a" * 5000, "CON", "", ".", "..", "kuhn/", "link")


@pytest.fixture
def folder(tmp_path):
    game = td.load_game("kuhn")
    for name, method, iterations in (("first", "cfr+", 10), ("second", "cfr", 20)):
        td.solve(game, method, iterations=iterations, checkpoint=tmp_path / "runs" / name)
    return tmp_path / "runs"


def test_summaries_are_those_of_the_solutions(folder):
    (folder / "empty").mkdir()
    (folder / "notes.txt").write_text("no run")
    found = {run.id: run for run in td.list_runs(folder)}
    assert set(found) == {"first", "second"}
    for name, run in found.items():
        saved = td.load(folder / name)
        assert (run.game, run.method, run.iterations) == ("kuhn", saved.method["name"], saved.iterations)
        assert run.figure["value"] == saved.nash_conv and run.figure["unit"] == saved.evaluator.unit
        assert (run.status, run.representation, run.error) == ("finished", "tree", "")


def test_the_last_written_run_is_first(folder):
    content = read_run(folder / "first")
    write_json(folder / "first" / "run.json", {**content, "written": "2999-01-01T00:00:00+00:00"})
    assert [run.id for run in td.list_runs(folder)] == ["first", "second"]


def test_damaged_runs_are_listed_last_with_their_error(folder):
    good = read_run(folder / "first")
    (folder / "first" / "run.json").write_text("{")
    runs = td.list_runs(folder)
    assert [run.id for run in runs] == ["second", "first"]
    assert runs[1].status == "damaged" and "run.json" in runs[1].error
    for _, forged in objects(good):
        write_json(folder / "first" / "run.json", forged)
        assert len(td.list_runs(folder)) == 2  # and raises nothing


def test_links_are_never_followed(folder, tmp_path):
    outside = tmp_path / "outside"
    td.solve(td.load_game("kuhn"), "cfr", iterations=1, checkpoint=outside)
    (folder / "link").symlink_to(outside)
    (folder / "inner").mkdir()
    (folder / "inner" / "run.json").symlink_to(outside / "run.json")
    (folder / "second" / "profile.npz").unlink()
    (folder / "second" / "profile.npz").symlink_to(outside / "profile.npz")
    damaged = {run.id for run in td.list_runs(folder) if run.error}
    assert damaged == {"link", "inner", "second"}
    for name in damaged:
        with pytest.raises(RunError):
            find_run(folder, name)


@pytest.mark.parametrize("name", HOSTILE)
def test_ids_are_looked_up_in_the_listing(folder, name):
    assert find_run(folder, "first") == folder / "first"
    with pytest.raises(RunError):
        find_run(folder, name)


def test_a_missing_folder_has_no_runs(tmp_path):
    assert td.list_runs(tmp_path / "nowhere") == ()
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError):
        td.list_runs(tmp_path / "file")


def test_a_title_outlives_resuming_and_changes_nothing_else(folder):
    before = read_run(folder / "first")
    td.solvers.rename_run(folder / "first", "手札 <img src=x>")
    after = read_run(folder / "first")
    assert after.pop("title") == "手札 <img src=x>"
    assert {**after, "checksum": 0} == {**before, "checksum": 0}
    td.resume(folder / "first", iterations=15)
    (run,) = (run for run in td.list_runs(folder) if run.id == "first")
    assert (run.title, run.iterations) == ("手札 <img src=x>", 15)
    td.solvers.rename_run(folder / "first", "")
    assert "title" not in read_run(folder / "first")


@pytest.mark.parametrize("title", ["a\nb", "\x1b[2J", "a" * 201, "\0"])
def test_titles_are_short_and_printable(folder, title):
    with pytest.raises(ParameterError) as caught:
        td.solvers.rename_run(folder / "first", title)
    assert caught.value.key == "title"


def test_a_run_without_a_process_is_interrupted(folder):
    content = read_run(folder / "first")
    write_json(folder / "first" / "run.json", {**content, "status": "running"})
    status = {run.id: run.status for run in td.list_runs(folder)}
    assert status == {"first": "interrupted", "second": "finished"}
    with locks.locked(folder / "first" / "run.json"):
        assert {run.id: run.status for run in td.list_runs(folder)}["first"] == "running"
        with pytest.raises(BusyError):
            td.solvers.rename_run(folder / "first", "now")
    assert not os.path.exists(locks.hidden_path(folder / "first" / "run.json", "lock"))


def test_a_thousand_runs_are_listed(folder):
    text = (folder / "first" / "run.json").read_bytes()
    for number in range(1000):
        (folder / f"run-{number}").mkdir()
        (folder / f"run-{number}" / "run.json").write_bytes(text)
    runs = td.list_runs(folder)
    assert len(runs) == 1002 and not any(run.error for run in runs)


def test_the_curve_is_that_of_the_solution(folder, tmp_path):
    assert run_curve(folder / "second") == td.load(folder / "second").curve
    td.solve(td.load_game("kuhn"), "cfr", iterations=5, checkpoint=tmp_path / "none", evaluator=td.NoEvaluation())
    assert [point.iteration for point in run_curve(tmp_path / "none")] == [
        point.iteration for point in td.load(tmp_path / "none").curve
    ]


def test_the_bin_keeps_runs_of_the_same_name(folder):
    before = read_run(folder / "first")
    moved = [bin_run(folder, "first")]
    td.solve(td.load_game("kuhn"), "cfr", iterations=1, checkpoint=folder / "first")
    with locks.locked(folder / "first" / "run.json"), pytest.raises(BusyError):
        bin_run(folder, "first")
    moved.append(bin_run(folder, "first"))
    assert len({*moved}) == 2 and read_run(moved[0]) == before
    assert [run.id for run in td.list_runs(folder)] == ["second"]
    with pytest.raises(RunError):
        bin_run(folder, "../second")


def test_a_link_to_nothing_in_the_bin_keeps_its_name(folder):
    (folder / "second").rename(folder / "target")
    (folder / "second").symlink_to(folder / "target")
    link = bin_run(folder, "second")
    (folder / "target").rename(folder / "second")
    assert not link.exists() and link.is_symlink()
    assert bin_run(folder, "second") == link.with_name("second-2") and link.is_symlink()


def test_a_damaged_run_or_a_link_can_be_binned(folder, tmp_path):
    (folder / "first" / "run.json").write_text("{")
    (folder / "link").symlink_to(folder / "second")
    for name in ("first", "link"):
        bin_run(folder, name)
    assert [run.id for run in td.list_runs(folder)] == ["second"] and (folder / "second" / "run.json").exists()
