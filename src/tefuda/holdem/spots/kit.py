"""The kit of a spot."""

from __future__ import annotations

from tefuda.games.kit import Kit
from tefuda.holdem.spots.game import SpotGame
from tefuda.holdem.spots.spot import Spot


class SpotKit(Kit):
    """The kit of a spot, as a `Spot` or as the rules of one."""

    def __init__(self, game: Spot | SpotGame) -> None:
        super().__init__(SpotGame(game) if isinstance(game, Spot) else game)

    def forms(self) -> tuple[str, ...]:
        """Return the form of a spot by hands."""
        return ("hands",)
