"""Populations of pure plans with their exact payoffs, and the solver that adds best responses to them.

Dimension letters: P players, K_i plans of player i, Q_i sequences of player i, Q sequences of all players.
"""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from tefuda.errors import RunError
from tefuda.evaluating.profile import Profile
from tefuda.files import COUNT, ArraySpec, check_arrays
from tefuda.forms.programs import Workspace, program, realised
from tefuda.forms.sequence import SequenceForm, sequence_form
from tefuda.forms.tree import Tree
from tefuda.solvers.populations.meta import META_SOLVERS
from tefuda.solvers.populations.restriction import first_actions, first_response
from tefuda.solvers.protocol import LastAnswerSolver, Method

_MOST = 2**20  # plans of a player in a saved state


class Population:
    """Pure plans of all players, with the payoffs between them; plans are added one by one.

    Args:
        form: sequence form of the game.

    Attributes:
        plans: for each player `[K_i, Q_i]` realisation plans over its own sequences.
        utilities: for each player `[K_j.., Q_i]` utilities of its sequences, by the plans of the others in order.
        payoffs: for each player `[K_0, .., K_(P-1)]` its payoffs.
    """

    def __init__(self, form: SequenceForm) -> None:
        self._form, self._work, players = form, Workspace(form, "x u"), range(form.players)
        self._gather = [program(self._work.layout.gather(player)) for player in players]
        self.plans = [np.zeros((0, size)) for size in form.sizes]
        self.utilities = [np.zeros((0,) * (form.players - 1) + (size,)) for size in form.sizes]
        self.payoffs = [np.zeros((0,) * form.players) for _ in players]

    def has(self, player: int, plan: np.ndarray) -> bool:
        """Return whether a plan `[Q_i]` of a player is in the population."""
        return bool((self.plans[player] == plan).all(axis=1).any())

    def add(self, player: int, plan: np.ndarray) -> None:
        """Add a plan `[Q_i]` of a player."""
        for other, own in enumerate(self.plans):
            if other == player:
                fresh = _products(self.utilities[player], plan[None])[..., 0]
            else:
                utilities = self._utilities(other, player, plan)
                self.utilities[other] = _joined(self.utilities[other], utilities, player - (player > other))
                fresh = np.moveaxis(_products(utilities, own), -1, other - (other > player))
            self.payoffs[other] = _joined(self.payoffs[other], fresh, player)
        self.plans[player] = _joined(self.plans[player], plan, 0)

    def _utilities(self, player: int, fixed: int, plan: np.ndarray) -> np.ndarray:
        """Return `[K_j.., Q_i]` utilities against a plan of one opponent and all plans of the others."""
        form, x, found = self._form, self._work["x"], []
        rest = [other for other in range(form.players) if other not in (player, fixed)]
        x[form.own(fixed)] = plan
        for chosen in itertools.product(*(self.plans[other] for other in rest)):
            for other, one in zip(rest, chosen, strict=True):
                x[form.own(other)] = one
            self._work.run(self._gather[player])
            found.append(self._work["u"][form.own(player)].copy())
        return np.array(found).reshape(*(len(self.plans[other]) for other in rest), self.plans[player].shape[1])


def _products(utilities: np.ndarray, plans: np.ndarray) -> np.ndarray:
    """Return `[.., K]` products of utilities `[.., Q_i]` and plans `[K, Q_i]`, equal in any order."""
    rows = utilities.reshape(-1, plans.shape[1])
    return np.array([[row @ plan for plan in plans] for row in rows]).reshape(*utilities.shape[:-1], len(plans))


def _joined(array: np.ndarray, fresh: np.ndarray, axis: int) -> np.ndarray:
    """Return an array with one more entry along an axis."""
    return np.concatenate([array, np.expand_dims(fresh, axis)], axis=axis)


class PopulationSolver(LastAnswerSolver):
    """The base class of solvers that grow a population; they answer by its last mixtures."""

    @abstractmethod
    def summary(self) -> dict[str, Any]:
        """Return the population as JSON values."""


class PlanSolver(PopulationSolver):
    """The solver over plans: an iteration adds the best responses, and mixes the population again.

    Args:
        tree: the game.
        method: the method.
        meta: name of the meta-solver, in `META_SOLVERS`.

    Attributes:
        population: the plans and their payoffs.
        mix: `[K_0, .., K_(P-1)]` probabilities of combinations of plans.
    """

    def __init__(self, tree: Tree, method: Method, meta: str) -> None:
        self.tree, self.method, self.iterations = tree, method, 0
        self._form, self._meta = sequence_form(tree), META_SOLVERS[meta]
        first = realised(self._form, first_actions(self._form))
        self._start([first[self._form.own(player)][None] for player in range(tree.players)])

    def _start(self, plans: list[np.ndarray]) -> None:
        self.population = Population(self._form)
        for player, own in enumerate(plans):
            for plan in own:
                self.population.add(player, plan)
        self.mix = self._meta(self.population.payoffs)

    def advance(self, iterations: int) -> None:
        """See `Solver`; the first iteration plays the first plans, which take the first action everywhere."""
        again = self._meta is META_SOLVERS["uniform"]  # uniform mixtures count repeated plans
        for _ in range(iterations):
            responses = enumerate(self._responses() if self.iterations else [])
            new = [(player, plan) for player, plan in responses if again or not self.population.has(player, plan)]
            for player, plan in new:
                self.population.add(player, plan)
            if new:
                self.mix = self._meta(self.population.payoffs)
            self.iterations += 1

    def _responses(self) -> list[np.ndarray]:
        """Return the players' best responses to the mixture of the others."""
        form, strategies = self._form, np.zeros(self._form.sequences)
        for player, utilities in enumerate(self.population.utilities):
            own = form.own(player)
            faced = self.mix.sum(axis=player).ravel() @ utilities.reshape(-1, own.stop - own.start)
            strategies[own] = first_response(form, player, faced)[1]
        plans = realised(form, strategies)
        return [plans[form.own(player)] for player in range(form.players)]

    def weights(self, player: int) -> np.ndarray:
        """Return `[K_i]` the probabilities of a player's plans."""
        return self.mix.sum(axis=tuple(other for other in range(self.mix.ndim) if other != player))

    def current(self) -> Profile:
        """See `Solver`: the players' mixtures of their plans."""
        plans = np.concatenate([self.weights(player) @ own for player, own in enumerate(self.population.plans)])
        return Profile.from_weights(self.tree, plans[self._form.sequence])

    def summary(self) -> dict[str, Any]:
        """See `PopulationSolver`: the plans' weights and payoffs, in the order in which they were added."""
        weights = [self.weights(player).tolist() for player in range(self.tree.players)]
        return {"weights": weights, "payoffs": [table.tolist() for table in self.population.payoffs]}

    def state(self) -> dict[str, np.ndarray]:
        plans = {f"plans_{player}": own.astype(np.uint8) for player, own in enumerate(self.population.plans)}
        return {"iterations": np.array(self.iterations), **plans}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        specs: dict[str, ArraySpec] = {"iterations": ArraySpec("int64", (), *COUNT)}
        for player, own in enumerate(self.population.plans):
            specs[f"plans_{player}"] = ArraySpec("uint8", (range(1, _MOST), own.shape[1]), 0, 1)
        check_arrays("the state", state, specs)
        plans = [state[f"plans_{player}"].astype(np.float64) for player in range(self.tree.players)]
        for player, own in enumerate(plans):
            groups = self._form.groups_of(player)
            sums = [(own[:, actions].sum(axis=1) == own[:, parents]).all() for parents, actions in groups]
            if not (own[:, 0] == 1).all() or not all(sums):
                raise RunError(f"the state has plans of player {player} that are no plans. Use an intact copy.")
        self._start(plans)
        self.iterations = int(state["iterations"])
