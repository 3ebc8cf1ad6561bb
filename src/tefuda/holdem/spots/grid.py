"""Ranges at a node: the 13 x 13 grid, groups of made hands and draws, equity curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from tefuda.errors import ParameterError
from tefuda.holdem.cards import CLASS_OF, CLASSES, HANDS
from tefuda.holdem.made_hands import DRAWS, MADE_HANDS, draws, made_hands

#: Classes that come less often than this share of the commonest class are rare: their strategy hardly matters.
RARE = 0.005
#: Figures of a cell that `Node.grid` can show.
FIGURES = ("share", "ev", "equity", "loss")
_DECIMALS = 9  # equities that agree to these decimals are equal: sums of reaches have round-off


@dataclass(frozen=True)
class Group:
    """A part of a player's range: a class of hands, or all hands with a made hand or a draw.

    Attributes:
        name: name of the group, such as ``"AKs"`` or ``"two pair"``.
        hands: numbers of its hands that reach the node.
        frequency: share of the player's range, 0 to 1.
        shares: probability of each action; empty if the player does not act.
        ev: mean EV in chips; nan if unknown, as below.
        equity: mean equity.
        losses: EV of each action less that of the best one, hand by hand: 0 or negative.
    """

    name: str
    hands: tuple[int, ...]
    frequency: float
    shares: Mapping[str, float] = field(default_factory=dict)
    ev: float = float("nan")
    equity: float = float("nan")
    losses: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Cell(Group):
    """A cell of the grid: a class of hands.

    Attributes:
        weight: mean weight of the hands of the class that the board leaves, divided by that of the commonest class.
        figure: the figure that the grid shows; nan if unknown.
    """

    weight: float = 0.0
    figure: float = float("nan")

    @property
    def rare(self) -> bool:
        """True if the class comes, but less than `RARE` times as often as the commonest one."""
        return 0 < self.weight < RARE


@dataclass(frozen=True, eq=False)
class RangeView:
    """A player's range at a node.

    Attributes:
        board: cards of the board.
        reach: `[1326]` weight of each hand times the player's own probabilities on the way.
        weights: `[1326]` how often the player has each hand, with sum 1; all 0 if no hand reaches the node.
        figures: `[1326]` figures by hand: ``ev``, ``equity``, and ``share A`` and ``loss A`` of each action.
        actions: actions of the player; empty if the player does not act.
    """

    board: tuple[int, ...]
    reach: np.ndarray  # [1326]
    weights: np.ndarray  # [1326]
    figures: Mapping[str, np.ndarray]
    actions: tuple[str, ...] = ()

    def groups(self, numbers: np.ndarray, names: tuple[str, ...]) -> list[Group]:
        """Return a group for each name.

        Args:
            numbers: `[1326]` number of each hand's group; negative for hands of no group.
            names: names of the groups.
        """
        there = (numbers >= 0) & (self.weights > 0)
        members, weights = numbers[there], self.weights[there]
        frequency = np.bincount(members, weights, minlength=len(names))
        means = {name: _means(members, weights, values[there], len(names)) for name, values in self.figures.items()}
        hands = np.flatnonzero(there)
        return [
            Group(
                name,
                tuple(hands[members == number].tolist()),
                float(frequency[number]),
                {action: float(means[f"share {action}"][number]) for action in self.actions},
                float(means["ev"][number]),
                float(means["equity"][number]),
                {action: float(means[f"loss {action}"][number]) for action in self.actions},
            )
            for number, name in enumerate(names)
        ]

    def mean(self, name: str) -> float:
        """Return the mean of a figure over the range; nan if it is unknown."""
        return float(_means(np.zeros(len(HANDS), int), self.weights, self.figures[name], 1)[0])

    def grid(self, show: str, action: str | None) -> list[Cell]:
        """See `Node.grid`."""
        if show not in FIGURES:
            raise ParameterError(f"show must be one of {', '.join(FIGURES)}, got {show!r}.", key="show", value=show)
        free = ~np.isin(HANDS, self.board).any(axis=1)
        sizes = np.bincount(CLASS_OF[free], minlength=len(CLASSES))
        own = np.bincount(CLASS_OF, self.reach * free, minlength=len(CLASSES)) / np.maximum(sizes, 1)
        weights = own / (own.max() or 1.0)
        cells = self.groups(CLASS_OF, CLASSES)
        return [
            Cell(**vars(group), weight=float(weight), figure=_figure(group, show, action))
            for group, weight in zip(cells, weights, strict=True)
        ]

    def made_hands(self) -> list[Group]:
        """See `Node.made_hands`; empty before the flop."""
        return [] if not self.board else self.groups(made_hands(self.board), MADE_HANDS)

    def draws(self) -> list[Group]:
        """See `Node.draws`; empty before the flop."""
        return [] if not self.board else self.groups(draws(self.board), DRAWS)

    def equity_curve(self) -> np.ndarray:
        """See `Node.equity_curve`."""
        equities = self.figures["equity"]
        known = np.flatnonzero(np.isfinite(equities) & (self.weights > 0))
        if not len(known):
            return np.zeros((2, 0))
        steps = np.unique(np.round(equities[known], _DECIMALS), return_inverse=True)[1]
        share = np.bincount(steps, self.weights[known])
        values = np.bincount(steps, self.weights[known] * equities[known]) / share
        return np.stack([np.cumsum(share) / share.sum(), values])


def _means(members: np.ndarray, weights: np.ndarray, values: np.ndarray, number: int) -> np.ndarray:
    """Return `[number]` weighted means of values by group; nan for groups without a value."""
    known = np.isfinite(values)
    sums = np.bincount(members[known], weights[known], minlength=number)
    totals = np.bincount(members[known], weights[known] * values[known], minlength=number)
    return totals / np.where(sums > 0, sums, np.nan)


def _figure(group: Group, show: str, action: str | None) -> float:
    """Return the figure of a cell: of an action, or of the likeliest one."""
    if show in ("ev", "equity"):
        return float(getattr(group, show))
    figures = group.shares if show == "share" else group.losses
    if action is not None and figures and action not in figures:
        raise ParameterError(f"action must be one of {', '.join(figures)}, got {action!r}.", key="action", value=action)
    chosen = action or max(group.shares, key=lambda name: group.shares[name], default="")
    return figures.get(chosen, float("nan"))
