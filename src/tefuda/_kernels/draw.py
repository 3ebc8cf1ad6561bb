"""Random numbers and random choices inside kernels.

Every walk has a stream of its own, a SplitMix64 sequence that starts at a hash of (key, iteration, player, walk): the
draws of a walk depend on nothing else, so any number of workers gives the same bits, and there is no state to save.
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
    """The output function of SplitMix64 (Steele, Lea, Flood 2014)."""
    z = (z ^ (z >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


@inlined
def stream(key, iteration, player, walk):
    """Where the random numbers of one walk start."""
    z = mix(key + _GOLDEN * np.uint64(iteration + 1))
    z = mix(z + _GOLDEN * np.uint64(player + 1))
    return mix(z + _GOLDEN * np.uint64(walk + 1))


@inlined
def step(state):
    """The next state of a stream."""
    return state + _GOLDEN


@inlined
def fraction(bits):
    """64 bits as a number in [0, 1)."""
    return (bits >> _S11) * _UNIT


@inlined
def uniform(state):
    """The number in [0, 1) that belongs to a state."""
    return fraction(mix(state))


@inlined
def pick(weights, first, count, point):
    """The index a with weights[first], ..., [first + a - 1] summing to at most `point`; never one of weight 0."""
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
    """Regret matching into `sigma`: positive regrets by their sum; uniform without any, or without a row (-1)."""
    # Other loops have their own: `cfr.match` of many infosets side by side, `findings.match` in place with a product
    # in place of divisions, `oos.strategy_at` mixed with uniform play, `holdem.kernels.limit.match` in float32.
    total = 0.0
    for a in range(count):
        sigma[a] = max(regret[row + a], 0.0) if row >= 0 else 0.0
        total += sigma[a]
    for a in range(count):
        sigma[a] = sigma[a] / total if total > 0.0 else 1.0 / count


@inlined
def pick_outcome(cumulative, first, count, point):
    """The outcome of chance at `point`; the guess is right at once where outcomes are equally probable."""
    guess = min(np.int64(point * count), np.int64(count) - 1)
    while guess > 0 and point < cumulative[first + guess - 1]:
        guess -= 1
    while guess < np.int64(count) - 1 and point >= cumulative[first + guess]:
        guess += 1
    return guess


@inlined
def take_one(p, count, state, rho, depth):
    """Choose one action by p."""
    state = step(state)
    a = pick(p, np.int64(0), count, uniform(state))
    rho[depth, a] = p[a]
    return state


@inlined
def take_subset(count, k, state, rho, depth):
    """Choose k of `count` actions, all subsets alike: each in turn with probability (still wanted) / (still there)."""
    wanted, chance = k, k / count
    for a in range(count):
        state = step(state)
        chosen = uniform(state) * (count - a) < wanted
        wanted -= chosen
        rho[depth, a] = chance if chosen else 0.0
    return state


@inlined
def take_successive(p, count, k, state, rho, depth, sets):
    """Draw k actions by p, without repeats."""
    chosen, mass = 0, 1.0
    for _ in range(k):
        state = step(state)
        point, taken = uniform(state) * mass, -1
        for a in range(count):
            if chosen >> a & 1 == 0:
                taken = a
                if point < p[a]:
                    break
                point -= p[a]
        chosen |= 1 << taken
        mass -= p[taken]
    inclusion(p, count, k, rho, depth, sets)
    for a in range(count):
        if chosen >> a & 1 == 0:
            rho[depth, a] = 0.0
    return state


@inlined
def inclusion(p, count, k, rho, depth, sets):
    """rho[a] = P(a is among k successive draws), by f(S) = sum over b in S of f(S - b) p_b / (1 - p(S - b)).

    sets: `[2, 2^count]`, f and p of every set of actions, a set written as bits.
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
def take_systematic(p, count, k, state, rho, depth):
    """Madow's draw: rho = min(1, c p) with sum k; one point U, and a is taken where the sum of rho passes U + j."""
    total, left, more = 1.0, float(k), True
    while more:  # actions whose share would exceed 1 are certain, the others share what is left
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
def take_repeated(p, count, k, state, rho, depth):
    """k independent draws by p, repeats allowed: rho = 1 - (1 - p)^k."""
    for _ in range(k):
        state = step(state)
        a = pick(p, np.int64(0), count, uniform(state))
        rho[depth, a] = 1.0 - (1.0 - p[a]) ** k
    return state


@inlined
def take_by_average(total, row, count, floor, threshold, bonus, state, rho, depth):
    """Each action on its own: rho = max(floor, (bonus + threshold s_a) / (bonus + sum s)), s the average's weights."""
    sum_ = 0.0
    for a in range(row, row + count):
        sum_ += total[a]
    for a in range(count):
        chance = 1.0 if bonus + sum_ == 0.0 else (bonus + threshold * total[row + a]) / (bonus + sum_)
        chance = min(1.0, max(floor, chance))
        state = step(state)
        rho[depth, a] = chance if uniform(state) < chance else 0.0
    return state
