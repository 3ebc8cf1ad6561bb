"""What a player can be sure of when all others play together against him.

With more than two players an equilibrium strategy guarantees nothing. The maximin strategy does: the others may agree
on a plan for every hand before it is dealt, though not see each other's cards. One linear program, whose rows are joint
plans, added while one is found that hurts more (constraint generation).
"""

from __future__ import annotations

import math

import numpy as np

from tefuda.errors import GameError, SizeError
from tefuda.lp import plan_profile, treeplex_constraints
from tefuda.profile import Profile, check_player
from tefuda.response import BestResponse
from tefuda.sequence import SequenceForm, sequence_form
from tefuda.tree import Tree

_MOST = 1_000_000  # pure plans of one player that are enumerated


def maximin(tree: Tree, player: int, tolerance: float = 1e-10) -> BestResponse:
    """The strategy with the best worst case, and what it is sure to earn.

    Args:
        tree: three players.
        player: who plays alone.
        tolerance: how far the value may be from the optimum, in parts of the largest payoff.

    Returns:
        The strategy, and the value it is sure of.

    Raises:
        GameError: more or fewer players.
        SizeError: too many pure plans of both others.

    >>> tree = tf.compile_game(tf.load_game("kuhn", players=3))
    >>> tf.maximin(tree, 0).value < 0
    True
    """
    from scipy.optimize import linprog

    check_player(tree, player)
    coalition, form = _Coalition(tree, player), sequence_form(tree)
    equal = treeplex_constraints(form, player).tocsr()
    right = np.zeros(equal.shape[0])
    right[0] = 1.0
    cost = np.append(np.zeros(equal.shape[1]), -1.0)
    bounds = [(0, None)] * equal.shape[1] + [(None, None)]
    equal = np.hstack([equal.toarray(), np.zeros((len(right), 1))])
    plan = form.spread(Profile.uniform(tree).probabilities)[form.own(player)]
    rows, upper = list[np.ndarray](), np.inf
    # Thirty joint plans at a time take half as many programs and half the time on 3-player Kuhn: .3 s for .6.
    while (gain := coalition.worst(plan)) @ plan < upper - tolerance:
        rows.append(np.append(-gain, 1.0))
        found = linprog(cost, np.array(rows), np.zeros(len(rows)), equal, right, bounds, method="highs")
        plan, upper = np.maximum(found.x[:-1], 0.0), float(found.x[-1])
    return BestResponse(player, upper * form.scale, plan_profile(tree, player, plan))


class _Coalition:
    """The others: all plans of the one who has the fewest, and exact answers of the last one."""

    def __init__(self, tree: Tree, player: int) -> None:
        if tree.players != 3:
            raise GameError(f"maximin is for three players; {tree.name} has {tree.players}. With two, use method lp.")
        form = self._form = sequence_form(tree)
        others = [other for other in range(tree.players) if other != player]
        counts = {other: count_plans(form, other) for other in others}
        listed, self._last = sorted(others, key=lambda other: counts[other])
        if counts[listed] > _MOST:
            raise SizeError(
                f"{tree.name}: player {listed} has {counts[listed]:,} pure plans; at most {_MOST:,} are tried."
            )
        self._plans = pure_plans(form, listed)
        starts = form.leaf_start[form.span[player] : form.span[player + 1] + 1].astype(np.int64)
        self._own = np.repeat(np.arange(len(starts) - 1), starts[1:] - starts[:-1])
        self._value = form.leaf_value[starts[0] : starts[-1]] / form.scale  # so that tolerances are relative
        sequences = form.pairs[form.leaf_other[starts[0] : starts[-1]]].astype(np.int64)
        self._listed = sequences[:, others.index(listed)] - int(form.span[listed])
        self._answer = sequences[:, others.index(self._last)] - int(form.span[self._last])

    def worst(self, plan: np.ndarray) -> np.ndarray:
        """`[sequences]` what each own sequence earns against the joint plan that hurts a plan most."""
        size = int(self._form.span[self._last + 1] - self._form.span[self._last])
        table = np.zeros((self._plans.shape[1], size))
        np.add.at(table, (self._listed, self._answer), plan[self._own] * self._value)
        worth = self._plans @ table
        choices = self._fold(worth)
        number = int(worth[:, 0].argmin())
        answer = self._follow([choice[number] for choice in choices], size)
        share = self._value * self._plans[number][self._listed] * answer[self._answer]
        return np.bincount(self._own, share, minlength=len(plan))

    def _fold(self, worth: np.ndarray) -> list[np.ndarray]:
        """Fold `[n, sequences]` back by the least action; the actions chosen, `[n, m]` for each group."""
        choices = []
        for parents, sequences in reversed(self._form.blocks(self._last)):
            actions = worth[:, sequences]
            choices.append(actions.argmin(axis=1))
            np.add.at(worth.T, parents, actions.min(axis=1).T)
        return choices[::-1]

    def _follow(self, choices: list[np.ndarray], size: int) -> np.ndarray:
        """The plan `[sequences]` that makes these choices."""
        plan = np.zeros(size)
        plan[0] = 1.0
        for (parents, sequences), choice in zip(self._form.blocks(self._last), choices, strict=True):
            plan[sequences[choice, np.arange(len(parents))]] = plan[parents]
        return plan


def _below(form: SequenceForm, player: int) -> dict[int, list[list[int]]]:
    """By sequence, the infosets that follow it, each as its actions' sequences; numbers start at 0."""
    found = dict[int, list[list[int]]]()
    for parents, actions in form.blocks(player):
        for parent, infoset in zip(parents.tolist(), actions.T.tolist(), strict=True):
            found.setdefault(parent, []).append(infoset)
    return found


def count_plans(form: SequenceForm, player: int) -> int:
    """How many pure plans a player has that differ where they are reached."""
    below = _below(form, player)

    def count(sequence: int) -> int:
        return math.prod(sum(count(after) for after in infoset) for infoset in below.get(sequence, []))

    return count(0)


def pure_plans(form: SequenceForm, player: int) -> np.ndarray:
    """`[n, sequences]` all of them, as 0 and 1."""
    below, size = _below(form, player), int(form.span[player + 1] - form.span[player])

    def plans(sequence: int) -> np.ndarray:
        found = np.zeros((1, size), dtype=np.int8)
        found[0, sequence] = 1
        for infoset in below.get(sequence, []):
            options = np.concatenate([plans(after) for after in infoset])
            found = (found[:, None] + options[None]).reshape(-1, size)
        return found

    return plans(0).astype(np.float64)
