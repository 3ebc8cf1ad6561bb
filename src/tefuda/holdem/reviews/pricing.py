"""Expected values and costs of the actions that were played in a spot, with an interval for each cost.

Costs are not unique: equilibria with equal values may answer an unused action in different ways. The interval comes
from further solutions:

- Two in which the hand plays the action with a probability that is a little higher, or lower, than its strategy says.
  The opponent then answers the action as badly, or as well, as an equilibrium can for this hand.
- Two in which the opponent's range is a fifth narrower, or wider.

Values of the hand are those of its best play after the action, against the opponent's average strategy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tefuda.errors import ParameterError
from tefuda.holdem.betting import RIVER
from tefuda.holdem.cards import HANDS, hand_number, read_cards
from tefuda.holdem.kernels import arrays
from tefuda.holdem.reviews.ranges import resized
from tefuda.holdem.spots.compiled import CompiledSpot, compile_spot
from tefuda.holdem.spots.size import SpotSize
from tefuda.holdem.spots.solver import DEFAULT, HandMethod
from tefuda.holdem.spots.spot import Spot
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.suits import permute_hands
from tefuda.solvers.runs.solving import solve

#: Share of the pot: a cost is a certain mistake if the lower end of its interval is above it.
CERTAIN = 0.01
_SHIFT = 0.01  # share of the player's range that a hand's shift weighs; chosen on R1 and R3 (docs/hands.md)
_TREMBLE = 0.002  # share of a line's actions in all hands, where a solution does not play the line
_RARE = 1e-3  # share of a range below which a line counts as not played
_RESIZED = (0.8, 1.2)  # sizes of the opponent's range
_GOALS = (0.5, 0.3, 0.1)  # percent of the pot to which flops, turns and rivers are solved
_SMALL, _EXACT = 5_000, 1e-3  # stored numbers of a spot that is solved to this percentage of the pot
_LEAST = 0.01  # percent of the pot by which the ends of intervals are moved outwards, or the exploitability if larger
_MOST = 20_000  # iterations
_MORE = 4  # iterations of a further solution of a river, as a multiple

Forced = dict[str, tuple[np.ndarray, np.ndarray]]  # by line: factors `[1326]` of the strategy; `[actions, 1326]` added


def goal_of(street: int, size: SpotSize) -> float:
    """Return the exploitability to which a spot is solved, in percent of the pot; small ones more exactly."""
    return _EXACT if size.stored < _SMALL else _GOALS[street]


@dataclass(frozen=True)
class Decision:
    """Decision to price: its line, the action played, and the hand of the player to act."""

    line: str
    action: str
    hand: str


def price(
    spot: Spot, decisions: Sequence[Decision], until: float, method: HandMethod = DEFAULT
) -> list[dict[str, Any]]:
    """Return the figures of decisions along one line of a spot.

    Args:
        spot: spot with all actions played.
        decisions: decisions in the order of the line.
        until: exploitability to solve to, in percent of the pot.
        method: method of solving.

    Returns:
        For each decision `evs` by action in chips (folding is 0), `cost`, `interval` of the cost (None unless the cost
        is above 1 % of the pot), `frequency` of the action, `best` action, `pot`, `exploitability` in percent of the
        starting pot, and `forced`: whether the solution does not play the line unless it is forced to.

    Raises:
        ParameterError: a line, an action or a hand is impossible in the spot.
        SizeError: the spot is too large.
    """
    solver = _Pricing(spot, decisions, until, method)
    return [solver.figures(decision) for decision in decisions]


class _Pricing:
    """Solutions of one spot."""

    def __init__(self, spot: Spot, decisions: Sequence[Decision], until: float, method: HandMethod) -> None:
        self.method, self.compiled = method, compile_spot(spot)
        for decision in decisions:
            _require(self.compiled, decision)
        self.forced: Forced = {}
        self.solution = solve(self.compiled, method, until=until, iterations=_MOST)
        if not all(_is_played(self.strategy, decision) for decision in decisions):
            last = decisions[-1]
            self.forced = _forced_line(self.compiled, last)
            compiled = with_forced(self.compiled, self.forced)
            self.solution = solve(compiled, method, until=until, iterations=self.solution.iterations)

    @property
    def strategy(self) -> SpotStrategy:
        assert isinstance(self.solution.strategy, SpotStrategy)
        return self.solution.strategy

    def figures(self, decision: Decision) -> dict[str, Any]:
        """Return the figures of a decision."""
        evs = best_evs(self.strategy, decision)
        cost, node = _cost(evs, decision), self.compiled.find(decision.line)
        pot = self.compiled.spot.betting.chips(self.compiled.position(node))[0]
        shares = self.strategy.probabilities(decision.line)
        hand = _hand(decision)
        interval = None
        if cost > CERTAIN * pot:
            costs = [cost, *(_cost(best_evs(other, decision), decision) for other in self._others(decision))]
            slack = max(self.solution.evaluation.figure, _LEAST) / 100 * self.compiled.spot.betting.pot
            interval = [max(0.0, min(costs) - slack), max(costs) + slack]
        return {
            "evs": evs, "cost": cost, "interval": interval, "frequency": float(shares[decision.action][hand]),
            "best": max(evs, key=lambda name: evs[name]), "pot": pot, "forced": bool(self.forced),
            "exploitability": float(self.solution.evaluation.figure),
        }  # fmt: skip

    def _others(self, decision: Decision) -> Iterator[SpotStrategy]:
        """Yield the further solutions for a decision, one at a time: a flop fills the memory."""
        spot, hand, player = self.compiled.spot, _hand(decision), self.compiled.kind(self.compiled.find(decision.line))
        share = spot.weights[player][hand] / spot.weights[player].sum()
        shift = min(1.0, _SHIFT / share)
        games = [with_forced(self.compiled, self._shifted(decision, hand, sign * shift)) for sign in (1, -1)]
        for factor in _RESIZED:
            opponent = resized(spot.ranges[1 - player], spot.ranges[player], spot.board, factor)
            ranges = (opponent, spot.ranges[1]) if player else (spot.ranges[0], opponent)
            try:
                games.append(with_forced(compile_spot(replace(spot, ranges=ranges)), self.forced))
            except ParameterError:  # the narrower range shares a card with every hand
                continue
        iterations = self.solution.iterations * (_MORE if spot.street == RIVER else 1)
        for game in games:
            strategy = solve(game, self.method, iterations=iterations).strategy
            assert isinstance(strategy, SpotStrategy)
            yield strategy

    def _shifted(self, decision: Decision, hand: int, shift: float) -> Forced:
        """Return the forced strategies with a part of a hand's strategy moved to the action played."""
        names = list(self.compiled.choices(self.compiled.find(decision.line)))
        free, added = self.forced.get(decision.line, (np.ones(len(HANDS)), np.zeros((len(names), len(HANDS)))))
        free, added = free.copy(), added.copy()
        free[hand] -= shift
        added[names.index(decision.action), hand] += shift
        return self.forced | {decision.line: (free, added)}


def _hand(decision: Decision) -> int:
    return hand_number(*read_cards(decision.hand))


def _require(compiled: CompiledSpot, decision: Decision) -> None:
    """Raise ParameterError unless a decision is possible in a spot."""
    address = compiled.find(decision.line)
    if decision.action not in compiled.choices(address):
        allowed = ", ".join(compiled.choices(address)) or "none"
        raise ParameterError(f"{decision.action} is not an action at {decision.line or 'the root'!r}: {allowed}.")
    if not compiled.spot.weights[compiled.kind(address)][_hand(decision)] > 0:
        raise ParameterError(f"{decision.hand} is not in the range of the player to act.")


def _cost(evs: Mapping[str, float], decision: Decision) -> float:
    return max(evs.values()) - evs[decision.action]


def _is_played(strategy: SpotStrategy, decision: Decision) -> bool:
    """Return whether hands of both players reach a decision, and some hand takes the action."""
    compiled, reach = strategy.compiled, strategy.reach(decision.line)
    player = compiled.kind(compiled.find(decision.line))
    after = reach[player] * np.nan_to_num(strategy.probabilities(decision.line)[decision.action])
    shares = (
        after.sum() / compiled.spot.weights[player].sum(),
        reach[1 - player] / compiled.spot.weights[1 - player].sum(),
    )
    return bool(shares[0] > _RARE and shares[1].sum() > _RARE)


def best_evs(strategy: SpotStrategy, decision: Decision) -> dict[str, float]:
    """Return the chips that a hand wins by each action with its best play afterwards."""
    values = strategy.action_evs(decision.line, arrays.BEST)
    hand = _hand(decision)
    return {action: float(evs[hand]) for action, evs in values.items()}


def _forced_line(compiled: CompiledSpot, last: Decision) -> Forced:
    """Return strategies in which all hands take the actions of a line with a small probability."""
    parts = [*(last.line.split("/") if last.line else []), last.action]
    forced: Forced = {}
    for number, part in enumerate(parts):
        line = "/".join(parts[:number])
        names = list(compiled.choices(compiled.find(line)))
        if part in names:
            added = np.zeros((len(names), len(HANDS)))
            added[names.index(part)] = _TREMBLE
            forced[line] = np.full(len(HANDS), 1 - _TREMBLE), added
    return forced


def with_forced(compiled: CompiledSpot, forced: Forced) -> CompiledSpot:
    """Return a compiled spot in which strategies are multiplied by factors and have numbers added.

    A hand and those that are isomorphic to it there get the same numbers.
    """
    if not forced:
        return compiled
    numbers = {}
    for line, (factors, added) in forced.items():
        address = compiled.find(line)
        context, player = compiled.contexts[address.context], compiled.kind(address)
        moved = np.empty((1 + len(added), len(HANDS)))
        moved[:, permute_hands(address.suits)] = np.vstack([factors - 1, added])
        images = np.stack([moved[:, permute_hands(permutation)] for permutation in context.group])
        largest = np.take_along_axis(images, abs(images).argmax(axis=0)[None], axis=0)[0]
        largest[0] += 1
        numbers[int(compiled.offsets[address.street]) + address.node, address.context] = largest[
            :, context.hands[player]
        ]
    return compiled.with_locked(numbers)
