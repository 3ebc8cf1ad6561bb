"""Matrix games: simultaneous choices, represented by successive hidden moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import product
from numbers import Rational
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, check_range, out_of_range
from tefuda.games.answers import number_of, read_number
from tefuda.games.protocol import TERMINAL
from tefuda.games.small.dealt import Moves
from tefuda.views import Displayable


@dataclass(frozen=True)
class Matrix(Moves, Displayable):
    """A matrix game: one simultaneous choice. A state is the tuple of actions so far.

    Args:
        payoffs: array ``[A0, A1]`` of player 0's payoffs in a zero-sum game, or array ``[A0, ..., A(P-1), P]`` of all
            players' payoffs, as nested sequences of numbers or of texts such as ``"2/5"``. None is rounded.
        labels: action names of each player, or one list for all players; default: numbers.
        name: name of the game.
    """

    payoff_table: tuple[Any, ...]
    labels: tuple[tuple[str, ...], ...] = ()
    name: str = "matrix"
    arguments: tuple[tuple[str, Any], ...] = ()
    title: str = ""

    def __init__(self, payoffs: Sequence[Any], labels: Sequence[Any] = (), name: str = "matrix") -> None:
        try:
            table = np.array(_NUMBERS(np.array(payoffs, dtype=object)), dtype=object)
        except (TypeError, ValueError):
            raise out_of_range("payoffs", payoffs, "a rectangular array of finite numbers") from None
        if table.ndim == 2:
            table = np.stack([table, -table], axis=-1)
        if table.ndim < 2 or table.size == 0 or table.shape[-1] != table.ndim - 1:
            raise ParameterError(
                f"payoffs has shape {table.shape}; it must be finite numbers of shape [A0, A1] (zero-sum) or "
                f"[A0, ..., A(P-1), P]."
            )
        rows = list(labels) or [[str(action) for action in range(size)] for size in table.shape[:-1]]
        if rows and isinstance(rows[0], str):
            rows = [rows] * table.shape[-1]
        if [len(row) for row in rows] != list(table.shape[:-1]):
            raise ParameterError(f"labels {rows!r} do not fit a table of {table.shape[:-1]} actions.")
        object.__setattr__(self, "payoff_table", _nested(table.tolist()))
        object.__setattr__(self, "labels", tuple(tuple(row) for row in rows))
        object.__setattr__(self, "name", name)

    def named(self, name: str, title: str = "", **arguments: Any) -> Matrix:
        """Return the same table under a name of the catalogue, whose constructor makes it from `arguments`."""
        game = Matrix(self.payoff_table, self.labels, name)
        object.__setattr__(game, "arguments", tuple(arguments.items()))
        object.__setattr__(game, "title", title)
        return game

    @property
    def players(self) -> int:
        return len(self.labels)

    @property
    def action_labels(self) -> tuple[str, ...]:
        """Labels of all actions of all players."""
        return tuple(dict.fromkeys(label for row in self.labels for label in row))

    @property
    def parameters(self) -> dict[str, Any]:
        return {"payoffs": self.payoff_table, "labels": self.labels} if self.name == "matrix" else dict(self.arguments)

    def player(self, state):
        return len(state) if len(state) < self.players else TERMINAL

    def actions(self, state):
        return self.labels[len(state)]

    def payoffs(self, state):
        entry = self.payoff_table
        for labels, action in zip(self.labels, state, strict=True):
            entry = entry[labels.index(action)]
        return entry

    def view(self, state, player):
        return state[player] if len(state) == self.players else "move"  # at the end the choice is shown

    def features(self, state, player):
        """A constant: players have no information."""
        return (1.0,)


def _number(value: Any) -> int | float | Fraction:
    """Return the number of a table entry exactly; raise ValueError for anything else."""
    number: Any = read_number(str(value).strip()) if isinstance(value, (str, Decimal)) else value
    if number_of(number) is None:
        raise ValueError
    if not isinstance(number, Rational):
        return float(number)
    exact = Fraction(number)
    return exact if exact.denominator > 1 else int(exact)


_NUMBERS = np.frompyfunc(_number, 1, 1)


def _nested(values: Any) -> Any:
    """Return nested lists as nested tuples."""
    return tuple(_nested(value) for value in values) if isinstance(values, list) else values


def rock_paper_scissors(players: int = 2) -> Matrix:
    """Return rock, paper, scissors: losers pay 1 each to the winners; 0 if there are none."""
    check_range("players", players, 2, 6)
    payoffs = np.zeros((3,) * players + (players,), dtype=object)
    for shown in product(range(3), repeat=players):
        if len(kinds := set(shown)) == 2:
            best = next(kind for kind in kinds if (kind - 1) % 3 in kinds)  # paper 1 beats rock 0, ...
            wins = shown.count(best)
            payoffs[shown] = [Fraction(players - wins, wins) if kind == best else -1 for kind in shown]
    game = Matrix(payoffs.tolist(), ["rock", "paper", "scissors"])
    return game.named("rps", players=players) if players > 2 else game.named("rps")
