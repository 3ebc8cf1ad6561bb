"""Monte Carlo walks: sample a few histories, add up what they say about regrets and averages.

A *batch* of walks sees frozen strategies; what it finds goes to buffers and to lists of the infosets it touched, so an
iteration costs what it touches, not what the game has.

Arrays travel in named tuples. That costs nothing because these kernels count no references (`inlined`, see jit.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels import draw
from tefuda._kernels.jit import inlined, kernel

END, CHANCE, FIRST_PLAYER = 0, 1, 2
EVERY, ONE, SUBSET, SUCCESSIVE, SYSTEMATIC, REPEATED, BY_AVERAGE = range(7)
UPDATED, AVERAGED, PENDING = np.int64(1), np.int64(2), np.int64(4)  # marks
# Columns of a frame: first row, actions (0: one action was drawn), first child, the action at work, the owner.
_ROW, _COUNT, _FIRST, _AT, _OWNER = range(5)


class Rules(NamedTuple):
    """The game as walks read it.

    nodes: `[N, 4]` uint32: who moves (END, CHANCE, FIRST_PLAYER + player), the first child, the first row (at the end:
    which terminal), the number of children. cumulative: `[N]` the chance probability of a child and its elder siblings.
    payoffs: `[Z, P]`. deal: empty, or `[outcomes]` cumulative probabilities to draw the root's outcomes by.
    """

    nodes: np.ndarray
    cumulative: np.ndarray
    payoffs: np.ndarray
    deal: np.ndarray


class Scheme(NamedTuple):
    """How the player whose walk it is draws actions (kind: EVERY to BY_AVERAGE), and how fast baselines learn."""

    kind: int
    k: int
    epsilon: float
    floor: float
    threshold: float
    bonus: float
    rate: float


class Tables(NamedTuple):
    """What a solver knows: regrets, strategies in force, numerators of the average, each `[R]`; baseline `[N, P]` or
    `[0, P]`.
    """

    regret: np.ndarray
    strategy: np.ndarray
    total: np.ndarray
    baseline: np.ndarray


class Buffers(NamedTuple):
    """What a block of walks found.

    gain: `[R]` regret increments. weight: `[R]`, at an infoset's first row, what its strategy counts in the average.
    updated, averaged, pending: `[I, 2]` lists of infosets (first row, actions); lengths: `[3]` theirs; marks: `[R]` at
    first rows, in which lists an infoset stands. All but `pending` are empty between blocks.
    """

    gain: np.ndarray
    weight: np.ndarray
    updated: np.ndarray
    averaged: np.ndarray
    pending: np.ndarray
    lengths: np.ndarray
    marks: np.ndarray


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
def choose(scheme, tables, row, count, state, scratch, depth):
    """Fill rho[depth] with inclusion probabilities of the actions chosen, 0 for the others; return the next state."""
    if scheme.kind == EVERY or (scheme.k >= count and scheme.kind < REPEATED):
        for a in range(count):
            scratch.rho[depth, a] = 1.0
        return state
    if scheme.kind == SUBSET:
        return draw.take_subset(count, scheme.k, state, scratch.rho, depth)
    if scheme.kind == BY_AVERAGE:
        bounds = (scheme.floor, scheme.threshold, scheme.bonus)
        return draw.take_by_average(tables.total, row, count, *bounds, state, scratch.rho, depth)
    for a in range(count):
        scratch.p[a] = scheme.epsilon / count + (1.0 - scheme.epsilon) * tables.strategy[row + a]
        scratch.rho[depth, a] = 0.0
    if scheme.kind == ONE:
        return draw.take_one(scratch.p, count, state, scratch.rho, depth)
    if scheme.kind == SUCCESSIVE:
        return draw.take_successive(scratch.p, count, scheme.k, state, scratch.rho, depth, scratch.sets)
    if scheme.kind == SYSTEMATIC:
        return draw.take_systematic(scratch.p, count, scheme.k, state, scratch.rho, depth)
    return draw.take_repeated(scratch.p, count, scheme.k, state, scratch.rho, depth)


@inlined
def note(buffers, which, row, count):
    """Put an infoset into a list unless it is there."""
    if buffers.marks[row] & which:
        return
    buffers.marks[row] |= which
    if which == UPDATED:
        listed, place = buffers.updated, 0
    elif which == AVERAGED:
        listed, place = buffers.averaged, 1
    else:
        listed, place = buffers.pending, 2
    listed[buffers.lengths[place], 0] = row
    listed[buffers.lengths[place], 1] = count
    buffers.lengths[place] += 1


@inlined
def after(rho, depth, count, at):
    """The first chosen action after `at`; -1 if there is none."""
    for a in range(at + 1, count):
        if rho[depth, a] > 0.0:
            return a
    return -1


@inlined
def share(cumulative, first, a):
    """The probability of outcome a of a chance node."""
    return cumulative[first + a] - (cumulative[first + a - 1] if a > 0 else 0.0)


@inlined
def expected(cumulative, strategy, baseline, kind, first, row, count, player):
    """The mean of the baselines of a node's children."""
    mean = 0.0
    for a in range(count):
        chance = share(cumulative, first, a) if kind == CHANCE else strategy[row + a]
        mean += chance * baseline[first + a, player]
    return mean


@inlined
def estimate(tables, rate, player, row, count, first, rho, values, depth):
    """Turn values of chosen actions into unbiased estimates of all, in place; return their mean by the strategy."""
    baseline, mean = tables.baseline, 0.0
    for a in range(count):
        known = baseline[first + a, player] if baseline.shape[0] > 0 else 0.0
        if rho[depth, a] > 0.0:
            found = values[depth, a]
            values[depth, a] = (found - known) / rho[depth, a] + known
            if baseline.shape[0] > 0:
                baseline[first + a, player] += rate * (found - known)
        else:
            values[depth, a] = known
        mean += tables.strategy[row + a] * values[depth, a]
    return mean


@inlined
def match(regret, strategy, row, count, clip):
    """Regret matching at one infoset; `clip` raises negative regrets to 0 first."""
    positive = 0.0
    for a in range(row, row + count):
        if regret[a] > 0.0:
            positive += regret[a]
        elif clip:
            regret[a] = 0.0
    if positive > 0.0:
        scale = 1.0 / positive
        for a in range(row, row + count):
            strategy[a] = max(regret[a], 0.0) * scale
    else:
        for a in range(row, row + count):
            strategy[a] = 1.0 / count


@inlined
def count_in(tables, rule, direct, buffers, row, count, share_):
    """Let the strategy in force at an infoset count in the average."""
    if direct:
        for a in range(row, row + count):
            tables.total[a] += rule[1] * share_ * tables.strategy[a]
    else:
        buffers.weight[row] += share_
        note(buffers, AVERAGED, row, count)


@inlined
def gained(tables, rule, direct, buffers, row, count, values, frame, mean, q):
    """Add an own node's regrets, values less their mean, divided by the probability q of having come here."""
    if direct:
        for a in range(count):
            tables.regret[row + a] += rule[0] / q * (values[frame, a] - mean)
        match(tables.regret, tables.strategy, row, count, rule[2] > 0.0)
    else:
        for a in range(count):
            buffers.gain[row + a] += (values[frame, a] - mean) / q
        note(buffers, UPDATED, row, count)


@inlined
def draw_one(rules, tables, node, mover, first, row, count, q, state):
    """Draw a child where others or chance move: (its place, q, the next state). q changes if `deal` is in force."""
    state = draw.step(state)
    point = draw.uniform(state)
    if mover != CHANCE:
        return draw.pick(tables.strategy, row, count, point), q, state
    if node > 0 or rules.deal.shape[0] == 0:
        return draw.pick_outcome(rules.cumulative, first, count, point), q, state
    at = draw.pick_outcome(rules.deal, np.int64(0), count, point)
    return at, q * share(rules.deal, np.int64(0), at) / share(rules.cumulative, first, at), state


@inlined
def walk(rules, scheme, tables, rule, direct, player, state, buffers, scratch):
    """One walk for `player`: every own node draws a set of actions, everybody else draws one by the profile.

    At own nodes with inclusion probabilities rho, values u_a and q the product of rho so far:
    gain[a] += ([a chosen] u_a / rho_a - u) / q with u = sum over chosen a of sigma_a / rho_a u_a; at others' nodes, in
    two-player games, weight += 1 / q. With a baseline b, [a chosen] (u_a - b_a) / rho_a + b_a stands for the first
    term, and likewise where one action is drawn (Schmid et al. 2019, equation 8).

    direct: write to the tables at once instead of the buffers. For one walk a batch in a game of perfect recall: there
    no walk meets an own infoset twice, so that no strategy is read after it has changed.
    Return how many histories were visited.
    """
    nodes, baseline, frames, reached, rho = rules.nodes, tables.baseline, scratch.frames, scratch.reached, scratch.rho
    corrected, averaging = baseline.shape[0] > 0, rules.payoffs.shape[1] == 2
    depth, node, q, visited, value = np.int64(0), np.int64(0), 1.0, 0, 0.0  # typed, or all is compiled twice
    while True:
        whole = False  # whether the node in the last frame has all it needs
        while True:  # down
            visited += 1
            mover, first = nodes[node, 0], np.int64(nodes[node, 1])
            row, count = np.int64(nodes[node, 2]), np.int64(nodes[node, 3])
            if mover == END:
                value = rules.payoffs[row, player]
                break
            if mover == FIRST_PLAYER + player:
                state = choose(scheme, tables, row, count, state, scratch, depth)
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
                count_in(tables, rule, direct, buffers, row, count, 1.0 / q)
            at, q, state = draw_one(rules, tables, node, mover, first, row, count, q, state)
            if corrected:
                frames[depth, _COUNT], frames[depth, _FIRST], frames[depth, _AT] = 0, first, at
                reached[depth] = expected(rules.cumulative, tables.strategy, baseline, mover, first, row, count, player)
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
            value = estimate(tables, scheme.rate, player, row, count, first, rho, scratch.values, frame)
            gained(tables, rule, direct, buffers, row, count, scratch.values, frame, value, reached[frame])
            depth -= 1
        if depth == 0:
            return visited


@inlined
def walk_for_average(rules, tables, rule, direct, player, state, buffers):
    """One trajectory, the player by its strategy, the others uniformly: weight += 1 at the player's nodes.

    For any number of players: the expected weight is the player's own reach times a constant of the infoset. At
    opponents' nodes, as in `walk`, it would be multiplied by the reach of third players.
    """
    node, visited = np.int64(0), 1
    while rules.nodes[node, 0] != END:
        mover, first = rules.nodes[node, 0], np.int64(rules.nodes[node, 1])
        row, count = np.int64(rules.nodes[node, 2]), np.int64(rules.nodes[node, 3])
        state = draw.step(state)
        point = draw.uniform(state)
        if mover == CHANCE:
            at = draw.pick_outcome(rules.cumulative, first, count, point)
        elif mover == FIRST_PLAYER + player:
            count_in(tables, rule, direct, buffers, row, count, 1.0)
            at = draw.pick(tables.strategy, row, count, point)
        else:
            at = min(np.int64(point * count), count - 1)
        node = first + at
        visited += 1
    return visited


@inlined
def walk_chance(rules, tables, state, buffers, scratch):
    """One walk that draws at chance nodes only, for all players at once (chance sampling).

    gain += others' reach * (u_a - u), weight += own reach, both without chance. Return how many histories were visited.
    """
    frames, reach, vectors, strategy = scratch.frames, scratch.reach, scratch.vectors, tables.strategy
    players, depth, node, visited = rules.payoffs.shape[1], np.int64(0), np.int64(0), 0
    for seat in range(players):
        reach[0, seat] = 1.0
    while True:
        while True:  # down
            visited += 1
            mover, first = rules.nodes[node, 0], np.int64(rules.nodes[node, 1])
            row, count = np.int64(rules.nodes[node, 2]), np.int64(rules.nodes[node, 3])
            if mover == END:
                for seat in range(players):
                    reach[depth + 1, seat] = rules.payoffs[row, seat]
                break
            if mover == CHANCE:
                state = draw.step(state)
                node = first + draw.pick_outcome(rules.cumulative, first, count, draw.uniform(state))
                continue
            owner = np.int64(mover) - FIRST_PLAYER
            buffers.weight[row] += reach[depth, owner]
            note(buffers, AVERAGED, row, count)
            frames[depth, _ROW], frames[depth, _COUNT] = row, count
            frames[depth, _FIRST], frames[depth, _AT], frames[depth, _OWNER] = first, 0, owner
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
def add(tables, rule, buffers):
    """Add the buffers to the tables and clear them; infosets with new regrets become pending.

    rule: (weight of regrets, weight in the average, clip at 0).
    """
    for m in range(buffers.lengths[0]):
        row, count = buffers.updated[m, 0], buffers.updated[m, 1]
        for a in range(row, row + count):
            tables.regret[a] += rule[0] * buffers.gain[a]
            buffers.gain[a] = 0.0
        buffers.marks[row] &= PENDING | AVERAGED
        note(buffers, PENDING, row, count)
    for m in range(buffers.lengths[1]):
        row, count = buffers.averaged[m, 0], buffers.averaged[m, 1]
        for a in range(row, row + count):
            tables.total[a] += rule[1] * buffers.weight[row] * tables.strategy[a]
        buffers.weight[row] = 0.0
        buffers.marks[row] &= PENDING | UPDATED
    buffers.lengths[0] = 0
    buffers.lengths[1] = 0


@inlined
def finish(tables, rule, buffers):
    """Match the regrets of the infosets a batch touched; with RM+ clip them first."""
    for m in range(buffers.lengths[2]):
        row, count = buffers.pending[m, 0], buffers.pending[m, 1]
        buffers.marks[row] = 0
        match(tables.regret, tables.strategy, row, count, rule[2] > 0.0)
    buffers.lengths[2] = 0


@inlined
def run_block(rules, scheme, tables, rule, direct, key, iteration, player, first, walks, buffers, scratch):
    """Walks first, ..., first + walks - 1 of a batch, into the buffers; return how many histories were visited.

    player: whose; -1: chance sampling, for all. With other than two players the average gets walks of its own.
    """
    players, visited = rules.payoffs.shape[1], 0
    for number in range(first, first + walks):
        state = draw.stream(key, iteration, player + 1, number)
        if player < 0:
            visited += walk_chance(rules, tables, state, buffers, scratch)
            continue
        visited += walk(rules, scheme, tables, rule, direct, player, state, buffers, scratch)
        if players != 2:
            state = draw.stream(key, iteration, player + 1 + players, number)
            visited += walk_for_average(rules, tables, rule, direct, player, state, buffers)
    return visited


@inlined
def iterate(rules, scheme, tables, schedule, direct, together, key, first_iteration, batch, block, buffers, scratch):
    """One iteration per row of `schedule`: a batch for each player in turn, or (`together`) one for all players.

    A batch is cut into blocks, and each block's sums are added by themselves, as if workers had made them.
    """
    visited = 0
    players = range(-1, 0) if together else range(rules.payoffs.shape[1])
    for t in range(schedule.shape[0]):
        rule = schedule[t]
        for player in players:
            for first in range(0, batch, block):
                visited += run_block(
                    rules, scheme, tables, rule, direct, key, first_iteration + t, player, first,
                    min(block, batch - first), buffers, scratch,
                )  # fmt: skip
                if not direct:
                    add(tables, rule, buffers)
            if not direct:
                finish(tables, rule, buffers)
    return visited


@inlined
def discount(regret, positive, negative):
    """Multiply regrets, by sign."""
    for row in range(regret.shape[0]):
        regret[row] *= positive if regret[row] > 0.0 else negative


@kernel
def deepest(nodes):
    """The length of the longest history."""
    depth = np.zeros(nodes.shape[0], dtype=np.int32)
    longest = 0
    for node in range(nodes.shape[0]):
        longest = max(longest, depth[node])
        if nodes[node, 0] != END:
            for child in range(nodes[node, 1], nodes[node, 1] + nodes[node, 3]):
                depth[child] = depth[node] + 1
    return longest
