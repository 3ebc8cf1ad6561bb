"""Lines of limit hold'em with cards: random hands, grids, and refused lines."""

import random

import numpy as np
import pytest

from tefuda.errors import ParameterError
from tefuda.holdem.buckets.graph import limit_rules
from tefuda.holdem.buckets.line import betting_actions, needs_card, read_betting_line, spell_betting_line
from tefuda.holdem.buckets.node import BucketNode
from tefuda.holdem.buckets.sampler import BucketSampler
from tefuda.holdem.cards import CLASSES, card_text, cards_text
from tefuda.holdem.hands.hand import replay
from tefuda.holdem.hands.rules import BOARD
from tests.holdem import limits

GAME = limits.by_class(2)


@pytest.mark.parametrize("players", [2, 3])
def test_random_hands(players):
    """The letters of a line replay to the same betting, and the cards are those of the line."""
    rules, rng = limit_rules(players), random.Random(5)
    for _ in range(200):
        deck, parts = rng.sample(range(52), 5), []
        line = read_betting_line(rules, "")
        while not line.wagers.is_over:
            part = (
                card_text(deck[len(line.board)])
                if needs_card(line)
                else rng.choice([*betting_actions(rules, line.wagers)])
            )
            parts.append(part)
            line = read_betting_line(rules, "/".join(parts))
        assert spell_betting_line(rules, line.line, line.board) == "/".join(parts) and line.board == tuple(
            deck[: len(line.board)]
        )
        assert len(line.board) == BOARD[line.wagers.street] and not betting_actions(rules, line.wagers)
        states = list(replay(rules, line.line))
        assert states[0][0] == rules.root() and line.wagers.street == line.line.count("/")
        assert [token != "/" for _, token in states] == [wagers.mover >= 0 for wagers, _ in states]


@pytest.mark.parametrize(
    "text",
    ["Check", "Raise", "Raise(30)", "Qs", "Call/Check/Qs/Qs", "Call/Check/Check", "Fold/Check", "Call/Check/QsJh2h"],
)
def test_lines_that_lead_nowhere(text):
    with pytest.raises(ParameterError):
        read_betting_line(limit_rules(), text)


@pytest.mark.parametrize("text", ["", "Raise(20)", "Call/Check/2c/7d/8d", "Raise(20)/Call/2c/7d/8d/Check/Bet(10)"])
def test_grid_of_a_limit_node(text):
    """Shares of the classes, weighted by their frequencies, are the node's; heads-up equities sum to 1."""
    sampler = BucketSampler(GAME, every=1000)
    sampler.advance(500)
    strategy = sampler.average()
    node = BucketNode(strategy, text)
    assert BucketNode.from_letters(strategy, node.betting, cards_text(node.cards)).line == text
    cells = node.hands().grid()
    assert tuple(cell.name for cell in cells) == CLASSES
    frequency = np.array([cell.frequency for cell in cells])
    assert frequency.sum() == pytest.approx(1)
    assert list(node.shares) == list(betting_actions(node.rules, node.place.wagers))
    for action, share in node.frequencies.items():
        assert frequency @ np.nan_to_num([cell.shares[action] for cell in cells]) == pytest.approx(share)
    assert sum(view.mean(view.equity) for view in node.ranges()) == pytest.approx(1, abs=1e-9)
    assert bool(node.hands().made_hands()) == bool(node.cards)
