"""Push or fold before the flop, heads-up exactly; `three_players` has the game of three.

Heads-up the small blind goes all-in or folds, and the big blind calls or folds, by the linear program of `tree`. ICM
values of two players are linear in chips, so prizes change no range, and the smaller stack decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from tefuda.errors import ParameterError, check_range
from tefuda.holdem.cards import CLASS_OF
from tefuda.holdem.equities import equity
from tefuda.holdem.preflop.deals import all_deals
from tefuda.holdem.preflop.stakes import Stakes
from tefuda.holdem.preflop.three_players import ThreeWayPushFold, solve_three_players
from tefuda.holdem.preflop.tree import SEATS, class_pairs, solve_bets
from tefuda.holdem.ranges import Range
from tefuda.holdem.spots.grid import HoldemNode, RangeView
from tefuda.holdem.tournaments import number_list
from tefuda.views import short_repr
from tefuda.words import Notify

_SIZES = np.bincount(CLASS_OF)


@dataclass(frozen=True, eq=False, repr=False)
class PushFold:
    """An equilibrium of push or fold for one stack; others may exist, all with the same value.

    All amounts are in big blinds.

    Attributes:
        stack: smaller stack of both players.
        small: small blind.
        ante: ante of each player.
        value: value to the small blind, per hand.
        nash_conv: NashConv.
        push: `[169]` probability that the small blind pushes each hand class.
        call: `[169]` probability that the big blind calls with each hand class.
        stakes: stacks, blinds, ante and prizes as given.

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
    stakes: Stakes

    __repr__ = short_repr

    @property
    def values(self) -> tuple[float, ...]:
        """The value of each player, small blind first: big blinds won per hand, or the expected prize."""
        won = self.value * self.stakes.blinds[1]
        first, second = self.stakes.stacks
        return tuple(self.stakes.values((first + won, second - won)).tolist())

    @property
    def ranges(self) -> tuple[Range, Range]:
        """The ranges of pushes and of calls."""
        return Range(self.push[CLASS_OF]), Range(self.call[CLASS_OF])

    @property
    def shares(self) -> tuple[float, float]:
        """The shares of all hands that push and that call."""
        return float(self.push @ _SIZES / _SIZES.sum()), float(self.call @ _SIZES / _SIZES.sum())


#: The player to act after each line; None where the hand is over.
_LINES = {"": 0, "AllIn": 1, "Fold": None, "AllIn/Fold": None, "AllIn/Call": None}


@dataclass(frozen=True, eq=False)
class PushFoldNode(HoldemNode):
    """A line of push or fold under an equilibrium.

    The small blind is player 0; all amounts are in big blinds.

    Raises:
        ParameterError: an unknown line.

    >>> node = PushFoldNode(pushfold(10))
    >>> view = node.hands(0)
    >>> round(view.mean(view.ev) - 0.5, 6)  # less the small blind: the value
    -0.045371
    """

    solution: PushFold
    line: str = ""

    def __post_init__(self) -> None:
        if self.line not in _LINES:
            known = ", ".join(map(repr, _LINES))
            raise ParameterError(f"the lines of push or fold are {known}; got {self.line!r}.", key="line")

    @property
    def seats(self) -> tuple[str, ...]:
        return SEATS

    @property
    def indifference(self) -> float:
        return 1e-9

    @property
    def player(self) -> int | None:
        return _LINES[self.line]

    @property
    def pot(self) -> float:
        game, line = self.solution, self.line
        bets = (game.stack if line.startswith("AllIn") else game.small, game.stack if line.endswith("Call") else 1)
        return sum(bets) + 2 * game.ante

    @property
    def probability(self) -> float | None:
        """The probability of an all-in; None at other lines."""
        return self.solution.shares[0] if self.line == "AllIn" else None

    def at(self, line: str) -> PushFoldNode:
        return PushFoldNode(self.solution, line)

    @property
    def frequencies(self) -> dict[str, float]:
        if self.player is None:
            return {}
        view = self.hands()
        return dict(zip(view.actions, map(view.mean, view.shares), strict=True))

    def hands(self, player: int | None = None) -> RangeView:
        """Return the range of the small blind (0) or of the big blind (1); default: the player to act.

        EVs are big blinds won from the decision on, as in `Node`: folding has EV 0; those of the opponent are unknown.
        Equities are those against the opponent's range there.

        Raises:
            ParameterError: the hand is over.
        """
        if self.player is None:
            raise ParameterError(f"no player acts at {self.line!r}; ranges are known at decisions.", key="line")
        everything, push = Range(np.ones(len(CLASS_OF))), self.solution.push
        pushed = self.solution.ranges[0] if self.line and push.any() else everything
        player = self.player if player is None else player
        own, opponent = (pushed, everything) if player == 0 else (everything, pushed)
        if player == self.player:
            return self._acting(player, equity(everything, opponent).hands[0])
        unknown = np.full(len(CLASS_OF), np.nan)
        return RangeView(own.weights, own.weights / own.hands, unknown, equity(own, opponent).hands[0])

    def _acting(self, player: int, equities: np.ndarray) -> RangeView:
        """Return the range of the player to act; equities: `[1326]` of its hands."""
        solution, (pairs, shares) = self.solution, class_pairs()
        won, called = 1 + solution.ante, solution.stack * pairs * shares
        if player == 0:
            weights, share = pairs.sum(axis=1), solution.push
            pushed = won * pairs @ (1 - solution.call) + called @ solution.call
            evs = pushed / weights + solution.small + solution.ante
        else:
            weights, share = solution.push @ pairs, solution.call
            evs = won - solution.push @ called / np.where(weights > 0, weights, np.nan)
        best, by_hand = np.maximum(evs, 0.0), (weights / _SIZES)[CLASS_OF]
        return RangeView(
            np.ones(len(CLASS_OF)), by_hand / (by_hand.sum() or 1.0), (share * evs)[CLASS_OF], equities,
            actions=("Fold", ("AllIn", "Call")[player]), shares=np.stack([1 - share, share])[:, CLASS_OF],
            losses=np.stack([-best, evs - best])[:, CLASS_OF],
        )  # fmt: skip


@overload
def pushfold(stack: float, small: float = 0.5, ante: float = 0.0, *, payouts: Sequence[float] = ()) -> PushFold: ...
@overload
def pushfold(
    *, stacks: Sequence[float], blinds: Sequence[float] = (0.5, 1.0), ante: float = 0.0, payouts: Sequence[float] = (),
    until: float | None = None, notify: Notify = ...,
) -> PushFold | ThreeWayPushFold: ...  # fmt: skip
def pushfold(
    stack: float | None = None, small: float = 0.5, ante: float = 0.0, *, stacks: Sequence[float] | None = None,
    blinds: Sequence[float] = (0.5, 1.0), payouts: Sequence[float] = (), until: float | None = None,
    notify: Notify = lambda text: None,
) -> PushFold | ThreeWayPushFold:  # fmt: skip
    """Solve push or fold: heads-up exactly by linear programming, three players by CFR+.

    Args:
        stack: stack of each of two players in big blinds, before blinds and antes; at least a big blind and the ante.
        small: small blind with `stack`, in big blinds.
        ante: ante of each player, in the unit of the stacks.
        stacks: instead of `stack`: chips of two players (small blind, big blind) or three (button first), in any unit.
        blinds: small and big blind with `stacks`, in the same unit.
        payouts: prizes of the places, by which ICM values the chips; default: chips are won.
        until: NashConv at which to stop with three players; default: 2e-5 big blinds, or 2e-7 of all prizes.
        notify: callback for the progress of three players. Their first game takes 100 s of one core, see `deals`.

    Returns:
        The equilibrium, for three players an approximate one.

    Raises:
        ParameterError: an amount out of range, or both of `stack` and `stacks`.
    """
    if (stack is None) == (stacks is None):
        raise ParameterError(
            "push or fold needs either stack, of both players, or stacks, of each player.", key="stack"
        )
    if stack is not None:
        check_range("small", small, 0, 1, whole=False)
        check_range("ante", ante, 0, 100, whole=False)
        check_range("stack", stack, 1 + ante, 1e4, whole=False)
        stacks, blinds = (stack, stack), (small, 1.0)
    chips, both = tuple(number_list("stacks", stacks)), tuple(number_list("blinds", blinds))
    stakes = Stakes(chips, both, ante, tuple(number_list("payouts", payouts)) if len(payouts) else ())
    if len(stakes.stacks) > 2:
        return solve_three_players(all_deals(notify), stakes, until, notify=notify)
    stack, small, ante = (amount / stakes.blinds[1] for amount in (min(stakes.stacks), stakes.blinds[0], ante))
    tree = solve_bets({"AllIn": stack - ante}, stack, small, ante)
    push, call = (tree.decisions[line].shares[1] for line in ("", "AllIn"))
    return PushFold(stack, small, ante, tree.value, tree.nash_conv, push, call, stakes)
