"""Re-solved streets: against gadgets over the generic tree, evaluated exactly, with other sizes."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import tefuda as td
from tefuda.evaluating.regret import match_regrets
from tefuda.holdem.cards import HANDS, card_text, hand_text
from tefuda.holdem.kernels import arrays
from tefuda.holdem.spots.compiled import START, compile_spot
from tefuda.holdem.spots.game import SpotGame
from tefuda.holdem.spots.solver import DEFAULT, HandSolver, evaluate_strategy
from tefuda.holdem.spots.spot import make_spot
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.spots.subgame import (
    GADGETS,
    CFRDHandGadget,
    GadgetSolver,
    HandGadget,
    MaxMarginHandGadget,
    _hand_gadget,
    compile_root,
    insert,
    insert_streets,
    resolve_root,
    resolve_street,
    translate_solution,
)
from tests.holdem.known_spots import tiny

#: A deck of twelve cards from the turn on; any two hands are connected through others.
SPOT = {
    "board": "2c 3c 4d 2h", "deck": "2c3c4c5c2d3d4d5d2h3h4h5h", "pot": 10, "stack": 20, "oop": "55,54:0.5",
    "ip": "44:0.7,53,43", "bets": "50%,a", "raises": "a",
}  # fmt: skip
LINES = ("Check/Check", "Bet(5)/Call", "Check/Bet(5)/Call")
TOLERANCE = 2e-3  # chips per game: the error of some hundred iterations


def solved(iterations, **changes):
    solver = HandSolver(compile_spot(make_spot(**{**SPOT, **changes})))
    solver.advance(iterations)
    return solver.average()


@cache
def blueprint():
    found = solved(4)
    game = SpotGame(found.compiled.spot)
    tree = td.compile_game(game)
    return found, game, tree, td.Profile.from_function(tree, found.strategy)


def in_the_tree(line, player, gadget):
    """Re-solve the same street in the generic tree by linear programming; values by hand."""
    _, game, tree, profile = blueprint()
    number = next(
        n for n in range(len(tree.player)) if tree.player[n] >= 0 and tree.state(n).done == tuple(line.split("/"))
    )
    mover = int(tree.player[number])
    again = td.resolve(profile, f"{mover}: {game.view(tree.state(number), mover)}", gadget, player=player)
    hands = [seat.split(": ")[1].split("|")[0] for seat in again.augmented_infosets]
    return again, hands


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("gadget", GADGETS)
def test_as_in_the_generic_tree(player, gadget):
    """Limits equal those of the tree; margins and CFR-D values equal those of linear programs."""
    for line in ("Check/Check/5c", "Bet(5)/Call/3h"):
        wanted, hands = in_the_tree(line, player, gadget)
        mine = resolve_street(blueprint()[0], line, player, gadget, iterations=600)
        rows = [next(h for h in range(len(HANDS)) if hand_text(h) == name) for name in hands]
        there = wanted.reach > 0
        assert mine.before[rows][there] == pytest.approx(wanted.before[there], abs=1e-9)
        assert np.isfinite(mine.before).sum() == there.sum()
        if gadget == "max-margin":
            assert wanted.margin - TOLERANCE < mine.margin < wanted.margin + 1e-9
        if gadget == "cfr-d":
            both = [np.maximum(one.before, one.after) for one in (mine, wanted)]
            assert -1e-9 < np.nansum(both[0]) - both[1][there].sum() < TOLERANCE


@pytest.mark.parametrize("gadget", GADGETS)
@pytest.mark.parametrize("iterations", [1, 30])
def test_the_whole_is_never_easier_to_exploit(gadget, iterations):
    """Re-solving every river of every line for both players is safe at any number of iterations."""
    found = blueprint()[0]
    deck = [card for card in found.compiled.spot.deck if card not in found.compiled.spot.board]
    before, rose = evaluate_strategy(found)[1], []
    for line in LINES[: 1 + (iterations > 1)]:
        streets = [
            resolve_street(found, f"{line}/{card_text(card)}", player, gadget, iterations=iterations)
            for card in deck
            for player in (0, 1)
        ]
        after = evaluate_strategy(insert_streets(found, streets))[1]
        rose.append(after - before)
        taken = sum(one.accepted for one in streets)
        if gadget != "unsafe":
            assert after <= before + 1e-9 and all(one.margin >= -1e-9 for one in streets)
        if gadget == "max-margin" and iterations == 30:
            assert taken > len(streets) / 2 and after < before - 0.01
    if gadget == "unsafe" and iterations == 1:
        assert max(rose) > 0.1


def test_solved_to_the_end_nothing_is_gained():
    """Against an equilibrium nothing is gained, and a safe gadget loses nothing."""
    found = solved(1500)
    mine = [resolve_street(found, "Check/Check/5c", player, "max-margin", iterations=400) for player in (0, 1)]
    assert all(-1e-12 <= one.margin < TOLERANCE and one.total_gain < 0.05 for one in mine)


def test_other_sizes():
    """A river of one size re-solved with three is evaluated in the finer game."""
    found = blueprint()[0]
    for player in (0, 1):
        fine = resolve_street(found, "Check/Check/5c", player, bets="33%,75%,a", raises="50%,a", iterations=300)
        assert fine.margin >= 0
        shares = fine.strategy.probabilities("")
        assert list(shares) == ["Check", "Bet(3)", "Bet(8)", "AllIn(20)"]
        with pytest.raises(td.errors.ParameterError, match="sizes"):
            insert_streets(found, [fine])
    deeper = make_spot(**{**SPOT, "river_bet": "33%,75%,a", "river_raise": "50%,a"})
    solver = HandSolver(compile_spot(deeper))
    known = translate_solution(found, solver.compiled)
    before = evaluate_strategy(known)[1]
    streets = [
        resolve_street(known, f"Check/Check/{card}", player, iterations=60)
        for card in ("5c", "3d", "5h")
        for player in (0, 1)
    ]
    assert evaluate_strategy(insert_streets(known, streets))[1] < before - 1e-3 and any(one.accepted for one in streets)


def test_lifting_into_the_same_sizes_changes_nothing():
    found = blueprint()[0]
    again = translate_solution(found, found.compiled)
    for line in ("", "Check/Bet(5)", "Bet(5)/Call/3h", "Check/Check/5c/Bet(5)"):
        for action, shares in found.probabilities(line).items():
            own = found.reach(line)[found.player(line)] > 0
            assert again.probabilities(line)[action][own] == pytest.approx(shares[own], abs=1e-6)
    assert evaluate_strategy(again)[1] == pytest.approx(evaluate_strategy(found)[1], abs=1e-6)


def test_sizes_become_the_nearest():
    """33 % and 75 % of the pot become 50 %, 200 % becomes all-in; without bets, hands check and call."""
    found = blueprint()[0]
    finer = make_spot(**{**SPOT, "board": "2c 3c 4d 2h", "turn_bet": "33%,75%,190%,a"})
    known = translate_solution(found, HandSolver(compile_spot(finer)).compiled)
    mine, theirs = known.probabilities(""), found.probabilities("")
    assert list(mine) == ["Check", "Bet(3)", "Bet(8)", "Bet(19)", "AllIn(20)"]
    own = found.compiled.spot.weights[0] > 0
    assert mine["Bet(8)"][own] + mine["Bet(3)"][own] == pytest.approx(theirs["Bet(5)"][own], abs=1e-6)
    assert (
        mine["AllIn(20)"][own] == pytest.approx(theirs["AllIn(20)"][own], abs=1e-6) and not mine["Bet(19)"][own].any()
    )
    facing = known.probabilities("Bet(8)")
    opponent = found.compiled.spot.weights[1] > 0
    assert facing["Call"][opponent] == pytest.approx(found.probabilities("Bet(5)")["Call"][opponent], abs=1e-6)
    passive = translate_solution(solved(2, bets="", raises=""), HandSolver(compile_spot(finer)).compiled)
    assert (passive.probabilities("Bet(8)")["Call"][opponent] == 1).all() and (
        passive.probabilities("")["Check"][own] == 1
    ).all()


def test_isomorphic_suits():
    """After a card that represents another, d and h are isomorphic and solved once."""
    solver = HandSolver(compile_spot(tiny(stack=5, oop="43,42:0.5,5c4d:0.5,5c4h:0.5", ip="3d3h,44,52")))
    solver.advance(3)
    found = solver.average()
    for line, cards in (("Check/Check/3d", ("2h", "5c")), ("Check/Check/3h", ("2d", "5c"))):
        again = resolve_street(found, line, 0, "unsafe", iterations=60)
        whole = insert_streets(found, [again])
        assert found.find(line).context == found.find("Check/Check/3d").context
        for below in ("", *(f"/Check/Check/{card}" for card in cards)):
            wanted = again.strategy.probabilities(below.removeprefix("/"))
            own = again.strategy.reach(below.removeprefix("/"))[0] > 0
            assert own.any()
            for action, shares in whole.probabilities(line + below).items():
                assert shares[own] == pytest.approx(wanted[action][own], abs=1e-12)
        assert np.array_equal(whole.probabilities("")["Check"], found.probabilities("")["Check"], equal_nan=True)


def test_a_resolved_street_pays_as_a_spot_of_its_own():
    """The street has the ranges that reach it, so ends pay as in a spot with these ranges."""
    again = resolve_street(blueprint()[0], "Check/Check/5c", 0, iterations=20)
    alone = compile_spot(again.strategy.compiled.spot)
    assert again.strategy.compiled.form.payoffs == pytest.approx(alone.form.payoffs, rel=1e-12)


@pytest.mark.parametrize(
    "changes, why",
    [
        ({"line": "Check/Check"}, "no street starts"),
        ({"line": ""}, "no street starts"),
        ({"gadget": "reach"}, "gadget is 'reach'"),
        ({"player": 2}, "player is 2"),
        ({"iterations": 0}, "iterations is 0"),
        ({"bets": "70q"}, "bets: '70q'"),
        ({"raises": "2%,x"}, "raises: 'x'"),
        ({"slack": 2.0}, "slack is 2"),
    ],
)
def test_refused(changes, why):
    with pytest.raises(td.errors.ParameterError, match=why):
        resolve_street(**{"blueprint": blueprint()[0], "line": "Check/Check/5c", "player": 0, **changes})


def test_rake_is_refused_by_safe_gadgets():
    raked = solved(2, rake_rate=0.1)
    with pytest.raises(td.errors.ParameterError, match="zero-sum"):
        resolve_street(raked, "Check/Check/5c", 0)
    assert resolve_street(raked, "Check/Check/5c", 0, "unsafe", iterations=5).accepted


def test_players_with_zero_reach():
    """An unreached street cannot be re-solved for its player; an absent opponent may have any range."""
    found = solved(3)
    sums, block = found.sums.copy(), found.compiled.block(0, 0, 0)
    sums[block] = 0
    sums[block][: len(found.compiled.weights[0])] = 1  # OOP always checks
    checks = type(found)(found.compiled, sums)
    with pytest.raises(td.errors.ParameterError, match="never reaches"):
        resolve_street(checks, "Bet(5)/Call/5c", 0)
    again = resolve_street(checks, "Bet(5)/Call/5c", 1, iterations=50)
    assert again.accepted and again.margin >= -1e-12
    assert again.strategy.value(0, arrays.BEST) >= again.strategy.value(0)


def test_hands_that_enter():
    """CFR-D hands follow if they gain more than their payoff; max-margin picks the hand that gains most."""
    rule, payoffs = np.ones(4), np.array([1.0, 1.0, 1.0])
    leaving = CFRDHandGadget(np.array([1.0, 0.5, 0.5]), payoffs)
    leaving.learn(np.array([2.0, 0.0, 3.0]), rule)
    assert leaving.entry_weights.tolist() == [1, 0, 0.5]
    picking = MaxMarginHandGadget(np.array([1.0, 0.1, 1.0]), payoffs, np.array([True, True, False]))
    assert picking.entry_weights.tolist() == [0.5, 0.05, 0]
    picking.learn(np.array([2.0, 6.0, 9.0]), rule)  # gains of 1, of 5 a tenth of the time, and of an absent hand
    assert picking.entry_weights.tolist() == [1, 0, 0]


def test_locks_are_those_of_the_street():
    """A lock on the river applies to its street; locks elsewhere do not."""
    found = solved(4, locks=["Check/Check/5c/Check = Check", "Bet(5)/Call/3h = Check"])
    again = resolve_street(found, "Check/Check/5c", 1, iterations=100)
    assert [lock.line for lock in again.strategy.compiled.spot.locks] == ["Check"]
    checks, own = again.strategy.probabilities("Check")["Check"], again.strategy.compiled.spot.weights[1] > 0
    after = evaluate_strategy(insert_streets(found, [again]))[1]
    assert (checks[own] == 1).all() and after <= evaluate_strategy(found)[1] + 1e-9


RULE = np.array([0.25, 0.5, 1.0, 1.0])  # positive regrets fade to a quarter, negative ones to a half


def test_regrets_of_gadgets_fade_by_their_sign():
    leaving = CFRDHandGadget(np.ones(2), np.array([1.0, 3.0]))
    leaving.learn(np.array([2.0, 2.0]), RULE)  # half of both remains: 1.5 and 2.5
    assert leaving.regrets == pytest.approx(np.array([[0.125, -0.25], [-0.25, 0.125]]))
    assert leaving.entry_weights == pytest.approx([1, 0])
    picking = MaxMarginHandGadget(np.ones(2), np.array([1.0, 3.0]), np.ones(2, dtype=bool))
    picking.learn(np.array([2.0, 2.0]), RULE)  # it gains 1 and loses 1, with equal weights
    assert picking.regrets == pytest.approx([0.25, -0.5]) and picking.entry_weights == pytest.approx([1, 0])


@pytest.mark.parametrize("player", [0, 1])
def test_the_opponent_learns_before_the_player(player):
    """After an iteration the player's average is its first strategy, the opponent's the response to it."""
    compiled = compile_spot(make_spot(**{**SPOT, "board": "2c 3c 4d 2h 5c"}))
    solver = GadgetSolver(compiled, DEFAULT, player, HandGadget(compiled.weights[1 - player]))
    solver.advance(1)
    found = solver.average()
    lines = {0: "", 1: "Check"}
    for one, line in lines.items():
        chosen = np.stack(list(found.probabilities(line).values()))
        chosen = chosen[:, np.isfinite(chosen).all(axis=0)]
        even = np.abs(chosen - 1 / len(chosen)).max()
        assert even < 1e-6 if one == player else even > 0.1


@pytest.mark.parametrize("slack", [0.0, 1e-3, 0.2])
def test_slack_lowers_alternative_payoffs(slack):
    """Slack lowers the alternative payoffs by a share of the pot, weighted by compatible hands."""
    compiled = compile_spot(make_spot(**{**SPOT, "board": "2c 3c 4d 2h 5c"}))
    spot, before = compiled.spot, np.arange(1.0, 1 + len(compiled.weights[1]))
    top = _hand_gadget("cfr-d", compiled, 0, spot.ranges[1], before, slack * spot.betting.pot)
    assert compiled.weights[1] @ (before - top.payoffs) == pytest.approx(slack * spot.betting.pot, abs=1e-12)
    assert _hand_gadget("max-margin", compiled, 0, spot.ranges[1], before, slack).payoffs is before


@pytest.mark.parametrize("line", ["", "Check/Check", "Bet(5)/Call"])
def test_copies_of_the_same_sizes(line):
    """A street with the same sizes is copied: node by node the same strategies as translated ones."""
    known = solved(7, board="2c 3c 4d", deck="2c3c4c5c2d3d4d5d2h3h4h", oop="55,54:0.5", ip="44:0.7,53,43")
    cards = ["2h", "5d"] if line else [""]
    for card in cards:
        full = f"{line}/{card}".strip("/")
        spot = known.spot_after(full) if line else known.compiled.spot
        for isomorphism in (True, False):
            compiled = compile_spot(spot, isomorphism)
            copied, sums = known.copied_to(compiled, full), np.zeros(compiled.stored)
            insert(known, (0, 1), sums, compiled, START, full)
            wanted = SpotStrategy(compiled, sums)
            for context, street, node in nodes_of(compiled):
                block = compiled.block(context, street, node)
                count = int(compiled.betting.streets[street].count[node])
                one, two = (match_regrets(own.sums[block].reshape(count, -1), axis=0) for own in (copied, wanted))
                assert one == pytest.approx(two, abs=1e-6)
            assert copied.value(0) == pytest.approx(wanted.value(0), abs=1e-6)
    assert known.copied_to(compile_spot(make_spot(**{**SPOT, "bets": "33%,a"})), "Check/Check/2h") is None


def nodes_of(compiled):
    for context, board in enumerate(compiled.contexts):
        street = len(board.board) - len(compiled.spot.board)
        kinds = compiled.betting.streets[street].kind
        yield from ((context, street, node) for node in np.flatnonzero(kinds < arrays.FOLD_0).tolist())


@pytest.mark.parametrize("gadget", GADGETS)
def test_a_street_from_its_root_is_the_same_street(gadget):
    """`resolve_street` is `resolve_root` of the street; a clock that is late keeps the strategy so far."""
    found = solved(4)
    card = next(card_text(card) for card in found.compiled.spot.deck if card not in found.compiled.spot.board)
    line, player = f"Check/Check/{card}", 0
    street = resolve_street(found, line, player, gadget, iterations=120)
    spot = street.strategy.compiled.spot
    opponent = spot.ranges[1]
    everyone = type(opponent)(found.compiled.spot.weights[1]).without(spot.board)
    compiled = compile_root(replace(spot, ranges=(spot.ranges[0], everyone)), opponent)
    known = translate_solution(found, compiled, line)
    slack = 1e-3 * found.compiled.spot.betting.pot
    root = resolve_root(known, player, opponent, gadget, iterations=120, slack=slack)
    assert np.array_equal(root.strategy.sums, street.strategy.sums) and root.accepted == street.accepted
    late = resolve_root(known, player, opponent, gadget, iterations=120, slack=slack, late=lambda: True)
    assert not late.accepted and late.strategy.sums is known.sums and np.array_equal(late.before, late.after)
