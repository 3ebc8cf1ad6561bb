"""Lossless merging of infosets: suits in Leduc, cards that do not matter in reduced games.

Colours of sequences and infosets are split until they are stable: infosets of a colour then come from parents of one
colour, and what follows their actions is equal up to one factor: infosets by colour, and sums of leaves by the other
players' colours. Against strategies that are equal within colours, actions of one colour then have the same value up
to that factor. So some best response is equal within colours too, and an equilibrium among such strategies is one of
the whole game, for any number of players and any payoffs. Without the factor this is colour refinement of the
sequence-form program (grohe2014); the factor merges what only chance weighs differently.

Dimension letters: Q sequences, J infosets in the form's order, L leaves of all players.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tefuda.forms.partition import Partition, merge
from tefuda.forms.sequence import SequenceForm, sequence_form
from tefuda.forms.tree import Tree

_EQUAL = 1e-12  # parts of an infoset that differ by less are round-off


def lossless(tree: Tree) -> Partition:
    """Return the coarsest partition that colour refinement finds; every method may solve the game in it.

    A profile of the small game has the same values and gains in the real game, so that every equilibrium of the small
    game is one of the real game. Actions are merged whatever their names; equivalent actions of an infoset get equal
    probabilities.

    Args:
        tree: a game with perfect recall and any number of players.

    Raises:
        GameError: imperfect recall.

    >>> td.lossless(td.compile_game(td.load_game("leduc", distinct_suits=True)))
    Partition(leduc, 936 infosets in 288 classes, perfect recall)
    """
    form = sequence_form(tree)
    return _partition(tree, form, *refined(form, owners(form)))


def owners(form: SequenceForm) -> np.ndarray:
    """Return the player `[Q]` of each sequence: the first colours."""
    return np.repeat(np.arange(form.players), _lengths(form.span))


def _lengths(span: np.ndarray) -> np.ndarray:
    ends = span.astype(np.int64)
    return ends[1:] - ends[:-1]


@dataclass(frozen=True, eq=False)
class _Links:
    """The neighbours of each sequence, infoset and leaf."""

    owner: np.ndarray  # [Q] the infoset whose action each sequence is, J for empty ones
    parent: np.ndarray  # [J] the sequence before each infoset
    leaf: np.ndarray  # [L] the sequence of each leaf
    others: np.ndarray  # [L, P - 1] the sequences of the other players there
    value: np.ndarray  # [L] the payoff of the sequence's player


def _links(form: SequenceForm) -> _Links:
    owner = np.full(form.sequences, len(form.parent))
    for first, m, k, base in form.groups.astype(np.int64).tolist():
        owner[base : base + k * m] = np.tile(np.arange(first, first + m), k)
    leaf = np.repeat(np.arange(form.sequences), _lengths(form.leaf_start))
    other = form.leaf_other.astype(np.int64)
    others = form.pairs.astype(np.int64)[other] if form.players > 2 else other[:, None]
    return _Links(owner, form.parent.astype(np.int64), leaf, others, form.leaf_value)


def refined(form: SequenceForm, colours: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the coarsest stable colours of sequences `[Q]` and infosets `[J]`."""
    links, count = _links(form), 0
    while True:
        colours = np.unique(colours, return_inverse=True)[1]
        infosets = _of_infosets(links, colours)
        if colours.max() + 1 == count:
            return colours, infosets
        count = int(colours.max()) + 1
        told = _mixed(colours, 1) + _mixed(np.append(infosets, 0)[links.owner], 2)
        sequence, kind, part = _parts(form, links, colours, infosets)
        np.add.at(told, sequence, _mixed(kind * (len(part) + 1) + _numbered(part), 3))
        colours = told


def _parts(
    form: SequenceForm, links: _Links, colours: np.ndarray, infosets: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return sequences, the kinds of what follows them, and its shares."""
    with_whom = np.zeros(len(links.leaf), dtype=np.int64)
    for column in links.others.T:
        with_whom = np.unique(with_whom * (colours.max() + 1) + colours[column], return_inverse=True)[1]
    at_leaves = _summed(links.leaf, with_whom, links.value)
    size = _sizes(form, at_leaves[0], at_leaves[2])
    below = _summed(links.parent, infosets, size[:-1])
    sequence = np.append(at_leaves[0], below[0])
    kind = np.append(at_leaves[1] + len(infosets), below[1])
    return sequence, kind, np.append(at_leaves[2], below[2]) / size[links.owner[sequence]]


def _sizes(form: SequenceForm, sequence: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Return the absolute sums `[J + 1]` of the leaves below each infoset, or 1."""
    hung, size = np.bincount(sequence, np.abs(sums), minlength=form.sequences), np.zeros(len(form.parent) + 1)
    for first, m, k, base in form.groups.astype(np.int64)[::-1].tolist():
        size[first : first + m] = hung[base : base + k * m].reshape(k, m).sum(axis=0)
        np.add.at(hung, form.parent[first : first + m].astype(np.int64), size[first : first + m])
    return np.where(size > 0, size, 1.0)


def _of_infosets(links: _Links, colours: np.ndarray) -> np.ndarray:
    """Return the colours of infosets `[J]`: those of their actions and parents."""
    told = np.append(_mixed(colours[links.parent], 5), np.zeros(1, np.uint64))
    np.add.at(told, links.owner, _mixed(colours, 6))
    return np.unique(told[:-1], return_inverse=True)[1]


def _summed(sequence: np.ndarray, kind: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sum values of equal sequence and kind; drop sums that are round-off."""
    order = np.lexsort((kind, sequence))
    sequence, kind, value = sequence[order], kind[order], value[order]
    starts = np.flatnonzero((np.diff(sequence, prepend=-1) != 0) | (np.diff(kind, prepend=-1) != 0))
    if not len(starts):
        return sequence, kind, value
    sums, sizes = np.add.reduceat(value, starts), np.add.reduceat(np.abs(value), starts)
    kept = np.abs(sums) > _EQUAL * sizes
    return sequence[starts][kept], kind[starts][kept], sums[kept]


def _numbered(parts: np.ndarray) -> np.ndarray:
    """Return a number for each size; sizes that differ by round-off have the same."""
    order, number = np.argsort(parts), np.zeros(len(parts), dtype=np.int64)
    number[order[1:]] = np.cumsum(np.diff(parts[order]) > _EQUAL)
    return number


def _mixed(numbers: np.ndarray, salt: int) -> np.ndarray:
    """Hash numbers to 64 bits whose sums tell multisets apart (splitmix64)."""
    bits = numbers.astype(np.uint64) * np.uint64(8) + np.uint64(salt)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))


def _partition(tree: Tree, form: SequenceForm, colours: np.ndarray, infosets: np.ndarray) -> Partition:
    """Return the partition by colours; actions have the order of each class's first infoset."""
    labels, rows = np.empty(tree.infosets, dtype=np.int64), colours[form.sequence]
    labels[form.infoset] = infosets
    first = np.unique(labels, return_index=True)[1]
    chosen = np.flatnonzero(np.isin(tree.infoset_of_row, first))
    found, at = np.unique(rows[chosen], return_index=True)
    found, at = found[np.argsort(at)], np.sort(at)
    owner = tree.infoset_of_row[chosen[at]]
    place = np.zeros(int(colours.max()) + 1, dtype=np.int64)
    place[found] = np.arange(len(found)) - np.searchsorted(owner, owner)
    return merge(tree, labels.tolist(), place[rows])
