"""Random games with equivalent actions, by seed; `lossless` shares rows in nearly all of them."""

from dataclasses import dataclass
from functools import cache

import numpy as np

import tefuda as td
from tefuda.abstracting.lossless import initial_colours, stable_colours
from tefuda.forms.sequence import sequence_form
from tefuda.games.small.random_game import RandomGame


@cache
def _drawn(seed, what):
    return RandomGame(seed)._draw(*what)


@dataclass(frozen=True)
class Turned(RandomGame):
    """A random game that stays the same if one number is added to all its actions, modulo `ways`.

    At some depths there is also "out", which ends the game. Moves are seen or hidden, by depth and player, so that
    an opponent's infosets, chance and payoffs depend on which of several equivalent actions was taken.
    """

    ways: int = 2
    name = "turned"

    def _draw(self, *what):
        return _drawn(self.seed, what)

    def _plain(self, moves):
        """Return the moves relative to the first known move: the same for all rotated histories."""
        known = [int(move) for move in moves if str(move).isdigit()]
        return tuple((int(m) - known[0]) % self.ways if str(m).isdigit() else m for m in moves)

    def player(self, state):
        if "out" in state or len(state) == self.depth:
            return td.TERMINAL
        public = self._plain(self._visible(state, range(self.players)))
        ends = len(state) >= 3 and public[-1] != "?" and self._draw("ends", public) < 0.2
        return td.TERMINAL if ends else self._mover(len(state))

    def actions(self, state):
        out = ("out",) if self._draw("out", len(state)) < 0.5 else ()
        return (*range(self.ways), *out)

    def chances(self, state):
        weights = [0.1 + self._draw("weight", self._plain((*state, way))) for way in range(self.ways)]
        return tuple((way, weight / sum(weights)) for way, weight in enumerate(weights))

    def payoffs(self, state):
        return super().payoffs(self._plain(state))


def turned(seed):
    """Return a game of two or three players, zero-sum or not, with two or three equivalent actions."""
    ways, depth, hidden = (2, 3)[seed // 2 % 2], (3, 4)[seed % 2], (0.5, 0.9)[seed // 4 % 2]
    return Turned(seed, (2, 2, 3)[seed % 3], depth=depth, ways=ways, hidden=hidden, zero_sum=seed % 5 < 3)


def loses_nothing(whole):
    """Return True if the classes of a partition are stable colours."""
    form = sequence_form(whole.tree)
    start = initial_colours(form)
    start[form.sequence] = form.players + whole.rows
    return len(np.unique(stable_colours(form, start)[0])) == len(np.unique(start))
