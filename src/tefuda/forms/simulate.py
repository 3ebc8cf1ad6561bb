"""Trees as sampling reads them: records of their histories, and many games stepped at once on arrays.

Units number the actions of all infosets (`features.Units`). Dimension letters: G games, U units,
F features, P players.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any

import numpy as np

from tefuda._kernels.histories import Histories
from tefuda.errors import GameError, ParameterError, RunError, shortened
from tefuda.files import ArraySpec, check_arrays
from tefuda.forms.arrays import ranges
from tefuda.forms.features import features_of_all_players, infoset_features, infoset_units
from tefuda.forms.form import Form, Saved
from tefuda.forms.paths import require_distinct_visits
from tefuda.forms.sequence import has_perfect_recall
from tefuda.forms.tree import Tree
from tefuda.games.protocol import CHANCE
from tefuda.lazy import load_reference

_MOST = 1 << 32  # histories; records store their numbers as uint32


class Simulator(Form, ABC):
    """Base of simulators: positions `[G]` are of any type, and chance moves inside `deal` and `step`.

    source: ``"tree"``, ``"rules"``, ``"views"`` (rules whose views are encoded although they have features)
    or ``"own"`` (the compiled simulator of a game, see `Kit.simulator`).
    players, units, features: P, U and F.
    """

    representation = "simulator"
    method = "nfsp"
    source = "own"
    players: int
    units: int
    features: int

    def saved(self) -> Saved:
        return Saved({"source": self.source})

    @classmethod
    def build(cls, game: Any, saved: Saved, building: Any = None) -> Simulator:
        """See `Form`; without a source, it simulates the tree, or the rules if the tree is too large."""
        return load_reference("tefuda.forms.rules_simulator:build_simulator")(game, saved, building)

    @abstractmethod
    def deal(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Return `[G]` new games, each at its first decision, or ended if chance moves alone end it."""

    @abstractmethod
    def player(self, games: np.ndarray) -> np.ndarray:
        """Return `[G]` the player to move; TERMINAL if the game has ended."""

    @abstractmethod
    def legal(self, games: np.ndarray) -> np.ndarray:
        """Return `[G, U]` bool, the legal units of games that have not ended."""

    @abstractmethod
    def observe(self, games: np.ndarray) -> np.ndarray:
        """Return `[G, F]` float32, inputs of the player to move in games that have not ended."""

    @abstractmethod
    def observe_all(self, games: np.ndarray) -> np.ndarray:
        """Return `[G, P F']` float32, inputs of all players in turn, for games that have not ended."""

    @abstractmethod
    def step(self, games: np.ndarray, units: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return `[G]` the games after one action each and chance; see `require_steppable`."""

    @abstractmethod
    def payoffs(self, games: np.ndarray) -> np.ndarray:
        """Return `[G, P]` payoffs of ended games."""

    @abstractmethod
    def save_games(self, games: np.ndarray) -> np.ndarray:
        """Return games that have not ended as an array of numbers, for a checkpoint."""

    @abstractmethod
    def load_games(self, saved: np.ndarray, count: int) -> np.ndarray:
        """Return `[count]` the games that `save_games` saved.

        Raises:
            RunError: the array does not contain such games.
        """


_DEALS = 1000  # rounds of dealing until a game without decisions is refused


def deal_decisions(simulator: Simulator, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return `[count]` new games, each at a decision.

    Raises:
        GameError: hardly any game reaches a decision.
    """
    games = simulator.deal(count, rng)
    for _ in range(_DEALS):
        over = np.flatnonzero(simulator.player(games) < 0)
        if len(over) == 0:
            return games
        games[over] = simulator.deal(len(over), rng)
    raise GameError(f"{simulator.title} has no decisions, so there is nothing to learn.")


def require_steppable(simulator: Simulator, games: np.ndarray, units: np.ndarray) -> None:
    """Raise ParameterError for an ended game, or a number in `units` that is not a unit."""
    numbers = np.asarray(units)
    if numbers.shape != (len(games),) or not np.issubdtype(numbers.dtype, np.integer):
        raise ParameterError(f"units must be {len(games)} whole numbers, one for each game; got {shortened(units)}.")
    over, outside = simulator.player(games) < 0, (numbers < 0) | (numbers >= simulator.units)
    if over.any():
        raise ParameterError(f"game {int(over.argmax())} has ended; step only games at a decision.")
    if outside.any():
        place = int(outside.argmax())
        raise ParameterError(f"units must be 0 to {simulator.units - 1}; got {numbers[place]} for game {place}.")


class ViewSimulator(Simulator):
    """A simulator of rules without a tree.

    sees_views: network inputs follow from a player's view alone.
    """

    sees_views: bool = True

    @abstractmethod
    def encode(self, view: Hashable, row: np.ndarray) -> None:
        """Fill a zero row `[F]` with the mover's inputs by its view, or raise ParameterError."""

    @abstractmethod
    def unit_of(self, label: Hashable) -> int:
        """Return the unit of an action label."""


class TreeSimulator(Simulator):
    """A simulator of a tree; positions are the numbers of its histories.

    >>> import numpy as np
    >>> simulator = td.forms.TreeSimulator(td.compile_game(td.load_game("kuhn")))
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
        self.decision = np.cumsum(tree.player >= 0) - 1  # the place of a node among decisions
        self._payoffs = np.zeros((len(tree.player), tree.players))
        self._payoffs[tree.terminals] = tree.payoffs
        # The k-th chance node's outcomes end at k + cumulative probability, so one sorted array serves all nodes.
        nodes = np.flatnonzero(tree.player == CHANCE)
        self._rank = np.zeros(len(tree.player), dtype=np.int64)
        self._rank[nodes] = np.arange(len(nodes))
        counts = tree.child_count[nodes]
        self._outcome = ranges(tree.first_child[nodes], counts)
        ends = cumulative_probabilities(tree)[self._outcome]
        ends[np.cumsum(counts, dtype=np.int64) - 1] = 1.0
        self._ends = ends + np.repeat(np.arange(len(nodes)), counts)

    def deal(self, count: int, rng: np.random.Generator) -> np.ndarray:
        return self._after_chance(np.zeros(count, dtype=np.int64), rng)

    def player(self, games: np.ndarray) -> np.ndarray:
        return self.tree.player[games].astype(np.int64)

    def legal(self, games: np.ndarray) -> np.ndarray:
        return self.infoset_legal[self.tree.infoset[games]]

    def observe(self, games: np.ndarray) -> np.ndarray:
        return self.infoset_features[self.tree.infoset[games]]

    def observe_all(self, games: np.ndarray) -> np.ndarray:
        return self.tree.derived(features_of_all_players)[self.decision[games]]

    def step(self, games: np.ndarray, units: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        require_steppable(self, games, units)
        actions = self.infoset_action[self.tree.infoset[games], units]
        return self._after_chance(self.tree.first_child[games].astype(np.int64) + actions, rng)

    def payoffs(self, games: np.ndarray) -> np.ndarray:
        return self._payoffs[games]

    def save_games(self, games: np.ndarray) -> np.ndarray:
        return games.copy()

    def load_games(self, saved: np.ndarray, count: int) -> np.ndarray:
        nodes = ArraySpec("int64", (count,), 0, len(self.tree.player) - 1)
        check_arrays("the state", {"position": saved}, {"position": nodes})
        if (self.tree.player[saved] < 0).any():
            raise RunError("the state is damaged: a table is not at a decision.")
        return saved.copy()

    def _after_chance(self, games: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        while len(moving := np.flatnonzero(self.tree.player[games] == CHANCE)):
            points = self._rank[games[moving]] + rng.random(len(moving))
            games[moving] = self._outcome[np.searchsorted(self._ends, points, side="right")]
        return games


def traversal_histories(tree: Tree, deal: tuple[float, ...] = ()) -> Histories:
    """Return a tree as sampling traversals read it, cached.

    deal: probabilities of the root's outcomes; empty: the game's own.

    Raises:
        ParameterError: probabilities that do not fit the root.
        GameError: an infoset comes twice in a history, or there are more than 2^32 histories.
    """
    return tree.derived(_traversal_histories, tuple(deal))


def _traversal_histories(tree: Tree, deal: tuple[float, ...]) -> Histories:
    count = len(tree.player)
    if not has_perfect_recall(tree):
        require_distinct_visits(tree)
    if count >= _MOST:
        raise GameError(f"{tree.name} has {count:,} histories; traversals support at most 2^32.")
    if deal and (tree.player[0] != CHANCE or len(deal) != tree.child_count[0]):
        raise ParameterError(
            f"deal has {len(deal)} probabilities, but the root of {tree.name} is not a chance node "
            "with as many outcomes."
        )
    nodes = np.zeros((count, 4), dtype=np.uint32)
    nodes[:, 0] = tree.player + 2  # END 0, CHANCE 1, players from 2 on
    nodes[:, 1], nodes[:, 3] = tree.first_child, tree.child_count
    decisions = np.flatnonzero(tree.infoset >= 0)
    nodes[decisions, 2] = tree.first_row[tree.infoset[decisions]]
    nodes[tree.terminals, 2] = np.arange(len(tree.terminals))
    payoffs = np.array(tree.payoffs)
    return Histories(nodes, cumulative_probabilities(tree), payoffs, np.cumsum(np.array(deal, dtype=np.float64)))


def cumulative_probabilities(tree: Tree) -> np.ndarray:
    """Return `[N]` the probability of a chance outcome plus its earlier siblings', else 0."""
    cumulative = np.zeros(len(tree.player))
    for node in np.flatnonzero(tree.player == CHANCE).tolist():
        children = slice((here := tree.children(node)).start, here.stop)
        cumulative[children] = np.cumsum(chances := tree.chance[children])
        if chances[-1] == 0:  # never drawn, even if the sum is slightly below 1
            cumulative[children][np.flatnonzero(chances)[-1] :] = 1.0
    return cumulative


def longest_history(tree: Tree) -> int:
    """Return the number of moves of the longest history, chance moves included."""
    return int(tree.depth.max())
