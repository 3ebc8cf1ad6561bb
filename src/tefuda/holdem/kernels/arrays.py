"""The arrays that traversals of a hold'em spot read and write: few, so that they compile in seconds.

Letters: N nodes of all streets, C contexts (boards of the spot), H the most hands a player has in one, W the lanes of
`lanes`. *Walker* is the player of a traversal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

#: Kinds of nodes: the turn of player 0 or 1, a fold by one, the end of a street, a showdown.
FOLD_0, FOLD_1, NEXT, SHOWDOWN = 2, 3, 4, 5
#: Modes of a traversal at the walker's nodes: learn, take the best action, play the average. Locks are always played.
LEARN, BEST, AVERAGE = 0, 1, 2
#: Columns of a part of a traversal: its street and contexts; whether it goes down and up their own nodes.
STREET, FIRST_CONTEXT, END_CONTEXT, GOES_DOWN, GOES_UP = range(5)
#: Columns of a lock: the node, the context, where its numbers begin.
LOCK_NODE, LOCK_CONTEXT, LOCK_START = range(3)
#: Columns of the rules of an iteration: factors of stored regrets and averages, the weight of a new strategy.
POSITIVE, NEGATIVE, DECAY, WEIGHT = range(4)
#: Columns of a node: kind; first child, number of children; actions that its player has before; of a line's root the
#: node above on the street before; for each walker the node whose row has the opponent's reach; nodes that its player
#: has before; its first lock, or -1.
KIND, FIRST, COUNT, BEFORE, SOURCE, REACH_NODE, DECISION, LOCK = 0, 1, 2, 3, 4, 5, 7, 8
NODE_COLUMNS = 9
#: Columns of a chunk of lines: its nodes and its roots; for each walker its entries, the reaches at which it ends.
NODE, ROOT, ENTRY = 0, 2, 4
CHUNK_COLUMNS = 8
#: Columns of an entry: the slot, whether showdowns are among its ends, its ends.
REACH, HAS_SHOWDOWN, END = range(3)
ENTRY_COLUMNS = 4
#: Columns of a context: for each player where its hands, stored numbers and links begin, and the number of hands; ways
#: from its parent; its children; its groups of equal strength; whether hands are equal up to suits; for each player
#: where the scales of its nodes begin.
START, SIZE, BASE, LINK, WAYS, CHILD, CHILDREN, GROUP, SYMMETRIC, SCALE = 0, 2, 4, 6, 8, 9, 10, 11, 13, 14
CONTEXT_COLUMNS = 16
#: Columns of a hand: its cards; its place in the opponent's list, or -1; the first of the hands equal up to suits.
CARD_1, CARD_2, SAME_HAND, REPRESENTATIVE = range(4)

#: Hands whose lanes become values at a time: 16 kB fit the first-level cache.
BLOCK = 128


class SpotArrays(NamedTuple):
    """A spot."""

    nodes: np.ndarray  # [N, NODE_COLUMNS] int32
    payoffs: np.ndarray  # [2, N, 2] by walker: the payoff of an end times won less lost, and times all that is met
    streets: np.ndarray  # [streets, 3] int64 first chunk, chunk after the last, number of cards that may come
    chunks: np.ndarray  # [..., CHUNK_COLUMNS] int64
    roots: np.ndarray  # [lines] int64 nodes
    entries: np.ndarray  # [..., ENTRY_COLUMNS] int64
    ends: np.ndarray  # [...] int64 nodes
    contexts: np.ndarray  # [C, CONTEXT_COLUMNS] int64
    hands: np.ndarray  # [..., 4] int16
    links: np.ndarray  # [...] int16, of each way and hand the parent's hand
    group_ends: np.ndarray  # [..., 2] int16 where a group of equal strength ends in both lists
    locks: np.ndarray  # [L, 3] int64 in the order of nodes
    locked: (
        np.ndarray
    )  # of each lock and hand 1 if it is free, else 0; then by action the locked probability, 0 if free


class Workspace(NamedTuple):
    """Scratch; H is a multiple of W here."""

    reach: np.ndarray  # [N, H]
    value: np.ndarray  # [N, H]
    live: np.ndarray  # [N] uint8, whether the opponent's reach is more than 0
    lanes: np.ndarray  # [3, H, W] reaches, what is won less lost, what is met
    transposed: np.ndarray  # [2, W, BLOCK] the latter two of some hands, lane by lane
    card_sums: np.ndarray  # [52, W] sums by card
    stack: np.ndarray  # [3, 3] int64
    batch: np.ndarray  # [W] int64
    starts: np.ndarray  # [2 * W] int64 where the reaches of a batch begin; then 0, W, 2 * W, ...
    buffer: np.ndarray  # [actions of a node, H] numbers that wait to be packed
    root_values: np.ndarray  # [children of the first board * lines of the next street, H] values of boards walked alone
