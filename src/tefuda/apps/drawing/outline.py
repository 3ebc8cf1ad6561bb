"""Trees as lines of text, indented by levels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tefuda.apps.drawing.part import PartNode
from tefuda.apps.drawing.picture import foot_lines, move_lines
from tefuda.evaluating.profile import Profile
from tefuda.forms.tree import Tree
from tefuda.words import one_line


def outline(tree: Tree, part: Sequence[PartNode], profile: Profile | None = None) -> str:
    """Return a part of a tree as text: moves, infosets with their numbers in brackets, payoffs."""
    return "\n".join([one_line(tree.title), *_lines(tree, part, profile)])


def _lines(tree: Tree, part: Sequence[PartNode], profile: Profile | None) -> Iterator[str]:
    last = {node.parent: i for i, node in enumerate(part)}
    indents = [""] * len(part)  # of the lines of the children
    for i, node in enumerate(part):
        before = indents[node.parent] if i else ""
        is_last = last[node.parent] == i
        indents[i] = before + ("" if not i else "   " if is_last else "│  ")
        branch = "" if not i else "└─ " if is_last else "├─ "
        move, *share = move_lines(tree, node, profile, shorten=False) or [""]
        move += f" ({share[0]})" if share else ""
        yield f"{before}{branch}{move}{'  ' if move else ''}{_node_text(tree, node)}"


def _node_text(tree: Tree, node: PartNode) -> str:
    """Return the infoset, ``chance``, the payoffs, or the number of ends that are left out."""
    if feet := foot_lines(tree, node):
        return f"... {feet[0]}" if node.hidden else f"({', '.join(feet)})".replace("\u2212", "-")
    infoset = int(tree.infoset[node.history])
    return f"{one_line(tree.name_of(infoset))} [{infoset}]" if infoset >= 0 else "chance"
