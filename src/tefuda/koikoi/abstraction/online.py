"""Online outcome sampling at Koi-Koi's table, compiled."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tefuda.errors import ParameterError, check_range
from tefuda.koikoi.abstraction.contest import Contestant, seats_of
from tefuda.koikoi.abstraction.sampler import RoundSampler, shape_of
from tefuda.koikoi.game import LABELS, KoiKoi
from tefuda.koikoi.kernels import aim as aims
from tefuda.koikoi.kernels import oos as kernels
from tefuda.koikoi.kernels.mccfr import Tables
from tefuda.koikoi.kernels.world import WIDTH
from tefuda.koikoi.players.ladder import Duel
from tefuda.koikoi.sight import as_world, read_match, require_single
from tefuda.koikoi.simulator import compile_rules, streams
from tefuda.settings import Validated, option

_MOST = 4_000_000  # infosets in a memory


@dataclass(frozen=True)
class OnlineRounds(Validated):
    """The settings of search during play: two episodes an iteration, one to update each player.

    Args:
        iterations: number of iterations for each decision.
        delta: share of aimed episodes; 0: plain search.
        epsilon: exploration of the player that an episode updates.
        gamma: share of uniform play in every strategy.
        aim: ``"match"``: at deals and actions that lead to the current infoset; ``"deal"``: at the player's own hand
            and the field alone, with the weight f / sigma' on the deal.
        unknown: the strategy of an aimed episode at an infoset that is not in memory: ``"uniform"``, as published, or
            along the ``"match"``, which the weights allow as well.
        deals: the opponent's hands of aimed deals: ``"sampled"``, or ``"in turn"``: all of them, evenly spread.

    Raises:
        ParameterError: a value out of range.
    """

    iterations: int = option(1000, 1, _MOST)
    delta: float = option(0.9, high=1)
    epsilon: float = option(0.4, 1e-9, 1)  # actions that are never tried would bias regrets
    gamma: float = option(0.01, high=1)
    aim: str = option("match", choices=("match", "deal"))
    unknown: str = option("uniform", choices=("uniform", "match"))
    deals: str = option("sampled", choices=("sampled", "in turn"))


class Found(NamedTuple):
    """The result of a contest of a searcher.

    contest: points. known: share of the opponent's decisions in episodes that were in memory. arrived: share of aimed
    episodes that reached the current infoset. seconds: of one round.
    """

    contest: Duel
    known: float
    arrived: float
    seconds: float


def online_contest(
    game: KoiKoi,
    search: OnlineRounds,
    against: Contestant | OnlineRounds,
    deals: int,
    *,
    seed: int = 0,
    sampler: RoundSampler | None = None,
) -> Found:
    """Play deals between a searcher and an opponent in both seatings, in Koi-Koi or a reduced game of it.

    sampler: sampler of an opponent that plays its average. Raise ParameterError for a game whose deals are not known
    here, and for flat Monte Carlo in a reduced game.
    """
    require_single(game)
    check_range("deals", deals, 2)
    other = against if isinstance(against, Contestant) else Contestant("random")
    if other.kind in ("flat", "average") and game.hand != 8:
        raise ParameterError(f"{other.kind} plays the whole game only; take greedy or random in {game.name}.")
    both = search, against if isinstance(against, OnlineRounds) else search
    shape, path = shape_of(game), path_of(game)
    seats, searches = seats_of((other, other), (sampler, sampler)), np.array([True, isinstance(against, OnlineRounds)])
    matches = tuple(match_of() for _ in range(2))
    tables, settings = tuple(memory_of(game, one) for one in both), tuple(map(settings_of, both))
    won, (first, second) = np.zeros((deals, 2)), streams(seed, 2)
    values, start = compile_rules(game.rules, game.turns), time.perf_counter()
    kernels.duel(values, shape, settings, tables, path, matches, seats, searches, first, second, won)
    others, known, aimed, arrived = path.counts.tolist()
    spent = (time.perf_counter() - start) / (2 * deals)
    return Found(Duel(won), known / max(others, 1), arrived / max(aimed, 1), spent)


def settings_of(search: OnlineRounds) -> aims.Settings:
    """Return the settings of a search for kernels."""
    return aims.Settings(
        float(search.delta), float(search.epsilon), float(search.gamma), search.iterations,
        search.unknown == "match", search.aim == "match", search.deals == "in turn",
    )  # fmt: skip


def memory_of(game: KoiKoi, search: OnlineRounds) -> Tables:
    """Return empty tables with room for a round: an infoset an episode at each decision."""
    infosets = 2 * search.iterations * 3 * game.hand + 64
    slots = 1 << (min(infosets, _MOST) * 3 // 2).bit_length()
    rows, nothing = min(slots, _MOST) * max(2, game.hand), np.zeros(0)
    first, used = np.zeros(slots, dtype=np.int64), np.zeros(3, dtype=np.int64)
    return Tables(np.zeros(slots, dtype=np.uint64), first, np.zeros(rows), np.zeros(rows), nothing, used, np.uint64(0))


def match_of() -> aims.Match:
    """Return an empty match."""
    return aims.Match(
        start=np.zeros(3, dtype=np.uint64),
        acts=np.zeros(kernels.LONGEST, dtype=np.int64),
        drawn=np.zeros(48, dtype=np.uint8),
        length=np.zeros(2, dtype=np.int64),
        told=np.zeros(1, dtype=np.uint64),
        odds=np.ones(1),
    )


def path_of(game: KoiKoi) -> aims.Path:
    """Return the scratch space of episodes."""
    long, cards = kernels.LONGEST, shape_of(game).cards
    row, size, at, own = (np.zeros(long, dtype=np.int64) for _ in range(4))
    return aims.Path(
        row, size, at, own, np.zeros(long), np.zeros(long), np.zeros((long, kernels.WIDEST)),
        world=np.zeros(WIDTH, dtype=np.uint64), deck=cards.copy(), rest=cards.copy(),
        phi=np.zeros(kernels.WIDEST), counts=np.zeros(4, dtype=np.int64),
    )  # fmt: skip


class Composed:
    """The strategy of a fresh search at every infoset of a reduced game of different cards, for exact evaluation."""

    def __init__(self, game: KoiKoi, search: OnlineRounds, seed: int = 0) -> None:
        require_single(game)
        self.game, self._settings = game, settings_of(search)
        self._values, self._shape, self._path = compile_rules(game.rules, game.turns), shape_of(game), path_of(game)
        self._tables, self._stream = memory_of(game, search), streams(seed, 1)[0]

    def __call__(self, player: int, view: object, actions: tuple[object, ...]) -> list[float]:
        """Return the average strategy of a search at a player's view."""
        match, may, chances = self.match(view, player), np.uint64(0), np.zeros(kernels.WIDEST)
        for action in actions:
            may |= np.uint64(1) << np.uint64(LABELS.index(str(action)))
        kernels.forget(self._tables)
        self._stream = kernels.think(
            self._values, self._shape, match, self._settings, self._tables, self._path, player, may, chances,
            np.uint64(self._stream),
        )  # fmt: skip
        return chances[: len(actions)].tolist()

    def match(self, view: object, player: int) -> aims.Match:
        """Return a view for kernels."""
        seen, match = read_match(self.game, view, player), match_of()
        match.drawn[: len(seen.drawn)] = seen.drawn
        acts = np.array(seen.acts, dtype=np.int64)
        kernels.follow(self._values, self._shape, match, player, as_world(self.game, seen.first), acts)
        return match
