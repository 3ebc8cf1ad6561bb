"""An environment of PettingZoo; imported only where PettingZoo is installed."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from tefuda.errors import ParameterError, UnknownNameError, shortened
from tefuda.forms.rules_simulator import RulesSimulator
from tefuda.games.answers import calling_rules, view_of
from tefuda.games.protocol import TERMINAL, describe


class Environment(AECEnv):
    """A game between agents in turn, see `tefuda.apps.pettingzoo.to_pettingzoo`."""

    def __init__(self, simulator: RulesSimulator, seed: int) -> None:
        super().__init__()
        self._simulator, self._rng = simulator, np.random.default_rng(seed)
        self.metadata = {"name": simulator.game.name, "render_modes": ["ansi"], "is_parallelizable": False}
        self.render_mode = "ansi"
        self.possible_agents = [f"player_{player}" for player in range(simulator.players)]
        self.agents = list[str]()
        low, high = (0.0, 1.0) if simulator.sees_views else (-np.inf, np.inf)
        self.observation_spaces = {agent: self._space(low, high) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(simulator.units) for agent in self.possible_agents}

    def _space(self, low: float, high: float) -> spaces.Dict:
        return spaces.Dict(
            {
                "observation": spaces.Box(low, high, (self._simulator.features,), np.float32),
                "action_mask": spaces.Box(0, 1, (self._simulator.units,), np.int8),
            }
        )

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions: the numbers of labels."""
        return self.action_spaces[agent]

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """Label of each action; rules without ``action_labels`` may add some during play."""
        return self._simulator.labels

    @property
    def _game(self) -> Any:
        return self._games[0]

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        """Begin a new game; a seed starts a new stream of chance."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._set_game(self._simulator.deal(1, self._rng))

    def _set_game(self, games: np.ndarray) -> None:
        """Set the game, in which a player decides or which is over."""
        self._games = games
        over = self._game.mover == TERMINAL
        shape = self._simulator.players, self._simulator.features
        self._seen = np.zeros(shape, np.float32) if over else self._simulator.observe_all(games).reshape(shape)
        self.agent_selection = self.agents[0] if over else self.possible_agents[self._game.mover]
        if over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards = dict(zip(self.agents, self._simulator.payoffs(games)[0].tolist(), strict=True))

    def step(self, action: int | None) -> None:
        """Let the selected agent act; None once the game is over.

        Raises:
            ParameterError: no action, or one that is not legal.
        """
        self._require_started()
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        mask = self._mask(agent)
        if not isinstance(action, (int, np.integer)) or not 0 <= action < len(mask) or not mask[action]:
            legal = ", ".join(f"{unit} ({self.labels[unit]})" for unit in np.flatnonzero(mask).tolist())
            raise ParameterError(f"action must be a legal one of {agent}: {legal}; got {shortened(action)}.")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._set_game(self._simulator.step(self._games, np.array([int(action)]), self._rng))
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return the observation of an agent and its legal actions; all 0 once the game is over."""
        seat = self._seat(agent)
        return {"observation": self._seen[seat].copy(), "action_mask": self._mask(agent)}

    def view(self, agent: str) -> Hashable:
        """Return the view of an agent, as the rules write it."""
        rules, seat = self._simulator.game.rules, self._seat(agent)
        with calling_rules(rules):
            return view_of(rules.view(self._game.state, seat))

    def _mask(self, agent: str) -> np.ndarray:
        """Return the legal actions `[U]` int8 of an agent."""
        if self._seat(agent) != self._game.mover:
            return np.zeros(self._simulator.units, np.int8)
        return self._simulator.legal(self._games)[0].astype(np.int8)

    def _seat(self, agent: str) -> int:
        self._require_started()
        if agent not in self.possible_agents:
            raise UnknownNameError("agent", agent, self.possible_agents)
        return self.possible_agents.index(agent)

    def _require_started(self) -> None:
        if not hasattr(self, "_games"):
            raise ParameterError("no game has begun; call env.reset() first.")

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def render(self) -> str:
        """Return the position in words, hidden cards included."""
        self._require_started()
        with calling_rules(self._simulator.game.rules):
            return describe(self._simulator.game.rules, self._game.state)
