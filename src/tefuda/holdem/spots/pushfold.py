"""Heads-up push or fold before the flop.

The small blind goes all-in or folds; the big blind calls or folds.

The linear program over the 169 hand classes has exact equities and card removal. With p(i) the probability to push
class i and P(i, j) that of both classes, maximise

    sum over i of P(i) (1 - p(i)) (-small - ante)  +  sum over j of u(j)
    u(j) <= sum over i of P(i, j) p(i) (big + ante)                     class j folds
    u(j) <= sum over i of P(i, j) p(i) stack (2 equity(i, j) - 1)       class j calls

The multipliers of the last rows are the probabilities that class j calls.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tefuda.errors import SolverError, check_range
from tefuda.holdem.cards import CLASS_OF
from tefuda.holdem.equities import class_equities, equity
from tefuda.holdem.ranges import Range
from tefuda.holdem.spots.grid import RangeView
from tefuda.views import short_repr

_SIZES = np.bincount(CLASS_OF)


@dataclass(frozen=True, eq=False, repr=False)
class PushFold:
    """An equilibrium of push or fold for one stack; others may exist, all with the same value.

    All amounts are in big blinds.

    Attributes:
        stack: stack of each player.
        small: small blind.
        ante: ante of each player.
        value: value to the small blind, per hand.
        nash_conv: NashConv.
        push: `[169]` probability that the small blind pushes each hand class.
        call: `[169]` probability that the big blind calls with each hand class.

    >>> round(pushfold(10).value, 6)
    -0.045371
    """

    stack: float
    small: float
    ante: float
    value: float
    nash_conv: float
    push: np.ndarray  # [169] float64
    call: np.ndarray  # [169] float64

    __repr__ = short_repr

    @property
    def ranges(self) -> tuple[Range, Range]:
        """The ranges of pushes and of calls."""
        return Range(self.push[CLASS_OF]), Range(self.call[CLASS_OF])

    def range_view(self, player: int) -> RangeView:
        """Return the range of the small blind (0), who pushes or folds, or of the big blind (1).

        EVs are big blinds won from the decision on, as in `Node`: folding has EV 0. Equities are those against the
        opponent's range there.

        >>> round(pushfold(10).range_view(0).mean("ev") - 0.5, 6)  # less the small blind
        -0.045371
        """
        game, share = Payoffs(self.stack, self.small, self.ante), (self.push, self.call)[player]
        if player == 0:
            weights = game.chance
            evs = (game.folded @ (1 - self.call) + game.called @ self.call) / weights + game.lost
        else:
            weights = self.push @ game.folded / (1 + self.ante)
            evs = 1 + self.ante - (self.push @ game.called) / np.where(weights > 0, weights, np.nan)
        everything = Range(np.ones(len(CLASS_OF)))
        opponent = everything if player == 0 or not self.push.any() else self.ranges[0]
        best, action = np.maximum(evs, 0.0), ("AllIn", "Call")[player]
        figures = {
            "ev": share * evs, "share Fold": 1 - share, f"share {action}": share, "loss Fold": -best,
            f"loss {action}": evs - best,
        }  # fmt: skip
        by_hand = {name: values[CLASS_OF] for name, values in figures.items()}
        by_hand["equity"] = equity(everything, opponent).hands[0]
        hand_weights = (weights / _SIZES)[CLASS_OF]
        reach = np.ones(len(CLASS_OF))
        return RangeView((), reach, hand_weights / (hand_weights.sum() or 1.0), by_hand, ("Fold", action))

    def opponent_view(self, player: int) -> RangeView:
        """Return the opponent's range at a player's decision, without EVs; see `range_view`."""
        everything = Range(np.ones(len(CLASS_OF)))
        own = self.ranges[0] if player == 1 and self.push.any() else everything
        figures = {"ev": np.full(len(CLASS_OF), np.nan), "equity": equity(own, everything).hands[0]}
        return RangeView((), own.weights, own.weights / own.hands, figures)

    @property
    def shares(self) -> tuple[float, float]:
        """The shares of all hands that push and that call."""
        return float(self.push @ _SIZES / _SIZES.sum()), float(self.call @ _SIZES / _SIZES.sum())


def pushfold(stack: float, small: float = 0.5, ante: float = 0.0) -> PushFold:
    """Solve push or fold exactly by linear programming.

    Args:
        stack: stack of each player in big blinds, before blinds and antes; at least a big blind and the ante.
        small: small blind, in big blinds.
        ante: ante of each player, in big blinds.

    Returns:
        The equilibrium.

    Raises:
        ParameterError: an amount out of range.
    """
    check_range("small", small, 0, 1, whole=False)
    check_range("ante", ante, 0, 100, whole=False)
    check_range("stack", stack, 1 + ante, 1e4, whole=False)
    game = Payoffs(stack, small, ante)
    push, call = _program(game)
    return PushFold(stack, small, ante, game.value(push, call), game.nash_conv(push, call), push, call)


class Payoffs:
    """Payoffs `[169, 169]` of pushes that are `folded` to or `called`, times the classes' probability.

    chance: `[169]` probability of the small blind's class. lost: loss of the small blind if it folds.
    """

    def __init__(self, stack: float, small: float = 0.5, ante: float = 0.0) -> None:
        wins, _, totals = class_equities()
        pairs = totals / totals.sum()
        shares = np.where(totals > 0, (wins - wins.T) / np.maximum(totals, 1), 0.0)
        self.chance, self.lost = pairs.sum(axis=1), small + ante
        self.folded, self.called = pairs * (1 + ante), pairs * stack * shares

    def value(self, push: np.ndarray, call: np.ndarray) -> float:
        """Return the value of strategies to the small blind."""
        pushed = self.folded @ (1 - call) + self.called @ call
        return float(push @ pushed - self.lost * self.chance @ (1 - push))

    def nash_conv(self, push: np.ndarray, call: np.ndarray) -> float:
        """Return the gain of both best responses."""
        best = np.maximum(self.folded @ (1 - call) + self.called @ call, -self.lost * self.chance).sum()
        least = np.minimum(push @ self.folded, push @ self.called).sum() - self.lost * self.chance @ (1 - push)
        return float(best - least)


def _program(game: Payoffs) -> tuple[np.ndarray, np.ndarray]:
    """Return `[169]` the probabilities of pushes and of calls."""
    from scipy.optimize import linprog

    size, scale = len(game.chance), game.chance.mean()  # scaled so that all rows have the same magnitude
    cost = np.concatenate([-game.chance * game.lost, -np.ones(size)]) / scale  # of p, then of u; to minimise
    rows = np.block([[-game.folded.T, np.eye(size)], [-game.called.T, np.eye(size)]]) / scale
    bounds = [(0, 1)] * size + [(None, None)] * size
    options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    solution = linprog(cost, rows, np.zeros(2 * size), bounds=bounds, method="highs", options=options)
    if solution.status != 0:
        raise SolverError(f"HiGHS found no optimum of push or fold: {solution.message}.")
    return np.clip(solution.x[:size], 0, 1), np.clip(-solution.ineqlin.marginals[size:], 0, 1)
