"""Own games of ``tefuda web --game`` on the page; a request loads no others."""

import json
import time

import pytest
from starlette.testclient import TestClient

from tefuda.apps.web.application import make_application
from tefuda.apps.web.guard import Gate
from tefuda.apps.web.own_games import register
from tefuda.apps.web.workspace import Workspace
from tefuda.errors import ParameterError
from tests.apps.web.conftest import PORT, SECRET

SMUGGLER = '''
import pathlib
import tefuda as td

with open(pathlib.Path(__file__).parent / "loaded", "a") as file:
    file.write("x")


class Smuggler:
    """A smuggler has some days to carry goods; an inspector may check on one."""

    name, players, constant_sum = "smuggler", 2, 0

    def __init__(self, days: int = 3):
        self.days, self.parameters = days, {"days": days}

    def root(self):
        return ()

    def player(self, moves):
        day_over = len(moves) % 2 == 0
        ended = day_over and ("smuggle" in moves or len(moves) == 2 * self.days)
        return td.TERMINAL if ended else len(moves) % 2

    def actions(self, moves):
        if len(moves) % 2 == 0:
            return ("wait", "smuggle")
        return ("rest",) if "check" in moves else ("rest", "check")

    def chances(self, moves):
        return ()

    def child(self, moves, action):
        return (*moves, action)

    def payoffs(self, moves):
        gain = 0 if "smuggle" not in moves else -1 if moves[-1] == "check" else 1
        return (gain, -gain)

    def view(self, moves, player):
        return " ".join(moves[: len(moves) // 2 * 2]) or "first day"


class Forgetful(Smuggler):
    name = "forgetful"

    def __init__(self, days: int = 3):
        self.days = days


class Kuhn(Smuggler):
    name = "kuhn"
'''


@pytest.fixture
def file(tmp_path):
    """The file of the games; they are forgotten after the test."""
    path = tmp_path / "rules" / "smuggler.py"
    path.parent.mkdir()
    path.write_text(SMUGGLER)
    yield path
    register(())


@pytest.fixture
def client(tmp_path):
    """A client of a server of its own."""
    workspace = Workspace(tmp_path / "served")
    gate = Gate(PORT, SECRET)
    headers = {"Cookie": f"{gate.cookie}={SECRET}"}
    with TestClient(make_application(workspace, gate), f"http://127.0.0.1:{PORT}", headers=headers) as client:
        yield client


def solved(client, plan):
    """The state of a run, once it has ended."""
    answer = client.post("/api/solve", json=plan)
    assert answer.status_code == 200, answer.text
    (run,) = answer.json()["runs"]
    for _ in range(600):
        (state,) = client.get("/api/solve/runs", params={"ids": run}).json()
        if state["status"] not in ("waiting", "building", "running"):
            return state
        time.sleep(0.1)
    raise AssertionError(state)


def test_an_own_game_is_solved_explored_and_played(client, file):
    register([f"{file}:Smuggler"])
    games = {game["name"]: game for game in client.get("/api/solve/games").json()}
    own = games["own:Smuggler"]
    assert own["about"].startswith("A smuggler") and own["parameters"][0]["name"] == "days"
    size = client.get("/api/solve/size", params={"game": "own:Smuggler", "parameters": '{"days": 2}'}).json()
    assert size["parameters"] == {"days": 2}
    plan = {"game": "own:Smuggler", "parameters": {"days": 2}, "methods": ["cfr+"], "iterations": 50}
    run = solved(client, plan)
    assert run["status"] == "finished" and run["explored"] and run["game_id"] == "own:Smuggler"
    assert run["game"] == "smuggler" and run["game_parameters"] == {"days": 2}
    about = client.get(f"/api/explore/{run['id']}").json()
    assert about["rules"] == "own:Smuggler;days=2" and about["players"] == 2
    assert client.get("/api/explore/new:own:Smuggler;days=2").json()["histories"] == about["histories"]
    assert client.get(f"/api/solve/{run['id']}/files/strategy.csv").status_code == 200
    chosen = client.get("/api/play", params={"game": "own:Smuggler"}).json()
    assert chosen["chosen"] == "own:Smuggler"
    body = {"game": "own:Smuggler", "parameters": {"days": 2}, "opponents": [f"run:{run['id']}"]}
    table = client.post("/api/tables", json=body)
    assert table.status_code == 200, table.text
    assert client.get("/api/tables").json()["tables"][0]["id"] == table.json()["id"]
    resumed = client.post(f"/api/solve/{run['id']}/resume", json={"iterations": 80})
    assert resumed.status_code == 200


def test_a_request_loads_no_file(client, file):
    """Names of files and modules are refused before anything is imported."""
    register([f"{file}:Smuggler"])
    loaded = file.parent / "loaded"
    other = file.parent / "other.py"
    other.write_text(SMUGGLER.replace('"loaded"', '"other loaded"'))
    names = (f"{other}:Smuggler", f"{file}:Smuggler", f"{file}:Forgetful", "own:Forgetful", f"own:{other}:Smuggler",
             "own:", "other:Smuggler", "os:system", "own:Smuggler:Smuggler", f"{file}")  # fmt: skip
    for name in names:
        plan = {"game": name, "parameters": {}, "methods": ["cfr+"], "iterations": 1}
        table = {"game": name, "parameters": {}, "opponents": ["uniform"]}
        answers = [
            client.post("/api/solve", json=plan), client.post("/api/tables", json=table),
            client.get("/api/solve/size", params={"game": name}), client.get(f"/api/explore/new:{name}"),
            client.get("/api/play/opponents", params={"game": name}), client.get("/api/step", params={"game": name}),
            client.get("/api/exploit/options", params={"game": name}),
        ]  # fmt: skip
        assert {answer.status_code for answer in answers} <= {400, 404}, (name, [a.text for a in answers])
    assert loaded.read_text() == "x" and not (file.parent / "other loaded").exists()


def test_a_run_of_a_game_that_is_not_given_is_not_explored(client, file):
    register([f"{file}:Smuggler"])
    run = solved(client, {"game": "own:Smuggler", "parameters": {}, "methods": ["cfr+"], "iterations": 5})
    register(())
    plain = client.get("/api/solve/runs", params={"ids": run["id"]}).json()[0]
    assert plain["game_id"] is None and not plain["explored"]
    assert client.get(f"/api/explore/{run['id']}").status_code == 400
    assert client.get("/api/solve/size", params={"game": "own:Smuggler"}).status_code == 400


def test_lost_parameters_are_refused(client, file):
    """A game that forgets its parameters would be solved with others after a restart."""
    register([f"{file}:Forgetful"])
    plan = {"game": "own:Forgetful", "parameters": {"days": 2}, "methods": ["cfr+"], "iterations": 5}
    answer = client.post("/api/solve", json=plan)
    assert answer.status_code == 400 and "self.parameters" in answer.json()["error"]


@pytest.mark.parametrize("names", [("kuhn",), ("smuggler.py",), ("{file}:Nothing",), ("{file}:Kuhn",),
                                   ("{file}:Smuggler", "{file}:Smuggler"), ("/nowhere.py:Game",)])  # fmt: skip
def test_the_server_refuses_games_that_it_cannot_name(names, file):
    with pytest.raises((ParameterError, LookupError, ValueError)):
        register([name.format(file=file) for name in names])


def test_ids_are_plain_json(client, file):
    register([f"{file}:Smuggler"])
    assert str(file.parent) not in json.dumps(client.get("/api/solve/games").json())
