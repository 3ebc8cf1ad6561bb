"""The base classes of all methods and solvers, and the protocol of strategies."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, ClassVar, Protocol

import numpy as np

from tefuda.errors import SolverError
from tefuda.evaluating.profile import Profile
from tefuda.files import NOT_NEGATIVE, array_specs, check_arrays
from tefuda.forms.form import Form
from tefuda.forms.tree import Tree
from tefuda.games.protocol import Label, View, infoset_name
from tefuda.lazy import load_reference
from tefuda.settings import Validated, options
from tefuda.words import count, escaped

#: The strategy that a method reports: its average, its last iterate, or the better of the two.
REPORTED = ("average", "current", "better")
_PRINTED = 12  # infosets in the text of a table, as in that of a profile


@dataclass(frozen=True)
class Method(Validated, ABC):
    """The base class of all solving methods; the fields of a method are its options.

    Attributes:
        name: name in tables and files.
        source: key in docs/references.md of the paper that introduced the method; no option, and not compared.
        unit: unit of an iteration: ``"iterations"``, ``"games"`` or ``"solves"``.
        reported: the strategy that the method reports, one of `REPORTED`.
        default_iterations: number of iterations if no goal is given.
        default_until: figure of the evaluator at which to stop if no goal is given, or None: `default_iterations`.
        delay: iterations left out of the average at the start.
        counts_nodes: whether solvers of the method count the histories they visit.
        extra: the extra of tefuda that the method needs, or an empty string.
        accepts: representations of the forms that the method solves, the preferred one first.
        parallel: whether the method uses workers.
        rounds: whether iterations are few and long, so that each one is a point of the curve.
        example: a game that the method solves, as on the command line.

    >>> isinstance(td.find_method("cfr+"), td.Method)
    True
    """

    name: str
    source: str = field(default="", kw_only=True, compare=False, repr=False)

    unit = "iterations"
    reported = "average"
    default_iterations = 1000
    delay = 0
    counts_nodes = False
    extra = ""
    accepts: ClassVar[tuple[str, ...]] = ("tree", "partition")
    parallel = False
    rounds = False
    default_until: ClassVar[float | None] = None
    example = "kuhn"

    @property
    def growth(self) -> float:
        """Least factor between iterations of the curve's points; larger if computing a strategy is slow."""
        return 1.0

    @abstractmethod
    def solver(self, form: Any, seed: int = 0, workers: int | Executor | None = None) -> Solver:
        """Return a new solver of a form that the method accepts and that is not a partition.

        `make_solver` checks the form, and solves partitions.

        Args:
            form: the form of a game.
            seed: random seed.
            workers: number of processes or threads, or an executor, for `parallel` methods. The result does not
                depend on it.
        """

    def require(self, form: Any) -> None:
        """Raise GameError if the method cannot solve the game of a form that it accepts, as `solver` does."""

    def default_evaluator(self, form: Form) -> Any:
        """Return the evaluator of a run if none is given: by default, that of the form."""
        return load_reference(form.evaluator)()

    def parameters(self) -> dict[str, Any]:
        """Return the options of the method by their flat names, as JSON values."""
        items = options(self).items()
        return {name: list(value) if isinstance(value, tuple) else value for name, value in items}


class Policy(Protocol):
    """A strategy that gives action probabilities for any infoset, such as a profile or a network.

    >>> profile = td.Profile.uniform(td.compile_game(td.load_game("kuhn")))
    >>> profile.strategy(0, "K|", ("p", "b"))
    [0.5, 0.5]
    """

    def strategy(self, player: int, key: View, actions: Sequence[Label], /) -> list[float]:
        """Return the probability of each action at an infoset.

        Args:
            player: the player to move.
            key: the player's view.
            actions: the legal actions.
        """


class TablePolicy:
    """A strategy in a table of action weights by (player, key); uniform at other infosets."""

    def __init__(self, weights: Mapping[Any, Sequence[float]]) -> None:
        self.weights = weights

    def __repr__(self) -> str:
        return f"TablePolicy({count(len(self.weights), 'infosets')})"

    def __str__(self) -> str:
        """Return the first infosets, with probabilities in the order of the actions."""
        lines = [repr(self)]
        for place in islice(self.weights, _PRINTED):
            name = escaped(infoset_name(*place)).replace("\n", "\\n")[:80]
            lines.append(" ".join((f"{name} ", *(f"{chance:.3f}" for chance in normalised(self.weights[place])))))
        return "\n".join(lines + ["..."] * (len(self.weights) > _PRINTED))

    def strategy(self, player: int, key: View, actions: Sequence[Label]) -> list[float]:
        return normalised(self.weights.get((player, key), [0.0] * len(actions)))


def normalised(weights: Sequence[float]) -> list[float]:
    """Return weights divided by their sum; uniform if the sum is 0."""
    total = sum(weights)
    return [weight / total for weight in weights] if total > 0 else [1 / len(weights)] * len(weights)


class Solver(ABC):
    """The base class of all solvers. A solver runs a method on a form of a game.

    Attributes:
        method: the method.
        iterations: number of iterations so far, in the method's unit.
        nodes: number of histories visited so far, for methods that count them; others leave 0.
        limit: seconds that `advance` should take at most; solvers with long programs pass it to them.

    >>> solver = td.make_solver(td.compile_game(td.load_game("kuhn")), "cfr+")
    >>> solver.advance(10)
    >>> isinstance(solver, td.Solver), solver.iterations
    (True, 10)
    """

    method: Any
    iterations: int
    nodes: int = 0
    limit: float = math.inf

    @property
    def finished(self) -> bool:
        """True if further iterations change nothing."""
        return False

    @property
    @abstractmethod
    def form(self) -> Form:
        """The form of the game that is solved."""

    @abstractmethod
    def advance(self, iterations: int) -> None:
        """Run more iterations, in the method's unit."""

    @abstractmethod
    def average(self) -> Any:
        """Return the average strategy so far: a `Profile` of a tree, else a `Policy`."""

    @abstractmethod
    def current(self) -> Any:
        """Return the current strategy: a `Profile` of a tree, else a `Policy`."""

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of the solver's state, not copied.

        A solver that defines `state` and `restore` does not need this method.
        """
        raise NotImplementedError(f"{type(self).__name__} must define arrays(), or state() and restore().")

    def ranges(self) -> dict[str, tuple[float, float]]:
        """Return the least and greatest allowed values by name of an array; `restore` checks them."""
        return {}

    def state(self) -> dict[str, np.ndarray]:
        """Return a copy of the state that `restore` needs to continue with the same results."""
        counts = ("iterations", "nodes") if self.method.counts_nodes else ("iterations",)
        arrays = self.arrays() | {name: np.array(getattr(self, name)) for name in counts}
        return {name: array.copy() for name, array in arrays.items()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Restore a state that `state` returned.

        Raises:
            RunError: the state belongs to another game or method, or was changed.
        """
        check_arrays("the state", state, array_specs(self.state(), **self.ranges()))
        for name, array in self.arrays().items():
            array[...] = state[name]
        for name in state.keys() - self.arrays().keys():
            setattr(self, name, int(state[name]))

    def log(self) -> list[dict[str, float]]:
        """Return the rows of training.csv for the iterations of this object; only learners have any."""
        return []

    def close(self) -> None:  # noqa: B027 (most solvers have no workers)
        """Stop the workers, if any; using the solver again starts new ones."""


class TreeSolver(Solver):
    """The base class of solvers of a compiled game. Their strategies are profiles of `tree`.

    Attributes:
        tree: the compiled game.
        partition: the partition of the tree that is solved, or None.

    >>> isinstance(td.make_solver(td.load_game("kuhn"), "cfr+"), td.solvers.TreeSolver)
    True
    """

    tree: Tree
    partition: Form | None = None

    @property
    def form(self) -> Form:
        """See `Solver`: the partition that is solved, or else the tree."""
        return self.partition or self.tree

    @abstractmethod
    def average(self) -> Profile:
        """See `Solver`."""

    @abstractmethod
    def current(self) -> Profile:
        """See `Solver`."""


class LastAnswerSolver(TreeSolver):
    """The base class of solvers whose answer is the strategy of their last iteration, not an average."""

    def average(self) -> Profile:
        """See `Solver`: the last answer. Raise SolverError before the first iteration."""
        require_average(self.iterations, 0)
        return self.current()


class ProgramSolver(LastAnswerSolver):
    """The base class of solvers that solve a program in the first iteration; others change nothing."""

    @property
    def finished(self) -> bool:
        return self.iterations > 0

    def advance(self, iterations: int) -> None:
        """See `Solver`; the first iteration solves the program."""
        if self.iterations == 0 and iterations > 0:
            self.solve()
        self.iterations += iterations

    @abstractmethod
    def solve(self) -> None:
        """Solve the program."""


class WrappedSolver(TreeSolver):
    """The base class of solvers that run another solver and change some of its answers.

    Attributes:
        inner: the other solver.
    """

    def __init__(self, inner: TreeSolver) -> None:
        self.inner, self.tree, self.partition, self.method = inner, inner.tree, inner.partition, inner.method

    @property
    def iterations(self) -> int:  # type: ignore[override]
        return self.inner.iterations

    @property
    def nodes(self) -> int:  # type: ignore[override]
        return self.inner.nodes

    @property
    def finished(self) -> bool:
        return self.inner.finished

    def advance(self, iterations: int) -> None:
        self.inner.limit = self.limit
        self.inner.advance(iterations)

    def average(self) -> Profile:
        return self.inner.average()

    def current(self) -> Profile:
        return self.inner.current()

    def state(self) -> dict[str, np.ndarray]:
        return self.inner.state()

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        self.inner.restore(state)

    def log(self) -> list[dict[str, float]]:
        return self.inner.log()

    def close(self) -> None:
        self.inner.close()


class TableSolver(TreeSolver):
    """The base class of solvers with a `strategy` and sums of the average, `total`, of each row."""

    def average(self) -> Profile:
        """See `Solver`; uniform at infosets not reached. Raise SolverError if the average is empty."""
        require_average(self.iterations, self.method.delay)
        return Profile.from_weights(self.tree, self.arrays()["total"])

    def current(self) -> Profile:
        return Profile.from_weights(self.tree, self.arrays()["strategy"])

    def ranges(self) -> dict[str, tuple[float, float]]:
        return {"strategy": (0, 1), "total": NOT_NEGATIVE}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        super().restore(state)
        Profile(self.tree, self.arrays()["strategy"].copy())  # raises an error unless these are probabilities


def require_average(iterations: int, delay: int) -> None:
    """Raise SolverError if the average contains no iteration yet."""
    if iterations <= delay:
        raise SolverError(
            f"the average is empty after {iterations} iterations with delay {delay}; run more than {delay} iterations."
        )
