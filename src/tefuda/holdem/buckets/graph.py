"""Graph of the betting of hold'em: limit for any number of players, no-limit for two.

A node is a decision. Heads-up each betting sequence has its own node (6,378 nodes in limit). With more players
a node merges all sequences with the same street, active players, players still to act, and raises on
this street and the previous one. Actions are tokens of betting lines as in `hands.hand`: f, c, r, in no-limit r210.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import ParameterError, check_choice
from tefuda.holdem.hands.hand import CALL, FOLD, RAISE, after
from tefuda.holdem.hands.rules import NO_PLAYER, TableRules, Wagers
from tefuda.holdem.hands.sizing import Menu
from tefuda.holdem.hands.whole import holdem
from tefuda.holdem.kernels import sampler as kernels

LETTERS = "fcr"
RECALLS = ("sequence", "street")
_SMALL = 10  # chips of a small bet
_END: tuple[int, int, int, list[int]] = (NO_PLAYER, 0, 0, [])  # a terminal node, without actions
_NOTHING = -3  # the child of an action that a node does not have
_TOKENS = re.compile(r"r\d{0,12}|.", re.DOTALL)


def limit_rules(players: int = 2, small: int = _SMALL, cap: int = 4) -> TableRules:
    """Return the rules of limit hold'em with stacks so deep that no player can be all-in.

    Args:
        players: 2 to 10.
        small: bet before and on the flop, twice the small blind; bets on turn and river are twice as large.
        cap: maximum number of bets and raises on a street.
    """
    return holdem(players, limit=True, stack=6 * small * cap, blinds=(small // 2, small), cap=cap).rules


class BettingDecision(NamedTuple):
    """A decision of a player.

    Attributes:
        player: player to act.
        node: node of the graph.
        street: 0 to 3.
        action: 0 fold, 1 check or call, 2 and more: bets or raises by rising amount, one in limit.
    """

    player: int
    node: int
    street: int
    action: int


@dataclass(frozen=True, eq=False)
class BettingGraph:
    """Graph of the betting as arrays.

    Attributes:
        rules: rules of the table; in no-limit both players have the shorter stack.
        menu: bet sizes of no-limit.
        start: actions before node 0.
        arrays: arrays for kernels, with one bucket on each street.
        raises: `[N]` int64 number of bets and raises on the street before each node.
        highest: `[N]` int64 largest amount on the street to which the player can raise; 0 if no raise is allowed.
        labels: tokens of each node's actions in betting lines, such as ``("f", "c", "r250", "r2000")``.
        sizes: labels of each node's actions as the game lists them, such as ``("f", "c", "2.5x", "a")``.
    """

    rules: TableRules
    menu: Menu
    start: str
    arrays: kernels.Graph
    raises: np.ndarray  # [N] int64
    highest: np.ndarray  # [N] int64
    labels: tuple[tuple[str, ...], ...]
    sizes: tuple[tuple[str, ...], ...]

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.arrays.player)

    @cached_property
    def longest(self) -> int:
        """Number of decisions of the longest betting sequence."""
        nodes, length = np.zeros(1, dtype=np.int64), 0
        while nodes.size:
            children = np.unique(self.arrays.child[nodes])
            nodes, length = children[children >= 0], length + 1
        return length

    def node(self, line: str) -> int:
        """Return the node after a betting line such as ``"rc/c"``; the negative kind of a terminal node.

        Args:
            line: actions from the start of the hand.

        Raises:
            ParameterError: an impossible line, or an amount that is not in the graph.
        """
        return self._replay(line)[1]

    def decisions(self, line: str) -> list[BettingDecision]:
        """Return the decisions of a betting line, from node 0 on.

        Args:
            line: actions from the start of the hand. Amounts above the shorter stack are all-in.

        Raises:
            ParameterError: an impossible line, or an amount that is not in the graph.
        """
        return self._replay(line)[0]

    def label(self, decision: BettingDecision) -> str:
        """Return the token of a decision in betting lines."""
        return self.labels[decision.node][decision.action - int(self.arrays.low[decision.node])]

    @cached_property
    def _numbers(self) -> list[tuple[int, int, int, list[int]]]:
        """Player, street, low and children of each node, as lists, which are faster than arrays."""
        arrays = self.arrays
        parts = (arrays.player, arrays.street, arrays.low, arrays.child)
        return list(zip(*(part.tolist() for part in parts), strict=True))

    def _replay(self, line: str) -> tuple[list[BettingDecision], int]:
        node, decisions = 0, list[BettingDecision]()
        tokens = _TOKENS.findall(line.replace("/", "").removeprefix(self.start.replace("/", "")))
        for index, token in enumerate(tokens):
            labels = self.labels[node] if node >= 0 else ()
            player, street, low, children = self._numbers[node] if node >= 0 else _END
            if node >= 0 and len(token) > 1:
                amount = min(int(token[1:]), int(self.highest[node]))  # more than the shorter stack is all-in
                token = f"{RAISE}{amount}"
            if token not in labels:
                expected = f", expected one of {', '.join(labels)}" if labels else ""
                raise ParameterError(
                    f"{line!r} is an impossible betting line: see action {index + 1}, {token!r}{expected}."
                )
            decisions.append(BettingDecision(player, node, street, low + labels.index(token)))
            node = children[decisions[-1].action]
        return decisions, node

    def with_buckets(self, counts: tuple[int, ...]) -> kernels.Graph:
        """Return the arrays with infoset-action pairs for a number of buckets on each street."""
        sizes = self.arrays.size * np.array(counts)[self.arrays.street]
        return self.arrays._replace(base=np.cumsum(sizes) - sizes)

    def rows(self, counts: tuple[int, ...]) -> int:
        """Return the number of infoset-action pairs: nodes times buckets times actions."""
        return int((self.arrays.size * np.array(counts)[self.arrays.street]).sum())


def betting_graph(rules: TableRules, recall: str = "", start: str = "", menu: Menu = Menu()) -> BettingGraph:  # noqa: B008 (frozen)
    """Build the graph of a table's betting.

    Args:
        rules: limit rules under which no player can be all-in, or heads-up no-limit rules with equal antes.
        recall: ``"sequence"``: one node for each betting sequence; ``"street"``: sequences are merged as the
            module describes. Default: ``"sequence"`` heads-up, else ``"street"``.
        start: actions before the first node, such as ``"cc/cc/"``.
        menu: bet sizes of no-limit.

    Raises:
        ParameterError: rules or a menu without a graph; the message names the reason.
    """
    recall = recall or ("sequence" if rules.players == 2 else "street")
    check_choice("recall", recall, RECALLS)
    rules = _limit_table(rules) if rules.limit else no_limit_table(rules, menu, recall)
    wagers, before = rules.root(), 0
    for token in _TOKENS.findall(start.replace("/", "")):
        wagers, before = _after(rules, wagers, token, before)
    builder = _GraphBuilder(rules, recall, menu)
    builder.add(wagers, before, start)
    for position in builder.queue:  # grows during the loop
        builder.expand(*position)
    return builder.graph(start, np.array(rules.stacks, dtype=np.float64) - wagers.stacks)


def _limit_table(rules: TableRules) -> TableRules:
    """Return limit rules; raise ParameterError unless they have a graph."""
    if not rules.cap:
        raise ParameterError("a betting graph of limit needs a cap, such as limit=(10, 20), cap=4.")
    _require_plain(rules)
    if not rules.never_all_in:
        most = rules.cap * 2 * sum(rules.limit or ())
        raise ParameterError(
            f"a betting graph of limit needs stacks of at least {most} chips and no antes; got stacks {rules.stacks}."
        )
    return rules


def no_limit_table(rules: TableRules, menu: Menu, recall: str = "sequence") -> TableRules:
    """Return the rules with the shorter stack for both players; raise ParameterError without a graph."""
    if rules.players != 2 or recall != "sequence":
        raise ParameterError(
            f"a betting graph of no-limit needs two players and recall='sequence', got {rules.players} players and "
            f"recall={recall!r}. With more players, add limit=True."
        )
    if not menu.sizes:
        raise ParameterError("a betting graph of no-limit needs a menu of sizes, such as bets='50%,100%,a'.")
    _require_plain(rules)
    if len({*rules.antes}) > 1:
        raise ParameterError(f"a betting graph of no-limit needs equal antes; got {rules.antes}.")
    even = replace(rules, stacks=(min(rules.stacks),) * 2)
    if even.root().mover == NO_PLAYER:
        raise ParameterError(
            f"no player has a decision with stacks {rules.stacks}: blinds and antes put a player all-in."
        )
    return even


def _require_plain(rules: TableRules) -> None:
    if not rules.is_plain:
        raise ParameterError("a betting graph needs a table without posts, full_blinds and reopens.")


class _Row(NamedTuple):
    """A node; children and rises of its actions are those of `kernels.Graph`."""

    player: int
    street: int
    low: int
    raises: int
    highest: int
    children: list[int]
    rises: list[int]
    labels: tuple[str, ...]
    sizes: tuple[str, ...]


class _GraphBuilder:
    def __init__(self, rules: TableRules, recall: str, menu: Menu) -> None:
        self.rules, self.recall, self.menu = rules, recall, menu
        self.numbers: dict[Any, int] = {}
        self.rows: list[_Row] = []
        self.queue: list[tuple[Wagers, int, str]] = []

    def add(self, wagers: Wagers, before: int, done: str) -> int:
        """Return the node of a position; a negative kind if the hand is over."""
        if wagers.mover == NO_PLAYER:
            return kernels.WON if len(wagers.live) == 1 else kernels.SHOWDOWN
        situation = (wagers.street, wagers.mover, wagers.folded, wagers.waiting, wagers.raises, min(before, 2))
        key = done if self.recall == "sequence" else situation
        if key not in self.numbers:
            self.numbers[key] = len(self.queue)
            self.queue.append((wagers, before, done))
        return self.numbers[key]

    def expand(self, wagers: Wagers, before: int, done: str) -> None:
        """Add a node and the positions after it."""
        rules, choices = self.rules, self.rules.choices(wagers)
        raises = sorted(self.menu.amounts(rules, wagers, choices).items(), key=lambda item: item[1])
        passive = (FOLD, CALL) if choices.facing_bet else (CALL,)
        labels = (*passive, *(RAISE if rules.limit else f"{RAISE}{amount}" for _, amount in raises))
        after_each = (_after(rules, wagers, token, before) for token in labels)
        children = [self.add(*each, done + token) for each, token in zip(after_each, labels, strict=True)]
        rises = [0] * len(passive) + [amount - max(wagers.bets) for _, amount in raises]
        sizes = (*passive, *(label for label, _ in raises))
        low, seen = 2 - len(passive), (wagers.raises, choices.high)
        self.rows.append(_Row(wagers.mover, wagers.street, low, *seen, children, rises, labels, sizes))

    def graph(self, start: str, paid: np.ndarray) -> BettingGraph:
        """Return the graph; paid: chips of each player at the start."""
        *columns, children, rises, labels, sizes = zip(*self.rows, strict=True)
        player, street, low, raises, highest = (np.array(column, dtype=np.int64) for column in columns)
        size = np.array([len(each) for each in labels], dtype=np.int64)
        shape = len(self.rows), int((low + size).max())
        child, rise = np.full(shape, _NOTHING, dtype=np.int64), np.zeros(shape)
        for node, (first, last) in enumerate(zip(low, low + size, strict=True)):
            child[node, first:last], rise[node, first:last] = children[node], rises[node]
        arrays = kernels.Graph(player, street, low, size, child, rise, np.cumsum(size) - size, paid)
        return BettingGraph(self.rules, self.menu, start, arrays, raises, highest, labels, sizes)


def _after(rules: TableRules, wagers: Wagers, token: str, before: int) -> tuple[Wagers, int]:
    """Return the position after an action, and the number of raises on the previous street."""
    wagers_after = after(rules, wagers, token)
    if wagers_after.mover != NO_PLAYER or wagers_after.is_over:
        return wagers_after, before
    return rules.next_street(wagers_after), wagers_after.raises
