"""Monte Carlo CFR over plain rules: its tables are a dictionary of the infosets met, for games too large to compile.

What `mccfr` does on trees with one walk a batch, in the same order and with the same numbers: external and outcome
sampling (Lanctot, Waugh, Zinkevich, Bowling 2009). Chance draws by a game's own ``draw`` if it has one.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, RunError, SizeError, SolverError, check_range
from tefuda.files import read_arrays, write_arrays
from tefuda.game import CHANCE, TERMINAL, Game, draw_outcome
from tefuda.games import game_parameters
from tefuda.mccfr import EXTERNAL, Sampling
from tefuda.profile import Profile
from tefuda.tree import Tree

SCHEMES = ("external", "outcome")
_PLAIN = {"rule": "rm", "averaging": 0, "batch": 1, "delay": 0, "baseline": 0.0, "deal": ()}
_BYTES = 400, 70  # of an infoset and of an action, measured; keys of text come along


class RulesSolver:
    """Samples a game without compiling it.

    tables: by (player, key) the regrets of the actions, and their sums for the average. memory: about how many bytes
    they take. nodes: histories visited.

    Args:
        game: the rules.
        method: external or outcome sampling with plain regret matching.
        seed: the same seed gives the same bits, however `advance` is split.
        limit: bytes of memory; an iteration begins only below it.

    Raises:
        ParameterError: a method that needs a tree.

    >>> solver = tf.RulesSolver(tf.load_game("kuhn"), seed=1)
    >>> solver.advance(100)
    >>> len(solver.tables), len(solver.strategy(1, "K|b", ("p", "b")))
    (12, 2)
    """

    def __init__(self, game: Game, method: Sampling = EXTERNAL, seed: int = 0, limit: float = 2e9) -> None:
        needs = [name for name, value in _PLAIN.items() if getattr(method, name, None) != value]
        if not isinstance(method, Sampling) or method.scheme not in SCHEMES or needs:
            what = f" ({', '.join(needs)})" if needs and isinstance(method, Sampling) else ""
            raise ParameterError(f"{method.name}{what} needs a tree; without one, use external or outcome sampling.")
        check_range("limit", limit, 1, whole=False)
        self.game, self.method, self.seed, self.limit = game, method, seed, limit
        self.iterations, self.nodes, self.memory = 0, 0, 0
        self.tables: dict[tuple[int, Hashable], tuple[list[float], list[float]]] = {}
        self._random = random.Random(seed)
        self.uniform: Callable[[], float] = self._random.random

    def advance(self, iterations: int) -> None:
        """Run so many iterations: a walk for every player in each.

        Raises:
            SizeError: the memory is full; what has been learnt stays.
        """
        for _ in range(iterations):
            if self.memory > self.limit:
                raise SizeError(
                    f"{len(self.tables):,} infosets fill the memory of {self.limit:,.0f} bytes after "
                    f"{self.iterations:,} iterations. Give more, or take what there is."
                )
            for player in range(self.game.players):
                self._walk(self.game.root(), player, 1.0)
                if self.game.players != 2:
                    self._walk_for_average(player)
            self.iterations += 1

    def strategy(self, player: int, key: Hashable, actions: Sequence[Hashable]) -> list[float]:
        """The average strategy at an infoset; uniform where no walk came."""
        known = self.tables.get((player, key))
        total = sum(known[1]) if known else 0.0
        return [weight / total for weight in known[1]] if known and total > 0 else [1 / len(actions)] * len(actions)

    def average(self, tree: Tree) -> Profile:
        """The average as a profile of the compiled game, where it can be compiled."""
        if self.iterations == 0:
            raise SolverError("the average is empty: no iterations have been run.")
        return Profile.from_function(tree, self.strategy)

    def _known(self, player: int, key: Hashable, count: int) -> tuple[list[float], list[float]]:
        known = self.tables.get((player, key))
        if known is None:
            known = self.tables[player, key] = ([0.0] * count, [0.0] * count)
            self.memory += _BYTES[0] + _BYTES[1] * count + (len(key) if isinstance(key, str) else 0)
        return known

    def _draw(self, probabilities: Sequence[float]) -> int:
        point, last = self.uniform(), 0
        for index, probability in enumerate(probabilities):
            if probability > 0:
                if point < probability:
                    return index
                last = index
            point -= probability
        return last

    def _walk(self, state: Any, player: int, q: float) -> float:
        """The sampled value of a state for `player`; see the kernel `walk`."""
        game = self.game
        while True:
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
            state = game.child(state, actions[self._draw(sigma)])

    def _own(
        self, state: Any, player: int, q: float, actions: Sequence[Hashable], regret: list[float], sigma: list[float]
    ) -> float:
        count, child = len(actions), self.game.child
        if self.method.scheme == "external":
            values = [self._walk(child(state, action), player, q) for action in actions]
        else:
            epsilon = self.method.epsilon
            p = [epsilon / count + (1 - epsilon) * chance for chance in sigma]
            at, values = self._draw(p), [0.0] * count
            values[at] = self._walk(child(state, actions[at]), player, q * p[at]) / p[at]
        mean = sum([chance * value for chance, value in zip(sigma, values, strict=True)])
        for a, value in enumerate(values):
            regret[a] += (value - mean) / q
        return mean

    def _walk_for_average(self, player: int) -> None:
        """One path, `player` by its strategy, the others uniformly: what it meets counts once in the average."""
        game, state = self.game, self.game.root()
        while (mover := game.player(state)) != TERMINAL:
            self.nodes += 1
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
            state = game.child(state, actions[self._draw(chances)])
        self.nodes += 1

    def save(self, path: str | Path) -> None:
        """Write everything that determines how the run goes on, as a checksummed ``.npz``.

        Raises:
            ParameterError: keys that JSON cannot hold.
        """
        keys = [[player, key] for player, key in self.tables]
        try:
            if [(p, k) for p, k in _tuples(json.loads(json.dumps(keys)))] != list(self.tables):
                raise TypeError("lists")
        except TypeError as error:
            raise ParameterError(f"views must be texts, numbers or tuples of them to be saved: {error}.") from None
        regrets = [row for row, _ in self.tables.values()]
        arrays = {
            "regret": np.array([x for row in regrets for x in row]),
            "total": np.array([x for _, row in self.tables.values() for x in row]),
            "actions": np.array([len(row) for row in regrets], dtype=np.int64),
            "random": np.array(self._random.getstate()[1], dtype=np.uint64),
        }
        counts = {name: getattr(self, name) for name in ("seed", "iterations", "nodes", "memory")}
        write_arrays(Path(path), arrays, {"of": self._identity(), "keys": keys, **counts})

    def load(self, path: str | Path) -> None:
        """Go on from what `save` wrote.

        Raises:
            RunError: the file is damaged, or of another game or method.
        """
        arrays, header = read_arrays(Path(path))
        if header.get("of") != self._identity():
            raise RunError(f"{path} is of {header.get('of')}, not of {self._identity()}.")
        try:
            keys = [(player, key) for player, key in _tuples(header["keys"])]
            ends = np.cumsum(arrays["actions"])
            if len(keys) != len(ends) or not len(arrays["regret"]) == len(arrays["total"]) == (ends[-1] if keys else 0):
                raise ValueError("keys and arrays differ in length")
            rows = [np.split(arrays[name], ends[:-1]) if keys else [] for name in ("regret", "total")]
            self._random.setstate((3, tuple(map(int, arrays["random"])), None))
            self.tables = {key: (r.tolist(), t.tolist()) for key, r, t in zip(keys, *rows, strict=True)}
            self.seed, self.iterations, self.nodes, self.memory = (
                int(header[name]) for name in ("seed", "iterations", "nodes", "memory")
            )
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise RunError(f"{path} holds no sampler: {error}. Use an intact copy.") from None

    def _identity(self) -> dict[str, Any]:
        parameters = json.loads(json.dumps(game_parameters(self.game), default=str))
        return {"game": self.game.name, "parameters": parameters, "method": self.method.parameters()}


def sample_rules(
    game: Game,
    method: Sampling = EXTERNAL,
    *,
    iterations: int | None = None,
    nodes: int | None = None,
    seed: int = 0,
    limit: float = 2e9,
    progress: Callable[[RulesSolver], None] | None = None,
) -> RulesSolver:
    """Sample a game over its rules until so many iterations are run or histories visited, or the memory is full.

    Args:
        game: the rules.
        method: external or outcome sampling.
        iterations: in all; 1,000 if neither is given.
        nodes: histories.
        seed: of the random numbers.
        limit: bytes of memory.
        progress: told after every iteration.

    Returns:
        The solver: ``strategy(player, key, actions)``, ``average(tree)``, ``save(path)``.

    Raises:
        ParameterError: a method that needs a tree, or a value out of range.

    >>> tf.sample_rules(tf.load_game("kuhn"), nodes=1000).nodes >= 1000
    True
    """
    iterations = 1000 if (iterations, nodes) == (None, None) else iterations
    for name, value in (("iterations", iterations), ("nodes", nodes)):
        if value is not None:
            check_range(name, value, 1)
    solver = RulesSolver(game, method, seed, limit)
    while (iterations is None or solver.iterations < iterations) and (nodes is None or solver.nodes < nodes):
        if solver.memory > limit:
            break
        solver.advance(1)
        if progress is not None:
            progress(solver)
    return solver


def matched(regret: Sequence[float]) -> list[float]:
    """Regret matching: positive regrets divided by their sum; uniform without any."""
    positive = [amount if amount > 0 else 0.0 for amount in regret]
    total = sum(positive)
    return [amount / total for amount in positive] if total > 0 else [1 / len(regret)] * len(regret)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
