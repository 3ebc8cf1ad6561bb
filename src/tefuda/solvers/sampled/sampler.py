"""Monte Carlo CFR over plain rules: its tables are a dictionary of the infosets met, for games too large to compile.

What `mccfr` does on trees with one walk a batch, in the same order and with the same numbers: external and outcome
sampling (Lanctot, Waugh, Zinkevich, Bowling 2009); and `search`, aimed at nothing. Chance draws by a game's own
``draw`` if it has one.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, RunError, SizeError, SolverError, check_range, check_seed, shortened
from tefuda.files import (
    LIST,
    NOT_NEGATIVE,
    Array,
    Field,
    check_arrays,
    check_fields,
    read_arrays,
    survives,
    tuples,
    write_arrays,
)
from tefuda.forms.tree import Tree
from tefuda.forms.uncompiled import Uncompiled
from tefuda.games.answers import asking, moves
from tefuda.games.check import check_game
from tefuda.games.parameters import game_parameters
from tefuda.games.playthrough import draw_outcome, pick
from tefuda.games.protocol import CHANCE, TERMINAL, Game
from tefuda.games.report import refuse
from tefuda.judging.profile import Profile
from tefuda.solvers.protocol import AnyMethod, Solver
from tefuda.solvers.sampled.mccfr import EXTERNAL, Sampling
from tefuda.solvers.sampled.oos import OnlineSampling
from tefuda.solvers.sampled.search import Memory, OosSearch, Remembered, recalled
from tefuda.workers import Counting

Scheme = Sampling | OnlineSampling
SCHEMES = ("external", "outcome")
_PLAIN = {"rule": "rm", "averaging": 0, "batch": 1, "delay": 0, "baseline": 0.0, "deal": ()}
_LOOK = 200  # histories of a game that are checked before it is sampled
_COUNTS = ("seed", "iterations", "nodes", "memory")
#: What a saved sampler must hold.
_HEADER = {"keys": LIST, **dict.fromkeys(_COUNTS, Field((int,), 0, 2**63))}
_ARRAYS = {
    "regret": Array("float64", ("r",)),
    "total": Array("float64", ("r",), *NOT_NEGATIVE),
    "actions": Array("int64", ("n",), 1, 2**31),
    "random": Array("uint64", (625,), 0, 2**32 - 1),
}
_BYTES = 400, 70  # of an infoset and of an action, measured; keys of text come along


class TablePolicy:
    """A strategy as weights of the actions by (player, key); uniform where there are none."""

    def __init__(self, weights: Mapping[Any, Sequence[float]]) -> None:
        self.weights = weights

    def strategy(self, player: int, key: Hashable, actions: Sequence[Hashable]) -> list[float]:
        """See `protocol.Policy`."""
        weights = self.weights.get((player, key), ())
        total = sum(weights)
        return [weight / total for weight in weights] if total > 0 else [1 / len(actions)] * len(actions)


class RulesSolver(Solver):
    """Samples a game without compiling it.

    tables: by (player, key) the regrets of the actions, and their sums for the average. memory: about how many bytes
    they take. nodes: histories visited.

    Args:
        game: the rules, or as a form.
        method: external or outcome sampling with plain regret matching, or online outcome sampling.
        seed: the same seed gives the same bits, however `advance` is split.
        limit: bytes of memory; an iteration begins only below it.

    Raises:
        GameError: the rules are not a game, as far as a look at it shows.
        ParameterError: a method that needs a tree, or a value out of range.

    >>> solver = td.RulesSolver(td.load_game("kuhn"), seed=1)
    >>> solver.advance(100)
    >>> len(solver.tables), len(solver.strategy(1, "K|b", ("p", "b")))
    (12, 2)
    """

    def __init__(
        self, game: Game | Uncompiled, method: Scheme = EXTERNAL, seed: int = 0, limit: float | None = None
    ) -> None:
        self._form = game if isinstance(game, Uncompiled) else Uncompiled(game)
        game, limit = self._form.rules, self._form.memory if limit is None else limit
        _check_method(method)
        check_range("limit", limit, 1, whole=False)
        check_seed(seed)
        refuse(game, check_game(game, limit=_LOOK, samples=_LOOK // 10), "sampled")
        self.rules, self.method, self.seed, self.limit = game, method, seed, limit
        self._every_action = isinstance(method, Sampling) and method.scheme == "external"
        self.iterations, self.nodes, self.memory, self._counted = 0, 0, 0, 0
        self.tables: Memory = {}
        self._random = random.Random(seed)
        self.uniform: Callable[[], float] = self._random.random

    @property
    def form(self) -> Uncompiled:
        """See `Solver`: the rules."""
        return self._form

    def advance(self, iterations: int) -> None:
        """Run so many iterations: a walk for every player in each.

        Raises:
            GameError: the rules raise, or say other actions of an infoset than before.
            SizeError: the memory is full; what has been learnt stays.
        """
        with asking(self.rules):
            for _ in range(iterations):
                if self.memory > self.limit:
                    raise SizeError(
                        f"{len(self.tables):,} infosets fill the memory of {self.limit:,.0f} bytes after "
                        f"{self.iterations:,} iterations. Give more, or take what there is."
                    )
                self._iterate()
                self._count()
                self.iterations += 1

    def run(
        self,
        iterations: int | None = None,
        nodes: int | None = None,
        progress: Counting | None = None,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        """Advance until so many iterations are run or histories visited in all, or the memory is full.

        Args:
            iterations: in all.
            nodes: histories in all.
            progress: told after every iteration how many are done and of how many; of histories without `iterations`.
            interrupted: whether to end after this iteration.
        """
        while (iterations is None or self.iterations < iterations) and (nodes is None or self.nodes < nodes):
            if self.memory > self.limit or interrupted():
                return
            self.advance(1)
            if progress is not None:
                progress(self.nodes if iterations is None else self.iterations, iterations or nodes or 0)

    def choice(self, probabilities: Sequence[float]) -> int:
        """An index, drawn by probabilities."""
        return pick(probabilities, self.uniform())

    def _iterate(self) -> None:
        if isinstance(self.method, OnlineSampling):
            search = OosSearch(self.rules, self.method, self, self.tables, uniform=self.uniform)
            search.advance(1)
            self.nodes += search.nodes
            return
        for player in range(self.rules.players):
            self._walk(self.rules.root(), player, 1.0)
            if self.rules.players != 2:
                self._walk_for_average(player)

    def _count(self) -> None:
        """Add the memory of infosets that are new: a dictionary keeps the order in which they came."""
        for (_, key), known in islice(reversed(self.tables.items()), len(self.tables) - self._counted):
            self.memory += _BYTES[0] + _BYTES[1] * len(known.regret) + (len(key) if isinstance(key, str) else 0)
        self._counted = len(self.tables)

    def strategy(self, player: int, key: Hashable, actions: Sequence[Hashable]) -> list[float]:
        """The average strategy at an infoset; uniform where no walk came."""
        known = self.tables.get((player, key))
        total = sum(known[1]) if known else 0.0
        return [weight / total for weight in known[1]] if known and total > 0 else [1 / len(actions)] * len(actions)

    def average(self, tree: Tree | None = None) -> Any:
        """The average strategies: a policy, or a profile of the compiled game."""
        if self.iterations == 0:
            raise SolverError("the average is empty: no iterations have been run.")
        if tree is not None:
            return Profile.from_function(tree, self.strategy)
        return TablePolicy({key: known[1].copy() for key, known in self.tables.items()})

    def current(self) -> TablePolicy:
        """See `Solver`: regret matching."""
        return TablePolicy({key: matched(known[0]) for key, known in self.tables.items()})

    def state(self) -> dict[str, np.ndarray]:
        """See `Solver`; keys as JSON.

        Raises:
            ParameterError: keys that JSON cannot hold.
        """
        keys, arrays = self._saved()
        counts = np.array([getattr(self, name) for name in _COUNTS], dtype=np.int64)
        return {**arrays, "keys": np.frombuffer(json.dumps(keys).encode(), dtype=np.uint8).copy(), "counts": counts}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """See `Solver`."""
        more = {"keys": Array("uint8", ("bytes",)), "counts": Array("int64", (len(_COUNTS),), 0)}
        letters = check_arrays("the state", state, {**_ARRAYS, **more})
        try:
            keys = json.loads(state["keys"].tobytes())
        except ValueError as error:
            raise RunError(f"the state holds no keys: {error}. Use an intact copy.") from None
        header = dict(zip(_COUNTS, state["counts"].tolist(), strict=True)) | {"keys": keys}
        check_fields("the state", header, _HEADER)
        self._restored("the state", state, header, letters)

    def _known(self, player: int, key: Hashable, count: int) -> Remembered:
        known = recalled(self.tables, (player, key), count)
        if known is None:
            known = self.tables[player, key] = Remembered([0.0] * count, [0.0] * count)
        return known

    def _walk(self, state: Any, player: int, q: float) -> float:
        """The sampled value of a state for `player`; see the kernel `walk`."""
        game = self.rules
        for _ in moves(game):
            self.nodes += 1
            mover = game.player(state)
            if mover == TERMINAL:
                return float(game.payoffs(state)[player])
            if mover == CHANCE:
                state = game.child(state, draw_outcome(game, state, self.uniform)[0])
                continue
            actions = game.actions(state)
            regret, total = self._known(mover, game.view(state, mover), len(actions))
            sigma = matched(regret)
            if mover == player:
                return self._own(state, player, q, actions, regret, sigma)
            if game.players == 2:
                for a, chance in enumerate(sigma):
                    total[a] += chance / q
            state = game.child(state, actions[self.choice(sigma)])
        raise AssertionError("moves() has raised")

    def _own(
        self, state: Any, player: int, q: float, actions: Sequence[Hashable], regret: list[float], sigma: list[float]
    ) -> float:
        count, child = len(actions), self.rules.child
        if self._every_action:
            values = [self._walk(child(state, action), player, q) for action in actions]
        else:
            epsilon = self.method.epsilon
            p = [epsilon / count + (1 - epsilon) * chance for chance in sigma]
            at, values = self.choice(p), [0.0] * count
            values[at] = self._walk(child(state, actions[at]), player, q * p[at]) / p[at]
        mean = sum([chance * value for chance, value in zip(sigma, values, strict=True)])
        for a, value in enumerate(values):
            regret[a] += (value - mean) / q
        return mean

    def _walk_for_average(self, player: int) -> None:
        """One path, `player` by its strategy, the others uniformly: what it meets counts once in the average."""
        game, state = self.rules, self.rules.root()
        for _ in moves(game):
            self.nodes += 1
            mover = game.player(state)
            if mover == TERMINAL:
                return
            if mover == CHANCE:
                state = game.child(state, draw_outcome(game, state, self.uniform)[0])
                continue
            actions = game.actions(state)
            chances = [1 / len(actions)] * len(actions)
            if mover == player:
                regret, total = self._known(mover, game.view(state, mover), len(actions))
                chances = matched(regret)
                for a, chance in enumerate(chances):
                    total[a] += chance
            state = game.child(state, actions[self.choice(chances)])

    def save(self, path: str | Path) -> None:
        """Write everything that determines how the run goes on, as a checksummed ``.npz``.

        Raises:
            ParameterError: keys that JSON cannot hold.
        """
        keys, arrays = self._saved()
        counts = {name: getattr(self, name) for name in _COUNTS}
        write_arrays(Path(path), arrays, {"of": self._identity(), "keys": keys, **counts})

    def _saved(self) -> tuple[list[Any], dict[str, np.ndarray]]:
        """The keys of the tables, and everything else that determines how the run goes on."""
        keys = [[player, key] for player, key in self.tables]
        if (odd := next((key for _, key in keys if not survives(key)), None)) is not None:
            raise ParameterError(f"views must be texts, numbers or tuples of them to be saved; got {shortened(odd)}.")
        regrets = [row for row, _ in self.tables.values()]
        return keys, {
            "regret": np.array([x for row in regrets for x in row], dtype=np.float64),
            "total": np.array([x for _, row in self.tables.values() for x in row], dtype=np.float64),
            "actions": np.array([len(row) for row in regrets], dtype=np.int64),
            "random": np.array(self._random.getstate()[1], dtype=np.uint64),
        }

    def load(self, path: str | Path) -> None:
        """Go on from what `save` wrote.

        Raises:
            RunError: the file is damaged, or of another game or method.
        """
        arrays, header = read_arrays(Path(path))
        if header.get("of") != self._identity():
            raise RunError(f"{path} is of {header.get('of')}, not of {self._identity()}.")
        check_fields(path, header, _HEADER)
        self._restored(path, arrays, header, check_arrays(path, arrays, _ARRAYS))

    def _restored(
        self, path: object, arrays: Mapping[str, np.ndarray], header: Mapping[str, Any], letters: Mapping[str, int]
    ) -> None:
        keys = [tuple(one) if isinstance(one, tuple) else () for one in tuples(header["keys"])]
        ends = np.cumsum(arrays["actions"])
        try:
            fit = all(len(one) == 2 and type(one[0]) is int and 0 <= one[0] < self.rules.players for one in keys)
            if not fit or len(set(keys)) != letters["n"] or (ends[-1] if keys else 0) != letters["r"]:
                raise ValueError("keys and arrays do not fit each other")
            self._random.setstate((3, tuple(map(int, arrays["random"])), None))
        except (TypeError, ValueError) as error:
            raise RunError(f"{path} holds no sampler: {error}. Use an intact copy.") from None
        rows = [np.split(arrays[name], ends[:-1]) if keys else [] for name in ("regret", "total")]
        self.tables = {key: Remembered(r.tolist(), t.tolist()) for key, r, t in zip(keys, *rows, strict=True)}
        self._counted = len(keys)
        for name in _COUNTS:
            setattr(self, name, header[name])

    def _identity(self) -> dict[str, Any]:
        parameters = json.loads(json.dumps(game_parameters(self.rules), default=str))
        return {"game": self.rules.name, "parameters": parameters, "method": self.method.parameters()}


def sample_rules(
    game: Game,
    method: Scheme = EXTERNAL,
    *,
    iterations: int | None = None,
    nodes: int | None = None,
    seed: int = 0,
    limit: float = 2e9,
    progress: Counting | None = None,
) -> RulesSolver:
    """Sample a game over its rules until so many iterations are run or histories visited, or the memory is full.

    Args:
        game: the rules.
        method: external, outcome or online outcome sampling.
        iterations: in all; 1,000 if neither is given.
        nodes: histories.
        seed: of the random numbers.
        limit: bytes of memory.
        progress: told after every iteration how many are done and of how many; of histories without `iterations`.

    Returns:
        The solver: ``strategy(player, key, actions)``, ``average(tree)``, ``save(path)``.

    Raises:
        ParameterError: a method that needs a tree, or a value out of range.

    >>> td.sample_rules(td.load_game("kuhn"), nodes=1000).nodes >= 1000
    True
    """
    iterations = 1000 if (iterations, nodes) == (None, None) else iterations
    for name, value in (("iterations", iterations), ("nodes", nodes)):
        if value is not None:
            check_range(name, value, 1)
    solver = RulesSolver(game, method, seed, limit)
    solver.run(iterations, nodes, progress)
    return solver


def _check_method(method: object) -> None:
    """Raise ParameterError unless a method can be run over rules."""
    if not isinstance(method, AnyMethod):
        raise ParameterError(f"a method is wanted here; got {shortened(method)}. td.find_method(NAME) gives one.")
    if isinstance(method, OnlineSampling):
        return
    needs = [name for name, value in _PLAIN.items() if isinstance(method, Sampling) and getattr(method, name) != value]
    if needs or not isinstance(method, Sampling) or method.scheme not in SCHEMES:
        what = f" ({', '.join(needs)})" if needs else ""
        raise ParameterError(f"{method.name}{what} needs a tree; without one, use external, outcome or oos.")


def matched(regret: Sequence[float]) -> list[float]:
    """Regret matching: positive regrets divided by their sum; uniform without any."""
    positive = [amount if amount > 0 else 0.0 for amount in regret]
    total = sum(positive)
    return [amount / total for amount in positive] if total > 0 else [1 / len(regret)] * len(regret)
