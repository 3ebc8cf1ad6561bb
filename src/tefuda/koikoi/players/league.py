"""A league of Koi-Koi: named agents, a clairvoyant player, and a learned response to each agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tefuda.errors import UnknownNameError, check_range, check_seed
from tefuda.koikoi.kernels import match as kernels
from tefuda.koikoi.kernels.tables import ValueTables
from tefuda.koikoi.players.ladder import AGENTS, DuelResult, PlayerConfiguration, duel, make_players
from tefuda.koikoi.players.tables import make_tables
from tefuda.koikoi.rules import KoiKoiRules
from tefuda.koikoi.simulator import compile_rules, streams
from tefuda.words import Notify
from tefuda.workers import ProgressFunction

#: Names of the clairvoyant player, and of the tables learned against each agent.
_CLAIRVOYANT, _RESPONSE = "clairvoyant", "response"
_BLOCK = 2_000  # rounds of learning between reports


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
    players, compiled = (
        make_players((PlayerConfiguration("tables"), opponent), (player_tables, tables)),
        compile_rules(rules),
    )
    cards, luck = streams(seed, 2)
    for done in range(0, rounds, _BLOCK):
        count = min(_BLOCK, rounds - done)
        rate = 0.15 * (1 - done / rounds) + 0.005
        _, cards, luck = kernels.learn_response(
            compiled, players, count, 0.05, rate, 0.5, np.uint64(cards), np.uint64(luck)
        )
        if progress is not None:
            progress(done + count, rounds)
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

    def pairings(self, tables: ValueTables, notify: Callable[[str], None] = lambda text: None) -> Iterator[Pairing]:
        """Play the pairings, one after the other.

        Args:
            tables: value tables of all agents.
            notify: callback for messages about the progress.
        """
        agents = agents_named(self.names)

        def play(player: str, opponent: str, configuration: PlayerConfiguration, player_tables: ValueTables) -> Pairing:
            report = _progress(notify, f"{player} against {opponent}, deal")
            result = duel(
                self.rules,
                configuration,
                agents[opponent],
                self.deals,
                seed=self.seed,
                tables=(player_tables, tables),
                progress=report,
            )
            return Pairing(player, opponent, result)

        for player, opponent in (
            (player, opponent) for index, player in enumerate(agents) for opponent in list(agents)[:index]
        ):
            yield play(player, opponent, agents[player], tables)
        for opponent, agent in agents.items():
            yield play(_CLAIRVOYANT, opponent, PlayerConfiguration("clairvoyant"), tables)
            rounds = self.rounds if agent.kind != "search" else max(1, self.rounds // 100)
            report = _progress(notify, f"learning against {opponent}, round")
            response = learn_response(self.rules, agent, tables, rounds, seed=self.seed ^ 1, progress=report)
            yield play(_RESPONSE, opponent, PlayerConfiguration("tables"), response)


def _progress(notify: Notify, text: str) -> ProgressFunction:
    """Return a callback that reports the progress as text."""
    return lambda done, total: notify(f"{text} {done:,} of {total:,}")
