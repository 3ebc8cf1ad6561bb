"""The arrays of a tree, filled from the regions of its bundles."""

from __future__ import annotations

from typing import Any

import numpy as np

from tefuda.forms.bundles.regions import Bundles, DealtChance, DealtRegion
from tefuda.games.protocol import CHANCE, TERMINAL


class BundledArrays:
    """The arrays of a tree, filled region by region; see `Tree` for their meaning.

    All numbers are those of a depth-first traversal history by history: infosets and label sets are numbered by the
    first opening of a history that has them.
    """

    def __init__(self, bundles: Bundles) -> None:
        self.bundles, size = bundles, 1 + int(bundles.root.sizes().sum())
        players = bundles.game.players
        self.player, self.infoset = np.full(size, TERMINAL, dtype=np.int8), np.full(size, -1, dtype=np.int32)
        self.parent, self.first_child = np.full(size, -1, dtype=np.int32), np.zeros(size, dtype=np.int32)
        self.chance, self.label_set = np.ones(size), np.full(size, -1, dtype=np.int32)
        self.ends: list[tuple[np.ndarray, np.ndarray]] = []
        self.infoset_opened = np.full(len(bundles.keys), size, dtype=np.int64)
        self.label_set_opened = np.full(len(bundles.label_sets), size, dtype=np.int64)
        self._fill(bundles.root, np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64))
        self.terminals = np.flatnonzero(self.player == TERMINAL).astype(np.int32)
        self.payoffs = np.zeros((len(self.terminals), players))
        row = np.cumsum(self.player == TERMINAL, dtype=np.int32) - 1
        for numbers, payoffs in self.ends:
            self.payoffs[row[numbers]] = payoffs

    def _fill(self, region: DealtRegion, starts: np.ndarray, bases: np.ndarray) -> None:
        """Fill the arrays of a region; starts, bases: `[deals]` number of the start, and of its first child."""
        below = [chance.sizes for chance in region.chances]
        shifts = bases[:, None] + np.cumsum([np.zeros_like(bases), *below], axis=0).T
        before, origin = np.array(region.before, dtype=np.int64), np.array(region.origin, dtype=np.int64)
        numbers = np.empty((len(bases), len(origin) + 1), dtype=np.int64)  # last, the start: local number -1
        np.add(shifts.take(before[origin], axis=1), np.arange(len(origin)), out=numbers[:, :-1])
        numbers[:, -1] = starts
        nodes = numbers.take(region.node, axis=1)
        firsts = shifts.take(before, axis=1) + np.array(region.first, dtype=np.int64)
        self.parent[numbers[:, :-1]] = nodes.take(origin, axis=1)
        self.first_child[nodes] = firsts
        self._fill_decisions(region, nodes, firsts)
        for chance in region.chances:
            self._fill_chance(chance, nodes[:, chance.opening], firsts[:, chance.opening])
        if region.ends:
            ends, outcomes, index = zip(*region.ends, strict=True)
            kinds = {id(one): one.number for one in outcomes}
            row_of = {kind: row for row, kind in enumerate(kinds)}
            outcome = np.array(list(kinds.values()))[[row_of[id(one)] for one in outcomes]]  # [ends, deals]
            payoffs = np.array(region.payoffs).reshape(-1, self.bundles.game.players)
            values = payoffs.take(outcome.T + np.array(index), axis=0)
            self.ends.append((numbers.take(ends, axis=1).ravel(), values.reshape(-1, self.bundles.game.players)))

    def _fill_decisions(self, region: DealtRegion, nodes: np.ndarray, firsts: np.ndarray) -> None:
        movers = np.array(region.mover, dtype=np.int8)
        players = np.flatnonzero(movers >= 0)
        nodes, firsts, movers = nodes[:, players], firsts[:, players], movers[players]
        labels = np.array(region.labels, dtype=np.int32)[players]
        self.player[nodes], self.label_set[nodes] = movers, labels
        places = np.array(region.infosets, dtype=np.int64)[players] + region.deals.hands[movers].T
        infosets = np.array(region.ids, dtype=np.int32).take(places)
        self.infoset[nodes] = infosets
        np.minimum.at(self.infoset_opened, infosets, firsts)
        np.minimum.at(self.label_set_opened, labels, firsts[0])

    def _fill_chance(self, chance: DealtChance, nodes: np.ndarray, firsts: np.ndarray) -> None:
        self.player[nodes], self.label_set[nodes] = CHANCE, chance.label_sets
        np.minimum.at(self.label_set_opened, chance.label_sets, firsts)
        starts = firsts[chance.owner] + chance.place
        self.parent[starts], self.chance[starts] = nodes[chance.owner], chance.probabilities
        sizes = chance.below.sizes()
        earlier = np.cumsum(sizes) - sizes
        counts = np.bincount(chance.owner)
        since = earlier - earlier[np.cumsum(counts) - counts][chance.owner]
        self._fill(chance.below, starts, (firsts + counts)[chance.owner] + since)

    def fields(self) -> dict[str, Any]:
        """Return the fields of the tree that depend on the numbers of infosets and label sets."""
        infosets, sets = np.argsort(self.infoset_opened), np.argsort(self.label_set_opened)
        keys, labels = self.bundles.keys, list(self.bundles.label_sets)
        sizes = np.array([len(one) for one in labels], dtype=np.int16)[sets]
        label_set = _renumbered(self.label_set, sets)
        infoset_labels = _renumbered(np.array(self.bundles.infoset_labels, dtype=np.int32), sets)[infosets]
        return {
            "player": self.player,
            "parent": self.parent,
            "first_child": self.first_child,
            "child_count": np.append(sizes, np.int16(0))[label_set],  # terminals have label set -1, the last
            "infoset": _renumbered(self.infoset, infosets),
            "chance": self.chance,
            "label_set": label_set,
            "terminals": self.terminals,
            "payoffs": self.payoffs,
            "infoset_player": np.array(self.bundles.infoset_player, dtype=np.int8)[infosets],
            "infoset_labels": infoset_labels,
            "first_row": np.append(0, np.cumsum(sizes[infoset_labels])).astype(np.int32),
            "keys": tuple([keys[number] for number in infosets.tolist()]),
            "label_sets": tuple(labels[number] for number in sets),
        }


def _renumbered(values: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return the position in `order` of each value; -1 stays."""
    places = np.full(len(order) + 1, -1, dtype=np.int32)
    places[order] = np.arange(len(order))
    return places[values]
