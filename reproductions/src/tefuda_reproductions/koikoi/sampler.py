"""Monte Carlo CFR on Koi-Koi in the abstraction of `keys`, compiled.

The form is `KeyedRounds`; its methods are `RoundSampling` values.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np

from tefuda.errors import ParameterError, RunError, SizeError, check_range, check_seed
from tefuda.files import NOT_NEGATIVE, ArraySpec, check_arrays
from tefuda.forms.form import Form, Saved
from tefuda.games.protocol import Game
from tefuda.koikoi.cards import ids_of
from tefuda.koikoi.game import KoiKoi
from tefuda.koikoi.kernels.state import WIDTH
from tefuda.koikoi.simulator import compile_rules, redeal_mask, streams
from tefuda.settings import option
from tefuda.solvers.protocol import Method, Solver, require_average
from tefuda_reproductions.koikoi.kernels import mccfr as kernels
from tefuda_reproductions.koikoi.kernels.keys import CLASSES
from tefuda_reproductions.koikoi.keys import ALL_PARTS, Keys, abstract_koikoi, require_distinct_cards

SCHEMES = {"external": kernels.EXTERNAL, "outcome": kernels.OUTCOME, "probe": kernels.PROBE}
_FIRST = 1 << 12  # slots and rows of empty tables
_ARRAYS = {
    "keys": ArraySpec("uint64", ("n",), 1, 2**63),
    "sizes": ArraySpec("int64", ("n",), 2, 10),
    "regret": ArraySpec("float64", ("r",)),
    "total": ArraySpec("float64", ("r",), *NOT_NEGATIVE),
    "baseline": ArraySpec("float64", ("r",)),
    "iterations": ArraySpec("int64", (), 0, 10**15),
}


@dataclass(frozen=True)
class RoundSampling(Method):
    """The settings of sampling rounds.

    Args:
        name: name of the method.
        scheme: ``"external"``: every action of the traverser; ``"outcome"``: one action, by its
            strategy with exploration; ``"probe"``: k actions, uniformly; regrets are not divided by
            the probability of reaching a decision, which is the same for every traversal (robust
            sampling up to a constant).
        epsilon: exploration of outcome sampling.
        k: number of actions that probing tries.
        rate: learning rate of the baseline of each action's value, used for actions that are not
            sampled; 0: no baseline.
        every: number of iterations per block; after the n-th block, tables are multiplied by n / (n
            + 1), which averages blocks linearly; 0: never.

    Raises:
        ParameterError: a value is out of range, or not used by the scheme.
    """

    name: str = "probe"
    scheme: str = option("probe", choices=SCHEMES)
    epsilon: float = option(0.6, high=1)
    k: int = option(2, 1, CLASSES)
    rate: float = option(0.05, high=1)
    every: int = option(0)

    default_iterations = 100_000
    accepts = ("keys",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scheme == "outcome":  # untried actions would bias regrets
            check_range("epsilon", self.epsilon, 1e-9, 1, whole=False)
        if self.scheme == "external" and self.rate:
            raise ParameterError("external sampling tries all actions and uses no baseline; set rate=0.")

    def solver(self, form: KeyedRounds, seed: int = 0, workers: int | Executor | None = None) -> RoundSampler:
        return RoundSampler(form, self, seed)


EXTERNAL = RoundSampling("external", "external", rate=0.0)
OUTCOME = RoundSampling("outcome", "outcome", rate=0.0)
PROBE = RoundSampling()
#: By name.
METHODS = {method.name: method for method in (EXTERNAL, OUTCOME, PROBE)}


@dataclass(frozen=True, eq=False)
class KeyedRounds(Form):
    """Rounds of Koi-Koi, or of a reduced game, in an abstraction.

    Args:
        rules: the rules; all cards different.
        keys: keys of views.
        memory: maximum size of the tables in bytes; no iteration begins above it.

    Raises:
        ParameterError: the game is not Koi-Koi, or has merged chaff.
    """

    game: KoiKoi = field()
    keys: Keys = ALL_PARTS
    memory: float = 2e9

    representation = "keys"
    methods = METHODS
    method = PROBE.name

    def __post_init__(self) -> None:
        require_distinct_cards(self.game)
        check_range("memory", self.memory, 1e6, whole=False)

    def saved(self) -> Saved:
        """Return the parts of the keys; see `Form`."""
        return Saved({"parts": list(self.keys.parts)})

    @classmethod
    def build(cls, game: Game, saved: Saved, building: object = None) -> KeyedRounds:
        """See `Form`."""
        try:
            if not isinstance(game, KoiKoi):
                raise TypeError(f"{game.name} is not Koi-Koi")
            return cls(game, Keys(tuple(saved.fields["parts"])))
        except (TypeError, KeyError) as error:
            raise RunError(
                f"the keys of the run, {saved.fields}, cannot be read: {error}. Use an intact copy."
            ) from None


class RoundPolicy:
    """A strategy by keys.

    Args:
        form: the game in keys.
        tables: weights of actions by key, in `total`.
    """

    def __init__(self, form: KeyedRounds, tables: kernels.RegretTables) -> None:
        self.tables = tables
        self._lifted = abstract_koikoi(form.game, form.keys).lift(self.at_key)

    def strategy(self, player: int, key: Hashable, actions: Sequence[Hashable]) -> list[float]:
        played = self._lifted(player, key, tuple(actions))
        return [played.get(action, 0.0) for action in actions]

    def at_key(self, player: int, key: Hashable, actions: Sequence[Hashable]) -> list[float]:
        """Return the strategy at a key; uniform if no traversal has reached it."""
        row = kernels.find_row(self.tables, np.array(key, dtype=np.uint64)[()], 0, False)
        weights = self.tables.total[row : row + len(actions)].tolist() if row >= 0 else []
        total = sum(weights)
        return [weight / total for weight in weights] if total > 0 else [1 / len(actions)] * len(actions)


class RoundSampler(Solver):
    """A sampling solver of Koi-Koi in keys; an iteration is one traversal for each player.

    Args:
        form: the game in keys.
        method: settings of sampling.
        seed: random seed; results do not depend on how iterations are split over `advance`.

    Raises:
        ParameterError: rounds end by teyaku, or the seed is out of range.
    """

    def __init__(self, form: KeyedRounds, method: RoundSampling = PROBE, seed: int = 0) -> None:
        check_seed(seed)
        self._form, self.method, self.game = form, method, form.game
        self.iterations = 0
        self._rules, self._shape = compile_rules(self.game.rules, self.game.turns), deal_shape(self.game)
        self._scheme = kernels.SamplingScheme(
            SCHEMES[method.scheme], float(method.epsilon), method.k, float(method.rate)
        )
        self._scratch = _traversal_scratch(self._shape)
        self._key = streams(seed, 1)[0]
        self.tables = _tables(form.keys, _FIRST, 2 * _FIRST)

    @property
    def form(self) -> KeyedRounds:
        return self._form

    @property
    def infosets(self) -> int:
        """Number of infosets reached so far."""
        return int(self.tables.counts[0])

    @property
    def bytes(self) -> int:
        """Size of the tables in bytes."""
        return sum(array.nbytes for array in self.tables if isinstance(array, np.ndarray))

    def advance(self, iterations: int) -> None:
        """Run iterations; see `Solver`.

        Raises:
            SizeError: the memory is full.
        """
        goal, every = self.iterations + iterations, self.method.every or sys.maxsize
        while self.iterations < goal:
            past = self.iterations // every
            count = min(goal, (past + 1) * every) - self.iterations
            done = kernels.iterate(
                self._rules, self._shape, self.tables, self._scheme, self._scratch, self._key, self.iterations, count
            )
            self.iterations += int(done)
            if done < count:
                self._grow()
            elif self.iterations == (past + 1) * every:
                self.tables.regret[:] *= (past + 1) / (past + 2)
                self.tables.total[:] *= (past + 1) / (past + 2)

    def _grow(self) -> None:
        """Double the tables.

        Raises:
            SizeError: the tables would exceed the memory of the form.
        """
        if 2 * self.bytes > self.form.memory:
            raise SizeError(
                f"{self.infosets:,} infosets fill the memory of {self.form.memory:,.0f} bytes after "
                f"{self.iterations:,} iterations. Increase memory, or use the current result."
            )
        self._fill(*self._content(), 2 * len(self.tables.keys))

    def _content(self) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        """Return keys, their numbers of actions, and their rows, in order of insertion."""
        slots = np.flatnonzero(self.tables.keys)
        slots = slots[np.argsort(self.tables.first[slots])]
        first, used = self.tables.first[slots], int(self.tables.counts[1])
        rows = {name: getattr(self.tables, name)[:used] for name in ("regret", "total", "baseline")}
        return self.tables.keys[slots], np.diff(np.append(first, used)), rows

    def _fill(self, keys: np.ndarray, sizes: np.ndarray, rows: dict[str, np.ndarray], slots: int) -> None:
        tables = _tables(self.form.keys, slots, 2 * slots)
        kernels.insert(tables, keys, sizes)
        for name, values in rows.items():
            getattr(tables, name)[: len(values)] = values
        self.tables = tables

    def average(self) -> RoundPolicy:
        require_average(self.iterations, 0)
        return RoundPolicy(self.form, self.tables._replace(total=self.tables.total.copy()))

    def current(self) -> RoundPolicy:
        return RoundPolicy(self.form, self.tables._replace(total=np.maximum(self.tables.regret, 0)))

    def state(self) -> dict[str, np.ndarray]:
        keys, sizes, rows = self._content()
        iterations = np.array(self.iterations, dtype=np.int64)
        return {"keys": keys, "sizes": sizes, "iterations": iterations} | {n: row.copy() for n, row in rows.items()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        letters = check_arrays("the state", state, _ARRAYS)
        if state["sizes"].sum() != letters["r"] or len(np.unique(state["keys"])) != letters["n"]:
            raise RunError("the state is not that of a sampler: its arrays do not match. Use an intact copy.")
        slots = _FIRST
        while slots <= 2 * letters["n"] or 2 * slots <= 2 * letters["r"]:
            slots *= 2
        self._fill(
            state["keys"], state["sizes"], {name: state[name] for name in ("regret", "total", "baseline")}, slots
        )
        self.iterations = int(state["iterations"])


def deal_shape(game: KoiKoi) -> kernels.DealShape:
    """Return the deal of a game for kernels.

    Raises:
        ParameterError: rounds end by teyaku.
    """
    dealing = game.rules.dealing
    if game.hand == 8 and dealing.teyaku and dealing.lone_redeal not in dealing.redeal:
        raise ParameterError(
            "rounds that end by teyaku cannot be sampled; use tefuda.koikoi.reduced.koikoi(preset), which deals "
            "them again, or teyaku=0."
        )
    cards = np.array(ids_of(game.deck & ~game.open_field), dtype=np.uint8)
    return kernels.DealShape(cards, game.hand, game.field, np.uint64(game.open_field), redeal_mask(dealing.redeal))


def _tables(keys: Keys, slots: int, rows: int) -> kernels.RegretTables:
    first = np.zeros(slots, dtype=np.int64)
    regret, total, baseline = (np.zeros(rows) for _ in range(3))
    counts = np.zeros(3, dtype=np.int64)
    return kernels.RegretTables(np.zeros(slots, dtype=np.uint64), first, regret, total, baseline, counts, keys.mask)


def empty_tables() -> kernels.RegretTables:
    """Return empty tables."""
    return _tables(ALL_PARTS, 1, 0)


def _traversal_scratch(shape: kernels.DealShape) -> kernels.TraversalScratch:
    wide, deep = CLASSES, kernels.DEEPEST
    return kernels.TraversalScratch(
        state=np.zeros(WIDTH, dtype=np.uint64),
        deck=shape.cards.copy(),
        actions=np.zeros(wide, dtype=np.int64),
        class_values=np.zeros(wide, dtype=np.int64),
        sigma=np.zeros(wide),
        states=np.zeros((deep, WIDTH), dtype=np.uint64),
        moves=np.zeros((deep, wide), dtype=np.int64),
        strategy=np.zeros((deep, wide)),
        action_values=np.zeros((deep, wide)),
        sampled=np.zeros((deep, wide)),
        row=np.zeros(deep, dtype=np.int64),
        size=np.zeros(deep, dtype=np.int64),
        choice=np.zeros(deep, dtype=np.int64),
        reach=np.zeros(deep),
    )
