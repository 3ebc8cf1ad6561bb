"""Grid, groups and equity curve of a node: sums are the node's figures, equities those of brute force."""

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem.cards import CLASS_OF, CLASSES, HANDS
from tefuda.holdem.made_hands import DRAWS, MADE_HANDS, draws, made_hands
from tefuda.holdem.ranges import compatible_weights
from tefuda.holdem.rank import strength
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.grid import RARE, RangeView
from tefuda.holdem.spots.node import Node
from tefuda.holdem.spots.solver import HandSolver
from tefuda.holdem.spots.spot import make_spot
from tefuda.holdem.spots.strategy import SpotStrategy

RANGES = "QQ-99,AQs,KQs,JTs,T9s,AhKh,76s:0.3", "KK-88,AQ,KQ:0.5,QJs,T9s"
LINES = ("", "Check", "Check/Bet(50)", "Bet(50)/Call/Ts", "Check/Check/2s/Check")


@pytest.fixture(scope="module")
def solved():
    solver = HandSolver(compile_spot(make_spot("Qs Jh 2h 8d", 100, 200, *RANGES, "50%,a", "a")))
    solver.advance(20)
    return solver.average()


@pytest.mark.parametrize("line", LINES)
def test_sums_are_those_of_the_node(solved, line):
    """Frequencies sum to 1, and the means that they weight are the node's, for all groups."""
    node = Node(solved, line)
    for player in (0, 1):
        view = node.hands(player)
        for groups in (view.grid(), view.made_hands(), view.draws()):
            frequency = np.array([group.frequency for group in groups])
            assert frequency.sum() == pytest.approx(1, abs=1e-12)
            for name in ("ev", "equity"):
                figures = np.nan_to_num([getattr(group, name) for group in groups])
                assert frequency @ figures == pytest.approx(getattr(node, name)(player), abs=1e-9)
            if player == node.player:
                for action, share in node.frequencies.items():
                    shares = np.nan_to_num([group.shares[action] for group in groups])
                    assert frequency @ shares == pytest.approx(share, abs=1e-12)
            else:
                assert all(group.shares == {} for group in groups)


@pytest.mark.parametrize("line", LINES)
def test_losses_are_the_regret_of_the_strategy(solved, line):
    """EV is that of the best action plus the losses of the actions taken; the best action loses nothing."""
    node = Node(solved, line)
    best = np.max(list(node.action_evs.values()), axis=0)
    lost = sum(np.nan_to_num(node.shares[action] * (evs - best)) for action, evs in node.action_evs.items())
    view = node.hands()
    assert view.weights @ np.nan_to_num(best + lost) == pytest.approx(node.ev(node.player), abs=1e-9)
    for group in (*view.grid(), *view.made_hands(), *view.draws()):
        assert all(not loss > 0 for loss in group.losses.values())
    for cell in view.grid():
        if len(cell.hands) == 1:
            assert max(cell.losses.values()) == 0


def test_cells_hold_the_hands_of_their_class(solved):
    for line in LINES:
        node = Node(solved, line)
        for player in (0, 1):
            cells, reach = node.hands(player).grid(), node.reach[player]
            assert tuple(cell.name for cell in cells) == CLASSES
            for number, cell in enumerate(cells):
                assert (CLASS_OF[list(cell.hands)] == number).all() and (reach[list(cell.hands)] > 0).all()
            assert sum(len(cell.hands) for cell in cells) == np.count_nonzero(node.hands(player).weights)


def test_weight_is_the_mean_reach_of_the_hands_that_the_board_leaves(solved):
    """QQ has 3 of 6 hands on a board with a queen; 76s has the weight 0.3 of the range."""
    cells = {cell.name: cell for cell in Node(solved).hands().grid()}
    assert cells["QQ"].weight == cells["TT"].weight == 1 and len(cells["QQ"].hands) == 3
    assert cells["76s"].weight == pytest.approx(0.3) and not cells["76s"].rare
    assert cells["AA"].weight == 0 and not cells["AA"].rare and np.isnan(cells["AA"].ev)
    assert cells["AKs"].weight == pytest.approx(0.25)


def test_rare_classes():
    """A class is rare relative to the commonest one: KK has the weight 0.002, QQ 0.003 of that of AA."""
    compiled = compile_spot(make_spot("2c2d2h3c3d", 100, 100, "AA:0.5,KK:0.001,QQ:0.003", "JJ", "a", ""))
    cells = {cell.name: cell for cell in Node(SpotStrategy(compiled, np.zeros(compiled.stored))).hands().grid()}
    assert (cells["AA"].weight, cells["KK"].weight, cells["QQ"].weight) == pytest.approx((1, 0.002, 0.006))
    assert RARE == 0.005 and [name for name, cell in cells.items() if cell.rare] == ["KK"]


@pytest.mark.parametrize("player", [2, -1])
def test_unknown_players(solved, player):
    with pytest.raises(td.errors.ParameterError) as caught:
        Node(solved).hands(player)
    assert caught.value.key == "player"


def test_groups_are_those_of_the_categories(solved):
    node = Node(solved, "Check/Check/2s/Check")
    for groups, names, numbers in (
        (node.hands(1).made_hands(), MADE_HANDS, made_hands(node.cards)),
        (node.hands(1).draws(), DRAWS, draws(node.cards)),
    ):
        assert tuple(group.name for group in groups) == names
        for number, group in enumerate(groups):
            assert group.hands == tuple(np.flatnonzero((numbers == number) & (node.hands(1).weights > 0)).tolist())


def test_river_curve_by_brute_force(solved):
    """Each point of a river's curve is won against every compatible hand of the opponent's range."""
    node = Node(solved, "Bet(50)/Call/Ts")
    for player in (0, 1):
        own, opponent = node.reach[player], node.reach[1 - player]
        points = []
        for hand in np.flatnonzero(own > 0).tolist():
            met = [other for other in np.flatnonzero(opponent > 0).tolist() if not {*HANDS[hand]} & {*HANDS[other]}]
            weight = opponent[met]
            if not weight.sum() > 0:
                continue
            value = strength((*node.cards, *HANDS[hand].tolist()))
            others = np.array([strength((*node.cards, *HANDS[other].tolist())) for other in met])
            won = weight @ ((value > others) + (value == others) / 2)
            points.append((won / weight.sum(), own[hand] * weight.sum()))
        total = sum(weight for _, weight in points)
        shares, equities = node.hands(player).equity_curve()
        assert (np.diff(equities) > 0).all() and (np.diff(shares) > 0).all()
        assert shares[-1] == pytest.approx(1, abs=1e-12)
        for share, equity in zip(shares, equities, strict=True):
            below = sum(weight for own_equity, weight in points if own_equity <= equity + 5e-10)
            assert share == pytest.approx(below / total, abs=1e-9)


@pytest.mark.parametrize("line", LINES)
def test_area_below_the_curve_is_the_equity(solved, line):
    node = Node(solved, line)
    for player in (0, 1):
        shares, equities = node.hands(player).equity_curve()
        assert np.diff(shares, prepend=0) @ equities == pytest.approx(node.equity(player), abs=1e-9)


def test_a_node_that_the_opponent_never_reaches():
    """The strategy is there, weighted by the own range; EV, equity and the curve are unknown."""
    compiled = compile_spot(make_spot("2c2d2h3c3d", 100, 100, "AA,QQ", "KK,JJ:0.5", "a", ""))
    strategy = SpotStrategy(compiled, np.zeros(compiled.stored))
    strategy.sums[: len(compiled.contexts[0].hands[0])] = 1  # OOP checks with all
    node = Node(strategy, "AllIn(100)")
    cells = {cell.name: cell for cell in node.hands().grid()}
    assert (cells["KK"].frequency, cells["JJ"].frequency) == pytest.approx((2 / 3, 1 / 3))
    assert cells["JJ"].weight == 0.5 and cells["KK"].shares["Call"] == cells["JJ"].shares["Call"] == 0.5
    assert np.isnan([cells["KK"].ev, cells["KK"].equity, *cells["KK"].losses.values()]).all()
    assert node.hands().equity_curve().shape == (2, 0)
    bettor = node.hands(0).grid()
    assert sum(cell.frequency for cell in bettor) == 0 and not any(cell.hands or cell.weight for cell in bettor)


def test_weights_are_of_compatible_pairs(solved):
    node = Node(solved)
    view = node.hands(1)
    wanted = node.reach[1] * compatible_weights(node.reach[0])
    assert isinstance(view, RangeView) and view.weights == pytest.approx(wanted / wanted.sum(), abs=1e-15)


def test_probability_of_a_line(solved):
    """A child's probability is its parent's times the action's frequency; cards only block hands."""
    for line in ("", "Check", "Bet(50)/Call/Ts"):
        node = Node(solved, line)
        for action, share in node.frequencies.items():
            child = Node(solved, f"{line}/{action}".lstrip("/"))
            assert child.probability == pytest.approx(node.probability * share, abs=1e-12)
    assert Node(solved).probability == pytest.approx(1, abs=1e-12)
    before = Node(solved, "Bet(50)/Call")
    pairs = 0.0
    total = 0.0
    for card in before.outcomes():
        node = Node(solved, f"Bet(50)/Call/{card}")
        alive = [weights * ~np.isin(HANDS, node.cards).any(axis=1) for weights in solved.compiled.spot.weights]
        weight = alive[0] @ compatible_weights(alive[1])
        pairs, total = pairs + weight, total + weight * node.probability
    assert len(before.outcomes()) == 48 and total / pairs == pytest.approx(before.probability, abs=1e-12)
    assert Node(solved).outcomes() == Node(solved, "Check").outcomes() == ()


def test_bets_are_parts_of_the_pot(solved):
    """After a bet of 50 into 100 the pot is 200 once called, so all-in to 200 raises by 150."""
    assert Node(solved).bets == {"Bet(50)": 0.5, "AllIn(200)": 2.0}
    assert Node(solved, "Bet(50)").bets == {"AllIn(200)": 0.75}
    assert Node(solved, "AllIn(200)").bets == {} == Node(solved, "Bet(50)/Call").bets
