"""Nothing hidden goes over the wire: twins, canaries, and planted leaks that the same tests catch."""

import pytest

import tefuda as td
from tefuda.apps.web import players
from tefuda.apps.web.routes import play
from tefuda.games import catalogue
from tests.apps.web.wire import (
    CARD,
    Wire,
    differences,
    gaining,
    holdem_canary,
    leduc_canary,
    recorded,
    same_names,
    stacked,
)

LEDUC = {"game": "leduc", "parameters": {"distinct_suits": True}, "opponents": ["always-call"], "mode": "after"}
HOLDEM = {"game": "holdem", "parameters": {}, "opponents": ["caller"]}
BOARD = ["9d", "7d", "5h", "2c", "Jc"]
#: For each game: a setup, and pairs of outcomes that differ only in cards that the person does not see.
TWINS = {
    "leduc": (LEDUC, [([("Ks", own), "Qs"], [("Ks", other), "Qs"]) for own, other in (("Kh", "Jh"), ("Qh", "Js"))]),
    "leduc with a blind opponent": (
        {**LEDUC, "opponents": ["uniform"]},
        [([("Js", "Kh"), "Jh"], [("Js", "Qs"), "Jh"])],
    ),
    "holdem": (
        HOLDEM,
        [
            (["As", "Kd", *own, *BOARD], ["As", "Kd", *other, *BOARD])
            for own, other in ((("Ah", "Ad"), ("3c", "4s")), (("Qs", "Qh"), ("9h", "9c")))
        ],
    ),
}
LAST, FIRST = (lambda actions: actions[-1]), (lambda actions: actions[0])


def hand(tmp_path, monkeypatch, setup, outcomes, choose, folder):
    with monkeypatch.context() as patch:
        same_names(patch)
        stacked(patch, outcomes)
        return recorded(tmp_path / folder, setup, choose=choose)


def twin_differences(tmp_path, monkeypatch, setup, pair, choose):
    first, second = (hand(tmp_path, monkeypatch, setup, pair[i], choose, f"{i}") for i in (0, 1))
    assert len(first) == len(second) > 1
    return differences(first, second)


@pytest.mark.parametrize("choose", [FIRST, LAST], ids=["first", "last"])
@pytest.mark.parametrize(
    "setup, pair",
    [(setup, pair) for setup, pairs in TWINS.values() for pair in pairs],
    ids=[f"{name} {number}" for name, (_, pairs) in TWINS.items() for number in range(len(pairs))],
)
def test_hands_that_differ_in_hidden_cards_give_equal_bytes(tmp_path, monkeypatch, setup, pair, choose):
    """Until cards are shown, all answers are equal: states, hints, errors, lists, reviews, headers."""
    assert twin_differences(tmp_path, monkeypatch, setup, pair, choose) == []


def hidden_card(table):
    """Return a card of the opponent in the current hand, from the session itself."""
    labels, seat = table.session.history.labels, 1
    return labels[0][seat] if isinstance(labels[0], tuple) else labels[2 * seat]


LEAKS = {
    "name": hidden_card,
    "id": lambda table: "23456789TJQKA".index(hidden_card(table)[0]),
    "length": lambda table: " " * "23456789TJQKA".index(hidden_card(table)[0]),
}


@pytest.mark.parametrize("leak", LEAKS)
@pytest.mark.parametrize("name", ["leduc", "holdem"])
def test_planted_leaks_are_caught(tmp_path, monkeypatch, name, leak):
    """A message that gains a hidden card as a name, as a number or as a length fails the test of twins."""
    original = play.table_message

    def leaking(table):
        during = table.session.pending is not None
        return gaining(original(table), LEAKS[leak](table) if during else None)

    monkeypatch.setattr(play, "table_message", leaking)
    setup, pairs = TWINS[name]
    assert twin_differences(tmp_path, monkeypatch, setup, pairs[0], FIRST)


#: For each game: a number of hands, and moves of an opponent by its seat, of which the person sees equal results.
MOVES = {
    "rps": (2, {0: "rock", 1: "rock"}, {0: "paper", 1: "rock"}),  # in the second hand the opponent moves first
    "goofspiel": (1, {1: [1, 2, 3]}, {1: [2, 1, 3]}),  # bids stay hidden, and the person bids 4, 3, 2
}


def hidden_moves(folder, monkeypatch, game, hands, moves):
    """Return the steps of some hands against given moves, without the end of the last hand."""

    def move(player, view, actions):
        known = moves[player]
        return known if isinstance(known, str) else next(bid for bid in known if bid in actions)

    with monkeypatch.context() as patch:
        made = players._agent
        scripted = td.ScriptedAgent("random", move)
        patch.setattr(players, "_agent", lambda *given: scripted if given[-1] == "random" else made(*given))
        same_names(patch)
        setup = {"game": game, "parameters": {}, "opponents": ["random"], "mode": "after"}
        return recorded(folder, setup, hands, choose=lambda actions: actions[-1])[:-1]


@pytest.mark.parametrize("leaks", [False, True], ids=["as sent", "planted"])
@pytest.mark.parametrize("game", MOVES)
def test_hidden_moves_give_equal_bytes(tmp_path, monkeypatch, game, leaks):
    """All answers before the end are equal, though the moves differ; a planted leak is caught."""
    original = play.table_message
    if leaks:
        monkeypatch.setattr(
            play, "table_message", lambda table: gaining(original(table), str(table.session.history.labels))
        )
    hands, *both = MOVES[game]
    first, second = (
        hidden_moves(tmp_path / f"{number}", monkeypatch, game, hands, moves) for number, moves in enumerate(both)
    )
    assert len(first) == len(second) > 2
    assert any(answers != others for (_, answers), (_, others) in zip(first, second, strict=True)) == leaks


CANARIES = {"leduc": (leduc_canary, "uniform", "after"), "holdem": (holdem_canary, "random", "off")}


def leaked_names(tmp_path, monkeypatch, name):
    """Return the cards that were sent before the person could see them, over 12 hands."""
    make, opponent, mode = CANARIES[name]
    canary = make()
    monkeypatch.setitem(catalogue.GAMES, "canary", catalogue.ListedGame(f"tests.apps.web.wire:{make.__name__}"))
    setup = {"game": "canary", "parameters": {}, "opponents": [opponent], "mode": mode}
    leaked, seen = set(), 0
    for state, answers in recorded(tmp_path, setup, 12, lambda actions: actions[len(actions) // 2]):
        visible = [
            state["picture"]["hand"],
            state["picture"]["table"],
            *([] if not state["end"] else state["end"]["shown"]),
        ]
        allowed, text = canary.names(f"{visible}"), "".join(answer.text for answer in answers)
        assert allowed and not CARD.fullmatch(canary.secret)
        seen += len(canary.names(text))
        leaked |= canary.names(text) - allowed
    assert seen > 24
    return leaked


@pytest.mark.parametrize("name", CANARIES)
def test_names_of_hidden_cards_do_not_leave_the_server(tmp_path, monkeypatch, name):
    """No answer has the name of a card before it is in the person's view or is shown."""
    assert leaked_names(tmp_path, monkeypatch, name) == set()


@pytest.mark.parametrize("name", CANARIES)
def test_canaries_catch_a_planted_name(tmp_path, monkeypatch, name):
    original = play.table_message

    def leaking(table):
        labels = table.session.history.labels
        return gaining(original(table), labels[:1] and str(hidden_card(table)))

    monkeypatch.setattr(play, "table_message", leaking)
    assert leaked_names(tmp_path, monkeypatch, name)


def test_the_seed_does_not_leave_the_server_before_the_end(tmp_path):
    """No answer has the seed, decimal or hexadecimal."""
    seed = 8_213_987_112_345_671
    wire = Wire(tmp_path, seed)
    state = wire.send("/api/tables", LEDUC)
    for _ in range(20):
        wire.probe(state)
        what = ("next", {}) if state["end"] else ("act", {"action": 0})
        state = wire.send(f"/api/tables/{state['id']}/{what[0]}", {"version": state["version"], **what[1]})
    text = "".join(answer.text for answer in wire.answers)
    assert str(seed) not in text and f"{seed:x}" not in text
    over = wire.send(f"/api/tables/{state['id']}/leave", {"version": state["version"]})
    assert over["seed"] == str(seed)
