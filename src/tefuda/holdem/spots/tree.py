"""The public betting tree of a spot, street by street; it does not depend on cards.

The nodes of a street are ordered by *line*, the actions on the streets before. Within a line parents come before
children, and the children of a node are adjacent. Letters: N nodes of a street, L its lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import NamedTuple

import numpy as np

from tefuda.errors import SizeError
from tefuda.holdem.betting import CLOSED, FOLDED, RIVER, STREETS, Action, Betting, BettingState
from tefuda.holdem.kernels.arrays import FOLD_0, FOLD_1, NEXT, SHOWDOWN

_MAX_NODES = 1_000_000  # nodes of a street
_MIN_VISITED = 10_000  # positions to visit (a tenth of a second) before the size is estimated
_Steps = tuple[tuple[Action, BettingState], ...]


@dataclass(frozen=True, eq=False)
class StreetTree:
    """The betting of one street on all its lines.

    street: 0 flop, 1 turn, 2 river. kind: `[N]` uint8, see `kernels.arrays`. first, count: `[N]` int64 first child and
    number of children. half: `[N]` half of the pot, in chips. line: `[N]` int64 line of the next street that begins at
    the node, or -1. roots: `[L + 1]` start of each line. before: `[N]` int64 number of the player's actions at earlier
    nodes. actions: `[2]` number of all actions of each player. parent, action, position: origin of each node.
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
    position: tuple[BettingState, ...]

    @property
    def decisions(self) -> int:
        """Number of decision nodes."""
        return int((self.kind < FOLD_0).sum())

    def children(self, node: int) -> range:
        """Return the children of a node."""
        first = int(self.first[node])
        return range(first, first + int(self.count[node]))

    def options(self, node: int) -> list[Action]:
        """Return the actions at a node."""
        return [action for child in self.children(node) if (action := self.action[child]) is not None]

    def choices(self, node: int) -> dict[str, int]:
        """Return the children of a node by the names of the actions."""
        return {str(self.action[child]): child for child in self.children(node)}

    def line_of(self, node: int) -> tuple[str, ...]:
        """Return the actions on this street before a node."""
        actions = []
        while self.parent[node] >= 0:
            actions.append(str(self.action[node]))
            node = int(self.parent[node])
        return tuple(reversed(actions))


@dataclass(frozen=True, eq=False)
class BettingTree:
    """All streets from the start of a spot to the river."""

    betting: Betting
    streets: tuple[StreetTree, ...]

    def root_below(self, street: int, node: int) -> int:
        """Return the root of the next street after a node at which a card is dealt."""
        return int(self.streets[street + 1].roots[self.streets[street].line[node]])

    def rows_in(self, other: BettingTree, street: int, node: int) -> list[tuple[np.ndarray, np.ndarray]] | None:
        """Return where the actions of this tree are in another one, from a node on.

        Returns:
            For each street and player, `[actions]` the numbers of the actions among all of the player on that street;
            None if the other tree has other actions.
        """
        found, origins = list[tuple[np.ndarray, np.ndarray]](), {0: node}
        for number, tree in enumerate(self.streets):
            source, roots, rows = other.streets[street + number], dict[int, int](), (list[int](), list[int]())
            for place, kind in enumerate(tree.kind.tolist()):
                origin = origins[place]
                if kind != source.kind[origin] or tree.options(place) != source.options(origin):
                    return None
                origins |= zip(tree.children(place), source.children(origin), strict=True)
                if kind == NEXT:
                    roots[self.root_below(number, place)] = other.root_below(street + number, origin)
                elif kind < FOLD_0:
                    rows[kind].extend(range(source.before[origin], source.before[origin] + source.count[origin]))
            found.append((np.array(rows[0], dtype=np.int64), np.array(rows[1], dtype=np.int64)))
            origins = roots
        return found

    def lines(self) -> Iterator[str]:
        """Yield the tree as text: a line with action and chips for each node."""
        start = STREETS[self.streets[0].street]
        yield f"{start}: pot {self.betting.pot}, {self.betting.stack} behind"
        yield from self._below(0, 0, 1)

    def _below(self, street: int, node: int, indent: int) -> Iterator[str]:
        tree = self.streets[street]
        for action, child in tree.choices(node).items():
            kind, (pot, behind) = int(tree.kind[child]), self.betting.chips(tree.position[child])
            end = {FOLD_0: ": player 1 wins", FOLD_1: ": player 0 wins", SHOWDOWN: ": showdown"}.get(kind, "")
            yield f"{'  ' * indent}{int(tree.kind[node])} {action}: pot {pot}, {behind} behind{end}"
            if kind != NEXT:
                yield from self._below(street, child, indent + 1)
            else:
                yield f"{'  ' * (indent + 1)}{STREETS[tree.street + 1]}"
                yield from self._below(street + 1, self.root_below(street, child), indent + 2)


class StreetCount(NamedTuple):
    """The size of a street's tree: numbers of nodes, of decision nodes, of each player's actions."""

    nodes: int
    decisions: int
    actions: tuple[int, int]


def count_tree(betting: Betting, street: int) -> list[StreetCount]:
    """Return the sizes of the trees that `build_tree` builds, in much less time; raise SizeError too."""
    streets, lines = list[StreetCount](), Counter({betting.root(street): 1})
    for number in range(street, RIVER + 1):
        counter = _StreetCounter(betting, number, lines)
        streets.append(counter.all())
        lines = counter.after
    return streets


class _StreetCounter:
    """A counter of a street. lines: number of lines by start. after: those of the next street."""

    def __init__(self, betting: Betting, street: int, lines: Counter[BettingState]) -> None:
        self.betting, self.street, self.lines, self.after = betting, street, lines, Counter[BettingState]()
        self.nodes = self.decisions = self.visited = 0
        self.actions = [0, 0]
        self.done = (0, 0)  # lines, and nodes on them

    def all(self) -> StreetCount:
        """Count all lines, in random order, so that any number of them is a fair sample."""
        starts = list(self.lines)
        for start in Random(0).sample(starts, len(starts)):
            self._line(start, self.lines[start])
            self.done = self.done[0] + self.lines[start], self.nodes
        if self.nodes > _MAX_NODES:
            raise self._size_error(f"{self.nodes:,}")
        return StreetCount(self.nodes, self.decisions, (self.actions[0], self.actions[1]))

    def _line(self, start: BettingState, lines: int) -> None:
        """Count the lines with this start."""
        level = Counter({start: lines})
        while level:
            below = Counter[BettingState]()
            for position, ways in level.items():
                self.nodes += ways
                self.visited += 1
                if self.nodes > _MAX_NODES and self.visited > _MIN_VISITED:
                    raise self._size_error(self._estimate())
                if position.state == CLOSED and self.street < RIVER:
                    self.after[self.betting.next_street(position)] += ways
                steps = _steps(self.betting, position)
                self.decisions += ways * bool(steps)
                self.actions[position.player] += ways * len(steps)
                for _, after in steps:
                    below[after] += ways
            level = below

    def _estimate(self) -> str:
        """Return the number of nodes in words, estimated from the lines counted so far."""
        lines, nodes = self.done
        if not lines:
            return f"more than {self.nodes:,}"
        return f"about {float(f'{nodes * self.lines.total() / lines:.2g}'):,.0f}"

    def _size_error(self, nodes: str) -> SizeError:
        return SizeError(
            f"the {STREETS[self.street]} would have {nodes} nodes; the limit is {_MAX_NODES:,}. Give fewer sizes, "
            "a cap, or less stack."
        )


def _steps(betting: Betting, position: BettingState) -> _Steps:
    """Return the actions in a position and the positions after them; nothing after the end of the betting."""
    return tuple((action, betting.after(position, action)) for action in betting.choices(position).values())


def build_tree(betting: Betting, street: int) -> BettingTree:
    """Return the betting tree from a street on (0: flop); raise SizeError for too many nodes."""
    count_tree(betting, street)
    steps = cache(lambda position: _steps(betting, position))
    streets, starts = [], [betting.root(street)]
    for number in range(street, RIVER + 1):
        streets.append(_build_street(betting, number, starts, steps))
        starts = [betting.next_street(streets[-1].position[node]) for node in np.flatnonzero(streets[-1].kind == NEXT)]
    return BettingTree(betting, tuple(streets))


def _build_street(
    betting: Betting, street: int, starts: Iterable[BettingState], steps: Callable[[BettingState], _Steps]
) -> StreetTree:
    """Return the tree of a street whose lines begin in these positions."""
    nodes, first, counts, roots = list[tuple[BettingState, Action | None, int]](), list[int](), list[int](), [0]
    for start in starts:
        nodes.append((start, None, -1))
        while len(first) < len(nodes):
            node, actions_after = len(first), steps(nodes[len(first)][0])
            first.append(len(nodes))
            counts.append(len(actions_after))
            nodes += [(after, action, node) for action, after in actions_after]
        roots.append(len(nodes))
    positions, actions, parents = zip(*nodes, strict=True)
    kind = np.array([_kind(position) for position in positions], dtype=np.uint8)
    count, line = np.array(counts, dtype=np.int64), np.full(len(kind), -1, dtype=np.int64)
    line[kind == NEXT] = np.arange((kind == NEXT).sum())
    before = np.zeros(len(kind), dtype=np.int64)
    for player in (0, 1):
        own = kind == player
        before[own] = np.cumsum(count[own]) - count[own]
    half = np.array([betting.pot / 2 + position.called for position in positions])
    return StreetTree(
        street, kind, np.array(first, dtype=np.int64), count, half, line, np.array(roots, dtype=np.int64), before,
        (int(count[kind == 0].sum()), int(count[kind == 1].sum())), np.array(parents, dtype=np.int64), actions,
        positions,
    )  # fmt: skip


def _kind(position: BettingState) -> int:
    if position.state == FOLDED:
        return FOLD_0 + position.player
    if position.state == CLOSED:
        return NEXT if position.street < RIVER else SHOWDOWN
    return position.player
