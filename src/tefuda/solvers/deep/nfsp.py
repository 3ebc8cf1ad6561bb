"""Neural fictitious self-play in PyTorch over any simulator: for games too large to tabulate.

The same algorithm and settings as nfsp.py, with observations in the memories and dense minibatches, about 30 times
slower: on Leduc 5,000 games a second.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from tefuda.errors import ParameterError, RunError, SolverError
from tefuda.files import COUNT, check_arrays, like
from tefuda.forms.simulate import Simulator
from tefuda.forms.tree import Tree
from tefuda.forms.uncompiled import Uncompiled
from tefuda.judging.profile import Profile
from tefuda.solvers.deep.encoders import encoder_of
from tefuda.solvers.deep.memories import Reservoir, Ring
from tefuda.solvers.deep.networks import masked, network, strategies, tensors
from tefuda.solvers.deep.policies import played
from tefuda.solvers.nfsp import NFSP
from tefuda.solvers.protocol import Policy, Solver
from tefuda.solvers.waves import one_each

_AVERAGE, _RESPOND, _UNDECIDED = 0, 1, -1


class Seat:
    """One player's networks, their optimisers, and memories."""

    def __init__(self, simulator: Simulator, method: NFSP, rng: np.random.Generator) -> None:
        features, units = simulator.features, simulator.units
        self.value, self.policy = (network(features, method.hidden, units, rng) for _ in range(2))
        self.target = copy.deepcopy(self.value)
        self.value_steps = self.policy_steps = 0
        kinds = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}
        value, policy = (kinds[name] for name in method.optimisers)
        self.value_descent = value(self.value.parameters(), lr=method.value_rate)
        self.policy_descent = policy(self.policy.parameters(), lr=method.policy_rate)
        seen, may = ((features,), np.float32), ((units,), bool)
        self.ring = Ring(
            method.transitions, before=seen, unit=((), np.int64), reward=((), np.float32), after=seen, legal=may,
            goes_on=((), np.float32),
        )  # fmt: skip
        self.reservoir = Reservoir(method.behaviour, before=seen, unit=((), np.int64), legal=may)

    def greedy(self, seen: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """`[n]` the best legal units by value."""
        return strategies(self.value, seen, legal, True).argmax(axis=1)

    def probabilities(self, seen: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """`[n, U]` the policy."""
        return strategies(self.policy, seen, legal, False)


class DenseNfspSolver(Solver):
    """Trains over a simulator. `advance` counts games; strategies are profiles over a `TreeSimulator`, else policies.

    Args:
        simulator: the game.
        method: settings; draws are random, values in a network, minibatches drawn, illegal actions masked.
        seed: the same seed gives the same run on the same machine.

    Raises:
        ParameterError: a method that needs a tree.
    """

    def __init__(self, simulator: Simulator, method: NFSP, seed: int = 0) -> None:
        plain = (method.draws, method.values, method.masked) == ("random", "network", True)
        if not plain or 0 in (method.batch, method.policy_batch):
            raise ParameterError(
                f"{method.name} draws {method.draws}, keeps values in a {method.values}, masked: {method.masked}, "
                f"batch {method.batch}, policy_batch {method.policy_batch}; over simulators draws are random, values "
                "in a network, illegal actions masked and minibatches drawn."
            )
        self.simulator, self.method, self.iterations, self.games, self.steps = simulator, method, 0, 0, 0
        self._rng = np.random.default_rng(seed)
        self._seats = [Seat(simulator, method, self._rng) for _ in range(simulator.players)]
        shape = (method.tables, simulator.players)
        self._position = simulator.deal(method.tables, self._rng)
        self._mode, self._unit = np.full(shape, _UNDECIDED), np.full(shape, -1)
        self._seen = np.zeros((*shape, simulator.features), dtype=np.float32)

    @property
    def game(self) -> Tree | Uncompiled:
        """The game simulated."""
        return self.simulator.game

    @property
    def held(self) -> str:  # type: ignore[override]
        """As a simulated tree, or as simulated rules."""
        return self.simulator.held

    def advance(self, iterations: int) -> None:
        """Train until so many more games are finished."""
        self.iterations += iterations
        while self.games < self.iterations:
            self.steps += 1
            self._decide(self.method.exploration(self.steps))
            for seat in self._seats:
                for _ in range(self.method.value_updates if seat.ring.seen > self.method.least else 0):
                    self._learn_values(seat)
                for _ in range(self.method.policy_updates if seat.reservoir.seen > self.method.least else 0):
                    self._learn_policy(seat)

    def _decide(self, epsilon: float) -> None:
        """One decision at every table."""
        movers = self.simulator.player(self._position)
        seen, legal = self.simulator.observe(self._position), self.simulator.legal(self._position)
        units = np.zeros(len(movers), dtype=np.int64)
        for player, seat in enumerate(self._seats):
            tables = np.flatnonzero(movers == player)
            if len(tables):
                self._complete(seat, player, tables, seen[tables], legal[tables])
                units[tables] = self._choose(seat, player, tables, seen[tables], legal[tables], epsilon)
                self._seen[tables, player], self._unit[tables, player] = seen[tables], units[tables]
        self._position = self.simulator.step(self._position, units, self._rng)
        over = np.flatnonzero(self.simulator.player(self._position) < 0)
        if len(over):
            self._close(over)

    def _complete(self, seat: Seat, player: int, tables: np.ndarray, seen: np.ndarray, legal: np.ndarray) -> None:
        """A player's last decisions have led to these observations."""
        had = self._unit[tables, player] >= 0
        rows = tables[had]
        seat.ring.add(
            before=self._seen[rows, player], unit=self._unit[rows, player], reward=np.zeros(len(rows)),
            after=seen[had], legal=legal[had], goes_on=np.ones(len(rows)),
        )  # fmt: skip

    def _choose(
        self, seat: Seat, player: int, tables: np.ndarray, seen: np.ndarray, legal: np.ndarray, epsilon: float
    ) -> np.ndarray:
        """The units a player plays now; best responses are offered for imitation."""
        rng, mode = self._rng, self._mode
        new = tables[mode[tables, player] == _UNDECIDED]
        mode[new, player] = rng.random(len(new)) < self.method.eta
        units = one_each(seat.probabilities(seen, legal), rng)
        responding = np.flatnonzero(mode[tables, player] == _RESPOND)
        if len(responding):
            explored = rng.random(len(responding)) < epsilon
            free = one_each(legal[responding] / legal[responding].sum(axis=1, keepdims=True), rng)
            units[responding] = np.where(explored, free, seat.greedy(seen[responding], legal[responding]))
            kept = responding if self.method.keep_exploration else responding[~explored]
            seat.reservoir.offer(rng, before=seen[kept], unit=units[kept], legal=legal[kept])
        return units

    def _close(self, over: np.ndarray) -> None:
        """Games that are over: rewards, and new deals."""
        rewards = self.simulator.payoffs(self._position[over]) * self.method.scale
        for player, seat in enumerate(self._seats):
            had = self._unit[over, player] >= 0
            seat.ring.add(
                before=self._seen[over[had], player], unit=self._unit[over[had], player], reward=rewards[had, player],
                legal=True, goes_on=0.0,  # any that is legal: what it is worth counts 0 times
            )  # fmt: skip
        self._mode[over], self._unit[over] = _UNDECIDED, -1
        self._position[over] = self.simulator.deal(len(over), self._rng)
        self.games += len(over)

    def _learn_values(self, seat: Seat) -> None:
        method = self.method
        before, unit, reward, after, legal, goes_on = tensors(seat.ring.draw(method.batch, self._rng))
        with torch.no_grad():
            judge = seat.target if method.target_every else seat.value
            reward = reward + goes_on * masked(judge(after), legal).max(dim=1).values
        chosen = seat.value(before).gather(1, unit[:, None])[:, 0]
        _descend(seat.value_descent, 0.5 * functional.mse_loss(chosen, reward), self._rate("value"))
        seat.value_steps += 1
        if method.target_every and seat.value_steps % method.target_every == 0:
            seat.target.load_state_dict(seat.value.state_dict())

    def _learn_policy(self, seat: Seat) -> None:
        before, unit, legal = tensors(seat.reservoir.draw(self.method.policy_batch, self._rng))
        loss = functional.cross_entropy(masked(seat.policy(before), legal), unit)
        _descend(seat.policy_descent, loss, self._rate("policy"))
        seat.policy_steps += 1

    def _rate(self, kind: str) -> float:
        rate, decay = getattr(self.method, f"{kind}_rate"), getattr(self.method, f"{kind}_decay")
        return float(rate / (1 + self.steps / decay) if decay else rate)

    def average(self) -> Profile | Policy:
        """The policy networks.

        Raises:
            SolverError: nothing has been played yet.
        """
        if self.iterations == 0:
            raise SolverError("the policy networks have learned nothing yet: no games have been played.")
        return self._played(greedy=False)

    def current(self) -> Profile | Policy:
        """Greedy play of the value networks: the best responses."""
        return self._played(greedy=True)

    def _played(self, greedy: bool) -> Profile | Policy:
        """What networks play: tabulated where there is a tree, else copies of them."""
        nets = copy.deepcopy([seat.value if greedy else seat.policy for seat in self._seats])
        encoder = encoder_of(self.simulator, sequences=False)

        def answer(player: int, seen: np.ndarray, legal: np.ndarray) -> np.ndarray:
            return strategies(nets[player], encoder.rows(seen), legal, greedy)

        return played(encoder, answer)

    def state(self) -> dict[str, np.ndarray]:
        """Copies of everything that determines how the run goes on; of the memories what is filled."""
        counts = np.array([self.iterations, self.games, self.steps])
        found = {"counts": counts, "generator": _packed(self._rng.bit_generator.state)}
        found["position"] = self.simulator.kept(self._position)
        for name, (memory, column) in self._columns().items():
            found[name] = column[: memory.filled]
        return {name: np.array(array) for name, array in (found | self._arrays()).items()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go on from what `state` returned."""
        self._position = self._check(state)
        self.iterations, self.games, self.steps = map(int, state["counts"])
        self._rng.bit_generator.state = _unpacked(state["generator"])
        for name, array in self._arrays().items():
            array[...] = state[name]
        for name, (_, column) in self._columns().items():
            column[: len(state[name])] = state[name]
        for place, seat in enumerate(self._seats):
            numbers = state[f"{place}.numbers"]
            seat.ring.seen, seat.reservoir.seen, seat.value_steps, seat.policy_steps = map(int, numbers)

    def _check(self, state: Mapping[str, np.ndarray]) -> np.ndarray:
        """Refuse a state with anything in it that is no index or count where one is needed; return its games."""
        of_units = (0, self.simulator.units - 1)
        ranges: dict[str, tuple[float, float]] = {
            "counts": COUNT,
            "mode": (_UNDECIDED, _RESPOND),
            "unit": (-1, of_units[1]),
        }
        for place in range(len(self._seats)):
            ranges |= {f"{place}.ring.unit": of_units, f"{place}.reservoir.unit": of_units, f"{place}.numbers": COUNT}
        expected = like(self.state(), **ranges)
        expected["position"] = replace(expected["position"], shape=("position",))
        for name, (_, column) in self._columns().items():
            expected[name] = replace(expected[name], shape=(range(len(column) + 1), *column.shape[1:]))
        check_arrays("the state", state, expected)
        for name, (_, column) in self._columns().items():
            seat, kind, _ = name.split(".")
            seen = int(state[f"{seat}.numbers"][("ring", "reservoir").index(kind)])
            if len(state[name]) != min(seen, len(column)):
                raise RunError(f"the state has {len(state[name]):,} rows of {name} where {seen:,} were seen.")
        iterations, games, _ = map(int, state["counts"])
        if games < iterations or max(state["generator"][4:]) >= 1 << 32:
            raise RunError("the state has games that nobody played, or no generator.")
        return self.simulator.found(state["position"], self.method.tables)

    def _columns(self) -> dict[str, tuple[Ring | Reservoir, np.ndarray]]:
        """The memories' columns by name, each with its memory."""
        return {
            f"{place}.{kind}.{name}": (memory, column)
            for place, seat in enumerate(self._seats)
            for kind, memory in (("ring", seat.ring), ("reservoir", seat.reservoir))
            for name, column in memory.columns.items()
        }

    def _arrays(self) -> dict[str, np.ndarray]:
        """The arrays that change, by name, as views wherever they are arrays already."""
        found = {"mode": self._mode, "unit": self._unit, "seen": self._seen}
        for place, seat in enumerate(self._seats):
            for kind in ("value", "policy", "target"):
                for name, weights in getattr(seat, kind).state_dict().items():
                    found[f"{place}.{kind}.{name}"] = weights.numpy()
            for kind in ("value_descent", "policy_descent"):
                found |= {f"{place}.{kind}.{name}": moment for name, moment in _moments(getattr(seat, kind))}
            found[f"{place}.numbers"] = np.array(
                [seat.ring.seen, seat.reservoir.seen, seat.value_steps, seat.policy_steps]
            )
        return found


def _descend(descent: torch.optim.Optimizer, loss: torch.Tensor, rate: float) -> None:
    descent.param_groups[0]["lr"] = rate
    descent.zero_grad()
    loss.backward()
    descent.step()


def _moments(descent: torch.optim.Optimizer) -> list[tuple[str, np.ndarray]]:
    """Adam's moments and step counts, made if it has not stepped yet; nothing for plain descent."""
    found = []
    for place, weights in enumerate(descent.param_groups[0]["params"]):
        if isinstance(descent, torch.optim.Adam):
            kept = descent.state[weights]
            if not kept:
                zeros = (torch.zeros_like(weights), torch.zeros_like(weights))
                kept.update(step=torch.zeros(()), exp_avg=zeros[0], exp_avg_sq=zeros[1])
            found += [(f"{place}.{name}", kept[name].numpy()) for name in ("step", "exp_avg", "exp_avg_sq")]
    return found


def _packed(state: Mapping[str, Any]) -> np.ndarray:
    """A PCG64 generator's state as four words."""
    inner, word = state["state"], (1 << 64) - 1
    parts = (inner["state"] & word, inner["state"] >> 64, inner["inc"] & word, inner["inc"] >> 64)
    return np.array([*parts, state["has_uint32"], state["uinteger"]], dtype=np.uint64)


def _unpacked(words: np.ndarray) -> dict[str, Any]:
    low, high, inc_low, inc_high, has, left = map(int, words)
    inner = {"state": low | high << 64, "inc": inc_low | inc_high << 64}
    return {"bit_generator": "PCG64", "state": inner, "has_uint32": has, "uinteger": left}
