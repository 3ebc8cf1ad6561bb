"""Kills of a server at random moments: every table comes back as a browser last saw it, or later."""

import http.client
import json
import random
import signal
import threading
import urllib.request

import pytest

from tests.processes import PATIENCE

SETUP = {"game": "leduc", "parameters": {}, "opponents": ["equilibrium"], "mode": "after"}


def send(served, path, body=None):
    """Return the JSON answer of a server."""
    headers = {"Content-Type": "application/json", "Cookie": f"{served.cookie['name']}={served.cookie['value']}"}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(served.address + path, data, headers), timeout=60) as answer:
        return json.load(answer)


def move(state):
    """Return the path and the body of the next move."""
    what, action = ("act", {"action": state["actions"][-1]["index"]}) if state["actions"] else ("next", {})
    return f"/api/tables/{state['id']}/{what}", {"version": state["version"], **action}


def without_advice(state):
    """Return the state of a table without the coach's advice, which is not saved."""
    return {**state, "advice": None}


def play_until_killed(served, states, name, enough):
    """Play at a table until the server is dead; `enough` is set after a number of moves."""
    try:
        while True:
            states[name].append(send(served, *move(states[name][-1])))
            if sum(map(len, states.values())) > enough.moves:
                enough.set()
    except (OSError, http.client.HTTPException, ValueError):  # no answer, or a part of one
        enough.set()


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_tables_come_back_after_kills(serve, kills):
    """Three clients play; the server is killed while their requests are in flight."""
    draw = random.Random(kills)
    served = serve()
    tables = [send(served, "/api/tables", SETUP) for _ in range(3)]
    states = {table["id"]: [table] for table in tables}
    for _ in range(kills):
        enough = threading.Event()
        enough.moves = sum(map(len, states.values())) + draw.randrange(1, 40)
        players = [threading.Thread(target=play_until_killed, args=(served, states, name, enough)) for name in states]
        for player in players:
            player.start()
        enough.wait(PATIENCE)
        served.end(signal.SIGKILL)
        for player in players:
            player.join()
        served = serve()
        for name, seen in states.items():
            present = send(served, f"/api/tables/{name}")
            last = seen[-1]
            assert present["version"] in (last["version"], last["version"] + 1)
            if present["version"] == last["version"]:
                assert without_advice(present) == without_advice(last)
            versions = [state["version"] for state in seen]
            assert versions == list(range(versions[0], versions[0] + len(versions)))
            states[name] = [present]
