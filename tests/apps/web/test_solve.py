"""Solving on the page: sizes before anything is built, runs with live curves, pause and resume."""

import csv
import json
from xml.etree import ElementTree

import numpy as np
import pytest

import tefuda as td
from tefuda.apps.web.guard import HEADERS
from tefuda.apps.web.plans import PAGE_GAMES, page_job, sizes
from tefuda.apps.web.solves import solves_of
from tefuda.files import read_json, write_json
from tefuda.solvers.runs.run import PLAN_FILE, holds_run
from tests.processes import PATIENCE, wait_until

ENDED = ("finished", "interrupted", "failed", "cancelled")
SPOT = {"board": "2c 2d 2h 3c 3d", "pot": 100, "stack": 100, "oop": "AA,QQ", "ip": "KK", "bets": "a", "raises": "a"}


def plan(seed=0, **parameters):
    """The file of a plan of CFR on Kuhn poker that has not begun."""
    return page_job(td.load_game("kuhn", **parameters), "cfr", td.Goal(iterations=20), seed=seed).to_json()


def begin(client, game="kuhn", methods=("cfr+",), parameters=None, **more):
    answer = client.post("/api/solve", json={"game": game, "parameters": parameters or {}, "methods": methods, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()["runs"]


def state(client, run):
    return client.get("/api/solve/runs", params={"ids": run}).json()[0]


def ended(client, workspace, run):
    """The state of a run after its job has ended."""
    job = workspace.jobs.find(run)
    assert job.ended.wait(PATIENCE)
    return state(client, run)


def running(client, run, points=1):
    wait_until(lambda: len(state(client, run)["curve"]) >= points)


def test_every_game_says_its_parameters_and_sizes(client):
    games = client.get("/api/solve/games").json()
    assert [game["name"] for game in games] == list(PAGE_GAMES)
    kuhn = next(game for game in games if game["name"] == "kuhn")
    assert [(p["name"], p["kind"], p["default"]) for p in kuhn["parameters"]] == [
        ("players", "whole", 2),
        ("cards", "whole", 0),
    ]
    assert all(game["about"] for game in games) and all(p["meaning"] for p in kuhn["parameters"])


def test_sizes_are_counted_before_anything_is_built(client):
    size = client.get('/api/solve/size?game=leduc&parameters={"players": 2}').json()
    assert size["players"] == 2 and size["parameters"]["ranks"] == 3
    assert [form["form"] for form in size["forms"]] == ["tree", "rules"]
    tree = size["forms"][0]
    assert tree["size"]["histories"] == 1936 and tree["size"]["error"] is None
    assert tree["default"] == "ema" and "cfr+" in tree["methods"] and not tree["error"]


def test_forms_of_holdem():
    assert [form["form"] for form in sizes(td.load_game("spot"), {})] == ["hands"]
    assert [form["form"] for form in sizes(td.load_game("holdem", limit=True), {})] == ["buckets"]
    assert "error" in sizes(td.load_game("holdem", limit=True), {"counts": [169, 900, 900, 900]})[0]


def test_sizes_of_holdem_are_those_of_the_forms():
    spot = td.load_game("spot")
    (size,) = sizes(spot, {})
    assert 1e6 * size["size"]["megabytes"] == 8 * td.make_solver(spot.spot).form.stored
    fields = {"counts": [169, 5, 5, 5], "textures": [1, 1]}
    (size,) = sizes(td.load_game("holdem", limit=True), fields)
    assert 1e6 * size["size"]["megabytes"] == 8 * size["size"]["rows"]


def test_a_game_of_a_billion_histories_is_refused_in_words(client, workspace):
    size = client.get("/api/solve/size", params={"game": "goofspiel", "parameters": '{"cards": 9}'}).json()
    assert "histories" in size["forms"][0]["error"]
    for game, given in (("goofspiel", {"cards": 9}), ("liars_dice", {"dice": 5}), ("leduc", {"players": 5, "cap": 4})):
        answer = client.post("/api/solve", json={"game": game, "parameters": given, "methods": ["cfr"]})
        assert "external, outcome, oos" in answer.json()["error"]
        assert answer.status_code == 400 and "histories" in answer.json()["error"], game
    assert not list(workspace.folder.glob("*-1"))


@pytest.mark.parametrize("method", ["", "outcome"])
def test_a_large_game_is_sampled_without_a_word(client, workspace, method):
    """The library chooses rules without a tree, and the curve is a lower bound of exploitability."""
    (run,) = begin(client, "liars_dice", [method], {"dice": 3}, iterations=3)
    found = ended(client, workspace, run)
    assert (found["status"], found["form"], found["method"]) == ("finished", "rules", method or "external")
    assert found["evaluator"]["title"] == td.ExploitabilityBound.title and found["curve"][-1][2] >= 0
    assert "too large" in td.load(workspace.folder / run).form.reason
    client.post(f"/api/solve/{run}/resume", json={"iterations": 4})
    assert ended(client, workspace, run)["iterations"] == 4


@pytest.mark.parametrize(
    "change",
    [
        {"game": "efg", "parameters": {"path": "/etc/passwd"}},
        {"game": "tests/data/user_program.py:Game"},
        {"parameters": {"players": 99}},
        {"parameters": {"colour": "red"}},
        {"methods": []},
        {"methods": ["magic"]},
        {"methods": [1]},
        {"methods": ["nfsp"] * 8},
        {"form": "buckets"},
        {"iterations": 0},
        {"seconds": "long"},
        {"seed": -1},
        {"evaluator": "against:/etc/passwd"},
        {"fields": []},
        {"unknown": 1},
    ],
)
def test_invalid_requests_are_refused(client, workspace, change):
    body = {"game": "kuhn", "parameters": {}, "methods": ["cfr"], **change}
    assert client.post("/api/solve", json=body).status_code == 400
    assert not workspace.jobs.active()


def test_kuhn_is_solved(client, workspace):
    (run,) = begin(client, until=1e-4, seed=3)
    found = ended(client, workspace, run)
    assert found["status"] == "finished" and found["seed"] == 3 and found["goal"]["until"] == 1e-4
    assert found["values"][0] == pytest.approx(-1 / 18, abs=1e-4)
    assert found["curve"][-1][2] <= 1e-4 and found["evaluator"]["title"] == "NashConv"
    solution = td.load(workspace.folder / run)
    assert solution.iterations == found["iterations"] and solution.nash_conv == pytest.approx(found["curve"][-1][2])


def test_methods_are_compared(client, workspace):
    runs = begin(client, methods=["cfr", "cfr+"], iterations=100)
    found = [ended(client, workspace, run) for run in runs]
    assert [run["method"] for run in found] == ["cfr", "cfr+"]
    assert found[1]["curve"][-1][2] < found[0]["curve"][-1][2]
    both = client.get("/api/solve/runs", params={"ids": ",".join(runs)}).json()
    assert [run["id"] for run in both] == runs


def test_solves_of_one_method_are_separate_runs(client, workspace):
    runs = [*begin(client, iterations=10), *begin(client, iterations=20)]
    assert [ended(client, workspace, run)["iterations"] for run in runs] == [10, 20]


def test_a_paused_run_resumes_with_the_same_bits(client, workspace):
    (run,) = begin(client, "leduc", iterations=60_000)
    running(client, run, points=3)
    client.post(f"/api/solve/{run}/pause", json={})
    paused = ended(client, workspace, run)
    assert paused["status"] == "interrupted" and 0 < paused["iterations"] < 60_000
    client.post(f"/api/solve/{run}/resume", json={"iterations": paused["iterations"] + 1000})
    found = ended(client, workspace, run)
    assert found["status"] == "finished" and found["iterations"] == paused["iterations"] + 1000
    whole = td.solve(td.load_game("leduc"), "cfr+", iterations=found["iterations"])
    assert np.array_equal(td.load(workspace.folder / run).strategy.probabilities, whole.strategy.probabilities)


def test_a_stopped_run_is_not_finished(client, workspace):
    """It is stopped on its page, in the list of runs and in Python; resumed to its goal, finished."""
    (run,) = begin(client, "leduc", iterations=10**9)
    running(client, run)
    client.post(f"/api/solve/{run}/stop", json={})
    found = ended(client, workspace, run)
    assert found["status"] == "stopped" and found["stop"] and found["iterations"] < 10**9
    assert [entry.status for entry in td.list_runs(workspace.folder)] == ["stopped"]
    (listed,) = client.get("/api/runs").json()["runs"]
    assert listed["status"] == td.load(workspace.folder / run).status == "stopped"
    client.post(f"/api/solve/{run}/resume", json={"iterations": found["iterations"] + 10})
    assert ended(client, workspace, run)["status"] == "finished"


def test_waiting_runs_are_cancelled(client, workspace):
    most = len(begin(client, "leduc", ["cfr", "cfr+", "dcfr", "lcfr"][: workspace.jobs._most], iterations=10**9))
    (waiting,) = begin(client, iterations=10)
    assert len(workspace.jobs.active()) == most + 1 and state(client, waiting)["status"] == "waiting"
    client.post(f"/api/solve/{waiting}/pause", json={})
    assert state(client, waiting)["status"] == "cancelled"


@pytest.mark.parametrize(
    "game, parameters, more",
    [
        ("kuhn", {"players": 3}, {}),
        ("leduc", {}, {"form": "rules", "evaluator": "against:random"}),
        ("kuhn", {}, {"form": "rules"}),
        ("spot", SPOT, {}),
        ("mini8", {}, {}),
    ],
)
def test_every_form_is_solved_and_resumed(client, workspace, game, parameters, more):
    (run,) = begin(client, game, [""], parameters, iterations=20, **more)
    found = ended(client, workspace, run)
    assert (found["status"], found["error"]) == ("finished", "") and found["curve"][-1][0] == 20
    client.post(f"/api/solve/{run}/resume", json={"iterations": 30})
    found = ended(client, workspace, run)
    assert (found["status"], found["iterations"], found["error"]) == ("finished", 30, "")


def test_runs_come_back_after_the_server_was_killed(client, workspace):
    """A run whose process is gone is interrupted, whatever its file says, and can be resumed."""
    td.solve(td.load_game("kuhn"), "cfr", iterations=10, checkpoint=workspace.folder / "old", interrupted=lambda: True)
    path = workspace.folder / "old" / "run.json"
    write_json(path, {**read_json(path), "status": "running"})
    assert state(client, "old")["status"] == "interrupted"
    client.post("/api/solve/old/resume", json={})
    assert ended(client, workspace, "old")["status"] == "finished"


def test_solves_that_were_not_begun_are_started_by_the_next_server(client, workspace):
    """A server that was killed leaves the plan of a solve that has saved nothing."""
    (workspace.folder / "kuhn-cfr-1").mkdir()
    write_json(workspace.folder / "kuhn-cfr-1" / PLAN_FILE, plan(seed=7, players=3))
    (workspace.folder / "damaged").mkdir()
    (workspace.folder / "damaged" / PLAN_FILE).write_text("{}")
    assert state(client, "kuhn-cfr-1")["seed"] == 7
    found = ended(client, workspace, "kuhn-cfr-1")
    assert (found["status"], found["iterations"], found["game_parameters"]["players"]) == ("finished", 20, 3)
    assert not (workspace.folder / "kuhn-cfr-1" / PLAN_FILE).exists()
    assert client.get("/api/solve/runs", params={"ids": "damaged"}).status_code == 404


def test_plans_are_not_read_through_links(client, workspace, tmp_path_factory):
    """A linked folder or plan starts nothing, and nothing is written where it leads."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "run").mkdir()
    write_json(outside / "run" / PLAN_FILE, plan())
    (workspace.folder / "linked").symlink_to(outside / "run")
    (workspace.folder / "own").mkdir()
    (workspace.folder / "own" / PLAN_FILE).symlink_to(outside / "run" / PLAN_FILE)
    for run in ("linked", "own"):
        assert client.get("/api/solve/runs", params={"ids": run}).status_code == 404
        assert client.post(f"/api/solve/{run}/resume", json={}).status_code == 404
    assert workspace.jobs.active() == () and [path.name for path in (outside / "run").iterdir()] == [PLAN_FILE]


FORGED = {
    "game": [None, 5, [], "none", "efg"],
    "game_parameters": [5, [], {"players": "x"}, {"none": 1}],
    "form": [None, 5, [], {}, {"representation": None}, {"representation": "none"}, {"representation": "partition"}],
    "method_parameters": [None, 5, [], {}, {"name": None}, {"name": "none"}],
    "goal": [None, 5, [], {"iterations": "x"}, {"iterations": []}, {"until": "x"}, {"none": 1}, {"seconds": -1}],
    "seed": [None, "x", -1, 1.5, 2**70],
    "evaluator": [5, [], {}, {"name": 5}, {"name": "nothing"}, {"name": "against", "agent": "/etc/passwd"}],
}


def test_forged_plans_start_nothing(client, workspace):
    """A plan with a valid checksum and wrong values keeps no other page from working."""
    for name, values in FORGED.items():
        for number, value in enumerate(values):
            for game, more in (("kuhn", {}), ("holdem", {"game_parameters": {"limit": True}})):
                (workspace.folder / f"{game}-{name}-{number}").mkdir()
                path = workspace.folder / f"{game}-{name}-{number}" / PLAN_FILE
                write_json(path, plan() | {"game": game} | more | {name: value})
    assert client.get("/api/solve/runs", params={"ids": "kuhn-seed-0"}).status_code == 404
    assert workspace.jobs.active() == ()


def test_a_waiting_run_can_be_resumed_after_a_restart(client, workspace):
    """It has no files but its plan; resuming it changes nothing, and a new goal is refused until it runs."""
    (workspace.folder / "waiting").mkdir()
    write_json(workspace.folder / "waiting" / PLAN_FILE, plan())
    workspace.jobs._most = 0
    assert client.post("/api/solve/waiting/resume", json={}).status_code == 200
    assert state(client, "waiting")["status"] == "waiting"
    assert client.post("/api/solve/waiting/resume", json={"iterations": 30}).status_code == 400
    assert client.post("/api/solve/waiting/resume", json={}).status_code == 200 and len(workspace.jobs.active()) == 1
    workspace.jobs._most = 1
    workspace.jobs._fill()
    assert ended(client, workspace, "waiting")["iterations"] == 20
    client.post("/api/solve/waiting/resume", json={"iterations": 30})
    assert ended(client, workspace, "waiting")["iterations"] == 30


def test_a_run_that_cannot_be_resumed_keeps_its_state(client, workspace):
    """A full queue refuses it; the page shows it as it was."""
    td.solve(td.load_game("kuhn"), "cfr", iterations=10, checkpoint=workspace.folder / "old")
    workspace.jobs._most, workspace.jobs._queue = 0, 1
    begin(client, iterations=10)
    assert client.post("/api/solve/old/resume", json={"iterations": 20}).status_code == 400
    assert state(client, "old")["status"] == "finished"


def test_a_cancelled_run_is_gone(client, workspace):
    workspace.jobs._most = 0
    (run,) = begin(client, iterations=10)
    client.post(f"/api/solve/{run}/pause", json={})
    assert client.post(f"/api/solve/{run}/resume", json={}).status_code == 404


def test_a_server_that_ends_leaves_the_plans_of_its_solves(client, workspace):
    (run,) = begin(client, iterations=10**9, seconds=100)
    workspace.jobs.close(patience=0)
    assert holds_run(workspace.folder / run) or (workspace.folder / run / PLAN_FILE).exists()


def test_files_of_a_run(client, workspace):
    solution = td.solve(td.load_game("kuhn"), "cfr+", iterations=50, checkpoint=workspace.folder / "kuhn")

    def saved(name):
        answer = client.get(f"/api/solve/kuhn/files/{name}")
        assert answer.status_code == 200 and answer.headers["content-disposition"].startswith("attachment")
        return answer

    rows = list(csv.DictReader(saved("curve.csv").text.splitlines()))
    assert [float(row["nash_conv"]) for row in rows] == [point.nash_conv for point in solution.curve]
    assert saved("run.json").json()["curve"] == state(client, "kuhn")["curve"]
    rows = list(csv.DictReader(saved("strategy.csv").text.splitlines()))
    assert [float(row["probability"]) for row in rows] == solution.strategy.probabilities.tolist()
    assert ElementTree.fromstring(saved("curve.svg").text).tag == "{http://www.w3.org/2000/svg}svg"
    assert saved("profile.npz").content == (workspace.folder / "kuhn" / "profile.npz").read_bytes()
    for name in ("checkpoint.npz", "..%2frun.json", "none"):
        assert client.get(f"/api/solve/kuhn/files/{name}").status_code == 404


def test_unknown_runs(client):
    for run in ("none", "..", "%2e%2e", "a" * 500):
        assert client.get(f"/api/solve/runs?ids={run}").status_code == 404
        assert client.post(f"/api/solve/{run}/resume", json={}).status_code == 404


def test_events_follow_a_run(client, workspace):
    """Versions rise from the first event to the last; the chart has the points of the curve."""
    (run,) = begin(client, "leduc", iterations=3000)
    ended(client, workspace, run)
    events = [json.loads(text) for _, text in solves_of(workspace).channel.after(0)]
    assert [event["version"] for event in events] == sorted(event["version"] for event in events)
    assert events[0]["status"] == "waiting" and events[-1]["status"] == "finished"
    curve = state(client, run)["curve"]
    for over, column in (("iterations", 0), ("seconds", 1)):
        (line,) = client.get("/api/solve/curves", params={"ids": run, "over": over}).json()["lines"]
        assert line["points"] == [[point[column], point[2]] for point in curve]


def test_failures_are_shown(client, workspace):
    """The memory limit of a sampler ends its run with the reason."""
    (run,) = begin(client, "kuhn", ["cfr+"], iterations=10)
    ended(client, workspace, run)
    (workspace.folder / run / "checkpoint.npz").write_bytes(b"damaged")
    client.post(f"/api/solve/{run}/resume", json={"iterations": 20})
    found = ended(client, workspace, run)
    assert found["status"] == "failed" and "checkpoint" in found["error"]


def test_an_open_stream_has_the_headers_of_every_answer(client, workspace):
    channel = solves_of(workspace).channel
    channel.publish({"run": "kuhn-cfr-1"})
    channel.close()
    answer = client.get("/api/solve/events")
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/event-stream")
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS and answer.headers["cache-control"] == "no-store"
    assert client.get("/api/solve/events", params={"after": 1}).status_code == 204
