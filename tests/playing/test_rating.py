"""Ratings of cross tables: intervals, cycles, and calls that have no answer."""

import json

import numpy as np
import pytest

import tefuda as td
from tefuda.playing import CrossTable, ratings
from tefuda.playing.rating import SYSTEMS
from tests.conftest import compiled
from tests.rated import ROCK_TWICE, WINS

NAMES = ["rock", "stone", "paper", "scissors"]


@pytest.fixture(scope="module")
def played():
    tree = compiled("kuhn")
    seated = [*td.named_agents(tree, ["equilibrium", "uniform", "always-raise"]), td.RandomAgent()]
    return td.cross_table(tree, seated, deals=300, seed=2, play=True)


def test_wins_have_walds_interval():
    rated = ratings(CrossTable.of_wins(["a", "b"], [[0, 60], [40, 0]]), reference="b")
    ends = rated.low[0], rated.rating[0], rated.high[0]
    assert ends == pytest.approx((0.94, 70.44, 139.94), abs=0.005) and rated.high[1] == rated.low[1] == 0


def test_cycles_are_named():
    """Ratings explain 1 / 10 of rock, paper and scissors with a twin, and 8 / 9 of a ladder."""
    exact = CrossTable(tuple(NAMES), ROCK_TWICE, np.zeros((4, 4)))
    rated = ratings(exact, "nash")
    assert rated.cycle == tuple(NAMES) and rated.hidden == pytest.approx(0.9) and "cycle" in rated.notes[0]
    assert rated.rating == pytest.approx([0] * 4, abs=1e-6) and rated.low.tolist() == rated.rating.tolist()
    ladder = np.triu(np.ones((3, 3)), 1)
    ladder -= ladder.T
    rated = ratings(CrossTable(("a", "b", "c"), ladder, np.zeros((3, 3))), "nash")
    assert rated.cycle == () and rated.hidden == pytest.approx(1 / 9) and rated.notes == ()
    chance = ratings(CrossTable.of_wins(NAMES, 3 * WINS + 2 - 2 * np.eye(4)), "elo")  # 5 of 7: may be chance
    assert chance.cycle == () and chance.hidden == pytest.approx(0.9)


def test_intervals_draw_all_pairs_from_the_same_deals(played):
    """Resampled payoffs are means over the same deals for all pairs; exact ones stay."""
    pair = CrossTable(played.agents, played.won, played.error, played.deals)
    again = pair.resampled(np.random.default_rng(0))
    deals = played.deals[:, :, np.random.default_rng(0).integers(300, size=300)]
    assert np.array_equal(again.deals, deals, equal_nan=True)
    assert again.won[0, 1] == played.won[0, 1] != deals[0, 1].mean()  # exact
    assert again.won[0, 3] == deals[0, 3].mean() == -again.won[3, 0]
    drawn = np.std([pair.resampled(np.random.default_rng(seed)).won[0, 3] for seed in range(200)])
    assert drawn == pytest.approx(played.error[0, 3], rel=0.15)


@pytest.mark.parametrize("system", SYSTEMS)
def test_systems_on_hands(played, system):
    rated = ratings(played, system, reference="uniform", resamples=20)
    assert rated.rating[1] == rated.low[1] == rated.high[1] == 0
    assert (rated.low <= rated.rating + 1e-9).all() and (rated.rating <= rated.high + 1e-9).all()
    same = ratings(played, system, reference="uniform", resamples=20)
    assert json.dumps(rated.summary()) == json.dumps(same.summary())


def test_shared_cards_change_the_intervals_of_elo(played):
    """Deals decide several pairs at once, so their intervals are not those of independent wins."""
    counted = CrossTable.of_wins(played.agents, played.wins)
    one, two = (ratings(table, "elo") for table in (played, counted))
    assert one.rating == pytest.approx(two.rating) and np.abs(one.low - two.low).max() > 1


def test_wins_come_from_both_payoffs():
    """A player who gets 3 where the other gets 5 has not won; equal payoffs are a draw."""
    deals = np.full((2, 2, 2), np.nan)
    deals[0, 1], deals[1, 0] = [3, 4], [5, 4]
    table = CrossTable(("a", "b"), np.zeros((2, 2)), np.zeros((2, 2)), deals)
    assert table.wins.tolist() == [[0, 0.5], [1.5, 0]]


@pytest.mark.parametrize(
    "call, kind",
    [
        (lambda table: ratings([[0, 1], [1, 0]]), "CrossTable"),
        (lambda table: ratings(table, "glicko"), "glicko"),
        (lambda table: ratings(table, reference="nobody"), "nobody"),
        (lambda table: ratings(table, resamples=1), "resamples"),
        (lambda table: ratings(CrossTable(("a", "b"), np.zeros((2, 2)), np.zeros((2, 2)))), "play=True"),
        (lambda table: ratings(CrossTable(("a", "b"), np.zeros((3, 3)), np.zeros((2, 2)))), "2 agents"),
        (lambda table: ratings(CrossTable.of_wins(["a", "b"], [[0, 2], [1, 0]]), "gaussian"), "play=True"),
        (lambda table: CrossTable.of_wins(["a", "b"], [[0, -1], [1, 0]]), "at least 0"),
        (lambda table: CrossTable.of_wins(["a", "b"], [[0, np.nan], [1, 0]]), "at least 0"),
        (lambda table: CrossTable.of_wins(["a"], [[0]]), "two agents"),
    ],
)
def test_bad_calls(played, call, kind):
    with pytest.raises(td.errors.InputError, match=kind):
        call(played)


def test_hidden_cycle_needs_a_chain_to_be_ranked():
    table = CrossTable(("a", "b", "c"), np.array([[0, 0, 1], [0, 0, 1], [-1, -1, 0.0]]), np.zeros((3, 3)))
    assert ratings(table, "alpha-rank", alpha=50.0).rating == pytest.approx([0.5, 0.5, 0])
