"""The environment of PettingZoo; this module needs PettingZoo."""

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
    """A game as an AEC environment; see `tefuda.exchange.pettingzoo.to_pettingzoo`."""

    def __init__(self, simulator: RulesSimulator, seed: int) -> None:
        super().__init__()
        self._simulator, self._rng = simulator, np.random.default_rng(seed)
        self.metadata = {"name": simulator.name, "render_modes": ["ansi"], "is_parallelizable": False}
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
        """Return the space of an agent's actions: indices of labels."""
        return self.action_spaces[agent]

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """Label of each action; rules without ``action_labels`` may add labels during play."""
        return self._simulator.labels

    @property
    def _game(self) -> Any:
        return self._games[0]

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        """Start a new game; a seed restarts the random stream of chance."""
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
        """Set the game after chance: a player decides, or the game is over."""
        self._games = games
        over = self._game.mover == TERMINAL
        shape = self._simulator.players, self._simulator.features
        self._observations = np.zeros(shape, np.float32) if over else self._simulator.observe_all(games).reshape(shape)
        self.agent_selection = self.agents[0] if over else self.possible_agents[self._game.mover]
        if over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards = dict(zip(self.agents, self._simulator.payoffs(games)[0].tolist(), strict=True))

    def step(self, action: int | None) -> None:
        """Play an action of the selected agent; None after the end of the game.

        Raises:
            ParameterError: the action is missing or illegal.
        """
        self._require_started()
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        mask = self._mask(agent)
        if not isinstance(action, (int, np.integer)) or not 0 <= action < len(mask) or not mask[action]:
            legal = ", ".join(f"{unit} ({self.labels[unit]})" for unit in np.flatnonzero(mask).tolist())
            raise ParameterError(f"action must be a legal action of {agent}: {legal}; got {shortened(action)}.")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._set_game(self._simulator.step(self._games, np.array([int(action)]), self._rng))
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return the observation and the legal actions of an agent; all 0 after the end."""
        player = self._player(agent)
        return {"observation": self._observations[player].copy(), "action_mask": self._mask(agent)}

    def view(self, agent: str) -> Hashable:
        """Return the view of an agent in the rules' form."""
        rules, player = self._simulator.game, self._player(agent)
        with calling_rules(rules):
            return view_of(rules.view(self._game.state, player))

    def _mask(self, agent: str) -> np.ndarray:
        """Return the legal actions `[U]` int8 of an agent."""
        if self._player(agent) != self._game.mover:
            return np.zeros(self._simulator.units, np.int8)
        return self._simulator.legal(self._games)[0].astype(np.int8)

    def _player(self, agent: str) -> int:
        self._require_started()
        if agent not in self.possible_agents:
            raise UnknownNameError("agent", agent, self.possible_agents)
        return self.possible_agents.index(agent)

    def _require_started(self) -> None:
        if not hasattr(self, "_games"):
            raise ParameterError("no game has started; call env.reset() first.")

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def render(self) -> str:
        """Return the position in words, including hidden cards."""
        self._require_started()
        with calling_rules(self._simulator.game):
            return describe(self._simulator.game, self._game.state)
