"""Exploitability of strategies in buckets in the real game."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from tefuda.abstracting.buckets import Buckets
from tefuda.abstracting.optimum import least_exploitable
from tefuda.abstracting.strength import chance_moves, compared
from tefuda.evaluating.values import nash_conv
from tefuda.figure import Panel
from tefuda.forms.partition import Partition
from tefuda.forms.tree import Tree
from tefuda.solvers.exact.cfr import CFR_BR
from tefuda.solvers.exact.lp import is_two_player_constant_sum
from tefuda.solvers.runs.methods import solve

_DRAWN = 1e-6  # smaller figures are not drawn on the logarithmic axis
_CFR_BR = replace(CFR_BR, averaging=1.0)  # linear weights: on Leduc two to three times nearer its limit
_LONGER = 16  # times as many iterations where CFR-BR is still above the equilibrium
_LINES = {
    ("perfect", "equilibrium"): "equilibrium of the classes",
    ("perfect", "cfr_br"): "CFR-BR",
    ("perfect", "least"): "least exploitable (LP)",
    ("imperfect", "equilibrium"): "CFR+, imperfect recall",
    ("imperfect", "cfr_br"): "CFR-BR, imperfect recall",
}


@dataclass(frozen=True)
class Trial:
    """One abstraction: its buckets, size and recall, and NashConv in the real game of its strategies; nan: unknown.

    Args:
        equilibrium: of an equilibrium of the small game; with imperfect recall or several players by CFR+.
        cfr_br: by CFR-BR, with linear weights.
        least: the least of all, by linear programming.
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
) -> tuple[Trial, ...]:
    """Return trials of buckets with perfect recall, and of as many classes with imperfect recall.

    See `Buckets` for the arguments. CFR-BR has `iterations`, and so has CFR+ where linear programming is impossible.
    """
    wanted = [Buckets((count,), by, "perfect", apart) for count in counts]  # refused before any trial
    found: dict[tuple[str, bytes], Trial] = {}
    for buckets in wanted:
        whole = buckets.partition(tree)
        for chosen, classes in ((buckets, whole), _of_size(tree, buckets, whole.size)):
            key = chosen.recall, classes.classes.tobytes()
            if (chosen is buckets or classes.forgotten) and key not in found:  # more buckets than hands change nothing
                found[key] = _trial(chosen, classes, iterations, notify)
    return tuple(found.values())


def _of_size(tree: Tree, buckets: Buckets, size: int) -> tuple[Buckets, Partition]:
    """Return buckets with imperfect recall that make at most `size` classes."""
    first, low = buckets.counts[0], buckets.counts[0]

    def tried(count: int) -> tuple[Buckets, Partition]:
        chosen = replace(buckets, counts=(first, count), recall="imperfect")
        return chosen, chosen.partition(tree)

    high = tree.infosets if chance_moves(tree).any() else low
    while low < high:  # sizes rise with counts
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tried(middle)[1].size <= size else (low, middle - 1)
    used = np.unique(np.stack([compared(tree, buckets.apart), tried(low)[1].classes]), axis=1)[0]
    chosen, found = tried(max(first, min(low, int(np.bincount(used).max()))))  # no more than there are strengths
    return (chosen if chance_moves(tree).any() else replace(chosen, counts=(first,))), found


def _trial(buckets: Buckets, whole: Partition, iterations: int, notify: Callable[[str], None]) -> Trial:
    name = f"{buckets.by} {':'.join(map(str, buckets.counts))}, {buckets.recall} recall, {whole.size:,} classes"
    exact = is_two_player_constant_sum(whole.tree) and whole.forgotten is None
    notify(f"{name}: an equilibrium of the classes")
    equilibrium = solve(whole, "lp") if exact else solve(whole, "cfr+", iterations=iterations)
    best, least = math.nan, math.nan
    if whole.tree.players == 2:
        notify(f"{name}: CFR-BR")
        best = solve(whole, _CFR_BR, iterations=iterations).nash_conv
        if best > equilibrium.nash_conv > _DRAWN:  # on its way; it is at 0 only in the end
            notify(f"{name}: CFR-BR, on to where the equilibrium is")
            best = solve(whole, _CFR_BR, iterations=_LONGER * iterations, until=equilibrium.nash_conv).nash_conv
    if exact:
        notify(f"{name}: the least exploitable")
        least = max(0.0, nash_conv(least_exploitable(whole)))
    recall = "imperfect" if whole.forgotten else "perfect"
    return Trial(buckets.counts, buckets.by, recall, whole.size, max(0.0, equilibrium.nash_conv), best, least)


def panel(title: str, trials: Sequence[Trial]) -> Panel:
    """Return a picture of trials: NashConv in the real game by number of classes."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for (recall, field), name in _LINES.items():
        points = [(float(trial.classes), getattr(trial, field)) for trial in trials if trial.recall == recall]
        if drawn := sorted(point for point in points if point[1] > _DRAWN):
            lines[name] = drawn
    return Panel(title, "classes", lines)
