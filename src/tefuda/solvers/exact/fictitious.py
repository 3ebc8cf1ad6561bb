"""Fictitious play: on matrix games, in extensive form (XFP), and by sampled self-play (FSP).

Brown 1951; Heinrich, Lanctot, Silver 2015, "Fictitious self-play in extensive-form games". In the sequence form an
average of realisation plans is itself a plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from tefuda._kernels import fictitious
from tefuda.errors import ParameterError, check_range
from tefuda.evaluating.profile import Profile
from tefuda.files import COUNT, NOT_NEGATIVE
from tefuda.forms.programs import Workspace, realised, sections
from tefuda.forms.sequence import sequence_form
from tefuda.forms.simulate import longest_history, traversal_histories
from tefuda.forms.tree import Tree
from tefuda.settings import option
from tefuda.solvers.protocol import Method, TreeSolver, require_average


def matrix_fictitious_play(
    payoffs: np.ndarray, iterations: int, *, start: Sequence[int] | None = None
) -> list[np.ndarray]:
    """Run fictitious play on a matrix game: all players respond to past actions simultaneously.

    Args:
        payoffs: payoffs of the players, `[A0, ..., A(P-1), P]`.
        iterations: number of actions that each player chooses, including the first.
        start: first actions of the players. Default: 0. Ties go to the lowest action.

    Returns:
        The counts of each player's actions. Divided by `iterations`, they are the average strategies (kawamura2018,
        equation 1).

    Raises:
        ParameterError: a number is out of range.

    >>> import numpy as np
    >>> pennies = np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> counts = td.solvers.matrix_fictitious_play(np.stack([pennies, -pennies], axis=-1), 1000)
    >>> (counts[0] / 1000).round(1).tolist()
    [0.5, 0.5]
    """
    payoffs = np.asarray(payoffs, dtype=np.float64)
    if payoffs.ndim < 2 or payoffs.shape[-1] != payoffs.ndim - 1:
        raise ParameterError(f"payoffs must have the shape [A0, ..., A(P-1), P], got {payoffs.shape}.")
    check_range("iterations", iterations, 1)
    players = payoffs.shape[-1]
    counts = [np.zeros(size, dtype=np.int64) for size in payoffs.shape[:-1]]
    chosen = list(start or [0] * players)
    for _ in range(iterations):
        for player, action in enumerate(chosen):
            counts[player][action] += 1
        chosen = [int(expected_payoffs(payoffs[..., player], counts, player).argmax()) for player in range(players)]
    return counts


def expected_payoffs(table: np.ndarray, weights: Sequence[np.ndarray], player: int) -> np.ndarray:
    """Return `[A_i]` the expected payoffs of a player's actions, by weights of the other players' actions.

    Integers stay integers.
    """
    for opponent in reversed(range(len(weights))):
        if opponent != player:
            table = np.tensordot(table, weights[opponent], axes=(opponent, 0))
    return table


@dataclass(frozen=True)
class FictitiousPlay(Method):
    """Extensive-form fictitious play with exact best responses.

    Args:
        name: name in tables.
        averaging: exponent g of the weights t^g; 0: fictitious play.
        tremble: share of uniform play in every response before it is averaged.
        aware: whether responses are optimal given their trembles.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> solution = td.solve(tree, td.solvers.FictitiousPlay(), iterations=100)
    >>> solution.nash_conv < 0.1
    True
    """

    name: str = "xfp"
    averaging: float = option(0.0, 0, 50)
    tremble: float = option(0.0, 0, 1)
    aware: bool = False

    def solver(self, form: Tree, seed: int = 0, workers: int | Executor | None = None) -> XfpSolver:
        return XfpSolver(form, self)


class XfpSolver(TreeSolver):
    """The solver of fictitious play on a tree; the average starts with uniform play of weight 1."""

    def __init__(self, tree: Tree, method: FictitiousPlay) -> None:
        self.tree, self.method, self._form, self.iterations = tree, method, sequence_form(tree), 0
        self._work, self._mass = Workspace(self._form, "total g x u"), np.ones(1)
        self._total, self._g = self._work["total"], self._work["g"]
        self._g[:] = self._form.spread(Profile.uniform(tree).probabilities)
        self._total[:] = realised(self._form, self._g)
        # Ties are relative to the largest payoff, so the unit of payoffs does not change responses.
        self._values = self._form.values.copy()
        self._values[len(self._form.block_matrix) :] /= self._form.scale
        self._values.setflags(write=False)  # like the form's, so that kernels are compiled once
        layout = self._work.layout
        self._steps = sections([*layout.gather(player), layout.realise(player)] for player in range(tree.players))
        self.advance(0)  # loads the kernel

    def advance(self, iterations: int) -> None:
        """See `Solver`; all players respond to the average, then the responses are averaged."""
        numbers = np.arange(self.iterations + 1, self.iterations + iterations + 1, dtype=np.float64)
        weights = numbers**self.method.averaging
        fictitious.iterate(
            self._form.index, self._values, self._work.state, *self._steps, self._form.span, weights,
            float(self.method.tremble), self.method.aware, self._total, self._mass, self._work["x"], self._work["u"],
            self._g,
        )  # fmt: skip
        self.iterations += iterations

    def average(self) -> Profile:
        """See `Solver`; the average includes uniform play at the start."""
        return Profile.from_weights(self.tree, self._total[self._form.sequence])

    def current(self) -> Profile:
        """See `Solver`: the last best responses."""
        return Profile.from_weights(self.tree, self._g[self._form.sequence])

    def arrays(self) -> dict[str, np.ndarray]:
        return {"total": self._total, "mass": self._mass, "g": self._g}

    def ranges(self) -> dict[str, tuple[float, float]]:
        return dict.fromkeys(self.arrays(), NOT_NEGATIVE)


@dataclass(frozen=True)
class FictitiousSelfPlay(Method):
    """Tabular fictitious self-play from samples: best responses by Q-learning, averages by counting.

    The defaults are those of Heinrich's thesis, section 5.6.2, with step size 0.05 / (1 + 0.003 sqrt(t)) and
    temperature 1 / (1 + 0.02 sqrt(t)).

    Args:
        name: name in tables.
        averages: number of games of the average profile in an iteration.
        responses: number of games of each player's best response against the opponents' averages.
        replays: number of stored episodes that update each player's values in an iteration.
        capacity: number of episodes stored for each player.

    >>> td.solvers.FictitiousSelfPlay("mine", capacity=1000).parameters()["capacity"]
    1000
    """

    name: str = "fsp"
    averages: int = option(2, 0, float("inf"))
    responses: int = option(1, 1)
    replays: int = option(30, 1)
    capacity: int = option(40_000, 1)

    default_iterations = 100_000

    def solver(self, form: Tree, seed: int = 0, workers: int | Executor | None = None) -> FspSolver:
        return FspSolver(form, self, seed)


class FspSolver(TreeSolver):
    """The solver of fictitious self-play on a tree."""

    def __init__(self, tree: Tree, method: FictitiousSelfPlay, seed: int = 0) -> None:
        self.tree, self.method, self.iterations = tree, method, 0
        self._histories = traversal_histories(tree)
        self._key = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
        self._values, self._counts = np.zeros(tree.rows), np.zeros(tree.rows)
        depth, shape = longest_history(tree), (tree.players, method.capacity)
        self._episodes = fictitious.Episodes(
            rows=np.zeros((*shape, depth), dtype=np.int32),
            length=np.zeros(shape, dtype=np.int32),
            payoff=np.zeros(shape),
            stored=np.zeros(tree.players, dtype=np.int64),
        )
        self._played = np.zeros((tree.players, depth), dtype=np.int64)
        self._infoset_of_row, self._first_row = tree.infoset_of_row.astype(np.int64), tree.first_row.astype(np.int64)
        self.advance(0)  # loads the kernel

    def advance(self, iterations: int) -> None:
        fictitious.self_play(
            self._histories, self._first_row, self._infoset_of_row,
            self._values, self._counts, self._episodes, self.method.averages, self.method.responses,
            self.method.replays, self._key, self.iterations + 1, iterations, self._played,
            np.zeros(self.tree.players, dtype=np.int64),
        )  # fmt: skip
        self.iterations += iterations

    def average(self) -> Profile:
        """See `Solver`; uniform where all counts are 0. Raise SolverError before the first iteration."""
        require_average(self.iterations, 0)
        return Profile.from_weights(self.tree, self._counts)

    def current(self) -> Profile:
        """See `Solver`: the first action with the largest value."""
        values, first = self._values, self.tree.first_row
        best = [first[i] + values[first[i] : first[i + 1]].argmax() for i in range(self.tree.infosets)]
        weights = np.zeros(self.tree.rows)
        weights[best] = 1.0
        return Profile(self.tree, weights)

    def arrays(self) -> dict[str, np.ndarray]:
        return {"values": self._values, "counts": self._counts, **self._episodes._asdict()}

    def ranges(self) -> dict[str, tuple[float, float]]:
        depth, last = self._episodes.rows.shape[-1], self.tree.rows - 1
        return {"counts": NOT_NEGATIVE, "rows": (0, last), "length": (0, depth), "stored": COUNT}
