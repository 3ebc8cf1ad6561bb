"""Random numbers and random choices in kernels.

Every traversal has a stream of its own: a SplitMix64 sequence that starts at a hash of (key, iteration, player,
traversal). Its numbers depend on nothing else, so any number of workers gives the same bits, and no state is saved.
"""

from __future__ import annotations

import numpy as np

from tefuda._kernels.jit import inlined

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1, _M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S11 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(11)
_UNIT = 1.0 / 9007199254740992.0  # 2^-53


@inlined
def mix(z):
    """Return the output of SplitMix64 for a state (Steele, Lea, Flood 2014)."""
    z = (z ^ (z >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


@inlined
def stream(key, iteration, player, traversal):
    """Return the first state of a traversal's stream."""
    z = mix(key + _GOLDEN * np.uint64(iteration + 1))
    z = mix(z + _GOLDEN * np.uint64(player + 1))
    return mix(z + _GOLDEN * np.uint64(traversal + 1))


@inlined
def step(state):
    """Return the next state of a stream."""
    return state + _GOLDEN


@inlined
def fraction(bits):
    """Return 64 bits as a number in [0, 1)."""
    return (bits >> _S11) * _UNIT


@inlined
def uniform(state):
    """Return the number in [0, 1) of a state."""
    return fraction(mix(state))


@inlined
def pick(weights, first, count, point):
    """Return the index a, of weight above 0, at which the sum of weights[first:] exceeds `point`."""
    last = 0
    for a in range(count):
        weight = weights[first + a]
        if weight > 0.0:
            if point < weight:
                return a
            last = a
        point -= weight
    return last


@inlined
def match(regret, row, count, sigma):
    """Fill `sigma` by regret matching; uniform if no regret is positive, or if row is -1."""
    # Other variants: `cfr.match` for many infosets side by side, `updates.match` in place and with one division,
    # `oos.explored_strategy` mixed with uniform play, `holdem.kernels.sampler.match` in float32.
    total = 0.0
    for a in range(count):
        sigma[a] = max(regret[row + a], 0.0) if row >= 0 else 0.0
        total += sigma[a]
    for a in range(count):
        sigma[a] = sigma[a] / total if total > 0.0 else 1.0 / count


@inlined
def pick_outcome(cumulative, first, count, point):
    """Return the outcome of chance at `point`; the first guess is right for equally probable outcomes."""
    guess = min(np.int64(point * count), np.int64(count) - 1)
    while guess > 0 and point < cumulative[first + guess - 1]:
        guess -= 1
    while guess < np.int64(count) - 1 and point >= cumulative[first + guess]:
        guess += 1
    return guess


@inlined
def sample_one(p, count, state, rho, depth):
    """Sample one action by p."""
    state = step(state)
    a = pick(p, np.int64(0), count, uniform(state))
    rho[depth, a] = p[a]
    return state


@inlined
def sample_subset(count, k, state, rho, depth):
    """Sample k of `count` actions; all subsets are equally likely.

    Each action in turn is sampled with probability (actions still needed) / (actions left).
    """
    needed, chance = k, k / count
    for a in range(count):
        state = step(state)
        chosen = uniform(state) * (count - a) < needed
        needed -= chosen
        rho[depth, a] = chance if chosen else 0.0
    return state


@inlined
def sample_successive(p, count, k, state, rho, depth, sets):
    """Sample k actions by p, without replacement."""
    chosen, mass = 0, 1.0
    for _ in range(k):
        state = step(state)
        point, action = uniform(state) * mass, -1
        for a in range(count):
            if chosen >> a & 1 == 0:
                action = a
                if point < p[a]:
                    break
                point -= p[a]
        chosen |= 1 << action
        mass -= p[action]
    inclusion_probabilities(p, count, k, rho, depth, sets)
    for a in range(count):
        if chosen >> a & 1 == 0:
            rho[depth, a] = 0.0
    return state


@inlined
def inclusion_probabilities(p, count, k, rho, depth, sets):
    """Fill rho[a] with the probability that a is among k draws by p without replacement.

    The probability of drawing the set S is f(S) = sum over b in S of f(S - b) p_b / (1 - p(S - b)).

    sets: `[2, 2^count]` scratch: f and p of every set of actions; a set is a bit mask.
    """
    for a in range(count):
        rho[depth, a] = 0.0
    sets[0, 0], sets[1, 0] = 1.0, 0.0
    for drawn in range(1, 1 << count):
        size, rest, lowest = 0, drawn, 0
        while drawn >> lowest & 1 == 0:
            lowest += 1
        sets[1, drawn] = sets[1, drawn & (drawn - 1)] + p[lowest]
        while rest:
            rest &= rest - 1
            size += 1
        if size > k:
            continue
        chance = 0.0
        for b in range(lowest, count):
            if drawn >> b & 1:
                chance += sets[0, drawn ^ 1 << b] * p[b] / (1.0 - sets[1, drawn] + p[b])
        sets[0, drawn] = chance
        if size == k:
            for a in range(count):
                if drawn >> a & 1:
                    rho[depth, a] += chance


@inlined
def sample_systematic(p, count, k, state, rho, depth):
    """Sample k actions systematically (Madow 1949), with rho = min(1, c p) and sum k.

    One point U is drawn; an action is sampled if the running sum of rho passes U + j for some integer j.
    """
    total, left, more = 1.0, float(k), True
    while more:  # actions whose share would exceed 1 are certain, the others share the rest
        more = False
        for a in range(count):
            if rho[depth, a] == 0.0 and p[a] * left >= total:
                rho[depth, a], more = 1.0, True
                total -= p[a]
                left -= 1.0
                break
    state = step(state)
    point, passed = uniform(state), 0.0
    for a in range(count):
        if rho[depth, a] == 0.0:
            rho[depth, a] = p[a] * left / total
        passed += rho[depth, a]
        if passed > point:
            point += 1.0
        else:
            rho[depth, a] = 0.0
    return state


@inlined
def sample_repeated(p, count, k, state, rho, depth):
    """Sample k actions by p, with replacement: rho = 1 - (1 - p)^k."""
    for _ in range(k):
        state = step(state)
        a = pick(p, np.int64(0), count, uniform(state))
        rho[depth, a] = 1.0 - (1.0 - p[a]) ** k
    return state


@inlined
def sample_by_average(total, row, count, floor, threshold, bonus, state, rho, depth):
    """Sample each action independently, more often the larger its weight s in the average.

    rho = min(1, max(floor, (bonus + threshold s_a) / (bonus + sum s))).
    """
    weights = 0.0
    for a in range(row, row + count):
        weights += total[a]
    for a in range(count):
        chance = 1.0 if bonus + weights == 0.0 else (bonus + threshold * total[row + a]) / (bonus + weights)
        chance = min(1.0, max(floor, chance))
        state = step(state)
        rho[depth, a] = chance if uniform(state) < chance else 0.0
    return state
