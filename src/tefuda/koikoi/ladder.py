"""Who plays Koi-Koi how well: players as values, and matches of them on the compiled table.

Each deal is played in both seatings; what is measured are pairs of rounds. Cards and luck depend on seeds alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tefuda._kernels import koikoi as rounds
from tefuda._kernels import koikoi_match as kernels
from tefuda._kernels import koikoi_search as searching
from tefuda.errors import ParameterError, check_choice, check_range
from tefuda.koikoi.rules import KoiKoiRules
from tefuda.koikoi.simulator import compile_rules
from tefuda.koikoi.worth import tables

KINDS = {"random": rounds.RANDOM, "greedy": rounds.GREEDY, "tables": kernels.BY_TABLES, "search": kernels.SEARCHER}
_MOST = 2000  # points of a round


@dataclass(frozen=True)
class Player:
    """A player of rounds.

    Args:
        kind: ``"random"``; ``"greedy"``; ``"tables"``, the best by learned tables; ``"search"``. The first two stop at
            once.
        worlds: a searcher plays every candidate out in so many worlds.
        hands: so many hands of the other are weighed by how likely it would have played as it did; 0: all are alike.
        temperature: of the other's thought play, in points.
        rollout: worlds are played out by a player of this kind: random, greedy or tables.
        depth: by tables, so many turns, then their worth counts; 0: to the end.

    Raises:
        ParameterError: a value out of range, or tables asked of simple players.
    """

    kind: str
    worlds: int = 100
    hands: int = 0
    temperature: float = 1.0
    rollout: str = "random"
    depth: int = 0

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, KINDS)
        check_choice("rollout", self.rollout, list(KINDS)[:3])
        check_range("worlds", self.worlds, 1, 1_000_000)
        check_range("hands", self.hands, 0, 100_000)
        check_range("depth", self.depth, 0, 16)
        check_range("temperature", self.temperature, 1e-3, 1e3, whole=False)
        if self.depth and self.rollout != "tables":
            raise ParameterError("depth is for rollouts by tables; others are played to the end.")

    @property
    def needs_tables(self) -> bool:
        """Whether it plays, weighs or plays out by tables."""
        return self.kind == "tables" or (self.kind == "search" and (self.hands > 0 or self.rollout == "tables"))


@dataclass(frozen=True)
class Duel:
    """What one player won from another, `[deals, 2]` points as dealer and as the other, and searched decisions."""

    won: np.ndarray
    searched: int

    @property
    def mean(self) -> float:
        """Points a round."""
        return float(self.won.mean())

    @property
    def error(self) -> float:
        """The standard error of `mean`, from pairs of rounds."""
        return float(self.won.mean(axis=1).std(ddof=1) / math.sqrt(len(self.won)))


def duel(rules: KoiKoiRules, one: Player, two: Player, deals: int, *, seed: int = 0, worth: object = None) -> Duel:
    """Let two players play deals without teyaku and redeals, each in both seatings.

    Args:
        rules: what is played for.
        one: whose points count.
        two: the other.
        deals: how many.
        seed: of cards and luck.
        worth: learned tables, for players that need them.

    Raises:
        ParameterError: tables are missing.
    """
    check_range("deals", deals, 2)
    if worth is None and (one.needs_tables or two.needs_tables):
        raise ParameterError("these players need tables: give worth=learn(rules).")
    values, chosen = compile_rules(rules), [player for player in (one, two) if player.kind == "search"]
    kinds = [KINDS[player.kind] + (chosen.index(player) if player.kind == "search" else 0) for player in (one, two)]
    searches = tuple(_search(player) for player in chosen or [Player("search")])
    simple = next((player.rollout for player in chosen if player.rollout != "tables"), "random")
    if any(player.rollout not in (simple, "tables") for player in chosen):
        raise ParameterError(
            "two searchers of one match play out alike: both randomly, or both greedily, or by tables."
        )
    style = rounds.Style(np.full(2, KINDS[simple]), np.zeros(2, dtype=np.uint64))
    won, utility = np.zeros((deals, 2)), np.arange(-_MOST, _MOST + 1, dtype=np.float64)
    first, second = np.random.SeedSequence(seed).generate_state(2, np.uint64)
    found = kernels.duel(
        values, worth or tables(), style, searches, np.array(kinds), utility, _room(searches), first, second, won
    )
    return Duel(won, int(found))


def _search(player: Player) -> searching.Search:
    return searching.Search(player.worlds, player.hands, player.temperature, KINDS[player.rollout], player.depth)


def _room(searches: tuple[searching.Search, ...]) -> searching.Room:
    hands = max(search.hands for search in searches)
    return searching.Room(
        world=np.zeros(rounds.WIDTH, dtype=np.uint64),
        stock=np.zeros(48, dtype=np.uint8),
        cards=np.zeros(32, dtype=np.int64),
        takes=np.zeros(32, dtype=np.uint64),
        means=np.zeros(32),
        hands=np.zeros(hands, dtype=np.uint64),
        weights=np.zeros(hands),
        found=np.zeros(16, dtype=np.int64),
    )
