"""Ranges at a table of a solved spot: no shares before a hint, never the opponent's hand."""

import pytest

from tefuda.apps.web.players import tables_of
from tefuda.apps.web.workspace import Workspace
from tefuda.holdem.cards import CLASSES

SPOT = {"board": "2c 2d 2h 3c 3d", "pot": 100, "stack": 100, "oop": "AA,QQ", "ip": "KK,JJ", "bets": "a", "raises": "a"}


def sit(client, **setup):
    body = {"game": "spot", "parameters": SPOT, "opponents": ["solution"], **setup}
    answer = client.post("/api/tables", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_table_without_a_coach_has_no_ranges(client):
    assert sit(client, mode="off")["ranges"] is None
    assert sit(client, game="kuhn", parameters={}, opponents=["equilibrium"], mode="after")["ranges"] is None


@pytest.mark.parametrize("mode", ["after", "request"])
def test_ranges_have_shares_with_a_hint_only(client, mode):
    """Before a decision the message has weights; a hint adds the solution's shares."""
    state = sit(client, mode=mode)
    assert state["advice"] is None and state["ranges"]["shares"] == []
    weights = dict(zip(CLASSES, state["ranges"]["own"], strict=True))
    own, other = (("AA", "QQ"), ("KK", "JJ"))[:: 1 if state["seat"] == 0 else -1]
    assert {name for name, weight in weights.items() if weight > 0} <= set(own)
    assert CLASSES[state["ranges"]["hand"]] in own
    assert {name for name, weight in zip(CLASSES, state["ranges"]["opponent"], strict=True) if weight > 0} <= set(other)
    body = {"version": state["version"]}
    hinted = client.post(f"/api/tables/{state['id']}/hint", json=body).json()
    assert len(hinted["ranges"]["shares"]) == len(hinted["actions"])
    place = state["ranges"]["hand"]
    assert sum(share[place] for share in hinted["ranges"]["shares"]) == pytest.approx(1, abs=0.01)


def test_ranges_do_not_depend_on_the_hand_of_the_opponent(client, workspace):
    """First decisions with equal own cards have equal messages, whatever the opponent holds."""
    seen = {}
    for seed in range(40):
        tables_of(workspace).draw_seed = lambda seed=seed: seed
        state = sit(client, mode="request")
        if state["picture"]["events"]:
            continue
        seen.setdefault(tuple(state["picture"]["hand"]), []).append(state["ranges"])
    assert any(len(each) > 1 for each in seen.values())
    assert all(each == ranges[0] for ranges in seen.values() for each in ranges)


def test_a_drill_deals_only_one_node(client, tmp_path):
    """All hands begin at the line, dealt from the ranges there, with the person to act."""
    table = sit(client, mode="after")["id"]
    state = client.post(f"/api/tables/{table}/drill", json={"line": "Check/AllIn(100)"}).json()
    classes = set()
    for hand in range(8):
        assert (state["hand"], state["seat"], state["line"]) == (hand, 0, "Check/AllIn(100)")
        assert [event["verb"] for event in state["picture"]["events"]] == ["check", "all-in"]
        assert state["ranges"]["own"][state["ranges"]["hand"]] > 0 and state["ranges"]["line"] == state["line"]
        classes.add(CLASSES[state["ranges"]["hand"]])
        while not state["end"]:
            body = {"version": state["version"], "action": state["actions"][-1]["index"]}
            state = client.post(f"/api/tables/{state['id']}/act", json=body).json()
        review = client.get(f"/api/tables/{state['id']}/hands/{hand}").json()
        assert len(review["decisions"]) == len(review["moves"]) == 1
        state = client.post(f"/api/tables/{state['id']}/next", json={"version": state["version"]}).json()
    assert classes <= {"AA", "QQ"}
    again = tables_of(Workspace(tmp_path)).find(state["id"])
    assert again.setup.line == state["line"] and again.session.pending.view.endswith("|Check/AllIn(100)")


def test_drills_need_a_decision_of_a_solved_spot(client):
    table = sit(client, mode="after")["id"]
    for wrong in ("Check/Check", "Bet(7)", "x"):
        assert client.post(f"/api/tables/{table}/drill", json={"line": wrong}).status_code == 400, wrong
    kuhn = {"game": "kuhn", "parameters": {}, "opponents": ["uniform"], "line": "p"}
    assert client.post("/api/tables", json=kuhn).status_code == 400
