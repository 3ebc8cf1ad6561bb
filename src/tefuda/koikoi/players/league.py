"""A league of Koi-Koi: agents by name, a clairvoyant player, and a learned response to each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tefuda.errors import UnknownNameError, check_range, check_seed
from tefuda.koikoi.kernels import match as kernels
from tefuda.koikoi.kernels.values import Worth
from tefuda.koikoi.players.ladder import AGENTS, Duel, Recipe, duel, sit
from tefuda.koikoi.players.worth import tables
from tefuda.koikoi.rules import KoiKoiRules
from tefuda.koikoi.simulator import compile_rules, streams
from tefuda.words import Notify
from tefuda.workers import ProgressFunction

#: Besides the agents by name: the clairvoyant player, and tables learned against each agent.
_SEER, _RESPONSE = "seer", "response"
_BLOCK = 2_000  # rounds of learning between reports


def agents_named(names: Sequence[str]) -> dict[str, Recipe]:
    """Return agents by name; raise UnknownNameError for other names."""
    for name in (wanted := [name.strip() for name in names]):
        if name not in AGENTS:
            raise UnknownNameError("agent", name, AGENTS)
    return {name: AGENTS[name] for name in wanted}


@dataclass(frozen=True)
class Meeting:
    """The names of two agents, and the first one's points."""

    one: str
    two: str
    duel: Duel

    @property
    def half_width(self) -> float:
        """Half the width of the 95 % interval of points a round."""
        return 1.96 * self.duel.error


def respond(
    rules: KoiKoiRules,
    rival: Recipe,
    worth: Worth,
    rounds: int,
    *,
    seed: int = 0,
    progress: ProgressFunction | None = None,
) -> Worth:
    """Learn tables against one player: an approximate best response, a lower bound of that player's exploitability.

    Args:
        rules: the rules.
        rival: the player to respond to.
        worth: initial tables, which are not changed; the rival's, too, if it needs any.
        rounds: number of rounds.
        seed: random seed of cards and choices.
        progress: callback for rounds done and in all.
    """
    check_range("rounds", rounds, 1)
    own = tables(worth.entries.copy())
    table, values = sit((Recipe("tables"), rival), (own, worth)), compile_rules(rules)
    cards, luck = streams(seed, 2)
    for done in range(0, rounds, _BLOCK):
        count = min(_BLOCK, rounds - done)
        rate = 0.15 * (1 - done / rounds) + 0.005
        _, cards, luck = kernels.learn_against(values, table, count, 0.05, rate, 0.5, np.uint64(cards), np.uint64(luck))
        if progress is not None:
            progress(done + count, rounds)
    return own


@dataclass(frozen=True)
class League:
    """Meetings of agents, each pair on the same deals in both seatings, and responses learned to each agent.

    names: names of `AGENTS`. deals: number of deals of each meeting. rounds: number of rounds to learn a response; a
    hundredth of them against searchers.

    Raises:
        UnknownNameError: no such agent.
        ParameterError: a value out of range.
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

    def meetings(self, worth: Worth, notify: Callable[[str], None] = lambda text: None) -> Iterator[Meeting]:
        """Play the meetings, one after the other; notify: callback for the progress in words."""
        agents = agents_named(self.names)

        def meet(one: str, two: str, first: Recipe, own: Worth) -> Meeting:
            both, report = (own, worth), _teller(notify, f"{one} against {two}, deal")
            found = duel(self.rules, first, agents[two], self.deals, seed=self.seed, worth=both, progress=report)
            return Meeting(one, two, found)

        for one, two in ((one, two) for at, one in enumerate(agents) for two in list(agents)[:at]):
            yield meet(one, two, agents[one], worth)
        for two, agent in agents.items():
            yield meet(_SEER, two, Recipe("seer"), worth)
            few = self.rounds if agent.kind != "search" else max(1, self.rounds // 100)
            report = _teller(notify, f"learning against {two}, round")
            learned = respond(self.rules, agent, worth, few, seed=self.seed ^ 1, progress=report)
            yield meet(_RESPONSE, two, Recipe("tables"), learned)


def _teller(notify: Notify, what: str) -> ProgressFunction:
    """Return a callback that reports progress in words."""
    return lambda done, all_: notify(f"{what} {done:,} of {all_:,}")
