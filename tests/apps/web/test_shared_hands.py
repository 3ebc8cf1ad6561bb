"""Shared files of finished hands and of the walk through iterations."""

import pytest

import tefuda as td
from tefuda.apps.share.contents import contents_of, step_contents
from tefuda.apps.share.making import shared_file
from tefuda.apps.web.calls import NotFound
from tefuda.apps.web.players import tables_of


def play_hands(client, number, **setup):
    """Sit down, and take the last action until some hands are over; return the state."""
    body = {"game": "kuhn", "parameters": {}, "opponents": ["uniform"], **setup}
    state = client.post("/api/tables", json=body).json()
    for hand in range(number):
        if hand:
            state = client.post(f"/api/tables/{state['id']}/next", json={"version": state["version"]}).json()
        while state["end"] is None:
            body = {"version": state["version"], "action": state["actions"][-1]["index"]}
            state = client.post(f"/api/tables/{state['id']}/act", json=body).json()
    return state


def test_a_reviewed_hand_is_shared_with_its_neighbours(client, workspace):
    state = play_hands(client, 3)
    tables_of(workspace).close()
    contents = contents_of(f"tables/{state['id']}/hands/1", workspace.folder)
    start = f"/api/tables/{state['id']}/hands"
    assert set(contents.data) == {f"{start}/{number}?slip=&blunder=" for number in range(3)}
    page = shared_file(contents)
    assert 'data-name="table"' in page and len(page) < 500_000
    seed = tables_of(workspace).find(state["id"]).session.seed
    assert f"{seed}" not in str(contents.data) and f"{seed:x}" not in str(contents.data)


def test_other_hands_are_refused(client, workspace):
    state = play_hands(client, 1)
    tables_of(workspace).close()
    for target in (f"tables/{state['id']}/hands/9", "tables/none/hands/0"):
        with pytest.raises(NotFound):
            contents_of(target, workspace.folder)
    for target in (f"tables/{state['id']}/hands/-1", "tables", "learn"):
        with pytest.raises(td.InputError):
            contents_of(target, workspace.folder)


def test_the_walk_has_every_infoset_of_each_iteration(kuhn):
    contents = step_contents()
    assert len(contents.data) == 3 * 10 * (1 + kuhn.infosets)
    (king,) = [update for update in contents.data["/api/step"]["infosets"] if update["infoset"] == "0: K|pb"]
    assert [action["regret"] for action in king["actions"]] == pytest.approx([-0.25, 0.25])
    assert contents.data["/api/step?method=cfr%2B&iteration=2&at=1%3A+Q%7Cp"]["at"] == "1: Q|p"
    assert len(shared_file(contents)) < 500_000
