"""The sequence form, for full traversals, best responses and linear programs.

Dimension letters: P players, Q sequences of all players, J infosets, G groups, B blocks, L listed leaves, M pairs.

A *sequence* of a player is one of its rows, or the empty sequence before its first move. Sequences are
numbered over all players: player p has ``span[p]..span[p + 1]``, the empty sequence first. A player's
infosets are grouped by (depth in its treeplex, number of actions k). A group of m infosets has ``k * m``
consecutive sequences stored [action][infoset], so loops over a group are contiguous in memory.

A *leaf* of player p combines all terminal histories with the same sequences of all players: its value is
the sum of chance probability times payoff. Leaves of value 0 are dropped. Where the leaves of a public
end fill most of a matrix of own and opponents' hands, they are stored as *blocks* (forms/blocks.py). The
others are listed, sorted by p's sequence. They refer to the opponents' realisation probability: for two
players the opponent's sequence, for one player the empty sequence, for more a *pair*, a combination of the
opponents' sequences whose product is computed once per traversal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tefuda._kernels.sequence import HEAD
from tefuda.errors import GameError, quoted
from tefuda.forms.arrays import Arrays, aligned, derived, generations, ranges
from tefuda.forms.blocks import Leaves, block_leaves, can_be_dense, find_blocks, groups_of_equal, joined, runs_of
from tefuda.forms.paths import require_distinct_visits
from tefuda.forms.tree import Tree, require_tree
from tefuda.views import short_repr

_NUMBERS = ("block_matrix", "block_scale", "leaf_value")  # in `values`, in this order
#: The fields of payoffs.
PAYOFFS = ("leaf_start", "leaf_other", "pair_span", "pairs", "block_span", "blocks", *_NUMBERS)
_MANY = 0.1  # part of the infosets that must be forced for a form without them, which is built beside the other one
_UNMET = -2  # parent row of an infoset without a history


@dataclass(frozen=True, eq=False)
class SequenceForm(Arrays):
    """A game as treeplexes and leaves (see the module). All arrays are read-only.

    Attributes:
        span, group_span: `[P + 1]` uint32, the sequences and the groups of each player, shallow groups first.
        groups: `[G, 4]` uint32: first infoset, number of infosets m, actions k, first sequence.
        parent: `[J]` uint32, the sequence before each infoset, infosets in the order of the groups.
        infoset: `[J]` int32, their numbers in the tree.
        sequence: `[R]` int64, the sequence of each of the tree's rows.
        index: all uint32 arrays in one, after their places there and in `values` (`_kernels.sequence.HEAD`).
        values: the float64 arrays in one.
        leaf_start: `[Q + 1]` uint32, the listed leaves of sequence q are leaf_start[q]..leaf_start[q + 1].
        leaf_other: `[L]` uint32, the opponent's sequence (P = 2), the empty sequence (P = 1), or the pair.
        leaf_value: `[L]` float64, sum over a leaf's histories of payoff times chance probability.
        pair_span: `[P + 1]` uint32, the pairs of each player's leaves; all 0 for one or two players.
        pairs: `[M, P - 1]` uint32, the opponents' sequences.
        block_span: `[P + 1]` uint32, the blocks of each player.
        blocks: `[B + 1, 2 * P + 1]` uint32: first own sequence, first number in `block_matrix`, length of a column
            there, then first sequence and number of hands of each opponent. The last row only ends the table.
        block_matrix: `[C]` float64, payoffs of own hands (rows) and the opponents' combinations of hands (columns).
        block_scale: `[B]` float64, factor of each block's payoffs.
        scale: the power of two above the largest payoff, the unit of tolerances.

    >>> td.forms.sequence_form(td.compile_game(td.load_game("kuhn"))).sequences
    26
    """

    span: np.ndarray  # [P + 1] uint32
    group_span: np.ndarray  # [P + 1] uint32
    groups: np.ndarray  # [G, 4] uint32
    parent: np.ndarray  # [J] uint32
    infoset: np.ndarray  # [J] int32
    sequence: np.ndarray  # [R] int64
    leaf_start: np.ndarray  # [Q + 1] uint32
    leaf_other: np.ndarray  # [L] uint32
    leaf_value: np.ndarray  # [L] float64
    pair_span: np.ndarray  # [P + 1] uint32
    pairs: np.ndarray  # [M, P - 1] uint32
    block_span: np.ndarray  # [P + 1] uint32
    blocks: np.ndarray  # [B + 1, 2 * P + 1] uint32
    block_matrix: np.ndarray  # [C] float64
    block_scale: np.ndarray  # [B] float64
    index: np.ndarray  # [X] uint32
    values: np.ndarray  # [Y] float64
    scale: float

    __repr__ = short_repr

    @property
    def players(self) -> int:
        """Number of players, P."""
        return len(self.span) - 1

    @property
    def sequences(self) -> int:
        """Number of sequences, Q."""
        return int(self.span[-1])

    @property
    def sizes(self) -> np.ndarray:
        """Numbers of sequences `[P]` of the players."""
        return np.diff(self.span.astype(np.int64))

    def starts(self, player: int) -> int:
        """Return a player's number of sequences before its first move: 1; a `Region` has more."""
        return 1

    def own(self, player: int) -> slice:
        """Return the range of a player's sequences."""
        return slice(int(self.span[player]), int(self.span[player + 1]))

    def groups_of(self, player: int | None) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return a player's groups, shallow groups first: parents `[m]` and actions `[k, m]`.

        Sequences are counted from the player's empty sequence; None: the groups of all players, with their numbers.
        """
        first, end, found = 0, len(self.groups), list[tuple[np.ndarray, np.ndarray]]()
        begin = 0
        if player is not None:
            first, (begin, end) = int(self.span[player]), self.group_span[player : player + 2].tolist()
        for start, m, k, base in self.groups[begin:end].tolist():
            parents = self.parent[start : start + m].astype(np.int64) - first
            found.append((parents, np.arange(base - first, base - first + k * m).reshape(k, m)))
        return found

    def leaves(self, player: int) -> Leaves:
        """Return all leaves of a player, those of blocks included, sorted by its sequence."""
        starts = self.leaf_start[self.span[player] : self.span[player + 1] + 1].astype(np.int64)
        own = np.repeat(np.arange(self.span[player], self.span[player + 1]), starts[1:] - starts[:-1])
        other, value = self.leaf_other[starts[0] : starts[-1]], self.leaf_value[starts[0] : starts[-1]]
        others = self.pairs[other] if self.players > 2 else other[:, None][:, : self.players - 1]
        mine = slice(int(self.block_span[player]), int(self.block_span[player + 1]))
        blocks = block_leaves(self.blocks[mine].astype(np.int64), self.block_scale[mine], self.block_matrix)
        return joined(Leaves(own.astype(np.int64), others.astype(np.int64), value), blocks)

    @property
    def leaf_count(self) -> int:
        """Number of leaves of all players."""
        return sum(len(self.leaves(player).own) for player in range(self.players))

    def extended(self, groups: np.ndarray, parent: np.ndarray, classes: np.ndarray) -> SequenceForm:
        """Return the form with groups that no player has, and `classes` `[Q]` at the end of `index`."""
        treeplex = {"span": self.span, "group_span": self.group_span}
        treeplex["groups"] = np.concatenate([self.groups, groups])
        treeplex["parent"] = np.concatenate([self.parent, parent])
        payoffs = {name: getattr(self, name) for name in PAYOFFS}
        arrays = assemble(treeplex, payoffs, self.sequence)
        arrays["index"] = np.concatenate([arrays["index"], classes.astype(np.uint32)])
        return replace(self, **arrays)  # type: ignore[arg-type]  # none of them is the scale

    def spread(self, rows: np.ndarray, empty: float = 1.0) -> np.ndarray:
        """Convert values of the tree's rows `[R]` to values of sequences `[Q]`; empty sequences get `empty`."""
        values = np.full(self.sequences, empty)
        values[self.sequence] = rows
        return values


def sequence_form(tree: Tree) -> SequenceForm:
    """Return the sequence form of a tree, cached.

    Args:
        tree: a game of perfect recall.

    Returns:
        The sequence form.

    Raises:
        GameError: a player has imperfect recall.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.forms.sequence_form(tree) is td.forms.sequence_form(tree)
    True
    """
    if tree.__class__ is not Tree:
        require_tree(tree)
    return tree.derived(_build)


def choices_form(tree: Tree) -> SequenceForm:
    """Return the sequence form without forced moves, cached; where they are few, that of `sequence_form`.

    An infoset with one action that follows another move of its player has no part in it: its row has the sequence of
    that move. Half of the infosets of liar's dice are such infosets, and an iteration takes four fifths of the time.
    """
    few = (tree.action_counts == 1).sum() < _MANY * tree.infosets
    return sequence_form(tree) if few else tree.derived(_build, False)


def _build(tree: Tree, with_forced: bool = True) -> SequenceForm:
    last, infoset_parent = last_rows(tree)
    left_out = (tree.action_counts == 1) & (infoset_parent >= 0) & (not with_forced)
    infoset_of_row = tree.infoset_of_row
    while len(after := np.flatnonzero(left_out[infoset_of_row[infoset_parent]] & (infoset_parent >= 0))):
        infoset_parent[after] = infoset_parent[infoset_of_row[infoset_parent[after]]]
    span, group_span, groups, order, sequence, nodes = _treeplex(tree, infoset_parent, left_out)
    # Row -1 is before the first move: the extra last entry of a player's map is its empty sequence.
    maps = [np.append(sequence, span[player]) for player in range(tree.players)]
    ends = last[tree.terminals]
    sequences = np.stack([maps[player][ends[:, player]] for player in range(tree.players)], axis=1)
    merged = merge_ends(sequences, chance_reach(tree)[tree.terminals, None] * tree.payoffs, span)
    payoffs = payoff_arrays(*merged, span, runs_of(span, groups, nodes))
    owner = tree.infoset_player[order]
    parent = np.choose(owner, [maps[player][infoset_parent[order]] for player in range(tree.players)])
    treeplex = {"span": span, "group_span": group_span, "groups": groups, "parent": parent}
    return SequenceForm(**assemble(treeplex, payoffs, sequence), infoset=order.astype(np.int32), scale=scale_of(tree))


def chance_reach(tree: Tree) -> np.ndarray:
    """Return `[N]` the product of chance's probabilities up to each history."""
    reach, here = np.ones(len(tree.player)), np.ones(1)
    for nodes, origin in generations(tree.first_child, tree.child_count):
        here = here[origin] * tree.chance[nodes]
        reach[nodes] = here
    return reach


def scale_of(tree: Tree) -> float:
    """Return the power of two above the largest payoff; division by it is exact."""
    return float(2.0 ** np.frexp(np.abs(tree.payoffs).max(initial=0.0))[1])


def assemble(
    treeplex: dict[str, np.ndarray],
    payoffs: dict[str, np.ndarray],
    sequence: np.ndarray,
    values: np.ndarray | None = None,
) -> dict[str, np.ndarray]:
    """Return the arrays of a form except `infoset`, from treeplex, `payoff_arrays` and sequences of rows.

    values: the numbers of the payoffs in one array, if there is one.
    """
    numbers = {name: payoffs[name] for name in _NUMBERS}
    indices = {**treeplex, **{name: array for name, array in payoffs.items() if name not in numbers}}
    if values is None:
        values = aligned((sum(array.size for array in numbers.values()),))
        np.concatenate(list(numbers.values()), out=values)
    value_places = _places(numbers, 0)
    index_places = _places(indices, len(HEAD))
    places = {**index_places, **value_places}
    head = [len(treeplex["span"]) - 1, *(places[name].start for name in HEAD[1:])]
    index = np.concatenate([head, *(array.ravel() for array in indices.values())]).astype(np.uint32)
    return {
        "index": index,
        "values": values,
        "sequence": sequence,
        **{name: index[place].reshape(indices[name].shape) for name, place in index_places.items()},
        **{name: values[place] for name, place in value_places.items()},
    }


def _places(arrays: dict[str, np.ndarray], first: int) -> dict[str, slice]:
    """Return the places of arrays that follow each other from `first` on."""
    ends = first + np.cumsum([array.size for array in arrays.values()])
    return {
        name: slice(int(end) - array.size, int(end)) for (name, array), end in zip(arrays.items(), ends, strict=True)
    }


@derived
def has_perfect_recall(tree: Tree) -> bool:
    """Return whether all players have perfect recall, which a sequence form needs."""
    return _pasts(tree)[2] < 0


def past_rows(tree: Tree) -> np.ndarray:
    """Return `[N, P]` the last row of each player at each history, -1 before its first move."""
    return _pasts(tree)[0]


def last_rows(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """Return `[N, P]` as `past_rows`, and `[I]` the parent row of each infoset (-1: none).

    Raises:
        GameError: imperfect recall, or an infoset without histories.
    """
    last, parent, bad = _pasts(tree)
    if bad >= 0:
        require_distinct_visits(tree)
        number = int(tree.infoset[bad])
        one, two = (" ".join(map(str, tree.history(n))) or "the root" for n in (int(tree.first_history[number]), bad))
        raise GameError(
            f"{tree.name}: imperfect recall. The histories\n      {one}\n      {two}\n  share the infoset "
            f"{quoted(tree.name_of(number))}, but its player acted or observed differently before. Let view() show all "
            "of it (check_game reports the missing part). Or sample without a guarantee and without NashConv: "
            '--method external --evaluator none, td.solve(game, "external", evaluator=td.NoEvaluation()). If keys '
            "merge views on purpose, apply CFR to td.forms.partition(tree, key) of the real tree."
        )
    if (parent == _UNMET).any():
        name = tree.name_of(int(np.flatnonzero(parent == _UNMET)[0]))
        raise GameError(f"{tree.name}: the infoset {name!r} has no history. Compile the game again.")
    return last, parent


def _pasts(tree: Tree) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the arrays of `last_rows`, and a history that violates perfect recall (-1: none)."""
    last = np.full((len(tree.player), tree.players), -1, dtype=np.int32)
    parent = np.full(tree.infosets, _UNMET, dtype=np.int32)
    above, here = np.zeros(1, dtype=np.int64), list(last[:1].T)
    for nodes, origin in generations(tree.first_child, tree.child_count):
        mover = tree.player[above][origin]
        row = (tree.first_row[tree.infoset[above]] - tree.first_child[above])[origin] + nodes.astype(np.int32)
        here = [np.where(mover == player, row, rows[origin]) for player, rows in enumerate(here)]
        for player, rows in enumerate(here):
            last[nodes, player] = rows
        above = nodes
    decisions = np.flatnonzero(tree.infoset >= 0)
    infoset, own_last = tree.infoset[decisions], last[decisions, tree.player[decisions]]
    parent[infoset[::-1]] = own_last[::-1]  # that of an infoset's first history
    differing = decisions[own_last != parent[infoset]]
    return last, parent, int(differing[0]) if len(differing) else -1


def _treeplex(tree: Tree, parent_row: np.ndarray, left_out: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return span, group_span, groups, infosets in group order, the sequence of each row, and nodes.

    left_out: `[I]` infosets that are no part of it; their row has the sequence of their parent row.
    nodes: `[J, 2]` labels and action paths of the infosets, in group order; both are equal at one public node.
    """
    actions, owner = tree.action_counts, tree.infoset_player
    depth, nodes = _depths(tree, parent_row), public_nodes(tree)
    order = np.lexsort((*nodes.T, actions, depth, owner))
    hands = np.diff(np.flatnonzero(np.any(np.diff(nodes[order], axis=0, prepend=-1, append=-1), axis=1)))
    if not can_be_dense(hands.max(initial=0), tree.players):
        order = np.lexsort((nodes[:, 1], actions, depth, owner))
    order = order[~left_out[order]]
    kind = np.stack([owner, depth], axis=1)[order]
    span, group_span, groups, sequence = number_sequences(tree, order, kind, np.ones(tree.players, dtype=np.int64))
    rows = tree.first_row[:-1][left_out]
    sequence[rows] = sequence[parent_row[left_out]]
    return span, group_span, groups, order, sequence, nodes[order]


@derived
def public_nodes(tree: Tree) -> np.ndarray:
    """Return `[I, 2]` labels and action paths of the infosets (cached), both equal at one public node."""
    return np.stack([_public_labels(tree), action_paths(tree)[tree.first_history]], axis=1)


def _public_labels(tree: Tree) -> np.ndarray:
    """Return `[I]` labels, equal for infosets that differ only in the owner's hand or the action path."""
    nodes = np.flatnonzero(tree.infoset >= 0)
    parent = tree.parent[nodes]
    follows = (parent >= 0) & (tree.infoset[parent] >= 0)  # of one player, too: with perfect recall this links nothing
    nodes, parent = nodes[follows], parent[follows]
    here, before = tree.infoset[nodes], tree.infoset[parent]
    row = tree.first_row[before] + nodes - tree.first_child[parent]
    below, above = np.empty(tree.rows, dtype=np.int32), np.empty(tree.infosets, dtype=np.int32)
    below[row], above[here] = here, before  # one of the infosets after each row, and before each infoset
    one, two = np.append(below[row], above[here]), np.append(here, before)
    return components(one[one != two], two[one != two], tree.infosets)


def components(one: np.ndarray, two: np.ndarray, count: int) -> np.ndarray:
    """Return `[count]` the smallest member of each member's component, given the pairs of linked members."""
    labels = np.arange(count, dtype=np.int32)
    while len(one):
        labels[np.maximum(one, two)] = np.minimum(one, two)  # labels only fall, so the smallest member labels itself
        while (labels[labels] != labels).any():
            labels = labels[labels]
        one, two = labels[one], labels[two]
        apart = one != two
        one, two = one[apart], two[apart]
    return labels


def _depths(tree: Tree, parent_row: np.ndarray) -> np.ndarray:
    """Return `[I]` the number of infosets of the owner before each infoset."""
    depth = np.zeros(tree.infosets, dtype=np.int32)
    numbers, row = np.arange(tree.infosets), parent_row
    while len(numbers):
        numbers, row = numbers[row >= 0], row[row >= 0]
        depth[numbers] += 1
        row = parent_row[tree.infoset_of_row[row]]
    return depth


def number_sequences(tree: Tree, order: np.ndarray, kind: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, ...]:
    """Number the sequences of some infosets.

    order: `[J]` infosets of player 0, of player 1, ...; neighbours of equal kind and number of actions form
    a group. kind: `[J, K]` numbers that differ between groups, the player included. starts: `[P]` number of
    sequences of each player before its first move. Return span `[P + 1]`, group_span `[P + 1]`, groups
    `[G, 4]`, and `[R]` the sequence of each row (-1: none).
    """
    actions, owner = tree.action_counts[order], tree.infoset_player[order]
    first = np.flatnonzero(np.any(np.diff(np.column_stack([kind, actions]), axis=0, prepend=-1), axis=1))
    sizes, k = np.diff(np.append(first, len(order))), actions[first]
    base = np.cumsum(np.append(0, sizes * k)[:-1]) + np.cumsum(starts)[owner[first]]
    sequence = np.full(tree.rows, -1, dtype=np.int64)
    for start, m, actions_here, here in zip(first, sizes, k, base, strict=True):
        rows = tree.first_row[order[start : start + m]][None, :] + np.arange(actions_here)[:, None]
        sequence[rows] = here + np.arange(m * actions_here).reshape(actions_here, m)
    own = starts + np.bincount(owner, weights=actions, minlength=tree.players).astype(np.int64)
    group_span = np.searchsorted(owner[first], np.arange(tree.players + 1))
    return np.append(0, np.cumsum(own)), group_span, np.stack([first, sizes, k, base], axis=1), sequence


def action_paths(tree: Tree) -> np.ndarray:
    """Return `[N]` numbers of action paths, equal where all players' actions are; 0 at terminals.

    By them, infosets that differ only in cards get neighbouring sequences, so a sequence's leaves read
    neighbouring pairs.
    """
    path, first = np.zeros((2, len(tree.player)), dtype=np.int32)  # first: number of a path's first continuation
    used = 1
    nodes, here = np.zeros(1, dtype=np.int64), path[:1]
    while len(nodes):
        path[nodes] = here
        counts, moves = tree.child_count[nodes], tree.player[nodes] >= 0
        new = np.flatnonzero(moves & (first[here] == 0))
        first[here[new]] = used + np.cumsum(counts[new]) - counts[new]  # of equal paths, the last one counts
        used += int(counts[new].sum())
        below, origin = ranges(tree.first_child[nodes], counts), np.repeat(np.arange(len(nodes)), counts)
        inner = tree.child_count[below] > 0
        below, origin = below[inner], origin[inner]
        base = np.where(moves, first[here] - tree.first_child[nodes], 0)[origin]
        nodes, here = below, np.where(moves[origin], base + below, here[origin])
    return path


def merge_leaves(sequences: np.ndarray, values: np.ndarray, span: np.ndarray) -> dict[str, np.ndarray]:
    """Merge terminal histories with equal sequences; return a form's arrays of payoffs without blocks.

    sequences: `[Z, P]` each player's sequence at each terminal history. values: `[Z, P]` chance probability
    times payoff. span: `[P + 1]` the sequences of each player.
    """
    return payoff_arrays(*merge_ends(sequences, values, span), span, None)


def merge_ends(sequences: np.ndarray, values: np.ndarray, span: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows of `sequences` `[E, P]`, sorted, and the sums of their values `[E, P]`."""
    order, starts = groups_of_equal(sequences, span)
    merged, sums = sequences[order[starts]], np.add.reduceat(values[order], starts, axis=0)
    # Round-off of sums that should cancel is no leaf. The bound is the round-off of the n summands, not of the largest
    # payoff of the game, beside which a small payoff would be lost.
    terms = np.diff(np.append(starts, len(order)))[:, None]
    lost = 2.0**-53 * (terms + 8) * np.add.reduceat(np.abs(values[order]), starts, axis=0)
    sums[np.abs(sums) <= lost] = 0.0
    return merged, sums


def payoff_arrays(
    merged: np.ndarray, sums: np.ndarray, span: np.ndarray, runs: tuple[np.ndarray, np.ndarray] | None
) -> dict[str, np.ndarray]:
    """Return a form's arrays of payoffs by name: blocks where they pay, and lists of the other leaves.

    merged, sums: see `merge_ends`. runs: see `runs_of`; None: without blocks.
    """
    players = merged.shape[1]
    found, listed = find_blocks(merged, sums, span, runs)
    start, other, value, pairs, pair_span = [np.zeros(1, np.int64)], [], [], [], [0]
    for player in range(players):
        keep = listed[:, player] & (sums[:, player] != 0)
        own, others = merged[keep, player], np.delete(merged[keep], player, axis=1)
        by_own = np.argsort(own, kind="stable")
        distinct, place = _opponent_pairs(others, span, pair_span[-1])
        count = np.bincount(own - span[player], minlength=span[player + 1] - span[player])
        start.append(start[-1][-1] + np.cumsum(count))
        other.append(place[by_own])
        value.append(sums[keep, player][by_own])
        pairs.append(distinct)
        pair_span.append(pair_span[-1] + len(distinct))
    return {
        "leaf_start": np.concatenate(start),
        "leaf_other": np.concatenate(other),
        "pair_span": np.array(pair_span),
        "pairs": np.concatenate(pairs),
        **found,
        "leaf_value": np.concatenate(value),
    }


def _opponent_pairs(others: np.ndarray, span: np.ndarray, first: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct opponents' sequences `[L, P - 1]` of leaves, and the index of each leaf's reach."""
    if others.shape[1] == 0:  # no opponent: the empty sequence of the only player
        return others[:0], np.zeros(len(others), dtype=np.int64)
    return (others[:0], others[:, 0]) if others.shape[1] == 1 else _distinct(others, span, first)


def _distinct(rows: np.ndarray, span: np.ndarray, first: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows, and the number of each row among them, counted from `first`."""
    order, starts = groups_of_equal(rows, span)
    place = np.empty(len(rows), dtype=np.int64)
    place[order] = first + np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(rows))))
    return rows[order[starts]], place
