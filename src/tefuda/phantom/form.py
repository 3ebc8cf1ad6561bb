"""A phantom game as its referee sees it: all infosets, and the exact evaluation of strategies.

C cells, I infosets and S sequences of a player, n infosets of a batch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, SizeError, check_range, shortened
from tefuda.evaluating.values import ProfileEvaluation
from tefuda.forms.form import Form, Saved, Size
from tefuda.games.catalogue import load_game
from tefuda.games.size import free_memory
from tefuda.phantom.kernels import sweeps
from tefuda.phantom.kernels import walk as kernels
from tefuda.phantom.rules import REFEREED, PhantomGame, require_phantom
from tefuda.phantom.simulator import BoardSimulator
from tefuda.solvers.learned.policies import EncodedPolicy
from tefuda.solvers.protocol import normalised
from tefuda.workers import ProgressFunction

BATCH = 65_536  # infosets that a policy answers for at once
#: Sequences of both players with 9 cells, classical and abrupt, and the bytes of a sequence in all arrays of a solver.
_SEQUENCES, _BYTES = {False: 1.3e7, True: 5e7}, 80
#: Sequences of a player with 9 cells on which no set of stones wins, an upper bound; a cell less divides it by over 4.
_MOST = {False: 13_400_000, True: 77_000_000}
_LISTED = 1 << 12  # more than the lists of the walk on such a board

#: Numbers of a player's sequences, such as the probabilities of a strategy: `[S]` for each player.
Pair = tuple[np.ndarray, np.ndarray]
#: Function of player, tries `[n, C]` int8 (see `BoardSimulator`) and legal cells `[n, C]`: weights `[n, C]`.
BatchPolicy = Callable[[int, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class Referee(Form):
    """A phantom game with all infosets numbered, built by `referee`.

    Attributes:
        game: the rules.
        tables: the infosets and sequences of both players, see `kernels.walk`.
        pairs: number of pairs of timed stones that the walk visits.
    """

    game: PhantomGame = field()
    tables: tuple[kernels.Player, kernels.Player] = field(repr=False)
    pairs: int = 0

    representation = "referee"
    methods = "tefuda.phantom.solver:METHODS"
    method = "pcfr+"
    evaluator = "tefuda.phantom.solver:PhantomExploitability"

    @classmethod
    def size_of(cls, game: PhantomGame, fields: Mapping[str, Any]) -> Size:
        """See `Form`: sequences of both players, an upper bound below 9 cells."""
        sequences = _SEQUENCES[game.abrupt] if len(game.action_labels) <= REFEREED else math.inf
        return Size({"sequences": sequences}, _BYTES * sequences, free_memory())

    @classmethod
    def require_room(cls, game: PhantomGame, fields: Mapping[str, Any]) -> None:
        require_phantom(game)
        if (cells := len(game.action_labels)) > REFEREED:
            raise SizeError(
                f"a referee evaluates boards of at most {REFEREED} cells, got {cells}. Sample larger ones: "
                'td.solve(game, "outcome"), tefuda solve --method outcome.'
            )
        wanted, free = _BYTES * _SEQUENCES[game.abrupt], free_memory()
        if cells == REFEREED and wanted > free:
            raise SizeError(f"{game.name} needs {wanted / 1e9:.1f} GB of memory; {free / 1e9:.1f} GB are free.")

    @classmethod
    def build(cls, game: PhantomGame, saved: Saved, building: object = None) -> Referee:
        cls.require_room(game, saved.fields)
        return _referee(game)

    @property
    def infosets(self) -> tuple[int, int]:
        """Number of infosets of each player."""
        return len(self.tables[0].parent), len(self.tables[1].parent)

    @property
    def sequences(self) -> tuple[int, int]:
        """Number of sequences of each player, with the empty one."""
        return len(self.tables[0].child) // 2, len(self.tables[1].child) // 2

    def zeros(self) -> Pair:
        """Return zeros for all sequences."""
        return np.zeros(self.sequences[0]), np.zeros(self.sequences[1])

    def plans(self, strategy: Pair) -> Pair:
        """Return the realisation plans of a strategy of probabilities."""
        plans = self.zeros()
        for table, probabilities, plan in zip(self.tables, strategy, plans, strict=True):
            sweeps.realise(table, probabilities, plan)
        return plans

    def utilities(
        self, plans: Pair, players: tuple[int, ...] = (0, 1), threads: int = 1,
        progress: ProgressFunction = lambda done, of: None,
    ) -> Pair:  # fmt: skip
        """Return the utility of each sequence of some players against the opponent's plan, without later play.

        Other players have empty arrays. The bits do not depend on the threads: each takes all games with a first cell,
        and sums are added in order.
        """
        cells = len(self.game.action_labels)
        own, total = (np.zeros(count * (player in players)) for player, count in enumerate(self.sequences))
        parts = [np.zeros_like(total) for _ in range(threads)]

        def walk(first: int, part: np.ndarray) -> None:
            kernels.walk(_board(self.game), self.tables, plans, (own, part), _stack(self.game, 1 << first))

        with ThreadPoolExecutor(threads) as pool:
            for begin in range(0, cells, threads):  # player 0's sequences are those of one first cell
                firsts = range(begin, min(begin + threads, cells))
                list(pool.map(walk, firsts, parts))
                for first, part in zip(firsts, parts, strict=False):
                    total += part
                    part.fill(0.0)
                    progress(first + 1, cells)
        return own, total

    def evaluate(
        self, policy: Any = None, *, threads: int = 1, progress: ProgressFunction = lambda done, of: None
    ) -> ProfileEvaluation:
        """Return value and best responses of a strategy, exactly.

        Args:
            policy: see `probabilities`.
            threads: number of threads; the result has the same bits with any number.
            progress: called with the work done and its total.

        Raises:
            ParameterError: the policy is not a strategy of this game.
        """
        check_range("threads", threads, 1, REFEREED)
        strategy = self.probabilities(policy, progress)
        plans = self.plans(strategy)
        found = self.utilities(plans, threads=threads, progress=progress)
        value = float(plans[0] @ found[0])
        best = [sweeps.respond(table, utility) for table, utility in zip(self.tables, found, strict=True)]
        return ProfileEvaluation(np.array([value, -value]), np.array(best))

    def probabilities(self, policy: Any = None, progress: ProgressFunction = lambda done, of: None) -> Pair:
        """Return the probability of each sequence's last action.

        Args:
            policy: weights of all sequences `[S]` for each player, whose first number is not read; a `BatchPolicy`;
                a strategy of networks or any `Policy`; None: uniform.
            progress: called with the number of infosets done and their total.

        Raises:
            ParameterError: weights that are negative, not finite, or of another shape.
        """
        if isinstance(policy, RefereePolicy):
            policy = policy.weights
        if policy is None:
            policy = self.zeros()
        elif not isinstance(policy, (tuple, list)):
            policy = self._tabulated(policy, progress)
        shapes = [np.shape(weights) for weights in policy]
        if shapes != [(count,) for count in self.sequences]:
            raise ParameterError(f"weights must have the shapes {self.sequences} of sequences, got {shapes}.")
        strategy = self.zeros()
        for player, weights in enumerate(policy):
            numbers = np.ascontiguousarray(weights, dtype=np.float64)
            if (bad := sweeps.normalise(self.tables[player], numbers, strategy[player])) >= 0:
                raise ParameterError(
                    f"weights must be finite and not negative; infoset {bad} of player {player} has others."
                )
        return strategy

    def _tabulated(self, policy: Any, progress: ProgressFunction) -> Pair:
        """Return the weights of a policy at all infosets, asked for in batches."""
        simulator, weights, done = BoardSimulator(self.game), self.zeros(), 0
        answer = _batched(policy, simulator)
        for player, table in enumerate(self.tables):
            end, every = 1, np.empty((len(table.parent), simulator.units), dtype=np.int8)
            sweeps.orders(table, every)
            for first in range(0, len(every), BATCH):
                tries = every[first : first + BATCH]
                legal = simulator.untried(tries)
                found = np.asarray(answer(player, tries, legal), dtype=np.float64)
                if found.shape != legal.shape:
                    raise ParameterError(f"the policy must return weights of shape {legal.shape}, got {found.shape}.")
                begin, end = end, end + int(legal.sum())
                weights[player][begin:end] = found[legal]
                progress(done := done + len(tries), sum(self.infosets))
        return weights


def _batched(policy: Any, simulator: BoardSimulator) -> BatchPolicy:
    """Return a policy as a function of batches."""
    if isinstance(policy, EncodedPolicy) and isinstance(policy.encoder.simulator, BoardSimulator):
        return lambda player, tries, legal: policy.function(player, simulator.inputs(tries), legal)
    if not hasattr(policy, "strategy"):
        if not callable(policy):
            raise ParameterError(f"policy must be weights, a function or a strategy; got {shortened(policy)}.")
        return policy
    game, labels = simulator.game, np.array(simulator.game.action_labels)

    def ask(player: int, tries: np.ndarray, legal: np.ndarray) -> np.ndarray:
        found = np.zeros(legal.shape)
        for row, (known, cells) in enumerate(zip(tries.tolist(), legal, strict=True)):
            found[row, cells] = policy.strategy(player, game.view_of(known), tuple(labels[cells].tolist()))
        return found

    return ask


@dataclass(frozen=True, eq=False)
class RefereePolicy:
    """A strategy of all infosets of a phantom game, a `Policy`; uniform where its weights are 0.

    Attributes:
        form: the game.
        weights: weights of all sequences for each player.
    """

    form: Referee
    weights: Pair = field(repr=False)

    def strategy(self, player: int, key: Any, actions: Sequence[Any]) -> list[float]:
        first, tried, child = 1, 0, self.form.tables[player].child
        for cell, taken in self.form.game.tries(key):
            first = int(child[2 * (first + cell - (tried & (1 << cell) - 1).bit_count()) + taken])
            tried |= 1 << cell
            if not first:  # not an infoset
                return normalised([0.0] * len(actions))
        return normalised(self.weights[player][first : first + len(actions)].tolist())


def referee(game: PhantomGame | str = "dark_hex", /, **parameters: Any) -> Referee:
    """Return a phantom game with all infosets numbered, in about 3 s of CPU for 9 cells.

    Args:
        game: the rules, or the name of a phantom game.
        parameters: arguments of the game's constructor, with a name.

    Raises:
        ParameterError: another game.
        SizeError: more than 9 cells, or more memory than is free.

    >>> td.phantom.referee("dark_hex", rows=2, columns=2).infosets
    (17, 53)
    """
    rules = load_game(game, **parameters) if isinstance(game, str) else game
    return Referee.build(rules, Saved())  # type: ignore[arg-type]


@lru_cache(maxsize=2)
def _referee(game: PhantomGame) -> Referee:
    """Return the numbered game."""
    cells = len(game.action_labels)
    room, none = _MOST[game.abrupt] >> 2 * (REFEREED - cells), np.zeros(0)
    tables = tuple(  # pages of zeros take no memory before they are written
        kernels.Player(np.zeros(2 * room, "i4"), np.zeros(room, "i4"), np.zeros(room, "i1"), np.array([0, 1]))
        for _ in range(2)
    )
    stack = _stack(game, (1 << cells) - 1)
    pairs = kernels.walk(_board(game), tables, (none, none), (none, none), stack)
    first, second = (
        kernels.Player(child[: 2 * counts[1]], parent[: counts[0]], actions[: counts[0]], counts)
        for child, parent, actions, counts in tables
    )
    return Referee(game, (first, second), pairs)


def _board(game: PhantomGame) -> kernels.Board:
    return kernels.Board(len(game.action_labels), game.wins, game.abrupt)


def _stack(game: PhantomGame, firsts: int) -> kernels.Stack:
    """Return the root of a walk that starts with some first cells, as bits, and room for its frames."""
    depth = 2 * len(game.action_labels) + 4
    frames, sums = np.zeros((depth, kernels.COLUMNS), dtype=np.int64), np.zeros((depth, 2))
    frames[:2, kernels.LIST], frames[2, kernels.LEFT] = (1, 2), firsts
    return kernels.Stack(frames, np.zeros(_LISTED, dtype=np.int64), np.zeros(_LISTED, dtype=np.int64), sums)
