"""Episodes of online outcome sampling over a tree (Lisy, Lanctot, Bowling 2015); histories as in walks.py."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels import draw
from tefuda._kernels.jit import inlined
from tefuda._kernels.walks import CHANCE, END, FIRST_PLAYER, meet, record, share

_ROW, _COUNT, _TAKEN, _MOVER = range(4)  # columns of a step
_OTHERS, _SAMPLED, _CHANCE = range(3)  # and of its numbers: w, q, the probability of what was taken


class Memory(NamedTuple):
    """What a search knows. regret, total: `[R]`. known: `[R]` at first rows, whether the infoset has been added.

    wanted: `[N]` whether terminals of the target can be reached through a history; all 1 without a target.
    """

    regret: np.ndarray
    total: np.ndarray
    known: np.ndarray
    wanted: np.ndarray


class Path(NamedTuple):
    """Room for an episode of D steps: steps `[D, 4]`, their numbers `[D, 3]`, phi, aimed `[A]`, sigma `[D, A]`."""

    steps: np.ndarray
    numbers: np.ndarray
    phi: np.ndarray
    aimed: np.ndarray
    sigma: np.ndarray


@inlined
def strategy_at(regret, row, count, gamma, sigma, step):
    """Regret matching, mixed with gamma of uniform play, without which ways behind odd moves stop improving."""
    positive = 0.0
    for a in range(count):
        positive += max(regret[row + a], 0.0)
    for a in range(count):
        matched = max(regret[row + a], 0.0) / positive if positive > 0.0 else 1.0 / count
        sigma[step, a] = gamma / count + (1.0 - gamma) * matched


@inlined
def choose(path, wanted, first, count, aimed, targeted, state):
    """Draw an action: (its place, its probability p1 among those that can reach the target, the next random state).

    A targeted episode draws by p1, others by phi; p1 is phi where no child can reach the target, or without an aim.
    """
    mass = 0.0
    for a in range(count if aimed else 0):
        path.aimed[a] = path.phi[a] * wanted[first + a]
        mass += path.aimed[a]
    state = draw.step(state)
    if targeted and mass > 0.0:
        at = draw.pick(path.aimed, np.int64(0), count, draw.uniform(state) * mass)
    else:
        at = draw.pick(path.phi, np.int64(0), count, draw.uniform(state))
    return at, path.aimed[at] / mass if mass > 0.0 else path.phi[at], state


@inlined
def play_out(histories, node, state, player):
    """Go on with uniform actions to the end: (probability of what was played, payoff, histories visited)."""
    x, visited = 1.0, 0
    while histories.nodes[node, 0] != END:
        mover, first, _, count, state, point = meet(histories, node, state)
        if mover == CHANCE:
            at = draw.pick_outcome(histories.cumulative, first, count, point)
            x *= share(histories.cumulative, first, at)
        else:
            at = min(np.int64(point * count), count - 1)
            x /= count
        node = first + at
        visited += 1
    return x, histories.payoffs[histories.nodes[node, 2], player], visited


@inlined
def episode(histories, memory, path, delta, epsilon, gamma, player, state):
    """One episode from the root that updates `player`; return how many histories it visited.

    It is targeted with probability delta: see `choose`. The payoff is divided by the probability of the terminal under
    the mixture of both ways to draw, chosen at the root.
    """
    node, depth, visited, w, s1, s2, q = np.int64(0), np.int64(0), 1, 1.0, 1.0, 1.0, 1.0
    state = draw.step(state)
    targeted = draw.uniform(state) < delta
    added = False
    while histories.nodes[node, 0] != END and not added:
        mover, first, row, count = record(histories.nodes, node)
        q = delta * s1 + (1.0 - delta) * s2
        added = mover != CHANCE and memory.known[row] == 0
        if mover == CHANCE:
            for a in range(count):
                path.phi[a] = share(histories.cumulative, first, a)
        elif added:
            memory.known[row] = 1
            for a in range(count):
                path.sigma[depth, a] = path.phi[a] = 1.0 / count
        else:
            strategy_at(memory.regret, row, count, gamma, path.sigma, depth)
            explored = epsilon if mover == FIRST_PLAYER + player else 0.0
            for a in range(count):
                path.phi[a] = explored / count + (1.0 - explored) * path.sigma[depth, a]
        at, p1, state = choose(path, memory.wanted, first, count, not added, targeted, state)
        chance = path.phi[at] if mover == CHANCE else path.sigma[depth, at]
        path.steps[depth, _ROW], path.steps[depth, _COUNT] = row, count
        path.steps[depth, _TAKEN], path.steps[depth, _MOVER] = at, mover
        path.numbers[depth, _OTHERS], path.numbers[depth, _SAMPLED], path.numbers[depth, _CHANCE] = w, q, chance
        depth += 1
        s1 *= p1
        s2 *= path.phi[at]
        if mover != FIRST_PLAYER + player:
            w *= chance
        node = first + at
        visited += 1
    if added:
        x, u, more = play_out(histories, node, state, player)
        visited += more
        tail = q * path.numbers[depth - 1, _CHANCE] * x
    else:
        x, u, tail = 1.0, histories.payoffs[histories.nodes[node, 2], player], delta * s1 + (1.0 - delta) * s2
    learn(histories, memory, path, depth, player, x, u / tail)
    return visited


@inlined
def learn(histories, memory, path, depth, player, x, scaled):
    """Walk the path back: regrets at the player's infosets, with two players averages at the other's.

    scaled: payoff / probability.
    """
    two = histories.payoffs.shape[1] == 2
    for back in range(depth):
        step = depth - 1 - back
        row, count, at = path.steps[step, _ROW], path.steps[step, _COUNT], path.steps[step, _TAKEN]
        mover, w, q = path.steps[step, _MOVER], path.numbers[step, _OTHERS], path.numbers[step, _SAMPLED]
        c = x
        x *= path.numbers[step, _CHANCE]
        if mover == FIRST_PLAYER + player:
            for a in range(count):
                memory.regret[row + a] += ((c if a == at else 0.0) - x) * scaled * w
        elif mover != CHANCE and two:
            for a in range(count):
                memory.total[row + a] += w * path.sigma[step, a] / q


@inlined
def average(histories, memory, path, delta, gamma, player, state):
    """One trajectory that adds to a player's average: it plays its strategy, the others uniformly.

    For other than two players: see `mccfr.walk_for_average`. The weight s2 / q undoes the aim.
    """
    node, visited, s1, s2 = np.int64(0), 1, 1.0, 1.0
    state = draw.step(state)
    targeted = draw.uniform(state) < delta
    while histories.nodes[node, 0] != END:
        mover, first, row, count = record(histories.nodes, node)
        mine = mover == FIRST_PLAYER + player
        if mine and memory.known[row] == 0:
            return visited
        if mine:
            strategy_at(memory.regret, row, count, gamma, path.sigma, 0)
        for a in range(count):
            if mover == CHANCE:
                path.phi[a] = share(histories.cumulative, first, a)
            else:
                path.phi[a] = path.sigma[0, a] if mine else 1.0 / count
            if mine:
                memory.total[row + a] += path.sigma[0, a] * s2 / (delta * s1 + (1.0 - delta) * s2)
        at, p1, state = choose(path, memory.wanted, first, count, True, targeted, state)
        s1 *= p1
        s2 *= path.phi[at]
        node = first + at
        visited += 1
    return visited


@inlined
def search(histories, memory, path, delta, epsilon, gamma, key, first_iteration, iterations):
    """Iterations, each with one episode for every player; return how many histories were visited."""
    visited, players = 0, histories.payoffs.shape[1]
    for iteration in range(first_iteration, first_iteration + iterations):
        for player in range(players):
            state = draw.stream(key, iteration, player, 0)
            visited += episode(histories, memory, path, delta, epsilon, gamma, player, state)
            if players != 2:
                visited += average(
                    histories, memory, path, delta, gamma, player, draw.stream(key, iteration, player, 1)
                )
    return visited
