"""Routes of the page Hands: imports, the list, one hand; nothing that the hero did not see is sent."""

import base64
import re
import time

import pytest
from docs.site.sample_hands import sample

from tefuda.apps.web.messages.histories import PAGE
from tefuda.apps.web.own_hands import SAMPLE, decision_spot, menus, own_hands_of, spot_with_ranges
from tefuda.holdem import read_histories, review
from tefuda.holdem.cards import card_text
from tefuda.holdem.hands.hand import HIDDEN
from tefuda.holdem.histories.heads_up import heads_up
from tefuda.holdem.spots.compiled import compile_spot
from tests.apps.web.wire import Wire, digest
from tests.holdem.histories.samples import EXPECTED, FILES
from tests.processes import PATIENCE

UPLOAD = "0123456789abcdef" * 2
#: A hand whose file knows the cards of a player who folded, and of one who mucked at the showdown.
RECORD = """variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [50, 100, 0]
min_bet = 100
starting_stacks = [10000, 10000, 10000]
actions = ['d dh p1 {folded}', 'd dh p2 {mucked}', 'd dh p3 AhKd', 'p3 cbr 300', 'p1 f', 'p2 cc', 'd db 2c7d9h',
  'p2 cc', 'p3 cc', 'd db Ts', 'p2 cc', 'p3 cc', 'd db 3s', 'p2 cc', 'p3 cc', 'p3 sm AhKd', 'p2 sm']
"""


def send(client, name, data, upload=UPLOAD, offset=0):
    body = {"upload": upload, "name": name, "offset": offset, "data": base64.b64encode(data).decode()}
    return client.post("/api/hands/upload", json=body)


def read(client, upload=UPLOAD):
    """Read an upload; return the state at the end."""
    state = client.post("/api/hands/import", json={"upload": upload}).json()
    deadline = time.monotonic() + PATIENCE
    while state["active"] and time.monotonic() < deadline:
        time.sleep(0.02)
        state = client.get("/api/hands/import").json()
    return state


def one(client, row, **query):
    return client.get("/api/hands/hand", params={"room": row["room"], "number": row["number"], **query})


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """The client of a server with all sample files."""
    wire = Wire(tmp_path_factory.mktemp("filled"))
    for path in FILES:
        assert send(wire.client, path.name, path.read_bytes()).status_code == 200
    read(wire.client)
    yield wire.client
    wire.workspace.close()


def test_all_sample_hands_are_imported(filled):
    """18 of 24, with the six skips; each result is that of the file, and the graph ends at their sum."""
    message = filled.get("/api/hands").json()
    assert (message["read"], message["found"]) == (18, 18)
    assert message["reasons"] == {"game": 2, "cancelled": 1, "cut off": 1, "duplicate": 1, "does not balance": 1}
    entries = {entry["id"]: entry for entries in EXPECTED.values() for entry in entries if "skipped" not in entry}
    bigs = {hand.number: hand.rules.smallest_bet(0) for hand in read_histories(FILES)}
    for row in message["rows"]:
        entry = next(entry for key, entry in entries.items() if row["number"].startswith(key))
        assert row["result"] == pytest.approx(entry["net"][entry["hero"]] / bigs[row["number"]], abs=0.005)
    total = message["total"]
    assert message["graph"]["net"][-1] == pytest.approx(total["net_bb"], abs=0.005)
    assert message["graph"]["hands"][-1] == total["cash_hands"] == 15
    days = filled.get("/api/hands?over=days").json()["graph"]
    assert days["days"] == [*range(1, len(days["net"]) + 1)] and days["net"][-1] == message["graph"]["net"][-1]
    starts = [row["start"] for row in message["rows"] if row["start"].endswith("+00:00")]
    assert starts == sorted(starts, reverse=True)
    assert len(filled.get("/api/hands/skipped").json()) == 6


def test_filters_groups_and_pages(client):
    """Groups add up to all hands; a wrong condition is marked, and nothing is filtered."""
    assert read(client, "sample")["read"] == 120
    message = client.get("/api/hands?by=position").json()
    assert sum(group["hands"] for group in message["groups"]) == message["found"] == 120
    last = client.get("/api/hands?page=3").json()["rows"]
    assert len(message["rows"]) == PAGE and len(last) == 120 - 2 * PAGE
    button = client.get("/api/hands", params={"where": "position=BTN result<0"}).json()
    assert 0 < button["found"] < 40 and {row["position"] for row in button["rows"]} == {"BTN"}
    assert all(row["result"] < 0 for row in button["rows"])
    wrong = client.get("/api/hands", params={"where": "pot=3bet position=XX"}).json()
    assert wrong["wrong"]["position"] == [9, 20] and wrong["found"] == 120
    for query in ("by=nothing", "player=Nobody", "page=0", "page=x", "over=weeks"):
        assert client.get(f"/api/hands?{query}").status_code == 400
    first, second = button["rows"][:2]
    for place in (0, 7):  # the right one, and that of another list
        found = one(client, first, where="position=BTN result<0", place=place).json()
        assert found["place"] == 0 and found["after"] == {name: second[name] for name in ("room", "number")}
    assert one(client, first, where="position=SB").status_code == 404


def test_a_hand_is_replayed_as_by_the_rules(filled):
    """Pots and bets are those of the replayed record; there is a step for each action, and the end."""
    hands = {hand.number: hand for hand in read_histories(FILES)}
    for row in filled.get("/api/hands").json()["rows"]:
        message, hand = one(filled, row).json(), hands[row["number"]]
        states = [*hand.replay(), (hand.hand.wagers, "")]
        states = [(wagers, token) for wagers, token in states if token != "/"]
        assert [step["pot"] for step in message["steps"]] == [hand.rules.pot(wagers) for wagers, _ in states]
        assert [step["bets"] for step in message["steps"]] == [list(wagers.bets) for wagers, _ in states]
        actions = [event["player"] for event in message["picture"]["events"] if event["player"] >= 0]
        assert [step["player"] for step in message["steps"]] == [*actions, -1]
        assert message["end"]["payoffs"] == list(hand.net.values())
        assert message["seats"][message["seat"]] == "" and message["seat"] == hand.hero


def test_unseen_cards_are_never_sent(client):
    """Cards of the file that were folded or mucked are in no answer, whoever is the player."""
    answers = []
    for number, (folded, mucked) in enumerate((("8c8h", "QsQd"), ("4c4h", "JsJd"))):
        record = RECORD.format(folded=folded, mucked=mucked)
        assert send(client, f"hand{number}.phh", record.encode()).status_code == 200
    assert read(client)["read"] == 2
    for row in client.get("/api/hands").json()["rows"]:
        texts = [one(client, row).text]
        texts += [client.get("/api/hands", params={"player": player}).text for player in ("p1", "p2", "p3")]
        for text in texts:
            assert not re.search(r'"(8c|8h|4c|4h|Qs|Qd|Js|Jd)"', text), text
        answers.append(one(client, row).text.replace(row["room"], ""))
    assert answers[0].partition('"place"')[0] == answers[1].partition('"place"')[0]
    assert '"Ah"' in answers[0], "shown cards are there"


def test_cards_of_others_were_shown(filled):
    """Cards beside the hero's and the board are those that the files show at the showdown."""
    hands = {hand.number: hand for hand in read_histories(FILES)}
    for row in filled.get("/api/hands").json()["rows"]:
        answer, hand = one(filled, row), hands[row["number"]]
        sent = {*re.findall(r'"([2-9TJQKA][cdhs])"', answer.text)}
        shown = {card for _, cards in hand.shown for card in cards}
        if len(hand.hand.wagers.live) > 1 and not hand.shown:
            shown = {*hand.hand.holes}
        boards = {card for board in (hand.hand.board, *hand.boards) for card in board}
        known = shown | boards | {*hand.hand.hole(hand.hero)}
        assert sent <= {card_text(card) for card in known - {HIDDEN}}


def wait(client, address):
    """Return the state of a job at its end."""
    deadline = time.monotonic() + PATIENCE
    while (state := client.get(address).json())["active"] and time.monotonic() < deadline:
        time.sleep(0.05)
    return state


def test_decisions_are_priced_at_their_step(filled):
    """Costs are those of `holdem.review`; each stands at an action of the hero, and opens as a spot."""
    offer = filled.get("/api/hands/offer").json()
    assert (offer["rivers"]["spots"], offer["turns"]["spots"]) == (2, 5)
    assert filled.post("/api/hands/review", json={"turns": False}).json()["active"]
    assert wait(filled, "/api/hands/review") == {"active": False, "done": 2, "of": 2, "error": ""}
    assert filled.get("/api/hands/offer").json()["rivers"] == {"spots": 0, "seconds": 0}
    hands = read_histories(FILES)
    folder = filled.app.app.state.workspace.own_folder / "hands" / "reviews"
    expected = review(hands, menus=menus(turns=False), folder=folder)
    message = filled.get("/api/hands").json()
    assert message["priced"] == [len(expected.decisions), len(expected.decisions) + sum(expected.unpriced.values())]
    dearest = [each["decision"]["cost"] for each in message["dearest"]]
    assert dearest == [each.cost for each in expected.dearest()] and dearest
    seen = 0
    for row in message["rows"]:
        replay = one(filled, row).json()
        seen += len(replay["priced"])
        for decision in replay["priced"]:
            step, big = replay["steps"][decision["step"]], replay["parameters"]["blinds"][-1]
            assert (
                step["player"] == replay["seat"] and step["pot"] / big >= decision["pot"] - 1e-9
            )  # of the smaller stack
            best = max(decision["evs"].values())
            assert decision["cost"] == pytest.approx(best - decision["evs"][decision["action"]], abs=1e-9)
        assert (
            row["cost"] == pytest.approx(sum(cost_of(each) for each in replay["priced"])) if replay["priced"] else True
        )
    assert seen == len(expected.decisions)
    first = message["dearest"][0]
    step = first["decision"]["step"]
    query = {"room": first["room"], "number": first["number"]}
    opened = filled.post("/api/hands/explore", params=query, json={"step": step}).json()
    assert opened["run"].startswith("spot-")
    filled.post(f"/api/solve/{opened['run']}/stop", json={})
    for wrong in (0, 999):
        assert filled.post("/api/hands/explore", params=query, json={"step": wrong}).status_code == 400


def test_another_action_is_tried(filled):
    """Each heads-up decision on the turn and river can be taken again: same cards and board, no file."""
    hands, folder = {hand.number: hand for hand in read_histories(FILES)}, filled.app.app.state.workspace.own_folder
    offered, played = 0, list[str]()
    for row in filled.get("/api/hands").json()["rows"]:
        message, hand = one(filled, row).json(), hands[row["number"]]
        actions = [before for before, token in hand.replay() if token != "/"]
        own = [
            step
            for step, each in enumerate(actions)
            if each.mover == hand.hero and each.street > 1 and heads_up(hand, each.street)
        ]
        assert [each["step"] for each in message["tries"]] == own
        offered += len(own)
        for known in message["tries"]:
            facing = max(actions[known["step"]].bets) > actions[known["step"]].bets[hand.hero]
            assert known["actions"][0]["verb"] == ("fold" if facing else "check")
        rivers = [known for known in message["tries"] if actions[known["step"]].street == 3]
        if not rivers or len(played) == 2:  # each takes seconds
            continue
        played.append(row["number"])
        step, query = rivers[0]["step"], {"room": row["room"], "number": row["number"], "where": "cash=yes"}
        opened = filled.post("/api/hands/explore", params=query, json={"step": step}).json()
        deadline = time.monotonic() + PATIENCE
        while status(filled, opened["run"]) != "finished" and time.monotonic() < deadline:
            time.sleep(0.05)
        assert filled.post("/api/hands/explore", params=query, json={"step": step}).json() == opened, (
            "it is solved once"
        )
        before = digest(folder)
        body = {"step": step, "run": opened["run"], "action": rivers[0]["actions"][0]["label"]}
        varied = filled.post("/api/hands/variation", params=query, json=body).json()
        assert varied["picture"]["hand"] == message["picture"]["hand"]
        assert varied["picture"]["table"] == message["picture"]["table"]
        assert varied["variation"]["address"].endswith(f"/{row['number']}?where=cash%3Dyes&at={step + 1}")
        assert filled.get(f"/api/tables/{varied['id']}").json() == varied
        for wrong in ({"step": 0}, {"action": "Jump"}, {"run": "nothing"}):
            assert filled.post("/api/hands/variation", params=query, json=body | wrong).status_code in (400, 404)
        assert digest(folder) == before
    assert offered >= 7 and len(played) == 2


def status(client, run):
    return client.get("/api/solve/runs", params={"ids": run}).json()[0]["status"]


def cost_of(decision):
    return 0 if decision["kind"] == "best or mixed" else decision["cost"]


def test_a_spot_has_the_line_before_the_decision():
    """The line leads to a node at which the action played is one of the choices."""
    for hand in read_histories(FILES):
        for number, (before, token) in enumerate(each for each in hand.replay() if each[1] != "/"):
            if before.street < 2 or len(before.live) > 2 or not all(before.stacks[player] for player in before.live):
                continue
            decision = decision_spot(hand, number)
            compiled = compile_spot(spot_with_ranges(hand, decision))
            choices = compiled.choices(compiled.find(decision.line))
            names = {"f": "Fold", "c": "Call" if hand.rules.choices(before).call else "Check"}
            assert any(name.startswith(names.get(token[0], ("Bet", "Raise", "AllIn"))) for name in choices)


def test_uploads_are_checked(client, workspace):
    """Parts in order, a known form of ids, no path out of the folder, files that have hands."""
    data = FILES[0].read_bytes()
    assert send(client, FILES[0].name, data[:500]).status_code == 200
    assert send(client, FILES[0].name, data[:500]).status_code == 400, "a part twice"
    assert send(client, FILES[0].name, data[900:], offset=900).status_code == 400, "a part is missing"
    assert send(client, FILES[0].name, data[500:], offset=500).status_code == 200
    for body in ({"upload": "../x"}, {"upload": "x" * 32}, {"data": "?"}, {"offset": -1}, {"name": 5}, {"more": 1}):
        known = {"upload": UPLOAD, "name": "a.txt", "offset": 0, "data": ""}
        assert client.post("/api/hands/upload", json={**known, **body}).status_code == 400, body
    assert client.post("/api/hands/import", json={"upload": "../../etc"}).status_code == 400
    for name in ("../../escaped.txt", "/etc/passwd", "..", ""):
        assert send(client, name, b"no hands\n").status_code in (200, 400)
    state = read(client)
    assert state["read"] == 1 and state["errors"]
    assert workspace.jobs.find("hands import").ended.wait(PATIENCE), "the upload is deleted"
    stored = {path.relative_to(workspace.folder).parts[:2] for path in workspace.folder.rglob("*") if path.is_file()}
    assert stored == {(".web", "hands")}
    left = {path.name for path in own_hands_of(workspace).folder.rglob("*") if path.is_file()}
    assert left == {"hands.sqlite", "skipped.json"}


def test_an_import_outlives_the_server(filled):
    """Another server of the folder has the same hands; files that were read before are not read again."""
    folder = filled.app.app.state.workspace.folder
    other = Wire(folder).client
    assert other.get("/api/hands").json() == filled.get("/api/hands").json()
    assert other.get("/api/hands/skipped").json() == filled.get("/api/hands/skipped").json()


def test_reading_changes_nothing(client, workspace):
    for address in ("/api/hands", "/api/hands/import", "/api/hands/skipped"):
        assert client.get(address).status_code == 200
    assert client.get("/api/hands/hand?room=a&number=b").status_code == 404
    assert not own_hands_of(workspace).folder.exists()


def test_the_sample_is_read_whole():
    """Run ``python -m docs.site.sample_hands`` when this fails."""
    assert SAMPLE.read_text(encoding="utf-8") == sample()
    hands = read_histories(SAMPLE)
    assert len(hands) == 120 and not hands.skipped and {hand.room for hand in hands} == {"Tefuda"}
