"""Comparison of abstractions: exploitability of their strategies in the real game."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from tefuda.abstracting.bucketing import Buckets
from tefuda.abstracting.optimum import least_exploitable
from tefuda.abstracting.strength import chance_moves, comparison_groups
from tefuda.evaluating.values import nash_conv
from tefuda.figure import Panel
from tefuda.forms.partitions import Partition
from tefuda.forms.tree import Tree
from tefuda.solvers.exact.cfr import CFR_BR
from tefuda.solvers.exact.lp import is_two_player_constant_sum
from tefuda.solvers.runs.solving import solve

_DRAWN = 1e-6  # smaller values are not drawn on the logarithmic axis
_CFR_BR = replace(CFR_BR, averaging=1.0)  # linear weights: on Leduc two to three times closer to the limit
_LONGER = 16  # factor of iterations if CFR-BR is still above the equilibrium
_LINES = {
    ("perfect", "equilibrium"): "equilibrium of the classes",
    ("perfect", "cfr_br"): "CFR-BR",
    ("perfect", "least"): "least exploitable (LP)",
    ("imperfect", "equilibrium"): "CFR+, imperfect recall",
    ("imperfect", "cfr_br"): "CFR-BR, imperfect recall",
}


@dataclass(frozen=True)
class AbstractionResult:
    """Abstraction and the NashConv of its strategies in the real game; nan: unknown.

    Attributes:
        counts: numbers of buckets.
        by: measure of `Buckets`.
        recall: ``"perfect"`` or ``"imperfect"``.
        classes: number of classes.
        equilibrium: NashConv of an equilibrium of the small game; CFR+ finds it if linear programming cannot.
        cfr_br: NashConv of CFR-BR with linear weights.
        least: least NashConv within the classes, by linear programming.
    """

    counts: tuple[int, ...]
    by: str
    recall: str
    classes: int
    equilibrium: float
    cfr_br: float
    least: float

    def summary(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def study(
    tree: Tree,
    counts: Sequence[int],
    *,
    by: str = "strength",
    apart: str = "actions",
    iterations: int = 10_000,
    notify: Callable[[str], None] = lambda text: None,
) -> tuple[AbstractionResult, ...]:
    """Evaluate buckets with perfect recall, and with imperfect recall and as many classes.

    Args:
        tree: the game.
        counts: numbers of buckets to try.
        by: see `Buckets`.
        apart: see `Buckets`.
        iterations: iterations of CFR-BR, and of CFR+ where linear programming is impossible.
        notify: callback for progress messages.
    """
    all_buckets = [Buckets((count,), by, "perfect", apart) for count in counts]  # raises before any evaluation
    results: dict[tuple[str, bytes], AbstractionResult] = {}
    for buckets in all_buckets:
        partition = buckets.partition(tree)
        for candidate, classes in ((buckets, partition), _buckets_of_size(tree, buckets, partition.size)):
            key = candidate.recall, classes.classes.tobytes()
            # More buckets than hands give the same classes.
            if (candidate is buckets or classes.forgotten) and key not in results:
                results[key] = _evaluate_buckets(candidate, classes, iterations, notify)
    return tuple(results.values())


def _buckets_of_size(tree: Tree, buckets: Buckets, size: int) -> tuple[Buckets, Partition]:
    """Return buckets with imperfect recall that make at most `size` classes."""
    first, low = buckets.counts[0], buckets.counts[0]

    def partition_with(count: int) -> tuple[Buckets, Partition]:
        chosen = replace(buckets, counts=(first, count), recall="imperfect")
        return chosen, chosen.partition(tree)

    high = tree.infosets if chance_moves(tree).any() else low
    while low < high:  # sizes rise with counts
        middle = (low + high + 1) // 2
        low, high = (middle, high) if partition_with(middle)[1].size <= size else (low, middle - 1)
    pairs = np.unique(np.stack([comparison_groups(tree, buckets.apart), partition_with(low)[1].classes]), axis=1)[0]
    # No more buckets than a group has strengths.
    chosen, partition_ = partition_with(max(first, min(low, int(np.bincount(pairs).max()))))
    return (chosen if chance_moves(tree).any() else replace(chosen, counts=(first,))), partition_


def _evaluate_buckets(
    buckets: Buckets, partition: Partition, iterations: int, notify: Callable[[str], None]
) -> AbstractionResult:
    name = f"{buckets.by} {':'.join(map(str, buckets.counts))}, {buckets.recall} recall, {partition.size:,} classes"
    exact = is_two_player_constant_sum(partition.tree) and partition.forgotten is None
    notify(f"{name}: an equilibrium of the classes")
    equilibrium = solve(partition, "lp") if exact else solve(partition, "cfr+", iterations=iterations)
    cfr_br, least = math.nan, math.nan
    if partition.tree.players == 2:
        notify(f"{name}: CFR-BR")
        cfr_br = solve(partition, _CFR_BR, iterations=iterations).nash_conv
        if cfr_br > equilibrium.nash_conv > _DRAWN:  # not converged yet; a limit of 0 is never reached exactly
            notify(f"{name}: CFR-BR, continued to the equilibrium's NashConv")
            cfr_br = solve(partition, _CFR_BR, iterations=_LONGER * iterations, until=equilibrium.nash_conv).nash_conv
    if exact:
        notify(f"{name}: the least exploitable")
        least = max(0.0, nash_conv(least_exploitable(partition)))
    recall = "imperfect" if partition.forgotten else "perfect"
    return AbstractionResult(
        buckets.counts, buckets.by, recall, partition.size, max(0.0, equilibrium.nash_conv), cfr_br, least
    )


def panel(title: str, trials: Sequence[AbstractionResult]) -> Panel:
    """Return a plot of NashConv in the real game by number of classes."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for (recall, field), name in _LINES.items():
        points = [(float(trial.classes), getattr(trial, field)) for trial in trials if trial.recall == recall]
        if drawn := sorted(point for point in points if point[1] > _DRAWN):
            lines[name] = drawn
    return Panel(title, "classes", lines)
