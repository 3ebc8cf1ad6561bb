"""The kit of a spot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tefuda.games.kit import Kit, OwnAgent
from tefuda.holdem.spots.game import SpotGame
from tefuda.holdem.spots.spot import Spot


class SpotKit(Kit):
    """The kit of a spot, as a `Spot` or as the rules of one."""

    def __init__(self, game: Spot | SpotGame) -> None:
        super().__init__(SpotGame(game) if isinstance(game, Spot) else game)

    def forms(self) -> tuple[str, ...]:
        return ("hands",)

    def same_play(self, other: Any) -> bool:
        return bool(self.game.spot.texts() == other.spot.texts())

    def agents(self) -> Mapping[str, OwnAgent]:
        from tefuda.holdem.spots.practice import SpotHuman, solution_agent

        return {
            "solution": (
                "a solution of the spot, solved before the first hand", lambda notify: solution_agent(self.game)
            ),
            "human": ("you, at the terminal", lambda notify: SpotHuman()),
        }  # fmt: skip

    def coach(self, strategy: Any = None, name: str = "") -> Any:
        from tefuda.holdem.spots.practice import SpotCoach
        from tefuda.holdem.spots.strategy import SpotStrategy

        return SpotCoach(strategy, name) if isinstance(strategy, SpotStrategy) else None
