"""Games with equivalent actions: answers of every method in the small game, evaluated in the real one."""

from dataclasses import dataclass
from itertools import islice

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.partitions import merge
from tefuda.solvers.exact.lp import is_two_player_constant_sum
from tests.abstracting.symmetric_games import loses_nothing, turned
from tests.conftest import compiled

TABULAR = [
    name
    for name, method in td.METHODS.items()
    if not method.extra and name not in ("lp", "cfr-br") and "partition" in method.accepts
]


def in_the_small_game(whole, profile):
    """Return a profile of the small game equal to one of the real game that is constant within classes."""
    tree = whole.tree
    first = np.isin(tree.infoset_of_row, whole.first_infoset)
    weights = np.bincount(whole.rows[first], profile.probabilities[first], minlength=whole.small.rows)
    found = td.Profile(whole.small, weights)
    assert whole.spread(found.probabilities) == pytest.approx(profile.probabilities, abs=1e-12)
    return found


def check_nothing_is_lost(whole, profile):
    """Assert equal values and best responses in both games."""
    small, real = td.evaluate(in_the_small_game(whole, profile)), td.evaluate(profile)
    assert real.values == pytest.approx(small.values, abs=1e-9)
    assert real.gains == pytest.approx(small.gains, abs=1e-9)


def methods_for(tree, number):
    """Return the exact method where there is one, and two others in rotation."""
    by_turns = [TABULAR[(2 * number + step) % len(TABULAR)] for step in range(2)]
    return [*by_turns, "lp", "cfr-br"] if is_two_player_constant_sum(tree) else by_turns


@pytest.mark.parametrize("part", range(10))
def test_no_method_loses_on_random_games_with_shared_rows(part):
    """On 300 games, each with some methods, NashConv in the real game equals NashConv in the small one."""
    shared = 0
    for number in range(part, 300, 10):
        tree = td.compile_game(turned(number))
        whole = td.lossless(tree)
        shared += bool((whole.share < 1).any())
        assert loses_nothing(whole) and np.bincount(whole.small.infoset[whole.small.infoset >= 0]).min() > 0
        for name in methods_for(tree, number // 10):
            solver = td.make_solver(whole, name, seed=number)
            solver.advance(1 if name == "lp" else 20)
            check_nothing_is_lost(whole, solver.average())
            if name == "lp":
                assert td.nash_conv(solver.average()) < 1e-9
    assert shared >= 25


@pytest.mark.parametrize("seed", range(12))
def test_the_small_game_has_the_real_games_payoffs(seed):
    """Any rows of an infoset may share an abstract row: payoffs and recall are the same for every profile."""
    tree, rng = td.compile_game(turned(seed)), np.random.default_rng(seed)
    chosen = [(rng.integers(1, count + 1), count) for count in tree.action_counts.tolist()]
    places = np.concatenate([np.append(np.arange(k), rng.integers(0, k, n - k)) for k, n in chosen])
    whole = merge(tree, range(tree.infosets), places)
    assert (whole.share < 1).any() == (len(whole.rows) > whole.first_row[-1])
    for profile in islice(iter(lambda: td.Profile.random(whole.small, rng), None), 3):
        real = td.Profile(tree, whole.spread(profile.probabilities))
        assert td.evaluate(profile).values == pytest.approx(td.evaluate(real).values, abs=1e-12)
    reached = td.evaluating.reach(profile)
    assert reached.total[whole.small.terminals].sum() == pytest.approx(1)


@dataclass(frozen=True)
class Pennies:
    """Player 0 takes .5, or plays hidden matching pennies for 1."""

    name = "pennies"
    players = 2
    constant_sum = 0

    def root(self):
        return ()

    def player(self, state):
        return td.TERMINAL if state[:1] == ("take",) or len(state) == 2 else len(state)

    def actions(self, state):
        return ("heads", "tails") if state else ("take", "heads", "tails")

    def chances(self, state):
        raise AssertionError("there is no chance")

    def child(self, state, action):
        return (*state, action)

    def payoffs(self, state):
        gain = 0.5 if state == ("take",) else (1.0 if state[0] == state[1] else -1.0)
        return (gain, -gain)

    def view(self, state, player):
        return "first" if player == 0 else "second"


@pytest.mark.parametrize(
    "name, iterations", [("lp", 1), ("cfr", 1000), ("cfr+", 1000), ("ema", 1000), ("external", 4000)]
)
def test_half_a_point_or_hidden_matching_pennies(name, iterations):
    """Heads and tails share a row; the pennies have value 0, so player 0 takes .5."""
    tree = td.compile_game(Pennies())
    whole = td.lossless(tree)
    assert whole.share == pytest.approx([1, 0.5, 0.5, 0.5, 0.5]) and loses_nothing(whole)
    solution = td.solve(whole, name, iterations=iterations)
    assert solution.values == pytest.approx((0.5, -0.5), abs=0.01) and solution.nash_conv < 0.01


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_goofspiel(cards):
    """The small game converges in fewer iterations than the whole tree."""
    whole = td.lossless(compiled("goofspiel", cards=cards))
    assert loses_nothing(whole) and whole.share.min() < 1
    solution = td.solve(whole, "cfr+", iterations=1000)
    check_nothing_is_lost(whole, solution.strategy)
    assert solution.nash_conv < 1e-3 and td.solve(whole, "lp").nash_conv < 1e-9
