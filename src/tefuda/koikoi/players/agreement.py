"""The agreement of an agent with the decisions of recorded rounds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tefuda.errors import check_seed
from tefuda.koikoi.game import KOI, LABELS, PLAY, KoiKoi, Round
from tefuda.koikoi.kernels.tables import ValueTables
from tefuda.koikoi.players.advice import Adviser
from tefuda.koikoi.players.ladder import PlayerConfiguration
from tefuda.koikoi.records import replay
from tefuda.workers import ProgressFunction

#: Kinds of decisions.
KINDS = ("card", "which of two", "stop or koi-koi")


@dataclass(frozen=True)
class Agreement:
    """The agreement of an agent's choices with recorded ones.

    Attributes:
        decisions: `[D]`, kind of each decision, an index of `KINDS`.
        rounds: `[D]`, round of each decision.
        agreed: `[D]` bool.
        points_lost: `[D]`, by the agent's own values, how much worse the recorded choice is; nan if
            it has no values.
    """

    decisions: np.ndarray  # [D]
    rounds: np.ndarray  # [D]
    agreed: np.ndarray  # [D] bool
    points_lost: np.ndarray  # [D]

    def rows(self) -> Iterator[tuple[str, int, float, float, float]]:
        """Yield for each kind and for all: name, count, share agreed, half its 95 % interval, points lost."""
        for kind, name in (*enumerate(KINDS), (-1, "all")):
            chosen = (self.decisions == kind) | (kind < 0)
            if not chosen.any():
                continue
            share, half = self._share(chosen)
            points_lost = self.points_lost[chosen]
            known = ~np.isnan(points_lost)
            yield name, int(chosen.sum()), share, half, float(points_lost[known].mean()) if known.any() else math.nan

    def _share(self, chosen: np.ndarray) -> tuple[float, float]:
        """Return the share agreed and half of its 95 % interval; a round is one sample (ratio estimator)."""
        share = float(self.agreed[chosen].mean())
        rounds, index = np.unique(self.rounds[chosen], return_inverse=True)
        deviations = np.bincount(index, self.agreed[chosen] - share)
        if len(rounds) < 2:
            return share, math.nan
        return share, float(1.96 * math.sqrt(len(rounds) / (len(rounds) - 1) * (deviations**2).sum()) / chosen.sum())


def decisions(game: KoiKoi, records: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, int, Round, str]]:
    """Yield the free decisions of rounds: round, index of `KINDS`, state before it, label of the action."""
    for number, record in enumerate(records):
        for state, action in zip(replay(game, record["deck"], record["actions"])[1], record["actions"], strict=True):
            if game.player(state) >= 0:
                yield number, 0 if state.phase == PLAY else 2 if state.phase == KOI else 1, state, LABELS[action]


def measure_agreement(
    game: KoiKoi,
    records: Iterable[Mapping[str, Any]],
    configuration: PlayerConfiguration,
    tables: ValueTables | None = None,
    *,
    seed: int = 0,
    progress: ProgressFunction | None = None,
) -> Agreement:
    """Measure the agreement of an agent with the free decisions of recorded rounds.

    The agent decides from the view of the player to move.

    Args:
        game: the rules of the rounds.
        records: rounds that replay without a difference.
        configuration: player configuration of the agent.
        tables: value tables, if the agent needs them.
        seed: random seed, used again at each decision.
        progress: callback for decisions done and in all.

    Raises:
        ParameterError: tables are missing, a seed is out of range, or a record breaks the rules.
    """
    check_seed(seed)
    adviser, recorded = Adviser(game, configuration, tables), list(decisions(game, records))
    agreed, points_lost = np.zeros(len(recorded), dtype=bool), np.full(len(recorded), math.nan)
    for index, (_, _, state, action) in enumerate(recorded):
        advice = adviser.advise(game.view(state, state.mover), state.mover, seed ^ index)
        agreed[index] = advice[0].action == action
        same = [candidate.value for candidate in advice if candidate.action == action]
        if same:
            points_lost[index] = advice[0].value - max(same)
        if progress is not None:
            progress(index + 1, len(recorded))
    rounds, kinds = (np.array([decision[column] for decision in recorded], dtype=np.int64) for column in (0, 1))
    return Agreement(kinds, rounds, agreed, points_lost)
