"""A game given by its rules alone, without a tree."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tefuda.files import FieldSpec, check_fields
from tefuda.forms.form import Form, Saved
from tefuda.games.answers import calling_rules, payoffs_at
from tefuda.games.parameters import json_parameters
from tefuda.games.playthrough import play
from tefuda.games.protocol import CHANCE, Game
from tefuda.games.size import estimate_traversal

_PLAYED = 100  # games that make a fingerprint
_SHORT_TRAVERSAL = 1e5  # histories: about a second
_FIELDS = {"memory": FieldSpec((int, float), needed=False), "reason": FieldSpec((str,), needed=False)}


@dataclass(frozen=True, eq=False)
class RulesForm(Form):
    """Rules without a tree, with the attributes of a `Tree` that describe a game.

    Attributes:
        rules: the game.
        memory: memory limit of samplers in bytes.
        reason: the reason why there is no tree, if it was tried to compile one.

    >>> td.RulesForm(td.load_game("kuhn")).title
    'kuhn(players=2, cards=3)'
    """

    rules: Game
    memory: float = 2e9
    reason: str = ""

    representation = "rules"
    evaluator = "tefuda.exploiting.sampled_response:ExploitabilityBound"

    @cached_property
    def method(self) -> str:  # type: ignore[override]
        """Name of the default method: external sampling where a traversal is short, else outcome sampling."""
        return "external" if estimate_traversal(self.rules) <= _SHORT_TRAVERSAL else "outcome"

    @property
    def name(self) -> str:
        """The game's name."""
        return self.rules.name

    @property
    def players(self) -> int:
        """Number of players."""
        return self.rules.players

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The arguments of `load_game` besides the name, as JSON values."""
        return json_parameters(self.rules)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of a hundred random games: movers, views, actions, probabilities and payoffs."""
        digest, rng = hashlib.sha256(repr(self.players).encode()), np.random.default_rng(0)
        with calling_rules(self.rules):
            for _ in range(_PLAYED):
                steps, end = play(self.rules, rng)
                for step in steps:
                    digest.update(repr((step.player, step.action, step.probability)).encode())
                    if step.player != CHANCE:
                        options = tuple(self.rules.actions(step.state))
                        digest.update(repr((self.rules.view(step.state, step.player), options)).encode())
                digest.update(repr(tuple(map(float, payoffs_at(self.rules, end)))).encode())
        return digest.hexdigest()

    def saved(self) -> Saved:
        """See `Form`: the memory limit, and the reason if there is one."""
        return Saved({"memory": self.memory, **({"reason": self.reason} if self.reason else {})})

    def __repr__(self) -> str:
        return f"RulesForm({self.title})"


def rebuild_rules(rules: Game, saved: Saved, building: object = None) -> RulesForm:
    """Return the rules of a saved run as a form; see `form.REPRESENTATIONS`.

    Raises:
        RunError: the fields are not those of a saved form.
    """
    check_fields("the saved form", saved.fields, _FIELDS)
    return RulesForm(rules, **saved.fields)
