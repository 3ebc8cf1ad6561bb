"""A game with outcomes of chance of probability 0."""

from fractions import Fraction

from tefuda.games.protocol import CHANCE


class Impossible:
    """A game whose every list of outcomes begins and ends with one of probability 0.

    An impossible outcome leads where the first or the last real outcome leads, with 1000 times its payoffs and with
    other views.
    """

    def __init__(self, game):
        self.game, self.name, self.players = game, f"impossible {game.name}", game.players

    def root(self):
        return "", self.game.root(), 0

    def player(self, state):
        return self.game.player(state[1])

    def actions(self, state):
        return self.game.actions(state[1])

    def chances(self, state):
        return (("before", 0), *self.game.chances(state[1]), ("after", Fraction(0)))

    def child(self, state, action):
        unreal, inner, moves = state
        if self.game.player(inner) == CHANCE and action in ("before", "after"):
            unreal += f"{action} move {moves}, "
            action = self.game.chances(inner)[-1 if action == "after" else 0][0]
        return unreal, self.game.child(inner, action), moves + 1

    def payoffs(self, state):
        return tuple(amount * 1000 if state[0] else amount for amount in self.game.payoffs(state[1]))

    def view(self, state, player):
        view = self.game.view(state[1], player)
        return f"{state[0]}{view}" if state[0] else view
