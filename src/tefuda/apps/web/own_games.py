"""The user's own games at the page: those that ``tefuda web --game`` names, and no others.

Nothing is loaded because a request names it: ids such as ``own:Smuggler`` replace the names given at the start.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tefuda.errors import ParameterError, UnknownNameError
from tefuda.games.catalogue import GAMES, is_registered, load_game
from tefuda.games.parameters import game_parameters
from tefuda.games.protocol import Game
from tefuda.solvers.runs.run import read_run
from tefuda.solvers.runs.saved import load
from tefuda.solvers.runs.solution import Solution

PREFIX = "own:"
#: Names for `load_game` of the own games of this process, by id, and the id of each by the name of the game.
_sources: dict[str, str] = {}
_ids: dict[str, str] = {}


def register(names: Iterable[str]) -> None:
    """Load own games once and give them ids; they replace those registered before.

    Args:
        names: each ``"FILE.py:Class"`` or ``"module:Class"``; its class takes no argument that has no default.

    Raises:
        ParameterError: a game cannot be loaded, or two have the same class name or name.
    """
    _sources.clear()
    _ids.clear()
    for name in names:
        location, _, kind = name.rpartition(":")
        if not location or name in GAMES or is_registered(name):
            raise ParameterError(f"--game must be FILE.py:Class, got {name!r}.", key="game", value=name)
        source = f"{Path(location).resolve()}:{kind}" if location.endswith(".py") else name
        game, own = load_game(source), f"{PREFIX}{kind}"
        if own in _sources or game.name in _ids or is_registered(game.name):
            raise ParameterError(
                f"{name}: another game has the name {game.name!r} or {kind!r}.", key="game", value=name
            )
        _sources[own], _ids[game.name] = source, own


def sources() -> tuple[str, ...]:
    """Return the names given at the start, for `register` in a process that computes."""
    return tuple(_sources.values())


def own_ids() -> tuple[str, ...]:
    """Return the ids of the own games."""
    return tuple(_sources)


def source_of(game: str) -> str:
    """Return the name for `load_game` of a game by its id; other names stay as they are."""
    return _sources.get(game, game)


def id_of(name: str) -> str | None:
    """Return the id at the page of a game by its name; None if the page does not know it."""
    return name if is_registered(name) else _ids.get(name)


def catalogue() -> tuple[str, ...]:
    """Return the games of the catalogue that read no files or other programs."""
    return tuple(name for name in GAMES if name not in ("efg", "nfg", "openspiel"))


def load_known(game: str, parameters: Mapping[str, Any], known: Iterable[str] | None = None) -> Game:
    """Return one of the own games or of the known games, by default `catalogue`; others are not loaded.

    Raises:
        UnknownNameError: another game, or an unknown parameter.
        ParameterError: a parameter is wrong.
    """
    if game not in (names := [*own_ids(), *(catalogue() if known is None else known)]):
        raise UnknownNameError("game", game, names)
    return load_own(game, parameters)


def load_own(game: str, parameters: Mapping[str, Any]) -> Game:
    """Return a game by its id or by its name in the catalogue; callers have checked that the page has it.

    Raises:
        ParameterError: a parameter is wrong, or would be lost when the game is saved.
    """
    made = load_game(source_of(game), **parameters)
    if game in _sources and (lost := sorted(parameters.keys() - game_parameters(made).keys())):
        raise ParameterError(
            f"{made.name} does not keep its parameter {lost[0]}: set self.parameters = {{{lost[0]!r}: {lost[0]}}} in "
            "its constructor.", key=lost[0],
        )  # fmt: skip
    return made


def own_game_of(folder: Path) -> Game | None:
    """Return the game of a run that is one of the own games; None for others."""
    content = read_run(folder)
    own = _ids.get(content["game"])
    return None if own is None else load_own(own, content["game_parameters"])


def load_run(folder: Path) -> Solution:
    """Return the solution of a run, also of an own game."""
    return load(folder, own_game_of(folder))
