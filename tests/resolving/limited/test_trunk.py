"""Trunks above a cut, and the subgames below it."""

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.public import public_states
from tefuda.resolving.limited.trunk import trunk_of
from tests.conftest import compiled


def names(trunk):
    """Return the first infosets of play in each subgame."""
    tree = trunk.tree
    return [sorted({tree.name_of(int(number)) for number in tree.infoset[one.roots]}) for one in trunk.subgames]


@pytest.mark.parametrize(
    "name, parameters, cut, subgames",
    [
        ("kuhn", {}, 1, 2),  # after a pass, after a bet
        ("kuhn", {}, 2, 1),  # the game continues only after pass and bet
        ("leduc", {}, "deal", 15),  # five ways to end the first round, three cards
        ("leduc", {}, 1, 2),
        ("liars_dice", {"sides": 3}, 1, 6),  # a bid each
        ("goofspiel", {"cards": 3}, 2, 5),  # a win, a loss, or one of three ties
    ],
)
def test_cuts(name, parameters, cut, subgames):
    tree = compiled(name, **parameters)
    trunk = trunk_of(tree, cut)
    assert len(trunk.subgames) == subgames
    assert trunk is trunk_of(tree, cut)
    inside = np.concatenate([trunk.region.infoset, *(region.infoset for region in trunk.below)])
    assert sorted(inside.tolist()) == list(range(tree.infosets))  # every infoset in one part


def test_a_cut_counts_moves():
    assert names(trunk_of(compiled("kuhn"), 2)) == [["0: J|pb", "0: K|pb", "0: Q|pb"]]
    first, second = names(trunk_of(compiled("kuhn"), 1))
    assert first[0] == "1: J|p" and second[0] == "1: J|b"


def test_a_cut_from_a_public_state_counts_from_there():
    tree = compiled("leduc")
    start = int(public_states(tree)[tree.number("1: K|r")])
    assert len(trunk_of(tree, 1, start).subgames) == 4  # a raise, or a call and one of three cards
    assert {one[0].split("|")[1] for one in names(trunk_of(tree, "deal", start))} == {"rc/", "rrc/"}
    below = int(public_states(tree)[tree.number("0: KQ|cc/")])
    assert trunk_of(tree, "deal", below).subgames == ()


def test_ends_are_the_sequences_before_augmented_infosets():
    tree = compiled("leduc")
    trunk = trunk_of(tree, "deal")
    for player in range(2):
        parts = trunk.split(player, trunk.ends[player])
        assert [len(part) for part in parts] == [3] * 15
        for there, part in zip(trunk.subgames, parts, strict=True):
            for root, infoset in zip(there.roots, there.augmented_infosets[player], strict=True):
                place = trunk.region.exits.tolist().index(root)
                assert trunk.region.exit_sequences[place, player] == part[infoset]


def test_a_cut_may_be_a_list_of_public_states():
    tree = compiled("kuhn")
    state = int(public_states(tree)[tree.number("1: K|b")])
    assert names(trunk_of(tree, [state])) == [["1: J|b", "1: K|b", "1: Q|b"]]


@pytest.mark.parametrize(
    "cut, told",
    [
        (0, "cut is 0"),
        ("flop", "cut must be 'deal', a number"),
        (1.5, "cut must be 'deal'"),
        (None, "cut must be"),
        (True, "cut must be"),
        ([], "0 to 3"),
        ([99], "0 to 3"),
    ],
)
def test_invalid_cuts_are_refused(cut, told):
    with pytest.raises(td.errors.ParameterError, match=told):
        trunk_of(compiled("kuhn"), cut)
