"""Variance of results: bootstrap by session, probability of a loss, downswings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tefuda.holdem.reports.table import SeatTable

#: Numbers of hands for which the probability of a loss is given.
HORIZONS = (1_000, 10_000, 100_000)
_RESAMPLES = 2000
_ENDS = (2.5, 97.5)  # percentiles of a 95 % interval
_ROUNDING = 1e-9  # big blinds
_TOGETHER = 1_000_000  # numbers that are drawn at once


@dataclass(frozen=True)
class Variance:
    """Variance of a player's results in cash hands, in big blinds.

    Attributes:
        sessions: number of sessions; hands of unknown time are one session of each room.
        session_interval: 95 % interval of the result for 100 hands by a bootstrap of the sessions; nan with fewer than
            two. It is wider than that of independent hands if results within sessions are correlated.
        loss: probability of a loss over that many more hands.
        deepest: largest drop from a peak of the running sum, which begins at 0.
        longest: largest number of hands in a row below an earlier peak.
        current: drop from the peak at the end.
    """

    sessions: int
    session_interval: tuple[float, float]
    loss: dict[int, float]
    deepest: float
    longest: int
    current: float

    def summary(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        return {**vars(self), "loss": {str(hands): share for hands, share in self.loss.items()}}


def variance(table: SeatTable) -> Variance | None:
    """Return the variance of the rows of a player; None without cash hands."""
    cash = table.take(table.is_cash)
    if not len(cash):
        return None
    results = cash.bb[np.argsort(cash["start"], kind="stable")]
    played = table.sessions[table.is_cash]
    _, sessions = np.unique(np.where(played, played, -1 - cash["room"]), return_inverse=True)
    sums, hands = np.bincount(sessions, cash.bb), np.bincount(sessions)
    return Variance(
        len(hands), session_interval(sums, hands),
        {number: loss_probability(results, number) for number in HORIZONS}, *downswings(results),
    )  # fmt: skip


def session_interval(sums: np.ndarray, hands: np.ndarray, seed: int = 0) -> tuple[float, float]:
    """Return the 95 % percentile interval of the result for 100 hands, by a bootstrap of sessions.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 13.3.

    Args:
        sums: `[S]` result of each session.
        hands: `[S]` hands of each session.
        seed: random seed.
    """
    number, random, means = len(sums), np.random.default_rng(seed), list[np.ndarray]()
    if number < 2:
        return math.nan, math.nan
    for first in range(0, _RESAMPLES, step := max(1, _TOGETHER // number)):
        drawn = random.integers(number, size=(min(step, _RESAMPLES - first), number))
        means.append(100 * sums[drawn].sum(axis=1) / hands[drawn].sum(axis=1))
    low, high = np.percentile(np.concatenate(means), _ENDS).tolist()
    return low, high


def loss_probability(results: np.ndarray, hands: int) -> float:
    """Return the probability that the sum of more hands is below 0; nan with fewer than two results.

    The sum is normal with mean n m and variance n s^2 + n^2 s^2 / N: the mean of N results is uncertain, too.

    Args:
        results: `[N]` results of independent hands.
        hands: number n of hands to come.
    """
    if len(results) < 2:
        return math.nan
    mean, deviation = float(results.mean()), float(results.std(ddof=1))
    spread = deviation * math.sqrt(hands + hands**2 / len(results))
    if spread == 0:
        return float(mean < 0)
    return 0.5 * math.erfc(hands * mean / (spread * math.sqrt(2)))


def downswings(results: np.ndarray) -> tuple[float, int, float]:
    """Return the largest drop from a peak, the most hands in a row below a peak, and the last drop.

    Args:
        results: `[N]` results in order.
    """
    total = np.concatenate([[0.0], np.cumsum(results)])
    drops = np.maximum.accumulate(total) - total
    at_peak = np.flatnonzero(np.append(drops, 0.0) < _ROUNDING)  # the end closes the last stretch
    return float(drops.max()), int(np.diff(at_peak).max(initial=1)) - 1, float(drops[-1])
