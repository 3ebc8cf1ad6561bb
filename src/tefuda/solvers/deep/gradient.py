"""Self-play by policy gradient over a simulator: one policy and one critic for all players.

Inputs include the number of the player to move. The critic reads the mover's observation and has one
output per player, so payoffs may have any sum. Games are played to their ends: a critic that sees the
next mover's cards cannot value the decision of another player. G games, n decisions, F features, U units,
P players.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from tefuda.evaluating.profile import Profile
from tefuda.files import NOT_NEGATIVE, array_specs, check_arrays
from tefuda.forms.simulate import Simulator, TreeSimulator, deal_decisions
from tefuda.solvers.deep.baselines import largest_payoff
from tefuda.solvers.deep.models import Adam
from tefuda.solvers.deep.modules import build, device, single_thread
from tefuda.solvers.learned.encoders import make_encoder
from tefuda.solvers.learned.neural import PolicyGradient
from tefuda.solvers.learned.policies import IterateAverage, fill_by_infoset, make_strategy
from tefuda.solvers.protocol import Policy, Solver, require_average
from tefuda.solvers.sampled.levels import sample_each


class Transition(NamedTuple):
    """The decisions of one step in n games that have not ended."""

    game_index: np.ndarray  # [n] int64 index of the game
    rows: np.ndarray  # [n, F + P] float32 network inputs
    legal: np.ndarray  # [n, U] bool
    mover: np.ndarray  # [n] int64
    unit: np.ndarray  # [n] int64
    probability: np.ndarray  # [n] float32 of the unit
    value: np.ndarray  # [n, P] float32 critic's values


class Minibatch(NamedTuple):
    """Decisions as tensors for the loss."""

    rows: torch.Tensor
    legal: torch.Tensor
    unit: torch.Tensor
    probability: torch.Tensor
    value: torch.Tensor
    advantage: torch.Tensor
    target: torch.Tensor


class GradientSolver(Solver):
    """Solver of a `PolicyGradient`; strategies are profiles over a `TreeSimulator`, else policies.

    The same seed gives the same run on the same machine.
    """

    def __init__(self, simulator: Simulator, method: PolicyGradient, seed: int = 0) -> None:
        self.simulator, self.method, self.seed, self.iterations = simulator, method, seed, 0
        self.encoder, rng = make_encoder(simulator, sequences=False), self._generator(0)
        self._size, width = largest_payoff(simulator), self.encoder.width + simulator.players
        self.actor, self.critic = (
            build("connected", width, 0, method.hidden, method.layers, outputs, rng)
            for outputs in (simulator.units, simulator.players)
        )
        self.nets = nn.ModuleList([self.actor, self.critic]).to(device())
        self._adam = Adam(self.nets, method.rate, method.max_norm, method.momentum)
        self._iterates = IterateAverage(simulator) if isinstance(simulator, TreeSimulator) else None

    @property
    def form(self) -> Simulator:
        return self.simulator

    def _generator(self, iteration: int) -> np.random.Generator:
        return np.random.default_rng((self.seed, iteration))

    def advance(self, iterations: int) -> None:
        with single_thread():
            for _ in range(iterations):
                rng = self._generator(self.iterations + 1)
                self._add_to_average()
                self._learn(*self._play(rng), rng)
                self.iterations += 1

    def _add_to_average(self) -> None:
        """Add the current policy to the exact average, if there is a tree."""
        if self._iterates is not None:
            by_unit = np.zeros(self._iterates.simulator.infoset_legal.shape)
            for player in range(self.simulator.players):
                fill_by_infoset(self._iterates.simulator, self._answer, player, by_unit)
                self._iterates.add(player, by_unit, self.iterations + 1)

    def _inputs(self, observations: np.ndarray, mover: np.ndarray) -> np.ndarray:
        """Return `[n, F + P]` observations with the player to move."""
        turn = np.eye(self.simulator.players, dtype=np.float32)[mover]
        return np.concatenate([self.encoder.inputs(observations), turn], axis=1)

    def _probabilities(self, rows: np.ndarray, legal: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            out = self.actor(torch.from_numpy(rows).to(device()))
            return np.asarray(masked_log(out, torch.from_numpy(legal).to(device())).exp().cpu().numpy())

    def _values(self, rows: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return np.asarray(self.critic(torch.from_numpy(rows).to(device())).cpu().numpy())

    def _play(self, rng: np.random.Generator) -> tuple[list[Transition], np.ndarray]:
        """Play an iteration's games; return their steps, and payoffs `[G, P]`."""
        games, game_index = deal_decisions(self.simulator, self.method.games, rng), np.arange(self.method.games)
        steps: list[Transition] = []
        payoffs = np.zeros((len(game_index), self.simulator.players), dtype=np.float32)
        while len(game_index):
            mover, legal = self.simulator.player(games), self.simulator.legal(games)
            rows = self._inputs(self.encoder.observe(games), mover)
            probabilities = self._probabilities(rows, legal)
            unit = sample_each(probabilities.astype(np.float64), rng)
            probability = probabilities[np.arange(len(unit)), unit]
            steps.append(Transition(game_index, rows, legal, mover, unit, probability, self._values(rows)))
            games = self.simulator.step(games, unit, rng)
            over = self.simulator.player(games) < 0
            if over.any():
                payoffs[game_index[over]] = self.simulator.payoffs(games[over]) / self._size
            games, game_index = games[~over], game_index[~over]
        return steps, payoffs

    def _learn(self, steps: list[Transition], payoffs: np.ndarray, rng: np.random.Generator) -> None:
        """Take gradient steps on minibatches of an iteration's decisions."""
        method = self.method
        decay_factor = method.decay_factor(self.iterations + 1)
        self._adam.rate = method.rate * decay_factor
        gains = advantages(steps, payoffs, method.discount, method.gae_lambda)
        columns = {name: np.concatenate([getattr(step, name) for step in steps]) for name in Transition._fields}
        own = np.take_along_axis(gains, columns["mover"][:, None], axis=1)[:, 0]
        names = ("rows", "legal", "unit", "probability", "value")
        arrays = (*(columns[name] for name in names), own, gains + columns["value"])
        tensors = [torch.from_numpy(array).to(device()) for array in arrays]
        for _ in range(method.epochs):
            order = rng.permutation(len(own))
            for places in np.array_split(order, method.minibatches):
                batch = Minibatch(*(column[torch.from_numpy(places).to(device())] for column in tensors))
                self.loss(batch, decay_factor).backward()
                self._adam.step()

    def loss(self, batch: Minibatch, decay_factor: float) -> torch.Tensor:
        """Return the loss of a minibatch; decay_factor: see `PolicyGradient.decay_factor`."""
        method = self.method
        logs = masked_log(self.actor(batch.rows), batch.legal)
        log_ratio = logs.gather(1, batch.unit[:, None])[:, 0] - batch.probability.log()
        ratio = log_ratio.exp()
        advantage = (batch.advantage - batch.advantage.mean()) / (batch.advantage.std(unbiased=False) + 1e-8)
        surrogate = torch.minimum(ratio * advantage, ratio.clamp(1 - method.clip, 1 + method.clip) * advantage).mean()
        entropy = -(logs.exp() * logs.masked_fill(~batch.legal, 0.0)).sum(dim=1).mean()
        value = self.critic(batch.rows)
        clipped = batch.value + (value - batch.value).clamp(-method.clip, method.clip)
        value_error = 0.5 * torch.maximum((value - batch.target).square(), (clipped - batch.target).square()).mean()
        loss = method.value * value_error - surrogate - method.entropy * decay_factor * entropy
        if method.kl:
            loss = loss + method.kl / decay_factor * (ratio * log_ratio - (ratio - 1)).mean()
        return loss

    def current(self) -> Profile | Policy:
        with single_thread():
            return make_strategy(self.encoder, self._answer)

    def average(self) -> Profile | Policy:
        """Return the average of all policies by own reach, weighted by t (needs a tree); else the last policy."""
        require_average(self.iterations, 0)
        return self.current() if self._iterates is None else self._iterates.profile()

    def _answer(self, player: int, observations: np.ndarray, legal: np.ndarray) -> np.ndarray:
        inputs = self._inputs(observations, np.full(len(observations), player))
        probabilities = self._probabilities(inputs, legal).astype(np.float64)
        return probabilities / probabilities.sum(axis=1, keepdims=True)

    def state(self) -> dict[str, np.ndarray]:
        adam = self._adam
        state = {name: getattr(adam, name).cpu().numpy().copy() for name in ("vector", "mean", "square")}
        state |= {"iterations": np.array(self.iterations), "steps": np.array(adam.steps)}
        return state if self._iterates is None else state | {"iterates": self._iterates.total.copy()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        check_arrays("the state", state, array_specs(self.state(), square=NOT_NEGATIVE, iterates=NOT_NEGATIVE))
        self.iterations, self._adam.steps = int(state["iterations"]), int(state["steps"])
        if self._iterates is not None:
            self._iterates.total[:] = state["iterates"]
        for name in ("vector", "mean", "square"):
            getattr(self._adam, name).copy_(torch.from_numpy(np.array(state[name])))


def masked_log(out: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """Return `[n, U]` log probabilities, minus infinity at illegal units."""
    return out.masked_fill(~legal, -torch.inf).log_softmax(dim=1)


def advantages(steps: list[Transition], payoffs: np.ndarray, discount: float, gae_lambda: float) -> np.ndarray:
    """Return `[n, P]` generalised advantages (Schulman et al. 2016) of each player."""
    next_value, next_advantage = payoffs.copy(), np.zeros(payoffs.shape, dtype=np.float32)
    continues = np.zeros((len(payoffs), 1), dtype=np.float32)
    gains = []
    for step in reversed(steps):
        game_index = step.game_index
        error = np.where(continues[game_index] > 0, discount, 1.0) * next_value[game_index] - step.value
        next_advantage[game_index] = error + discount * gae_lambda * continues[game_index] * next_advantage[game_index]
        next_value[game_index], continues[game_index] = step.value, 1.0
        gains.append(next_advantage[game_index])
    return np.concatenate(gains[::-1])
