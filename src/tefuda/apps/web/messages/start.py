"""Messages of Home: a decision of a solved spot as a small grid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tefuda.apps.web.messages.message import Message
from tefuda.apps.web.messages.spots import Action
from tefuda.holdem.spots.grid import class_means, class_weights, free_hands
from tefuda.holdem.spots.node import Node


class SmallGrid(Message):
    """The strategy of the player to act by class of hands, in whole per cent.

    Attributes:
        run: name of the run; "" for none.
        street: name of the street.
        board: cards of the board.
        player: name of the player to act.
        line: decisions before.
        actions: the actions with their shares.
        cells: weight and shares of each class, the largest weight being 100.
    """

    run: str
    street: str
    board: Sequence[str]
    player: str
    line: str
    actions: Sequence[Action]
    cells: Sequence[Sequence[int]]


def small_grid(node: Node, run: str) -> SmallGrid:
    """Return the decision at a node; no values are computed."""
    player = node.player or 0
    reach = node.reach[player] * free_hands(node.cards)
    shares = [np.nan_to_num(class_means(reach, figures)) for figures in node.shares.values()]
    cells = np.rint(100 * np.stack([class_weights(reach, node.cards), *shares]).T).astype(int)
    return SmallGrid.of(
        node,
        run=run,
        street=("flop", "turn", "river")[len(node.cards) - 3],
        player=node.seats[player],
        actions=[Action.of(action) for action in node.actions()],
        cells=cells.tolist(),
    )
