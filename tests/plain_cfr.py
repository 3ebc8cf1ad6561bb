"""Plain CFR with simultaneous updates, whose sums follow the order of the tree's histories.

Exact ties of regrets are common in small games, such as three-player Kuhn poker: there the order of the sums decides
whether a regret is 0 or 1e-18, hence the next strategy. Published digits need this order.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import tefuda as td
from tefuda.forms.arrays import depths
from tefuda.forms.sequence import chance_reach, last_rows


def iterates(tree: td.Tree, count: int) -> Iterator[td.Profile]:
    """Yield the profiles before each of the first updates; the first one is uniform."""
    last, parent = last_rows(tree)
    ends, values = _merged(last[tree.terminals], chance_reach(tree)[tree.terminals, None] * tree.payoffs)
    order = depths(tree.first_child, tree.child_count)[tree.first_history].argsort(kind="stable").tolist()
    regrets = np.zeros(tree.rows)
    for _ in range(count):
        profile = td.Profile.from_weights(tree, np.maximum(regrets, 0.0))
        yield profile
        play, plans = profile.probabilities, np.ones(tree.rows + 1)  # the last one: before a player's first move
        for infoset in order:
            rows = tree.rows_of(infoset)
            plans[rows] = plans[parent[infoset]] * play[rows]
        for player in range(tree.players):
            utilities, others = np.zeros(tree.rows + 1), np.delete(plans[ends], player, axis=1).prod(axis=1)
            np.add.at(utilities, ends[:, player], values[:, player] * others)
            for infoset in reversed(order):
                if tree.infoset_player[infoset] == player:
                    rows = tree.rows_of(infoset)
                    value = (play[rows] * utilities[rows]).sum()
                    utilities[parent[infoset]] += value
                    regrets[rows] += utilities[rows] - value


def _merged(ends: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct ends, in the order in which they come first, and the sums of their values."""
    sums: dict[tuple[int, ...], np.ndarray] = {}
    for end, value in zip(map(tuple, ends.tolist()), values, strict=True):
        sums[end] = sums.get(end, 0.0) + value
    return np.array(list(sums)), np.array(list(sums.values()))


#: Gaps of the device of the first iterates, computed by two other programs that share no code: totals of NFCCE, EFCCE
#: and EFCE, and the largest gain of EFCE, all summed over or taken over the players; then values, where known.
ORACLES = {
    "kuhn": {
        10: ((0.3605565503, 0.371176885148, 0.429333583326, 0.037315675005), ()),
        100: ((0.086565467134, 0.086565467134, 0.102718259123, 0.010767913541), ()),
        300: (
            (0.037663361787, 0.039023159686, 0.045181872681, 0.00742309345),
            (-0.030866960006, -0.024651068342, 0.055518028348),
        ),
    },
    "sheriff": {
        10: ((2.048764439112, 2.048764439112, 2.273764439112, 0.857141765154), ()),
        100: ((0.567222334897, 0.567222334897, 0.881352075817, 0.331652968472), ()),
        1000: ((0.124246534282, 0.124246534282, 0.129096569379, 0.058275432256), (0.718898519307, -0.018549470485)),
    },
}
