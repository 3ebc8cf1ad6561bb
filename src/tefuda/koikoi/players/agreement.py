"""How often an agent would have done what was done in recorded rounds, and what it thinks of the difference."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import check_seed
from tefuda.koikoi.game import DRAW, KOI, LABELS, PLAY, KoiKoi
from tefuda.koikoi.kernels.values import Worth
from tefuda.koikoi.players.advice import Adviser
from tefuda.koikoi.players.ladder import Recipe
from tefuda.koikoi.records import deal
from tefuda.workers import Counting

#: What is decided.
KINDS = ("card", "which of two", "stop or koi-koi")


class Decision(NamedTuple):
    """A free decision of a record: in which round, one of `KINDS`, who saw what, and what was done."""

    round: int
    kind: str
    seat: int
    view: str
    action: str


@dataclass(frozen=True)
class Agreement:
    """How an agent's choices compare with those recorded.

    decisions: of which kind, places in `KINDS`. rounds: the round of each. agreed: whether they agree. lost: points by
    which the recorded choice is worse by the agent's own values; nan if it has none.
    """

    decisions: np.ndarray  # [D]
    rounds: np.ndarray  # [D]
    agreed: np.ndarray  # [D] bool
    lost: np.ndarray  # [D]

    def rows(self) -> Iterator[tuple[str, int, float, float, float]]:
        """Of each kind, then of all: name, decisions, the share agreed, half its 95 % interval, points lost."""
        for kind, name in (*enumerate(KINDS), (-1, "all")):
            chosen = (self.decisions == kind) | (kind < 0)
            if not chosen.any():
                continue
            share, half = self._share(chosen)
            lost = self.lost[chosen]
            known = ~np.isnan(lost)
            yield name, int(chosen.sum()), share, half, float(lost[known].mean()) if known.any() else math.nan

    def _share(self, chosen: np.ndarray) -> tuple[float, float]:
        """The share agreed, and half of its 95 % interval: decisions of a round are one sample (ratio estimator)."""
        share = float(self.agreed[chosen].mean())
        rounds, place = np.unique(self.rounds[chosen], return_inverse=True)
        apart = np.bincount(place, self.agreed[chosen] - share)
        if len(rounds) < 2:
            return share, math.nan
        return share, float(1.96 * math.sqrt(len(rounds) / (len(rounds) - 1) * (apart**2).sum()) / chosen.sum())


def decisions(game: KoiKoi, records: Iterable[Mapping[str, Any]]) -> Iterator[Decision]:
    """The free decisions of recorded rounds, in order; forced moves are none.

    Raises:
        ParameterError: a deck that is none, an action that may not be done.
    """
    for number, record in enumerate(records):
        state, left, stock = deal(game, record["deck"]), iter(record["actions"]), iter(record["deck"][24:])
        for _ in range(200):  # more than the steps of any round
            if state.phase == DRAW:
                state = game.child(state, LABELS[next(stock)])
                continue
            action = next(left, None)
            if action is None:
                break
            mover = game.player(state)
            if mover >= 0:
                kind = KINDS[0 if state.phase == PLAY else 2 if state.phase == KOI else 1]
                yield Decision(number, kind, mover, game.view(state, mover), LABELS[action])
            state = game.child(state, LABELS[action])


def agree(
    game: KoiKoi,
    records: Iterable[Mapping[str, Any]],
    recipe: Recipe,
    worth: Worth | None = None,
    *,
    seed: int = 0,
    progress: Counting | None = None,
) -> Agreement:
    """Ask an agent at every free decision of recorded rounds, by what the player saw.

    Args:
        game: with the rules they were played by.
        records: of rounds that replay without a difference.
        recipe: of who is asked.
        worth: learned tables, if it needs them.
        seed: of its luck, anew at each decision.
        progress: told decisions done and in all.

    Raises:
        ParameterError: tables are missing, or no seed.
    """
    check_seed(seed)
    adviser, asked = Adviser(game, recipe, worth), list(decisions(game, records))
    agreed, lost = np.zeros(len(asked), dtype=bool), np.full(len(asked), math.nan)
    for place, one in enumerate(asked):
        found = adviser.advise(one.view, one.seat, seed ^ place)
        agreed[place] = found[0].action == one.action
        same = [candidate.value for candidate in found if candidate.action == one.action]
        if same:
            lost[place] = found[0].value - max(same)
        if progress is not None:
            progress(place + 1, len(asked))
    kinds = np.array([KINDS.index(one.kind) for one in asked], dtype=np.int64)
    return Agreement(kinds, np.array([one.round for one in asked], dtype=np.int64), agreed, lost)
