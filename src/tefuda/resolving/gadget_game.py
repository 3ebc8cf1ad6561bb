"""The game of a gadget and a subgame, as a tree that any method solves.

The tree is cut out of the arrays of the game's tree. Compiling it from rules would take longer than solving it. The
nodes of the gadget come first, copies of roots among them, then copies of the histories below in the game's order.

Dimension letters: T nodes of the gadget, N histories of the gadget game, I infosets that are copied.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from tefuda.evaluating.profile import Profile
from tefuda.forms.arrays import ranges
from tefuda.forms.subgame import Subgame
from tefuda.forms.tree import Tree
from tefuda.games.protocol import CHANCE, TERMINAL
from tefuda.resolving.gadgets import ChanceNode, DecisionNode, EndNode, GadgetNode, RootCopy

_ZERO = 1e-12  # payoffs below this share of the largest are round-off: linear programs resolve ratios up to 1e12


class _Top:
    """The nodes of a gadget, level by level, as lists of T."""

    def __init__(self, top: GadgetNode, opponent: int) -> None:
        self.nodes, self.parent, self.first_child, self.chance = [top], [-1], list[int](), [1.0]
        for number, node in enumerate(self.nodes):  # the list grows in the loop
            self.first_child.append(len(self.nodes) if node.children else 0)
            self.chance += node.chances if isinstance(node, ChanceNode) else (1.0,) * len(node.children)
            self.parent += [number] * len(node.children)
            self.nodes += node.children
        decisions = {node.key: node.labels for node in self.nodes if isinstance(node, DecisionNode)}
        self.keys, self.labels = tuple(decisions), tuple(decisions.values())  # of infosets
        numbers = {key: number for number, key in enumerate(decisions)}
        self.infoset = [numbers[node.key] if isinstance(node, DecisionNode) else -1 for node in self.nodes]
        self.player = [_MOVERS.get(type(node), opponent) for node in self.nodes]
        self.child_count = [len(node.children) for node in self.nodes]
        self.payoffs = [node.payoff if isinstance(node, EndNode) else 0.0 for node in self.nodes]
        self.roots = {number: node for number, node in enumerate(self.nodes) if isinstance(node, RootCopy)}

    def label_sets(self, first: int) -> tuple[list[int], tuple[tuple[Hashable, ...], ...]]:
        """Return the number of each node's label set, counted from `first`, -1 if it has none; and the sets."""
        labels = [
            node.labels if isinstance(node, DecisionNode) else tuple(range(len(node.children))) for node in self.nodes
        ]
        numbers = {own: first + number for number, own in enumerate(dict.fromkeys(filter(None, labels)))}
        return [numbers.get(own, -1) for own in labels], tuple(numbers)


_MOVERS = {ChanceNode: CHANCE, EndNode: TERMINAL, RootCopy: TERMINAL}


class GadgetGame:
    """A gadget and copies of a subgame below it; the gadget's payoffs and decisions are the opponent's.

    tree: the gadget game. infosets: `[I]` infosets of the original that are copied, rising; they come last in `tree`.
    origin: `[N]` history of the original tree; -1 in the gadget. top_node: `[N]` node of the gadget at or above each
    history. number: number of each history of the original tree in the gadget game.
    """

    def __init__(self, sub: Subgame, opponent: int, top: GadgetNode) -> None:
        self.sub, self.opponent, self.top = sub, opponent, _Top(top, opponent)
        tree, root_copies = sub.tree, self.top.roots
        copies, roots = list(root_copies), [copy.number for copy in root_copies.values()]
        copy_of, own = np.full(len(sub.roots), -1), np.full(len(self.top.nodes), -1)
        copy_of[roots], own[copies] = copies, sub.roots[roots]
        below = (copy_of[sub.root_of] >= 0) & ~np.isin(sub.nodes, sub.roots)
        self.origin = np.concatenate([own, sub.nodes[below]])
        self.top_node = np.concatenate([np.arange(len(own)), copy_of[sub.root_of[below]]])
        self.copies, self.below = self.origin >= 0, np.arange(len(self.origin)) >= len(own)
        self.number = np.zeros(len(tree.player), dtype=np.int32)
        self.number[self.origin[self.copies]] = np.flatnonzero(self.copies)
        infosets = np.unique(tree.infoset[self.origin[self.copies]])
        self.infosets = infosets[infosets >= 0]
        self.tree = self._tree()

    def insert(self, original: Profile, solution: Profile, player: int) -> Profile:
        """Return the original profile with a player's strategy from a solution of the gadget game."""
        tree, values = original.tree, original.probabilities.copy()
        rows = ranges(tree.first_row[self.infosets], tree.action_counts[self.infosets])
        mine = tree.player_of_row[rows] == player
        values[rows[mine]] = solution.probabilities[self.tree.rows - len(rows) :][mine]
        return Profile(tree, values)

    def merge(self, own: Sequence[float], game: np.ndarray, copies: np.ndarray) -> np.ndarray:
        """Return `[N]` the game's values where `copies` is true, else the gadget's own."""
        merged = np.zeros(len(self.origin), dtype=game.dtype)
        merged[: len(own)] = own
        return np.where(copies, game[self.origin], merged)

    def payoffs(self, ends: np.ndarray) -> np.ndarray:
        """Return the opponent's payoffs at ends of the gadget game."""
        tree, original = self.sub.tree, np.zeros(len(self.sub.tree.player))
        original[tree.terminals] = tree.payoffs[:, self.opponent]
        roots = [self.top.roots.get(number, RootCopy(-1)) for number in range(len(self.top.nodes))]
        scale, shift = np.array([(root.scale, root.shift) for root in roots]).T[:, self.top_node]
        payoffs = (self.merge(self.top.payoffs, original, self.copies) * scale - shift)[ends]
        return np.where(np.abs(payoffs) > _ZERO * np.abs(payoffs).max(initial=0.0), payoffs, 0.0)

    def node_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of the gadget game with one entry for each history."""
        tree, top = self.sub.tree, self.top
        first = np.where(tree.child_count > 0, self.number[tree.first_child], 0).astype(np.int32)
        numbers = np.searchsorted(self.infosets, tree.infoset) + len(top.keys)
        infoset = np.where(tree.infoset >= 0, numbers, -1).astype(np.int32)
        return {
            "player": self.merge(top.player, tree.player, self.copies),
            "parent": self.merge(top.parent, self.number[tree.parent], self.below),
            "first_child": self.merge(top.first_child, first, self.copies),
            "child_count": self.merge(top.child_count, tree.child_count, self.copies),
            "infoset": self.merge(top.infoset, infoset, self.copies),
            "chance": self.merge(top.chance, tree.chance, self.below),
            "label_set": self.merge(top.label_sets(len(tree.label_sets))[0], tree.label_set, self.copies),
        }

    def _tree(self) -> Tree:
        tree, top, infosets = self.sub.tree, self.top, self.infosets
        nodes, sets = self.node_arrays(), top.label_sets(len(tree.label_sets))[1]
        ends, label_sets = np.flatnonzero(nodes["player"] == TERMINAL), tree.label_sets + sets
        payoffs, own = self.payoffs(ends), [label_sets.index(labels) for labels in top.labels]
        counts = np.concatenate([[len(labels) for labels in top.labels], tree.action_counts[infosets]])
        return Tree(
            name=f"{tree.name} from public state {self.sub.public_state} on",
            parameters={},
            players=2,
            terminals=ends.astype(np.int32),
            payoffs=np.stack([payoffs, -payoffs] if self.opponent == 0 else [-payoffs, payoffs], axis=1),
            infoset_player=np.concatenate([[self.opponent] * len(own), tree.infoset_player[infosets]]).astype(np.int8),
            infoset_labels=np.concatenate([own, tree.infoset_labels[infosets]]).astype(np.int32),
            first_row=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
            keys=(*top.keys, *(tree.keys[number] for number in infosets.tolist())),
            label_sets=label_sets,
            **nodes,
        )
