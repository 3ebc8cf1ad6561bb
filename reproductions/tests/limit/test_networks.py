"""Networks evaluated for all hands at once equal those evaluated hand by hand."""

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem.buckets.graph import betting_graph
from tefuda.holdem.cards import HANDS, cards_text, hand_number, read_cards
from tefuda.holdem.hands.inputs import inputs
from tefuda_reproductions.limit.networks import hand_probabilities

GAME = td.load_game("holdem", limit=True)
GRAPH = betting_graph(GAME.rules)


class Linear:
    """A random linear policy of the inputs and the number of legal actions, different for each player."""

    def __init__(self):
        self.weights = np.random.default_rng(0).normal(size=(2, 1000, 3))

    def function(self, player, seen, legal):
        found = np.exp(seen @ self.weights[player, : seen.shape[1]] * legal.sum(axis=1)[:, None]) * legal
        return found / found.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    "done, board",
    [("", ""), ("rc/", "2c7d8d"), ("rc/r", "2c7d8d"), ("cc/cc/rrrr", "2c7d8dJc"), ("cc/cc/cc/c", "2c7d8dJcTh")],
)
def test_all_hands_at_once(done, board):
    policy, node = Linear(), GRAPH.node(done)
    player, low, size = (int(array[node]) for array in (GRAPH.arrays.player, GRAPH.arrays.low, GRAPH.arrays.size))
    cards = read_cards(board) if board else ()
    found = hand_probabilities(policy, GAME, GRAPH)(done, cards, node)
    assert found.shape == (1326, size)
    for hand in HANDS[::83].tolist():
        number = hand_number(*hand)
        if set(hand) & set(cards):
            assert not found[number].any()
            continue
        text = cards_text(sorted(hand, reverse=True)).replace(" ", "")
        seen = np.array(
            [inputs(GAME.rules, GAME.read_view(f"{text}|{board}|{done}", player), player)], dtype=np.float32
        )
        legal = np.zeros((1, 3), dtype=bool)
        legal[0, low : low + size] = True
        assert found[number] == pytest.approx(policy.function(player, seen, legal)[0, low : low + size], abs=1e-6)
