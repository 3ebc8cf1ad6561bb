"""Repeated matrix games, and matching pennies that chance coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from tefuda.errors import check_range
from tefuda.games.phrases import between, phrases
from tefuda.games.protocol import CHANCE, TERMINAL, Observation
from tefuda.games.small.dealt import Moves
from tefuda.games.small.matrix import Matrix

HEADS, TAILS = "heads", "tails"
_PENNIES = ((1, -1), (-1, 1))


def matching_pennies(players: int = 2) -> Matrix:
    """Return matching pennies: each player shows heads or tails.

    Player 0 wins 1 if the pennies are equal, player 1 if they differ. With three players each wins 1 for matching the
    next one, but player 2 for differing from player 0; otherwise it loses 1.

    Args:
        players: number of players, 2 or 3.
    """
    check_range("players", players, 2, 3)
    payoffs: Any = _PENNIES
    if players == 3:
        payoffs = [
            [[(_PENNIES[a][b], _PENNIES[b][c], -_PENNIES[c][a]) for c in (0, 1)] for b in (0, 1)] for a in (0, 1)
        ]
    return Matrix(payoffs, (HEADS, TAILS)).named("matching_pennies", players=players)


@dataclass(frozen=True)
class Repeated(Moves):
    """A matrix game that is played several times; the payoffs of all rounds add up.

    A state is the tuple of all actions. A view is the text of all actions of earlier rounds, ``"heads-tails"``;
    without monitoring it has the own actions only.

    Args:
        payoffs: table of a round, see `matrix`; default: matching pennies.
        labels: action names, see `matrix`.
        rounds: number of rounds.
        monitoring: whether all players see all actions of a round at its end.
        discount: factor of the payoffs of each round relative to the one before.
    """

    payoffs_of_round: tuple[Any, ...]
    labels: tuple[tuple[str, ...], ...]
    rounds: int
    monitoring: bool
    discount: float
    name = "repeated"

    def __init__(
        self, payoffs: Any = _PENNIES, labels: Any = (), rounds: int = 2, monitoring: bool = True, discount: float = 1
    ) -> None:
        stage = Matrix(payoffs, labels)
        check_range("rounds", rounds, 1, 1_000)
        if not isinstance(discount, Fraction):
            check_range("discount", discount, 0, 1, whole=False)
        fields = (stage.payoff_table, stage.labels, rounds, monitoring, discount)
        for name, value in zip(Repeated.__dataclass_fields__, fields, strict=True):
            object.__setattr__(self, name, value)

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            "payoffs": self.payoffs_of_round, "labels": self.labels, "rounds": self.rounds,
            "monitoring": self.monitoring, "discount": self.discount,
        }  # fmt: skip

    @cached_property
    def _stage(self) -> Matrix:
        return Matrix(self.payoffs_of_round, self.labels)

    @property
    def players(self) -> int:
        return len(self.labels)

    def player(self, state):
        return TERMINAL if len(state) == self.rounds * self.players else len(state) % self.players

    def actions(self, state):
        return self.labels[len(state) % self.players]

    def _past(self, state):
        """Return the actions of each finished round."""
        count = self.players
        return [state[start : start + count] for start in range(0, len(state) - count + 1, count)]

    def payoffs(self, state):
        totals = [0] * self.players
        for number, actions in enumerate(self._past(state)):
            for seat, amount in enumerate(self._stage.payoffs(actions)):
                totals[seat] += amount * self.discount**number
        return tuple(totals)

    def view(self, state, player):
        if self.monitoring:
            return " ".join("-".join(actions) for actions in self._past(state))
        return " ".join(state[player :: self.players])

    def observe(self, view, player, language="en"):
        words = phrases("repeated", language)
        return Observation(words["past"].format(between(language).join(view.split())) if view else words["none"])


@dataclass(frozen=True)
class CoordinatedPennies(Moves):
    """Coordinated matching pennies: player 1 sees a coin of chance, not player 0's penny.

    The rules are those of OpenSpiel's coordinated_mp. The coin is fair and tells nothing about the penny, so that
    player 1 only needs to play each side half of the time on average. A state is (penny, coin, penny), a view
    ``"top"``.
    """

    name = "coordinated_matching_pennies"
    players = 2
    constant_sum = 0

    def player(self, state):
        return (0, CHANCE, 1, TERMINAL)[len(state)]

    def actions(self, state):
        return (HEADS, TAILS)

    def chances(self, state):
        return (("top", Fraction(1, 2)), ("bottom", Fraction(1, 2)))

    def payoffs(self, state):
        gain = 1 if state[0] == state[2] else -1
        return (gain, -gain)

    def view(self, state, player):
        return " ".join(state[1:]) if player else " ".join(state[:1])

    def observe(self, view, player, language="en"):
        words = phrases(self.name, language)
        seen = [words[part] for part in view.split()]
        names = {label: words[label] for label in (HEADS, TAILS)}
        return Observation(between(language).join(seen) or words["nothing"], "", names)
