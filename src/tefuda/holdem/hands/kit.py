"""The kit of whole hands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tefuda.games.kit import Kit, OwnAgent
from tefuda.lazy import load_reference


class HandsKit(Kit):
    """The kit of whole hands of hold'em."""

    def forms(self) -> tuple[str, ...]:
        rules, menu = self.game.rules, self.game.menu
        if rules.limit:
            return ("buckets",)
        return ("buckets", "rules") if rules.players == 2 and not menu.any_amount else ("rules",)

    def same_play(self, other: Any) -> bool:
        ours, theirs = ((game.rules.betting_key, game.menu) for game in (self.game, other))
        return bool(ours == theirs)

    def agents(self) -> Mapping[str, OwnAgent]:
        from tefuda.holdem.hands.agents import CallingAgent, EquityAgent
        from tefuda.holdem.hands.terminal import HoldemPerson

        solver = dict[str, OwnAgent]()
        if self.game.players == 2 and not self.game.rules.limit:
            make = load_reference("tefuda.holdem.players.named:SolverMaker")(self.game)
            solver["solver"] = "re-solves turns and rivers; solver:RUN;seconds=1 names its blueprint and options", make
        return {
            "equity": ("bets and calls by its equity against random hands", lambda notify: EquityAgent()),
            "caller": ("always checks or calls", lambda notify: CallingAgent()),
            **solver,
            "human": ("you, at the terminal", lambda notify: HoldemPerson()),
        }

    def simulator(self) -> Any:
        """Return the compiled simulator; None if the menu lists every amount or kernels do not know the rules."""
        from tefuda.holdem.hands.simulator import HandsSimulator

        compiled = self.game.action_labels is not None and self.game.rules.is_plain and self.game.menu.is_plain
        return HandsSimulator(self.game) if compiled else None
