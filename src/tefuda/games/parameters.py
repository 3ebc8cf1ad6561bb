"""What a game is made from: its parameters, and where the rules of one's own are."""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
from typing import Any

from tefuda.errors import ParameterError
from tefuda.games.protocol import Game


def game_parameters(game: Game) -> dict[str, Any]:
    """The parameters `load_game` needs to build `game` again: its ``parameters``, or its fields if a dataclass."""
    own = getattr(game, "parameters", None)
    if own is not None:
        return dict(own)
    if not dataclasses.is_dataclass(game):
        return {}
    return {field.name: getattr(game, field.name) for field in dataclasses.fields(game) if field.init}


def json_parameters(game: Game) -> dict[str, Any]:
    """The parameters of a game as JSON values; what JSON does not know as text.

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
    """How `load_game` names a game of one's own, ``"file.py:Class"``; nothing for those of `GAMES`."""
    kind = type(game)
    if kind.__module__.startswith("tefuda.") or kind.__module__ == "builtins":
        return ""
    file = inspect.getsourcefile(kind)
    return f"{os.path.relpath(file) if file else kind.__module__}:{kind.__qualname__}"
