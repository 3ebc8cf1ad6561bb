"""Size of the betting of no-limit hold'em, counted before a graph is built."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tefuda.errors import SizeError
from tefuda.holdem.hands.rules import NO_PLAYER, TableRules, Wagers
from tefuda.holdem.hands.sizing import Menu

_MOST = 100_000  # positions with different chips; tables of 200 big blinds and three sizes have some thousand
Counts = tuple[int, ...]


@dataclass(frozen=True)
class BettingSize:
    """Size of a betting graph.

    Attributes:
        nodes: number of decisions on each street.
        actions: number of their actions on each street.
    """

    nodes: Counts
    actions: Counts

    def rows(self, counts: Counts) -> int:
        """Return the number of infoset-action pairs for a number of buckets on each street."""
        return sum(number * buckets for number, buckets in zip(self.actions, counts, strict=True))


def betting_size(rules: TableRules, menu: Menu) -> BettingSize:
    """Return the size of the graph of heads-up no-limit rules, visiting positions with equal chips once.

    Raises:
        SizeError: the betting has more different positions than can be counted quickly.
    """
    root, totals = rules.root(), dict[Wagers, Counts]()
    waiting = [root]
    while waiting:
        wagers = waiting[-1]
        later = [after for after in _following(rules, menu, wagers) if after.mover != NO_PLAYER]
        if unknown := [after for after in later if after not in totals]:
            waiting += unknown
            continue
        own = [0] * 8
        own[wagers.street], own[4 + wagers.street] = 1, len(list(_following(rules, menu, wagers)))
        totals[wagers] = tuple(map(sum, zip(own, *(totals[after] for after in later), strict=True)))
        waiting.pop()
        if len(totals) > _MOST:
            raise SizeError(f"the bet sizes lead to more than {_MOST:,} different positions. Leave out sizes.")
    return BettingSize(totals[root][:4], totals[root][4:])


def _following(rules: TableRules, menu: Menu, wagers: Wagers) -> Iterator[Wagers]:
    """Yield the positions after each action of the player to act."""
    choices = rules.choices(wagers)
    if choices.facing_bet:
        yield rules.fold(wagers)
    called = rules.call(wagers)
    yield called if called.mover != NO_PLAYER or called.is_over else rules.next_street(called)
    for amount in menu.amounts(rules, wagers, choices).values():
        yield rules.raise_to(wagers, amount)
