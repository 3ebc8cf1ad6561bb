"""Priced decisions and their sums."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from tefuda.errors import UnknownNameError
from tefuda.figure import Panel
from tefuda.holdem.reviews.pricing import CERTAIN

GROUPS = ("street", "position", "pot_type", "action", "player", "kind")
_MIXED = 0.05  # frequency from which an action belongs to the strategy
_EQUAL, _CLEAR, _BIG = 1e-3, 0.01, 0.05  # shares of the pot: up to the first, costs are none


@dataclass(frozen=True)
class PricedDecision:
    """Decision with its cost. Chips are in big blinds.

    Attributes:
        room: room of the hand; its file if it has no number.
        number: number of the hand in its room; else its line.
        player: name of the player.
        is_hero: True if the player recorded the hand.
        position: position of the player.
        pot_type: ``limped``, ``single-raised``, ``3bet`` or ``4bet``.
        street: street of the decision.
        board: cards of the board.
        cards: hole cards.
        line: betting before it; of a spot, from its start on, in its own chips.
        action: action played.
        best: best action.
        evs: chips won from there on by each action; folding is 0.
        cost: EV of the best action less that of the action played.
        cost_interval: interval of the cost; None where it was not computed, for costs of at most 1 % of the pot.
        frequency: probability of the action in the solution; nan if unknown.
        pot: pot before the action.
        exploitability: of the solution, in percent of its starting pot.
        ranges: sources of the ranges of the player and of the opponent.
        weight: weight of the hand in the assumed range; 0 for hands outside.
        forced: True if the solution does not play this line unless it is forced to.
    """

    room: str
    number: str
    player: str
    is_hero: bool
    position: str
    pot_type: str
    street: str
    board: str
    cards: str
    line: str
    action: str
    best: str
    evs: Mapping[str, float]
    cost: float
    cost_interval: tuple[float, float] | None
    frequency: float
    pot: float
    exploitability: float
    ranges: tuple[str, ...] = ()
    weight: float = 1.0
    forced: bool = False

    @property
    def percent(self) -> float:
        """Cost in percent of the pot."""
        return 100 * self.cost / self.pot

    @property
    def is_certain(self) -> bool:
        """True if the lower end of the interval is above 1 % of the pot."""
        return self.cost_interval is not None and self.cost_interval[0] > CERTAIN * self.pot

    @property
    def kind(self) -> str:
        """``best or mixed``, ``small``, ``clear`` or ``big``, by the cost in percent of the pot."""
        part = self.cost / self.pot
        if part <= _EQUAL or self.frequency >= _MIXED:
            return "best or mixed"
        return "small" if part < _CLEAR else "clear" if part < _BIG else "big"

    def summary(self) -> dict[str, Any]:
        """Return the decision as JSON values."""
        return asdict(self) | {"percent": self.percent, "certain": self.is_certain, "kind": self.kind}


class Total(NamedTuple):
    """Sum of costs of decisions in big blinds."""

    name: str
    decisions: int
    cost: float

    @property
    def error_rate(self) -> float:
        """Cost of a decision in thousandths of a big blind."""
        return 1000 * self.cost / self.decisions if self.decisions else 0.0


@dataclass(frozen=True)
class Review:
    """Decisions with their costs.

    Attributes:
        decisions: priced decisions, in the order of the hands.
        unpriced: numbers of other decisions, by reason.
    """

    decisions: tuple[PricedDecision, ...] = ()
    unpriced: Mapping[str, int] = field(default_factory=dict)

    @property
    def share_priced(self) -> float:
        """Share of the decisions that are priced; nan without decisions."""
        total = len(self.decisions) + sum(self.unpriced.values())
        return len(self.decisions) / total if total else float("nan")

    @property
    def total(self) -> Total:
        """Sum of all costs."""
        return Total("total", len(self.decisions), sum(decision.cost for decision in self.decisions))

    def dearest(self, number: int = 10) -> list[PricedDecision]:
        """Return the decisions with the largest costs that are not in the solution's strategy."""
        mistakes = [decision for decision in self.decisions if decision.kind != "best or mixed"]
        return sorted(mistakes, key=lambda decision: -decision.cost)[:number]

    def by(self, group: str) -> list[Total]:
        """Return the sums by a group, the largest first.

        Args:
            group: ``street``, ``position``, ``pot_type``, ``action``, ``player`` or ``kind``.

        Raises:
            UnknownNameError: the group is unknown.
        """
        if group not in GROUPS:
            raise UnknownNameError("group", group, GROUPS)
        costs: dict[str, list[float]] = {}
        for decision in self.decisions:
            costs.setdefault(str(getattr(decision, group)).split("(")[0], []).append(decision.cost)
        totals = [Total(name, len(each), sum(each)) for name, each in costs.items()]
        return sorted(totals, key=lambda total: -total.cost)

    def summary(self) -> dict[str, Any]:
        """Return the review as JSON values."""
        total = self.total
        return {
            "decisions": [decision.summary() for decision in self.decisions], "unpriced": dict(self.unpriced),
            "cost_bb": total.cost, "error_rate_mbb": total.error_rate, "share_priced": self.share_priced,
            "by": {group: [each._asdict() for each in self.by(group)] for group in GROUPS},
        }  # fmt: skip

    def panel(self, number: int = 10) -> Panel:
        """Return a plot of the dearest decisions with the intervals of their costs."""
        listed = self.dearest(number)
        ends = [(place, each.cost_interval) for place, each in enumerate(listed) if each.cost_interval]
        names = [f"{each.cards}\n{each.street}\n{each.action.split('(')[0]}" for each in listed]
        lines = {
            "cost": [(place, each.cost) for place, each in enumerate(listed)],
            "interval": [(place, (low + high) / 2) for place, (low, high) in ends],
        }
        errors = {"interval": [(high - low) / 2 for _, (low, high) in ends]}
        lines = {name: points for name, points in lines.items() if points}
        title = "dearest decisions" if lines else "no decision has a cost"
        return Panel(
            title, "", lines, y_label="cost (big blinds)", scales=("linear", "linear"), errors=errors, ticks=names,
            covers=(0.0,) if lines else (),
        )  # fmt: skip
