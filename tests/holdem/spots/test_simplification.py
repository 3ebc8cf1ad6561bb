"""One or two sizes a node: exact losses of a river by linear programs, and random rivers.

The losses of `LOSSES` were computed by sequence-form linear programs with strengths of another program.
"""

from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem.betting import NodeSizes
from tefuda.holdem.spots.game import SpotGame
from tefuda.holdem.spots.locks import Lock
from tefuda.holdem.spots.simplification import simplify_sizes
from tefuda.holdem.spots.spot import make_spot, read_spot
from tests.conftest import refused
from tests.holdem.known_spots import tiny

RIVER = {
    "board": "Kd Qs 7h 4c 2s", "pot": 100, "stack": 300, "oop": "AA,KK,AKs,KQs,KJs,QJs,JTs,T9s,A5s",
    "ip": "AKo,KTs,QTs,JJ,TT,99,QQ,A5s,J9s", "oop_river_bet": "25,50,75,100,150,a", "ip_river_bet": "75,a",
    "bets": "", "raises": "a", "cap": 3,
}  # fmt: skip
#: Loss of player 0 in chips, which are % of the pot, by the sizes chosen at the root.
LOSSES = {
    "Bet(75)": 1.1584, "Bet(50)": 1.2585, "Bet(100)": 1.4836, "Bet(150)": 2.1966, "Bet(25)": 2.9336,
    "AllIn(300)": 3.3176, "Bet(25) Bet(75)": 0.1929, "Bet(25) Bet(100)": 0.2945, "Bet(50) Bet(100)": 0.5080,
}  # fmt: skip
TOLERANCE = 0.01  # % of the pot


@pytest.mark.parametrize("sizes", [1, 2])
def test_a_river_with_exact_losses(sizes):
    result = simplify_sizes(make_spot(**RIVER), sizes, until=0.002)
    root = result.choices[0]
    assert root.chosen == (("Bet(75)",), ("Bet(25)", "Bet(75)"))[sizes - 1]
    losses = {" ".join(names): loss for names, loss in root.losses.items()}
    known = {names: loss for names, loss in LOSSES.items() if names.count("(") == sizes}
    assert {names: losses[names] for names in known} == pytest.approx(known, abs=TOLERANCE)
    assert result.losses[0] == pytest.approx(min(known.values()), abs=TOLERANCE)
    assert max(result.exploitabilities) <= 0.002
    assert len(losses) == (6, 15)[sizes - 1] and root.probability == 1


@pytest.mark.parametrize("at, value", [({}, 64.8028), ({"root": "="}, 64.8028 - 8.5184)])
def test_the_whole_menu_and_no_bet(at, value):
    assert td.solve(make_spot(**RIVER, at=at), until=0.002).values[0] == pytest.approx(value, abs=TOLERANCE)


@pytest.mark.slow
def test_losses_by_linear_programs():
    """The value with 75 % alone differs from that of all sizes by the loss of `LOSSES`."""
    spots = [make_spot(**RIVER), make_spot(**RIVER, at={"root": "=75"})]
    first, second = (td.solve(td.compile_game(SpotGame(spot)), "lp").values[0] for spot in spots)
    assert (first + 50, first - second) == pytest.approx((64.8028, LOSSES["Bet(75)"]), abs=1e-4)


def random_river(seed):
    """Return a small river with random ranges, pot and sizes."""
    random, hands = np.random.default_rng(seed), ("AA", "KK", "QQ", "JJ", "TT", "99", "AKs", "QJs", "T9s", "A5s", "87s")
    oop, ip = (",".join(random.choice(hands, 6, replace=False)) for _ in range(2))
    stack, menu = int(random.integers(60, 300)), ",".join(random.choice(("33", "60", "100", "150", "a"), 3, False))
    return make_spot("Kd Qs 7h 4c 2s", 100, stack, oop, ip, menu, "60,a", cap=3)


@pytest.mark.parametrize("seed", range(4))
def test_two_sizes_never_lose_more_than_one(seed):
    """A choice costs its player EV, and a second size costs less; both to the accuracy of the solutions."""
    spot, accuracy = random_river(seed), 4 * 0.02
    one, two = (simplify_sizes(spot, sizes, until=0.02) for sizes in (1, 2))
    for first, second in zip(one.losses, two.losses, strict=True):
        assert -accuracy <= second <= first + accuracy
    assert all(loss >= -accuracy * spot.betting.pot / 100 for choice in one.choices for loss in choice.losses.values())
    for result, sizes in ((one, 1), (two, 2)):
        again = simplify_sizes(result.spot, sizes, until=1)
        assert again.choices == () and again.losses == (0, 0)  # no node has more sizes
        assert result.spot.texts() == again.spot.texts()


def test_losses_are_those_of_the_spots(tmp_path):
    """Each player's loss is the difference of values of the spots, also read from the written file."""
    spot = random_river(1)
    result = simplify_sizes(spot, until=0.02)
    own = {choice.node.line: choice for choice in result.choices if choice.player == 0}
    at = {"/".join(line) or "root": str(choice.node) for line, choice in own.items()}
    texts = spot.texts()
    texts["more"]["at"] = at
    middle = make_spot(**{k: v for k, v in texts.items() if k != "more"}, **texts["more"])
    (tmp_path / "simple.txt").write_text(result.spot.file_text())
    simple = read_spot(tmp_path / "simple.txt")
    assert simple.texts() == result.spot.texts()
    values = [td.solve(each, until=0.02).values for each in (spot, middle, simple)]
    assert values[0][0] - values[1][0] == pytest.approx(result.losses[0], abs=1e-9)
    assert values[1][1] - values[2][1] == pytest.approx(result.losses[1], abs=1e-9)


def test_losses_below_the_root():
    """A loss times the probability of its node is that of the whole spot with the root locked."""
    first = simplify_sizes(random_river(2), until=0.01, depth=0).spot
    choice = next(choice for choice in simplify_sizes(first, until=0.01).choices if choice.node.line == ("Check",))
    shares = td.solve(first, until=0.01).strategy.probabilities("")
    lock = Lock("", {action: np.nan_to_num(share) for action, share in shares.items()})
    texts = first.texts()
    more = {**texts["more"], "at": {**texts["more"]["at"], "Check": "=33c"}}
    one = make_spot(**{k: v for k, v in texts.items() if k != "more"}, **more)
    many, alone = (td.solve(replace(spot, locks=(lock,)), until=0.01).values[1] for spot in (first, one))
    assert choice.probability * choice.losses["Bet(33)",] == pytest.approx(many - alone, abs=0.03)
    assert many - alone > 0.5 and choice.probability < 0.95


def test_only_the_first_street_and_depth():
    spot = tiny(board="2c 3c 4c 2d", turn_bet="50%,a", river_bet="50%,a", turn_raise="a", at={"Check/Check/*": "7c"})
    result = simplify_sizes(spot, until=1)
    assert {choice.node.line for choice in result.choices} == {(), ("Check",)}
    later = td.solve(result.spot, iterations=1).strategy
    assert list(later.frequencies("Check/Check/5c")) == ["Check", "Bet(5)", "Bet(7)", "AllIn(20)"]
    assert [choice.node.line for choice in simplify_sizes(spot, until=1, depth=0).choices] == [()]
    assert all(isinstance(choice.node, NodeSizes) and choice.node.only for choice in result.choices)


@pytest.mark.parametrize("given", [{"sizes": 0}, {"sizes": 3}, {"until": 0.0}, {"until": np.nan}, {"depth": -1}])
def test_values_out_of_range_are_refused(given):
    with refused(td.errors.ParameterError, key=next(iter(given))):
        simplify_sizes(make_spot(**RIVER), **given)


def test_locks_are_refused():
    with refused(td.errors.ParameterError):
        simplify_sizes(make_spot(**RIVER, locks=["root = Check"]))
