"""Random and greedy rounds, and the same rounds with redealt hidden cards."""

from pathlib import Path

import numpy as np
import pytest

import tefuda as td
from tefuda.games.plays import draw_outcome
from tefuda.koikoi.cards import ids_of, mask_of
from tefuda.koikoi.game import DEAL, DRAW, END, LABELS
from tefuda.koikoi.playing.agents import GreedyAgent
from tefuda.koikoi.records import deal
from tefuda.playing.agents import Decision

DATA = Path(__file__).parents[3] / "shared" / "data" / "koikoi"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="the records of human rounds are not beside this checkout")
ANIMALS = {4, 12, 16, 20, 24, 29, 32, 36, 41}


RIBBONS = {1, 5, 9, 13, 17, 21, 25, 33, 37, 42}


CHAFF = set(range(48)) - ANIMALS - RIBBONS - {0, 8, 28, 40, 44}


def states(game, seed):
    """Return the states of a random round, from the root to the end."""
    rng, state, found = np.random.default_rng(seed), game.root(), []
    while game.player(state) != td.TERMINAL:
        found.append(state)
        if game.player(state) == td.CHANCE:
            label = draw_outcome(game, state, rng.random)[0]
        else:
            label = game.actions(state)[rng.integers(len(game.actions(state)))]
        state = game.child(state, label)
    return [*found, state]


def wander(game, rng):
    """Yield the states of a random round from the first turn to the last; all moves are equally likely."""
    state = game.root()
    while game.player(state) != td.TERMINAL:
        if state.phase != DEAL:
            yield state
        labels = [label for label, _ in game.chances(state)] if game.player(state) < 0 else game.actions(state)
        state = game.child(state, rng.choice(labels))


def turns(game, deck, rng):
    """Yield the states of a random round with this deck in which a player must decide."""
    state, stock = deal(game, deck), iter(deck[24:])
    while state.phase != END:
        if state.phase == DRAW:
            state = game.child(state, LABELS[next(stock)])
            continue
        if len(game.actions(state)) > 1:
            yield state
        state = game.child(state, rng.choice(game.actions(state)))


def redeal_hidden(state, player, rng):
    """Return the state with the cards hidden from a player redealt."""
    return redeal_hidden_along([state], player, rng)[0]


def redeal_hidden_along(path, player, rng):
    """Return the states of a round with the cards redealt that are hidden from a player at the last state."""
    hidden = ids_of(path[-1].hands[1 - player] | path[-1].stock)
    instead = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))

    def moved(cards):
        return mask_of(instead.get(card, card) for card in ids_of(cards))

    def apart(state):
        start = tuple("?" if seat != player else text for seat, text in enumerate(state.start))
        hands = tuple(moved(hand) if seat != player else hand for seat, hand in enumerate(state.hands))
        return state._replace(hands=hands, stock=moved(state.stock), start=start)

    return [apart(state) for state in path]


def record_round(game, number, greedy_share, rng):
    """Return a record that partly follows greedy play, and its numbers of free and greedy decisions."""
    deck = rng.sample(range(48), 48)
    state, stock, actions, free, same = deal(game, deck), iter(deck[24:]), [], 0, 0
    agents = [GreedyAgent(), GreedyAgent()]
    for seat, agent in enumerate(agents):
        agent.start(game, seat)
    while state.phase != END:
        if state.phase == DRAW:
            state = game.child(state, LABELS[next(stock)])
            continue
        mover, possible = game.player(state), game.actions(state)
        chosen = possible[0]
        if mover >= 0:
            wanted = possible[agents[mover].act(Decision(-1, game.view(state, mover), possible, 0.5, mover))]
            chosen = wanted if rng.random() < greedy_share else rng.choice(possible)
            free, same = free + 1, same + (chosen == wanted)
        actions.append(LABELS.index(chosen))
        state = game.child(state, chosen)
    return {"id": number, "deck": deck, "actions": actions}, free, same
