"""Games as environments of PettingZoo, for reinforcement learning (extra ``rl``)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from tefuda.errors import MissingExtraError, check_seed
from tefuda.forms.compile import compile_game
from tefuda.forms.rules_simulator import RulesSimulator
from tefuda.forms.tree import Tree, known_rules
from tefuda.games.answers import require_game
from tefuda.games.protocol import Game
from tefuda.games.size import estimate_game

_COMPILED = 500_000  # histories; labels of larger games come from random games


def to_pettingzoo(game: Tree | Game, *, seed: int = 0, encoded: bool = False) -> Any:
    """Return an environment of a game: an `AECEnv` of PettingZoo.

    Agents are named ``player_0``, ``player_1``, ... An observation is a dictionary: ``"observation"`` has the
    ``features`` of the game, or else the encoded view of the player; ``"action_mask"`` is 1 for legal actions, and 0
    while another player decides. Action a has the label ``env.labels[a]``; illegal actions raise ParameterError. The
    environment draws chance. The reward is the payoff at the end. ``env.view(agent)`` is the view in the rules' form.

    Args:
        game: a tree, or an object with the seven functions.
        seed: random seed of chance, until ``reset(seed=...)``.
        encoded: encode views even if the game has features.

    Raises:
        MissingExtraError: PettingZoo is not installed.
        GameError: not a game, or a game without decisions.

    >>> env = td.exchange.to_pettingzoo(td.load_game("kuhn"))
    >>> env.reset(seed=1)
    >>> env.agent_selection, env.labels[:2], env.last()[0]["action_mask"].tolist()[:2]
    ('player_0', ('p', 'b'), [1, 1])
    """
    try:
        from tefuda.exchange.environment import Environment
    except ImportError:
        raise MissingExtraError("rl", "an environment of PettingZoo") from None
    check_seed(seed)
    rules = known_rules(game) if isinstance(game, Tree) else game
    return Environment(RulesSimulator(rules, _labels(game), encoded=encoded), seed)


def _labels(game: Tree | Game) -> tuple[Hashable, ...] | None:
    """Return the action labels of a small game that declares none; None for others."""
    if not isinstance(game, Tree):
        require_game(game)
        if hasattr(game, "action_labels") or estimate_game(game).histories > _COMPILED:
            return None
        game = compile_game(game)
    return tuple(dict.fromkeys(label for number in range(game.infosets) for label in game.labels(number)))
