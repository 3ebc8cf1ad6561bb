"""Graph of the betting of limit hold'em, for any number of players.

A node is a decision. Heads-up each betting sequence has its own node (6,378 nodes). With more players
a node merges all sequences with the same street, active players, players still to act, and raises on
this street and the previous one. Actions are the letters f, c, r, as in `whole`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import ParameterError, check_choice
from tefuda.holdem.hands.hand import after
from tefuda.holdem.hands.rules import NO_PLAYER, TableRules, Wagers
from tefuda.holdem.hands.whole import holdem
from tefuda.holdem.kernels import limit as kernels

LETTERS = "fcr"
RECALLS = ("sequence", "street")
_SMALL = 10  # chips of a small bet
_END: tuple[int, int, int, int, list[int]] = (NO_PLAYER, 0, 0, 0, [])  # a terminal node, without actions


def limit_rules(players: int = 2, small: int = _SMALL, cap: int = 4) -> TableRules:
    """Return the rules of limit hold'em with stacks so deep that no player can be all-in.

    Args:
        players: 2 to 10.
        small: bet before and on the flop, twice the small blind; bets on turn and river are twice as large.
        cap: maximum number of bets on a street.
    """
    return holdem(players, limit=True, stack=6 * small * cap, blinds=(small // 2, small), cap=cap).rules


class BettingDecision(NamedTuple):
    """A decision of a player.

    Attributes:
        player: player to act.
        node: node of the graph.
        street: 0 to 3.
        action: 0 fold, 1 check or call, 2 bet or raise.
    """

    player: int
    node: int
    street: int
    action: int


@dataclass(frozen=True, eq=False)
class BettingGraph:
    """Graph of the betting as arrays.

    Attributes:
        rules: rules of the table.
        start: actions before node 0.
        arrays: arrays for kernels, with one bucket on each street.
        raises: `[N]` int64 number of bets and raises on the street before each node.
    """

    rules: TableRules
    start: str
    arrays: kernels.Graph
    raises: np.ndarray  # [N] int64

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.arrays.player)

    def node(self, line: str) -> int:
        """Return the node after a betting line such as ``"rc/c"``; the negative kind of a terminal node.

        Args:
            line: actions from the start of the hand.

        Raises:
            ParameterError: an impossible line.
        """
        return self._replay(line)[1]

    def decisions(self, line: str) -> list[BettingDecision]:
        """Return the decisions of a betting line, from node 0 on.

        Args:
            line: actions from the start of the hand.

        Raises:
            ParameterError: an impossible line.
        """
        return self._replay(line)[0]

    @cached_property
    def _numbers(self) -> list[tuple[int, int, int, int, list[int]]]:
        """Player, street, low, size and children of each node, as lists, which are faster than arrays."""
        arrays = self.arrays
        parts = (arrays.player, arrays.street, arrays.low, arrays.size, arrays.child)
        return list(zip(*(part.tolist() for part in parts), strict=True))

    def _replay(self, line: str) -> tuple[list[BettingDecision], int]:
        node, decisions = 0, list[BettingDecision]()
        for index, letter in enumerate(line.replace("/", "").removeprefix(self.start.replace("/", ""))):
            action = LETTERS.find(letter)
            player, street, low, size, children = self._numbers[node] if node >= 0 else _END
            if not 0 <= action - low < size:
                raise ParameterError(f"{line!r} is an impossible betting line: see action {index + 1}, {letter!r}.")
            decisions.append(BettingDecision(player, node, street, action))
            node = children[action]
        return decisions, node

    def with_buckets(self, counts: tuple[int, ...]) -> kernels.Graph:
        """Return the arrays with infoset-action pairs for a number of buckets on each street."""
        sizes = self.arrays.size * np.array(counts)[self.arrays.street]
        return self.arrays._replace(base=np.cumsum(sizes) - sizes)

    def rows(self, counts: tuple[int, ...]) -> int:
        """Return the number of infoset-action pairs: nodes times buckets times actions."""
        return int((self.arrays.size * np.array(counts)[self.arrays.street]).sum())


def betting_graph(rules: TableRules, recall: str = "", start: str = "") -> BettingGraph:
    """Build the graph of a table's betting.

    Args:
        rules: limit rules under which no player can be all-in.
        recall: ``"sequence"``: one node for each betting sequence; ``"street"``: sequences are merged as the
            module describes. Default: ``"sequence"`` heads-up, else ``"street"``.
        start: actions before the first node, such as ``"cc/cc/"``.

    Raises:
        ParameterError: rules without a limit, with posts, or under which a player may be all-in.
    """
    recall = recall or ("sequence" if rules.players == 2 else "street")
    check_choice("recall", recall, RECALLS)
    if rules.limit is None or not rules.cap:
        raise ParameterError("a betting graph needs limit rules with a cap, such as limit=(10, 20), cap=4.")
    if not rules.is_plain:
        raise ParameterError("a betting graph needs a table without posts, full_blinds and reopens.")
    if not rules.never_all_in:
        most = rules.cap * 2 * sum(rules.limit)
        raise ParameterError(
            f"a betting graph needs stacks of at least {most} chips and no antes; got stacks {rules.stacks}."
        )
    wagers, before = rules.root(), 0
    for letter in start.replace("/", ""):
        wagers, before = _after(rules, wagers, letter, before)
    builder = _GraphBuilder(rules, recall)
    builder.add(wagers, start, before)
    for position in builder.queue:  # grows during the loop
        builder.expand(*position)
    columns = (np.array(column, dtype=np.int64) for column in zip(*builder.rows, strict=True))
    player, street, low, count, child, raises = columns
    paid = np.array(rules.stacks, dtype=np.float64) - wagers.stacks
    bets = np.array([rules.smallest_bet(number) for number in range(4)], dtype=np.float64)
    arrays = kernels.Graph(player, street, low, count, child, np.cumsum(count) - count, paid, bets)
    return BettingGraph(rules, start, arrays, raises)


class _GraphBuilder:
    def __init__(self, rules: TableRules, recall: str) -> None:
        self.rules, self.recall = rules, recall
        self.numbers: dict[Any, int] = {}
        self.rows: list[tuple[int, int, int, int, list[int], int]] = []
        self.queue: list[tuple[Wagers, str, int]] = []

    def add(self, wagers: Wagers, done: str, before: int) -> int:
        """Return the node of a position; a negative kind if the hand is over."""
        if wagers.mover == NO_PLAYER:
            return kernels.WON if len(wagers.live) == 1 else kernels.SHOWDOWN
        situation = (wagers.street, wagers.mover, wagers.folded, wagers.waiting, wagers.raises, min(before, 2))
        key = done if self.recall == "sequence" else situation
        if key not in self.numbers:
            self.numbers[key] = len(self.queue)
            self.queue.append((wagers, done, before))
        return self.numbers[key]

    def expand(self, wagers: Wagers, done: str, before: int) -> None:
        """Add a node and the positions after it."""
        choices = self.rules.choices(wagers)
        low, high = (1, 0)[choices.facing_bet], 2 if choices.low else 1
        child = [-3, -3, -3]
        for action in range(low, high + 1):
            wagers_after, raises = _after(self.rules, wagers, LETTERS[action], before)
            child[action] = self.add(wagers_after, done + LETTERS[action], raises)
        self.rows.append((wagers.mover, wagers.street, low, high - low + 1, child, wagers.raises))


def _after(rules: TableRules, wagers: Wagers, letter: str, before: int) -> tuple[Wagers, int]:
    """Return the position after an action, and the number of raises on the previous street."""
    wagers_after = after(rules, wagers, letter)
    if wagers_after.mover != NO_PLAYER or wagers_after.is_over:
        return wagers_after, before
    return rules.next_street(wagers_after), wagers_after.raises
