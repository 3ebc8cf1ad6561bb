"""What methods and solvers offer, whatever their family: base classes that say it once, with defaults."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from tefuda.errors import SolverError
from tefuda.files import check_arrays, like
from tefuda.forms.form import Form
from tefuda.forms.tree import Tree
from tefuda.judging.profile import Profile
from tefuda.settings import Checked, options

#: The profile that is a method's answer: its average strategies, its last iterate, or the better of the two.
ANSWERS = ("average", "current", "better")


@dataclass(frozen=True)
class AnyMethod(Checked, ABC):
    """A way of solving: fields say with which numbers, the class what its solvers offer. `cfr.Method` is one of them.

    name: how it is called. unit: what `advance` counts, ``"iterations"`` or ``"games"``. answer: which profile is what
    it found, one of `ANSWERS`. enough: of the unit, when no goal is given. delay: iterations left out of the average at
    the start. counts_nodes: whether its solvers count the histories they visit. extra: what must be installed besides.
    accepts: representations of the forms that it solves, the preferred one first. parallel: whether it takes workers.
    close_enough: the evaluator's figure at which to stop when no goal is given, in place of `enough` iterations.

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
        """By which factor iterations grow from point to point of a curve at least: more where answers are work."""
        return 1.0

    @abstractmethod
    def solver(self, form: Any, seed: int = 0, workers: int | Executor | None = None) -> Solver:
        """Return a new solver. `make_solver` refuses forms and workers that the method does not accept.

        Args:
            form: a form of one of the representations in `accepts`; no partition, which `make_solver` solves by its
                tree.
            seed: random seed.
            workers: processes, or an executor, for methods that are `parallel`; the result does not depend on them.
        """

    def parameters(self) -> dict[str, Any]:
        """Everything that defines the method: its options by their flat names, as JSON values."""
        return {name: _plain(value) for name, value in options(self).items()}


def _plain(value: Any) -> Any:
    """A field's value as JSON has it."""
    return list(value) if isinstance(value, tuple) else value


class Policy(Protocol):
    """What is played, asked infoset by infoset: a profile, or what was learned without a tree.

    >>> profile = td.Profile.uniform(td.compile_game(td.load_game("kuhn")))
    >>> profile.strategy(0, "K|", ("p", "b"))
    [0.5, 0.5]
    """

    def strategy(self, player: int, key: Hashable, actions: Sequence[Hashable]) -> list[float]:
        """The probability of each action for a player with this view."""


class UniformPolicy:
    """Every action with the same probability."""

    def strategy(self, player: int, key: Hashable, actions: Sequence[Hashable]) -> list[float]:
        """See `Policy`."""
        return [1 / len(actions)] * len(actions)


class Solver(ABC):
    """The one face of every solver.

    method: what made it. iterations: how many were run, in the method's unit. nodes: histories visited so far, by
    methods that count them. form: the form of the game.

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
    def form(self) -> Any:
        """The form that is solved."""

    @property
    def game(self) -> Any:
        """The game: its tree, or its rules where there is none."""
        return self.form.game

    @abstractmethod
    def advance(self, iterations: int) -> None:
        """Go on by so many iterations (or games, or whatever the method's unit is)."""

    @abstractmethod
    def average(self) -> Any:
        """The average strategies so far: a `Profile` of a tree, else a `Policy`."""

    @abstractmethod
    def current(self) -> Any:
        """The strategies in force: a `Profile` of a tree, else a `Policy`."""

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that are the solver's state, not copied; unused where `state` and `restore` are defined."""
        raise NotImplementedError(f"{type(self).__name__} must define arrays(), or state() and restore().")

    def ranges(self) -> dict[str, tuple[float, float]]:
        """Return the least and the greatest value of some of `arrays`: `restore` refuses others."""
        return {}

    def state(self) -> dict[str, np.ndarray]:
        """Return copies of everything that determines how the run goes on."""
        counts = ("iterations", "nodes") if self.method.counts_nodes else ("iterations",)
        found = self.arrays() | {name: np.array(getattr(self, name)) for name in counts}
        return {name: array.copy() for name, array in found.items()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go on from what `state` returned.

        Raises:
            RunError: the state is of another game or method, or was changed.
        """
        check_arrays("the state", state, like(self.state(), **self.ranges()))
        for name, array in self.arrays().items():
            array[...] = state[name]
        for name in state.keys() - self.arrays().keys():
            setattr(self, name, int(state[name]))

    def log(self) -> list[dict[str, float]]:
        """What iterations run here took and left, a row each, for a run's training.csv: nothing, unless learned."""
        return []

    def close(self) -> None:  # noqa: B027 (most solvers have nothing to close)
        """Stop workers, if there are any; they start anew if the solver is used again."""


class TreeSolver(Solver):
    """A solver of a compiled game: its strategies are profiles of `tree`. Solvers of the user derive from it.

    >>> isinstance(td.make_solver(td.load_game("kuhn"), "cfr+"), td.TreeSolver)
    True
    """

    tree: Tree

    @property
    def form(self) -> Form:
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
