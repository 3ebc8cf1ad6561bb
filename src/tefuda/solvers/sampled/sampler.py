"""Monte Carlo CFR over plain rules, for games that are too large to compile.

The tables are a dictionary of the visited infosets. The methods are external and outcome sampling with one traversal a
batch, as in `mccfr`, and online outcome sampling without a target, as in `search`. Chance outcomes come from the game's
``draw``, if it has one.
"""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, RunError, SizeError, check_range, shortened
from tefuda.files import NOT_NEGATIVE, ArraySpec, as_tuples, check_arrays, survives_json
from tefuda.forms.rules import RulesForm
from tefuda.games.answers import calling_rules, move_numbers, payoffs_at
from tefuda.games.check import require_sound
from tefuda.games.plays import draw_outcome, pick
from tefuda.games.protocol import CHANCE, TERMINAL
from tefuda.games.report import RECALL
from tefuda.games.size import estimate_traversal
from tefuda.solvers.protocol import Solver, TablePolicy, normalised, require_average
from tefuda.solvers.sampled.mccfr import Sampling
from tefuda.solvers.sampled.oos import OnlineSampling
from tefuda.solvers.sampled.search import InfosetTables, Memory, OosSearch, find_infoset, visit

Scheme = Sampling | OnlineSampling
_LONG_TRAVERSAL = 1e6  # histories: about ten seconds
_CHECKED_HISTORIES = 200  # histories of a game that are checked before sampling
_COUNTS = ("seed", "iterations", "nodes", "memory")
#: The saved state: keys as JSON; regrets and weights of the actions, infoset by infoset.
_ARRAYS = {
    "regret": ArraySpec("float64", ("r",)),
    "total": ArraySpec("float64", ("r",), *NOT_NEGATIVE),
    "actions": ArraySpec("int64", ("n",), 1, 2**31),
    "random": ArraySpec("uint64", (625,), 0, 2**32 - 1),
    "keys": ArraySpec("uint8", ("bytes",)),
    "counts": ArraySpec("int64", (len(_COUNTS),), 0),
}
#: Bytes of an infoset and of an action, measured at the peak: while a run with a curve and checkpoints is saved. The
#: tables alone need less than half of it. The length of a text key is added.
_BYTES = 1100, 150


class RulesSolver(Solver):
    """A sampling solver of rules without a tree; splitting the iterations does not change the result.

    tables: regrets and average weights by (player, key).
    memory: estimated size of the tables in bytes. An iteration starts only below the form's limit.
    nodes: number of histories visited so far.
    """

    def __init__(self, form: RulesForm, method: Scheme, seed: int = 0) -> None:
        check_range("memory", form.memory, 1, whole=False)
        require_sound(form.game, _CHECKED_HISTORIES, _CHECKED_HISTORIES // 10, accepted=RECALL[:1])
        self._form, self.rules, self.method, self.seed = form, form.game, method, seed
        self._every_action = isinstance(method, Sampling) and method.scheme == "external"
        if self._every_action and (visited := estimate_traversal(form.game)) > _LONG_TRAVERSAL:
            warnings.warn(
                f"an iteration of {method.name} visits about {visited:.1e} histories of {form.name}; outcome visits a "
                "path for each player.",
                RuntimeWarning,
                stacklevel=2,
            )
        self.iterations, self.nodes, self.memory, self._known_infosets = 0, 0, 0, 0
        self.tables: Memory = {}
        self._visited = set[Hashable]()  # the traverser's infosets on the current path
        self._random = random.Random(seed)
        self.uniform: Callable[[], float] = self._random.random

    @property
    def form(self) -> RulesForm:
        return self._form

    def advance(self, iterations: int) -> None:
        """See `Solver`; an iteration is a traversal for every player.

        Raises:
            SizeError: the memory is full. The tables remain usable.
        """
        with calling_rules(self.rules):
            for _ in range(iterations):
                if self.memory > self.form.memory:
                    raise SizeError(
                        f"{len(self.tables):,} infosets fill the memory of {self.form.memory:,.0f} bytes after "
                        f"{self.iterations:,} iterations; resume with more memory, or use this solution."
                    )
                self._iterate()
                self._add_memory()
                self.iterations += 1

    def choice(self, probabilities: Sequence[float]) -> int:
        """Return an index drawn by probabilities."""
        return pick(probabilities, self.uniform())

    def _iterate(self) -> None:
        if isinstance(self.method, OnlineSampling):
            search = OosSearch(self.rules, self.method, self.choice, self.tables, uniform=self.uniform)
            search.advance(1)
            self.nodes += search.nodes
            return
        for player in range(self.rules.players):
            self._visited.clear()
            self._traverse(self.rules.root(), player, 1.0)
            if self.rules.players != 2:
                self._traverse_for_average(player)

    def _add_memory(self) -> None:
        """Add the size of new infosets, which are the last in the dictionary."""
        for (_, key), tables in islice(reversed(self.tables.items()), len(self.tables) - self._known_infosets):
            self.memory += _BYTES[0] + _BYTES[1] * len(tables.regret) + (len(key) if isinstance(key, str) else 0)
        self._known_infosets = len(self.tables)

    def average(self) -> TablePolicy:
        """See `Solver`; raise SolverError before the first iteration."""
        require_average(self.iterations, 0)
        return TablePolicy({key: tables.total.copy() for key, tables in self.tables.items()})

    def current(self) -> TablePolicy:
        """See `Solver`: regret matching."""
        return TablePolicy({key: regret_matching(tables[0]) for key, tables in self.tables.items()})

    def state(self) -> dict[str, np.ndarray]:
        """See `Solver`; raise ParameterError for keys that JSON cannot represent."""
        keys = [[player, key] for player, key in self.tables]
        if (bad := next((key for _, key in keys if not survives_json(key)), None)) is not None:
            raise ParameterError(f"saved views must be texts, numbers or tuples of them, got {shortened(bad)}.")
        tables = self.tables.values()
        return {
            "regret": np.array([x for row, _ in tables for x in row], dtype=np.float64),
            "total": np.array([x for _, row in tables for x in row], dtype=np.float64),
            "actions": np.array([len(row) for row, _ in tables], dtype=np.int64),
            "random": np.array(self._random.getstate()[1], dtype=np.uint64),
            "keys": np.frombuffer(json.dumps(keys).encode(), dtype=np.uint8).copy(),
            "counts": np.array([getattr(self, name) for name in _COUNTS], dtype=np.int64),
        }

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        letters = check_arrays("the state", state, _ARRAYS)
        ends = np.cumsum(state["actions"])
        try:
            keys = [(player, key) for player, key in as_tuples(json.loads(state["keys"].tobytes()))]
            fit = all(type(player) is int and 0 <= player < self.rules.players for player, _ in keys)
            if not fit or len(set(keys)) != letters["n"] or (ends[-1] if keys else 0) != letters["r"]:
                raise ValueError("keys and arrays do not match")
            self._random.setstate((3, tuple(map(int, state["random"])), None))
        except (TypeError, ValueError) as error:
            raise RunError(f"the state of the sampler is damaged: {error}. Use an intact copy.") from None
        rows = [np.split(state[name], ends[:-1]) if keys else [] for name in ("regret", "total")]
        self.tables = {key: InfosetTables(r.tolist(), t.tolist()) for key, r, t in zip(keys, *rows, strict=True)}
        self._known_infosets = len(keys)
        for name, count in zip(_COUNTS, state["counts"].tolist(), strict=True):
            setattr(self, name, count)

    def _tables_of(self, player: int, key: Hashable, count: int) -> InfosetTables:
        tables = find_infoset(self.tables, (player, key), count)
        if tables is None:
            tables = self.tables[player, key] = InfosetTables([0.0] * count, [0.0] * count)
        return tables

    def _traverse(self, state: Any, player: int, q: float) -> float:
        """Return the sampled value of a state for `player`; see the kernel `mccfr.traverse`."""
        game = self.rules
        for _ in move_numbers(game):
            self.nodes += 1
            mover = game.player(state)
            if mover == TERMINAL:
                return float(payoffs_at(game, state)[player])
            if mover == CHANCE:
                state = game.child(state, draw_outcome(game, state, self.uniform)[0])
                continue
            actions = game.actions(state)
            key = game.view(state, mover)
            regret, total = self._tables_of(mover, key, len(actions))
            sigma = regret_matching(regret)
            if mover == player:
                visit(self._visited, game, (mover, key))
                value = self._update_own(state, player, q, actions, regret, sigma)
                self._visited.remove((mover, key))
                return value
            if game.players == 2:
                for a, chance in enumerate(sigma):
                    total[a] += chance / q
            state = game.child(state, actions[self.choice(sigma)])
        raise AssertionError("moves() has raised")

    def _update_own(
        self, state: Any, player: int, q: float, actions: Sequence[Hashable], regret: list[float], sigma: list[float]
    ) -> float:
        count, child = len(actions), self.rules.child
        if self._every_action:
            values = [self._traverse(child(state, action), player, q) for action in actions]
        else:
            epsilon = self.method.epsilon
            p = [epsilon / count + (1 - epsilon) * chance for chance in sigma]
            at, values = self.choice(p), [0.0] * count
            values[at] = self._traverse(child(state, actions[at]), player, q * p[at]) / p[at]
        mean = sum([chance * value for chance, value in zip(sigma, values, strict=True)])
        for a, value in enumerate(values):
            regret[a] += (value - mean) / q
        return mean

    def _traverse_for_average(self, player: int) -> None:
        """Add a trajectory to the average of `player`; the opponents play uniformly."""
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
                regret, total = self._tables_of(mover, game.view(state, mover), len(actions))
                chances = regret_matching(regret)
                for a, chance in enumerate(chances):
                    total[a] += chance
            state = game.child(state, actions[self.choice(chances)])


def regret_matching(regret: Sequence[float]) -> list[float]:
    """Return the strategy of regret matching."""
    return normalised([amount if amount > 0 else 0.0 for amount in regret])
