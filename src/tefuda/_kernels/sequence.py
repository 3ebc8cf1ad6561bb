"""The arrays of a sequence form, and loops down the tree that prepare it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tefuda._kernels.jit import Instruction, inlined, kernel

HANDS = 8  # own hands of a block: `lanes.HALF`, which this module does not import because lanes.py imports numba


# The head of a form's `index`: the number of players, then the places of arrays in `index` and in `values`.
HEAD = (
    "players", "span", "group_span", "groups", "parent", "leaf_start", "leaf_other", "pair_span", "pairs", "block_span",
    "blocks", "block_scale", "leaf_value",
)  # fmt: skip
PLAYERS, GROUPS, PARENT, LEAF_START, LEAF_OTHER, PAIRS, BLOCKS, BLOCK_SCALE, LEAF_VALUE = (
    np.uint64(HEAD.index(name))
    for name in (
        "players", "groups", "parent", "leaf_start", "leaf_other", "pairs", "blocks", "block_scale", "leaf_value",
    )
)  # fmt: skip


def _rest(typing_context, array, first):
    from tefuda._kernels.compiling import types

    def generate(context, builder, signature, arguments):
        place = context.data_model_manager[signature.args[0]].get_field_position("data")
        data = builder.gep(builder.extract_value(arguments[0], place), [arguments[1]])
        return builder.insert_value(arguments[0], data, place)

    return array(array, types.uint64), generate


#: Returns an array from a number on, without a check; loops over it have its address in a register.
rest: Any = Instruction(_rest, lambda array, first: array[int(first) :])


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
