"""Messages of whole trees: all histories of a small game, or those that a player distinguishes."""

from __future__ import annotations

from collections.abc import Sequence

from tefuda.apps.web.messages.explore import past_move
from tefuda.apps.web.messages.message import Message, Words, in_languages
from tefuda.evaluating.explorer import Explorer, Position, move_probability
from tefuda.figure import action_kind
from tefuda.forms.paths import path_of


class TreeNode(Message):
    """A history, or all histories that look the same to a player.

    Attributes:
        parent: index of the node before the last move.
        hand: cards of the player to move, if they are known.
        name: the last move, if it is known; kind: its colour.
        share: probability of the last move.
        path: the history; None where a player looks, who does not know it.
        infoset: infoset of the player to move, if it is known.
    """

    parent: int | None
    mover: int
    hand: Words | None
    name: Words | None
    kind: str
    share: float
    path: str | None
    infoset: str | None
    values: Sequence[float] | None


class WholeTree(Message):
    """All nodes, parents first; `count` is the number of histories."""

    count: int
    nodes: Sequence[TreeNode]


def whole_tree(explorers: Sequence[Explorer], seat: int | None) -> WholeTree:
    """Return all histories of a game, or their groups that a player distinguishes.

    Args:
        explorers: one for each language.
        seat: the player who looks; None sees everything.
    """
    tree, groups, nodes = explorers[0].tree, dict[tuple[str, ...], list[int]](), list[TreeNode]()
    for history in range(len(tree.player)):
        path = path_of(tree, history)
        known = (path,) if seat is None else tuple(each.path for each in explorers[0].position(path, seat).merged)
        groups.setdefault(known, []).append(history)
    members = list(groups.values())
    index = {history: number for number, group in enumerate(members) for history in group}
    for group in members:
        path, parent = path_of(tree, group[0]), index.get(int(tree.parent[group[0]]))
        share = _share(explorers[0], group, group if parent is None else members[parent])
        positions = [each.position(path, seat) for each in explorers]
        nodes.append(_node(positions, parent, share, path if seat is None else None))
    return WholeTree(len(tree.player), nodes)


def _node(positions: Sequence[Position], parent: int | None, share: float, path: str | None) -> TreeNode:
    plain = positions[0]
    known = plain.observation is not None and plain.mover == plain.observer
    move = past_move([each.path[-1] for each in positions]) if plain.path else None
    return TreeNode(
        parent=parent,
        mover=plain.mover,
        hand=in_languages([each.observation.hand for each in positions if each.observation]) if known else None,
        name=None if move is None else move.name,
        kind=action_kind(plain.path[-1].name or "", 0) if move and move.mover >= 0 else "",
        share=share,
        path=path,
        infoset=plain.infoset,
        values=plain.values,
    )


def _share(explorer: Explorer, own: Sequence[int], before: Sequence[int]) -> float:
    """Return the probability of the last move to histories, given that one of those before it is reached."""
    total = explorer.reach.total
    reached = float(total[list(before)].sum())
    if len(before) > 1 and reached > 0:
        return float(total[list(own)].sum()) / reached
    return sum(move_probability(explorer.profile, each) for each in own) / len(before)
