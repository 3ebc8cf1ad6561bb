"""Depth-limited solving of a spot: its first street with values of later streets, then those streets.

At an end of the street a *value function* gives each hand of a player its value: counterfactual and centred, for the
ranges that come there, in chips times weights over `Spot.pairs`. `checked_down` assumes no further bets; `Solved`
learns the streets below for these ranges, in every iteration. In the end these streets are solved for the ranges that
come there, for each player behind the gadget of max-margin: the other's hands may not gain on their average values over
the trunk's iterations (CFR-D: Burch, Johanson, Bowling 2014). Players learn in turns: if both learn at once, ranges
swing, and values that are learned below lag behind them.

`resolving.limited` does the same over trees. No code is shared: its trunks are sequence forms with a leaf for each pair
of hands, here a node has a vector for each player. Letters: n hands of a player.
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
from tefuda.holdem.cards import CARDS, HANDS, mask_of
from tefuda.holdem.kernels import arrays
from tefuda.holdem.kernels.arrays import FOLD_0, NEXT
from tefuda.holdem.rank import MASKS, strengths
from tefuda.holdem.spots.compiled import START, CompiledSpot, compile_spot
from tefuda.holdem.spots.locks import below as locks_below
from tefuda.holdem.spots.solver import DEFAULT, HandMethod
from tefuda.holdem.spots.spot import Spot
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.spots.subgame import Behind, Picking, Ranged, discounted, insert
from tefuda.holdem.spots.tree import StreetTree

_NEVER = 1e-9  # a reach that cannot be told from round-off

#: Reaches, or values, of both players' hands.
Both = tuple[np.ndarray, np.ndarray]
#: Gives `[n]` values of a player's hands at an end of the street, from its node, both reaches, and the player.
ValueFunction = Callable[[int, Both, int], np.ndarray]
#: Makes the value function of a trunk.
Leaves = Callable[["Trunk"], ValueFunction]


@dataclass(frozen=True, eq=False)
class Trunk:
    """The first street of a spot. compiled: the whole spot."""

    compiled: CompiledSpot

    @property
    def street(self) -> StreetTree:
        """The tree of the street."""
        return self.compiled.tree.streets[0]

    @cached_property
    def ends(self) -> list[int]:
        """The nodes at which a card comes."""
        return np.flatnonzero(self.street.kind == NEXT).tolist()

    @cached_property
    def meets(self) -> np.ndarray:
        """`[n, n]` 1 for each hand of player 0 and each of player 1 that share no card, else 0."""
        one, two = (HANDS[hands] for hands in self.compiled.contexts[0].hands)
        shared = (one[:, None, :, None] == two[None, :, None, :]).any(axis=(2, 3))
        return np.where(shared, 0.0, 1.0)

    @cached_property
    def won(self) -> np.ndarray:
        """`[n, n]` probability that player 0's hand beats player 1's less that it loses, without further bets."""
        board, spot = self.compiled.spot.board, self.compiled.spot
        left = [card for card in spot.deck if card not in board]
        hands = self.compiled.contexts[0].hands
        free = [np.array([[card not in HANDS[hand] for hand in own] for card in range(CARDS)]) for own in hands]
        sums, count = np.zeros(self.meets.shape), np.zeros(self.meets.shape)
        for dealt in combinations(left, 5 - len(board)):
            mask = np.uint64(mask_of((*board, *dealt)))
            one, two = (strengths(MASKS[HANDS[own, 0]] | MASKS[HANDS[own, 1]] | mask).astype(np.int64) for own in hands)
            both = np.outer(*(np.logical_and.reduce(each[list(dealt)], axis=0) for each in free))
            sums += np.sign(one[:, None] - two[None, :]) * both
            count += both
        return self.meets * sums / np.maximum(count, 1)

    def over(self, node: int) -> bool:
        """Return whether nothing is left to bet after an end."""
        return bool(self.street.half[node] - self.compiled.spot.betting.pot / 2 >= self.compiled.spot.betting.stack)

    def below(self, node: int) -> CompiledSpot:
        """Return the spot that follows an end, starting with a card, with all hands."""
        spot, position = self.compiled.spot, self.street.position[node]
        locks = locks_below(spot.locks, "/".join(self.compiled.tree.line_of(0, node)))
        return compile_spot(replace(spot, betting=replace(spot.betting, start=position), locks=locks))

    def against(self, table: np.ndarray, ranges: Both, player: int) -> np.ndarray:
        """Return `[n]` sums over the other's range of a table `[n, n]` by hands of players 0 and 1."""
        return table @ ranges[1] if player == 0 else table.T @ ranges[0]

    def folded(self, node: int, ranges: Both, player: int) -> np.ndarray:
        """Return `[n]` values of a player's hands after a fold."""
        half, rake = self.street.half[node], self.compiled.spot.rake(self.street.half[node])
        won = -half if self.street.kind[node] == FOLD_0 + player else half - rake
        return won / self.compiled.spot.pairs * self.against(self.meets, ranges, player)


def checked_down(trunk: Trunk) -> ValueFunction:
    """Return the value function without further bets: all-in equities."""

    def values(node: int, ranges: Both, player: int) -> np.ndarray:
        rake = float(trunk.compiled.spot.rake(trunk.street.half[node]))
        won = (trunk.street.half[node] - rake / 2) * (trunk.won if player == 0 else -trunk.won)
        return trunk.against(won - rake / 2 * trunk.meets, ranges, player) / trunk.compiled.spot.pairs

    return values


@dataclass(frozen=True)
class Solved:
    """Values that are learned for the ranges that come.

    Each call lets the player learn for `iterations` more; its values are the mean over these. So the trunk and the
    streets below make one CFR over the whole spot.
    """

    iterations: int = 10
    method: HandMethod = DEFAULT

    def __post_init__(self) -> None:
        check_range("iterations", self.iterations, 1)

    def __call__(self, trunk: Trunk) -> ValueFunction:
        """See `Leaves`."""
        solvers: dict[int, Ranged] = {}

        def values(node: int, ranges: Both, player: int) -> np.ndarray:
            if node not in solvers:
                solvers[node] = Ranged(trunk.below(node), self.method)
            return solvers[node].learn(player, ranges, self.iterations)

        return values


class TrunkSolver:
    """Discounted CFR over a trunk: players learn in turns, with values of the ends from a value function.

    regrets, sums: `[actions, n]` by decision; sums of strategies, times their own reach. leaves: `[n]` by player and
    end, sums of the values of hands, with the weights that the other's strategies have in `sums`.
    """

    def __init__(self, trunk: Trunk, values: ValueFunction, method: HandMethod = DEFAULT) -> None:
        self.trunk, self.method, self.iterations = trunk, method, 0
        self.values, self.showdown = values, checked_down(trunk)
        hands, tree = trunk.compiled.contexts[0].hands, trunk.street
        decisions = np.flatnonzero(tree.kind < FOLD_0).tolist()
        shapes = {node: (int(tree.count[node]), len(hands[int(tree.kind[node])])) for node in decisions}
        self.regrets, self.sums = ({node: np.zeros(shape) for node, shape in shapes.items()} for _ in range(2))
        self.leaves = [{node: np.zeros(len(own)) for node in trunk.ends} for own in hands]
        self._weight = [0.0, 0.0]  # of all iterations in `leaves`

    def advance(self, iterations: int) -> None:
        """Run some more iterations."""
        for rule in self.method.rules(self.iterations + 1, iterations).astype(np.float64):
            for player in (0, 1):
                self._learn(player, rule)
            self.iterations += 1

    def _learn(self, player: int, rule: np.ndarray) -> None:
        """Update a player's regrets, the averages of the strategies it meets, and its values at the ends."""
        chosen = self._chosen(self.regrets)
        reach = self.reach(chosen)
        worth = self.worth(chosen, reach, player)
        for node, shares in chosen.items():
            if self.trunk.street.kind[node] == player:
                children = np.stack([worth[child] for child in self.trunk.street.children(node)])
                self.regrets[node] = discounted(self.regrets[node] + children - worth[node], rule)
            else:
                self.sums[node] *= rule[arrays.DECAY]
                self.sums[node] += rule[arrays.WEIGHT] * shares * reach[node][1 - player]
        for node, sums in self.leaves[player].items():
            sums *= rule[arrays.DECAY]
            sums += rule[arrays.WEIGHT] * worth[node]
        self._weight[player] = self._weight[player] * rule[arrays.DECAY] + rule[arrays.WEIGHT]

    def mean_worth(self, node: int, player: int) -> np.ndarray:
        """Return `[n]` mean values of a player's hands at an end, against the other's average."""
        return self.leaves[player][node] / self._weight[player]

    def average(self) -> dict[int, np.ndarray]:
        """Return the average strategy at each decision, `[actions, n]`."""
        return self._chosen(self.sums)

    def _chosen(self, sums: dict[int, np.ndarray]) -> dict[int, np.ndarray]:
        locked = self.trunk.compiled.locked
        return {node: locked(START._replace(node=node), match_regrets(one, axis=0)) for node, one in sums.items()}

    def reach(self, chosen: dict[int, np.ndarray]) -> list[Both]:
        """Return at each node the reach of both players' hands, weights included."""
        tree, found = self.trunk.street, [self.trunk.compiled.weights]
        for node in range(1, len(tree.kind)):
            above = int(tree.parent[node])
            one, two = found[above]
            shares = chosen[above][node - int(tree.first[above])]
            found.append((one * shares, two) if tree.kind[above] == 0 else (one, two * shares))
        return found

    def worth(self, chosen: dict[int, np.ndarray], reach: list[Both], player: int) -> list[np.ndarray]:
        """Return at each node `[n]` counterfactual values of a player's hands."""
        tree, found = self.trunk.street, [np.zeros(0)] * len(self.trunk.street.kind)
        for node in range(len(tree.kind) - 1, -1, -1):
            kind = int(tree.kind[node])
            if kind == NEXT:
                function = self.showdown if self.trunk.over(node) else self.values
                found[node] = function(node, reach[node], player)
            elif kind >= FOLD_0:
                found[node] = self.trunk.folded(node, reach[node], player)
            else:
                children = np.stack([found[child] for child in tree.children(node)])
                found[node] = (chosen[node] * children if kind == player else children).sum(axis=0)
        return found


def look_ahead(
    spot: Spot,
    leaves: Leaves = checked_down,
    *,
    iterations: int = 200,
    below: int = 400,
    safe: bool = True,
    method: HandMethod = DEFAULT,
) -> SpotStrategy:
    """Solve a spot by depth-limited solving at the end of its first street.

    Args:
        spot: from the flop or the turn on.
        leaves: makes the value function: `checked_down`, `Solved(iterations)`, or your own.
        iterations: iterations of the first street.
        below: iterations of the streets below each of its ends, for each player.
        safe: whether the streets below are solved by max-margin, or trust the other's range.
        method: method of all streets.

    Raises:
        ParameterError: a spot from the river on, or max-margin with a rake, which makes it void.

    >>> from tefuda.holdem.spots.solver import evaluated
    >>> from tefuda.holdem import make_spot
    >>> turn = make_spot("2c2d2h3c", 100, 100, "AA,QQ", "KK", "a", "a")
    >>> nash_conv = [evaluated(look_ahead(turn, one, iterations=100))[1] for one in (checked_down, Solved(20))]
    >>> nash_conv[1] < nash_conv[0]
    True
    """
    check_range("iterations", iterations, 1)
    check_range("below", below, 1)
    if spot.street == RIVER:
        raise ParameterError("looking ahead wants a spot from flop or turn on; the river has no street behind it.")
    if spot.rake_rate and safe:
        raise ParameterError(
            "with a rake the game is not zero-sum, and max-margin promises nothing; believe the ranges: safe=False, "
            "--how unsafe."
        )
    trunk = Trunk(compile_spot(spot))
    solver = TrunkSolver(trunk, leaves(trunk), method)
    solver.advance(iterations)
    chosen = solver.average()
    reach, whole, sums = solver.reach(chosen), trunk.compiled, np.zeros(trunk.compiled.stored)
    for node, shares in chosen.items():
        sums[whole.block(0, 0, node)] = shares.ravel()
    for node in trunk.ends:
        if not trunk.over(node):
            for player in (0, 1):
                opening = _opening(trunk, player, reach[node][player], solver.mean_worth(node, 1 - player))
                solved = _behind(trunk.below(node), player, reach[node], opening if safe else None, below, method)
                insert(solved, (player,), sums, whole, START._replace(node=node))
    return SpotStrategy(whole, sums)


def _opening(trunk: Trunk, player: int, own: np.ndarray, worth: np.ndarray) -> Picking | None:
    """Return the choice of the other player among hands that the player's may meet, at their values."""
    meets = (own @ trunk.meets if player == 0 else trunk.meets @ own) > _NEVER
    return Picking(trunk.compiled.weights[1 - player], worth, meets) if meets.any() else None


def _behind(
    compiled: CompiledSpot, player: int, ranges: Both, opening: Picking | None, iterations: int, method: HandMethod
) -> SpotStrategy:
    """Return a player's solution of a spot with its range, behind an opening or trusting the other's range."""
    solver = Ranged(compiled, method) if opening is None else Behind(compiled, method, player, opening)
    solver.weigh(ranges)
    solver.advance(iterations)
    return solver.average()
