"""Agents and duplicate matches: exact values, shared luck, observations, recorded hands."""

import math
from fractions import Fraction

import numpy as np
import pytest

import tefuda as td
from tefuda.playing import agents, match, stereotypes
from tefuda.playing.deals import DealSource, Task
from tefuda.playing.table import play_seating
from tests.conftest import compiled, refused
from tests.players import Learner


@pytest.fixture(scope="module")
def three():
    return compiled("leduc", players=3)


def agent(tree, letter):
    """Return an agent by furui2011's letters: E always raises, F always calls, G is uniform."""
    made = {"E": stereotypes.always_raise, "F": stereotypes.always_call, "G": td.Profile.uniform}[letter](tree)
    return agents.ProfileAgent(letter, made)


#: Chips a hand by seat, 3-player Leduc (rational arithmetic).
LINE_UPS = {
    "GGG": ("-3289/20736", "-11/576", "3685/20736"),
    "EFG": ("11/18", "11/18", "-11/9"),
    "FEG": ("11/18", "11/18", "-11/9"),
    "EGF": ("11/18", "-11/9", "11/18"),
    "FGE": ("371/288", "-371/144", "371/288"),
    "EFE": ("0", "0", "0"),
    "FGF": ("0", "0", "0"),
}


@pytest.mark.parametrize("line_up", LINE_UPS)
def test_exact_payoffs_of_fixed_players(three, line_up):
    found = match.exact_payoffs(three, [agent(three, letter) for letter in line_up], [(0, 1, 2)])
    expected = [float(Fraction(text)) for text in LINE_UPS[line_up]]
    assert found[0] == pytest.approx(expected, abs=1e-9)


def test_best_responses_to_fixed_players(three):
    for letter, figures in (
        ("G", (3.83493614, 4.07680569, 4.69947951)),
        ("E", (108 / 35,) * 3),
        ("F", (16 / 7,) * 3),
    ):
        profile = agent(three, letter).profile
        found = [td.best_response(profile, player).value for player in range(3)]
        assert found == pytest.approx(figures, abs=1e-8)
    assert td.nash_conv(td.Profile.uniform(three)) == pytest.approx(12.611221340388, abs=1e-8)


def test_a_match_of_fixed_players_is_exact_and_is_played_on_demand(three):
    table = [agent(three, letter) for letter in "GEF"]
    exact = match.duplicate_match(three, table)
    assert exact.payoffs.shape == (6, 0, 3) and (exact.error == 0).all()
    played = match.duplicate_match(three, table, deals=1500, seed=4, play=True)
    assert played.by_deal.sum(axis=1) == pytest.approx(np.zeros(1500), abs=1e-9)
    error = played.by_deal.std(axis=0, ddof=1) / np.sqrt(1500)
    assert (np.abs(played.by_deal.mean(axis=0) - exact.mean) < 4 * error).all()
    assert exact.mean.sum() == pytest.approx(0, abs=1e-9)


def test_equal_agents_win_exactly_equally(three):
    """With common cards and luck all results are equal (furui2011's own table differs by a few chips)."""
    table = [agent(three, "G"), agent(three, "G"), agent(three, "E")]
    played = match.duplicate_match(three, table, deals=200, seed=1, play=True)
    assert played.agents == ("G 1", "G 2", "E")
    assert np.array_equal(played.by_deal[:, 0], played.by_deal[:, 1])
    apart = match.duplicate_match(three, table, deals=200, seed=1, play=True, shared="cards")
    assert not np.array_equal(apart.by_deal[:, 0], apart.by_deal[:, 1])


def test_the_same_seed_gives_the_same_match_whatever_the_workers():
    tree = compiled("leduc")
    table = [agents.ProfileAgent("uniform", td.Profile.uniform(tree)), Learner()]
    one = match.duplicate_match(tree, table, deals=50, seed=7, record=True)
    two = match.duplicate_match(tree, table, deals=50, seed=7, record=True, workers=2)
    assert np.array_equal(one.payoffs, two.payoffs) and one.hands == two.hands and one.exact is None
    other = match.duplicate_match(tree, table, deals=50, seed=8)
    assert not np.array_equal(one.payoffs, other.payoffs)


def of_units(rows, replicates=1):
    """Return a match of two agents in one seat order; the first won `rows` on its deals."""
    won = np.array(rows, dtype=float)
    payoffs = np.stack([won, -won], axis=1)[None]
    return match.Match(("a", "b"), ((0, 1),), None, payoffs, np.zeros(payoffs.shape[:2], int), (), replicates)


@pytest.mark.parametrize(
    "rows, replicates, level, half",
    [
        # mean 3, squares about it 4 + 1 + 0 + 9 = 14: error sqrt(14 / 3 / 4); t of 3 degrees of freedom.
        ((1, 2, 3, 6), 1, 0.95, 3.182446305284263 * math.sqrt(14 / 12)),
        ((1, 2, 3, 6), 1, 0.5, 0.7648923284043536 * math.sqrt(14 / 12)),
        # Replicates of two deals: 1.5 and 4.5, error 1.5; t of 1 degree of freedom.
        ((1, 2, 3, 6), 2, 0.95, 12.706204736432095 * 1.5),
    ],
)
def test_intervals_by_hand(rows, replicates, level, half):
    """Student's t from tables of the distribution, with n - 1 in the variance."""
    found = of_units(rows, replicates).interval(level)
    assert found == pytest.approx(np.array([[3 - half, 3 + half], [-3 - half, -3 + half]]))


@pytest.mark.parametrize("replicates, deals", [(1, 8), (6, 2)])
def test_intervals_cover(replicates, deals):
    """In 200 small matches of Kuhn poker 90 to 99 % of the 95 % intervals contain the exact mean."""
    tree = compiled("kuhn")
    table = [
        agents.ProfileAgent("u", td.Profile.uniform(tree)),
        agents.ProfileAgent("r", stereotypes.always_raise(tree)),
    ]
    exact = match.duplicate_match(tree, table).mean[0]
    table[0], covered = Learner(), 0  # plays uniformly too
    for seed in range(200):
        played = match.duplicate_match(tree, table, deals=deals, seed=seed, replicates=replicates)
        low, high = played.interval()[0]
        covered += low <= exact <= high
    assert 180 <= covered <= 198


def test_replicates_reset_agents(in_threads):
    """Agents forget between replicates; intervals use replicates; one replicate is the match itself."""
    tree = compiled("leduc")
    table = [agents.ProfileAgent("r", stereotypes.always_raise(tree)), Learner()]
    one = match.duplicate_match(tree, table, deals=40, seed=7)
    four = match.duplicate_match(tree, table, deals=40, seed=7, replicates=4)
    assert len(table[1].observed_hands) == 40 and four.payoffs.shape == (2, 160, 2) and four.units.shape == (4, 2)
    assert np.array_equal(four.payoffs[:, :40], one.payoffs) and not np.array_equal(four.payoffs[:, 40:80], one.payoffs)
    assert four.mean == pytest.approx(four.units.mean(axis=0))
    half = 3.182446305284263 * four.units.std(axis=0, ddof=1) / 2  # t of 3 degrees of freedom at .975
    assert half.min() > 0.1 and four.interval()[:, 1] - four.mean == pytest.approx(half)
    spread = match.duplicate_match(tree, table, deals=40, seed=7, replicates=4, workers=2)
    assert np.array_equal(spread.payoffs, four.payoffs)


def test_nothing_shared(three):
    """A deal's cards differ between seat orders, for people, who would remember them."""
    played = match.duplicate_match(
        three, [agent(three, letter) for letter in "GEF"], deals=30, play=True, record=True, shared="nothing"
    )
    dealt = {}
    for hand in played.hands:
        dealt.setdefault(hand.deal, set()).add(hand.labels[0])
    assert len(dealt) == 30 and np.mean([len(cards) for cards in dealt.values()]) > 4
    with refused(td.errors.ParameterError, key="shared", value="all"):
        match.duplicate_match(three, [agent(three, "G")] * 3, shared="all")


def test_cards_are_tied_to_the_seats(three):
    table = [agent(three, letter) for letter in "GEF"]
    played = match.duplicate_match(three, table, deals=40, seed=2, play=True, record=True)
    dealt = {}
    for hand in played.hands:
        dealt.setdefault(hand.deal, set()).add(hand.labels[0])
    assert len(dealt) == 40 and all(len(cards) == 1 for cards in dealt.values())


def test_observations_seen_after_a_hand():
    """All moves are observed; folded cards stay hidden; the final view contains the board."""
    tree = compiled("leduc")
    learner = Learner()
    play_seating(Task(tree, [learner, agents.ProfileAgent("u", td.Profile.uniform(tree))], (0, 1), DealSource(300)))
    folds = shows = 0
    for hand in learner.observed_hands:
        folded = {move.player for move in hand.moves if move.action == "f"}
        hidden = {move.player for move in hand.moves if move.infoset < 0}
        assert hidden == folded - {0} and hand.payoffs[0] == -hand.payoffs[1]
        assert "|" in hand.view and all(
            tree.infoset_player[m.infoset] == m.player for m in hand.moves if m.infoset >= 0
        )
        folds, shows = folds + bool(hidden), shows + (not folded)
    assert folds > 20 and shows > 20


def test_many_players_rotate():
    """Up to six agents play in all orders, more in all rotations: each agent has each seat once."""
    assert len(match.seatings_of(3)) == 6 and len(match.seatings_of(6)) == 720
    assert np.sort(np.array(match.seatings_of(7)), axis=0).tolist() == [[agent] * 7 for agent in range(7)]
    found = match.duplicate_match(td.load_game("kuhn", players=10), [td.RandomAgent() for _ in range(10)], deals=2)
    assert found.payoffs.shape == (10, 2, 10)


def test_a_policy_on_a_tree_is_exact(kuhn):
    """A policy equals its profile; on a tree with too many infosets it is played."""
    profile, uniform = td.Profile.random(kuhn, np.random.default_rng(2)), agents.RandomAgent("r")
    flat = agents.ProfileAgent("u", td.Profile.uniform(kuhn))
    found = [match.duplicate_match(kuhn, [one, flat]) for one in (agents.PolicyAgent("p", profile),
                                                                   agents.ProfileAgent("p", profile))]  # fmt: skip
    assert np.array_equal(found[0].exact, found[1].exact) and found[0].payoffs.size == 0
    assert match.duplicate_match(kuhn, [agents.PolicyAgent("p", profile), uniform], deals=3).exact is None


def test_a_policy_on_a_large_tree_is_played(kuhn, monkeypatch):
    monkeypatch.setattr(match, "_TABULATED", 11)
    table = [agents.PolicyAgent(name, td.Profile.uniform(kuhn)) for name in "ab"]
    assert match.duplicate_match(kuhn, table, deals=3).payoffs.shape == (2, 3, 2)
