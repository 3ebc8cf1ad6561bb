"""A street of a hand that a player re-solves, from its start, with all amounts that were bet on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tefuda.errors import ParameterError
from tefuda.holdem.betting import Betting, BettingState, NodeSizes, Size, Street
from tefuda.holdem.cards import mask_of
from tefuda.holdem.hands.hand import CALL
from tefuda.holdem.hands.rules import Wagers
from tefuda.holdem.players.budget import Budget, StreetSizes
from tefuda.holdem.players.weights import HandWeights
from tefuda.holdem.ranges import Range, compatible_weights
from tefuda.holdem.rank import SETS
from tefuda.holdem.spots.compiled import CompiledSpot
from tefuda.holdem.spots.locks import Lock
from tefuda.holdem.spots.spot import Spot
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.spots.subgame import compile_root, resolve_root

#: Fallbacks of re-solving: the known strategy stays, the clock stopped, no sizes fit the budget.
STAYED, LATE, TOO_LARGE = "strategy so far", "clock", "too large to re-solve"
_SLACK = 1e-3  # share of the pot by which the CFR-D gadget lowers alternative payoffs
Shares = Mapping[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class StreetRoot:
    """The start of a turn or river as it is played.

    Attributes:
        player: player who re-solves.
        weights: ranges of both players, and the board.
        pot: chips in the pot.
        stack: chips behind of the shorter stack.
        cap: maximum number of bets and raises on a street; 0: no maximum.
        known: function that returns the strategy so far of the compiled spot.
    """

    player: int
    weights: HandWeights
    pot: int
    stack: int
    cap: int
    known: Callable[[CompiledSpot], SpotStrategy]

    @cached_property
    def opponent_range(self) -> Range:
        """The range of the opponent; all hands if it has none beside those of the player."""
        reach = self.weights.weights[1 - self.player]
        met = (reach * compatible_weights(self.weights.weights[self.player])).any()
        return Range(reach) if met else self.all_hands

    @cached_property
    def all_hands(self) -> Range:
        """The hands that the board allows."""
        return Range(((SETS & np.uint64(mask_of(self.weights.board))) == 0).astype(np.float64))

    def spot(self, sizes: StreetSizes, nodes: Sequence[NodeSizes] = (), locks: Sequence[Lock] = ()) -> Spot:
        """Return the spot in which the opponent has all hands."""
        board = self.weights.board
        start = BettingState(len(board) - 3, at=tuple(nodes))
        betting = Betting(self.pot, self.stack, (Street(), *sizes), self.cap, start=start)
        own = self.weights.range_of(self.player)
        ranges = (own, self.all_hands) if self.player == 0 else (self.all_hands, own)
        return Spot(board, betting, ranges, locks=tuple(locks))


class StreetPlay:
    """A street that a player re-solves when it acts, and again after bets that the solution does not have.

    Each solution starts at the root, behind the same gadget and values. The player's own earlier decisions are locked.

    Args:
        root: start of the street.
        sizes: bet sizes.
        budget: budget of a decision.
        gadget: see `spots.subgame.resolve_street`.
        played: function from probabilities `[actions, hands]` to those that are played.
        fallbacks: counts fallbacks by name.
    """

    def __init__(
        self,
        root: StreetRoot,
        sizes: StreetSizes,
        budget: Budget,
        gadget: str,
        played: Callable[[np.ndarray], np.ndarray],
        fallbacks: Counter[str],
    ) -> None:
        self.root, self.sizes, self.budget, self.gadget = root, sizes, budget, gadget
        self.parts: list[str] = []
        self._played, self._fallbacks = played, fallbacks
        self._bets: list[NodeSizes] = []
        self._decisions: dict[int, Shares] = {}  # the player's probabilities by number of parts
        self._solution: SpotStrategy | None = None
        self._limits: np.ndarray | None = None

    def follow(self, before: Wagers, token: str) -> None:
        """Add an action to the line; a fold ends the hand."""
        if before.mover == self.root.player:
            self.decision()
        most = min(bet + stack for bet, stack in zip(before.bets, before.stacks, strict=True))
        highest = min(max(before.bets), most)
        if token == CALL:
            self.parts.append("Call" if before.bets[0] != before.bets[1] else "Check")
            return
        amount = min(int(token[1:]), most)
        self._bets.append(self._bet(highest, amount))
        self.parts.append(f"{'AllIn' if amount == most else 'Raise' if highest else 'Bet'}({amount})")

    def fork(self) -> StreetPlay:
        """Return the street with a line of its own from here on; solutions so far are shared."""
        twin = copy(self)
        twin.parts, twin._bets, twin._decisions = [*self.parts], [*self._bets], {**self._decisions}
        return twin

    def _bet(self, highest: int, amount: int) -> NodeSizes:
        return NodeSizes(tuple(self.parts), (Size(amount - highest, "c"),))

    def decision(self) -> Shares:
        """Return `[1326]` the player's probabilities of each action; nan for hands outside its range."""
        number = len(self.parts)
        if number not in self._decisions:
            self._decisions[number] = self.shares(self.solution(), self.line)
        return self._decisions[number]

    def shares(self, solution: SpotStrategy, line: str) -> Shares:
        """Return `[1326]` probabilities of each action at a line of a solution; the player's as played."""
        shares = solution.probabilities(line)
        if solution.player(line) != self.root.player:
            return shares
        return dict(zip(shares, self._played(np.stack(list(shares.values()))), strict=True))

    @property
    def line(self) -> str:
        """The line so far."""
        return "/".join(self.parts)

    def solution(self, listed: Sequence[tuple[int, int]] = ()) -> SpotStrategy:
        """Return a solution that has the line so far.

        Args:
            listed: highest amount and amount of bets that the solution must have too at the end of the line.
        """
        wanted = [self._bet(*amounts) for amounts in listed]
        if self._solution is None or not self._has(self._solution, wanted):
            self._solution = self._solve(wanted)
        return self._solution

    def _has(self, solution: SpotStrategy, wanted: Sequence[NodeSizes]) -> bool:
        try:
            address = solution.find(self.line)
        except ParameterError:
            return False
        position = solution.compiled.position(address)
        amounts = {action.amount for action in solution.compiled.spot.betting.actions(position)}
        return all(max(position.amounts) + int(node.sizes[0].number) in amounts for node in wanted)

    def _solve(self, wanted: Sequence[NodeSizes]) -> SpotStrategy:
        late, nodes = self.budget.clock(), _merged([*self._bets, *wanted])
        compiled = compile_root(self.root.spot(self.sizes, nodes, self._locks()), self.root.opponent_range)
        resolution = resolve_root(
            self.root.known(compiled),
            self.root.player,
            self.root.opponent_range,
            self.gadget,
            limits=self._limits,
            iterations=self.budget.iterations(compiled.spot),
            slack=_SLACK * self.root.pot,
            late=late,
        )
        self._limits = resolution.before
        self._fallbacks[STAYED] += not resolution.accepted
        self._fallbacks[LATE] += late()
        return resolution.strategy

    def _locks(self) -> list[Lock]:
        """Return the player's earlier decisions on the line; a size that was rounded for the table is renamed."""
        locks = []
        for number, shares in self._decisions.items():
            if number < len(self.parts):
                taken = {action: np.nan_to_num(share) for action, share in shares.items()}
                if (part := self.parts[number]) not in taken:
                    taken[part] = taken.pop(nearest_part(part, list(taken)))
                locks.append(Lock("/".join(self.parts[:number]), taken))
        return locks

    def end(self) -> tuple[HandWeights, str]:
        """Return the ranges after the street, and its line in the last solution."""
        solution, weights, line = self.solution() if self._solution is None else self._solution, self.root.weights, ""
        for part in self.parts:
            shares = self.shares(solution, line)
            part = part if part in shares else nearest_part(part, list(shares))
            weights = weights.after_action(solution.player(line), shares[part], self._fallbacks)
            line = f"{line}/{part}" if line else part
        return weights, line


def _merged(nodes: Sequence[NodeSizes]) -> list[NodeSizes]:
    """Return the sizes at nodes, with all sizes of a node together."""
    by_line: dict[tuple[str, ...], NodeSizes] = {}
    for node in nodes:
        before = by_line.get(node.line, node)
        by_line[node.line] = node._replace(sizes=tuple(dict.fromkeys((*before.sizes, *node.sizes))))
    return list(by_line.values())


def nearest_part(part: str, known: Sequence[str]) -> str:
    """Return the action of a kind nearest to a part of a line, by its amount."""
    amounts = {name: amount_of(name) for name in known if ("(" in name) == ("(" in part)}
    return min(amounts or dict.fromkeys(known, 0), key=lambda name: abs(amount_of(name) - amount_of(part)))


def amount_of(part: str) -> int:
    """Return the amount of an action such as ``Bet(50)``; 0 without one."""
    return int(part.partition("(")[2].rstrip(")") or 0)
