"""Blueprints in buckets: linear CFR in which the hands of a bucket share regrets over all boards.

A sampled blueprint draws the turn and the river of each iteration (public chance sampling: Johanson, Bard, Lanctot,
Gibson, Bowling 2012). Its values are those of all boards in expectation.
"""

from __future__ import annotations

import numpy as np

from tefuda.holdem.kernels import arrays
from tefuda.holdem.spots.compiled import CompiledSpot
from tefuda.holdem.spots.solver import METHODS, HandMethod, HandSolver
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.spots.traversal import Traversal

LINEAR = HandMethod("lcfr", METHODS["lcfr"].rule, "double")


class SharedSolver(HandSolver):
    """Linear CFR of a spot whose hands share regrets and averages by cells.

    Args:
        form: the spot, compiled without isomorphic suits.
        cell: `[stored]` cells, see `buckets.cells`.
        rng: generator of the boards of a sampled blueprint; None: all boards in each iteration.
    """

    def __init__(self, form: CompiledSpot, cell: np.ndarray, rng: np.random.Generator | None = None) -> None:
        self._cell, self._regrets_by_cell, self._rng = cell, np.zeros(int(cell.max()) + 1), rng
        super().__init__(form, LINEAR)
        if rng is not None:
            self._boards = form.form._replace(contexts=form.form.contexts.copy(), payoffs=_sampled_payoffs(form))
            self._traversal = Traversal(form, "float64", form=self._boards)

    def _iterate(self, count: int) -> None:
        rule = np.zeros((1, arrays.RULE_COLUMNS))
        rule[0, [arrays.POSITIVE, arrays.NEGATIVE, arrays.DECAY]] = 1.0  # weights grow instead
        for _ in range(count):
            self.iterations += 1
            rule[0, arrays.WEIGHT] = self.iterations
            rows = slice(None) if self._rng is None else self._draw(self._rng)
            for player in (0, 1):
                self._learn(player, rule, rows)

    def _draw(self, rng: np.random.Generator) -> np.ndarray:
        """Draw a turn and a river; return the stored numbers of their boards."""
        context, drawn = 0, [0]
        while children := self.compiled.contexts[context].children:
            child = int(rng.choice(children))
            self._boards.contexts[context, [arrays.CHILD, arrays.CHILDREN]] = child, 1
            context = child
            drawn.append(child)
        return np.concatenate([_rows(self.compiled, number, street) for street, number in enumerate(drawn)])

    def _learn(self, player: int, rule: np.ndarray, rows: np.ndarray | slice) -> None:
        """Add a player's regrets in an iteration, times its number, to those of their cells."""
        cell = self._cell[rows]
        before = self._regrets_by_cell[cell]
        self._regrets[rows] = before
        self._traversal.learn(rule, self._stored, (player,))
        new = rule[0, arrays.WEIGHT] * (self._regrets[rows] - before)
        self._regrets_by_cell += np.bincount(cell, new, len(self._regrets_by_cell))

    def average_so_far(self) -> SpotStrategy:
        return SpotStrategy(self.compiled, np.bincount(self._cell, self._sums)[self._cell])


def _rows(compiled: CompiledSpot, context: int, street: int) -> np.ndarray:
    """Return the places of a board's stored numbers."""
    starts = compiled.form.contexts[context, arrays.BASE : arrays.BASE + 2]
    actions, hands = compiled.betting.streets[street].actions, compiled.contexts[context].hands
    return np.concatenate([starts[player] + np.arange(actions[player] * len(hands[player])) for player in (0, 1)])


def _sampled_payoffs(compiled: CompiledSpot) -> np.ndarray:
    """Return the payoffs of ends, divided by the probability with which their board is drawn."""
    payoffs, context, boards = compiled.form.payoffs.copy(), 0, 1
    for street in range(len(compiled.betting.streets)):
        payoffs[:, compiled.offsets[street] : compiled.offsets[street + 1]] *= boards
        children = compiled.contexts[context].children
        boards, context = boards * len(children), children[0] if children else context
    return payoffs
