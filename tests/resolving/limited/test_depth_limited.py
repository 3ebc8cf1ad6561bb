"""Depth-limited solving, lookahead by lookahead, to the end of the game."""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pytest

import tefuda as td
from tefuda.games.small.kuhn import Kuhn
from tefuda.games.small.random_game import RandomGame
from tefuda.resolving.limited.depth_limited import DepthLimitedSolver, find_leaves
from tefuda.resolving.limited.leaves import ExactLeaves
from tests.conftest import compiled, refused
from tests.edge_games import HiddenTime, Unwatched


@pytest.mark.parametrize(
    "name, parameters, cut, lookaheads",
    [
        ("kuhn", {}, 1, 8),  # of each player the start, two public states after it, one more after that
        ("kuhn", {}, 2, 4),
        ("leduc", {}, "deal", 32),
        ("liars_dice", {"sides": 2}, 1, None),
        ("goofspiel", {"cards": 3}, 2, None),
    ],
)
def test_with_exact_leaves_nothing_is_lost(name, parameters, cut, lookaheads):
    found = td.depth_limited(compiled(name, **parameters), cut)
    assert found.nash_conv <= 1e-6 and found.exploitability == found.nash_conv / 2
    assert found.lookaheads == lookaheads or lookaheads is None


@pytest.mark.parametrize("seed", range(4))
def test_with_exact_leaves_nothing_is_lost_in_random_games(seed):
    tree = td.compile_game(RandomGame(seed=seed, depth=5))
    assert td.depth_limited(tree, 1 + seed % 2).nash_conv <= 1e-8


@dataclass(frozen=True)
class Paid(Kuhn):
    """Kuhn poker with payments to both players, more to player 1, in small and large units."""

    unit: float = 1.0
    name = "paid"
    constant_sum = None

    def payoffs(self, state):
        first, second = super().payoffs(state)
        return ((first + 3) * self.unit, (second + 4) * self.unit)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e17])
def test_payoffs_need_not_sum_to_zero(unit):
    found = td.depth_limited(td.compile_game(Paid(unit=unit)), 1)
    assert found.nash_conv <= 1e-12 * unit
    assert td.values(found.profile)[0] == pytest.approx((3 - 1 / 18) * unit)


@pytest.mark.slow
@pytest.mark.parametrize("name, parameters, cut", [("leduc", {}, 1), ("leduc", {}, 3), ("liars_dice", {"sides": 4}, 2)])
def test_with_exact_leaves_nothing_is_lost_in_larger_games(name, parameters, cut):
    assert td.depth_limited(compiled(name, **parameters), cut).nash_conv <= 1e-6


def test_infosets_asked_for_one_by_one_are_those_of_the_profile():
    tree = compiled("liars_dice", sides=2)
    ahead = DepthLimitedSolver(tree, 1, ExactLeaves())
    asked = {number: ahead.strategy(int(tree.infoset_player[number]), number) for number in range(0, tree.infosets, 5)}
    whole = (every := DepthLimitedSolver(tree, 1, ExactLeaves())).profile()
    assert 2 < ahead.lookaheads < every.lookaheads
    for number, found in asked.items():
        assert found == pytest.approx(whole.probabilities[tree.rows_of(number)], abs=1e-9)


def _limited(tree, cut, most=100):
    """Return `depth_limited`, which must end after at most `most` lookaheads."""

    def check(done, known):
        assert done < most

    return td.depth_limited(tree, cut, progress=check)


@pytest.mark.parametrize("cut", [1, [0]])
def test_a_public_state_may_contain_its_own_descendants(cut):
    """The lookahead at such a state reaches below it, to the best payoff of 3."""
    tree = td.compile_game(Unwatched())
    found = _limited(tree, cut)
    assert found.nash_conv == pytest.approx(0, abs=1e-12) and td.values(found.profile)[0] == pytest.approx(3)
    ahead = DepthLimitedSolver(tree, cut, ExactLeaves())
    assert [ahead.strategy(0, tree.number((0, view))).tolist() for view in ("", "b")] == [[0, 1], [1, 0]]


@pytest.mark.parametrize("cut", [[0], [1], [1, 2]])
def test_cuts_may_list_public_states(cut):
    assert _limited(compiled("kuhn"), cut).nash_conv <= 1e-12


@pytest.mark.parametrize("shows", [0.0, 0.3, 1.0])
def test_nothing_is_lost_where_views_hide_time(shows):
    """Six random games; a cut with nothing below it is refused."""
    solved = 0
    for seed in range(6):
        tree = td.compile_game(HiddenTime(seed, shows))
        for cut in (1, 2, "deal"):
            with suppress(td.errors.ParameterError):
                assert _limited(tree, cut).nash_conv <= 1e-9
                solved += 1
    assert solved > 6


def test_a_game_without_decisions_is_refused():
    tree = td.compile_game(Unwatched(0))
    with pytest.raises(td.errors.GameError, match="no decisions"):
        td.depth_limited(tree, 1)
    with pytest.raises(td.errors.GameError, match="no decisions"):
        td.resolving.DepthLimitedAgent("limited", tree, "deal")


def test_progress_reports_lookaheads():
    reports = []
    td.depth_limited(compiled("kuhn"), 2, progress=lambda done, known: reports.append((done, known)))
    assert reports == [(1, 3), (2, 3), (3, 4), (4, 4)] and "4 lookaheads" in repr(td.depth_limited(compiled("kuhn"), 2))


def test_refused():
    with refused(td.errors.ParameterError, key="cut", value="deal"):
        td.depth_limited(compiled("kuhn"), "deal")
    with pytest.raises(td.errors.GameError, match="players"):
        td.depth_limited(compiled("kuhn", players=3), 1)
    with pytest.raises(td.InputError, match="compiled"):
        td.depth_limited(td.load_game("kuhn"), 1)
    for wrong in ("network", None, 3, np.zeros(2)):
        with refused(td.errors.ParameterError, key="leaves"):
            find_leaves(wrong)
