"""Equilibria of tables and trees in fractions, against published sets, the definition and ranges."""

import random
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

import tefuda as td
from tefuda.solvers.exact import equilibria as module
from tefuda.solvers.exact.bimatrix import Bimatrix, maximal_bicliques
from tefuda.solvers.exact.hull import Hull
from tefuda.solvers.exact.lp import plan_of
from tests.conftest import compiled, refused, rules
from tests.small_games import FIGURE, HORSE

equilibria = td.solvers.equilibria
HALF = Fraction(1, 2)

#: Von Stengel 1999, "New maximal numbers of equilibria in bimatrix games": payoffs of player 0 in the game with 75.
ROWS = [
    [9504, -660, 19976, -20526, 1776, -8976],
    [-111771, 31680, -130944, 168124, -8514, 52764],
    [397584, -113850, 451176, -586476, 29216, -178761],
    [171204, -45936, 208626, -263076, 14124, -84436],
    [1303104, -453420, 1227336, -1718376, 72336, -461736],
    [737154, -227040, 774576, -1039236, 48081, -300036],
]
SWAPPED = (4, 5, 2, 3, 0, 1)  # actions of player 1's table, which is the other one with the players exchanged


def table(one, two):
    return td.load_game(
        "matrix", payoffs=[[list(pair) for pair in zip(*rows, strict=True)] for rows in zip(one, two, strict=True)]
    )


def von_stengel():
    return table(ROWS, [[ROWS[SWAPPED[j]][SWAPPED[i]] for j in range(6)] for i in range(6)])


def values(found):
    return [each.values for each in found.extreme]


def test_the_game_with_75_equilibria():
    """75, of 111 vertices each without 0 (Gambit: 75); Lemke-Howson reaches 2 of them."""
    found = equilibria(von_stengel())
    assert len(found.extreme) == len(found.components) == len(found.bicliques) == 75
    assert found.complete and found.vertices == (111, 111)
    some = equilibria(von_stengel(), "lemke-howson")
    assert len(some.extreme) == 2 and len(some.paths) == 12 and not some.complete
    assert {*values(some), *values(equilibria(von_stengel(), "lemke"))} <= {*values(found)}


def test_a_degenerate_table():
    """Issue 326 of QuantEcon: three extreme equilibria, two of them in one convex set."""
    found = equilibria(td.load_game("matrix", payoffs=[[(3, 3), (3, 3)], [(2, 2), (5, 6)], [(0, 3), (6, 1)]]))
    assert values(found) == [(3, 3), (3, 3), (4, Fraction(8, 3))]
    assert found.components == ((0, 1), (2,)) and found.complete


def by_supports(one, two):
    """All equilibria with supports of equal sizes, by solving for each pair of supports."""
    found = set()
    for size in range(1, min(len(one), len(one[0])) + 1):
        for rows, columns in product(combinations(range(len(one)), size), combinations(range(len(one[0])), size)):
            y = indifferent([[one[i][j] for j in columns] for i in rows])
            x = indifferent([[two[i][j] for i in rows] for j in columns])
            if x and y and min(x) > 0 and min(y) > 0:
                first = [sum(one[i][j] * q for j, q in zip(columns, y, strict=True)) for i in range(len(one))]
                second = [sum(two[i][j] * p for i, p in zip(rows, x, strict=True)) for j in range(len(one[0]))]
                if max(first) == first[rows[0]] and max(second) == second[columns[0]]:
                    found.add((first[rows[0]], second[columns[0]], rows, columns))
    return found


def indifferent(rows):
    """The mixture of columns that makes all rows equal; None if there is not exactly one."""
    size = len(rows)
    system = [[Fraction(a - b) for a, b in zip(rows[0], row, strict=True)] for row in rows[1:]] + [[Fraction(1)] * size]
    right = [Fraction(0)] * (size - 1) + [Fraction(1)]
    for k in range(size):
        pivot = next((i for i in range(k, size) if system[i][k]), None)
        if pivot is None:
            return None
        system[k], system[pivot], right[k], right[pivot] = system[pivot], system[k], right[pivot], right[k]
        for i in range(size):
            if i != k and system[i][k]:
                factor = system[i][k] / system[k][k]
                system[i] = [a - factor * b for a, b in zip(system[i], system[k], strict=True)]
                right[i] -= factor * right[k]
    return [number / system[k][k] for k, number in enumerate(right)]


@pytest.mark.parametrize("seed", range(12))
def test_random_tables_by_supports(seed):
    """Tables of large random integers are not degenerate; the number of their equilibria is odd."""
    draw = random.Random(seed)
    shape = draw.choice([(2, 2), (3, 3), (2, 4), (4, 3), (1, 3)])
    one, two = ([[draw.randint(-(10**6), 10**6) for _ in range(shape[1])] for _ in range(shape[0])] for _ in "ab")
    found = equilibria(table(one, two))
    assert sorted(values(found)) == sorted(each[:2] for each in by_supports(one, two))
    assert len(found.extreme) % 2 == 1 and found.complete
    for method in ("lemke-howson", "lemke"):
        assert {*values(equilibria(table(one, two), method))} <= {*values(found)}


@pytest.mark.parametrize("seed", range(6))
def test_tables_of_small_integers_beside_ranges(seed):
    """In degenerate tables with constant sum, the extreme equilibria attain the ends of all ranges."""
    draw = random.Random(seed)
    game = td.load_game("matrix", payoffs=[[draw.randint(-1, 1) for _ in range(3)] for _ in range(3)])
    tree, found = td.compile_game(game), equilibria(game)
    for player in (0, 1):
        for (name, action), ends in td.solvers.ranges(tree, player).probabilities.items():
            chances = [each.strategies[name][action] for each in found.extreme]
            assert (min(chances), max(chances)) == ends
    assert len(found.components) == 1  # optimal strategies are a product of convex sets


TRUST = """EFG 2 R "trust" { "one" "two" } ""
p "" 1 1 "" { "keep" "trust" } 0
t "" 1 "" { 0, 0 }
p "" 2 1 "" { "honour" "abuse" } 0
t "" 2 "" { 1, 1 }
t "" 3 "" { -1, 2 }
"""
RAISE = """EFG 2 R "Myerson 1991, figure 2.1" { "one" "two" } ""
c "" 1 "" { "red" 1/2 "black" 1/2 } 0
p "" 1 1 "" { "raise" "fold" } 0
p "" 2 1 "" { "meet" "pass" } 0
t "" 1 "" { 2, -2 }
t "" 2 "" { 1, -1 }
t "" 3 "" { 1, -1 }
p "" 1 2 "" { "raise" "fold" } 0
p "" 2 1 "" { "meet" "pass" } 0
t "" 4 "" { -2, 2 }
t "" 5 "" { 1, -1 }
t "" 6 "" { -1, 1 }
"""


def read(tmp_path, text):
    (tmp_path / "game.efg").write_text(text)
    return td.games.read_efg(tmp_path / "game.efg")


def test_trust(tmp_path):
    """Player 0 keeps, since player 1 honours with a probability of 0 to 1/2: one component, two ends."""
    found = equilibria(read(tmp_path, TRUST))
    assert [each.strategies["0: 1"]["keep"] for each in found.extreme] == [1, 1] and len(found.components) == 1
    assert {each.strategies["1: 1"]["honour"] for each in found.extreme} == {0, HALF}


@pytest.mark.parametrize("method", ["vertices", "lemke-howson", "lemke"])
def test_a_game_with_one_equilibrium(tmp_path, method):
    (found,) = equilibria(read(tmp_path, RAISE), method).extreme
    assert found.values == (Fraction(1, 3), Fraction(-1, 3))
    chances = [found.strategies[name] for name in ("0: 1", "0: 2", "1: 1")]
    assert [chances[0]["raise"], chances[1]["raise"], chances[2]["meet"]] == [1, Fraction(1, 3), Fraction(2, 3)]


def test_figure_of_myerson(tmp_path):
    game = read(tmp_path, FIGURE)
    found = equilibria(game)
    assert values(found) == [(Fraction(5, 2), Fraction(9, 4)), (Fraction(8, 3), Fraction(3, 2)), (4, 1)]
    assert len(found.components) == 3 and values(equilibria(game, "pure")) == [(4, 1)]


def test_pure_equilibria_of_three_players(tmp_path):
    game = read(tmp_path, HORSE)
    found = equilibria(game, "pure")
    assert values(found) == [(1, 1, 1), (3, 2, 2)] and found.complete and not found.components
    assert found.extreme[0].strategies["2: 1"] == {"L": 0, "R": 1} and len(found.extreme[1].strategies) == 3
    assert len(equilibria(game, "pure", most=1).extreme) == 1 and not equilibria(game, "pure", most=1).complete
    assert not equilibria(game, "pure", seconds=0).complete
    with pytest.raises(td.errors.SizeError):
        equilibria(td.load_game("kuhn", players=3), "pure")


@pytest.mark.parametrize("seed, players", [(11, 2), (49, 2), (9, 3), (45, 3)])
def test_pure_equilibria_by_deviations(seed, players):
    """All pure profiles of random trees, one by one; those with the same plans count once."""
    game = rules("wild", seed=seed, players=players, depth=3)
    tree, found = td.compile_game(game), equilibria(game, "pure")
    expected = set()
    for choices in product(*(range(count) for count in tree.action_counts.tolist())):
        chosen = np.zeros(tree.rows)
        chosen[tree.first_row[:-1] + choices] = 1
        profile = td.Profile(tree, chosen)
        gains = [td.best_response(profile, player).value - profile.game_values()[player] for player in range(players)]
        if max(gains) < 1e-9:
            expected.add(tuple(tuple(plan_of(profile, player).tolist()) for player in range(players)))
    assert len(found.extreme) == len(expected) > 0 and found.complete


def test_sheriff():
    """Three items, bribes up to 3, one round (computed by another program)."""
    assert values(equilibria(td.load_game("sheriff", items=3, bribe=3, rounds=1), "lemke")) == [(Fraction(3, 4), 0)]


def test_vertices_of_optimal_plans():
    """Kuhn: player 0 has a segment of optimal plans, player 1 one (Kuhn 1950)."""
    found = equilibria(td.load_game("kuhn"))
    assert found.vertices == (2, 1) and found.complete and found.components == ((0, 1),)
    assert [each.strategies["0: J|"]["b"] for each in found.extreme] == [0, Fraction(1, 3)]
    few = equilibria(td.load_game("kuhn"), most=1), equilibria(td.load_game("kuhn"), seconds=0)
    assert [len(each.extreme) for each in few] == [1, 0] and not any(each.complete for each in few)


@pytest.mark.parametrize("name, parameters", [("kuhn", {"cards": 5}), ("kuhn_raise", {}), ("gift_pennies", {})])
def test_vertices_attain_the_ends_of_all_ranges(name, parameters):
    game, found = rules(name, **parameters), equilibria(rules(name, **parameters))
    assert len(found.extreme) == found.vertices[0] * found.vertices[1] > 1
    for player in (0, 1):
        for (infoset, action), ends in td.solvers.ranges(
            td.compile_game(game), player, exact=True
        ).probabilities.items():
            chances = [each.strategies[infoset][action] for each in found.extreme if infoset in each.strategies]
            assert ends is None or (min(chances), max(chances)) == ends


@pytest.mark.parametrize("seed", range(8))
def test_vertices_of_tables_by_both_methods(seed):
    """Optimal strategies of degenerate constant-sum tables, by the hull and by best-response polytopes."""
    draw = random.Random(seed)
    shape = draw.choice([(3, 3), (4, 4), (3, 5), (2, 6)])
    rows = [[draw.randint(-1, 1) for _ in range(shape[1])] for _ in range(shape[0])]
    found = equilibria(td.load_game("matrix", payoffs=rows))
    tables = [[Fraction(a) for a in row] for row in rows], [[Fraction(-a) for a in row] for row in rows]
    vertices, pairs, _ = module._pairs(Bimatrix(tables), 10**6)
    for player in (0, 1):
        others = {vertices[player][pair[player]].strategy for pair in pairs}
        ours = {tuple(each.strategies[f"{player}: move"].values()) for each in found.extreme}
        assert ours == others and found.vertices[player] == len(others)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_hulls_with_many_vertices_on_a_facet(size):
    """Cubes have 2 n facets, cross-polytopes 2^n; each lies in a hyperplane of one dimension more."""
    cube = [(*point, 1 - sum(point)) for point in product((0, 1), repeat=size)]
    cross = [(*(sign * (i == j) for j in range(size)), sign) for i in range(size) for sign in (-1, 1)]
    for points, facets in ((cube, 2 * size), (cross, 2**size)):
        hull = Hull(
            lambda aim, points=points: max(points, key=lambda x: sum(c * x[q] for q, c in aim.items())), size + 1
        )
        assert {*hull.vertices} == {*points} and len(hull.vertices) == len(points) and hull.complete
        assert len(hull._facets) == facets


def test_too_many_dimensions():
    """All mixtures of 32 equal actions are optimal: 31 free dimensions."""
    with pytest.raises(td.errors.SizeError):
        equilibria(td.load_game("matrix", payoffs=[[0]] * 32))
    assert equilibria(td.load_game("matrix", payoffs=[[0]] * 5)).vertices == (5, 1)


@pytest.mark.parametrize("name", ["kuhn", "kuhn_raise", "gift_pennies", "guess_the_ace"])
def test_lemke_on_trees(name):
    (found,) = equilibria(rules(name), "lemke").extreme
    assert found.values == td.exact_solution(rules(name), "none").values


def test_limits():
    """Equilibria found before a limit passed are returned, and never called complete."""
    none, few = equilibria(von_stengel(), seconds=0), equilibria(von_stengel(), most=5)
    assert not none.extreme and not none.complete and not none.components
    assert len(few.extreme) == 5 and not few.complete and not few.components and sum(few.vertices) < 222
    assert equilibria(von_stengel(), most=75).complete
    assert not equilibria(von_stengel(), "lemke-howson", seconds=0).extreme
    with pytest.raises(td.errors.SolverError):
        equilibria(von_stengel(), "lemke", seconds=0)


def test_refusals():
    with pytest.raises(td.errors.GameError, match="Gambit"):
        equilibria(td.load_game("kuhn", players=3))
    with pytest.raises(td.errors.SizeError):
        equilibria(td.load_game("leduc"))
    for changes, key in (({"method": "all"}, "method"), ({"seconds": -1}, "seconds"), ({"most": 1.5}, "most")):
        with refused(td.errors.ParameterError, key=key):
            equilibria(von_stengel(), **changes)


def test_wrong_plans_are_no_equilibrium():
    strategic = module._StrategicForm(compiled("rps"))
    with pytest.raises(td.errors.SolverError):
        strategic.checked([Fraction(number) for number in (1, 1, 0, 0, 1, 1, 0, 0)])


def test_bicliques_of_a_path():
    assert maximal_bicliques([(0, 0), (0, 1), (1, 1), (1, 2)], float("inf")) == [
        ((0,), (0, 1)), ((0, 1), (1,)), ((1,), (1, 2)),
    ]  # fmt: skip
    assert maximal_bicliques([(0, 0)], 0.0) == []
