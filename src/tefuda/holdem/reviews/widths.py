"""Widths of preflop ranges, counted in recorded hands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tefuda.holdem.reports.counting import BIT, POSITIONS
from tefuda.holdem.reports.statistics import FEW, Share
from tefuda.holdem.reports.table import SeatTable

_Key = tuple[bool, str, str]  # heads-up, position, action


@dataclass(frozen=True, eq=False)
class Widths:
    """Shares of hands with which players take an action, by position.

    Attributes:
        counted: shares by heads-up, position and action: ``open``, ``limp``, ``call``, ``3bet``; after an own open
            ``call-3bet`` and ``4bet``, as shares of the opened hands.
    """

    counted: Mapping[_Key, Share]

    def of(self, players: int, position: str, action: str, usual: float) -> float:
        """Return a share, in which the usual one counts like 10 further opportunities."""
        known = self.counted.get((players == 2, position, action), Share(0, 0))
        return (known.made + FEW * usual) / (known.chances + FEW)


#: No hands: all shares are the usual ones.
USUAL = Widths({})


def count_widths(table: SeatTable) -> tuple[Widths, Widths]:
    """Return the widths of the heroes, and those of all other players."""
    return _widths(table.take(table["is_hero"])), _widths(table.take(~table["is_hero"]))


def _widths(table: SeatTable) -> Widths:
    def chance(name: str) -> np.ndarray:
        return np.asarray(table["chances"] & BIT[name]) != 0

    def made(name: str) -> np.ndarray:
        return np.asarray(table["made"] & BIT[name]) != 0

    faced, answers = chance("three_bet") & ~made("limp"), chance("fold_to_three_bet")
    actions = {
        "open": (made("rfi"), chance("rfi")), "limp": (made("limp"), chance("limp")),
        "call": (made("vpip") & ~made("three_bet"), faced), "3bet": (made("three_bet"), faced),
        "call-3bet": (~made("fold_to_three_bet") & ~made("four_bet"), answers), "4bet": (made("four_bet"), answers),
    }  # fmt: skip
    counted = dict[_Key, Share]()
    for heads_up in (False, True):
        for number, position in enumerate(POSITIONS):
            rows = (table["position"] == number) & ((table["players"] == 2) == heads_up)
            for action, (is_made, is_chance) in actions.items():
                chances = rows & is_chance
                counted[heads_up, position, action] = Share(int((chances & is_made).sum()), int(chances.sum()))
    return Widths(counted)
