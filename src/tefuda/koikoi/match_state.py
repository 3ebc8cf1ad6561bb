"""Matches of Koi-Koi: the state between two rounds, and the probability of winning the match."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from tefuda.errors import ParameterError, check_range
from tefuda.koikoi.rules import KoiKoiRules

_LEAD = 500  # points; a larger lead counts as a win
_MIN_POSITIONS = 100  # minimum number of positions for a mean of their outcomes


@dataclass(frozen=True)
class MatchState:
    """The state of a match between two rounds.

    Attributes:
        rules: the rules.
        dealer: dealer of the next round, 0 or 1.
        rounds_played: number of rounds played.
        lead: points that player 0 has won from player 1.

    Raises:
        ParameterError: a value is out of range.

    >>> from tefuda.koikoi import find_rules
    >>> MatchState(find_rules(rounds=3)).after(-5)
    MatchState(dealer=1, rounds_played=1, lead=-5)
    """

    rules: KoiKoiRules = field(repr=False)
    dealer: int = 0
    rounds_played: int = 0
    lead: int = 0

    def __post_init__(self) -> None:
        check_range("dealer", self.dealer, 0, 1)
        check_range("rounds_played", self.rounds_played, 0, self.rules.match.rounds)

    @property
    def points(self) -> tuple[int, int]:
        """The points of both players."""
        start = self.rules.match.start
        return start + self.lead, start - self.lead

    @property
    def rounds_left(self) -> int:
        """Number of rounds left; 0: the match is over."""
        broke = self.rules.match.start and min(self.points) <= 0
        return 0 if broke else self.rules.match.rounds - self.rounds_played

    @property
    def result(self) -> float:
        """The result of player 0 by the lead: 1 won, 0.5 drawn, 0 lost."""
        return 0.5 + 0.5 * ((self.lead > 0) - (self.lead < 0))

    def after(self, points: int, *, stopped: bool | None = None) -> MatchState:
        """Return the state after a round; its winner deals the next one.

        Args:
            points: points of the round to its dealer.
            stopped: whether a player stopped; None: whether points are paid. If no player stopped,
                `draw_dealer` decides.

        Raises:
            ParameterError: the match is over.
        """
        if not self.rounds_left:
            raise ParameterError("the match is over; start a new match.")
        stopped = points != 0 if stopped is None else stopped
        keeps = points > 0 if stopped else self.rules.match.draw_dealer == "keep"
        gained = points if self.dealer == 0 else -points
        dealer = self.dealer if keeps else 1 - self.dealer
        return replace(self, dealer=dealer, rounds_played=self.rounds_played + 1, lead=self.lead + gained)


@dataclass(frozen=True)
class OutcomeCounts:
    """Counts of the outcomes of rounds of self-play.

    Attributes:
        points: `[2 P + 1]`, counts of rounds by the dealer's points, from -P to P.
        points_by_value: `[2 B + 1, 2 P + 1]`, counts of positions by their value in tables and
            their outcome, in whole points to the mover.
    """

    points: np.ndarray  # [2 P + 1]
    points_by_value: np.ndarray  # [2 B + 1, 2 P + 1]

    @cached_property
    def chances(self) -> dict[int, float]:
        """The probabilities of the dealer's points."""
        most, total = len(self.points) // 2, self.points.sum()
        return {index - most: float(count / total) for index, count in enumerate(self.points) if count}


class MatchValue:
    """The probability that player 0 wins the match from a match state; a draw counts half.

    Args:
        rules: the rules.
        outcomes: outcome counts of rounds of self-play.
    """

    def __init__(self, rules: KoiKoiRules, outcomes: OutcomeCounts) -> None:
        self.rules, self.outcomes = rules, outcomes
        leads = np.arange(-_LEAD, _LEAD + 1)
        self._over = 0.5 + 0.5 * np.sign(leads)
        self._broke = np.abs(leads) >= (rules.match.start or 2 * _LEAD)
        self._tables = [np.stack([self._over, self._over])]  # by rounds left: [dealer, lead]
        for _ in range(rules.match.rounds):
            self._tables.append(self._before(self._tables[-1]))

    def _before(self, later: np.ndarray) -> np.ndarray:
        """Return the table with one more round left."""
        probabilities, leads = np.zeros_like(later), np.arange(2 * _LEAD + 1)
        for dealer in range(2):
            for points, chance in self.outcomes.chances.items():
                after_round = MatchState(self.rules, dealer).after(points)
                lead = np.clip(leads + after_round.lead, 0, 2 * _LEAD)
                probabilities[dealer] += chance * later[after_round.dealer, lead]
        return np.where(self._broke, self._over, probabilities)

    def __call__(self, state: MatchState) -> float:
        """Return the probability that player 0 wins."""
        lead = min(max(state.lead, -_LEAD), _LEAD)
        return float(self._tables[state.rounds_left][state.dealer, lead + _LEAD])

    def utility(self, state: MatchState, player: int, most: int) -> np.ndarray:
        """Return a player's utility of -most to most points in the next round, `[2, 2 * most + 1]`.

        The first row is for certain points. The second row is for points expected by tables: the
        mean of the first row over the outcomes of positions with this value.

        Args:
            state: the match state before the round.
            player: the player whose utility is returned.
            most: largest number of points.
        """
        sign = 1 if player == state.dealer else -1
        final = np.array([self(state.after(sign * points)) for points in range(-most, most + 1)])
        final = final if player == 0 else 1 - final
        half, widest = (size // 2 for size in self.outcomes.points_by_value.shape)
        reached = final[np.clip(np.arange(-widest, widest + 1), -most, most) + most]
        expected = final.copy()
        for row, counts in zip(range(-half, half + 1), self.outcomes.points_by_value, strict=True):
            if counts.sum() >= _MIN_POSITIONS and abs(row) <= most:
                expected[row + most] = counts @ reached / counts.sum()
        return np.stack([final, expected])
