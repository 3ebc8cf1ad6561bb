"""The search tree of Koi-Koi by hand: names, slots, choices and updates of nodes."""

import numpy as np
import pytest

from tefuda.koikoi.kernels import state as columns
from tefuda.koikoi.kernels.tree import back_up, find_slot, infoset_key, select_choice
from tefuda.koikoi.players.ladder import empty_nodes

SEEN = {
    "hand": columns.HAND,
    "field": columns.FIELD,
    "own pile": columns.PILE,
    "other's pile": columns.PILE + 1,
    "level": columns.LEVEL,
    "other's level": columns.LEVEL + 1,
    "calls": columns.CALLS,
    "other's calls": columns.CALLS + 1,
    "turn": columns.TURN,
    "phase": columns.PHASE,
}


def changed_state(**values):
    state = np.arange(3, 3 + columns.WIDTH).astype(np.uint64)
    for name, value in values.items():
        state[SEEN[name.replace("_", " ")]] = value
    return state


def test_a_node_is_named_by_the_view_of_its_player():
    """Every visible part changes the key; the opponent's hand does not; the opponent has other keys."""
    state, names = changed_state(), set()
    for column in SEEN.values():
        changed = state.copy()
        changed[column] += np.uint64(1)
        names.add(int(infoset_key(changed, 0)))
    assert len(names | {int(infoset_key(state, 0)), int(infoset_key(state, 1))}) == len(SEEN) + 2 and 0 not in names
    hidden = state.copy()
    hidden[columns.HAND + 1] = 12345
    assert infoset_key(hidden, 0) == infoset_key(state, 0) and infoset_key(hidden, 1) != infoset_key(state, 1)


def test_colliding_nodes_use_the_next_slots():
    """Four keys of the last of eight slots: that slot, and the slots from the first on."""
    nodes, keys = empty_nodes(8), [np.uint64((number << 23) + (7 << 20)) for number in range(1, 5)]
    places = []
    for key in keys:
        places.append(find_slot(nodes, key))
        nodes.keys[places[-1]] = key
    assert places == [7, 0, 1, 2] and [find_slot(nodes, key) for key in keys] == places


def test_a_node_chooses_by_mean_and_exploration():
    """Means 2, 3 and 2.9 after 100, 100 and 1 visits.

    log(201) = 5.3 scales the squared bonus of one visit against that of 100 visits.
    """
    nodes = empty_nodes(8)
    nodes.visits[3, :3], nodes.sums[3, :3] = (100, 100, 1), (200, 300, 2.9)
    assert select_choice(nodes, 3, 3, np.float32(0)) == 1
    assert select_choice(nodes, 3, 3, np.float32(0.03)) == 1 and select_choice(nodes, 3, 3, np.float32(0.1)) == 2
    assert select_choice(nodes, 3, 2, np.float32(0.1)) == 1


@pytest.mark.parametrize("player, sums", [(0, (6, -6)), (1, (-6, 6))])
def test_results_are_backed_up_for_both_players(player, sums):
    nodes = empty_nodes(8)
    nodes.path[:, :2] = [[2, 5], [4, 1], [0, 1]]  # nodes, choices, player
    back_up(nodes, 2, player, 3.0, 2.0)
    assert (nodes.sums[2, 4], nodes.sums[5, 1]) == sums and nodes.visits[2, 4] == nodes.visits[5, 1] == 2
    assert np.count_nonzero(nodes.visits) == 2
