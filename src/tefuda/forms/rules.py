"""A game given by its rules alone, without a tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tefuda.files import FieldSpec, check_fields
from tefuda.forms.form import Form, Saved, Size
from tefuda.games.protocol import Game
from tefuda.games.size import estimate_game, estimate_traversal

_SHORT_TRAVERSAL = 1e5  # histories: about a second
_FIELDS = {"memory": FieldSpec((int, float), needed=False), "reason": FieldSpec((str,), needed=False)}


@dataclass(frozen=True, eq=False)
class RulesForm(Form):
    """Rules without a tree.

    Attributes:
        game: the game.
        memory: memory limit of samplers in bytes.
        reason: the reason why there is no tree, if it was tried to compile one.

    >>> td.RulesForm(td.load_game("kuhn")).title
    'kuhn(players=2, cards=3)'
    """

    game: Game = field()
    memory: float = 2e9
    reason: str = ""

    representation = "rules"
    evaluator = "tefuda.exploiting.sampled_response:ExploitabilityBound"

    @cached_property
    def method(self) -> str:  # type: ignore[override]
        """Name of the default method."""
        return self.default_method(self.game)

    @classmethod
    def default_method(cls, game: Game) -> str:
        """See `Form`: external sampling where a traversal is short, else outcome sampling."""
        return "external" if estimate_traversal(game) <= _SHORT_TRAVERSAL else "outcome"

    @classmethod
    def size_of(cls, game: Game, fields: Mapping[str, Any]) -> Size:
        """See `Form`: the estimated number of histories, and its standard error."""
        estimate = estimate_game(game)
        return Size({"histories": estimate.histories, "error": estimate.error or None}, None, cls.memory)

    def saved(self) -> Saved:
        """See `Form`: the memory limit, and the reason if there is one."""
        return Saved({"memory": self.memory, **({"reason": self.reason} if self.reason else {})})

    @classmethod
    def build(cls, game: Game, saved: Saved, building: object = None) -> RulesForm:
        check_fields("the saved form", saved.fields, _FIELDS)
        return cls(game, **saved.fields)

    def __repr__(self) -> str:
        return f"RulesForm({self.title})"
