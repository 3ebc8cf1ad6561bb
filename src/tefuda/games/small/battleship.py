"""Battleship: hidden ships, then shots in turn (Farina, Ling, Fang, Sandholm 2019)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tefuda.errors import ParameterError, check_range
from tefuda.games.parameters import as_tuple
from tefuda.games.phrases import between, phrases
from tefuda.games.protocol import TERMINAL, Observation, move_text

_LONGEST = 10  # rows and columns of a board
_SHIPS = 6  # of a player: whether more fit may take long to find out


@dataclass(frozen=True)
class Battleship:
    """Battleship: hidden ships, then shots in turn.

    The rules are those of OpenSpiel's battleship without repeated shots. Players place their ships in turn, unseen,
    across or down, without overlap. Then they shoot in turn, player 0 first. Each shot is reported as a miss, a hit,
    or as sunk. The game ends when a fleet is sunk or all shots are fired. A player wins the values of the ships that
    it sinks, and loses `loss` times the values of its own sunk ships.

    A state is (fleets, shots, views): cells are bits, row by row. A view is ``"a1-b1 b2:miss a1"``: the own ships, then
    the shots of both players in turn, with the results of the own ones.

    Args:
        width: number of columns, 1 to 10.
        height: number of rows, 1 to 10.
        ships: length of each ship, in the order in which they are placed.
        values: value of each ship.
        shots: number of shots of each player.
        loss: factor of the own losses; with 1 the game is zero-sum.
    """

    width: int = 2
    height: int = 2
    ships: tuple[int, ...] = (2,)
    values: tuple[float, ...] = (2,)
    shots: int = 3
    loss: float = 1
    name = "battleship"
    players = 2

    def __post_init__(self) -> None:
        for side, size in (("width", self.width), ("height", self.height)):
            check_range(side, size, 1, _LONGEST)
        for name in ("ships", "values"):
            object.__setattr__(self, name, as_tuple(name, getattr(self, name)))
        check_range("number of ships", len(self.ships), 1, _SHIPS)
        for length, value in zip(self.ships, self.values, strict=False):
            check_range("ships", length, 1, max(self.width, self.height))
            check_range("values", value, 0, whole=False)
        if len(self.ships) != len(self.values):
            raise ParameterError(f"{len(self.values)} values for {len(self.ships)} ships; give one for each.")
        check_range("shots", self.shots, 1, self.width * self.height)
        check_range("loss", self.loss, 0, whole=False)
        if not self._places(0, 0):
            raise ParameterError(f"ships {self.ships} do not fit on {self.width} x {self.height} cells.", key="ships")

    @property
    def constant_sum(self):
        return 0 if self.loss == 1 else None

    @cached_property
    def _cells(self) -> dict[str, int]:
        """The bit of each cell: column a, b, ... and row 1, 2, ..., as in ``"b1"``."""
        names = [f"{chr(ord('a') + column)}{row + 1}" for row in range(self.height) for column in range(self.width)]
        return {name: 1 << number for number, name in enumerate(names)}

    @cached_property
    def _lines(self) -> list[dict[str, int]]:
        """The cells of each ship's places on an empty board, across before down, by their first and last cell."""
        names = list(self._cells)
        across = [(row, column, 1) for row in range(self.height) for column in range(self.width)]
        down = [(row, column, self.width) for row, column, _ in across]
        lines = []
        for length in self.ships:
            starts = [start for start in across if start[1] + length <= self.width]
            starts += [start for start in down if start[0] + length <= self.height and length > 1]
            places = [[row * self.width + column + step * n for n in range(length)] for row, column, step in starts]
            lines.append({"-".join(dict.fromkeys((names[p[0]], names[p[-1]]))): sum(1 << c for c in p) for p in places})
        return lines

    @cached_property
    def _known_places(self) -> dict[tuple[int, int], tuple[str, ...]]:
        return {}

    def _places(self, taken: int, ship: int) -> tuple[str, ...]:
        """Return the places of a ship on free cells that leave room for the ships after it."""
        known = self._known_places
        if (taken, ship) not in known:
            free = ((place, cells) for place, cells in self._lines[ship].items() if not cells & taken)
            known[taken, ship] = tuple(place for place, cells in free if self._fit(taken | cells, ship + 1))
        return known[taken, ship]

    def _fit(self, taken: int, ship: int) -> bool:
        """Return True if all ships from a number on fit on free cells."""
        if ship == len(self.ships):
            return True
        return any(not cells & taken and self._fit(taken | cells, ship + 1) for cells in self._lines[ship].values())

    @cached_property
    def _targets(self) -> dict[int, tuple[str, ...]]:
        """The cells that are left after some shots."""
        return {}

    def root(self):
        return (((), ()), (0, 0), ("", ""))

    def player(self, state):
        (first, second), (shots, answers), _ = state
        if len(second) < len(self.ships):
            return len(first) - len(second)
        seat = shots.bit_count() - answers.bit_count()  # its fleet was shot at last
        sunk = not sum(second if seat else first) & ~(shots if seat else answers)
        return TERMINAL if sunk or answers.bit_count() == self.shots else seat

    def actions(self, state):
        fleets, shots, _ = state
        if len(fleets[1]) < len(self.ships):
            fleet = fleets[len(fleets[0]) - len(fleets[1])]
            return self._places(sum(fleet), len(fleet))
        fired, targets = shots[shots[0].bit_count() - shots[1].bit_count()], self._targets
        if fired not in targets:
            targets[fired] = tuple(cell for cell, bit in self._cells.items() if not bit & fired)
        return targets[fired]

    def chances(self, state):
        return ()

    def child(self, state, action):
        fleets, shots, (own, other) = state
        first, second = fleets
        if len(second) < len(self.ships):
            if len(first) == len(second):
                return (((*first, self._lines[len(first)][action]), second), shots, (_joined(own, action), other))
            return ((first, (*second, self._lines[len(second)][action])), shots, (own, _joined(other, action)))
        bit = self._cells[action]
        if shots[0].bit_count() == shots[1].bit_count():
            shot = f"{own} {action}:{_result(second, shots[0], bit)}"
            return (fleets, (shots[0] | bit, shots[1]), (shot, f"{other} {action}"))
        shot = f"{other} {action}:{_result(first, shots[1], bit)}"
        return (fleets, (shots[0], shots[1] | bit), (f"{own} {action}", shot))

    def payoffs(self, state):
        fleets, shots, _ = state
        won = [
            sum(value for ship, value in zip(fleets[1 - seat], self.values, strict=True) if not ship & ~shots[seat])
            for seat in range(2)
        ]
        return (won[0] - self.loss * won[1], won[1] - self.loss * won[0])

    def view(self, state, player):
        return state[2][player]

    def observe(self, view, player, language="en"):
        words, separator = phrases("battleship", language), between(language)
        parts = view.split()
        ships, moves = parts[: len(self.ships)], []
        for turn, (cell, _, result) in enumerate(part.partition(":") for part in parts[len(self.ships) :]):
            moves.append(move_text(turn % 2, player, words["shoot"].format(cell), language))
            if result:
                moves[-1] = words["result"].format(moves[-1], words[result])
        hand = words["ships"].format(separator.join(ships)) if ships else words["no ships"]
        return Observation(hand, separator.join(moves))


def _joined(view: str, place: str) -> str:
    return f"{view} {place}" if view else place


def _result(fleet: tuple[int, ...], fired: int, bit: int) -> str:
    """Return the result of a shot after earlier shots."""
    struck = next((ship for ship in fleet if ship & bit), 0)
    return "miss" if not struck else "hit" if struck & ~fired & ~bit else "sunk"
