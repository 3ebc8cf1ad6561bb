"""Base of all forms of a game, and the registry that rebuilds the form of a saved run."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import UnknownNameError, missing_reproductions
from tefuda.games.answers import calling_rules, payoffs_at
from tefuda.games.parameters import json_parameters
from tefuda.games.plays import play
from tefuda.games.protocol import CHANCE, Game
from tefuda.lazy import load_reference

_PLAYED = 100  # games that make a fingerprint

#: The class of each representation, a `Form`, as ``"module:name"``.
REPRESENTATIONS: dict[str, str] = {
    "tree": "tefuda.forms.tree:Tree",
    "partition": "tefuda.forms.partitions:Partition",
    "rules": "tefuda.forms.rules:RulesForm",
    "simulator": "tefuda.forms.simulate:Simulator",
    "hands": "tefuda.holdem.spots.compiled:CompiledSpot",
    "buckets": "tefuda.holdem.buckets.solver:HoldemBuckets",
    "referee": "tefuda.phantom.form:Referee",
    "keys": "tefuda_reproductions.koikoi.sampler:KeyedRounds",  # another distribution
}
#: The representations of runs whose strategies the page explores.
EXPLORED = ("tree", "partition", "hands", "buckets")


@dataclass(frozen=True)
class Saved:
    """The part of a form that a run saves: fields as JSON values, and arrays by name.

    >>> td.compile_game(td.load_game("kuhn")).saved()
    Saved(fields={}, arrays={})
    """

    fields: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)


class Size(NamedTuple):
    """The size of a form before it is built.

    Attributes:
        numbers: counts and times by name.
        bytes: memory of the form and of its solvers in bytes; None if it is limited while solving.
        limit: most bytes.
    """

    numbers: Mapping[str, float | None]
    bytes: float | None
    limit: float


class Form:
    """Base of every form of a game.

    game: the game, as `load_game` returns it, if known. tree: its tree, or None.
    representation: kind of form, a key of `REPRESENTATIONS`; methods list those that they accept.
    methods: the table of methods by name for this form, or its ``"module:name"``.
    method: name of the default method in that table.
    evaluator: the default evaluator's class, a function that returns one, or the ``"module:name"`` of either.

    >>> td.compile_game(td.load_game("kuhn")).representation
    'tree'
    """

    representation = ""
    methods: Any = "tefuda.solvers.runs.methods:METHODS"
    method = "ema"
    evaluator: Any = "tefuda.solvers.runs.evaluators:NoEvaluation"
    tree: Any = None
    game: Any = None

    @cached_property
    def name(self) -> str:
        """The game's name."""
        return str((self.game if self.tree is None else self.tree).name)

    @cached_property
    def players(self) -> int:
        """Number of players."""
        return int((self.game if self.tree is None else self.tree).players)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The arguments of `load_game` besides the name, as JSON values."""
        return json_parameters(self.game) if self.tree is None else dict(self.tree.parameters)

    @cached_property
    def fingerprint(self) -> str:
        """The tree's, or SHA-256 of a hundred random games: movers, views, actions, probabilities, payoffs."""
        return _fingerprint(self.game) if self.tree is None else str(self.tree.fingerprint)

    @property
    def title(self) -> str:
        """The name of the game with its parameters, ``"kuhn(players=2, ante=1)"``."""
        named = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{self.name}({named})" if named else str(self.name)

    def saved(self) -> Saved:
        """Return the data that `build` needs, besides the game, to rebuild this form."""
        return Saved()

    @classmethod
    def build(cls, game: Any, saved: Saved, building: Any = None) -> Form:
        """Return the form of a game.

        Args:
            game: the game, or its tree.
            saved: fields and arrays of the form; missing fields have their defaults.
            building: callback for progress, histories compiled or words, or None.

        Raises:
            RunError: the saved data are not those of a form of this game.
        """
        raise NotImplementedError(f"{cls.__name__} cannot be rebuilt from a run; give the form itself.")

    @classmethod
    def size_of(cls, game: Any, fields: Mapping[str, Any]) -> Size:
        """Return the size of the form of a game, with these fields, before it is built."""
        return Size({}, None, math.inf)

    @classmethod
    def require_room(cls, game: Any, fields: Mapping[str, Any]) -> None:
        """Raise SizeError if a form of a game, with these fields, needs more than the free memory."""

    @classmethod
    def default_method(cls, game: Any) -> str:
        """Return the name of the default method for a game, before the form is built."""
        return cls.method


def _fingerprint(rules: Game) -> str:
    """Return the fingerprint of rules without a tree, see `Form`."""
    digest, rng = hashlib.sha256(repr(rules.players).encode()), np.random.default_rng(0)
    with calling_rules(rules):
        for _ in range(_PLAYED):
            steps, end = play(rules, rng)
            for step in steps:
                digest.update(repr((step.player, step.action, step.probability)).encode())
                if step.player != CHANCE:
                    options = tuple(rules.actions(step.state))
                    digest.update(repr((rules.view(step.state, step.player), options)).encode())
            digest.update(repr(tuple(map(float, payoffs_at(rules, end)))).encode())
    return digest.hexdigest()


def form_class(representation: str) -> type[Form]:
    """Return the class of a representation.

    Raises:
        UnknownNameError: an unknown representation.
        InputError: the distribution of the representation is not installed.
    """
    if representation not in REPRESENTATIONS:
        raise UnknownNameError("representation", representation, REPRESENTATIONS)
    reference = REPRESENTATIONS[representation]
    try:
        kind: type[Form] = load_reference(reference)
    except ModuleNotFoundError as error:
        if error.name != reference.partition(".")[0]:
            raise
        raise missing_reproductions(f"the representation {representation!r}") from None
    return kind
