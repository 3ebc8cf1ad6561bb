"""Players of Koi-Koi as values, and matches between them on the compiled table.

Each deal is played in both seatings: the unit of measurement is a pair of rounds. Cards and luck depend on seeds alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tefuda.errors import ParameterError, check_range
from tefuda.koikoi.kernels import match as kernels
from tefuda.koikoi.kernels import search as searching
from tefuda.koikoi.kernels import seer as seeing
from tefuda.koikoi.kernels.network import Net
from tefuda.koikoi.kernels.playout import BY_TABLES
from tefuda.koikoi.kernels.simple import GREEDY, RANDOM
from tefuda.koikoi.kernels.tree import Nodes
from tefuda.koikoi.kernels.values import MOST_TABLES, Worth
from tefuda.koikoi.kernels.world import WIDTH
from tefuda.koikoi.players.network import desk, empty, shipped
from tefuda.koikoi.players.worth import tables
from tefuda.koikoi.rules import KoiKoiRules
from tefuda.koikoi.simulator import compile_rules, streams
from tefuda.koikoi.standing import MatchValue, Standing
from tefuda.settings import Validated, option
from tefuda.workers import ProgressFunction

KINDS = {
    "random": RANDOM,
    "greedy": GREEDY,
    "tables": BY_TABLES,
    "seer": kernels.SEER,
    "search": kernels.SEARCHER,
    "network": kernels.BY_NETWORK,
}
#: Allocations of a searcher's worlds to its candidates.
WAYS = {"evenly": searching.EVENLY, "halving": searching.HALVING, "tree": searching.TREE}
_NODES = 1 << 17  # maximum of a tree
_MOST = 2000  # points of a round
_BLOCK = 50  # deals between reports
_ROUND = 150  # points of a round that matches tell apart
_SIMPLE = np.array([[RANDOM, RANDOM], [GREEDY, GREEDY]])  # kinds of both players in rollouts by simple players, by kind


@dataclass(frozen=True)
class Recipe(Validated):
    """The configuration of a player of rounds.

    Args:
        kind: ``"random"``; ``"greedy"``; ``"tables"``, the best by value tables; ``"network"``, by a network;
            ``"search"``; ``"seer"``, a clairvoyant player, to whom its opponent plays by tables, or greedily if it is
            simple. The first two stop at once.
        worlds: mean number of determinizations for each candidate of a searcher.
        hands: number of the opponent's hands that are weighted by the likelihood of its plays; 0: uniform weights.
        temperature: of the opponent's modelled play, in points.
        rollout: kind of the player of rollouts: random, greedy or tables.
        depth: turns of a rollout by tables, whose value counts then; 0: to the end.
        way: ``"evenly"``; ``"halving"``: sequential halving; ``"tree"``: that, and a tree over the players' views,
            whose results guide the worlds that follow.
        prior: number of visits that the tables' values count for in a tree.
        explore: exploration in a tree, in points.

    Raises:
        ParameterError: a value out of range, or tables asked of simple players.
    """

    kind: str = option("search", choices=KINDS)
    worlds: int = option(1000, 1, 1_000_000)
    hands: int = option(0, high=100_000)
    temperature: float = option(1.0, 1e-3, 1e3)
    rollout: str = option("tables", choices=list(KINDS)[:3])
    depth: int = option(2, high=16)
    way: str = option("halving", choices=WAYS)
    prior: float = option(10.0, 1e-3, 1e6)
    explore: float = option(1.0, high=1e3)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.depth and self.rollout != "tables":
            raise ParameterError("depth is for rollouts by tables; others are played to the end: depth=0.")
        if self.way == "tree" and self.rollout != "tables":
            raise ParameterError(f'a tree begins with what tables think: rollout="tables", not {self.rollout!r}.')

    @property
    def needs_tables(self) -> bool:
        """Whether it needs value tables."""
        return self.kind == "tables" or (self.kind == "search" and (self.hands > 0 or self.rollout == "tables"))


def flat(worlds: int, rollout: str = "random") -> Recipe:
    """Return flat Monte Carlo: rollouts of every candidate to the end by simple players."""
    return Recipe("search", worlds, rollout=rollout, depth=0, way="evenly")


#: Agents by name.
AGENTS: dict[str, Recipe] = {
    "random": Recipe("random"),
    "greedy": Recipe("greedy"),
    "flat-100": flat(100),
    "flat-400": flat(400),
    "tables": Recipe("tables"),
    "neural": Recipe("network"),
    "search": Recipe("search"),
}
#: Descriptions of the agents that decide by a recipe at any table; the first is the default opponent.
DESCRIPTIONS = {
    "search": "searches worlds two turns deep with value tables",
    "neural": "the best by a network, trained in self-play by the rules of the preset standard",
    "tables": "the best by value tables, learned in self-play",
    "flat-100": "plays every candidate out at random in 100 worlds",
    "flat-400": "in 400 worlds",
}


@dataclass(frozen=True)
class Duel:
    """The points of one player as dealer and as the other; number of searched decisions, seconds."""

    won: np.ndarray  # [deals, 2]
    searched: int = 0
    seconds: float = 0.0

    @property
    def mean(self) -> float:
        """The mean of points a round."""
        return float(self.won.mean())

    @property
    def error(self) -> float:
        """The standard error of `mean`, from pairs of rounds."""
        return float(self.won.mean(axis=1).std(ddof=1) / math.sqrt(len(self.won)))


def duel(
    rules: KoiKoiRules,
    one: Recipe,
    two: Recipe,
    deals: int,
    *,
    seed: int = 0,
    worth: Worth | Sequence[Worth | None] | None = None,
    networks: tuple[Net | None, Net | None] = (None, None),
    opening: int = 0,
    progress: ProgressFunction | None = None,
) -> Duel:
    """Play deals between two players, each in both seatings; hands with teyaku are dealt again.

    Args:
        rules: the rules.
        one: the player whose points count.
        two: its opponent.
        deals: number of deals.
        seed: random seed of cards and luck.
        worth: value tables, for both players or for each; None: no player needs them.
        networks: networks of the players; None: the shipped one.
        opening: number of turns that the first player's tables play before both seatings begin; rounds that end in them
            count 0.
        progress: callback for deals done and in all.

    Raises:
        ParameterError: tables are missing.
    """
    check_range("deals", deals, 2)
    check_range("opening", opening, 0, 16)
    if opening and worth is None:
        raise ParameterError("the opening is played by tables: give worth=known(rules) or learn(rules).")
    table, values = sit((one, two), worth, networks, opening=opening > 0), compile_rules(rules)
    cards, luck = streams(seed, 2)
    won, searched, started = np.zeros((deals, 2)), 0, time.perf_counter()
    for done in range(0, deals, _BLOCK):
        found, cards, luck = kernels.duel(
            values, table, np.uint64(cards), np.uint64(luck), won[done : done + _BLOCK], opening, 0
        )
        searched += int(found)
        if progress is not None:
            progress(min(done + _BLOCK, deals), deals)
    return Duel(won, searched, time.perf_counter() - started)


def play_matches(
    rules: KoiKoiRules,
    one: Recipe,
    two: Recipe,
    matches: int,
    *,
    worth: Worth,
    value: MatchValue | None = None,
    seed: int = 0,
) -> np.ndarray:
    """Play whole matches between two players, each twice with the same cards and either player as the first dealer.

    value: value of match states by which the first player decides; None: by the points of each round. Raise
    ParameterError for a player that cannot decide by the match. Return `[matches, 2]` results of the first player as
    first and as second dealer: 1 won, 0.5 drawn, 0 lost.
    """
    check_range("matches", matches, 1)
    if value is not None and one.kind not in ("tables", "search"):
        raise ParameterError(f"{one.kind} play does not look at the match: value is for tables and searchers.")
    table, values = sit((one, two), worth), compile_rules(rules)
    points = np.tile(np.arange(-_ROUND, _ROUND + 1.0), (2, 1))
    own = lru_cache(maxsize=None)(lambda standing: value.utility(standing, 0, _ROUND) if value else points)
    found, gained, (first, second) = np.zeros((matches, 2)), np.zeros((1, 1)), streams(seed, 2)
    for match in range(matches):
        for dealer in range(2):
            standing, cards, luck = Standing(rules, dealer), first, second
            while standing.left:
                table = table._replace(utility=np.stack([own(standing), points]))
                _, cards, luck = kernels.duel(
                    values, table, np.uint64(cards), np.uint64(luck), gained, 0, standing.dealer
                )
                standing = standing.after(int(gained[0, 0]) if standing.dealer == 0 else -int(gained[0, 0]))
            found[match, dealer] = standing.result
        first, second = cards, luck
    return found


def sit(
    players: Sequence[Recipe],
    worth: Worth | Sequence[Worth | None] | None,
    networks: Sequence[Net | None] = (None, None),
    *,
    opening: bool = False,
) -> kernels.Table:
    """Return players and their scratch space for kernels; parts that none of them needs are None and not compiled.

    opening: whether tables are needed to open rounds. Raise ParameterError if tables are missing.
    """
    kinds = {player.kind for player in players}
    searchers = [player for player in players if player.kind == "search"]
    nets = _nets(players, networks) if "network" in kinds else None
    points = np.arange(-_MOST, _MOST + 1, dtype=np.float64)
    return kernels.Table(
        worths=_worths(players, worth, opening or "seer" in kinds),
        nets=nets,
        desks=tuple(desk(len(net.b1)) for net in nets) if nets else None,
        averages=None,
        rollouts=_SIMPLE if any(player.rollout != "tables" for player in searchers) else None,
        searches=tuple(map(search_of, players)) if searchers else None,
        kinds=np.array([KINDS[player.kind] for player in players]),
        utility=np.tile(points, (len(players), 2, 1)),
        past=np.zeros((2, 8, 6), dtype=np.uint64),
        found=np.zeros(MOST_TABLES, dtype=np.int64),
        room=_room(searchers) if searchers else None,
        seer=_seer() if "seer" in kinds else None,
    )


def _worths(
    players: Sequence[Recipe], worth: Worth | Sequence[Worth | None] | None, needed: bool
) -> tuple[Worth | None, ...]:
    """Return the tables of each player, or None for each if none of them needs any."""
    given = [worth] * len(players) if worth is None or isinstance(worth, Worth) else worth
    if any(own is None and player.needs_tables for player, own in zip(players, given, strict=True)):
        raise ParameterError("these players need tables: give worth=known(rules) or learn(rules).")
    if not needed and not any(player.needs_tables for player in players):
        return (None,) * len(players)
    return tuple(own or tables() for own in given)


def _seer() -> seeing.Seer:
    return seeing.Seer(
        worlds=np.zeros((10, WIDTH), dtype=np.uint64),
        left=np.zeros(10, dtype=np.uint64),
        variant=np.zeros(10, dtype=np.int64),
        plan=np.zeros(4, dtype=np.uint64),
        trial=np.zeros(4, dtype=np.uint64),
        spare=np.zeros(4, dtype=np.uint64),
        found=np.zeros(MOST_TABLES, dtype=np.int64),
    )


def _nets(players: Sequence[Recipe], given: Sequence[Net | None]) -> tuple[Net, ...]:
    """Return the networks of the players; an empty one for a player without."""
    return tuple(
        net or shipped() if player.kind == "network" else empty() for player, net in zip(players, given, strict=False)
    )


def search_of(recipe: Recipe) -> searching.Search:
    """Return a searcher for kernels."""
    return searching.Search(
        recipe.worlds, recipe.hands, float(recipe.temperature), KINDS[recipe.rollout], recipe.depth,
        WAYS[recipe.way], float(recipe.prior), float(recipe.explore),
    )  # fmt: skip


def _room(searchers: Sequence[Recipe]) -> searching.Room:
    """Return the scratch space of searchers."""
    hands = max(player.hands for player in searchers)
    trees = [min(_NODES, 1 << (16 * player.worlds).bit_length()) for player in searchers if player.way == "tree"]
    return searching.Room(
        known=np.zeros(WIDTH, dtype=np.uint64),
        unseen=np.zeros(48, dtype=np.uint8),
        world=np.zeros(WIDTH, dtype=np.uint64),
        stock=np.zeros(48, dtype=np.uint8),
        cards=np.zeros(32, dtype=np.int64),
        takes=np.zeros(32, dtype=np.uint64),
        sums=np.zeros((2, 32)),
        order=np.zeros(32, dtype=np.int64),
        hands=np.zeros(hands, dtype=np.uint64) if hands else None,
        weights=np.zeros(hands) if hands else None,
        found=np.zeros(MOST_TABLES, dtype=np.int64),
        nodes=empty_nodes(max(trees)) if trees else None,
    )


def empty_nodes(size: int) -> Nodes:
    """Return an empty tree with room for `size` nodes, a power of two."""
    return Nodes(
        keys=np.zeros(size, dtype=np.uint64),
        sums=np.zeros((size, 16), dtype=np.float32),
        visits=np.zeros((size, 16), dtype=np.float32),
        size=np.zeros(2, dtype=np.int64),
        path=np.zeros((3, 40), dtype=np.int64),
        cards=np.zeros(32, dtype=np.int64),
        takes=np.zeros(32, dtype=np.uint64),
    )
