"""Monte Carlo traversals: sample a few histories and sum their estimates of regrets and averages.

Own nodes are those of the player that the traversal updates. With inclusion probabilities rho, values u_a and q the
product of rho so far, they add

    gain[a] += ([a sampled] u_a / rho_a - u) / q    with u = sum over sampled a of sigma_a / rho_a u_a

In two-player games the opponent's nodes add weight += 1 / q. With a baseline b, the first term is
[a sampled] (u_a - b_a) / rho_a + b_a, also where a single action is sampled (Schmid et al. 2019, equation 8).

Strategies are frozen during a *batch* of traversals. Arrays are passed as handles of named tuples (see jit.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels import draw
from tefuda._kernels.histories import CHANCE, END, FIRST_PLAYER, outcome_probability, record, visit
from tefuda._kernels.jit import inlined, shared
from tefuda._kernels.updates import (
    AVERAGED,
    UPDATED,
    add_regrets,
    add_to_average,
    add_to_list,
    apply_buffers,
    match_pending,
)

EVERY, ONE, SUBSET, SUCCESSIVE, SYSTEMATIC, REPEATED, BY_AVERAGE = range(7)
# Columns of a frame: first row, actions (0: a single action is sampled), first child, current action, owner.
_ROW, _COUNT, _FIRST, _ACTION, _OWNER = range(5)


class Scheme(NamedTuple):
    """The sampling scheme at own nodes.

    kind: EVERY to BY_AVERAGE.
    k, epsilon, floor, threshold, bonus: parameters of the kinds.
    rate: learning rate of baselines.
    """

    kind: int
    k: int
    epsilon: float
    floor: float
    threshold: float
    bonus: float
    rate: float


class Scratch(NamedTuple):
    """Scratch arrays for one traversal of depth D with at most A actions."""

    frames: np.ndarray  # [D, 5]
    reached: np.ndarray  # [D]
    p: np.ndarray  # [A]
    rho: np.ndarray  # [D, A]
    values: np.ndarray  # [D, A]
    sets: np.ndarray  # [2, 2^A] or [2, 1]
    reach: np.ndarray  # [D + 2, P]
    vectors: np.ndarray  # [D, A, P]


@shared
def sample_actions(scheme, tables, row, count, state, scratch, depth):
    """Sample actions: fill rho[depth] with inclusion probabilities, 0: not sampled; return the next state."""
    if scheme.kind == EVERY or (scheme.k >= count and scheme.kind < REPEATED):
        for a in range(count):
            scratch.rho[depth, a] = 1.0
        return state
    if scheme.kind == SUBSET:
        return draw.sample_subset(count, scheme.k, state, scratch.rho, depth)
    if scheme.kind == BY_AVERAGE:
        bounds = (scheme.floor, scheme.threshold, scheme.bonus)
        return draw.sample_by_average(tables.total, row, count, *bounds, state, scratch.rho, depth)
    for a in range(count):
        scratch.p[a] = scheme.epsilon / count + (1.0 - scheme.epsilon) * tables.strategy[row + a]
        scratch.rho[depth, a] = 0.0
    if scheme.kind == ONE:
        return draw.sample_one(scratch.p, count, state, scratch.rho, depth)
    if scheme.kind == SUCCESSIVE:
        return draw.sample_successive(scratch.p, count, scheme.k, state, scratch.rho, depth, scratch.sets)
    if scheme.kind == SYSTEMATIC:
        return draw.sample_systematic(scratch.p, count, scheme.k, state, scratch.rho, depth)
    return draw.sample_repeated(scratch.p, count, scheme.k, state, scratch.rho, depth)


@inlined
def next_sampled(rho, depth, count, action):
    """Return the first sampled action after `action`; -1 if there is none."""
    for a in range(action + 1, count):
        if rho[depth, a] > 0.0:
            return a
    return -1


@inlined
def expected_baseline(histories, tables, mover, first, row, count, player):
    """Return the mean of the baselines of a node's children."""
    mean = 0.0
    for a in range(count):
        chance = outcome_probability(histories.cumulative, first, a) if mover == CHANCE else tables.strategy[row + a]
        mean += chance * tables.baseline[first + a, player]
    return mean


@inlined
def estimate(tables, rate, player, row, count, first, rho, values, depth):
    """Replace values of sampled actions by unbiased estimates of all actions; return their mean."""
    baseline, mean = tables.baseline, 0.0
    for a in range(count):
        base = baseline[first + a, player] if baseline.shape[0] > 0 else 0.0
        if rho[depth, a] > 0.0:
            sampled = values[depth, a]
            values[depth, a] = (sampled - base) / rho[depth, a] + base
            if baseline.shape[0] > 0:
                baseline[first + a, player] += rate * (sampled - base)
        else:
            values[depth, a] = base
        mean += tables.strategy[row + a] * values[depth, a]
    return mean


@inlined
def sample_child(histories, tables, node, mover, first, row, count, q, state):
    """Sample an action of an opponent or chance; return it, q (changed by a `deal`), and the next state."""
    state = draw.step(state)
    point = draw.uniform(state)
    if mover != CHANCE:
        return draw.pick(tables.strategy, row, count, point), q, state
    if node > 0 or histories.deal.shape[0] == 0:
        return draw.pick_outcome(histories.cumulative, first, count, point), q, state
    action = draw.pick_outcome(histories.deal, np.int64(0), count, point)
    chance = outcome_probability(histories.cumulative, first, action)
    return action, q * outcome_probability(histories.deal, np.int64(0), action) / chance, state


@shared
def traverse(histories, scheme, tables, rule, direct, player, state, buffers, scratch):
    """Traverse once: sample actions at own nodes, one action elsewhere; return histories visited."""
    nodes, baseline = histories.nodes, tables.baseline
    frames, reached, rho = scratch.frames, scratch.reached, scratch.rho
    corrected, averaging = baseline.shape[0] > 0, histories.payoffs.shape[1] == 2
    depth, node, q, visited, value = np.int64(0), np.int64(0), 1.0, 0, 0.0  # typed, or all is compiled twice
    while True:
        complete = False  # whether the node in the last frame has all its values
        while True:  # down
            visited += 1
            mover, first, row, count = record(nodes, node)
            if mover == END:
                value = histories.payoffs[row, player]
                break
            if mover == FIRST_PLAYER + player:
                state = sample_actions(scheme, tables, row, count, state, scratch, depth)
                action = next_sampled(rho, depth, count, -1)
                frames[depth, _ROW], frames[depth, _COUNT] = row, count
                frames[depth, _FIRST], frames[depth, _ACTION] = first, action
                reached[depth] = q
                depth += 1
                if action < 0:  # no action was sampled
                    complete = True
                    break
                q *= rho[depth - 1, action]
                node = first + action
                continue
            if mover != CHANCE and averaging:
                add_to_average(tables, rule, direct, buffers, row, count, 1.0 / q)
            action, q, state = sample_child(histories, tables, node, mover, first, row, count, q, state)
            if corrected:
                frames[depth, _COUNT], frames[depth, _FIRST], frames[depth, _ACTION] = 0, first, action
                reached[depth] = expected_baseline(histories, tables, mover, first, row, count, player)
                depth += 1
            node = first + action
        while depth > 0:  # up
            frame = depth - 1
            row, count = frames[frame, _ROW], frames[frame, _COUNT]
            first, action = frames[frame, _FIRST], frames[frame, _ACTION]
            if count == 0:  # a single action was sampled here
                base = baseline[first + action, player]
                baseline[first + action, player] += scheme.rate * (value - base)
                value += reached[frame] - base
                depth -= 1
                continue
            if not complete:
                scratch.values[frame, action] = value
                action = next_sampled(rho, frame, count, action)
                if action >= 0:
                    frames[frame, _ACTION] = action
                    q = reached[frame] * rho[frame, action]
                    node = first + action
                    break
            complete = False
            value = estimate(tables, scheme.rate, player, row, count, first, rho, scratch.values, frame)
            add_regrets(tables, rule, direct, buffers, row, count, scratch.values, frame, value, reached[frame])
            depth -= 1
        if depth == 0:
            return visited


@shared
def traverse_for_average(histories, tables, rule, direct, player, state, buffers):
    """Play one trajectory that adds weight 1 at each of the player's nodes; return histories visited.

    The player plays its strategy, the opponents play uniformly. Weights added at opponents' nodes, as in `traverse`,
    would include the reach of third players.
    """
    node, visited = np.int64(0), 1
    while histories.nodes[node, 0] != END:
        mover, first, row, count, state, point = visit(histories, node, state)
        if mover == CHANCE:
            action = draw.pick_outcome(histories.cumulative, first, count, point)
        elif mover == FIRST_PLAYER + player:
            add_to_average(tables, rule, direct, buffers, row, count, 1.0)
            action = draw.pick(tables.strategy, row, count, point)
        else:
            action = min(np.int64(point * count), count - 1)
        node = first + action
        visited += 1
    return visited


@shared
def traverse_chance(histories, tables, state, buffers, scratch):
    """Traverse once for all players, sampling only chance (chance sampling); return histories visited.

    gain += others' reach * (u_a - u) and weight += own reach, both without chance.
    """
    frames, reach, vectors, strategy = scratch.frames, scratch.reach, scratch.vectors, tables.strategy
    players, depth, node, visited = histories.payoffs.shape[1], np.int64(0), np.int64(0), 0
    for p in range(players):
        reach[0, p] = 1.0
    while True:
        while True:  # down
            visited += 1
            mover, first, row, count = record(histories.nodes, node)
            if mover == END:
                for p in range(players):
                    reach[depth + 1, p] = histories.payoffs[row, p]
                break
            if mover == CHANCE:
                state = draw.step(state)
                node = first + draw.pick_outcome(histories.cumulative, first, count, draw.uniform(state))
                continue
            owner = np.int64(mover) - FIRST_PLAYER
            buffers.weight[row] += reach[depth, owner]
            add_to_list(buffers, AVERAGED, row, count)
            frames[depth, _ROW], frames[depth, _COUNT] = row, count
            frames[depth, _FIRST], frames[depth, _ACTION] = first, 0
            frames[depth, _OWNER] = owner
            depth += 1
            for p in range(players):
                reach[depth, p] = reach[depth - 1, p]
            reach[depth, owner] *= strategy[row]
            node = first
        while depth > 0:  # up; reach[depth + 1] has the children's values
            frame = depth - 1
            row, count, action = frames[frame, _ROW], frames[frame, _COUNT], frames[frame, _ACTION]
            owner = frames[frame, _OWNER]
            for p in range(players):
                vectors[frame, action, p] = reach[depth + 1, p]
                reach[depth, p] = reach[frame, p]
            if action + 1 < count:
                frames[frame, _ACTION] = action + 1
                reach[depth, owner] *= strategy[row + action + 1]
                node = frames[frame, _FIRST] + action + 1
                break
            others = 1.0
            for p in range(players):
                mean = 0.0
                for a in range(count):
                    mean += strategy[row + a] * vectors[frame, a, p]
                reach[depth, p] = mean
                if p != owner:
                    others *= reach[frame, p]
            for a in range(count):
                buffers.gain[row + a] += others * (vectors[frame, a, owner] - reach[depth, owner])
            add_to_list(buffers, UPDATED, row, count)
            depth -= 1
        if depth == 0:
            return visited


@inlined
def run_block(histories, scheme, tables, rule, direct, key, iteration, player, first, traversals, buffers, scratch):
    """Run traversals from number `first` on of a batch; return the number of histories visited.

    player: the player to update; -1: all players, by chance sampling. With one player, or more than two, separate
    traversals update the average.
    """
    players, visited = histories.payoffs.shape[1], 0
    for number in range(first, first + traversals):
        state = draw.stream(key, iteration, player + 1, number)
        if player < 0:
            visited += traverse_chance(histories, tables, state, buffers, scratch)
            continue
        visited += traverse(histories, scheme, tables, rule, direct, player, state, buffers, scratch)
        if players != 2:
            state = draw.stream(key, iteration, player + 1 + players, number)
            visited += traverse_for_average(histories, tables, rule, direct, player, state, buffers)
    return visited


@inlined
def iterate(
    histories, scheme, tables, schedule, direct, together, key, first_iteration, batch, block, buffers, scratch
):
    """Run one iteration per row of `schedule`; return the number of histories visited.

    together: whether one batch updates all players; else each player has a batch. The sums of each block of a batch are
    added separately, as workers compute them.
    """
    visited = 0
    players = range(-1, 0) if together else range(histories.payoffs.shape[1])
    for t in range(schedule.shape[0]):
        rule = schedule[t]
        for player in players:
            for first in range(0, batch, block):
                visited += run_block(
                    histories, scheme, tables, rule, direct, key, first_iteration + t, player, first,
                    min(block, batch - first), buffers, scratch,
                )  # fmt: skip
                if not direct:
                    apply_buffers(tables, rule, buffers)
            if not direct:
                match_pending(tables, rule, buffers)
    return visited
