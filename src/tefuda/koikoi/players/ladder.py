"""Who plays Koi-Koi how well: players as values, and matches of them on the compiled table.

Each deal is played in both seatings; what is measured are pairs of rounds. Cards and luck depend on seeds alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tefuda.errors import ParameterError, check_choice, check_range
from tefuda.koikoi.kernels import match as kernels
from tefuda.koikoi.kernels import rounds
from tefuda.koikoi.kernels import search as searching
from tefuda.koikoi.kernels import seer as seeing
from tefuda.koikoi.kernels.network import Net
from tefuda.koikoi.kernels.playout import BY_TABLES
from tefuda.koikoi.kernels.tree import Nodes
from tefuda.koikoi.kernels.values import MOST_TABLES, Worth
from tefuda.koikoi.players.network import desk, empty, shipped
from tefuda.koikoi.players.worth import tables
from tefuda.koikoi.rules import KoiKoiRules
from tefuda.koikoi.simulator import compile_rules, streams
from tefuda.koikoi.standing import MatchValue, Standing
from tefuda.workers import Counting

KINDS = {
    "random": rounds.RANDOM,
    "greedy": rounds.GREEDY,
    "tables": BY_TABLES,
    "seer": kernels.SEER,
    "search": kernels.SEARCHER,
    "network": kernels.BY_NETWORK,
}
#: How a searcher gives worlds to its candidates.
WAYS = {"evenly": searching.EVENLY, "halving": searching.HALVING, "tree": searching.TREE}
_NODES = 1 << 17  # of a tree, at most
_MOST = 2000  # points of a round
_BLOCK = 50  # deals between reports
_ROUND = 150  # points of a round that matches tell apart
#: How simple players play worlds on, by kind.
_RANDOM, _GREEDY = (
    rounds.Style(np.full(2, kind), np.zeros(2, dtype=np.uint64)) for kind in (rounds.RANDOM, rounds.GREEDY)
)


@dataclass(frozen=True)
class Recipe:
    """How a player of rounds decides.

    Args:
        kind: ``"random"``; ``"greedy"``; ``"tables"``, the best by learned tables; ``"network"``, by a network;
            ``"search"``; ``"seer"``, who sees all cards and takes the other for a player by tables, or greedy if it is
            simple. The first two stop at once.
        worlds: a searcher plays every candidate on in so many worlds, on average.
        hands: so many hands of the other are weighed by how likely it would have played as it did; 0: all are alike.
        temperature: of the other's thought play, in points.
        rollout: worlds are played on by a player of this kind: random, greedy or tables.
        depth: by tables, so many turns, then their worth counts; 0: to the end.
        way: ``"evenly"``; ``"halving"``: worse candidates are dropped early and the others get their worlds;
            ``"tree"``: so, and what came of trying things behind the candidates, where somebody saw the same, is
            remembered and guides the worlds that follow.
        prior: of a tree, as many visits of a position the tables' own thoughts count.
        explore: of a tree, points; how much is tried there to find out.

    Raises:
        ParameterError: a value out of range, or tables asked of simple players.
    """

    kind: str
    worlds: int = 1000
    hands: int = 0
    temperature: float = 1.0
    rollout: str = "tables"
    depth: int = 2
    way: str = "halving"
    prior: float = 10.0
    explore: float = 1.0

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, KINDS)
        check_choice("rollout", self.rollout, list(KINDS)[:3])
        check_range("worlds", self.worlds, 1, 1_000_000)
        check_range("hands", self.hands, 0, 100_000)
        check_range("depth", self.depth, 0, 16)
        check_range("temperature", self.temperature, 1e-3, 1e3, whole=False)
        check_choice("way", self.way, WAYS)
        check_range("prior", self.prior, 1e-3, 1e6, whole=False)
        check_range("explore", self.explore, 0, 1e3, whole=False)
        if self.depth and self.rollout != "tables":
            raise ParameterError("depth is for rollouts by tables; others are played to the end: depth=0.")
        if self.way == "tree" and self.rollout != "tables":
            raise ParameterError(f'a tree begins with what tables think: rollout="tables", not {self.rollout!r}.')

    @property
    def needs_tables(self) -> bool:
        """Whether it plays, weighs or plays on by tables."""
        return self.kind == "tables" or (self.kind == "search" and (self.hands > 0 or self.rollout == "tables"))


def flat(worlds: int, rollout: str = "random") -> Recipe:
    """Flat Monte Carlo: every candidate played to the end by simple players in so many worlds."""
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
    """What one player won: points as dealer and as the other; searched decisions, seconds."""

    won: np.ndarray  # [deals, 2]
    searched: int = 0
    seconds: float = 0.0

    @property
    def mean(self) -> float:
        """Points a round."""
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
    progress: Counting | None = None,
) -> Duel:
    """Let two players play deals, each in both seatings; what rules deal again is dealt again, and teyaku are.

    Args:
        rules: what is played for.
        one: whose points count.
        two: the other.
        deals: how many.
        seed: of cards and luck.
        worth: learned tables, for players that need them; or those of each of the two.
        networks: of players by networks; None: the one that comes with tefuda.
        opening: so many turns are played by the first one's tables, from where both seatings begin; rounds that end in
            them count nothing.
        progress: told deals done and in all.

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
    """Let two players play whole matches, each twice with the same cards, the first deal to each of them once.

    Args:
        rules: of the matches.
        one: whose matches count.
        two: the other.
        matches: how many.
        worth: learned tables.
        value: by which the first player, a searcher or one by tables, decides; None: by the points of each round.
        seed: of cards and luck.

    Returns:
        `[matches, 2]` what each is to the first, if it deals first and if the other does: 1 won, 0.5 drawn, 0 lost.

    Raises:
        ParameterError: a player that cannot decide by the match.
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
    players: tuple[Recipe, Recipe],
    worth: Worth | Sequence[Worth | None] | None,
    networks: tuple[Net | None, Net | None] = (None, None),
    *,
    opening: bool = False,
) -> kernels.Table:
    """Two players and their room, as kernels read them; what nobody needs is None, so that it is not compiled.

    opening: tables are needed to open rounds.

    Raises:
        ParameterError: tables are missing.
    """
    kinds = {player.kind for player in players}
    searchers = [player for player in players if player.kind == "search"]
    nets = _nets(players, networks) if "network" in kinds else None
    points = np.arange(-_MOST, _MOST + 1, dtype=np.float64)
    return kernels.Table(
        worths=_worths(players, worth, opening or "seer" in kinds),
        nets=nets,
        desks=(desk(len(nets[0].b1)), desk(len(nets[1].b1))) if nets is not None else None,
        styles=(_RANDOM, _GREEDY) if any(player.rollout != "tables" for player in searchers) else None,
        searches=(search_of(players[0]), search_of(players[1])) if searchers else None,
        kinds=np.array([KINDS[player.kind] for player in players]),
        utility=np.tile(points, (2, 2, 1)),
        known=np.zeros(rounds.WIDTH, dtype=np.uint64),
        unseen=np.zeros(48, dtype=np.uint8),
        past=np.zeros((2, 8, 6), dtype=np.uint64),
        room=_room(searchers),
        seer=_seer() if "seer" in kinds else None,
    )


def _worths(
    players: tuple[Recipe, Recipe], worth: Worth | Sequence[Worth | None] | None, needed: bool
) -> tuple[Worth, Worth] | None:
    """The tables of both; None if nobody needs any.

    Raises:
        ParameterError: tables are missing.
    """
    one, two = [worth, worth] if worth is None or isinstance(worth, Worth) else worth
    if any(own is None and player.needs_tables for player, own in zip(players, (one, two), strict=True)):
        raise ParameterError("these players need tables: give worth=known(rules) or learn(rules).")
    if not needed and not any(player.needs_tables for player in players):
        return None
    return one or tables(), two or tables()


def _seer() -> seeing.Seer:
    return seeing.Seer(
        worlds=np.zeros((10, rounds.WIDTH), dtype=np.uint64),
        left=np.zeros(10, dtype=np.uint64),
        variant=np.zeros(10, dtype=np.int64),
        plan=np.zeros(4, dtype=np.uint64),
        trial=np.zeros(4, dtype=np.uint64),
        spare=np.zeros(4, dtype=np.uint64),
        found=np.zeros(MOST_TABLES, dtype=np.int64),
    )


def _nets(players: tuple[Recipe, Recipe], given: tuple[Net | None, Net | None]) -> tuple[Net, Net]:
    """The networks both decide by; an empty one for a player by none."""
    one, two = (
        net or shipped() if player.kind == "network" else empty() for player, net in zip(players, given, strict=True)
    )
    return one, two


def search_of(recipe: Recipe) -> searching.Search:
    """A searcher as kernels read it."""
    return searching.Search(
        recipe.worlds, recipe.hands, float(recipe.temperature), KINDS[recipe.rollout], recipe.depth,
        WAYS[recipe.way], float(recipe.prior), float(recipe.explore),
    )  # fmt: skip


def _room(searchers: Sequence[Recipe]) -> searching.Room:
    """Where searchers think, with what one of them needs."""
    hands = max((player.hands for player in searchers), default=0)
    trees = [_nodes(player) for player in searchers if player.way == "tree"]
    return searching.Room(
        world=np.zeros(rounds.WIDTH, dtype=np.uint64),
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


def _nodes(recipe: Recipe) -> int:
    """How many nodes a tree may need, as a power of two."""
    return min(_NODES, 1 << (16 * recipe.worlds).bit_length())


def empty_nodes(size: int) -> Nodes:
    """A tree that remembers nothing yet, with room for so many nodes, a power of two."""
    return Nodes(
        keys=np.zeros(size, dtype=np.uint64),
        sums=np.zeros((size, 16), dtype=np.float32),
        visits=np.zeros((size, 16), dtype=np.float32),
        size=np.zeros(2, dtype=np.int64),
        path=np.zeros((3, 40), dtype=np.int64),
        cards=np.zeros(32, dtype=np.int64),
        takes=np.zeros(32, dtype=np.uint64),
    )
