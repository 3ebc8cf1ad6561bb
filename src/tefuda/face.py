"""All strategies from which next to nothing can be won, and the likeliest of them after what was seen.

In a two-player constant-sum game they are a face of the treeplex, or with a margin a polytope around it: the plans y
that are worth at least v - margin against the best reply. A hand has a probability that is linear in
y, hidden cards and all, so the largest likelihood in the polytope is a concave program. It is solved by columns: the
program of lp.py finds the plan that helps most, expectation-maximisation mixes those found (von Hohenbalken 1977).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tefuda._kernels.sweep import realise
from tefuda.agents import Move
from tefuda.errors import SolverError
from tefuda.exploit import game_value
from tefuda.lp import Program, open_highs, plan_program, run_opened
from tefuda.opponents import weighed
from tefuda.perturbed import trembling
from tefuda.profile import Profile
from tefuda.sequence import sequence_form
from tefuda.tree import Tree

_TREMBLE = 1e-3  # of the plans searches start from, so that they forbid nothing
_ROUNDS = 40  # plans tried at most
_MIXED = 60  # steps of expectation-maximisation after each


class Seen(NamedTuple):
    """Kinds of hands: chances `[K, s]` (SciPy csr) by the player's sequences, and how often each was seen `[K]`.

    The probability of a kind is its row times the player's plan: a sum over what hidden cards may have been.
    """

    chances: Any
    counts: np.ndarray


def seen_by(tree: Tree, seat: int, hands: Mapping[tuple[Move, ...], int]) -> Seen:
    """What the other player's plan makes how likely, from how often a seat saw which hands (two players)."""
    from scipy.sparse import coo_array

    form, player = sequence_form(tree), 1 - seat
    kinds, columns, chances = list[int](), list[int](), list[float]()
    for kind, moves in enumerate(hands):
        for case in weighed(tree, seat, moves):
            kinds.append(kind)
            columns.append(int(form.sequence[case.rows[-1]] - form.span[player]) if len(case.rows) else 0)
            chances.append(case.chance)
    shape = len(hands), int(form.span[player + 1] - form.span[player])
    return Seen(coo_array((chances, (kinds, columns)), shape).tocsr(), np.array(list(hands.values()), dtype=float))


def plan_of(profile: Profile, player: int) -> np.ndarray:
    """`[s]` the realisation plan of a player."""
    form = sequence_form(profile.tree)
    plan = np.ones(form.sequences)
    realise(*form.treeplex, player, form.spread(profile.probabilities), plan)
    return plan[form.own(player)]


class NearEquilibria:
    """The plans of a player that lose at most `margin` against a best reply, beside the game's value.

    Args:
        tree: two players, constant sum.
        player: whose plans.
        margin: in the game's unit.

    Raises:
        GameError: more or less than two players, or not constant-sum.
    """

    def __init__(self, tree: Tree, player: int, margin: float) -> None:
        floor = game_value(tree, player) - margin
        self._program = plan_program(sequence_form(tree), player, weight=0.0, floor=floor)

    def likeliest(self, seen: Seen, start: np.ndarray, enough: float) -> tuple[np.ndarray, float]:
        """The plan under which hands are likeliest, and a bound on their log-likelihood under any.

        Args:
            seen: the hands.
            start: a plan from the polytope that forbids none of them.
            enough: a log-likelihood; the search ends as soon as it is reached, or is proven to be out of reach.

        Raises:
            SolverError: HiGHS found no optimum.
        """
        plans, weights, best = [start], np.ones(1), _Best(self._program)
        found, bound = np.array([seen.chances @ start]), np.inf
        for _ in range(_ROUNDS):
            weights = _mixed(found, weights, seen.counts)
            likely = weights @ found
            value = float(seen.counts @ np.log(likely))
            if value >= enough:
                break
            slope = seen.chances.T @ (seen.counts / likely)
            plan = best(slope)
            bound = min(bound, value + float(slope @ plan - seen.counts.sum()))  # the logarithm is concave
            if bound < enough:
                break
            plans.append(plan)
            found = np.vstack([found, seen.chances @ plan])
            weights = np.append(0.9 * weights, 0.1)
        return weights @ np.array(plans[: len(weights)]), bound


class Excuses:
    """Whether what the other player did could be that of somebody from whom next to nothing can be won.

    Args:
        equilibrium: where the search starts.
        seat: who watches.
        margin: in parts of the difference between the largest and the least payoff.
    """

    def __init__(self, equilibrium: Profile, seat: int, margin: float) -> None:
        tree, payoffs = equilibrium.tree, equilibrium.tree.payoffs[:, 1 - seat]
        self._near = NearEquilibria(tree, 1 - seat, margin * float(np.ptp(payoffs)))
        self._tree, self._seat, self._plan = tree, seat, plan_of(trembling(equilibrium, _TREMBLE), 1 - seat)

    def explain(self, hands: Mapping[tuple[Move, ...], int], enough: float) -> bool:
        """Whether a near-equilibrium makes hands as likely as `enough`, a logarithm; True also if none is ruled out."""
        seen = seen_by(self._tree, self._seat, hands)
        found, bound = self._near.likeliest(seen, self._plan, enough)
        if bound >= enough:
            self._plan = (1 - _TREMBLE) * found + _TREMBLE * self._plan
        return bound >= enough


class _Best:
    """The plan of a program with the largest slope' y; each search starts from the last one's solution."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._highs: Any = None

    def __call__(self, slope: np.ndarray) -> np.ndarray:
        columns = np.arange(self._program.plan, dtype=np.int32)
        if self._highs is None:
            self._highs = open_highs(self._program)
        self._highs.changeColsCost(len(columns), columns, -slope / np.abs(slope).max())
        try:
            run_opened(self._highs)
        except SolverError:  # the last solution may be a bad start
            self._highs.clearSolver()
            run_opened(self._highs)
        return np.maximum(np.array(self._highs.getSolution().col_value)[: len(columns)], 0.0)


def _mixed(found: np.ndarray, weights: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Weights of plans `[J]` that make what they make of hands `[J, K]` likelier, from given ones."""
    for _ in range(_MIXED):
        weights = weights * (found @ (counts / (weights @ found))) / counts.sum()
    return weights
