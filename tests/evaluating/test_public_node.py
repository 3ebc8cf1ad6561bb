"""Public nodes of trees, solved spots, limit hold'em, and push or fold: one protocol for all."""

import numpy as np
import pytest

import tefuda as td
from tefuda.errors import ParameterError
from tefuda.evaluating.public_node import PublicNode
from tefuda.holdem import Node, make_spot, pushfold
from tefuda.holdem.buckets.node import BucketNode
from tefuda.holdem.buckets.sampler import BucketSampler
from tefuda.holdem.preflop.pushfold import PushFoldNode
from tests.conftest import compiled
from tests.holdem import limits

KINDS = ("tree", "tree of three", "spot", "limit", "push or fold")


def reader(kind):
    """Return a function from a line to its node."""
    if kind.startswith("tree"):
        tree = compiled("leduc") if kind == "tree" else compiled("kuhn", players=3)
        explorer = td.Explorer(td.Profile.random(tree, np.random.default_rng(5)))
        return lambda line: explorer.public_table(int(line or 0))
    if kind == "spot":
        spot = make_spot("Qs Jh 2h 8d", 100, 200, "QQ-TT,AQs", "KK-JJ,AQ,KQ:0.5", "50%,a", "a")
        return Node(td.solve(spot, iterations=5).strategy).at
    if kind == "limit":
        sampler = BucketSampler(limits.by_class(2), every=1000)
        sampler.advance(500)
        return BucketNode(sampler.average()).at
    return PushFoldNode(pushfold(10)).at


def players_of(node):
    return range(len(node.ranges) if isinstance(node, td.evaluating.PublicTable) else len(node.seats))


@pytest.mark.parametrize("kind", KINDS)
def test_nodes_say_the_same_of_themselves(kind):
    """Shares are means over the hands; lines of actions lead to nodes; weights of hands sum to 1."""
    node_at = reader(kind)
    waiting, visited = [node_at("").line], 0
    while waiting and visited < 6:
        node: PublicNode = node_at(waiting.pop(0))
        visited += 1
        actions = node.actions()
        if node.player is None:
            assert actions == ()
            continue
        acting = node.hands(node.player)
        assert acting.actions == tuple(action.name for action in actions) and node.outcomes() == ()
        assert [action.share for action in actions] == pytest.approx([acting.mean(each) for each in acting.shares])
        assert sum(action.share for action in actions) == pytest.approx(1)
        assert (acting.shares.sum(axis=0)[acting.weights > 0] == pytest.approx(1)) and all(a.kind for a in actions)
        losses = acting.losses[:, np.isfinite(acting.losses).all(axis=0)]
        assert (losses <= 1e-12).all() and losses.max(axis=0) == pytest.approx(0)
        for player in players_of(node):
            hands = node.hands(player)
            size = len(set(hands.names))
            assert {len(part) for part in (hands.names, hands.reach, hands.weights, hands.ev, hands.equity)} == {size}
            assert (hands.reach >= 0).all() and hands.weights.sum() == pytest.approx(1)
            assert player == node.player or hands.actions == ()
        lines = [action.line for action in actions if action.line is not None]
        assert [node_at(line).line for line in lines] == lines
        waiting += lines
    assert visited > 2


@pytest.mark.parametrize("kind, total", [("tree", 0), ("tree of three", 0), ("spot", "pot")])
def test_evs_of_all_players_are_what_is_to_be_won(kind, total):
    node_at = reader(kind)
    for line in ("", "1", "2") if kind.startswith("tree") else ("", "Check", "Bet(50)"):
        node = node_at(line)
        hands = [node.hands(player) for player in players_of(node)]
        wanted = node.pot if total == "pot" else total
        assert sum(each.mean(each.ev) for each in hands) == pytest.approx(wanted, abs=1e-9)
        acting = hands[node.player]
        best = acting.ev - (acting.shares * acting.losses).sum(axis=0)  # the EV of the best action
        known = np.isfinite(best) & (acting.weights > 0)
        assert (best[known] >= acting.ev[known] - 1e-9).all()


def test_a_table_has_the_rows_of_its_hands():
    """Infosets are the hands of the player to act; its actions lead to the public states that follow."""
    node_at = reader("tree")
    for number in range(20):
        table = node_at(str(number))
        hands = table.hands(table.player)
        assert list(hands.names) == [row.hand for row in table.rows]
        assert table.actions()[-1].kind in ("bet", "call", "check")
        assert pytest.approx(np.array([row.shares for row in table.rows])) == hands.shares.T
        values = np.array([row.values for row in table.rows])
        assert hands.ev == pytest.approx((hands.shares.T * values).sum(axis=1))
        assert pytest.approx(values - values.max(axis=1, keepdims=True)) == hands.losses.T
        for action in table.actions():
            assert action.line is None or int(action.line) > number
    first, last = (reader("tree of three")(line).actions() for line in ("", "11"))
    assert [action.line for action in first] == ["1", "9"] and [action.line for action in last] == [None, None]


def test_cards_come_between_streets():
    """Chance offers the cards that are left; ranges of limit hold'em are known at decisions."""
    spot, limit, over = (
        reader("spot")("Check/Check"),
        reader("limit")("Call/Check/Qs"),
        reader("spot")("AllIn(200)/Call"),
    )
    assert len(spot.outcomes()) == 48 and len(limit.outcomes()) == 51 and over.outcomes() == ()
    assert not {*spot.outcomes()} & {*spot.board} and spot.hands(0).actions == () and limit.board == ("Qs",)
    for node in (limit, reader("push or fold")("Fold")):
        assert node.player is None and node.ranges() == ()
        with pytest.raises(ParameterError):
            node.hands(0)
