"""Form, method, solver and evaluator of hold'em in buckets."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, RunError, SizeError, check_range, check_seed, shortened
from tefuda.files import NOT_NEGATIVE, array_specs, check_arrays
from tefuda.forms.form import Form, Saved, Size
from tefuda.games.protocol import Game
from tefuda.holdem.buckets.clusters import Buckets, cells, preparation_seconds
from tefuda.holdem.buckets.graph import betting_graph
from tefuda.holdem.buckets.local import MENUS, TREE, TREE_MENUS, LocalResponse, largest, local_responses
from tefuda.holdem.buckets.sampler import Abstraction, BucketPolicy, BucketSampler, Counts, abstraction
from tefuda.holdem.buckets.size import betting_size, smaller_menus
from tefuda.holdem.cards import CLASSES
from tefuda.holdem.hands.rules import TableRules
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.kernels.buckets import BucketTables
from tefuda.solvers.protocol import Method, Solver
from tefuda.solvers.runs.evaluators import Evaluation, LongEvaluator
from tefuda.words import Notify, count
from tefuda.workers import ProgressFunction

MEMORY = 8e9  # default memory limit of regrets and average strategies, in bytes
DEFAULT_BUCKETS = Buckets((len(CLASSES), 20, 20, 20))
_EVERY, _EVERY_OF_NO_LIMIT = 10_000, 100_000  # iterations between discounts; each reads all pairs
_BYTES_OF_NODE = 1000  # of the graph of no-limit
_BYTES = 8  # per infoset-action pair: a regret and an average of 4 bytes each


@dataclass(frozen=True)
class BucketMethod(Method):
    """External sampling with hands in buckets and linear weights.

    Args:
        name: name of the method.
        every: number of iterations between discounts; see `sampler.BucketSampler`. None: 10,000 in limit, 100,000 in
            no-limit, whose tables are larger.
        tremble: probability of uniformly random opponent actions; see `sampler.BucketSampler`.

    Raises:
        ParameterError: a number is out of range.
    """

    name: str = "external-buckets"
    every: int | None = None
    tremble: float = 0.0

    default_iterations = 1_000_000
    accepts = ("buckets",)

    def __post_init__(self) -> None:
        check_range("every", self.every or 0, 0)
        check_range("tremble", self.tremble, 0, 1, whole=False)

    def every_in(self, rules: TableRules) -> int:
        """Return the number of iterations between discounts at a table."""
        if self.every is not None:
            return self.every
        return _EVERY if rules.limit else _EVERY_OF_NO_LIMIT

    def solver(self, form: HoldemBuckets, seed: int = 0, workers: int | Executor | None = None) -> BucketSolver:
        return BucketSolver(form, self, seed)


#: Methods by name.
METHODS = {BucketMethod.name: BucketMethod()}


@dataclass(frozen=True)
class LocalResponseEvaluator(LongEvaluator):
    """Evaluator by the winnings of a local best response, a lower bound of a best response's winnings.

    All points of a curve use the same cards. In no-limit the figure is the largest of several menus.

    Args:
        deals: number of deals; each is played in both seats.
        seed: random seed of cards and actions.

    Raises:
        ParameterError: a value is out of range.
    """

    deals: int = 1000
    seed: int = 0

    name = "local-response"
    title = "local best response"
    unit = "thousandths of a big blind a hand, a lower bound"
    first = 10_000

    def __post_init__(self) -> None:
        check_range("deals", self.deals, 2, 10**8)
        check_seed(self.seed)

    def check(self, solver: Solver, until: float | None) -> None:
        super().check(solver, until)
        if not isinstance(solver, BucketSolver) or solver.form.players != 2:
            raise ParameterError(
                f"evaluator {self.name!r} needs two-player hold'em in buckets; got {solver.form.title}. "
                "Choose evaluator 'none' (--evaluator none)."
            )

    def evaluate_with_progress(self, solver: Solver, progress: ProgressFunction) -> Evaluation:
        """See `LongEvaluator`; the uniform strategy before the first iteration is not evaluated."""
        policy = solver.average()
        if not solver.iterations:
            return Evaluation("uniform", policy)
        value, half = self.response(policy, progress).milliblinds
        return Evaluation("average", policy, value, value - half, value + half)

    def response(self, policy: BucketPolicy, progress: ProgressFunction = lambda done, of: None) -> LocalResponse:
        """Return the response that wins most from a strategy, of the menus with the tree's sizes."""
        responses = self.responses(policy, TREE_MENUS, progress)
        return responses[largest(responses)]

    def responses(
        self,
        policy: BucketPolicy,
        menus: Sequence[str] = MENUS,
        progress: ProgressFunction = lambda done, of: None,
    ) -> dict[str, LocalResponse]:
        """Return the responses of menus to the strategy of both seats; in limit, of one menu with all actions."""
        seed = np.random.SeedSequence([self.seed, 1]).generate_state(1)[0]  # not the deals of a solver with this seed
        chosen = (TREE,) if policy.game.graph.rules.limit else tuple(menus)
        return local_responses(policy, chosen, self.deals, int(seed), progress=progress)


@dataclass(frozen=True, eq=False)
class HoldemBuckets(Form):
    """Hold'em with hands in buckets, built by `in_buckets`.

    Attributes:
        game: limit hold'em in which no player can be all-in, or no-limit of two players with a menu of sizes.
        buckets: numbers of buckets.
        abstraction: the game in buckets.
    """

    game: Holdem = field()
    buckets: Buckets = field()
    abstraction: Abstraction = field(repr=False)

    representation = "buckets"
    methods = METHODS
    method = BucketMethod.name
    evaluator = LocalResponseEvaluator

    def __post_init__(self) -> None:
        if self.game.players > 2:  # the local best response is that of two players
            object.__setattr__(self, "evaluator", Form.evaluator)

    @classmethod
    def size_of(cls, game: Holdem, fields: Mapping[str, Any]) -> Size:
        """See `Form`: decisions of the betting, and infoset-action pairs."""
        nodes, rows, bytes_ = _size_of(game, _buckets(fields).counts)
        return Size({"decisions": nodes, "rows": rows}, bytes_, fields.get("memory", MEMORY))

    @classmethod
    def require_room(cls, game: Holdem, fields: Mapping[str, Any]) -> None:
        _require_room(game, _buckets(fields), fields.get("memory", MEMORY))

    @classmethod
    def build(cls, game: Game, saved: Saved, building: Notify | None = None) -> HoldemBuckets:
        """See `Form`: fields are those of `Buckets`, and the memory limit."""
        if not isinstance(game, Holdem):
            raise RunError(f"the run is damaged: its game must be holdem, got {game.name}. Use an intact copy.")
        memory, notify = saved.fields.get("memory", MEMORY), building or (lambda text: None)
        return in_buckets(game, _buckets(saved.fields), memory=memory, notify=notify)

    def saved(self) -> Saved:
        return Saved(
            {name: list(value) if isinstance(value, tuple) else value for name, value in vars(self.buckets).items()}
        )


def _buckets(fields: Mapping[str, Any]) -> Buckets:
    """Return the buckets of a form with these fields; raise RunError if they cannot be read."""
    try:
        return replace(DEFAULT_BUCKETS, **{name: value for name, value in fields.items() if name != "memory"})
    except TypeError as error:
        raise RunError(f"the buckets {dict(fields)} cannot be read: {error}.") from None


def _size_of(game: Holdem, counts: Counts) -> tuple[int, int, int]:
    """Return the numbers of decisions, infoset-action pairs and bytes; no graph of no-limit is built."""
    if game.rules.limit:
        graph = betting_graph(game.rules)
        return graph.nodes, (rows := graph.rows(counts)), _BYTES * rows
    size = betting_size(game.rules, game.menu)
    nodes, rows = sum(size.nodes), size.rows(counts)
    return nodes, rows, _BYTES * rows + _BYTES_OF_NODE * nodes


def _require_room(game: Holdem, buckets: Buckets, memory: float) -> None:
    """Raise SizeError if regrets and average strategies exceed a memory limit in bytes."""
    check_range("memory", memory, 0, whole=False)
    nodes, rows, wanted = _size_of(game, buckets.counts)
    if wanted > memory:
        sizes = "" if game.rules.limit else _leave_out(game, buckets.counts, memory)
        raise SizeError(
            f"{count(nodes, 'decisions')} with {count(rows, 'infoset-action pairs')} need {_gigabytes(wanted)}; "
            f"the limit is {_gigabytes(memory)}. {sizes}Use fewer buckets or players, or raise the limit: "
            f"memory={1.1 * wanted:.0g}."
        )


def _leave_out(game: Holdem, counts: Counts, memory: float) -> str:
    """Return the advice to leave out a size: the one that fits and changes least, or saves most."""
    smaller = {
        name: _size_of(replace(game, menu=menu), counts)[2] for name, menu in smaller_menus(game.menu) if menu.sizes
    }
    fitting = {name: bytes_ for name, bytes_ in smaller.items() if bytes_ <= memory}
    if not smaller:
        return ""
    name = max(fitting, key=fitting.__getitem__) if fitting else min(smaller, key=smaller.__getitem__)
    return f"Leave out {name} ({_gigabytes(smaller[name])} without it){'' if fitting else ' and more'}. "


def _gigabytes(bytes_: float) -> str:
    return f"{bytes_ / 1e9:.2f} GB"


def in_buckets(
    game: Holdem, buckets: Buckets = DEFAULT_BUCKETS, *, memory: float = MEMORY, notify: Notify = lambda text: None
) -> HoldemBuckets:
    """Return hold'em with hands in buckets.

    Args:
        game: limit hold'em, such as ``load_game("holdem", limit=True)``, or no-limit of two players.
        buckets: numbers of buckets.
        memory: memory limit of regrets and average strategies, in bytes.
        notify: callback for progress messages. Computing the cells of hands takes half a minute, once.

    Raises:
        ParameterError: the game is not hold'em of these kinds, or a value is out of range.
        SizeError: the game exceeds the memory limit.
    """
    if not isinstance(game, Holdem):
        raise ParameterError(f"game must be hold'em, load_game('holdem'); got {shortened(game)}.")
    _require_room(game, buckets, memory)
    notify(f"preparing hands, about {preparation_seconds(buckets.seed):.0f} s")
    cells(buckets.seed, notify)
    return HoldemBuckets(game, buckets, abstraction(betting_graph(game.rules, menu=game.menu), buckets))


class BucketSolver(BucketSampler, Solver):
    """Solver of hold'em in buckets.

    The result depends only on form, method, seed and the number of iterations, not on how `advance` splits them.

    Args:
        form: the game in buckets.
        method: settings.
        seed: random seed.

    Raises:
        ParameterError: the seed is out of range.
    """

    def __init__(self, form: HoldemBuckets, method: BucketMethod, seed: int = 0) -> None:
        super().__init__(form.abstraction, seed, every=method.every_in(form.game.rules), tremble=method.tremble)
        self.method, self._form, self.hands = method, form, _digest(form.abstraction.sorted)
        start = self.state()
        self.advance(1)  # compile the kernel before the run's clock starts
        self.restore(start)

    @property
    def form(self) -> HoldemBuckets:
        return self._form

    def arrays(self) -> dict[str, np.ndarray]:
        return {"regret": self.table.regret, "total": self.table.total}

    def ranges(self) -> dict[str, tuple[float, float]]:
        return {"total": NOT_NEGATIVE}

    def state(self) -> dict[str, np.ndarray]:
        """See `Solver`; `hands` is a checksum of the buckets."""
        return super().state() | {"hands": np.array(self.hands)}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """See `Solver`.

        Raises:
            RunError: the state has another game or other buckets.
        """
        check_arrays("the state", state, array_specs(self.state()))
        if int(state["hands"]) != self.hands:
            raise RunError("the run's buckets differ from those of this version of tefuda. Start a new run.")
        super().restore(state)


def _digest(sorted_: BucketTables) -> int:
    """Return a checksum of all hands' buckets."""
    checksum = 0
    for table in (sorted_.buckets, sorted_.flop, sorted_.textures.turn, sorted_.textures.river):
        checksum = zlib.crc32(table.tobytes(), checksum)
    return checksum
