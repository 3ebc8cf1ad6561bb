"""Nodes of a solved spot: EV and equity against the generic tree and another program; rows and nulls."""

import csv

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem.cards import HANDS, hand_text
from tefuda.holdem.equities import equity
from tefuda.holdem.kernels import arrays
from tefuda.holdem.ranges import compatible_weights
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.game import SpotGame
from tefuda.holdem.spots.grid import class_means
from tefuda.holdem.spots.node import Node
from tefuda.holdem.spots.solver import HandSolver
from tefuda.holdem.spots.spot import make_spot
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.spots.subgame import resolve_street
from tests.holdem.known_spots import RIVERS, needs_data, result_of, spot_of, tiny

BY_TEXT = {hand_text(hand): hand for hand in range(len(HANDS))}
LINES = ("", "Check", "Bet(5)/Call/5c", "Bet(5)/Call/3d/Check", "Check/Bet(5)/Raise(15)", "Check/Check/2h/Bet(5)")


def solved(iterations=7, **changes):
    solver = HandSolver(
        compile_spot(tiny(**{"board": "2c 3c 4c 2d", "turn_bet": "50%", "turn_raise": "50%", **changes}))
    )
    solver.advance(iterations)
    return solver.average()


def test_equity_counts_the_cards_of_the_deck():
    """Without bets EV is equity times the pot; turn and river come from the deck of 16 cards."""
    deck = "".join(rank + suit for rank in "AKQJ" for suit in "shdc")
    spot = make_spot("AsKhQd", 100, 100, "AK,JJ:0.5", "QQ,KJ", "", "", deck=deck)
    node = Node(SpotStrategy(compiled := compile_spot(spot), np.zeros(compiled.stored)))
    for player in (0, 1):
        assert node.ev(player) == pytest.approx(100 * node.equity(player), abs=1e-9)
        assert node.evs[player] == pytest.approx(100 * node.equities[player], abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("changes", [{}, {"rake_rate": 0.1, "rake_cap": 3}])
def test_evs_are_those_of_the_tree(changes):
    """EV by hand equals the mean of the generic tree's histories plus the chips bet."""
    found = solved(**changes)
    game = SpotGame(found.compiled.spot)
    tree = td.compile_game(game)
    profile = td.Profile.from_function(tree, found.strategy)
    values, weights = td.evaluating.history_values(profile), td.evaluating.reach(profile)
    states = [tree.state(number) for number in range(len(tree.player))]
    for line in LINES:
        there = [n for n, one in enumerate(states) if one.hands[0] >= 0 and "/".join(one.done) == line]
        assert there or "Raise" in line
        for player in (0, 1):
            wanted, sums = np.zeros(len(HANDS)), np.zeros(len(HANDS))
            for number in there:  # chance's reach and the opponent's
                weight = weights.chance[number] * weights.own[number, 1 - player]
                position = states[number].position
                in_pot = 5 + position.matched + position.amounts[player]
                wanted[states[number].hands[player]] += weight * (values[number, player] + in_pot)
                sums[states[number].hands[player]] += weight
            own, evs = sums > 1e-15, found.evs(player, line)
            assert np.isfinite(evs[own]).all() and evs[own] == pytest.approx(wanted[own] / sums[own], abs=1e-9)


@needs_data
@pytest.mark.parametrize("name", RIVERS)
def test_evs_of_other_programs(name):
    """EV equals that of another program at every node, within its five decimals."""
    spot, given = compile_spot(spot_of(name)), result_of(name)
    strategy = SpotStrategy(spot, np.zeros(spot.stored, np.float32))
    hands = [[BY_TEXT[h] for h in given[f"hands_{p}"].split()] for p in ("oop", "ip")]
    for node in given["nodes"]:
        player, at = ["OOP", "IP"].index(node["player"]), spot.find(node["line"]).node
        table = np.zeros((len(node["actions"]), len(HANDS)))
        table[:, hands[player]] = np.reshape(node["strategy_1e5"], (len(node["actions"]), -1))
        own, row = spot.contexts[0].hands[player], spot.form.contexts[0]
        base = int(row[arrays.BASE + player] + spot.betting.streets[0].before[at] * len(own))
        strategy.sums[base : base + len(own) * len(table)] = table[:, own].ravel()
    compared = 0
    for node in given["nodes"]:
        place = Node(strategy, node["line"])
        comes = place.reach[place.player] @ compatible_weights(place.reach[1 - place.player])
        if node["avg_ev"] is not None and comes > 0.01 * spot.spot.pairs:
            assert place.ev(place.player) == pytest.approx(node["avg_ev"], abs=2e-3), node["line"]
            mixed = sum(np.nan_to_num(place.shares[a]) * np.nan_to_num(ev) for a, ev in place.action_evs.items())
            assert mixed == pytest.approx(np.nan_to_num(place.evs[place.player]), abs=1e-9)
            compared += 1
    assert compared >= 6


def test_rows_and_nulls(tmp_path):
    """A hand without reach has no probabilities, an unreached node no figures: null, never nan."""
    compiled = compile_spot(tiny(board="2c 3c 4c 2d 3h", river_bet="a"))
    found = SpotStrategy(compiled, np.zeros(compiled.stored))
    size = len(compiled.contexts[0].hands[0])
    found.sums[:size] = 1  # OOP checks with all
    node = Node(found, "AllIn(20)")
    assert node.summary(hands=True) | {"hands": 0} == {
        "line": "AllIn(20)", "street": "river", "board": "2c 3c 4c 2d 3h", "player": "IP", "pot": 30, "behind": 0,
        "frequencies": {"Fold": None, "Call": None}, "ev": [None, None], "equity": [None, None],
        "ranges": [0.0, float(compiled.weights[1].sum())], "hands": 0,
    }  # fmt: skip
    rows = node.rows()
    assert len(rows) == len(compiled.weights[1]) and all(row["ev"] is None for row in rows)
    root = Node(found)
    assert root.frequencies == {"Check": 1, "AllIn(20)": 0} and root.actor == "OOP" and root.chips == (10, 20)
    assert Node(found, "Check/Check").actor == "nobody" and Node(found, "Check/Check").frequencies == {}
    root.to_csv(tmp_path / "root.csv")
    with open(tmp_path / "root.csv") as file:
        table = list(csv.DictReader(file))
    assert [row["hand"] for row in table] == [row["hand"] for row in root.rows()]
    assert float(table[0]["Check"]) == 1 and float(table[0]["ev"]) == pytest.approx(root.rows()[0]["ev"])


def test_rows_are_of_possible_hands():
    """Hands with the dealt card have no row; unreached hands have no probabilities."""
    compiled = compile_spot(tiny(board="2c 3c 4c 2d", turn_bet="50%", turn_raise="a"))
    found = SpotStrategy(compiled, np.zeros(compiled.stored))
    held = [row["hand"] for row in Node(found, "Check/Check/5c").rows()]
    whole = [row["hand"] for row in Node(found).rows()]
    assert held == [hand for hand in whole if "5c" not in hand] and len(held) < len(whole)
    found.sums[: len(compiled.contexts[0].hands[0])] = 1  # OOP checks with all
    rows = Node(found, "Bet(5)/AllIn(20)").rows()
    assert [row["probabilities"] for row in rows] == [{"Fold": None, "Call": None}] * len(whole)


def test_means_are_over_compatible_pairs():
    """For weighted ranges that block each other, the mean equity is that of the ranges."""
    ranges = "AA:0.5,QQ:0.25,76s", "AKs,KK:0.3,JJ,QJs:0.6"
    compiled = compile_spot(make_spot("Ts3h2h5c9s", 100, 100, *ranges, "a", ""))
    root = Node(SpotStrategy(compiled, np.zeros(compiled.stored)))
    wanted = equity(*ranges, "Ts3h2h5c9s")
    assert [root.equity(player) for player in (0, 1)] == pytest.approx([wanted.first, wanted.second], abs=1e-12)
    assert np.allclose(root.equities[0], wanted.hands[0], rtol=0, atol=1e-12, equal_nan=True)


def test_indifference_is_named():
    """On the toy river QQ is indifferent between bet and check; IP's call and fold have EV 0."""
    solver = HandSolver(compile_spot(make_spot("2c2d2h3c3d", 100, 100, "AA,QQ", "KK", "a", "a")))
    solver.advance(5000)
    root, facing = Node(solver.average()), Node(solver.average(), "AllIn(100)")
    kings, queens = (hand for hand in map(BY_TEXT.get, ("KsKh", "QsQh")))
    assert facing.equally_good(kings) == ["Fold", "Call"] and root.equally_good(queens) == ["Check", "AllIn(100)"]
    assert facing.ev(0) == pytest.approx(200, abs=0.5) and facing.ev(1) == pytest.approx(0, abs=0.5)
    assert root.equity(0) == pytest.approx(0.5) and root.ev(0) == pytest.approx(75, abs=0.5)
    by_class = class_means(root.reach[0], root.shares["AllIn(100)"])
    assert by_class[0] == pytest.approx(1, abs=1e-3) and by_class[28] == pytest.approx(0.5, abs=0.05)
    assert np.isnan(by_class[1])


def test_equity_is_of_the_reaching_ranges():
    """QQ folds to a bet, so aces meet only kings."""
    compiled = compile_spot(make_spot("2c2d2h3c3d", 100, 100, "KK", "AA,QQ", "a", ""))
    sums = np.zeros(compiled.stored)
    found = SpotStrategy(compiled, sums)
    place, row = found.find("AllIn(100)"), compiled.form.contexts[0]
    base = int(row[arrays.BASE + 1] + compiled.betting.streets[0].before[place.node] * 12)
    ranks = HANDS[compiled.contexts[0].hands[1], 0] >> 2
    sums[base : base + 12], sums[base + 12 : base + 24] = ranks == 10, ranks == 12
    assert Node(found, "AllIn(100)").equity(0) == pytest.approx(0.5)
    after = Node(found, "AllIn(100)/Call")
    assert (after.equity(0), after.ev(0), after.ev(1), after.actor) == (0, 0, 300, "nobody")


def test_the_last_aggressor_is_passed_along():
    """A donk size also applies to the river's own spot and its text."""
    found = solved(river_donk="a", river_bet="50%", bets="a")
    after = {line: found.spot_after(f"{line}/5c") for line in ("Check/Bet(5)/Call", "Bet(5)/Call")}
    whole = {line: list(found.probabilities(f"{line}/5c")) for line in after}
    alone = {
        line: [str(action) for action in SpotGame(spot).spot.betting.actions(spot.betting.root(2))]
        for line, spot in after.items()
    }
    assert whole["Check/Bet(5)/Call"] == ["Check", "AllIn(15)"] == alone["Check/Bet(5)/Call"]
    assert whole["Bet(5)/Call"] == ["Check", "Bet(10)"] == alone["Bet(5)/Call"]
    texts = after["Check/Bet(5)/Call"].texts()
    assert (
        texts["more"]["aggressor"] == "ip"
        and "aggressor" not in make_spot("2c2d2h3c3d", 1, 1, "AA", "KK").texts()["more"]
    )
    again = make_spot(**{k: v for k, v in texts.items() if k != "more"}, **texts["more"])
    wanted = after["Check/Bet(5)/Call"].betting
    assert (again.betting.start, again.betting.streets[2]) == (wanted.start, wanted.streets[2])


@pytest.mark.parametrize(
    "written, canonical",
    [
        ("", ""), ("root", ""), ("check", "Check"), ("bet 5/call/5C", "Bet(5)/Call/5c"),
        (" Check / bet(5) / raise to 15 / call / 3D ", "Check/Bet(5)/Raise(15)/Call/3d"), ("BET5/fold", "Bet(5)/Fold"),
        ("all-in/Call", "AllIn(20)/Call"), ("all in", "AllIn(20)"), ("allin 20", "AllIn(20)"), ("bet 20", "AllIn(20)"),
    ],
)  # fmt: skip
def test_lines_as_people_write_them(written, canonical):
    """Nodes, ranges, boards and re-solved streets are the same for the canonical line."""
    found = solved(2, turn_bet="50%,a", stack=20)
    assert found.compiled.canonical_line(written) == canonical == Node(found, written).line
    for one, other in zip(found.reach(written), found.reach(canonical), strict=True):
        assert np.array_equal(one, other)
    assert found.board(written) == found.board(canonical) and found.find(written) == found.find(canonical)
    if canonical.endswith(("/5c", "/3d")):
        assert found.spot_after(written).texts() == found.spot_after(canonical).texts()
        again, same = (resolve_street(found, line, 0, iterations=2) for line in (written, canonical))
        assert again.line == canonical and np.array_equal(again.strategy.sums, same.strategy.sums)


NOWHERE = [
    "bet 6",
    "raise 5",
    "bet",
    "check/check/fold",
    "Check/Check/2c",
    "che ck",
    "check/check/5c3d",
    "bet " + "9" * 5000,
]


@pytest.mark.parametrize("line", NOWHERE)
def test_lines_that_lead_nowhere(line):
    with pytest.raises(td.errors.ParameterError):
        solved(1).compiled.canonical_line(line)
