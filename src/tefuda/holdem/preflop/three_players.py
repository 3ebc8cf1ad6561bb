"""Push or fold of three players, solved by CFR+ over hand classes.

The button pushes or folds, then the blinds call, push or fold: six decisions, with a probability for each class.
With the share of deals W and the frequencies F of orders (`deals`), the payoff of classes (i, j, k) on a line is

    W(i, j, k) times the sum over orders of F(order | i, j, k) payoff(line, order)

Letters: n classes, D = 6 decisions. A line is a triple of 0 (fold) and 1 (all-in), by player.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations, product

import numpy as np

from tefuda.errors import check_range
from tefuda.holdem.cards import CLASS_OF, CLASSES
from tefuda.holdem.preflop.deals import ORDERS, Deals
from tefuda.holdem.preflop.stakes import Stakes
from tefuda.holdem.ranges import Range
from tefuda.views import short_repr
from tefuda.words import Notify, non_negative

Line = tuple[int, int, int]

#: The decisions, in the order of `ThreeWayPushFold.strategy`.
DECISIONS = (
    "BTN pushes", "SB calls BTN", "SB pushes", "BB calls BTN and SB", "BB calls BTN", "BB calls SB",
)  # fmt: skip
#: Decisions by the actions before them, and those of each player.
_DECISION_AFTER = {(): 0, (1,): 1, (0,): 2, (1, 1): 3, (1, 0): 4, (0, 1): 5}
_OWN = ((0,), (1, 2), (3, 4, 5))
#: The players, each of them first once.
_OWN_FIRST = ((0, 1, 2), (1, 0, 2), (2, 0, 1))
_LINES: tuple[Line, ...] = tuple(line for line in product((0, 1), repeat=3) if line != (0, 0, 1))  # type: ignore[misc]
_CHECKED = 25  # iterations between two evaluations
_DECIMALS = 3  # of probabilities, so that pure decisions are 0 and 1
_UNTIL = 2e-5  # NashConv in big blinds, or in percent of the prizes


@dataclass(frozen=True, eq=False, repr=False)
class ThreeWayPushFold:
    """An approximate equilibrium of push or fold of button (BTN), small blind (SB) and big blind (BB).

    Values of other equilibria may differ. NashConv is exact in the game of the sampled orders of strength.

    Attributes:
        stakes: stacks, blinds, ante and prizes.
        values: value of each player: big blinds won per hand, or the expected prize.
        nash_conv: NashConv, in the same unit.
        iterations: iterations of CFR+.
        strategy: `[6, 169]` probability to go all-in with each hand class, by decision (`DECISIONS`).
    """

    stakes: Stakes
    values: tuple[float, ...]
    nash_conv: float
    iterations: int
    strategy: np.ndarray  # [6, 169] float64

    __repr__ = short_repr

    @property
    def ranges(self) -> tuple[Range, ...]:
        """The range of each decision."""
        return tuple(Range(row[CLASS_OF]) for row in self.strategy)

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of all hands that each decision goes all-in with."""
        return tuple((self.strategy[:, CLASS_OF].mean(axis=1)).tolist())


def decision_of(player: int, line: Line) -> int | None:
    """Return the number of a player's decision on a line; None if all fold to the big blind."""
    return _DECISION_AFTER.get(line[:player])


class ThreeWayGame:
    """Payoffs of three players by line, player and classes, and values of strategies `[D, n]` in them."""

    def __init__(self, deals: Deals, stakes: Stakes) -> None:
        size = len(deals.classes)
        self.shares = deals.weights / deals.weights.sum()
        self._one_left = {line: stakes.payoffs(line, (0, 0, 0)) for line in _LINES if sum(line) < 2}
        self._showdowns = {line: np.zeros((3, size, size, size)) for line in _LINES if sum(line) > 1}
        frequencies = deals.orders / np.maximum(deals.orders.sum(axis=1, keepdims=True), 1)
        for seats in permutations(range(3)):  # the player in seat s has the class of this rank in the triple
            classes = deals.triples[:, seats].T
            for line, payoffs in self._showdowns.items():
                by_order = np.stack([stakes.payoffs(line, levels) for levels in ORDERS[:, seats].tolist()])
                for player, values in enumerate((frequencies @ by_order).T):
                    payoffs[player][tuple(classes[list(_OWN_FIRST[player])])] = values
        for payoffs in self._showdowns.values():
            payoffs *= self.shares  # which are the same in any order of players

    def action_values(self, strategy: np.ndarray, player: int) -> tuple[np.ndarray, float]:
        """Return `[D, 2, n]` values of a player's actions, and the value where it has no decision.

        Both are times the reach of the others.
        """
        size = len(self.shares)
        values, undecided = np.zeros((len(DECISIONS), 2, size)), 0.0
        for line in _LINES:
            _, one, two = _OWN_FIRST[player]
            others = np.outer(_probability(strategy, one, line), _probability(strategy, two, line)).ravel()
            if line in self._one_left:
                value = self.shares.reshape(size, -1) @ others * self._one_left[line][player]
            else:
                value = self._showdowns[line][player].reshape(size, -1) @ others
            if (decision := decision_of(player, line)) is None:
                undecided += float(value.sum())
            else:
                values[decision, line[player]] += value
        return values, undecided

    def evaluate(self, strategy: np.ndarray) -> tuple[tuple[float, ...], float]:
        """Return the value of each player and NashConv."""
        values, gains = [], 0.0
        for player in range(3):
            by_action, undecided = self.action_values(strategy, player)
            own = float(_expected(by_action, strategy).sum())
            values.append(own + undecided)
            gains += float(by_action.max(axis=1).sum()) - own
        return tuple(values), gains


def _probability(strategy: np.ndarray, player: int, line: Line) -> np.ndarray:
    """Return `[n]` probabilities of a player's action on a line."""
    if (decision := decision_of(player, line)) is None:
        return np.ones(strategy.shape[1])
    return strategy[decision] if line[player] else 1 - strategy[decision]


def _expected(values: np.ndarray, strategy: np.ndarray) -> np.ndarray:
    """Return `[D, n]` values of a strategy from values `[D, 2, n]` of its actions."""
    return values[:, 0] * (1 - strategy) + values[:, 1] * strategy


def solve_three_players(
    deals: Deals, stakes: Stakes, until: float | None = None, iterations: int = 10_000,
    notify: Notify = lambda text: None,
) -> ThreeWayPushFold:  # fmt: skip
    """Solve by CFR+ with alternating updates and linear averages (Tammelin 2014).

    The reported strategy, with its values and NashConv, is the average rounded to three decimals.

    Args:
        deals: deals of the deck.
        stakes: stakes of three players.
        until: NashConv at which to stop, in the unit of the payoffs; default: 2e-5 big blinds, or 2e-7 of all prizes.
        iterations: number of iterations at which to stop.
        notify: callback for progress messages.

    Raises:
        ParameterError: `until` or `iterations` is out of range.
    """
    goal = _UNTIL * (sum(stakes.payouts) / 100 if stakes.payouts else 1) if until is None else until
    check_range("until", goal, 0, whole=False)
    check_range("iterations", iterations, 1)
    notify("payoffs of all deals")
    game = ThreeWayGame(deals, stakes)
    size = len(deals.classes)
    regrets, current = np.zeros((len(DECISIONS), 2, size)), np.full((len(DECISIONS), size), 0.5)
    average = current.copy()
    for iteration in range(1, iterations + 1):
        for player, own in enumerate(map(list, _OWN)):
            values, _ = game.action_values(current, player)
            expected = _expected(values, current)
            regrets[own] = np.maximum(regrets + values - expected[:, None], 0)[own]
            total = regrets.sum(axis=1)
            current[own] = np.divide(regrets[:, 1], total, out=np.full(total.shape, 0.5), where=total > 0)[own]
        average += (current - average) * (2 / (iteration + 1))
        if iteration % _CHECKED == 0 or iteration == iterations:
            rounded = np.round(average, _DECIMALS)
            evs, nash_conv = game.evaluate(rounded)
            notify(f"{iteration:,} iterations, NashConv {non_negative(nash_conv)}, until {goal:.3g}")
            if nash_conv <= goal:
                break
    strategy = np.zeros((len(DECISIONS), len(CLASSES)))
    strategy[:, deals.classes] = rounded
    return ThreeWayPushFold(stakes, evs, nash_conv, iteration, strategy)
