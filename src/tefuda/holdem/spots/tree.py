"""The public betting tree of a spot, street by street: it does not depend on cards.

The nodes of a street stand line by line: a *line* is what was done on the streets before. Within a line parents come
before children and the children of a node side by side. Letters: N nodes of a street, L its lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import NamedTuple

import numpy as np

from tefuda.errors import ParameterError, SizeError
from tefuda.holdem.betting import CLOSED, FOLDED, RIVER, STREETS, Action, Betting, Position

#: What a node is: the turn of player 0 or 1, the end by one's fold, the end of a street, a showdown.
FOLD_0, FOLD_1, NEXT, SHOWDOWN = 2, 3, 4, 5
_MOST = 1_000_000  # nodes of a street
_ENOUGH = 10_000  # positions looked at, a tenth of a second, before what is too large is estimated
_Steps = tuple[tuple[Action, Position], ...]


@dataclass(frozen=True, eq=False)
class StreetTree:
    """The betting of one street on all its lines.

    street: 0 flop, 1 turn, 2 river. kind: `[N]` uint8. first, count: `[N]` int64 the children of a node. half: `[N]`
    half of the pot there, in chips. line: `[N]` int64 of the next street, where one goes on. roots: `[L + 1]` where
    each line starts. before: `[N]` int64 how many actions the player to act has at nodes before this one. actions:
    `[2]` how many each player has in all. parent, action, position: how a node came to be.
    """

    street: int
    kind: np.ndarray  # [N] uint8
    first: np.ndarray  # [N] int64
    count: np.ndarray  # [N] int64
    half: np.ndarray  # [N] float64
    line: np.ndarray  # [N] int64
    roots: np.ndarray  # [L + 1] int64
    before: np.ndarray  # [N] int64
    actions: tuple[int, int]
    parent: np.ndarray  # [N] int64
    action: tuple[Action | None, ...]
    position: tuple[Position, ...]

    @property
    def decisions(self) -> int:
        """How many nodes are somebody's turn."""
        return int((self.kind < FOLD_0).sum())


@dataclass(frozen=True, eq=False)
class BettingTree:
    """All streets from the start of a spot to the river."""

    betting: Betting
    streets: tuple[StreetTree, ...]

    def line_of(self, street: int, node: int) -> tuple[str, ...]:
        """The actions from the root to a node; ``"|"`` where a street ends."""
        tree, found = self.streets[street], []
        while True:
            while tree.parent[node] >= 0:
                found.append(str(tree.action[node]))
                node = int(tree.parent[node])
            if street == 0:
                return tuple(reversed(found))
            line = int(np.searchsorted(tree.roots, node))
            street, tree = street - 1, self.streets[street - 1]
            node = int(np.flatnonzero((tree.kind == NEXT) & (tree.line == line))[0])
            found.append("|")

    def find(self, *actions: str) -> tuple[int, int]:
        """The street (from the start) and the number of the node that a line leads to.

        Raises:
            ParameterError: the line leads nowhere.
        """
        street = node = 0
        for done, wanted in enumerate(actions):
            tree = self.streets[street]
            if wanted == "|" and tree.kind[node] == NEXT:
                street, node = street + 1, int(self.streets[street + 1].roots[tree.line[node]])
                continue
            children = range(int(tree.first[node]), int(tree.first[node] + tree.count[node]))
            known = {str(tree.action[child]): child for child in children}
            if wanted not in known:
                allowed = ", ".join(known) or (
                    "| (the next street)" if tree.kind[node] == NEXT else "nothing: it is over"
                )
                raise ParameterError(
                    f"{'/'.join(actions[:done]) or 'the root'}: {wanted!r} is not done; allowed: {allowed}."
                )
            node = known[wanted]
        return street, node

    def lines(self, depth: int | None = None) -> Iterator[str]:
        """The tree for people, a line a node: what is done, the pot then, what is left behind.

        Args:
            depth: streets shown; all unless given.
        """
        start = STREETS[self.streets[0].street]
        yield f"{start}: pot {self.betting.pot}, {self.betting.stack} behind"
        yield from self._below(0, 0, 1, len(self.streets) if depth is None else depth)

    def _below(self, street: int, node: int, indent: int, depth: int) -> Iterator[str]:
        tree = self.streets[street]
        for child in range(int(tree.first[node]), int(tree.first[node] + tree.count[node])):
            position, action = tree.position[child], tree.action[child]
            kind = int(tree.kind[child])
            end = {FOLD_0: ": player 1 wins", FOLD_1: ": player 0 wins", SHOWDOWN: ": showdown"}.get(kind, "")
            pot = self.betting.pot + 2 * position.matched + sum(position.amounts)
            behind = self.betting.stack - position.matched - max(position.amounts)
            player = int(tree.kind[node])
            yield f"{'  ' * indent}{player} {action}: pot {pot}, {behind} behind{end}"
            if kind != NEXT:
                yield from self._below(street, child, indent + 1, depth)
            elif street + 1 < depth:
                yield f"{'  ' * (indent + 1)}{STREETS[tree.street + 1]}"
                yield from self._below(
                    street + 1, int(self.streets[street + 1].roots[tree.line[child]]), indent + 2, depth
                )


class StreetCount(NamedTuple):
    """How large a street's tree is: its nodes, those that are somebody's turn, the actions of each player."""

    nodes: int
    decisions: int
    actions: tuple[int, int]


def count_tree(betting: Betting, street: int) -> list[StreetCount]:
    """Count what `build_tree` builds, street by street, in much less time.

    Args:
        betting: pot, stack and sizes.
        street: 0 flop, 1 turn, 2 river.

    Raises:
        SizeError: it has too many nodes.
    """
    found, lines = list[StreetCount](), Counter({betting.root(street): 1})
    for number in range(street, RIVER + 1):
        counting = _Counting(betting, number, lines)
        found.append(counting.all())
        lines = counting.after
    return found


class _Counting:
    """A street while it is counted: positions that come about in several ways are looked at once.

    lines: how many begin in each position. after: those of the next street.
    """

    def __init__(self, betting: Betting, street: int, lines: Counter[Position]) -> None:
        self.betting, self.street, self.lines, self.after = betting, street, lines, Counter[Position]()
        self.nodes = self.decisions = self.looked = 0
        self.actions = [0, 0]
        self.done = (0, 0)  # lines, and nodes on them

    def all(self) -> StreetCount:
        """All lines, in an order in which any number of them is a fair sample."""
        starts = list(self.lines)
        for start in Random(0).sample(starts, len(starts)):
            self._line(start, self.lines[start])
            self.done = self.done[0] + self.lines[start], self.nodes
        if self.nodes > _MOST:
            raise self._refused(f"{self.nodes:,}")
        return StreetCount(self.nodes, self.decisions, (self.actions[0], self.actions[1]))

    def _line(self, start: Position, lines: int) -> None:
        """What follows a start that as many lines have."""
        level = Counter({start: lines})
        while level:
            below = Counter[Position]()
            for position, ways in level.items():
                self.nodes += ways
                self.looked += 1
                if self.nodes > _MOST and self.looked > _ENOUGH:
                    raise self._refused(self._estimate())
                if position.state == CLOSED and self.street < RIVER:
                    self.after[self.betting.next_street(position)] += ways
                steps = _steps(self.betting, position)
                self.decisions += ways * bool(steps)
                self.actions[position.player] += ways * len(steps)
                for _, after in steps:
                    below[after] += ways
            level = below

    def _estimate(self) -> str:
        """How many nodes there are, going by lines that are done."""
        lines, nodes = self.done
        if not lines:
            return f"more than {self.nodes:,}"
        return f"about {float(f'{nodes * self.lines.total() / lines:.2g}'):,.0f}"

    def _refused(self, nodes: str) -> SizeError:
        return SizeError(
            f"the {STREETS[self.street]} would have {nodes} nodes; {_MOST:,} are built at most. Give fewer sizes, a "
            "cap, or less stack."
        )


def _steps(betting: Betting, position: Position) -> _Steps:
    """What may be done in a position, and the position after it; nothing where the betting is over."""
    if position.state in (FOLDED, CLOSED):
        return ()
    return tuple((action, betting.after(position, action)) for action in betting.actions(position))


def build_tree(betting: Betting, street: int) -> BettingTree:
    """The betting tree from the start of a street.

    Args:
        betting: pot, stack and sizes.
        street: 0 flop, 1 turn, 2 river.

    Raises:
        SizeError: it has too many nodes.
    """
    count_tree(betting, street)
    steps = cache(lambda position: _steps(betting, position))
    found, starts = [], [betting.root(street)]
    for number in range(street, RIVER + 1):
        grown = _Growing(betting, number, steps)
        for start in starts:
            grown.line(start)
        found.append(grown.tree())
        starts = [betting.next_street(found[-1].position[node]) for node in np.flatnonzero(found[-1].kind == NEXT)]
    return BettingTree(betting, tuple(found))


class _Growing:
    """A street while it is built."""

    def __init__(self, betting: Betting, street: int, steps: Callable[[Position], _Steps]) -> None:
        self.betting, self.street, self.steps = betting, street, steps
        self.position: list[Position] = []
        self.action: list[Action | None] = []
        self.parent: list[int] = []
        self.first: list[int] = []
        self.count: list[int] = []
        self.roots = [0]

    def line(self, start: Position) -> None:
        """Add all nodes of a line."""
        at = len(self.position)
        self._add(start, None, -1)
        while at < len(self.position):
            steps = self.steps(self.position[at])
            self.first[at], self.count[at] = len(self.position), len(steps)
            for action, after in steps:
                self._add(after, action, at)
            at += 1
        self.roots.append(len(self.position))

    def _add(self, position: Position, action: Action | None, parent: int) -> None:
        self.position.append(position)
        self.action.append(action)
        self.parent.append(parent)
        self.first.append(0)
        self.count.append(0)

    def tree(self) -> StreetTree:
        """What was built."""
        kind = np.array([self._kind(position) for position in self.position], dtype=np.uint8)
        count, line = np.array(self.count, dtype=np.int64), np.full(len(kind), -1, dtype=np.int64)
        line[kind == NEXT] = np.arange((kind == NEXT).sum())
        before = np.zeros(len(kind), dtype=np.int64)
        for player in (0, 1):
            own = kind == player
            before[own] = np.cumsum(count[own]) - count[own]
        half = np.array([self.betting.pot / 2 + position.called for position in self.position])
        actions = (int(count[kind == 0].sum()), int(count[kind == 1].sum()))
        return StreetTree(
            self.street, kind, np.array(self.first, dtype=np.int64), count, half, line,
            np.array(self.roots, dtype=np.int64), before, actions, np.array(self.parent, dtype=np.int64),
            tuple(self.action), tuple(self.position),
        )  # fmt: skip

    def _kind(self, position: Position) -> int:
        if position.state == FOLDED:
            return FOLD_0 + position.player
        if position.state == CLOSED:
            return NEXT if self.street < RIVER else SHOWDOWN
        return position.player
