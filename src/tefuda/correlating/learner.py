"""Trigger regret: a learner whose device approaches EFCE or EFCCE (Celli et al. 2020).

Each player has a distribution over its triggers and the identity, and below each trigger a plan, learned by CFR. It
plays a fixed point of the mixture of these deviations: then no deviation gains more than the regrets of the learners.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tefuda.correlating.device import Device
from tefuda.correlating.evaluator import CorrelationGap, DeviceSolver
from tefuda.correlating.triggers import TriggerForm, trigger_form
from tefuda.evaluating.profile import Profile
from tefuda.evaluating.rankings import stationary
from tefuda.evaluating.regret import match_regrets
from tefuda.files import NOT_NEGATIVE
from tefuda.forms.arrays import ranges
from tefuda.forms.form import Form
from tefuda.forms.programs import Workspace, program
from tefuda.forms.sequence import SequenceForm, sequence_form
from tefuda.forms.tree import Tree
from tefuda.settings import option
from tefuda.solvers.exact.cfr import CFRMethod
from tefuda.solvers.protocol import Method, require_average

_NEVER = 1e-11  # realisation probability of an infoset below which its strategy is uniform
_LEAK = 1e-15  # rate between any two actions, so that a fixed point is unique
_RULE = CFRMethod("triggers", clip=True).schedule(1, 1)  # regret matching plus below each trigger


@dataclass(frozen=True)
class Triggers(Method):
    """Trigger regret minimization; its answer is the device of its iterates, not their average profile.

    The gap of the device falls like 1 / sqrt(iterations) in games of any number of players and any payoffs.

    Args:
        name: name in tables.
        concept: concept that the device approaches; the triggers are recommended actions (``"efce"``) or infosets
            (``"efcce"``).

    >>> solution = td.solve(td.load_game("sheriff"), td.correlating.Triggers(), iterations=100)
    >>> solution.evaluator.title, solution.evaluation.figure < 1
    ('EFCE gap (total)', True)
    """

    name: str = "triggers"
    concept: str = option("efce", choices=("efce", "efcce"))

    accepts = ("tree",)

    def solver(self, form: Tree, seed: int = 0, workers: int | Executor | None = None) -> TriggerSolver:
        return TriggerSolver(form, self)

    def default_evaluator(self, form: Form) -> CorrelationGap:
        """See `Method`: the gap of the concept."""
        return CorrelationGap(self.concept)


class _Group(NamedTuple):
    """A group of m infosets with k actions, and their n copies."""

    parents: np.ndarray  # [m] sequences before them
    actions: np.ndarray  # [k, m] sequences
    copies: slice  # sequences of the copies, [k, n]
    begin: np.ndarray  # [m] first copy of each infoset
    root: np.ndarray  # [n] trigger of each copy
    own: np.ndarray  # [k, m] triggers at the infosets; EFCCE: [m]
    replies: np.ndarray  # [k, k, m] copies of the actions (second axis) below these triggers (first); EFCCE: [1, k, m]


def _groups(form: SequenceForm, triggers: TriggerForm, recommended: bool) -> list[_Group]:
    """Return the groups of all players, shallow ones of each player first."""
    groups = []
    for (parents, actions), copied in zip(form.groups_of(None), triggers.groups.tolist(), strict=True):
        _, n, k, first = copied
        replies = triggers.latest[actions] + np.arange(k if recommended else 1)[:, None, None]
        own = triggers.root[replies[:, 0] if recommended else replies[0, 0]]
        group = _Group(
            parents, actions, slice(first, first + k * n),
            triggers.first[actions[0]] - first, triggers.root[first : first + n], own, replies,
        )  # fmt: skip
        groups.append(group)
    return groups


class TriggerSolver(DeviceSolver):
    """The solver of `Triggers` on a tree."""

    def __init__(self, tree: Tree, method: Triggers) -> None:
        self.tree, self.method, self.iterations = tree, method, 0
        self._recommended, players = method.concept == "efce", range(tree.players)
        self._form = form = sequence_form(tree)
        self._triggers = triggers = trigger_form(form, self._recommended)
        counts = triggers.counts
        self._groups = _groups(form, triggers, self._recommended)
        self._game, self._copies = Workspace(form, "x u after v ones"), Workspace(triggers, "g x u v regret expected")
        self.device, self._total = Device(tree), np.zeros(form.sequences)
        # A player's first trigger, before the game, is no deviation of its own; in its place is the identity.
        self._starts, self._identity = ranges(triggers.span[:-1], counts), np.cumsum(counts) - counts
        self._regrets = np.zeros(len(self._starts))
        layout, copied = self._game.layout, self._copies.layout
        self._gather = program(*map(layout.gather, players))
        self._fold = program(*(layout.fold_mean(player, "ones", "after") for player in players))
        self._match, self._realise = (program(*map(step, players)) for step in (copied.match, copied.realise))
        self._game["ones"][:] = 1.0
        self._game["x"][form.span[:-1]] = 1.0
        for group in self._groups:
            self._copies["g"][group.copies] = 1.0 / len(group.actions)
        self._copies["x"][self._starts] = 1.0
        self._play()

    def advance(self, iterations: int) -> None:
        """See `Solver`; an iteration plays the fixed points of all players, then updates their learners."""
        for _ in range(iterations):
            self._learn()
            self._play()
        self.iterations += iterations

    def _learn(self) -> None:
        game, copies, plans = self._game, self._copies, self._game["x"]
        game.run(self._gather)
        self.device.add_plans(plans, game["u"])
        self._total += plans
        copies["u"][:] = self._triggers.triggered(plans, game["u"])
        copies.run(self._match, _RULE)
        game["after"][:] = plans * game["u"]
        game.run(self._fold)
        obeyed = np.zeros(self._triggers.sequences)
        for group in self._groups:
            after = game["after"][group.actions]
            obeyed[group.own] = after if self._recommended else after.sum(axis=0)
        gains = (copies["u"] - obeyed)[self._starts]
        gains[self._identity] = 0.0
        means = np.add.reduceat(self._chances * gains, self._identity)
        self._regrets[:] = np.maximum(self._regrets + gains - np.repeat(means, self._triggers.counts), 0.0)

    def _play(self) -> None:
        """Compute the plans of the learners, and the fixed points of the players' mixtures of deviations."""
        self._copies.run(self._realise)
        self._chances = np.concatenate(list(map(match_regrets, np.split(self._regrets, self._identity[1:]))))
        plans, replies = self._game["x"], self._copies["x"]
        # The chance of each trigger, and the same times the probability that it is met.
        mixture, taken = np.zeros((2, self._triggers.sequences))
        mixture[self._starts] = self._chances
        mixture[self._starts[self._identity]] = 0.0
        for group in self._groups:
            before, own, shape = plans[group.parents], mixture[group.own], (len(group.actions), -1)
            if not self._recommended:
                taken[group.own] = own * before
            forced = taken[group.root] * replies[group.copies].reshape(shape)
            forced = np.add.reduceat(forced, group.begin, axis=1)  # probability of each action below triggers
            if self._recommended:
                rates = np.divide(forced, before, out=np.zeros_like(forced), where=before > _NEVER)
                shares = stationary(rates + own[:, None] * replies[group.replies] + _LEAK)
            else:
                shares = match_regrets(forced, axis=0)
            plans[group.actions] = before * shares
            if self._recommended:
                taken[group.own] = own * plans[group.actions]

    def average(self) -> Profile:
        """See `Solver`; uniform at infosets not reached. Raise SolverError before the first iteration."""
        require_average(self.iterations, 0)
        return Profile.from_weights(self.tree, self._total[self._form.sequence])

    def current(self) -> Profile:
        return Profile.from_weights(self.tree, self._game["x"][self._form.sequence])

    def arrays(self) -> dict[str, np.ndarray]:
        own = {"regret": self._copies["regret"], "g": self._copies["g"]}
        return {**own, "trigger_regret": self._regrets, "total": self._total, **self.device.arrays()}

    def ranges(self) -> dict[str, tuple[float, float]]:
        return {name: NOT_NEGATIVE for name in self.arrays() if name != "device_table"}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        super().restore(state)
        self._play()
