"""Lossless merging of infosets, such as isomorphic suits and irrelevant cards.

Colours of sequences and infosets are refined until they are stable. In a stable colouring, infosets of a colour have
parents of one colour, and their continuations are equal up to one factor: the colours of the infosets that follow, and
the sums of leaf payoffs by the colours of the opponents' sequences.

If all strategies are equal within colours, then actions of one colour have the same value up to this factor. Therefore
some best response is equal within colours, too, and an equilibrium of such strategies is an equilibrium of the whole
game, for any number of players and any payoffs. Without the factor this is colour refinement of the sequence-form
program (grohe2014). The factor also merges infosets that differ only in chance probabilities.

Dimension letters: Q sequences, J infosets in the form's order, L leaves of all players.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tefuda.forms.partitions import Partition, merge
from tefuda.forms.sequence import SequenceForm, sequence_form
from tefuda.forms.tree import Tree

_EQUAL = 1e-12  # smaller differences are round-off


def lossless(tree: Tree) -> Partition:
    """Return the coarsest partition that colour refinement finds; every method can solve it.

    A profile of the small game has the same values and best-response gains in the real game. Every equilibrium of the
    small game is therefore an equilibrium of the real game. Actions may be merged even if their labels differ.
    Equivalent actions of an infoset get equal probabilities.

    Args:
        tree: game with perfect recall and any number of players.

    Raises:
        GameError: the game has imperfect recall.

    >>> td.lossless(td.compile_game(td.load_game("leduc", distinct_suits=True)))
    Partition(leduc, 936 infosets in 288 classes, perfect recall)
    """
    form = sequence_form(tree)
    return _partition(tree, form, *stable_colours(form, initial_colours(form)))


def initial_colours(form: SequenceForm) -> np.ndarray:
    """Return the initial colour `[Q]` of each sequence: its player."""
    return np.repeat(np.arange(form.players), _lengths(form.span))


def _lengths(span: np.ndarray) -> np.ndarray:
    ends = span.astype(np.int64)
    return ends[1:] - ends[:-1]


@dataclass(frozen=True, eq=False)
class _Neighbours:
    """Neighbours of each sequence, infoset and leaf."""

    owner: np.ndarray  # [Q] infoset of the last action of each sequence; J for empty sequences
    parent: np.ndarray  # [J] sequence before each infoset
    leaf: np.ndarray  # [L] sequence of each leaf
    others: np.ndarray  # [L, P - 1] sequences of the other players at each leaf
    value: np.ndarray  # [L] payoff of the sequence's player


def _neighbours(form: SequenceForm) -> _Neighbours:
    owner = np.full(form.sequences, len(form.parent))
    for first, m, k, base in form.groups.astype(np.int64).tolist():
        owner[base : base + k * m] = np.tile(np.arange(first, first + m), k)
    own, others, value = (np.concatenate(parts) for parts in zip(*map(form.leaves, range(form.players)), strict=True))
    return _Neighbours(owner, form.parent.astype(np.int64), own, others, value)


def stable_colours(form: SequenceForm, colours: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the coarsest stable colours of sequences `[Q]` and infosets `[J]`."""
    links, count = _neighbours(form), 0
    while True:
        colours = np.unique(colours, return_inverse=True)[1]
        infosets = _infoset_colours(links, colours)
        if colours.max() + 1 == count:
            return colours, infosets
        count = int(colours.max()) + 1
        hashes = _hash(colours, 1) + _hash(np.append(infosets, 0)[links.owner], 2)
        sequence, kind, part = _continuations(form, links, colours, infosets)
        np.add.at(hashes, sequence, _hash(kind * (len(part) + 1) + _numbered(part), 3))
        colours = hashes


def _continuations(
    form: SequenceForm, links: _Neighbours, colours: np.ndarray, infosets: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return sequences, kinds of their continuations, and the continuations' shares of payoffs."""
    opponents_colour = np.zeros(len(links.leaf), dtype=np.int64)
    for column in links.others.T:
        opponents_colour = np.unique(opponents_colour * (colours.max() + 1) + colours[column], return_inverse=True)[1]
    at_leaves = _sum_equal(links.leaf, opponents_colour, links.value)
    size = _payoff_sizes(form, at_leaves[0], at_leaves[2])
    below = _sum_equal(links.parent, infosets, size[:-1])
    sequence = np.append(at_leaves[0], below[0])
    kind = np.append(at_leaves[1] + len(infosets), below[1])
    return sequence, kind, np.append(at_leaves[2], below[2]) / size[links.owner[sequence]]


def _payoff_sizes(form: SequenceForm, sequence: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Return the sum `[J + 1]` of absolute leaf payoffs below each infoset; 1 where it is zero."""
    below, size = np.bincount(sequence, np.abs(sums), minlength=form.sequences), np.zeros(len(form.parent) + 1)
    for first, m, k, base in form.groups.astype(np.int64)[::-1].tolist():
        size[first : first + m] = below[base : base + k * m].reshape(k, m).sum(axis=0)
        np.add.at(below, form.parent[first : first + m].astype(np.int64), size[first : first + m])
    return np.where(size > 0, size, 1.0)


def _infoset_colours(links: _Neighbours, colours: np.ndarray) -> np.ndarray:
    """Return the colour `[J]` of each infoset, determined by the colours of its actions and its parent."""
    hashes = np.append(_hash(colours[links.parent], 5), np.zeros(1, np.uint64))
    np.add.at(hashes, links.owner, _hash(colours, 6))
    return np.unique(hashes[:-1], return_inverse=True)[1]


def _sum_equal(sequence: np.ndarray, kind: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sum the values of equal sequence and kind, and drop sums that are only round-off."""
    order = np.lexsort((kind, sequence))
    sequence, kind, value = sequence[order], kind[order], value[order]
    starts = np.flatnonzero((np.diff(sequence, prepend=-1) != 0) | (np.diff(kind, prepend=-1) != 0))
    if not len(starts):
        return sequence, kind, value
    sums, sizes = np.add.reduceat(value, starts), np.add.reduceat(np.abs(value), starts)
    significant = np.abs(sums) > _EQUAL * sizes
    return sequence[starts][significant], kind[starts][significant], sums[significant]


def _numbered(parts: np.ndarray) -> np.ndarray:
    """Return a number for each size; sizes that differ by round-off have the same."""
    order, number = np.argsort(parts), np.zeros(len(parts), dtype=np.int64)
    number[order[1:]] = np.cumsum(np.diff(parts[order]) > _EQUAL)
    return number


def _hash(numbers: np.ndarray, salt: int) -> np.ndarray:
    """Hash numbers to 64 bits by splitmix64; sums of the hashes distinguish multisets."""
    bits = numbers.astype(np.uint64) * np.uint64(8) + np.uint64(salt)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))


def _partition(tree: Tree, form: SequenceForm, colours: np.ndarray, infosets: np.ndarray) -> Partition:
    """Return the partition by colours; the actions of a class have the order of its first infoset."""
    labels, rows = np.empty(tree.infosets, dtype=np.int64), colours[form.sequence]
    labels[form.infoset] = infosets
    first = np.unique(labels, return_index=True)[1]
    rows_of_first = np.flatnonzero(np.isin(tree.infoset_of_row, first))
    kept_colours, positions = np.unique(rows[rows_of_first], return_index=True)
    kept_colours, positions = kept_colours[np.argsort(positions)], np.sort(positions)
    owner = tree.infoset_of_row[rows_of_first[positions]]
    rank = np.zeros(int(colours.max()) + 1, dtype=np.int64)
    rank[kept_colours] = np.arange(len(kept_colours)) - np.searchsorted(owner, owner)
    return merge(tree, labels.tolist(), rank[rows])
