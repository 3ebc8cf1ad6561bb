"""Self-play by policy gradient over a simulator: one policy and one critic for all seats, told whose turn it is.

The critic reads the mover's observation and answers once for each player, so nothing is assumed of how payoffs of
several players go together. Games are played to their ends: a critic that sees the next mover's cards cannot value the
decision of a player who holds other cards. G games, n decisions, F features, U units, P players.
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


class Step(NamedTuple):
    """The decisions of a step of many games, n of which still go on."""

    at: np.ndarray  # [n] int64 which games
    rows: np.ndarray  # [n, F + P] float32 what was read
    legal: np.ndarray  # [n, U] bool
    mover: np.ndarray  # [n] int64
    unit: np.ndarray  # [n] int64
    chance: np.ndarray  # [n] float32 of the unit
    value: np.ndarray  # [n, P] float32 what the critic said


class Minibatch(NamedTuple):
    """Some decisions, as tensors for the loss."""

    rows: torch.Tensor
    legal: torch.Tensor
    unit: torch.Tensor
    chance: torch.Tensor
    value: torch.Tensor
    advantage: torch.Tensor
    target: torch.Tensor


class GradientSolver(Solver):
    """Runs a `PolicyGradient`; strategies are profiles over a `TreeSimulator`, else policies.

    Args:
        simulator: the game.
        method: settings.
        seed: the same seed gives the same run on the same machine.
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
        """See `Solver`: the simulator."""
        return self.simulator

    def _generator(self, iteration: int) -> np.random.Generator:
        return np.random.default_rng((self.seed, iteration))

    def advance(self, iterations: int) -> None:
        """Play and learn so many times."""
        with single_thread():
            for _ in range(iterations):
                rng = self._generator(self.iterations + 1)
                self._count()
                self._learn(*self._play(rng), rng)
                self.iterations += 1

    def _count(self) -> None:
        """Let the policy in force count in the average, as far as there is a tree to do it exactly."""
        if self._iterates is not None:
            by_unit = np.zeros(self._iterates.simulator.infoset_legal.shape)
            for player in range(self.simulator.players):
                fill_by_infoset(self._iterates.simulator, self._answer, player, by_unit)
                self._iterates.add(player, by_unit, self.iterations + 1)

    # Playing.

    def _read(self, observations: np.ndarray, mover: np.ndarray) -> np.ndarray:
        """`[n, F + P]` what was seen, and by whom."""
        turn = np.eye(self.simulator.players, dtype=np.float32)[mover]
        return np.concatenate([self.encoder.inputs(observations), turn], axis=1)

    def _shares(self, rows: np.ndarray, legal: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            out = self.actor(torch.from_numpy(rows).to(device()))
            return np.asarray(masked_log(out, torch.from_numpy(legal).to(device())).exp().cpu().numpy())

    def _values(self, rows: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return np.asarray(self.critic(torch.from_numpy(rows).to(device())).cpu().numpy())

    def _play(self, rng: np.random.Generator) -> tuple[list[Step], np.ndarray]:
        """Play an iteration's games; return their steps, and `[G, P]` payoffs."""
        games, at = deal_decisions(self.simulator, self.method.games, rng), np.arange(self.method.games)
        steps: list[Step] = []
        paid = np.zeros((len(at), self.simulator.players), dtype=np.float32)
        while len(at):
            mover, legal = self.simulator.player(games), self.simulator.legal(games)
            rows = self._read(self.encoder.observe(games), mover)
            shares = self._shares(rows, legal)
            unit = sample_each(shares.astype(np.float64), rng)
            chance = shares[np.arange(len(unit)), unit]
            steps.append(Step(at, rows, legal, mover, unit, chance, self._values(rows)))
            games = self.simulator.step(games, unit, rng)
            over = self.simulator.player(games) < 0
            if over.any():
                paid[at[over]] = self.simulator.payoffs(games[over]) / self._size
            games, at = games[~over], at[~over]
        return steps, paid

    # Learning.

    def _learn(self, steps: list[Step], paid: np.ndarray, rng: np.random.Generator) -> None:
        """Descend on minibatches of what was played."""
        method = self.method
        decay_factor = method.decay_factor(self.iterations + 1)
        self._adam.rate = method.rate * decay_factor
        gains = advantages(steps, paid, method.discount, method.gae_lambda)
        found = {name: np.concatenate([getattr(step, name) for step in steps]) for name in Step._fields}
        own = np.take_along_axis(gains, found["mover"][:, None], axis=1)[:, 0]
        columns = (*(found[name] for name in ("rows", "legal", "unit", "chance", "value")), own, gains + found["value"])
        flat = [torch.from_numpy(one).to(device()) for one in columns]
        for _ in range(method.epochs):
            order = rng.permutation(len(own))
            for places in np.array_split(order, method.minibatches):
                batch = Minibatch(*(column[torch.from_numpy(places).to(device())] for column in flat))
                self.loss(batch, decay_factor).backward()
                self._adam.step()

    def loss(self, batch: Minibatch, decay_factor: float) -> torch.Tensor:
        """What is descended on, when rates have fallen so far."""
        method = self.method
        logs = masked_log(self.actor(batch.rows), batch.legal)
        log_ratio = logs.gather(1, batch.unit[:, None])[:, 0] - batch.chance.log()
        ratio = log_ratio.exp()
        gain = (batch.advantage - batch.advantage.mean()) / (batch.advantage.std(unbiased=False) + 1e-8)
        surrogate = torch.minimum(ratio * gain, ratio.clamp(1 - method.clip, 1 + method.clip) * gain).mean()
        spread = -(logs.exp() * logs.masked_fill(~batch.legal, 0.0)).sum(dim=1).mean()
        value = self.critic(batch.rows)
        near = batch.value + (value - batch.value).clamp(-method.clip, method.clip)
        wrong = 0.5 * torch.maximum((value - batch.target).square(), (near - batch.target).square()).mean()
        loss = method.value * wrong - surrogate - method.entropy * decay_factor * spread
        if method.kl:
            loss = loss + method.kl / decay_factor * (ratio * log_ratio - (ratio - 1)).mean()
        return loss

    # Answers.

    def current(self) -> Profile | Policy:
        """The policy."""
        with single_thread():
            return make_strategy(self.encoder, self._answer)

    def average(self) -> Profile | Policy:
        """The policies of all iterations by own reach, the t-th counted t times, over a tree; else the last one."""
        require_average(self.iterations, 0)
        return self.current() if self._iterates is None else self._iterates.profile()

    def _answer(self, player: int, observations: np.ndarray, legal: np.ndarray) -> np.ndarray:
        shares = self._shares(self._read(observations, np.full(len(observations), player)), legal).astype(np.float64)
        return shares / shares.sum(axis=1, keepdims=True)

    # Checkpoints.

    def state(self) -> dict[str, np.ndarray]:
        """See `Solver`."""
        adam = self._adam
        found = {name: getattr(adam, name).cpu().numpy().copy() for name in ("vector", "mean", "square")}
        found |= {"iterations": np.array(self.iterations), "steps": np.array(adam.steps)}
        return found if self._iterates is None else found | {"iterates": self._iterates.total.copy()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """See `Solver`."""
        check_arrays("the state", state, array_specs(self.state(), square=NOT_NEGATIVE, iterates=NOT_NEGATIVE))
        self.iterations, self._adam.steps = int(state["iterations"]), int(state["steps"])
        if self._iterates is not None:
            self._iterates.total[:] = state["iterates"]
        for name in ("vector", "mean", "square"):
            getattr(self._adam, name).copy_(torch.from_numpy(np.array(state[name])))


def masked_log(out: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """`[n, U]` logarithms of probabilities, minus infinity where nothing is legal."""
    return out.masked_fill(~legal, -torch.inf).log_softmax(dim=1)


def advantages(steps: list[Step], paid: np.ndarray, discount: float, gae_lambda: float) -> np.ndarray:
    """`[n, P]` generalised advantages (Schulman et al. 2016) of each player; behind an end is its payoff."""
    ahead, later, on = paid.copy(), np.zeros(paid.shape, dtype=np.float32), np.zeros((len(paid), 1), dtype=np.float32)
    gains = []
    for step in reversed(steps):
        at = step.at
        wrong = np.where(on[at] > 0, discount, 1.0) * ahead[at] - step.value
        later[at] = wrong + discount * gae_lambda * on[at] * later[at]
        ahead[at], on[at] = step.value, 1.0
        gains.append(later[at])
    return np.concatenate(gains[::-1])
