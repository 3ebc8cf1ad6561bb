"""A subgame behind an opening, as a tree of its own that any method solves.

It is cut out of the arrays of the game's tree instead of compiled from rules, which costs little beside solving. The
parts of the opening come first, copies of roots among them, then copies of the histories below in the game's order.

Dimension letters: T parts of the opening, N histories of the new tree, I infosets that are copied.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from tefuda.evaluating.profile import Profile
from tefuda.forms.arrays import ranges
from tefuda.forms.subgame import Subgame
from tefuda.forms.tree import Tree
from tefuda.games.protocol import CHANCE, TERMINAL
from tefuda.resolving.openings import Choice, Draw, End, Part, Root

_ZERO = 1e-12  # parts of the largest payoff that count as round-off: programs tell numbers apart up to 1e12


class _Top:
    """The parts of an opening, level by level, as lists of T."""

    def __init__(self, opening: Part, other: int) -> None:
        self.parts, self.parent, self.first_child, self.chance = [opening], [-1], list[int](), [1.0]
        for number, part in enumerate(self.parts):  # grows while it is walked
            self.first_child.append(len(self.parts) if part.into else 0)
            self.chance += part.chances if isinstance(part, Draw) else (1.0,) * len(part.into)
            self.parent += [number] * len(part.into)
            self.parts += part.into
        choices = {part.key: part.labels for part in self.parts if isinstance(part, Choice)}
        self.keys, self.labels = tuple(choices), tuple(choices.values())  # of infosets
        numbers = {key: number for number, key in enumerate(choices)}
        self.infoset = [numbers[part.key] if isinstance(part, Choice) else -1 for part in self.parts]
        self.player = [_MOVERS.get(type(part), other) for part in self.parts]
        self.child_count = [len(part.into) for part in self.parts]
        self.pay = [part.payoff if isinstance(part, End) else 0.0 for part in self.parts]
        self.roots = {slot: part for slot, part in enumerate(self.parts) if isinstance(part, Root)}

    def label_sets(self, first: int) -> tuple[list[int], tuple[tuple[Hashable, ...], ...]]:
        """Return the number of each part's label set, counted from `first`, -1 if it has none; and the sets."""
        names = [part.labels if isinstance(part, Choice) else tuple(range(len(part.into))) for part in self.parts]
        sets = {one: first + number for number, one in enumerate(dict.fromkeys(filter(None, names)))}
        return [sets.get(one, -1) for one in names], tuple(sets)


_MOVERS = {Draw: CHANCE, End: TERMINAL, Root: TERMINAL}


class Copy:
    """A copy of a subgame behind an opening, whose payoffs and choices are those of the `other` player.

    tree: the gadget game. infosets: `[I]` those of the original that have a copy, rising; in `tree` they are the last.
    origin: `[N]` history of the game's tree; -1 in the opening. slot: `[N]` part of the opening that it is or is below.
    number: number of each of the game's histories in the new tree.
    """

    def __init__(self, sub: Subgame, other: int, opening: Part) -> None:
        self.sub, self.other, self.top, tree = sub, other, _Top(opening, other), sub.tree
        top = self.top
        slots, places = list(top.roots), [root.place for root in top.roots.values()]
        slot_of, own = np.full(len(sub.roots), -1), np.full(len(top.parts), -1)
        slot_of[places], own[slots] = slots, sub.roots[places]
        below = (slot_of[sub.root_of] >= 0) & ~np.isin(sub.nodes, sub.roots)
        self.origin = np.concatenate([own, sub.nodes[below]])
        self.slot = np.concatenate([np.arange(len(own)), slot_of[sub.root_of[below]]])
        self.copies, self.below = self.origin >= 0, np.arange(len(self.origin)) >= len(own)
        self.number = np.zeros(len(tree.player), dtype=np.int32)
        self.number[self.origin[self.copies]] = np.flatnonzero(self.copies)
        found = np.unique(tree.infoset[self.origin[self.copies]])
        self.infosets = found[found >= 0]
        self.tree = self._tree()

    def strategies(self, original: Profile, found: Profile, player: int) -> Profile:
        """Return the original with a player's strategies replaced by those of a profile of the copy."""
        tree, values = original.tree, original.probabilities.copy()
        rows = ranges(tree.first_row[self.infosets], tree.action_counts[self.infosets])
        mine = tree.player_of_row[rows] == player
        values[rows[mine]] = found.probabilities[self.tree.rows - len(rows) :][mine]
        return Profile(tree, values)

    def field(self, own: Sequence[float], game: np.ndarray, copies: np.ndarray) -> np.ndarray:
        """Return `[N]` the game's values where they are copied, else the opening's own."""
        mine = np.zeros(len(self.origin), dtype=game.dtype)
        mine[: len(own)] = own
        return np.where(copies, game[self.origin], mine)

    def paid(self, ends: np.ndarray) -> np.ndarray:
        """Return the other player's payoffs at ends of the new tree."""
        tree, pay = self.sub.tree, np.zeros(len(self.sub.tree.player))
        pay[tree.terminals] = tree.payoffs[:, self.other]
        roots = [self.top.roots.get(slot, Root(-1)) for slot in range(len(self.top.parts))]
        scale, shift = np.array([(root.scale, root.shift) for root in roots]).T[:, self.slot]
        found = (self.field(self.top.pay, pay, self.copies) * scale - shift)[ends]
        return np.where(np.abs(found) > _ZERO * np.abs(found).max(initial=0.0), found, 0.0)

    def nodes(self) -> dict[str, np.ndarray]:
        """Return the arrays of the new tree with one entry for each history."""
        tree, top = self.sub.tree, self.top
        first = np.where(tree.child_count > 0, self.number[tree.first_child], 0).astype(np.int32)
        places = np.searchsorted(self.infosets, tree.infoset) + len(top.keys)
        infoset = np.where(tree.infoset >= 0, places, -1).astype(np.int32)
        return {
            "player": self.field(top.player, tree.player, self.copies),
            "parent": self.field(top.parent, self.number[tree.parent], self.below),
            "first_child": self.field(top.first_child, first, self.copies),
            "child_count": self.field(top.child_count, tree.child_count, self.copies),
            "infoset": self.field(top.infoset, infoset, self.copies),
            "chance": self.field(top.chance, tree.chance, self.below),
            "label_set": self.field(top.label_sets(len(tree.label_sets))[0], tree.label_set, self.copies),
        }

    def _tree(self) -> Tree:
        tree, top, infosets = self.sub.tree, self.top, self.infosets
        nodes, sets = self.nodes(), top.label_sets(len(tree.label_sets))[1]
        ends, label_sets = np.flatnonzero(nodes["player"] == TERMINAL), tree.label_sets + sets
        paid, own = self.paid(ends), [label_sets.index(labels) for labels in top.labels]
        counts = np.concatenate([[len(labels) for labels in top.labels], tree.action_counts[infosets]])
        return Tree(
            name=f"{tree.name} from public state {self.sub.public_state} on",
            parameters={},
            players=2,
            terminals=ends.astype(np.int32),
            payoffs=np.stack([paid, -paid] if self.other == 0 else [-paid, paid], axis=1),
            infoset_player=np.concatenate([[self.other] * len(own), tree.infoset_player[infosets]]).astype(np.int8),
            infoset_labels=np.concatenate([own, tree.infoset_labels[infosets]]).astype(np.int32),
            first_row=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
            keys=(*top.keys, *(tree.keys[number] for number in infosets.tolist())),
            label_sets=label_sets,
            **nodes,
        )
