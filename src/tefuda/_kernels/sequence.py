"""Loops down the tree that prepare the sequence form."""

from __future__ import annotations

from tefuda._kernels.jit import kernel


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
