"""The base classes of all methods and solvers, and the protocol of strategies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from tefuda.errors import SolverError
from tefuda.evaluating.profile import Profile
from tefuda.files import array_specs, check_arrays
from tefuda.forms.form import Form
from tefuda.forms.tree import Tree
from tefuda.settings import Validated, options

#: The strategy that a method reports: its average, its last iterate, or the better of the two.
ANSWERS = ("average", "current", "better")


@dataclass(frozen=True)
class AnyMethod(Validated, ABC):
    """The base of all methods: ways of solving, whose fields are their options.

    name: in tables and files. unit: of `advance`, ``"iterations"``, ``"games"`` or ``"solves"``. answer: the strategy
    that it reports, one of `ANSWERS`. enough: number of units, when no goal is given. delay: iterations left out of the
    average at the start. counts_nodes: whether its solvers count the histories they visit. extra: the extra of tefuda
    that it needs. accepts: representations of the forms that it solves, the preferred one first. parallel: whether it
    takes workers. close_enough: the evaluator's figure at which to stop when no goal is given, in place of `enough`.

    >>> isinstance(td.find_method("cfr+"), td.AnyMethod)
    True
    """

    name: str

    unit = "iterations"
    answer = "average"
    enough = 1000
    delay = 0
    counts_nodes = False
    extra = ""
    accepts: ClassVar[tuple[str, ...]] = ("tree", "partition")
    parallel = False
    close_enough: ClassVar[float | None] = None

    @property
    def growth(self) -> float:
        """The least factor by which iterations grow from point to point of a curve; larger where answers are costly."""
        return 1.0

    @abstractmethod
    def solver(self, form: Any, seed: int = 0, workers: int | Executor | None = None) -> Solver:
        """Return a new solver of a form that the method accepts, but of no partition: `make_solver` checks this.

        workers: processes, or an executor, for methods that are `parallel`; the result does not depend on them.
        """

    def parameters(self) -> dict[str, Any]:
        """Return everything that defines the method: its options by their flat names, as JSON values."""
        found = options(self).items()
        return {name: list(value) if isinstance(value, tuple) else value for name, value in found}


class Policy(Protocol):
    """A strategy that is asked infoset by infoset: a profile, or one learned without a tree.

    >>> profile = td.Profile.uniform(td.compile_game(td.load_game("kuhn")))
    >>> profile.strategy(0, "K|", ("p", "b"))
    [0.5, 0.5]
    """

    def strategy(self, player: int, key: Hashable, actions: Sequence[Hashable]) -> list[float]:
        """Return the probability of each action for a player with this view."""


class TablePolicy:
    """A strategy as weights of the actions by (player, key); uniform where there are none."""

    def __init__(self, weights: Mapping[Any, Sequence[float]]) -> None:
        self.weights = weights

    def strategy(self, player: int, key: Hashable, actions: Sequence[Hashable]) -> list[float]:
        """See `Policy`."""
        return normalised(self.weights.get((player, key), [0.0] * len(actions)))


def normalised(weights: Sequence[float]) -> list[float]:
    """Return weights divided by their sum; uniform without any."""
    total = sum(weights)
    return [weight / total for weight in weights] if total > 0 else [1 / len(weights)] * len(weights)


class Solver(ABC):
    """The base of all solvers: methods at work on a form of a game.

    method: its method. iterations: number run so far, in the method's unit. nodes: histories visited so far, by methods
    that count them.

    >>> solver = td.make_solver(td.compile_game(td.load_game("kuhn")), "cfr+")
    >>> solver.advance(10)
    >>> isinstance(solver, td.Solver), solver.iterations
    (True, 10)
    """

    method: Any
    iterations: int
    nodes: int = 0

    @property
    @abstractmethod
    def form(self) -> Form:
        """The form of the game that is solved."""

    @property
    def game(self) -> Any:
        """The game: its tree, or its rules where there is none."""
        return self.form.game

    @abstractmethod
    def advance(self, iterations: int) -> None:
        """Run a number of iterations more, in the method's unit."""

    @abstractmethod
    def average(self) -> Any:
        """Return the average strategy so far: a `Profile` of a tree, else a `Policy`."""

    @abstractmethod
    def current(self) -> Any:
        """Return the current strategy: a `Profile` of a tree, else a `Policy`."""

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that are the solver's state, not copied; unused where `state` and `restore` are defined."""
        raise NotImplementedError(f"{type(self).__name__} must define arrays(), or state() and restore().")

    def ranges(self) -> dict[str, tuple[float, float]]:
        """Return the least and the greatest value of some of `arrays`: `restore` refuses others."""
        return {}

    def state(self) -> dict[str, np.ndarray]:
        """Return copies of everything that determines how the solver continues."""
        counts = ("iterations", "nodes") if self.method.counts_nodes else ("iterations",)
        found = self.arrays() | {name: np.array(getattr(self, name)) for name in counts}
        return {name: array.copy() for name, array in found.items()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Set the state that `state` returned.

        Raises:
            RunError: the state is of another game or method, or was changed.
        """
        check_arrays("the state", state, array_specs(self.state(), **self.ranges()))
        for name, array in self.arrays().items():
            array[...] = state[name]
        for name in state.keys() - self.arrays().keys():
            setattr(self, name, int(state[name]))

    def log(self) -> list[dict[str, float]]:
        """Return rows about the iterations run by this object, for training.csv; none unless it learns."""
        return []

    def close(self) -> None:  # noqa: B027 (most solvers have nothing to close)
        """Stop workers, if there are any; new ones start if the solver is used again."""


class TreeSolver(Solver):
    """The base of solvers of a compiled game, whose strategies are profiles of `tree`.

    >>> isinstance(td.make_solver(td.load_game("kuhn"), "cfr+"), td.TreeSolver)
    True
    """

    tree: Tree
    partition: Form | None = None

    @property
    def form(self) -> Form:
        """See `Solver`: the tree, or the partition of it that is solved."""
        return self.partition or self.tree

    @property
    def game(self) -> Tree:
        """See `Solver`: the tree."""
        return self.tree

    @abstractmethod
    def average(self) -> Profile:
        """See `Solver`."""

    @abstractmethod
    def current(self) -> Profile:
        """See `Solver`."""


def require_average(iterations: int, delay: int) -> None:
    """Raise SolverError if no iteration has entered the average yet."""
    if iterations <= delay:
        raise SolverError(
            f"the average is empty after {iterations} iterations with delay {delay}; run more iterations "
            "than the delay."
        )
