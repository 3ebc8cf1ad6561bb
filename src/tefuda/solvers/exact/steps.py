"""Iterations of counterfactual regret minimization, with all intermediate numbers.

`CfrSolver` computes the same in compiled loops over the sequence form. Here every quantity is an array over
infoset-action pairs, in the order of the textbook: values, regrets, next strategy, average.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tefuda.errors import ParameterError, UnknownNameError, check_range, wrong_type
from tefuda.evaluating.profile import Profile
from tefuda.evaluating.values import Counterfactual, counterfactual, reach
from tefuda.forms.tree import Tree
from tefuda.solvers.exact.cfr import FAMILY, CFRMethod, CfrSolver
from tefuda.views import short_repr


class Rule(NamedTuple):
    """The numbers of an update at one iteration, see `CFRMethod`.

    Attributes:
        positive: factor of positive cumulative regrets.
        negative: factor of negative cumulative regrets.
        clip: whether cumulative regrets are clipped at 0.
        prediction: factor of the expected next regret.
        memory: weight of the newest regret in the expected one.
        decay: factor of the sums of the average.
        weight: weight of the iteration in the average.
        tremble: probability of a tremble; 0.
        magnet: strength of the pull to a reference plan; 0.
        floor: least probability of an action; 0.
    """

    positive: float
    negative: float
    clip: bool
    prediction: float
    memory: float
    decay: float
    weight: float
    tremble: float = 0.0
    magnet: float = 0.0
    floor: float = 0.0


@dataclass(frozen=True, eq=False)
class PlayerUpdate:
    """The update of one player in one iteration, with every quantity on the way.

    Arrays `[R]` have a number for each infoset-action pair of the tree; a step changes those of `player` only.

    Attributes:
        iteration: number of the iteration, from 1.
        player: the player that is updated.
        rule: the numbers of the update.
        faced: the strategies in this step, the opponents' as the player faces them.
        before: `[3, R]` cumulative regrets, expected next regrets and sums of the average before the step.
        counterfactual: values of infosets and actions, with the instantaneous regrets.
        regrets: `[R]` cumulative regrets after the step, discounted and clipped.
        predictions: `[R]` expected next regrets; 0 for methods that predict nothing.
        next: the strategies after the step.
        averaged: the strategies whose part of `player` enters the average.
        sums: `[R]` weighted sums of own reach times strategy after the step.

    >>> first = td.solvers.trace(td.load_game("kuhn")).updates[0]
    >>> first.iteration, first.player, first.next["0: J|"]
    (1, 0, {'p': 0.0, 'b': 1.0})
    """

    iteration: int
    player: int
    rule: Rule
    faced: Profile
    before: np.ndarray  # [3, R]
    counterfactual: Counterfactual
    regrets: np.ndarray  # [R]
    predictions: np.ndarray  # [R]
    next: Profile
    averaged: Profile
    sums: np.ndarray  # [R]

    __repr__ = short_repr

    @property
    def tree(self) -> Tree:
        """The game."""
        return self.faced.tree

    @property
    def matched(self) -> np.ndarray:
        """The numbers `[R]` whose positive parts the next strategy is proportional to."""
        return self.regrets + self.rule.prediction * self.predictions

    @property
    def own_reach(self) -> np.ndarray:
        """The averaged strategy's own reach of the infoset of each infoset-action pair, `[R]`."""
        tree = self.tree
        return reach(self.averaged).own[tree.first_history[tree.infoset_of_row], self.player]

    @property
    def average(self) -> Profile:
        """The average strategies after the step; uniform where all sums are 0."""
        return Profile.from_weights(self.tree, self.sums)


def family_method(method: str | CFRMethod) -> CFRMethod:
    """Return a method of the CFR family, given by name or value; see `trace` for the errors."""
    family = {member.name: member for member in FAMILY}
    if isinstance(method, str) and method not in family:
        raise UnknownNameError("method of the CFR family", method, family)
    chosen = family[method] if isinstance(method, str) else method
    if not isinstance(chosen, CFRMethod):
        raise wrong_type("a method of the CFR family, or its name,", method)
    if chosen.precision != "double":
        raise ParameterError(f"{chosen.name} has single precision; steps are shown in double precision.")
    if chosen.floor:
        raise ParameterError(f"{chosen.name} has floor={chosen.floor:g}; steps are shown without trembles, floor=0.")
    return chosen


def player_updates(tree: Tree, method: CFRMethod, iteration: int) -> list[PlayerUpdate]:
    """Return the updates of the players in an iteration; the solver runs earlier iterations."""
    check_range("iteration", iteration, 1)
    solver, updates = CfrSolver(tree, method), list[PlayerUpdate]()
    solver.advance(iteration - 1)
    arrays, start = solver.arrays(), solver.current()
    state, current = np.stack([arrays["regret"], arrays["expected"], arrays["average"]]), start
    rule = Rule(*method.schedule(iteration, 1)[0].tolist())
    for player in range(tree.players):
        if method.opponent == "best response":
            faced = current.best_response(1 - player).profile
        else:
            faced = start if method.order == "simultaneous" else current
        step = _step(method, rule, iteration, player, faced, current, state)
        state, current = np.stack([step.regrets, step.predictions, step.sums]), step.next
        updates.append(step)
    return updates


def _step(
    method: CFRMethod, rule: Rule, iteration: int, player: int, faced: Profile, current: Profile, before: np.ndarray
) -> PlayerUpdate:
    """Update one player against the opponents in `faced`; `current`: the newest strategies of all players."""
    tree, (regrets, predictions, sums) = faced.tree, before
    own, values = tree.player_of_row == player, counterfactual(faced)
    total = regrets + values.regrets
    total = total * np.where(total > 0, rule.positive, rule.negative)
    regrets = np.where(own, np.maximum(total, 0) if rule.clip else total, regrets)
    if rule.prediction:
        expected = (1 - rule.memory) * predictions + rule.memory * values.regrets
        predictions = np.where(own, expected, predictions)
    matched = Profile.from_weights(tree, np.maximum(regrets + rule.prediction * predictions, 0)).probabilities
    following = Profile(tree, np.where(own, matched, current.probabilities))
    late = method.convention == "opp" and method.order == "alternating" and player == 0
    step = PlayerUpdate(
        iteration, player, rule, faced, before, values, regrets, predictions, following,
        following if late else current, sums,
    )  # fmt: skip
    added = rule.decay * sums + rule.weight * step.own_reach * step.averaged.probabilities
    return replace(step, sums=np.where(own, added, sums))
