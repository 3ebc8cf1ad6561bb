"""Spots: a board, a pot, stacks, a range for each player, and the betting to come. Player 0 is out of position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from tefuda.errors import ParameterError, RunError, UnknownNameError, check_choice, check_range
from tefuda.files import read_bytes
from tefuda.holdem.betting import STREETS, Betting, Position, Street, read_sizes, sizes_text
from tefuda.holdem.cards import CARDS, cards_text, read_cards
from tefuda.holdem.ranges import Range, compatible_weights, require_free
from tefuda.holdem.spots.locks import ROOT, Lock, Locks, binds, locate_lock, read_locks

PLAYERS = ("OOP", "IP")
_WHOLE = ("pot", "stack", "cap")
_OF_BETTING = ("cap", "add_allin", "force_allin", "merging")
_NUMBERS = ("rake_rate", "rake_cap", *_OF_BETTING[1:])
_SIZES = tuple(f"{street}_{what}" for street in STREETS for what in ("bet", "raise", "donk"))
_AGGRESSORS = {"oop": 0, "ip": 1}
_KEYS = ("name", "board", "deck", "locks", "aggressor", "oop", "ip", *_WHOLE, *_NUMBERS, *_SIZES)
_IN_FILES = tuple("lock" if key == "locks" else key for key in _KEYS)


@dataclass(frozen=True, eq=False)
class Spot:
    """A heads-up subgame of hold'em from the flop, the turn or the river on.

    Args:
        board: three, four or five cards.
        betting: pot, stack and sizes.
        ranges: ranges of player 0, out of position, and player 1; hands that share a card with the board are dropped.
        rake_rate: part of the pot that is taken at the end, after folds too.
        rake_cap: largest rake, in chips.
        deck: all cards.
        name: name of the spot.
        locks: strategies that are fixed; the spot is the game in which they cannot be left.

    Raises:
        ParameterError: a board of other cards, a range without a hand, ranges of which no hands can meet, a lock at a
            place without a decision.
    """

    board: tuple[int, ...]
    betting: Betting
    ranges: tuple[Range, Range]
    rake_rate: float = 0.0
    rake_cap: float = inf
    deck: tuple[int, ...] = tuple(range(CARDS))
    name: str = "spot"
    locks: Locks = ()

    own_form = "tefuda.holdem.spots.compiled:form_of_spot"

    def __post_init__(self) -> None:
        board, size = cards_text(self.board), len(self.deck)
        if not 3 <= len(self.board) <= 5:
            self._refuse("board", f"board is {board!r}, {len(self.board)} cards; a spot starts with three to five.")
        if not set(self.board) <= set(self.deck):
            self._refuse("board", f"board is {board!r}; the deck has only {cards_text(self.deck)}.")
        if size < 9:
            self._refuse("deck", f"the deck has {size} cards; five on the board and two hands need 9.")
        check_range("rake_rate", self.rake_rate, 0, 1, whole=False)
        if self.rake_cap != inf:
            check_range("rake_cap", self.rake_cap, 0, whole=False)
        for player, weights in zip(PLAYERS, self.weights, strict=True):
            if not weights.any():
                self._refuse(player.lower(), f"the range of {player} has no hand beside the board {board}.")
        if not self.pairs > 0:
            self._refuse("ip", "no hands of the two ranges can meet: all share a card. Widen a range.")
        self.idle_locks()  # refuses locks that cannot stand

    def _refuse(self, key: str, why: str) -> NoReturn:
        raise ParameterError(why, key=key, value=getattr(self, key, None))

    @property
    def street(self) -> int:
        """0 from the flop, 1 from the turn, 2 from the river."""
        return len(self.board) - 3

    @cached_property
    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        """`[1326]` each player's weights of the hands that can be held here."""
        first, second = (one.without(self.dead_cards).weights for one in self.ranges)
        return first, second

    @property
    def dead_cards(self) -> set[int]:
        """The cards on the board, and those not in the deck."""
        return {*range(CARDS)} - {*self.deck} | {*self.board}

    @cached_property
    def pairs(self) -> float:
        """The sum of products of both weights over all pairs of hands that can meet: values are divided by it."""
        return float(self.weights[0] @ compatible_weights(self.weights[1]))

    def idle_locks(self) -> list[Lock]:
        """Return the locks that bind no hand which can be held where they stand."""
        here = self.betting, self.board, self.deck
        return [lock for lock in self.locks if not binds(lock, locate_lock(lock, *here), self.weights)]

    def without_idle_locks(self) -> Spot:
        """Return the spot without idle locks: in a spot made of another, hands that were locked may be gone."""
        idle_locks = self.idle_locks()
        return replace(self, locks=tuple(lock for lock in self.locks if lock not in idle_locks)) if idle_locks else self

    def texts(self) -> dict[str, Any]:
        """Return the arguments from which `make_spot` makes the spot again; its further keys under ``more``."""
        betting, more = self.betting, dict[str, Any]()
        for name, street in list(zip(STREETS, betting.streets, strict=True))[self.street :]:
            more |= {f"{name}_bet": sizes_text(street.bets), f"{name}_raise": sizes_text(street.raises)}
            more |= {} if street.donks is None else {f"{name}_donk": sizes_text(street.donks)}
        numbers = {name: getattr(betting, name) for name in _OF_BETTING} | {"rake_rate": self.rake_rate}
        more |= {name: number for name, number in numbers.items() if number}
        more |= {"rake_cap": self.rake_cap} if self.rake_rate and self.rake_cap != inf else {}
        more |= {"deck": cards_text(self.deck)} if len(self.deck) < CARDS else {}
        more |= self._start_text()
        more |= {"locks": [str(lock) for lock in self.locks]} if self.locks else {}
        oop, ip = (str(one.fill_blocked(self.dead_cards)) for one in self.ranges)
        return {
            "board": cards_text(self.board), "pot": betting.pot, "stack": betting.stack, "oop": oop, "ip": ip,
            "bets": "", "raises": "", "more": more,
        }  # fmt: skip

    def _start_text(self) -> dict[str, str]:
        """Return the player who bet last before the spot starts, if any."""
        start = self.betting.start or Position(self.street)
        if start != Position(self.street, aggressor=start.aggressor):
            raise ParameterError("a spot that starts within a street cannot be written as text.")
        return {} if start.aggressor < 0 else {"aggressor": list(_AGGRESSORS)[start.aggressor]}

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
        stack: chips that each player still has.
        oop: range of the player out of position, who acts first on every street.
        ip: range of the player in position.
        bets: sizes of bets on all streets, as `betting` reads them.
        raises: sizes of raises on all streets.
        more: further keys of a spot's file: sizes of a street (``river_bet``, ``turn_raise``, ``turn_donk``), ``cap``,
            ``rake_rate``, ``rake_cap``, ``add_allin``, ``force_allin``, ``merging``, ``deck``, ``name``; ``locks``, a
            list of texts that `locks` reads.

    Raises:
        ParameterError: a value that cannot be read or is out of range; its place in a text is marked.

    >>> spot = make_spot("2c2d2h3c3d", 100, 100, "AA,QQ", "KK", "a", "a")
    >>> spot.pairs
    72.0
    """
    read_sizes(bets, "bets", raises=False)  # so that a message names what was given
    read_sizes(raises, "raises")
    sizes = {f"{street}_{what}": text for street in STREETS for what, text in (("bet", bets), ("raise", raises))}
    for name in more:
        if name not in _KEYS:
            raise UnknownNameError("key of a spot", name, _KEYS)
    return _spot({**sizes, "board": board, "oop": oop, "ip": ip, "pot": pot, "stack": stack, **more})


def read_spot(path: str | Path) -> Spot:
    """Read a spot's file: lines ``key=value``, ``#`` starts a comment; see docs/holdem.md.

    Raises:
        RunError: there is no such file.
        ParameterError: a line that cannot be read; its number is given and the place marked.
    """
    path, found, places = Path(path), dict[str, Any](), dict[str, int]()
    try:
        lines = read_bytes(path).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise RunError(f"{path} is no text.") from None
    for number, line in enumerate(lines, 1):
        content = line.split("#")[0].strip()
        if not content:
            continue
        try:
            places[_enter(found, content, line)] = number
        except ParameterError as error:
            raise error.located(f"{path}, line {number}") from None
    for key in ("board", "pot", "stack", "oop", "ip"):
        if key not in found:
            raise ParameterError(f"{path} has no line {key}=.", key=key)
    try:
        return _spot({"rake_cap": 0.0, "name": path.stem, **found})
    except ParameterError as error:
        line = f", line {places[error.key]}" if error.key in places else ""
        raise error.located(f"{path}{line}") from None


def _enter(found: dict[str, Any], content: str, line: str) -> str:
    """Enter a line of a file into the values by key; return the key of errors about it."""
    key, equals, value = (part.strip() for part in content.partition("="))
    if equals and key == "lock":
        found.setdefault("locks", []).append(value)
        return f"lock at {Lock.read(value).line or ROOT}"
    if not equals or key not in _IN_FILES or key in found:
        why = "is no key=value" if not equals else "stands there twice" if key in found else "is no key of a spot"
        known = "" if key in found else f" Known: {', '.join(_IN_FILES)}."
        raise ParameterError(f"{key!r} {why}.{known}", key=key, value=value, text=line)
    kind = "a whole number" if key in _WHOLE else "a number"
    try:
        found[key] = int(value) if key in _WHOLE else float(value) if key in _NUMBERS else value
    except ValueError:
        why = f"{key} is {value!r}; it must be {kind}."
        raise ParameterError(why, key=key, value=value, expected=kind, text=value) from None
    return key


def _spot(given: Mapping[str, Any]) -> Spot:
    """Make a spot of values by key; faults are marked in their texts."""
    board = read_cards(given["board"], "board")
    ranges = Range.read(given["oop"], "oop"), Range.read(given["ip"], "ip")
    sizes = {key: read_sizes(given.get(key, ""), key, raises=key.endswith("raise")) for key in _SIZES}
    donks = {key: sizes[key] for key in _SIZES if key in given}
    streets = tuple(Street(sizes[f"{s}_bet"], sizes[f"{s}_raise"], donks.get(f"{s}_donk")) for s in STREETS)
    more, limits = _some(given, "rake_rate", "rake_cap", "name"), _some(given, *_OF_BETTING)
    if "deck" in given:
        more["deck"] = read_cards(given["deck"], "deck")
    if "locks" in given:
        more["locks"] = read_locks(given["locks"])
    try:
        if "aggressor" in given:
            check_choice("aggressor", given["aggressor"], _AGGRESSORS)
            limits["start"] = Position(len(board) - 3, aggressor=_AGGRESSORS[given["aggressor"]])
        betting = Betting(given["pot"], given["stack"], streets, **limits)  # type: ignore[arg-type]
        spot = Spot(board, betting, ranges, **more)
    except ParameterError as error:
        raise _marked(error, given) from None
    for key in ("oop", "ip"):
        require_free(given[key], key, spot.dead_cards)
    for lock in spot.idle_locks():
        raise lock.error("no hand that it names can be held there; leave it out, or name hands of the range")
    return spot


def _marked(error: ParameterError, given: Mapping[str, Any]) -> ParameterError:
    """Return the error with the text of its key marked."""
    key = error.key
    if key not in given:
        return error
    text = f"{key}={given[key]}"
    about = {"key": key, "value": error.value, "expected": error.expected}
    return ParameterError(error.message, **about, text=text, position=(len(key) + 1, len(text)))  # type: ignore[arg-type]


def _some(given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: given[name] for name in names if name in given}
