"""Subgames: a public state and all histories below it, with augmented infosets of the players.

Dimension letters: R roots, M histories at and below them, P players, S augmented infosets of a player.

An augmented infoset (Burch, Johanson, Bowling 2014) is, for the player to move, its infoset at the root; for
every other player, its view and its last action. Each infoset below belongs to one augmented infoset.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tefuda.errors import GameError, ParameterError
from tefuda.forms.arrays import Arrays, derived, descendants, ranges
from tefuda.forms.public import augmented_infosets, connected_labels, public_states
from tefuda.forms.sequence import last_rows, past_rows
from tefuda.forms.tree import Tree, known_rules, require_tree
from tefuda.games.answers import calling_rules
from tefuda.games.protocol import infoset_name


@dataclass(frozen=True, eq=False)
class Subgame(Arrays):
    """A public state and all histories below it. All arrays are read-only.

    tree: the game. public_state: its number, see `public.public_states`.
    roots: `[R]` first histories of the public state, rising.
    nodes: `[M]` histories at and below the roots, rising.
    root_of: `[M]` index in `roots` of the root of each node.
    augmented_infosets: `[P, R]` augmented infoset of each player at each root, numbered in the order of the roots.

    >>> import tefuda as td
    >>> subgame(td.compile_game(td.load_game("kuhn")), 1)
    Subgame(kuhn, public state 1, 6 roots, 30 histories, 3 and 3 augmented infosets)
    """

    tree: Tree
    public_state: int
    roots: np.ndarray  # [R]
    nodes: np.ndarray  # [M]
    root_of: np.ndarray  # [M]
    augmented_infosets: np.ndarray  # [P, R]

    def __repr__(self) -> str:
        counts = " and ".join(str(self.augmented_count(player)) for player in range(self.tree.players))
        return (
            f"Subgame({self.tree.name}, public state {self.public_state}, {len(self.roots)} roots, "
            f"{len(self.nodes):,} histories, {counts} augmented infosets)"
        )

    @property
    def mover(self) -> int:
        """The player to move in the public state."""
        return int(self.tree.player[self.roots[0]])

    def augmented_count(self, player: int) -> int:
        """Return the number of a player's augmented infosets."""
        return int(self.augmented_infosets[player].max()) + 1

    @cached_property
    def infosets(self) -> np.ndarray:
        """The infosets at and below the roots, rising."""
        found = np.unique(self.tree.infoset[self.nodes])
        return found[found >= 0]

    @cached_property
    def rows(self) -> np.ndarray:
        """The rows of these infosets, rising."""
        return ranges(self.tree.first_row[self.infosets], self.tree.action_counts[self.infosets])

    def summed(self, player: int, values: np.ndarray) -> np.ndarray:
        """Return `[S]` the sum of values `[R]` of the roots in each augmented infoset of a player."""
        return np.bincount(self.augmented_infosets[player], weights=values, minlength=self.augmented_count(player))

    def augmented_names(self, player: int) -> tuple[str, ...]:
        """Return the printed names of a player's augmented infosets: its view at the first root of each.

        Equal names are extended by the player's last action, then by the number of the augmented infoset. Needs rules.
        """
        tree, rules = self.tree, known_rules(self.tree)
        first = self.roots[np.unique(self.augmented_infosets[player], return_index=True)[1]].tolist()
        with calling_rules(rules):
            names = [infoset_name(player, rules.view(tree.state(root), player)) for root in first]
            if len(set(names)) < len(names):
                last = past_rows(tree)[first, player].tolist()
                done = [f" {tree.action_of(row)}" if row >= 0 else "" for row in last]
                names = [name + action for name, action in zip(names, done, strict=True)]
        if len(set(names)) < len(names):
            names = [f"{name} (augmented infoset {number})" for number, name in enumerate(names)]
        return tuple(names)


def subgame(tree: Tree, public_state: int | str | tuple[int, Hashable]) -> Subgame:
    """Return the subgame of a public state, cached.

    public_state: its number, or an infoset in it.

    Raises:
        GameError: the tree does not know its rules, a player has imperfect recall, or an infoset lies partly
            below the public state and partly elsewhere.
        ParameterError: an unknown public state.
        UnknownNameError: an unknown infoset.
    """
    require_tree(tree)
    known = public_states(tree)
    if isinstance(public_state, (int, np.integer)):
        if not 0 <= public_state <= known.max(initial=-1):
            raise ParameterError(
                f"public_state must be 0 to {int(known.max(initial=-1))} for {tree.name}; got {public_state}.",
                key="public_state",
                value=public_state,
            )
        return tree.derived(_subgame, int(public_state))
    return tree.derived(_subgame, int(known[tree.number(public_state)]))


def subgames(tree: Tree) -> list[Subgame]:
    """Return the subgames of all public states, in the order of play; see `subgame`."""
    require_tree(tree)
    return [subgame(tree, number) for number in range(int(public_states(tree).max(initial=-1)) + 1)]


def _subgame(tree: Tree, number: int) -> Subgame:
    last_rows(tree)  # refuses imperfect recall
    members = _members(tree)[number]
    inside = descendants(tree.first_child, tree.child_count, members)[0]
    roots = members[np.searchsorted(inside, members, side="right") - np.searchsorted(inside, members) == 1]
    nodes, root_of = descendants(tree.first_child, tree.child_count, roots)
    _require_closed(tree, nodes, number)
    infosets = np.stack([_number_augmented(tree, player, roots, nodes, root_of) for player in range(tree.players)])
    return Subgame(tree, number, roots, nodes, root_of, infosets)


@derived
def _members(tree: Tree) -> list[np.ndarray]:
    """Return the histories of each public state, rising."""
    nodes = np.flatnonzero(tree.infoset >= 0)
    state = public_states(tree)[tree.infoset[nodes]]
    order = np.argsort(state, kind="stable")
    return np.split(nodes[order], np.cumsum(np.bincount(state))[:-1])


def _require_closed(tree: Tree, nodes: np.ndarray, number: int) -> None:
    """Raise GameError if an infoset has histories both in or below a public state and elsewhere."""
    here = np.bincount(tree.infoset[nodes] + 1, minlength=tree.infosets + 1)[1:]
    torn = np.flatnonzero((here > 0) & (here < tree.history_counts))
    if len(torn):
        names = ", ".join(repr(tree.name_of(int(one))) for one in torn[:3])
        raise GameError(
            f"{tree.name}: {len(torn)} infosets, such as {names}, have histories below public state {number} and "
            f"elsewhere, so their players do not know whether play passed it. Such a public state is no subgame; let "
            f"view() show the public history."
        )


def _number_augmented(tree: Tree, player: int, roots: np.ndarray, nodes: np.ndarray, root_of: np.ndarray) -> np.ndarray:
    """Return `[R]` a player's augmented infoset at each root; roots with a common infoset below share one."""
    known, place = np.unique(augmented_infosets(tree)[roots, player], return_inverse=True)
    mine = tree.player[nodes] == player
    together = connected_labels(place[root_of[mine]], tree.infoset[nodes[mine]], len(known), tree.infosets)[0][place]
    _, first, number = np.unique(together, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number]
