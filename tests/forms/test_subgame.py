"""Subgames: the histories below a public state, and the augmented infosets at its roots."""

from dataclasses import dataclass

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.public import augmented_infosets, public_states
from tefuda.forms.sequence import past_rows
from tefuda.forms.subgame import subgame, subgames
from tefuda.forms.tree import states
from tefuda.games.protocol import TERMINAL
from tefuda.games.small.kuhn import Kuhn
from tests.conftest import compiled, refused
from tests.small_games import ForgetfulKuhn, Torn

GAMES = [
    ("kuhn", {}),
    ("kuhn", {"players": 3}),
    ("rps", {}),
    ("goofspiel", {"cards": 3}),
    ("leduc", {}),
    ("liars_dice", {"sides": 3}),
]


@dataclass(frozen=True)
class GlancingKuhn(Kuhn):
    """Kuhn poker whose player 1 with the queen sees all cards and later forgets them."""

    def view(self, state, player):
        own = super().view(state, player)
        return f"{own} {state}" if own == "Q|" and (player, self.player(state)) == (1, 0) else own


@dataclass(frozen=True)
class Twice:
    """Player 0 makes two hidden moves; then player 1 guesses the second one."""

    name = "twice"
    players = 2

    def root(self):
        return ""

    def player(self, state):
        return (0, 0, 1, TERMINAL)[len(state)]

    def actions(self, state):
        return ("a", "b")

    def chances(self, state):
        return ()

    def child(self, state, action):
        return state + action

    def payoffs(self, state):
        gain = (1 if state[1] != state[2] else -1) + (state[0] == "a")
        return (gain, -gain)

    def view(self, state, player):
        return state[:2] if player == 0 else "I"


@pytest.mark.parametrize("name, parameters", GAMES, ids=str)
def test_a_subgame_is_all_below_a_public_state_and_nothing_else(name, parameters):
    tree = compiled(name, **parameters)
    public, last, known = public_states(tree), past_rows(tree), states(tree)
    above = [set[int]()]  # the public states from the root to each history, its own included
    for node in range(len(tree.player)):
        own = {int(public[tree.infoset[node]])} if tree.infoset[node] >= 0 else set()
        above.append(own | above[tree.parent[node] + 1])
    found = subgames(tree)
    assert len(found) == len(set(public.tolist()))
    for sub in found:
        inside = [node for node in range(len(tree.player)) if sub.public_state in above[node + 1]]
        assert sub.nodes.tolist() == inside
        assert sub.roots.tolist() == [n for n in inside if sub.public_state not in above[tree.parent[n] + 1]]
        for node, place in zip(sub.nodes.tolist(), sub.root_of.tolist(), strict=True):
            while node != sub.roots[place]:
                node = int(tree.parent[node])
        assert set(sub.infosets.tolist()) == {int(tree.infoset[n]) for n in inside} - {-1}
        assert {int(tree.infoset_of_row[row]) for row in sub.rows} == set(sub.infosets.tolist())
        for player in range(tree.players):
            met = [(last[n, player], tree.game.view(known[n], player)) for n in sub.roots.tolist()]
            place = {one: number for number, one in enumerate(dict.fromkeys(met))}
            assert sub.augmented_infosets[player].tolist() == [place[one] for one in met]
            names = sub.augmented_names(player)
            assert len(set(names)) == sub.augmented_count(player) == len(names)
    assert subgame(tree, 0) is found[0]
    assert subgame(tree, tree.name_of(tree.infosets - 1)).public_state == public[-1]


def test_augmented_infosets_are_named_by_views_and_actions():
    tree = compiled("rps")
    last = subgame(tree, 1)
    assert last.mover == 1
    assert repr(last) == "Subgame(rps, public state 1, 3 roots, 12 histories, 3 and 1 augmented infosets)"
    assert last.augmented_names(0) == ("0: move rock", "0: move paper", "0: move scissors")
    assert last.augmented_names(1) == ("1: move",)


def test_views_forgotten_before_the_first_move_make_no_augmented_infosets():
    """Otherwise one strategy below would have to contain two strategies."""
    tree = td.compile_game(GlancingKuhn())
    first = subgame(tree, 0)
    assert len(set(augmented_infosets(tree)[first.roots, 1].tolist())) == 4
    assert first.augmented_infosets[1].tolist() == subgame(compiled("kuhn"), 0).augmented_infosets[1].tolist()


def test_a_public_state_that_is_met_twice_is_entered_once():
    tree = td.compile_game(Twice())
    assert sorted(public_states(tree).tolist()) == [0, 0, 0, 1]
    first = subgame(tree, 0)
    assert (
        first.roots.tolist() == [0] and len(first.nodes) == len(tree.player) and first.infosets.tolist() == [0, 1, 2, 3]
    )
    found = td.resolve_nested(td.Profile.random(tree, np.random.default_rng(0)), "reach")
    assert td.nash_conv(found) == pytest.approx(0, abs=1e-9)


def test_sums_by_augmented_infoset():
    sub = subgame(compiled("kuhn"), 0)
    sums = sub.summed(1, np.arange(1.0, 7.0))
    infosets = sub.augmented_infosets[1]
    assert sums.tolist() == [sum(k + 1.0 for k in range(6) if infosets[k] == number) for number in range(3)]


def test_public_states_without_subgame_are_refused():
    torn = td.compile_game(Torn())
    with pytest.raises(td.errors.GameError, match="histories"):
        subgame(torn, 0)
    with pytest.raises(td.errors.GameError, match="imperfect"):
        subgame(td.compile_game(ForgetfulKuhn()), 0)
    with refused(td.errors.ParameterError, key="public_state", value=4):
        subgame(compiled("kuhn"), 4)
    with refused(td.errors.UnknownNameError, key="infoset of kuhn", value="0: X"):
        subgame(compiled("kuhn"), "0: X")
    with pytest.raises(td.InputError, match="compile_game"):
        subgame("kuhn", 0)
    with pytest.raises(td.errors.GameError, match="compiled"):
        subgame(td.Tree(**{**{f: getattr(torn, f) for f in torn.__dataclass_fields__}, "game": None}), 0)
