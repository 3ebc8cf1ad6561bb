"""Blueprints as strategies of hands: twins that ask the policy hand by hand; mapped amounts."""

import numpy as np
import pytest

from tefuda.holdem.cards import HANDS, card_text, hand_text, mask_of, read_cards
from tefuda.holdem.hands.hand import replay
from tefuda.holdem.players.blueprint import Place, TableAction, drawn, table_action
from tefuda.holdem.rank import SETS
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.spot import make_spot
from tests.holdem.players import blueprints

BOARD = read_cards("9d 7d 5h Ks 2c")
FREE = np.flatnonzero((SETS & np.uint64(mask_of(BOARD))) == 0)


def place_of(line):
    """Follow a line whose amounts are all in the graph."""
    blueprint, place = blueprints.blueprint(), blueprints.blueprint().start
    for before, token in replay(blueprints.table().rules, line):
        if token != "/":
            number = blueprint.mapped(place, table_action(blueprints.table().rules, before, token), 0.5)
            place = blueprint.after(place, number)
    return place


def policy_at(view):
    """Return the policy's probabilities in rising order of the amounts."""
    policy = blueprints.blueprint().policy
    graph = policy.game.graph
    return policy.strategy(0, view, graph.labels[graph.node(view.split("|")[2])])


def test_amounts_are_mapped_to_actions():
    blueprint = blueprints.blueprint()
    first = place_of("r250c/")  # check, pot, all-in
    known = blueprint.actions(first)
    assert [action.kind for action in known] == [1, 2, 2]
    assert [action.share for action in known] == pytest.approx([0, 1, 3.5]) and known[-1].all_in
    assert blueprint.mapped(first, TableAction(1), 0.0) == 0
    assert [blueprint.mapped(first, TableAction(2, share), 0.0) for share in (0.01, 1.0, 9.0)] == [1, 1, 2]
    assert blueprint.mapped(first, TableAction(2, 0.4, True), 0.0) == 2
    split = (3.5 - 2) * (1 + 1) / ((3.5 - 1) * (1 + 2))  # Ganzfried and Sandholm 2013
    assert [blueprint.mapped(first, TableAction(2, 2.0), split + gap) for gap in (-1e-9, 1e-9)] == [1, 2]
    assert blueprint.mapped(Place(-1, 0.0), TableAction(1), 0.5) == -1
    assert 0 <= drawn(0.999999) < 1 and drawn(0.3) != drawn(0.3 + 2.0**-21)


@pytest.mark.parametrize("line", ["", "r250", "r250c/c", "cc/r200c/", "r250r750c/cc/c", "cc/cc/r200c/c"])
def test_shares_are_those_of_the_policy(line):
    blueprint = blueprints.blueprint()
    street = line.count("/")
    board = BOARD[: (0, 3, 4, 5)[street]]
    shares = blueprint.shares(place_of(line), board)
    blocked = (SETS & np.uint64(mask_of(board))) != 0
    assert (shares[:, blocked] == 0).all() and shares[:, ~blocked].sum(axis=0) == pytest.approx(1, abs=1e-6)
    for hand in FREE[::97].tolist():
        view = f"{hand_text(hand)}|{''.join(map(card_text, board))}|{line}"
        expected = policy_at(view)
        assert shares[:, hand] == pytest.approx(expected, abs=1e-6)


def test_below_a_turn_the_spot_plays_the_blueprint():
    """The same sizes: every decision of the spot has the policy's probabilities, on all rivers."""
    blueprint, start = blueprints.blueprint(), "r250c/cc/"
    spot = make_spot("9d7d5hKs", 500, 1750, "*", "*", "100,a", "a")
    strategy = blueprint.below(place_of(start), compile_spot(spot))
    lines = {
        "": "", "Check/Bet(500)": "cr500", "Bet(500)/AllIn(1750)": "r500r1750", "Check/Check/2c": "cc/",
        "Bet(500)/Call/Ad/Check": "r500c/c", "Check/Bet(500)/Call/Jh/Check/AllIn(1250)": "cr500c/cr1250",
    }  # fmt: skip
    for line, betting in lines.items():
        cards = "".join(part for part in line.split("/") if len(part) == 2)
        for hand in FREE[::131].tolist():
            if {*HANDS[hand].tolist()} & {*read_cards(cards)}:
                continue
            view = f"{hand_text(hand)}|9d7d5hKs{cards}|{start}{betting}"
            expected = policy_at(view)
            found = [float(share[hand]) for share in strategy.probabilities(line).values()]
            assert found == pytest.approx(expected, abs=1e-6), view


def test_other_sizes_take_the_nearest_and_nothing_is_over():
    """A third of the pot has no counterpart; where the blueprint is over, hands check and call."""
    spot = make_spot("9d7d5hKs", 500, 1750, "*", "*", "33,100,a", "a")
    strategy = blueprints.blueprint().below(place_of("r250c/cc/"), compile_spot(spot))
    shares = strategy.probabilities("")
    assert not np.nan_to_num(shares["Bet(165)"]).any() and np.nan_to_num(shares["Bet(500)"]).any()
    passive = blueprints.blueprint().below(Place(-1, 0.0), compile_spot(spot))
    assert passive.frequencies("") == pytest.approx({"Check": 1, "Bet(165)": 0, "Bet(500)": 0, "AllIn(1750)": 0})
    assert np.nanmin(passive.probabilities("Check/Bet(500)")["Call"]) == 1
