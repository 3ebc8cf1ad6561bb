"""A decision of limit hold'em as a run in buckets plays it: who reaches it, and what each hand does."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tefuda.errors import ParameterError
from tefuda.holdem.cards import CLASS_OF, CLASSES, cards_text, read_cards
from tefuda.holdem.hands.rules import BOARD, STREETS
from tefuda.holdem.limit.graph import LETTERS
from tefuda.holdem.limit.reading import Hand, likelihoods
from tefuda.holdem.limit.sampler import LimitPolicy


@dataclass(frozen=True, eq=False)
class LimitPlace:
    """A decision and the strategy there.

    Args:
        policy: strategy of all players.
        line: actions since the start of the hand: ``"rc/c"``, f fold, c check or call, r bet or raise.
        board: open cards, as many as the street has.

    Raises:
        ParameterError: an impossible line, or one that ends the hand; another number of cards.
    """

    policy: LimitPolicy
    line: str = ""
    board: str = ""

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ParameterError(f"nobody decides after {self.line!r}: the hand is over.")
        wanted = BOARD[self.street]
        if len(self.cards) != wanted:
            raise ParameterError(
                f"after {self.line!r} {wanted} cards lie on the {STREETS[self.street]}; the board given is "
                f"{cards_text(self.cards) or 'none'}."
            )

    @cached_property
    def number(self) -> int:
        """Node of the betting."""
        return self.policy.game.graph.node(self.line)

    @property
    def street(self) -> int:
        """0 to 3."""
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
        """`[1326]` reach of the player to act with each hand; 0 where the board blocks."""
        game = self.policy.game
        hidden = (-1,) * game.graph.rules.players
        hand = Hand(tuple(game.graph.deeds(self.line)), self.cards, hidden, game.buckets_on(self.cards))
        return likelihoods(game, self.policy.sigma, hand, self.player)

    @cached_property
    def shares(self) -> dict[str, np.ndarray]:
        """`[1326]` probability of each action by its name; 0 where the board blocks."""
        game = self.policy.game
        low, size = int(game.arrays.low[self.number]), int(game.arrays.size[self.number])
        buckets = game.buckets_on(self.cards)[self.street]
        first = game.arrays.base[self.number] + np.maximum(buckets, 0) * size
        return {
            self._named(LETTERS[low + place]): np.where(buckets >= 0, self.policy.sigma[first + place], 0.0)
            for place in range(size)
        }

    def _named(self, letter: str) -> str:
        """Return the name of an action."""
        graph = self.policy.game.graph
        faces, raised = graph.arrays.low[self.number] == 0, graph.raises[self.number] > 0
        return {"f": "fold", "c": "call" if faces else "check", "r": "raise" if raised else "bet"}[letter]

    def by_class(self, values: np.ndarray, player: int | None = None) -> np.ndarray:
        """Return `[169]` means of `[1326]` over the hands of each class by reach; nan where it is zero."""
        hands = np.bincount(CLASS_OF, self.reach, minlength=len(CLASSES))
        sums = np.bincount(CLASS_OF, self.reach * values, minlength=len(CLASSES))
        return np.where(hands > 0, sums / np.maximum(hands, 1e-300), np.nan)

    @cached_property
    def frequencies(self) -> dict[str, float]:
        """Frequency of each action."""
        total = self.reach.sum()
        return {name: float(self.reach @ chances) / total for name, chances in self.shares.items()}

    @property
    def where(self) -> str:
        """Decision in words."""
        cards = f" {cards_text(self.cards)}" if self.cards else ""
        return f"{STREETS[self.street]}{cards}, {f'after {self.line}' if self.line else 'the first decision'}"

    def summary(self) -> dict[str, Any]:
        """Return the decision as JSON values; null where the reach of a class is zero."""
        classes = {name: self.by_class(chances).tolist() for name, chances in self.shares.items()}
        shares = {
            one: {name: None if np.isnan(each[number]) else each[number] for name, each in classes.items()}
            for number, one in enumerate(CLASSES)
        }
        told = {"line": self.line, "board": cards_text(self.cards), "player": self.player}
        return {**told, "frequencies": self.frequencies, "classes": shares}
