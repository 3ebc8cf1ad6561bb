"""Online outcome sampling for rounds of Koi-Koi, compiled."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tefuda.errors import ParameterError, check_range
from tefuda.koikoi.game import LABELS, KoiKoi
from tefuda.koikoi.kernels.state import WIDTH
from tefuda.koikoi.players.ladder import DuelResult
from tefuda.koikoi.simulator import compile_rules, streams
from tefuda.koikoi.view import read_view, state_array
from tefuda.settings import Validated, option
from tefuda_reproductions.koikoi.contest import Contestant, simple_players
from tefuda_reproductions.koikoi.kernels import oos as kernels
from tefuda_reproductions.koikoi.kernels import targeting as targeting_kernels
from tefuda_reproductions.koikoi.kernels.mccfr import RegretTables
from tefuda_reproductions.koikoi.keys import require_distinct_cards
from tefuda_reproductions.koikoi.sampler import deal_shape

_MOST = 4_000_000  # maximum number of infosets in memory


@dataclass(frozen=True)
class OnlineRounds(Validated):
    """The settings of search during play: two episodes per iteration, one to update each player.

    Args:
        iterations: number of iterations for each decision.
        delta: share of targeted episodes; 0: plain search.
        epsilon: exploration of the player that an episode updates.
        gamma: share of uniform play in every strategy.
        aim: target of the episodes; ``"match"``: deals and actions that lead to the current
            infoset; ``"deal"``: only the player's own hand and the field, with the weight f /
            sigma' on the deal.
        unknown: strategy of a targeted episode at an infoset that is not in memory: ``"uniform"``,
            as published, or ``"match"``: follow the round, which the weights also allow.
        deals: the opponent's hands of targeted deals: ``"sampled"``, or ``"in turn"``: all of them,
            evenly spread.

    Raises:
        ParameterError: a value is out of range.
    """

    iterations: int = option(1000, 1, _MOST)
    delta: float = option(0.9, high=1)
    epsilon: float = option(0.4, 1e-9, 1)  # untried actions would bias regrets
    gamma: float = option(0.01, high=1)
    aim: str = option("match", choices=("match", "deal"))
    unknown: str = option("uniform", choices=("uniform", "match"))
    deals: str = option("sampled", choices=("sampled", "in turn"))


class OnlineResult(NamedTuple):
    """The result of a contest of a searcher.

    Attributes:
        duel: points.
        known_share: share of the opponent's decisions in episodes that were in memory.
        reached_share: share of targeted episodes that reached the current infoset.
        seconds: duration of one round.
    """

    duel: DuelResult
    known_share: float
    reached_share: float
    seconds: float


def online_contest(
    game: KoiKoi,
    search: OnlineRounds,
    against: Contestant,
    deals: int,
    *,
    seed: int = 0,
) -> OnlineResult:
    """Play deals between a searcher and an opponent in both seatings, in Koi-Koi or a reduced game.

    Args:
        game: the rules.
        search: settings of the searcher.
        against: the opponent; not an average strategy.
        deals: number of deals.
        seed: random seed of cards and luck.

    Raises:
        ParameterError: the deals of the game are not supported, or the opponent does not play
            reduced games, or is an average strategy.
    """
    require_distinct_cards(game)
    check_range("deals", deals, 2)
    players = simple_players(against)
    if against.kind == "flat" and game.hand != 8:
        raise ParameterError(f"flat plays only the whole game; use greedy or random in {game.name}.")
    tables, scratch, record = empty_memory(game, search), episode_scratch(game), empty_record()
    points, (first, second) = np.zeros((deals, 2)), streams(seed, 2)
    rules, start = compile_rules(game.rules, game.turns), time.perf_counter()
    kernels.duel(
        rules, deal_shape(game), kernel_settings(search), tables, scratch, record, players, first, second, points
    )
    opponent_decisions, known, targeted, reached = scratch.counts.tolist()
    seconds = (time.perf_counter() - start) / (2 * deals)
    return OnlineResult(DuelResult(points), known / max(opponent_decisions, 1), reached / max(targeted, 1), seconds)


def kernel_settings(search: OnlineRounds) -> targeting_kernels.OnlineSettings:
    """Return the settings of a search for kernels."""
    return targeting_kernels.OnlineSettings(
        float(search.delta), float(search.epsilon), float(search.gamma), search.iterations,
        search.unknown == "match", search.aim == "match", search.deals == "in turn",
    )  # fmt: skip


def empty_memory(game: KoiKoi, search: OnlineRounds) -> RegretTables:
    """Return empty tables for a round: one infoset per episode at each decision."""
    infosets = 2 * search.iterations * 3 * game.hand + 64
    slots = 1 << (min(infosets, _MOST) * 3 // 2).bit_length()
    rows, nothing = min(slots, _MOST) * max(2, game.hand), np.zeros(0)
    first, used = np.zeros(slots, dtype=np.int64), np.zeros(3, dtype=np.int64)
    return RegretTables(
        np.zeros(slots, dtype=np.uint64), first, np.zeros(rows), np.zeros(rows), nothing, used, np.uint64(0)
    )


def empty_record() -> targeting_kernels.RoundRecord:
    """Return an empty record of a round."""
    return targeting_kernels.RoundRecord(
        start=np.zeros(3, dtype=np.uint64),
        actions=np.zeros(kernels.LONGEST, dtype=np.int64),
        drawn=np.zeros(48, dtype=np.uint8),
        lengths=np.zeros(2, dtype=np.int64),
        history=np.zeros(1, dtype=np.uint64),
        deal_weight=np.ones(1),
    )


def episode_scratch(game: KoiKoi) -> targeting_kernels.EpisodeScratch:
    """Return the scratch of episodes."""
    longest, cards = kernels.LONGEST, deal_shape(game).cards
    row, size, choice, own = (np.zeros(longest, dtype=np.int64) for _ in range(4))
    return targeting_kernels.EpisodeScratch(
        row, size, choice, own, np.zeros(longest), np.zeros(longest), np.zeros((longest, kernels.WIDEST)),
        state=np.zeros(WIDTH, dtype=np.uint64), deck=cards.copy(), unseen=cards.copy(),
        phi=np.zeros(kernels.WIDEST), counts=np.zeros(4, dtype=np.int64),
    )  # fmt: skip


class ComposedStrategy:
    """The strategy of a fresh search at every infoset of a reduced game, for exact evaluation.

    Args:
        game: the rules; all cards different.
        search: settings of the search.
        seed: random seed.
    """

    def __init__(self, game: KoiKoi, search: OnlineRounds, seed: int = 0) -> None:
        require_distinct_cards(game)
        self.game, self._settings = game, kernel_settings(search)
        self._rules, self._shape, self._scratch = (
            compile_rules(game.rules, game.turns),
            deal_shape(game),
            episode_scratch(game),
        )
        self._tables, self._stream = empty_memory(game, search), streams(seed, 1)[0]

    def __call__(self, player: int, view: object, actions: tuple[object, ...]) -> list[float]:
        """Return the average strategy of a search at a player's view."""
        record, legal, probabilities = self.record(view, player), np.uint64(0), np.zeros(kernels.WIDEST)
        for action in actions:
            legal |= np.uint64(1) << np.uint64(LABELS.index(str(action)))
        kernels.clear(self._tables)
        self._stream = kernels.search(
            self._rules, self._shape, record, self._settings, self._tables, self._scratch, player, legal, probabilities,
            np.uint64(self._stream),
        )  # fmt: skip
        return probabilities[: len(actions)].tolist()

    def record(self, view: object, player: int) -> targeting_kernels.RoundRecord:
        """Return a view as a record for kernels."""
        hand, field, events = str(view).split("|")
        first, record = read_view(self.game, f"{hand}|{field}|", player), empty_record()
        first = first._replace(hands=(first.hands[0] or first.stock, first.hands[1] or first.stock))
        steps = [(mark == "/", LABELS.index(label)) for mark, label in re.findall("([ /+])([^ /+]+)", events)]
        drawn = [number for is_drawn, number in steps if is_drawn]
        record.drawn[: len(drawn)] = drawn
        actions = np.array([number for is_drawn, number in steps if not is_drawn], dtype=np.int64)
        kernels.replay(self._rules, self._shape, record, player, state_array(self.game, first), actions)
        return record
