"""Games against a model: what the others do is decided, now and then or always, by a profile.

Any method solves them like other games, so responses to models need no linear program: see exploit.py and bounds.py.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from tefuda.game import CHANCE, TERMINAL, State
from tefuda.profile import Profile, check_player, require_same_game
from tefuda.tree import Tree


class ModelledGame:
    """A tree in which all but one player follow a model now and then. States are (what coins showed, forced, history).

    Use `restricted_game`, `biased_game` or `response_game`.
    """

    def __init__(self, tree: Tree, player: int, model: Profile, once: float, trust: np.ndarray | None) -> None:
        require_same_game(tree, model)
        check_player(tree, player)
        self.name, self.players = f"{tree.name} against a model", tree.players
        self._tree, self._player, self._model, self._once, self._trust = tree, player, model, once, trust

    def root(self) -> State:
        """Before the coin that decides for the whole game, if there is one."""
        return ((), "toss" if self._trust is None else "open", 0)

    def _modelled(self, node: int) -> bool:
        return int(self._tree.player[node]) not in (CHANCE, TERMINAL, self._player)

    def player(self, state: State) -> int:
        """A forced move, and a coin, are chance's."""
        _, forced, node = state
        by_chance = self._tossing(state) or (forced == "model" and self._modelled(node))
        return CHANCE if by_chance else int(self._tree.player[node])

    def _tossing(self, state: State) -> bool:
        _, forced, node = state
        return bool(forced == "toss" or (forced == "open" and self._modelled(node)))

    def actions(self, state: State) -> tuple[Hashable, ...]:
        """The tree's."""
        return self._tree.label_sets[self._tree.label_set[state[2]]]

    def chances(self, state: State) -> tuple[tuple[Hashable, float], ...]:
        """Of a coin, of the model's actions, or the tree's."""
        node = state[2]
        if self._tossing(state):
            share = self._once if self._trust is None else float(self._trust[self._tree.infoset[node]])
            return tuple((side, chance) for side, chance in (("model", share), ("free", 1.0 - share)) if chance > 0)
        first, labels = int(self._tree.first_child[node]), self.actions(state)
        if self._tree.player[node] == CHANCE:
            return tuple((label, float(self._tree.chance[first + place])) for place, label in enumerate(labels))
        row = int(self._tree.first_row[self._tree.infoset[node]])
        shares = self._model.probabilities[row : row + len(labels)].tolist()
        return tuple((label, chance) for label, chance in zip(labels, shares, strict=True) if chance > 0)

    def child(self, state: State, action: Hashable) -> State:
        """After a coin the same history; after a move of a modelled player by itself, coins are tossed anew."""
        known, forced, node = state
        if self._tossing(state):
            return ((*known, action), action, node)
        labels = self.actions(state)
        after = int(self._tree.first_child[node]) + labels.index(action)
        again = self._trust is not None and self._modelled(node)
        return (known, "open" if again else forced, after)

    def payoffs(self, state: State) -> tuple[float, ...]:
        """The tree's."""
        return tuple(self._tree.payoffs[np.searchsorted(self._tree.terminals, state[2])].tolist())

    def view(self, state: State, player: int) -> Hashable:
        """The infoset in the tree; modelled players also know their coins, which changes nothing but memory."""
        infoset = int(self._tree.infoset[state[2]])
        return infoset if player == self._player else (infoset, state[0])


def restricted_game(tree: Tree, player: int, model: Profile, p: float) -> ModelledGame:
    """The game in which a hidden coin decides once whether the other player follows the model."""
    return ModelledGame(tree, player, model, p, None)


def biased_game(tree: Tree, player: int, model: Profile, trust: np.ndarray) -> ModelledGame:
    """The game in which the other player follows the model at infoset I with probability trust[I], each time anew."""
    return ModelledGame(tree, player, model, 0.0, trust)


def response_game(tree: Tree, player: int, model: Profile) -> ModelledGame:
    """The game of one player against all others who follow the model: its equilibrium is a best response."""
    return ModelledGame(tree, player, model, 1.0, None)


def own_part(tree: Tree, player: int, found: Profile) -> Profile:
    """A player's strategy found in a game against a model, at its infosets in the tree; uniform elsewhere."""
    weights, numbers = np.zeros(tree.rows), np.flatnonzero(found.tree.infoset_player == player)
    for number in numbers.tolist():
        infoset: Any = found.tree.keys[number]  # the number it has in the tree
        weights[tree.first_row[infoset] : tree.first_row[infoset + 1]] = found.probabilities[found.rows(number)]
    return Profile.from_weights(tree, weights)
