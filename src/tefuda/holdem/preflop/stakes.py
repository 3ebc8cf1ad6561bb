"""Stakes of push or fold: stacks, blinds, prizes, and payoffs by line and order of strength."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tefuda.errors import ParameterError, check_range
from tefuda.holdem.hands.rules import TableRules
from tefuda.holdem.tournaments import icm

_FINE = 6_000_000  # parts of a big blind: halves and thirds of pots have no odd chips
_DEEPEST = {2: 1e4, 3: 100}  # big blinds, by the number of players: fine chips are limited
_NO_CHIPS = 1e-6  # big blinds that are rounded to none


@dataclass(frozen=True)
class Stakes:
    """Stakes of two or three players who push or fold.

    Players are in the order in which they act: small blind and big blind, or button, small blind and big blind.

    Attributes:
        stacks: chips of each player before blinds and antes; at least a big blind and the ante.
        blinds: small and big blind, in the same unit.
        ante: ante of each player, in the same unit.
        payouts: prizes of the places, by which ICM values chips; empty: payoffs are big blinds.

    Raises:
        ParameterError: an amount is out of range.
    """

    stacks: tuple[float, ...]
    blinds: tuple[float, float] = (0.5, 1.0)
    ante: float = 0.0
    payouts: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        for name, sizes in (("stacks", (2, 3)), ("blinds", (2,))):
            given = getattr(self, name)
            if len(given) not in sizes:
                wanted = "the chips of two or three players" if name == "stacks" else "the small and the big blind"
                raise ParameterError(f"{name} must be {wanted}; got {given!r}.", key=name, value=given)
        check_range("blinds", self.blinds[1], 1e-6, 1e12, whole=False)
        check_range("blinds", self.blinds[0], 0, self.blinds[1], whole=False)
        check_range("ante", self.ante, 0, 100 * self.blinds[1], whole=False)
        most = _DEEPEST[len(self.stacks)] * self.blinds[1]
        for stack in self.stacks:
            check_range("stacks", stack, self.blinds[1] + self.ante, most, whole=False)
        if self.payouts:
            icm(self.stacks, self.payouts)  # raises an error unless these are payouts of the players

    def values(self, after: Sequence[float]) -> np.ndarray:
        """Return `[P]` payoffs of stacks after the hand: big blinds won, or expected prizes."""
        if self.payouts:
            return np.array(icm(after, self.payouts, before=self.stacks).values)
        return np.subtract(after, self.stacks) / self.blinds[1]

    @cached_property
    def _rules(self) -> TableRules:
        """The rules of the table in fine chips; its seats are the small blind, the big blind and the button."""
        small, big, ante, button, *blinds = (
            round(amount / self.blinds[1] * _FINE) for amount in (*self.blinds, self.ante, *self.stacks)
        )
        return TableRules((*blinds, button), (small, big, 0), (ante,) * 3)

    def payoffs(self, line: tuple[int, int, int], levels: Sequence[int]) -> np.ndarray:
        """Return `[3]` payoffs of three players.

        Args:
            line: 1 for each player who is all-in, 0 for each who folds.
            levels: strengths of the players' hands.
        """
        wagers = self._rules.root()
        for is_in in line:
            if wagers.mover >= 0 and is_in:
                most = self._rules.choices(wagers).high
                wagers = self._rules.raise_to(wagers, most) if most else self._rules.call(wagers)
            elif wagers.mover >= 0:
                wagers = self._rules.fold(wagers)
        won = np.roll(self._rules.payoffs(wagers, np.roll(levels, -1).tolist()), 1) * (self.blinds[1] / _FINE)
        after = np.add(self.stacks, won)
        return self.values(np.where(after > _NO_CHIPS * self.blinds[1], after, 0.0).tolist())
