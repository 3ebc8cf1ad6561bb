"""One iteration of a method of the CFR family with its numbers at every history of a part of the tree."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from tefuda.evaluating.explorer import move_probability
from tefuda.evaluating.values import history_values, reach
from tefuda.forms.compile import compile_game
from tefuda.forms.paths import neighbourhood, path_of, texts_at
from tefuda.forms.tree import Tree
from tefuda.games.protocol import Game
from tefuda.solvers.exact.cfr import CFRMethod
from tefuda.solvers.exact.explanation import Explanation, explain
from tefuda.solvers.exact.steps import PlayerUpdate, family_method, steps
from tefuda.views import short_repr


@dataclass(frozen=True)
class IterationHistory:
    """The numbers of one history in an iteration.

    Tuples by player have the numbers of that player's update.

    Attributes:
        path: the history.
        parent: index of the parent in `Walkthrough.histories`; None at the root.
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
class Walkthrough:
    """One iteration: its numbers at histories, and the update of each of their infosets.

    Attributes:
        game: name of the game.
        method: name of the method.
        order: order of the players' updates.
        iteration: number of the iteration, from 1.
        histories: all histories, or those around an infoset.
        explanations: the updates of their infosets, in the order of the tree.

    >>> walk = td.walkthrough(td.load_game("kuhn"))
    >>> len(walk.histories), len(walk.explanations), walk.histories[1].path
    (55, 12, 'J Q')
    """

    game: str
    method: str
    order: str
    iteration: int
    histories: tuple[IterationHistory, ...]
    explanations: tuple[Explanation, ...]

    __repr__ = short_repr


def walkthrough(
    game: Game | Tree,
    method: str | CFRMethod = "cfr",
    iteration: int = 1,
    infoset: str | tuple[int, Hashable] | int | None = None,
) -> Walkthrough:
    """Return an iteration with its numbers at every history.

    Args:
        game: a game or its tree.
        method: a member of the CFR family, or its name.
        iteration: number of the iteration, from 1.
        infoset: an infoset, for its histories, their ancestors and children alone; None: all histories.

    Raises:
        UnknownNameError: there is no such method or infoset.
        InputError: the method is not of the family, or `iteration` is no positive whole number.

    >>> walk = td.walkthrough(td.load_game("leduc"), "cfr+", 3, "0: K|cr")
    >>> [explanation.infoset for explanation in walk.explanations]
    ['0: K|cr']
    """
    tree = game if isinstance(game, Tree) else compile_game(game)
    chosen = family_method(method)
    updates = steps(tree, chosen, first=iteration)
    player_steps = [next(updates) for _ in range(tree.players)]
    nodes = range(len(tree.player)) if infoset is None else neighbourhood(tree, tree.number(infoset))
    inside = {int(tree.infoset[node]) for node in nodes} if infoset is None else {tree.number(infoset)}
    return Walkthrough(
        tree.name,
        chosen.name,
        chosen.order,
        iteration,
        _histories(tree, list(nodes), player_steps),
        tuple(explain(player_steps[int(tree.infoset_player[number])], number) for number in sorted(inside - {-1})),
    )


def _histories(tree: Tree, nodes: list[int], player_steps: list[PlayerUpdate]) -> tuple[IterationHistory, ...]:
    own = np.stack([reach(step.averaged).own[:, step.player] for step in player_steps], axis=1)
    others = np.stack([reach(step.faced).counterfactual(step.player) for step in player_steps], axis=1)
    values = np.stack([history_values(step.faced)[:, step.player] for step in player_steps], axis=1)
    index = {node: place for place, node in enumerate(nodes)}
    found = []
    for node in nodes:
        parent, infoset = int(tree.parent[node]), int(tree.infoset[node])
        label = texts_at(tree, parent)[node - int(tree.first_child[parent])] if parent >= 0 else ""
        found.append(
            IterationHistory(
                path_of(tree, node),
                index.get(parent),
                label,
                int(tree.player[node]),
                tree.name_of(infoset) if infoset >= 0 else None,
                tuple(move_probability(step.faced, node) for step in player_steps),
                *(tuple(array[node].tolist()) for array in (own, others, values)),
            )
        )
    return tuple(found)
