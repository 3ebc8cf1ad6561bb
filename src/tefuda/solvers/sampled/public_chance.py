"""Public chance sampling: iterations of CFR on a sampled board, for all hands at once.

Johanson, Bard, Lanctot, Gibson, Bowling 2012, "Efficient Nash equilibrium approximation through Monte Carlo
counterfactual regret minimization". An iteration takes the time of the board's part of the game, and its
utilities are unbiased (boards.py).
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from tefuda._kernels.programs import CLIP, COLUMNS, DECAY, NEGATIVE, POSITIVE, WEIGHT
from tefuda.evaluating.profile import Profile
from tefuda.forms.programs import Workspace, program
from tefuda.forms.sequence import sequence_form
from tefuda.forms.tree import Tree
from tefuda.settings import option
from tefuda.solvers.protocol import Method, TableSolver
from tefuda.solvers.sampled.boards import board_form, boards

_DRAWS = 1024  # boards that are drawn at once
_SAVED = ("regret", "strategy", "total")  # rows of the tables


@dataclass(frozen=True)
class PublicSampling(Method):
    """CFR that samples the outcomes of public chance only.

    In a game without public chance it is CFR.

    Args:
        name: name in tables.
        clip: whether stored regrets are clipped at 0 (regret matching plus).
        averaging: exponent g of the weights max(t - delay, 0)^g in the average.
        delay: iterations left out of the average at the start.

    Raises:
        ParameterError: a value is out of range.

    >>> td.solve(td.load_game("leduc"), "public-chance", iterations=20).iterations
    20
    """

    name: str = "public-chance"
    clip: bool = False
    averaging: float = option(0.0, 0, 50)
    delay: int = option(0, 0, float("inf"))

    reported = "better"
    counts_nodes = True

    def solver(self, form: Tree, seed: int = 0, workers: int | Executor | None = None) -> PublicSolver:
        return PublicSolver(form, self, seed)

    def schedule(self, first: int, count: int) -> np.ndarray:
        """Return the numbers of the update from iteration `first` on, `[count, 8]`; columns as in the kernel."""
        t = np.arange(first, first + count, dtype=np.float64)
        rules = np.zeros((count, COLUMNS))
        rules[:, [POSITIVE, NEGATIVE, DECAY]] = 1.0
        rules[:, CLIP] = self.clip
        rules[:, WEIGHT] = np.where(t > self.delay, np.maximum(t - self.delay, 1.0) ** self.averaging, 0.0)
        return rules


class PublicSolver(TableSolver):
    """The solver of a `PublicSampling`; `nodes` counts the histories of the boards, once for each player."""

    def __init__(self, tree: Tree, method: PublicSampling, seed: int) -> None:
        self.tree, self.method, self.seed, self.iterations, self.nodes = tree, method, seed, 0, 0
        self.tables = np.zeros((len(_SAVED), tree.rows + 1))  # the last column is for empty sequences
        self.tables[1, :-1] = Profile.uniform(tree).probabilities
        sequence_form(tree)  # refuses imperfect recall
        self._boards = boards(tree)
        self._ends = np.cumsum(self._boards.probability[self._boards.complete])
        self._drawn = (-1, np.zeros(0, dtype=np.int64))
        self._parts = dict[int, BoardIteration]()

    def advance(self, iterations: int) -> None:
        """See `Solver`; an iteration updates every player once on one board."""
        while iterations > 0:
            chunk = min(iterations, _DRAWS)
            for rule in self.method.schedule(self.iterations + 1, chunk)[:, None]:
                self._iterate(self.iterations + 1, rule)
            iterations -= chunk

    def _iterate(self, iteration: int, rule: np.ndarray) -> None:
        board = self.board(iteration)
        if board not in self._parts:
            self._parts[board] = BoardIteration(self.tree, board)
        part = self._parts[board]
        part.run(self.tables, rule)
        self.nodes += part.board.histories * self.tree.players
        self.iterations = iteration

    def board(self, iteration: int) -> int:
        """Return the board of an iteration, which depends on the seed and the iteration alone."""
        block, place = divmod(iteration, _DRAWS)
        if self._drawn[0] != block:
            points = np.random.default_rng((self.seed, block)).random(_DRAWS)
            index = np.searchsorted(self._ends[:-1], points, side="right")
            self._drawn = block, self._boards.complete[index]
        return int(self._drawn[1][place])

    def arrays(self) -> dict[str, np.ndarray]:
        """See `Solver`; boards depend on seed and iteration."""
        return dict(zip(_SAVED, self.tables[:, :-1], strict=True))


class BoardIteration:
    """An iteration on one board, with the arrays that it works on."""

    def __init__(self, tree: Tree, board: int) -> None:
        self.board, players = board_form(tree, board), range(tree.players)
        self._work = Workspace(self.board.form, "regret g average expected x u v")
        self._tables = [self._work[name] for name in ("regret", "g", "average")]
        self._work["x"][self.board.form.span[:-1]] = 1.0
        layout = self._work.layout
        steps = [layout.realise(player) for player in players]
        for player in players:
            steps += [*layout.gather(player), layout.match(player), layout.accumulate(player), layout.realise(player)]
        self._steps = program(steps)

    def run(self, tables: np.ndarray, rule: np.ndarray) -> None:
        """Update the rows of the board; tables: `[3, R + 1]`, rule: `[1, 8]`."""
        for mine, table in zip(self._tables, tables, strict=True):
            table.take(self.board.rows, out=mine, mode="clip")  # without checks of indices: twice as fast
        self._work.run(self._steps, rule)
        for mine, table in zip(self._tables, tables, strict=True):
            table[self.board.rows] = mine
