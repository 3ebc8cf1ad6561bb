"""Steps of games as a baseline remembers them: of a tree the number of the child alone, of rules all that was seen.

A child of a tree says all of its step, so a million remembered steps are as many numbers, and a fit to all of them has
a row for each child with how often it was met. n steps, U units, P players.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from tefuda.errors import RunError
from tefuda.forms.simulate import Simulator, TreeSimulator
from tefuda.games.protocol import CHANCE
from tefuda.solvers.learned.encoders import Encoder, TreeEncoder
from tefuda.solvers.learned.memories import Column, Memory
from tefuda.solvers.sampled.waves import Wave


class Steps(NamedTuple):
    """From a history by a unit to what follows: the next decision, or an end."""

    history: np.ndarray  # [n] or [n, F] what all players saw
    legal: np.ndarray  # [n, U] bool
    unit: np.ndarray  # [n] int64
    payoff: np.ndarray  # [n, P]; 0 where the game goes on
    goes_on: np.ndarray  # [n] 1 or 0; the rest is of no meaning where it is 0
    after: np.ndarray  # [n] or [n, F] what all players see there
    mover: np.ndarray  # [n] who decides
    seen: np.ndarray  # [n] or [n, F] what it sees
    choices: np.ndarray  # [n, U] bool what is legal
    times: np.ndarray  # [n] float64 how often it was met

    def of(self, rows: np.ndarray) -> Steps:
        """Some of the rows."""
        return Steps(*(column[rows] for column in self))


class TreeSteps:
    """Steps of a tree by the number of the child."""

    def __init__(self, simulator: TreeSimulator) -> None:
        self.columns: dict[str, Column] = {"child": ((), np.int32)}
        tree, legal = simulator.tree, simulator.infoset_legal
        parent, unit = origins(simulator)
        self.child = np.flatnonzero((parent >= 0) & (tree.player != CHANCE))
        before, infoset = parent[self.child], tree.infoset[self.child]
        on = infoset >= 0
        self.steps = Steps(
            before.astype(np.int32), legal[tree.infoset[before]], unit[self.child],
            np.where(on[:, None], 0.0, simulator.payoffs(self.child)), on.astype(np.float64),
            self.child.astype(np.int32), tree.player[self.child], infoset.astype(np.int32), legal[infoset],
            np.zeros(len(self.child)),
        )  # fmt: skip

    def rows(self, wave: Wave, below: Wave) -> dict[str, np.ndarray]:
        """What a memory keeps of the steps between two waves."""
        return {"child": below.games.astype(np.int32)}

    def check(self, memory: Memory, state: Mapping[str, np.ndarray]) -> None:
        """Refuse what is no state of a memory of steps.

        Raises:
            RunError: what is wrong with it.
        """
        memory.check(state)
        if not np.isin(state["child"], self.child).all():
            raise RunError("the state remembers steps of the game that no decision leads to.")

    def all(self, memory: Memory) -> Steps:
        """A row for each child that is remembered."""
        count = np.bincount(memory.held()["child"], minlength=self.child[-1] + 1)[self.child]
        met = np.flatnonzero(count)
        return self.steps._replace(times=count.astype(np.float64)).of(met)


def origins(simulator: TreeSimulator) -> tuple[np.ndarray, np.ndarray]:
    """`[N]` the decision that leads to a node, over chance (-1: none does), and `[N]` by which unit."""
    tree = simulator.tree
    child, before = np.arange(len(tree.player)), tree.parent.astype(np.int64)
    while len(chance := np.flatnonzero((before >= 0) & (tree.player[before] == CHANCE))):
        child[chance] = before[chance]
        before[chance] = tree.parent[before[chance]]
    infoset, action = tree.infoset[before], child - tree.first_child[before]
    stands = simulator.infoset_legal[infoset] & (simulator.infoset_action[infoset] == action[:, None])
    return before, stands.argmax(axis=1)


class RulesSteps:
    """Steps of rules: everything that is seen."""

    def __init__(self, simulator: Simulator, encoder: Encoder) -> None:
        self.simulator, self.encoder = simulator, encoder
        units = ((simulator.units,), bool)
        self.columns: dict[str, Column] = {
            "history": encoder.history_column, "legal": units, "unit": ((), np.int64),
            "payoff": ((simulator.players,), np.float32), "goes_on": ((), np.float32), "after": encoder.history_column,
            "mover": ((), np.int8), "seen": encoder.column, "choices": units,
        }  # fmt: skip

    def rows(self, wave: Wave, below: Wave) -> dict[str, np.ndarray]:
        """See `TreeSteps`."""
        count, parent = len(wave.parent), wave.parent
        rows = {name: np.zeros((count, *shape), dtype=kind) for name, (shape, kind) in self.columns.items()}
        rows["history"][:] = self.encoder.observe_all(wave.games[wave.at])[parent]
        rows["legal"][:], rows["unit"][:] = wave.legal[parent], wave.unit
        ends, on = np.setdiff1d(np.arange(count), below.at), below.at
        if len(ends):
            rows["payoff"][ends] = self.simulator.payoffs(below.games[ends])
        if len(on):
            rows["after"][on] = self.encoder.observe_all(below.games[on])
            rows["seen"][on], rows["choices"][on], rows["mover"][on] = below.seen, below.legal, below.mover
            rows["goes_on"][on] = 1.0
        return rows

    def check(self, memory: Memory, state: Mapping[str, np.ndarray]) -> None:
        """See `TreeSteps`."""
        units, seats = (0, self.simulator.units - 1), (0, self.simulator.players - 1)
        memory.check(state, **self.encoder.ranges, unit=units, mover=seats, goes_on=(0, 1))

    def all(self, memory: Memory) -> Steps:
        """A row for each step remembered."""
        return self._steps(memory.held())

    def some(self, memory: Memory, count: int, rng: np.random.Generator) -> Steps:
        """A minibatch."""
        return self._steps(dict(zip(memory.columns, memory.draw(count, rng), strict=True)))

    def _steps(self, rows: dict[str, np.ndarray]) -> Steps:
        return Steps(*[*(rows[name] for name in self.columns), np.ones(len(rows["unit"]))])


def steps_of(simulator: Simulator, encoder: Encoder) -> TreeSteps | RulesSteps:
    """How steps of a game are remembered."""
    return TreeSteps(encoder.simulator) if isinstance(encoder, TreeEncoder) else RulesSteps(simulator, encoder)
