"""Online outcome sampling: search from the root during play, mostly targeted at the match's state.

Lisy, Lanctot, Bowling 2015, "Online Monte Carlo counterfactual regret minimization for search in imperfect information
games". The memory lasts for a match and grows by at most one infoset an episode. `OosSolver` runs on a tree,
`search.OosSearch` on rules that are too large to compile; `searching.SearchAgent` plays with either.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from tefuda._kernels import oos as kernels
from tefuda.errors import ParameterError
from tefuda.evaluating.profile import Profile
from tefuda.files import NOT_NEGATIVE
from tefuda.forms.public import public_states
from tefuda.forms.rules import RulesForm
from tefuda.forms.simulate import longest_history, traversal_histories
from tefuda.forms.tree import Tree
from tefuda.lazy import load_reference
from tefuda.settings import option
from tefuda.solvers.protocol import Method, Solver, TreeSolver, normalised, require_average


@dataclass(frozen=True)
class OnlineSampling(Method):
    """Online outcome sampling.

    Args:
        name: name in tables.
        delta: share of targeted episodes; with 1 the search does not converge.
        epsilon: share of uniform play at the nodes of the player that an episode updates.
        gamma: share of uniform play in every strategy. It bounds NashConv from below (docs/methods.md).
        target: ``"infoset"``: histories through the infoset of the match; ``"public"``: all histories with the same
            public actions (compiled games only).

    Raises:
        ParameterError: a value is out of range.

    >>> td.solvers.OnlineSampling(target="public").parameters()["delta"]
    0.9
    """

    name: str = "oos"
    delta: float = option(0.9, 0, 1)
    epsilon: float = option(0.4, 0, 1)
    gamma: float = option(0.01, 0, 1)
    target: str = option("infoset", choices=("infoset", "public"))

    reported = "better"
    counts_nodes = True
    accepts = ("tree", "partition", "rules")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.epsilon == 0:
            raise ParameterError("epsilon must be above 0: actions that are never tried would bias regrets.")

    def solver(self, form: Tree | RulesForm, seed: int = 0, workers: int | Executor | None = None) -> Solver:
        """See `Method`; the search has no target."""
        if isinstance(form, RulesForm):
            solver: Solver = load_reference("tefuda.solvers.sampled.sampler:RulesSolver")(form, self, seed)
            return solver
        return OosSolver(form, self, seed)


class OosSolver(TreeSolver):
    """Online outcome sampling on a tree. Without a target it is outcome sampling with a growing memory.

    Raises:
        ParameterError: public targets need rules, which the tree does not have.
    """

    def __init__(self, tree: Tree, method: OnlineSampling, seed: int = 0) -> None:
        self.tree, self.method, self.iterations, self.nodes = tree, method, 0, 0
        self._histories = traversal_histories(tree)
        self._key = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
        self._memory = kernels.Memory(
            np.zeros(tree.rows), np.zeros(tree.rows), np.zeros(tree.rows, np.uint8), np.ones(len(tree.player), np.uint8)
        )
        depth, width = longest_history(tree) + 1, int(tree.child_count.max())
        steps, sigma = np.zeros((depth, 4), dtype=np.int64), np.zeros((depth, width))
        self._scratch = kernels.Scratch(steps, np.zeros((depth, 3)), np.zeros(width), np.zeros(width), sigma)
        self.advance(0)  # loads the kernel

    def set_target_infoset(self, infoset: int) -> None:
        """Set the target to an infoset."""
        self._memory.on_target[:] = self._on_target(infoset)

    def set_target(self, trace: Sequence[Hashable], player: int) -> None:
        """Set the target to the player's infoset with the last entry of a trace.

        Raises:
            UnknownNameError: there is no such infoset.
        """
        self.set_target_infoset(self.tree.number((player, trace[-1])))

    def _on_target(self, infoset: int) -> np.ndarray:
        """Return a mask `[N]` of the histories before, in and after the target."""
        inside = self.tree.infoset == infoset
        if self.method.target == "public":
            if self.tree.game is None:
                raise ParameterError(
                    f"public targets need the rules of {self.tree.name}; this tree has none, use target='infoset'."
                )
            state = public_states(self.tree)
            inside = np.isin(self.tree.infoset, np.flatnonzero(state == state[infoset]))
        on_target, parent = inside.copy(), self.tree.parent
        for node in range(1, len(on_target)):  # parents have smaller numbers than their children
            on_target[node] |= on_target[parent[node]]
        for node in np.flatnonzero(inside).tolist():
            while (node := int(parent[node])) >= 0 and not on_target[node]:
                on_target[node] = True
        return on_target

    def advance(self, iterations: int) -> None:
        """See `Solver`; an iteration plays one episode for every player."""
        delta = 0.0 if self._memory.on_target.all() else self.method.delta
        numbers = (float(delta), float(self.method.epsilon), float(self.method.gamma))
        self.nodes += kernels.search(
            self._histories, self._memory, self._scratch, *numbers, self._key, self.iterations, iterations
        )
        self.iterations += iterations

    def strategy(self, player: int, key: Hashable, actions: Sequence[Hashable] = ()) -> list[float]:
        """Return the average strategy at an infoset; uniform if the infoset is not in memory."""
        number = self.tree.number((player, key))
        return normalised(self._memory.total[self.tree.rows_of(number)].tolist())

    def average(self) -> Profile:
        """See `Solver`; uniform at infosets not reached. Raise SolverError before the first iteration."""
        require_average(self.iterations, 0)
        return Profile.from_weights(self.tree, self._memory.total)

    def current(self) -> Profile:
        """See `Solver`: regret matching."""
        return Profile.from_weights(self.tree, np.maximum(self._memory.regret, 0.0))

    def arrays(self) -> dict[str, np.ndarray]:
        return self._memory._asdict()

    def ranges(self) -> dict[str, tuple[float, float]]:
        return {"total": NOT_NEGATIVE, "added": (0, 1), "on_target": (0, 1)}
