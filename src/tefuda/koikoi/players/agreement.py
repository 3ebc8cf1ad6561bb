"""The agreement of an agent with the decisions of recorded rounds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import check_seed
from tefuda.koikoi.game import KOI, LABELS, PLAY, KoiKoi
from tefuda.koikoi.kernels.tables import ValueTables
from tefuda.koikoi.players.advice import Adviser
from tefuda.koikoi.players.ladder import PlayerConfiguration
from tefuda.koikoi.records import replay
from tefuda.workers import ProgressFunction

#: Kinds of decisions.
KINDS = ("card", "which of two", "stop or koi-koi")


class RecordedDecision(NamedTuple):
    """A free decision of a record; kind: one of `KINDS`."""

    round: int
    kind: str
    seat: int
    view: str
    action: str


@dataclass(frozen=True)
class Agreement:
    """An agent's choices against recorded ones.

    decisions: the kind of each, a place in `KINDS`. rounds: the round of each. agreed: whether they agree. lost: points
    by which the recorded choice is worse by the agent's own values; nan if it has none.
    """

    decisions: np.ndarray  # [D]
    rounds: np.ndarray  # [D]
    agreed: np.ndarray  # [D] bool
    points_lost: np.ndarray  # [D]

    def rows(self) -> Iterator[tuple[str, int, float, float, float]]:
        """Yield for each kind, then for all: name, decisions, share agreed, half its 95 % interval, points lost."""
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


def decisions(game: KoiKoi, records: Iterable[Mapping[str, Any]]) -> Iterator[RecordedDecision]:
    """Yield the free decisions of recorded rounds, in order; see `replay` for errors."""
    for number, record in enumerate(records):
        for state, action in zip(replay(game, record["deck"], record["actions"])[1], record["actions"], strict=True):
            if (mover := game.player(state)) >= 0:
                kind = KINDS[0 if state.phase == PLAY else 2 if state.phase == KOI else 1]
                yield RecordedDecision(number, kind, mover, game.view(state, mover), LABELS[action])


def measure_agreement(
    game: KoiKoi,
    records: Iterable[Mapping[str, Any]],
    configuration: PlayerConfiguration,
    tables: ValueTables | None = None,
    *,
    seed: int = 0,
    progress: ProgressFunction | None = None,
) -> Agreement:
    """Ask an agent at every free decision of recorded rounds, by the player's view.

    Args:
        game: the rules of the rounds.
        records: rounds that replay without a difference.
        configuration: player configuration of the agent.
        tables: value tables, if the agent needs them.
        seed: random seed, used again at each decision.
        progress: callback for decisions done and in all.

    Raises:
        ParameterError: tables are missing, a seed out of range, or a record that the rules refuse.
    """
    check_seed(seed)
    adviser, asked = Adviser(game, configuration, tables), list(decisions(game, records))
    agreed, points_lost = np.zeros(len(asked), dtype=bool), np.full(len(asked), math.nan)
    for index, decision in enumerate(asked):
        found = adviser.advise(decision.view, decision.seat, seed ^ index)
        agreed[index] = found[0].action == decision.action
        same = [candidate.value for candidate in found if candidate.action == decision.action]
        if same:
            points_lost[index] = found[0].value - max(same)
        if progress is not None:
            progress(index + 1, len(asked))
    kinds = np.array([KINDS.index(decision.kind) for decision in asked], dtype=np.int64)
    return Agreement(kinds, np.array([decision.round for decision in asked], dtype=np.int64), agreed, points_lost)
