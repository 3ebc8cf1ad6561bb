"""Monte Carlo walks: sample a few histories, add up what they say about regrets and averages.

At own nodes with inclusion probabilities rho, values u_a and q the product of rho so far:
gain[a] += ([a chosen] u_a / rho_a - u) / q with u = sum over chosen a of sigma_a / rho_a u_a; at others' nodes, in
two-player games, weight += 1 / q. With a baseline b, [a chosen] (u_a - b_a) / rho_a + b_a stands for the first term,
and likewise where one action is drawn (Schmid et al. 2019, equation 8).

A *batch* of walks sees frozen strategies. Arrays travel in named tuples; that costs nothing because these kernels
count no references (`inlined`, see jit.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels import draw
from tefuda._kernels.findings import AVERAGED, UPDATED, add, count_in, finish, gained, note
from tefuda._kernels.jit import inlined
from tefuda._kernels.walks import CHANCE, END, FIRST_PLAYER, meet, record, share

EVERY, ONE, SUBSET, SUCCESSIVE, SYSTEMATIC, REPEATED, BY_AVERAGE = range(7)
# Columns of a frame: first row, actions (0: one action was drawn), first child, the action at work, the owner.
_ROW, _COUNT, _FIRST, _AT, _OWNER = range(5)


class Scheme(NamedTuple):
    """How the player whose walk it is draws actions (kind: EVERY to BY_AVERAGE), and how fast baselines learn."""

    kind: int
    k: int
    epsilon: float
    floor: float
    threshold: float
    bonus: float
    rate: float


class Scratch(NamedTuple):
    """Room for one walk of depth D with at most A actions: see `walk` and `walk_chance`."""

    frames: np.ndarray  # [D, 5]
    reached: np.ndarray  # [D]
    p: np.ndarray  # [A]
    rho: np.ndarray  # [D, A]
    values: np.ndarray  # [D, A]
    sets: np.ndarray  # [2, 2^A] or [2, 1]
    reach: np.ndarray  # [D + 2, P]
    vectors: np.ndarray  # [D, A, P]


@inlined
def choose(scheme, learned, row, count, state, scratch, depth):
    """Fill rho[depth] with inclusion probabilities of the actions chosen, 0 for the others; return the next state."""
    if scheme.kind == EVERY or (scheme.k >= count and scheme.kind < REPEATED):
        for a in range(count):
            scratch.rho[depth, a] = 1.0
        return state
    if scheme.kind == SUBSET:
        return draw.take_subset(count, scheme.k, state, scratch.rho, depth)
    if scheme.kind == BY_AVERAGE:
        bounds = (scheme.floor, scheme.threshold, scheme.bonus)
        return draw.take_by_average(learned.total, row, count, *bounds, state, scratch.rho, depth)
    for a in range(count):
        scratch.p[a] = scheme.epsilon / count + (1.0 - scheme.epsilon) * learned.strategy[row + a]
        scratch.rho[depth, a] = 0.0
    if scheme.kind == ONE:
        return draw.take_one(scratch.p, count, state, scratch.rho, depth)
    if scheme.kind == SUCCESSIVE:
        return draw.take_successive(scratch.p, count, scheme.k, state, scratch.rho, depth, scratch.sets)
    if scheme.kind == SYSTEMATIC:
        return draw.take_systematic(scratch.p, count, scheme.k, state, scratch.rho, depth)
    return draw.take_repeated(scratch.p, count, scheme.k, state, scratch.rho, depth)


@inlined
def after(rho, depth, count, at):
    """The first chosen action after `at`; -1 if there is none."""
    for a in range(at + 1, count):
        if rho[depth, a] > 0.0:
            return a
    return -1


@inlined
def expected(histories, learned, mover, first, row, count, player):
    """The mean of the baselines of a node's children."""
    mean = 0.0
    for a in range(count):
        chance = share(histories.cumulative, first, a) if mover == CHANCE else learned.strategy[row + a]
        mean += chance * learned.baseline[first + a, player]
    return mean


@inlined
def estimate(learned, rate, player, row, count, first, rho, values, depth):
    """Turn values of chosen actions into unbiased estimates of all, in place; return their mean by the strategy."""
    baseline, mean = learned.baseline, 0.0
    for a in range(count):
        known = baseline[first + a, player] if baseline.shape[0] > 0 else 0.0
        if rho[depth, a] > 0.0:
            found = values[depth, a]
            values[depth, a] = (found - known) / rho[depth, a] + known
            if baseline.shape[0] > 0:
                baseline[first + a, player] += rate * (found - known)
        else:
            values[depth, a] = known
        mean += learned.strategy[row + a] * values[depth, a]
    return mean


@inlined
def draw_one(histories, learned, node, mover, first, row, count, q, state):
    """Draw a child where others or chance move: (its place, q, the next state). q changes if `deal` is in force."""
    state = draw.step(state)
    point = draw.uniform(state)
    if mover != CHANCE:
        return draw.pick(learned.strategy, row, count, point), q, state
    if node > 0 or histories.deal.shape[0] == 0:
        return draw.pick_outcome(histories.cumulative, first, count, point), q, state
    at = draw.pick_outcome(histories.deal, np.int64(0), count, point)
    return at, q * share(histories.deal, np.int64(0), at) / share(histories.cumulative, first, at), state


@inlined
def walk(histories, scheme, learned, rule, direct, player, state, buffers, scratch):
    """Walk once: own nodes draw sets of actions, everybody else one by the profile; return histories visited."""
    nodes, baseline = histories.nodes, learned.baseline
    frames, reached, rho = scratch.frames, scratch.reached, scratch.rho
    corrected, averaging = baseline.shape[0] > 0, histories.payoffs.shape[1] == 2
    depth, node, q, visited, value = np.int64(0), np.int64(0), 1.0, 0, 0.0  # typed, or all is compiled twice
    while True:
        whole = False  # whether the node in the last frame has all it needs
        while True:  # down
            visited += 1
            mover, first, row, count = record(nodes, node)
            if mover == END:
                value = histories.payoffs[row, player]
                break
            if mover == FIRST_PLAYER + player:
                state = choose(scheme, learned, row, count, state, scratch, depth)
                at = after(rho, depth, count, -1)
                frames[depth, _ROW], frames[depth, _COUNT] = row, count
                frames[depth, _FIRST], frames[depth, _AT] = first, at
                reached[depth] = q
                depth += 1
                if at < 0:  # nothing was chosen
                    whole = True
                    break
                q *= rho[depth - 1, at]
                node = first + at
                continue
            if mover != CHANCE and averaging:
                count_in(learned, rule, direct, buffers, row, count, 1.0 / q)
            at, q, state = draw_one(histories, learned, node, mover, first, row, count, q, state)
            if corrected:
                frames[depth, _COUNT], frames[depth, _FIRST], frames[depth, _AT] = 0, first, at
                reached[depth] = expected(histories, learned, mover, first, row, count, player)
                depth += 1
            node = first + at
        while depth > 0:  # up
            frame = depth - 1
            row, count = frames[frame, _ROW], frames[frame, _COUNT]
            first, at = frames[frame, _FIRST], frames[frame, _AT]
            if count == 0:  # one action was drawn here
                known = baseline[first + at, player]
                baseline[first + at, player] += scheme.rate * (value - known)
                value += reached[frame] - known
                depth -= 1
                continue
            if not whole:
                scratch.values[frame, at] = value
                at = after(rho, frame, count, at)
                if at >= 0:
                    frames[frame, _AT] = at
                    q = reached[frame] * rho[frame, at]
                    node = first + at
                    break
            whole = False
            value = estimate(learned, scheme.rate, player, row, count, first, rho, scratch.values, frame)
            gained(learned, rule, direct, buffers, row, count, scratch.values, frame, value, reached[frame])
            depth -= 1
        if depth == 0:
            return visited


@inlined
def walk_for_average(histories, learned, rule, direct, player, state, buffers):
    """One trajectory, the player by its strategy, the others uniformly: weight += 1 at the player's nodes.

    At opponents' nodes, as in `walk`, the weight would be multiplied by the reach of third players.
    """
    node, visited = np.int64(0), 1
    while histories.nodes[node, 0] != END:
        mover, first, row, count, state, point = meet(histories, node, state)
        if mover == CHANCE:
            at = draw.pick_outcome(histories.cumulative, first, count, point)
        elif mover == FIRST_PLAYER + player:
            count_in(learned, rule, direct, buffers, row, count, 1.0)
            at = draw.pick(learned.strategy, row, count, point)
        else:
            at = min(np.int64(point * count), count - 1)
        node = first + at
        visited += 1
    return visited


@inlined
def walk_chance(histories, learned, state, buffers, scratch):
    """One walk that draws at chance nodes only, for all players at once (chance sampling).

    gain += others' reach * (u_a - u), weight += own reach, both without chance. Return how many histories were visited.
    """
    frames, reach, vectors, strategy = scratch.frames, scratch.reach, scratch.vectors, learned.strategy
    players, depth, node, visited = histories.payoffs.shape[1], np.int64(0), np.int64(0), 0
    for seat in range(players):
        reach[0, seat] = 1.0
    while True:
        while True:  # down
            visited += 1
            mover, first, row, count = record(histories.nodes, node)
            if mover == END:
                for seat in range(players):
                    reach[depth + 1, seat] = histories.payoffs[row, seat]
                break
            if mover == CHANCE:
                state = draw.step(state)
                node = first + draw.pick_outcome(histories.cumulative, first, count, draw.uniform(state))
                continue
            owner = np.int64(mover) - FIRST_PLAYER
            buffers.weight[row] += reach[depth, owner]
            note(buffers, AVERAGED, row, count)
            frames[depth, _ROW], frames[depth, _COUNT] = row, count
            frames[depth, _FIRST], frames[depth, _AT] = first, 0
            frames[depth, _OWNER] = owner
            depth += 1
            for seat in range(players):
                reach[depth, seat] = reach[depth - 1, seat]
            reach[depth, owner] *= strategy[row]
            node = first
        while depth > 0:  # up; what came from below stands in reach[depth + 1]
            frame = depth - 1
            row, count, at = frames[frame, _ROW], frames[frame, _COUNT], frames[frame, _AT]
            owner = frames[frame, _OWNER]
            for seat in range(players):
                vectors[frame, at, seat] = reach[depth + 1, seat]
                reach[depth, seat] = reach[frame, seat]
            if at + 1 < count:
                frames[frame, _AT] = at + 1
                reach[depth, owner] *= strategy[row + at + 1]
                node = frames[frame, _FIRST] + at + 1
                break
            others = 1.0
            for seat in range(players):
                mean = 0.0
                for a in range(count):
                    mean += strategy[row + a] * vectors[frame, a, seat]
                reach[depth, seat] = mean
                if seat != owner:
                    others *= reach[frame, seat]
            for a in range(count):
                buffers.gain[row + a] += others * (vectors[frame, a, owner] - reach[depth, owner])
            note(buffers, UPDATED, row, count)
            depth -= 1
        if depth == 0:
            return visited


@inlined
def run_block(histories, scheme, learned, rule, direct, key, iteration, player, first, walks, buffers, scratch):
    """Walks first, ..., first + walks - 1 of a batch, into the buffers; return how many histories were visited.

    player: whose; -1: chance sampling, for all. With other than two players the average gets walks of its own.
    """
    players, visited = histories.payoffs.shape[1], 0
    for number in range(first, first + walks):
        state = draw.stream(key, iteration, player + 1, number)
        if player < 0:
            visited += walk_chance(histories, learned, state, buffers, scratch)
            continue
        visited += walk(histories, scheme, learned, rule, direct, player, state, buffers, scratch)
        if players != 2:
            state = draw.stream(key, iteration, player + 1 + players, number)
            visited += walk_for_average(histories, learned, rule, direct, player, state, buffers)
    return visited


@inlined
def iterate(
    histories, scheme, learned, schedule, direct, together, key, first_iteration, batch, block, buffers, scratch
):
    """One iteration per row of `schedule`: a batch for each player in turn, or (`together`) one for all players.

    A batch is cut into blocks, and each block's sums are added by themselves, as if workers had made them.
    """
    visited = 0
    players = range(-1, 0) if together else range(histories.payoffs.shape[1])
    for t in range(schedule.shape[0]):
        rule = schedule[t]
        for player in players:
            for first in range(0, batch, block):
                visited += run_block(
                    histories, scheme, learned, rule, direct, key, first_iteration + t, player, first,
                    min(block, batch - first), buffers, scratch,
                )  # fmt: skip
                if not direct:
                    add(learned, rule, buffers)
            if not direct:
                finish(learned, rule, buffers)
    return visited
