"""Walks over all histories: down for reach, up for values. Parents stand before their children."""

from __future__ import annotations

from tefuda._kernels.jit import kernel


@kernel
def reaches(player, first_child, child_count, infoset, first_row, edge, probabilities, own, chance):
    """Fill the reach of each player `[N, P]` and of chance `[N]` from 1 at the root."""
    for node in range(player.shape[0]):
        mover = player[node]
        for action in range(child_count[node]):
            child = first_child[node] + action
            for seat in range(own.shape[1]):
                own[child, seat] = own[node, seat]
            chance[child] = chance[node] * edge[child]
            if mover >= 0:
                own[child, mover] *= probabilities[first_row[infoset[node]] + action]


@kernel
def values(player, first_child, child_count, infoset, first_row, edge, probabilities, value):
    """Fill `value` `[N, P]`, given at terminals, by taking means upwards."""
    for node in range(player.shape[0] - 1, -1, -1):
        mover = player[node]
        for action in range(child_count[node]):
            child = first_child[node] + action
            weight = probabilities[first_row[infoset[node]] + action] if mover >= 0 else edge[child]
            for seat in range(value.shape[1]):
                value[node, seat] += weight * value[child, seat]
