"""Boards: the outcomes of public chance, and the sequence form of a game given one of them.

Dimension letters: N histories, P players, T parts of boards, C boards, R rows, Q sequences of a form.

A board is a combination of outcomes of public chance, such as the public card of Leduc poker. Public chance sampling
(Johanson, Bard, Lanctot, Gibson, Bowling 2012) draws a board and updates all hands on it. The draw may have any
probabilities: a terminal history counts with chance's probability divided by that of drawing its board, so utilities
are unbiased.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from tefuda.forms.arrays import Arrays, derived, levels, ranges
from tefuda.forms.blocks import runs_of
from tefuda.forms.sequence import (
    SequenceForm,
    assemble,
    chance_reach,
    last_rows,
    merge_ends,
    number_sequences,
    payoff_arrays,
    public_nodes,
    scale_of,
    sequence_form,
)
from tefuda.forms.tree import Tree
from tefuda.games.protocol import CHANCE


@dataclass(frozen=True, eq=False)
class Boards(Arrays):
    """The boards of a game, as a tree of parts: a part is followed by one more outcome of public chance.

    Attributes:
        parent: `[T]` the part before each part; -1 at the first, which has no outcome.
        probability: `[T]` probability that a part belongs to the drawn board.
        number: `[N]` the part at each history.
        complete: `[C]` the parts that nothing follows.
    """

    parent: np.ndarray  # [T] int64
    probability: np.ndarray  # [T] float64
    number: np.ndarray  # [N] int32
    complete: np.ndarray  # [C] int64

    def parts(self, board: int) -> np.ndarray:
        """Return `[T]` whether each part belongs to a board."""
        inside = np.zeros(len(self.parent), dtype=bool)
        while board >= 0:
            inside[board] = True
            board = int(self.parent[board])
        return inside


@dataclass(frozen=True, eq=False)
class BoardForm(Arrays):
    """A game given a board.

    Attributes:
        form: the sequence form of the histories that are possible on the board.
        rows: `[Q]` the tree's row of each sequence; R at the empty sequences.
        histories: number of histories.
    """

    form: SequenceForm
    rows: np.ndarray  # [Q] int64
    histories: int


@derived
def boards(tree: Tree) -> Boards:
    """Return the boards of a game (cached).

    An event of chance is public if the next decisions after any two outcomes have no infoset in common, nor infosets
    that another player cannot distinguish. An event after which a player moves only after a second one is not public.

    >>> tree = td.compile_game(td.load_game("leduc"))
    >>> boards(tree).probability[1:].round(6).tolist()
    [0.333333, 0.333333, 0.333333]
    """
    public, labels = _is_public(tree), dict[Hashable, int]()
    reach, known = chance_reach(tree), dict[tuple[int, int], int]()
    number, parent, weight = np.zeros(len(tree.player), dtype=np.int32), [-1], [1.0]
    for nodes in levels(tree.first_child, tree.child_count):
        children = ranges(tree.first_child[nodes], tree.child_count[nodes])
        number[children] = np.repeat(number[nodes], tree.child_count[nodes])
        for node in nodes[public[nodes]].tolist():
            for child, label in zip(tree.children(node), tree.labels_at(node), strict=True):
                key = int(number[node]), labels.setdefault(label, len(labels))
                part = known.setdefault(key, len(parent))
                if part == len(parent):
                    parent.append(key[0])
                    weight.append(0.0)
                weight[part] += float(reach[child])
                number[child] = part
    parents, weights = np.array(parent), np.array(weight)
    total, probability = np.bincount(parents[1:], weights[1:], minlength=len(parents)), np.ones(len(parents))
    for part in range(1, len(parents)):
        probability[part] = probability[parents[part]] * weights[part] / (total[parents[part]] or 1.0)
    complete = np.setdiff1d(np.flatnonzero(probability), parents)
    return Boards(parents, probability, number, complete)


def _is_public(tree: Tree) -> np.ndarray:
    """Return `[N]` whether an event of public chance follows a history."""
    none = tree.infosets
    low, high = np.full((2, len(tree.player)), none, dtype=np.int64)
    decisions = tree.infoset >= 0
    low[decisions] = high[decisions] = public_nodes(tree)[tree.infoset[decisions], 0]
    found = np.zeros(len(tree.player), dtype=bool)
    for nodes in reversed(list(levels(tree.first_child, tree.child_count))):
        nodes = nodes[tree.player[nodes] == CHANCE]
        if not len(nodes):
            continue
        counts = tree.child_count[nodes]
        children, event = ranges(tree.first_child[nodes], counts), np.repeat(np.arange(len(nodes)), counts)
        starts = np.cumsum(counts) - counts
        low[nodes] = np.minimum.reduceat(low[children], starts)
        high[nodes] = np.maximum.reduceat(high[children], starts)
        order = np.lexsort((low[children], event))
        again = (np.diff(low[children][order]) == 0) & (np.diff(event[order]) == 0)
        mixed = (low[children] != high[children]) | (low[children] == none)
        mixed[order[1:]] |= again
        found[nodes] = (counts > 1) & ~np.logical_or.reduceat(mixed, starts)
    return found


def board_form(tree: Tree, board: int) -> BoardForm:
    """Return a game given a board (cached).

    Args:
        tree: a game of perfect recall.
        board: one of `Boards.complete`.

    Raises:
        GameError: a player has imperfect recall.
    """
    return tree.derived(_board_form, board)


def _board_form(tree: Tree, board: int) -> BoardForm:
    found, whole, (last, infoset_parent) = boards(tree), sequence_form(tree), last_rows(tree)
    inside = found.parts(board)[found.number]
    reached = np.zeros(tree.infosets, dtype=bool)
    reached[tree.infoset[inside & (tree.infoset >= 0)]] = True
    chosen = reached[whole.infoset]
    order = whole.infoset[chosen]
    group = np.repeat(np.arange(len(whole.groups)), whole.groups[:, 1].astype(np.int64))[chosen]
    empty = np.ones(tree.players, dtype=np.int64)
    span, group_span, groups, sequence = number_sequences(tree, order, group[:, None], empty)
    maps = [np.append(sequence, span[player]) for player in range(tree.players)]
    ends = tree.terminals[inside[tree.terminals]]
    sequences = np.stack([maps[player][last[ends, player]] for player in range(tree.players)], axis=1)
    weights = chance_reach(tree)[ends] / found.probability[found.number[ends]]
    merged = merge_ends(sequences, weights[:, None] * tree.payoffs[inside[tree.terminals]], span)
    payoffs = payoff_arrays(*merged, span, runs_of(span, groups, public_nodes(tree)[order]))
    parent = np.choose(tree.infoset_player[order], [one[infoset_parent[order]] for one in maps])
    treeplex = {"span": span, "group_span": group_span, "groups": groups, "parent": parent}
    mine = np.flatnonzero(sequence >= 0)
    rows = np.full(span[-1], tree.rows)
    rows[sequence[mine]] = mine
    form = SequenceForm(**assemble(treeplex, payoffs, sequence[mine]), infoset=order, scale=scale_of(tree))
    return BoardForm(form, rows, int(inside.sum()))
