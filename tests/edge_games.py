"""Games at the edges of the solvers: payoffs that rarely matter, and players who never decide."""

from dataclasses import dataclass
from random import Random

import tefuda as td
from tefuda.games.protocol import CHANCE, TERMINAL

SMALL = {
    "walks": 10, "steps": 3, "average_steps": 3, "baseline_steps": 3, "games": 10, "hidden": 8, "average_hidden": 8,
    "layers": 1, "tables": 4, "batch": 16, "average_batch": 16, "baseline_batch": 16, "policy_batch": 16,
    "transitions": 50, "behaviour": 50, "min_rows": 10,
}  # fmt: skip


@dataclass(frozen=True)
class RareCommonInterest:
    """Matching pennies; with probability `share` player 1 alone decides: both get 5 or -5.

    Afterwards player 0 moves without effect. A hundred games of a simulator with seed 0 never come there with the
    default share, so that payoffs seem to sum to 0.
    """

    share: float = 0.02
    stake: float = 5.0
    name = "rare common interest"
    players = 2

    def root(self):
        return ""

    def player(self, state):
        order = (1, 0) if state[:1] == "r" else (0, 1)
        return (CHANCE, *order, TERMINAL)[len(state)]

    def chances(self, state):
        return (("p", 0.5), ("r", self.share), ("q", 0.5 - self.share))

    def actions(self, state):
        return ("h", "t")

    def child(self, state, action):
        return state + action

    def payoffs(self, state):
        if state[0] == "r":
            return (self.stake, self.stake) if state[1] == "h" else (-self.stake, -self.stake)
        return (1, -1) if state[1] == state[2] else (-1, 1)

    def view(self, state, player):
        if state[:1] == "r":
            return state
        return "p" + (state[1:2] if player == 0 else state[2:3])


@dataclass(frozen=True)
class Named:
    """A game in which player 0 sees one of some equally likely views and wins or loses 1."""

    views: tuple
    name = "named"
    players = 2

    def root(self):
        return ()

    def player(self, state):
        return (CHANCE, 0, TERMINAL)[len(state)]

    def chances(self, state):
        return tuple((number, 1 / len(self.views)) for number in range(len(self.views)))

    def actions(self, state):
        return ("h", "t")

    def child(self, state, action):
        return (*state, action)

    def payoffs(self, state):
        gain = 1 if (state[1] == "h") == (state[0] % 2 == 0) else -1
        return (gain, -gain)

    def view(self, state, player):
        return self.views[state[0]] if state and player == 0 else "waiting"


#: The players to move, in order, by kind of game.
_ORDERS = {
    "one": (0,), "other": (1,), "alone": (CHANCE, 0), "nobody": (), "chance alone": (CHANCE,),
    "nothing to choose": (0, 1), "ends early": (CHANCE, 0, 1),
}  # fmt: skip


@dataclass(frozen=True)
class FewDecide:
    """A game in which some players never decide or chance ends early; the last "a" wins for player 0."""

    kind: str
    players: int = 2
    name = "few decide"

    def root(self):
        return ()

    def player(self, state):
        order = _ORDERS[self.kind]
        over = len(state) == len(order) or (self.kind == "ends early" and state[:1] == ("over",))
        return TERMINAL if over else order[len(state)]

    def chances(self, state):
        return (("over", 0.5), ("on", 0.5))

    def actions(self, state):
        return ("a",) if self.kind == "nothing to choose" else ("a", "b")

    def child(self, state, action):
        return (*state, action)

    def payoffs(self, state):
        gain = 1.0 if state[-1:] == ("a",) else -1.0
        return (gain, -gain)[: self.players]

    def view(self, state, player):
        if self.kind == "ends early":  # actions are hidden
            return (*state[:1], state[1 + player : 2 + player])
        return state


def small(method):
    """Return the method with little work in every iteration."""
    options = method.parameters()
    return td.find_method(method, {name: value for name, value in SMALL.items() if options.get(name, 0) > value})


@dataclass(frozen=True)
class Unwatched:
    """Moves of player 0 that player 1 never sees: one public state contains its own descendants.

    The best payoff is 3, by "b" and then "a"; without moves it is 1.
    """

    moves: int = 2
    name = "unwatched"
    players = 2
    constant_sum = 0

    def root(self):
        return ""

    def player(self, state):
        return 0 if len(state) < self.moves else TERMINAL

    def actions(self, state):
        return ("a", "b")

    def chances(self, state):
        return ()

    def child(self, state, action):
        return state + action

    def payoffs(self, state):
        gain = {"": 1, "aa": 1, "ab": 2, "ba": 3, "bb": 0}[state]
        return (gain, -gain)

    def view(self, state, player):
        return state if player == 0 else ""


@dataclass(frozen=True)
class HiddenTime:
    """A random game of four moves of which a player sees its own, and a share of the others.

    A player who does not move may not know how many moves were made.
    """

    seed: int
    shows: float = 0.0
    name = "hidden time"
    players = 2
    constant_sum = 0

    def _random(self, *place):
        return Random(repr((self.seed, *place)))

    def root(self):
        return ()

    def player(self, state):
        over = len(state) == 4 or (len(state) > 1 and self._random("end", state).random() < 0.1)
        return TERMINAL if over else self._random("mover", len(state)).choice([0, 0, 1, 1, CHANCE])

    def actions(self, state):
        return ("a", "b")

    def chances(self, state):
        return (("x", 0.5), ("y", 0.5))

    def child(self, state, action):
        return (*state, action)

    def payoffs(self, state):
        gain = self._random("payoff", state).randint(-5, 5)
        return (gain, -gain)

    def view(self, state, player):
        seen = [f"move {len(state)}"] * (self.player(state) == player)
        for move, label in enumerate(state):
            if self.player(state[:move]) == player or self._random("seen", move, player).random() < self.shows:
                seen.append(f"{move}{label}")
        return " ".join(seen)


@dataclass(frozen=True)
class Forgets:
    """Player 0 acts, then player 1 unseen, then player 0, who has forgotten its own action.

    Uniform play is worth 1.5 to player 0: the mean of 4, 0, 0, 2, 0, 2, 4 and 0.
    """

    name = "forgets"
    players = 2
    constant_sum = 0

    def root(self):
        return ""

    def player(self, state):
        return (0, 1, 0, TERMINAL)[len(state)]

    def actions(self, state):
        return (("a", "b"), ("x", "y"), ("c", "d"))[len(state)]

    def chances(self, state):
        return ()

    def child(self, state, action):
        return state + action

    def payoffs(self, state):
        gain = {"axc": 4, "ayd": 2, "bxd": 2, "byc": 4}.get(state, 0)
        return (gain, -gain)

    def view(self, state, player):
        return f"move {len(state)}"


@dataclass(frozen=True)
class Driver:
    """The absent-minded driver of Piccione and Rubinstein 1997.

    The exits look the same. They pay 0 and 4, and passing both pays 1.
    The best probability of "g" is 2/3; it is worth 4/3.
    """

    name = "driver"
    players = 1

    def root(self):
        return ""

    def player(self, state):
        return TERMINAL if state[-1:] == "e" or len(state) == 2 else 0

    def actions(self, state):
        return ("e", "g")

    def chances(self, state):
        return ()

    def child(self, state, action):
        return state + action

    def payoffs(self, state):
        return ({"e": 0, "ge": 4, "gg": 1}[state],)

    def view(self, state, player):
        return "road"
