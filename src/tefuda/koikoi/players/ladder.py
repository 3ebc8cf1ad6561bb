"""Player configurations of Koi-Koi, and compiled matches between players.

Each deal is played in both seatings: the unit of measurement is a pair of rounds. Cards and luck
depend on seeds only.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tefuda.errors import ParameterError, check_range
from tefuda.koikoi.kernels import clairvoyant as clairvoyant_kernels
from tefuda.koikoi.kernels import match as kernels
from tefuda.koikoi.kernels import search as search_kernels
from tefuda.koikoi.kernels.network import Net
from tefuda.koikoi.kernels.playout import BY_TABLES
from tefuda.koikoi.kernels.simple import GREEDY, RANDOM
from tefuda.koikoi.kernels.state import WIDTH
from tefuda.koikoi.kernels.tables import MAX_TABLES, ValueTables
from tefuda.koikoi.kernels.tree import Nodes
from tefuda.koikoi.match_state import MatchState, MatchValue
from tefuda.koikoi.players.network import empty_accumulator, empty_network, shipped_network
from tefuda.koikoi.players.tables import make_tables
from tefuda.koikoi.rules import KoiKoiRules
from tefuda.koikoi.simulator import compile_rules, streams
from tefuda.settings import Validated, option
from tefuda.workers import ProgressFunction, pieces

KINDS = {
    "random": RANDOM,
    "greedy": GREEDY,
    "tables": BY_TABLES,
    "clairvoyant": kernels.CLAIRVOYANT,
    "search": kernels.SEARCHER,
    "network": kernels.NETWORK,
}
#: Allocations of determinizations to candidates.
ALLOCATIONS = {"evenly": search_kernels.EVENLY, "halving": search_kernels.HALVING, "tree": search_kernels.TREE}
_NODES = 1 << 17  # maximum size of a tree
_MOST = 2000  # maximum points of a round
_BLOCK = 50  # deals between reports
_ROUND = 150  # points of a round; matches clip larger ones
_SIMPLE = np.array([[RANDOM, RANDOM], [GREEDY, GREEDY]])  # kinds of both players in rollouts by simple players, by kind


@dataclass(frozen=True)
class PlayerConfiguration(Validated):
    """The configuration of a player of rounds.

    Args:
        kind: ``"random"`` or ``"greedy"``, which stop at once; ``"tables"``: the best action by
            value tables; ``"network"``: the best action by a network; ``"search"``;
            ``"clairvoyant"``: sees all cards, and models its opponent as playing by tables, or
            greedily if the opponent is a simple player.
        determinizations: mean number of determinizations for each candidate of a searcher.
        hands: number of the opponent's hands that are weighted by the likelihood of its plays; 0:
            uniform weights.
        temperature: noise of the opponent's modelled play, in points.
        rollout: kind of the player in rollouts: random, greedy or tables.
        depth: number of turns of a rollout by tables, before the tables value the position; 0: to
            the end.
        allocation: ``"evenly"``; ``"halving"``: sequential halving; ``"tree"``: sequential halving
            with a tree over the players' views, whose results guide the following simulations.
        prior: number of visits that the tables' values count for in a tree.
        explore: exploration in a tree, in points.

    Raises:
        ParameterError: a value is out of range, or simple players are combined with options of
            tables.
    """

    kind: str = option("search", choices=KINDS)
    determinizations: int = option(1000, 1, 1_000_000)
    hands: int = option(0, high=100_000)
    temperature: float = option(1.0, 1e-3, 1e3)
    rollout: str = option("tables", choices=list(KINDS)[:3])
    depth: int = option(2, high=16)
    allocation: str = option("halving", choices=ALLOCATIONS)
    prior: float = option(10.0, 1e-3, 1e6)
    explore: float = option(1.0, high=1e3)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.depth and self.rollout != "tables":
            raise ParameterError("depth applies to rollouts by tables; set depth=0 for other rollouts.")
        if self.allocation == "tree" and self.rollout != "tables":
            raise ParameterError(f'a tree needs rollout="tables", got {self.rollout!r}.')

    @property
    def needs_tables(self) -> bool:
        """True if the player needs value tables."""
        return self.kind == "tables" or (self.kind == "search" and (self.hands > 0 or self.rollout == "tables"))


def flat(determinizations: int, rollout: str = "random") -> PlayerConfiguration:
    """Return flat Monte Carlo: rollouts of every candidate to the end by simple players."""
    return PlayerConfiguration("search", determinizations, rollout=rollout, depth=0, allocation="evenly")


#: Agents by name.
AGENTS: dict[str, PlayerConfiguration] = {
    "random": PlayerConfiguration("random"),
    "greedy": PlayerConfiguration("greedy"),
    "flat-100": flat(100),
    "flat-400": flat(400),
    "tables": PlayerConfiguration("tables"),
    "neural": PlayerConfiguration("network"),
    "search": PlayerConfiguration("search"),
    "ismcts": PlayerConfiguration("search", allocation="tree"),
}
#: Descriptions of the configured agents; the first is the default opponent.
DESCRIPTIONS = {
    "search": "searches determinizations, two turns deep, with value tables",
    "neural": "plays by a network, trained in self-play with the preset standard",
    "tables": "plays by value tables, learned in self-play",
    "ismcts": "searches information sets: determinizations in one tree, with value tables",
    "flat-100": "flat Monte Carlo: 100 random playouts per candidate",
    "flat-400": "flat Monte Carlo: 400 random playouts per candidate",
}


@dataclass(frozen=True)
class DuelResult:
    """The result of a duel, for its first player.

    Attributes:
        points: `[deals, 2]`, points as dealer and as the other player.
        searched: number of searched decisions.
        seconds: duration.
    """

    points: np.ndarray  # [deals, 2]
    searched: int = 0
    seconds: float = 0.0

    @property
    def mean(self) -> float:
        """The mean points per round."""
        return float(self.points.mean())

    @property
    def error(self) -> float:
        """The standard error of `mean`, computed from pairs of rounds."""
        return float(self.points.mean(axis=1).std(ddof=1) / math.sqrt(len(self.points)))


def duel(
    rules: KoiKoiRules,
    player: PlayerConfiguration,
    opponent: PlayerConfiguration,
    deals: int,
    *,
    seed: int = 0,
    tables: ValueTables | Sequence[ValueTables | None] | None = None,
    networks: tuple[Net | None, Net | None] = (None, None),
    opening: int = 0,
    progress: ProgressFunction | None = None,
) -> DuelResult:
    """Play deals between two players, each in both seatings; hands with teyaku are dealt again.

    Args:
        rules: the rules.
        player: the player whose points are counted.
        opponent: its opponent.
        deals: number of deals.
        seed: random seed of cards and luck.
        tables: value tables, for both players or for each; None: no player needs them.
        networks: networks of the players; None: the shipped one.
        opening: number of turns that the first player's tables play before both seatings begin;
            rounds that end in the opening count 0.
        progress: callback for deals done and in all.

    Returns:
        The points of the first player.

    Raises:
        ParameterError: tables are missing.
    """
    check_range("deals", deals, 2)
    check_range("opening", opening, 0, 16)
    if opening and tables is None:
        raise ParameterError("the opening is played by tables; pass tables=load_tables(rules) or learn_tables(rules).")
    players, compiled = make_players((player, opponent), tables, networks, opening=opening > 0), compile_rules(rules)
    cards, luck = streams(seed, 2)
    points, searched, started = np.zeros((deals, 2)), 0, time.perf_counter()
    for block in pieces(deals, _BLOCK, progress):
        decisions, cards, luck = kernels.duel(
            compiled, players, np.uint64(cards), np.uint64(luck), points[block], opening, 0
        )
        searched += int(decisions)
    return DuelResult(points, searched, time.perf_counter() - started)


def play_matches(
    rules: KoiKoiRules,
    player: PlayerConfiguration,
    opponent: PlayerConfiguration,
    matches: int,
    *,
    tables: ValueTables,
    value: MatchValue | None = None,
    seed: int = 0,
) -> np.ndarray:
    """Play whole matches between two players, each match twice with the same cards.

    Either player is the first dealer once.

    Args:
        rules: the rules.
        player: the player whose results are returned.
        opponent: its opponent.
        matches: number of matches.
        tables: value tables of both players.
        value: value of match states, which the first player maximises; None: it maximises points.
        seed: random seed of cards and luck.

    Returns:
        `[matches, 2]` results of the first player as first and as second dealer: 1 won, 0.5 drawn,
            0 lost.

    Raises:
        ParameterError: the player's kind cannot maximise the value of a match.
    """
    check_range("matches", matches, 1)
    if value is not None and player.kind not in ("tables", "search"):
        raise ParameterError(f"value applies to players of kind 'tables' or 'search', got {player.kind!r}.")
    players, compiled = make_players((player, opponent), tables), compile_rules(rules)
    points = np.tile(np.arange(-_ROUND, _ROUND + 1.0), (2, 1))
    own = lru_cache(maxsize=None)(lambda match_state: value.utility(match_state, 0, _ROUND) if value else points)
    result, points_won, (first, second) = np.zeros((matches, 2)), np.zeros((1, 1)), streams(seed, 2)
    for match in range(matches):
        for dealer in range(2):
            match_state, cards, luck = MatchState(rules, dealer), first, second
            while match_state.rounds_left:
                players = players._replace(utility=np.stack([own(match_state), points]))
                _, cards, luck = kernels.duel(
                    compiled, players, np.uint64(cards), np.uint64(luck), points_won, 0, match_state.dealer
                )
                match_state = match_state.after(
                    int(points_won[0, 0]) if match_state.dealer == 0 else -int(points_won[0, 0])
                )
            result[match, dealer] = match_state.result
        first, second = cards, luck
    return result


def make_players(
    players: Sequence[PlayerConfiguration],
    tables: ValueTables | Sequence[ValueTables | None] | None,
    networks: Sequence[Net | None] = (None, None),
    *,
    opening: bool = False,
) -> kernels.Players:
    """Return players and their scratch for kernels; parts that no player needs are None.

    Args:
        players: player configurations.
        tables: value tables, for all players or for each.
        networks: networks of the players; None: the shipped one.
        opening: whether the opening is played by tables.

    Raises:
        ParameterError: tables are missing.
    """
    kinds = {player.kind for player in players}
    searchers = [player for player in players if player.kind == "search"]
    nets = _nets(players, networks) if "network" in kinds else None
    points = np.arange(-_MOST, _MOST + 1, dtype=np.float64)
    return kernels.Players(
        tables=_player_tables(players, tables, opening or "clairvoyant" in kinds),
        nets=nets,
        accumulators=tuple(empty_accumulator(len(net.b1)) for net in nets) if nets else None,
        rollouts=_SIMPLE if any(player.rollout != "tables" for player in searchers) else None,
        searches=tuple(map(kernel_search, players)) if searchers else None,
        kinds=np.array([KINDS[player.kind] for player in players]),
        utility=np.tile(points, (len(players), 2, 1)),
        past_plays=np.zeros((2, 8, 6), dtype=np.uint64),
        indices=np.zeros(MAX_TABLES, dtype=np.int64),
        scratch=_search_scratch(searchers) if searchers else None,
        clairvoyant=_clairvoyant_scratch() if "clairvoyant" in kinds else None,
    )


def _player_tables(
    players: Sequence[PlayerConfiguration], tables: ValueTables | Sequence[ValueTables | None] | None, needed: bool
) -> tuple[ValueTables | None, ...]:
    """Return the tables of each player, or None for each if no player needs tables."""
    given = [tables] * len(players) if tables is None or isinstance(tables, ValueTables) else tables
    if any(own is None and player.needs_tables for player, own in zip(players, given, strict=True)):
        raise ParameterError("these players need tables; pass tables=load_tables(rules) or learn_tables(rules).")
    if not needed and not any(player.needs_tables for player in players):
        return (None,) * len(players)
    return tuple(own or make_tables() for own in given)


def _clairvoyant_scratch() -> clairvoyant_kernels.ClairvoyantScratch:
    return clairvoyant_kernels.ClairvoyantScratch(
        states=np.zeros((10, WIDTH), dtype=np.uint64),
        untried=np.zeros(10, dtype=np.uint64),
        variant=np.zeros(10, dtype=np.int64),
        plan=np.zeros(4, dtype=np.uint64),
        trial=np.zeros(4, dtype=np.uint64),
        spare=np.zeros(4, dtype=np.uint64),
        indices=np.zeros(MAX_TABLES, dtype=np.int64),
    )


def _nets(players: Sequence[PlayerConfiguration], given: Sequence[Net | None]) -> tuple[Net, ...]:
    """Return the networks of the players; an empty one for other players."""
    return tuple(
        net or shipped_network() if player.kind == "network" else empty_network()
        for player, net in zip(players, given, strict=False)
    )


def kernel_search(configuration: PlayerConfiguration) -> search_kernels.SearchSettings:
    """Return the settings of a searcher for kernels."""
    return search_kernels.SearchSettings(
        configuration.determinizations, configuration.hands, float(configuration.temperature),
        KINDS[configuration.rollout], configuration.depth, ALLOCATIONS[configuration.allocation],
        float(configuration.prior), float(configuration.explore),
    )  # fmt: skip


def _search_scratch(searchers: Sequence[PlayerConfiguration]) -> search_kernels.SearchScratch:
    hands = max(player.hands for player in searchers)
    trees = [
        min(_NODES, 1 << (16 * player.determinizations).bit_length())
        for player in searchers
        if player.allocation == "tree"
    ]
    return search_kernels.SearchScratch(
        known=np.zeros(WIDTH, dtype=np.uint64),
        unseen=np.zeros(48, dtype=np.uint8),
        state=np.zeros(WIDTH, dtype=np.uint64),
        stock=np.zeros(48, dtype=np.uint8),
        cards=np.zeros(32, dtype=np.int64),
        takes=np.zeros(32, dtype=np.uint64),
        sums=np.zeros((2, 32)),
        order=np.zeros(32, dtype=np.int64),
        hands=np.zeros(hands, dtype=np.uint64) if hands else None,
        weights=np.zeros(hands) if hands else None,
        indices=np.zeros(MAX_TABLES, dtype=np.int64),
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
