"""Turns of a spot re-solved from a blueprint, and the least that re-solving them can reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tefuda.holdem.cards import card_text
from tefuda.holdem.kernels import arrays
from tefuda.holdem.ranges import compatible_weights
from tefuda.holdem.spots.comparison import compare_strategies
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.locks import Lock
from tefuda.holdem.spots.solver import METHODS, HandMethod, HandSolver, evaluate_strategy
from tefuda.holdem.spots.spot import Spot
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.spots.subgame import StreetResolution, resolve_street, translate_solution
from tefuda.workers import ProgressFunction

_PRECISE = HandMethod("dcfr-3", METHODS["dcfr-3"].rule, "double")


def exploitability(strategy: SpotStrategy) -> float:
    """Return NashConv / 2 in percent of the pot."""
    return 50 * evaluate_strategy(strategy)[1] / strategy.compiled.spot.betting.pot


def turn_roots(strategy: SpotStrategy) -> list[str]:
    """Return the lines of all turns of a flop with chips behind."""
    spot, tree = strategy.compiled.spot, strategy.compiled.betting.streets[0]
    ends = [node for node in range(len(tree.kind)) if tree.kind[node] == arrays.NEXT]
    lines = ["/".join(tree.line_of(node)) for node in ends if spot.betting.chips(tree.position[node])[1]]
    return [f"{line}/{card_text(card)}" for line in lines for card in spot.deck if card not in spot.board]


def resolve_turns(
    blueprint: SpotStrategy, gadget: str, iterations: int, progress: ProgressFunction
) -> list[StreetResolution]:
    """Re-solve all turns with chips behind for both players; two for each of `turn_roots`."""
    tasks, found = [(line, player) for line in turn_roots(blueprint) for player in (0, 1)], list[StreetResolution]()
    for line, player in tasks:
        found.append(resolve_street(blueprint, line, player, gadget, iterations=iterations))
        progress(len(found), len(tasks))
    return found


def root_exploitabilities(blueprint: SpotStrategy, turns: Sequence[StreetResolution]) -> tuple[np.ndarray, np.ndarray]:
    """Return `[roots, 2]` exploitabilities from each turn root on, and `[roots]` weights by reach.

    The exploitabilities are those of the blueprint and of the re-solved strategies, in chips.
    """
    found, weights = list[tuple[float, float]](), list[float]()
    for first, second in zip(turns[::2], turns[1::2], strict=True):
        root, reach = blueprint.spot_after(first.line), blueprint.reach(first.line)
        before = translate_solution(blueprint, compile_spot(root), first.line)
        found.append(compare_strategies(root, before, (first.strategy, second.strategy)).exploitability)
        weights.append(float(reach[0] @ compatible_weights(reach[1])))
    return np.array(found), np.array(weights)


def floor(blueprint: SpotStrategy, iterations: int) -> float:
    """Return the exploitability of the blueprint's flop with an equilibrium of everything below."""
    below = _solve(replace(blueprint.compiled.spot, locks=_flop_locks(blueprint, (0, 1))), iterations)
    return exploitability(_with_flop(below, blueprint))


def least(blueprint: SpotStrategy, iterations: int) -> float:
    """Return the least exploitability with the blueprint's flop.

    Each player's turns and rivers also answer deviations of the opponent on the flop.
    """
    sums = np.zeros(blueprint.compiled.stored)
    split = int(blueprint.compiled.form.contexts[0, arrays.BASE + 1])
    for player, own in ((0, slice(None, split)), (1, slice(split, None))):
        locks = _flop_locks(blueprint, (player,))
        sums[own] = _solve(replace(blueprint.compiled.spot, locks=locks), iterations).sums[own]
    return exploitability(_with_flop(SpotStrategy(blueprint.compiled, sums), blueprint))


def _solve(spot: Spot, iterations: int) -> SpotStrategy:
    solver = HandSolver(compile_spot(spot, isomorphism=False), _PRECISE)
    solver.advance(iterations)
    return solver.average()


def _flop_locks(strategy: SpotStrategy, players: Sequence[int]) -> tuple[Lock, ...]:
    """Return the strategies of players on the first street as locks."""
    tree, locks = strategy.compiled.betting.streets[0], list[Lock]()
    for node in np.flatnonzero(np.isin(tree.kind, players)).tolist():
        line = "/".join(tree.line_of(node))
        locks.append(Lock(line, {name: np.nan_to_num(own) for name, own in strategy.probabilities(line).items()}))
    return tuple(locks)


def _with_flop(below: SpotStrategy, blueprint: SpotStrategy) -> SpotStrategy:
    """Return the strategies of the first street of a blueprint, followed by others."""
    compiled, sums = blueprint.compiled, below.sums.copy()
    actions, (start, *_) = compiled.betting.streets[0].actions, compiled.form.contexts
    for player in (0, 1):
        first = int(start[arrays.BASE + player])
        rows = slice(first, first + actions[player] * int(start[arrays.SIZE + player]))
        sums[rows] = blueprint.sums[rows]
    return SpotStrategy(compiled, sums)
