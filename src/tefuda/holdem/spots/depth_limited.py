"""Depth-limited solving of a spot: the first street with leaf values, then the later streets.

At an end of the street a *value function* gives each hand of a player a value: counterfactual and centred, for the
ranges that reach the end, in chips times weights over `Spot.pairs`. `equity_values` assumes no further bets.
`SolvedValues` learns the streets below for these ranges in every iteration. After the first street, each end's later
streets are solved for the ranges that reach it, for each player below the max-margin gadget: the opponent's hands may
not gain on their average values over the trunk's iterations (CFR-D: Burch, Johanson, Bowling 2014).

Players learn in turns. If both learned at once, ranges would oscillate, and values learned below would lag behind them.

`resolving.limited` does the same over trees. No code is shared: its trunks are sequence forms with a leaf for each pair
of hands, whereas a node here has a vector for each player. Letter: n hands of a player.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from tefuda.errors import ParameterError, check_range
from tefuda.evaluating.regret import match_regrets
from tefuda.holdem.betting import RIVER
from tefuda.holdem.cards import mask_of
from tefuda.holdem.kernels import arrays
from tefuda.holdem.kernels.arrays import FOLD_0, NEXT
from tefuda.holdem.rank import SETS, strengths
from tefuda.holdem.spots.compiled import START, CompiledSpot, compile_spot
from tefuda.holdem.spots.locks import locks_below
from tefuda.holdem.spots.solver import DEFAULT, HandMethod
from tefuda.holdem.spots.spot import Spot
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.spots.subgame import GadgetSolver, MaxMarginHandGadget, RangeSolver, discount, insert
from tefuda.holdem.spots.tree import StreetTree

_MIN_REACH = 1e-9  # smaller reaches are round-off

#: Reaches, or values, of both players' hands.
PlayerVectors = tuple[np.ndarray, np.ndarray]
#: Takes the node of an end, both reaches and a player; returns `[n]` values of the player's hands.
ValueFunction = Callable[[int, PlayerVectors, int], np.ndarray]
#: Makes the value function of a trunk.
LeafEvaluator = Callable[["StreetTrunk"], ValueFunction]


@dataclass(frozen=True, eq=False)
class StreetTrunk:
    """The first street of a spot; `compiled` is the whole spot."""

    compiled: CompiledSpot

    @property
    def street(self) -> StreetTree:
        """The tree of the street."""
        return self.compiled.betting.streets[0]

    @cached_property
    def ends(self) -> list[int]:
        """The nodes at which the next card is dealt."""
        return np.flatnonzero(self.street.kind == NEXT).tolist()

    @cached_property
    def compatible(self) -> np.ndarray:
        """`[n, n]` 1 for each hand of player 0 and each of player 1 that share no card, else 0."""
        first, second = (SETS[hands] for hands in self.compiled.contexts[0].hands)
        return ((first[:, None] & second) == 0).astype(np.float64)

    @cached_property
    def advantage(self) -> np.ndarray:
        """`[n, n]` probability that player 0's hand beats player 1's less that it loses, without further bets."""
        board, spot = self.compiled.spot.board, self.compiled.spot
        remaining = [card for card in spot.deck if card not in board]
        hands = [SETS[own] for own in self.compiled.contexts[0].hands]
        sums, count = np.zeros(self.compatible.shape), np.zeros(self.compatible.shape)
        for dealt in combinations(remaining, 5 - len(board)):
            mask = np.uint64(mask_of((*board, *dealt)))
            first, second = (strengths(own | mask).astype(np.int64) for own in hands)
            possible = np.outer(*((own & mask) == 0 for own in hands))
            sums += np.sign(first[:, None] - second[None, :]) * possible
            count += possible
        return self.compatible * sums / np.maximum(count, 1)

    def is_all_in(self, node: int) -> bool:
        """Return whether no chips are left to bet after an end."""
        return bool(self.street.half[node] - self.compiled.spot.betting.pot / 2 >= self.compiled.spot.betting.stack)

    def spot_below(self, node: int) -> CompiledSpot:
        """Return the spot that follows an end, starting with a card, with all hands."""
        spot, position = self.compiled.spot, self.street.position[node]
        locks = locks_below(spot.locks, "/".join(self.street.line_of(node)))
        return compile_spot(replace(spot, betting=replace(spot.betting, start=position), locks=locks))

    def sum_over_opponent(self, table: np.ndarray, ranges: PlayerVectors, player: int) -> np.ndarray:
        """Return `[n]` sums over the opponent's range of a table `[n, n]` by hands of players 0 and 1."""
        return table @ ranges[1] if player == 0 else table.T @ ranges[0]

    def fold_values(self, node: int, ranges: PlayerVectors, player: int) -> np.ndarray:
        """Return `[n]` values of a player's hands after a fold."""
        half, rake = self.street.half[node], self.compiled.spot.rake(self.street.half[node])
        payoff = -half if self.street.kind[node] == FOLD_0 + player else half - rake
        return payoff / self.compiled.spot.pairs * self.sum_over_opponent(self.compatible, ranges, player)


def equity_values(trunk: StreetTrunk) -> ValueFunction:
    """Return the value function without further bets: all-in equities."""

    def values(node: int, ranges: PlayerVectors, player: int) -> np.ndarray:
        rake = float(trunk.compiled.spot.rake(trunk.street.half[node]))
        payoff = (trunk.street.half[node] - rake / 2) * (trunk.advantage if player == 0 else -trunk.advantage)
        table = payoff - rake / 2 * trunk.compatible
        return trunk.sum_over_opponent(table, ranges, player) / trunk.compiled.spot.pairs

    return values


@dataclass(frozen=True)
class SolvedValues:
    """Values from CFR over the later streets, for the ranges that reach them.

    Each call runs more iterations for the player. The values are the means over these iterations. So the trunk and the
    streets below form one CFR over the whole spot.

    Args:
        iterations: iterations of each call.
        method: method of the later streets.
    """

    iterations: int = 10
    method: HandMethod = DEFAULT

    def __post_init__(self) -> None:
        check_range("iterations", self.iterations, 1)

    def __call__(self, trunk: StreetTrunk) -> ValueFunction:
        solvers: dict[int, RangeSolver] = {}

        def values(node: int, ranges: PlayerVectors, player: int) -> np.ndarray:
            if node not in solvers:
                solvers[node] = RangeSolver(trunk.spot_below(node), self.method)
            return solvers[node].learn(player, ranges, self.iterations)

        return values


class TrunkSolver:
    """Discounted CFR over a trunk: players learn in turns, with values of the ends from a value function.

    regrets, sums: `[actions, n]` by decision; sums of strategies, times the player's own reach. leaves: `[n]` by player
    and end, sums of the values of hands, with the weights that the opponent's strategies have in `sums`.
    """

    def __init__(self, trunk: StreetTrunk, values: ValueFunction, method: HandMethod = DEFAULT) -> None:
        self.trunk, self.method, self.iterations = trunk, method, 0
        self.values, self.showdown = values, equity_values(trunk)
        hands, tree = trunk.compiled.contexts[0].hands, trunk.street
        decisions = np.flatnonzero(tree.kind < FOLD_0).tolist()
        shapes = {node: (int(tree.count[node]), len(hands[int(tree.kind[node])])) for node in decisions}
        self.regrets, self.sums = ({node: np.zeros(shape) for node, shape in shapes.items()} for _ in range(2))
        self.leaves = [{node: np.zeros(len(own)) for node in trunk.ends} for own in hands]
        self._weight = [0.0, 0.0]  # of all iterations in `leaves`

    def advance(self, iterations: int) -> None:
        """Run a number of iterations."""
        for rule in self.method.rules(self.iterations + 1, iterations).astype(np.float64):
            for player in (0, 1):
                self._learn(player, rule)
            self.iterations += 1

    def _learn(self, player: int, rule: np.ndarray) -> None:
        """Update a player's regrets, the opponent's average strategy, and the player's values at the ends."""
        strategies = self._strategies(self.regrets)
        reach = self.reach(strategies)
        values = self.node_values(strategies, reach, player)
        for node, shares in strategies.items():
            if self.trunk.street.kind[node] == player:
                children = np.stack([values[child] for child in self.trunk.street.children(node)])
                self.regrets[node] = discount(self.regrets[node] + children - values[node], rule)
            else:
                self.sums[node] *= rule[arrays.DECAY]
                self.sums[node] += rule[arrays.WEIGHT] * shares * reach[node][1 - player]
        for node, sums in self.leaves[player].items():
            sums *= rule[arrays.DECAY]
            sums += rule[arrays.WEIGHT] * values[node]
        self._weight[player] = self._weight[player] * rule[arrays.DECAY] + rule[arrays.WEIGHT]

    def mean_values(self, node: int, player: int) -> np.ndarray:
        """Return `[n]` mean values of a player's hands at an end, against the opponent's average strategy."""
        return self.leaves[player][node] / self._weight[player]

    def average(self) -> dict[int, np.ndarray]:
        """Return the average strategy at each decision, `[actions, n]`."""
        return self._strategies(self.sums)

    def _strategies(self, sums: dict[int, np.ndarray]) -> dict[int, np.ndarray]:
        lock = self.trunk.compiled.apply_locks
        return {node: lock(START._replace(node=node), match_regrets(own, axis=0)) for node, own in sums.items()}

    def reach(self, strategies: dict[int, np.ndarray]) -> list[PlayerVectors]:
        """Return at each node the reach of both players' hands, weights included."""
        tree, reaches = self.trunk.street, [self.trunk.compiled.weights]
        for node in range(1, len(tree.kind)):
            above = int(tree.parent[node])
            first, second = reaches[above]
            shares = strategies[above][node - int(tree.first[above])]
            reaches.append((first * shares, second) if tree.kind[above] == 0 else (first, second * shares))
        return reaches

    def node_values(
        self, strategies: dict[int, np.ndarray], reach: list[PlayerVectors], player: int
    ) -> list[np.ndarray]:
        """Return at each node `[n]` counterfactual values of a player's hands."""
        tree, values = self.trunk.street, [np.zeros(0)] * len(self.trunk.street.kind)
        for node in range(len(tree.kind) - 1, -1, -1):
            kind = int(tree.kind[node])
            if kind == NEXT:
                function = self.showdown if self.trunk.is_all_in(node) else self.values
                values[node] = function(node, reach[node], player)
            elif kind >= FOLD_0:
                values[node] = self.trunk.fold_values(node, reach[node], player)
            else:
                children = np.stack([values[child] for child in tree.children(node)])
                values[node] = (strategies[node] * children if kind == player else children).sum(axis=0)
        return values


def depth_limited(
    spot: Spot,
    leaves: LeafEvaluator = equity_values,
    *,
    iterations: int = 200,
    below: int = 400,
    safe: bool = True,
    method: HandMethod = DEFAULT,
) -> SpotStrategy:
    """Solve a spot by depth-limited solving, with the depth limit at the end of its first street.

    Args:
        spot: spot that starts on the flop or the turn.
        leaves: makes the value function: `equity_values`, `SolvedValues(iterations)`, or your own.
        iterations: iterations of the first street.
        below: iterations of the streets below each of its ends, for each player.
        safe: whether the streets below are solved with the max-margin gadget; else the opponent's range is trusted.
        method: method of all streets.

    Returns:
        The strategies of the whole spot.

    Raises:
        ParameterError: the spot starts on the river, or `safe` with a rake, which voids the guarantee of max-margin.

    >>> from tefuda.holdem.spots.solver import evaluate_strategy
    >>> from tefuda.holdem import make_spot
    >>> turn = make_spot("2c2d2h3c", 100, 100, "AA,QQ", "KK", "a", "a")
    >>> solutions = [depth_limited(turn, leaves, iterations=100) for leaves in (equity_values, SolvedValues(20))]
    >>> nash_conv = [evaluate_strategy(solution)[1] for solution in solutions]
    >>> nash_conv[1] < nash_conv[0]
    True
    """
    check_range("iterations", iterations, 1)
    check_range("below", below, 1)
    if spot.street == RIVER:
        raise ParameterError("depth-limited solving needs a spot that starts on the flop or the turn, got the river.")
    if spot.rake_rate and safe:
        raise ParameterError(
            "with a rake the game is not zero-sum, so max-margin guarantees nothing; trust the ranges: safe=False, "
            "--gadget unsafe."
        )
    trunk = StreetTrunk(compile_spot(spot))
    solver = TrunkSolver(trunk, leaves(trunk), method)
    solver.advance(iterations)
    strategies = solver.average()
    reach, whole, sums = solver.reach(strategies), trunk.compiled, np.zeros(trunk.compiled.stored)
    for node, shares in strategies.items():
        sums[whole.block(0, 0, node)] = shares.ravel()
    for node in trunk.ends:
        if not trunk.is_all_in(node):
            for player in (0, 1):
                gadget = _gadget(trunk, player, reach[node][player], solver.mean_values(node, 1 - player))
                spot_below = trunk.spot_below(node)
                solution = _solve_below(spot_below, player, reach[node], gadget if safe else None, below, method)
                insert(solution, (player,), sums, whole, START._replace(node=node))
    return SpotStrategy(whole, sums)


def _gadget(trunk: StreetTrunk, player: int, own: np.ndarray, values: np.ndarray) -> MaxMarginHandGadget | None:
    """Return the max-margin gadget of the opponent's hands that are compatible with the player's range."""
    compatible = (own @ trunk.compatible if player == 0 else trunk.compatible @ own) > _MIN_REACH
    weights = trunk.compiled.weights[1 - player]
    return MaxMarginHandGadget(weights, values, compatible) if compatible.any() else None


def _solve_below(
    compiled: CompiledSpot,
    player: int,
    ranges: PlayerVectors,
    gadget: MaxMarginHandGadget | None,
    iterations: int,
    method: HandMethod,
) -> SpotStrategy:
    """Return a player's solution of a spot below a gadget, or with the opponent's range trusted."""
    solver = RangeSolver(compiled, method) if gadget is None else GadgetSolver(compiled, method, player, gadget)
    solver.set_ranges(ranges)
    solver.advance(iterations)
    return solver.average()
