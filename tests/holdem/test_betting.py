"""Bet sizes from text, and legal actions: counts and amounts of another program's trees."""

import re

import pytest

import tefuda as td
from tefuda.holdem.betting import Betting, BettingState, Size, Street, read_sizes, sizes_text
from tefuda.holdem.kernels.arrays import FOLD_0, NEXT
from tefuda.holdem.spots.tree import build_tree, count_tree
from tests.conftest import refused
from tests.holdem.known_spots import limit_betting, needs_data, result_of, spot_of


def street(bets="", raises="", donks=None):
    return Street(
        read_sizes(bets, raises=False), read_sizes(raises), None if donks is None else read_sizes(donks, raises=False)
    )


def river(pot, stack, bets, raises="", **limits):
    return Betting(pot, stack, (street(), street(), street(bets, raises)), **limits)


def done(betting, *names, start=2):
    """Return the legal actions after some actions."""
    position = betting.root(start)
    for name in names:
        position = betting.after(position, next(a for a in betting.actions(position) if str(a) == name))
    return " ".join(map(str, betting.actions(position)))


def test_sizes_and_back():
    sizes = read_sizes("50%, 100,2.5x,10c,e,3e,a,.5% 3e200%")
    assert sizes_text(sizes) == "50%,100%,2.5x,10c,1e,3e,a,0.5%,3e200%" and read_sizes(sizes_text(sizes)) == sizes
    assert read_sizes("") == () and str(read_sizes("E", streets=3)[0]) == "3e"
    assert read_sizes("3e200%") == (Size(3, "e", 200),) and read_sizes("e50%", streets=2) == (Size(2, "e", 50),)


@pytest.mark.parametrize("text", ["1000000c", "33.3333333%", ".00001%", "2.12345678x", "3e133.3333333%"])
def test_sizes_keep_their_digits(text):
    """A run is saved by the text of its sizes."""
    assert read_sizes(sizes_text(read_sizes(text))) == read_sizes(text)


@pytest.mark.parametrize(
    "text, place, why",
    [
        ("50%,70q,a", "      ^^^", "is no size"),
        ("50%, 2x", "       ^^", "multiplies a bet"),
        ("0,a", "  ^", "too small"),
        ("a,-5", "    ^^", "is no size"),
        ("1.5c", "  ^^^^", "whole number"),
        ("2a", "  ^^", "is no size"),
        ("x", "  ^", "is no size"),
        ("1e7", "  ^^^", "is no size"),
        ("9999999", "  ^^^^^^^", "too large"),
        ("0.5,1", "  ^^^", "50%"),  # half of the pot, or half a percent?
        ("50,1.5", "     ^^^", "150%"),
        ("3,5x", "  ^", "300%"),
        ("9", "  ^", "900%"),
        ("20c3r", "  ^^^^^", "20c, and cap=4"),  # a bet and three raises, as in postflop-solver
        ("3e0%", "  ^^^^", "too small"),
        ("3e200", "  ^^^^^", "3e200%"),
        ("2.5e200%", "  ^^^^^^^^", "whole number"),
        ("3e-200%", "  ^^^^^^^", "is no size"),
        ("50 % a", "     ^", "is no size"),
        ("\u0663\u0660%", "  ^^^", "is no size"),
    ],
)
def test_faults_are_marked(text, place, why):
    with pytest.raises(td.errors.ParameterError, match=why) as caught:
        read_sizes(text, "river_bet", raises=False)
    assert str(caught.value).startswith("river_bet: ") and str(caught.value).splitlines()[-1] == place


SITUATIONS = (
    # Rounding half up, the minimum raise, all-in as the rest of the stack, equal amounts once.
    (river(25, 100, "50%"), (), "Check Bet(13)"),
    (river(25, 100, "10%,a", "10%"), ("Bet(3)",), "Fold Call Raise(6)"),
    (river(100, 400, "50%,100%,a", "50%,a"), ("Bet(100)",), "Fold Call Raise(250) AllIn(400)"),
    (river(100, 60, "50%,100%,60%,a"), (), "Check Bet(50) AllIn(60)"),
    (river(100, 55, "50%", "50%"), ("Bet(50)",), "Fold Call AllIn(55)"),
    (river(100, 400, "a", "a"), ("AllIn(400)",), "Fold Call"),
    (river(100, 400, "50%", "1%"), ("Bet(50)",), "Fold Call Raise(100)"),
    (river(100, 400, "50%", "50%,1%"), ("Bet(50)", "Raise(150)"), "Fold Call Raise(250) Raise(350)"),
    (river(1, 9, "10%"), (), "Check Bet(1)"),
    # Multiples of the bet faced, chips, geometric growth: 4 times the pot in 2 bets is 1, then 1 pot.
    (river(100, 400, "50%", "2.5x,3x"), ("Bet(50)",), "Fold Call Raise(125) Raise(150)"),
    (river(100, 400, "10c", "10c"), ("Bet(10)", "Raise(20)"), "Fold Call Raise(30)"),
    (river(100, 400, "2e,e", "e"), (), "Check Bet(100) AllIn(400)"),
    # With a maximum in percent: 3 pots in 2 bets are more than 82 % of the pot, no more than 83 %.
    (river(100, 300, "2e83%", "2e10%"), ("Bet(82)",), "Fold Call Raise(164)"),
    (river(100, 300, "2e82%,1e200%", ""), (), "Check Bet(82) Bet(200)"),
    (river(100, 300, "2e50%", ""), (), "Check Bet(50)"),
    # Caps, thresholds, merging.
    (river(100, 400, "10c", "10c", cap=3), ("Bet(10)", "Raise(20)", "Raise(30)"), "Fold Call"),
    (river(100, 150, "50%", add_allin=1.5), (), "Check Bet(50) AllIn(150)"),
    (river(100, 151, "50%", add_allin=1.5), (), "Check Bet(50)"),
    (river(100, 110, "50%", force_allin=0.3), (), "Check AllIn(110)"),
    (river(100, 111, "50%", force_allin=0.3), (), "Check Bet(50)"),
    (river(100, 400, "33%,50%,100%", merging=0.2), (), "Check Bet(50) Bet(100)"),
    (river(100, 400, "33%,50%,100%", merging=0.1), (), "Check Bet(33) Bet(50) Bet(100)"),
    (river(100, 400, "90%,95%,100%", merging=0.05), (), "Check Bet(90) Bet(100)"),
)


@pytest.mark.parametrize("betting, before, after", SITUATIONS)
def test_situations(betting, before, after):
    assert done(betting, *before) == after


def test_donks_have_their_own_sizes():
    """Only player 0 has them, and only if player 1 bet last on the street before."""
    betting = Betting(100, 900, (street("50%", "50%"), street("100%", "", "20%"), street("100%", "", "20%")))
    tree = build_tree(betting, 0)
    firsts = {}
    for end in (node for node, line in enumerate(tree.streets[0].line) if line >= 0):
        actions = betting.actions(tree.streets[1].position[tree.root_below(0, end)])
        firsts["/".join(tree.streets[0].line_of(end))] = str((*actions, "")[1])
    assert firsts["Check/Check"] == "Bet(100)" and firsts["Check/Bet(50)/Call"] == "Bet(40)"
    assert firsts["Bet(50)/Call"] == "Bet(200)" and firsts["Bet(50)/Raise(150)/Call"] == "Bet(80)"
    assert firsts["Check/Bet(50)/Raise(150)/Call"] == "Bet(400)"


def test_players_may_have_their_own_sizes():
    """Player 0 has the street's sizes and its donk bets, player 1 those of `ip`."""
    own = Street(read_sizes("50%"), read_sizes("3x"), read_sizes("10%"), Street(read_sizes("100%"), read_sizes("2x")))
    betting = Betting(100, 5000, (street("50%"), own, street()))
    assert done(betting, start=1) == "Check Bet(50)" and done(betting, "Check", start=1) == "Check Bet(100)"
    assert done(betting, "Bet(50)", start=1) == "Fold Call Raise(100)"
    assert done(betting, "Check", "Bet(100)", start=1) == "Fold Call Raise(300)"
    donk = BettingState(1, aggressor=1)
    assert " ".join(map(str, betting.actions(donk))) == "Check Bet(10)"
    assert " ".join(map(str, betting.actions(donk._replace(player=1)))) == "Check Bet(100)"


@pytest.mark.parametrize(
    "pot, stack, key, cure",
    [
        (16.4, 91.8, "pot", "by 10: pot 164, stack 918"),
        (16, 91.85, "stack", "by 100: pot 1600, stack 9185"),
        (0.5, 100, "pot", "by 10: pot 5, stack 1000"),
        (1e-9, 1, "pot", "by 1000000000: pot 1,"),
        (float("nan"), 1, "pot", "from 1"),
        (1, float("inf"), "stack", "from 0"),
        (1e17, 1, "pot", "from 1"),
    ],
)
def test_decimal_chips_are_refused_with_the_factor(pot, stack, key, cure):
    with pytest.raises(td.errors.ParameterError, match=cure) as caught:
        Betting(pot, stack, (street(), street(), street()))
    assert caught.value.key == key


def test_limit():
    """A street has 10 decision sequences, 9 of which continue; three pot sizes stay separate."""
    tree = build_tree(limit_betting(40, 1000), 0)
    assert [(one.decisions // (len(one.roots) - 1), len(one.roots) - 1) for one in tree.streets] == [
        (10, 1),
        (10, 9),
        (10, 81),
    ]
    assert tree.streets[2].half.max() == 20 + 40 + 80 + 80


@needs_data
@pytest.mark.parametrize("name, counts", [("river_std", [24]), ("river_any", [12]), ("turn_std", [16, 64])])
def test_trees_equal_those_of_other_programs(name, counts):
    spot, given = spot_of(name), result_of(name)
    tree = build_tree(spot.betting, spot.street)
    assert [one.decisions for one in tree.streets] == counts
    assert sum(count * (48 if i else 1) for i, count in enumerate(counts)) == given["decision_nodes"]
    for node in given["nodes"]:
        at = 0
        for action in filter(None, node["line"].split("/")):
            at = tree.streets[0].choices(at)[action]
        assert list(tree.streets[0].choices(at)) == node["actions"]
        assert tree.streets[0].kind[at] == ["OOP", "IP"].index(node["player"])
        assert "/".join(tree.streets[0].line_of(at)) == node["line"]


def test_no_stack_is_a_showdown():
    tree = build_tree(Betting(100, 0, (street("a"),) * 3), 0)
    assert [one.kind.tolist() for one in tree.streets] == [[NEXT], [NEXT], [5]]


def test_trees_are_sound():
    """Bets never exceed stacks; pots only grow; every line of a street has one source."""
    betting = Betting(
        70, 310, (street("33%,75%", "60%,2.5x,a", "25%"), street("e,a", "50%"), street("10c,150%", "3x,a"))
    )
    tree = build_tree(betting, 0)
    for number, one in enumerate(tree.streets):
        assert (one.half <= 35 + 310).all() and (one.half >= 35).all()
        inner = one.parent >= 0
        assert (one.half[inner] >= one.half[one.parent[inner]]).all()
        assert (one.first[one.parent[inner]] <= inner.nonzero()[0]).all()
        ends = (one.kind == NEXT).sum()
        if number < 2:
            assert ends == len(tree.streets[number + 1].roots) - 1
            assert (
                tree.streets[number + 1].half[tree.streets[number + 1].roots[:-1]] == one.half[one.kind == NEXT]
            ).all()
        assert ((one.count == 0) == (one.kind >= FOLD_0)).all()


def test_tree_for_people():
    tree = build_tree(Betting(100, 100, (street("50%", "a"),) * 3), 1)
    lines = list(tree.lines())
    assert lines[1:4] == ["  0 Check: pot 100, 100 behind", "    1 Check: pot 100, 100 behind", "      river"]
    assert lines[0] == "turn: pot 100, 100 behind"
    assert "    1 AllIn(100): pot 250, 0 behind" in lines
    assert "      0 Fold: pot 250, 0 behind: player 1 wins" in lines


COUNTED = (
    (Betting(100, 900, (street("50%,a", "50%"), street("100%", "2x,a", "20%"), street("2e,100%", "a", "20%"))), 0),
    (Betting(100, 400, (street("50%,100%,a", "50%,a"),) * 3, force_allin=0.3), 1),
    (limit_betting(40, 70), 0),
    (Betting(100, 0, (street("a"),) * 3), 0),
    (Betting(100, 100, (street(), street(), street("50%", "a")), cap=1), 2),
)


@pytest.mark.parametrize("betting, start", COUNTED)
def test_counted_as_built(betting, start):
    found = [(one.nodes, one.decisions, one.actions) for one in count_tree(betting, start)]
    built = build_tree(betting, start).streets
    assert found == [(len(one.kind), one.decisions, one.actions) for one in built]


TOO_LARGE = (
    (Betting(100, 1500, (street("25%,75%,a", "50%,100%,a"),) * 3), "river would have about", 13_141),
    (Betting(100, 120, (street("10%,20%,30%,40%,50%,60%,a", "a"),) * 3), "river would have", 4749),
    (Betting(2, 10**9, (street("1%,2%,3%,4%", "1%,2%,3%"),) * 3), "flop would have more than", None),
)


@pytest.mark.parametrize("betting, words, nodes", TOO_LARGE)
def test_too_large_trees_are_refused_soon(betting, words, nodes, monkeypatch):
    """Counting refuses them after few positions, before any node is built."""
    asked, actions = [], Betting.actions
    monkeypatch.setattr(Betting, "actions", lambda *given: asked.append(1) or actions(*given))
    monkeypatch.setattr("tefuda.holdem.spots.tree._build_street", None)
    monkeypatch.setattr("tefuda.holdem.spots.tree._MAX_NODES", 4500)
    monkeypatch.setattr("tefuda.holdem.spots.tree._MIN_VISITED", 2800)
    with pytest.raises(td.errors.SizeError, match=f"the {words} .* the limit is 4,500. Give fewer sizes") as caught:
        build_tree(betting, 0)
    assert len(asked) < 6000
    if nodes:
        told = int(re.search(r"([\d,]+) nodes", str(caught.value))[1].replace(",", ""))
        monkeypatch.setattr("tefuda.holdem.spots.tree._MAX_NODES", 10**6)
        assert count_tree(betting, 0)[2].nodes == nodes
        assert nodes / 1.5 < told < nodes * 1.5 if "about" in words else told == nodes


@pytest.mark.parametrize(
    "changes", [{"pot": 0}, {"stack": -1}, {"pot": 1.5}, {"cap": -1}, {"merging": float("nan")}, {"add_allin": -1}]
)
def test_refused(changes):
    with refused(td.errors.ParameterError, key=next(iter(changes))):
        Betting(**{"pot": 100, "stack": 100, "streets": (street(),) * 3, **changes})
