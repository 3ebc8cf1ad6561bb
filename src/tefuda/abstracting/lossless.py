"""Infosets that can be merged without losing anything, found by themselves: suits in Leduc, chaff in mini games.

Sequences and infosets are coloured, and colours split until they are stable: infosets of a colour then come from
parents of one colour, and what hangs on their actions is alike up to one factor: infosets by colour, and sums of leaves
by the others' colours. Where the others play alike within colours, actions of one colour are worth the same up to that
factor; so some best response plays alike too, and an equilibrium among strategies that do is one of the whole game,
for any number of players and any payoffs. Rows of an infoset that have one colour get equal probabilities.
Without the factor this is colour refinement of the sequence-form program (grohe2014); with it, what only chance weighs
differently is alike too. All symmetries of the rules are found, and more.

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
    """The coarsest partition that colour refinement finds: whoever plays in it loses nothing.

    Actions need not have one name to be merged: what follows them counts. Where several actions of an infoset do the
    same, they get equal probabilities. A profile of the small game has the same values and the same gains by deviating
    in the real game, so that every equilibrium of the small game is one of the real game.

    Args:
        tree: with perfect recall, any number of players.

    Returns:
        A partition, in which every method may solve the game.

    Raises:
        GameError: imperfect recall.

    >>> td.lossless(td.compile_game(td.load_game("leduc", distinct_suits=True)))
    Partition(leduc, 936 infosets in 288 classes, perfect recall)
    """
    form = sequence_form(tree)
    return _partition(tree, form, *_refined(form, _owners(form)))


def loses_nothing(whole: Partition) -> bool:
    """Whether the classes of a partition are stable colours, so that whoever plays in it loses nothing.

    >>> tree = td.compile_game(td.load_game("leduc"))
    >>> loses_nothing(td.lossless(tree)), loses_nothing(td.partition(tree, lambda view, player: view.replace("K", "Q")))
    (True, False)
    """
    form = sequence_form(whole.tree)
    start = _owners(form)
    start[form.sequence] = form.players + whole.rows
    return len(np.unique(_refined(form, start)[0])) == len(np.unique(start))


def _owners(form: SequenceForm) -> np.ndarray:
    """`[Q]` whose each sequence is."""
    return np.repeat(np.arange(form.players), _lengths(form.span))


def _lengths(span: np.ndarray) -> np.ndarray:
    """How many stand between each start and the next."""
    ends = span.astype(np.int64)
    return ends[1:] - ends[:-1]


@dataclass(frozen=True, eq=False)
class _Links:
    """What each sequence and infoset is tied to."""

    owner: np.ndarray  # [Q] the infoset whose action each sequence is, J for empty ones
    parent: np.ndarray  # [J] the sequence before each infoset
    leaf: np.ndarray  # [L] the sequence of each leaf
    others: np.ndarray  # [L, P - 1] the sequences of the others there
    value: np.ndarray  # [L] what it is worth to the sequence's player


def _links(form: SequenceForm) -> _Links:
    owner = np.full(form.sequences, len(form.parent))
    for first, m, k, base in form.groups.astype(np.int64).tolist():
        owner[base : base + k * m] = np.tile(np.arange(first, first + m), k)
    leaf = np.repeat(np.arange(form.sequences), _lengths(form.leaf_start))
    other = form.leaf_other.astype(np.int64)
    others = form.pairs.astype(np.int64)[other] if form.players > 2 else other[:, None]
    return _Links(owner, form.parent.astype(np.int64), leaf, others, form.leaf_value)


def _refined(form: SequenceForm, colours: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The coarsest stable colours of sequences `[Q]` that split these, and those of infosets `[J]`."""
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
    """What hangs on sequences: which, what kind, and how much of it in parts of all that hangs on the infoset."""
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
    """`[J + 1]` how much hangs on each infoset: its leaves' sums without their signs; 1 for none and for no infoset."""
    hung, size = np.bincount(sequence, np.abs(sums), minlength=form.sequences), np.zeros(len(form.parent) + 1)
    for first, m, k, base in form.groups.astype(np.int64)[::-1].tolist():
        size[first : first + m] = hung[base : base + k * m].reshape(k, m).sum(axis=0)
        np.add.at(hung, form.parent[first : first + m].astype(np.int64), size[first : first + m])
    return np.where(size > 0, size, 1.0)


def _of_infosets(links: _Links, colours: np.ndarray) -> np.ndarray:
    """Colours of infosets `[J]`: their actions' with how often each, and their parent's."""
    told = np.append(_mixed(colours[links.parent], 5), np.zeros(1, np.uint64))
    np.add.at(told, links.owner, _mixed(colours, 6))
    return np.unique(told[:-1], return_inverse=True)[1]


def _summed(sequence: np.ndarray, kind: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values summed where sequence and kind are equal, with these; sums that are round-off are left out."""
    order = np.lexsort((kind, sequence))
    sequence, kind, value = sequence[order], kind[order], value[order]
    starts = np.flatnonzero((np.diff(sequence, prepend=-1) != 0) | (np.diff(kind, prepend=-1) != 0))
    if not len(starts):
        return sequence, kind, value
    sums, sizes = np.add.reduceat(value, starts), np.add.reduceat(np.abs(value), starts)
    kept = np.abs(sums) > _EQUAL * sizes
    return sequence[starts][kept], kind[starts][kept], sums[kept]


def _numbered(parts: np.ndarray) -> np.ndarray:
    """A number for each size; sizes that differ by round-off have the same."""
    order, number = np.argsort(parts), np.zeros(len(parts), dtype=np.int64)
    number[order[1:]] = np.cumsum(np.diff(parts[order]) > _EQUAL)
    return number


def _mixed(numbers: np.ndarray, salt: int) -> np.ndarray:
    """64 bits for each number, whose sums tell multisets apart: two of a billion collide with 3 % (splitmix64)."""
    bits = numbers.astype(np.uint64) * np.uint64(8) + np.uint64(salt)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))


def _partition(tree: Tree, form: SequenceForm, colours: np.ndarray, infosets: np.ndarray) -> Partition:
    """Colours of sequences and infosets as classes; actions stand in the order of each class's first infoset."""
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
