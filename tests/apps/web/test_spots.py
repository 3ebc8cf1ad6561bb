"""Routes of solved spots: messages have the library's figures; wrong addresses are refused."""

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem import Node, make_spot
from tefuda.holdem.buckets.clusters import Buckets
from tefuda.holdem.buckets.node import BucketNode
from tefuda.holdem.buckets.solver import LocalResponseEvaluator, in_buckets
from tefuda.holdem.cards import CLASS_OF, HANDS, hand_number, read_cards
from tefuda.holdem.made_hands import DRAWS, MADE_HANDS
from tefuda.holdem.preflop.pushfold import pushfold
from tefuda.solvers.runs.evaluators import NoEvaluation
from tests.holdem import limits

LINES = {"": "-", "Check": "Check", "Check/Bet(50)": "Check~Bet(50)", "Bet(50)/Call/Ts": "Bet(50)~Call~Ts"}
RANGES = "QQ-99,AQs,KQs,JTs,T9s,AhKh,76s:0.3", "KK-88,AQ,KQ:0.5,QJs,T9s"


@pytest.fixture
def strategy(workspace):
    spot = make_spot("Qs Jh 2h 8d", 100, 200, *RANGES, "50%,a", "a")
    return td.solve(spot, iterations=10, checkpoint=workspace.folder / "turn").strategy


@pytest.mark.parametrize("line", LINES)
def test_node(client, strategy, line):
    """Sums over the rows of hands are the node's own figures."""
    node, message = Node(strategy, line), client.get(f"/api/spots/turn/{LINES[line]}").json()
    assert (message["line"], message["player"], message["pot"]) == (line, node.player, node.chips[0])
    assert [action["share"] for action in message["actions"]] == pytest.approx(list(node.frequencies.values()))
    assert "".join(message["board"]) in "QsJh2h8dTs" and len(message["board"]) == len(node.board)
    assert message["class_sizes"][0] == 6 and sum(message["class_sizes"]) == len(HANDS) - blocked(node.cards)
    for player, part in enumerate(message["players"]):
        assert part["ev"] == pytest.approx(node.ev(player)) and part["acts"] == (player == node.player)
        rows = part["rows"]
        frequency = np.array([row[2] for row in rows])
        assert frequency.sum() == pytest.approx(1, abs=1e-3)
        assert frequency @ [row[6] or 0 for row in rows] == pytest.approx(node.ev(player), rel=1e-3)
        assert frequency @ [row[7] or 0 for row in rows] == pytest.approx(node.equity(player), rel=1e-3)
        if part["acts"]:
            shares = frequency @ np.array([row[8] for row in rows])
            assert shares == pytest.approx(list(node.frequencies.values()), abs=1e-3)
        assert len(rows) == np.count_nonzero(node.reach[player])
        assert {row[1] for row in rows} <= {*CLASS_OF.tolist()}
        for kind, names in (("made_hands", MADE_HANDS), ("draws", DRAWS)):
            assert sum(group["frequency"] for group in part[kind]) == pytest.approx(1)
            assert [names.index(group["name"]) for group in part[kind]] == sorted(
                {row[4 + (kind == "draws")] for row in rows}
            )


def blocked(board):
    return int(np.isin(HANDS, board).any(axis=1).sum())


def test_a_node_with_the_hands_of_one_player(client, strategy):
    whole, part = (client.get(f"/api/spots/turn/Check{query}").json() for query in ("", "?seat=1"))
    assert part["players"][1] == whole["players"][1] and part["players"][0]["rows"] == [] and part["curves"] is None
    assert part["players"][0]["ev"] == whole["players"][0]["ev"]


def test_path_and_actions(client, strategy):
    """Steps and actions carry the line after them and the kind by which they are coloured."""
    message = client.get("/api/spots/turn/Check~Bet(50)").json()
    assert [(step["name"], step["kind"], step["player"]) for step in message["path"]] == [
        ("Check", "check", 0), ("Bet(50)", "bet", 1),
    ]  # fmt: skip
    assert [action["kind"] for action in message["actions"]] == ["fold", "call", "all-in"]
    for action in message["actions"]:
        assert client.get(f"/api/spots/turn/{action['line'].replace('/', '~')}").status_code == 200
    before_card = client.get("/api/spots/turn/Check~Check").json()
    assert before_card["player"] is None and len(before_card["cards"]) == 48 and before_card["actions"] == []
    assert client.get("/api/spots/turn/AllIn(200)~Call").json()["cards"] == []


def test_the_second_call_computes_nothing(client, strategy, monkeypatch):
    first = client.get("/api/spots/turn/Check").json()
    monkeypatch.setattr("tefuda.apps.web.messages.spots.node_message", None)
    assert client.get("/api/spots/turn/Check").json() == first


def test_wrong_addresses(client, strategy, workspace):
    td.solve(td.load_game("kuhn"), "cfr+", iterations=2, checkpoint=workspace.folder / "kuhn")
    assert client.get("/api/spots/turn/Bet(51)").status_code == 400
    assert client.get("/api/spots/kuhn/-").status_code == 404
    assert client.get("/api/spots/nothing/-").status_code in (400, 404)
    assert client.get("/api/spots/..%2fturn/-").status_code in (400, 404)
    assert [client.get(f"/api/forms/{run}").json()["representation"] for run in ("turn", "kuhn")] == ["hands", "tree"]


def test_practice_against_a_run(client, strategy):
    """The message names the game to sit down with; the run plays and coaches, with the costs of `Node`."""
    spot = client.get("/api/spots/turn/-").json()["solution"]
    setup = {"game": "spot", "parameters": spot["parameters"], "opponents": ["run:turn"], "coach": "run:turn"}
    table = client.post("/api/tables", json={**setup, "mode": "after"}).json()
    hand, line = table["picture"]["hand"], [event["verb"] for event in table["picture"]["events"]]
    node = Node(strategy, {"check": "Check", "bet": "Bet(50)", "all-in": "AllIn(200)"}[line[0]] if line else "")
    assert [action["label"] for action in table["actions"]] == list(node.shares)
    answer = client.post(f"/api/tables/{table['id']}/act", json={"version": table["version"], "action": 0}).json()
    number = hand_number(*read_cards(" ".join(hand)))
    values = [evs[number] for evs in node.action_evs.values()]
    assert answer["advice"]["cost"] == pytest.approx(max(values) - values[0], abs=1e-9)


def test_limit_places(client, workspace, monkeypatch):
    """A limit game answers with the same keys; between streets a card comes and no ranges are sent."""
    monkeypatch.setattr("tefuda.holdem.buckets.clusters._cache_by_seed", {0: limits.flat()})
    form = in_buckets(td.load_game("holdem", limit=True, cap=2), Buckets((169, 1, 1, 1)))
    evaluator = LocalResponseEvaluator(20)
    solution = td.solve(form, iterations=100, checkpoint=workspace.folder / "limit", evaluator=evaluator)
    root = client.get("/api/spots/limit/-").json()
    node = BucketNode(solution.strategy)
    assert (root["player"], root["seats"], root["pot"]) == (1, ["BB", "SB"], 15)
    assert [action["share"] for action in root["actions"]] == pytest.approx([*node.frequencies.values()])
    assert [action["name"] for action in root["actions"]] == ["Fold", "Call", "Raise(20)"]
    assert root["players"][1]["ev"] is None and root["players"][1]["equity"] == pytest.approx(0.5)
    between = client.get("/api/spots/limit/Call~Check~Qs").json()
    assert between["players"] == [] and len(between["cards"]) == 51 and between["board"] == ["Qs"]
    assert client.get("/api/spots/limit/Bet(5)").status_code == 400


def test_a_limit_game_of_three(client, workspace, monkeypatch):
    """Equities are unknown, so there is no chart of them."""
    monkeypatch.setattr("tefuda.holdem.buckets.clusters._cache_by_seed", {0: limits.flat()})
    form = in_buckets(td.load_game("holdem", limit=True, cap=2, players=3), Buckets((169, 1, 1, 1)))
    td.solve(form, iterations=100, checkpoint=workspace.folder / "limit", evaluator=NoEvaluation())
    root = client.get("/api/spots/limit/-").json()
    assert root["seats"] == ["SB", "BB", "BTN"] and root["player"] == 2 and root["curves"] is None
    assert [part["equity"] for part in root["players"]] == [None] * 3 and len(root["players"][2]["rows"]) == 1326


def test_push_or_fold(client):
    """Both decisions of push or fold are solved on demand; other lines and stacks are refused."""
    solution = pushfold(10)
    for line, shares in (("-", solution.push), ("AllIn", solution.call)):
        message = client.get(f"/api/spots/pushfold:10/{line}").json()
        actor = message["players"][message["player"]]
        rows = {row[1]: row for row in actor["rows"]}
        assert [rows[number][8][1] for number in range(169)] == pytest.approx([*shares], abs=1e-4)
        assert message["players"][1 - message["player"]]["acts"] is False and len(rows) == 169
        assert sum(action["share"] for action in message["actions"]) == pytest.approx(1)
    assert client.get("/api/spots/pushfold:10/AllIn~Call").json()["pot"] == 20
    for address in ("pushfold:10/Call", "pushfold:x/-", "pushfold:0/-", "pushfold:nan/-"):
        assert client.get(f"/api/spots/{address}").status_code == 400


@pytest.mark.parametrize("line", LINES)
def test_a_node_names_the_lines_of_its_neighbours(client, strategy, line):
    """The way from the start, and each action, is a line with a node of its own."""
    message = client.get(f"/api/spots/turn/{LINES[line]}").json()
    way = [step["line"] for step in message["path"]]
    assert len(way) == (line.count("/") + 1 if line else 0) and (way or [""])[-1] == line
    for near in [*way, *(action["line"] for action in message["actions"])]:
        assert client.get(f"/api/spots/turn/{near.replace('/', '~')}").json()["line"] == near


def test_messages_have_only_the_fields_of_the_page(client, strategy):
    """A field that a node of the library gains is not sent."""
    node = client.get("/api/spots/turn/-").json()
    assert node.keys() == {
        "line", "path", "street", "board", "player", "pot", "behind", "probability", "actions", "cards", "seats",
        "indifference", "solution", "classes", "class_sizes", "made_hands", "draws", "players", "curves",
    }  # fmt: skip
    assert node["actions"][0].keys() == {"name", "label", "kind", "share", "line", "part"}
    assert node["players"][0].keys() == {"name", "ev", "equity", "hands", "acts", "made_hands", "draws", "rows"}
