"""Reviews over HTTP: figures of the library, thresholds, and hands that are over only."""

import pytest

import tefuda as td
from tefuda.apps.web.players import tables_of
from tefuda.playing.review import Reviewer, Thresholds
from tests.apps.web.wire import digest


def sit(client, **setup):
    answer = client.post("/api/tables", json={"game": "leduc", "parameters": {}, "opponents": ["uniform"], **setup})
    assert answer.status_code == 200, answer.text
    return answer.json()


def play_hand(client, state):
    """Take the last action until the hand is over; return the state."""
    while state["end"] is None:
        body = {"version": state["version"], "action": state["actions"][-1]["index"]}
        state = client.post(f"/api/tables/{state['id']}/act", json=body).json()
    return state


def test_a_review_has_the_figures_of_the_library(client, workspace):
    state = play_hand(client, sit(client))
    review = client.get(f"/api/tables/{state['id']}/hands/0").json()
    table = tables_of(workspace).find(state["id"])
    expected = Reviewer(table.players.reviewer.coach).review(table.session, 0)
    assert review["payoff"] == expected.payoff == state["end"]["payoffs"][state["seat"]]
    assert review["luck"] == pytest.approx(expected.luck) and review["skill"] == pytest.approx(expected.skill)
    assert review["cost"] == pytest.approx(expected.cost) and review["seat"] == expected.seat
    for entry, decision in zip(review["decisions"], expected.decisions, strict=True):
        advice = entry["advice"]
        assert advice["cost"] == pytest.approx(decision.cost) and advice["verdict"] == decision.verdict
        assert [action["share"] for action in advice["actions"]] == pytest.approx(decision.advice.shares)
        assert [action["good"] for action in advice["actions"]] == list(decision.good)
        assert advice["chosen"] == decision.chosen == len(advice["actions"]) - 1
        assert entry["picture"]["hand"]
    loose = client.get(f"/api/tables/{state['id']}/hands/0", params={"slip": 100, "blunder": 100}).json()
    assert {entry["advice"]["verdict"] for entry in loose["decisions"]} == {"fine"} and loose["cost"] == 0


def test_unknown_figures_are_null(client):
    """Coaches without a profile know no luck: nan never reaches a page."""
    state = play_hand(client, sit(client, game="rps", opponents=["random"], coach="uniform"))
    review = client.get(f"/api/tables/{state['id']}/hands/0")
    assert review.json()["luck"] is review.json()["skill"] is None and "NaN" not in review.text


def test_only_finished_hands_are_reviewed(client):
    state = sit(client)
    address = f"/api/tables/{state['id']}/hands"
    assert client.get(f"{address}/0").status_code == 404, "the hand is not over"
    state = play_hand(client, state)
    assert client.get(f"{address}/0").status_code == 200
    for number in ("1", "-1", "x", "9" * 30, "%2e%2e"):
        assert client.get(f"{address}/{number}").status_code == 404
    assert client.get("/api/tables/0123/hands/0").status_code == 404
    for wrong in ({"slip": "x"}, {"slip": "-1"}, {"slip": "nan"}, {"slip": 2, "blunder": 1}):
        assert client.get(f"{address}/0", params=wrong).status_code == 400


def test_reviews_show_no_hidden_cards(client, workspace):
    """Hands with equal views of the person have equal reviews, whatever the opponent held."""
    seen = {}
    for seed in range(60):
        tables_of(workspace).draw_seed = lambda seed=seed: seed
        state = play_hand(client, sit(client, opponents=["always-pass"]))
        if any(shown["hand"] for shown in state["end"]["shown"]):
            continue
        review = client.get(f"/api/tables/{state['id']}/hands/0").text.replace(state["id"], "")
        seen.setdefault(state["text"]["en"], []).append(review)
    assert any(len(reviews) > 1 for reviews in seen.values())
    assert all(review == reviews[0] for reviews in seen.values() for review in reviews)


def test_own_play_is_shown_from_100_hands_on(client, workspace, kuhn):
    """Hands in which a hint was asked for do not count."""
    state = sit(client, game="kuhn", mode="request")
    for hand in range(101):
        if hand == 5:
            client_state = client.post(f"/api/tables/{state['id']}/hint", json={"version": state["version"]})
            state = client_state.json()
        state = play_hand(client, state)
        if hand == 99:
            own = client.get("/api/own-play", params={"game": "kuhn"}).json()
            assert own["hands"] == 99 and own["fewest_hands"] == 100 and "estimate" not in own
        if hand < 100:
            state = client.post(f"/api/tables/{state['id']}/next", json={"version": state["version"]}).json()
    own = client.get("/api/own-play", params={"game": "kuhn"}).json()
    bold = td.named_agents(kuhn, ["always-raise"])[0].profile
    assert own["hands"] == 100 and own["low"] <= own["estimate"] <= own["high"]
    assert own["estimate"] == pytest.approx(td.exploitability(bold), abs=0.1)
    assert 0 < len(own["worst"]) <= 5
    raised = own["worst"][0]["actions"][own["worst"][0]["raised"]]
    assert raised["after"] > raised["before"]
    question = {"game": "kuhn", "opponent": "me", "seat": 0, "kind": "dbr"}
    assert client.get("/api/exploit", params=question).json()["status"] == "none"
    assert client.get("/api/exploit/options", params={"game": "kuhn"}).json()["hands"] == 100


def test_thresholds_are_checked():
    with pytest.raises(td.errors.ParameterError):
        Reviewer(None, Thresholds(-1.0, 0.5))


def vary(client, state, move, action=0):
    return client.post(f"/api/tables/{state['id']}/hands/0/variation", json={"move": move, "action": action})


@pytest.mark.parametrize("game", ["leduc", "kuhn", "goofspiel", "liars_dice"])
def test_a_variation_changes_no_stored_hand(client, workspace, game):
    """Files, lists, statistics and the review stay; the variation ends with its hand, and shows no seed."""
    state = play_hand(client, sit(client, game=game, coach="uniform", mode="request"))
    addresses = ("/api/tables", f"/api/tables/{state['id']}", f"/api/tables/{state['id']}/hands/0")
    before = digest(workspace.folder), [client.get(address).text for address in addresses]
    moves = client.get(addresses[2]).json()["moves"]
    place = next(number for number, move in enumerate(moves) if move["decision"] == 0)
    varied = vary(client, state, place).json()
    assert varied["variation"]["address"] == f"/tables/{state['id']}/hands/0?at={place + 1}"
    assert varied["id"] != state["id"]
    known = {"version": varied["version"]}
    if varied["end"] is None:
        varied = client.post(f"/api/tables/{varied['id']}/hint", json=known).json()
    varied = play_hand(client, varied)
    assert varied["statistics"]["own"]["hands"] == varied["statistics"]["helped"]["hands"] == 0
    assert varied["seed"] is None
    for what in ("next", "back", "leave"):
        answer = client.post(f"/api/tables/{varied['id']}/{what}", json={"version": varied["version"]})
        assert answer.status_code == 400, what
    assert client.get(f"/api/tables/{varied['id']}/file").status_code == 404
    assert client.get(f"/api/tables/{varied['id']}/hands/0").status_code == 404
    assert (digest(workspace.folder), [client.get(address).text for address in addresses]) == before


def test_variations_need_a_decision_of_the_person(client):
    state = sit(client, opponents=["always-call"])
    assert vary(client, state, 0).status_code == 404, "the hand is not over"
    state = play_hand(client, state)
    assert [vary(client, state, move).status_code for move in (0, 1, 99)] == [200, 400, 400]
    assert vary(client, state, 0, action=99).status_code == 400
    assert vary(client, {"id": "0" * 32}, 0).status_code == 404


def test_variations_deal_hidden_cards_anew(client, workspace):
    """The opponent's card is not that of the hand more often than chance says."""
    state = play_hand(client, sit(client, game="kuhn", opponents=["always-pass"], parameters={}))
    table, same = tables_of(workspace).find(state["id"]), 0
    for seed in range(60):
        tables_of(workspace).draw_seed = lambda seed=seed: seed
        varied = tables_of(workspace).find(play_hand(client, vary(client, state, 0).json())["id"])
        first, second = (each.session.ended[0].end.labels[0] for each in (table, varied))
        assert first[0] == second[0]
        same += first == second
    assert 15 < same < 45
