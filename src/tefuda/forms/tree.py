"""The whole game as arrays, compiled from its rules.

Dimension letters: N histories, Z terminals, I infosets, R rows (infoset-action pairs), P players.
Parents precede their children, and siblings are consecutive, so loops over rising numbers go down the
tree. An infoset's number is larger than those of all infosets that its player visited before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from tefuda.errors import GameError, ParameterError, UnknownNameError, illegal_label, wrong_type
from tefuda.forms.arrays import Arrays, depths
from tefuda.forms.form import Form, Saved, Size
from tefuda.games.answers import calling_rules
from tefuda.games.protocol import Game, State, infoset_name
from tefuda.games.size import estimate_game, free_memory, refuse_if_too_large
from tefuda.lazy import load_reference
from tefuda.views import VIEWERS, Displayable


@dataclass(frozen=True, eq=False)
class Tree(Arrays, Displayable, Form):
    """A compiled game. All arrays are read-only; two trees are equal only if they are the same object.

    Attributes:
        name: name of the game. parameters: other arguments of `load_game`, as JSON values. players: P.
        player: `[N]` int8, the player to move at each history: 0..P-1, CHANCE or TERMINAL.
        parent: `[N]` int32, -1 at the root.
        first_child: `[N]` int32, the first of the consecutive children; 0 at terminals.
        child_count: `[N]` int16, number of children.
        infoset: `[N]` int32, -1 at chance and terminal histories.
        chance: `[N]` float64, probability of the incoming edge if it is a chance outcome, else 1.
        label_set: `[N]` int32, index in `label_sets` of the outgoing edges' labels; -1 at terminals.
        terminals: `[Z]` int32, the terminal histories, rising.
        payoffs: `[Z, P]` float64, chips or points of each player there.
        infoset_player: `[I]` int8, the player to move. infoset_labels: `[I]` int32, index in `label_sets`.
        first_row: `[I + 1]` int32, the rows of infoset i are first_row[i]..first_row[i + 1].
        keys: I keys, the players' views. label_sets: tuples of labels. game: the compiled game, if known.

    >>> td.compile_game(td.load_game("kuhn"))
    Tree(kuhn, 2 players, 55 histories, 30 terminals, 12 infosets)
    """

    name: str = field()
    parameters: dict[str, Any] = field()
    players: int = field()
    player: np.ndarray  # [N] int8
    parent: np.ndarray  # [N] int32
    first_child: np.ndarray  # [N] int32
    child_count: np.ndarray  # [N] int16
    infoset: np.ndarray  # [N] int32
    chance: np.ndarray  # [N] float64
    label_set: np.ndarray  # [N] int32
    terminals: np.ndarray  # [Z] int32
    payoffs: np.ndarray  # [Z, P] float64
    infoset_player: np.ndarray  # [I] int8
    infoset_labels: np.ndarray  # [I] int32
    first_row: np.ndarray  # [I + 1] int32
    keys: tuple[Hashable, ...]
    label_sets: tuple[tuple[Hashable, ...], ...]
    game: Any = field(default=None, repr=False)

    representation = "tree"
    evaluator = "tefuda.solvers.runs.evaluators:NashConv"

    @property
    def tree(self) -> Tree:
        """This tree; see `Form`."""
        return self

    @classmethod
    def build(cls, game: Game | Tree, saved: Saved, building: Any = None) -> Tree:
        """See `Form`; `compile_game` has further options."""
        if isinstance(game, Tree):
            return game
        return load_reference("tefuda.forms.compile:compile_game")(game, progress=building)

    @classmethod
    def size_of(cls, game: Game, fields: Mapping[str, Any]) -> Size:
        """See `Form`: estimated histories with their standard error, and the seconds to compile them."""
        estimate = estimate_game(game)
        error, seconds = estimate.error or None, estimate.seconds
        numbers = {"histories": estimate.histories, "error": error, "seconds_to_build": seconds}
        return Size(numbers, estimate.bytes, free_memory())

    @classmethod
    def require_room(cls, game: Game, fields: Mapping[str, Any]) -> None:
        refuse_if_too_large(game, force=False)

    @property
    def infosets(self) -> int:
        """Number of infosets, I."""
        return len(self.keys)

    @property
    def rows(self) -> int:
        """Number of rows, R."""
        return int(self.first_row[-1])

    def labels(self, infoset: int) -> tuple[Hashable, ...]:
        """Return the actions of an infoset."""
        return self.label_sets[self.infoset_labels[infoset]]

    def name_of(self, infoset: int) -> str:
        """Return the printed name of an infoset, such as ``"1: K|c"``."""
        return infoset_name(int(self.infoset_player[infoset]), self.keys[infoset])

    def number(self, infoset: str | tuple[int, Hashable] | int) -> int:
        """Return the number of an infoset, given by name, (player, key) or number.

        Raises:
            UnknownNameError: an unknown infoset.
            ParameterError: several infosets with this name.
        """
        if isinstance(infoset, (int, np.integer)) and 0 <= infoset < self.infosets:
            return int(infoset)
        try:
            found = self.names.get(infoset) if isinstance(infoset, str) else self.numbers.get(infoset)  # type: ignore[arg-type]
        except TypeError:  # not hashable
            found = None
        if found is None:
            raise UnknownNameError(f"infoset of {self.name}", infoset, self.names)
        if isinstance(infoset, str) and infoset in self.ambiguous_names:
            self._refuse(infoset)
        return found

    def require_distinct_names(self) -> None:
        """Raise ParameterError if two infosets have one name."""
        if self.ambiguous_names:
            self._refuse(min(self.ambiguous_names))

    def _refuse(self, name: str) -> NoReturn:
        numbers = self.ambiguous_names[name]
        keys = ", ".join(repr((int(self.infoset_player[number]), self.keys[number])) for number in numbers[:3])
        raise ParameterError(
            f"{name!r} is the name of {len(numbers)} infosets of {self.name}: {keys}. Give (player, key), or a number "
            f"from 0 to {self.infosets - 1}."
        )

    @cached_property
    def infoset_of_row(self) -> np.ndarray:
        """`[R]` the infoset of each row."""
        return np.repeat(np.arange(self.infosets), self.action_counts)

    @cached_property
    def player_of_row(self) -> np.ndarray:
        """`[R]` int8, the player of each row."""
        return self.infoset_player[self.infoset_of_row]

    @cached_property
    def action_counts(self) -> np.ndarray:
        """`[I]` the number of actions of each infoset."""
        return np.diff(self.first_row)

    @cached_property
    def history_counts(self) -> np.ndarray:
        """`[I]` the number of histories of each infoset."""
        return np.bincount(self.infoset[self.infoset >= 0], minlength=self.infosets)

    @cached_property
    def first_history(self) -> np.ndarray:
        """`[I]` the history with the smallest number in each infoset."""
        decisions = np.flatnonzero(self.infoset >= 0)[::-1]
        first = np.zeros(self.infosets, dtype=np.int64)
        first[self.infoset[decisions]] = decisions
        return first

    @cached_property
    def depth(self) -> np.ndarray:
        """`[N]` int32, the number of moves to each history, chance's included."""
        return depths(self.first_child, self.child_count)

    @cached_property
    def numbers(self) -> dict[tuple[int, Hashable], int]:
        """The number of every infoset by (player, key)."""
        return {(int(p), key): i for i, (p, key) in enumerate(zip(self.infoset_player, self.keys, strict=True))}

    @cached_property
    def names(self) -> dict[str, int]:
        """The number of every infoset by its printed name, ``"1: K|c"``; for duplicate names the last one."""
        return {infoset_name(p, key): number for (p, key), number in self.numbers.items()}

    @cached_property
    def ambiguous_names(self) -> dict[str, list[int]]:
        """The numbers of the infosets that share a printed name, by that name."""
        if len(self.names) == self.infosets:
            return {}
        found = dict[str, list[int]]()
        for number in range(self.infosets):
            found.setdefault(self.name_of(number), []).append(number)
        return {name: numbers for name, numbers in found.items() if len(numbers) > 1}

    def infosets_of(self, player: int) -> np.ndarray:
        """Return a player's infosets, rising."""
        return np.flatnonzero(self.infoset_player == player)

    def histories_of(self, infoset: int) -> np.ndarray:
        """Return the histories of an infoset, rising."""
        return np.flatnonzero(self.infoset == infoset)

    def rows_of(self, infoset: int) -> slice:
        """Return the rows of an infoset."""
        return slice(int(self.first_row[infoset]), int(self.first_row[infoset + 1]))

    def row_of(self, infoset: int, action: Hashable) -> int:
        """Return the row of an action of an infoset."""
        return int(self.first_row[infoset]) + self.labels(infoset).index(action)

    def action_of(self, row: int) -> Hashable:
        """Return the action of a row."""
        infoset = int(self.infoset_of_row[row])
        return self.labels(infoset)[row - int(self.first_row[infoset])]

    def labels_at(self, node: int) -> tuple[Hashable, ...]:
        """Return the actions or chance outcomes at a history; empty at terminals."""
        number = int(self.label_set[node])
        return self.label_sets[number] if number >= 0 else ()

    def children(self, node: int) -> range:
        """Return the histories one move later, in the order of the labels."""
        first = int(self.first_child[node])
        return range(first, first + int(self.child_count[node]))

    def child(self, node: int, label: Hashable) -> int:
        """Return the history after a move; raise ParameterError if its label is not legal."""
        try:
            return int(self.first_child[node]) + self.labels_at(node).index(label)
        except ValueError:
            raise illegal_label(label, self.labels_at(node)) from None

    def payoffs_at(self, end: int) -> tuple[float, ...]:
        """Return the payoffs at a terminal history."""
        return tuple(self.payoffs[np.searchsorted(self.terminals, end)].tolist())

    def history(self, node: int) -> tuple[Hashable, ...]:
        """Return the labels on the path from the root to a history."""
        path: list[Hashable] = []
        while (parent := int(self.parent[node])) >= 0:
            path.append(self.labels_at(parent)[node - int(self.first_child[parent])])
            node = parent
        return tuple(reversed(path))

    def state(self, node: int) -> State:
        """Return the rules' state at a history.

        Raises:
            GameError: the tree does not know its rules.
        """
        rules = known_rules(self)
        with calling_rules(rules):
            state = rules.root()
            for label in self.history(node):
                state = rules.child(state, label)
        return state

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of arrays, keys and labels; the name is not included."""
        digest = hashlib.sha256(repr((self.players, self.keys, self.label_sets)).encode())
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, np.ndarray):
                digest.update(value.tobytes())
        return digest.hexdigest()

    def _repr_svg_(self) -> str | None:
        """Return a drawing of a small tree for notebooks."""
        drawing: str | None = load_reference(VIEWERS["svg"])(self)
        return drawing

    def __repr__(self) -> str:
        return (
            f"Tree({self.name}, {self.players} players, {len(self.player):,} histories, "
            f"{len(self.terminals):,} terminals, {self.infosets:,} infosets)"
        )


def require_tree(tree: object) -> None:
    """Raise InputError unless `tree` is a compiled game."""
    if isinstance(tree, Tree):
        return
    cure = f"compile_game(load_game({tree!r}))" if isinstance(tree, str) else "compile_game(rules)"
    raise wrong_type("a compiled game, a Tree,", tree, f"Make one with {cure}.")


def game_behind(game: Any) -> Any:
    """Return the game of a tree, None if unknown; another argument is the game."""
    return game.game if isinstance(game, Tree) else game


def known_rules(tree: Tree) -> Any:
    """Return the rules of a tree.

    Raises:
        GameError: the tree does not know its rules.
    """
    if tree.game is None:
        raise GameError(f"{tree.name} was not compiled from rules, so its players' views are unknown.")
    return tree.game


def states(tree: Tree) -> list[State]:
    """Return `[N]` the rules' state at every history.

    Raises:
        GameError: the tree does not know its rules.
    """
    rules = known_rules(tree)
    found: list[State] = [None] * len(tree.player)
    with calling_rules(rules):
        found[0] = rules.root()
        for node, (first, edges) in enumerate(zip(tree.first_child.tolist(), tree.label_set.tolist(), strict=True)):
            for place, label in enumerate(tree.label_sets[edges] if edges >= 0 else ()):
                found[first + place] = rules.child(found[node], label)
    return found
