"""Home: its deal is that of the server, its hand is helped, and reading changes nothing."""

import json
from importlib.resources import files

import numpy as np
import pytest
from docs.site.home import prepared_deal

import tefuda as td
from tefuda.holdem import Node, make_spot
from tests.apps.web.wire import digest

BUNDLED = json.loads(files("tefuda.apps.web").joinpath("static", "home.json").read_text("utf-8"))


def test_the_prepared_deal_is_that_of_the_server(tmp_path):
    """Run ``python -m docs.site.home`` when this fails; no card of the opponent is in the file."""
    assert BUNDLED["deal"] == prepared_deal(tmp_path)
    assert BUNDLED["deal"]["picture"]["more"]["opponent"] == {"hand": 8}


def test_the_first_card_makes_the_table(client, workspace):
    """The answer is the state after the action; the hand counts as helped."""
    action = BUNDLED["deal"]["actions"][1]
    state = client.post("/api/home/hand", json={"action": action["index"]}).json()
    assert state["helped"] and state["picture"]["events"][0]["cards"][0] == action["label"]
    assert state == client.get(f"/api/tables/{state['id']}").json()
    while not state["end"]:
        body = {"version": state["version"], "action": 0}
        state = client.post(f"/api/tables/{state['id']}/act", json=body).json()
    assert (state["statistics"]["own"]["hands"], state["statistics"]["helped"]["hands"]) == (0, 1)


@pytest.mark.parametrize("action", [-1, 8, "0", None])
def test_a_wrong_action_makes_no_table(client, workspace, action):
    assert client.post("/api/home/hand", json={"action": action}).status_code == 400
    assert client.get("/api/tables").json() == {"tables": []}


def test_the_grid_of_a_spot(client, workspace):
    """Weights and shares are those of the node's grid; other runs have none."""
    spot = make_spot("Qs Jh 2h 8d 3c", 100, 200, "AA-TT,AK,AQ:0.5,KQ", "QQ-99,AQ,AJ,KQ,T9s", "50%,a", "a")
    solution = td.solve(spot, iterations=30, checkpoint=workspace.folder / "river")
    td.solve(td.load_game("kuhn"), iterations=10, checkpoint=workspace.folder / "kuhn")
    before = digest(workspace.folder)
    grid = client.get("/api/home/grids/river").json()
    assert digest(workspace.folder) == before
    cells = Node(solution.strategy).hands().grid()
    assert grid["board"] == ["Qs", "Jh", "2h", "8d", "3c"] and grid["player"] == "OOP" and len(grid["cells"]) == 169
    for cell, (weight, *shares) in zip(cells, grid["cells"], strict=True):
        assert weight == round(100 * cell.weight)
        if weight:
            known = np.array(list(cell.shares.values())) * 100
            assert np.abs(known - shares).max() < 6  # here by own reach, there by reach against the other range
    assert client.get("/api/home/grids/kuhn").status_code == 404
    assert client.get("/api/home/grids/none").status_code == 404
