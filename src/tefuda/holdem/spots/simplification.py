"""Spots with one or two bet sizes at each node, and the loss that this costs.

A node keeps the sizes with which its player loses the least EV, all else equal. Frequencies in the solution of all
sizes say little about it: the most frequent size may be among the worst alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import ParameterError, check_range
from tefuda.holdem.betting import FLOP, Action, BettingState, NodeSizes, Size, line_text
from tefuda.holdem.kernels.arrays import FOLD_0
from tefuda.holdem.ranges import Range, compatible_weights
from tefuda.holdem.spots.solver import DEFAULT, HandMethod
from tefuda.holdem.spots.spot import PLAYERS, Spot
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.solvers.runs.solution import Solution
from tefuda.solvers.runs.solving import solve
from tefuda.words import Notify

_ALL = 1000  # actions on a street, at most
_MOST_ITERATIONS = 20_000  # with a rake, exploitability may stay above the goal
_RARE = 1e-4  # ranges that reach a node more rarely are noise of the solver
_UNTIL = (0.3, 0.1, 0.01)  # default goals by street: a solution of a river takes .1 s, of a turn a minute


@dataclass(frozen=True)
class SizeChoice:
    """The sizes that a node keeps.

    Attributes:
        node: line and sizes of the node.
        player: player to act.
        losses: EV that the player loses by each choice of sizes, in chips whenever the node is reached.
        chosen: the choice with the smallest loss.
        pot: pot at the node.
        probability: probability of reaching the node.
    """

    node: NodeSizes
    player: int
    losses: Mapping[tuple[str, ...], float]
    chosen: tuple[str, ...]
    pot: int
    probability: float

    @property
    def loss(self) -> float:
        """The loss of the sizes chosen, in chips whenever the node is reached."""
        return self.losses[self.chosen]


@dataclass(frozen=True, eq=False)
class SimplifiedSizes:
    """A spot with few sizes at each node.

    Attributes:
        spot: the simplified spot.
        choices: the sizes of each node that had more, those of player 0 first, parents before children.
        losses: EV that each player loses by its own sizes in the whole spot, in chips; the sizes of player 0 face all
            sizes of player 1, whose sizes face those that player 0 keeps.
        exploitabilities: exploitability in percent of the starting pot with all sizes, with those that player 0 keeps,
            and with those that both keep. Losses are about as exact.
    """

    spot: Spot
    choices: tuple[SizeChoice, ...]
    losses: tuple[float, float]
    exploitabilities: tuple[float, float, float]

    def summary(self) -> dict[str, Any]:
        """Return all figures as JSON values, with the simplified spot as arguments of `make_spot`."""
        nodes = [
            {
                "line": "/".join(choice.node.line), "player": PLAYERS[choice.player], "chosen": list(choice.chosen),
                "loss": choice.loss, "pot": choice.pot, "probability": choice.probability,
                "losses": [{"sizes": list(names), "loss": loss} for names, loss in choice.losses.items()],
            }
            for choice in self.choices
        ]  # fmt: skip
        return {
            "nodes": nodes, "losses": list(self.losses), "pot": self.spot.betting.pot,
            "exploitabilities_percent": list(self.exploitabilities), "spot": self.spot.texts(),
        }  # fmt: skip


@dataclass(frozen=True)
class _Settings:
    """The number of sizes, the goal of each solution, the last depth, threads, and progress."""

    sizes: int
    until: float
    method: HandMethod
    depth: int
    threads: int
    notify: Notify

    def solve(self, spot: Spot) -> Solution[SpotStrategy]:
        return solve(spot, self.method, until=self.until, iterations=_MOST_ITERATIONS, workers=self.threads)


class _Visit(NamedTuple):
    """A node: its line in the spot, its line in a solution, the probability of the solution's root."""

    way: tuple[str, ...]
    solution: Solution[SpotStrategy]
    line: str
    probability: float


def simplify_sizes(
    spot: Spot,
    sizes: int = 1,
    *,
    until: float | None = None,
    depth: int | None = None,
    method: HandMethod = DEFAULT,
    workers: int = 1,
    notify: Notify = lambda words: None,
) -> SimplifiedSizes:
    """Leave one or two sizes at each node of a spot's first street: those that cost the least EV.

    From the root on, one player at a time, the game below each node is solved with each choice of sizes and all sizes
    below; the ranges are those that reach the node after the choices before. At the end the spot is solved once more.

    Args:
        spot: spot without locks. The sizes of later streets stay: simplify them as spots of their own.
        sizes: largest number of sizes at a node.
        until: exploitability of each solution in percent of its pot; losses are about as exact. Default: 0.3 on the
            flop, 0.1 on the turn, 0.01 on the river.
        depth: number of actions before the last nodes that are simplified. Default: 1 on the flop, else all.
        method: method of the solutions.
        workers: number of threads.
        notify: progress in words.

    Returns:
        The simplified spot, the losses of all choices, and those of both players.

    Raises:
        ParameterError: a value is out of range, or the spot has locks.

    >>> from tefuda.holdem import make_spot
    >>> spot = make_spot("2c2d2h3c3d", 100, 100, "AA,QQ", "KK", "20,60,a", "a")
    >>> simplify_sizes(spot, until=0.1).choices[0].chosen
    ('AllIn(100)',)
    """
    check_range("sizes", sizes, 1, 2)
    until = _UNTIL[spot.street] if until is None else until
    depth = (1 if spot.street == FLOP else _ALL) if depth is None else depth
    check_range("until", until, 1e-6, 100, whole=False)
    check_range("depth", depth, 0, _ALL)
    if spot.locks:
        raise ParameterError("locks may name sizes that a simplified spot lacks; simplify the spot without locks.")
    settings = _Settings(sizes, until, method, depth, workers, notify)
    notify("all sizes")
    solutions, choices = [settings.solve(spot)], list[SizeChoice]()
    for player in (0, 1):
        own = list(_choose(_Visit((), solutions[-1], "", 1.0), player, settings))
        spot, choices = _with_sizes(spot, [choice.node for choice in own]), choices + own
        notify(f"sizes chosen by {' and '.join(PLAYERS[: player + 1])}")
        solutions.append(settings.solve(spot) if own else solutions[-1])
    first, second = (
        before.values[player] - after.values[player] for player, (before, after) in enumerate(pairwise(solutions))
    )
    full, middle, both = (solution.evaluation.figure for solution in solutions)
    return SimplifiedSizes(spot, tuple(choices), (first, second), (full, middle, both))


def _with_sizes(spot: Spot, nodes: Iterable[NodeSizes]) -> Spot:
    """Return a spot with other sizes at some nodes; sizes at lines that do not exist then are dropped."""
    start = spot.betting.start or BettingState(spot.street)
    by_line = {node.line: node for node in (*start.at, *nodes)}
    betting = replace(spot.betting, start=start._replace(at=()))
    return replace(spot, betting=betting.with_nodes(sorted(by_line.values(), key=lambda node: len(node.line))))


def _choose(visit: _Visit, player: int, settings: _Settings) -> Iterator[SizeChoice]:
    """Yield the choice at a node and at each node below it at which a player has more sizes."""
    strategy = visit.solution.strategy
    address = strategy.find(visit.line)
    if address.street or strategy.compiled.kind(address) >= FOLD_0:
        return
    position = strategy.compiled.position(address)
    actions, highest = strategy.compiled.spot.betting.actions(position), max(position.amounts)
    bets = [action for action in actions if action.amount > highest]
    if position.player == player and len(bets) > settings.sizes and len(visit.way) <= settings.depth:
        choice, visit = _choose_at(visit, position, bets, settings)
        yield choice
    below = visit.solution.strategy.compiled
    for name in below.choices(below.find(visit.line)):
        line = f"{visit.line}/{name}" if visit.line else name
        yield from _choose(visit._replace(way=(*visit.way, name), line=line), player, settings)


def _choose_at(
    visit: _Visit, position: BettingState, bets: list[Action], settings: _Settings
) -> tuple[SizeChoice, _Visit]:
    """Return the choice at a node, and the node in the solution of this choice."""
    spot, probability = _spot_at(visit, position)
    player, highest = position.player, max(position.amounts)
    settings.notify(f"{PLAYERS[player]} at {line_text(visit.way)}: all sizes")
    full = settings.solve(spot) if visit.line else visit.solution
    losses, best, chosen, node = dict[tuple[str, ...], float](), full, tuple[str, ...](), NodeSizes((), ())
    for actions in combinations(bets, settings.sizes):
        names = tuple(map(str, actions))
        settings.notify(f"{PLAYERS[player]} at {line_text(visit.way)}: {', '.join(names)}")
        sizes = NodeSizes(visit.way, tuple(_size(action, highest) for action in actions), only=True)
        solution = settings.solve(_with_sizes(spot, [sizes._replace(line=())]))
        losses[names] = full.values[player] - solution.values[player]
        if not chosen or losses[names] < losses[chosen]:
            best, chosen, node = solution, names, sizes
    choice = SizeChoice(node, player, losses, chosen, spot.betting.chips(position)[0], probability)
    return choice, _Visit(visit.way, best, "", probability)


def _size(action: Action, highest: int) -> Size:
    """Return the size of a bet or a raise, in chips."""
    return Size(1.0, "a") if action.name == "AllIn" else Size(float(action.amount - highest), "c")


def _spot_at(visit: _Visit, position: BettingState) -> tuple[Spot, float]:
    """Return the game below a node, and the probability of reaching the node.

    Its ranges are those that reach the node. A node that is hardly reached has the ranges that reach the node before.
    """
    strategy, line = visit.solution.strategy, visit.line
    spot = strategy.compiled.spot
    reach, share = _reach(strategy, line)
    probability = visit.probability * share
    while share < _RARE:
        line = line.rpartition("/")[0]
        reach, share = _reach(strategy, line)
    ranges = Range(reach[0] / reach[0].max()), Range(reach[1] / reach[1].max())
    return replace(spot, ranges=ranges, betting=replace(spot.betting, start=position)), probability


def _reach(strategy: SpotStrategy, line: str) -> tuple[tuple[np.ndarray, np.ndarray], float]:
    """Return `SpotStrategy.reach` and the probability of reaching a line."""
    first, second = strategy.reach(line)
    return (first, second), float(first @ compatible_weights(second)) / strategy.compiled.spot.pairs
