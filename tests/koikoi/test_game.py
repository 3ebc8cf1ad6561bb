"""Rounds of Koi-Koi move by move."""

import random
from itertools import combinations

import pytest

import tefuda as td
from tefuda.games.protocol import TERMINAL
from tefuda.koikoi.cards import ALL, mask_of
from tefuda.koikoi.game import DEAL, DRAW, END, KOI, LABELS, PICK_DRAW, PLAY, KoiKoi, Round
from tefuda.koikoi.kernels import state as columns
from tefuda.koikoi.records import deal
from tefuda.koikoi.reduced import koikoi, mini8, mini12
from tefuda.koikoi.rules import PRESETS
from tefuda.koikoi.view import state_array
from tests.koikoi.random_rounds import states


def play_out(game: KoiKoi, rng: random.Random):
    """Play a random round and check its states."""
    state = game.root()
    while game.player(state) != TERMINAL:
        held = (*state.hands, state.field, state.stock, *state.piles, 1 << state.shown if state.shown >= 0 else 0)
        assert sum(held) == ALL and not any(one & two for one, two in combinations(held, 2))
        if state.phase != DEAL:
            assert all((state.field >> first & 0xF) != 0xF for first in range(0, 48, 4)), "four of a month lie open"
        labels = [label for label, _ in game.chances(state)] if game.player(state) < 0 else list(game.actions(state))
        state = game.child(state, rng.choice(labels))
    assert sum(game.payoffs(state)) == 0
    return state


@pytest.mark.parametrize("preset", PRESETS)
def test_random_rounds_follow_the_rules(preset):
    rng = random.Random(preset)
    for _ in range(12):
        play_out(koikoi(preset), rng)


def test_forced_moves_are_no_decisions():
    game = koikoi()
    state = deal(game, list(range(48)))._replace(hands=(1, 2), turn=15)
    assert state.phase == PLAY and game.player(state) == -1 and game.chances(state) == (("1B", 1),)
    koi = state._replace(phase=KOI, hands=(0, 2), piles=(mask_of((0, 8, 28)), 0))
    assert game.player(koi) == -1 and game.actions(koi) == ("stop",)
    with pytest.raises(td.errors.ParameterError, match="stop"):
        game.child(koi, "koi-koi")


def test_only_one_call_is_possible_if_one_is_allowed():
    game = koikoi("nintendo_strict")
    state = deal(game, list(range(48)))._replace(phase=KOI, calls=(0, 1))
    assert game.actions(state) == ("stop",) and koikoi().actions(state) == ("stop", "koi-koi")


def test_the_drawn_card_uses_the_field_after_the_played_card():
    """Two pines are on the field; the played pine captures one by choice, the drawn pine the other."""
    game = koikoi()
    deck = [0, *range(4, 11), *range(12, 20), 1, 2, 20, 24, 28, 32, 36, 40, 3]
    state = deal(game, [*deck, *sorted(set(range(48)) - set(deck))])
    state = game.child(state, "1B")
    assert game.actions(state) == ("1R", "1C1")
    state = game.child(game.child(state, "1C1"), "1C2")
    assert state.phase == PLAY and state.turn == 2 and state.piles[0] == mask_of((0, 1, 2, 3))


def test_pick_after_the_draw():
    game = koikoi()
    deck = [12, *range(4, 11), *range(16, 24), 1, 2, 24, 25, 28, 32, 36, 40, 0]
    deck += sorted(set(range(48)) - set(deck))
    state = game.child(deal(game, deck), "4A")
    state = game.child(state, "1B")
    assert state.phase == PICK_DRAW and game.actions(state) == ("1R", "1C1")


def test_a_teyaku_ends_a_round_if_it_counts():
    game = KoiKoi(PRESETS["standard"])
    state = game.root()
    cards = [0, 1, 2, 3, 8, 12, 16, 20, *range(24, 31), 40, 4, 5, 32, 36, 9, 13, 17, 21]
    cards[11] = 44  # the opponent has no four of a month
    for card in cards:
        state = game.child(state, LABELS[card])
    assert state.phase == END and game.payoffs(state) == (6, -6)
    state = koikoi().root()
    for card in cards:
        state = koikoi().child(state, LABELS[card])
    assert state == koikoi().root()  # dealt again


def test_points_cancelled_by_weather_must_be_exceeded_again():
    """After a call with hanami-zake, a player that lost it must exceed the points at the call."""
    game, asked = koikoi(weather=True), []
    for extra in ((), (28,), (0, 28)):
        pile = mask_of((8, 32, 40, *extra))
        state = Round(PICK_DRAW, 3, (1 << 1, 1 << 5), 0, 0, (pile, 0), (1, 0), called=(mask_of((8, 32)), 0))
        array = state_array(game, state._replace(phase=KOI))
        assert array[columns.LEVEL] == 5
        phase, _ = game._after(state.turn, pile, state.called[0], state.calls[0])
        asked.append((phase, game.rules.pile_points(pile)))
    assert asked == [(PLAY, 0), (PLAY, 5), (KOI, 12)]


GAMES = {"koikoi": koikoi(), "japan": koikoi("koikoi_japan"), "mini8": mini8(), "merged": mini12(merged=True)}


@pytest.mark.parametrize("name", GAMES)
def test_draws_follow_the_probabilities(name):
    """Deals and draws have the reported probabilities; forced moves use no random number."""
    game = GAMES[name]
    some = {state.phase: state for state in states(game, 1) if game.player(state) == td.CHANCE}
    for state in some.values():
        known, rng = dict(game.chances(state)), random.Random(1)
        found = [game.draw(state, rng.random) for _ in range(400)]
        assert all(known[label] == chance for label, chance in found)
        if len(known) == 1:
            game.draw(state, lambda: 1 / 0) if state.phase != DRAW else None
        elif len(known) < 60:
            for label, chance in known.items():
                count, p = sum(one == label for one, _ in found), float(chance)
                assert abs(count - 400 * p) < 5 * (400 * p * (1 - p)) ** 0.5 + 1


def test_a_call_concerns_the_own_pile_only():
    """The opponent's points at its last call do not change."""
    game, piles = koikoi(), (mask_of((0, 8, 28)), mask_of((20, 24, 36)))
    for turn, called in ((3, (piles[0], 0)), (4, (0, piles[1]))):
        state = Round(KOI, turn, (1 << 1, 1 << 5), 1 << 2, 1 << 3, piles)
        assert game.child(state, "koi-koi").called == called and game.child(state, "koi-koi").turn == turn + 1
