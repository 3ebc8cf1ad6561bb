"""Sizes at single nodes: a whole menu written node by node, solved as a tree, saved, refused."""

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem.betting import ANY_CARD, BettingState
from tefuda.holdem.kernels.arrays import NEXT
from tefuda.holdem.spots.batch import Board, solve_boards
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.game import SpotGame, holdem
from tefuda.holdem.spots.size import size_of
from tefuda.holdem.spots.solver import HandSolver
from tefuda.holdem.spots.spot import make_spot, read_spot
from tefuda.holdem.spots.subgame import insert_streets, resolve_street
from tefuda.holdem.spots.tree import build_tree
from tests.conftest import refused
from tests.holdem.known_spots import check_as_tree, tiny

RIVER = {"board": "Qs Jh 2h 8d 3c", "pot": 100, "stack": 300, "oop": "AA,KK", "ip": "QQ,JJ"}
TURN = {"board": "2c 3c 4c 2d", "turn_bet": "50%,a", "river_bet": "50%,a", "turn_raise": "50%,a"}


def lines(spot):
    return list(build_tree(spot.betting, spot.street).lines())


def menu_of(spot):
    """Return the amounts of all nodes of a spot as ``=Nc`` by line, computed from its tree."""
    tree, menus, stack = build_tree(spot.betting, spot.street), {}, [(0, 0, ())]
    while stack:
        street, node, way = stack.pop()
        position, nodes = tree.streets[street].position[node], tree.streets[street]
        if nodes.kind[node] == NEXT:
            stack.append((street + 1, tree.root_below(street, node), (*way, ANY_CARD)))
        choices = spot.betting.choices(position)
        amounts = [action.amount for action in choices.values() if action.amount > max(position.amounts)]
        if choices and max(position.amounts) < spot.betting.stack - position.matched:
            menus["/".join(way) or "root"] = "=" + ",".join(f"{each - max(position.amounts)}c" for each in amounts)
        stack += [(street, child, (*way, name)) for name, child in nodes.choices(node).items()]
    return menus


@pytest.mark.parametrize("more", [{}, {"cap": 2}, {"merging": 0.5}, {"force_allin": 0.4}, {"turn_donk": "20%"}])
def test_a_menu_written_node_by_node(more):
    """The amounts of each node rebuild the same tree, which solves to the same bits."""
    whole = tiny(**TURN, stack=60, **more)
    menus = menu_of(whole)
    written = tiny(**{**TURN, "turn_bet": "", "river_bet": "", "turn_raise": "", "bets": ""}, stack=60, at=menus)
    assert lines(written) == lines(whole) and size_of(written) == size_of(whole) and len(menus) > 10
    assert written.texts()["more"]["at"] == menus
    solvers = [HandSolver(compile_spot(spot)) for spot in (whole, written)]
    for solver in solvers:
        solver.advance(10)
    assert np.array_equal(solvers[0].arrays()["sums"], solvers[1].arrays()["sums"])


def actions(spot, line):
    game = SpotGame(spot)
    return " ".join(game.actions(game._at(line)))


@pytest.mark.parametrize(
    "at, line, expected",
    [
        ({"root": "40c"}, "", "Check Bet(25) Bet(40) Bet(75)"),
        ({"root": "=40c"}, "", "Check Bet(40)"),
        ({"root": "="}, "", "Check"),
        ({"root": "25,25c"}, "", "Check Bet(25) Bet(75)"),
        ({"check/bet 25": "40c"}, "Check/Bet(25)", "Fold Call Raise(65) AllIn(300)"),
        ({"check/bet 25": "40c"}, "Check/Bet(75)", "Fold Call AllIn(300)"),
        ({"check/bet 25": "40c"}, "Bet(25)", "Fold Call AllIn(300)"),
        ({"Bet(25)": "10c"}, "Bet(25)", "Fold Call Raise(50) AllIn(300)"),  # the smallest raise
        ({"Bet(25)": "999c"}, "Bet(25)", "Fold Call AllIn(300)"),
        ({"root": "40c", "Bet(40)": "=2.5x"}, "Bet(40)", "Fold Call Raise(100)"),  # a line through an added size
        ({"root": "299c", "Bet(299)": "="}, "Bet(299)", "Fold Call"),
        ({"root": "300c"}, "", "Check Bet(25) Bet(75) AllIn(300)"),
    ],
)
def test_sizes_at_one_node_alone(at, line, expected):
    assert actions(make_spot(**RIVER, bets="25,75", raises="a", at=at), line) == expected


def test_a_cap_does_not_hold_at_a_node():
    """A third bet that was made is in the menu, though the street has two."""
    spot = make_spot(**RIVER, bets="25", raises="50", cap=2, at={"Bet(25)/Raise(100)": "150c"})
    assert actions(spot, "Bet(25)/Raise(100)") == "Fold Call Raise(250)"
    assert actions(spot, "Check/Bet(25)/Raise(100)") == "Fold Call"


SMALL = {"board": "2c 3c 4c 2d", "turn_bet": "50%", "river_bet": ""}
AT = {"Check": "=3c", "Check/Check/*": "7c", "Check/Bet(3)/Call/*/Check": "=a"}


def test_as_a_tree():
    """Values and best responses are those of the generic tree; the locked node has the added size."""
    spot = tiny(**SMALL, at=AT, locks=["Check/Check/5c = Bet(7) 43; Check 5d4d"])
    check_as_tree(SpotGame(spot), HandSolver(compile_spot(spot)))


def test_saved_with_files_runs_and_boards(tmp_path):
    spot = tiny(**TURN, at=AT)
    text = "".join(f"at={line}: {sizes}\n" for line, sizes in AT.items())
    file = tmp_path / "spot.txt"
    keys = ("board", "deck", "pot", "stack", "oop", "ip")
    given = spot.texts()
    plain = "".join(f"{key}={given.get(key) or given['more'][key]}\n" for key in keys)
    file.write_text(f"{plain}turn_bet=50%,a\nturn_raise=50%,a\nriver_bet=50%,a\n{text}")
    assert lines(read_spot(file)) == lines(spot) and read_spot(file).texts()["more"]["at"] == spot.texts()["more"]["at"]
    run = td.solve(spot, iterations=2, checkpoint=tmp_path / "run")
    loaded = td.load(tmp_path / "run").strategy.compiled
    assert loaded.spot.texts() == spot.texts() == holdem(**run.form.game.parameters).spot.texts()
    report = solve_boards(spot, [Board((*spot.board,))], tmp_path / "boards", iterations=2)
    assert report.rows[0]["frequencies"].keys() == {"Check", "Bet(5)", "AllIn(20)"}
    assert "Bet(3)" in td.load(next((tmp_path / "boards").glob("*/run.json")).parent).strategy.frequencies("Check")


def test_later_streets_have_their_sizes():
    """A re-solved street has the sizes of its nodes; with other sizes, those added."""
    spot = tiny(**TURN, at={"Check/Check/*": "7c", "Check/Check/*/Check": "=3c", "Check/Check/*/Bet(5)": "11c"})
    blueprint = td.solve(spot, iterations=20).strategy
    after = blueprint.spot_after("Check/Check/5c")
    assert after.texts()["more"]["at"] == {"root": "7c", "Check": "=3c", "Bet(5)": "11c"}
    street = resolve_street(blueprint, "Check/Check/5c", 0, "unsafe", iterations=1)
    assert list(street.strategy.frequencies("")) == ["Check", "Bet(5)", "Bet(7)", "AllIn(20)"]
    insert_streets(blueprint, [street])
    other = resolve_street(blueprint, "Check/Check/5c", 0, "unsafe", bets="100%", iterations=1)
    assert list(other.strategy.frequencies("")) == ["Check", "Bet(7)", "Bet(10)"]
    assert list(other.strategy.frequencies("Check")) == ["Check", "Bet(10)"]
    same = resolve_street(blueprint, "Check/Check/5c", 0, "unsafe", bets="50%,a", iterations=1)
    with refused(td.errors.ParameterError):
        insert_streets(blueprint, [same])


@pytest.mark.parametrize(
    "at, key",
    [
        ({"Bet(26)": "40c"}, "at Bet(26)"),
        ({"Bet(25)/Call": "40c"}, "at Bet(25)/Call"),
        ({"root": "a", "AllIn": "40c"}, "at AllIn(300)"),
        ({"root": "2x"}, "at root"),
        ({"Bet(25)": ""}, "at Bet(25)"),
        ({"Bet(25)": "40q"}, "at Bet(25)"),
        ({"Bet(25)": "40c", "bet 25": "50c"}, "at Bet(25)"),
        ({"Check/Check/Ts": "40c"}, "at Check/Check/Ts"),
        ({3: "a"}, "at"),
        (["root: a"], "at"),
    ],
)
def test_lines_and_sizes_refused(at, key):
    with refused(td.errors.ParameterError, key=key):
        make_spot(**RIVER, bets="25,75", raises="a", at=at)


def test_long_lines_are_refused():
    with refused(td.errors.ParameterError):
        make_spot(**{**RIVER, "stack": 5000}, bets="1c", raises="1c", at={"/".join(["Bet(1)"] * 3000): "1c"})


def test_cards_are_any_card():
    with refused(td.errors.ParameterError, key="at Check/Check/Ts"):
        make_spot(**{**RIVER, "board": "Qs Jh 2h 8d"}, at={"Check/Check/Ts": "40c"})


def test_errors_of_a_file_have_the_line(tmp_path):
    head = "board=Qs Jh 2h 8d 3c\npot=100\nstack=300\noop=AA\nip=KK\nriver_bet=25\n"
    for line in ("at=bet 26: 40c", "at=Check: 40q", "at=Check 40c", "at=Check: a\nat=check: 50"):
        (tmp_path / "spot.txt").write_text(head + line)
        with refused(td.errors.ParameterError) as error:
            read_spot(tmp_path / "spot.txt")
        assert f"line {7 + line.count(chr(10))}" in str(error.value), line


def test_a_position_without_nodes_is_as_before():
    """Sizes are part of a position only where some lie ahead, so that equal positions are expanded once."""
    spot = make_spot(**RIVER, bets="25", raises="a", at={"Check": "40c"})
    game = SpotGame(spot)
    assert game._at("Bet(25)").position == BettingState(2, 0, (25, 0), 1, 1)
    assert game._at("Check").position != BettingState(2, 0, (0, 0), 1)
