"""Fictitious play in the sequence form, and sampled fictitious self-play with Q-learning and counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels import draw
from tefuda._kernels.histories import CHANCE, END, FIRST_PLAYER, visit
from tefuda._kernels.jit import inlined
from tefuda._kernels.programs import FIRST, STOP, gather, realise_step
from tefuda._kernels.sequence import GROUPS, PARENT, rest
from tefuda._kernels.traversal import group_of

ONE = np.uint64(1)
TIE = 1e-13  # utilities that differ by less count as equal, so that round-off does not choose


@inlined
def respond(index, begin, end, tremble, aware, u, g):
    """Fill g `[Q]` in some groups with a best response to the utilities u `[Q]`; fold u back in place.

    Ties go to the first action.

    tremble: share of uniform play that g is mixed with.
    aware: whether the response is optimal given its trembles.
    """
    known = tremble if aware else 0.0
    groups, parents = rest(index, index[GROUPS]), rest(index, index[PARENT])
    while end > begin:
        end -= ONE
        first, m, k, base = group_of(groups, end)
        for j in range(m):
            best, mean = base + j, 0.0
            for a in range(k):
                q = base + a * m + j
                mean += u[q] / k
                g[q] = tremble / k
                if u[q] > u[best] + TIE:
                    best = q
            g[best] += 1.0 - tremble
            u[parents[first + j]] += (1.0 - known) * u[best] + known * mean


@inlined
def iterate(index, values, state, steps, ends, span, weights, tremble, aware, total, mass, x, u, g):
    """Run one iteration per weight: all players respond to the average, then the responses enter it.

    steps: a program with the steps ends[p], ..., ends[p + 1] - 1 for player p: gather u against x, realise g as x.
    total, x, u, g: `[Q]` parts of the state.
    total: `[Q]` weighted sums of realisation plans; a mean of plans is a plan.
    mass: `[1]` sum of the weights.
    """
    players = span.shape[0] - 1
    for t in range(weights.shape[0]):
        for q in range(total.shape[0]):
            x[q] = total[q] / mass[0]
        for player in range(players):
            last = ends[player + 1] - 1
            for s in range(ends[player], last):
                gather(index, values, state, steps, s)
            respond(index, steps[last, FIRST], steps[last, STOP], tremble, aware, u, g)
        for player in range(players):
            x[span[player]] = 1.0
            realise_step(index, state, steps, ends[player + 1] - 1)
        for q in range(total.shape[0]):
            total[q] += weights[t] * x[q]
        mass[0] += weights[t]


class Episodes(NamedTuple):
    """A ring buffer of the last C episodes of each player.

    rows: `[P, C, D]` the player's infoset-action pairs in an episode.
    length: `[P, C]` their number.
    payoff: `[P, C]`.
    stored: `[P]` number of episodes stored so far.
    """

    rows: np.ndarray
    length: np.ndarray
    payoff: np.ndarray
    stored: np.ndarray


@inlined
def boltzmann_choice(q, row, count, temperature, point):
    """Return an action drawn from the Boltzmann distribution of the values q."""
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
def count_choice(counts, row, count, point):
    """Return an action drawn in proportion to counts; uniform if all counts are 0."""
    total = 0.0
    for a in range(count):
        total += counts[row + a]
    if total == 0.0:
        return min(np.int64(point * count), count - 1)
    return draw.pick(counts, row, count, point * total)


@inlined
def episode(histories, q, counts, episodes, responder, temperature, state, played, lengths):
    """Play a game and store it for every player; return the next random state.

    responder: the player that plays by its values q, or -1; the others play by their averages.
    played, lengths: `[P, D]`, `[P]` output: the infoset-action pairs of each player, and their number.
    """
    node = np.int64(0)
    for player in range(lengths.shape[0]):
        lengths[player] = 0
    while histories.nodes[node, 0] != END:
        mover, first, row, count, state, point = visit(histories, node, state)
        if mover == CHANCE:
            action = draw.pick_outcome(histories.cumulative, first, count, point)
        else:
            owner = np.int64(mover) - FIRST_PLAYER
            if owner == responder:
                action = boltzmann_choice(q, row, count, temperature, point)
            else:
                action = count_choice(counts, row, count, point)
            played[owner, lengths[owner]] = row + action
            lengths[owner] += 1
        node = first + action
    for player in range(lengths.shape[0]):
        slot = episodes.stored[player] % episodes.length.shape[1]
        for step in range(lengths[player]):
            episodes.rows[player, slot, step] = played[player, step]
        episodes.length[player, slot] = lengths[player]
        episodes.payoff[player, slot] = histories.payoffs[histories.nodes[node, 2], player]
        episodes.stored[player] += 1
    return state


@inlined
def replay(episodes, first_row, infoset_of_row, q, player, slot, rate):
    """Run Q-learning backwards along a stored episode, without discount; the only reward is the payoff."""
    following = -1
    for back in range(episodes.length[player, slot]):
        row = episodes.rows[player, slot, episodes.length[player, slot] - 1 - back]
        target = episodes.payoff[player, slot]
        if following >= 0:
            target = -np.inf
            for next_row in range(first_row[following], first_row[following + 1]):
                target = max(target, q[next_row])
        q[row] += rate * (target - q[row])
        following = infoset_of_row[row]


@inlined
def self_play(
    histories, first_row, infoset_of_row, q, counts, episodes, averages, responses, replays, key,
    first_iteration, iterations, played, lengths,
):  # fmt: skip
    """Run iterations of fictitious self-play.

    averages: number of games of the average profile.
    responses: number of games of each player's best response, whose own actions are counted.
    replays: number of stored episodes that then update each player's values.
    """
    players = histories.payoffs.shape[1]
    for t in range(first_iteration, first_iteration + iterations):
        root = np.sqrt(np.float64(t))
        temperature, rate = 1.0 / (1.0 + 0.02 * root), 0.05 / (1.0 + 0.003 * root)
        state = draw.stream(key, t, 0, 0)
        for _ in range(averages):
            state = episode(histories, q, counts, episodes, -1, temperature, state, played, lengths)
        for player in range(players):
            for _ in range(responses):
                state = episode(histories, q, counts, episodes, player, temperature, state, played, lengths)
                for step in range(lengths[player]):
                    counts[played[player, step]] += 1.0
        for player in range(players):
            for _ in range(replays):
                state = draw.step(state)
                size = min(episodes.stored[player], episodes.length.shape[1])
                slot = min(np.int64(draw.uniform(state) * size), size - 1)
                replay(episodes, first_row, infoset_of_row, q, player, slot, rate)
