"""Tables of the page: moves in order, versions, restarts, learners, coaches, the end of a session."""

import json
import threading
from types import SimpleNamespace

import pytest

import tefuda as td
from tefuda.apps.web import tables
from tefuda.apps.web.messages.message import message_json
from tefuda.apps.web.messages.play import table_message
from tefuda.apps.web.players import tables_of
from tefuda.apps.web.workspace import Workspace
from tefuda.playing.review import Reviewer
from tefuda.playing.session import read_session

KUHN = {"game": "kuhn", "parameters": {}, "opponents": ["equilibrium"]}


def sit(client, **setup):
    """Return the first state of a new table."""
    answer = client.post("/api/tables", json={**KUHN, **setup})
    assert answer.status_code == 200, answer.text
    return answer.json()


def send(client, state, what, **fields):
    return client.post(f"/api/tables/{state['id']}/{what}", json={"version": state["version"], **fields})


def played(client, state, hands, choose=lambda actions: actions[0]["index"]):
    """Return the state after some more finished hands."""
    first = state["hand"]
    while state["hand"] < first + hands:
        if state["actions"]:
            state = send(client, state, "act", action=choose(state["actions"])).json()
        else:
            state = send(client, state, "next").json()
    return state


@pytest.mark.parametrize(
    "setup",
    [
        {},
        {"game": "leduc", "opponents": ["tilted"]},
        {"game": "leduc", "parameters": {"players": 3}, "opponents": ["uniform"]},
        {"game": "liars_dice", "parameters": {"sides": 3}, "opponents": ["search"]},
        {"game": "holdem", "opponents": ["caller"]},
        {"game": "spot", "opponents": ["solution"], "mode": "after"},
        {"game": "goofspiel", "opponents": ["random"]},
        {"game": "rps", "opponents": ["random"]},
        {"game": "battleship", "opponents": ["random"]},
        {"game": "sheriff", "opponents": ["random"]},
        {"game": "bargaining", "opponents": ["random"]},
        {"game": "tiny_bridge", "opponents": ["random"]},
        {"game": "rhode_island", "opponents": ["random"]},
        {"game": "royal_holdem", "opponents": ["random"]},
        {"game": "mini8", "opponents": ["greedy"]},
    ],
    ids=lambda setup: setup.get("game", "kuhn"),
)
def test_every_kind_of_game_can_be_played(client, setup):
    state = played(client, sit(client, **setup), 2)
    totals = state["statistics"]["own"]
    assert 2 <= totals["hands"] <= 3 and state["hand"] == 2
    assert state["picture"]["hidden"] or state["text"]


def test_a_move_must_quote_the_version(client):
    """A second click, another tab and a replayed request get the present state; no second move is made."""
    state = sit(client)
    first = send(client, state, "act", action=0)
    again = send(client, state, "act", action=0)
    assert first.status_code == 200 and again.status_code == 409
    assert again.json()["state"] == first.json() == client.get(f"/api/tables/{state['id']}").json()
    for what in ("next", "hint", "leave"):
        assert send(client, state, what).status_code == 409


def test_simultaneous_clicks_make_one_move(client):
    """One of ten equal requests at once is accepted."""
    state, answers = sit(client), []
    clicks = [
        threading.Thread(target=lambda: answers.append(send(client, state, "act", action=0).status_code))
        for _ in range(10)
    ]
    for click in clicks:
        click.start()
    for click in clicks:
        click.join()
    assert sorted(answers) == [200] + [409] * 9


def test_tables_come_back_after_a_restart(client, workspace):
    """At every state a server with the same folder gives the same message, and plays the same hands."""
    state = sit(client, game="leduc", opponents=["equilibrium"], mode="after")
    for _ in range(12):
        workspace.close()
        other = tables_of(Workspace(workspace.folder)).find(state["id"])
        known = json.loads(json.dumps(message_json(table_message(other))))
        assert {**known, "advice": None} == {**state, "advice": None}
        workspace._parts.clear()
        again = client.get(f"/api/tables/{state['id']}").json()
        what = {"what": "act", "action": again["actions"][-1]["index"]} if again["actions"] else {"what": "next"}
        state = send(client, again, **what).json()
    assert state["hand"] > 1


def test_only_recent_tables_stay_in_memory_and_all_on_disk(client, workspace):
    states = [sit(client) for _ in range(70)]
    tables = tables_of(workspace)
    assert len(tables._open) == 64 and len(tables.names()) == 70
    for state in states[:3]:
        assert client.get(f"/api/tables/{state['id']}").json() == state


def test_agents_are_made_once_and_learners_are_copied(client, workspace):
    first, second = (sit(client, game="kuhn", opponents=["exploiter"]) for _ in range(2))
    tables = [tables_of(workspace).find(state["id"]) for state in (first, second)]
    assert tables[0].players.opponents[0] is tables[1].players.opponents[0]
    learners = [agent for table in tables for seat in table.session.others for agent in seat]
    assert len({id(agent) for agent in learners}) == 4
    fixed = [tables_of(workspace).find(sit(client)["id"]).session.others[0][0] for _ in range(2)]
    assert fixed[0] is fixed[1]


def test_costs_and_hints(client):
    """The coach reports costs after each decision; a hint marks the hand as helped."""
    state = sit(client, game="leduc", opponents=["equilibrium"], mode="after")
    state = send(client, state, "hint").json()
    assert state["helped"] and state["advice"]["hint"] and state["advice"]["chosen"] is None
    assert sum(action["share"] for action in state["advice"]["actions"]) == pytest.approx(1)
    state = send(client, state, "act", action=state["actions"][0]["index"]).json()
    assert state["advice"]["cost"] >= 0 and not state["advice"]["hint"]
    state = played(client, sit(client, game="leduc", opponents=["equilibrium"], mode="after"), 20)
    totals = state["statistics"]["own"]
    assert totals["decisions"] >= 20 and totals["cost"] >= 0 and state["statistics"]["helped"]["hands"] == 0
    assert totals["aivat"]["low"] < totals["aivat"]["mean"] < totals["aivat"]["high"]
    reviews = [client.get(f"/api/tables/{state['id']}/hands/{hand}").json() for hand in range(totals["hands"])]
    costs = {
        (hand, place): entry["advice"]["cost"]
        for hand, review in enumerate(reviews)
        for place, entry in enumerate(review["decisions"])
        if entry["advice"]["verdict"] != "fine"
    }
    dearest = totals["dearest"]
    assert len(costs) == totals["mistakes"] > 1
    assert costs[dearest["hand"], dearest["decision"]] == dearest["cost"] == max(costs.values())
    silent = sit(client)
    assert send(client, silent, "hint").status_code == 400


def test_statistics_and_reviews_are_made_when_a_hand_ends(client, monkeypatch):
    """A message computes neither; a table that is read from its file has both."""
    state = played(client, sit(client, mode="after"), 3)
    monkeypatch.setattr(Reviewer, "review", None)
    assert client.get(f"/api/tables/{state['id']}").json() == state
    assert client.get(f"/api/tables/{state['id']}/hands/0").status_code == 200


def test_seed_and_file_are_given_when_the_session_is_over(client, workspace, tmp_path):
    state = played(client, sit(client), 2)
    assert state["seed"] is None and client.get(f"/api/tables/{state['id']}/file").status_code == 404
    state = send(client, state, "leave").json()
    path = tmp_path / "saved.json"
    workspace.close()
    content = client.get(f"/api/tables/{state['id']}/file").json()
    saved = read_session(tables_of(workspace).folder / f"{state['id']}.json")
    assert state["closed"] and state["actions"] == [] and str(saved.seed) == state["seed"]
    assert content["hands"] == json.loads(json.dumps(saved.hands)) and not path.exists()


def test_amounts_are_bet_by_number(client):
    """If a game lists many amounts, the page gets their range, and an amount is an action."""
    state = sit(client, game="holdem", parameters={"bets": "any"}, opponents=["caller"])
    while state["amounts"] is None:
        state = send(client, state, "act", action=state["actions"][0]["index"]).json()
    low, high = state["amounts"]["low"], state["amounts"]["high"]
    assert all(low <= part["amount"] <= high for part in state["amounts"]["fractions"])
    assert send(client, state, "act", amount=low - 1).status_code == 400
    after = send(client, state, "act", amount=low + 1).json()
    mine = [event for event in after["picture"]["events"] if event["amount"] == low + 1]
    assert mine and after["version"] == state["version"] + 1


@pytest.mark.parametrize(
    "changes",
    [
        {"game": "nothing"},
        {"game": "/etc/passwd"},
        {"game": "tests/x.py:Game"},
        {"game": "efg"},
        {"parameters": {"players": 99}},
        {"parameters": {"<img src=x>": 1}},
        {"opponents": ["human"]},
        {"opponents": ["../runs"]},
        {"opponents": [5]},
        {"opponents": ["equilibrium"] * 5},
        {"mode": "always"},
        {"hands": -1},
        {"other": 1},
    ],
    ids=str,
)
def test_unfit_setups_are_refused(client, changes):
    answer = client.post("/api/tables", json={**KUHN, **changes})
    assert answer.status_code == 400 and answer.json()["error"]


def test_names_of_tables_are_never_paths(client):
    assert client.post("/api/tables", json={**KUHN, "opponents": ["run:../x"]}).status_code == 404
    for name in ("..", "x", "0" * 31, "0" * 32, "%2e%2e%2f", "0" * 5000):
        assert client.get(f"/api/tables/{name}").status_code == 404


def test_the_list_of_tables_reads_files_alone(client, workspace):
    """No agents are made for the list; it has the results of each table."""
    state = played(client, sit(client, game="liars_dice", opponents=["tilted"], parameters={"sides": 3}), 3)
    listed = client.get("/api/tables").json()["tables"]
    workspace._parts.clear()
    workspace.values = None
    assert client.get("/api/tables").json()["tables"] == listed
    (only,) = listed
    assert (only["id"], only["hands"], only["won"]) == (state["id"], 3, state["statistics"]["own"]["won"])


def test_searching_agents_answer_after_whole_ticks(client, monkeypatch):
    """The time of an answer is a multiple of a quarter of a second, whatever the search took."""
    clock, slept = [0.0], []

    def sleep(seconds):
        slept.append(seconds)
        clock[0] += seconds

    def monotonic():
        clock[0] += 0.17
        return clock[0]

    state = sit(client, opponents=["search"])
    monkeypatch.setattr(tables, "time", SimpleNamespace(monotonic=monotonic, sleep=sleep))
    send(client, state, "act", action=0)
    send(client, sit(client), "act", action=0)
    assert slept == [pytest.approx(0.08)]


def test_damaged_tables_are_named(client, workspace):
    state = sit(client)
    workspace.close()
    workspace._parts.clear()
    path = workspace.own_folder / "tables" / f"{state['id']}.json"
    path.write_text(path.read_text().replace('"kuhn"', '"leduc"'))
    assert client.get("/api/tables").json()["tables"] == [{"id": state["id"], "damaged": True}]
    assert client.get(f"/api/tables/{state['id']}").status_code == 400


def test_the_page_play_lists_games_and_opponents(client, workspace):
    td.solve(td.load_game("kuhn"), "cfr+", iterations=10).save(workspace.folder / "mine")
    known = client.get("/api/play").json()
    assert {game["game"] for game in known["games"]} <= set(known["catalogue"])
    for game in known["games"]:
        query = {name: json.dumps(value) for name, value in game["parameters"].items()}
        offered = client.get("/api/play/opponents", params={"game": game["game"], **query}).json()
        assert offered["opponents"] and "human" not in {agent["name"] for agent in offered["opponents"]}
    offered = client.get("/api/play/opponents", params={"game": "kuhn"}).json()["opponents"]
    assert [agent["name"] for agent in offered if agent["run"]] == ["run:mine"]
    state = sit(client, opponents=["run:mine"])
    assert state["opponents"] == ["mine"]


def test_a_table_in_use_stays_in_memory(client, workspace, monkeypatch):
    """A request that waits at a table must act on the session that other requests find."""
    monkeypatch.setattr(tables, "_IN_MEMORY", 2)
    used, first, second, third = (sit(client)["id"] for _ in range(4))
    store = tables_of(workspace)
    table = store.find(used)
    with table.lock:
        store.find(first), store.find(second), store.find(third)
        assert store.find(used) is table
        assert list(store._open) == [third, used]
    store.find(first), store.find(second)
    assert list(store._open) == [first, second] and store.find(used) is not table


def test_a_turn_is_taken_back(client, workspace):
    """The state before the last own turn returns, from the file too; the hand counts as helped."""
    tables_of(workspace).draw_seed = lambda: 4  # a round of at least three turns
    state = sit(client, game="koikoi", parameters={"rounds": 3}, opponents=["greedy"], mode="off")
    assert send(client, state, "back").status_code == 400, "no turn was taken"
    turns = []
    while len(turns) < 3:
        if state["picture"]["more"]["choice"] == "lay":
            turns.append(state)
        state = send(client, state, "act", action=state["actions"][0]["index"]).json()
    while state["picture"]["more"]["choice"] != "lay":
        state = send(client, state, "act", action=state["actions"][0]["index"]).json()
    before, back = turns[-1], send(client, state, "back").json()
    assert {name: back[name] for name in ("picture", "actions", "hand")} == {
        name: before[name] for name in ("picture", "actions", "hand")
    }
    assert back["helped"] and not before["helped"] and back["version"] == state["version"] + 1
    tables_of(workspace)._open.clear()
    assert client.get(f"/api/tables/{state['id']}").json() == back
    again = send(client, back, "back").json()
    assert again["picture"] == turns[-2]["picture"]
