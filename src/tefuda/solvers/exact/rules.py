"""CFR with update rules of the user: a Python function over arrays of infosets.

The traversal of the sequence form is compiled. The function is called once an iteration for all infosets of a player
with the same number of actions, with views of the solver's arrays.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import itertools
import textwrap
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

from tefuda._kernels.programs import WEIGHT
from tefuda.errors import ParameterError, shortened
from tefuda.forms.programs import program
from tefuda.forms.sequence import SequenceForm, sequence_form
from tefuda.forms.tree import Tree
from tefuda.solvers.exact.cfr import CFRMethod, CfrSolver
from tefuda.solvers.protocol import Method

_SINGLE_PRECISION = 1e-6  # tolerance of a strategy's sum, for strategies in float32


@dataclass(frozen=True)
class UpdateRule(Method):
    """A CFR method of the user, with a function that updates the regrets of many infosets at once.

    The function is called as ``update(regrets, utilities, strategy, iteration, *state, **settings)`` for m infosets of
    one player with k actions each:

    - `regrets` and the arrays of `state` are `[k, m]`, 0 at the start; the function changes them in place.
    - `utilities` `[k, m]` are the counterfactual utilities of the actions.
    - `strategy` `[k, m]` is the current strategy.
    - `iteration` counts from 1.

    It returns the next strategy `[k, m]`, or a pair of the next strategy and the weights `[m]` of `strategy` in the
    average, in place of ``iteration ** averaging``.

    Args:
        name: name in tables and folders.
        update: the function, defined with ``def`` in a module or file.
        state: names of further arrays, which are saved with a run.
        settings: keyword arguments of the function.
        order: see `CFRMethod`.
        averaging: see `CFRMethod`.
        delay: see `CFRMethod`.
        convention: see `CFRMethod`.

    Raises:
        ParameterError: a value is out of range, or the function cannot be called with these arguments.

    >>> def cfr_plus(regrets, utilities, strategy, iteration):
    ...     regrets += utilities - (strategy * utilities).sum(axis=0)
    ...     np.maximum(regrets, 0, out=regrets)
    ...     return td.evaluating.match_regrets(regrets, axis=0)
    >>> rule = td.solvers.UpdateRule("my-cfr+", cfr_plus, averaging=1)
    >>> td.solve(td.load_game("kuhn"), rule, iterations=100)
    Solution(kuhn, my-cfr+, 100 done, NashConv 0.00239, finished)
    """

    name: str
    update: Callable[..., Any]
    state: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    order: str = "alternating"
    averaging: float | tuple[float, float] = 0.0
    delay: int = 0
    convention: str = "own"

    reported = "better"
    floor = 0.0
    opponent = "regret"
    precision = "double"

    def __post_init__(self) -> None:
        self.schedule(1, 0)  # validates the fields that a CFRMethod has too
        object.__setattr__(self, "state", tuple(self.state))
        if not all(isinstance(name, str) and name.isidentifier() for name in self.state):
            raise ParameterError(f"state of {self.name} must be a tuple of names, got {shortened(self.state)}.")
        try:
            if not inspect.isfunction(_python_function(self.update)):
                raise TypeError("not a function")
            inspect.signature(_python_function(self.update)).bind(*range(4 + len(self.state)), **self.settings)
        except TypeError as error:
            signature = ", ".join(("regrets", "utilities", "strategy", "iteration", *self.state, *self.settings))
            raise ParameterError(
                f"update of {self.name} must be a function update({signature}), got {shortened(self.update)}: {error}."
            ) from None

    def solver(self, form: Tree, seed: int = 0, workers: int | Executor | None = None) -> RuleSolver:
        return RuleSolver(form, self, form=sequence_form(form))  # type: ignore[arg-type]  # has the fields of a CFRMethod that a solver reads

    def schedule(self, first: int, count: int) -> np.ndarray:
        """Return the numbers of the average, `[count, 7]`; see `CFRMethod.schedule`."""
        method = CFRMethod(
            self.name, order=self.order, averaging=self.averaging, delay=self.delay, convention=self.convention
        )
        return method.schedule(first, count)

    def parameters(self) -> dict[str, Any]:
        """Return the options as JSON values; the function is given by name and digest of its source."""
        function = _python_function(self.update)
        return {**super().parameters(), "update": function.__qualname__, "source": _digest(function)}


def _python_function(function: Any) -> FunctionType:
    """Return the Python function of a function compiled with numba, or the function itself."""
    python: FunctionType = getattr(function, "py_func", function)
    return python


@functools.cache
def _digest(function: FunctionType) -> str:
    """Return a digest of a function's source without comments and layout, or else of its bytecode."""
    try:
        text = ast.unparse(ast.parse(textwrap.dedent(inspect.getsource(function))))
    except (OSError, SyntaxError):
        text = repr((function.__code__.co_code, function.__code__.co_consts))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:16]}"


class RuleSolver(CfrSolver):
    """The solver of an `UpdateRule` on a tree; splitting the iterations does not change the result."""

    method: UpdateRule

    def _prepare(self) -> None:
        super()._prepare()
        self._order, blocks = _layout(self._form)
        count, position = len(self._order), np.zeros(self._form.sequences, dtype=np.int64)
        position[self._order] = np.arange(count)
        arrays = np.zeros((4 + len(self.method.state), count))
        self._utilities, self._weights, regrets, self._strategy, *state = arrays
        self._strategy[:] = self._g[self._order]
        names, rows = ("regret", "g", *(f"state_{name}" for name in self.method.state)), position[self._form.sequence]
        saved = zip(names, (regrets, self._strategy, *state), strict=True)
        self._saved = {name: (array, rows) for name, array in saved} | {"average": self._saved["average"]}
        visible = (regrets, self._utilities, self._strategy, *state, self._weights)
        self._views = [
            [[array[first : first + k * m].reshape(k, m) for array in visible] for first, k, m in own] for own in blocks
        ]
        ends = np.cumsum([sum(k * m for _, k, m in own) for own in blocks]).tolist()
        self._own = [slice(start, end) for start, end in itertools.pairwise([0, *ends])]
        layout, players = self._work.layout, range(self.tree.players)
        self._utility = self._work["u"]
        self._evaluations = [program(layout.gather(player), layout.fold_mean(player)) for player in players]
        self._realisations = [program(layout.realise(player)) for player in players]
        self._accumulations = [program(layout.accumulate(player)) for player in players]
        self._evaluate(0)  # loads the kernel, so that timings contain only iterations

    def _realise(self) -> None:
        self._g[self._order] = self._strategy
        super()._realise()

    def _iterate(self, rules: np.ndarray) -> None:
        players, together = range(self.tree.players), self.method.order == "simultaneous"
        for iteration, rule in enumerate(rules, self.iterations + 1):
            for player in players if together else ():
                self._evaluate(player)
            for player in players:
                if not together:
                    self._evaluate(player)
                self._update(player, iteration, rule)
        self._check()

    def _evaluate(self, player: int) -> None:
        """Set the counterfactual utilities of one player's actions against the current strategies."""
        self._work.run(self._evaluations[player])
        own = self._own[player]
        # Without checks of indices: twice as fast.
        np.take(self._utility, self._order[own], out=self._utilities[own], mode="clip")

    def _update(self, player: int, iteration: int, rule: np.ndarray) -> None:
        """Update the regrets, strategy and average of one player."""
        method, early, weighted = self.method, player > 0 or not self._late, False
        for regrets, utilities, strategy, *state, weights in self._views[player]:
            answer = method.update(regrets, utilities, strategy, iteration, *state, **method.settings)
            if isinstance(answer, tuple):
                answer, weights[:] = answer
                weighted = True
            if np.shape(answer) != strategy.shape:
                got = shortened(answer)
                raise ParameterError(f"rule {method.name} must return a strategy of shape {strategy.shape}, got {got}.")
            strategy[:] = answer
        if early:
            self._accumulate(player, rule, weighted)
        self._g[self._order[self._own[player]]] = self._strategy[self._own[player]]
        self._work.run(self._realisations[player])
        if not early:
            self._accumulate(player, rule, weighted)

    def _accumulate(self, player: int, rule: np.ndarray, weighted: bool) -> None:
        """Add a player's realisation plan to its average, with the weights that the rule returned, if any."""
        if weighted:
            own = self._own[player]
            order = self._order[own]
            self._average[order] += rule[WEIGHT] * self._weights[own] * self._x[order]
        else:
            self._work.run(self._accumulations[player], rule[None])

    def _check(self) -> None:
        """Raise ParameterError unless the strategies are distributions and no weight is negative."""
        for _, _, strategy, *_, weights in itertools.chain.from_iterable(self._views):
            sums = strategy.sum(axis=0)
            if not ((strategy >= 0).all() and np.allclose(sums, 1, rtol=0, atol=_SINGLE_PRECISION)):
                raise ParameterError(
                    f"rule {self.method.name} must return probabilities that sum to 1 over axis 0, got "
                    f"{shortened(strategy)}; td.evaluating.match_regrets(regrets, axis=0) does."
                )
            if not ((weights >= 0) & (weights < np.inf)).all():
                raise ParameterError(
                    f"rule {self.method.name} must return weights of at least 0, got {shortened(weights[0])}."
                )


def _layout(form: SequenceForm) -> tuple[np.ndarray, list[list[tuple[int, int, int]]]]:
    """Order the sequences such that all infosets of a player with k actions form one array `[k, m]`.

    Returns the sequences `[R]` in this order, and (first position, k, m) of each array of each player.
    """
    order: list[np.ndarray] = []
    blocks: list[list[tuple[int, int, int]]] = []
    first = 0
    for start, end in itertools.pairwise(form.group_span.tolist()):
        groups, own = form.groups[start:end].astype(np.int64), []
        for k in np.unique(groups[:, 2]).tolist():
            parts = [base + np.arange(k * m).reshape(k, m) for _, m, count, base in groups.tolist() if count == k]
            block = np.concatenate(parts, axis=1)
            order.append(block.ravel())
            own.append((first, *block.shape))
            first += block.size
        blocks.append(own)
    return np.concatenate(order), blocks
