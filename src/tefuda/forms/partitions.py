"""Abstraction of a tree by merging its infosets into classes with one strategy each.

Dimension letters: I infosets, R rows, C classes, A abstract rows (class-action pairs).

Histories are those of the tree, so strategies of classes are evaluated in the real game. Full traversals
use the real sequence form and sum regrets over classes; all other methods use `Partition.small`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import GameError, InputError, ParameterError, RunError, shortened
from tefuda.files import ArraySpec, check_arrays
from tefuda.forms.arrays import Arrays, ranges
from tefuda.forms.form import Form, Saved
from tefuda.forms.sequence import last_rows
from tefuda.forms.tree import Tree, require_tree
from tefuda.games.answers import calling_rules
from tefuda.games.protocol import CHANCE, TERMINAL, Game, View


@dataclass(frozen=True, eq=False)
class Partition(Arrays, Form):
    """Infosets of a tree in classes; made by `partition`, `lossless` and `buckets`.

    Attributes:
        tree: the real game.
        classes: `[I]` int32, class of each infoset; classes are numbered in the order of their first members.
        rows: `[R]` int32, abstract row of each row. Rows of one infoset with the same abstract row get equal
            probabilities.
        first_row: `[C + 1]` int32, the abstract rows of class c are first_row[c]..first_row[c + 1].
        keys: C keys that replace the views.

    >>> leduc = td.compile_game(td.load_game("leduc"))
    >>> td.forms.partition(leduc, lambda view, player: view.replace("J", "Q"))  # jacks and queens are merged
    Partition(leduc, 288 infosets in 132 classes, perfect recall)
    """

    tree: Tree = field()
    classes: np.ndarray  # [I] int32
    rows: np.ndarray  # [R] int32
    first_row: np.ndarray  # [C + 1] int32
    keys: tuple[Hashable, ...]

    representation = "partition"
    evaluator = Tree.evaluator

    @classmethod
    def build(cls, game: Game | Tree, saved: Saved, building: Any = None) -> Partition:
        return _restored(Tree.build(game, Saved(), building), saved.arrays)

    def __repr__(self) -> str:
        recall = "imperfect" if self.forgotten else "perfect"
        return f"Partition({self.tree.name}, {self.tree.infosets:,} infosets in {self.size:,} classes, {recall} recall)"

    @property
    def size(self) -> int:
        """Number of classes, C."""
        return len(self.keys)

    @cached_property
    def first_infoset(self) -> np.ndarray:
        """`[C]` the infoset with the smallest number in each class."""
        return np.unique(self.classes, return_index=True)[1]

    @cached_property
    def share(self) -> np.ndarray:
        """`[R]` share of each row in its abstract row: 1, unless rows of an infoset share it."""
        pairs = self.tree.infoset_of_row.astype(np.int64) * (len(self.rows) + 1) + self.rows
        _, place, count = np.unique(pairs, return_inverse=True, return_counts=True)
        return 1 / count[place]

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Convert probabilities of abstract rows `[A]` to those of the tree's rows `[R]`.

        >>> leduc = td.compile_game(td.load_game("leduc"))
        >>> halves = td.forms.partition(leduc, lambda view, player: view.replace("J", "Q"))
        >>> profile = td.Profile(leduc, halves.spread(td.Profile.uniform(halves.small).probabilities))
        >>> round(td.nash_conv(profile), 3)
        4.747
        """
        return values[self.rows] * self.share

    @cached_property
    def forgotten(self) -> tuple[int, int] | None:
        """Two infosets of a class whose player has different pasts; None: perfect recall."""
        parent = last_rows(self.tree)[1]
        past = np.where(parent >= 0, self.rows[parent], -1)
        wrong = np.flatnonzero(past != past[self.first_infoset[self.classes]])
        return (int(self.first_infoset[self.classes[wrong[0]]]), int(wrong[0])) if wrong.size else None

    @property
    def guarantee(self) -> str:
        """The guarantee for strategies computed with this partition, in words."""
        if self.forgotten is None:
            return (
                "perfect recall: methods find an equilibrium of the abstract game, which may be exploitable in the "
                "real one; cfr-br finds the least exploitable strategies of the classes"
            )
        one, two = (self.tree.name_of(number) for number in self.forgotten)
        return (
            f"imperfect recall: {one!r} and {two!r} are in one class, but their player has different pasts. Regrets "
            f"may stay positive: no method is sure to find an equilibrium of the abstract game, nor cfr-br the least "
            f"exploitable strategies"
        )

    def summary(self) -> dict[str, Any]:
        """Return sizes and recall as JSON values."""
        recall = "imperfect" if self.forgotten else "perfect"
        return {"infosets": self.tree.infosets, "classes": self.size, "recall": recall}

    def saved(self) -> Saved:
        """Return sizes, classes and rows; see `Form`."""
        return Saved(self.summary(), {"classes": self.classes, "rows": self.rows})

    def with_perfect_recall(self) -> Partition:
        """Return the coarsest refinement with perfect recall."""
        if self.forgotten is None:
            return self
        parent, found = last_rows(self.tree)[1], dict[tuple[int, int, int], int]()
        owner, labels = self.tree.infoset_of_row, np.empty(self.tree.infosets, dtype=np.int64)
        place = self.rows - self.first_row[self.classes[owner]]
        for number, row in enumerate(parent.tolist()):  # parents have smaller numbers
            past = (int(labels[owner[row]]), int(place[row])) if row >= 0 else (-1, -1)
            labels[number] = found.setdefault((int(self.classes[number]), *past), len(found))
        return merge(self.tree, labels, place)

    @cached_property
    def small(self) -> Tree:
        """The abstract game as a tree: the tree's histories with merged infosets.

        If rows of an infoset share an abstract row, a chance history after it selects one of them uniformly.
        So a profile of the abstract game and its `spread` reach the same terminal histories with the same
        probabilities.
        """
        tree, first = self.tree, self.first_infoset
        shared: dict[str, Any] = {
            "name": f"abstract {tree.name}",
            "parameters": {**tree.parameters, "classes": self.size},
            "infoset_player": tree.infoset_player[first],
            "first_row": self.first_row,
            "keys": self.keys,
            "game": None,
        }
        infoset = np.append(self.classes, np.int32(-1))[tree.infoset]  # -1, the last, where no player decides
        owner = tree.infoset_of_row
        in_order = self.first_row[self.classes[owner]] + np.arange(tree.rows) - tree.first_row[owner]
        if np.array_equal(self.rows, in_order):
            return replace(tree, infoset=infoset, infoset_labels=tree.infoset_labels[first], **shared)
        return replace(tree, **_arranged(self, infoset), **shared)


def partition(tree: Tree, key: Callable[[View, int], View] | Sequence[Callable[[View, int], View]]) -> Partition:
    """Merge the infosets of a tree whose views have the same key.

    Args:
        tree: the real game.
        key: function (view, player) that returns the key, or one function for each player. Views with the
            same key must have the same actions.

    Returns:
        A partition, which `solve` and `make_solver` accept in place of the tree.

    Raises:
        ParameterError: `key` is not a function, or not one for each player.
        GameError: views with one key have different actions, or a key is not hashable.

    >>> suits = str.maketrans("", "", "hs")
    >>> leduc = td.compile_game(td.load_game("leduc", distinct_suits=True))
    >>> ranks = td.forms.partition(leduc, lambda view, player: view.translate(suits))
    >>> ranks, td.solve(ranks, "cfr+", until=1e-3).nash_conv < 1e-3
    (Partition(leduc, 936 infosets in 288 classes, perfect recall), True)
    """
    require_tree(tree)
    functions = list(key) if isinstance(key, Sequence) else [key] * tree.players
    if len(functions) != tree.players or not all(map(callable, functions)):
        raise ParameterError(
            f"key is {shortened(key)}; it must be a function, or one for each of {tree.players} players.",
            key="key",
            value=key,
        )
    with calling_rules(tree.game):
        keys = [
            functions[player](view, player)
            for player, view in zip(tree.infoset_player.tolist(), tree.keys, strict=True)
        ]
    return merge(tree, list(zip(tree.infoset_player.tolist(), keys, strict=True)), keys=keys)


def _restored(tree: Tree, arrays: Mapping[str, np.ndarray]) -> Partition:
    """Return the partition of a tree with saved classes; raise RunError if they are not those of one."""
    bounds = {
        "classes": ArraySpec("int32", (tree.infosets,), 0, tree.infosets - 1),
        "rows": ArraySpec("int32", (tree.rows,), 0),
    }
    check_arrays("the saved partition", arrays, bounds)
    least = np.full(tree.infosets, tree.rows)
    np.minimum.at(least, arrays["classes"][tree.infoset_of_row], arrays["rows"])
    places = arrays["rows"] - least[arrays["classes"][tree.infoset_of_row]]
    try:
        found = merge(tree, arrays["classes"].tolist(), places)
    except GameError as error:
        raise RunError(f"the saved partition: {error}") from None
    if any(not np.array_equal(getattr(found, name), arrays[name]) for name in bounds):
        raise RunError("the saved partition is damaged: its classes are not numbered in order. Use an intact copy.")
    return found


def merge(
    tree: Tree, labels: Iterable[Hashable], places: np.ndarray | None = None, keys: Sequence[Hashable] | None = None
) -> Partition:
    """Return the partition with one class for each label `[I]` of the infosets.

    places: `[R]` index of each row in its class; default: the order of the actions.
    keys: `[I]` key of each infoset; default: the view of the first infoset of each class.

    Raises:
        GameError: a label of infosets of two players or with different actions, or an unhashable label.
    """
    require_tree(tree)
    found: dict[Hashable, int] = {}
    try:
        classes = np.array([found.setdefault(label, len(found)) for label in labels], dtype=np.int32)
    except TypeError:
        raise GameError(
            f"{tree.name}: keys of views must be hashable, such as numbers, texts, or tuples of them."
        ) from None
    if len(classes) != tree.infosets:
        raise InputError(f"{len(classes)} labels for the {tree.infosets} infosets of {tree.name}; give one for each.")
    first = np.unique(classes, return_index=True)[1]
    owner, chosen = tree.infoset_of_row, first[classes]
    wrong = tree.infoset_player != tree.infoset_player[chosen]
    if places is None:
        wrong |= tree.infoset_labels != tree.infoset_labels[chosen]
        places = np.arange(tree.rows) - tree.first_row[owner]
    count = np.zeros(len(first), dtype=np.int32)
    np.maximum.at(count, classes[owner], places + 1)
    first_row = np.append(0, np.cumsum(count)).astype(np.int32)
    rows = (first_row[classes[owner]] + places).astype(np.int32)
    met = np.bincount(np.unique(np.stack([owner, rows]), axis=1)[0], minlength=tree.infosets)
    _require_mergeable(tree, wrong | (met != count[classes]), chosen)
    known = tree.keys if keys is None else keys
    return Partition(tree, classes, rows, first_row, tuple(known[number] for number in first.tolist()))


def _require_mergeable(tree: Tree, wrong: np.ndarray, chosen: np.ndarray) -> None:
    """Raise GameError for the first infoset that does not fit its class; chosen: `[I]` first of each."""
    if wrong.any():
        number = int(np.flatnonzero(wrong)[0])
        members = " and ".join(
            f"{tree.name_of(n)!r} {shortened(tree.labels(n))}" for n in (int(chosen[number]), number)
        )
        raise GameError(
            f"{tree.name}: one class has {members}; infosets of a class must have the same player and the same actions."
        )


def _arranged(whole: Partition, infoset: np.ndarray) -> dict[str, Any]:
    """Return the arrays of a tree whose histories have one child per abstract row, level by level.

    infoset: `[N]` the class at each history, -1 if no player decides.
    """
    tree, split = whole.tree, _split(whole)
    parent, rank, chance = split.parent, split.rank, split.chance
    added = len(parent) - len(tree.player)
    children = 1 + np.lexsort((rank[1:], parent[1:]))
    count = np.bincount(parent[1:], minlength=len(parent))
    start, order, level = np.cumsum(count) - count, list[np.ndarray](), np.zeros(1, dtype=np.int64)
    while len(level):
        order.append(level)
        level = children[ranges(start[level], count[level])]
    old = np.concatenate(order)
    number = np.empty(len(old), dtype=np.int32)
    number[old] = np.arange(len(old))
    before = np.append(1, 1 + np.cumsum(count[old]))[:-1]
    player = np.append(tree.player, np.full(added, CHANCE, np.int8))[old]
    terminals = np.flatnonzero(player == TERMINAL).astype(np.int32)
    infoset = np.append(infoset, np.full(added, -1, np.int32))
    return {
        "player": player,
        "parent": np.append(-1, number[parent[old[1:]]]).astype(np.int32),
        "first_child": np.where(count[old] > 0, before, 0).astype(np.int32),
        "child_count": count[old].astype(np.int16),
        "infoset": infoset[old],
        "chance": chance[old],
        "terminals": terminals,
        "payoffs": tree.payoffs[np.searchsorted(tree.terminals, old[terminals])],
        **_named(whole, split, infoset, old),
    }


class _Split(NamedTuple):
    """The tree with a chance history after each abstract row that several rows of an infoset share.

    Its M histories are the tree's N histories, then the new ones.
    """

    parent: np.ndarray  # [M] the history before each
    rank: np.ndarray  # [M] order of the histories behind one parent
    chance: np.ndarray  # [M] as of a tree
    behind: np.ndarray  # [M - N] a row whose abstract row leads to each new history


def _split(whole: Partition) -> _Split:
    tree, parent = whole.tree, whole.tree.parent.astype(np.int64)
    moved = 1 + np.flatnonzero(tree.infoset[parent[1:]] >= 0)  # histories that a player's action leads to
    rank, chance = np.zeros(len(parent), dtype=np.int64), tree.chance.copy()
    rank[1:] = np.arange(1, len(parent)) - tree.first_child[parent[1:]]
    row = tree.first_row[tree.infoset[parent[moved]]] + rank[moved]
    shared = whole.share[row] < 1
    rank[moved[~shared]] = whole.rows[row[~shared]]
    drawn, row = moved[shared], row[shared]
    chance[drawn] = whole.share[row]
    pairs = parent[drawn] * len(whole.rows) + whole.rows[row]
    _, first, place = np.unique(pairs, return_index=True, return_inverse=True)
    above, parent[drawn] = parent[drawn[first]], len(parent) + place
    return _Split(
        parent=np.append(parent, above),
        rank=np.append(rank, whole.rows[row[first]]),
        chance=np.append(chance, np.ones(len(first))),
        behind=row[first],
    )


def _named(whole: Partition, split: _Split, infoset: np.ndarray, old: np.ndarray) -> dict[str, Any]:
    """Return the label sets of the abstract game's histories and infosets, and the distinct sets.

    infoset: `[M]` the class at each history, -1 if no player decides. old: `[M]` the history at each place.
    """
    tree, size = whole.tree, whole.size
    behind, place = np.unique(split.behind, return_inverse=True)
    names = [
        *tree.label_sets,
        *(_labels(whole, c) for c in range(size)),
        *(_sharing(whole, r) for r in behind.tolist()),
    ]
    at = np.append(tree.label_set, len(tree.label_sets) + size + place)
    at = np.where(infoset >= 0, len(tree.label_sets) + infoset, at)[old]
    sets: dict[tuple[Hashable, ...], int] = {}
    used = np.unique(at[at >= 0])
    found = np.full(len(names) + 1, -1, dtype=np.int32)  # the last for terminals, whose number is -1
    found[used] = [sets.setdefault(names[n], len(sets)) for n in used.tolist()]
    classes = found[len(tree.label_sets) : len(tree.label_sets) + size]
    return {"label_set": found[at], "infoset_labels": classes, "label_sets": tuple(sets)}


def _labels(whole: Partition, number: int) -> tuple[Hashable, ...]:
    """Return the actions of a class: those of its first infoset, one per abstract row."""
    first = int(whole.first_infoset[number])
    rows = whole.rows[whole.tree.rows_of(first)]
    names = whole.tree.labels(first)
    return tuple(names[int(np.argmax(rows == row))] for row in range(int(rows.min()), int(rows.max()) + 1))


def _sharing(whole: Partition, row: int) -> tuple[Hashable, ...]:
    """Return the actions of a row's infoset that share its abstract row."""
    infoset = int(whole.tree.infoset_of_row[row])
    rows = whole.rows[whole.tree.rows_of(infoset)]
    return tuple(label for label, r in zip(whole.tree.labels(infoset), rows, strict=True) if r == whole.rows[row])
