"""Spots solved over all hands at once, against other programs, books, and trees of the same games.

The trees share only the betting with the solver: hands are dealt in pairs by rules, compiled, evaluated and solved by
the generic solver. This would reveal a wrong divisor at chance, which the solver's own exploitability cannot.
"""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem.cards import CARDS, HANDS, card_text, cards_text, hand_text
from tefuda.holdem.equities import equity
from tefuda.holdem.kernels import arrays
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.game import SpotGame, holdem
from tefuda.holdem.spots.size import require_room, size_of
from tefuda.holdem.spots.solver import DEFAULT, METHODS, HandMethod, HandSolver, evaluate_strategy
from tefuda.holdem.spots.spot import make_spot
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.suits import permute_hands
from tefuda.solvers.exact.cfr import CFR
from tefuda.solvers.runs.methods import find_method, recorded_method
from tests.conftest import refused
from tests.holdem.known_spots import DATA, RIVERS, needs_data, result_of, spot_of, tiny

BY_TEXT = {hand_text(hand): hand for hand in range(len(HANDS))}
SPOTS = (*RIVERS, "turn_std")


@cache
def compiled(name):
    return compile_spot(spot_of(name))


def centred(strategy):
    pot = strategy.compiled.spot.betting.pot
    return [value - pot / 2 for value in evaluate_strategy(strategy)[0]]


@needs_data
@pytest.mark.parametrize("name", SPOTS)
def test_uniform_profile(name):
    """Sizes, ranges, values and best responses of uniform play agree to all given digits."""
    spot, given = compiled(name), result_of(name)["uniform_profile_float64"]
    uniform = SpotStrategy(spot, np.zeros(spot.stored, np.float32))
    best = [uniform.value(player, arrays.BEST) for player in (0, 1)]
    assert centred(uniform) == pytest.approx(given["centred_ev"], abs=1e-8)
    assert best == pytest.approx(given["best_response_centred"], abs=1e-8)
    percent = 100 * evaluate_strategy(uniform)[1] / 2 / spot.spot.betting.pot
    assert percent == pytest.approx(given["exploitability_pct_of_pot"], abs=1e-8)


@needs_data
@pytest.mark.parametrize("name", RIVERS)
def test_strategies_of_other_programs(name):
    """Stored strategies of other programs have the published values, exploitability and frequencies."""
    spot, given = compiled(name), result_of(name)
    sums, hands = (
        np.zeros(spot.stored, np.float32),
        [[BY_TEXT[h] for h in given[f"hands_{p}"].split()] for p in ("oop", "ip")],
    )
    for node in given["nodes"]:
        player, at = ["OOP", "IP"].index(node["player"]), spot.find(node["line"]).node
        table = np.zeros((len(node["actions"]), len(HANDS)))
        table[:, hands[player]] = np.reshape(node["strategy_1e5"], (len(node["actions"]), -1))
        own, row = spot.contexts[0].hands[player], spot.form.contexts[0]
        base = int(row[arrays.BASE + player] + spot.betting.streets[0].before[at] * len(own))
        sums[base : base + len(own) * len(table)] = table[:, own].ravel()
    strategy, wanted = SpotStrategy(spot, sums), given["this_file_normalised_float64"]
    assert centred(strategy) == pytest.approx(wanted["centred_ev"], abs=1e-6)
    best = [strategy.value(player, arrays.BEST) for player in (0, 1)]
    assert best == pytest.approx(wanted["best_response_centred"], abs=1e-6)
    for node in given["nodes"]:
        if node["freq"]:  # rarely reached: five decimals of a strategy are few
            found, close = strategy.frequencies(node["line"]), 0.02 if node["line"] else 1e-5
            assert list(found) == node["actions"] and list(found.values()) == pytest.approx(node["freq"], abs=close)


@needs_data
@pytest.mark.parametrize("name", SPOTS)
def test_equities(name):
    spot, given = spot_of(name), result_of(name)
    found = equity(*spot.ranges, cards_text(spot.board))
    assert [found.first, found.second] == pytest.approx(given["equity"], abs=1e-6)
    by_hand = found.hands[0][[BY_TEXT[h] for h in given["hands_oop"].split()]]
    assert by_hand == pytest.approx(given["root_oop_per_hand"]["equity"], abs=1e-5)


def check_solution(name, solution):
    """Check values within both NashConvs and the bracket, frequencies at the root, and EV of each hand."""
    given, percent = result_of(name), solution.evaluation.figure
    strategy = solution.strategy
    nash_conv = 2 * percent / 100 * strategy.compiled.spot.betting.pot
    tolerance = nash_conv + 2 * given["exploitability_chips"]
    if "rake" in name:
        tolerance = 0.05 + nash_conv
    assert solution.values == pytest.approx(given["ev_chips"], abs=tolerance)
    if "tight_bracket_oop_centred" in given:
        low, high = given["tight_bracket_oop_centred"]
        assert -strategy.value(1, arrays.BEST) <= high and strategy.value(0, arrays.BEST) >= low
    return strategy


@needs_data
@pytest.mark.parametrize("name", RIVERS)
def test_rivers(name):
    solution = td.solve(spot_of(name), until=0.05)
    strategy, given = check_solution(name, solution), result_of(name)
    frequencies = strategy.frequencies("")
    assert list(frequencies) == given["nodes"][0]["actions"]
    assert list(frequencies.values()) == pytest.approx(given["nodes"][0]["freq"], abs=0.02)
    check_by_hand(name, solution, 0.4)


def check_by_hand(name, solution, close):
    """Check EV of each hand at the root within both solutions' NashConv, and the spot's EV as their mean."""
    given = result_of(name)
    hands, per_hand = [BY_TEXT[h] for h in given["hands_oop"].split()], given["root_oop_per_hand"]
    own, weights = solution.strategy.evs(0)[hands], np.array(per_hand["weights"])
    assert abs(own - per_hand["ev"]) @ weights / weights.sum() < close  # chips
    assert weights @ own / weights.sum() == pytest.approx(solution.values[0], abs=1e-6)


@needs_data
def test_turn():
    check_solution("turn_std", td.solve(spot_of("turn_std"), iterations=30))


@needs_data
@pytest.mark.slow
def test_turn_to_the_end():
    solution = td.solve(spot_of("turn_std"), until=0.05)
    frequencies = check_solution("turn_std", solution).frequencies("")
    assert list(frequencies.values()) == pytest.approx(result_of("turn_std")["nodes"][0]["freq"], abs=0.02)
    check_by_hand("turn_std", solution, 0.4)


#: The preset 3betpotFAST, as published with results of PioSOLVER, GTO+ and WASM Postflop (its README).
FAST = {
    "board": "Qs Jh 2h", "pot": 180, "stack": 910, "flop_bet": "52%", "flop_raise": "45%", "turn_bet": "55%",
    "turn_raise": "45%", "river_bet": "70%", "river_raise": "45%",
    "oop": "88+,A8s+,A5s-A2s:0.5,AJo+,ATo:0.75,K9s+,KQo,KJo:0.75,KTo:0.25,Q9s+,QJo:0.5,J8s+,JTo:0.25,T8s+,T7s:0.45,"
    "97s+,96s:0.45,87s,86s:0.75,85s:0.45,75s+:0.75,74s:0.45,65s:0.75,64s:0.5,63s:0.45,54s:0.75,53s:0.5,52s:0.45,43s:0.5,"
    "42s:0.45,32s:0.45",
    "ip": "AA:0.25,99-22,AJs-A2s,AQo-A8o,K2s+,K9o+,Q2s+,Q9o+,J6s+,J9o+,T6s+,T9o,96s+,95s:0.5,98o,86s+,85s:0.5,75s+,"
    "74s:0.5,64s+,63s:0.5,54s,53s:0.5,43s",
}  # fmt: skip


def test_a_published_flop_before_solving():
    """Equity agrees to the given digits; the stated memory of 1.25 GB includes scratch arrays."""
    spot = make_spot(**FAST)
    assert equity(*spot.ranges, "Qs Jh 2h").first == pytest.approx(0.55347, abs=1e-5)
    assert size_of(spot).bytes() == 1_147_703_824
    assert 0.5 < size_of(spot).bytes("half") / size_of(spot).bytes() < 0.51


@pytest.mark.slow
def test_a_published_flop():
    """EV agrees within exploitability and 0.2 chips, and so do the first player's bets (minutes, 2 GB)."""
    solution = td.solve(make_spot(**FAST), until=0.3)
    assert solution.values[0] == pytest.approx(105.11, abs=0.2 + 2 * 0.003 * 180)
    assert solution.strategy.frequencies("")["Bet(94)"] == pytest.approx(0.552, abs=0.03)


#: Textbook rivers (the page's toy rivers): board, OOP, IP -> chips of OOP.
TOYS = {
    ("2c2d2h3c3d", "AA,QQ", "KK"): 75,
    ("Ts3h2h5c9s", "AA,QQ", "KK"): 75,
    ("Ts3h2h5c9s", "KK", "AA,QQ"): 25,
}


@pytest.mark.parametrize("toy", TOYS)
def test_toy_rivers(toy):
    solution = td.solve(make_spot(toy[0], 100, 100, *toy[1:], "a", "a"), until=0.05)
    assert solution.values == pytest.approx((TOYS[toy], 100 - TOYS[toy]), abs=0.05)
    assert solution.evaluation.figure == pytest.approx(
        evaluate_strategy(solution.strategy)[1] / 2
    )  # in percent of a pot of 100
    shares = solution.strategy.frequencies("")
    assert shares["AllIn(100)"] == pytest.approx(0.75 if TOYS[toy] == 75 else 0, abs=0.01)
    if TOYS[toy] == 75:
        assert solution.strategy.frequencies("AllIn(100)")["Call"] == pytest.approx(0.5, abs=0.01)


def translate_solution(game, strategy):
    """Return a profile of the game's tree that plays a strategy over hands."""
    tree = td.compile_game(game)
    return tree, td.Profile.from_function(tree, strategy.strategy)


SLOW = ("flop", "flop, one suit marked")
SMALL = {
    "flop": {},
    "flop, rake": {"rake_rate": 0.1, "rake_cap": 3},
    "flop, one suit marked": {"oop": "2d2h,43,5c4d:0.5", "stack": 5},
    "turn": {"board": "2c 3c 4c 2d", "river_raise": "a", "turn_bet": "100%"},
    "river": {"board": "2c 3c 4c 2d 3h", "river_bet": "30%,a", "river_raise": "2.5x,a", "rake_rate": 0.05},
}


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in SMALL])
def test_small_spots_as_trees(name):
    """After some iterations the average has the same value and NashConv in the generic tree."""
    game = SpotGame(tiny(**SMALL[name]))
    solver = HandSolver(compile_spot(game.spot), DEFAULT)
    for iterations in (0, 7):
        solver.advance(iterations)
        strategy = SpotStrategy(solver.compiled, solver.state()["sums"])
        tree, profile = translate_solution(game, strategy)
        values = td.values(profile)
        best = [td.best_response(profile, player).value for player in (0, 1)]
        assert centred(strategy) == pytest.approx(values.tolist(), abs=1e-9)
        assert [strategy.value(player, arrays.BEST) for player in (0, 1)] == pytest.approx(best, abs=1e-9)
    if "rake" not in name and not SMALL[name].get("rake_rate"):
        low, high = -best[1], best[0]
        value = td.solve(tree, "lp").values[0] if name != "flop" else (low + high) / 2
        assert low - 1e-9 <= value <= high + 1e-9


@pytest.mark.parametrize(
    "name, method, precision, steps, close",
    [
        ("river", "dcfr-3", "single", (1, 4, 15, 40), 1e-5),
        ("toy", "dcfr-3", "single", (1, 4, 15, 40), 1e-5),
        ("toy", "dcfr-3", "half", (1, 3, 5), 1e-3),
        ("river", "pcfr+", "double", (1, 4, 15), 1e-8),
        ("river", "ema", "single", (1, 4, 15), 1e-4),
        ("toy", "pdcfr+", "single", (1, 4, 15, 40), 1e-5),
    ],
)
def test_iterations_as_in_the_generic_tree(name, method, precision, steps, close):
    """The generic solver with the same rule has the same strategies, and averages but for completed rows."""
    toy = make_spot("2c2d2h3c3d", 100, 100, "AA,QQ", "KK", "50%,a", "a")
    game = SpotGame(tiny(**SMALL[name]) if name in SMALL else toy)
    solver = HandSolver(compile_spot(game.spot), replace(METHODS[method], precision=precision))
    generic = td.make_solver(td.compile_game(game), METHODS[method].rule)
    for iterations in steps:
        solver.advance(iterations)
        generic.advance(iterations)
        for found, wanted in ((solver.average(), generic.average()), (solver.current(), generic.current())):
            expected = wanted.probabilities
            if wanted.completed is not None:
                uniform = td.Profile.uniform(wanted.tree).probabilities
                expected = np.where(wanted.completed[wanted.tree.infoset_of_row], uniform, expected)
            assert translate_solution(game, found)[1].probabilities == pytest.approx(expected, abs=close)


@pytest.mark.parametrize("method", ["pcfr+", "pdcfr+"])
def test_predictions_on_several_boards_as_in_the_generic_tree(method):
    """NashConv is that of the generic solver; strategies of equal hands may differ, by round-off."""
    game = SpotGame(tiny(**SMALL["turn"]))
    solver = HandSolver(compile_spot(game.spot), replace(METHODS[method], precision="double"))
    generic = td.make_solver(td.compile_game(game), METHODS[method].rule)
    for iterations in (1, 3):
        solver.advance(iterations)
        generic.advance(iterations)
        wanted = td.nash_conv(generic.average())
        assert evaluate_strategy(solver.average())[1] == pytest.approx(wanted, abs=1e-9)


FULL = {
    "turn": ("Qs Jh 2h 8d", 44, {"river_bet": "50%"}),
    "flop": ("Qs Jh 2h", 45 * 44, {"flop_bet": "50%", "turn_bet": "", "river_bet": ""}),
}


@pytest.mark.parametrize("street", ["turn", pytest.param("flop", marks=pytest.mark.slow)])
def test_a_whole_deck_as_a_tree(street):
    """With one hand against two, 45 turns and 44 rivers are possible (a known solver counted 46)."""
    board, runouts, sizes = FULL[street]
    game = SpotGame(make_spot(board, 10, 10, "AsKs", "8c8s,QcTc:0.5", "a", "", **{"turn_bet": "a", **sizes}))
    solver = HandSolver(compile_spot(game.spot), DEFAULT)
    assert solver.compiled.form.streets[1:, 2].tolist() == [45, 44][-(5 - len(board.split())) :]
    solver.advance(3)
    strategy = solver.average()
    tree, profile = translate_solution(game, strategy)
    state = next(n for n in range(len(tree.player)) if tree.state(n).done == ("Check", "Check"))
    assert tree.children(state).stop - tree.children(state).start == {"turn": 44, "flop": 45}[street]
    assert centred(strategy) == pytest.approx(td.values(profile).tolist(), abs=1e-9)
    best = [td.best_response(profile, player).value for player in (0, 1)]
    assert [strategy.value(player, arrays.BEST) for player in (0, 1)] == pytest.approx(best, abs=1e-9)
    assert len(tree.terminals) > 2 * runouts


def test_isomorphic_suits_change_nothing():
    """With isomorphism d and h have identical strategies; without it values agree within NashConv."""
    game = SpotGame(tiny())
    solvers = [HandSolver(compile_spot(game.spot, one), DEFAULT) for one in (True, False)]
    for solver in solvers:
        solver.advance(60)
    with_, without = (solver.average() for solver in solvers)
    assert len(with_.compiled.contexts) == 26 < len(without.compiled.contexts) == 1 + 7 + 7 * 6
    assert centred(with_)[0] == pytest.approx(
        centred(without)[0], abs=evaluate_strategy(with_)[1] + evaluate_strategy(without)[1]
    )
    swapped = permute_hands((0, 2, 1, 3))
    names = str.maketrans("dh", "hd")
    for one in ("", "Check/Check/2d", "Check/Check/2d/Check/Check/3h", "Bet(5)/Call/5c/Check/Check/3d"):
        two = "/".join(part.translate(names) if len(part) == 2 else part for part in one.split("/"))
        shares, others = with_.probabilities(one), with_.probabilities(two)
        for action in shares:
            assert np.isfinite(shares[action]).any()
            assert np.array_equal(shares[action], others[action][swapped], equal_nan=True), (one, action)


@pytest.mark.parametrize("method", [DEFAULT, METHODS["ema"]], ids=lambda method: method.name)
def test_bits_do_not_depend_on_how_iterations_are_split(method):
    game = SpotGame(tiny())
    one, two = (HandSolver(compile_spot(game.spot), method) for _ in range(2))
    one.advance(70)
    for count in (1, 3, 66):
        two.advance(count)
    for name, array in one.state().items():
        assert np.array_equal(array, two.state()[name]), name
    three = HandSolver(compile_spot(game.spot), method)
    three.restore(one.state())
    three.advance(5)
    one.advance(5)
    assert np.array_equal(one.state()["sums"], three.state()["sums"]) and three.iterations == 75


@pytest.mark.parametrize("method", [DEFAULT, METHODS["pcfr+"]], ids=lambda method: method.name)
def test_bits_do_not_depend_on_threads(method):
    """Sums with a fixed order include isomorphic boards, all-ins before the river and ends of streets."""
    game = SpotGame(tiny())
    one, two, three = (HandSolver(compile_spot(game.spot), method, number) for number in (1, 2, 3))
    for solver in (one, two, three):
        solver.advance(9)
        solver.close()
    for other in (two, three):
        for name, array in one.state().items():
            assert np.array_equal(array, other.state()[name]), name
    found = one.average_so_far()
    assert np.array_equal(found.root_values(0, arrays.BEST), found.root_values(0, arrays.BEST, threads=2))
    assert td.solve(tiny(stack=5), iterations=3, workers=2).values == td.solve(tiny(stack=5), iterations=3).values
    for wrong, why in ((0, "from 1"), (2, "one board")):
        with pytest.raises(td.errors.ParameterError, match=why):
            td.solve(make_spot("2c2d2h3c3d", 100, 100, "AA,QQ", "KK", "a", "a"), workers=wrong)


@needs_data
@pytest.mark.parametrize("name", RIVERS)
def test_half_the_memory(name):
    """With 16-bit numbers values are as close to other programs as with 32-bit numbers."""
    solution = td.solve(spot_of(name), replace(DEFAULT, precision="half"), until=0.1, iterations=400)
    check_solution(name, solution)
    assert solution.evaluation.figure <= 0.1


def test_half_the_memory_as_trees():
    """A solution stored in 16 bits has the evaluated value in the generic tree, and resumes bit for bit."""
    game = SpotGame(tiny(board="2c 3c 4c 2d"))
    half, single = (HandSolver(compile_spot(game.spot), replace(DEFAULT, precision=one)) for one in ("half", "single"))
    for solver in (half, single):
        solver.advance(40)
    assert half.state()["sums"].dtype == np.uint16
    _, profile = translate_solution(game, half.average())
    assert centred(half.average()) == pytest.approx(td.values(profile).tolist(), abs=1e-9)
    assert evaluate_strategy(half.average())[1] == pytest.approx(td.nash_conv(profile), abs=1e-9)
    assert evaluate_strategy(half.average())[1] < 1.2 * evaluate_strategy(single.average())[1] + 0.01
    again = HandSolver(compile_spot(game.spot), half.method, threads=2)
    again.restore(half.state())
    for solver in (half, again):
        solver.advance(3)
    for name, array in half.state().items():
        assert np.array_equal(array, again.state()[name]), name
    state = half.state()
    held = sum(state[name].nbytes for name in ("regrets", "sums", "scales"))
    assert size_of(game.spot).bytes("half") == held
    sizes = [size_of(spot_of("turn_std") if DATA.exists() else game.spot).bytes(one) for one in ("half", "single")]
    assert 0.5 < sizes[0] / sizes[1] < 0.52 or not DATA.exists()


@pytest.mark.parametrize("name", METHODS)
def test_methods(name):
    """Every schedule brings the toy river below 2 % of the pot within 400 iterations."""
    solution = td.solve(make_spot("2c2d2h3c3d", 100, 100, "AA,QQ,JJ", "KK", "50%,a", "a"), name, iterations=400)
    assert solution.evaluation.figure < 2 and solution.method["name"] == name
    solver = HandSolver(compile_spot(tiny()), METHODS[name])
    solver.advance(5)
    rule, state = METHODS[name].rule, solver.state()
    regrets = state["regrets"] - rule.prediction * state.get("expected", 0.0)
    assert (regrets.min() < -1e-6) != rule.clip


@pytest.mark.slow
def test_double_precision():
    """Exploitability falls far below that of 4 bytes, and the value has as many digits of the book's."""
    toy = make_spot("2c2d2h3c3d", 100, 100, "AA,QQ", "KK", "a", "a")
    solution = td.solve(toy, replace(DEFAULT, precision="double"), until=2e-5)
    assert solution.values[0] == pytest.approx(75, abs=1e-4)


def test_precision_is_used():
    double = {"precision": "double"}
    assert [find_method(one, double, METHODS).precision for one in ("cfr", DEFAULT)] == ["double"] * 2


def method_of(parameters):
    return recorded_method(parameters, METHODS)


def test_methods_of_runs():
    """Methods are saved and loaded with every precision; one with a field of another type does not solve."""
    for method in (
        replace(one, precision=precision)
        for one in METHODS.values()
        for precision in ("half", "single", "double")[bool(one.rule.prediction) :]
    ):
        assert method_of(json.loads(json.dumps(method.parameters()))) == method
    good = DEFAULT.parameters()
    for name, value in (("clip", ""), ("clip", {}), ("alpha", "1"), ("delay", 0.5), ("order", None), ("speed", 2)):
        with pytest.raises(td.InputError, match=name):
            method_of({**good, f"rule_{name}": value}).solver(None)
    for wrong in ({**good, "rule_name": None}, {**good, "rule_alpha": [1]}, {**good, "precision": []}):
        with pytest.raises(td.errors.ParameterError):
            method_of(wrong).solver(None)


def test_methods_refused(kuhn):
    with refused(td.errors.UnknownNameError, key="method", value="cfr-br"):
        td.solve(tiny(), "cfr-br")
    with pytest.raises(td.errors.ParameterError, match="convention"):
        HandMethod("mine", CFR)
    with pytest.raises(td.errors.ParameterError, match="prediction"):
        replace(METHODS["ema"], precision="half")
    with pytest.raises(td.errors.ParameterError, match="floor"):
        HandMethod("mine", replace(CFR, convention="opp", floor=1e-3))
    with refused(td.errors.ParameterError, key="precision", value="quarter"):
        find_method("cfr", {"precision": "quarter"}, METHODS)
    with pytest.raises(td.errors.ParameterError, match="hands"):
        td.make_solver(kuhn, DEFAULT)


def test_lines():
    solution = td.solve(tiny(), iterations=20)
    found = solution.strategy
    for line, why in (
        ("Bet(3)", "Check, Bet.5., AllIn"),
        ("Check/Check/2c", "not on the board"),
        ("Check/Check/x", "'x' is no card"),
        ("Check/Check/2d3d", "one card"),
        ("Bet(5)/Fold/x", "the hand is over"),
    ):
        with pytest.raises(td.errors.ParameterError, match=why):
            found.find(line)
    for line in ("Check/Check", "Bet(5)/Fold"):
        with pytest.raises(td.errors.ParameterError, match="no player"):
            found.probabilities(line)
    with pytest.raises(td.errors.ParameterError, match="range"):
        found.strategy(0, "5h4d|", ("Check", "Bet(5)", "AllIn(20)"))
    with pytest.raises(td.errors.ParameterError, match="actions"):
        found.strategy(1, "5h4d|Check", ("Check", "Bet(7)"))
    one, two = found.reach("Check/Check/5c")
    blocked = (BY_TEXT["5c4d"] == HANDS).any() or (HANDS[:, 1] == HANDS[BY_TEXT["5c4d"], 1])
    assert one[blocked].sum() == two[blocked].sum() == 0 < one.sum() < solution.strategy.compiled.spot.ranges[0].hands


def test_ranges_are_passed_along():
    """A turn's river with the ranges that reach it has the same value as within the turn."""
    found = td.solve(tiny(board="2c 3c 4c 2d", turn_bet="50%"), until=0.02).strategy
    line = "Bet(5)/Call/5c"
    river = found.spot_after(line)
    assert (river.betting.pot, river.betting.stack, cards_text(river.board)) == (20, 15, "2c 3c 4c 2d 5c")
    one, two = found.reach(line)
    assert np.allclose(river.weights[0] * one.max(), one) and np.allclose(river.weights[1] * two.max(), two)
    game = SpotGame(found.compiled.spot)
    tree = td.compile_game(game)
    values = td.evaluating.history_values(td.Profile.from_function(tree, found.strategy))
    weights = td.evaluating.reach(td.Profile.from_function(tree, found.strategy)).total
    there = [n for n in range(len(tree.player)) if tree.state(n).done == tuple(line.split("/"))]
    worth = sum(weights[n] * values[n, 0] for n in there) / sum(weights[n] for n in there)
    alone = td.solve(river, until=0.02)
    assert alone.values[0] - 10 == pytest.approx(worth, abs=0.05)
    for wrong in ("", "Bet(5)", "Bet(5)/Call", "Bet(5)/Call/5c/Check"):
        with pytest.raises(td.errors.ParameterError, match="street"):
            found.spot_after(wrong)


def test_too_large_is_refused():
    with pytest.raises(td.errors.SizeError, match="more than the limit"):
        require_room(size_of(tiny()), "half", 1e3)


def test_an_existing_run_is_refused_before_compiling(tmp_path, monkeypatch):
    (tmp_path / "run.json").write_text("{}")
    monkeypatch.setattr("tefuda.holdem.spots.compiled.compile_spot", lambda *_: pytest.fail("compiled"))
    with pytest.raises(td.errors.RunError, match="run"):
        td.solve(tiny(), iterations=1, checkpoint=tmp_path)


def test_runs_resume(tmp_path):
    """Saved and resumed runs are equal bit for bit; the evaluator of spots refuses other games."""
    spot = tiny(stack=5)
    whole = td.solve(spot, iterations=30)
    td.solve(spot, iterations=12, checkpoint=tmp_path / "run")
    again = td.resume(tmp_path / "run", iterations=30)
    assert again.evaluation.figure == whole.evaluation.figure and again.iterations == 30 and again.run
    assert np.array_equal(again.strategy.sums, whole.strategy.sums)
    assert {point.iteration: point.figure for point in again.curve}.items() >= {
        point.iteration: point.figure for point in whole.curve
    }.items()
    same = td.resume(tmp_path / "run")
    assert same.iterations == 30 and same.values == whole.values
    saved = td.load(tmp_path / "run")
    assert saved.evaluation.figure == whole.evaluation.figure and saved.form.representation == "hands"
    with pytest.raises(td.errors.ParameterError, match="spots"):
        td.solve(td.load_game("kuhn"), "cfr+", iterations=2, evaluator=solution_evaluator())


def test_interrupted_runs_return_their_solution(tmp_path):
    """An interrupted solver returns its current solution; without an iteration it is uniform."""
    asked = []
    half = td.solve(
        tiny(stack=5),
        iterations=10**6,
        checkpoint=tmp_path / "half",
        interrupted=lambda: asked.append(0) or len(asked) > 2,
    )
    seen = td.load(tmp_path / "half")
    assert seen.status == half.status == "interrupted" and seen.iterations == half.iterations > 0
    assert seen.values == half.values and seen.run == str(tmp_path / "half")
    td.solve(tiny(stack=5), iterations=5, checkpoint=tmp_path / "none", interrupted=lambda: True)
    assert td.load(tmp_path / "none").iterate == "uniform"


def solution_evaluator():
    from tefuda.holdem.spots.solver import Exploitability

    return Exploitability()


def test_the_game_without_a_tree():
    """check_game finds no fault, draws have equal chances, and views name the hand and the line."""
    game = holdem(**tiny().texts())
    assert td.check_game(game).ok
    toy = td.compile_game(td.load_game("spot"))  # 72 pairs, each with 4 decisions and 5 ends
    assert (len(toy.player), len(toy.terminals), toy.infosets) == (1 + 72 * 9, 72 * 5, 2 * (12 + 6))
    rng, drawn = np.random.default_rng(0), {}
    for _ in range(600):
        label, probability = game.draw(game.root(), rng.random)
        drawn[label] = probability
    chances = dict(game.chances(game.root()))
    assert all(chances[label] == pytest.approx(probability) for label, probability in drawn.items())
    assert sum(chances.values()) == pytest.approx(1) and drawn.keys() == chances.keys()
    state = game.child(game.root(), "5c4d 3h2h")
    for action in ("Check", "Check", "4h", "Check", "Check", "3d"):
        state = game.child(state, action)
    assert game.view(state, 0) == "5c4d|Check/Check/4h/Check/Check/3d" and card_text(CARDS - 1) == "As"
