"""The parameters of a game, and the names of games of the user."""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
from typing import Any

from tefuda.errors import ParameterError
from tefuda.games.protocol import Game


def game_parameters(game: Game) -> dict[str, Any]:
    """Return the parameters of `game` for `load_game`: its ``parameters``, or its fields if it is a dataclass."""
    own = getattr(game, "parameters", None)
    if own is not None:
        return dict(own)
    if not dataclasses.is_dataclass(game):
        return {}
    return {field.name: getattr(game, field.name) for field in dataclasses.fields(game) if field.init}


def json_parameters(game: Game) -> dict[str, Any]:
    """Return the parameters of a game as JSON values; other values as text.

    Raises:
        ParameterError: parameters that are no mapping from text, at any depth, or hold themselves.
    """
    try:
        return json.loads(json.dumps(game_parameters(game), default=str))
    except (TypeError, ValueError, RecursionError) as error:
        raise ParameterError(
            f"the parameters of {game.name} cannot be kept: {error}. Make them a dictionary from names to numbers, "
            f"text, lists and such dictionaries."
        ) from None


def own_name(game: object) -> str:
    """Return the name of a game of the user for `load_game`, ``"file.py:Class"``; nothing for those of `GAMES`."""
    kind = type(game)
    if kind.__module__.startswith("tefuda.") or kind.__module__ == "builtins":
        return ""
    file = inspect.getsourcefile(kind)
    return f"{os.path.relpath(file) if file else kind.__module__}:{kind.__qualname__}"
