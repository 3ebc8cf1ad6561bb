"""Public states under a strategy: one protocol for trees and for all lines of hold'em."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np


@dataclass(frozen=True)
class PublicAction:
    """An action of the player to act.

    Attributes:
        name: its name, a part of lines.
        kind: its kind, by which it is coloured, see `figure.ACTION_COLOURS`; ``"order N"`` without a known one.
        share: its probability over all hands of the player; nan if no hand reaches the node.
        line: the line after it; None if no public state with a decision follows for sure.
        part: its part of the pot, if it is a bet or raise.
    """

    name: str
    kind: str
    share: float
    line: str | None
    part: float | None = None

    @property
    def label(self) -> str:
        """The name without an amount."""
        return self.name.partition("(")[0]


def _no_actions() -> np.ndarray:
    return np.empty((0, 0))


@dataclass(frozen=True, eq=False)
class Hands:
    """The hands of a player at a public node. Letters: n hands, a actions.

    Attributes:
        reach: `[n]` weight of each hand times the player's own probabilities on the way.
        weights: `[n]` how often the player has each hand, with sum 1; all 0 if no hand reaches the node.
        ev: `[n]` expected value; nan if unknown, as below.
        equity: `[n]` equity.
        names: `[n]` names of the hands.
        actions: `[a]` names of the actions; empty if the player does not act.
        shares: `[a, n]` probability of each action.
        losses: `[a, n]` value of each action less that of the best one: 0 or negative.
    """

    reach: np.ndarray  # [n]
    weights: np.ndarray  # [n]
    ev: np.ndarray  # [n]
    equity: np.ndarray  # [n]
    names: Sequence[str]
    actions: tuple[str, ...] = ()
    shares: np.ndarray = field(default_factory=_no_actions)  # [a, n]
    losses: np.ndarray = field(default_factory=_no_actions)  # [a, n]

    def mean(self, figures: np.ndarray) -> float:
        """Return the mean of figures `[n]` over the hands; nan if none is known or reached."""
        return float(group_means(np.zeros(len(self.weights), int), self.weights, figures, 1)[0])


class PublicNode(Protocol):
    """A public state under a strategy."""

    @property
    def line(self) -> str:
        """The line that leads to the node; for trees, the number of the public state."""

    @property
    def player(self) -> int | None:
        """The player to act; None without one."""

    @property
    def board(self) -> tuple[str, ...]:
        """The common cards; nothing if unknown."""
        return ()

    @property
    def pot(self) -> float | None:
        """The pot with all bets; None if unknown."""
        return None

    def actions(self) -> tuple[PublicAction, ...]:
        """Return the actions of the player to act; nothing without one."""

    def outcomes(self) -> tuple[str, ...]:
        """Return the outcomes that chance may show next; nothing where a player acts."""
        return ()

    def hands(self, player: int) -> Hands:
        """Return the hands of a player."""


def group_means(members: np.ndarray, weights: np.ndarray, figures: np.ndarray, number: int) -> np.ndarray:
    """Return `[number]` weighted means of figures by group; nan for groups without a figure."""
    known = np.isfinite(figures)
    sums = np.bincount(members[known], weights[known], minlength=number)
    totals = np.bincount(members[known], weights[known] * figures[known], minlength=number)
    return totals / np.where(sums > 0, sums, np.nan)
