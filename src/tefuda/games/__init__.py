"""The games that come with tefuda: one table from names to constructors, and `load_game`."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tefuda.errors import ParameterError, UnknownNameError
from tefuda.game import Game
from tefuda.games.dice import LiarsDice
from tefuda.games.efg import read_efg
from tefuda.games.goofspiel import Goofspiel
from tefuda.games.kuhn import Kuhn
from tefuda.games.leduc import Leduc
from tefuda.games.matrix import Matrix, rock_paper_scissors
from tefuda.games.openspiel import from_openspiel
from tefuda.games.sampled import Sampled

GAMES: dict[str, Callable[..., Game]] = {
    "efg": read_efg,
    "goofspiel": Goofspiel,
    "kuhn": Kuhn,
    "leduc": Leduc,
    "liars_dice": LiarsDice,
    "matrix": Matrix,
    "openspiel": from_openspiel,
    "rps": rock_paper_scissors,
    "sampled": Sampled,
}


def load_game(name: str, **parameters: Any) -> Game:
    """Build a game by its name in `GAMES`, or by ``"module:Class"`` or ``"file.py:Class"`` for one's own.

    Args:
        name: e.g. ``"leduc"`` or ``"my_game.py:MyGame"``.
        parameters: what its constructor takes, e.g. ``players=3``.

    Raises:
        UnknownNameError: there is no such game, or it has no such parameter.
        ParameterError: a value is out of range.
    """
    constructor = _own_game(name) if ":" in name else GAMES.get(name)
    if constructor is None:
        raise UnknownNameError("game", name, GAMES)
    signature = inspect.signature(constructor)
    for parameter in parameters:
        if parameter not in signature.parameters:
            raise UnknownNameError(f"parameter of {name}", parameter, signature.parameters)
    try:
        signature.bind(**parameters)
    except TypeError as error:
        raise ParameterError(f"{name}: {error}. It takes {signature}.") from None
    return constructor(**parameters)


def game_parameters(game: Game) -> dict[str, Any]:
    """The parameters `load_game` needs to build `game` again: its ``parameters``, or its fields if a dataclass."""
    own = getattr(game, "parameters", None)
    if own is not None:
        return dict(own)
    if not dataclasses.is_dataclass(game):
        return {}
    return {field.name: getattr(game, field.name) for field in dataclasses.fields(game) if field.init}


def own_name(game: object) -> str:
    """How `load_game` names a game of one's own, ``"file.py:Class"``; nothing for those of `GAMES`."""
    kind = type(game)
    if kind.__module__.startswith("tefuda.") or kind.__module__ == "builtins":
        return ""
    file = inspect.getsourcefile(kind)
    return f"{os.path.relpath(file) if file else kind.__module__}:{kind.__qualname__}"


def _own_game(name: str) -> Callable[..., Game]:
    """The class or function that ``"file.py:Class"`` or ``"module:Class"`` names."""
    place, _, attribute = name.rpartition(":")
    try:
        if place.endswith(".py"):
            spec = importlib.util.spec_from_file_location(Path(place).stem, place)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(place)
    except (FileNotFoundError, ModuleNotFoundError) as error:
        raise ParameterError(f"game {name!r}: {error}. Write file.py:Class or module:Class.") from None
    if not hasattr(module, attribute):
        raise UnknownNameError(f"class in {place}", attribute, [n for n in vars(module) if not n.startswith("_")])
    return getattr(module, attribute)
