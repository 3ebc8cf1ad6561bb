"""Values of all histories."""

from __future__ import annotations

from tefuda._kernels.jit import kernel


@kernel
def history_values(player, first_child, child_count, infoset, first_row, edge, probabilities, value):
    """Fill `value` `[N, P]`, given at terminals, by taking means upwards."""
    for node in range(player.shape[0] - 1, -1, -1):
        mover = player[node]
        for action in range(child_count[node]):
            child = first_child[node] + action
            weight = probabilities[first_row[infoset[node]] + action] if mover >= 0 else edge[child]
            for p in range(value.shape[1]):
                value[node, p] += weight * value[child, p]
