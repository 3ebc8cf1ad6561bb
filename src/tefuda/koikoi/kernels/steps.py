"""Many rounds of Koi-Koi at once: stepped for learners, and played by simple agents of a match.

A round is a state `[WIDTH]` with its deck `[48]` uint8. Players decide only where they have a
choice.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.bits import count, lowest
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.rounds import act, deal_round, legal_actions, score
from tefuda.koikoi.kernels.simple import RANDOM, simple_choice, single_action
from tefuda.koikoi.kernels.state import (
    CALL,
    DRAWN,
    END,
    KOI,
    LEVEL,
    PHASE,
    PICK_DRAW,
    PICK_HAND,
    SHOWN,
    TURN,
    bit,
    calls_of,
    mover,
    visible_cards,
)

DEALT = 24
#: Inputs: the location of each card (own hand, field, own pile, opponent's pile, shown), then numbers.
CARDS, NUMBERS = 5 * 48, 9
INPUTS = CARDS + NUMBERS
#: Maximum number of choices of a player in a round (8 cards, 16 picks, 8 calls), and of labels after the deal.
CHOICES, STEPS = 32, 80
_ONE = np.uint64(1)


@inlined
def do_forced_actions(rules, state, stock):
    """Play forced actions."""
    while state[PHASE] != END:
        legal = legal_actions(rules, state)
        if count(legal) > 1:
            return
        act(rules, state, stock, np.int64(lowest(legal)))


@kernel
def deal_all(rules, states, decks, stream):
    """Deal rounds `[G, WIDTH]` from decks `[G, 48]`, which are shuffled."""
    for game in range(states.shape[0]):
        stream = deal_round(rules, states[game], decks[game], stream)


@kernel
def step_all(rules, states, decks, actions):
    """Play an action in each round, and the forced ones that follow."""
    for game in range(states.shape[0]):
        act(rules, states[game], decks[game, DEALT:], actions[game])
        do_forced_actions(rules, states[game], decks[game, DEALT:])


@kernel
def legal_all(rules, states, legal):
    """Fill `legal` `[G, 50]` bool with the actions of the player to move; all False if a round is over."""
    for game in range(states.shape[0]):
        mask = np.uint64(0) if states[game, PHASE] == END else legal_actions(rules, states[game])
        for action in range(legal.shape[1]):
            legal[game, action] = (mask >> np.uint64(action)) & _ONE != 0


@kernel
def observe_all(rules, states, inputs):
    """Fill `inputs` `[G, P, INPUTS]` float32 with both players' observations; P = 1: the player to move.

    All inputs are 0 if a round is over.
    """
    for game in range(states.shape[0]):
        inputs[game] = 0.0
        if states[game, PHASE] != END:
            for index in range(inputs.shape[1]):
                player = mover(states[game]) if inputs.shape[1] == 1 else index
                observe(rules, states[game], player, inputs[game, index])


@inlined
def observe(rules, state, player, row):
    """Fill in a player's observation: cards, turns left, phase, calls, points of both, points of stopping."""
    visible, picking = visible_cards(state, player), state[PHASE] == PICK_HAND or state[PHASE] == PICK_DRAW
    calls, theirs = calls_of(state, player)
    places = (
        visible.hand,
        visible.field,
        visible.own_pile,
        visible.opponent_pile,
        bit(state[SHOWN]) if picking else np.uint64(0),
    )
    for index in range(5):
        for card in range(48):
            row[48 * index + card] = np.float32((places[index] >> np.uint64(card)) & _ONE)
    row[CARDS] = (17 - np.int64(state[TURN])) / 16
    row[CARDS + 1], row[CARDS + 2] = state[PHASE] == PICK_HAND, state[PHASE] == PICK_DRAW
    row[CARDS + 3], row[CARDS + 4], row[CARDS + 5] = state[PHASE] == KOI, calls, theirs
    row[CARDS + 6], row[CARDS + 7] = np.int64(state[LEVEL + player]) / 10, np.int64(state[LEVEL + 1 - player]) / 10
    row[CARDS + 8] = score(rules, visible.own_pile, calls, theirs) / 10


@kernel
def replay_all(rules, states, decks, actions, lengths, legal_rounds):
    """Replay rounds by actions `[G, A]`; set `legal_rounds` `[G]` to True where all actions are legal."""
    for game in range(states.shape[0]):
        state, legal_rounds[game] = states[game], True
        for index in range(lengths[game]):
            action = np.int64(actions[game, index])
            if state[PHASE] == END or action > CALL or not (legal_actions(rules, state) >> np.uint64(action)) & _ONE:
                legal_rounds[game] = False
                break
            act(rules, state, decks[game, DEALT:], action)
            do_forced_actions(rules, state, decks[game, DEALT:])


@inlined
def agent_action(rules, kind, state, player, allowed, point):
    """Return the action of an agent as its class chooses it: `RandomAgent`, `GreedyAgent`."""
    if kind == RANDOM:
        for _ in range(np.int64(point * count(allowed))):
            allowed &= allowed - _ONE
        return np.int64(lowest(allowed))
    action, taken = simple_choice(rules, kind, state, player, _ONE)
    return single_action(state, action, taken)


@kernel
def play_all(rules, kinds, states, stocks, points, labels):
    """Play states `[G, WIDTH]` with stocks `[G, S]` to their ends by simple agents.

    Args:
        rules: compiled rules.
        kinds: `[2]` RANDOM or GREEDY, by seat.
        states: initial states, replaced by the final ones.
        stocks: uint8, in the order of drawing.
        points: `[G, 2, CHOICES]` the numbers in [0, 1) of each seat, one for each choice between
            actions.
        labels: `[G, STEPS]` int8 of -1, receives actions and drawn cards.
    """
    used = np.zeros(2, dtype=np.int64)
    for game in range(states.shape[0]):
        state, stock, done = states[game], stocks[game], 0
        used[:] = 0
        while state[PHASE] != END:
            player, allowed, drawn = mover(state), legal_actions(rules, state), state[DRAWN]
            action = np.int64(lowest(allowed))
            if count(allowed) > 1:  # forced actions use no luck
                action = agent_action(rules, kinds[player], state, player, allowed, points[game, player, used[player]])
                used[player] += 1
            act(rules, state, stock, action)
            labels[game, done] = action
            done += 1
            if state[DRAWN] != drawn:
                labels[game, done] = stock[drawn]
                done += 1
