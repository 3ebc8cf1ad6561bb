"""A network of what every action at a history is worth, which walks subtract to vary less (Steinberger et al. 2020).

It reads what all players see together, answers in the view of player 0 where payoffs sum to 0, else once a player, and
is fitted by expected Sarsa: payoff, or the mean of the next decision's answers by the strategies in force there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np

from tefuda.forms.simulate import Simulator
from tefuda.solvers.deep.encoders import Encoder, Targets
from tefuda.solvers.deep.memories import Ring
from tefuda.solvers.deep.models import Fitting, Network
from tefuda.solvers.waves import Wave

_RENEWED = 50  # steps between copies of the network that gives targets
_PLAYED = 100  # random games that tell whether payoffs sum to 0

#: Strategies of players `[n]` from what they see and what is legal.
Played = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


class Baseline:
    """Learned values of histories.

    Args:
        simulator: the game.
        encoder: what is read of it.
        make: a network for histories, reading rows of a width.
        rng: draws its first weights.
        capacity: of the transitions remembered.
    """

    def __init__(
        self, simulator: Simulator, encoder: Encoder, make: Callable[[np.random.Generator], Network],
        rng: np.random.Generator, capacity: int,
    ) -> None:  # fmt: skip
        self.encoder, self._zero_sum = encoder, simulator.players == 2 and sums_to_zero(simulator)
        views = 1 if self._zero_sum else simulator.players
        self.networks, self._targets = [make(rng) for _ in range(views)], make(rng)
        self.memory = Ring(
            capacity, history=encoder.history_column, legal=((simulator.units,), bool), unit=((), np.int64),
            payoff=((simulator.players,), np.float32), after=encoder.history_column, mover=((), np.int8),
            seen=encoder.column, choices=((simulator.units,), bool), goes_on=((), np.float32),
        )  # fmt: skip

    def __call__(self, player: int, games: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """`[n, U]` what a player is expected to get."""
        view = 0 if self._zero_sum else player
        found = self.networks[view].answers(self.encoder.observe_all(games), legal)
        return -found if self._zero_sum and player == 1 else found

    def remember(self, waves: list[Wave], simulator: Simulator) -> None:
        """Every step of these walks."""
        for wave, below in pairwise(waves):
            count, parent = len(wave.parent), wave.parent
            ends = np.setdiff1d(np.arange(count), below.at)
            rows = {
                "history": self.encoder.observe_all(wave.games[wave.at])[parent],
                "legal": wave.legal[parent],
                "unit": wave.unit,
                "payoff": np.zeros((count, simulator.players), dtype=np.float32),
                "goes_on": np.ones(count, dtype=np.float32),
            }
            rows["goes_on"][ends] = 0.0
            rows["payoff"][ends] = simulator.payoffs(below.games[ends]) if len(ends) else 0.0
            for name in ("after", "seen", "choices", "mover"):
                column = self.memory.columns[name]
                rows[name] = np.zeros((count, *column.shape[1:]), dtype=column.dtype)
            if len(below.at):
                rows["after"][below.at] = self.encoder.observe_all(below.games[below.at])
                rows["seen"][below.at], rows["choices"][below.at] = below.seen, below.legal
                rows["mover"][below.at] = below.mover
            self.memory.add(**rows)

    def fit(self, played: Played, fitting: Fitting, rng: np.random.Generator) -> None:
        """Fit from new weights to all that is remembered, under the strategies in force."""
        for player, network in enumerate(self.networks):
            payoffs = self.memory.held()["payoff"][:, player]
            network.measure(float(np.abs(payoffs).max()) or 1.0)
            self._targets.scale = network.scale

            def drawn(step: int, network: Network = network, player: int = player) -> Targets:
                if step % _RENEWED == 0:
                    self._targets.net.load_state_dict(network.net.state_dict())
                return self._drawn(player, played, fitting.batch, rng)

            network.train(drawn, fitting, rng, fresh=True)

    def _drawn(self, player: int, played: Played, count: int, rng: np.random.Generator) -> Targets:
        """A minibatch: where to go up to is the payoff, or the next decision's mean."""
        names = tuple(self.memory.columns)
        rows: dict[str, np.ndarray] = dict(zip(names, self.memory.draw(count, rng), strict=True))
        on = np.flatnonzero(rows["goes_on"])
        target = rows["payoff"][:, player].astype(np.float64)
        if len(on):
            legal = rows["choices"][on]
            worth = self._targets.answers(rows["after"][on], legal)
            target[on] = (played(rows["mover"][on], rows["seen"][on], legal) * worth).sum(axis=1)
        units = self.memory.columns["legal"].shape[-1]
        weight = np.zeros((count, units))
        weight[np.arange(count), rows["unit"]] = 1 / count  # of one unit a row
        targets = Targets(rows["history"], rows["legal"], np.repeat(target[:, None], units, axis=1), weight)
        return self.encoder.summed(targets, histories=True)

    def state(self) -> dict[str, np.ndarray]:
        """Copies of everything that changes, by name."""
        found = {f"memory.{name}": column for name, column in self.memory.state().items()}
        for place, network in enumerate(self.networks):
            found |= {f"{place}.{name}": weights for name, weights in network.state().items()}
        return found

    def check(self, state: Mapping[str, np.ndarray]) -> None:
        """Refuse transitions that could not be used."""
        units = (0, self.memory.columns["legal"].shape[-1] - 1)
        known = self.encoder.ranges
        histories = known.get("history", (-np.inf, np.inf))
        self.memory.check(
            part(state, "memory."), unit=units, mover=(0, self.memory.columns["payoff"].shape[-1] - 1),
            seen=known.get("seen", (-np.inf, np.inf)), history=histories, after=histories, goes_on=(0, 1),
        )  # fmt: skip

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go on from a state that was checked."""
        self.memory.restore(part(state, "memory."))
        for place, network in enumerate(self.networks):
            network.restore(part(state, f"{place}."))


def part(state: Mapping[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    """The arrays whose names begin so, without that."""
    return {name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)}


def sums_to_zero(simulator: Simulator) -> bool:
    """Whether payoffs do, in some random games."""
    return bool(np.abs(some_payoffs(simulator).sum(axis=1)).max() < 1e-9)


def largest_payoff(simulator: Simulator) -> float:
    """The largest of some random games, by size; 1 if all are 0."""
    return float(np.abs(some_payoffs(simulator)).max()) or 1.0


def some_payoffs(simulator: Simulator) -> np.ndarray:
    """`[games, P]` payoffs of random games, always the same ones."""
    rng = np.random.default_rng(0)
    games, found = simulator.deal(_PLAYED, rng), []
    while len(games):
        over = simulator.player(games) < 0
        found.append(simulator.payoffs(games[over]) if over.any() else np.zeros((0, simulator.players)))
        games = games[~over]
        if len(games):
            legal = simulator.legal(games)
            games = simulator.step(games, np.where(legal, rng.random(legal.shape), -1.0).argmax(axis=1), rng)
    return np.concatenate(found)
