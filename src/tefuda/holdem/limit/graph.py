"""Limit hold'em as a graph of betting, for any number of players.

A node is a decision. Heads-up every sequence of betting has its own (6,378 nodes). With more players a node stands for
all sequences with the same street, players left and to act, and raises on this street and on the one before. Letters
of actions are f, c, r, as in `whole`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import ParameterError, check_choice
from tefuda.holdem.hands.hand import after
from tefuda.holdem.hands.rules import NOBODY, TableRules, Wagers
from tefuda.holdem.hands.whole import holdem
from tefuda.holdem.kernels import limit as kernels

LETTERS = "fcr"
RECALLS = ("sequence", "street")
_SMALL = 10  # chips of a small bet
_OVER: tuple[int, int, int, int, list[int]] = (NOBODY, 0, 0, 0, [])  # an end, without actions


def limit_rules(players: int = 2, small: int = _SMALL, cap: int = 4) -> TableRules:
    """Return the rules of limit hold'em with stacks that last for every hand.

    Args:
        players: 2 to 9.
        small: bet before and on the flop, twice the small blind; later bets are twice as much.
        cap: maximum of bets on a street.
    """
    return holdem(players, limit=True, stack=6 * small * cap, blinds=(small // 2, small), cap=cap).rules


class Deed(NamedTuple):
    """A decision: the player, the node, the street, and the action: 0 fold, 1 check or call, 2 bet or raise."""

    player: int
    node: int
    street: int
    action: int


@dataclass(frozen=True, eq=False)
class BettingGraph:
    """Betting as arrays.

    rules: of the table. start: actions before node 0. arrays: for kernels, with one bucket a street. raises: `[N]`
    int64 bets and raises on the street so far.
    """

    rules: TableRules
    start: str
    arrays: kernels.Graph
    raises: np.ndarray  # [N] int64

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.arrays.player)

    def node(self, done: str) -> int:
        """Return the node after a line of actions from the start of the hand, ``"rc/c"``; at an end its kind, below 0.

        Raises:
            ParameterError: an impossible line.
        """
        return self._walked(done)[1]

    def deeds(self, done: str) -> list[Deed]:
        """Return the decisions of a line since the start of the graph.

        Raises:
            ParameterError: an impossible line.
        """
        return self._walked(done)[0]

    @cached_property
    def _numbers(self) -> list[tuple[int, int, int, int, list[int]]]:
        """Player, street, low, size and children of each node: Python reads lists faster than arrays."""
        arrays = self.arrays
        parts = (arrays.player, arrays.street, arrays.low, arrays.size, arrays.child)
        return list(zip(*(part.tolist() for part in parts), strict=True))

    def _walked(self, done: str) -> tuple[list[Deed], int]:
        node, found = 0, list[Deed]()
        for place, letter in enumerate(done.replace("/", "").removeprefix(self.start.replace("/", ""))):
            action = LETTERS.find(letter)
            player, street, low, size, children = self._numbers[node] if node >= 0 else _OVER
            if not 0 <= action - low < size:
                raise ParameterError(f"{done!r} cannot be done: see action {place + 1}, {letter!r}.")
            found.append(Deed(player, node, street, action))
            node = children[action]
        return found, node

    def with_buckets(self, counts: tuple[int, ...]) -> kernels.Graph:
        """Return the arrays with rows for these numbers of buckets on each street."""
        sizes = self.arrays.size * np.array(counts)[self.arrays.street]
        return self.arrays._replace(base=np.cumsum(sizes) - sizes)

    def rows(self, counts: tuple[int, ...]) -> int:
        """Return the number of rows: nodes times buckets times actions."""
        return int((self.arrays.size * np.array(counts)[self.arrays.street]).sum())


def betting_graph(rules: TableRules, recall: str = "", start: str = "") -> BettingGraph:
    """Build the graph of a table's betting.

    Args:
        rules: limit, with stacks that last.
        recall: ``"sequence"``: a node for each sequence of betting; ``"street"``: see the module's first lines. Unless
            given, sequences heads-up, else streets.
        start: actions before the first node, ``"cc/cc/"``.

    Raises:
        ParameterError: rules without a limit, or under which a player may be all-in.
    """
    recall = recall or ("sequence" if rules.players == 2 else "street")
    check_choice("recall", recall, RECALLS)
    if rules.limit is None or not rules.cap:
        raise ParameterError("a graph of betting is for limit hold'em with a cap; give limit=(10, 20), cap=4.")
    if not rules.stacks_last:
        most = rules.cap * 2 * sum(rules.limit)
        raise ParameterError(f"stacks are {rules.stacks}; without antes and with {most} chips nobody is ever all-in.")
    wagers, before = rules.root(), 0
    for letter in start.replace("/", ""):
        wagers, before = _after(rules, wagers, letter, before)
    growing = _Growing(rules, recall)
    growing.add(wagers, start, before)
    for position in growing.open:  # which grows on the way
        growing.grow(*position)
    columns = (np.array(column, dtype=np.int64) for column in zip(*growing.rows, strict=True))
    player, street, low, count, child, raises = columns
    paid = np.array(rules.stacks, dtype=np.float64) - wagers.stacks
    bets = np.array([rules.step(number) for number in range(4)], dtype=np.float64)
    arrays = kernels.Graph(player, street, low, count, child, np.cumsum(count) - count, paid, bets)
    return BettingGraph(rules, start, arrays, raises)


class _Growing:
    """A graph while it is built."""

    def __init__(self, rules: TableRules, recall: str) -> None:
        self.rules, self.recall = rules, recall
        self.number: dict[Any, int] = {}
        self.rows: list[tuple[int, int, int, int, list[int], int]] = []
        self.open: list[tuple[Wagers, str, int]] = []

    def add(self, wagers: Wagers, done: str, before: int) -> int:
        """Return the number of the node of a position; ends have numbers of their own."""
        if wagers.mover == NOBODY:
            return kernels.WON if len(wagers.live) == 1 else kernels.SHOWDOWN
        seen = (wagers.street, wagers.mover, wagers.folded, wagers.waiting, wagers.raises, min(before, 2))
        key = done if self.recall == "sequence" else seen
        if key not in self.number:
            self.number[key] = len(self.open)
            self.open.append((wagers, done, before))
        return self.number[key]

    def grow(self, wagers: Wagers, done: str, before: int) -> None:
        """Add a node's row, and the positions after it."""
        choices = self.rules.choices(wagers)
        low, high = (1, 0)[choices.faces], 2 if choices.low else 1
        child = [-3, -3, -3]
        for action in range(low, high + 1):
            now, raises = _after(self.rules, wagers, LETTERS[action], before)
            child[action] = self.add(now, done + LETTERS[action], raises)
        self.rows.append((wagers.mover, wagers.street, low, high - low + 1, child, wagers.raises))


def _after(rules: TableRules, wagers: Wagers, letter: str, before: int) -> tuple[Wagers, int]:
    """Return the position after an action, and the number of raises on the street before it."""
    now = after(rules, wagers, letter)
    if now.mover != NOBODY or now.is_over:
        return now, before
    return rules.next_street(now), now.raises
