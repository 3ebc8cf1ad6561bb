"""The part of a tree that is drawn: all histories after a position, or those of the first levels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda.errors import check_range
from tefuda.forms.paths import ROOT, deeper_levels, node_at, texts_at
from tefuda.forms.tree import Tree

MOST_ENDS = 200  # of a drawn part; a line of text for each fills several screens, and a picture a wall


class PartNode(NamedTuple):
    """A node of a drawn part.

    Attributes:
        history: history of the tree.
        parent: index of the parent in the list; -1 at the first node.
        label: text of the last move; "" at the first node.
        hidden: number of ends after it that are left out, in place of which it stands; 0 if nothing is left out.
        others: number of moves in place of which it stands; 0 for one move.
    """

    history: int
    parent: int
    label: str
    hidden: int = 0
    others: int = 0


def tree_part(tree: Tree, at: str = ROOT, levels: int | None = None, most: int = MOST_ENDS) -> list[PartNode]:
    """Return the histories to draw, each before its children and these in the order of the rules.

    Args:
        tree: the game.
        at: position at which the part begins, labels joined by ``~``.
        levels: number of levels below the position; default: as many whole levels as fit, at least one.
        most: largest number of nodes without children.

    Raises:
        UnknownNameError: the position does not exist.
        ParameterError: `levels` is below 1.
    """
    root = node_at(tree, at)
    fitting = _fitting_depth(tree, root, most)
    if levels is not None:
        check_range("levels", levels, 1)
        fitting = min(fitting, levels)
    ends, last = _ends_after(tree), int(tree.depth[root]) + fitting
    nodes, waiting = list[PartNode](), [PartNode(root, -1, "")]
    while waiting:
        node = waiting.pop()
        if not node.hidden and tree.child_count[node.history] and tree.depth[node.history] == last:
            node = node._replace(hidden=int(ends[node.history]))
        nodes.append(node)
        if node.hidden:
            continue
        children, index = tree.children(node.history), len(nodes) - 1
        shown = len(children) if len(children) <= most else most - 1
        texts = texts_at(tree, node.history)
        parts = [PartNode(child, index, text) for child, text in zip(children, texts, strict=False)]
        if left := len(parts) - shown:
            rest = int(ends[children[shown] : children[-1] + 1].sum())
            parts[shown:] = [PartNode(children[shown], index, f"{left:,} more", rest, left)]
        waiting += parts[::-1]
    return nodes


def _fitting_depth(tree: Tree, root: int, most: int) -> int:
    """Return the number of levels whose ends are at most `most`; at least 1."""
    level, closed, depth = [root], 0, 0
    while inner := [node for node in level if tree.child_count[node]]:
        closed += len(level) - len(inner)
        if depth and closed + int(tree.child_count[inner].sum()) > most:
            break
        level, depth = [child for node in inner for child in tree.children(node)], depth + 1
    return max(depth, 1)


def _ends_after(tree: Tree) -> np.ndarray:
    """Return `[N]` the number of ends after each history; 1 at an end."""
    ends = (tree.child_count == 0).astype(np.int64)
    for nodes in reversed(list(deeper_levels(tree))):
        np.add.at(ends, tree.parent[nodes], ends[nodes])
    return ends
