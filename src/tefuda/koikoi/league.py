"""Who plays Koi-Koi how well, in one table: agents by name, what can be won from each, a player that sees all cards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tefuda._kernels import koikoi_match as kernels
from tefuda._kernels.koikoi_values import Worth
from tefuda.errors import UnknownNameError, check_range
from tefuda.koikoi.ladder import Duel, Player, duel, flat, sit
from tefuda.koikoi.rules import KoiKoiRules
from tefuda.koikoi.simulator import compile_rules
from tefuda.koikoi.worth import tables
from tefuda.workers import Told

#: Agents by name. "seer" sees all cards; "response" is learned against each of the others.
AGENTS: dict[str, Player] = {
    "random": Player("random"),
    "greedy": Player("greedy"),
    "flat-100": flat(100),
    "flat-400": flat(400),
    "tables": Player("tables"),
    "search": Player("search"),
}
_SEER, _RESPONSE = "seer", "response"
_BLOCK = 2_000  # rounds of learning between reports


def agents_named(names: Sequence[str]) -> dict[str, Player]:
    """Agents by their names.

    Raises:
        UnknownNameError: no such agent.
    """
    for name in (wanted := [name.strip() for name in names]):
        if name not in AGENTS:
            raise UnknownNameError("agent", name, AGENTS)
    return {name: AGENTS[name] for name in wanted}


@dataclass(frozen=True)
class Meeting:
    """Two agents that have met: their names, and what the first won."""

    one: str
    two: str
    duel: Duel

    @property
    def half_width(self) -> float:
        """Of the 95 % interval of points a round."""
        return 1.96 * self.duel.error


def respond(
    rules: KoiKoiRules,
    rival: Player,
    worth: Worth,
    rounds: int,
    *,
    seed: int = 0,
    progress: Told | None = None,
) -> Worth:
    """Learn tables against one player: an approximate best response, hence a lower bound of what can be won from it.

    Args:
        rules: what is played for.
        rival: whom to beat.
        worth: tables to begin with, which the rival plays by, if it does by any; they are not changed.
        rounds: of learning.
        seed: of cards and choices.
        progress: told rounds done and in all.
    """
    check_range("rounds", rounds, 1)
    own = tables(worth.entries.copy())
    table, values = sit(rules, (Player("tables"), rival), (own, worth)), compile_rules(rules)
    cards, luck = np.random.SeedSequence(seed).generate_state(2, np.uint64)
    for done in range(0, rounds, _BLOCK):
        count = min(_BLOCK, rounds - done)
        rate = 0.15 * (1 - done / rounds) + 0.005
        _, cards, luck = kernels.learn_against(values, table, count, 0.05, rate, 0.5, np.uint64(cards), np.uint64(luck))
        if progress is not None:
            progress(done + count, rounds)
    return own


def league(
    rules: KoiKoiRules,
    names: Sequence[str],
    deals: int,
    worth: Worth,
    *,
    rounds: int = 1_000_000,
    seed: int = 0,
    tell: Callable[[str], None] | None = None,
) -> Iterator[Meeting]:
    """Let agents meet, each pair on the same deals in both seatings; then what can be won from each of them.

    Args:
        rules: what is played for.
        names: of `AGENTS`, at least one.
        deals: of each meeting.
        worth: learned tables.
        rounds: of learning a response to simple players and tables; to searchers a hundredth of them.
        seed: of cards and luck.
        tell: told who meets whom, and how far it is.

    Raises:
        UnknownNameError: no such agent.
    """
    agents_named(names)
    tell = tell or (lambda text: None)

    def meet(one: str, two: str, first: Player, own: Worth) -> Meeting:
        report = _teller(tell, f"{one} against {two}, deal")
        found = duel(rules, first, AGENTS[two], deals, seed=seed, worth=(own, worth), progress=report)
        return Meeting(one, two, found)

    for at, one in enumerate(names):
        for two in names[:at]:
            yield meet(one, two, AGENTS[one], worth)
    for two in names:
        yield meet(_SEER, two, Player("seer"), worth)
        few = rounds if AGENTS[two].kind != "search" else max(1, rounds // 100)
        learned = respond(
            rules, AGENTS[two], worth, few, seed=seed + 1,
            progress=_teller(tell, f"learning against {two}, round"),
        )  # fmt: skip
        yield meet(_RESPONSE, two, Player("tables"), learned)


def _teller(tell: Callable[[str], None], what: str) -> Told:
    """Progress in words."""
    return lambda done, all_: tell(f"{what} {done:,} of {all_:,}")
