"""Base of all forms of a game, and the registry that rebuilds the form of a saved run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tefuda.errors import UnknownNameError, missing_reproductions
from tefuda.lazy import load_reference

#: The function that rebuilds each representation: ``rebuild(rules, saved, building)`` returns a form. rules: the game's
#: rules, or its tree. saved: a `Saved`. building: a callback for progress, histories compiled or words, or None.
REPRESENTATIONS: dict[str, str] = {
    "tree": "tefuda.forms.compile:rebuild_tree",
    "partition": "tefuda.forms.partition:rebuild_partition",
    "rules": "tefuda.forms.uncompiled:rebuild_rules",
    "simulator": "tefuda.forms.rules_simulator:rebuild_simulator",
    "hands": "tefuda.holdem.spots.compiled:rebuild_spot",
    "buckets": "tefuda.holdem.limit.solver:rebuild_buckets",
    "keys": "tefuda_reproductions.koikoi.sampler:rebuild_rounds",  # another distribution
}


@dataclass(frozen=True)
class Saved:
    """The part of a form that a run saves: fields as JSON values, and arrays by name.

    >>> td.compile_game(td.load_game("kuhn")).saved()
    Saved(fields={}, arrays={})
    """

    fields: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)


class Form:
    """Base of every form of a game.

    representation: kind of form, a key of `REPRESENTATIONS`; methods list those that they accept.
    methods: ``"module:name"`` of the table of methods by name for this form.
    method: name of the default method in that table.
    evaluator: ``"module:name"`` of the default evaluator, or of a function that returns one.

    >>> td.compile_game(td.load_game("kuhn")).representation
    'tree'
    """

    representation = ""
    methods = "tefuda.solvers.runs.methods:METHODS"
    method = "ema"
    evaluator = "tefuda.solvers.runs.evaluators:NoEvaluation"

    @property
    def game(self) -> Any:
        """The game: name, players, parameters, title, rules, and a fingerprint of the rules."""
        return self

    @property
    def title(self) -> str:
        """The name of the game with its parameters, ``"kuhn(players=2, ante=1)"``."""
        named = ", ".join(f"{name}={value!r}" for name, value in self.game.parameters.items())
        return f"{self.game.name}({named})" if named else str(self.game.name)

    def saved(self) -> Saved:
        """Return the data that `REPRESENTATIONS` needs, besides the rules, to rebuild this form."""
        return Saved()


def rebuilt(representation: str, rules: Any, saved: Saved, building: Any = None) -> Form:
    """Return a saved form; see `REPRESENTATIONS`.

    Raises:
        UnknownNameError: an unknown representation.
        InputError: the distribution of the representation is not installed.
    """
    if representation not in REPRESENTATIONS:
        raise UnknownNameError("representation", representation, REPRESENTATIONS)
    reference = REPRESENTATIONS[representation]
    try:
        rebuild = load_reference(reference)
    except ModuleNotFoundError as error:
        if error.name != reference.partition(".")[0]:
            raise
        raise missing_reproductions(f"the representation {representation!r}") from None
    form: Form = rebuild(rules, saved, building)
    return form
