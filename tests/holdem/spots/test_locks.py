"""Node locking: exact values on a textbook river; the same games as trees in which chance plays locks."""

from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem.cards import HANDS, hand_text
from tefuda.holdem.kernels import arrays
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.game import SpotGame
from tefuda.holdem.spots.locks import Lock, read_locks
from tefuda.holdem.spots.solver import DEFAULT, HandSolver, evaluate_strategy
from tefuda.holdem.spots.spot import make_spot, read_spot
from tefuda.holdem.spots.strategy import SpotStrategy
from tests.conftest import refused
from tests.holdem.known_spots import check_as_tree, tiny

BY_TEXT = {hand_text(hand): hand for hand in range(len(HANDS))}
TURN = {"board": "2c 3c 4c 2d", "turn_bet": "100%"}


def toy(*locks):
    return make_spot("2c2d2h3c3d", 100, 100, "AA,QQ", "KK", "a", "a", locks=locks)


@pytest.mark.parametrize(
    "calls, value, bluffs",
    [(1.0, 100.0, 0.0), (0.75, 87.5, 0.0), (0.25, 87.5, 1.0), (0.0, 100.0, 1.0)],
)
def test_a_best_response_to_locks(calls, value, bluffs):
    """AA bets and wins 100 + 100 * calls; QQ bluffs if 100 - 200 * calls > 0; each is half of the range."""
    parts = [f"{action} KK:{share}" for action, share in (("Call", calls), ("Fold", 1 - calls)) if share]
    solution = td.solve(toy(f"AllIn(100) = {'; '.join(parts)}"), until=0.01)
    assert solution.values == pytest.approx((value, 100 - value), abs=0.03)
    assert solution.evaluation.figure < 0.01
    assert solution.strategy.frequencies("AllIn(100)")["Call"] == pytest.approx(calls)
    hands = [number for number, text in enumerate(map(hand_text, range(len(HANDS)))) if text[::2] == "QQ"]
    assert solution.strategy.probabilities("")["AllIn(100)"][hands] == pytest.approx(bluffs, abs=0.01)


def test_a_locked_player_cannot_deviate():
    """OOP must check AA and bet QQ, also in its best response to IP."""
    found = td.solve(toy("root = Check AA; AllIn(100) QQ"), until=0.01)
    assert found.values[0] == pytest.approx(0, abs=0.05)  # AA wins the value of a check, QQ is called
    assert found.strategy.value(0, arrays.BEST) == pytest.approx(found.strategy.value(0), abs=0.1)
    free = td.solve(toy(), until=0.01)
    assert free.values[0] - found.values[0] > 20


LOCKS = {
    "the root": ("root = Check 2d2h,43:0.5; Bet(5) 43:0.5",),
    "one suit": ("Bet(5) = Call 3d3h:0.5; Fold 3d3h:0.5",),
    "two places": ("Check = Check", "Check/Bet(10) = Fold 43", "Check/Bet(10) = Call 2d2h"),
}


@pytest.mark.parametrize("name", LOCKS)
def test_locks_before_anything_is_learned(name):
    """Locked hands play their lock; one player's winnings are the other's losses."""
    spot = compile_spot(tiny(**TURN, locks=[lock.replace("Bet(5)", "Bet(10)") for lock in LOCKS[name]]))
    uniform = SpotStrategy(spot, np.zeros(spot.stored, np.float32))
    assert uniform.value(0) == pytest.approx(-uniform.value(1), abs=1e-12)


@pytest.mark.parametrize("name", LOCKS)
def test_as_trees(name):
    """Values, best responses and NashConv equal those of a tree where chance plays locks."""
    game = SpotGame(tiny(**TURN, locks=[lock.replace("Bet(5)", "Bet(10)") for lock in LOCKS[name]]))
    check_as_tree(game, HandSolver(compile_spot(game.spot)))


@pytest.mark.parametrize("precision", ["single", "half"])
def test_a_river_that_is_locked_after_a_card(precision):
    lock = "Check/Check/5c/Check = Bet(5) 44,3d3h:0.5; Check 3d3h:0.5"
    game = SpotGame(tiny(**TURN, locks=[lock]))
    solver = HandSolver(compile_spot(game.spot), replace(DEFAULT, precision=precision))
    check_as_tree(game, solver)
    found = solver.average().probabilities("Check/Check/5c/Check")["Bet(5)"]
    assert found[BY_TEXT["3h3d"]] == 0.5 and found[BY_TEXT["4h4d"]] == 1.0
    other = solver.average().probabilities("Check/Check/5c/Check")
    assert np.nansum([one[BY_TEXT["5c2d"]] for one in other.values()]) == 0  # blocked there


def test_two_boards_of_one_node():
    """A river locked on each of two cards: both locks apply, and other rivers are free."""
    locks = ["Check/Check/5c/Check = Bet(5) 44", "Check/Check/3d/Check = Check", "Check/Check/3h/Check = Check 44"]
    check_as_tree(game := SpotGame(tiny(**TURN, locks=locks)), solver := HandSolver(compile_spot(game.spot)))
    found = {card: solver.average().probabilities(f"Check/Check/{card}/Check") for card in ("5c", "3d", "3h")}
    assert found["5c"]["Bet(5)"][BY_TEXT["4h4d"]] == found["3d"]["Check"][BY_TEXT["4h4d"]] == 1


def test_suits_that_locks_distinguish():
    """A lock for one suit breaks the symmetry of suits; locks for both preserve it, and the values."""
    alone, both = (tiny(locks=locks) for locks in (["Check = Check 3d2d"], ["Check = Check 3d2d,3h2h"]))
    assert len(compile_spot(alone).contexts) == 50 and len(compile_spot(both).contexts) == 26
    one, two = ("Check/Check/2d/Check = Check 3h3d", "Check/Check/2h/Check = Check 3h3d")
    assert len(compile_spot(tiny(locks=[one])).contexts) == 50
    compiled = compile_spot(tiny(locks=[one, two]))
    assert len(compiled.contexts) == 26 and len(compiled.form.locks) == 1
    split = compile_spot(tiny(locks=[one, two]), isomorphism=False)
    assert len(split.form.locks) == 2
    solvers = [HandSolver(one) for one in (compiled, split)]
    for solver in solvers:
        solver.advance(40)
    values = [evaluate_strategy(solver.average()) for solver in solvers]
    assert values[0][0][0] == pytest.approx(values[1][0][0], abs=values[0][1] + values[1][1])
    for line in ("Check/Check/2d/Check", "Check/Check/2h/Check"):
        assert solvers[0].average().probabilities(line)["Check"][BY_TEXT["3h3d"]] == 1


def test_locks_on_isomorphic_boards():
    """Each of two locks names its own suit; isomorphic boards are solved once, with both locks."""
    locks = ["Check/Check/2d/Check = Check 3h2h", "Check/Check/2h/Check = Check 3d2d"]
    compiled = compile_spot(tiny(locks=locks))
    assert len(compiled.contexts) == 26 and len(compiled.form.locks) == 1
    solver = HandSolver(compiled)
    solver.advance(20)
    for line, hand in (("Check/Check/2d/Check", "3h2h"), ("Check/Check/2h/Check", "3d2d")):
        found = solver.average().probabilities(line)["Check"]
        assert found[BY_TEXT[hand]] == 1 and found[BY_TEXT["4h4d"]] <= 0.999


def test_files_and_runs(tmp_path):
    """A spot file may have several lock= lines; runs save them; a later street has those below it."""
    file = tmp_path / "spot.txt"
    file.write_text(
        "board=2c2d2h3c\npot=100\nstack=100\noop=AA,QQ\nip=KK\nturn_bet=a\nriver_bet=a\n"
        "lock=Check = Check  # no bets\nlock=Check/Check/3D/Check = Check KK:0.5; AllIn(100) KK:0.5\n"
    )
    spot = read_spot(file)
    assert [lock.line for lock in spot.locks] == ["Check", "Check/Check/3d/Check"]
    solution = td.solve(spot, iterations=5, checkpoint=tmp_path / "run")
    again = td.resume(tmp_path / "run", iterations=6)
    assert [str(lock) for lock in again.strategy.compiled.spot.locks] == [str(lock) for lock in spot.locks]
    assert [lock.line for lock in solution.strategy.spot_after("Check/Check/3d").locks] == ["Check"]
    assert not solution.strategy.spot_after("Check/Check/3h").locks


def test_locks_of_impossible_hands_are_dropped(tmp_path):
    """A street keeps the locks that bind a possible hand: QQ is impossible here, so its lock is dropped."""
    locks = ["root = Check AA; AllIn(100) QQ", "Check/Check/3d = Check QQ", "Check/Check/3h = Check AA"]
    spot = make_spot("2c2d2h3c", 100, 100, "AA,QQ", "KK", "a", "a", locks=locks)
    found = td.solve(spot, iterations=3).strategy
    assert [str(lock) for lock in found.spot_after("Check/Check/3h").locks] == ["root = Check AA"]
    after = found.spot_after("Check/Check/3d")
    assert not after.locks and td.solve(after, iterations=2, checkpoint=tmp_path / "run").iterations == 2


def test_chance_plays_locks():
    game = SpotGame(toy("AllIn(100) = Call KK:0.25; Fold KK:0.75"))
    assert td.check_game(game).ok
    state = game.child(game.child(game.root(), "AsAh KsKh"), "AllIn(100)")
    assert game.player(state) == td.CHANCE and dict(game.chances(state)) == {"Call": 0.25, "Fold": 0.75}
    assert [game.draw(state, lambda at=at: at)[0] for at in (0.2, 0.3)] == ["Call", "Fold"]


@pytest.mark.parametrize(
    "text, why",
    [
        ("AllIn(100)", "must be LINE = ACTION"),
        ("AllIn(100) = Call KX", "is no hand"),
        ("AllIn(100) = Call KK:0.5", "add up to 0.5, not to 1"),
        ("AllIn(100) = Call KK:0.5; Call KK:0.5", "Call is given twice"),
        ("AllIn(100) = Raise KK", "'Raise' is not an action there; allowed: Fold, Call"),
        ("Bet(50) = Call KK", "'Bet.50.' is not an action there; allowed: Check, AllIn"),
        ("AllIn(100)/Call = Check", "no player acts there"),
        ("AllIn(100)/Call/Check = Check", "the hand is over"),
    ],
)
def test_refused(text, why):
    with pytest.raises(td.errors.ParameterError, match=why):
        toy(text)


def test_locks_of_one_node_are_combined():
    found = read_locks(["root = Check AA", "root = AllIn(100) KK", "root = Check QQ"])
    assert [str(lock) for lock in found] == ["root = Check AA,QQ; AllIn(100) KK"]


def test_refused_together():
    with refused(td.errors.ParameterError, key="lock at root", value="root = AllIn(100) AA"):
        toy("root = Check", "root = AllIn(100) AA")
    with pytest.raises(td.errors.ParameterError, match="texts"):
        read_locks("root = Check")
    with refused(td.errors.ParameterError, key="lock at Check/Check/2c", value="2c"):
        tiny(locks=["Check/Check/2c = Check"])
    with refused(
        td.errors.ParameterError, key="lock at Check/Check/2d/Check", value="Check/Check/2d/Check = Check 3d2d"
    ):
        tiny(locks=["Check/Check/2d/Check = Check 3d2d"])
    with pytest.raises(td.errors.ParameterError, match="action"):
        Lock("", {})
    lock = Lock("", {"Check": np.full(len(HANDS), 0.3), "AllIn(100)": np.full(len(HANDS), 0.7)})
    thirds = Lock.read("root = Check AA:0.333333; AllIn(100) AA:0.6666665")  # normalised
    assert max(sum(thirds.shares.values())) == 1.0
    assert np.allclose(lock.shares["Check"], 0.3) and str(Lock.read(str(lock))) == str(lock)


@pytest.mark.parametrize("call, fold", [("0.5", "0.45"), ("0.5", "0.51"), ("1", "0.00001")])
def test_probabilities_of_a_hand_add_up_to_one(call, fold):
    with pytest.raises(td.errors.ParameterError, match=f"add up to {float(call) + float(fold):.6g}, not to 1"):
        Lock.read(f"Bet(5) = Call KK:{call}; Fold KK:{fold}")
    third = Lock.read("Bet(5) = Call KK:0.3333333; Fold KK:0.6666666")
    assert sum(third.shares.values())[~third.free] == pytest.approx(1, abs=1e-15)


def test_locks_as_people_write_them():
    assert str(Lock.read("check/bet 50 = call KK:0.25; fold KK:0.75")) == "Check/Bet(50) = Call KK:0.25; Fold KK:0.75"


CYCLES = [(0, 2, 3, 1), (0, 3, 1, 2), (1, 2, 3, 0), (3, 0, 1, 2)]  # clubs become clubs, diamonds hearts, ...


@pytest.mark.parametrize("permutation", CYCLES)
def test_suit_permutations_move_lines_and_hands(permutation):
    """A permutation that is not its own inverse moves hands as it moves the cards of the line."""
    to = dict(zip("cdhs", ("cdhs"[suit] for suit in permutation), strict=True))
    lock = Lock.read("Check/Check/5d/Check = Bet(5) 4d3h:0.5,2h2s; Check 4d3h:0.5")
    text = f"Check/Check/5{to['d']}/Check = Bet(5) 4{to['d']}3{to['h']}:0.5,2{to['h']}2{to['s']}; "
    text += f"Check 4{to['d']}3{to['h']}:0.5"
    assert lock.moved(permutation).same(Lock.read(text))
    assert not lock.moved(permutation).moved(permutation).same(lock)


def test_locks_that_three_suits_share_in_turn():
    """Diamonds become hearts, hearts spades, spades diamonds: one turn card represents three.

    On each of the three the lock applies to the hand with the permuted suits.
    """
    deck = "".join(rank + suit for rank in "2345" for suit in "cdhs")
    suits = ["dhs", "hsd", "sdh"]
    locks = [f"Check/Check/5{a} = AllIn(20) 4{a}3{b}; Check 4{b}3{a}" for a, b, _ in suits]
    given = {"flop_bet": "", "flop_raise": "", "river_bet": "", "river_raise": ""}
    spot = make_spot("2c 3c 4c", 10, 20, "43,55", "52,44", "a", "", deck=deck, locks=locks, **given)
    compiled = compile_spot(spot)
    assert len(compiled.contexts[0].group) == 3
    found = SpotStrategy(compiled, np.zeros(compiled.stored))
    for a, b, c in suits:
        chosen = found.probabilities(f"Check/Check/5{a}")
        shares = {hand: chosen["AllIn(20)"][BY_TEXT[hand]] for hand in (f"4{a}3{b}", f"4{b}3{a}", f"4{a}3{c}")}
        assert list(shares.values()) == [1, 0, 0.5]


def test_a_strategy_as_lock():
    """Sums of probabilities that round to 1 only nearly do not break the symmetry of a spot with itself."""
    solver = HandSolver(compile_spot(tiny()))
    solver.advance(7)
    average = solver.average()
    shares = {action: np.nan_to_num(share) for action, share in average.probabilities("").items()}
    thirds = dict.fromkeys("abc", np.full(len(HANDS), 1 / 3))
    for lock in (Lock("", shares), Lock("", {**thirds, "c": thirds["c"] * (1 + 1e-15)})):
        assert lock.moved((0, 1, 2, 3)).same(lock)
    locked = compile_spot(replace(tiny(), locks=(Lock("", shares),)))
    again = SpotStrategy(locked, average.sums)
    assert again.value(0) == pytest.approx(average.value(0), abs=1e-9)
