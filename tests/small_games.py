"""Tiny games that tests need."""

from dataclasses import dataclass

from tefuda.games.kuhn import Kuhn
from tefuda.games.protocol import CHANCE, TERMINAL


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


GAMES = {"nonlocal": Nonlocal, "forgetful": ForgetfulKuhn}
