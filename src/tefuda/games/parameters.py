"""Parameters of games, and names of user-defined games."""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
from typing import Any

from tefuda.errors import ParameterError, out_of_range
from tefuda.games.protocol import Game


def game_parameters(game: Game) -> dict[str, Any]:
    """Return the parameters of `game` for `load_game`: its ``parameters``, or its dataclass fields."""
    own = getattr(game, "parameters", None)
    if own is not None:
        return dict(own)
    if not dataclasses.is_dataclass(game):
        return {}
    return {field.name: getattr(game, field.name) for field in dataclasses.fields(game) if field.init}


def as_tuple(name: str, value: Any) -> tuple[Any, ...]:
    """Return a parameter that is a list as a tuple; raise ParameterError for other types."""
    if not isinstance(value, (list, tuple)):
        raise out_of_range(name, value, "a list, e.g. [2, 3]")
    return tuple(value)


def json_parameters(game: Game) -> dict[str, Any]:
    """Return the parameters of a game as JSON values; other types become text.

    Raises:
        ParameterError: the parameters are not a mapping from text, at any depth, or contain themselves.
    """
    try:
        return json.loads(json.dumps(game_parameters(game), default=str))
    except (TypeError, ValueError, RecursionError) as error:
        raise ParameterError(
            f"the parameters of {game.name} cannot be saved: {error}. Make them a dictionary from names to numbers, "
            f"text, lists and dictionaries."
        ) from None


def own_name(game: object) -> str:
    """Return the name of a user-defined game, ``"file.py:Class"``; "" for games of `GAMES`."""
    kind = type(game)
    if kind.__module__.startswith("tefuda.") or kind.__module__ == "builtins":
        return ""
    file = inspect.getsourcefile(kind)
    return f"{os.path.relpath(file) if file else kind.__module__}:{kind.__qualname__}"
