"""Many games stepped at once on arrays: what learners know that look at no tree.

Units are actions of all infosets by one numbering (features.Units); G games, U units, F features, P players.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol

import numpy as np

from tefuda.errors import GameError, ParameterError, RunError, shortened
from tefuda.files import Array, check_arrays
from tefuda.forms.arrays import ranges
from tefuda.forms.features import features_of_all, infoset_features, infoset_units
from tefuda.forms.form import Form, Saved
from tefuda.forms.tree import Tree
from tefuda.forms.uncompiled import Uncompiled
from tefuda.games.protocol import CHANCE


class SimulatorForm(Form):
    """The base of simulators.

    source: ``"tree"``, ``"rules"``, ``"views"`` (rules whose views are encoded although they have features) or
    ``"own"`` (the compiled simulator that a game brings, its optional ``own_simulator()``).
    """

    representation = "simulator"
    method = "nfsp"
    source = "own"

    def saved(self) -> Saved:
        """See `Form`: the source."""
        return Saved({"source": self.source})


class Simulator(Protocol):
    """A game as arrays. Positions `[G]` are whatever the simulator likes; chance moves inside `deal` and `step`."""

    players: int
    units: int
    features: int

    @property
    def game(self) -> Tree | Uncompiled:
        """What is simulated."""

    def deal(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """`[G]` new games, each at its first decision, or over if chance ended it before."""

    def player(self, games: np.ndarray) -> np.ndarray:
        """`[G]` who decides; TERMINAL where the game is over."""

    def legal(self, games: np.ndarray) -> np.ndarray:
        """`[G, U]` bool, what may be done; for games that are not over."""

    def observe(self, games: np.ndarray) -> np.ndarray:
        """`[G, F]` float32, what the player who decides sees; for games that are not over."""

    def observe_all(self, games: np.ndarray) -> np.ndarray:
        """`[G, P F']` float32, what all players see, one after the other; for games that are not over."""

    def step(self, games: np.ndarray, units: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return `[G]` the games after an action each, and after chance.

        Raises:
            ParameterError: a game that is over, or a number that is no unit.
        """

    def payoffs(self, games: np.ndarray) -> np.ndarray:
        """`[G, P]` payoffs of games that are over."""

    def kept(self, games: np.ndarray) -> np.ndarray:
        """Games that are not over as an array of numbers, for a checkpoint."""

    def found(self, kept: np.ndarray, count: int) -> np.ndarray:
        """`[count]` the games that `kept` held; RunError if it holds no such games."""


_DEALS = 1000  # rounds of dealing before a game without decisions is refused


def deal_decisions(simulator: Simulator, count: int, rng: np.random.Generator) -> np.ndarray:
    """Deal games that reach a decision; those that chance ends before are dealt again.

    Args:
        simulator: the game.
        count: number of games.
        rng: source of chance.

    Returns:
        `[count]` games, each at its first decision.

    Raises:
        GameError: hardly any game reaches a decision.
    """
    games = simulator.deal(count, rng)
    for _ in range(_DEALS):
        over = np.flatnonzero(simulator.player(games) < 0)
        if len(over) == 0:
            return games
        games[over] = simulator.deal(len(over), rng)
    raise GameError(f"no player decides anything in {simulator.game.title}: there is nothing to learn.")


def require_steppable(simulator: Simulator, games: np.ndarray, units: np.ndarray) -> None:
    """Refuse to step games that are over, and numbers that are no units.

    Args:
        simulator: the simulator of the games.
        games: `[G]` positions.
        units: `[G]` whole numbers, the unit of an action in each game.

    Raises:
        ParameterError: the first game that cannot be stepped is named by its place.
    """
    numbers = np.asarray(units)
    if numbers.shape != (len(games),) or not np.issubdtype(numbers.dtype, np.integer):
        raise ParameterError(f"units must be {len(games)} whole numbers, one for each game; got {shortened(units)}.")
    over, outside = simulator.player(games) < 0, (numbers < 0) | (numbers >= simulator.units)
    if over.any():
        raise ParameterError(f"game {int(over.argmax())} is over; step only games in which a player decides.")
    if outside.any():
        place = int(outside.argmax())
        raise ParameterError(f"game {place}: units are 0 to {simulator.units - 1}, got {numbers[place]}.")


class ViewSimulator(Simulator, Protocol):
    """A simulator without a tree; what networks see may follow from views."""

    @property
    def sees_views(self) -> bool:
        """Whether it does."""

    def encode(self, view: Hashable, row: np.ndarray) -> None:
        """Fill a row `[F]` of zeros with what the player who decides, and has this view, sees."""

    def unit_of(self, label: Hashable) -> int:
        """The unit of an action's label."""


class TreeSimulator(SimulatorForm):
    """Any tree as a simulator; positions are the numbers of its histories.

    >>> import numpy as np
    >>> simulator = td.TreeSimulator(td.compile_game(td.load_game("kuhn")))
    >>> simulator.player(simulator.deal(3, np.random.default_rng(0))).tolist()
    [0, 0, 0]
    """

    source = "tree"
    evaluator = Tree.evaluator

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.players = tree.players
        self.infoset_features, found = infoset_features(tree).astype(np.float32), infoset_units(tree)
        self.infoset_legal, self.infoset_action = found.legal.astype(bool), found.action
        self.features, self.units = self.infoset_features.shape[1], found.legal.shape[1]
        self.decision = np.cumsum(tree.player >= 0) - 1  # which of the decisions a node is
        self._payoffs = np.zeros((len(tree.player), tree.players))
        self._payoffs[tree.terminals] = tree.payoffs
        # The k-th chance node's outcomes end at k + cumulative probability, so one sorted array serves all of them.
        nodes = np.flatnonzero(tree.player == CHANCE)
        self._rank = np.zeros(len(tree.player), dtype=np.int64)
        self._rank[nodes] = np.arange(len(nodes))
        counts = tree.child_count[nodes]
        self._outcome = ranges(tree.first_child[nodes], counts)
        ends = [
            np.cumsum(tree.chance[first : first + n]) for first, n in zip(tree.first_child[nodes], counts, strict=True)
        ]
        for place, end in enumerate(ends):
            end[-1] = 1.0
            end += place
        self._ends = np.concatenate(ends) if ends else np.zeros(0)

    @property
    def game(self) -> Tree:
        """See `Form`: the tree."""
        return self.tree

    def deal(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """See `Simulator`."""
        return self._after_chance(np.zeros(count, dtype=np.int64), rng)

    def player(self, games: np.ndarray) -> np.ndarray:
        """See `Simulator`."""
        return self.tree.player[games].astype(np.int64)

    def legal(self, games: np.ndarray) -> np.ndarray:
        """See `Simulator`."""
        return self.infoset_legal[self.tree.infoset[games]]

    def observe(self, games: np.ndarray) -> np.ndarray:
        """See `Simulator`."""
        return self.infoset_features[self.tree.infoset[games]]

    def observe_all(self, games: np.ndarray) -> np.ndarray:
        """See `Simulator`."""
        return self.tree.derived(features_of_all)[self.decision[games]]

    def step(self, games: np.ndarray, units: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """See `Simulator`."""
        require_steppable(self, games, units)
        actions = self.infoset_action[self.tree.infoset[games], units]
        return self._after_chance(self.tree.first_child[games].astype(np.int64) + actions, rng)

    def payoffs(self, games: np.ndarray) -> np.ndarray:
        """See `Simulator`."""
        return self._payoffs[games]

    def kept(self, games: np.ndarray) -> np.ndarray:
        """See `Simulator`."""
        return games.copy()

    def found(self, kept: np.ndarray, count: int) -> np.ndarray:
        """See `Simulator`."""
        nodes = Array("int64", (count,), 0, len(self.tree.player) - 1)
        check_arrays("the state", {"position": kept}, {"position": nodes})
        if (self.tree.player[kept] < 0).any():
            raise RunError("the state has a table where nobody decides.")
        return kept.copy()

    def _after_chance(self, games: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        while len(moving := np.flatnonzero(self.tree.player[games] == CHANCE)):
            points = self._rank[games[moving]] + rng.random(len(moving))
            games[moving] = self._outcome[np.searchsorted(self._ends, points, side="right")]
        return games
