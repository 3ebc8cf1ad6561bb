"""The kit of whole hands."""

from __future__ import annotations

from tefuda.games.kit import Kit


class HandsKit(Kit):
    """The kit of whole hands of hold'em."""

    def forms(self) -> tuple[str, ...]:
        """Return buckets for limit hold'em, and rules for no-limit."""
        return ("buckets",) if self.game.rules.limit else ("rules",)
