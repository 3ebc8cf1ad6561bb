"""Settings of a player that re-solves: its blueprint, budget and gadget."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import isclose

import numpy as np

from tefuda.errors import ParameterError, check_choice, check_range
from tefuda.holdem.hands.rules import TableRules
from tefuda.holdem.players.blueprint import Blueprint
from tefuda.holdem.players.budget import Budget
from tefuda.holdem.spots.subgame import GADGETS


@dataclass(eq=False)
class SolverSettings:
    """Settings of a player that re-solves turns and rivers.

    Attributes:
        blueprint: strategy before the turn, and where nothing is re-solved.
        budget: budget of a decision.
        gadget: see `spots.subgame.resolve_street`.
        purify: actions below this probability are dropped; 1: the most probable one is played.
        scale: whether the blueprint may have other stacks and blinds than the table.
        fallbacks: number of fallbacks by name.

    Raises:
        ParameterError: a value is out of range.
    """

    blueprint: Blueprint
    budget: Budget = Budget()  # noqa: RUF009 (frozen)
    gadget: str = "max-margin"
    purify: float = 0.0
    scale: bool = False
    fallbacks: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        check_choice("gadget", self.gadget, GADGETS)
        check_range("purify", self.purify, 0, 1, whole=False)

    def played(self, shares: np.ndarray) -> np.ndarray:
        """Return probabilities `[actions, hands]` as played."""
        if not self.purify:
            return shares
        kept = np.where(shares < np.minimum(self.purify, shares.max(axis=0)), 0.0, shares)
        return np.asarray(kept / kept.sum(axis=0))

    def require_table(self, rules: TableRules) -> None:
        """Raise ParameterError unless the blueprint is of a table's stacks and blinds, or is scaled."""
        if rules.players != 2 or rules.limit:
            raise ParameterError(
                f"the solver plays heads-up no-limit; got {rules.players} players{', limit' * bool(rules.limit)}."
            )
        own, table = (_in_big_blinds(each) for each in (self.blueprint.policy.game.graph.rules, rules))
        if not self.scale and not all(isclose(first, second) for first, second in zip(own, table, strict=True)):
            names = "stack", "small blind", "ante"
            parts = [
                ", ".join(f"{name} {value:g}" for name, value in zip(names, values, strict=True))
                for values in (own, table)
            ]
            raise ParameterError(
                f"the blueprint is of another table, in big blinds: {parts[0]}; this one has {parts[1]}. "
                "Solve a blueprint of these, or add ;scale to play it by shares of the pot."
            )


def _in_big_blinds(rules: TableRules) -> tuple[float, float, float]:
    """Return the shorter stack, the small blind and the larger ante in big blinds."""
    unit = max(rules.blinds) or 1
    return min(rules.stacks) / unit, min(rules.blinds) / unit, max(rules.antes) / unit
