"""The kit of a round of Koi-Koi."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from tefuda.games.kit import Kit, OwnAgent
from tefuda.games.picture import Picture
from tefuda.games.protocol import Observation, View


class KoiKoiKit(Kit):
    """The kit of a round of Koi-Koi: of the whole game, or of a reduced one."""

    def observe(self, view: View, player: int, language: str = "en") -> Observation:
        from tefuda.koikoi.people.board import observation

        return observation(self.game, view, player, language)

    def picture(self, view: View, player: int) -> Picture:
        from tefuda.koikoi.people.picture import picture

        return picture(self.game, view, player)

    def guide(self, language: str = "en") -> str:
        from tefuda.koikoi.people.guide import guide

        return guide(self._match_rules() or self.game.rules, language)

    def presets(self) -> Mapping[str, Mapping[str, Any]]:
        from tefuda.koikoi.rules import PRESETS

        return {name: {"preset": name} for name in PRESETS}

    def agents(self) -> Mapping[str, OwnAgent]:
        """Return the agents of a round; without shipped tables, the network is the default opponent."""
        from tefuda.koikoi.people.hints import hints
        from tefuda.koikoi.people.terminal import KoiKoiPerson
        from tefuda.koikoi.players.archive import shipped_path
        from tefuda.koikoi.players.ladder import DESCRIPTIONS
        from tefuda.koikoi.playing.agents import GreedyAgent, advised_agent

        greedy = ("takes the most points at once, stops at the first yaku", lambda notify: GreedyAgent())
        if not self.game.whole:
            return {"greedy": greedy, "human": ("you, at the terminal", lambda notify: KoiKoiPerson())}
        about = DESCRIPTIONS
        if shipped_path(self.game.rules) is None:
            about = {"neural": DESCRIPTIONS["neural"], **DESCRIPTIONS}
        return {
            **{name: (words, partial(advised_agent, self.game, name)) for name, words in about.items()},
            "greedy": greedy,
            "human": ("you, at the terminal", lambda notify: KoiKoiPerson(hints=hints)),
        }

    def simulator(self) -> Any:
        """Return the compiled simulator of the whole game; None if its rounds are stepped by its rules."""
        from tefuda.koikoi.simulator import RoundsSimulator, compiles

        return RoundsSimulator(self.game) if compiles(self.game) else None

    def table(self) -> Any:
        from tefuda.koikoi.playing.table import RoundsTable

        return RoundsTable(self.game) if self.game.whole else None

    def series(self) -> Any:
        """Return the match of the game, in which teyaku count; None for reduced games."""
        from tefuda.koikoi.people.terminal import MatchSeries

        rules = self._match_rules()
        return None if rules is None else MatchSeries(replace(self.game, rules=rules))

    def coach(self, strategy: Any = None, name: str = "") -> Any:
        """Return the coach of the whole game, a network."""
        from tefuda.koikoi.people.hints import NetworkCoach

        return NetworkCoach(self.game) if strategy is None and self.game.whole else None

    def _match_rules(self) -> Any:
        """Return the rules of the game's match; None if it was made without them."""
        from tefuda.koikoi.rules import find_rules

        given = dict(self.game.parameters or {})
        return find_rules(**given) if "preset" in given else None
