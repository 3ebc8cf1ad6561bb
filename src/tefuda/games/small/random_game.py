"""Random games by seed, for property tests: any number of players, chance, hidden moves, perfect recall.

Who moves, how many actions there are and whether the game ends depend on the depth and on what everybody has seen;
what is seen of a move is drawn once per step and player. So equal views always agree on the mover and the actions.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from tefuda.errors import check_range
from tefuda.games.protocol import CHANCE, TERMINAL


@dataclass(frozen=True)
class RandomGame:
    """A random game by seed, for tests.

    A state is the tuple of actions so far, a view what of them was seen, e.g. ``"0?2"``.

    Args:
        seed: the same seed gives the same game.
        players: how many play, 1 or more.
        depth: the longest history.
        branching: the largest number of actions.
        hidden: the probability that a player does not see a move of others; 0 is perfect information.
        zero_sum: whether payoffs sum to 0; otherwise they are independent.
    """

    seed: int = 0
    players: int = 2
    depth: int = 5
    branching: int = 3
    hidden: float = 0.6
    zero_sum: bool = True
    name = "sampled"

    def __post_init__(self) -> None:
        check_range("players", self.players, 1, 6)
        check_range("depth", self.depth, 1, 30)
        check_range("branching", self.branching, 1, 9)
        check_range("hidden", self.hidden, 0, 1, whole=False)

    @property
    def constant_sum(self):
        return 0 if self.zero_sum else None

    def _draw(self, *what) -> float:
        """Return a number in [0, 1) that depends on the seed and on `what` alone.

        By a hash that mixes: of crc32 the first bits hardly depend on a last digit, so that one player moved always.
        """
        digest = hashlib.blake2b(repr((self.seed, *what)).encode(), digest_size=8).digest()
        return (int.from_bytes(digest) >> 11) / 2**53

    def _sees(self, depth: int, player: int) -> bool:
        return self._draw("sees", depth, player) >= self.hidden

    def _seen(self, state, players) -> str:
        """Return the moves of `state` that all of `players` saw or made; ``?`` for the rest."""
        return "".join(
            str(action) if all(self._mover(d) == p or self._sees(d, p) for p in players) else "?"
            for d, action in enumerate(state)
        )

    def _mover(self, depth: int) -> int:
        """Return chance with probability 1/4, never twice in a row; else a random player."""
        chance = self._draw("chance", depth) < 0.25 and (depth == 0 or self._mover(depth - 1) != CHANCE)
        return CHANCE if chance else int(self._draw("mover", depth) * self.players)

    def _width(self, depth: int) -> int:
        return min(self.branching, 2 + int(self._draw("width", depth) * max(self.branching - 1, 1)))

    def root(self):
        return ()

    def player(self, state):
        public = self._seen(state, range(self.players))
        ends = len(state) >= 2 and public[-1] != "?" and self._draw("ends", public) < 0.3
        return TERMINAL if ends or len(state) == self.depth else self._mover(len(state))

    def actions(self, state):
        return tuple(range(self._width(len(state))))

    def chances(self, state):
        weights = [0.1 + self._draw("weight", state, a) for a in range(self._width(len(state)))]
        return tuple((a, weight / sum(weights)) for a, weight in enumerate(weights))

    def child(self, state, action):
        return (*state, action)

    def payoffs(self, state):
        amounts = [int(self._draw("payoff", state, p) * 11) - 5 for p in range(self.players)]
        if self.zero_sum:
            amounts[-1] = -sum(amounts[:-1])
        return tuple(amounts)

    def view(self, state, player):
        return self._seen(state, (player,))
