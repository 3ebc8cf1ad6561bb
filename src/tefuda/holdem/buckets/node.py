"""Nodes of whole hands under a strategy in buckets: reach and action probabilities of each hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tefuda.errors import ParameterError
from tefuda.holdem.buckets.line import betting_actions, needs_card, read_betting_line, spell_betting_line
from tefuda.holdem.buckets.sampler import BucketPolicy
from tefuda.holdem.cards import CARDS, CLASSES, HANDS, card_text, cards_text, mask_of, read_cards
from tefuda.holdem.equities import equity
from tefuda.holdem.hands.hand import NEXT, Hand
from tefuda.holdem.hands.rules import BOARD, NO_PLAYER, STREETS, TableRules
from tefuda.holdem.ranges import Range, compatible_weights
from tefuda.holdem.rank import SETS
from tefuda.holdem.spots.grid import HoldemNode, RangeView, class_means


@dataclass(frozen=True, eq=False)
class BucketNode(HoldemNode):
    """A node of whole hands in buckets, limit or no-limit, and the strategy there.

    EVs are unknown, and ranges are known at decisions only.

    Args:
        policy: strategy of all players.
        line: line of the node, see `read_betting_line`; empty for the first decision.

    Raises:
        ParameterError: an invalid line.
    """

    policy: BucketPolicy
    line: str = ""

    @classmethod
    def from_letters(cls, policy: BucketPolicy, betting: str = "", board: str = "") -> BucketNode:
        """Return a decision.

        Args:
            policy: strategy of all players.
            betting: actions since the start, such as ``"rc/c"``: f fold, c check or call, r bet or raise; no-limit
                has amounts, ``"r250c/c"``.
            board: cards of the board on the street of the decision.

        Raises:
            ParameterError: the line is impossible or ends the hand, or the number of cards is wrong.
        """
        graph, cards = policy.game.graph, read_cards(board)
        if (number := graph.node(betting)) < 0:
            raise ParameterError(f"the hand is over after {betting!r}; give a line that ends with a decision.")
        street = int(graph.arrays.street[number])
        if len(cards) != BOARD[street]:
            raise ParameterError(
                f"after {betting!r} ({STREETS[street]}) the board must have {BOARD[street]} cards; got "
                f"{cards_text(cards) or 'none'}."
            )
        taken = graph.decisions(betting)
        streets = ("".join(map(graph.label, (each for each in taken if each.street == on))) for on in range(street + 1))
        return cls(policy, spell_betting_line(graph.rules, NEXT.join(streets), cards, graph.menu))

    def __post_init__(self) -> None:
        line = spell_betting_line(self.rules, self.place.line, self.place.board, self.policy.game.graph.menu)
        object.__setattr__(self, "line", line)

    @cached_property
    def place(self) -> Hand:
        """State of the betting and the cards, see `line`."""
        return read_betting_line(self.rules, self.line, self.policy.game.graph.menu)

    @property
    def rules(self) -> TableRules:
        """Rules of the table."""
        return self.policy.game.graph.rules

    @property
    def seats(self) -> tuple[str, ...]:
        """The names of the players; heads-up the button posts the small blind."""
        players = self.rules.players
        return ("BB", "SB") if players == 2 else ("SB", "BB", *map(str, range(2, players - 1)), "BTN")

    @cached_property
    def _actions(self) -> dict[str, str]:
        """Tokens of the actions of the player to act, by name."""
        return betting_actions(self.rules, self.place.wagers, self.policy.game.graph.menu)

    @property
    def betting(self) -> str:
        """Tokens of the actions, such as ``"rc/c"``."""
        return self.place.line.removesuffix(NEXT)

    @property
    def street(self) -> int:
        """Street, 0 to 3; the last one until all cards of the next one are there."""
        return self.place.wagers.street

    @property
    def cards(self) -> tuple[int, ...]:
        return self.place.board

    @property
    def player(self) -> int | None:
        return None if self.place.wagers.mover == NO_PLAYER else self.place.wagers.mover

    @property
    def pot(self) -> int:
        return self.rules.pot(self.place.wagers)

    @property
    def bets(self) -> dict[str, float]:
        wagers = self.place.wagers
        highest, amounts = max(wagers.bets), {name: name.partition("(")[2].rstrip(")") for name in self._actions}
        after_call = self.pot + highest - wagers.bets[wagers.mover]
        return {name: (int(amount) - highest) / after_call for name, amount in amounts.items() if amount}

    def at(self, line: str) -> BucketNode:
        return BucketNode(self.policy, line)

    def outcomes(self) -> tuple[str, ...]:
        """Return the cards that may come next."""
        cards = range(CARDS) if needs_card(self.place) else ()
        return tuple(card_text(card) for card in cards if card not in self.cards)

    @cached_property
    def reach(self) -> list[np.ndarray]:
        """`[1326]` reach of each player's hands; 0 for hands that the board blocks."""
        game, buckets = self.policy.game, self.policy.game.buckets_on(self.cards)
        possible = (SETS & np.uint64(mask_of(self.cards))) == 0
        reach = [possible.astype(np.float64) for _ in self.seats]
        for decision in game.graph.decisions(self.betting):
            rows = game.row(decision, buckets[decision.street, possible])
            reach[decision.player][possible] *= self.policy.sigma[rows]
        return reach

    def weights_of(self, player: int) -> np.ndarray:
        """Return `[1326]` how often a player has each hand, up to a factor.

        It is the hand's reach; heads-up times the opponent's compatible reach, if the opponent reaches the node.
        """
        own = self.reach[player]
        both = own if len(self.seats) > 2 else own * compatible_weights(self.reach[1 - player])
        return both if both.any() else own

    @cached_property
    def equities(self) -> np.ndarray:
        """`[players, 1326]` equity of each hand; nan with more than two players or without reach."""
        if len(self.seats) > 2 or not all(reach.any() for reach in self.reach):
            return np.full((len(self.seats), len(HANDS)), np.nan)
        first, second = (Range(reach / reach.max()) for reach in self.reach)
        return equity(first, second, cards_text(self.cards)).hands

    def hands(self, player: int | None = None) -> RangeView:
        """Return the range of a player at a decision; default: the player to act. EVs and losses are unknown."""
        if self.player is None:
            raise ParameterError(f"no player acts at {self.line!r}; ranges are known at decisions.", key="line")
        player = self.player if player is None else player
        weights, unknown = self.weights_of(player), np.full(len(HANDS), np.nan)
        view = RangeView(
            self.reach[player], weights / (weights.sum() or 1.0), unknown, self.equities[player],
            board=self.cards,
        )  # fmt: skip
        if player != self.player:
            return view
        shares = np.stack(list(self.shares.values()))
        return replace(view, actions=tuple(self.shares), shares=shares, losses=np.full_like(shares, np.nan))

    @cached_property
    def shares(self) -> dict[str, np.ndarray]:
        """`[1326]` probabilities of each action, by its name; 0 for hands that the board blocks."""
        if self.player is None:
            return {}
        game, names = self.policy.game, self._actions
        buckets = game.buckets_on(self.cards)[self.street]
        first = game.arrays.base[game.graph.node(self.betting)] + np.maximum(buckets, 0) * len(names)
        return {
            name: np.where(buckets >= 0, self.policy.sigma[first + offset], 0.0) for offset, name in enumerate(names)
        }

    @cached_property
    def frequencies(self) -> dict[str, float]:
        """Frequency of each action over the hands that reach the node, see `weights_of`."""
        if self.player is None:
            return {}
        weights = self.weights_of(self.player)
        return {name: float(weights @ chances) / float(weights.sum()) for name, chances in self.shares.items()}

    @property
    def where(self) -> str:
        """Description of the decision."""
        cards = f" {cards_text(self.cards)}" if self.cards else ""
        return f"{STREETS[self.street]}{cards}, {f'after {self.betting}' if self.betting else 'the first decision'}"

    @property
    def words(self) -> tuple[str, ...]:
        """The actions in lower case, such as ``"raise"``, in no-limit ``"raise 250"``."""
        parts = (name.lower().rstrip(")").partition("(") for name in self.shares)
        return tuple(word if self.rules.limit else f"{word} {amount}".rstrip() for word, _, amount in parts)

    def summary(self) -> dict[str, Any]:
        """Return the decision as JSON values; null where the reach of a class is zero."""
        classes = [class_means(self.reach[self.player or 0], share).tolist() for share in self.shares.values()]
        return {
            "line": self.betting,
            "board": cards_text(self.cards),
            "player": self.player,
            "frequencies": dict(zip(self.words, self.frequencies.values(), strict=True)),
            "classes": {
                name: dict(zip(self.words, (None if np.isnan(mean) else mean for mean in means), strict=True))
                for name, *means in zip(CLASSES, *classes, strict=True)
            },
        }
