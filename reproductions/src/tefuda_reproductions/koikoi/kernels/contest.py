"""Rounds of Koi-Koi with average strategies, which are learned in the abstraction of `keys`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.draw import mix, pick, step, uniform
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.match import agent_choice, perform
from tefuda.koikoi.kernels.rounds import deal_round, open_round
from tefuda.koikoi.kernels.simple import single_action
from tefuda.koikoi.kernels.state import END, KOI, PHASE, PLAY, POINTS, TURN, WIDTH, bit, mover
from tefuda_reproductions.koikoi.kernels.keys import read_key
from tefuda_reproductions.koikoi.kernels.mccfr import RegretTables, compact_actions, find_row

AVERAGE = 6  # a kind of players, after those of a match
_ZERO = np.uint64(0)


class Averages(NamedTuple):
    """Average strategies learned in an abstraction; K: number of action classes.

    Attributes:
        tables: of both players.
        cuts: `[2]`, actions below this share of the most probable action are never played.
        actions: `[K]` int64, scratch.
        class_values: `[K]` int64, scratch.
        probabilities: `[K]`, scratch.
    """

    tables: tuple[RegretTables, ...]
    cuts: np.ndarray
    actions: np.ndarray
    class_values: np.ndarray
    probabilities: np.ndarray


@inlined
def average_choice(rules, averages, agent, state, stream):
    """Return the action of an average strategy and the capture; 0 if the capture is a later choice."""
    tables, cut = averages.tables[agent], averages.cuts[agent]
    actions, probabilities = averages.actions, averages.probabilities
    key, mask = read_key(rules, tables.parts, state, actions, averages.class_values)
    n, total, most = compact_actions(mask, actions), 0.0, 0.0
    row = find_row(tables, key, n, False) if n > 1 else np.int64(-1)
    for a in range(n):
        probabilities[a] = tables.total[row + a] if row >= 0 else 1.0
        most = max(most, probabilities[a])
    for a in range(n):
        if most == 0.0:
            probabilities[a] = 1.0
        elif probabilities[a] < cut * most:
            probabilities[a] = 0.0
        total += probabilities[a]
    for a in range(n):
        probabilities[a] /= total
    action = actions[pick(probabilities, np.int64(0), n, uniform(stream))]
    return action, _ZERO if state[PHASE] == PLAY or state[PHASE] == KOI else bit(action)


@inlined
def contestant_choice(rules, players, averages, agent, state, stream):
    """Return an agent's action from its view, and the capture."""
    if players.kinds[agent] == AVERAGE:
        return average_choice(rules, averages, agent, state, step(stream))
    action, taken, _, _ = agent_choice(rules, players, players.searches, agent, state, stream)
    return action, taken


@kernel
def duel(rules, players, averages, deals, luck, points_won):
    """Play deals as `match.duel` does, with the average strategies of one or both agents."""
    deck, state = np.arange(48).astype(np.uint8), np.zeros(WIDTH, dtype=np.uint64)
    for number in range(points_won.shape[0]):
        deals = deal_round(rules, state, deck, deals)
        luck = step(luck)
        for dealer in range(2):
            open_round(state, deck)
            while state[PHASE] != END:
                player, luck_here = mover(state), mix(luck ^ state[TURN] << np.uint64(3) ^ state[PHASE])
                action, taken = contestant_choice(rules, players, averages, player ^ dealer, state, luck_here)
                perform(rules, state, deck[24:], player, action, taken, players.past_plays)
            points = np.int64(state[POINTS])
            points_won[number, dealer] = points if dealer == 0 else -points


@kernel
def next_single_action(rules, players, agent, state, stream):
    """Return an agent's next single action, from its view of a state, and the stream."""
    action, taken, _, stream = agent_choice(rules, players, players.searches, agent, state, stream)
    return single_action(state, action, taken), stream
