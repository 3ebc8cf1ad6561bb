"""The kit of a spot."""

from __future__ import annotations

from tefuda.games.kit import Kit


class SpotKit(Kit):
    """The kit of a spot, as a `Spot` or as the rules of one."""

    def forms(self) -> tuple[str, ...]:
        """Return the form of a spot by hands."""
        return ("hands",)
