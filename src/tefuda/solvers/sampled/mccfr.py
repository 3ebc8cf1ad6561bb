"""Monte Carlo counterfactual regret minimization (MCCFR), with sampling schemes as values.

Lanctot, Waugh, Zinkevich, Bowling 2009, "Monte Carlo sampling for regret minimization in extensive games". Regrets and
averages are unbiased for all schemes; docs/methods.md has the formulas.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tefuda._kernels import mccfr as kernels
from tefuda._kernels import updates
from tefuda._kernels.histories import FIRST_PLAYER, Histories
from tefuda._kernels.jit import handle
from tefuda.errors import ParameterError, out_of_range
from tefuda.evaluating.profile import Profile
from tefuda.forms.arrays import depths, ranges
from tefuda.forms.rules import RulesForm
from tefuda.forms.sequence import has_perfect_recall
from tefuda.forms.simulate import traversal_histories
from tefuda.forms.tree import Tree
from tefuda.lazy import load_reference
from tefuda.settings import option
from tefuda.solvers.protocol import Method, Solver, TableSolver
from tefuda.workers import Workers, chunks

SCHEMES = {
    "external": kernels.EVERY,
    "outcome": kernels.ONE,
    "uniform": kernels.SUBSET,
    "successive": kernels.SUCCESSIVE,
    "systematic": kernels.SYSTEMATIC,
    "repeated": kernels.REPEATED,
    "average": kernels.BY_AVERAGE,
    "chance": kernels.EVERY,
}
#: Rules by name: whether regrets are clipped, the exponent e of their weights t^e, the exponent of the average.
RULES = {"rm": (False, 0, 0), "rm+": (True, 0, 1), "linear": (False, 1, 1), "discounted": (False, 0, 2)}
_NEEDS_EXPLORATION = ("outcome", "successive", "systematic", "repeated", "average")
_WITHOUT_TREE = ("external", "outcome")  # schemes that also sample rules, with these values of the options:
_PLAIN = {"rule": "rm", "averaging": 0, "batch": 1, "delay": 0, "baseline": 0.0, "deal": ()}
_BLOCK = 4096  # traversals whose sums are added to the tables at once; workers send these sums
_CHUNK = 1 << 14  # iterations of one kernel call
_MOST_FOR_SETS = 12  # largest number n of actions: the recursion over sets takes 2^n steps


@dataclass(frozen=True)
class Sampling(Method):
    """Monte Carlo CFR with a sampling scheme.

    Args:
        name: name in tables.
        scheme: sampling of actions at the traverser's nodes; opponents and chance sample one action.
            ``"external"``: all actions.
            ``"outcome"``: one action by p = epsilon uniform + (1 - epsilon) strategy.
            ``"uniform"``, ``"successive"``, ``"systematic"``, ``"repeated"``: k actions (robust sampling, Li et al.
            2019), with all sets equally likely; by p without replacement (at most 12 actions); by p in one draw (Madow
            1949); by p with replacement.
            ``"average"``: each action with a probability that grows with its weight in the average (Gibson et al.
            2012).
            ``"chance"``: all actions of all players and one outcome of chance; all players are updated at once.
        k: number of actions of robust sampling; 1 for ``"outcome"``.
        epsilon: share of uniform play; for ``"average"`` the least inclusion probability.
        batch: number of traversals of a player before its strategy changes.
        rule: ``"rm"``: regret matching. ``"rm+"``: regrets are clipped at 0 after each batch (MCCFR+).
            ``"linear"``: regrets of iteration t are weighted by t. ``"discounted"``: every `period` iterations, for the
            n-th time, positive regrets are multiplied by n^1.5 / (n^1.5 + 1) and negative ones halved (Brown and
            Sandholm 2019).
        averaging: exponent g of the weights max(t - delay, 0)^g in the average. Default by rule: rm 0, rm+ and linear
            1, discounted 2.
        delay: iterations left out of the average at the start.
        baseline: learning rate of baselines for histories, which reduce the variance; 0: no baselines (VR-MCCFR, Schmid
            et al. 2019; per history as in Davis et al. 2020).
        deal: probabilities to sample the root's outcomes by; importance weights remove the bias. Empty: the game's.
        threshold: tau of ``"average"``.
        bonus: beta of ``"average"``.
        period: number of iterations between discounts.

    Raises:
        ParameterError: a value is out of range, or the scheme would be biased.

    >>> td.solve(td.load_game("kuhn"), td.solvers.Sampling("mine", batch=10), iterations=20).iterations
    20
    """

    name: str
    scheme: str = option("external", choices=SCHEMES)
    k: int = option(1, 1)
    epsilon: float = option(0.6, 0, 1)
    batch: int = option(1, 1)
    rule: str = option("rm", choices=RULES)
    averaging: float | None = option(None, 0, 50)
    delay: int = option(0, 0, float("inf"))
    baseline: float = option(0.0, 0, 1)
    deal: tuple[float, ...] = ()
    threshold: float = option(1000.0, 0, 1e12)
    bonus: float = option(1e6, 0, 1e12)
    period: int = option(1000, 1)

    reported = "better"
    counts_nodes = True
    parallel = True

    @property
    def accepts(self) -> tuple[str, ...]:  # type: ignore[override]
        """See `Method`: rules only if all options but `epsilon` have their defaults."""
        needs_tree = self.scheme not in _WITHOUT_TREE or any(
            getattr(self, name) != value for name, value in _PLAIN.items()
        )
        return ("tree", "partition") if needs_tree else ("tree", "partition", "rules")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.averaging is None:
            object.__setattr__(self, "averaging", RULES[self.rule][2])
        numbers = isinstance(self.deal, (tuple, list)) and all(isinstance(p, (int, float)) for p in self.deal)
        if not numbers or (self.deal and not (min(self.deal) > 0 and abs(sum(self.deal) - 1) <= 1e-9)):
            raise out_of_range("deal", self.deal, "a tuple of positive probabilities that sum to 1")
        object.__setattr__(self, "deal", tuple(self.deal))
        self._check_together()

    def _check_together(self) -> None:
        if self.epsilon == 0 and self.scheme in _NEEDS_EXPLORATION:
            raise ParameterError(
                f"epsilon must be above 0: with scheme {self.scheme!r} actions that are never tried bias regrets."
            )
        if self.k > 1 and self.scheme == "outcome":
            raise out_of_range("k", self.k, "1 for scheme 'outcome' (scheme 'successive' takes k actions by p)")
        if self.deal and self.scheme == "chance":
            raise out_of_range("deal", self.deal, "empty for scheme 'chance', which draws by the game's probabilities")
        if self.baseline and (self.batch > 1 or self.scheme == "chance"):
            raise ParameterError("a baseline needs batch=1 and another scheme than 'chance'; leave baseline out.")

    def solver(self, form: Tree | RulesForm, seed: int = 0, workers: int | Executor | None = None) -> Solver:
        """See `Method`; workers save time with batches of 50,000 traversals or more."""
        if isinstance(form, RulesForm):
            solver: Solver = load_reference("tefuda.solvers.sampled.sampler:RulesSolver")(form, self, seed)
            return solver
        return SamplingSolver(form, self, seed, workers)

    def schedule(self, first: int, count: int) -> np.ndarray:
        """Return weights of regrets and of the average, and clipping, from iteration `first` on, `[count, 3]`."""
        t = np.arange(first, first + count, dtype=np.float64)
        clip, exponent, _ = RULES[self.rule]
        counted = np.maximum(t - self.delay, 0.0)
        average = np.where(counted > 0, np.maximum(counted, 1.0) ** self.averaging, 0.0)
        return np.stack([t**exponent, average, np.full(count, float(clip))], axis=1)

    def numbers(self) -> kernels.Scheme:
        """Return the scheme for the kernels."""
        rate = (self.threshold, self.bonus, self.baseline)
        return kernels.Scheme(SCHEMES[self.scheme], self.k, self.epsilon, self.epsilon, *map(float, rate))


CHANCE = Sampling("chance", scheme="chance", source="zinkevich2007")
EXTERNAL = Sampling("external", source="lanctot2009")
OUTCOME = Sampling("outcome", scheme="outcome", source="lanctot2009")
ROBUST = Sampling("robust", scheme="uniform", k=2, source="li2019")
AVERAGE_STRATEGY = Sampling("average-strategy", scheme="average", epsilon=0.05, source="gibson2012")
MCCFR_PLUS = Sampling("mccfr+", rule="rm+", batch=1000, source="tammelin2014")
VR_MCCFR = Sampling("vr-mccfr", scheme="outcome", baseline=0.2, source="schmid2019")

FAMILY = (CHANCE, EXTERNAL, OUTCOME, ROBUST, AVERAGE_STRATEGY, MCCFR_PLUS, VR_MCCFR)


class BlockSums(NamedTuple):
    """The sums of one block of traversals: the lists of `Buffers` and only the entries of their infosets."""

    updated: np.ndarray  # [X, 2] int64
    gain: np.ndarray  # [rows of the X]
    averaged: np.ndarray  # [Y, 2] int64
    weight: np.ndarray  # [Y]
    nodes: int


class BlockTask(NamedTuple):
    """Blocks of one batch for a worker.

    game: key of the game.
    histories: the game's arrays, or None if the worker should have them.
    """

    game: str
    histories: Histories | None
    scheme: kernels.Scheme
    strategy: np.ndarray  # [R]
    total: np.ndarray  # [R]
    key: np.uint64
    iteration: int
    player: int
    batch: int
    blocks: range


class SamplingSolver(TableSolver):
    """The solver of a `Sampling` on a tree; `nodes` counts all histories, including chance and terminals."""

    def __init__(self, tree: Tree, method: Sampling, seed: int, workers: int | Executor | None = None) -> None:
        self.tree, self.method, self.seed, self.iterations, self.nodes = tree, method, seed, 0, 0
        self._histories = traversal_histories(tree, method.deal)
        self._game, self._scheme = handle(self._histories), handle(method.numbers())
        self._key = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
        baseline = np.zeros((len(tree.player) if method.baseline else 0, tree.players))
        uniform = Profile.uniform(tree).probabilities.copy()
        self._tables = handle(updates.Tables(np.zeros(tree.rows), uniform, np.zeros(tree.rows), baseline))
        self._buffers, self._scratch = _buffers(tree.rows, tree.infosets), _scratch(self._histories)
        self._together = method.scheme == "chance"
        self._direct = method.batch == 1 and not self._together and has_perfect_recall(tree)
        pool = Workers(workers) if workers is not None else None
        self._workers = pool if method.batch > _BLOCK else None  # a single block needs no workers
        widest = self._scratch.p.shape[0]
        if method.scheme == "successive" and widest > _MOST_FOR_SETS:
            raise ParameterError(
                f"{tree.name} has infosets of {widest} actions; scheme 'successive' takes at most {_MOST_FOR_SETS}. "
                f"Use scheme='systematic'."
            )
        self._iterate(method.schedule(1, 0))  # loads the kernels, so that timings contain only iterations

    def advance(self, iterations: int) -> None:
        """See `Solver`; an iteration is a batch of traversals for every player."""
        while iterations > 0:
            # The discount follows every `period` iterations, also if `advance` is called in between.
            left = self.method.period - self.iterations % self.method.period
            count = min(iterations, _CHUNK, left if self.method.rule == "discounted" else iterations)
            schedule = self.method.schedule(self.iterations + 1, count)
            if self._workers is None:
                self._iterate(schedule)
            else:
                self._iterate_with_workers(schedule)
            self.iterations += count
            iterations -= count
            if self.method.rule == "discounted" and self.iterations % self.method.period == 0:
                grown = (self.iterations / self.method.period) ** 1.5
                updates.discount(self._tables.regret, grown / (grown + 1), 0.5)

    def _iterate(self, schedule: np.ndarray) -> None:
        self.nodes += kernels.iterate(
            self._game, self._scheme, self._tables, schedule, self._direct, self._together, self._key,
            self.iterations + 1, self.method.batch, _BLOCK, self._buffers, self._scratch,
        )  # fmt: skip

    def _iterate_with_workers(self, schedule: np.ndarray) -> None:
        """Iterate with workers. Blocks are added here in order, so the result is the same to the bit."""
        assert self._workers is not None
        blocks = range(-(-self.method.batch // _BLOCK))
        for t, rule in enumerate(schedule):
            for player in [-1] if self._together else range(self.tree.players):
                for sums in self._block_sums(self.iterations + 1 + t, player, chunks(blocks, self._workers.count)):
                    _fill_buffers(sums, self._buffers)
                    updates.apply_buffers(self._tables, rule, self._buffers)
                    self.nodes += sums.nodes
                updates.match_pending(self._tables, rule, self._buffers)

    def _block_sums(self, iteration: int, player: int, parts: list[Any]) -> Iterable[BlockSums]:
        """Return the sums of a batch's blocks in order; send the game's arrays to workers that lack them."""
        assert self._workers is not None
        tables, scheme = self._tables, self.method.numbers()
        batch = (tables.strategy, tables.total, self._key, iteration, player, self.method.batch)
        tasks = [BlockTask(f"{self.tree.fingerprint} {self.method.deal}", None, scheme, *batch, part) for part in parts]
        results: list[list[BlockSums] | None] = list(self._workers.map(run_task, tasks))
        missing = [index for index, result in enumerate(results) if result is None]
        again = self._workers.map(run_task, [tasks[index]._replace(histories=self._histories) for index in missing])
        for index, result in zip(missing, again, strict=True):
            results[index] = result
        return [sums for result in results for sums in result or []]

    def arrays(self) -> dict[str, np.ndarray]:
        """See `Solver`; random numbers depend on seed and iteration."""
        return self._tables._asdict()

    def close(self) -> None:
        if self._workers is not None:
            self._workers.close()


class _WorkerState(threading.local):
    """The arrays of the last game of a worker."""

    game = ""  # key of the game
    parts: tuple[Histories, updates.Buffers, kernels.Scratch]


_worker_state = _WorkerState()


def run_task(task: BlockTask) -> list[BlockSums] | None:
    """Traverse the blocks of a task in a worker; return None if the worker lacks the game's arrays."""
    if _worker_state.game != task.game:
        if task.histories is None:
            return None
        rows = len(task.strategy)
        _worker_state.game = task.game
        _worker_state.parts = task.histories, _buffers(rows, rows), _scratch(task.histories)
    histories, buffers, scratch = _worker_state.parts
    no_regret, no_baseline = np.zeros(0), np.zeros((0, histories.payoffs.shape[1]))
    tables = handle(updates.Tables(no_regret, np.array(task.strategy), np.array(task.total), no_baseline))
    game, scheme = handle(histories), handle(task.scheme)
    blocks = []
    for block in task.blocks:
        first = block * _BLOCK
        nodes = kernels.run_block(
            game, scheme, tables, np.zeros(3), False, task.key, task.iteration, task.player, first,
            min(_BLOCK, task.batch - first), buffers, scratch,
        )  # fmt: skip
        blocks.append(_empty_buffers(buffers, nodes))
    return blocks


def _empty_buffers(buffers: updates.Buffers, nodes: int) -> BlockSums:
    """Move the sums out of the buffers."""
    updated, averaged = buffers.updated[: buffers.lengths[0]].copy(), buffers.averaged[: buffers.lengths[1]].copy()
    rows, first_rows = ranges(*updated.T), averaged[:, 0]
    sums = BlockSums(updated, buffers.gain[rows], averaged, buffers.weight[first_rows], nodes)
    buffers.gain[rows] = buffers.weight[first_rows] = 0.0
    buffers.marks[updated[:, 0]] = buffers.marks[first_rows] = 0
    buffers.lengths[:2] = 0
    return sums


def _fill_buffers(sums: BlockSums, buffers: updates.Buffers) -> None:
    """Copy the sums of a block into empty buffers."""
    lists = (
        (sums.updated, buffers.updated, updates.UPDATED),
        (sums.averaged, buffers.averaged, updates.AVERAGED),
    )
    for index, (infosets, buffer, mark) in enumerate(lists):
        buffer[: len(infosets)], buffers.lengths[index] = infosets, len(infosets)
        buffers.marks[infosets[:, 0]] |= np.uint8(mark)
    buffers.gain[ranges(*sums.updated.T)] = sums.gain
    buffers.weight[sums.averaged[:, 0]] = sums.weight


def _buffers(rows: int, infosets: int) -> updates.Buffers:
    updated, averaged, pending = np.zeros((3, infosets, 2), dtype=np.int64)
    marks = np.zeros(rows, dtype=np.uint8)
    return handle(
        updates.Buffers(np.zeros(rows), np.zeros(rows), updated, averaged, pending, np.zeros(3, np.int64), marks)
    )


def _scratch(histories: Histories) -> kernels.Scratch:
    """Return scratch arrays for the longest path and the most actions of a game."""
    nodes, players = histories.nodes, histories.payoffs.shape[1]
    depth = int(depths(nodes[:, 1], nodes[:, 3]).max()) + 1
    decisions = nodes[nodes[:, 0] >= FIRST_PLAYER, 3]
    widest = int(decisions.max(initial=1))
    sets = 1 << widest if widest <= _MOST_FOR_SETS else 1
    return handle(
        kernels.Scratch(
            frames=np.zeros((depth, 5), dtype=np.int64),
            reached=np.zeros(depth),
            p=np.zeros(widest),
            rho=np.zeros((depth, widest)),
            values=np.zeros((depth, widest)),
            sets=np.zeros((2, sets)),
            reach=np.zeros((depth + 2, players)),
            vectors=np.zeros((depth, widest, players)),
        )
    )
