"""Smaller games that stand for larger ones: what players see is mapped to keys, what they may do to fewer actions.

Keys and names are made of views alone, so that an abstraction cannot see more than its player. What is solved in the
small game plays the real one by `Abstraction.lift`, and is evaluated there.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from tefuda.errors import GameError, ParameterError, shortened
from tefuda.games.answers import Labels, missing_functions, probabilities_given
from tefuda.games.parameters import game_parameters
from tefuda.games.playthrough import draw_outcome
from tefuda.games.protocol import CHANCE, Game, infoset_name

#: (view, player) -> what stands for the view.
Key = Callable[[Hashable, int], Hashable]
#: (view, player) -> the view that is meant, or views with the probability that each is.
Translation = Callable[[Hashable, int], Hashable | Mapping[Hashable, float]]
#: (view, player, actions) -> a name for each action; None leaves it out. Of equal names the first action is meant.
Naming = Callable[[Hashable, int, Labels], Sequence[Hashable | None]]
#: f(player, key, actions) -> one probability per action, or a mapping from actions to probabilities.
Strategy = Callable[[int, Hashable, Labels], Sequence[float] | Mapping[Hashable, float]]


@dataclass(frozen=True)
class Abstraction:
    """A game whose players see keys in place of views, and choose names in place of actions; see `abstract`.

    A choice of one name is a move of chance with one outcome.
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
        """The sum of payoffs that the real game declares."""
        return getattr(self.game, "constant_sum", None)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the real game, and the maps of its views and actions."""
        maps = {"key": self.key, "actions": self.actions_of}
        return {"game": self.game.name, **game_parameters(self.game), **{name: str(f) for name, f in maps.items()}}

    # The seven functions, and `draw`.

    def root(self) -> Any:
        return self.game.root()

    def player(self, state: Any) -> int:
        mover = self.game.player(state)
        return CHANCE if mover >= 0 and len(self._chosen(state, mover)) == 1 else mover

    def actions(self, state: Any) -> Labels:
        return tuple(self._chosen(state, self.game.player(state)))

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
        return self.game.child(state, self._chosen(state, mover)[action] if mover >= 0 else action)

    def payoffs(self, state: Any) -> Sequence[Any]:
        return self.game.payoffs(state)

    def view(self, state: Any, player: int) -> Hashable:
        return self.key(self.game.view(state, player), player)

    def _chosen(self, state: Any, player: int) -> dict[Hashable, Hashable]:
        if self.actions_of is None:
            return {action: action for action in self.game.actions(state)}
        return self.named(self.game.view(state, player), player, tuple(self.game.actions(state)))

    def named(self, view: Hashable, player: int, actions: Labels) -> dict[Hashable, Hashable]:
        """Return the action of each name, sorted by names, so that all histories of a key have the same order.

        Raises:
            GameError: not one name for each action, or all left out.
        """
        names = actions if self.actions_of is None else tuple(self.actions_of(view, player, actions))
        found: dict[Hashable, Hashable] = {}
        for name, action in zip(names, actions, strict=False):
            if name is not None:
                found.setdefault(name, action)
        if len(names) != len(actions) or not found:
            raise GameError(
                f"{self.name}: actions() named {shortened(actions)} at {infoset_name(player, view)!r} "
                f"{shortened(names)}; it must give one name for each action, and not None for all of them."
            )
        return found if self.actions_of is None else {name: found[name] for name in _in_order(found)}

    def lift(self, strategy: Strategy) -> Callable[[int, Hashable, Labels], dict[Hashable, float]]:
        """Return a strategy of this game as a strategy of the real one.

        Args:
            strategy: such as ``profile.strategy``, of a profile of this game, or ``solver.strategy``. Where it refuses
                a key, the real game has left the abstraction: `translate` then says which view is meant; of several,
                one is drawn anew at each decision.

        Returns:
            f(player, view, actions) -> a probability for each action, as `Profile.from_function` takes it.
        """

        def play(player: int, view: Hashable, actions: Labels) -> dict[Hashable, float]:
            seen = view if self.translate is None else self.translate(view, player)
            if not isinstance(seen, Mapping):
                return self._played(strategy, player, seen, actions)
            self._check_chances(seen, view)
            played = dict.fromkeys(actions, 0.0)
            for one, part in seen.items():
                for action, chance in self._played(strategy, player, one, actions).items():
                    played[action] += part * chance
            return played

        return play

    def _played(self, strategy: Strategy, player: int, seen: Hashable, actions: Labels) -> dict[Hashable, float]:
        """Return the strategy at a view of the real game that is translated to `seen`."""
        chosen = self.named(seen, player, actions)
        answer: Any = (1.0,)
        if len(chosen) > 1:
            answer = strategy(player, self.key(seen, player), tuple(chosen))
        chances = probabilities_given(f"the strategy of {self.name}", answer, tuple(chosen))
        played = dict.fromkeys(actions, 0.0)
        played.update(zip(chosen.values(), chances, strict=True))
        return played

    def _check_chances(self, seen: Mapping[Hashable, float], view: Hashable) -> None:
        """Raise GameError unless the views of a translation have probabilities."""
        chances = list(seen.values())
        known = all(isinstance(one, Real) and one >= 0 for one in chances)
        if not known or not abs(sum(chances) - 1) <= 1e-9:
            raise GameError(
                f"{self.name}: translate() takes {shortened(view)} for {shortened(dict(seen))}; it must give one view, "
                f"or views with probabilities that sum to 1."
            )


def abstract(
    game: Game,
    key: Key | Sequence[Key] | None = None,
    actions: Naming | None = None,
    translate: Translation | None = None,
) -> Abstraction:
    """Return an abstraction of a game: keys in place of views, fewer actions.

    A player that forgets by its keys what it knew (imperfect recall) can be solved by sampling; full passes, linear
    programs and best responses of the small game refuse it, with the histories that show it.

    Args:
        game: the real rules.
        key: (view, player) -> what stands for the view, or one such function for each player; None: the view itself.
            Histories of one key must offer the same names.
        actions: (view, player, actions) -> a name for each action, None to leave it out. Actions of one name are one:
            the first of them is done. Names are sorted.
        translate: (view, player) -> the view that is meant where actions that were left out have been done, or a
            mapping from views to the probability that each is meant: `td.translate_history` knows of what history.

    Returns:
        A game; where nobody forgets, for any method.

    Raises:
        GameError: `game` is none.
        ParameterError: a map that is no function, or not one for each player.

    >>> leduc = td.load_game("leduc", distinct_suits=True)
    >>> small = td.abstract(leduc, key=lambda view, player: view.replace("h", "").replace("s", ""))
    >>> td.compile_game(leduc).infosets, td.compile_game(small).infosets
    (936, 288)
    """
    if missing := missing_functions(game):
        raise GameError(f"{shortened(game)} is not a game: it lacks {', '.join(missing)}.")
    for name, given in (("key", key), ("actions", actions), ("translate", translate)):
        several = given if name == "key" and isinstance(given, Sequence) else [given]
        if any(not (one is None or callable(one)) for one in several):
            raise ParameterError(f"{name} is {shortened(given)}; it must be a function.")
    if isinstance(key, Sequence):
        if len(key) != game.players:
            raise ParameterError(f"{len(key)} keys for {game.players} players of {game.name}; give one for each.")
        key = _Each(tuple(key))
    return Abstraction(game, key or _itself, actions, translate)


def _in_order(names: Iterable[Hashable]) -> list[Any]:
    found: list[Any] = list(names)
    try:
        return sorted(found)
    except TypeError:
        return sorted(found, key=repr)


@dataclass(frozen=True)
class _Each:
    """A key of its own for each player."""

    keys: tuple[Key, ...]

    def __call__(self, view: Hashable, player: int) -> Hashable:
        return self.keys[player](view, player)


def _itself(view: Hashable, player: int) -> Hashable:
    return view
