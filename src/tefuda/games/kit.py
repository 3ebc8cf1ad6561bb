"""Kits: the parts that a game brings besides its rules, such as agents, a table, a coach and forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from tefuda.errors import GameError, shortened
from tefuda.games.parameters import json_parameters
from tefuda.games.phrases import LANGUAGES
from tefuda.games.picture import Picture, PictureEvent
from tefuda.games.protocol import Observation, View, guarded, own_function
from tefuda.lazy import load_reference
from tefuda.words import Notify

#: The description of an agent, and the function that builds it; it receives a function that reports progress.
#: If the function has an attribute ``named``, users may add options to the name, after ``:`` or ``;``: ``named`` of the
#: whole text returns the function that builds the agent.
OwnAgent = tuple[str, Callable[[Notify], Any]]


class Kit:
    """The parts that a game brings besides its rules; the defaults ask the rules' own methods.

    A game names its kit by the class attribute ``kit``: a class derived from this one, or its ``"module:name"``, which
    is imported when it is needed. Answers of other types and exceptions of a derived class are GameError.

    Args:
        game: the rules.

    >>> td.load_game("spot").kit
    'tefuda.holdem.spots.kit:SpotKit'
    """

    def __init__(self, game: Any) -> None:
        self.game = game

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, gives in ANSWERS.items():
            home = next(kind for kind in cls.__mro__ if name in vars(kind))
            if home is cls or not issubclass(home, Kit):
                setattr(cls, name, guarded(f"{cls.__name__}: {name}", vars(home)[name], gives))

    def observe(self, view: View, player: int, language: str = "en") -> Observation:
        """Return a player's view in words: the rules' ``observe``, or the view as text.

        An ``observe`` without a parameter `language` answers in its only language.
        """
        own = own_function(self.game, "observe", Observation)
        if own is None:
            return Observation(str(view))
        known = language != LANGUAGES[0] and "language" in signature(own).parameters
        return own(view, player, *[language] * known)

    def picture(self, view: View, player: int) -> Picture:
        """Return a player's view as data: the rules' ``picture``, or the observation as text."""
        own = own_function(self.game, "picture", Picture)
        if own is not None:
            return own(view, player)
        known = self.observe(view, player)
        actions = {label: PictureEvent(name, player) for label, name in known.actions.items()}
        return Picture(text="; ".join(filter(None, (known.hand, known.table))), actions=actions)

    def guide(self, language: str = "en") -> str:
        """Return the rules in Markdown, or an empty text."""
        return ""

    def presets(self) -> Mapping[str, Mapping[str, Any]]:
        """Return sets of parameters by name."""
        return {}

    def forms(self) -> tuple[str, ...]:
        """Return the representations that solve the game, the preferred one first."""
        return ("tree", "rules")

    def same_play(self, other: Any) -> bool:
        """Return True if strategies of a game of this name, with other parameters, fit."""
        return json_parameters(self.game) == json_parameters(other)

    def agents(self) -> Mapping[str, OwnAgent]:
        """Return agents by name; the first one is the default opponent."""
        return {}

    def simulator(self) -> Any:
        """Return a compiled simulator, or None."""
        return None

    def table(self) -> Any:
        """Return a faster table with the same hands, or None."""
        return None

    def series(self) -> Any:
        """Return the series of hands of a session, or None."""
        return None

    def coach(self, strategy: Any = None, name: str = "") -> Any:
        """Return the coach with a strategy, or without one the game's own coach; None if there is none."""
        return None


#: The types of the answers of a kit; `simulate_rules` and `table_of` check further ones.
ANSWERS: dict[str, type] = {
    "observe": Observation, "picture": Picture, "guide": str, "presets": Mapping, "forms": tuple, "same_play": bool,
    "agents": Mapping, "simulator": object, "table": object, "series": object, "coach": object,
}  # fmt: skip


def kit_of(game: object) -> Kit:
    """Return the kit of a game: of the class that its attribute ``kit`` names, or the default.

    Args:
        game: the rules.

    Raises:
        GameError: the kit cannot be loaded or made, or its class does not derive from `Kit`.

    >>> kit = td.games.kit_of(td.load_game("kuhn"))
    >>> kit.observe("K|pb", 0).hand, kit.forms()
    ('the king', ('tree', 'rules'))
    """
    place = f"{type(game).__name__}: kit"
    kit = guarded(place, lambda: load_reference(getattr(game, "kit", None) or Kit)(game))()
    if not isinstance(kit, Kit):
        named = shortened(getattr(game, "kit", None))
        raise GameError(f'{place} must be a class derived from Kit or its "module:name", got {named}.')
    return kit
