"""A phantom game as its referee sees it: all infosets, and the exact evaluation of strategies.

C cells, I infosets and S sequences of a player, n infosets of a batch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import ParameterError, SizeError, check_range, shortened
from tefuda.forms.form import Form, Saved, Size
from tefuda.games.catalogue import load_game
from tefuda.games.size import free_memory
from tefuda.phantom.kernels import numbering, sweeps
from tefuda.phantom.kernels import walk as kernels
from tefuda.phantom.rules import PhantomGame
from tefuda.phantom.simulator import BoardSimulator
from tefuda.solvers.learned.policies import EncodedPolicy
from tefuda.solvers.protocol import Policy
from tefuda.workers import ProgressFunction

CELLS = 9  # of the largest board
BATCH = 65_536  # infosets that a policy answers for at once
#: Sequences of both players with 9 cells, classical and abrupt, and the bytes of a sequence in all arrays of a solver.
_SEQUENCES, _BYTES = {False: 1.3e7, True: 5e7}, 80
_LISTED = 1 << 22  # room for the lists of the walk
_ROOM = 1 << 12  # sequences of a player in the first try of the numbering
_GROWTH = 16

#: Numbers of a player's sequences, such as the probabilities of a strategy: `[S]` for each player.
Pair = tuple[np.ndarray, np.ndarray]
#: Function of player, tries `[n, C]` int8 (see `BoardSimulator`) and legal cells `[n, C]`: weights `[n, C]`.
BatchPolicy = Callable[[int, np.ndarray, np.ndarray], np.ndarray]


class PhantomValues(NamedTuple):
    """The exact evaluation of a strategy.

    Attributes:
        value: value to player 0.
        responses: value of each player's best response.
        gains: gain of each player's best response.

    >>> phantom.referee("dark_hex", rows=2, columns=2).evaluate().gains
    (1.0, 0.25)
    """

    value: float
    responses: tuple[float, float]

    @property
    def gains(self) -> tuple[float, float]:
        return (self.responses[0] - self.value, self.responses[1] + self.value)

    @property
    def nash_conv(self) -> float:
        """The sum of the gains."""
        return sum(self.responses)

    @property
    def exploitability(self) -> float:
        """Half of NashConv."""
        return self.nash_conv / 2


@dataclass(frozen=True, eq=False)
class Referee(Form):
    """A phantom game with all infosets numbered, built by `referee`.

    Attributes:
        game: the rules.
        tables: the infosets and sequences of both players, see `kernels.walk`.
        pairs: number of pairs of timed stones that the walk visits.
        listed: number of infosets in the lists of these pairs.
    """

    game: PhantomGame = field()
    tables: tuple[kernels.Player, kernels.Player] = field(repr=False)
    pairs: int = 0
    listed: int = 0

    representation = "referee"
    methods = "tefuda.phantom.solver:METHODS"
    method = "pcfr+"
    evaluator = "tefuda.phantom.solver:PhantomExploitability"

    @classmethod
    def size_of(cls, game: PhantomGame, fields: Mapping[str, Any]) -> Size:
        """See `Form`: sequences of both players, an upper bound below 9 cells."""
        if len(game.action_labels) > CELLS:
            return Size({"sequences": math.inf}, math.inf, free_memory())
        sequences = _SEQUENCES[game.abrupt]
        return Size({"sequences": sequences}, _BYTES * sequences, free_memory())

    @classmethod
    def require_room(cls, game: PhantomGame, fields: Mapping[str, Any]) -> None:
        if not isinstance(game, PhantomGame):
            raise ParameterError(f"game must be a phantom game, such as load_game('dark_hex'); got {shortened(game)}.")
        cells = len(game.action_labels)
        if cells > CELLS:
            raise SizeError(
                f"a referee evaluates boards of at most {CELLS} cells, got {cells}. Sample larger ones: "
                'td.solve(game, "outcome"), tefuda solve --method outcome.'
            )
        wanted, free = _BYTES * _SEQUENCES[game.abrupt], free_memory()
        if cells == CELLS and wanted > free:
            raise SizeError(f"{game.name} needs {wanted / 1e9:.1f} GB of memory; {free / 1e9:.1f} GB are free.")

    @classmethod
    def build(cls, game: PhantomGame, saved: Saved, building: object = None) -> Referee:
        cls.require_room(game, saved.fields)
        return _referee(game)

    @cached_property
    def simulator(self) -> BoardSimulator:
        """The simulator, which encodes infosets for networks."""
        return BoardSimulator(self.game)

    @property
    def board(self) -> kernels.Board:
        """The rules for kernels."""
        return _board(self.game)

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
        self, plans: Pair, wanted: tuple[bool, bool] = (True, True), threads: int = 1,
        progress: ProgressFunction = lambda done, of: None,
    ) -> Pair:  # fmt: skip
        """Return the utility of each sequence against the opponent's plan, without later play.

        The bits do not depend on the threads: each takes all games with a first cell, and sums are added in order.
        """
        cells, (own, total) = len(self.game.action_labels), self.zeros()
        parts = [np.zeros(len(total) if wanted[1] else 1) for _ in range(threads)]

        def walk(first: int, part: np.ndarray) -> None:
            kernels.accumulate(self.board, self.tables, plans, (own, part), wanted, _stack(self.game), first)

        with ThreadPoolExecutor(threads) as pool:
            for begin in range(0, cells, threads):  # player 0's sequences are those of one first cell
                firsts = range(begin, min(begin + threads, cells))
                list(pool.map(walk, firsts, parts))
                for first, part in zip(firsts, parts, strict=False):
                    if wanted[1]:
                        total += part
                    part.fill(0.0)
                    progress(first + 1, cells)
        return own, total

    def evaluate(
        self, policy: Any = None, *, threads: int = 1, progress: ProgressFunction = lambda done, of: None
    ) -> PhantomValues:
        """Return value and best responses of a strategy, exactly.

        Args:
            policy: see `probabilities`.
            threads: number of threads; the result has the same bits with any number.
            progress: called with the work done and its total.

        Raises:
            ParameterError: the policy is not a strategy of this game.
        """
        check_range("threads", threads, 1, CELLS)
        strategy = self.probabilities(policy, progress)
        plans = self.plans(strategy)
        found = self.utilities(plans, threads=threads, progress=progress)
        value = float(plans[0] @ found[0])
        responses = [float(sweeps.respond(table, u)) for table, u in zip(self.tables, found, strict=True)]
        return PhantomValues(value, (responses[0], responses[1]))

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
        answer, table, done = self._batched(policy), self.zeros(), 0
        for player, weights in enumerate(table):
            for rows, tries, legal in self.batches(player):
                found = np.asarray(answer(player, tries, legal), dtype=np.float64)
                if found.shape != legal.shape:
                    raise ParameterError(f"the policy must return weights of shape {legal.shape}, got {found.shape}.")
                weights[rows] = found[legal]
                progress(done := done + len(tries), sum(self.infosets))
        return table

    def _batched(self, policy: Any) -> BatchPolicy:
        """Return a policy as a function of batches."""
        simulator = self.simulator
        if isinstance(policy, EncodedPolicy) and isinstance(policy.encoder.simulator, BoardSimulator):
            function = policy.function
            return lambda player, tries, legal: function(player, simulator.inputs(tries), legal)
        if hasattr(policy, "strategy"):
            return lambda player, tries, legal: self._asked(policy, player, tries, legal)
        if callable(policy):
            return policy
        raise ParameterError(f"policy must be weights, a function or a strategy; got {shortened(policy)}.")

    def _asked(self, policy: Policy, player: int, tries: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """Return the weights `[n, C]` of a policy, asked infoset by infoset."""
        found, labels = np.zeros(legal.shape), np.array(self.game.action_labels)
        for row, (known, cells) in enumerate(zip(tries.tolist(), legal, strict=True)):
            found[row, cells] = policy.strategy(player, self.game.view_of(known), tuple(labels[cells].tolist()))
        return found

    def batches(self, player: int) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """Yield the sequences of `BATCH` infosets of a player, their tries `[n, C]` and legal cells `[n, C]`."""
        table, cells = self.tables[player], len(self.game.action_labels)
        tries = np.empty((len(table.parent), cells), dtype=np.int8)
        sweeps.orders(table, tries)
        end = 1
        for first in range(0, len(tries), BATCH):
            batch = tries[first : first + BATCH]
            rows = slice(end, end := end + int(table.actions[first : first + BATCH].sum()))
            yield rows, batch, self.simulator.untried(batch)

    def first_sequence(self, player: int, view: Any) -> int:
        """Return the first sequence of a player's infoset by its view; 0 if there is none."""
        first, tried = 1, 0
        for cell, taken in self.game.tries(view):
            place = sum(1 for other in range(cell) if not tried >> other & 1)
            first = int(self.tables[player].child[2 * (first + place) + taken])
            tried |= 1 << cell
            if not first:
                return 0
        return first


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
        first = self.form.first_sequence(player, key)
        weights = self.weights[player][first : first + len(actions)] if first else np.zeros(len(actions))
        total = weights.sum()
        return list((weights / total if total > 0 else np.full(len(actions), 1 / len(actions))).tolist())


def referee(game: PhantomGame | str = "dark_hex", /, **parameters: Any) -> Referee:
    """Return a phantom game with all infosets numbered, in about 3 s of CPU for 9 cells.

    Args:
        game: the rules, or the name of a phantom game.
        parameters: arguments of the game's constructor, with a name.

    Raises:
        ParameterError: another game.
        SizeError: more than 9 cells, or more memory than is free.

    >>> phantom.referee("dark_hex", rows=2, columns=2).infosets
    (17, 53)
    """
    rules = load_game(game, **parameters) if isinstance(game, str) else game
    return Referee.build(rules, Saved())  # type: ignore[arg-type]


@lru_cache(maxsize=2)
def _referee(game: PhantomGame) -> Referee:
    """Return the numbered game; the room for its arrays grows until they fit."""
    room = _ROOM
    while True:
        tables = tuple(
            kernels.Player(np.empty(2 * room, np.int32), np.empty(room, np.int32), np.empty(room, np.int8))
            for _ in range(2)
        )
        counts = np.zeros((2, 2), dtype=np.int64)
        pairs, listed = numbering.number(_board(game), tables, counts, _stack(game))
        if pairs >= 0:
            first, second = (
                kernels.Player(
                    table.child[: 2 * sequences].copy(), table.parent[:found].copy(), table.actions[:found].copy()
                )
                for table, (found, sequences) in zip(tables, counts.tolist(), strict=True)
            )
            return Referee(game, (first, second), pairs, listed)
        room *= _GROWTH


def _board(game: PhantomGame) -> kernels.Board:
    return kernels.Board(len(game.action_labels), game.wins, game.abrupt)


def _stack(game: PhantomGame) -> kernels.Stack:
    """Return room for a walk: two lists of the root, and a frame for each try."""
    depth = 2 * len(game.action_labels) + 4
    frames, sums = np.zeros((depth, kernels.COLUMNS), dtype=np.int64), np.zeros((depth, 2))
    return kernels.Stack(frames, np.empty(_LISTED, dtype=np.int64), np.empty(_LISTED, dtype=np.int64), sums)
