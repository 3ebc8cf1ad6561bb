"""The protocol of games, and helper functions; docs/games.md explains it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import wraps
from typing import Any, NamedTuple, Protocol, runtime_checkable

from tefuda.errors import GameError, TefudaError, error_text, shortened
from tefuda.games.phrases import phrases
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


class OptionalRules(Protocol):
    """Optional members of a game; a class has some of them, and derives from nothing.

    Attributes:
        constant_sum: sum of the payoffs, or None.
        parameters: arguments that rebuild the game, as JSON values; default: the fields of a dataclass.
        action_labels: labels of all actions, or None.
        public_actions: the promise of private hands and public actions; docs/design.md has its terms.
    """

    constant_sum: Any
    parameters: Mapping[str, Any]
    action_labels: Sequence[Label] | None
    public_actions: bool

    def describe(self, state: State, /) -> str:
        """Return a state in one line of words."""

    def observe(self, view: View, player: int, /, language: str = "en") -> Observation:
        """Return a view in words, from the view alone; `language` may be missing."""

    def picture(self, view: View, player: int, /) -> Any:
        """Return a view as data, from the view alone: a `Picture`."""

    def features(self, state: State, player: int, /) -> Sequence[float]:
        """Return the inputs of networks."""

    def draw(self, state: State, uniform: Callable[[], float], /) -> tuple[Label, Any]:
        """Return an outcome of chance with its probability; `uniform` returns random numbers in [0, 1)."""

    def shown(self, state: State, /) -> Sequence[bool]:
        """Return for each player whether the others see its view at the end."""


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


def guarded(place: str, function: Any, gives: type = object) -> Callable[..., Any]:
    """Return a function whose exceptions, and answers of other types than `gives`, are GameError.

    place: the name of its class and its own, for errors.
    """
    if not callable(function):
        raise GameError(f"{place} must be a function, got {shortened(function)}.")

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        try:
            answer = function(*arguments, **options)
        except (TefudaError, MemoryError):
            raise
        except (Exception, SystemExit) as error:
            raise GameError(f"{place} raised {error_text(error)}.") from error
        if not isinstance(answer, gives):
            raise GameError(f"{place} must return {gives.__name__}, got {shortened(answer)}.")
        return answer

    return call


def own_function(game: object, name: str, gives: type = object) -> Callable[..., Any] | None:
    """Return a method of `OptionalRules` of a game, see `guarded`; None if the game lacks it.

    Raises:
        GameError: it cannot be read or called.
    """
    place = f"{type(game).__name__}: {name}"
    try:
        own = getattr(game, name, None)
    except (Exception, SystemExit) as error:
        raise GameError(f"{place} raised {error_text(error)}.") from error
    return None if own is None else guarded(place, own, gives)


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
