"""Public nodes of hold'em and ranges there: the 13 x 13 grid, groups of hands, equity curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Protocol

import numpy as np

from tefuda.evaluating.public_node import Hands, PublicAction, PublicNode, group_means
from tefuda.figure import bet_kind
from tefuda.holdem.cards import CLASS_OF, CLASSES, HANDS, card_text, hand_text
from tefuda.holdem.made_hands import DRAWS, MADE_HANDS, draws, made_hands

#: Classes that come less often than this share of the commonest class are rare: their strategy hardly matters.
RARE = 0.005
_MIN_HANDS = 1e-9  # hands: classes with less reach are left out
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
    """

    weight: float = 0.0

    @property
    def rare(self) -> bool:
        """True if the class comes, but less than `RARE` times as often as the commonest one."""
        return 0 < self.weight < RARE


@cache
def hand_names() -> tuple[str, ...]:
    """Return `[1326]` the names of all hands."""
    return tuple(map(hand_text, range(len(HANDS))))


@dataclass(frozen=True, eq=False)
class RangeView(Hands):
    """A player's range at a node: figures of all 1,326 hands, unreached ones too.

    Attributes:
        board: cards of the board.
    """

    names: Sequence[str] = field(default_factory=hand_names)
    board: tuple[int, ...] = ()

    def groups(self, numbers: np.ndarray, names: tuple[str, ...]) -> list[Group]:
        """Return a group for each name.

        Args:
            numbers: `[1326]` number of each hand's group; negative for hands of no group.
            names: names of the groups.
        """
        there = (numbers >= 0) & (self.weights > 0)
        members, weights = numbers[there], self.weights[there]

        def means(figures: np.ndarray) -> list[float]:
            return list(group_means(members, weights, figures[there], len(names)).tolist())

        hands, frequency = np.flatnonzero(there), np.bincount(members, weights, minlength=len(names)).tolist()
        shares, losses = ([means(each) for each in figures] for figures in (self.shares, self.losses))
        ev, equity = means(self.ev), means(self.equity)
        return [
            Group(
                name,
                tuple(hands[members == number].tolist()),
                frequency[number],
                {action: each[number] for action, each in zip(self.actions, shares, strict=True)},
                ev[number],
                equity[number],
                {action: each[number] for action, each in zip(self.actions, losses, strict=True)},
            )
            for number, name in enumerate(names)
        ]

    def grid(self) -> list[Cell]:
        """Return the 169 classes, row by row from AA.

        >>> from tefuda.holdem import Node, make_spot
        >>> toy = td.solve(make_spot("2c2d2h3c3d", 100, 100, "AA,QQ", "KK", "a", "a"), until=0.01)
        >>> aces = Node(toy.strategy).hands().grid()[0]
        >>> aces.name, len(aces.hands), aces.equity, round(aces.shares["AllIn(100)"])
        ('AA', 6, 1.0, 1)
        """
        groups, weights = self.groups(CLASS_OF, CLASSES), class_weights(self.reach, self.board)
        return [Cell(**vars(group), weight=float(weight)) for group, weight in zip(groups, weights, strict=True)]

    def made_hands(self) -> list[Group]:
        """Return the hands by made hand, see `made_hands.MADE_HANDS`; nothing before the flop."""
        return [] if not self.board else self.groups(made_hands(self.board), MADE_HANDS)

    def draws(self) -> list[Group]:
        """Return the hands by draw, see `made_hands.DRAWS`; nothing before the flop."""
        return [] if not self.board else self.groups(draws(self.board), DRAWS)

    def equity_curve(self) -> np.ndarray:
        """Return `[2, N]` the equity curve: shares of the range, and equities.

        The weakest ``curve[0, k]`` of the range have at most equity ``curve[1, k]``.
        """
        equities = self.equity
        known = np.flatnonzero(np.isfinite(equities) & (self.weights > 0))
        if not len(known):
            return np.zeros((2, 0))
        steps = np.unique(np.round(equities[known], _DECIMALS), return_inverse=True)[1]
        share = np.bincount(steps, self.weights[known])
        values = np.bincount(steps, self.weights[known] * equities[known]) / share
        return np.stack([np.cumsum(share) / share.sum(), values])


class HoldemNode(PublicNode, Protocol):
    """A line of hold'em under a strategy; derived classes are frozen dataclasses with a `line`."""

    @property
    def seats(self) -> tuple[str, ...]:
        """The names of the players."""

    @property
    def cards(self) -> tuple[int, ...]:
        """The cards of the board."""
        return ()

    @property
    def board(self) -> tuple[str, ...]:
        """The names of the `cards`."""
        return tuple(map(card_text, self.cards))

    @property
    def behind(self) -> float | None:
        """The chips left to the player with fewer; None if unknown."""
        return None

    @property
    def probability(self) -> float | None:
        """The probability of the line's actions, given its cards; None if unknown."""
        return None

    @property
    def indifference(self) -> float:
        """The largest difference in EV of actions that are equally good."""
        return 0.0

    @property
    def bets(self) -> Mapping[str, float]:
        """The part of the pot of each bet and raise: chips beyond a call over the pot after a call."""
        return {}

    @property
    def frequencies(self) -> Mapping[str, float]:
        """The share of each action over the hands of the player to act; empty without one."""

    def at(self, line: str) -> HoldemNode:
        """Return another node under the same strategy."""

    def hands(self, player: int | None = None) -> RangeView:
        """Return the range of a player; default: the player to act."""

    def actions(self) -> tuple[PublicAction, ...]:
        """Return the actions of the player to act with their `frequencies`."""
        bets, start = self.bets, f"{self.line}/" if self.line else ""
        return tuple(
            PublicAction(name, sized_kind(name, bets.get(name)), share, start + name, bets.get(name))
            for name, share in self.frequencies.items()
        )

    def ranges(self) -> tuple[RangeView, ...]:
        """Return the hands of all players; nothing where they are unknown."""
        return () if self.player is None else tuple(map(self.hands, range(len(self.seats))))


def sized_kind(name: str, part: float | None) -> str:
    """Return the kind of an action by its name, or by its part of the pot if it is a bet or raise."""
    label = name.partition("(")[0]
    if label == "AllIn":
        return "all-in"
    return label.lower() if part is None else bet_kind(part)


def free_hands(board: Sequence[int]) -> np.ndarray:
    """Return `[1326]` whether a board leaves each hand."""
    return np.asarray(~np.isin(HANDS, board).any(axis=1))


def class_sizes(board: Sequence[int]) -> np.ndarray:
    """Return `[169]` the number of hands of each class that a board leaves."""
    return np.bincount(CLASS_OF[free_hands(board)], minlength=len(CLASSES))


def class_weights(reach: np.ndarray, board: Sequence[int]) -> np.ndarray:
    """Return `[169]` mean reach of the hands of each class that a board leaves, the largest being 1."""
    total = np.bincount(CLASS_OF, reach * free_hands(board), minlength=len(CLASSES))
    own = total / np.maximum(class_sizes(board), 1)
    return own / (own.max() or 1.0)


def class_means(reach: np.ndarray, figures: np.ndarray) -> np.ndarray:
    """Return `[169]` means of figures `[1326]` by hand class, weighted by reach; nan where it is 0."""
    weights = np.where(np.isfinite(figures), reach, 0.0)
    sums = np.bincount(CLASS_OF, weights, minlength=len(CLASSES))
    reached = np.where(sums > _MIN_HANDS, sums, np.nan)
    return np.bincount(CLASS_OF, weights * np.nan_to_num(figures), minlength=len(CLASSES)) / reached
