"""Limit hold'em in buckets as everything else is solved: a method as a value, a solver with the one face, a judge."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tefuda.errors import ParameterError, RunError, check_range, check_seed
from tefuda.files import NOT_NEGATIVE, check_arrays, like
from tefuda.forms.tree import Tree
from tefuda.forms.uncompiled import Uncompiled
from tefuda.holdem.cards import CLASSES
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.kernels.buckets import Sorted
from tefuda.holdem.limit.buckets import Buckets
from tefuda.holdem.limit.graph import betting_graph
from tefuda.holdem.limit.local import LocalResponse, local_response
from tefuda.holdem.limit.sampler import Abstraction, LimitPolicy, LimitSampler, abstraction
from tefuda.solvers.protocol import BUCKETS, AnyMethod, Solver, TreeSolver
from tefuda.solvers.runs.judges import LongJudge, Verdict
from tefuda.workers import Counting


@dataclass(frozen=True)
class BucketMethod(AnyMethod):
    """External sampling with hands in buckets, late iterations counting more.

    Args:
        name: how it is called.
        buckets: before the flop, on flop, turn and river, see `buckets.Buckets`.
        cells: the seed of k-means.
        every: iterations between discounts, see `sampler.LimitSampler`.
        textures: kinds of turns and rivers that are told apart, see `buckets.Buckets`.
        tremble: how often others do anything, see `sampler.LimitSampler`.

    Raises:
        ParameterError: a number out of range.
    """

    name: str = "external-buckets"
    buckets: tuple[int, int, int, int] = (len(CLASSES), 20, 20, 20)
    cells: int = 0
    every: int = 10_000
    textures: tuple[int, int] = (1, 1)
    tremble: float = 0.0

    enough = 1_000_000

    def __post_init__(self) -> None:
        for name, value in (("buckets", self.sorting.counts), ("textures", self.sorting.textures)):
            object.__setattr__(self, name, value)
        check_range("every", self.every, 0)
        check_range("tremble", self.tremble, 0, 1, whole=False)

    @property
    def sorting(self) -> Buckets:
        """How hands are put into buckets."""
        return Buckets(self.buckets, self.cells, self.textures)

    def solver(self, tree: Tree, seed: int = 0) -> TreeSolver:
        """Raise ParameterError: it solves whole hands of limit hold'em, not trees."""
        raise ParameterError(f"{self.name} solves limit hold'em: tefuda.holdem.limit.solving.solve_limit.")


class BucketSolver(Solver):
    """Solves limit hold'em in buckets. The same game, method and seed give the same bits, however they are split.

    Args:
        game: whole hands, limit, with stacks that last.
        method: how many buckets.
        seed: of deals and walks.
        abstracted: the game in these buckets, if it is made already.

    Raises:
        ParameterError: another game, or a seed out of range.
    """

    held = BUCKETS

    def __init__(
        self, game: Holdem, method: BucketMethod, seed: int = 0, abstracted: Abstraction | None = None
    ) -> None:
        self.method, self.iterations, self._game = method, 0, Uncompiled(game)
        made = abstracted or abstraction(betting_graph(game.rules), method.sorting)
        self._sampler = LimitSampler(made, seed, every=method.every, tremble=method.tremble)
        self._digest = _digest(made.sorted)
        begun = self.state()
        self.advance(1)  # loads the kernel, so that clocks see iterations alone
        self.restore(begun)

    @property
    def game(self) -> Uncompiled:
        """See `Solver`."""
        return self._game

    @property
    def abstracted(self) -> Abstraction:
        """The game in buckets."""
        return self._sampler.game

    def advance(self, iterations: int) -> None:
        """See `Solver`; each deals once, and walks for every player."""
        self._sampler.advance(iterations)
        self.iterations = self._sampler.iterations

    def average(self) -> LimitPolicy:
        """The average strategies so far; uniform where no walk came."""
        return self._sampler.average()

    def current(self) -> LimitPolicy:
        """The strategies in force."""
        return self._sampler.current()

    def state(self) -> dict[str, np.ndarray]:
        """Copies of everything that determines how the run goes on; `hands` is a digest of who is in which bucket."""
        table = self._sampler.table
        return {
            "regret": table.regret.copy(),
            "total": table.total.copy(),
            "iterations": np.array(self.iterations),
            "hands": np.array(self._digest),
        }

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go on from what `state` returned.

        Raises:
            RunError: it is none of this game, or its hands were in other buckets.
        """
        check_arrays("the state", state, like(self.state(), total=NOT_NEGATIVE))
        if int(state["hands"]) != self._digest:
            raise RunError("hands were put into other buckets than this version puts them into. Begin a new run.")
        table, iterations = self._sampler.table, int(state["iterations"])
        table.regret[:], table.total[:] = state["regret"], state["total"]
        self.iterations = self._sampler.iterations = iterations


def _digest(sorted_: Sorted) -> int:
    """A checksum of who is in which bucket."""
    found = 0
    for table in (sorted_.buckets, sorted_.flop, sorted_.textures.turn, sorted_.textures.river):
        found = zlib.crc32(table.tobytes(), found)
    return found


@dataclass(frozen=True)
class LocalResponseJudge(LongJudge):
    """Judges by what a local best response wins a hand: a lower bound of what a best response does.

    All points see the same cards, so that they differ by what is played.

    Args:
        deals: how many, each in both seats.
        seed: of cards and luck.

    Raises:
        ParameterError: a value out of range.
    """

    deals: int = 1000
    seed: int = 0

    name = "local-response"
    title = "won by a local best response"
    unit = "thousandths of a big blind a hand, a lower bound"
    first = 10_000

    def __post_init__(self) -> None:
        check_range("deals", self.deals, 2, 10**8)
        check_seed(self.seed)

    def check(self, solver: Solver, until: float | None) -> None:
        """See `Judge`."""
        super().check(solver, until)
        if not isinstance(solver, BucketSolver) or solver.game.players != 2:
            raise ParameterError(
                f"judge {self.name!r} is for limit hold'em of two players in buckets; got {solver.game.title}. "
                "Choose judge 'none' (--local-response 0)."
            )

    def judge_telling(self, solver: Solver, progress: Counting) -> Verdict:
        """See `LongJudge`; uniform play before anything is learned is not judged."""
        policy = solver.average()
        if not solver.iterations:
            return Verdict("uniform", policy)
        value, half = self.response(policy, progress).millis
        return Verdict("average", policy, value, value - half, value + half)

    def response(self, policy: LimitPolicy, progress: Counting = lambda done, of: None) -> LocalResponse:
        """What a local best response wins from a strategy on these deals.

        Args:
            policy: of both seats.
            progress: told deals done and in all.
        """
        seed = np.random.SeedSequence([self.seed, 1]).generate_state(1)[0]  # no deals that a solver learned from
        return local_response(policy, self.deals, int(seed), progress=progress)
