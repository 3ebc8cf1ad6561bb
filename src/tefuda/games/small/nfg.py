"""Reading and writing of Gambit's strategic-form files (.nfg), with exact numbers.

The format is described in Gambit's manual, "The strategic game (.nfg) file format, payoff version" and "outcome
version". The strategy of the first player changes fastest.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.errors import wrong_type
from tefuda.files import write_bytes
from tefuda.games.answers import exact_number
from tefuda.games.efg import Reader, gambit_text
from tefuda.games.small.matrix import Matrix

_PROFILES = 10_000_000  # limit of the product of the numbers of strategies


def read_nfg(path: str) -> Matrix:
    """Read a matrix game from a .nfg file (Gambit's strategic form), with payoffs or with outcomes.

    Strategies without a name, or with equal names, are numbered.

    Args:
        path: the file.

    Returns:
        A matrix game of the players, with the names of their strategies as labels.

    Raises:
        RunError: the file cannot be read.
        GameError: invalid content; the message gives line and column.

    >>> td.games.write_nfg(td.load_game("rps"), "rps.nfg")
    >>> td.games.read_nfg("rps.nfg").labels[0]
    ('rock', 'paper', 'scissors')
    """
    return _NfgReader.of(path).game()


class _NfgReader(Reader):
    """A parser of both forms; `profiles` is the product of the numbers of strategies so far."""

    profiles = 1

    def game(self) -> Matrix:
        title = self.header("NFG 1", "strategic")
        players = len(self.braced(lambda: self.take("string")))
        if players < 2:
            raise self.fail(f"a table needs two players or more, found {players}")
        labels = self.read_labels(players)
        self.text()
        sizes = [len(names) for names in labels]
        count = prod(sizes)
        if self.at_brace("{"):
            rows = self.read_outcomes(players, count)
        else:
            rows = [self.number() for _ in range(players * count)]
        if self.peek().kind:
            raise self.fail(f"unexpected {self.peek().text[:40]!r} after the last payoff")
        flat = np.empty(players * count, dtype=object)
        flat[:] = rows
        table = flat.reshape(*sizes[::-1], players).transpose(*reversed(range(players)), players)
        return Matrix(table.tolist(), labels).named("nfg", title, path=self.path)

    def read_labels(self, players: int) -> list[list[str]]:
        """Read the numbers or the names of the strategies of each player."""
        labels = self.braced(self.read_strategies)
        if len(labels) != players:
            raise self.fail(f"strategies of {len(labels)} players, expected {players}", back=1)
        return labels

    def read_strategies(self) -> list[str]:
        if not self.at_brace("{"):
            count = self.integer("the number of strategies")
            self.profiles *= count
            if not 1 <= self.profiles <= _PROFILES:
                raise self.fail(f"{self.profiles:,} profiles; a table must have 1 to {_PROFILES:,}", back=1)
            return [str(number) for number in range(1, count + 1)]
        names = self.braced(lambda: self.take("string"))
        if not names:
            raise self.fail("a player has no strategies")
        self.profiles *= len(names)
        if len(set(names)) == len(names) and all(names):
            return names
        return [f"{name or 'strategy'} {number}" for number, name in enumerate(names, 1)]

    def read_outcomes(self, players: int, count: int) -> list[Fraction]:
        """Read outcomes and the number of the outcome of each profile; outcome 0 pays 0."""
        outcomes = [[Fraction(0)] * players, *self.braced(lambda: self.read_outcome(players))]
        rows = []
        for _ in range(count):
            number = self.integer("the outcome")
            if not 0 <= number < len(outcomes):
                raise self.fail(f"outcome {number} of {len(outcomes) - 1}", back=1)
            rows += outcomes[number]
        return rows

    def read_outcome(self, players: int) -> list[Fraction]:
        if self.take("brace") != "{":
            raise self.fail("expected { before an outcome", back=1)
        self.text()
        payoffs = [self.number() for _ in range(players)]
        if not self.at_brace("}"):
            raise self.fail(f"expected }} after {players} payoffs, found {self.peek().text[:40]!r}")
        self.position += 1
        return payoffs


def write_nfg(game: Any, path: str | Path, *, outcomes: bool = False) -> None:
    """Write a matrix game as a .nfg file, with names of strategies and payoffs as exact fractions.

    Args:
        game: a matrix game, such as ``load_game("matrix", payoffs=...)``.
        path: the file.
        outcomes: write the different payoffs once as outcomes, and their numbers; otherwise the payoffs of all
            profiles.

    Raises:
        ParameterError: another game; `write_efg` writes it.
        RunError: the file cannot be written.
    """
    if not isinstance(game, Matrix):
        raise wrong_type("a matrix game", game, "games with moves in turn are written by write_efg")
    profiles = list(_profiles(game))
    if outcomes:
        numbers: dict[tuple[Fraction, ...], int] = {}
        for payoffs in profiles:
            numbers.setdefault(payoffs, len(numbers) + 1)
        lines = ["{", *(f'{{ "" {", ".join(map(str, payoffs))} }}' for payoffs in numbers), "}"]
        lines.append(" ".join(str(numbers[payoffs]) for payoffs in profiles))
    else:
        lines = [" ".join(map(str, payoffs)) for payoffs in profiles]
    players = " ".join(gambit_text(f"player {player}") for player in range(game.players))
    strategies = [" ".join(map(gambit_text, labels)) for labels in game.labels]
    head = [f"NFG 1 R {gambit_text(game.title or game.name)} {{ {players} }}", "{"]
    head += [*(f"{{ {names} }}" for names in strategies), "}", '""', ""]
    write_bytes(Path(path), ("\n".join([*head, *lines]) + "\n").encode())


def _profiles(game: Matrix) -> Iterator[tuple[Fraction, ...]]:
    """Yield the payoffs of all profiles; the strategy of the first player changes fastest."""
    sizes = [len(labels) for labels in game.labels]
    for reverse in np.ndindex(*sizes[::-1]):
        entry: Any = game.payoff_table
        for action in reversed(reverse):
            entry = entry[action]
        yield tuple(map(exact_number, entry))
