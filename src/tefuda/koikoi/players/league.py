"""A league of Koi-Koi: named agents, a clairvoyant player, and a learned response to each agent."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tefuda import __version__
from tefuda.errors import RunError, UnknownNameError, check_range, check_seed
from tefuda.files import COUNT, ArraySpec, check_arrays, read_arrays, write_arrays
from tefuda.koikoi.kernels import match as kernels
from tefuda.koikoi.kernels.tables import ValueTables
from tefuda.koikoi.players.ladder import AGENTS, DuelResult, PlayerConfiguration, duel, make_players
from tefuda.koikoi.players.tables import make_tables
from tefuda.koikoi.rules import KoiKoiRules
from tefuda.koikoi.simulator import compile_rules, streams
from tefuda.locks import locked
from tefuda.settings import options
from tefuda.words import Notify
from tefuda.workers import ProgressFunction, pieces

#: Names of the clairvoyant player, and of the tables learned against each agent.
_CLAIRVOYANT, _RESPONSE = "clairvoyant", "response"
_BLOCK = 2_000  # rounds of learning between reports
#: The arrays of finished pairings in a file: fields of `DuelResult`.
_RESULTS = {
    "points": ArraySpec("float64", ("K", range(2, 2**31), 2)),
    "searched": ArraySpec("int64", ("K",), *COUNT),
    "seconds": ArraySpec("float64", ("K",), 0, 1e18),
}


def agents_named(names: Sequence[str]) -> dict[str, PlayerConfiguration]:
    """Return agents by name.

    Raises:
        UnknownNameError: no such agent.
    """
    for name in (wanted := [name.strip() for name in names]):
        if name not in AGENTS:
            raise UnknownNameError("agent", name, AGENTS)
    return {name: AGENTS[name] for name in wanted}


@dataclass(frozen=True)
class Pairing:
    """The result of two players of a league.

    Attributes:
        player: name of the first player.
        opponent: name of the second player.
        duel: points of the first player.
    """

    player: str
    opponent: str
    duel: DuelResult

    @property
    def half_width(self) -> float:
        """Half the width of the 95 % interval of points per round."""
        return 1.96 * self.duel.error


def learn_response(
    rules: KoiKoiRules,
    opponent: PlayerConfiguration,
    tables: ValueTables,
    rounds: int,
    *,
    seed: int = 0,
    progress: ProgressFunction | None = None,
) -> ValueTables:
    """Learn tables against one player, an approximate best response.

    Their result is a lower bound of that player's exploitability.

    Args:
        rules: the rules.
        opponent: the player to respond to.
        tables: initial tables, not modified; also the opponent's, if it needs tables.
        rounds: number of rounds.
        seed: random seed of cards and choices.
        progress: callback for rounds done and in all.
    """
    check_range("rounds", rounds, 1)
    player_tables = make_tables(tables.entries.copy())
    players = make_players((PlayerConfiguration("tables"), opponent), (player_tables, tables))
    compiled, (cards, luck) = compile_rules(rules), streams(seed, 2)
    for block in pieces(rounds, _BLOCK, progress):
        count, rate = block.stop - block.start, 0.15 * (1 - block.start / rounds) + 0.005
        _, cards, luck = kernels.learn_response(
            compiled, players, count, 0.05, rate, 0.5, np.uint64(cards), np.uint64(luck)
        )
    return player_tables


@dataclass(frozen=True)
class League:
    """A round robin of agents, and responses learned to each agent.

    Each pair plays the same deals in both seatings.

    Args:
        rules: the rules.
        names: names of `AGENTS`.
        deals: number of deals of each pairing.
        rounds: number of rounds to learn a response; a hundredth of them against searchers.
        seed: random seed.

    Raises:
        UnknownNameError: no such agent.
        ParameterError: a value is out of range.
    """

    rules: KoiKoiRules
    names: Sequence[str]
    deals: int
    rounds: int = 1_000_000
    seed: int = 0

    def __post_init__(self) -> None:
        agents_named(self.names)
        check_range("deals", self.deals, 2)
        check_range("rounds", self.rounds, 1)
        check_seed(self.seed)

    def pairings(
        self,
        tables: ValueTables,
        notify: Callable[[str], None] = lambda text: None,
        file: Path | None = None,
    ) -> Iterator[Pairing]:
        """Play the pairings, one after the other.

        Args:
            tables: value tables of all agents.
            notify: callback for messages about the progress.
            file: file of the finished pairings, written after each; those in it are not played again.

        Raises:
            RunError: the file is damaged, cannot be written, or belongs to another league.
        """
        with locked(file):
            finished = [] if file is None or not os.path.exists(file) else self._read(file, tables)
            yield from finished
            for player, opponent in self._pairs()[len(finished) :]:
                finished.append(Pairing(player, opponent, self._duel(player, opponent, tables, notify)))
                if file is not None:
                    self._write(file, finished, tables)
                yield finished[-1]

    def _pairs(self) -> list[tuple[str, str]]:
        """Return the names of both players of all pairings, in the order of play."""
        agents = list(agents_named(self.names))
        each = [(player, opponent) for index, player in enumerate(agents) for opponent in agents[:index]]
        return each + [(player, opponent) for opponent in agents for player in (_CLAIRVOYANT, _RESPONSE)]

    def _duel(self, player: str, opponent: str, tables: ValueTables, notify: Notify) -> DuelResult:
        """Play a pairing, after learning the tables of a response."""
        agents, own = {**agents_named(self.names), _CLAIRVOYANT: PlayerConfiguration("clairvoyant")}, tables
        if player == _RESPONSE:
            agents[player] = PlayerConfiguration("tables")
            rounds = self.rounds if agents[opponent].kind != "search" else max(1, self.rounds // 100)
            report = counting(notify, f"learning against {opponent}, round")
            own = learn_response(self.rules, agents[opponent], tables, rounds, seed=self.seed ^ 1, progress=report)
        return duel(
            self.rules, agents[player], agents[opponent], self.deals, seed=self.seed, tables=(own, tables),
            progress=counting(notify, f"{player} against {opponent}, deal"),
        )  # fmt: skip

    def _description(self, tables: ValueTables) -> dict[str, Any]:
        """Return everything that the results depend on, as JSON values."""
        settings = {"rules": options(self.rules), "names": self.names, "deals": self.deals, "rounds": self.rounds}
        digest = hashlib.sha256(tables.entries.tobytes()).hexdigest()
        content = {**settings, "seed": self.seed, "tables": digest, "tefuda": __version__}
        return dict(json.loads(json.dumps(content, default=asdict)))

    def _write(self, file: Path, finished: Sequence[Pairing], tables: ValueTables) -> None:
        duels = [pairing.duel for pairing in finished]
        columns = {name: np.array([getattr(one, name) for one in duels]) for name in _RESULTS}
        write_arrays(file, columns, {"league": self._description(tables)})

    def _read(self, file: Path, tables: ValueTables) -> list[Pairing]:
        """Return the finished pairings of a file."""
        arrays, header = read_arrays(file)
        if header.get("league") != self._description(tables):
            why = "has no results with these rules, agents and options"
            raise RunError(f"{file} {why}; use the same ones, or another file.", key="out", value=str(file))
        check_arrays(file, arrays, {**_RESULTS, "points": ArraySpec("float64", ("K", self.deals, 2), -1e6, 1e6)})
        pairs, results = self._pairs(), list(zip(*(arrays[name] for name in _RESULTS), strict=True))
        if len(results) > len(pairs):
            raise RunError(f"{file} is damaged: it has more results than the league has pairings.")
        return [
            Pairing(*pair, DuelResult(points, int(searched), float(seconds)))
            for pair, (points, searched, seconds) in zip(pairs, results, strict=False)
        ]


def counting(notify: Notify, text: str) -> ProgressFunction:
    """Return a callback that reports the progress as text."""
    return lambda done, total: notify(f"{text} {done:,} of {total:,}")
