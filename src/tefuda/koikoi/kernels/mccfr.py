"""Monte Carlo CFR over rounds of Koi-Koi in the abstraction of `keys`: infosets are hashed, walks keep a stack.

Dimension letters: S slots, R rows (infoset-action pairs), D decisions of one player in a round, K classes of actions.
The walks are those of solvers/sampled/sampler.py: external and outcome sampling give the same numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.draw import match, mix, pick, sample_one, sample_subset, step, stream, uniform
from tefuda._kernels.jit import inlined, kernel
from tefuda.koikoi.kernels.keys import CLASSES, look
from tefuda.koikoi.kernels.rounds import act, dealt_again, open_round, shuffle
from tefuda.koikoi.kernels.world import END, FIELD, PHASE, POINTS, copy, mover

EXTERNAL, OUTCOME, PROBE = 0, 1, 2
DEEPEST = 64  # decisions of one player in a round, picks and calls included
_ONE, _ZERO = np.uint64(1), np.uint64(0)


class Shape(NamedTuple):
    """The cards of a game: `[C]` uint8 that are not always open, sizes of hands and field, open cards, and the reasons
    to deal again (see `dealt_again`).
    """

    cards: np.ndarray
    hand: int
    field: int
    open_field: np.uint64
    again: int


class Tables(NamedTuple):
    """Infosets by key. keys: `[S]` uint64, 0 where free. first: `[S]` int64, the first row. regret, total, guess: `[R]`
    float64. used: `[3]` int64: infosets, rows, walks that found no room. parts: mask of the parts of keys that count.
    """

    keys: np.ndarray
    first: np.ndarray
    regret: np.ndarray
    total: np.ndarray
    guess: np.ndarray
    used: np.ndarray
    parts: np.uint64


class Scheme(NamedTuple):
    """kind: EXTERNAL, OUTCOME or PROBE. epsilon: exploration of outcome sampling. k: number of actions that probing
    tries. rate: learning rate of the guessed values of actions; 0: none are guessed.
    """

    kind: int
    epsilon: float
    k: int
    rate: float


class Room(NamedTuple):
    """Scratch. world: `[WIDTH]`; deck `[C]`; actions, worths, sigma: `[K]`; of the walker's decisions on the way:
    worlds `[D, WIDTH]`, moves, chances, values, chosen `[D, K]`, row, size, at `[D]`, reach `[D]`.
    """

    world: np.ndarray
    deck: np.ndarray
    actions: np.ndarray
    worths: np.ndarray
    sigma: np.ndarray
    worlds: np.ndarray
    moves: np.ndarray
    chances: np.ndarray
    values: np.ndarray
    chosen: np.ndarray
    row: np.ndarray
    size: np.ndarray
    at: np.ndarray
    reach: np.ndarray


@inlined
def deal_once(shape, world, deck, state):
    """Shuffle and deal; return the stream. Cards behind hands and field are the stock."""
    dealt = 2 * shape.hand + shape.field
    copy(deck, shape.cards)
    state = shuffle(deck, deck.shape[0], 0, min(deck.shape[0], dealt + 2 * shape.hand), state)
    open_round(world, deck, shape.hand, shape.field)
    world[FIELD] |= shape.open_field
    return state


@inlined
def deal(shape, world, deck, state):
    """Deal until nothing is dealt again; see `deal_once`."""
    state = deal_once(shape, world, deck, state)
    while dealt_again(shape.again, world):
        state = deal_once(shape, world, deck, state)
    return state


@inlined
def find(tables, key, n, add):
    """Return the first row of an infoset of n actions; -1 if it is absent, or if there is no room to add it."""
    last = np.uint64(tables.keys.shape[0] - 1)
    slot = mix(key) & last
    while tables.keys[slot] != key:
        if tables.keys[slot] == _ZERO:
            first = tables.used[1]
            if not add or 8 * tables.used[0] >= 7 * tables.keys.shape[0] or first + n > tables.regret.shape[0]:
                tables.used[2] += add
                return np.int64(-1)
            tables.keys[slot], tables.first[slot] = key, first
            tables.used[0] += 1
            tables.used[1] += n
            return first
        slot = (slot + _ONE) & last
    return tables.first[slot]


@inlined
def gather(mask, actions):
    """Move the actions of the classes in a mask to the front, by class; return their number."""
    n = 0
    for number in range(CLASSES):
        if (mask >> np.uint64(number)) & _ONE:
            actions[n] = actions[number]
            n += 1
    return n


@inlined
def run(values, tables, room, walker, reach, stock, state):
    """Play `room.world` on until the walker decides (its row, number of actions) or the end (-2, 0)."""
    world, actions, sigma = room.world, room.actions, room.sigma
    while world[PHASE] != END:
        player = mover(world)
        key, mask = look(values, tables.parts, world, actions, room.worths)
        n = gather(mask, actions)
        a = 0
        if n > 1:
            row = find(tables, key, n, True)
            if player == walker:
                return row, n, state
            match(tables.regret, row, n, sigma)
            if row >= 0:
                for b in range(n):
                    tables.total[row + b] += sigma[b] / reach
            state = step(state)
            a = pick(sigma, np.int64(0), n, uniform(state))
        act(values, world, stock, actions[a])
    return np.int64(-2), 0, state


@inlined
def enter(scheme, tables, room, depth, row, n, state):
    """Note a decision of the walker, and choose the actions to try there; return the stream."""
    copy(room.worlds[depth], room.world)
    room.row[depth], room.size[depth], room.at[depth] = row, n, -1
    match(tables.regret, row, n, room.chances[depth])
    for a in range(n):
        room.moves[depth, a] = room.actions[a]
        room.values[depth, a] = tables.guess[row + a] if scheme.rate > 0.0 and row >= 0 else 0.0
        room.chosen[depth, a] = 0.0 if scheme.kind == OUTCOME else 1.0
        room.sigma[a] = scheme.epsilon / n + (1.0 - scheme.epsilon) * room.chances[depth, a]
    if scheme.kind == OUTCOME:
        return sample_one(room.sigma, n, state, room.chosen, depth)
    if scheme.kind == PROBE and scheme.k < n:
        return sample_subset(n, scheme.k, state, room.chosen, depth)
    return state


@inlined
def advance(values, scheme, room, depth, reach, stock):
    """Begin the next action to try; return whether there is one, and the reach behind it."""
    at, n = room.at[depth] + 1, room.size[depth]
    while at < n and room.chosen[depth, at] == 0.0:
        at += 1
    room.at[depth] = at
    if at == n:
        return False, reach
    copy(room.world, room.worlds[depth])
    act(values, room.world, stock, room.moves[depth, at])
    return True, reach * room.chosen[depth, at] if scheme.kind == OUTCOME else reach


@inlined
def take_in(scheme, tables, room, depth, value):
    """Note the value of an action that was tried."""
    at, row = room.at[depth], room.row[depth]
    guess, chance = room.values[depth, at], room.chosen[depth, at]
    room.values[depth, at] = guess + (value - guess) / chance
    if scheme.rate > 0.0 and row >= 0:
        tables.guess[row + at] += scheme.rate * (value - tables.guess[row + at])


@inlined
def close(scheme, tables, room, depth, reach):
    """Learn from a decision whose actions have all been tried; return its value."""
    n, row, mean = room.size[depth], room.row[depth], 0.0
    for a in range(n):
        mean += room.chances[depth, a] * room.values[depth, a]
    if row >= 0:
        for a in range(n):
            tables.regret[row + a] += (room.values[depth, a] - mean) / reach
    return mean


@inlined
def walk(values, tables, scheme, room, walker, stock, state):
    """Walk from `room.world` to the end; return the sampled value of the walker."""
    depth, reach = -1, 1.0
    while True:
        row, n, state = run(values, tables, room, walker, reach, stock, state)
        if row == -2:
            points = np.float64(np.int64(room.world[POINTS]))
            value: float = points if walker == 0 else -points
        else:
            depth += 1
            room.reach[depth] = reach
            state = enter(scheme, tables, room, depth, row, n, state)
            value = np.nan  # nothing is known yet
        while depth >= 0:
            if value == value:
                take_in(scheme, tables, room, depth, value)
            more, reach = advance(values, scheme, room, depth, room.reach[depth], stock)
            if more:
                break
            value = close(scheme, tables, room, depth, room.reach[depth])
            depth -= 1
        if depth < 0:
            return value


@kernel
def iterate(values, shape, tables, scheme, room, key, done, iterations):
    """Run iterations, a walk for either player in each, until room gets short; return their number."""
    dealt = 2 * shape.hand + shape.field
    stock = room.deck[dealt:]
    for iteration in range(iterations):
        if 2 * tables.used[0] >= tables.keys.shape[0] or 2 * tables.used[1] >= tables.regret.shape[0]:
            return iteration
        for walker in range(2):
            state = deal(shape, room.world, room.deck, stream(key, done + iteration + 1, walker + 1, 0))
            walk(values, tables, scheme, room, walker, stock, state)
    return iterations


@kernel
def insert(tables, keys, sizes):
    """Put infosets of so many actions into empty tables, in this order."""
    for number in range(keys.shape[0]):
        find(tables, keys[number], sizes[number], True)
