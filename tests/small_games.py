"""Tiny games that tests need."""

import random
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

import tefuda as td
from tefuda.games.protocol import CHANCE, TERMINAL
from tefuda.games.small.kuhn import Kuhn


@dataclass(frozen=True)
class Nonlocal:
    """Lisy, Lanctot, Bowling 2015, figure 1.

    Chance goes left or right. Left: player 0 takes x or 0. Right: player 0, who does not know the side, chooses l or r
    unseen, then player 1 chooses; (l, l) pays 3, (r, r) pays 3, the rest 0. On the left, "l" takes x and "r" takes 0.
    """

    x: int = 1
    name = "nonlocal"
    players = 2
    constant_sum = 0

    def root(self):
        return ""

    def player(self, state):
        return (CHANCE, 0, TERMINAL if state[:1] == "L" else 1, TERMINAL)[len(state)]

    def actions(self, state):
        return ("l", "r")

    def chances(self, state):
        return (("L", 0.5), ("R", 0.5))

    def child(self, state, action):
        return state + action

    def payoffs(self, state):
        gain = {"Ll": self.x, "Lr": 0, "Rll": 3, "Rlr": 0, "Rrl": 0, "Rrr": 3}[state]
        return (gain, -gain)

    def view(self, state, player):
        return "I"


@dataclass(frozen=True)
class ForgetfulKuhn(Kuhn):
    """Kuhn poker whose player 0 sees only its card: its two decision points are merged (imperfect recall)."""

    def view(self, state, player):
        return state[0][player] if player == 0 else super().view(state, player)


class Relabelled:
    """A game with every player's actions reversed and infosets renamed; nothing that matters changes."""

    def __init__(self, game):
        self.game, self.name, self.players = game, f"relabelled {game.name}", game.players
        for name in ("root", "player", "chances", "child", "payoffs"):
            setattr(self, name, getattr(game, name))

    def actions(self, state):
        return tuple(reversed(self.game.actions(state)))

    def view(self, state, player):
        return f"<{self.game.view(state, player)}>"


@dataclass(frozen=True)
class Torn:
    """Chance goes left or right; on the left player 0 moves first. Player 1 does not know which."""

    name = "torn"
    players = 2

    def root(self):
        return ""

    def player(self, state):
        return {"": CHANCE, "L": 0, "R": 1, "La": 1, "Lb": 1}.get(state, TERMINAL)

    def actions(self, state):
        return ("a", "b")

    def chances(self, state):
        return (("L", 0.5), ("R", 0.5))

    def child(self, state, action):
        return state + action

    def payoffs(self, state):
        return (1, -1) if state.endswith("a") else (-1, 1)

    def view(self, state, player):
        return "I"


@dataclass(frozen=True)
class Unseen:
    """A game in which player 0 stops or continues unseen, and player 1 sees nothing.

    Stopping pays 1; else player 1's choice pays 3 or 0.
    The views of player 1 do not show that the game is over, nor that it is its turn.
    """

    name = "unseen"
    players = 2

    def root(self):
        return ""

    def player(self, state):
        return {"": 0, "g": 1}.get(state, TERMINAL)

    def actions(self, state):
        return ("s", "g") if state == "" else ("l", "r")

    def chances(self, state):
        raise AssertionError("there is no chance")

    def child(self, state, action):
        return state + action

    def payoffs(self, state):
        return {"s": (1, -1), "gl": (3, -3), "gr": (0, 0)}[state]

    def view(self, state, player):
        return ""


@dataclass(frozen=True)
class SharedAnswers:
    """A game whose actions and payoffs are one tuple; its chances are a new list each time."""

    name = "shared answers"
    players = 2
    pair = (1, -1)

    def root(self):
        return ()

    def player(self, state):
        return (CHANCE, 0, 1, TERMINAL)[len(state)]

    def actions(self, state):
        return list(self.pair) if state[0] == "x" else self.pair

    def chances(self, state):
        return [("x", Fraction(1, 3)), ("y", Fraction(2, 3))]

    def child(self, state, action):
        return (*state, action)

    def payoffs(self, state):
        return self.pair if state[1] == 1 else (Fraction(1, 3), -0.0) if state[2] == 1 else np.array([2.0**60, -5])

    def view(self, state, player):
        return state[:1] if player else (state[0], "0")


@dataclass(frozen=True)
class Wild:
    """A random game by seed in which views say next to nothing.

    The mover, the end, the actions and the view are drawn for each history by itself. So ends, decisions of
    different players and chance events look the same, players forget, and an infoset can occur twice on a path.
    """

    seed: int
    players: int = 2
    depth: int = 6
    name = "wild"

    def _draw(self, *what):
        return random.Random(repr((self.seed, *what))).random()

    def root(self):
        return ()

    def player(self, state):
        if len(state) == self.depth or (state and self._draw("ends", state) < 0.25):
            return TERMINAL
        return int(self._draw("mover", state) * (self.players + 1)) - 1

    def actions(self, state):
        return ("a", "b", "c")[: 2 + (self._draw("width", state) < 0.3)]

    def chances(self, state):
        part = 0.05 + 0.9 * self._draw("chance", state)
        return (("x", part), ("y", 1 - part))

    def child(self, state, action):
        return (*state, action)

    def payoffs(self, state):
        return tuple(round(10 * self._draw("payoff", state, player)) - 5 for player in range(self.players))

    def view(self, state, player):
        return f"{len(self.actions(state))}{'?!'[self._draw('view', state, player) < 0.3]}"


@dataclass(frozen=True)
class KuhnRaise(Kuhn):
    """Kuhn poker whose player 1 may also raise a bet by one chip, `r`; player 0 then folds or calls.

    Its 15 infosets are those of issue 1304 of OpenSpiel, whose answers call the raise with the worst card.
    """

    name = "kuhn_raise"
    public_actions = False

    def player(self, state):
        cards, history = state
        if not cards:
            return CHANCE
        return TERMINAL if history in ("pp", "pbp", "pbb", "bp", "bb", "brp", "brb") else len(history) % 2

    def actions(self, state):
        return ("p", "b", "r") if state[1] == "b" else ("p", "b")

    def _put_in(self, history):
        return {"pp": (1, 1), "bp": (2, 1), "pbp": (1, 2), "brp": (2, 3), "brb": (3, 3)}.get(history, (2, 2))


@dataclass(frozen=True)
class GuessTheAce:
    """Player 0 stops, or player 1 guesses whether the top card is the ace of spades.

    A right guess wins 1000 from player 0, so player 0 stops (Miltersen and Sorensen 2010).
    """

    name = "guess_the_ace"
    players = 2
    constant_sum = 0

    def root(self):
        return ()

    def player(self, state):
        return (CHANCE, 0, TERMINAL if state[1:] == ("stop",) else 1, TERMINAL)[len(state)]

    def actions(self, state):
        return ("stop", "play") if len(state) == 1 else ("ace", "other")

    def chances(self, state):
        return (("ace", Fraction(1, 52)), ("other", Fraction(51, 52)))

    def child(self, state, action):
        return (*state, action)

    def payoffs(self, state):
        gain = 1000 * (state[0] == state[-1])
        return (-gain, gain)

    def view(self, state, player):
        return "".join(state[1:2]) if player == 0 else "guess"


@dataclass(frozen=True)
class GiftPennies:
    """Player 1 gives a coin or not, player 0 hides heads or tails, player 1 guesses; a right guess wins 1."""

    name = "gift_pennies"
    players = 2
    constant_sum = 0

    def root(self):
        return ()

    def player(self, state):
        return (1, 0, 1, TERMINAL)[len(state)]

    def actions(self, state):
        return ("H", "T") if state else ("keep", "gift")

    def chances(self, state):
        return ()

    def child(self, state, action):
        return (*state, action)

    def payoffs(self, state):
        gain = (state[1] == state[2]) - (state[0] == "gift")
        return (-gain, gain)

    def view(self, state, player):
        return "|".join(state[:2] if player == 0 else state[:1]) or "start"


#: Small games of the package.
CATALOGUE = [
    ("kuhn", {}),
    ("kuhn", {"players": 4, "cards": 6}),
    ("leduc", {}),
    ("leduc", {"distinct_suits": True}),
    ("leduc", {"players": 3, "ranks": 3, "cap": 1}),
    ("nolimit_leduc", {"stack": 4}),
    ("liars_dice", {"sides": 3}),
    ("liars_dice", {"players": 3, "sides": 2}),
    ("liars_dice", {"dice": 2, "sides": 2}),
    ("goofspiel", {"cards": 4}),
    ("goofspiel", {"cards": 3, "order": "random", "payoff": "point_difference"}),
    ("goofspiel", {"cards": 3, "players": 3, "hidden": False, "order": "ascending"}),
    ("goofspiel", {"cards": 1}),
    ("rps", {}),
    ("mini8", {}),
]
GAMES = {
    "nonlocal": Nonlocal, "forgetful": ForgetfulKuhn, "unseen": Unseen, "wild": Wild, "kuhn_raise": KuhnRaise,
    "guess_the_ace": GuessTheAce, "gift_pennies": GiftPennies,
}  # fmt: skip


def end_of(game, *history):
    """The payoffs after a history."""
    state = game.root()
    for label in history:
        state = game.child(state, label)
    assert game.player(state) == td.TERMINAL
    return game.payoffs(state)


class Good:
    """Two cards, one bet: player 0 stops or bets, player 1 folds or calls."""

    name, players, constant_sum = "good", 2, 0

    def root(self):
        return ()

    def player(self, state):
        if len(state) == 0:
            return td.CHANCE
        return {(): 0, ("bet",): 1}.get(state[1:], td.TERMINAL)

    def actions(self, state):
        return ("stop", "bet") if len(state) == 1 else ("fold", "call")

    def chances(self, state):
        return (("hl", 0.25), ("lh", 0.25), ("hh", 0.25), ("ll", 0.25))

    def child(self, state, action):
        return (*state, action)

    def payoffs(self, state):
        sign = {"hl": 1, "lh": -1}.get(state[0], 0)
        gain = 1 if state[-1] == "fold" else sign * (2 if state[-1] == "call" else 1)
        return (gain, -gain)

    def view(self, state, player):
        return (state[0][player], *state[1:])


def broken(**functions):
    """The good game with some functions replaced."""
    return type("Broken", (Good,), functions)()


_SUITS = str.maketrans("", "", "hs")


def suitless(view, player):
    """A key: Leduc's views by rank."""
    return view.translate(_SUITS)


def forgetful(view, player):
    """A key: who raised first before the second card is forgotten."""
    return view.replace("crrc/", "rrc/").replace("crc/", "rc/")


#: Myerson 1991, figure 4.2: player 0 chooses A1 or B1, player 1 then W2 or X2, and after A1 player 0 Y1 or Z1, unseen.
FIGURE = """EFG 2 R "Figure 4.2" { "0" "1" } ""
p "" 1 1 "first" { "A1" "B1" } 0
p "" 2 1 "reply" { "W2" "X2" } 0
p "" 1 2 "second" { "Y1" "Z1" } 0
t "" 1 "" { 3, 0 }
t "" 2 "" { 0, 0 }
p "" 1 2 "second" { "Y1" "Z1" } 0
t "" 3 "" { 2, 3 }
t "" 4 "" { 4, 1 }
p "" 2 1 "reply" { "W2" "X2" } 0
t "" 5 "" { 2, 3 }
t "" 6 "" { 3, 2 }
"""
#: Selten 1975, figure 1: player 3 (here 2) does not know whether player 1 or player 2 turned down.
HORSE = """EFG 2 R "Selten's horse" { "1" "2" "3" } ""
p "" 1 1 "" { "C" "D" } 0
p "" 2 1 "" { "c" "d" } 0
t "" 1 "" { 1, 1, 1 }
p "" 3 1 "" { "L" "R" } 0
t "" 2 "" { 4, 4, 0 }
t "" 3 "" { 0, 0, 1 }
p "" 3 1 "" { "L" "R" } 0
t "" 4 "" { 3, 2, 2 }
t "" 5 "" { 0, 0, 0 }
"""
