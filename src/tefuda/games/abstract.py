"""Abstractions of games: views mapped to keys, and fewer actions.

Keys and action names are functions of views alone, so that an abstraction cannot use hidden information.
`Abstraction.lift` turns a strategy of the small game into one of the real game.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from tefuda.errors import GameError, ParameterError, shortened
from tefuda.games.answers import Labels, missing_functions, probabilities_given
from tefuda.games.parameters import game_parameters
from tefuda.games.plays import draw_outcome
from tefuda.games.protocol import CHANCE, Game, Label, View, infoset_name

#: (view, player) -> key of the view.
Key = Callable[[View, int], View]
#: (view, player) -> a view of the abstraction, or views with probabilities.
Translation = Callable[[View, int], View | Mapping[View, float]]
#: (view, player, actions) -> a name for each action; None omits it. Actions with one name become one: the first.
Naming = Callable[[View, int, Labels], Sequence[Label | None]]
#: f(player, key, actions) -> one probability per action, or a mapping from actions to probabilities.
Strategy = Callable[[int, View, Labels], Sequence[float] | Mapping[Label, float]]


@dataclass(frozen=True)
class Abstraction:
    """A game with keys in place of views, and names in place of actions; see `abstract`.

    A decision with a single name becomes a chance event with one outcome.
    """

    game: Game
    key: Key
    actions_of: Naming | None = None
    translate: Translation | None = None

    @property
    def name(self) -> str:
        return f"abstract {self.game.name}"

    @property
    def players(self) -> int:
        return self.game.players

    @property
    def constant_sum(self) -> Any:
        """The constant sum of payoffs declared by the real game."""
        return getattr(self.game, "constant_sum", None)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the real game, and the functions of views and actions."""
        maps = {"key": self.key, "actions": self.actions_of}
        return {"game": self.game.name, **game_parameters(self.game), **{name: str(f) for name, f in maps.items()}}

    # The seven functions, and `draw`.

    def root(self) -> Any:
        return self.game.root()

    def player(self, state: Any) -> int:
        mover = self.game.player(state)
        return CHANCE if mover >= 0 and len(self._action_of(state, mover)) == 1 else mover

    def actions(self, state: Any) -> Labels:
        return tuple(self._action_of(state, self.game.player(state)))

    def chances(self, state: Any) -> Sequence[tuple[Hashable, Any]]:
        if self.game.player(state) == CHANCE:
            return self.game.chances(state)
        return tuple((name, 1) for name in self.actions(state))

    def draw(self, state: Any, uniform: Callable[[], float]) -> tuple[Hashable, Any]:
        if self.game.player(state) == CHANCE:
            return draw_outcome(self.game, state, uniform)
        return self.actions(state)[0], 1

    def child(self, state: Any, action: Hashable) -> Any:
        mover = self.game.player(state)
        return self.game.child(state, self._action_of(state, mover)[action] if mover >= 0 else action)

    def payoffs(self, state: Any) -> Sequence[Any]:
        return self.game.payoffs(state)

    def view(self, state: Any, player: int) -> Hashable:
        return self.key(self.game.view(state, player), player)

    def _action_of(self, state: Any, player: int) -> dict[Hashable, Hashable]:
        if self.actions_of is None:
            return {action: action for action in self.game.actions(state)}
        return self.action_of_name(self.game.view(state, player), player, tuple(self.game.actions(state)))

    def action_of_name(self, view: Hashable, player: int, actions: Labels) -> dict[Hashable, Hashable]:
        """Return the action of each name, sorted by name: the order is equal for all histories of a key.

        Raises:
            GameError: not one name for each action, or only None.
        """
        names = actions if self.actions_of is None else tuple(self.actions_of(view, player, actions))
        by_name: dict[Hashable, Hashable] = {}
        for name, action in zip(names, actions, strict=False):
            if name is not None:
                by_name.setdefault(name, action)
        if len(names) != len(actions) or not by_name:
            raise GameError(
                f"{self.name}: actions() named {shortened(actions)} at {infoset_name(player, view)!r} "
                f"{shortened(names)}; it must give one name for each action, and at least one that is not None."
            )
        return by_name if self.actions_of is None else {name: by_name[name] for name in _sorted(by_name)}

    def lift(self, strategy: Strategy) -> Callable[[int, View, Labels], dict[Label, float]]:
        """Return a strategy of the real game from one of this game.

        Args:
            strategy: f(player, key, actions) of this game, such as ``profile.strategy`` or ``solver.strategy``. It may
                raise an error for views outside the abstraction. `translate` maps them to views of the abstraction; of
                several, one is drawn at each decision.

        Returns:
            f(player, view, actions) -> a probability for each action, an argument of `Profile.from_function`.
        """

        def play(player: int, view: View, actions: Labels) -> dict[Label, float]:
            meant = view if self.translate is None else self.translate(view, player)
            if not isinstance(meant, Mapping):
                return self._lifted(strategy, player, meant, actions)
            self._check_translation(meant, view)
            probabilities = dict.fromkeys(actions, 0.0)
            for translated, weight in meant.items():
                for action, chance in self._lifted(strategy, player, translated, actions).items():
                    probabilities[action] += weight * chance
            return probabilities

        return play

    def _lifted(self, strategy: Strategy, player: int, view: View, actions: Labels) -> dict[Label, float]:
        """Return the strategy at a view of the abstraction, for the actions of the real game."""
        action_of = self.action_of_name(view, player, actions)
        answer: Any = (1.0,)
        if len(action_of) > 1:
            answer = strategy(player, self.key(view, player), tuple(action_of))
        chances = probabilities_given(f"the strategy of {self.name}", answer, tuple(action_of))
        probabilities = dict.fromkeys(actions, 0.0)
        probabilities.update(zip(action_of.values(), chances, strict=True))
        return probabilities

    def _check_translation(self, meant: Mapping[View, float], view: View) -> None:
        """Raise GameError unless the views of a translation have probabilities."""
        chances = list(meant.values())
        valid = all(isinstance(chance, Real) and chance >= 0 for chance in chances)
        if not valid or not abs(sum(chances) - 1) <= 1e-9:
            raise GameError(
                f"{self.name}: translate() maps {shortened(view)} to {shortened(dict(meant))}; it must return a view, "
                f"or views with probabilities that sum to 1."
            )


def abstract(
    game: Game,
    key: Key | Sequence[Key] | None = None,
    actions: Naming | None = None,
    translate: Translation | None = None,
) -> Abstraction:
    """Return an abstraction of a game: keys in place of views, fewer actions.

    Keys may cause imperfect recall. Such a game can be solved by sampling; full traversals, linear programs and best
    responses raise an error with example histories.

    Args:
        game: the real rules.
        key: (view, player) -> key, or one such function for each player; None: the view itself. Histories with the
            same key must have the same names.
        actions: (view, player, actions) -> a name for each action, None to omit it. Of several actions with one name
            the first is taken. Names are sorted.
        translate: (view, player) -> view of the abstraction for a view after omitted actions, or a mapping from views
            to probabilities. See `td.games.translate_history`.

    Returns:
        A game; with perfect recall, any method solves it.

    Raises:
        GameError: invalid rules.
        ParameterError: an argument is not a function, or not one for each player.

    >>> leduc = td.load_game("leduc", distinct_suits=True)
    >>> small = td.abstract(leduc, key=lambda view, player: view.replace("h", "").replace("s", ""))
    >>> td.compile_game(leduc).infosets, td.compile_game(small).infosets
    (936, 288)
    """
    if missing := missing_functions(game):
        raise GameError(f"{shortened(game)} is not a game: it lacks {', '.join(missing)}.")
    for name, given in (("key", key), ("actions", actions), ("translate", translate)):
        several = given if name == "key" and isinstance(given, Sequence) else [given]
        if any(not (function is None or callable(function)) for function in several):
            raise ParameterError(f"{name} is {shortened(given)}; it must be a function.")
    if isinstance(key, Sequence):
        if len(key) != game.players:
            raise ParameterError(f"{len(key)} keys for {game.players} players of {game.name}; give one for each.")
        key = _PlayerKeys(tuple(key))
    return Abstraction(game, key or _identity, actions, translate)


def _sorted(names: Iterable[Hashable]) -> list[Any]:
    listed: list[Any] = list(names)
    try:
        return sorted(listed)
    except TypeError:
        return sorted(listed, key=repr)


@dataclass(frozen=True)
class _PlayerKeys:
    """A key function for each player."""

    keys: tuple[Key, ...]

    def __call__(self, view: Hashable, player: int) -> Hashable:
        return self.keys[player](view, player)


def _identity(view: Hashable, player: int) -> Hashable:
    return view
