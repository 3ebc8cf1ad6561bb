"""How what is below a cut is valued: exactly, or by a value function that is asked in every iteration.

The third way, plans among which the opponent chooses, is in continuations.py.

Dimension letters: Q sequences of a lookahead's form, A seats of a player at its cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from tefuda.errors import check_range
from tefuda.playing.searching import advance_within
from tefuda.resolving.limited.equilibria import seat_values
from tefuda.resolving.limited.iteration import Iteration, Seats, ValueFunction, joined
from tefuda.resolving.limited.lookahead import Lookahead
from tefuda.resolving.limited.planes import enclose
from tefuda.solvers.exact.cfr import CFR_PLUS, Method


class Found(NamedTuple):
    """What was made of a lookahead.

    plans: `[Q]` of both players. worth: of both players `[A]`, what the other's plan leaves each seat at the cut,
    counterfactual. both: whether both players' plans are as good as can be, not only that of who asked.
    """

    plans: np.ndarray  # [Q]
    worth: Seats
    both: bool = True


class Leaves(Protocol):
    """A way to value what is below a cut.

    >>> [name for name in dir(Leaves) if not name.startswith("_")]
    ['look']
    """

    name: str

    def look(self, ahead: Lookahead, player: int, seconds: float | None = None) -> Found:
        """Solve a lookahead.

        Args:
            ahead: what is looked at.
            player: whose plan is wanted; the other's may be left as it is.
            seconds: the time there is; as much as it takes if left out.
        """


@dataclass(frozen=True)
class ExactLeaves:
    """Nothing is lost by looking only so far: both players' programs, bounded by planes below the cut (planes.py).

    Args:
        tolerance: how far the bounds may be apart, in parts of the largest payoff.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> round(td.depth_limited(tree, 1, td.ExactLeaves(1e-12)).nash_conv, 9)
    0.0
    """

    tolerance: float = 1e-10
    name = "exact"

    def __post_init__(self) -> None:
        check_range("tolerance", self.tolerance, 0, 1, whole=False)

    def look(self, ahead: Lookahead, player: int, seconds: float | None = None) -> Found:
        """See `Leaves`."""
        found = enclose(ahead, tolerance=self.tolerance, seconds=seconds)
        each = [seat_values(region, plans) for region, plans in zip(ahead.trunk.below, found.below, strict=True)]
        return Found(found.plans, joined(each))


@dataclass(frozen=True)
class ValuedLeaves:
    """Regret minimisation over the trunk, its leaves valued by a function: a network, or one's own.

    Args:
        function: what is asked.
        iterations: of each lookahead.
        method: a member of the CFR family.

    >>> leaves = td.ValuedLeaves(td.ExactValues(), iterations=20)
    >>> td.depth_limited(td.compile_game(td.load_game("kuhn")), 1, leaves).lookaheads
    8
    """

    function: ValueFunction
    iterations: int = 1000
    method: Method = CFR_PLUS
    name = "values"

    def __post_init__(self) -> None:
        check_range("iterations", self.iterations, 1)

    def look(self, ahead: Lookahead, player: int, seconds: float | None = None) -> Found:
        """See `Leaves`; fewer iterations if the time is over, one at least."""
        search = Iteration(ahead, self.function, self.method)
        search.advance(1 + self.method.delay)
        advance_within(search.advance, max(0, self.iterations - search.iterations), seconds)
        return Found(search.plans(), search.worth())
