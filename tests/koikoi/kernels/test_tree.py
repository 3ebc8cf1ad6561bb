"""The memory of a search of Koi-Koi by hand: what names a node, where it lies, what it chooses and learns."""

import numpy as np
import pytest

from tefuda.koikoi.kernels import world as columns
from tefuda.koikoi.kernels.tree import key_of, most_promising, note_result, place_of
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


def world(**changed):
    found = np.arange(3, 3 + columns.WIDTH).astype(np.uint64)
    for name, value in changed.items():
        found[SEEN[name.replace("_", " ")]] = value
    return found


def test_a_node_is_named_by_what_its_player_sees():
    """Everything it sees changes the name; the other's hand does not, and the other has names of its own."""
    here, names = world(), set()
    for column in SEEN.values():
        other = here.copy()
        other[column] += np.uint64(1)
        names.add(int(key_of(other, 0)))
    assert len(names | {int(key_of(here, 0)), int(key_of(here, 1))}) == len(SEEN) + 2 and 0 not in names
    hidden = here.copy()
    hidden[columns.HAND + 1] = 12345
    assert key_of(hidden, 0) == key_of(here, 0) and key_of(hidden, 1) != key_of(here, 1)


def test_nodes_that_meet_lie_side_by_side():
    """Four keys of the last place of eight: there, and from the first one on."""
    found, keys = empty_nodes(8), [np.uint64((number << 23) + (7 << 20)) for number in range(1, 5)]
    places = []
    for key in keys:
        places.append(place_of(found, key))
        found.keys[places[-1]] = key
    assert places == [7, 0, 1, 2] and [place_of(found, key) for key in keys] == places


def test_a_node_chooses_the_best_mean_and_what_was_seldom_tried():
    """Means 2, 3 and 2.9 after 100, 100 and 1 visits: log(201) = 5.3 times the square of 1 against 100 visits."""
    found = empty_nodes(8)
    found.visits[3, :3], found.sums[3, :3] = (100, 100, 1), (200, 300, 2.9)
    assert most_promising(found, 3, 3, np.float32(0)) == 1
    assert most_promising(found, 3, 3, np.float32(0.03)) == 1 and most_promising(found, 3, 3, np.float32(0.1)) == 2
    assert most_promising(found, 3, 2, np.float32(0.1)) == 1


@pytest.mark.parametrize("player, sums", [(0, (6, -6)), (1, (-6, 6))])
def test_what_a_walk_comes_to_is_noted_for_either_side(player, sums):
    found = empty_nodes(8)
    found.path[:, :2] = [[2, 5], [4, 1], [0, 1]]  # nodes, choices, whose
    note_result(found, 2, player, 3.0, 2.0)
    assert (found.sums[2, 4], found.sums[5, 1]) == sums and found.visits[2, 4] == found.visits[5, 1] == 2
    assert np.count_nonzero(found.visits) == 2
