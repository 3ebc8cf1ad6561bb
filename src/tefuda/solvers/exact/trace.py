"""One iteration of a method of the CFR family with its numbers at every history of a part of the tree."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from tefuda.evaluating.explorer import move_probability
from tefuda.evaluating.values import history_values, reach
from tefuda.forms.compile import compile_game
from tefuda.forms.paths import history_entries, neighbourhood
from tefuda.forms.tree import Tree
from tefuda.games.protocol import Game
from tefuda.solvers.exact.cfr import CFRMethod
from tefuda.solvers.exact.explanation import Explanation, explain
from tefuda.solvers.exact.steps import PlayerUpdate, family_method, player_updates
from tefuda.views import short_repr


@dataclass(frozen=True)
class IterationHistory:
    """The numbers of one history in an iteration.

    Tuples by player have the numbers of that player's update.

    Attributes:
        path: the history.
        parent: index of the parent in `Iteration.histories`; None at the root.
        label: text of the last move; "" at the root.
        mover: the player to move, CHANCE or TERMINAL.
        infoset: name of the infoset, or None.
        shares: probability of the last move, in the strategies that each player faces; 1 at the root.
        own: probability by each player's own actions, in the strategy that enters the average.
        others: probability by chance and the other players, whom the player faces.
        values: expected payoff of each player.
    """

    path: str
    parent: int | None
    label: str
    mover: int
    infoset: str | None
    shares: tuple[float, ...]
    own: tuple[float, ...]
    others: tuple[float, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Iteration:
    """One iteration of a method: its numbers at histories, and the update of each player and infoset.

    Attributes:
        game: name of the game.
        method: name of the method.
        order: order of the players' updates.
        number: number of the iteration, from 1.
        updates: the updates of the players, in order.
        histories: all histories, or those around an infoset.
        infosets: numbers of their infosets, rising.

    >>> first = td.solvers.trace(td.load_game("kuhn"))
    >>> len(first.histories), len(first.infosets), first.histories[1].path
    (55, 12, 'J Q')
    """

    game: str
    method: str
    order: str
    number: int
    updates: tuple[PlayerUpdate, ...]
    histories: tuple[IterationHistory, ...]
    infosets: tuple[int, ...]

    __repr__ = short_repr

    def explain(self, infoset: str | tuple[int, Hashable] | int) -> Explanation:
        """Return the update of an infoset, given by its name, (player, key) or number.

        Raises:
            UnknownNameError: there is no such infoset.

        >>> dict(td.solvers.trace(td.load_game("kuhn")).explain("0: J|").sections())["Cumulative regret"]
        ['R(p) = 0 + (-0.125) = -0.125', 'R(b) = 0 + 0.125 = 0.125']
        """
        tree = self.updates[0].tree
        number = tree.number(infoset)
        return explain(self.updates[int(tree.infoset_player[number])], number)


def trace(
    game: Game | Tree,
    method: str | CFRMethod = "cfr",
    iteration: int = 1,
    at: str | tuple[int, Hashable] | int | None = None,
) -> Iteration:
    """Return an iteration with its numbers at every history.

    Args:
        game: a game or its tree.
        method: a member of the CFR family, or its name.
        iteration: number of the iteration, from 1.
        at: an infoset, for its histories, their ancestors and children alone; None: all histories.

    Raises:
        UnknownNameError: there is no such method or infoset.
        InputError: the method is not of the family, or `iteration` is no positive whole number.

    >>> third = td.solvers.trace(td.load_game("leduc"), "cfr+", 3, at="0: K|cr")
    >>> third.number, len(third.histories), [update.player for update in third.updates]
    (3, 19, [0, 1])
    """
    tree = game if isinstance(game, Tree) else compile_game(game)
    chosen = family_method(method)
    updates = tuple(player_updates(tree, chosen, iteration))
    nodes = range(len(tree.player)) if at is None else neighbourhood(tree, tree.number(at))
    inside = range(tree.infosets) if at is None else (tree.number(at),)
    histories = _histories(tree, list(nodes), updates)
    return Iteration(tree.name, chosen.name, chosen.order, iteration, updates, histories, tuple(inside))


def _histories(tree: Tree, nodes: list[int], updates: Sequence[PlayerUpdate]) -> tuple[IterationHistory, ...]:
    own = np.stack([reach(step.averaged).own[:, step.player] for step in updates], axis=1)
    others = np.stack([reach(step.faced).counterfactual(step.player) for step in updates], axis=1)
    values = np.stack([history_values(step.faced)[:, step.player] for step in updates], axis=1)
    return tuple(
        IterationHistory(
            *entry,
            tuple(move_probability(step.faced, node) for step in updates),
            *(tuple(array[node].tolist()) for array in (own, others, values)),
        )
        for node, entry in zip(nodes, history_entries(tree, nodes), strict=True)
    )
