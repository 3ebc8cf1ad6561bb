"""Decisions of limit hold'em under a strategy in buckets: reach and action probabilities of each hand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tefuda.errors import ParameterError
from tefuda.holdem.cards import CLASS_OF, CLASSES, HANDS, cards_text, read_cards
from tefuda.holdem.equities import equity
from tefuda.holdem.hands.rules import BOARD, STREETS
from tefuda.holdem.limit.bucketed import BucketedHand, likelihoods
from tefuda.holdem.limit.graph import LETTERS
from tefuda.holdem.limit.sampler import LimitPolicy
from tefuda.holdem.ranges import Range, compatible_weights
from tefuda.holdem.spots.grid import Cell, RangeView


@dataclass(frozen=True, eq=False)
class LimitNode:
    """Decision of a limit game and the strategy there.

    Args:
        policy: strategy of all players.
        line: actions since the start of the hand, such as ``"rc/c"``: f fold, c check or call, r bet or raise.
        board: cards of the board on the street of the decision.

    Raises:
        ParameterError: the line is impossible or ends the hand, or the number of cards is wrong.
    """

    policy: LimitPolicy
    line: str = ""
    board: str = ""

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ParameterError(f"the hand is over after {self.line!r}; give a line that ends with a decision.")
        wanted = BOARD[self.street]
        if len(self.cards) != wanted:
            raise ParameterError(
                f"after {self.line!r} ({STREETS[self.street]}) the board must have {wanted} cards; got "
                f"{cards_text(self.cards) or 'none'}."
            )

    @cached_property
    def number(self) -> int:
        """Node of the betting graph."""
        return self.policy.game.graph.node(self.line)

    @property
    def street(self) -> int:
        """Street, 0 to 3."""
        return int(self.policy.game.arrays.street[self.number])

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """Cards of the board."""
        return read_cards(self.board)

    @property
    def player(self) -> int:
        """Player to act."""
        return int(self.policy.game.arrays.player[self.number])

    @cached_property
    def reach(self) -> np.ndarray:
        """`[1326]` reach of the player to act with each hand; 0 for hands that the board blocks."""
        return self.reach_of(self.player)

    def reach_of(self, player: int) -> np.ndarray:
        """Return `[1326]` reach of a player with each hand; 0 for hands that the board blocks."""
        game = self.policy.game
        hidden = (-1,) * game.graph.rules.players
        hand = BucketedHand(tuple(game.graph.decisions(self.line)), self.cards, hidden, game.buckets_on(self.cards))
        return likelihoods(game, self.policy.sigma, hand, player)

    def weights_of(self, player: int) -> np.ndarray:
        """Return `[1326]` how often a player has each hand, up to a factor.

        It is the hand's reach; heads-up times the opponent's compatible reach, if the opponent reaches the node.
        """
        own = self.reach_of(player)
        if self.policy.game.graph.rules.players > 2:
            return own
        both = own * np.maximum(compatible_weights(self.reach_of(1 - player)), 0.0)
        return both if both.any() else own

    @cached_property
    def equities(self) -> np.ndarray:
        """`[players, 1326]` equity of each hand; nan with more than two players or without reach."""
        players = self.policy.game.graph.rules.players
        reaches = [self.reach_of(player) for player in range(players)]
        if players > 2 or not all(reach.any() for reach in reaches):
            return np.full((players, len(HANDS)), np.nan)
        first, second = (Range(reach / reach.max()) for reach in reaches)
        return equity(first, second, self.board).hands

    def range_view(self, player: int | None = None) -> RangeView:
        """Return the range of a player; default: the player to act. EVs and losses are unknown."""
        player = self.player if player is None else player
        weights = self.weights_of(player)
        actions = tuple(self.shares) if player == self.player else ()
        unknown = np.full(len(HANDS), np.nan)
        figures = {"ev": unknown, "equity": self.equities[player]}
        figures |= {f"share {action}": self.shares[action] for action in actions}
        figures |= {f"loss {action}": unknown for action in actions}
        return RangeView(self.cards, self.reach_of(player), weights / (weights.sum() or 1.0), figures, actions)

    def grid(self, show: str = "share", player: int | None = None, action: str | None = None) -> list[Cell]:
        """Return the 169 classes of a player's hands, see `Node.grid`; default: the player to act."""
        return self.range_view(player).grid(show, action)

    @cached_property
    def shares(self) -> dict[str, np.ndarray]:
        """`[1326]` probabilities of each action, by the action's name; 0 for hands that the board blocks."""
        game = self.policy.game
        low, size = int(game.arrays.low[self.number]), int(game.arrays.size[self.number])
        buckets = game.buckets_on(self.cards)[self.street]
        first = game.arrays.base[self.number] + np.maximum(buckets, 0) * size
        return {
            self._named(LETTERS[low + offset]): np.where(buckets >= 0, self.policy.sigma[first + offset], 0.0)
            for offset in range(size)
        }

    def _named(self, letter: str) -> str:
        """Return the name of an action."""
        graph = self.policy.game.graph
        faces, raised = graph.arrays.low[self.number] == 0, graph.raises[self.number] > 0
        return {"f": "fold", "c": "call" if faces else "check", "r": "raise" if raised else "bet"}[letter]

    def by_class(self, values: np.ndarray, player: int | None = None) -> np.ndarray:
        """Return `[169]` means of values `[1326]` over each hand class, weighted by reach; nan for reach 0."""
        hands = np.bincount(CLASS_OF, self.reach, minlength=len(CLASSES))
        sums = np.bincount(CLASS_OF, self.reach * values, minlength=len(CLASSES))
        return np.where(hands > 0, sums / np.maximum(hands, 1e-300), np.nan)

    @cached_property
    def frequencies(self) -> dict[str, float]:
        """Frequency of each action over the hands that reach the node; see `weights_of`."""
        weights = self.weights_of(self.player)
        return {name: float(weights @ chances) / float(weights.sum()) for name, chances in self.shares.items()}

    @property
    def where(self) -> str:
        """Description of the decision."""
        cards = f" {cards_text(self.cards)}" if self.cards else ""
        return f"{STREETS[self.street]}{cards}, {f'after {self.line}' if self.line else 'the first decision'}"

    def summary(self) -> dict[str, Any]:
        """Return the decision as JSON values; null where the reach of a class is zero."""
        classes = {name: self.by_class(chances).tolist() for name, chances in self.shares.items()}
        shares = {
            class_: {name: None if np.isnan(by_class[index]) else by_class[index] for name, by_class in classes.items()}
            for index, class_ in enumerate(CLASSES)
        }
        description = {"line": self.line, "board": cards_text(self.cards), "player": self.player}
        return {**description, "frequencies": self.frequencies, "classes": shares}
