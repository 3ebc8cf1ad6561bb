"""Spots: a board, a pot, stacks, a range for each player, and the betting to come.

Player 0 is out of position.
"""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from tefuda.errors import ParameterError, RunError, UnknownNameError, check_choice, check_range
from tefuda.files import read_bytes
from tefuda.holdem.betting import (
    ROOT,
    STREETS,
    Betting,
    BettingState,
    Sizes,
    Street,
    line_text,
    read_line,
    read_node_sizes,
    read_sizes,
    sizes_text,
)
from tefuda.holdem.cards import CARDS, cards_text, read_cards
from tefuda.holdem.ranges import Range, compatible_weights, require_free
from tefuda.holdem.spots.locks import Lock, Locks, binds, locate_lock, read_locks

PLAYERS = ("OOP", "IP")
_WHOLE = ("pot", "stack", "cap")
_OF_BETTING = ("cap", "add_allin", "force_allin", "merging")
_NUMBERS = ("rake_rate", "rake_cap", *_OF_BETTING[1:])
_SIZES = (
    *(f"{street}_{what}" for street in STREETS for what in ("bet", "raise", "donk")),
    *(f"{who}_{street}_{what}" for who in ("oop", "ip") for street in STREETS for what in ("bet", "raise")),
)
#: Keys that every spot needs.
REQUIRED = ("board", "pot", "stack", "oop", "ip")
_MARK = "\ufeff"  # byte order marks, also inside of joined files
_AGGRESSORS = {"oop": 0, "ip": 1}
_KEYS = ("name", "board", "deck", "locks", "at", "aggressor", "oop", "ip", *_WHOLE, *_NUMBERS, *_SIZES)
_REPEATED = ("lock", "at")
#: The keys of spot files.
KEYS = tuple("lock" if key == "locks" else key for key in _KEYS)


@dataclass(frozen=True, eq=False)
class Spot:
    """A heads-up subgame of hold'em from the flop, the turn or the river on.

    Args:
        board: three, four or five cards.
        betting: pot, stack and sizes.
        ranges: ranges of player 0, out of position, and player 1; hands that share a card with the board are ignored.
        rake_rate: share of the pot that is taken at the end, also after folds.
        rake_cap: largest rake, in chips.
        deck: cards of the deck; default: all 52.
        name: name of the spot.
        locks: fixed strategies; the spot is the game in which players cannot deviate from them.

    Raises:
        ParameterError: an invalid board, a range without hands, ranges without compatible hands, or a lock at a line
            without a decision.
    """

    board: tuple[int, ...]
    betting: Betting
    ranges: tuple[Range, Range]
    rake_rate: float = 0.0
    rake_cap: float = inf
    deck: tuple[int, ...] = tuple(range(CARDS))
    name: str = "spot"
    locks: Locks = ()

    kit = "tefuda.holdem.spots.kit:SpotKit"

    def __post_init__(self) -> None:
        board, size = cards_text(self.board), len(self.deck)
        if not 3 <= len(self.board) <= 5:
            self._refuse("board", f"board must have three to five cards, got {len(self.board)}: {board!r}.")
        if not set(self.board) <= set(self.deck):
            self._refuse("board", f"board must be of the deck {cards_text(self.deck)}, got {board!r}.")
        if size < 9:
            self._refuse("deck", f"deck must have at least 9 cards, five for the board and two hands, got {size}.")
        check_range("rake_rate", self.rake_rate, 0, 1, whole=False)
        if self.rake_cap != inf:
            check_range("rake_cap", self.rake_cap, 0, whole=False)
        for player, weights in zip(PLAYERS, self.weights, strict=True):
            if not weights.any():
                self._refuse(
                    player.lower(), f"the range of {player} has no hand that is compatible with the board {board}."
                )
        if not self.pairs > 0:
            self._refuse("ip", "the two ranges have no compatible hands: all share a card. Widen a range.")
        self.idle_locks()  # validates the locks

    def _refuse(self, key: str, why: str) -> NoReturn:
        raise ParameterError(why, key=key, value=getattr(self, key, None))

    @property
    def street(self) -> int:
        """The first street: 0 flop, 1 turn, 2 river."""
        return len(self.board) - 3

    @cached_property
    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        """`[1326]` each player's weights of the possible hands."""
        first, second = (own.without(self.dead_cards).weights for own in self.ranges)
        return first, second

    @property
    def dead_cards(self) -> set[int]:
        """The cards on the board, and those not in the deck."""
        return {*range(CARDS)} - {*self.deck} | {*self.board}

    @cached_property
    def pairs(self) -> float:
        """The sum of products of both weights over all compatible pairs of hands; values are divided by it."""
        return float(self.weights[0] @ compatible_weights(self.weights[1]))

    def idle_locks(self) -> list[Lock]:
        """Return the locks that bind no possible hand."""
        setting = self.betting, self.board, self.deck
        return [lock for lock in self.locks if not binds(lock, locate_lock(lock, *setting), self.weights)]

    def without_idle_locks(self) -> Spot:
        """Return the spot without idle locks: a spot made from another may lack the locked hands."""
        idle_locks = self.idle_locks()
        return replace(self, locks=tuple(lock for lock in self.locks if lock not in idle_locks)) if idle_locks else self

    def texts(self) -> dict[str, Any]:
        """Return the arguments from which `make_spot` rebuilds the spot; further ones under ``more``."""
        betting, more = self.betting, dict[str, Any]()
        for name, street in list(zip(STREETS, betting.streets, strict=True))[self.street :]:
            more |= {f"{name}_bet": sizes_text(street.bets), f"{name}_raise": sizes_text(street.raises)}
            more |= {} if street.donks is None else {f"{name}_donk": sizes_text(street.donks)}
            if street.ip is not None:
                more |= {f"ip_{name}_bet": sizes_text(street.ip.bets), f"ip_{name}_raise": sizes_text(street.ip.raises)}
        numbers = {name: getattr(betting, name) for name in _OF_BETTING} | {"rake_rate": self.rake_rate}
        more |= {name: number for name, number in numbers.items() if number}
        more |= {"rake_cap": self.rake_cap} if self.rake_rate and self.rake_cap != inf else {}
        more |= {"deck": cards_text(self.deck)} if len(self.deck) < CARDS else {}
        more |= self._start_text()
        more |= {"locks": [str(lock) for lock in self.locks]} if self.locks else {}
        oop, ip = (str(own.fill_blocked(self.dead_cards)) for own in self.ranges)
        return {
            "board": cards_text(self.board), "pot": betting.pot, "stack": betting.stack, "oop": oop, "ip": ip,
            "bets": "", "raises": "", "more": more,
        }  # fmt: skip

    def _start_text(self) -> dict[str, Any]:
        """Return the last aggressor before the spot starts, if any, and the sizes at nodes."""
        start = self.betting.start or BettingState(self.street)
        if start != BettingState(self.street, aggressor=start.aggressor, at=start.at):
            raise ParameterError("only spots that start at the beginning of a street can be written as text.")
        aggressor = {} if start.aggressor < 0 else {"aggressor": list(_AGGRESSORS)[start.aggressor]}
        return aggressor | ({"at": {line_text(node.line): str(node) for node in start.at}} if start.at else {})

    def rake(self, half: Any) -> Any:
        """Return the rake of a pot, given half of it."""
        return np.minimum(self.rake_rate * 2 * half, self.rake_cap)


def make_spot(
    board: str, pot: int, stack: int, oop: str, ip: str, bets: str = "50%,a", raises: str = "50%,a", **more: Any
) -> Spot:
    """Make a spot from text.

    Args:
        board: ``"Qs Jh 2h 8d 3c"``.
        pot: chips at the start.
        stack: remaining chips of each player.
        oop: range of the player out of position, the first to act on every street.
        ip: range of the player in position.
        bets: sizes of bets on all streets, see `betting`.
        raises: sizes of raises on all streets.
        more: further keys of a spot file: sizes of a street (``river_bet``, ``turn_raise``, ``turn_donk``), also of one
            player (``ip_river_bet``), ``cap``, ``rake_rate``, ``rake_cap``, ``add_allin``, ``force_allin``,
            ``merging``, ``deck``, ``name``; ``locks``, a list of texts that `locks` reads; ``at``, sizes at single
            nodes by line, which `betting.read_node_sizes` reads.

    Returns:
        The spot.

    Raises:
        ParameterError: an invalid value; the error marks it in its text.

    >>> spot = make_spot("2c2d2h3c3d", 100, 100, "AA,QQ", "KK", "a", "a")
    >>> spot.pairs
    72.0
    """
    read_sizes(bets, "bets", raises=False)  # first, so that an error names the argument
    read_sizes(raises, "raises")
    sizes = {f"{street}_{what}": text for street in STREETS for what, text in (("bet", bets), ("raise", raises))}
    for name in more:
        if name not in _KEYS:
            raise UnknownNameError("key of a spot", name, _KEYS)
    return _spot({**sizes, "board": board, "oop": oop, "ip": ip, "pot": pot, "stack": stack, **more})


def read_spot(path: str | Path) -> Spot:
    """Read a spot file: lines ``key=value``, ``#`` starts a comment; see docs/holdem.md.

    Args:
        path: path of the file.

    Returns:
        The spot; its name is the file's unless given.

    Raises:
        RunError: the file is missing or is not text.
        ParameterError: an invalid line; the error has its number and marks the fault.
    """
    file = SpotFile.read(path)
    if missing := file.missing():
        raise ParameterError(f"{path} needs a line {missing[0]}=.", key=missing[0])
    with file.locating(file.values):
        return _spot(file.values)


@dataclass(frozen=True)
class SpotFile:
    """Values of a spot file.

    Attributes:
        path: path of the file.
        values: values by key, those that `make_spot` takes.
        lines: line numbers by key of errors.
    """

    path: Path
    values: Mapping[str, Any]
    lines: Mapping[str, int]

    @classmethod
    def read(cls, path: str | Path) -> SpotFile:
        """Read a file as `read_spot` does, without making a spot."""
        values, line_numbers = dict[str, Any](), dict[str, int]()
        for number, line in enumerate(read_lines(path), 1):
            content = line.split("#")[0].strip()
            if not content:
                continue
            try:
                line_numbers[_enter(values, content, line)] = number
            except ParameterError as error:
                raise error.located(f"{path}, line {number}") from None
        return cls(Path(path), {"name": Path(path).stem, **values}, line_numbers)

    def missing(self) -> list[str]:
        """Return the keys that a spot needs and that the file lacks."""
        return [key for key in REQUIRED if key not in self.values]

    @contextmanager
    def locating(self, values: Mapping[str, Any]) -> Iterator[None]:
        """Add the line to errors about values of the file; `values` may override them."""
        try:
            yield
        except ParameterError as error:
            if (key := error.key) not in self.lines or values.get(key) != self.values.get(key):
                raise
            raise error.located(f"{self.path}, line {self.lines[key]}") from None


def read_lines(path: str | Path) -> list[str]:
    """Return the lines of a file in UTF-8, or UTF-16 with a byte order mark; raise RunError for others."""
    data = read_bytes(Path(path))
    try:
        text = data.decode("utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8")
    except UnicodeDecodeError:
        raise RunError(f"{path} is not a text file in UTF-8.") from None
    return text.replace(_MARK, "").splitlines()


def _enter(values: dict[str, Any], content: str, line: str) -> str:
    """Enter a line of a file into the values by key; return the key of errors about it."""
    key, equals, value = (part.strip() for part in content.partition("="))
    if not equals or key not in KEYS or (key in values and key not in _REPEATED):
        why = "is not key=value" if not equals else "is given twice" if key in values else "is not a key of a spot"
        known = "" if key in values else f" Known: {', '.join(KEYS)}."
        raise ParameterError(f"{key!r} {why}.{known}", key=key, value=value, text=line)
    return enter(values, key, value)


def enter(values: dict[str, Any], key: str, value: str) -> str:
    """Enter the text of a key of spot files into values; return the key of errors about it."""
    if key == "lock":
        values.setdefault("locks", []).append(value)
        return f"lock at {Lock.read(value).line or ROOT}"
    if key == "at":
        text, colon, sizes = (part.strip() for part in value.partition(":"))
        line = line_text(read_line(text))
        if not colon or line in values.setdefault("at", {}):
            why = (
                "expected LINE: SIZES, such as Check/Bet(25): 40c" if not colon else "list all sizes of a node together"
            )
            raise ParameterError(f"at: {why}, got {value!r}.", key="at", value=value, text=value)
        values["at"][line] = sizes
        return f"at {line}"
    kind = "a whole number" if key in _WHOLE else "a number"
    try:
        values[key] = read_chips(value) if key in _WHOLE else float(value) if key in _NUMBERS else value
    except ValueError:
        why = f"{key} is {value!r}; it must be {kind}."
        raise ParameterError(why, key=key, value=value, expected=kind, text=value) from None
    return key


def read_chips(text: str | float) -> int | float:
    """Return ``100`` or ``100.0`` as an int, other numbers as they are: `Betting` refuses them."""
    number = float(text)
    return int(number) if number.is_integer() else number


def _streets(given: Mapping[str, Any]) -> tuple[Street, Street, Street]:
    """Return the sizes of the streets; those of a player precede those of both."""
    sizes = dict[str, Sizes]()
    for key in _SIZES:
        if key in given:
            *_, street, what = key.split("_")
            sizes[key] = read_sizes(given[key], key, what == "raise", len(STREETS) - STREETS.index(street))

    def own(player: str, street: str) -> Street:
        bets, raises = (
            sizes.get(f"{player}_{name}", sizes.get(name, ())) for name in (f"{street}_bet", f"{street}_raise")
        )
        return Street(bets, raises)

    pairs = [(name, own("oop", name), own("ip", name)) for name in STREETS]
    first, second, third = (
        replace(oop, donks=sizes.get(f"{name}_donk"), ip=None if ip == oop else ip) for name, oop, ip in pairs
    )
    return first, second, third


def _spot(given: Mapping[str, Any]) -> Spot:
    """Make a spot from values by key; errors mark their texts."""
    board = read_cards(given["board"], "board")
    ranges = Range.read(given["oop"], "oop"), Range.read(given["ip"], "ip")
    streets = _streets(given)
    more, limits = _some(given, "rake_rate", "rake_cap", "name"), _some(given, *_OF_BETTING)
    if "deck" in given:
        more["deck"] = read_cards(given["deck"], "deck")
    if "locks" in given:
        more["locks"] = read_locks(given["locks"])
    try:
        street, at, aggressor = len(board) - 3, read_node_sizes(given.get("at", {}), len(board) - 3), -1
        if "aggressor" in given:
            check_choice("aggressor", given["aggressor"], _AGGRESSORS)
            aggressor = _AGGRESSORS[given["aggressor"]]
        if at or aggressor >= 0:
            limits["start"] = BettingState(street, aggressor=aggressor, at=at)
        betting = Betting(given["pot"], given["stack"], streets, **limits)
        spot = Spot(board, betting, ranges, **more)
    except ParameterError as error:
        raise _marked(error, given) from None
    for key in ("oop", "ip"):
        require_free(given[key], key, spot.dead_cards)
    for lock in spot.idle_locks():
        raise lock.error("none of its hands is possible there; leave it out, or use hands of the range")
    return spot


def _marked(error: ParameterError, given: Mapping[str, Any]) -> ParameterError:
    key = error.key
    if key not in given:
        return error
    text = f"{key}={given[key]}"
    about = {"key": key, "value": error.value, "expected": error.expected}
    return ParameterError(error.message, **about, text=text, position=(len(key) + 1, len(text)))  # type: ignore[arg-type]


def _some(given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: given[name] for name in names if name in given}
