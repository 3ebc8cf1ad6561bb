"""What others play, learned from what was seen of them.

Models count actions at keys: infosets, or coarser states a function names. `Likelihood` scores how little an opponent
plays like an equilibrium, and chooses whom to exploit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from tefuda.agents import Move, Sight
from tefuda.errors import check_range
from tefuda.game import CHANCE, TERMINAL
from tefuda.perturbed import trembling
from tefuda.profile import Profile, require_same_game
from tefuda.response import reach
from tefuda.tree import Tree

_SHARES = np.array([0.5, 0.05, 0.05])  # of the equilibrium in the models evidence is taken with, twice what was learned
FLOOR = 1e-6  # the least probability an action is thought to have in a score


def row_of(tree: Tree, move: Move) -> int:
    """The tree's row of a move whose infoset is known."""
    return int(tree.first_row[move.infoset]) + tree.labels(move.infoset).index(move.action)


def count_moves(tree: Tree, counts: np.ndarray, sight: Sight, player: int) -> None:
    """Add a player's moves of a hand to counts `[R]`, unless what it knew stayed hidden."""
    for move in sight.moves:
        if move.player == player and move.infoset >= 0:
            counts[row_of(tree, move)] += 1


def frequentist(tree: Tree, counts: np.ndarray, default: Profile, smoothing: float = 0.0) -> Profile:
    """Relative frequencies `[R]`, with `smoothing` fictitious plays of the default an infoset; else the default.

    With a Dirichlet prior of these parameters it is the posterior mean (Southey et al. 2005) of hands seen in full.
    """
    require_same_game(tree, default)
    check_range("smoothing", smoothing, 0, whole=False)
    weights = counts + smoothing * default.probabilities
    total = np.add.reduceat(weights, tree.first_row[:-1])[tree.infoset_of_row]
    return Profile.from_weights(tree, np.where(total > 0, weights, default.probabilities))


def posterior_sample(
    tree: Tree, counts: np.ndarray, prior: Profile, strength: float, rng: np.random.Generator
) -> Profile:
    """A profile drawn from independent Dirichlet posteriors: prior of `strength` fictitious plays, and the counts."""
    require_same_game(tree, prior)
    check_range("strength", strength, 0, whole=False)
    return Profile.from_weights(tree, rng.gamma(np.maximum(counts + strength * prior.probabilities, 1e-12)) + 1e-300)


class OpponentModel(Protocol):
    """Learns from hands what an opponent plays."""

    def see(self, sight: Sight) -> None:
        """Learn from a hand."""

    def mean(self) -> Profile:
        """What the opponent is expected to do; the other parts mean nothing."""


@dataclass(frozen=True)
class Case:
    """What opponents may have done: actions' places by their infosets, and the chance of the cards behind it."""

    places: dict[int, int]
    chance: float


def explanations(tree: Tree, player: int, moves: tuple[Move, ...]) -> list[Case]:
    """All cases that fit what a player saw of a hand; one if everybody showed what he knew.

    Histories count in which the player stood at its own infosets and everybody did what was done.
    """
    cases: list[Case] = []
    stack: list[tuple[int, int, Case]] = [(0, 0, Case({}, 1.0))]
    while stack:
        node, done, case = stack.pop()
        mover, first = int(tree.player[node]), int(tree.first_child[node])
        if mover == TERMINAL:
            cases += [case] if done == len(moves) else []
        elif mover == CHANCE:
            children = range(first, first + int(tree.child_count[node]))
            stack += [(n, done, Case(case.places, case.chance * float(tree.chance[n]))) for n in children]
        elif done < len(moves):
            move, infoset = moves[done], int(tree.infoset[node])
            labels = tree.labels(infoset)
            if mover == move.player and move.action in labels and move.infoset in (-1, infoset):
                place = labels.index(move.action)
                places = case.places if mover == player else {**case.places, infoset: place}
                stack.append((first + place, done + 1, Case(places, case.chance)))
    return _merged(cases)


def _merged(cases: list[Case]) -> list[Case]:
    """Cases with equal places in one."""
    found: dict[tuple[tuple[int, int], ...], float] = {}
    for case in cases:
        key = tuple(sorted(case.places.items()))
        found[key] = found.get(key, 0.0) + case.chance
    return [Case(dict(key), chance) for key, chance in found.items()]


class Weighed(NamedTuple):
    """A case as arrays: the chance of the cards, the rows of what was done, whose they are."""

    chance: float
    rows: np.ndarray
    owners: np.ndarray


#: What was found for each hand; not kept in the tree, which is sent to workers.
_WEIGHED: WeakKeyDictionary[Tree, dict[tuple[int, tuple[Move, ...]], list[Weighed]]] = WeakKeyDictionary()


def weighed(tree: Tree, player: int, moves: tuple[Move, ...]) -> list[Weighed]:
    """The explanations of a hand as arrays, found once for each hand."""
    known = _WEIGHED.setdefault(tree, {})
    if (player, moves) not in known:
        found = []
        for case in explanations(tree, player, moves):
            rows = np.array([tree.first_row[infoset] + place for infoset, place in case.places.items()], dtype=int)
            found.append(Weighed(case.chance, rows, tree.infoset_player[tree.infoset_of_row[rows]]))
        known[player, moves] = found
    return known[player, moves]


class Frequencies:
    """What an opponent did at each infoset; a hand with hidden cards is divided among those it may have had.

    In parts by how likely they are under what was learned so far: the mean of `HiddenDirichlet`, nearly, at a small
    part of its cost. Counting only what was shown takes who folds for one who never does: against always-pass in Kuhn
    poker the exploiter then wins .35 a hand instead of .99.

    Args:
        equilibrium: expected of it, half of it uniform play: an equilibrium's zeros are not to be relied on.
        player: the opponent.
        smoothing: fictitious plays of what is expected at each infoset.
    """

    def __init__(self, equilibrium: Profile, player: int, smoothing: float = 1.0) -> None:
        self._expected, self._player, self._smoothing = trembling(equilibrium, 0.5), player, smoothing
        self._counts, self._visits = np.zeros(equilibrium.tree.rows), np.zeros(equilibrium.tree.infosets)

    def see(self, sight: Sight) -> None:
        """See `OpponentModel`."""
        tree = self._expected.tree
        cases = weighed(tree, sight.seat, sight.moves)
        likely = np.array([case.chance * self._chances(case).prod() for case in cases])
        for case, part in zip(cases, likely / likely.sum(), strict=True):
            rows = case.rows[case.owners == self._player]
            self._counts[rows] += part
            self._visits[tree.infoset_of_row[rows]] += part

    def _chances(self, case: Weighed) -> np.ndarray:
        """What is thought to be done with which probability."""
        seen = np.where(case.owners == self._player, self._counts[case.rows], 0.0)
        visits = np.where(case.owners == self._player, self._visits[self._expected.tree.infoset_of_row[case.rows]], 0.0)
        expected = self._smoothing * self._expected.probabilities[case.rows]
        return np.asarray((expected + seen) / (self._smoothing + visits))

    def mean(self) -> Profile:
        """See `OpponentModel`."""
        return frequentist(self._expected.tree, self._counts, self._expected, self._smoothing)


@dataclass
class HiddenDirichlet:
    """Independent Dirichlet priors, and hands whose cards may stay hidden (Southey et al. 2005).

    A hidden hand may have come about in several ways, so the posterior is a mixture over what was behind all hidden
    hands: exact by enumeration, until there are more than `most` components and the least likely are dropped.

    Args:
        tree: a game.
        player: who watches.
        prior: of the opponents.
        strength: fictitious plays of the prior at every infoset.
        most: components kept.
    """

    tree: Tree
    player: int
    prior: Profile
    strength: float = 1.0
    most: int = 500
    _parts: dict[tuple[tuple[int, int], ...], float] = field(default_factory=lambda: {(): 1.0})

    def __post_init__(self) -> None:
        require_same_game(self.tree, self.prior)

    def see(self, sight: Sight) -> None:
        """Learn from a hand."""
        cases, grown = weighed(self.tree, self.player, sight.moves), dict[tuple[tuple[int, int], ...], float]()
        for rows, weight in self._parts.items():
            for case in cases:
                more, likelihood = dict(rows), case.chance
                for row in case.rows.tolist():
                    likelihood *= self._predicted(more, row)
                    more[row] = more.get(row, 0) + 1
                key = tuple(sorted(more.items()))
                grown[key] = grown.get(key, 0.0) + weight * likelihood
        kept = sorted(grown.items(), key=lambda item: -item[1])[: self.most]
        total = sum(weight for _, weight in kept)
        self._parts = {key: weight / total for key, weight in kept}

    def _predicted(self, counts: dict[int, int], row: int) -> float:
        """The chance of an action by the prior and counts of rows."""
        rows = self.prior.rows(int(self.tree.infoset_of_row[row]))
        seen = sum(counts.get(one, 0) for one in range(rows.start, rows.stop))
        # What happened is never impossible, whatever the prior says of it.
        expected = max(float(self.prior.probabilities[row]), FLOOR)
        strength = self.strength if self.strength + seen > 0 else 1.0
        return (strength * expected + counts.get(row, 0)) / (strength + seen)

    def mean(self) -> Profile:
        """The posterior mean: what the opponent is expected to do."""
        total = np.zeros(self.tree.rows)
        for rows, weight in self._parts.items():
            counts = np.zeros(self.tree.rows)
            for row, count in rows:
                counts[row] = count
            total += weight * frequentist(self.tree, counts, self.prior, self.strength).probabilities
        return Profile.from_weights(self.tree, total)


@dataclass
class Likelihood:
    """How little the others play like an equilibrium: the mean of -log P(action) seen (source 004, eq. 4).

    An equilibrium player's own score tends to the equilibrium's entropy: the baseline below which nobody is weak.

    Args:
        equilibrium: whose probabilities count.
        floor: the least of them.
    """

    equilibrium: Profile
    floor: float = FLOOR
    _sums: dict[int, float] = field(default_factory=dict)
    _squares: dict[int, float] = field(default_factory=dict)
    _seen: dict[int, int] = field(default_factory=dict)

    def see(self, sight: Sight) -> None:
        """Score the moves of a hand whose infosets are known."""
        tree, probabilities = self.equilibrium.tree, self.equilibrium.probabilities
        for move in sight.moves:
            if move.player != sight.seat and move.infoset >= 0:
                self.add(move.player, float(probabilities[row_of(tree, move)]))

    def add(self, player: int, probability: float) -> None:
        """Score an action by what the equilibrium would do it with."""
        surprise = -math.log(max(probability, self.floor))
        self._sums[player] = self._sums.get(player, 0.0) + surprise
        self._squares[player] = self._squares.get(player, 0.0) + surprise * surprise
        self._seen[player] = self._seen.get(player, 0) + 1

    def score(self, player: int) -> float:
        """The mean; 0 before anything was seen."""
        return self._sums.get(player, 0.0) / max(1, self._seen.get(player, 0))

    def error(self, player: int) -> float:
        """The standard error of the mean; infinite before two actions were seen."""
        count = self._seen.get(player, 0)
        if count < 2:
            return math.inf
        variance = self._squares[player] / count - self.score(player) ** 2
        return math.sqrt(max(variance, 0.0) / count)

    def target(self, players: list[int]) -> int:
        """The player with the largest score, the lowest seat of equals."""
        return max(sorted(players), key=self.score)


class Evidence:
    """How much likelier what opponents did is under models of them than under an equilibrium, hidden cards and all.

    Each hand multiplies an opponent's ratio by P(hand | its model) / P(hand | equilibrium), the model being made before
    the hand. Beside equilibrium players the ratio's mean stays 1, so it ever exceeds 1 / a with probability a at most
    (Ville's inequality): unlike a score of single actions, it also tells who always does one of several good things.

    Args:
        equilibrium: what opponents are taken to play unless there is evidence.
        seat: who watches.

    `log_known` is the logarithm of the hands' probability under the equilibrium.
    """

    def __init__(self, equilibrium: Profile, seat: int) -> None:
        tree = equilibrium.tree
        self._tree, self._seat, self._equilibrium = tree, seat, trembling(equilibrium, 1e-3).probabilities
        self._uniform = Profile.uniform(tree).probabilities
        self._ratios, self.log_known = np.zeros((tree.players, len(_SHARES))), 0.0

    @property
    def log_ratio(self) -> np.ndarray:
        """`[P]` logarithms of the mean ratios of the model, with more and less equilibrium in it, and uniform play."""
        return np.asarray(np.logaddexp.reduce(self._ratios, axis=1) - math.log(len(_SHARES)))

    def see(self, sight: Sight, models: dict[int, Profile]) -> None:
        """Weigh a hand. A part of what a model says is the equilibrium's, so that a bad model costs little."""
        cases = weighed(self._tree, self._seat, sight.moves)
        expected = sum(case.chance * self._equilibrium[case.rows].prod() for case in cases)
        self.log_known += math.log(expected)
        for player, model in models.items():
            require_same_game(self._tree, model)
            mixed = np.zeros(len(_SHARES))
            for case in cases:
                known = self._equilibrium[case.rows]
                learned = model.probabilities[case.rows]
                thought = np.stack([learned, learned, self._uniform[case.rows]])
                thought += _SHARES[:, None] * (known - thought)
                mixed += case.chance * np.where(case.owners == player, thought, known).prod(axis=1)
            self._ratios[player] += np.log(mixed / expected)


def entropy(profile: Profile, player: int) -> float:
    """The mean of -log P(action) over the decisions of a player of the profile, everybody playing it."""
    tree = profile.tree
    weights = np.zeros(tree.infosets)
    nodes = np.flatnonzero(tree.player == player)
    np.add.at(weights, tree.infoset[nodes], reach(tree, profile).total[nodes])
    p = profile.probabilities
    terms = np.where(p > 0, -p * np.log(np.where(p > 0, p, 1.0)), 0.0) * weights[tree.infoset_of_row]
    return float(terms.sum() / weights.sum())
