"""Monte Carlo CFR over plain rules: its tables are a dictionary of the infosets met, for games too large to compile.

External and outcome sampling, as `mccfr` does them on trees with one walk a batch, and `search` without a target.
Chance draws by a game's own ``draw`` if it has one.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, RunError, SizeError, check_range, shortened
from tefuda.files import NOT_NEGATIVE, ArraySpec, as_tuples, check_arrays, survives_json
from tefuda.forms.uncompiled import Uncompiled
from tefuda.games.answers import calling_rules, move_numbers
from tefuda.games.check import check_game
from tefuda.games.playthrough import draw_outcome, pick
from tefuda.games.protocol import CHANCE, TERMINAL
from tefuda.games.report import raise_if_faulty
from tefuda.solvers.protocol import Solver, TablePolicy, normalised, require_average
from tefuda.solvers.sampled.mccfr import Sampling
from tefuda.solvers.sampled.oos import OnlineSampling
from tefuda.solvers.sampled.search import Memory, OosSearch, Remembered, recalled

Scheme = Sampling | OnlineSampling
SCHEMES = ("external", "outcome")
_PLAIN = {"rule": "rm", "averaging": 0, "batch": 1, "delay": 0, "baseline": 0.0, "deal": ()}
_LOOK = 200  # histories of a game that are checked before it is sampled
_COUNTS = ("seed", "iterations", "nodes", "memory")
#: The state of a sampler: keys as JSON; regrets and sums of the actions, infoset by infoset.
_ARRAYS = {
    "regret": ArraySpec("float64", ("r",)),
    "total": ArraySpec("float64", ("r",), *NOT_NEGATIVE),
    "actions": ArraySpec("int64", ("n",), 1, 2**31),
    "random": ArraySpec("uint64", (625,), 0, 2**32 - 1),
    "keys": ArraySpec("uint8", ("bytes",)),
    "counts": ArraySpec("int64", (len(_COUNTS),), 0),
}
_BYTES = 400, 70  # of an infoset and of an action, measured; keys of text come along


class RulesSolver(Solver):
    """Solves rules without a tree by sampling; the result does not depend on how the iterations are split.

    tables: by (player, key) the regrets of the actions, and their sums for the average. memory: their size in bytes,
    estimated; an iteration begins only below the form's memory. nodes: histories visited.
    """

    def __init__(self, form: Uncompiled, method: Scheme, seed: int = 0) -> None:
        _check_method(method)
        check_range("memory", form.memory, 1, whole=False)
        raise_if_faulty(form.rules, check_game(form.rules, limit=_LOOK, samples=_LOOK // 10), "sampled")
        self._form, self.rules, self.method, self.seed = form, form.rules, method, seed
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
        """See `Solver`; an iteration is a walk for every player. SizeError if the memory is full; the tables stay."""
        with calling_rules(self.rules):
            for _ in range(iterations):
                if self.memory > self.form.memory:
                    raise SizeError(
                        f"{len(self.tables):,} infosets fill the memory of {self.form.memory:,.0f} bytes after "
                        f"{self.iterations:,} iterations. Resume with more memory, or use this solution."
                    )
                self._iterate()
                self._count()
                self.iterations += 1

    def choice(self, probabilities: Sequence[float]) -> int:
        """See `search.Choosing`."""
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
        """Add the memory of new infosets, the last of the dictionary."""
        for (_, key), known in islice(reversed(self.tables.items()), len(self.tables) - self._counted):
            self.memory += _BYTES[0] + _BYTES[1] * len(known.regret) + (len(key) if isinstance(key, str) else 0)
        self._counted = len(self.tables)

    def average(self) -> TablePolicy:
        """See `Solver`; SolverError before the first iteration."""
        require_average(self.iterations, 0)
        return TablePolicy({key: known.total.copy() for key, known in self.tables.items()})

    def current(self) -> TablePolicy:
        """See `Solver`: regret matching."""
        return TablePolicy({key: matched(known[0]) for key, known in self.tables.items()})

    def state(self) -> dict[str, np.ndarray]:
        """See `Solver`; ParameterError for keys that JSON cannot hold."""
        keys = [[player, key] for player, key in self.tables]
        if (odd := next((key for _, key in keys if not survives_json(key)), None)) is not None:
            raise ParameterError(f"views must be texts, numbers or tuples of them to be saved; got {shortened(odd)}.")
        known = self.tables.values()
        return {
            "regret": np.array([x for row, _ in known for x in row], dtype=np.float64),
            "total": np.array([x for _, row in known for x in row], dtype=np.float64),
            "actions": np.array([len(row) for row, _ in known], dtype=np.int64),
            "random": np.array(self._random.getstate()[1], dtype=np.uint64),
            "keys": np.frombuffer(json.dumps(keys).encode(), dtype=np.uint8).copy(),
            "counts": np.array([getattr(self, name) for name in _COUNTS], dtype=np.int64),
        }

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """See `Solver`."""
        letters = check_arrays("the state", state, _ARRAYS)
        ends = np.cumsum(state["actions"])
        try:
            keys = [(player, key) for player, key in as_tuples(json.loads(state["keys"].tobytes()))]
            fit = all(type(player) is int and 0 <= player < self.rules.players for player, _ in keys)
            if not fit or len(set(keys)) != letters["n"] or (ends[-1] if keys else 0) != letters["r"]:
                raise ValueError("keys and arrays do not fit each other")
            self._random.setstate((3, tuple(map(int, state["random"])), None))
        except (TypeError, ValueError) as error:
            raise RunError(f"the state holds no sampler: {error}. Use an intact copy.") from None
        rows = [np.split(state[name], ends[:-1]) if keys else [] for name in ("regret", "total")]
        self.tables = {key: Remembered(r.tolist(), t.tolist()) for key, r, t in zip(keys, *rows, strict=True)}
        self._counted = len(keys)
        for name, count in zip(_COUNTS, state["counts"].tolist(), strict=True):
            setattr(self, name, count)

    def _known(self, player: int, key: Hashable, count: int) -> Remembered:
        known = recalled(self.tables, (player, key), count)
        if known is None:
            known = self.tables[player, key] = Remembered([0.0] * count, [0.0] * count)
        return known

    def _walk(self, state: Any, player: int, q: float) -> float:
        """Return the sampled value of a state for `player`; see the kernel `mccfr.walk`."""
        game = self.rules
        for _ in move_numbers(game):
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
        """Add a path to the average of `player`, who plays its strategy and the others uniformly."""
        game, state = self.rules, self.rules.root()
        for _ in move_numbers(game):
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


def _check_method(method: Scheme) -> None:
    """Raise ParameterError unless a method can be run over rules."""
    if isinstance(method, OnlineSampling):
        return
    needs = [name for name, value in _PLAIN.items() if getattr(method, name) != value]
    if needs or method.scheme not in SCHEMES:
        what = f" ({', '.join(needs)})" if needs else ""
        raise ParameterError(f"{method.name}{what} needs a tree; without one, use external, outcome or oos.")


def matched(regret: Sequence[float]) -> list[float]:
    """Return the strategy of regret matching."""
    return normalised([amount if amount > 0 else 0.0 for amount in regret])
