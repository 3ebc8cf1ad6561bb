"""Random card games of every shape, and their trees."""

import itertools
import random
from dataclasses import dataclass
from functools import cache

import tefuda as td
from tests.conftest import compiled


@dataclass(frozen=True)
class Cards:
    """A random game by seed: each player gets a card, actions are public, and a public card may follow.

    cards: size of the deck. board: whether a public card is dealt after each player's first action.
    late: whether player 0 gets a second private card in place of the public one. few: whether player 0 gets one of
    three cards only. dice: whether players may have equal cards. zero: the share of payoffs that are 0.
    special: whether one deal has a payoff of its own. forced: the share of betting sequences with one action.
    rounds: number of actions of each player, 1 for more than three players.
    """

    seed: int
    players: int = 2
    cards: int = 6
    board: bool = False
    late: bool = False
    few: bool = False
    dice: bool = False
    zero: float = 0.0
    special: bool = False
    forced: float = 0.0
    rounds: int = 2
    name = "cards"

    def _draw(self, *what):
        return random.Random(repr((self.seed, *what))).random()

    def root(self):
        return ()

    def _moves(self, state):
        return [step for step in state if isinstance(step, str)]

    def player(self, state):
        moves = self._moves(state)
        if not state or (len(state) == 1 + self.players and self.board | self.late):
            return td.CHANCE
        if len(moves) == (self.rounds * self.players if self.players < 4 else self.players) or (
            moves and moves[-1] == "f"
        ):
            return td.TERMINAL
        return len(moves) % self.players

    def actions(self, state):
        if self._draw("forced", *self._moves(state)) < self.forced:
            return ("c",)
        return ("c", "r", "f")[: 2 + (self._draw("width", *self._moves(state)) < 0.5)]

    def chances(self, state):
        if state:
            outcomes = [(card,) for card in range(self.cards) if card not in state[0]]
        else:
            deals = itertools.product(range(self.cards), repeat=self.players) if self.dice else None
            deals = deals or itertools.permutations(range(self.cards), self.players)
            outcomes = [deal for deal in deals if not self.few or deal[0] < 3]
        weights = [1 + self._draw("weight", *state[:1], outcome) for outcome in outcomes]
        return tuple((outcome, weight / sum(weights)) for outcome, weight in zip(outcomes, weights, strict=True))

    def child(self, state, action):
        return (*state, action)

    def payoffs(self, state):
        moves = "".join(self._moves(state))
        if self._draw("zero", moves, *state[:1]) < self.zero:
            return (0,) * self.players
        pot, dealt = 1 + moves.count("r"), [step for step in state if not isinstance(step, str)]
        shown = dealt[1][0] if len(dealt) > 1 else 0
        strength = [self._draw("strength", card, shown) for card in dealt[0]]
        amounts = [pot * (part - sum(strength) / self.players) for part in strength]
        if self.special and dealt[0] == tuple(range(self.players)) and moves.startswith("rc"):
            amounts[0] += 1000
        return tuple(amounts)

    def view(self, state, player):
        dealt = [step for step in state if not isinstance(step, str)]
        seen = dealt[1:] if self.board or player == 0 else []
        return (dealt[0][player], *seen, "".join(self._moves(state)))


FORCED = [
    {"forced": 0.5},
    {"board": True, "forced": 0.5},
    {"late": True, "forced": 0.7},
    {"few": True, "zero": 0.5, "forced": 0.9},
    {"players": 3, "cards": 5, "board": True, "forced": 0.5},
    {"cards": 3, "forced": 1.0},
    {"cards": 5, "rounds": 4, "forced": 0.8},
]
SHAPES = [
    {},
    {"board": True},
    {"late": True},
    {"few": True},
    {"zero": 0.5},
    {"zero": 0.9},
    {"special": True},
    {"players": 3, "cards": 5},
    {"players": 3, "cards": 5, "board": True},
    {"players": 3, "cards": 6, "few": True, "zero": 0.3},
    {"players": 3, "cards": 5, "late": True},
    {"players": 4, "cards": 5},
    {"players": 4, "cards": 4, "dice": True},
    {"cards": 8},
    {"cards": 9},
    {"cards": 20, "special": True},
    {"cards": 2},
    {"cards": 3},
    *FORCED,
]
CASES = [
    *(("cards", shape | {"seed": seed}) for seed, shape in enumerate(SHAPES)),
    *(("sampled", {"seed": seed, "players": seed + 1}) for seed in range(4)),
    ("leduc", {"distinct_suits": True}),
    ("liars_dice", {"sides": 5}),
    ("goofspiel", {}),
    ("kuhn", {"players": 4}),
]


@cache
def tree_of(case):
    """The tree of a random card game, or of a game of the package."""
    name, parameters = CASES[case]
    return td.compile_game(Cards(**parameters)) if name == "cards" else compiled(name, **parameters)
