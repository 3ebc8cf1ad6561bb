"""A part of a game in sequence form, from its roots to its terminal histories and exits.

Dimension letters: P players, S augmented infosets of a player, E exits, Q sequences, R rows of the tree in the region.

A player's first sequences are its augmented infosets at the roots: their realisation probabilities are its
*range*, and their utilities are the counterfactual values of the augmented infosets. They are in no group,
so kernels leave ranges unchanged. Chance probabilities start at the beginning of the game. The mean payoff
of the players is subtracted, so a constant-sum game becomes zero-sum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tefuda.errors import GameError
from tefuda.forms.arrays import derived, descendants
from tefuda.forms.sequence import (
    SequenceForm,
    assemble,
    chance_reach,
    merge_leaves,
    number_sequences,
    past_rows,
    scale_of,
    sequence_form,
)
from tefuda.forms.tree import Tree
from tefuda.games.protocol import TERMINAL


@dataclass(frozen=True, eq=False)
class Region(SequenceForm):
    """The sequence form of a part of a game (see the module); fields of `SequenceForm`, and:

    augmented_counts: `[P]` number of augmented infosets of each player.
    rows: `[R]` the tree's rows in the region, rising, in the order of `sequence`.
    exits: `[E]` histories where the region ends, rising.
    exit_sequences: `[E, P]` each player's sequence there.
    """

    augmented_counts: np.ndarray  # [P]
    rows: np.ndarray  # [R]
    exits: np.ndarray  # [E]
    exit_sequences: np.ndarray  # [E, P]

    def starts(self, player: int) -> int:
        """Return the number of a player's augmented infosets."""
        return int(self.augmented_counts[player])


def region_of(tree: Tree, roots: np.ndarray, infosets: np.ndarray, exits: np.ndarray | None = None) -> Region:
    """Return the region between some histories and others.

    roots: `[R]` histories, none below another.
    infosets: `[P, R]` augmented infoset of each player there, counted from 0.
    exits: `[E]` histories below the roots; none if omitted.

    Raises:
        GameError: an infoset lies partly outside, or its player forgets its augmented infoset.
    """
    nodes, entered = descendants(tree.first_child, tree.child_count, roots, exits)
    left = np.isin(nodes, () if exits is None else exits)
    moves, ends = np.flatnonzero((tree.infoset[nodes] >= 0) & ~left), np.flatnonzero(tree.player[nodes] == TERMINAL)
    met, counts = tree.infoset[nodes[moves]], infosets.max(axis=1) + 1
    inside, place = np.unique(met, return_inverse=True)
    positions, groups_of = _positions(sequence_form(tree))
    order = np.argsort(positions[inside])
    members = inside[order].astype(np.int64)
    span, group_span, groups, sequence = number_sequences(tree, members, groups_of[members][:, None], counts)
    last = tree.derived(past_rows)[nodes]
    before = np.where(last >= 0, sequence[last], -1)
    before = np.where(before >= 0, before, span[:-1] + infosets[:, entered].T)
    parent = _parents(tree, inside, place, before[moves, tree.player[nodes[moves]]])[order]
    treeplex = {"span": span, "group_span": group_span, "groups": groups, "parent": parent}
    leaves = merge_leaves(before[ends], _values(tree, nodes[ends]), span)
    rows = np.flatnonzero(sequence >= 0)
    return Region(
        **assemble(treeplex, leaves, sequence[rows]), infoset=members.astype(np.int32),
        scale=scale_of(tree), augmented_counts=counts, rows=rows, exits=nodes[left], exit_sequences=before[left],
    )  # fmt: skip


@dataclass(frozen=True)
class InsertedGroup:
    """A group of m infosets with k actions each to insert into a region.

    player: player of the infosets. group: number of the group that follows. base: first sequence of the
    group. added: number of new sequences; the region's sequences from `first` on are shifted by it.
    """

    player: int
    group: int
    m: int
    k: int
    first: int
    added: int
    base: int

    def renumbered(self, sequences: np.ndarray) -> np.ndarray:
        """Return the new numbers of the region's sequences."""
        return sequences.astype(np.int64) + self.added * (sequences >= self.first)


def insert_group(
    region: Region,
    inserted: InsertedGroup,
    parents: np.ndarray,
    counts: np.ndarray,
    leaves: np.ndarray,
    values: np.ndarray,
) -> Region:
    """Return a two-player zero-sum region with additional leaves and infosets, which have tree number -1.

    parents: `[m]` sequences before the inserted infosets, in new numbers like leaves. counts: `[P]` number of
    sequences of each player before its first move. leaves: `[L, 2]` sequences of both players at the new
    leaves. values: `[L]` values of player 0.
    """
    groups, later = region.groups.astype(np.int64), np.arange(3) > inserted.player
    start = int(groups[inserted.group, 0]) if inserted.group < len(groups) else len(region.infoset)
    groups[inserted.group :, 0] += inserted.m
    groups[:, 3] = inserted.renumbered(groups[:, 3])
    span = region.span.astype(np.int64) + inserted.added * later
    treeplex = {
        "span": span,
        "group_span": region.group_span + later,
        "groups": np.insert(groups, inserted.group, [start, inserted.m, inserted.k, inserted.base], axis=0),
        "parent": np.insert(inserted.renumbered(region.parent), np.full(len(parents), start), parents),
    }
    old, worth = _listed_leaves(region)
    both = np.append(worth, values)
    merged = merge_leaves(np.concatenate([inserted.renumbered(old), leaves]), np.stack([both, -both], axis=1), span)
    return Region(
        **assemble(treeplex, merged, inserted.renumbered(region.sequence)), scale=region.scale, augmented_counts=counts,
        rows=region.rows, infoset=np.insert(region.infoset, np.full(inserted.m, start), np.int32(-1)),
        exits=region.exits, exit_sequences=inserted.renumbered(region.exit_sequences),
    )  # fmt: skip


def max_margin_gadget(region: Region, player: int, payments: np.ndarray) -> Region:
    """Return the max-margin gadget game of Moravcik et al. 2016.

    A player chooses its augmented infoset and pays its price. It has one sequence before its first move, and its
    augmented infosets are the actions of its first infoset.
    payments: `[S]` price of each augmented infoset, if the opponent's range sums to 1.
    """
    other, count, first = 1 - player, region.starts(player), int(region.span[player])
    inserted = InsertedGroup(player, int(region.group_span[player]), 1, count, first, 1, first + 1)
    payers = inserted.renumbered(np.arange(region.starts(other)) + int(region.span[other]))
    leaves = np.empty((count * len(payers), 2), dtype=np.int64)
    leaves[:, player] = np.repeat(first + 1 + np.arange(count), len(payers))
    leaves[:, other] = np.tile(payers, count)
    values = np.repeat(payments, len(payers)) * (1 if other == 0 else -1)
    counts = np.where(np.arange(2) == player, 1, region.augmented_counts)
    return insert_group(region, inserted, np.array([first]), counts, leaves, values)


def _listed_leaves(region: Region) -> tuple[np.ndarray, np.ndarray]:
    """Return `[L, 2]` sequences of both players at the leaves, and `[L]` values of player 0."""
    starts, own = region.leaf_start.astype(np.int64), region.own(0)
    counts, end = np.diff(starts)[own], int(starts[own.stop])
    mine = np.repeat(np.arange(own.stop), counts)
    return np.stack([mine, region.leaf_other[:end].astype(np.int64)], axis=1), region.leaf_value[:end]


def _values(tree: Tree, ends: np.ndarray) -> np.ndarray:
    """Return `[Z, P]` chance's probability of terminal histories times the payoffs less their mean."""
    payoffs = tree.payoffs[np.searchsorted(tree.terminals, ends)]
    return tree.derived(chance_reach)[ends, None] * (payoffs - payoffs.mean(axis=1, keepdims=True))


def _parents(tree: Tree, inside: np.ndarray, place: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Return the sequence before each infoset.

    place, before: `[D]` infoset and last sequence of each decision.

    Raises:
        GameError: an infoset lies partly outside, or its player forgets its augmented infoset.
    """
    parent = np.zeros(len(inside), dtype=np.int64)
    parent[place] = before
    outside = np.bincount(place, minlength=len(inside)) != tree.history_counts[inside]
    torn = np.concatenate([np.flatnonzero(outside), place[parent[place] != before]])
    if len(torn):
        why = "lies partly outside the region" if outside.any() else "has histories with different augmented infosets"
        raise GameError(f"{tree.name}: {tree.name_of(int(inside[torn[0]]))!r} {why}, so the region is not closed.")
    return parent


@derived
def _positions(form: SequenceForm) -> tuple[np.ndarray, np.ndarray]:
    """Return `[I]` the position of each infoset in a form, and its group there."""
    positions, groups = np.zeros((2, len(form.infoset)), dtype=np.int64)
    positions[form.infoset] = np.arange(len(form.infoset))
    groups[form.infoset] = np.repeat(np.arange(len(form.groups)), form.groups[:, 1].astype(np.int64))
    return positions, groups
