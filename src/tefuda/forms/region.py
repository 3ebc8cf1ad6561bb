"""A part of a game in sequence form: from where play enters it to where it ends or is cut off.

Dimension letters: P players, S seats of a player, E exits, Q sequences, R rows of the tree that belong to the region.

A *seat* of a player is what it knows where play enters. A player's first sequences are its seats: their realisation
probability is its *range*, how probable its own actions made each seat, and their utility is the counterfactual value
of the seat. Kernels take the form of a region for that of a game: the seats stand in no group, so ranges stay as they
are given. Chance counts from the start of the game. Payoffs are taken less their mean over the players, so that a
constant-sum game is zero-sum here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tefuda._kernels import sequence as kernels
from tefuda.errors import GameError
from tefuda.forms.arrays import ranges
from tefuda.forms.sequence import (
    SequenceForm,
    assembled,
    merged_leaves,
    numbered,
    past_rows,
    scale_of,
    sequence_form,
)
from tefuda.forms.tree import Tree
from tefuda.games.protocol import TERMINAL


@dataclass(frozen=True, eq=False)
class Region(SequenceForm):
    """The sequence form of a part of a game (see the module's first lines); fields of `SequenceForm`, and:

    seats: `[P]` how many each player has.
    rows: `[R]` the tree's rows of the region, rising; `sequence` is theirs.
    exits: `[E]` the histories where it is cut off, rising.
    exit_sequences: `[E, P]` everybody's sequence there.
    """

    seats: np.ndarray  # [P]
    rows: np.ndarray  # [R]
    exits: np.ndarray  # [E]
    exit_sequences: np.ndarray  # [E, P]

    def starts(self, player: int) -> int:
        """How many sequences a player has before its first move: its seats."""
        return int(self.seats[player])


def region_of(tree: Tree, roots: np.ndarray, seats: np.ndarray, exits: np.ndarray | None = None) -> Region:
    """The region that play enters at some histories and leaves at others.

    Args:
        tree: the game.
        roots: `[R]` histories, none below another.
        seats: `[P, R]` the seat of each player there, counted from 0.
        exits: `[E]` histories below the roots; nowhere if left out.

    Raises:
        GameError: an infoset lies partly outside, or its owner forgets its seat.
    """
    nodes, entered, left = _inside(tree, roots, np.zeros(0, dtype=np.int64) if exits is None else exits)
    moves, ends = np.flatnonzero((tree.infoset[nodes] >= 0) & ~left), np.flatnonzero(tree.player[nodes] == TERMINAL)
    met, counts = tree.infoset[nodes[moves]], seats.max(axis=1) + 1
    inside, place = np.unique(met, return_inverse=True)
    positions, groups_of = sequence_form(tree).derived(_standing)
    order = np.argsort(positions[inside])
    members = inside[order].astype(np.int64)
    span, group_span, groups, sequence = numbered(tree, members, groups_of[members][:, None], counts)
    last = tree.derived(past_rows)[nodes]
    before = np.where(last >= 0, sequence[last], -1)
    before = np.where(before >= 0, before, span[:-1] + seats[:, entered].T)
    parent = _parents(tree, inside, place, before[moves, tree.player[nodes[moves]]])[order]
    treeplex = {"span": span, "group_span": group_span, "groups": groups, "parent": parent}
    leaves = merged_leaves(before[ends], _values(tree, nodes[ends]), span)
    rows = np.flatnonzero(sequence >= 0)
    return Region(
        **assembled(treeplex, leaves, sequence[rows]), infoset=members.astype(np.int32),
        scale=scale_of(tree), seats=counts, rows=rows, exits=nodes[left], exit_sequences=before[left],
    )  # fmt: skip


@dataclass(frozen=True)
class Graft:
    """Infosets to put into a region: a group of m with k actions each, whose parents are sequences.

    player: whose. group: the number of the group it stands before. base: its first sequence. added: how many of its
    sequences are new; those of the region from `first` on move up by so many.
    """

    player: int
    group: int
    m: int
    k: int
    first: int
    added: int
    base: int

    def moved(self, sequences: np.ndarray) -> np.ndarray:
        """The new numbers of sequences of the region."""
        return sequences.astype(np.int64) + self.added * (sequences >= self.first)


def grafted(
    region: Region, graft: Graft, parents: np.ndarray, seats: np.ndarray, leaves: np.ndarray, values: np.ndarray
) -> Region:
    """A region with more infosets, which have no numbers, and more leaves.

    Args:
        region: two players, zero-sum.
        graft: what is added.
        parents: `[m]` the sequences before its infosets, in the new numbers, as all that follows.
        seats: `[P]` how many sequences each player has before its first move now.
        leaves: `[L, 2]` the sequences of both players at the new leaves.
        values: `[L]` of player 0.
    """
    groups, later = region.groups.astype(np.int64), np.arange(3) > graft.player
    start = int(groups[graft.group, 0]) if graft.group < len(groups) else len(region.infoset)
    groups[graft.group :, 0] += graft.m
    groups[:, 3] = graft.moved(groups[:, 3])
    span = region.span.astype(np.int64) + graft.added * later
    treeplex = {
        "span": span,
        "group_span": region.group_span + later,
        "groups": np.insert(groups, graft.group, [start, graft.m, graft.k, graft.base], axis=0),
        "parent": np.insert(graft.moved(region.parent), np.full(len(parents), start), parents),
    }
    old, worth = _leaf_list(region)
    both = np.append(worth, values)
    merged = merged_leaves(np.concatenate([graft.moved(old), leaves]), np.stack([both, -both], axis=1), span)
    return Region(
        **assembled(treeplex, merged, graft.moved(region.sequence)), scale=region.scale, seats=seats, rows=region.rows,
        infoset=np.insert(region.infoset, np.full(graft.m, start), np.int32(-1)),
        exits=region.exits, exit_sequences=graft.moved(region.exit_sequences),
    )  # fmt: skip


def behind_choice(region: Region, player: int, paid: np.ndarray) -> Region:
    """A region before which a player chooses its seat, and pays for it.

    It has one sequence before its first move then, and its seats are the actions of its first infoset. What the other
    makes of its own range is at least what it is paid for the seat: the gadget of Moravcik et al. 2016.

    Args:
        region: two players, zero-sum.
        player: who chooses.
        paid: `[S]` for each of its seats, if the other's range sums to 1.
    """
    other, count, first = 1 - player, region.starts(player), int(region.span[player])
    graft = Graft(player, int(region.group_span[player]), 1, count, first, 1, first + 1)
    payers = graft.moved(np.arange(region.starts(other)) + int(region.span[other]))
    leaves = np.empty((count * len(payers), 2), dtype=np.int64)
    leaves[:, player] = np.repeat(first + 1 + np.arange(count), len(payers))
    leaves[:, other] = np.tile(payers, count)
    values = np.repeat(paid, len(payers)) * (1 if other == 0 else -1)
    seats = np.where(np.arange(2) == player, 1, region.seats)
    return grafted(region, graft, np.array([first]), seats, leaves, values)


def _leaf_list(region: Region) -> tuple[np.ndarray, np.ndarray]:
    """`[L, 2]` the sequences of both players at the leaves of two, and `[L]` the values of player 0."""
    starts, own = region.leaf_start.astype(np.int64), region.own(0)
    counts, end = np.diff(starts)[own], int(starts[own.stop])
    mine = np.repeat(np.arange(own.stop), counts)
    return np.stack([mine, region.leaf_other[:end].astype(np.int64)], axis=1), region.leaf_value[:end]


def chance_reach(tree: Tree) -> np.ndarray:
    """`[N]` the product of chance's probabilities on the way to each history."""
    reach = np.ones(len(tree.player))
    kernels.chance_reach(tree.parent, tree.chance, reach)
    return reach


def _inside(tree: Tree, roots: np.ndarray, exits: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The histories of a region, rising, the root each is below, and which of them are exits."""
    nodes, entered, found, places = roots, np.arange(len(roots)), [], []
    while len(nodes):
        found.append(nodes)
        places.append(entered)
        goes_on = ~np.isin(nodes, exits)
        nodes, entered = nodes[goes_on], entered[goes_on]
        counts = tree.child_count[nodes].astype(np.int64)
        nodes, entered = ranges(tree.first_child[nodes], counts), np.repeat(entered, counts)
    every, entered = np.concatenate(found), np.concatenate(places)
    order = np.argsort(every)
    return every[order], entered[order], np.isin(every[order], exits)


def _values(tree: Tree, ends: np.ndarray) -> np.ndarray:
    """`[Z, P]` chance's probability of terminal histories times the payoffs less their mean."""
    payoffs = tree.payoffs[np.searchsorted(tree.terminals, ends)]
    return tree.derived(chance_reach)[ends, None] * (payoffs - payoffs.mean(axis=1, keepdims=True))


def _parents(tree: Tree, inside: np.ndarray, place: np.ndarray, before: np.ndarray) -> np.ndarray:
    """The sequence before each infoset of a region, from the place among them of `[D]` decisions, and theirs.

    Raises:
        GameError: an infoset lies partly outside, or its owner forgets its seat.
    """
    parent = np.zeros(len(inside), dtype=np.int64)
    parent[place] = before
    outside = np.bincount(place, minlength=len(inside)) != tree.history_counts[inside]
    torn = np.concatenate([np.flatnonzero(outside), place[parent[place] != before]])
    if len(torn):
        why = "lies partly outside" if outside.any() else "does not know how its owner came there"
        raise GameError(
            f"{tree.name}: {tree.name_of(int(inside[torn[0]]))!r} {why}; there is no such part of the game."
        )
    return parent


def _standing(form: SequenceForm) -> tuple[np.ndarray, np.ndarray]:
    """`[I]` where each infoset stands in a form, and its group there."""
    positions, groups = np.zeros((2, len(form.infoset)), dtype=np.int64)
    positions[form.infoset] = np.arange(len(form.infoset))
    groups[form.infoset] = np.repeat(np.arange(len(form.groups)), form.groups[:, 1].astype(np.int64))
    return positions, groups
