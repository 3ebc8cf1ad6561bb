"""What walks over a hold'em spot read and write: few arrays, so that they compile in seconds.

Letters: N nodes of all streets, C contexts (boards of the spot), H the most hands a player has in one, W the lanes of
`lanes`. *Walker* is the player a walk is for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

#: What a node is: the turn of player 0 or 1, a fold by one, the end of a street, a showdown.
FOLD_0, FOLD_1, NEXT, SHOWDOWN = 2, 3, 4, 5
#: What a walk does at the walker's nodes: learn, take the best, or play the average. Where it is locked it plays that.
LEARN, BEST, AVERAGE = 0, 1, 2
#: Columns of a part of a walk: the street and contexts that it is for; whether it goes down and up their own nodes.
STREET, FROM, TO, OPENS, CLOSES = range(5)
#: Columns of a lock: the node, the context, where what is locked begins.
LOCKED, BOARD, HELD = range(3)
#: Columns of the rules of an iteration: what stored regrets and averages are multiplied by, the weight of what is new.
POSITIVE, NEGATIVE, DECAY, WEIGHT = range(4)
#: Columns of a node: what it is; its children; how many actions its player has before; the node above on the street
#: before, of a line's root; for each walker the node whose row holds the opponent's reach there; how many nodes its
#: player has before; its first lock, or -1.
KIND, FIRST, COUNT, BEFORE, SOURCE, SLOT, ORDER, LOCK = 0, 1, 2, 3, 4, 5, 7, 8
NODE_COLUMNS = 9
#: Columns of a chunk of lines: its nodes and its roots; for each walker its entries, that is, reaches at which it ends.
NODE, ROOT, ENTRY = 0, 2, 4
CHUNK_COLUMNS = 8
#: Columns of an entry: the slot, whether showdowns are among its ends, its ends.
REACH, SHOWN, END = range(3)
ENTRY_COLUMNS = 4
#: Columns of a context: for each player where its hands, what is stored of it and its links begin, and how many hands;
#: ways in which it comes of its parent; its children; its groups of equal strength; whether suits make hands alike; for
#: each player where the scales of its nodes begin.
START, SIZE, BASE, LINK, WAYS, CHILD, CHILDREN, GROUP, MIRRORED, SCALE = 0, 2, 4, 6, 8, 9, 10, 11, 13, 14
CONTEXT_COLUMNS = 16
#: Columns of a hand: its cards; where it stands in the other player's list, or -1; the first of the hands like it.
ONE, TWO, SAME, TWIN = range(4)

#: Hands whose lanes become values at a time: 16 kB stay in the first-level cache.
BLOCK = 128


class Form(NamedTuple):
    """A spot.

    nodes: `[N, NODE_COLUMNS]` int32. pays: `[2, N, 2]` float64, for each walker what an end pays times what is won less
    lost, and times all that is met. streets: `[streets, 3]` int64 the first chunk, the chunk after the last, how many
    cards may come. chunks: `[..., CHUNK_COLUMNS]` int64. roots, ends: int64 nodes. entries: `[..., ENTRY_COLUMNS]`
    int64. contexts: `[C, CONTEXT_COLUMNS]` int64. hands: `[..., 4]` int16. links: int16, of each way and each hand the
    parent's hand it becomes. stops: `[..., 2]` int16 where a group of equal strength ends in both lists. locks: `[L,
    3]` int64 in the order of nodes. held: of each lock for each hand 1 if it is free, else 0; then for each action the
    probability with which the hand must take it, 0 if it is free.
    """

    nodes: np.ndarray  # [N, NODE_COLUMNS] int32
    pays: np.ndarray  # [2, N, 2] float64
    streets: np.ndarray  # [streets, 3] int64
    chunks: np.ndarray  # [..., CHUNK_COLUMNS] int64
    roots: np.ndarray  # [lines] int64
    entries: np.ndarray  # [..., ENTRY_COLUMNS] int64
    ends: np.ndarray  # [...] int64
    contexts: np.ndarray  # [C, CONTEXT_COLUMNS] int64
    hands: np.ndarray  # [..., 4] int16
    links: np.ndarray  # [...] int16
    stops: np.ndarray  # [..., 2] int16
    locks: np.ndarray  # [L, 3] int64
    held: np.ndarray  # [...] float64


class Work(NamedTuple):
    """Room.

    H is a multiple of W here. reach, value: `[N, H]`. live: `[N]` uint8, whether the opponent's reach at a node is more
    than 0. lanes: `[3, H, W]` reaches, what is won less lost, what is met. turned: `[2, W, BLOCK]` the latter two of
    some hands, lane by lane. table: `[52, W]` sums by card. stack: `[3, 3]` int64. batch: `[W]` int64. starts: `[2 W]`
    int64 where the reaches of a batch begin; then 0, W, 2 * W, and so on. room: what is stored of a node, while it is
    decoded. kept: `[children of the first board * lines of the next street, H]` values of the walker there, where
    boards are walked on their own.
    """

    reach: np.ndarray  # [N, H]
    value: np.ndarray  # [N, H]
    live: np.ndarray  # [N] uint8
    lanes: np.ndarray  # [3, H, W]
    turned: np.ndarray  # [2, W, BLOCK]
    table: np.ndarray  # [52, W]
    stack: np.ndarray  # [3, 3] int64
    batch: np.ndarray  # [W] int64
    starts: np.ndarray  # [2 * W] int64
    room: np.ndarray  # [actions of a node, H]
    kept: np.ndarray  # [children * lines, H]
