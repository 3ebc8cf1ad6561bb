"""Models of opponents at a limit table, including hidden hands; simple players."""

import numpy as np
import pytest

from tefuda.holdem.buckets.sampler import BucketPolicy
from tefuda.holdem.cards import HANDS, hand_number, read_cards
from tefuda.playing.agents import ObservedHand
from tefuda_reproductions.limit.models import (
    InfosetActions,
    OpponentModel,
    bucketed_hand,
    likelihoods,
    stereotype,
    uniform,
)
from tests.holdem import limits

GAME = limits.by_class()
#: The button raises, the small blind folds, the big blind calls; checked down.
DONE, BOARD = "rfc/cc/cc/cc", "2c7d8dJcTh"


def hand(shown="KsQd"):
    """Return a hand as seat 0 observed it: seat 1 shows the given cards, seat 2 shows aces."""
    views = (None, f"{shown}|{BOARD}|{DONE}" if shown else None, f"AhAs|{BOARD}|{DONE}")
    return bucketed_hand(GAME, ObservedHand(0, (), f"4c3c|{BOARD}|{DONE}", (0.0, 0.0, 0.0), views))


def test_rows_equal_those_of_policies():
    rows, rng = InfosetActions(GAME), np.random.default_rng(0)
    board = read_cards(BOARD)
    for node in rng.integers(GAME.graph.nodes, size=50).tolist():
        own = hand_number(*read_cards("AhKd"))
        street = int(GAME.arrays.street[node])
        where = GAME.rows_of(node, board[: (0, 3, 4, 5)[street]], own)
        assert set(rows.node[where]) == {node} and len(set(rows.bucket[where])) == 1
        low = int(GAME.arrays.low[node])
        assert rows.action[where].tolist() == list(range(low, low + int(GAME.arrays.size[node])))
        assert set(rows.player[where]) == {int(GAME.arrays.player[node])}
    assert len(rows.node) == GAME.rows


def test_a_hand_is_read():
    found = hand("")
    assert found.hands == (hand_number(*read_cards("4c3c")), -1, hand_number(*read_cards("AhAs")))
    assert [(decision.player, decision.action) for decision in found.decisions[:3]] == [(2, 2), (0, 0), (1, 1)]
    assert found.of(0)[-1].action == 0 and all(decision.action for decision in found.of(1)) and len(found.of(1)) == 4
    assert found.buckets[0, found.hands[2]] == 3 and (found.buckets[3] < 0).sum() == 1326 - 1081


def test_likelihoods_are_products_over_possible_hands():
    policy = BucketPolicy(GAME, stereotype(GAME, "loose") * 0.8 + uniform(GAME) * 0.2)
    for shown in ("KsQd", ""):
        found = likelihoods(GAME, policy.sigma, hand(shown), 1)
        for text in ("KsQd", "2d2h", "4c4d", "AhKd", "JcJd"):
            number = hand_number(*read_cards(text))
            cards = {*read_cards(text)}
            free = not cards & {*read_cards(BOARD), *read_cards("4c3cAhAs")} and (not shown or text == shown)
            expected = 1.0 if free else 0.0
            if free:
                for done, board, place in (("rf", "", 1), ("rfc/", BOARD[:6], 0), ("rfc/cc/", BOARD[:8], 0)):
                    expected *= policy.strategy(1, f"{text}|{board}|{done}", ())[place]
                expected *= policy.strategy(1, f"{text}|{BOARD}|rfc/cc/cc/", ())[0]
            assert found[number] == pytest.approx(expected, rel=1e-5)


def test_habits_count_shown_hands_and_distribute_hidden_ones():
    rows, expected = InfosetActions(GAME), uniform(GAME)
    seen, hidden = OpponentModel(rows, expected), OpponentModel(rows, expected)
    for _ in range(60):
        seen.observe(hand(), 1)
        hidden.observe(hand(""), 1)
    for model in (seen, hidden):
        assert model.counts.sum() == pytest.approx(60 * 4)
        sums = np.add.reduceat(model.estimate(), np.unique(rows.node * 4 + rows.bucket, return_index=True)[1])
        assert sums == pytest.approx(1, abs=1e-5)
    node = GAME.graph.node("rf")
    bucket = int(hand().buckets[0, hand_number(*read_cards("KsQd"))])
    assert bucket == 3 and (seen.counts[rows.situation[node]].sum(axis=1) > 0).tolist() == [False, False, False, True]
    assert (hidden.counts[rows.situation[node]].sum(axis=1) > 0).all()
    calls = BucketPolicy(GAME, seen.sigma).strategy(1, "KsQd||rf", ())
    at_all = (4 / 3 + 8) / 12  # four fictitious plays, a third of them calls; facing bets it always called: eight more
    in_situation = (4 * at_all + 60) / 64
    assert calls[1] == pytest.approx((4 * in_situation + 60) / 64, abs=1e-5)
    assert BucketPolicy(GAME, seen.sigma).strategy(1, "4c3c||rf", ())[1] == pytest.approx(in_situation, abs=1e-5)
    capped = BucketPolicy(GAME, seen.sigma).strategy(1, "4c3c||rrr", ())  # no raise is possible: two actions
    assert capped[1] == pytest.approx((4 * 0.5 + 8) / 12, abs=1e-5)


def test_impossible_actions_count_as_calls():
    rows = InfosetActions(GAME)
    found = rows.possible(np.tile([1.0, 10.0, 100.0], (GAME.rows, 1)))
    for done, expected in (("", [1, 10, 100]), ("ccc/", [11, 100]), ("rrr", [1, 110])):
        where = rows.node == GAME.graph.node(done)
        assert found[where].reshape(-1, len(expected)).tolist() == [expected] * 4, done


def test_situations():
    """Before the flop the first player faces the blind, and the big blind may check."""
    situations = {
        done: int(InfosetActions(GAME).situation[GAME.graph.node(done)]) for done in ("", "cc", "r", "ccc/", "ccc/r")
    }
    assert len(set(situations.values())) == 5


def test_no_modelled_action_is_certain():
    """A modelled caller may raise; a hand that the model excludes changes nothing."""
    rows = InfosetActions(GAME)
    model, sure = (OpponentModel(rows, stereotype(GAME, "caller")) for _ in range(2))
    model.observe(hand(), 2)
    assert model.counts.sum() == 4
    sure.sigma = stereotype(GAME, "caller")
    sure.observe(hand(), 2)
    assert sure.counts.sum() == 0


def test_one_hand_counts_as_one_play():
    rows = InfosetActions(GAME)
    model = OpponentModel(rows, uniform(GAME))
    model.observe(hand(), 1)
    calls = BucketPolicy(GAME, model.estimate()).strategy(1, "KsQd||rf", ())[1]
    at_all = (4 / 3 + 1) / 5  # four fictitious plays, a third of them calls, and one
    assert calls == pytest.approx((4 * (4 * at_all + 1) / 5 + 1) / 5, abs=1e-6)


@pytest.mark.parametrize("name", ["caller", "raiser", "random", "tight", "loose"])
def test_stereotypes(name):
    policy = BucketPolicy(GAME, stereotype(GAME, name))
    asked = [policy.strategy(2, f"{hand}||", ()) for hand in ("3c2d", "AhAs", "9h9d")]
    expected = {
        "caller": [(0, 1, 0)] * 3,
        "raiser": [(0, 0, 1)] * 3,
        "random": [(1 / 3,) * 3] * 3,
        "tight": [(1, 0, 0), (0, 1, 0), (1, 0, 0)],  # the best of four buckets is as strong as seven eighths
        "loose": [(0, 1, 0), (0, 0, 1), (0, 0, 1)],
    }[name]
    assert asked == [pytest.approx(one) for one in expected]
    assert policy.strategy(1, "3c2d||rfrr", ())[-1] == pytest.approx(
        {"raiser": 1, "random": 0.5, "caller": 1, "loose": 1}.get(name, 0)
    )
    assert HANDS.shape == (1326, 2)
