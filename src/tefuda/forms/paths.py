"""Histories of a tree as texts, and the part of a tree around an infoset.

A path is the labels of a history joined by ``~``: ``"J Q~p~b"``; ``"-"`` is the root.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from tefuda.errors import GameError, UnknownNameError, quoted
from tefuda.forms.arrays import derived, levels
from tefuda.forms.tree import Tree
from tefuda.words import distinct

ROOT = "-"
SEPARATOR = "~"


def label_text(label: Hashable) -> str:
    """Return a label in one line; those of a deal without brackets."""
    return " ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def label_texts(labels: Sequence[Hashable]) -> tuple[str, ...]:
    """Return distinct texts of the labels at a history, which are parts of paths."""
    texts = [label_text(label).replace(SEPARATOR, "_") for label in labels]
    return distinct([text if text not in ("", ROOT) else "_" for text in texts])


def texts_at(tree: Tree, node: int) -> tuple[str, ...]:
    """Return the texts of the labels at a history; empty at terminals."""
    number = int(tree.label_set[node])
    return _texts_of_sets(tree)[number] if number >= 0 else ()


@derived
def _texts_of_sets(tree: Tree) -> tuple[tuple[str, ...], ...]:
    return tuple(map(label_texts, tree.label_sets))


def path_of(tree: Tree, node: int) -> str:
    """Return the path of a history.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> path_of(tree, int(tree.first_history[tree.number("1: Q|b")]))
    'J Q~b'
    """
    return SEPARATOR.join(parts_of(tree, node)) or ROOT


def parts_of(tree: Tree, node: int) -> tuple[str, ...]:
    """Return the texts of the labels from the root to a history."""
    return tuple(texts_at(tree, above)[index] for above, index in moves_to(tree, node))


def moves_to(tree: Tree, node: int) -> list[tuple[int, int]]:
    """Return each history before a history, from the root on, and the index of the move there."""
    moves = []
    while (above := int(tree.parent[node])) >= 0:
        moves.append((above, node - int(tree.first_child[above])))
        node = above
    return moves[::-1]


class HistoryEntry(NamedTuple):
    """A history in a list of histories of a tree.

    Attributes:
        path: the history.
        parent: index of the parent in the list; None at the root.
        label: text of the last move; "" at the root.
        mover: the player to move, CHANCE or TERMINAL.
        infoset: name of the infoset, or None.
    """

    path: str
    parent: int | None
    label: str
    mover: int
    infoset: str | None


def history_entries(tree: Tree, nodes: Sequence[int]) -> list[HistoryEntry]:
    """Return a list of histories, in which parents come first."""
    index = {node: number for number, node in enumerate(nodes)}
    entries = []
    for node in nodes:
        parts, parent, infoset = parts_of(tree, node), int(tree.parent[node]), int(tree.infoset[node])
        path, label = SEPARATOR.join(parts) or ROOT, parts[-1] if parts else ""
        name = tree.name_of(infoset) if infoset >= 0 else None
        entries.append(HistoryEntry(path, index.get(parent), label, int(tree.player[node]), name))
    return entries


def deeper_levels(tree: Tree) -> Iterator[np.ndarray]:
    """Yield the histories `[n]` of each depth from 1."""
    return islice(levels(tree.first_child, tree.child_count), 1, None)


def along_paths(tree: Tree, figures: np.ndarray) -> np.ndarray:
    """Return `[N, ...]` the sums of figures `[N, ...]` over the path to each history, its own included."""
    total = figures.copy()
    for nodes in deeper_levels(tree):
        total[nodes] += total[tree.parent[nodes]]
    return total


def after(path: str, label: str) -> str:
    """Return the path after a move with this text."""
    return label if path == ROOT else f"{path}{SEPARATOR}{label}"


def node_at(tree: Tree, path: str) -> int:
    """Return the number of the history with a path.

    Raises:
        UnknownNameError: a label of the path does not exist at its history.
    """
    node = 0
    for part in path.split(SEPARATOR) if path != ROOT else ():
        texts = texts_at(tree, node)
        if part not in texts:
            raise UnknownNameError(f"action or outcome of {tree.name} after {path_of(tree, node)}", part, texts)
        node = int(tree.first_child[node]) + texts.index(part)
    return node


def require_distinct_visits(tree: Tree) -> None:
    """Raise GameError if an infoset comes twice in a history.

    This is absent-mindedness (Piccione and Rubinstein 1997): one choice for two decisions, which regrets of one
    decision do not describe.
    """
    if (node := _second_visit(tree)) >= 0:
        name = quoted(tree.name_of(int(tree.infoset[node])))
        raise GameError(
            f"{tree.name}: imperfect recall. The infoset {name} comes twice in the history "
            f"{path_of(tree, node)} (absent-mindedness), and no method solves such games. Let view() show the number "
            "of the player's earlier actions. Values need no recall: td.values(profile), tefuda evaluate."
        )


@derived
def _second_visit(tree: Tree) -> int:
    """Return a history whose infoset has an earlier history on its path; -1: there is none."""
    nodes = np.flatnonzero(tree.infoset >= 0)
    above = tree.parent[nodes]
    while len(nodes):
        nodes, above = nodes[above >= 0], above[above >= 0]
        if (again := tree.infoset[above] == tree.infoset[nodes]).any():
            return int(nodes[again.argmax()])
        above = tree.parent[above]
    return -1


def ancestors(tree: Tree, nodes: Iterable[int]) -> set[int]:
    """Return some histories with all their ancestors."""
    found = set[int]()
    for node in nodes:
        while node >= 0 and node not in found:
            found.add(node)
            node = int(tree.parent[node])
    return found


def neighbourhood(tree: Tree, infoset: int) -> list[int]:
    """Return the histories of an infoset, their ancestors, and all their children, rising.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> [path_of(tree, node) for node in neighbourhood(tree, tree.number("0: J|"))]
    ['-', 'J Q', 'J K', 'J Q~p', 'J Q~b', 'J K~p', 'J K~b']
    """
    inside = tree.histories_of(infoset).tolist()
    children = np.concatenate([np.array(tree.children(node)) for node in inside]).tolist()
    return sorted(ancestors(tree, inside) | set(children))
