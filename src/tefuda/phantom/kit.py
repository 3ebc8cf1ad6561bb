"""The kit of phantom games."""

from __future__ import annotations

from typing import Any

from tefuda.games.kit import Kit
from tefuda.phantom.rules import REFEREED


class PhantomKit(Kit):
    """The kit of phantom games: their forms, and a compiled simulator."""

    def forms(self) -> tuple[str, ...]:
        """Return the referee's form for boards of 9 cells, else the tree first."""
        cells = len(self.game.action_labels)
        if cells < REFEREED:
            return ("tree", "rules")
        return ("referee", "simulator", "rules") if cells == REFEREED else ("rules", "simulator")

    def simulator(self) -> Any:
        from tefuda.phantom.simulator import BoardSimulator

        return BoardSimulator(self.game)
