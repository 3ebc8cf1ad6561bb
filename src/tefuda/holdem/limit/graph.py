"""Limit hold'em as a graph of betting, for players of any number who tell hands apart by buckets only.

A node is somebody's turn. Heads-up all sequences of betting stand apart (6,378 nodes); with more players those that
leave the same to be done are one: the street, who is left and who is to act, how often was raised on this street and
on the one before. Letters of actions are f, c, r, as in `whole`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import ParameterError, check_choice
from tefuda.holdem.hands.rules import NOBODY, TableRules, Wagers
from tefuda.holdem.hands.whole import holdem
from tefuda.holdem.kernels import limit as kernels

LETTERS = "fcr"
RECALLS = ("sequence", "street")
_SMALL = 10  # chips of a small bet
_OVER: tuple[int, int, int, int, list[int]] = (NOBODY, 0, 0, 0, [])  # an end: nothing can be done there


def limit_rules(players: int = 2, small: int = _SMALL, cap: int = 4) -> TableRules:
    """Limit hold'em with stacks that nobody can lose in a hand.

    Args:
        players: 2 to 9.
        small: the bet before and on the flop, twice the small blind; later bets are twice as much.
        cap: bets of a street.
    """
    return holdem(players, limit=True, stack=6 * small * cap, blinds=(small // 2, small), cap=cap).rules


class Deed(NamedTuple):
    """A decision: who, at which node, on which street, and the action: 0 fold, 1 check or call, 2 bet or raise."""

    player: int
    node: int
    street: int
    action: int


@dataclass(frozen=True, eq=False)
class BettingGraph:
    """Betting as arrays.

    rules: of the table. recall: ``"sequence"`` or ``"street"``. start: what was done before node 0. arrays: as kernels
    read them, for one bucket a street. raises: `[N]` int64 bets and raises on the street so far.
    """

    rules: TableRules
    recall: str
    start: str
    arrays: kernels.Graph
    raises: np.ndarray  # [N] int64

    @property
    def nodes(self) -> int:
        """How many turns there are."""
        return len(self.arrays.player)

    def node(self, done: str) -> int:
        """The node after what was done since the start of the hand, ``"rc/c"``; at an end its kind, below 0.

        Raises:
            ParameterError: it cannot be done.
        """
        return self._walked(done)[1]

    def deeds(self, done: str) -> list[Deed]:
        """What was done since the start of the graph, decision by decision.

        Raises:
            ParameterError: it cannot be done.
        """
        return self._walked(done)[0]

    @cached_property
    def _numbers(self) -> list[tuple[int, int, int, int, list[int]]]:
        """Of each node its player, street, low, size and children: Python reads lists faster than arrays."""
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
        """The arrays with rows for so many buckets on each street."""
        sizes = self.arrays.size * np.array(counts)[self.arrays.street]
        return self.arrays._replace(base=np.cumsum(sizes) - sizes)

    def rows(self, counts: tuple[int, ...]) -> int:
        """How many rows there are: nodes times buckets times actions."""
        return int((self.arrays.size * np.array(counts)[self.arrays.street]).sum())


def betting_graph(rules: TableRules, recall: str = "", start: str = "") -> BettingGraph:
    """The graph of a table's betting.

    Args:
        rules: limit, with stacks that last.
        recall: ``"sequence"``: all that was done is remembered; ``"street"``: see the module's first lines. Unless
            given, sequences heads-up, else streets.
        start: what was done before, ``"cc/cc/"``.

    Raises:
        ParameterError: rules without a limit, or under which somebody may be all-in.
    """
    recall = recall or ("sequence" if rules.players == 2 else "street")
    check_choice("recall", recall, RECALLS)
    if rules.limit is None or not rules.cap:
        raise ParameterError("a graph of betting is for limit hold'em with a cap; give limit=(10, 20), cap=4.")
    if not rules.stacks_last:
        most = rules.cap * 2 * sum(rules.limit)
        raise ParameterError(f"stacks are {rules.stacks}; without antes and with {most} chips nobody is ever all-in.")
    return _Growing(rules, recall, start).graph()


class _Growing:
    """A graph while it is built."""

    def __init__(self, rules: TableRules, recall: str, start: str) -> None:
        self.rules, self.recall, self.start = rules, recall, start
        self.number: dict[Any, int] = {}
        self.rows: list[tuple[int, int, int, int, list[int], int]] = []
        self.open: list[tuple[Wagers, str, int]] = []

    def graph(self) -> BettingGraph:
        wagers, before = self.rules.root(), 0
        for letter in self.start.replace("/", ""):
            wagers, before = self._after(wagers, LETTERS.index(letter), before)
        self._add(wagers, self.start, before)
        done = 0
        while done < len(self.open):
            self._grow(*self.open[done])
            done += 1
        player, street, low, count, child, raises = (
            np.array(column, dtype=np.int64) for column in zip(*self.rows, strict=True)
        )
        paid = np.array(self.rules.stacks) - wagers.stacks
        bets = np.array([self.rules.step(number) for number in range(4)], dtype=np.float64)
        arrays = kernels.Graph(
            player, street, low, count, child, np.cumsum(count) - count, paid.astype(np.float64), bets
        )
        return BettingGraph(self.rules, self.recall, self.start, arrays, raises)

    def _add(self, wagers: Wagers, done: str, before: int) -> int:
        """The number of the node of a position; ends have numbers of their own."""
        if wagers.mover == NOBODY:
            return kernels.WON if len(wagers.live) == 1 else kernels.SHOWDOWN
        seen = (wagers.street, wagers.mover, wagers.folded, wagers.waiting, wagers.raises, min(before, 2))
        key = done if self.recall == "sequence" else seen
        if key not in self.number:
            self.number[key] = len(self.open)
            self.open.append((wagers, done, before))
        return self.number[key]

    def _grow(self, wagers: Wagers, done: str, before: int) -> None:
        choices = self.rules.choices(wagers)
        low, high = (1, 0)[choices.faces], 2 if choices.low else 1
        child = [-3, -3, -3]
        for action in range(low, high + 1):
            child[action] = self._add(*self._told(wagers, action, done, before))
        self.rows.append((wagers.mover, wagers.street, low, high - low + 1, child, wagers.raises))

    def _told(self, wagers: Wagers, action: int, done: str, before: int) -> tuple[Wagers, str, int]:
        after, raises = self._after(wagers, action, before)
        return after, done + LETTERS[action], raises

    def _after(self, wagers: Wagers, action: int, before: int) -> tuple[Wagers, int]:
        """The position after an action, and how often was raised on the street before its own."""
        if action == 0:
            after = self.rules.fold(wagers)
        elif action == 1:
            after = self.rules.call(wagers)
        else:
            after = self.rules.raise_to(wagers, self.rules.choices(wagers).low)
        if after.mover != NOBODY or after.is_over:
            return after, before
        return self.rules.next_street(after), after.raises
