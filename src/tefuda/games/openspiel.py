"""Games of OpenSpiel (extra ``openspiel``)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tefuda.errors import MissingExtraError, ParameterError, UnknownNameError, illegal_label, shortened, wrong_type
from tefuda.games.protocol import CHANCE, TERMINAL
from tefuda.words import distinct


def load_pyspiel() -> Any:
    """Return the module pyspiel, or raise MissingExtraError."""
    try:
        import pyspiel
    except ImportError:
        raise MissingExtraError("openspiel", "working with OpenSpiel's games") from None
    return pyspiel


@dataclass(frozen=True)
class OpenSpielState:
    """A state of OpenSpiel, with the actions already chosen at a simultaneous node; compared by history."""

    history: tuple[int, ...]
    pending: tuple[int, ...]
    state: Any = field(repr=False, compare=False)


@dataclass(frozen=True)
class OpenSpielGame:
    """A game of OpenSpiel; simultaneous moves become successive hidden moves."""

    text: str
    game: Any = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """The name for `load_game`, ``"openspiel:kuhn_poker"``."""
        return f"openspiel:{self.text.removesuffix('()')}"

    @property
    def parameters(self) -> dict[str, str]:
        """Empty: the name contains the parameters."""
        return {}

    @property
    def players(self) -> int:
        return self.game.num_players()

    def root(self):
        return OpenSpielState((), (), self.game.new_initial_state())

    def player(self, state):
        inner = state.state
        if inner.is_terminal():
            return TERMINAL
        if inner.is_chance_node():
            return CHANCE
        return len(state.pending) if inner.is_simultaneous_node() else inner.current_player()

    def _names(self, inner, player, actions):
        return distinct([inner.action_to_string(player, action) for action in actions])

    def actions(self, state):
        player = self.player(state)
        return self._names(state.state, player, state.state.legal_actions(player))

    def chances(self, state):
        outcomes = state.state.chance_outcomes()
        names = self._names(state.state, CHANCE, [action for action, _ in outcomes])
        return tuple((name, chance) for name, (_, chance) in zip(names, outcomes, strict=True) if chance > 0)

    def child(self, state, action):
        inner, player = state.state, self.player(state)
        legal = inner.legal_actions() if player == CHANCE else inner.legal_actions(player)
        names = self._names(inner, player, legal)
        if action not in names:
            raise illegal_label(action, names)
        number = legal[names.index(action)]
        moves = (*state.pending, number)
        if inner.is_simultaneous_node() and len(moves) < self.players:
            return OpenSpielState((*state.history, number), moves, inner)
        following = inner.clone()
        if inner.is_simultaneous_node():
            following.apply_actions(list(moves))
        else:
            following.apply_action(number)
        return OpenSpielState((*state.history, number), (), following)

    def payoffs(self, state):
        return tuple(state.state.returns())

    def view(self, state, player):
        return state.state.information_state_string(player)


def from_openspiel(game: Any) -> OpenSpielGame:
    """Return a game of OpenSpiel, e.g. ``kuhn_poker(players=3)``.

    Args:
        game: name with parameters, or the pyspiel game.

    Returns:
        A game with the seven functions.

    Raises:
        MissingExtraError: OpenSpiel is not installed.
        ParameterError: unknown game, or a game without information states.

    >>> game = td.exchange.from_openspiel("kuhn_poker(players=3)")
    >>> td.compile_game(game).infosets
    48
    """
    loaded = _loaded(game)
    if not loaded.get_type().provides_information_state_string:
        raise ParameterError(f"OpenSpiel's {loaded} has no information states; infosets need them.")
    return OpenSpielGame(str(loaded), loaded)


def _loaded(game: Any) -> Any:
    """Return a pyspiel game by its name, or as it is; see `require_pyspiel`."""
    pyspiel = load_pyspiel()
    name = game.partition("(")[0] if isinstance(game, str) else ""
    if name and name not in pyspiel.registered_names():
        raise UnknownNameError("game of OpenSpiel", name, pyspiel.registered_names())
    try:
        loaded = pyspiel.load_game(game) if isinstance(game, str) else game
    except pyspiel.SpielError as error:
        reason = " ".join(str(error).split())[:300]
        raise ParameterError(f"OpenSpiel cannot load {shortened(game)}: {reason}", key="game", value=game) from None
    require_pyspiel(loaded)
    return loaded


def require_pyspiel(game: Any) -> None:
    """Raise ParameterError unless `game` is a game of OpenSpiel with players who move in turn or at once."""
    pyspiel = load_pyspiel()
    if not isinstance(game, pyspiel.Game):
        raise wrong_type("a game of OpenSpiel", game, "Write pyspiel.load_game(name).")
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        raise ParameterError(
            f"OpenSpiel's {game} is a mean-field game: a crowd in place of players. Use OpenSpiel's own algorithms "
            "(open_spiel.python.mfg), or choose a game with players.",
            key="game",
            value=str(game),
        )


def in_turns(game: Any) -> Any:
    """Return a game of OpenSpiel with successive hidden moves in place of simultaneous moves."""
    require_pyspiel(game)
    simultaneous = load_pyspiel().GameType.Dynamics.SIMULTANEOUS
    return load_pyspiel().convert_to_turn_based(game) if game.get_type().dynamics == simultaneous else game
