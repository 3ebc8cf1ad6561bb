"""Routes that explore strategies and walk through iterations."""

import dataclasses
from urllib.parse import quote

import pytest

import tefuda as td
from tefuda.apps.web.messages import formulas
from tefuda.apps.web.messages.steps import step_message
from tefuda.forms.paths import path_of
from tefuda.forms.public import indistinguishable
from tests.conftest import compiled


def ask(client, address, status=200):
    response = client.get(address)
    assert response.status_code == status, response.text
    return response.json()


@pytest.fixture
def run(workspace):
    """A saved run of Leduc."""
    solution = td.solve(compiled("leduc"), "cfr+", iterations=50)
    solution.save(workspace.folder / "leduc-run")
    return solution


def test_a_run_is_explored_by_its_id(client, run):
    about = ask(client, "/api/explore/leduc-run")
    assert (about["game"], about["histories"], about["infoset_count"]) == ("leduc", 1936, 288)
    assert about["nash_conv"] == pytest.approx(run.nash_conv)
    assert about["values"] == pytest.approx(run.values)
    assert len(about["public_states"]) == 96 and not about["small"]
    assert ask(client, "/api/forms/leduc-run") == {"representation": "tree"}
    ask(client, "/api/explore/leduc-run/tree", 400)
    near = ask(client, f"/api/explore/leduc-run/tree?infoset={quote('0: K|cr')}")["histories"]
    inside = [history for history in near if history["infoset"] == "0: K|cr"]
    assert len(inside) == 3 and all(near[history["parent"]]["path"] + "~r" == history["path"] for history in inside)


def test_a_position_has_the_figures_of_the_explorer(client, run):
    explorer = td.Explorer(run.strategy)
    path = ask(client, f"/api/explore/leduc-run/infoset?name={quote('0: K|cr')}")["path"]
    position = ask(client, f"/api/explore/leduc-run/at/{quote(path)}")
    expected = explorer.position(path)
    assert position["infoset"] == "0: K|cr"
    assert [action["kind"] for action in position["actions"]] == ["fold", "call", "bet"]
    for action, given in zip(expected.actions, position["actions"], strict=True):
        assert given["share"] == action.share and given["regret"] == pytest.approx(action.regret)
        assert given["values"] == pytest.approx(action.values)
        assert given["name"]["en"] == action.name != given["name"]["ja"]
    assert position["merged"] == [
        {"path": one.path, "probability": pytest.approx(one.probability), "values": pytest.approx(list(one.values))}
        for one in sorted(expected.merged, key=lambda one: -one.probability)
    ]
    table = ask(client, f"/api/explore/leduc-run/public?number={position['public_state']}")
    assert "0: K|cr" in [row["infoset"] for row in table["rows"]]
    assert [action["kind"] for action in table["actions"]] == ["fold", "call", "bet"]


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_a_position_has_the_words_of_both_languages(client, seat):
    """All else of it are the figures of the library."""
    tree = compiled("kuhn")
    explorers = {language: td.Explorer(td.Profile.uniform(tree), language) for language in ("en", "ja")}
    for path in ("-", "J Q", "K Q~p~b", "Q J~b~b"):
        query = "" if seat is None else f"?seat={seat}"
        found = ask(client, f"/api/explore/uniform:kuhn/at/{quote(path)}{query}")
        known = {language: explorer.position(path, seat) for language, explorer in explorers.items()}
        assert found["reach"] == dataclasses.asdict(known["en"].reach) and found["mover"] == known["en"].mover
        for language, one in known.items():
            assert [action["name"][language] for action in found["actions"]] == [each.name for each in one.actions]
            assert [move["name"] and move["name"][language] for move in found["path"]] == [m.name for m in one.path]
            if one.observation:
                assert found["observation"]["hand"][language] == one.observation.hand
                assert found["observation"]["table"][language] == one.observation.table


def test_messages_have_only_the_fields_of_the_page(client):
    """A field that a position of the library gains is not sent."""
    position = ask(client, "/api/explore/uniform:kuhn/at/J%20Q?seat=0")
    assert position.keys() == {
        "mover", "observer", "path", "siblings", "infoset", "mark", "public_state", "observation", "values", "reach",
        "actions", "merged", "merged_count",
    }  # fmt: skip
    assert position["path"][0].keys() == {"mover", "label", "name"} and position["path"][0]["label"] is None
    assert position["actions"][0].keys() == {
        "label", "name", "kind", "share", "values", "counterfactual", "regret", "as_good",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_a_seat_gets_the_same_bytes_at_all_histories_that_it_cannot_tell_apart(client, name):
    tree = compiled(name)
    for seat in range(2):
        for node in range(0, len(tree.player), 1 if name == "kuhn" else 41):
            texts = {
                client.get(f"/api/explore/uniform:{name}/at/{quote(path_of(tree, one))}?seat={seat}").content
                for one in indistinguishable(tree, node, seat)
            }
            assert len(texts) == 1


def test_an_impossible_outcome_of_a_seat_names_a_history_to_move_to(client):
    assert ask(client, "/api/explore/uniform:leduc/at/J%20J~c~c~J?seat=0") == {"moved": "J Q~c~c~J"}
    ask(client, "/api/explore/uniform:leduc/at/J%20J~c~c~J", 400)


def test_strategies_are_made_on_demand_once(client, workspace):
    first = ask(client, "/api/explore/new:kuhn")
    assert first["method"] == "cfr+" and first["nash_conv"] < 1e-3
    assert ask(client, "/api/explore/new:kuhn") == first
    three = ask(client, "/api/explore/uniform:kuhn;players=3")
    assert three["players"] == 3 and three["method"] is None
    assert ask(client, "/api/forms/new:kuhn") == {"representation": "tree"}
    tree = ask(client, f"/api/explore/new:kuhn/tree?infoset={quote('0: K|')}")["histories"]
    assert {history["infoset"] for history in tree if history["label"] in ("K Q", "K J")} == {"0: K|"}


@pytest.mark.parametrize(
    "address",
    [
        "/api/explore/missing",
        "/api/explore/..%2F..%2Fetc",
        "/api/explore/new:games.py:Kuhn",
        "/api/explore/new:efg;path=x",
        "/api/explore/old:kuhn",
        "/api/explore/new:kuhn;players=99",
        "/api/explore/new:kuhn;players",
        "/api/explore/new:goofspiel;cards=13",
        "/api/explore/new:kuhn/at/J%20J",
        "/api/explore/new:kuhn/at/-?seat=7",
        "/api/explore/new:kuhn/at/-?seat=x",
        "/api/explore/new:kuhn/public?number=4",
        "/api/explore/new:kuhn/infoset?name=x",
        "/api/explore/uniform:kuhn/series?infoset=x",
        "/api/step?method=fsp",
        "/api/step?iteration=0",
        "/api/step?at=x",
        "/api/step?game=x.py",
        "/api/step?order=x",
        "/api/step?times=0",
    ],
)
def test_wrong_addresses_are_refused_in_words(client, address):
    response = client.get(address)
    assert response.status_code in (400, 404) and response.json()["error"]


def test_numbers_over_time_are_those_of_the_run(client, run):
    series = ask(client, f"/api/explore/leduc-run/series?infoset={quote('0: K|')}")
    solver = td.make_solver(compiled("leduc"), "cfr+")
    lines = series["average"]["lines"]
    solver.advance(lines[0]["points"][-1][0])
    shares = {line["name"]: line["points"][-1][1] for line in lines}
    assert shares == pytest.approx(solver.average()["0: K|"], abs=1e-15)
    assert [len(line["points"]) for line in series["regrets"]["lines"]] == [len(line["points"]) for line in lines]


def test_runs_of_merged_infosets_and_of_sampling_are_explored(client, workspace):
    tree = compiled("kuhn")
    merged = td.lossless(compiled("leduc", distinct_suits=True))
    td.solve(merged, "cfr+", iterations=20).save(workspace.folder / "merged")
    td.solve(tree, "external", iterations=200, seed=5).save(workspace.folder / "sampled")
    assert ask(client, "/api/explore/merged")["infoset_count"] > 288
    series = ask(client, f"/api/explore/sampled/series?infoset={quote('0: J|')}")
    solver = td.make_solver(tree, "external", seed=5)
    lines = series["average"]["lines"]
    solver.advance(lines[0]["points"][-1][0])
    shares = {line["name"]: line["points"][-1][1] for line in lines}
    assert shares == pytest.approx(solver.average()["0: J|"], abs=1e-15)
    name = ask(client, "/api/explore/merged")["infosets"][0]
    assert ask(client, f"/api/explore/merged/series?infoset={quote(name)}")["average"]


def test_the_first_iteration_of_kuhn_has_the_textbook_regrets(client):
    walk = ask(client, "/api/step?game=kuhn&method=cfr&iteration=1&times=24")
    assert walk["times"] == 24
    scaled = {update["infoset"]: [24 * action["regret"] for action in update["actions"]] for update in walk["infosets"]}
    expected = {"0: J|": 3, "0: Q|": 3, "0: K|": 3, "1: J|b": -2, "1: Q|b": 2, "1: K|b": 6}
    expected |= {"1: J|p": 1, "1: Q|p": 1, "1: K|p": 1, "0: J|pb": -2, "0: Q|pb": 2, "0: K|pb": 6}
    assert scaled == {name: pytest.approx([-number, number], abs=1e-9) for name, number in expected.items()}
    assert len(walk["histories"]) == 55
    first = td.solvers.trace(compiled("kuhn")).histories
    for shown, history in zip(walk["histories"], first, strict=True):
        numbers = [history.shares[0], history.own[0], history.others[0], history.values[0]]
        assert [shown[name] for name in ("share", "own", "others", "value")] == numbers


def test_a_walk_around_an_infoset_of_a_larger_game(client):
    walk = ask(client, f"/api/step?game=leduc&method=cfr%2B&iteration=4&order=alternating&at={quote('0: K|cr')}")
    (update,) = walk["infosets"]
    expected = td.solvers.trace(compiled("leduc"), "cfr+", 4).explain("0: K|cr")
    assert walk["player"] == expected.player and walk["order"] == "alternating"
    for name in ("value", "regret", "after", "next", "average"):
        assert [action[name] for action in update["actions"]] == [getattr(each, name) for each in expected.actions]
    assert len(walk["histories"]) < 100 and len(walk["names"]) == 288


def texts(node):
    """The texts of a node of MathML, in order."""
    return [node] if isinstance(node, str) else [text for inner in node[2:] for text in texts(inner)]


def test_formulas_have_the_numbers_of_an_iteration():
    """The first iteration of CFR on Kuhn by hand: the regrets of a jack, times 24, are -3 and 3."""
    tree = compiled("kuhn")
    message = step_message(td.solvers.trace(tree), "0: J|", 24, list(tree.names))
    lines = ["".join(texts(node)) for node in message.formulas["regrets"]]
    assert lines[1].endswith("=\u22123") and lines[4].endswith("=3")
    assert [len(message.formulas[stage]) for stage in ("deal", "reach", "values", "strategy", "average")] == [
        2, 3, 3, 2, 4,
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["a_b", "50 %", r"\frac{1}{0}", "<img src=x>", "{", "x & y", "$1 ^ #2"])
def test_names_in_formulas_are_texts(name):
    node = formulas._node(formulas._equation(formulas._text(name), formulas._number(-2.5e-7)))
    assert "".join(texts(node)).replace("\u00a0", " ") == f"{name}=\u22122.5\u00d710\u22127"


def test_a_stage_without_a_positive_number_is_uniform(client):
    """After one update the first player always bets, so the second one has no regret at a pass."""
    for infoset, uniform in (("1: Q|p", ["strategy"]), ("1: Q|b", [])):
        walk = ask(client, f"/api/step?method=cfr&order=alternating&iteration=1&at={quote(infoset)}")
        assert walk["uniform"] == uniform and bool(walk["formulas"]["strategy"]) == (not uniform)
        (update,) = [update for update in walk["infosets"] if update["infoset"] == infoset]
        assert ({action["next"] for action in update["actions"]} == {0.5}) == bool(uniform)


def test_an_infoset_leads_to_its_likeliest_history(client):
    assert ask(client, "/api/explore/new:kuhn/infoset?name=1%3A+Q%7Cb") == {"path": "K Q~b"}


@pytest.mark.parametrize("seat", [0, 1])
def test_a_whole_tree_is_that_of_the_game(client, seat):
    """Shares below a node add up to 1; a seat gets no path and no hand of others."""
    whole, own = (client.get(f"/api/explore/new:kuhn/whole{query}").json() for query in ("", f"?seat={seat}"))
    assert whole["count"] == own["count"] == len(whole["nodes"]) == 55 > len(own["nodes"])
    for tree in (whole, own):
        below = {}
        for node in tree["nodes"][1:]:
            below[node["parent"]] = below.get(node["parent"], 0) + node["share"]
        assert [*below.values()] == pytest.approx([1] * len(below), abs=1e-6)
        assert tree["nodes"][0]["values"] == pytest.approx([-1 / 18, 1 / 18], abs=1e-3)
    for node in own["nodes"]:
        assert node["path"] is None and (node["hand"] is None) == (node["mover"] != seat)
        assert node["infoset"] is None or node["infoset"].startswith(f"{seat}: ")
    assert client.get("/api/explore/new:leduc/whole").status_code == 400
