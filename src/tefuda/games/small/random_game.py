"""Random games by seed, for property tests: several players, chance, hidden moves, perfect recall.

The player to move, the number of actions and the end of the game depend only on the depth and on public moves. The
visibility of a move is drawn once for each depth and player. So equal views have the same player and actions.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from tefuda.errors import check_range
from tefuda.games.protocol import CHANCE, TERMINAL
from tefuda.games.small.dealt import Moves


@dataclass(frozen=True)
class RandomGame(Moves):
    """A random game by seed, for tests.

    A state is the tuple of actions so far. A view shows the visible ones, e.g. ``"0?2"``.

    Args:
        seed: random seed of the game.
        players: number of players, 1 to 6.
        depth: maximum length of a history.
        branching: maximum number of actions.
        hidden: probability that a move is hidden from another player; 0: perfect information.
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

    def _draw(self, *key) -> float:
        """Return a number in [0, 1) that depends only on the seed and the key."""
        # Not crc32: its first bits hardly depend on the last digit of the key.
        digest = hashlib.blake2b(repr((self.seed, *key)).encode(), digest_size=8).digest()
        return (int.from_bytes(digest) >> 11) / 2**53

    def _visible(self, state, players) -> str:
        """Return the moves visible to all of `players`; ``?`` for hidden moves."""
        return "".join(
            str(action) if all(self._mover(d) == p or self._draw("sees", d, p) >= self.hidden for p in players) else "?"
            for d, action in enumerate(state)
        )

    def _mover(self, depth: int) -> int:
        """Return chance with probability 1/4, never twice in succession; else a random player."""
        chance = self._draw("chance", depth) < 0.25 and (depth == 0 or self._mover(depth - 1) != CHANCE)
        return CHANCE if chance else int(self._draw("mover", depth) * self.players)

    def _width(self, depth: int) -> int:
        return min(self.branching, 2 + int(self._draw("width", depth) * max(self.branching - 1, 1)))

    def player(self, state):
        public = self._visible(state, range(self.players))
        ends = len(state) >= 2 and public[-1] != "?" and self._draw("ends", public) < 0.3
        return TERMINAL if ends or len(state) == self.depth else self._mover(len(state))

    def actions(self, state):
        return tuple(range(self._width(len(state))))

    def chances(self, state):
        weights = [0.1 + self._draw("weight", state, a) for a in range(self._width(len(state)))]
        return tuple((a, weight / sum(weights)) for a, weight in enumerate(weights))

    def payoffs(self, state):
        amounts = [int(self._draw("payoff", state, p) * 11) - 5 for p in range(self.players)]
        if self.zero_sum:
            amounts[-1] = -sum(amounts[:-1])
        return tuple(amounts)

    def view(self, state, player):
        return self._visible(state, (player,))
