"""Slow twins of the sampling traversals, over rules, in floats or fractions.

Every random decision is one call ``rng.choice(probabilities)``. With an `Enumerator` in place of the generator all
outcomes are visited once, so expectations are exact; with a `Stream` the twin draws the numbers of the kernels.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations

import numpy as np

from tefuda.games.protocol import CHANCE, TERMINAL


class Enumerator:
    """Stands in for a random generator and visits every random outcome once."""

    def __init__(self):
        self.trail, self.depth, self.prob = [], 0, Fraction(1)

    def choice(self, probabilities):
        options = [index for index, p in enumerate(probabilities) if p > 0]
        if self.depth == len(self.trail):
            self.trail.append([0, len(options)])
        index = options[self.trail[self.depth][0]]
        self.depth += 1
        self.prob *= probabilities[index]
        return index

    def advance(self):
        """Go to the next outcome; False when all are done."""
        while self.trail and self.trail[-1][0] + 1 == self.trail[-1][1]:
            self.trail.pop()
        if not self.trail:
            return False
        self.trail[-1][0] += 1
        self.depth, self.prob = 0, Fraction(1)
        return True


_MASK, _GOLDEN = (1 << 64) - 1, 0x9E3779B97F4A7C15


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


class Stream:
    """The random numbers of one walk, as the kernels draw them."""

    def __init__(self, key, iteration, player, walk):
        state = int(key)
        for number in (iteration, player, walk):
            state = mix((state + _GOLDEN * (number + 1)) & _MASK)
        self.state = state

    def choice(self, probabilities):
        self.state = (self.state + _GOLDEN) & _MASK
        point, last = (mix(self.state) >> 11) / 2**53, 0
        for index, p in enumerate(probabilities):
            if p > 0:
                if point < p:
                    return index
                last = index
            point -= p
        return last


class Drawn(Stream):
    """A walk's own random numbers, as the kernels draw them, behind the face of a generator."""

    def random(self, size=None):
        if size is None:
            self.state = (self.state + _GOLDEN) & _MASK
            return (mix(self.state) >> 11) / 2**53
        return np.array([self.random() for _ in range(int(np.prod(size)))]).reshape(size)


def inclusion_successive(p, k):
    """The probability of every set of k actions drawn without repeats, by brute force over orders."""
    sets = defaultdict(lambda: 0 * p[0])

    def extend(chosen, chance, left):
        if len(chosen) == k:
            sets[frozenset(chosen)] += chance
            return
        for a in range(len(p)):
            if a not in chosen and p[a] > 0:
                extend((*chosen, a), chance * p[a] / left, left - p[a])

    extend((), p[0] * 0 + 1, sum(p))
    return [sum(chance for chosen, chance in sets.items() if a in chosen) for a in range(len(p))]


def inclusion_systematic(p, k):
    """min(1, c p) with sum k: the largest shares are cut to 1 until none exceeds it."""
    certain = set()
    while True:
        rest = [a for a in range(len(p)) if a not in certain]
        scale = (k - len(certain)) / sum(p[a] for a in rest)
        over = {a for a in rest if scale * p[a] >= 1}
        if not over:
            return [1 if a in certain else scale * p[a] for a in range(len(p))]
        certain.add(max(over, key=lambda a: p[a]))


@dataclass
class Twin:
    """One scheme on one game. strategy: (player, key) -> {action: probability}.

    known: baseline of a history (state, player) -> number, or None. total: (player, key) -> {action: weight}, for
    average-strategy sampling. Findings: gain by (player, key, action), weight by (player, key).
    """

    game: object
    strategy: object
    scheme: str
    k: int = 1
    epsilon: object = Fraction(3, 5)
    deal: tuple = ()
    known: object = None
    total: object = None
    threshold: object = 2
    bonus: object = 3
    biased: bool = False
    gain: dict = field(default_factory=lambda: defaultdict(int))
    weight: dict = field(default_factory=lambda: defaultdict(int))

    def choose(self, owner, key, sigma, rng):
        """{place of a chosen action: its inclusion probability}."""
        n, k = len(sigma), self.k
        if self.scheme == "external" or (k >= n and self.scheme not in ("repeated", "average")):
            return dict.fromkeys(range(n), 1)
        p = [self.epsilon / n + (1 - self.epsilon) * chance for chance in sigma]
        if self.scheme == "outcome":
            a = rng.choice(p)
            return {a: p[a]}
        if self.scheme == "uniform":
            wanted, chosen = k, {}
            for a in range(n):
                take = Fraction(wanted, n - a)
                if rng.choice([take, 1 - take]) == 0:
                    wanted -= 1
                    chosen[a] = Fraction(k, n)
            return chosen
        if self.scheme == "successive":
            chosen, rho = [], inclusion_successive(p, k)
            for _ in range(k):
                left = sum(p[a] for a in range(n) if a not in chosen)
                chosen.append(rng.choice([0 if a in chosen else p[a] / left for a in range(n)]))
            return {a: rho[a] for a in sorted(chosen)}
        if self.scheme == "systematic":
            rho = inclusion_systematic(p, k)
            sums = [sum(rho[: a + 1]) for a in range(n)]
            cuts = sorted({s - int(s) for s in sums} | {0})
            lengths = [end - start for start, end in zip(cuts, [*cuts[1:], 1], strict=True)]
            point, chosen = cuts[rng.choice(lengths)], {}
            for a in range(n):
                if sums[a] > point:
                    chosen[a] = rho[a]
                    point += 1
            return chosen
        if self.scheme == "repeated":
            return {a: 1 - (1 - p[a]) ** k for a in sorted({rng.choice(p) for _ in range(k)})}
        s = list(self.total[owner, key].values())
        chosen = {}
        for a in range(n):
            rho = min(1, max(self.epsilon, (self.bonus + self.threshold * s[a]) / (self.bonus + sum(s))))
            if rng.choice([rho, 1 - rho]) == 0:
                chosen[a] = rho
        return chosen

    def walk(self, player, rng, state=None, q=1):
        """The sampled value of a state for `player`."""
        game, root = self.game, state is None
        state = game.root() if root else state
        mover = game.player(state)
        if mover == TERMINAL:
            return game.payoffs(state)[player]
        if mover == CHANCE:
            labels, chances = zip(*game.chances(state), strict=True)
        else:
            key = game.view(state, mover)
            labels, chances = zip(*self.strategy(mover, key).items(), strict=True)
        base = [self.known(game.child(state, label), player) if self.known else 0 for label in labels]
        if mover != player:
            if mover >= 0:
                self.weight[mover, key] += 1 / q if not isinstance(q, int) else Fraction(1, q)
            at = rng.choice(self.deal if root and self.deal else chances)
            if root and self.deal:
                q = q * self.deal[at] / chances[at]
            below = self.walk(player, rng, game.child(state, labels[at]), q)
            return below - base[at] + sum(p * b for p, b in zip(chances, base, strict=True))
        chosen = self.choose(player, key, chances, rng)
        below = {a: self.walk(player, rng, game.child(state, labels[a]), q * rho) for a, rho in chosen.items()}
        values = [(below[a] - b) / chosen[a] + b if a in chosen else b for a, b in enumerate(base)]
        mean = sum(p * v for p, v in zip(chances, values, strict=True))
        for a, label in enumerate(labels):
            found = values[a] - mean
            if self.biased and a in chosen:
                # takizawa2020, algorithm 5, line 32: (1 - sigma) u / (pi sigma), u over all sampled actions.
                found = (1 - chances[a]) * sum(below.values()) / chances[a] if chances[a] else 0
            self.gain[player, key, label] += found / q
        return mean

    def walk_for_average(self, player, rng):
        """One trajectory, `player` by its strategy, the others uniformly."""
        game, state = self.game, self.game.root()
        while (mover := game.player(state)) != TERMINAL:
            if mover == CHANCE:
                labels, chances = zip(*game.chances(state), strict=True)
            else:
                labels, chances = zip(*self.strategy(mover, game.view(state, mover)).items(), strict=True)
                if mover == player:
                    self.weight[mover, game.view(state, mover)] += 1
                else:
                    chances = [Fraction(1, len(labels))] * len(labels)
            state = game.child(state, labels[rng.choice(chances)])

    def walk_chance(self, rng, state=None, reach=None):
        """Chance sampling: the values of a state for all players."""
        game = self.game
        state, reach = (game.root(), [1] * game.players) if state is None else (state, reach)
        mover = game.player(state)
        if mover == TERMINAL:
            return list(game.payoffs(state))
        if mover == CHANCE:
            labels, chances = zip(*game.chances(state), strict=True)
            return self.walk_chance(rng, game.child(state, labels[rng.choice(chances)]), reach)
        key = game.view(state, mover)
        self.weight[mover, key] += reach[mover]
        below = {}
        for label, p in self.strategy(mover, key).items():
            reached = [r * p if seat == mover else r for seat, r in enumerate(reach)]
            below[label] = self.walk_chance(rng, game.child(state, label), reached)
        mean = [sum(p * below[a][seat] for a, p in self.strategy(mover, key).items()) for seat in range(game.players)]
        others = 1
        for seat, r in enumerate(reach):
            others *= r if seat != mover else 1
        for label, values in below.items():
            self.gain[mover, key, label] += others * (values[mover] - mean[mover])
        return mean


def expectations(make, walk):
    """Run `walk(twin, rng)` over all outcomes: mean gain, mean weight and number of outcomes."""
    rng, gain, weight, outcomes, mass = Enumerator(), defaultdict(Fraction), defaultdict(Fraction), 0, Fraction(0)
    while True:
        twin = make()
        walk(twin, rng)
        for found, mean in ((twin.gain, gain), (twin.weight, weight)):
            for name, amount in found.items():
                mean[name] += rng.prob * amount
        outcomes, mass = outcomes + 1, mass + rng.prob
        if not rng.advance():
            assert mass == 1
            return gain, weight, outcomes


def subsets(n, k):
    """All sets of k of n places."""
    return list(combinations(range(n), k))
