"""Size of the betting of heads-up no-limit hold'em, counted before a graph is built."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tefuda.errors import SizeError
from tefuda.holdem.buckets.graph import no_limit_table
from tefuda.holdem.hands.rules import NO_PLAYER, TableRules, Wagers
from tefuda.holdem.hands.sizing import Menu

_MOST = 30_000  # positions with different chips; 200 big blinds with four sizes of bets have 6,000
_SIZES = {
    "bets": ("", "bets"), "raises": ("", "raises"), "opens": ("preflop", "bets"), "reraises": ("preflop", "raises"),
    "turn bets": ("turn", "bets"), "turn raises": ("turn", "raises"), "river bets": ("river", "bets"),
    "river raises": ("river", "raises"),
}  # fmt: skip
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
    """Return the size of a graph of no-limit; positions with the same chips are visited once.

    Args:
        rules: rules of the table.
        menu: bet sizes.

    Raises:
        ParameterError: rules or a menu without a graph.
        SizeError: more different positions than can be counted quickly.
    """
    rules = no_limit_table(rules, menu)
    root, totals = rules.root(), dict[Wagers, Counts]()
    waiting = [(root, _following(rules, menu, root))]
    while waiting:
        wagers, following = waiting[-1]
        later = [after for after in following if after.mover != NO_PLAYER]
        if unknown := [after for after in later if after not in totals]:
            waiting += [(after, _following(rules, menu, after)) for after in unknown]
            continue
        own = [0] * 8
        own[wagers.street], own[4 + wagers.street] = 1, len(following)
        totals[wagers] = tuple(map(sum, zip(own, *(totals[after] for after in later), strict=True)))
        waiting.pop()
        if len(totals) > _MOST:
            raise SizeError(
                f"the bet sizes lead to more than {_MOST:,} positions with different chips. Leave out sizes."
            )
    return BettingSize(totals[root][:4], totals[root][4:])


def _following(rules: TableRules, menu: Menu, wagers: Wagers) -> list[Wagers]:
    """Return the positions after each action of the player to act."""
    choices, called = rules.choices(wagers), rules.call(wagers)
    folded = [rules.fold(wagers)] * choices.facing_bet
    next_ = called if called.mover != NO_PLAYER or called.is_over else rules.next_street(called)
    raised = (rules.raise_to(wagers, amount) for amount in menu.amounts(rules, wagers, choices).values())
    return [*folded, next_, *raised]


def smaller_menus(menu: Menu) -> Iterator[tuple[str, Menu]]:
    """Yield each menu with one size less, after the name of this size, such as ``"33% of bets"``."""
    for name, (street, kind) in _SIZES.items():
        owner: Any = getattr(menu, street) if street else menu
        sizes = getattr(owner, kind, ())
        for size in sizes:
            fewer = replace(owner, **{kind: tuple(other for other in sizes if other != size)})
            changed: dict[str, Any] = {street: fewer}
            yield f"{size} of {name}", replace(menu, **changed) if street else fewer
