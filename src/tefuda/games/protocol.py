"""The protocol of games, and helper functions; docs/games.md explains it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import Any, NamedTuple, Protocol, runtime_checkable

from tefuda.errors import GameError, TefudaError, error_text, shortened
from tefuda.games.phrases import LANGUAGES, phrases
from tefuda.lazy import load_reference
from tefuda.words import one_line

CHANCE = -1
TERMINAL = -2
LONGEST = 10_000  # maximum number of moves; longer games are treated as endless
WIDEST = 32_767  # maximum number of children of a history in a tree

State = Any
View = Any  # hashable; views and labels have the types that a game gives them, which annotations may name
Label = Any


@runtime_checkable
class Game(Protocol):
    """The rules of a game: a name, the number of players, and seven functions. No base class is needed.

    root() -> state. player(state) -> 0, 1, ..., CHANCE or TERMINAL. actions(state) -> labels, equal for all states of
    an information set. chances(state) -> (label, probability) of each outcome. child(state, label) -> state.
    payoffs(state) -> one number per player, at the end. view(state, player) -> the player's information.

    >>> game = td.load_game("kuhn")
    >>> isinstance(game, td.Game), isinstance("kuhn", td.Game)
    (True, False)
    """

    @property
    def name(self) -> str:
        """The name of the game."""

    @property
    def players(self) -> int:
        """The number of players."""

    def root(self) -> State:
        """Return the first state."""

    def player(self, state: State, /) -> int:
        """Return the player to move, CHANCE or TERMINAL."""

    def actions(self, state: State, /) -> Sequence[Label]:
        """Return the actions of the player to move."""

    def chances(self, state: State, /) -> Sequence[tuple[Label, Any]]:
        """Return the outcomes of chance with their probabilities."""

    def child(self, state: State, label: Label, /) -> State:
        """Return the state after an action or an outcome."""

    def payoffs(self, state: State, /) -> Sequence[Any]:
        """Return the payoff of each player at the end."""

    def view(self, state: State, player: int, /) -> View:
        """Return the information of `player`; equal views make one information set."""


def has_method(value: object, name: str) -> bool:
    """Return True if the class of an object has a method; properties of the object are not evaluated.

    Before Python 3.12 ``isinstance(value, SomeProtocol)`` evaluates all members, which may raise exceptions.
    """
    return callable(getattr(type(value), name, None))


def labels(game: Game, state: State) -> tuple[Label, ...]:
    """Return the labels of the children of `state`: outcomes of chance, or actions; none at the end."""
    mover = game.player(state)
    if mover == TERMINAL:
        return ()
    return tuple(label for label, _ in game.chances(state)) if mover == CHANCE else tuple(game.actions(state))


def describe(game: Game, state: State) -> str:
    """Return a description of a state in one line: the game's ``describe``, or its str."""
    own = own_function(game, "describe")
    return str(own(state)) if own else str(state)


@dataclass(frozen=True)
class OwnFunction:
    """An optional function of a game; its exceptions and answers of other types are GameError.

    gives: the type of its answers, or several.
    """

    game: object
    name: str
    function: Callable[..., Any]
    gives: type | tuple[type, ...]

    def __call__(self, *arguments: Any) -> Any:
        try:
            answer = self.function(*arguments)
        except (TefudaError, MemoryError):
            raise
        except (Exception, SystemExit) as error:
            raise _own_error(self.game, self.name, f"raised {error_text(error)}") from error
        if not isinstance(answer, self.gives):
            kinds = self.gives if isinstance(self.gives, tuple) else (self.gives,)
            expected = " or ".join(kind.__name__ for kind in kinds)
            raise _own_error(self.game, self.name, f"must return {expected}, got {shortened(answer)}")
        return answer


def own_function(game: object, name: str, gives: type | tuple[type, ...] = object) -> OwnFunction | None:
    """Return an optional function of a game: its method, or the function named ``"module:name"``.

    Raises:
        GameError: it cannot be loaded or called.
    """
    try:
        own = getattr(game, name, None)
        function = partial(load_reference(own), game) if isinstance(own, str) else own
    except (Exception, SystemExit) as error:
        raise _own_error(game, name, f"raised {error_text(error)}") from error
    if function is None:
        return None
    if not callable(function):
        raise _own_error(game, name, f'must be a function, "module:name" or None, got {shortened(own)}')
    return OwnFunction(game, name, function, gives)


def _own_error(game: object, name: str, fault: str) -> GameError:
    return GameError(f"{type(game).__name__}: {name} {fault}.")


class Observation(NamedTuple):
    """A player's information in words: the answer of a game's optional ``observe``.

    It depends on the view alone, so that it cannot reveal hidden information.

    Attributes:
        hand: private information, ``"the king"``.
        table: public information, ``"pot 3: you check, player 1 bets"``.
        actions: names of actions with short labels, ``{"p": "fold", "b": "call"}``.
    """

    hand: str
    table: str = ""
    actions: Mapping[Label, str] = {}


def observation_of(game: object, view: Hashable, player: int, language: str = "en") -> Observation:
    """Return a player's information in words: the game's ``observe``, or the view as text.

    Args:
        game: the rules; an ``observe`` without a parameter `language` answers in its only language.
        view: the player's view.
        player: the player.
        language: one of `tefuda.games.phrases.LANGUAGES`.
    """
    own = own_function(game, "observe", Observation)
    if own is None:
        return Observation(str(view))
    known = language != LANGUAGES[0] and "language" in signature(own.function).parameters
    observation: Observation = own(view, player, *[language] * known)
    return observation


def move_text(seat: int, player: int, verb: str, language: str = "en") -> str:
    """Return a move as read by `player`: ``you bet 2`` or ``player 1 bets 2``."""
    words = phrases("moves", language)
    if seat == player:
        return words["own"].format(verb)
    if language == "en":
        first, space, rest = verb.partition(" ")
        verb = f"{first}s{space}{rest}"
    return words["other"].format(seat, verb)


def infoset_name(player: int, key: Hashable) -> str:
    """Return the printed name of an information set, ``"1: K|c"``, in one line."""
    return one_line(f"{player}: {key}")
