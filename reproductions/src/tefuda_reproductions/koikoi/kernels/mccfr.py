"""Monte Carlo CFR over rounds of Koi-Koi in the abstraction of `keys`.

Infosets are hashed, and traversals use a stack.

Dimension letters: S slots, R rows (infoset-action pairs), D decisions of one player in a round, K
classes of actions. The traversals are those of solvers/sampled/sampler.py: external and outcome
sampling give the same numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.draw import match, mix, pick, sample_one, sample_subset, step, stream, uniform
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.rounds import act, must_redeal, open_round, shuffle
from tefuda.koikoi.kernels.state import END, FIELD, PHASE, POINTS, copy, mover
from tefuda_reproductions.koikoi.kernels.keys import CLASSES, read_key

EXTERNAL, OUTCOME, PROBE = 0, 1, 2
DEEPEST = 64  # decisions of one player in a round, picks and calls included
_ONE, _ZERO = np.uint64(1), np.uint64(0)


class DealShape(NamedTuple):
    """The cards and sizes of a game's deal.

    Attributes:
        cards: `[C]` uint8, the cards that are dealt.
        hand: size of a hand.
        field: number of cards dealt to the field.
        open_field: mask of the cards that are always on the field.
        redeals: mask of reasons for a redeal, see `must_redeal`.
    """

    cards: np.ndarray
    hand: int
    field: int
    open_field: np.uint64
    redeals: int


class RegretTables(NamedTuple):
    """Infosets by key.

    Attributes:
        keys: `[S]` uint64, 0 where free.
        first: `[S]` int64, the first row.
        regret: `[R]` float64.
        total: `[R]` float64, weights of the average strategy.
        baseline: `[R]` float64, estimated action values.
        counts: `[3]` int64: infosets, rows, traversals that found no room.
        parts: mask of the parts of keys that count.
    """

    keys: np.ndarray
    first: np.ndarray
    regret: np.ndarray
    total: np.ndarray
    baseline: np.ndarray
    counts: np.ndarray
    parts: np.uint64


class SamplingScheme(NamedTuple):
    """Settings of sampling.

    Attributes:
        kind: EXTERNAL, OUTCOME or PROBE.
        epsilon: exploration of outcome sampling.
        k: number of actions that probing tries.
        rate: learning rate of the baselines; 0: no baselines.
    """

    kind: int
    epsilon: float
    k: int
    rate: float


class TraversalScratch(NamedTuple):
    """Scratch of a traversal; the stack holds the traverser's decisions on the path.

    Attributes:
        state: `[WIDTH]`.
        deck: `[C]`.
        actions: `[K]`.
        class_values: `[K]`.
        sigma: `[K]`.
        states: `[D, WIDTH]`, stack.
        moves: `[D, K]`, actions.
        strategy: `[D, K]`.
        action_values: `[D, K]`.
        sampled: `[D, K]`, sampling probabilities, 0 for actions not sampled.
        row: `[D]`.
        size: `[D]`, number of actions.
        choice: `[D]`, the current action.
        reach: `[D]`.
    """

    state: np.ndarray
    deck: np.ndarray
    actions: np.ndarray
    class_values: np.ndarray
    sigma: np.ndarray
    states: np.ndarray
    moves: np.ndarray
    strategy: np.ndarray
    action_values: np.ndarray
    sampled: np.ndarray
    row: np.ndarray
    size: np.ndarray
    choice: np.ndarray
    reach: np.ndarray


@inlined
def deal_once(shape, state, deck, stream):
    """Shuffle and deal; return the stream. The cards after hands and field are the stock."""
    dealt = 2 * shape.hand + shape.field
    copy(deck, shape.cards)
    stream = shuffle(deck, deck.shape[0], 0, min(deck.shape[0], dealt + 2 * shape.hand), stream)
    open_round(state, deck, shape.hand, shape.field)
    state[FIELD] |= shape.open_field
    return stream


@inlined
def deal(shape, state, deck, stream):
    """Deal until no reason for a redeal is left; see `deal_once`."""
    stream = deal_once(shape, state, deck, stream)
    while must_redeal(shape.redeals, state):
        stream = deal_once(shape, state, deck, stream)
    return stream


@inlined
def find_row(tables, key, n, add):
    """Return the first row of an infoset of n actions; -1 if it is absent, or cannot be added."""
    last = np.uint64(tables.keys.shape[0] - 1)
    slot = mix(key) & last
    while tables.keys[slot] != key:
        if tables.keys[slot] == _ZERO:
            first = tables.counts[1]
            if not add or 8 * tables.counts[0] >= 7 * tables.keys.shape[0] or first + n > tables.regret.shape[0]:
                tables.counts[2] += add
                return np.int64(-1)
            tables.keys[slot], tables.first[slot] = key, first
            tables.counts[0] += 1
            tables.counts[1] += n
            return first
        slot = (slot + _ONE) & last
    return tables.first[slot]


@inlined
def compact_actions(mask, actions):
    """Move the actions of the classes in a mask to the front, by class; return their number."""
    n = 0
    for number in range(CLASSES):
        if (mask >> np.uint64(number)) & _ONE:
            actions[n] = actions[number]
            n += 1
    return n


@inlined
def play_to_decision(rules, tables, scratch, traverser, reach, stock, stream):
    """Play `scratch.state` to a decision of the traverser (row, number of actions) or the end (-2, 0)."""
    state, actions, sigma = scratch.state, scratch.actions, scratch.sigma
    while state[PHASE] != END:
        player = mover(state)
        key, mask = read_key(rules, tables.parts, state, actions, scratch.class_values)
        n = compact_actions(mask, actions)
        a = 0
        if n > 1:
            row = find_row(tables, key, n, True)
            if player == traverser:
                return row, n, stream
            match(tables.regret, row, n, sigma)
            if row >= 0:
                for b in range(n):
                    tables.total[row + b] += sigma[b] / reach
            stream = step(stream)
            a = pick(sigma, np.int64(0), n, uniform(stream))
        act(rules, state, stock, actions[a])
    return np.int64(-2), 0, stream


@inlined
def open_decision(scheme, tables, scratch, depth, row, n, stream):
    """Push a decision of the traverser, and sample the actions to try; return the stream."""
    copy(scratch.states[depth], scratch.state)
    scratch.row[depth], scratch.size[depth], scratch.choice[depth] = row, n, -1
    match(tables.regret, row, n, scratch.strategy[depth])
    for a in range(n):
        scratch.moves[depth, a] = scratch.actions[a]
        scratch.action_values[depth, a] = tables.baseline[row + a] if scheme.rate > 0.0 and row >= 0 else 0.0
        scratch.sampled[depth, a] = 0.0 if scheme.kind == OUTCOME else 1.0
        scratch.sigma[a] = scheme.epsilon / n + (1.0 - scheme.epsilon) * scratch.strategy[depth, a]
    if scheme.kind == OUTCOME:
        return sample_one(scratch.sigma, n, stream, scratch.sampled, depth)
    if scheme.kind == PROBE and scheme.k < n:
        return sample_subset(n, scheme.k, stream, scratch.sampled, depth)
    return stream


@inlined
def advance(rules, scheme, scratch, depth, reach, stock):
    """Begin the next sampled action; return whether there is one, and the reach after it."""
    choice, n = scratch.choice[depth] + 1, scratch.size[depth]
    while choice < n and scratch.sampled[depth, choice] == 0.0:
        choice += 1
    scratch.choice[depth] = choice
    if choice == n:
        return False, reach
    copy(scratch.state, scratch.states[depth])
    act(rules, scratch.state, stock, scratch.moves[depth, choice])
    return True, reach * scratch.sampled[depth, choice] if scheme.kind == OUTCOME else reach


@inlined
def record_value(scheme, tables, scratch, depth, value):
    """Record the value of a sampled action."""
    choice, row = scratch.choice[depth], scratch.row[depth]
    baseline, probability = scratch.action_values[depth, choice], scratch.sampled[depth, choice]
    scratch.action_values[depth, choice] = baseline + (value - baseline) / probability
    if scheme.rate > 0.0 and row >= 0:
        tables.baseline[row + choice] += scheme.rate * (value - tables.baseline[row + choice])


@inlined
def close_decision(scheme, tables, scratch, depth, reach):
    """Update the regrets of a decision whose sampled actions are complete; return its value."""
    n, row, mean = scratch.size[depth], scratch.row[depth], 0.0
    for a in range(n):
        mean += scratch.strategy[depth, a] * scratch.action_values[depth, a]
    if row >= 0:
        for a in range(n):
            tables.regret[row + a] += (scratch.action_values[depth, a] - mean) / reach
    return mean


@inlined
def traverse(rules, tables, scheme, scratch, traverser, stock, stream):
    """Traverse from `scratch.state` to the end; return the sampled value of the traverser."""
    depth, reach = -1, 1.0
    while True:
        row, n, stream = play_to_decision(rules, tables, scratch, traverser, reach, stock, stream)
        if row == -2:
            points = np.float64(np.int64(scratch.state[POINTS]))
            value: float = points if traverser == 0 else -points
        else:
            depth += 1
            scratch.reach[depth] = reach
            stream = open_decision(scheme, tables, scratch, depth, row, n, stream)
            value = np.nan  # nothing is known yet
        while depth >= 0:
            if value == value:
                record_value(scheme, tables, scratch, depth, value)
            more, reach = advance(rules, scheme, scratch, depth, scratch.reach[depth], stock)
            if more:
                break
            value = close_decision(scheme, tables, scratch, depth, scratch.reach[depth])
            depth -= 1
        if depth < 0:
            return value


@kernel
def iterate(rules, shape, tables, scheme, scratch, key, done, iterations):
    """Run iterations, one traversal per player each, until memory gets short; return their number."""
    dealt = 2 * shape.hand + shape.field
    stock = scratch.deck[dealt:]
    for iteration in range(iterations):
        if 2 * tables.counts[0] >= tables.keys.shape[0] or 2 * tables.counts[1] >= tables.regret.shape[0]:
            return iteration
        for traverser in range(2):
            luck = deal(shape, scratch.state, scratch.deck, stream(key, done + iteration + 1, traverser + 1, 0))
            traverse(rules, tables, scheme, scratch, traverser, stock, luck)
    return iterations


@kernel
def insert(tables, keys, sizes):
    """Add infosets with these numbers of actions to empty tables, in this order."""
    for number in range(keys.shape[0]):
        find_row(tables, keys[number], sizes[number], True)
