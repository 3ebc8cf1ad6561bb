"""Routes of the page Runs."""

import io
import os
import zipfile
from urllib.parse import quote

import pytest

import tefuda as td
from tefuda import locks
from tefuda.holdem import make_spot
from tefuda.solvers.runs.run import read_run
from tests.processes import needs_linux

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def folder(tmp_path):
    for name, method in (("one", "cfr"), ("two", "cfr+")):
        td.solve(td.load_game("kuhn"), method, iterations=50, checkpoint=tmp_path / name)
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "run.json").write_text("{")
    return tmp_path


def test_the_list_has_all_runs_and_changes_nothing(client, folder):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    answer = client.get("/api/runs").json()["runs"]
    assert {run["id"] for run in answer[:2]} == {"one", "two"} and answer[2]["status"] == "damaged"
    assert answer[2]["error"] and answer[0]["figure"]["unit"] == read_run(folder / "one")["figure"]["unit"]
    assert client.get("/api/solve/curves?ids=one,two").status_code == 200
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_curve_is_that_of_the_run(client, folder):
    lines = {line["name"]: line["points"] for line in client.get("/api/solve/curves?ids=one,two").json()["lines"]}
    assert lines["cfr+"] == [[point.iteration, point.figure] for point in td.load(folder / "two").curve]


def test_a_title_is_stored_as_text(client, folder):
    answer = client.post("/api/runs/one/title", json={"title": HOSTILE})
    assert HOSTILE in [run["title"] for run in answer.json()["runs"]]
    assert read_run(folder / "one")["title"] == HOSTILE
    for title in ("a" * 300, "a\nb", 5, None):
        assert client.post("/api/runs/one/title", json={"title": title}).status_code == 400
    with locks.locked(folder / "one" / "run.json"):
        assert client.post("/api/runs/one/title", json={"title": "now"}).status_code == 400


def test_files_are_exported(client, folder):
    archive = zipfile.ZipFile(io.BytesIO(client.get("/api/runs/one/files").content))
    names = {path.name for path in (folder / "one").iterdir()}
    assert {name.removeprefix("run/") for name in archive.namelist()} == names
    assert archive.read("run/run.json") == (folder / "one" / "run.json").read_bytes()


class Own:
    """Matching pennies, a game that the server cannot load."""

    name, players, constant_sum = "own", 2, 0

    def root(self):
        return ""

    def player(self, state):
        return len(state) if len(state) < 2 else td.TERMINAL

    def actions(self, state):
        return ("h", "t")

    def chances(self, state):
        return ()

    def child(self, state, action):
        return state + action

    def payoffs(self, state):
        return (1, -1) if state[0] == state[1] else (-1, 1)

    def view(self, state, player):
        return "move"


def test_runs_of_own_games_are_not_offered_for_exploring(client, folder):
    td.solve(Own(), "cfr", iterations=50, checkpoint=folder / "own")
    listed, states = client.get("/api/runs").json()["runs"], client.get("/api/solve/runs?ids=one,own").json()
    for runs in (listed, states):
        explored = {run["id"]: run["explored"] for run in runs}
        assert explored["one"] and not explored["own"]


def test_messages_have_only_the_fields_of_the_page(client, folder):
    """A field that the library's summary or the run's file gains is not sent."""
    (one, *_), (state,) = client.get("/api/runs").json()["runs"], client.get("/api/solve/runs?ids=one").json()
    names = {
        "id", "title", "game", "game_parameters", "form", "method", "status", "iterations", "error", "explored",
        "curve",
    }  # fmt: skip
    listed = names | {"figure", "written", "changed", "spot", "target", "played", "shared"}
    assert one.keys() == listed and one["figure"].keys() == {"title", "unit", "value"}
    assert state.keys() == names | {
        "unit", "seed", "goal", "stop", "seconds", "values", "evaluator", "version", "building", "game_id",
    }  # fmt: skip


def test_a_binned_run_leaves_the_list(client, folder):
    answer = client.post("/api/runs/bad/bin", json={}).json()
    assert {run["id"] for run in answer["runs"]} == {"one", "two"}
    assert (folder / answer["moved"] / "run.json").read_text() == "{"
    assert client.post("/api/runs/bad/bin", json={}).status_code == 404


def test_a_binned_run_comes_back(client, folder):
    """Also one that shares the bin with an older run of its name; nothing else is moved or replaced."""
    before = {path.name: path.read_bytes() for path in (folder / "one").iterdir()}
    for _ in range(2):
        binned = client.post("/api/runs/one/bin", json={}).json()["moved"].split("/")[-1]
        td.solve(td.load_game("kuhn"), "cfr", iterations=1, checkpoint=folder / "one")
    assert binned == "one-2"
    for run, name in (("one", "one"), ("two", "one"), ("other", "one-2"), ("one-2", "../two"), ("one", "none")):
        assert client.post(f"/api/runs/{run}/restore", json={"binned": name}).status_code == 400
    client.post("/api/runs/one/bin", json={})
    listed = client.post("/api/runs/one/restore", json={"binned": "one"}).json()["runs"]
    assert {run["id"] for run in listed} == {"one", "two", "bad"}
    assert {path.name: path.read_bytes() for path in (folder / "one").iterdir()} == before


def test_a_run_is_saved_as_a_file_that_needs_no_server(client, folder):
    answer = client.get("/api/runs/one/share")
    assert answer.status_code == 200 and "attachment" in answer.headers["content-disposition"]
    assert answer.text.startswith("<!doctype html>") and 'id="data"' in answer.text
    td.solve(Own(), "cfr", iterations=5, checkpoint=folder / "own")
    assert client.get("/api/runs/own/share").status_code == 400
    assert client.get("/api/runs/none/share").status_code == 404


def test_the_summary_says_what_is_inside(client, tmp_path):
    """Cards and sizes of a spot, changed parameters of other games, some points of the curve."""
    td.solve(td.load_game("kuhn", players=3), "cfr", iterations=50, until=0.5, checkpoint=tmp_path / "kuhn")
    spot = make_spot("2c2d2h3c3d", 100, 300, "AA,QQ", "KK", "50%,a", "a")
    td.solve(spot, iterations=3, checkpoint=tmp_path / "spot")
    runs = {run["id"]: run for run in client.get("/api/runs").json()["runs"]}
    assert runs["kuhn"]["game_parameters"] == {"players": 3, "cards": 4} and runs["kuhn"]["target"] == 50
    assert runs["kuhn"]["changed"] == ["players", "cards"] and runs["kuhn"]["spot"] is None
    points = {point.iteration: point.figure for point in td.load(tmp_path / "kuhn").curve}
    drawn = runs["kuhn"]["curve"]
    assert drawn[-1][0] == max(points) and 2 <= len(drawn) <= 24
    assert all(value == pytest.approx(points[iteration], rel=5e-3) for iteration, value in drawn)
    board = ["2c", "2d", "2h", "3c", "3d"]
    sizes = {"board": board, "street": "river", "pot": 100, "stack": 300, "sizes": "50%,a"}
    assert runs["spot"]["spot"] == sizes and runs["spot"]["game_parameters"] == {}


@pytest.mark.parametrize(
    "name", ["..%2fone", "%2e%2e", ".bin", "one%00", "a" * 5000, "CON", "..%5cone", "one%2frun.json"]
)
def test_other_paths_are_not_found(client, folder, name):
    assert client.get(f"/api/runs/{name}/files").status_code == 404
    for part, body in (("title", {"title": "x"}), ("bin", {})):
        assert client.post(f"/api/runs/{name}/{part}", json=body).status_code in (403, 404)
    assert {run.id for run in td.list_runs(folder)} == {"one", "two", "bad"}


def test_links_are_not_read(client, folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    td.solve(td.load_game("kuhn"), "cfr", iterations=1, checkpoint=outside / "run")
    (folder / "link").symlink_to(outside / "run")
    assert client.get("/api/runs/link/files").status_code == 404
    assert client.get("/api/solve/curves?ids=link").status_code in (400, 404)


AMBIGUOUS = ["new:kuhn", "uniform:kuhn", "new:", "pushfold:10", "one,two"]


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_names_that_mean_something_else_are_refused(name, client, folder):
    """A run never opens as a strategy that is made on demand, or as two runs; it is listed damaged."""
    td.solve(td.load_game("leduc"), "cfr", iterations=1, checkpoint=folder / name)
    listed = {run["id"]: run for run in client.get("/api/runs").json()["runs"]}[name]
    assert listed["status"] == "damaged" and listed["error"] and not listed["explored"]
    part = quote(name, safe="")
    assert client.get(f"/api/runs/{part}/files").status_code == 404
    assert client.post(f"/api/solve/{part}/resume", json={}).status_code == 404
    form, about = client.get(f"/api/forms/{part}"), client.get(f"/api/explore/{part}")
    assert form.status_code >= 400 or form.json() == {"representation": "tree"}
    assert about.status_code >= 400 or about.json()["game"] == "kuhn"  # the strategy that is made on demand
    setup = {"game": "leduc", "parameters": {}, "opponents": [f"run:{name}"]}
    assert client.post("/api/tables", json=setup).status_code == 404
    assert {run["id"] for run in client.get("/api/solve/runs?ids=one,two").json()} == {"one", "two"}
    assert name not in {run["id"] for run in client.post(f"/api/runs/{part}/bin", json={}).json()["runs"]}
    assert not (folder / name).exists() and len(client.get("/api/runs").json()["runs"]) == 3


@pytest.mark.parametrize(
    "name", ["2026-11-26T10:00", "old:kuhn", "new", "news:kuhn", "私の　実験", "a~b", "a?b#c&d=e", "a\nb"]
)
def test_other_names_are_those_of_runs(name, client, folder):
    td.solve(td.load_game("kuhn"), "cfr", iterations=1, checkpoint=folder / name)
    listed = {run["id"]: run for run in client.get("/api/runs").json()["runs"]}[name]
    part = quote(name, safe="")
    assert listed["status"] == "finished" and client.get(f"/api/explore/{part}").json()["iterations"] == 1
    assert client.get(f"/api/forms/{part}").json() == {"representation": "tree"}
    assert client.get(f"/api/solve/runs?ids={part}").json()[0]["id"] == name


@needs_linux
def test_a_name_that_is_no_text_hides_no_other_run(client, folder):
    """Names of files are bytes; the page shows such a run beside one with the name that is shown."""
    for name in (b"a\xff", b"a?"):
        td.solve(td.load_game("kuhn"), "cfr", iterations=1, checkpoint=folder / os.fsdecode(name))
    names = [run["id"] for run in client.get("/api/runs").json()["runs"]]
    assert {"a?", "a?/", "one", "two"} < set(names)
    assert client.post("/api/runs/a%3F%2F/bin", json={}).status_code == 404
