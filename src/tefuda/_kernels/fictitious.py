"""Fictitious play in the sequence form, and its sampled form with Q-learning and counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels import draw
from tefuda._kernels.jit import inlined
from tefuda._kernels.passes import gather, group_of, realise
from tefuda._kernels.walks import CHANCE, END, FIRST_PLAYER, meet

TIE = 1e-13  # utilities that differ by less are equal: round-off must not choose


@inlined
def respond(form, player, tremble, aware, u, g):
    """Best responses to the utilities u `[Q]`, folded in place; g: pure, then mixed with `tremble` of uniform play.

    aware: whether the response knows that it will tremble; ties go to the first action.
    """
    known = tremble if aware else 0.0
    for group in range(form.group_span[player + 1], form.group_span[player], -1):
        first, m, k, base = group_of(form, group - 1)
        for j in range(m):
            best, mean = 0, 0.0
            for a in range(0, k):  # not range(k): its counter would be unsigned and make `best` a float
                mean += u[base + a * m + j] / k
                g[base + a * m + j] = tremble / k
                if u[base + a * m + j] > u[base + best * m + j] + TIE:
                    best = a
            g[base + best * m + j] += 1.0 - tremble
            u[form.parent[first + j]] += (1.0 - known) * u[base + best * m + j] + known * mean


@inlined
def iterate(form, weights, tremble, aware, total, mass, x, y, u, g):
    """One iteration per weight: all players respond to the average, then the responses enter it.

    total: `[Q]` weighted sums of realisation plans, mass: `[1]` of their weights; a mean of plans is a plan.
    """
    players = form.span.shape[0] - 1
    for t in range(weights.shape[0]):
        for q in range(total.shape[0]):
            x[q] = total[q] / mass[0]
        for player in range(players):
            gather(form, player, x, y, u)
            respond(form, player, tremble, aware, u, g)
        for player in range(players):
            x[form.span[player]] = 1.0
            realise(form, player, g, x)
        for q in range(total.shape[0]):
            total[q] += weights[t] * x[q]
        mass[0] += weights[t]


class Episodes(NamedTuple):
    """A ring of stored episodes of each player: rows taken `[P, C, D]`, how many `[P, C]`, payoff `[P, C]`; and how
    many have been stored `[P]`.
    """

    rows: np.ndarray
    length: np.ndarray
    payoff: np.ndarray
    stored: np.ndarray


@inlined
def soft_choice(q, row, count, temperature, point):
    """An action by Boltzmann's distribution."""
    top, total = -np.inf, 0.0
    for a in range(count):
        top = max(top, q[row + a])
    for a in range(count):
        total += np.exp((q[row + a] - top) / temperature)
    left = point * total
    for a in range(count):
        left -= np.exp((q[row + a] - top) / temperature)
        if left < 0.0:
            return a
    return count - 1


@inlined
def average_choice(counts, row, count, point):
    """An action by counts; uniform where nothing has been counted."""
    total = 0.0
    for a in range(count):
        total += counts[row + a]
    if total == 0.0:
        return min(np.int64(point * count), count - 1)
    return draw.pick(counts, row, count, point * total)


@inlined
def episode(histories, q, counts, episodes, responder, temperature, state, taken, lengths):
    """Play a game, `responder` (-1: nobody) by its values, the others by their averages; store it for every player.

    taken: `[P, D]` and lengths: `[P]`, scratch that holds the game afterwards. Return the next random state.
    """
    node = np.int64(0)
    for player in range(lengths.shape[0]):
        lengths[player] = 0
    while histories.nodes[node, 0] != END:
        mover, first, row, count, state, point = meet(histories, node, state)
        if mover == CHANCE:
            at = draw.pick_outcome(histories.cumulative, first, count, point)
        else:
            seat = np.int64(mover) - FIRST_PLAYER
            if seat == responder:
                at = soft_choice(q, row, count, temperature, point)
            else:
                at = average_choice(counts, row, count, point)
            taken[seat, lengths[seat]] = row + at
            lengths[seat] += 1
        node = first + at
    for player in range(lengths.shape[0]):
        place = episodes.stored[player] % episodes.length.shape[1]
        for step in range(lengths[player]):
            episodes.rows[player, place, step] = taken[player, step]
        episodes.length[player, place] = lengths[player]
        episodes.payoff[player, place] = histories.payoffs[histories.nodes[node, 2], player]
        episodes.stored[player] += 1
    return state


@inlined
def replay(episodes, first_row, infoset_of_row, q, player, place, rate):
    """Q-learning backwards along a stored episode: no discount, a reward at the end only."""
    following = -1
    for back in range(episodes.length[player, place]):
        row = episodes.rows[player, place, episodes.length[player, place] - 1 - back]
        target = episodes.payoff[player, place]
        if following >= 0:
            target = -np.inf
            for other in range(first_row[following], first_row[following + 1]):
                target = max(target, q[other])
        q[row] += rate * (target - q[row])
        following = infoset_of_row[row]


@inlined
def sampled(
    histories, first_row, infoset_of_row, q, counts, episodes, averages, responses, replays, key,
    first_iteration, iterations, taken, lengths,
):  # fmt: skip
    """Iterations of fictitious self-play: `averages` games of the average profile, `responses` of each player's best
    response, whose own actions are counted; then `replays` stored episodes teach each player's values.
    """
    players = histories.payoffs.shape[1]
    for t in range(first_iteration, first_iteration + iterations):
        root = np.sqrt(np.float64(t))
        temperature, rate = 1.0 / (1.0 + 0.02 * root), 0.05 / (1.0 + 0.003 * root)
        state = draw.stream(key, t, 0, 0)
        for _ in range(averages):
            state = episode(histories, q, counts, episodes, -1, temperature, state, taken, lengths)
        for player in range(players):
            for _ in range(responses):
                state = episode(histories, q, counts, episodes, player, temperature, state, taken, lengths)
                for step in range(lengths[player]):
                    counts[taken[player, step]] += 1.0
        for player in range(players):
            for _ in range(replays):
                state = draw.step(state)
                size = min(episodes.stored[player], episodes.length.shape[1])
                place = min(np.int64(draw.uniform(state) * size), size - 1)
                replay(episodes, first_row, infoset_of_row, q, player, place, rate)
