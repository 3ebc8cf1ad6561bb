"""Keys of views of Koi-Koi."""

import random

import numpy as np
import pytest

import tefuda as td
from tefuda.koikoi.cards import mask_of, read_cards
from tefuda.koikoi.game import LABELS
from tefuda.koikoi.reduced import koikoi, mini8
from tefuda.koikoi.simulator import compile_rules
from tefuda.koikoi.view import state_array
from tefuda_reproductions.koikoi.kernels import keys
from tefuda_reproductions.koikoi.keys import PARTS, Keys, Reader, abstract_koikoi
from tests.koikoi.random_rounds import ANIMALS, redeal_hidden, wander


def test_merged_cards_are_refused():
    with pytest.raises(td.errors.ParameterError, match="merged"):
        abstract_koikoi(mini8(merged=True))


def test_hidden_cards_change_no_key():
    """Keys are the same from views and in the kernel, whose state contains all cards."""
    game, rng = koikoi(), random.Random(2)
    reader, compiled, parts = Reader(game), compile_rules(game.rules), Keys().mask
    met, changed = set(), 0
    for _ in range(40):
        for state in wander(game, rng):
            if game.player(state) < 0:
                continue
            found = []
            for one in (state, redeal_hidden(state, state.mover, rng)):
                scratch = np.zeros((2, keys.CLASSES), dtype=np.int64)
                key, mask = keys.read_key(compiled, parts, state_array(game, one), scratch[0], scratch[1])
                classes = [LABELS[scratch[0, at]] for at in range(keys.CLASSES) if int(mask) >> at & 1]
                found.append((int(key), classes))
                changed += one.hands != state.hands
            key, named = reader.read_key(game.view(state, state.mover), state.mover)
            assert found[0] == found[1] == (key, list(named.values()))
            assert set(named.values()) <= set(game.actions(state)) and named
            met.add(key)
    assert changed > 300 and len(met) > 200  # otherwise nothing was tested


def test_key_by_hand():
    """Two brights, the third in hand and its month open; a big yaku is possible, with its play."""
    game = koikoi()
    reader = Reader(game)
    state = game.begin(
        sum(1 << c for c in (28, 4, 12, 16, 20, 24, 36, 41)), 0b1111 << 20, sum(1 << c for c in (30, 2, 6))
    )
    state = state._replace(piles=((1 << 0) | (1 << 8), 0), hands=(state.hands[0], 0))
    scratch = np.zeros((2, 10), dtype=np.int64)
    key, mask = keys.read_key(compile_rules(game.rules), Keys().mask, state_array(game, state), *scratch)

    def part(place):
        return int(key) >> place[0] & (1 << place[1]) - 1

    assert part(keys.OWN_BIG) == 3 and part(keys.OTHER_BIG) == 0 and part(keys.LEFT) == 8
    assert scratch[0, keys.YAKU] == 28 and int(mask) & 1 << keys.YAKU
    bare, _ = keys.read_key(compile_rules(game.rules), Keys(()).mask, state_array(game, state), *scratch)
    assert int(bare) == 1 << 62 | int(mask)
    assert Keys(tuple(PARTS)).mask == sum(Keys((name,)).mask for name in PARTS)
    assert reader.key(game.view(game.begin(0xFF, 0xFF00, 0xFF0000), 1), 1) == 0  # not in turn


def test_a_growing_yaku_needs_every_further_animal():
    """With boar, deer and butterfly, each of the six other animals adds points.

    Without growing, none does yet.
    """
    for preset, wanted in (("nintendo_growing", ANIMALS - {20, 24, 36}), ("standard", set())):
        compiled, own = compile_rules(koikoi(preset).rules), np.uint64(sum(1 << card for card in (20, 24, 36)))
        nothing = np.uint64(0)
        last = int(keys.yaku_distances(compiled, own, nothing, nothing, nothing)[3])
        assert {card for card in ANIMALS if last >> card & 1} == wanted


def test_yaku_cancelled_by_the_weather_are_not_near():
    """With the rain man in the pile, the cup makes no hanami-zake."""
    own = np.uint64(mask_of(read_cards("3B 11B")))
    for weather in (False, True):
        rules, none = compile_rules(koikoi(weather=weather).rules), np.uint64(0)
        assert keys.yaku_distances(rules, own, none, none, none)[0] == (1 if weather else 2)
