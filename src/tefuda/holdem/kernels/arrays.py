"""Arrays that traversals of a hold'em spot read and write.

They are few, so that the traversals compile in seconds.

Letters: N nodes of all streets, C contexts (boards of the spot), H the most hands a player has in a context, W the
lanes of `lanes`. The *traverser* is the player whose values a traversal computes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

#: Kinds of nodes: 0 or 1 is the player to act; a fold by player 0 or 1, the end of a street, a showdown.
FOLD_0, FOLD_1, NEXT, SHOWDOWN = 2, 3, 4, 5
#: Modes of a traversal at the traverser's nodes: learn, take the best action, play the average. Locks always apply.
LEARN, BEST, AVERAGE = 0, 1, 2
#: Columns of a part of a traversal: its street and contexts; whether it goes down, and up, their own nodes.
STREET, FIRST_CONTEXT, END_CONTEXT, GOES_DOWN, GOES_UP = range(5)
#: Columns of a lock: the node, the context, the start of its numbers.
LOCK_NODE, LOCK_CONTEXT, LOCK_START = range(3)
#: Columns of the rules of an iteration: factors of stored regrets and averages, the weight of a new strategy; the
#: factor of the expected regret and the weight of the newest one in it.
POSITIVE, NEGATIVE, DECAY, WEIGHT, PREDICTION, MEMORY = range(6)
RULE_COLUMNS = 6
#: Columns of a node: kind; first child; number of children; number of its player's actions at earlier nodes; for the
#: root of a line its parent on the street before; for each traverser the node whose row has the opponent's reach;
#: number of its player's earlier nodes; its first lock, or -1.
KIND, FIRST, COUNT, BEFORE, SOURCE, REACH_NODE, DECISION, LOCK = 0, 1, 2, 3, 4, 5, 7, 8
NODE_COLUMNS = 9
#: Columns of a chunk of lines: its nodes and its roots; for each traverser its entries (reaches at ends).
NODE, ROOT, ENTRY = 0, 2, 4
CHUNK_COLUMNS = 8
#: Columns of an entry: the node of the reach, whether its ends include a showdown, its ends.
REACH, HAS_SHOWDOWN, END = range(3)
ENTRY_COLUMNS = 4
#: Columns of a context: for each player the start of its hands, the number of hands, the start of its stored numbers
#: and of its links; number of permutations from its parent; first child; number of children; its groups of equal
#: strength; whether any hands are isomorphic; for each player the start of its nodes' scales.
START, SIZE, BASE, LINK, WAYS, CHILD, CHILDREN, GROUP, SYMMETRIC, SCALE = 0, 2, 4, 6, 8, 9, 10, 11, 13, 14
CONTEXT_COLUMNS = 16
#: Columns of a hand: its cards; its index in the opponent's list, or -1; the first of the hands isomorphic to it.
CARD_1, CARD_2, SAME_HAND, REPRESENTATIVE = range(4)

#: Hands whose lanes become values at a time: 16 kB fit the first-level cache.
BLOCK = 128


class SpotArrays(NamedTuple):
    """The arrays of a spot."""

    nodes: np.ndarray  # [N, NODE_COLUMNS] int32
    payoffs: np.ndarray  # [2, N, 2] by traverser: factors of the reach won less lost, and of the compatible reach
    streets: np.ndarray  # [streets, 3] int64 first chunk, chunk after the last, number of cards that may be dealt
    chunks: np.ndarray  # [..., CHUNK_COLUMNS] int64
    roots: np.ndarray  # [lines] int64 nodes
    entries: np.ndarray  # [..., ENTRY_COLUMNS] int64
    ends: np.ndarray  # [...] int64 nodes
    contexts: np.ndarray  # [C, CONTEXT_COLUMNS] int64
    hands: np.ndarray  # [..., 4] int16
    links: np.ndarray  # [...] int16 the parent's hand of each permutation and hand
    group_ends: np.ndarray  # [..., 2] int16 ends of each group of equal strength in both lists
    locks: np.ndarray  # [L, 3] int64 in the order of nodes
    # For each lock and hand 1 if the hand is free, else 0; then by action the locked probability, 0 if free.
    locked: np.ndarray


class Workspace(NamedTuple):
    """Scratch arrays of a traversal; H is a multiple of W here."""

    reach: np.ndarray  # [N, H]
    value: np.ndarray  # [N, H]
    live: np.ndarray  # [N] uint8, whether the opponent's reach is more than 0
    lanes: np.ndarray  # [3, H, W] reaches, reach won less lost, compatible reach
    transposed: np.ndarray  # [2, W, BLOCK] the latter two for a block of hands, lane by lane
    card_sums: np.ndarray  # [52, W] sums by card
    stack: np.ndarray  # [3, 3] int64
    batch: np.ndarray  # [W] int64
    starts: np.ndarray  # [2 * W] int64 starts of the reaches of a batch; then 0, W, 2 * W, ...
    buffer: np.ndarray  # [actions of a node, H] numbers to pack
    root_values: np.ndarray  # [children of the first board * lines of the next street, H] values of separate boards
