"""Buckets: classes of infosets of similar strength, computed from the tree alone.

Infosets of one player with equal actions and equal public information form a group, and each group is cut into buckets.
With perfect recall a class is a bucket together with all earlier buckets and actions. With imperfect recall (waugh2009)
earlier buckets are forgotten. Futures are compared as in ganzfried2014.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tefuda.abstracting.item_values import FEATURES, items, vectors
from tefuda.abstracting.strength import APART, chance_moves, comparison_groups, futures, relative_strengths, weights
from tefuda.errors import MissingExtraError, ParameterError, check_choice, check_range, check_seed
from tefuda.forms.partitions import Partition, merge
from tefuda.forms.tree import Tree, require_tree

#: Measures for comparing infosets.
MEASURES = ("strength", "rank", "future", "values")
CLUSTERED = ("future", "values")  # by k-means
RECALLS = ("perfect", "imperfect")


@dataclass(frozen=True)
class Buckets:
    """Settings for cutting infosets into buckets.

    Args:
        counts: number of buckets of each group in each round (between moves of chance); the last count holds for
            all later rounds.
        by: ``"strength"``: the value under uniform play, cut by least squares (exact). ``"rank"``: the same value,
            cut into equally likely parts. ``"future"``: the strengths after the next move of chance, clustered by
            k-means with the earth mover's distance (scikit-learn, extra abstract). ``"values"``: the values at all
            nodes of the round, clustered by k-means (the same extra), with perfect recall inside each earlier bucket.
        recall: ``"perfect"`` or ``"imperfect"``.
        apart: ``"actions"``: a group has all public cards; ``"public states"``: each public state is a group.
        seed: random seed of k-means.
        warm_up: iterations of CFR whose average gives the values of ``"values"``; 0: uniform play.
        feature: one of `FEATURES` for ``"values"``.

    Raises:
        ParameterError: a value is out of range.

    >>> tree = td.compile_game(td.load_game("leduc", ranks=9))
    >>> Buckets((3,)).partition(tree)
    Partition(leduc, 2,484 infosets in 228 classes, perfect recall)
    >>> Buckets((3, 7), recall="imperfect").partition(tree)
    Partition(leduc, 2,484 infosets in 228 classes, imperfect recall)
    """

    counts: tuple[int, ...]
    by: str = "strength"
    recall: str = "perfect"
    apart: str = "actions"
    seed: int = 0
    warm_up: int = 0
    feature: str = "action"

    def __post_init__(self) -> None:
        listed = isinstance(self.counts, Sequence) and not isinstance(self.counts, str)
        object.__setattr__(self, "counts", tuple(self.counts) if listed else (self.counts,))
        if not self.counts:
            raise ParameterError("buckets need a count, or one count for each round, such as (3, 9); got none.")
        for count in self.counts:
            check_range("number of buckets", count, 1, 1_000_000)
        check_choice("by", self.by, MEASURES)
        check_choice("recall", self.recall, RECALLS)
        check_choice("apart", self.apart, APART)
        check_seed(self.seed)
        check_range("warm_up", self.warm_up, 0, 1_000_000)
        check_choice("feature", self.feature, FEATURES)
        if self.by != "values" and (self.warm_up or self.feature != "action"):
            raise ParameterError(f"warm_up and feature need by='values', got {self.by!r}; leave them out.", key="by")

    def partition(self, tree: Tree) -> Partition:
        """Cut the infosets of a tree into classes.

        Raises:
            GameError: the game has imperfect recall, or the tree does not know its rules.
            MissingExtraError: ``"future"`` or ``"values"`` needs scikit-learn.
        """
        require_tree(tree)
        if self.by in CLUSTERED:
            require_clustering()
        group, stage = comparison_groups(tree, self.apart), chance_moves(tree)
        bucket = self._items(tree) if self.by == "values" else np.zeros(tree.infosets, dtype=np.int64)
        order = np.argsort(group, kind="stable") if self.by != "values" else group[:0]
        for members in filter(len, np.split(order, np.flatnonzero(np.diff(group[order])) + 1)):
            bucket[members] = self._cut(tree, members, self._count(int(stage[members[0]])))
        partition = merge(tree, zip(group.tolist(), bucket.tolist(), strict=True))
        return partition.with_perfect_recall() if self.recall == "perfect" else partition

    def _count(self, stage: int) -> int:
        return self.counts[min(stage, len(self.counts) - 1)]

    def _items(self, tree: Tree) -> np.ndarray:
        """Return `[I]` buckets of the infosets' items; with perfect recall, inside the earlier ones."""
        found, points = items(tree), vectors(tree, self.warm_up, self.feature)
        bucket = np.zeros(len(found.mass), dtype=np.int64)
        for stage, player in np.unique(found.kind, axis=0).tolist():  # rising rounds
            here = np.flatnonzero((found.kind == (stage, player)).all(axis=1))
            earlier = np.where(found.before[here] >= 0, bucket[found.before[here]], 0) * (self.recall == "perfect")
            for number in np.unique(earlier):
                members = here[earlier == number]
                part = _k_means(points[members], found.mass[members], self._count(stage), self.seed)
                bucket[members] = part + number * self._count(stage)
        return bucket[found.item]

    def _cut(self, tree: Tree, members: np.ndarray, count: int) -> np.ndarray:
        weight = weights(tree)[members]
        if self.by == "future":
            return _k_means(futures(tree, self.apart)[members], weight, count, self.seed)
        level, index = np.unique(relative_strengths(tree, self.apart)[members], return_inverse=True)
        mass = np.bincount(index, weight) / max(weight.sum(), 1e-300)
        return _cut_levels(self.by, tuple(level.tolist()), tuple(mass.round(12).tolist()), count)[index]


def buckets(
    tree: Tree,
    counts: int | Sequence[int],
    *,
    by: str = "strength",
    recall: str = "perfect",
    apart: str = "actions",
    seed: int = 0,
    warm_up: int = 0,
    feature: str = "action",
) -> Partition:
    """Return a partition of the infosets of a game into buckets.

    Args:
        tree: the game.
        counts: number of buckets of each group, in all rounds or for each round.
        by: see `Buckets`.
        recall: see `Buckets`.
        apart: see `Buckets`.
        seed: random seed of k-means.
        warm_up: see `Buckets`.
        feature: see `Buckets`.

    Raises:
        ParameterError: a value is out of range.
        GameError: the tree does not know its rules.
        MissingExtraError: ``"future"`` or ``"values"`` needs scikit-learn.

    >>> tree = td.compile_game(td.load_game("leduc", ranks=9))
    >>> merged = [td.abstracting.buckets(tree, count) for count in (1, 2, 4)]
    >>> [round(td.solve(partition, "cfr-br", iterations=300).nash_conv, 1) for partition in merged]
    [2.0, 0.7, 0.2]
    """
    listed = (counts,) if isinstance(counts, int) else tuple(counts)
    return Buckets(listed, by, recall, apart, seed, warm_up, feature).partition(tree)


def require_clustering() -> None:
    """Raise MissingExtraError unless scikit-learn is installed."""
    if importlib.util.find_spec("sklearn") is None:
        raise MissingExtraError("abstract", "k-means of futures or values")


@lru_cache(maxsize=256)
def _cut_levels(by: str, levels: tuple[float, ...], masses: tuple[float, ...], count: int) -> np.ndarray:
    """Return the bucket of each rising level; cached because public states repeat the same levels."""
    return (_least_squares if by == "strength" else _equal_parts)(np.array(levels), np.array(masses), count)


def _equal_parts(levels: np.ndarray, weights: np.ndarray, count: int) -> np.ndarray:
    """Cut rising levels into parts of nearly equal weight, without splitting a level."""
    middle = (np.cumsum(weights) - weights / 2) / max(weights.sum(), 1e-300)
    return np.minimum((middle * count + 1e-9).astype(np.int64), count - 1)


def _least_squares(levels: np.ndarray, weights: np.ndarray, count: int) -> np.ndarray:
    """Cut rising levels into at most `count` runs with the least squared error, in time n^2 count.

    Among equal cuts the first is chosen; groups with the same levels get the same cuts.
    """
    if count >= len(levels):
        return np.arange(len(levels))
    w, x, xx = (np.append(0, np.cumsum(weights * levels**power)) for power in range(3))

    def cost_of(start: np.ndarray, end: int) -> np.ndarray:
        mass, first, second = w[end] - w[start], x[end] - x[start], xx[end] - xx[start]
        return np.where(mass > 0, second - first**2 / np.where(mass > 0, mass, 1), 0.0)

    n = len(levels)
    starts = np.zeros((count, n + 1), dtype=np.int64)
    costs = np.array([float(cost_of(np.array([0]), end)[0]) for end in range(n + 1)])
    slack = 1e-9 * costs[-1]
    for run in range(1, count):
        previous, costs = costs, np.full(n + 1, np.inf)
        for end in range(run + 1, n + 1):
            cuts = np.arange(run, end)
            options = previous[cuts] + cost_of(cuts, end)
            best = int(np.argmax(options <= options.min() + slack))
            costs[end], starts[run, end] = options[best], cuts[best]
    bucket, end = np.zeros(n, dtype=np.int64), n
    for run in range(count - 1, -1, -1):
        bucket[starts[run, end] : end] = run
        end = int(starts[run, end])
    return bucket


def _k_means(points: np.ndarray, weights: np.ndarray, count: int, seed: int) -> np.ndarray:
    """Return the nearest of `count` means of each point `[n, Q]`."""
    distinct, index = np.unique(points, axis=0, return_inverse=True)
    if count >= len(distinct):
        return index.ravel()
    mass = np.bincount(index.ravel(), weights) / max(weights.sum(), 1e-300)
    return _cluster(distinct.tobytes(), tuple(mass.round(12).tolist()), count, seed)[index.ravel()]


@lru_cache(maxsize=64)
def _cluster(points: bytes, masses: tuple[float, ...], count: int, seed: int) -> np.ndarray:
    """Return the nearest mean of each point; cached like `_cut_levels`."""
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    rows = np.frombuffer(points).reshape(len(masses), -1)
    with threadpool_limits(1):  # the order of sums could change the last bits
        clustering = KMeans(count, n_init=10, random_state=seed).fit(rows, sample_weight=np.maximum(masses, 1e-12))
    return np.unique(clustering.labels_, return_inverse=True)[1]
