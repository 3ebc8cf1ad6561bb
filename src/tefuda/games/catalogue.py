"""Catalogue of the included games, and `load_game`."""

from __future__ import annotations

import inspect
import numbers
import tomllib
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from tefuda.errors import GameError, ParameterError, TefudaError, UnknownNameError, shortened, wrong_type
from tefuda.games.answers import missing_functions, read_number
from tefuda.games.openspiel import from_openspiel
from tefuda.games.own import load_named, located_error
from tefuda.games.protocol import Game


class ListedGame(NamedTuple):
    """A row of `GAMES`.

    Attributes:
        constructor: class or function as ``"module:name"``, imported on first use.
        source: key in docs/references.md of the paper that introduced the game, if any.
    """

    constructor: str
    source: str = ""


#: The included games.
GAMES: dict[str, ListedGame] = {
    "bargaining": ListedGame("tefuda.games.small.bargaining:Bargaining", "lewis2017"),
    "battleship": ListedGame("tefuda.games.small.battleship:Battleship", "farina2019correlation"),
    "blotto": ListedGame("tefuda.games.small.bidding:blotto", "borel1921"),
    "chsh": ListedGame("tefuda.games.small.cooperative:CHSH", "clauser1969"),
    "coordinated_matching_pennies": ListedGame("tefuda.games.small.repeated:CoordinatedPennies"),
    "dark_hex": ListedGame("tefuda.phantom.rules:DarkHex"),
    "efg": ListedGame("tefuda.games.efg:read_efg"),
    "endgame": ListedGame("tefuda.holdem.spots.endgames:endgame", "brown2019"),
    "first_price_auction": ListedGame("tefuda.games.small.bidding:FirstPriceAuction"),
    "goofspiel": ListedGame("tefuda.games.small.goofspiel:Goofspiel", "ross1971"),
    "holdem": ListedGame("tefuda.holdem.hands.whole:holdem"),
    "koikoi": ListedGame("tefuda.koikoi.reduced:koikoi"),
    "kuhn": ListedGame("tefuda.games.small.kuhn:Kuhn", "kuhn1950"),
    "leduc": ListedGame("tefuda.games.small.leduc:Leduc", "southey2005"),
    "liars_dice": ListedGame("tefuda.games.small.liars_dice:LiarsDice"),
    "liars_poker": ListedGame("tefuda.games.small.liars_poker:LiarsPoker"),
    "matching_pennies": ListedGame("tefuda.games.small.repeated:matching_pennies"),
    "matrix": ListedGame("tefuda.games.small.matrix:Matrix"),
    "mini12": ListedGame("tefuda.koikoi.reduced:mini12"),
    "mini8": ListedGame("tefuda.koikoi.reduced:mini8"),
    "minikoi": ListedGame("tefuda.koikoi.reduced:minikoi"),
    "nfg": ListedGame("tefuda.games.small.nfg:read_nfg"),
    "nolimit_leduc": ListedGame("tefuda.games.small.nolimit_leduc:NoLimitLeduc", "li2019"),
    "openspiel": ListedGame("tefuda.games.openspiel:from_openspiel"),
    "oshi_zumo": ListedGame("tefuda.games.small.bidding:OshiZumo", "buro2004"),
    "repeated": ListedGame("tefuda.games.small.repeated:Repeated"),
    "phantom_ttt": ListedGame("tefuda.phantom.rules:PhantomTicTacToe"),
    "rhode_island": ListedGame("tefuda.games.small.rhode_island:RhodeIsland", "shi2001"),
    "royal_holdem": ListedGame("tefuda.holdem.hands.whole:royal_holdem"),
    "rps": ListedGame("tefuda.games.small.matrix:rock_paper_scissors"),
    "sampled": ListedGame("tefuda.games.small.random_game:RandomGame"),
    "sheriff": ListedGame("tefuda.games.small.sheriff:Sheriff", "farina2019correlation"),
    "signalling": ListedGame("tefuda.games.small.signalling:Signalling", "vonstengel2008"),
    "spot": ListedGame("tefuda.holdem.spots.game:holdem"),
    "tiny_bridge": ListedGame("tefuda.games.small.tiny_bridge:TinyBridge"),
    "tiny_hanabi": ListedGame("tefuda.games.small.cooperative:TinyHanabi", "foerster2019"),
    "trade_comm": ListedGame("tefuda.games.small.cooperative:TradeComm", "sokota2021"),
}


class PaperGame(NamedTuple):
    """A name of `paper_games`.

    Attributes:
        game: name in `GAMES`.
        parameters: its parameters; others may be given, and these overridden.
        source: key in docs/references.md, or the program that has the name.
    """

    game: str
    parameters: dict[str, Any]
    source: str


@cache
def paper_games() -> dict[str, PaperGame]:
    """Return the games that papers and other programs call by other names, such as ``"battleship_22_3"``."""
    book = tomllib.loads(Path(__file__).with_name("papers.toml").read_text("utf-8"))
    return {name: PaperGame(row["game"], row.get("parameters", {}), row["source"]) for name, row in book.items()}


def source_of(name: str) -> str:
    """Return the source of a game by its name here or in papers; "" if there is none."""
    listed = GAMES.get(name) or paper_games().get(name)
    return listed.source if listed else ""


_FILES = (".efg", ".nfg")  # endings of files that are games
OPENSPIEL = "openspiel:"  # prefix of the names of OpenSpiel's games


def is_registered(name: str) -> bool:
    """Return True if the name alone identifies a game: it is in `GAMES` or OpenSpiel's."""
    return name in GAMES or name.startswith(OPENSPIEL)


def load_game(name: str, /, **parameters: Any) -> Game:
    """Return a game by name.

    Args:
        name: a name in `GAMES` or `paper_games`, ``"openspiel:NAME"``, ``"file.py:Class"``, ``"module:Class"``,
            ``"file.efg"`` or ``"file.nfg"``.
        parameters: arguments of its constructor, e.g. ``players=3``.

    Returns:
        A game with the seven functions.

    Raises:
        UnknownNameError: unknown game or parameter.
        ParameterError: a value is out of range.

    >>> td.load_game("kuhn", players=3)
    Kuhn(players=3, cards=4)
    """
    if not isinstance(name, str):
        raise wrong_type("the name of a game, such as 'kuhn'", name)
    if (kind := name.lower()[-4:]) in _FILES:
        if "path" in parameters:
            raise ParameterError(f"{name} is a file; leave path={parameters['path']!r} out.", key="path")
        name, parameters = kind[1:], {"path": name, **parameters}
    constructor = find_constructor(name)
    signature = _signature(constructor)
    for parameter in parameters:
        if parameter not in signature.parameters:
            raise UnknownNameError(f"parameter of {name}", parameter, signature.parameters)
    try:
        signature.bind(**parameters)
    except TypeError as error:
        raise ParameterError(f"{name}: {error}. It takes {signature}.") from None
    for parameter, value in parameters.items():
        parameters[parameter] = _checked(parameter, value, signature.parameters[parameter].annotation)
    return _construct(name, constructor, parameters)


#: Allowed types of a parameter by its annotation, and their description.
_KINDS: dict[Any, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "True or False"),
    int: ((numbers.Integral,), "a whole number"),
    float: ((numbers.Real,), "a number"),
    str: ((str,), "a text"),
}


def _signature(constructor: Callable[..., Game]) -> inspect.Signature:
    try:
        return inspect.signature(constructor, eval_str=True)
    except Exception:  # annotations may contain undefined names
        return inspect.signature(constructor)


def _checked(parameter: str, value: Any, annotation: object) -> Any:
    """Return a value, a fraction for its text; raise ParameterError if it does not fit its annotation."""
    if annotation in (float, Fraction) and isinstance(value, str):
        number = read_number(value)  # run.json has fractions as text
        value = value if number is None else number
    if annotation in (bool, int, float, str):
        kinds, words = _KINDS[annotation]
        if not isinstance(value, kinds) or (isinstance(value, bool) and annotation is not bool):
            raise ParameterError(f"{parameter} is {value!r}; it must be {words}.")
    return value


def _construct(name: str, constructor: Callable[..., Game], parameters: Mapping[str, Any]) -> Game:
    """Return the game of a constructor; raise ParameterError or GameError if that fails."""
    try:
        game = constructor(**parameters)
    except TefudaError:
        raise
    except (Exception, SystemExit) as error:
        raise ParameterError(f"{name} cannot be built: {located_error(error)}.") from None
    if missing := missing_functions(game):
        raise GameError(f"{name} returns {shortened(game)}, which is not a game: it lacks {', '.join(missing)}.")
    return game


def find_constructor(name: str) -> Callable[..., Game]:
    """Return the constructor of a game by its name, see `load_game`.

    Raises:
        UnknownNameError: unknown game.
        ParameterError: the file or module cannot be loaded, or the name is not that of a constructor.
    """
    if paper := paper_games().get(name):
        listed = find_constructor(paper.game)
        constructor = partial(listed, **paper.parameters)
        constructor.__doc__ = listed.__doc__
        return constructor
    if ":" not in name and name not in GAMES:
        if name.endswith(".py"):
            raise ParameterError(f"{name} names no game; add its class: {name}:MyGame.")
        raise UnknownNameError("game", name, [*GAMES, *paper_games()])
    if name.startswith(OPENSPIEL):
        return partial(from_openspiel, name.removeprefix(OPENSPIEL))
    constructor = load_named(GAMES[name].constructor if name in GAMES else name, "game")
    if not callable(constructor):
        raise ParameterError(f"{name} is {shortened(constructor)}, not a class or a function that returns a game.")
    return constructor


def parameters_of(name: str) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a game by name, see `load_game`.

    >>> list(parameters_of("kuhn"))
    ['players', 'cards']
    """
    kind = name.lower()[-4:]
    return _signature(find_constructor(kind[1:] if kind in _FILES else name)).parameters
