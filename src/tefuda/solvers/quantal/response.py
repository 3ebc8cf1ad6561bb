"""Logit responses on a tree, for both kinds of quantal response equilibrium, and their derivatives.

A strategy is given by logarithms `[R]` of its probabilities. So beliefs and ratios stay exact where probabilities are
below 1e-300, which large rationality needs. Dimension letters: N histories, I infosets, R rows, Q sequences.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from tefuda.errors import GameError
from tefuda.evaluating.profile import Profile
from tefuda.evaluating.values import history_values
from tefuda.forms.arrays import levels
from tefuda.forms.programs import Workspace, program
from tefuda.forms.sequence import SequenceForm, sequence_form
from tefuda.forms.tree import Tree, require_tree

#: Kinds of equilibria, by the name of their form.
FORMS = ("agent", "reduced")
#: Strategies that responses are drawn to, by name.
MAGNETS = ("none", "uniform")
_IMPOSSIBLE = 1e-300  # in place of a chance probability of 0, so that infosets behind it have beliefs


class Slopes(NamedTuple):
    """The logits of a response and their derivatives."""

    logits: np.ndarray  # [R]
    by_rationality: np.ndarray  # [R]
    by_logs: csr_array  # [R, R] derivatives of the logits (rows) by the logarithms of the strategy (columns)


class Response(ABC):
    """The logits that players respond with to a strategy. An equilibrium is a strategy with these logits.

    Args:
        tree: game of perfect recall.
        magnet: ``"uniform"`` adds the logarithms of uniform play to all logits, ``"none"`` adds nothing.

    Raises:
        GameError: imperfect recall, or a game without decisions.
    """

    def __init__(self, tree: Tree, magnet: str) -> None:
        require_tree(tree)
        if not tree.infosets:
            raise GameError(f"{tree.name} has no decisions; quantal response needs at least one.")
        self.tree, self._form = tree, sequence_form(tree)
        self._begin, self._infoset = tree.first_row[:-1], tree.infoset_of_row
        self.base = np.zeros(tree.rows) if magnet == "none" else -np.log(tree.action_counts[self._infoset])

    @abstractmethod
    def logits(self, logs: np.ndarray, rationality: float) -> np.ndarray:
        """Return `[R]` rationality times the actions' utilities plus the base of the magnet."""

    @abstractmethod
    def slopes(self, logs: np.ndarray, rationality: float) -> Slopes:
        """Return the logits, and their derivatives."""

    @abstractmethod
    def weights(self, logs: np.ndarray, rationality: float) -> np.ndarray:
        """Return `[I]` the weights of the infosets in the residual."""

    def sums(self, logits: np.ndarray) -> np.ndarray:
        """Return `[I]` the logarithm of the sum of exponentials at each infoset."""
        return np.logaddexp.reduceat(logits, self._begin)

    def normalised(self, logits: np.ndarray) -> np.ndarray:
        """Return `[R]` the logarithms of the probabilities with these logits."""
        peak = np.maximum.reduceat(logits, self._begin)[self._infoset]  # small logits lose no digits to large ones
        shifted: np.ndarray = logits - peak
        return shifted - self.sums(shifted)[self._infoset]

    def residual(self, logs: np.ndarray, rationality: float) -> float:
        """Return the weighted sum over infosets of the divergence of a strategy from its response."""
        target = self.normalised(self.logits(logs, rationality))
        change, chances = target - logs, np.exp(logs)
        exact = np.expm1(np.clip(change, -1.0, 1.0)) - change  # without cancellation where the change is small
        parts = np.where(np.abs(change) < 1.0, chances * exact, np.exp(target) - chances - chances * change)
        return float(self.weights(logs, rationality) @ np.add.reduceat(parts, self._begin))

    def profile(self, logs: np.ndarray) -> Profile:
        return Profile.from_weights(self.tree, np.exp(logs))


class AgentResponse(Response):
    """Responses at each infoset to the values of actions given the infoset (McKelvey and Palfrey 1998).

    The player's later choices are by the strategy. The residual weighs infosets by their probability.
    """

    def __init__(self, tree: Tree, magnet: str) -> None:
        super().__init__(tree, magnet)
        self._levels = list(levels(tree.first_child, tree.child_count))[1:]
        decided = np.flatnonzero(tree.infoset >= 0)
        self._order = decided[np.argsort(tree.infoset[decided], kind="stable")]
        self._starts = np.searchsorted(tree.infoset[self._order], np.arange(tree.infosets))
        moves = np.flatnonzero((tree.parent >= 0) & (tree.infoset[tree.parent] >= 0))  # histories after a decision
        self._moves, self._before = moves, tree.parent[moves]
        self._rows = tree.first_row[tree.infoset[self._before]] + moves - tree.first_child[self._before]
        self._mover = tree.player[self._before]
        self._chance = np.log(np.maximum(tree.chance, _IMPOSSIBLE))

    @cached_property
    def _pairs(self) -> tuple[np.ndarray, np.ndarray]:
        return _pairs(self.tree.parent, self._moves)

    def _reach(self, logs: np.ndarray) -> np.ndarray:
        """Return `[N]` the logarithm of each history's probability."""
        steps = self._chance.copy()
        steps[self._moves] = logs[self._rows]
        for nodes in self._levels:
            steps[nodes] += steps[self.tree.parent[nodes]]
        return steps

    def _masses(self, reach: np.ndarray) -> np.ndarray:
        """Return `[I]` the logarithm of each infoset's probability."""
        return np.logaddexp.reduceat(reach[self._order], self._starts)

    def _utilities(self, logs: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return log reach `[N]`, beliefs before moves, values `[N, P]`, movers' values, utilities `[R]`."""
        reach = self._reach(logs)
        # A player's own part of the reach is the same for all histories of an infoset, so beliefs do not depend on it.
        beliefs = np.exp(reach[self._before] - self._masses(reach)[self.tree.infoset[self._before]])
        values = history_values(self.profile(logs))
        own = values[self._moves, self._mover]
        return reach, beliefs, values, own, np.bincount(self._rows, beliefs * own, self.tree.rows)

    def logits(self, logs: np.ndarray, rationality: float) -> np.ndarray:
        utilities: np.ndarray = self._utilities(logs)[-1]
        return self.base + rationality * utilities

    def slopes(self, logs: np.ndarray, rationality: float) -> Slopes:
        """See `Response`: later choices change the values of actions, earlier ones of opponents the beliefs."""
        reach, beliefs, values, own, utilities = self._utilities(logs)
        above, below = self._pairs
        follows = np.exp(reach[self._moves[below]] - reach[self._moves[above]])
        later = beliefs[above] * follows * values[self._moves[below], self._mover[above]]
        moved = self._mover[above] != self._mover[below]
        high, low = above[moved], below[moved]
        believed = beliefs[low] * (own[low] - utilities[self._rows[low]])
        rows = np.concatenate([self._rows[above], self._rows[low]])
        columns = np.concatenate([self._rows[below], self._rows[high]])
        entries = rationality * np.concatenate([later, believed])
        matrix = csr_array((entries, (rows, columns)), shape=(self.tree.rows, self.tree.rows))
        return Slopes(self.base + rationality * utilities, utilities, matrix)

    def weights(self, logs: np.ndarray, rationality: float) -> np.ndarray:
        return np.exp(self._masses(self._reach(logs)))


class ReducedResponse(Response):
    """Logit responses over reduced plans: counterfactual values with soft maxima after each action.

    A fixed point is the saddle point of the game with dilated entropy of weight 1 / rationality, if it has two players
    and zero sum (Ling, Fang, Kolter 2018). The residual is the gap of that game.
    """

    def __init__(self, tree: Tree, magnet: str) -> None:
        super().__init__(tree, magnet)
        form = self._form
        self._work = Workspace(form, "g x u")
        layout, players = self._work.layout, range(tree.players)
        self._work["x"][form.span[:-1]] = 1.0
        self._steps = program(map(layout.realise, players), *map(layout.gather, players))
        self._groups, self._sequence = form.groups_of(None), form.sequence
        self._infoset_parent = form.parent[np.argsort(form.infoset)]

    def _play(self, logs: np.ndarray) -> None:
        """Compute the realisation plans and the utilities of the sequences."""
        self._work["g"][self._sequence] = np.exp(logs)
        self._work.run(self._steps)

    def logits(self, logs: np.ndarray, rationality: float) -> np.ndarray:
        self._play(logs)
        logits = rationality * self._work["u"]
        logits[self._sequence] += self.base
        for parents, actions in reversed(self._groups):
            np.add.at(logits, parents, np.logaddexp.reduce(logits[actions], axis=0))
        return logits[self._sequence]

    def slopes(self, logs: np.ndarray, rationality: float) -> Slopes:
        """See `Response`: opponents' plans change leaves, whose utilities are folded back by the response."""
        logits, count = self.logits(logs, rationality), self._form.sequences
        above, below = self._form.derived(_own_pairs)
        response = np.zeros(count)
        response[self._sequence] = self.normalised(logits)
        for parents, actions in self._groups:
            response[actions] += response[parents]
        fold = csr_array((np.exp(response[below] - response[above]), (above, below)), shape=(count, count))
        passed = csr_array((np.ones(len(below)), (below, above)), shape=(count, count))
        own, others, value = self._form.derived(_leaves)
        entries = rationality * value * self._work["x"][others].prod(axis=1)
        columns = others.shape[1]
        leaves = csr_array(
            (np.repeat(entries, columns), (np.repeat(own, columns), others.ravel())), shape=(count, count)
        )
        matrix = (fold[self._sequence] @ leaves) @ passed[:, self._sequence]
        return Slopes(logits, (fold @ self._work["u"])[self._sequence], matrix)

    def weights(self, logs: np.ndarray, rationality: float) -> np.ndarray:
        self._play(logs)
        return self._work["x"][self._infoset_parent] / (rationality or 1.0)


def _pairs(parent: np.ndarray, moves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return all pairs of `moves` `[M]` of which the first precedes the second, as indices of moves."""
    place = np.full(len(parent), -1)
    place[moves] = np.arange(len(moves))
    above, below, numbers, nodes = [], [], np.arange(len(moves)), moves
    while len(nodes):
        nodes = parent[nodes]
        nodes, numbers = nodes[nodes >= 0], numbers[nodes >= 0]
        known = place[nodes] >= 0
        above.append(place[nodes[known]])
        below.append(numbers[known])
    return np.concatenate(above), np.concatenate(below)


def _own_pairs(form: SequenceForm) -> tuple[np.ndarray, np.ndarray]:
    """Return all pairs of sequences of which the first precedes or equals the second."""
    numbers, parent = np.arange(form.sequences), np.full(form.sequences, -1)
    for parents, actions in form.groups_of(None):
        parent[actions] = parents
    above, below = _pairs(parent, numbers)
    return np.concatenate([numbers, above]), np.concatenate([numbers, below])


def _leaves(form: SequenceForm) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return own sequence, the opponents' sequences `[L, P - 1]` and value of all players' leaves."""
    found = [form.leaves(player) for player in range(form.players)]
    return tuple(np.concatenate(arrays) for arrays in zip(*found, strict=True))  # type: ignore[return-value]


_RESPONSES: dict[str, type[Response]] = dict(zip(FORMS, (AgentResponse, ReducedResponse), strict=True))


def response_of(tree: Tree, form: str, magnet: str = "none") -> Response:
    """Return the response of a form, ``"agent"`` or ``"reduced"``."""
    return _RESPONSES[form](tree, magnet)
