"""The arrays of a sequence form, and loops down the tree that prepare it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.jit import inlined, kernel

HANDS = 8  # own hands of a block: `lanes.HALF`, which this module does not import because lanes.py imports numba


class Form(NamedTuple):
    """The arrays of a sequence form; `forms.sequence.SequenceForm` describes the fields."""

    groups: np.ndarray
    group_span: np.ndarray
    parent: np.ndarray
    span: np.ndarray
    leaf_start: np.ndarray
    leaf_other: np.ndarray
    leaf_value: np.ndarray
    pair_span: np.ndarray
    pairs: np.ndarray
    sequence: np.ndarray
    block_span: np.ndarray
    blocks: np.ndarray
    block_scale: np.ndarray
    block_matrix: np.ndarray


@kernel
def chance_reach(parent, chance, reach):
    """Fill `reach` `[N]` with the product of the chance probabilities on the path to each history."""
    reach[0] = 1.0
    for node in range(1, parent.shape[0]):
        reach[node] = reach[parent[node]] * chance[node]


@kernel
def last_rows(player, first_child, child_count, infoset, first_row, last, parent):
    """Fill the last infoset-action pair (row) of each player before each history.

    Returns the first history at which its owner's past differs within the infoset; -1 if there is none.

    last: `[N, P]` rows, -1 at the root.
    parent: `[I]` last rows of the infosets' owners; -2 at infosets not visited yet.
    """
    bad = -1
    for node in range(player.shape[0]):
        mover, number = player[node], infoset[node]
        if mover >= 0:
            if parent[number] == -2:
                parent[number] = last[node, mover]
            elif bad < 0 and parent[number] != last[node, mover]:
                bad = node
        for action in range(child_count[node]):
            child = first_child[node] + action
            for p in range(last.shape[1]):
                last[child, p] = last[node, p]
            if mover >= 0:
                last[child, mover] = first_row[number] + action
    return bad


@kernel
def number_action_paths(player, first_child, child_count, path, first):
    """Fill `path` `[N]`: histories with equal actions of all players, but for chance, get equal numbers.

    first: `[N]` zeros, scratch: number of a path's first continuation.
    """
    used = 1
    for node in range(player.shape[0]):
        here = path[node]
        if player[node] >= 0 and first[here] == 0:
            first[here] = used
            used += child_count[node]
        for action in range(child_count[node]):
            path[first_child[node] + action] = first[here] + action if player[node] >= 0 else here


@kernel
def depths(parent_row, infoset_of_row, depth):
    """Fill `depth` `[I]`: the number of infosets of the owner before each infoset.

    Infosets have larger numbers than their parents.
    """
    for number in range(parent_row.shape[0]):
        row = parent_row[number]
        depth[number] = 0 if row < 0 else depth[infoset_of_row[row]] + 1


@inlined
def component(labels, number):
    """Return the smallest member of a union-find component, and shorten the path to it."""
    while labels[number] != number:
        labels[number] = labels[labels[number]]
        number = labels[number]
    return number


@inlined
def unite(labels, one, two):
    """Unite the components of two members; the smallest member labels the union."""
    one, two = component(labels, one), component(labels, two)
    labels[max(one, two)] = min(one, two)


@kernel
def public_labels(player, parent, first_child, infoset, first_row, below, above, labels):
    """Fill `labels` `[I]`: infosets that another player cannot distinguish get one label.

    Only neighbouring decisions without a chance move between are compared: the infosets that follow one row have one
    label, and so have those that precede one infoset.
    labels: 0, 1, ... at first. below: `[R]`, above: `[I]`, scratch, all -1: first infoset after each row and before
    each infoset.
    """
    for node in range(1, player.shape[0]):
        before, here = infoset[parent[node]], infoset[node]
        if before < 0 or here < 0 or player[node] == player[parent[node]]:
            continue
        row = first_row[before] + node - first_child[parent[node]]
        if below[row] < 0:
            below[row] = here
        if above[here] < 0:
            above[here] = before
        unite(labels, below[row], here)
        unite(labels, above[here], before)
    for number in range(labels.shape[0]):
        labels[number] = component(labels, number)
