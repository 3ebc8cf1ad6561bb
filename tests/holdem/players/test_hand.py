"""Hands as they are played: ranges, re-solved streets, nested bets, decisions from public data alone."""

from collections import Counter

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem.cards import HANDS, hand_number, hand_text, read_cards
from tefuda.holdem.kernels import arrays
from tefuda.holdem.players import agent as agent_module
from tefuda.holdem.players.budget import RIVER_SIZES, TURN_SIZES, Budget
from tefuda.holdem.players.hand import SolvedHand
from tefuda.holdem.players.street import LATE, STAYED, TOO_LARGE, nearest_part
from tefuda.holdem.players.weights import EMPTIED, VANISHED, HandWeights
from tefuda.holdem.spots.spot import make_spot
from tefuda.playing.agents import FixedAgent
from tests.holdem.players import blueprints

ANY = {"bets": "any", "raises": "", "opens": "", "reraises": ""}
START = "r250c/cc/"  # a turn of 500 chips and 1,750 behind
HAND, BOARD = "AhQh", "9d7d5hKs"


def followed(view, seat=0, seconds=0.4, uniform=0.5, **options):
    table = blueprints.table(**ANY)
    hand = SolvedHand(blueprints.settings(seconds, **options), table, seat)
    hand.follow(table.read_view(view, seat), uniform)
    return hand


def test_ranges_are_products_of_probabilities():
    """Before the turn: the product of each player's probabilities, 0 for blocked hands, in proportion."""
    hand, blueprint = followed(f"{HAND}|9d7d5h|r250c/cr500"), blueprints.blueprint()
    graph, ratios = blueprint.policy.game.graph, [[], []]
    for number in range(0, 1326, 60):
        text = hand_text(number)
        if {*HANDS[number].tolist()} & {*read_cards("9d7d5h")}:
            assert not hand.weights.weights[:, number].any()
            continue
        expected = [1.0, 1.0]
        for before, token in (("", "r250"), ("r250", "c"), ("r250c/", "c"), ("r250c/c", "r500")):
            node = graph.node(before)
            board = "9d7d5h" if "/" in before else ""
            shares = blueprint.policy.strategy(0, f"{text}|{board}|{before}", graph.labels[node])
            expected[int(graph.arrays.player[node])] *= shares[graph.labels[node].index(token)]
        for player in (0, 1):
            ratios[player].append(hand.weights.weights[player, number] / expected[player])
    for player in (0, 1):
        assert np.ptp(ratios[player]) < 1e-5 * max(ratios[player])


def test_vanished_ranges_are_replaced_and_counted():
    counts, weights = Counter(), HandWeights.all_hands().after_cards(read_cards("9d7d5h"), Counter())
    same = weights.after_action(0, np.zeros(1326), counts)
    assert same is weights and counts == {VANISHED: 1}
    single = np.zeros(1326)
    single[hand_number(*read_cards("AhQh"))] = 1e-200
    only = weights.after_action(1, single, counts)
    assert only.weights[1].sum() == 1 and only.weights[0].sum() == 49 * 48 / 2
    after = only.after_cards(read_cards("Ah"), counts)
    assert counts == {VANISHED: 1, EMPTIED: 1} and after.weights[1].sum() == 48 * 47 / 2


def test_a_turn_is_solved_with_the_real_pot_and_safely():
    hand = followed(f"{HAND}|{BOARD}|{START}")
    solution = hand.street.solution()
    spot = solution.compiled.spot
    assert (spot.betting.pot, spot.betting.stack, spot.board) == (500, 1750, read_cards(BOARD))
    known = hand.street.root.known(solution.compiled)
    gains = known.root_values(1, arrays.BEST) - solution.root_values(1, arrays.BEST)
    assert gains.min() > -1e-9 and hand.settings.fallbacks[STAYED] == 0


def test_a_bet_that_the_tree_has_changes_nothing():
    """The same amount as a size of the tree or as a size at its node: the same bits."""
    hand = followed(f"{HAND}|{BOARD}|{START}c", seat=1)
    street = hand.street
    street._bets.append(street._bet(0, 1750)._replace(line=("Check",)))
    assert any(action.amount == 1750 for action in _options(street.solution(), "Check"))
    again = followed(f"{HAND}|{BOARD}|{START}c", seat=1)
    assert np.array_equal(street.solution().sums, again.street.solution().sums)


def _options(solution, line):
    return solution.compiled.spot.betting.actions(solution.compiled.position(solution.find(line)))


def test_nested_bets_keep_the_own_earlier_decisions():
    """The opponent raises a check to an amount that no size has; the check is locked as it was played."""
    hand, table = followed(f"{HAND}|{BOARD}|{START}"), blueprints.table(**ANY)
    before = hand.street.decision()
    hand.follow(table.read_view(f"{HAND}|{BOARD}|{START}cr333", 0), 0.5)
    after = hand.street.decision()
    assert set(after) >= {"Fold", "Call"} and hand.street.line == "Check/Bet(333)"
    locked = hand.street.solution().probabilities("")
    for action, share in before.items():
        assert np.nan_to_num(locked[action]) == pytest.approx(np.nan_to_num(share), abs=1e-9)
    reach = hand.street.solution().reach("Check")[0]
    assert reach[reach > 0] == pytest.approx((hand.weights.weights[0] * before["Check"])[reach > 0], abs=1e-9)


@pytest.mark.parametrize("seat, line", [(0, "cr333c/"), (1, "r333r1000c/c"), (0, "cr333r1100c/r177r400")])
def test_decisions_depend_on_public_things_alone(seat, line):
    """Other cards of the player, and a start in the middle of the hand, give the same bits."""
    board = f"{BOARD}2c"
    step_by_step = followed(f"{HAND}|9d7d5h|r250c/", seat, 0.05)
    table, full = blueprints.table(**ANY), START + line
    for length in range(len("r250c/"), len(full) + 1):
        state = None
        try:
            cards = ("9d7d5h", BOARD, board)[full[:length].count("/") - 1]
            state = table.read_view(f"{HAND}|{cards}|{full[:length]}", seat)
        except td.errors.ParameterError:  # in the middle of an amount
            continue
        if state.wagers.mover == seat and step_by_step.precedes(state):
            step_by_step.follow(state, 0.5)
            if step_by_step.street is not None:
                step_by_step.street.decision()
    at_once = followed(f"2d2h|{board}|{full}", seat, 0.05)
    first, second = step_by_step.street.decision(), at_once.street.decision()
    assert list(first) == list(second)
    assert all(np.array_equal(first[name], second[name], equal_nan=True) for name in first)


def test_the_budget_takes_the_richest_sizes_that_fit():
    def make(sizes):
        spot = make_spot(BOARD, 500, 1750, "*", "*", "a", "a")
        betting = spot.betting
        return type(spot)(spot.board, type(betting)(500, 1750, (betting.streets[0], *sizes)), spot.ranges)

    assert Budget(100.0).choose(make) == TURN_SIZES[0]
    assert Budget(0.4).choose(make) in TURN_SIZES[1:] and Budget(1e-6).choose(make) is None
    assert Budget(100.0, memory=3e7).choose(make) in TURN_SIZES[1:]
    assert Budget(100.0).choose(make, [RIVER_SIZES[-1]]) == RIVER_SIZES[-1]
    rich, poor = (Budget(seconds).iterations(make(TURN_SIZES[-1])) for seconds in (100.0, 1e-6))
    assert rich == 2 * poor
    with pytest.raises(td.errors.ParameterError) as error:
        Budget(-1.0)
    assert error.value.key == "seconds"


def test_budgets_that_fit_nothing_and_late_clocks_are_counted():
    hand = followed(f"{HAND}|{BOARD}|{START}", seconds=1e-6)
    assert hand.street is None and +hand.settings.fallbacks == {TOO_LARGE: 1}
    late = followed(f"{HAND}|{BOARD}|{START}", seconds=0.4)
    late.street.budget = Budget(1e-9)
    solution = late.street.solution()
    assert late.settings.fallbacks[LATE] == 1 and late.settings.fallbacks[STAYED] == 1
    assert np.array_equal(solution.sums, late.street.root.known(solution.compiled).sums)


def test_the_nearest_part_of_a_line():
    known = ["Check", "Bet(100)", "AllIn(900)"]
    found = [nearest_part(part, known) for part in ("Bet(120)", "AllIn(901)", "Check", "Call")]
    assert found == ["Bet(100)", "AllIn(900)", "Check", "Check"]


class Amounts(FixedAgent):
    """Random legal amounts, small ones more often."""

    name = "amounts"

    def act(self, decision):
        call, number = decision.actions.index("c"), decision.uniform
        raises = len(decision.actions) - call - 1
        return call if number < 0.5 or not raises else call + 1 + int(raises * (2 * number - 1) ** 4)


@pytest.mark.parametrize(
    "seconds, deals, changes",
    [(0.0, 40, {}), (0.0, 15, {"ante": 10}), (0.0, 15, {"stacks": [700, 2600]}), (0.02, 6, {})],
)
def test_hands_of_random_amounts(monkeypatch, seconds, deals, changes):
    """No crash, no illegal action, no empty range; odd stacks and antes are scaled."""
    ranges = []

    class Watched(SolvedHand):
        def follow(self, state, uniform):
            super().follow(state, uniform)
            ranges.append(self.weights.weights.any(axis=1).all())

    monkeypatch.setattr(agent_module, "SolvedHand", Watched)
    agent = blueprints.agent(seconds, scale=bool(changes))
    match = td.duplicate_match(blueprints.table(**ANY, **changes), [agent, Amounts()], deals=deals, seed=2)
    assert match.payoffs.shape == (2, deals, 2) and np.isfinite(match.payoffs).all()
    assert len(ranges) >= deals and all(ranges)
