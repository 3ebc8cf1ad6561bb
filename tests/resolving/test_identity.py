"""Texts are for people: what prints alike stays apart, in games whose views print alike and in games read from files."""

from dataclasses import dataclass

import numpy as np
import pytest

import tefuda as tf
from tests.conftest import compiled
from tests.resolving.test_resolution import EXACT, SAFE, all_again

CASES = [("kuhn", {}, 1), ("goofspiel", {"cards": 3}, 2), ("leduc", {}, 17)]


@dataclass(frozen=True)
class Veil:
    """A view that prints like all others."""

    view: object

    def __str__(self) -> str:
        return "?"

    __repr__ = __str__


class Veiled:
    """A game in which the views of players who wait print alike."""

    def __init__(self, game):
        self.game, self.name, self.players = game, game.name, game.players
        for name in ("root", "player", "actions", "chances", "child", "payoffs"):
            setattr(self, name, getattr(game, name))

    def view(self, state, player):
        view = self.game.view(state, player)
        return view if self.game.player(state) == player else Veil(view)


@pytest.mark.parametrize("name, parameters, every", CASES, ids=str)
def test_seats_that_print_alike_are_told_apart(name, parameters, every):
    plain = compiled(name, **parameters)
    veiled = tf.compile_game(Veiled(plain.rules))
    one, two = (tf.Profile.random(tree, np.random.default_rng(8)) for tree in (plain, veiled))
    for expected, found in zip(*(all_again(p.tree, p, SAFE, every) for p in (one, two)), strict=True):
        for how in SAFE:
            assert found[how].margin == pytest.approx(expected[how].margin, abs=EXACT)
            assert found[how].before == pytest.approx(expected[how].before, abs=EXACT)
            assert found[how].histories == expected[how].histories
        assert len(set(found["reach"].seats)) == len(found["reach"].seats)


@pytest.mark.parametrize("name, parameters, every", CASES, ids=str)
def test_games_from_files_are_solved_again_safely(tmp_path, name, parameters, every):
    """The audit's example was Kuhn behind "1: Q|b": max-margin took NashConv from .9167 to 1.1667."""
    tf.write_efg(tf.load_game(name, **parameters), tmp_path / "game.efg")
    tree = tf.compile_game(tf.read_efg(str(tmp_path / "game.efg")))
    for blueprint in (tf.Profile.uniform(tree), tf.Profile.random(tree, np.random.default_rng(8))):
        before = tf.nash_conv(tree, blueprint)
        for found in all_again(tree, blueprint, SAFE, every):
            for one in found.values():
                assert tf.nash_conv(tree, one.profile) <= before + EXACT and one.margin >= -EXACT
