"""The protocol of a game, and tools to look at one; docs/design.md lists its functions, docs/games.md explains them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

from tefuda.lazy import load_reference

CHANCE = -1
TERMINAL = -2
LONGEST = 10_000  # moves; a longer game is taken for one that never ends
WIDEST = 32_767  # children of a history that a tree can hold

State = Any
Label = Hashable


@runtime_checkable
class Game(Protocol):
    """The rules of a game: a name, the number of players, and seven functions. No base class is needed.

    root() -> state. player(state) -> 0, 1, ..., CHANCE or TERMINAL. actions(state) -> labels, the same for all states
    that look alike. chances(state) -> (label, probability) of every outcome. child(state, label) -> state.
    payoffs(state) -> a number for each player, at the end. view(state, player) -> what that player knows.

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

    def player(self, state: State) -> int:
        """Return the player to move, CHANCE or TERMINAL."""

    def actions(self, state: State) -> Sequence[Label]:
        """Return the actions of the player to move."""

    def chances(self, state: State) -> Sequence[tuple[Label, Any]]:
        """Return the outcomes of chance with their probabilities."""

    def child(self, state: State, action: Any) -> State:  # one of its own labels: rules may say which kind
        """Return the state after an action or an outcome."""

    def payoffs(self, state: State) -> Sequence[Any]:
        """Return the payoff of each player at the end."""

    def view(self, state: State, player: int) -> Hashable:
        """Return the information of `player`; equal views make one information set."""


def has_method(value: object, name: str) -> bool:
    """Return whether the class of an object has a method; no property of the object, which may raise, is asked.

    ``isinstance(value, SomeProtocol)`` asks for all members of a protocol before Python 3.12, in an order that changes
    from process to process.
    """
    return callable(getattr(type(value), name, None))


def labels(game: Game, state: State) -> tuple[Label, ...]:
    """Return the labels of the edges that leave `state`: outcomes at chance, actions elsewhere, none at the end."""
    mover = game.player(state)
    if mover == TERMINAL:
        return ()
    return tuple(label for label, _ in game.chances(state)) if mover == CHANCE else tuple(game.actions(state))


def describe(game: Game, state: State) -> str:
    """Describe a state in one line: by the game's own ``describe`` if it has one."""
    own = getattr(game, "describe", None)
    return str(own(state)) if own else str(state)


def own_function(game: object, name: str) -> Callable[..., Any] | None:
    """Return an optional function of a game: its method, or the function that a ``"module:name"`` names."""
    own = getattr(game, name, None)
    if isinstance(own, str):
        return partial(load_reference(own), game)
    return own


class Observation(NamedTuple):
    """A player's knowledge in words, as a game's optional ``observe(view, player)`` returns it.

    It is made of the view alone, so that it cannot show what the player must not see.

    hand: what is the player's own, ``"the king"``. table: what all know, ``"pot 3: you check, player 1 bets"``.
    actions: names of actions whose labels are short, ``{"p": "fold", "b": "call"}``.
    """

    hand: str
    table: str = ""
    actions: Mapping[Label, str] = {}


def observation_of(game: object, view: Hashable, player: int) -> Observation:
    """Return a player's knowledge in the game's own words, if it has any."""
    own = getattr(game, "observe", None)
    return own(view, player) if own else Observation(str(view))


def move_text(seat: int, player: int, verb: str) -> str:
    """Return ``you bet 2`` or ``player 1 bets 2``, as `player` reads it."""
    first, space, rest = verb.partition(" ")
    return f"you {verb}" if seat == player else f"player {seat} {first}s{space}{rest}"


def infoset_name(player: int, key: Hashable) -> str:
    """Return the printed name of an information set: ``"1: K|c"``."""
    return f"{player}: {key}"
