"""Betting graph of limit hold'em: published counts, the rules hand by hand, errors."""

from math import comb

import numpy as np
import pytest

import tefuda as td
from tefuda.errors import ParameterError
from tefuda.holdem.buckets.graph import LETTERS, betting_graph, limit_rules
from tefuda.holdem.buckets.size import betting_size
from tefuda.holdem.hands.hand import Hand, after
from tefuda.holdem.hands.rules import NO_PLAYER, TableRules
from tefuda.holdem.hands.sizing import read_menu
from tefuda.holdem.kernels.sampler import SHOWDOWN, WON


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
        (TableRules((200, 200), (2, 1), limit=(2, 4)), "", "a cap"),
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


SIZES = {"bets": "50%,100%,a", "raises": "100%,a", "opens": "2x,2.5x,3x,a", "reraises": "3x,a"}


@pytest.mark.parametrize(
    "stack, sizes, decisions, pairs",
    [
        (20, SIZES, [32, 192, 696, 1824], 1_352_517),
        (100, SIZES, [52, 420, 2212, 8836], 6_001_857),
        (200, SIZES, [56, 560, 3480, 15_840], 10_542_285),
        (200, {"bets": "50%,100%,a"}, [368, 3896, 22_336, 90_952], 61_415_669),
        (200, {**SIZES, "bets": "33,75,150,a", "raises": "50,100,a"}, [56, 3216, 35_424, 218_032], 139_839_885),
    ],
)
def test_no_limit_sequences(stack, sizes, decisions, pairs):
    """Compare with counts of the rules alone; the largest tables are counted and not built."""
    table = td.load_game("holdem", stack=100 * stack, blinds=[50, 100], **sizes)
    size = betting_size(table.rules, table.menu)
    assert [*size.nodes] == decisions and size.rows((169, 200, 200, 200)) == pairs
    if pairs < 10**7:
        graph = betting_graph(table.rules, menu=table.menu)
        assert np.bincount(graph.arrays.street).tolist() == decisions and graph.rows((169, 200, 200, 200)) == pairs


MENUS = [
    {},
    SIZES,
    {"bets": "33,75/50,a/100,2e", "raises": "a/60,a/2x"},
    {"opens": "a", "bets": "100"},
    {"bets": "20c", "raises": "2x", "cap": 3},
    {"reraises": "4x", "raises": "50%,a", "bets": "150%"},
]


@pytest.mark.parametrize("menu", MENUS)
@pytest.mark.parametrize("table", [{}, {"stack": 700}, {"ante": 3}, {"stacks": [180, 260]}, {"stack": 9}, {"stack": 7}])
def test_no_limit_nodes_agree_with_the_rules(menu, table):
    """Random hands of the game: actions, tokens, chips and payoffs; the game has the real stacks."""
    game, rng = td.load_game("holdem", **{"stack": 300, **table, **menu}), np.random.default_rng(1)
    graph = betting_graph(game.rules, menu=game.menu)
    arrays, lost = graph.arrays, np.array(game.rules.stacks) - min(game.rules.stacks)
    for _ in range(40):
        wagers, line, node = game.rules.root(), "", 0
        paid, level = arrays.paid.copy(), arrays.paid.max()
        while not wagers.is_over:
            if wagers.mover == NO_PLAYER:
                wagers, line = game.rules.next_street(wagers), line + "/"
                continue
            player, low = wagers.mover, arrays.low[node]
            state = Hand((0,) * 4, (), wagers)
            listed = {label: game.token(state, label) for label in game.actions(state)}
            amounts = {token for label, token in listed.items() if label in graph.sizes[node]}
            assert (arrays.player[node], arrays.street[node]) == (player, wagers.street)
            assert graph.labels[node][: 2 - low] == ("f", "c")[low:] and {*graph.sizes[node]} <= {*listed}
            label = graph.sizes[node][rng.integers(arrays.size[node])]
            action = low + graph.sizes[node].index(label)
            wagers, line = after(game.rules, wagers, listed[label]), line + listed[label]
            level += arrays.rise[node, action]
            paid[player] = paid[player] if action == 0 else level
            node = arrays.child[node, action]
            assert graph.node(line) == node and (action < 2) == (
                arrays.rise[graph.decisions(line)[-1].node, action] == 0
            )
            put_in = np.array(game.rules.stacks) - wagers.stacks
            assert np.minimum(put_in, min(game.rules.stacks)).tolist() == paid.tolist() and amounts
        assert node == (WON if len(wagers.live) == 1 else SHOWDOWN)
        payoffs = game.rules.payoffs(wagers, [2, 1])
        winner = wagers.live[0]
        assert payoffs[winner] == paid[1 - winner] and lost.min() == 0


def test_uneven_stacks_are_the_shorter_one():
    """Amounts above the shorter stack are all-in."""
    game = td.load_game("holdem", stacks=[600, 200])
    graph = betting_graph(game.rules, menu=game.menu)
    even = td.load_game("holdem", stack=200)
    assert np.array_equal(graph.arrays.child, betting_graph(even.rules, menu=even.menu).arrays.child)
    assert graph.node("r20r600") == graph.node("r20r200") and graph.decisions("r20r599c")[1].action == 4


@pytest.mark.parametrize(
    "options, why",
    [
        ({"players": 3}, "two players"),
        ({"bets": "any"}, "menu"),
        ({"stack": 5}, "no player has a decision"),
        ({"stack": 3, "ante": 4}, "no player has a decision"),
    ],
)
def test_no_limit_refused(options, why):
    game = td.load_game("holdem", **options)
    with pytest.raises(ParameterError, match=why):
        betting_graph(game.rules, menu=game.menu)


def test_no_limit_rules_refused():
    menu = read_menu("50%,a")
    for rules, why in (
        (TableRules((99, 99), (2, 1), (2, 0)), "antes"),
        (TableRules((99, 99), (2, 1), reopens=True), "posts"),
    ):
        with pytest.raises(ParameterError, match=why):
            betting_graph(rules, menu=menu)
    with pytest.raises(ParameterError, match="recall"):
        betting_graph(TableRules((99, 99), (2, 1)), "street", menu=menu)
    graph = betting_graph(TableRules((99, 99), (2, 1)), menu=menu)
    for line in ("r5", "rr", "r" + "9" * 5000, "r4x", "cc/f"):
        with pytest.raises(ParameterError, match="impossible"):
            graph.node(line)


def test_the_longest_sequence():
    """Limit: three raises before the flop and four later, each after a limp or check and before a call."""
    assert betting_graph(limit_rules()).longest == 5 + 3 * 6
    game = td.load_game("holdem", stack=7)
    assert betting_graph(game.rules, menu=game.menu).longest == 1  # the big blind is all-in: fold or call
