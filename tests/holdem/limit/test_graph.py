"""Betting graph of limit hold'em: published counts, the rules hand by hand, errors."""

from math import comb

import numpy as np
import pytest

from tefuda.errors import ParameterError
from tefuda.holdem.hands.rules import NO_PLAYER, TableRules
from tefuda.holdem.kernels.limit import SHOWDOWN, WON
from tefuda.holdem.limit.graph import LETTERS, betting_graph, limit_rules


def test_heads_up_sequences_and_infosets():
    graph = betting_graph(limit_rules())
    streets = np.bincount(graph.arrays.street)
    assert streets.tolist() == [8, 70, 630, 5670]
    hands = [comb(52, 2) * ways for ways in (1, comb(50, 3), comb(50, 3) * 47, comb(50, 3) * 47 * 46)]
    assert int(streets.astype(object) @ hands) == 319_365_922_522_608  # published for heads-up limit hold'em


@pytest.mark.parametrize("players", [2, 3, 4])
def test_nodes_agree_with_the_rules(players):
    rules, rng = limit_rules(players), np.random.default_rng(players)
    graph = betting_graph(rules)
    for _ in range(300):
        wagers, done, node = rules.root(), "", 0
        while not wagers.is_over:
            choices = rules.choices(wagers)
            legal = "f" * choices.facing_bet + "c" + "r" * (choices.low > 0)
            low, count = graph.arrays.low[node], graph.arrays.size[node]
            assert LETTERS[low : low + count] == legal and graph.arrays.player[node] == wagers.mover
            assert graph.arrays.street[node] == wagers.street
            letter = legal[rng.integers(len(legal))]
            move = {"f": rules.fold, "c": rules.call, "r": lambda w: rules.raise_to(w, rules.choices(w).low)}
            wagers, done = move[letter](wagers), done + letter
            node = graph.arrays.child[node, LETTERS.index(letter)]
            if wagers.mover == NO_PLAYER and not wagers.is_over:
                wagers, done = rules.next_street(wagers), done + "/"
        assert node == (WON if len(wagers.live) == 1 else SHOWDOWN) == graph.node(done)


def test_tables_with_the_same_betting():
    one = limit_rules()
    rich = TableRules((1000, 2000), one.blinds, limit=one.limit, cap=one.cap)
    assert one.betting_key == rich.betting_key and betting_graph(rich).rows((1, 1, 1, 1)) == betting_graph(one).rows(
        (1, 1, 1, 1)
    )
    others = [limit_rules(3), limit_rules(small=20), limit_rules(cap=3)]
    others.append(TableRules(rich.stacks, one.blinds, limit=(10, 30), cap=4))
    others.append(TableRules((100, 100), one.blinds, limit=one.limit, cap=one.cap))  # all-in is possible
    assert all(other.betting_key != one.betting_key for other in others)


def test_more_players_remember_less():
    graph = betting_graph(limit_rules(3))
    assert graph.nodes == 494
    assert graph.node("ccc/") == graph.node("ccc") and graph.node("ccc/rfc/") != graph.node("ccc/ccc/")
    alike = betting_graph(limit_rules(2), "street")
    assert alike.nodes < betting_graph(limit_rules(2)).nodes == 6378


@pytest.mark.parametrize(
    "rules, recall, message",
    [
        (TableRules((200, 200), (2, 1)), "", "limit rules"),
        (TableRules((20, 20), (2, 1), limit=(2, 4), cap=4), "", "stacks"),
        (TableRules((47, 48), (2, 1), limit=(2, 4), cap=4), "", "48 chips"),
        (TableRules((100, 100), (2, 1), (1, 1), limit=(2, 4), cap=4), "", "no antes"),
        (limit_rules(), "all", "recall"),
    ],
)
def test_refused(rules, recall, message):
    with pytest.raises(ParameterError, match=message):
        betting_graph(rules, recall)


@pytest.mark.parametrize("done", ["ff", "crrrr", "cx", "cc/f"])
def test_impossible_actions(done):
    with pytest.raises(ParameterError, match="impossible"):
        betting_graph(limit_rules()).node(done)
