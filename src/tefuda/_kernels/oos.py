"""Searches by sampling: online outcome sampling (Lisy, Lanctot, Bowling 2015), then IS-MCTS."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels import draw
from tefuda._kernels.histories import CHANCE, END, FIRST_PLAYER, outcome_probability, record, visit
from tefuda._kernels.jit import inlined

_ROW, _COUNT, _ACTION, _MOVER = range(4)  # columns of a step
_OTHERS, _SAMPLED, _CHANCE = range(3)  # and of its numbers: w, q, probability of the action


class Memory(NamedTuple):
    """The tables of a search.

    regret, total: `[R]` regrets, and numerators of the average.
    added: `[R]` at an infoset's first row, whether the infoset has been added.
    on_target: `[N]` whether terminals of the target can be reached through a history; all 1 without a target.
    """

    regret: np.ndarray
    total: np.ndarray
    added: np.ndarray
    on_target: np.ndarray


class Scratch(NamedTuple):
    """Scratch arrays for an episode of D steps with at most A actions.

    steps: `[D, 4]`.
    numbers: `[D, 3]`.
    phi, restricted: `[A]` sampling probabilities, and their restriction to children on target.
    sigma: `[D, A]` current strategies.
    """

    steps: np.ndarray
    numbers: np.ndarray
    phi: np.ndarray
    restricted: np.ndarray
    sigma: np.ndarray


@inlined
def explored_strategy(regret, row, count, gamma, sigma, step):
    """Fill sigma[step] by regret matching, mixed with a share gamma of uniform play.

    Without the mixture, regrets after actions of probability 0 are no longer updated.
    """
    positive = 0.0
    for a in range(count):
        positive += max(regret[row + a], 0.0)
    for a in range(count):
        matched = max(regret[row + a], 0.0) / positive if positive > 0.0 else 1.0 / count
        sigma[step, a] = gamma / count + (1.0 - gamma) * matched


@inlined
def sample_action(scratch, on_target, first, count, restrict, targeted, state):
    """Sample an action; return it, its probability p1, and the next random state.

    p1 is phi restricted to children on target, or phi where there are none. Targeted episodes sample by p1, others by
    phi.

    restrict: whether p1 is restricted at all.
    """
    mass = 0.0
    for a in range(count if restrict else 0):
        scratch.restricted[a] = scratch.phi[a] * on_target[first + a]
        mass += scratch.restricted[a]
    state = draw.step(state)
    if targeted and mass > 0.0:
        action = draw.pick(scratch.restricted, np.int64(0), count, draw.uniform(state) * mass)
    else:
        action = draw.pick(scratch.phi, np.int64(0), count, draw.uniform(state))
    return action, scratch.restricted[action] / mass if mass > 0.0 else scratch.phi[action], state


@inlined
def play_uniformly(histories, node, state, player):
    """Play uniformly to the end; return the actions' probability, the payoff and the histories visited."""
    x, visited = 1.0, 0
    while histories.nodes[node, 0] != END:
        mover, first, _, count, state, point = visit(histories, node, state)
        if mover == CHANCE:
            action = draw.pick_outcome(histories.cumulative, first, count, point)
            x *= outcome_probability(histories.cumulative, first, action)
        else:
            action = min(np.int64(point * count), count - 1)
            x /= count
        node = first + action
        visited += 1
    return x, histories.payoffs[histories.nodes[node, 2], player], visited


@inlined
def episode(histories, memory, scratch, delta, epsilon, gamma, player, state):
    """Play an episode from the root that updates `player`; return the number of histories visited.

    The episode is targeted with probability delta. The payoff is divided by the terminal's probability under the
    mixture of targeted and untargeted episodes.
    """
    node, depth, visited, w, s1, s2, q = np.int64(0), np.int64(0), 1, 1.0, 1.0, 1.0, 1.0
    state = draw.step(state)
    targeted = draw.uniform(state) < delta
    added = False
    while histories.nodes[node, 0] != END and not added:
        mover, first, row, count = record(histories.nodes, node)
        q = delta * s1 + (1.0 - delta) * s2
        added = mover != CHANCE and memory.added[row] == 0
        if mover == CHANCE:
            for a in range(count):
                scratch.phi[a] = outcome_probability(histories.cumulative, first, a)
        elif added:
            memory.added[row] = 1
            for a in range(count):
                scratch.sigma[depth, a] = scratch.phi[a] = 1.0 / count
        else:
            explored_strategy(memory.regret, row, count, gamma, scratch.sigma, depth)
            explored = epsilon if mover == FIRST_PLAYER + player else 0.0
            for a in range(count):
                scratch.phi[a] = explored / count + (1.0 - explored) * scratch.sigma[depth, a]
        action, p1, state = sample_action(scratch, memory.on_target, first, count, not added, targeted, state)
        chance = scratch.phi[action] if mover == CHANCE else scratch.sigma[depth, action]
        scratch.steps[depth, _ROW], scratch.steps[depth, _COUNT] = row, count
        scratch.steps[depth, _ACTION], scratch.steps[depth, _MOVER] = action, mover
        scratch.numbers[depth, _OTHERS], scratch.numbers[depth, _SAMPLED], scratch.numbers[depth, _CHANCE] = (
            w,
            q,
            chance,
        )
        depth += 1
        s1 *= p1
        s2 *= scratch.phi[action]
        if mover != FIRST_PLAYER + player:
            w *= chance
        node = first + action
        visited += 1
    if added:
        x, u, more = play_uniformly(histories, node, state, player)
        visited += more
        tail = q * scratch.numbers[depth - 1, _CHANCE] * x
    else:
        x, u, tail = 1.0, histories.payoffs[histories.nodes[node, 2], player], delta * s1 + (1.0 - delta) * s2
    update(histories, memory, scratch, depth, player, x, u / tail)
    return visited


@inlined
def update(histories, memory, scratch, depth, player, x, scaled):
    """Update regrets at the player's infosets and, with two players, averages at the opponent's.

    scaled: payoff / probability.
    """
    two = histories.payoffs.shape[1] == 2
    for back in range(depth):
        step = depth - 1 - back
        row, count, action = scratch.steps[step, _ROW], scratch.steps[step, _COUNT], scratch.steps[step, _ACTION]
        mover, w, q = scratch.steps[step, _MOVER], scratch.numbers[step, _OTHERS], scratch.numbers[step, _SAMPLED]
        c = x
        x *= scratch.numbers[step, _CHANCE]
        if mover == FIRST_PLAYER + player:
            for a in range(count):
                memory.regret[row + a] += ((c if a == action else 0.0) - x) * scaled * w
        elif mover != CHANCE and two:
            for a in range(count):
                memory.total[row + a] += w * scratch.sigma[step, a] / q


@inlined
def update_average(histories, memory, scratch, delta, gamma, player, state):
    """Add a trajectory to a player's average; return the number of histories visited.

    The player plays its strategy, the opponents play uniformly; see `mccfr.traverse_for_average`. The weight s2 / q
    corrects for targeted sampling.
    """
    node, visited, s1, s2 = np.int64(0), 1, 1.0, 1.0
    state = draw.step(state)
    targeted = draw.uniform(state) < delta
    while histories.nodes[node, 0] != END:
        mover, first, row, count = record(histories.nodes, node)
        mine = mover == FIRST_PLAYER + player
        if mine and memory.added[row] == 0:
            return visited
        if mine:
            explored_strategy(memory.regret, row, count, gamma, scratch.sigma, 0)
        for a in range(count):
            if mover == CHANCE:
                scratch.phi[a] = outcome_probability(histories.cumulative, first, a)
            else:
                scratch.phi[a] = scratch.sigma[0, a] if mine else 1.0 / count
            if mine:
                memory.total[row + a] += scratch.sigma[0, a] * s2 / (delta * s1 + (1.0 - delta) * s2)
        action, p1, state = sample_action(scratch, memory.on_target, first, count, True, targeted, state)
        s1 *= p1
        s2 *= scratch.phi[action]
        node = first + action
        visited += 1
    return visited


@inlined
def search(histories, memory, scratch, delta, epsilon, gamma, key, first_iteration, iterations):
    """Run iterations of one episode for every player; return the number of histories visited."""
    visited, players = 0, histories.payoffs.shape[1]
    for iteration in range(first_iteration, first_iteration + iterations):
        for player in range(players):
            state = draw.stream(key, iteration, player, 0)
            visited += episode(histories, memory, scratch, delta, epsilon, gamma, player, state)
            if players != 2:
                visited += update_average(
                    histories, memory, scratch, delta, gamma, player, draw.stream(key, iteration, player, 1)
                )
    return visited


class Visits(NamedTuple):
    """The statistics of IS-MCTS; an edge is an action at a node of the search tree.

    edge: `[N]` the edge that leads to a history.
    numbers: `[E, 3]` visits, sum of payoffs scaled to 0..1, and times that the action was legal while known.
    low, span: `[P]` smallest payoffs, and differences to the largest ones.
    path: `[D, 2]` edges and players of an iteration.
    """

    edge: np.ndarray
    numbers: np.ndarray
    low: np.ndarray
    span: np.ndarray
    path: np.ndarray


@inlined
def chosen_action(edge, numbers, first, count, exploration, state):
    """Return the action of the largest bound, or a new one, whether it is new, and the next random state."""
    new, chosen, equal, best = 0, 0, 0, -np.inf
    for a in range(count):
        new += numbers[edge[first + a], 0] == 0.0
    for a in range(count):
        row = edge[first + a]
        if numbers[row, 0] > 0.0:
            numbers[row, 2] += 1.0
        if (numbers[row, 0] > 0.0) == (new > 0):
            continue
        bound = 0.0
        if new == 0:
            bound = numbers[row, 1] / numbers[row, 0] + exploration * np.sqrt(np.log(numbers[row, 2]) / numbers[row, 0])
        equal = equal + 1 if bound == best else 1 if bound > best else equal
        state = draw.step(state)
        if bound > best or (bound == best and draw.uniform(state) * equal < 1.0):
            best, chosen = bound, a
    return chosen, new > 0, state


@inlined
def tree_search(histories, statistics, roots, shares, exploration, key, iterations):
    """Run iterations of IS-MCTS, each from a root history drawn by cumulative shares `[H]`."""
    edge, numbers, low, span, path = statistics
    for iteration in range(iterations):
        state, depth, added = draw.step(draw.stream(key, iteration, 0, 0)), 0, False
        node = roots[draw.pick_outcome(shares, 0, len(roots), draw.uniform(state))]
        while histories.nodes[node, 0] != END:
            mover, first, _, count, state, point = visit(histories, node, state)
            if mover == CHANCE:
                action = draw.pick_outcome(histories.cumulative, first, count, point)
            elif added:
                action = min(np.int64(point * count), count - 1)
            else:
                action, added, state = chosen_action(edge, numbers, first, count, exploration, state)
                path[depth, 0], path[depth, 1] = edge[first + action], mover - FIRST_PLAYER
                depth += 1
            node = first + action
        for step in range(depth):
            row, player = path[step, 0], path[step, 1]
            if numbers[row, 0] == 0.0:
                numbers[row, 2] = 1.0
            numbers[row, 0] += 1.0
            numbers[row, 1] += (histories.payoffs[histories.nodes[node, 2], player] - low[player]) / span[player]
