"""The signalling game of von Stengel and Forges (2008), figure 1."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tefuda.games.small.dealt import Dealt


@dataclass(frozen=True)
class Signalling(Dealt):
    """Signalling: a student, good or bad, sends a signal; a professor accepts or refuses.

    Chance draws the type of player 0. A good student is accepted for (4, 10), a bad one for (6, 0); a refusal pays
    (0, 6). Signals cost nothing, so that they tell nothing in equilibrium. A state is (types, moves), a view
    ``"good|X"``; player 1 has no type.
    """

    name = "signalling"
    length = 2
    verbs = ("send",)
    named = ("accept", "refuse")

    def actions(self, state):
        return self.named if state[1] else ("X", "Y")

    def chances(self, state):
        return tuple(((kind, "-"), Fraction(1, 2)) for kind in ("good", "bad"))

    def payoffs(self, state):
        (kind, _), (_, answer) = state
        return ((4, 10) if kind == "good" else (6, 0)) if answer == "accept" else (0, 6)
