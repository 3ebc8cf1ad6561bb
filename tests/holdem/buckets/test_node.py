"""Decisions of limit hold'em in buckets: reach and strategy by class; errors."""

import numpy as np
import pytest

from tefuda.errors import ParameterError
from tefuda.holdem.buckets.node import BucketNode
from tefuda.holdem.buckets.sampler import BucketPolicy, BucketSampler
from tefuda.holdem.cards import CLASSES, hand_number, read_cards
from tefuda.holdem.spots.grid import class_means
from tests.holdem import limits

GAME = limits.by_class(2)


def policy():
    sampler = BucketSampler(GAME, every=1000)
    sampler.advance(500)
    return sampler.average()


@pytest.mark.parametrize(
    "line, board, names",
    [
        ("", "", ["fold", "call", "raise"]),
        ("c", "", ["check", "raise"]),
        ("rc", "2c7d8d", ["check", "bet"]),
        ("rc/cr", "2c 7d 8d", ["fold", "call", "raise"]),
        ("rrr", "", ["fold", "call"]),
    ],
)
def test_strategies_by_hand(line, board, names):
    """Probabilities equal the policy's, hand by hand; frequencies are weighted by reach."""
    asked = policy()
    place = BucketNode.from_letters(asked, line, board)
    assert list(place.words) == names
    lain = board.replace(" ", "")
    for text in ("AhAs", "KsQd", "3h2h"):
        number = hand_number(*read_cards(text))
        found = [float(chances[number]) for chances in place.shares.values()]
        assert found == pytest.approx(asked.strategy(place.player, f"{text}|{lain}|{line}", ()), abs=1e-6)
    stacked, reach = np.stack(list(place.shares.values())), place.reach[place.player]
    assert reach @ stacked.sum(axis=0) == pytest.approx(reach.sum())
    assert sum(place.frequencies.values()) == pytest.approx(1)
    for card in read_cards(board):
        blocked = hand_number(card, read_cards("AhAs")[0])
        assert reach[blocked] == 0 and not stacked[:, blocked].any()


def test_reach_by_hand():
    """Hands that fold earlier have reach 0; classes without reach have no figures."""
    sure = np.zeros(GAME.rows, dtype=np.float32)
    for node in range(GAME.graph.nodes):
        size = int(GAME.arrays.size[node])
        for bucket in range(GAME.counts[int(GAME.arrays.street[node])]):
            first = GAME.arrays.base[node] + bucket * size
            strong = bucket == 3 or GAME.arrays.street[node] > 0
            sure[first + (size - 1 if strong else 0)] = 1  # the best bucket raises, all others fold
    place = BucketNode.from_letters(BucketPolicy(GAME, sure), "rc/c", "2c7d8d")
    assert place.player == 1 and place.street == 1  # the button, who raised
    aces, low = (class_means(place.reach[1], place.shares["Bet(10)"])[CLASSES.index(name)] for name in ("AA", "32s"))
    assert aces == 1 and np.isnan(low)
    assert place.summary()["classes"]["32s"] == {"check": None, "bet": None}
    with_ace = BucketNode.from_letters(policy(), "cc", "AsKd2c")
    assert class_means(with_ace.reach[0], np.ones(1326))[CLASSES.index("AA")] == pytest.approx(
        1
    )  # of the three possible ones
    assert place.where == "flop 2c 7d 8d, after rc/c" and BucketNode(policy()).where == "preflop, the first decision"


@pytest.mark.parametrize(
    "line, board, told",
    [
        ("rf", "", "the hand is over"),
        ("x", "", "impossible"),
        ("rc", "", "3 cards"),
        ("", "AsKs", "0 cards"),
    ],
)
def test_refused(line, board, told):
    with pytest.raises(ParameterError, match=told):
        BucketNode.from_letters(policy(), line, board)
