"""Rounds played at random, and the same rounds with hidden cards dealt anew."""

import numpy as np

import tefuda as tf
from tefuda.games.protocol import draw_outcome
from tefuda.koikoi.cards import ids_of, mask_of


def states(game, seed):
    """The states of a round that is played at random, and how they came."""
    rng, state, found = np.random.default_rng(seed), game.root(), []
    while game.player(state) != tf.TERMINAL:
        found.append(state)
        if game.player(state) == tf.CHANCE:
            label = draw_outcome(game, state, rng.random)[0]
        else:
            label = game.actions(state)[rng.integers(len(game.actions(state)))]
        state = game.child(state, label)
    return [*found, state]


def hidden_apart(state, player, rng):
    """The same state with the cards hidden from a player dealt differently."""
    other = state.hands[1 - player]
    hidden = ids_of(other | state.stock)
    rng.shuffle(hidden)
    hand, stock = mask_of(hidden[: other.bit_count()]), mask_of(hidden[other.bit_count() :])
    hands = (state.hands[0], hand) if player == 0 else (hand, state.hands[1])
    start = list(state.start)
    start[1 - player] = "?"
    return state._replace(hands=hands, stock=stock, start=tuple(start))
