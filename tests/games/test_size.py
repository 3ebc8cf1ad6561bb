"""Large, wide or endless games: estimates, checks and errors with bounded work."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

import tefuda as td
from tefuda.games.protocol import LONGEST, WIDEST
from tefuda.games.size import estimate_traversal
from tefuda.games.small.kuhn import Kuhn
from tefuda.games.small.leduc import deals
from tests.conftest import rules


class Rules:
    """An endless one-player game with numbered states, which counts calls and listed labels."""

    name, players = "counted", 1
    width = 1

    def __init__(self):
        self.work = 0

    def root(self):
        return 0

    def player(self, state):
        self.work += 1
        return 0

    def actions(self, state):
        self.work += self.width
        return tuple(range(self.width))

    def chances(self, state):
        self.work += self.width
        return tuple(zip(range(self.width), [1 / self.width] * self.width, strict=True))

    def child(self, state, action):
        self.work += 1
        return state + 1

    def payoffs(self, state):
        return (0,)

    def view(self, state, player):
        return state


def made(ends=None, chance=(), **fields):
    """Return rules that end after `ends` moves, with chance at some of them."""

    def player(self, state):
        self.work += 1
        return td.TERMINAL if state == ends else td.CHANCE if state in chance else 0

    return type("Made", (Rules,), {"player": player, **fields})()


#: the rules, the expected fault of check_game or None, and whether an estimate must refuse
CASES = {
    "endless": ({}, "endless", True),
    "endless, many actions": (dict(width=200), "endless", True),
    "endless by chance": (dict(chance=range(10**9), width=2), "endless", True),
    "10,000 moves": (dict(ends=LONGEST), None, False),
    "10,000 moves of two actions": (dict(ends=LONGEST, width=2), "imperfect recall", False),
    "10,000 actions": (dict(ends=1, width=10_000), None, False),
    "600 outcomes, twice": (dict(ends=2, chance=(0, 1), width=600), None, False),
    "1,000,000 actions": (dict(ends=1, width=10**6), "too wide", False),
    "1,000,000 outcomes": (dict(ends=1, chance=(0,), width=10**6), "too wide", False),
}


def listed_by_a_game(fields):
    return fields.get("ends", LONGEST) * fields.get("width", 1)


@pytest.mark.parametrize("what", CASES)
def test_checking_is_bounded(what):
    """At most 200,000 histories and one random game of any length, with each rule called twice."""
    fields, kind, _ = CASES[what]
    game = made(**fields)
    report = td.check_game(game)
    assert game.work < 4_000_000 + 2 * listed_by_a_game(fields), str(report)
    assert report.ok if kind is None else kind in {fault.kind for fault in report.faults}
    assert len(str(report)) < 2_000, "long histories are printed short"


@pytest.mark.parametrize("what", CASES)
def test_estimates_are_bounded(what):
    """At most 200,000 states and labels and two random games of any length."""
    fields, _, endless = CASES[what]
    game = made(**fields)
    if endless:
        with pytest.raises(td.errors.GameError, match="ended"):
            td.games.estimate_game(game)
    else:
        ends, width = fields["ends"], fields.get("width", 1)
        estimate = td.games.estimate_game(game)
        exact = min(
            sum(float(width) ** depth for depth in range(ends + 1)) if ends < 1000 or width == 1 else 1e140, 1e140
        )
        assert estimate.histories == pytest.approx(exact) or estimate.histories > 1e140
    assert game.work < 1_000_000 + 2 * listed_by_a_game(fields)


def test_checking_costs_linear_memory():
    """Histories are linked lists: a game of 10,000 moves has as many links, not 50 million steps."""
    import tracemalloc

    tracemalloc.start()
    assert td.check_game(made(ends=LONGEST)).complete
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000 * LONGEST


def test_endless_games_are_not_compiled():
    """Half of its histories end at each depth: random games are short, but the compiler notices."""

    class Endless(Rules):
        name, width = "may stop", 2

        def player(self, state):
            return td.TERMINAL if state < 0 else 0

        def child(self, state, action):
            return -1 if action == 0 else state + 1

    with pytest.raises(td.errors.GameError, match="ended"):
        td.compile_game(Endless())
    assert "endless" in {fault.kind for fault in td.check_game(Endless()).faults}


def test_a_history_too_wide_for_a_tree_is_refused():
    with pytest.raises(td.errors.SizeError, match=f"{WIDEST + 1:,}"):
        td.compile_game(made(ends=1, width=WIDEST + 1))
    assert td.compile_game(made(ends=1, width=WIDEST)).rows == WIDEST


LARGE = [
    # 39,916,800 deals. Of n + 1 checks, each bet of n players has 2^n - 1 histories below it: 10,241 for each deal.
    ("kuhn", {"players": 10}, 408_787_948_801, "TB of memory"),
    ("kuhn", {"players": 10, "cards": 60}, None, "too large for any machine"),
    ("leduc", {"players": 6, "ranks": 12, "suits": 4, "cap": 10}, None, "too large for any machine"),
    ("leduc", {"players": 6, "ranks": 12, "suits": 4, "distinct_suits": True}, None, "too large for any machine"),
    ("liars_dice", {"players": 6, "dice": 5, "sides": 15}, None, "too large for any machine"),
    ("goofspiel", {"cards": 13, "players": 6, "order": "random"}, None, "too large for any machine"),
]


@pytest.mark.parametrize("name, parameters, histories, words", LARGE)
def test_large_games_are_estimated_drawn_and_refused_without_listing_deals(
    name, parameters, histories, words, tmp_path
):
    game = rules(name, **parameters)
    kind = type("Unlisted", (type(game),), {})
    if hasattr(game, "draw"):
        kind.chances = lambda self, state: (
            pytest.fail("chance was listed") if state == self.root() else super(kind, self).chances(state)
        )
    game = kind(**parameters)
    estimate = td.games.estimate_game(game)
    assert words in str(estimate)
    if histories:
        assert abs(estimate.histories - histories) < 3 * estimate.error < histories
    with pytest.raises(td.errors.SizeError, match="large"):
        td.compile_game(game)
    with pytest.raises(td.errors.SizeError, match="large"):
        td.games.write_efg(game, tmp_path / "game.efg")
    assert not list(tmp_path.iterdir())
    assert td.check_game(game, limit=2_000, samples=50).ok


def every_draw(draw, sizes):
    """Return the distribution of `draw(uniform)` if its n-th number is uniform over sizes[n] parts."""
    found = Counter()
    for parts in product(*map(range, sizes)):
        points = iter([(part + 0.5) / size for part, size in zip(parts, sizes, strict=True)])
        found[draw(lambda points=points: next(points))] += 1
        assert next(points, None) is None
    return {outcome: Fraction(count, sum(found.values())) for outcome, count in found.items()}


@pytest.mark.parametrize(
    "name, parameters, history, sizes",
    [
        ("kuhn", {"players": 3, "cards": 5}, (), (5, 4, 3)),
        ("leduc", {"ranks": 3}, (), (6, 5)),
        ("leduc", {"players": 3, "ranks": 3}, (("J", "J", "Q"), "c", "c", "c"), (3,)),
        ("leduc", {"ranks": 2, "distinct_suits": True}, (), (4, 3)),
        ("liars_dice", {"dice": 2, "sides": 3}, (), (3, 3, 3, 3)),
    ],
)
def test_draws_agree_with_listed_chances(name, parameters, history, sizes):
    """Each outcome is drawn with its listed probability, and reports that probability."""
    game = rules(name, **parameters)
    state = game.root()
    for label in history:
        state = game.child(state, label)
    drawn = every_draw(lambda uniform: game.draw(state, uniform), sizes)
    listed = dict(game.chances(state))
    assert {label: chance for (label, _), chance in drawn.items()} == listed
    assert dict(drawn.keys()) == listed


def test_a_wrong_draw_is_a_fault():
    good = rules("kuhn")
    for lie in (("??", Fraction(1, 6)), (("J", "Q"), Fraction(1, 5)), (("J", "Q"), 0), "JQ", 3, None):
        kind = type("Lying", (type(good),), {"draw": lambda self, state, uniform, lie=lie: lie})
        faults = {fault.kind for fault in td.check_game(kind()).faults}
        assert faults & {"draw", "draw() raised"}, lie


def test_deals_of_equal_cards_are_merged_permutations():
    """Deals have the order in which permutations meet them: fingerprints of trees depend on it."""
    deck, ways = ("J", "J", "Q", "Q", "K", "K"), {}
    for drawn in permutations(deck, 3):
        ways[drawn] = ways.get(drawn, 0) + 1
    assert deals(deck, 3) == tuple((drawn, Fraction(number, 120)) for drawn, number in ways.items())


@pytest.mark.parametrize(
    "size, words",
    [
        ((1000, 0.0, 3.4e5, 0.01), "1,000 histories, 340 KB of memory, 0.01 s to compile"),
        (
            (3e12, 1e11, 9e14, 7e9),
            "3.0e+12 histories (+-1e+11, estimated from random games), 900.0 TB of memory, 221.8 years",
        ),
        ((3e12, 1e11, 9e14, 1e12), "more than a thousand years to compile"),
        (
            (1e13, 1e11, 1.1e15, 1e12),
            "1.0e+13 histories (+-1e+11, estimated from random games), too large for any machine",
        ),
    ],
)
def test_sizes_in_words(size, words):
    assert words in str(td.games.Estimate(*size))


@pytest.mark.parametrize(
    "name, parameters, exact",
    [
        ("kuhn", {"players": 6}, 1_940_401),  # 5,040 deals of 7 + 6 (2^6 - 1) = 385 histories, and the root
        ("liars_dice", {}, 294_877),
        ("leduc", {"players": 3}, 223_861),
        ("goofspiel", {"cards": 6}, 969_523),
    ],
)
@pytest.mark.parametrize("width", [5, 50])
def test_estimates_are_unbiased(name, parameters, exact, width):
    """The mean of 60 estimates is within four standard errors, which are taken from the estimates."""
    game = rules(name, **parameters)
    found = [td.games.estimate_game(game, width=width, rng=np.random.default_rng(seed)).histories for seed in range(60)]
    assert abs(np.mean(found) - exact) <= 4 * np.std(found) / np.sqrt(60) + 1e-6 * exact


def test_estimates_of_no_limit_games_have_the_right_order():
    """Most histories are below small bets: separate paths estimate 250 million instead of 21 million."""
    estimate = td.games.estimate_game(rules("nolimit_leduc", stack=20))
    assert 21_473_194 / 4 < estimate.histories < 21_473_194 * 4


def test_estimates_before_anything_is_built():
    assert td.games.estimate_game(td.load_game("leduc")).histories == 1936
    guess = td.games.estimate_game(td.load_game("leduc", players=3))
    assert guess.histories == pytest.approx(223_861, rel=0.5) and not guess.exact
    with pytest.raises(td.errors.SizeError, match="force"):
        td.compile_game(td.load_game("leduc", players=6))


@dataclass(frozen=True)
class Counted(Kuhn):
    """Kuhn poker that counts the calls of its rules."""

    called = [0]

    def root(self):
        self.called[0] += 1
        return super().root()


@pytest.mark.parametrize("estimate", [td.games.estimate_game, estimate_traversal])
def test_estimates_of_equal_games_are_remembered(estimate):
    """Equal games are frozen dataclasses with equal parameters; other objects may change their rules."""
    found = estimate(Counted(cards=5))
    calls = Counted.called[0]
    assert estimate(Counted(cards=5)) == found and Counted.called[0] == calls
    estimate(Counted(cards=6))
    assert Counted.called[0] > calls
    game = made(ends=3)
    estimate(game)
    work = game.work
    estimate(game)
    assert game.work == 2 * work


@pytest.mark.parametrize(
    "name, parameters", [("kuhn", {}), ("leduc", {}), ("kuhn", {"players": 3}), ("goofspiel", {"cards": 4})]
)
def test_traversals_are_estimated(name, parameters):
    """The estimate is near the mean of uniform traversals, and exact for the fixed branching of goofspiel."""
    game = td.load_game(name, **parameters)
    solver = td.make_solver(td.RulesForm(game), "external")
    visited = []
    for _ in range(200):
        solver.tables.clear()
        solver._known_infosets, before = 0, solver.nodes
        for player in range(game.players):
            solver._traverse(game.root(), player, 1.0)
        visited.append(solver.nodes - before)
    error = np.std(visited) / np.sqrt(30)
    assert abs(estimate_traversal(game) - np.mean(visited)) <= 4.5 * error + 1e-9


def test_long_traversals_are_announced():
    """External sampling follows every order of a player's cards; the default is then outcome sampling."""
    game = td.load_game("goofspiel", cards=9)
    with pytest.warns(RuntimeWarning, match="outcome"):
        td.make_solver(td.RulesForm(game), "external")
    assert td.make_solver(td.RulesForm(game)).method.name == "outcome"
    assert td.make_solver(td.RulesForm(td.load_game("leduc"))).method.name == "external"
