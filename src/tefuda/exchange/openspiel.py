"""Our games as games of OpenSpiel, and policies both ways (extra ``openspiel``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tefuda.errors import wrong_type
from tefuda.evaluating.profile import Profile
from tefuda.evaluating.values import require_profile
from tefuda.forms.compile import compile_game
from tefuda.forms.paths import moves_to
from tefuda.forms.tree import Tree, require_tree
from tefuda.games.openspiel import from_openspiel, in_turns, load_pyspiel
from tefuda.games.protocol import CHANCE, TERMINAL, Game, has_method, infoset_name, labels


def to_openspiel(game: Game) -> Any:
    """Return a game as a `pyspiel.Game`, whose information states are our infoset names.

    Args:
        game: any object with the seven functions.

    Raises:
        MissingExtraError: OpenSpiel is not installed.
        GameError: the rules are no game; the message shows the histories.
        SizeError: the game is too large to compile.

    >>> td.exchange.to_openspiel(td.load_game("kuhn")).num_players()
    2
    """
    pyspiel = load_pyspiel()
    extent = _extent(compile_game(game))
    kinds = pyspiel.GameType
    game_type = kinds(
        short_name=f"tefuda_{game.name}",
        long_name=f"{game.name} (tefuda)",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if extent["utility_sum"] == 0 else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=game.players,
        min_num_players=game.players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=False,
        provides_observation_tensor=False,
        parameter_specification={},
    )
    return _game_class(pyspiel)(game, game_type, pyspiel.GameInfo(num_players=game.players, **extent))


def _extent(tree: Tree) -> dict[str, Any]:
    counts = tree.child_count
    zero_sum = bool((np.abs(tree.payoffs.sum(axis=1)) < 1e-9).all())
    return {
        "num_distinct_actions": max(1, int(counts[tree.player >= 0].max(initial=0))),
        "max_chance_outcomes": max(1, int(counts[tree.player == CHANCE].max(initial=0))),
        "min_utility": float(tree.payoffs.min()),
        "max_utility": float(tree.payoffs.max()),
        "utility_sum": 0.0 if zero_sum else None,
        "max_game_length": int(tree.depth.max()),
    }


def _state_class(pyspiel: Any) -> type:
    class OpenSpielState(pyspiel.State):
        def __init__(self, game: Any) -> None:
            super().__init__(game)
            self.rules, self.state = game.rules, game.rules.root()

        def current_player(self) -> int:
            mover = self.rules.player(self.state)
            return {TERMINAL: pyspiel.PlayerId.TERMINAL, CHANCE: pyspiel.PlayerId.CHANCE}.get(mover, mover)

        def _legal_actions(self, player: int) -> list[int]:
            return list(range(len(labels(self.rules, self.state))))

        def chance_outcomes(self) -> list[tuple[int, float]]:
            return [(number, float(chance)) for number, (_, chance) in enumerate(self.rules.chances(self.state))]

        def _apply_action(self, action: int) -> None:
            self.state = self.rules.child(self.state, labels(self.rules, self.state)[action])

        def _action_to_string(self, player: int, action: int) -> str:
            return str(labels(self.rules, self.state)[action])

        def is_terminal(self) -> bool:
            return self.rules.player(self.state) == TERMINAL

        def returns(self) -> list[float]:
            if not self.is_terminal():
                return [0.0] * self.rules.players
            return [float(amount) for amount in self.rules.payoffs(self.state)]

        def information_state_string(self, player: int | None = None) -> str:
            player = self.current_player() if player is None else player
            return infoset_name(player, self.rules.view(self.state, player))

        def __str__(self) -> str:
            return str(self.state)

    return OpenSpielState


class _Observer:
    tensor: np.ndarray = np.zeros(0, np.float32)  # [0]
    dict: dict[str, np.ndarray] = {}

    def set_from(self, state: Any, player: int) -> None:
        """Do nothing: there is no tensor."""

    def string_from(self, state: Any, player: int) -> str:
        return str(state.information_state_string(player))


def _game_class(pyspiel: Any) -> type:
    state_class = _state_class(pyspiel)

    class OpenSpielGame(pyspiel.Game):
        def __init__(self, rules: Game, game_type: Any, game_info: Any) -> None:
            super().__init__(game_type, game_info, {})
            self.rules = rules

        def new_initial_state(self) -> Any:
            return state_class(self)

        def make_py_observer(self, *arguments: Any) -> _Observer:
            return _Observer()

    return OpenSpielGame


def to_tabular_policy(profile: Profile, game: Any) -> Any:
    """Return a profile as a `TabularPolicy` of OpenSpiel.

    Args:
        profile: a profile of a tree compiled from ``from_openspiel(game)``, or from rules given to ``to_openspiel``.
        game: that pyspiel game. With simultaneous moves the policy is for ``pyspiel.convert_to_turn_based(game)``.

    Raises:
        MissingExtraError: OpenSpiel is not installed.
        ParameterError: `game` is no game of OpenSpiel, or a mean-field game.
        UnknownNameError: the profile belongs to another game.

    >>> game = td.exchange.to_openspiel(td.load_game("kuhn"))
    >>> profile = td.Profile.uniform(td.compile_game(td.load_game("kuhn")))
    >>> len(td.exchange.to_tabular_policy(profile, game).action_probability_array)
    12
    """
    require_profile(profile)
    turns = in_turns(game)
    from open_spiel.python.policy import TabularPolicy

    policy = TabularPolicy(turns)
    for row, state in enumerate(policy.states):
        player = state.current_player()
        origin = state if turns is game else state.simultaneous_game_state()
        text = origin.information_state_string(player)
        number = profile.tree.number(text if hasattr(game, "rules") else (player, text))
        actions = state.legal_actions(player)  # in the order of the labels
        policy.action_probability_array[row, actions] = profile.probabilities[profile.tree.rows_of(number)]
    return policy


def from_policy(tree: Tree, game: Any, policy: Any) -> Profile:
    """Return a policy of OpenSpiel as a profile.

    Args:
        tree: a tree compiled from ``from_openspiel(game)``, or from rules given to ``to_openspiel``.
        game: the pyspiel game.
        policy: an object with ``action_probabilities(state, player)``, for the game or its turn-based conversion.

    Raises:
        MissingExtraError: OpenSpiel is not installed.
        ParameterError: `game` is no game of OpenSpiel, or `policy` is no policy.

    >>> import pyspiel
    >>> from open_spiel.python.policy import UniformRandomPolicy
    >>> game, tree = pyspiel.load_game("kuhn_poker"), td.compile_game(td.exchange.from_openspiel("kuhn_poker"))
    >>> round(td.nash_conv(td.exchange.from_policy(tree, game, UniformRandomPolicy(game))), 6)
    0.916667
    """
    require_tree(tree)
    turns = in_turns(game)
    if not has_method(policy, "action_probabilities"):
        raise wrong_type("a policy of OpenSpiel", policy, "It needs action_probabilities(state, player).")
    rules = from_openspiel(turns if str(getattr(policy, "game", game)) == str(turns) else game)
    probabilities = np.zeros(tree.rows)
    for number, node in enumerate(tree.first_history.tolist()):
        state = rules.root()
        for _, action in moves_to(tree, node):
            state = rules.child(state, labels(rules, state)[action])
        player = rules.player(state)
        legal = state.state.legal_actions(player)
        given = policy.action_probabilities(state.state, player)
        probabilities[tree.rows_of(number)] = [given.get(action, 0.0) for action in legal]
    return Profile(tree, probabilities)
