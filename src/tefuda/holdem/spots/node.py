"""Nodes of solved spots for people and spreadsheets: ranges, strategies and values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.errors import ParameterError
from tefuda.files import csv_text, write_bytes
from tefuda.holdem.betting import STREETS
from tefuda.holdem.cards import CLASS_OF, CLASSES, HANDS, card_text, cards_text, hand_text
from tefuda.holdem.equities import equity
from tefuda.holdem.kernels.arrays import FOLD_0, NEXT
from tefuda.holdem.ranges import Range, compatible_weights
from tefuda.holdem.spots.grid import HoldemNode, RangeView
from tefuda.holdem.spots.spot import PLAYERS
from tefuda.holdem.spots.strategy import SpotStrategy

#: Share of the pot: actions with a smaller difference of EVs are equally good.
INDIFFERENCE = 1e-3


@dataclass(frozen=True, eq=False)
class Node(HoldemNode):
    """A node of a solved spot, given by its line.

    Figures by hand are `[1326]`, nan where there is none.

    Args:
        strategy: solution of the spot.
        line: line of the node; empty for the root.

    Raises:
        ParameterError: an invalid line.

    >>> from tefuda.holdem import make_spot
    >>> toy = td.solve(make_spot("2c2d2h3c3d", 100, 100, "AA,QQ", "KK", "a", "a"), until=0.01)
    >>> node = Node(toy.strategy, "AllIn(100)")
    >>> node.actor, round(node.ev(1)), [round(float(values[CLASS_OF == 14][0])) for values in node.action_evs.values()]
    ('IP', 0, [0, 0])
    """

    strategy: SpotStrategy
    line: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "line", self.strategy.compiled.canonical_line(self.line))

    @cached_property
    def player(self) -> int | None:
        kind = self.strategy.kind(self.line)
        return kind if kind < FOLD_0 else None

    @property
    def actor(self) -> str:
        """The player to act, in words."""
        if self.player is not None:
            return PLAYERS[self.player]
        return "a card" if self.strategy.kind(self.line) == NEXT else "nobody"

    @property
    def seats(self) -> tuple[str, ...]:
        return PLAYERS

    @cached_property
    def cards(self) -> tuple[int, ...]:
        return self.strategy.board(self.line)

    @cached_property
    def chips(self) -> tuple[int, int]:
        """The pot with all bets, and the chips left to the player with fewer."""
        compiled = self.strategy.compiled
        return compiled.spot.betting.chips(compiled.position(compiled.find(self.line)))

    @property
    def pot(self) -> int:
        return self.chips[0]

    @property
    def behind(self) -> int:
        return self.chips[1]

    @property
    def indifference(self) -> float:
        return INDIFFERENCE * self.pot

    @cached_property
    def bets(self) -> dict[str, float]:
        compiled = self.strategy.compiled
        position, betting = compiled.position(compiled.find(self.line)), compiled.spot.betting
        return {
            name: betting.pot_share(position, action)
            for name, action in (betting.choices(position) if self.player is not None else {}).items()
            if action.amount > max(position.amounts)
        }

    def at(self, line: str) -> Node:
        return Node(self.strategy, line)

    def outcomes(self) -> tuple[str, ...]:
        """Return the cards that may come next, if there are chips left to bet."""
        is_dealt = self.strategy.kind(self.line) == NEXT and self.behind
        deck = self.strategy.compiled.spot.deck if is_dealt else ()
        return tuple(card_text(card) for card in deck if card not in self.cards)

    @cached_property
    def probability(self) -> float:
        first, second = (Range(weights).without(self.cards).weights for weights in self.strategy.compiled.spot.weights)
        pairs = float(first @ compatible_weights(second))
        return float(self.reach[0] @ compatible_weights(self.reach[1])) / pairs if pairs > 0 else 0.0

    @cached_property
    def reach(self) -> tuple[np.ndarray, np.ndarray]:
        """See `SpotStrategy.reach`."""
        return self.strategy.reach(self.line)

    @cached_property
    def shares(self) -> dict[str, np.ndarray]:
        """The probability of each action by hand; empty without a player to act."""
        return {} if self.player is None else self.strategy.probabilities(self.line)

    @cached_property
    def frequencies(self) -> dict[str, float]:
        """See `SpotStrategy.frequencies`; empty without a player to act."""
        return {} if self.player is None else self.strategy.frequencies(self.line)

    @cached_property
    def evs(self) -> tuple[np.ndarray, np.ndarray]:
        """See `SpotStrategy.evs`."""
        return self.strategy.evs(0, self.line), self.strategy.evs(1, self.line)

    @cached_property
    def action_evs(self) -> dict[str, np.ndarray]:
        """See `SpotStrategy.action_evs`; empty without a player to act."""
        return {} if self.player is None else self.strategy.action_evs(self.line)

    @cached_property
    def equities(self) -> tuple[np.ndarray, np.ndarray]:
        """The equity of each hand: its share of the pot without further bets."""
        nothing = np.full(len(HANDS), np.nan)
        if not self.is_reached:
            return nothing, nothing
        first, second = (Range(np.minimum(values / values.max(), 1.0)) for values in self.reach)
        deck = self.strategy.compiled.spot.deck
        by_hand = equity(first, second, cards_text(self.cards), deck=deck).hands
        return by_hand[0], by_hand[1]

    @cached_property
    def is_reached(self) -> bool:
        """True if any pair of hands reaches the node."""
        return bool((self.reach[0] * compatible_weights(self.reach[1]) > 1e-12).any())

    def ev(self, player: int) -> float:
        """Return the mean of a player's `evs` over the hands that reach the node; nan if none does."""
        return self._mean(self.evs[player], player)

    def equity(self, player: int) -> float:
        """Return the mean of a player's `equities` over the hands that reach the node."""
        return self._mean(self.equities[player], player)

    def _mean(self, figures: np.ndarray, player: int) -> float:
        weights = np.where(np.isfinite(figures), self.reach[player] * compatible_weights(self.reach[1 - player]), 0.0)
        return float(weights @ np.nan_to_num(figures) / weights.sum()) if self.is_reached else float("nan")

    def equally_good(self, hand: int) -> list[str]:
        """Return the actions that are as good as the best one for a hand."""
        evs = {action: float(values[hand]) for action, values in self.action_evs.items()}
        best = max(evs.values(), default=float("nan"))
        return [action for action, ev in evs.items() if best - ev <= self.indifference]

    def hands(self, player: int | None = None) -> RangeView:
        """Return the range of a player, 0 or 1 (OOP or IP); default: the player to act, or OOP.

        A hand comes as often as its reach times the opponent's compatible reach; at a node that the opponent never
        reaches, as its own reach.
        """
        player = (self.player or 0) if player is None else player
        if player not in (0, 1):
            raise ParameterError(f"player must be 0 (OOP) or 1 (IP), got {player!r}.", key="player", value=player)
        own = self.reach[player]
        weights = own * compatible_weights(self.reach[1 - player]) if self.is_reached else own
        view = RangeView(
            own, weights / (weights.sum() or 1.0), self.evs[player], self.equities[player],
            board=self.cards,
        )  # fmt: skip
        if player != self.player:
            return view
        shares, evs = (np.stack(list(figures.values())) for figures in (self.shares, self.action_evs))
        return replace(view, actions=tuple(self.shares), shares=shares, losses=evs - evs.max(axis=0))

    def ranges(self) -> tuple[RangeView, ...]:
        """Return the ranges of both players."""
        return self.hands(0), self.hands(1)

    @property
    def where(self) -> str:
        """Description of the node."""
        return f"{STREETS[len(self.cards) - 3]} {cards_text(self.cards)}, {self.line or 'root'}"

    def summary(self, hands: bool = False) -> dict[str, Any]:
        """Return the node as JSON values; with `hands`, a row for each hand of the player to act."""
        pot, behind = self.chips
        content = {
            "line": self.line,
            "street": STREETS[len(self.cards) - 3],
            "board": cards_text(self.cards),
            "player": None if self.player is None else PLAYERS[self.player],
            "pot": pot,
            "behind": behind,
            "frequencies": {action: _number(share) for action, share in self.frequencies.items()},
            "ev": [_number(self.ev(player)) for player in (0, 1)],
            "equity": [_number(self.equity(player)) for player in (0, 1)],
            "ranges": [float(values.sum()) for values in self.reach],
        }
        return content | ({"hands": self.rows()} if hands else {})

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each hand of the player to act, or of OOP; unknown figures are None."""
        player = self.player or 0
        weights = Range(self.strategy.compiled.spot.weights[player]).without(self.cards).weights
        return [self._row(player, hand) for hand in np.flatnonzero(weights).tolist()]

    def _row(self, player: int, hand: int) -> dict[str, Any]:
        reach = float(self.reach[player][hand])
        return {
            "hand": hand_text(hand),
            "class": CLASSES[CLASS_OF[hand]],
            "reach": reach,
            "probabilities": {a: _number(values[hand]) if reach else None for a, values in self.shares.items()},
            "ev": _number(self.evs[player][hand]),
            "equity": _number(self.equities[player][hand]),
            "action_evs": {a: _number(values[hand]) for a, values in self.action_evs.items()},
        }

    def to_csv(self, path: str | Path) -> None:
        """Write `rows` as CSV; unknown figures are empty."""
        names, actions = ("hand", "class", "reach", "ev", "equity"), list(self.shares)
        rows = [
            [*(row[name] for name in names), *row["probabilities"].values(), *row["action_evs"].values()]
            for row in self.rows()
        ]
        text = csv_text([*names, *actions, *(f"ev {action}" for action in actions)], rows)
        write_bytes(Path(path), text.encode())


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None
