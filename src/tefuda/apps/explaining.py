"""Explanations of games and methods: parameters, source, and an example."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Any

from tefuda.errors import TefudaError, UnknownNameError

#: Examples for games that need input.
_EXAMPLES = {
    "efg": "tefuda solve efg --path kuhn.efg",
    "matrix": 'tefuda solve matrix --payoffs "[[3, -1], [-1, 1]]"',
    "minikoi": "tefuda solve mini8",
    "nfg": "tefuda solve nfg --path rps.nfg",
    "openspiel": "tefuda solve openspiel:kuhn_poker",
}


def arguments_of(function: Callable[..., Any]) -> dict[str, str]:
    """Return the meaning of each argument, from the section ``Args:`` or ``Attributes:`` of a docstring.

    A constructor whose options are those of a class names it in its attribute ``settings``.
    """
    section = re.split(r"\n(?:Args|Attributes):\n", inspect.getdoc(function) or "", maxsplit=1)[-1]
    section = re.split(r"\n(?=\S)", section)[0]
    words = " ".join(line.strip() if line.startswith("     ") else f"\n{line.strip()}" for line in section.split("\n"))
    name = "|".join(inspect.signature(function).parameters)
    starts = list(re.finditer(rf"(?:\n|; )((?:{name})(?:, (?:{name}))*): ", words))
    ends = [match.start() for match in starts[1:]] + [len(words)]
    return _option_meanings(getattr(function, "settings", None)) | {
        argument: words[match.end() : end].partition("\n")[0].strip()
        for match, end in zip(starts, ends, strict=False)  # without arguments there are no starts
        for argument in match[1].split(", ")
    }


def about(value: object) -> str:
    """Return a docstring up to its first section or example."""
    text = inspect.getdoc(value) or ""
    return re.split(r"\n(?:Args|Returns|Raises):\n|\n>>> ", text)[0].strip()


def explain_game(name: str) -> dict[str, Any]:
    """Return the explanation of a game that `tefuda games NAME` prints."""
    from tefuda.games.catalogue import find_constructor, load_game, source_of
    from tefuda.games.size import estimate_game, free_memory

    make, empty = find_constructor(name), inspect.Parameter.empty
    meanings = arguments_of(make)
    explanation: dict[str, Any] = {
        "name": name,
        "about": about(make),
        "parameters": {
            parameter.name: {
                "default": None if parameter.default is empty else parameter.default,
                "needed": parameter.default is empty and parameter.kind is not parameter.VAR_KEYWORD,
                "meaning": meanings.get(parameter.name, ""),
            }
            for parameter in inspect.signature(make).parameters.values()
        },
        "source": source_of(name) or None,
        "example": _EXAMPLES.get(name, f"tefuda solve {name}"),
    }
    try:
        rules = load_game(name)
        size = estimate_game(rules)
    except TefudaError:  # the game needs input
        return explanation
    if size.bytes > free_memory():
        explanation["example"] = f"tefuda play {name}"
    return {**explanation, "players": rules.players, "size": str(size), "actions": _legend(rules)}


def _legend(rules: Any) -> str:
    """Return the meaning of action labels, from a few random games."""
    import numpy as np

    from tefuda.games.legend import legend, legend_text
    from tefuda.games.plays import play

    rng, decisions = np.random.default_rng(0), list[tuple[int, Any]]()
    for _ in range(30):
        steps = [step for step in play(rules, rng)[0] if step.player >= 0]
        decisions += [(step.player, rules.view(step.state, step.player)) for step in steps]
    return legend_text(legend(rules, decisions))


def _option_meanings(kind: type | None) -> dict[str, str]:
    """Return the meaning of each option of a dataclass, for all selections."""
    from tefuda.settings import option_fields

    places = option_fields(kind) if kind else {}
    return {name: _meaning(alternatives[0].kind, alternatives[0].field) for name, alternatives in places.items()}


def _meaning(kind: type, field: str) -> str:
    """Return the meaning of a field, from the docstring of its dataclass or of a base."""
    meanings = (arguments_of(base).get(field, "") for base in kind.__mro__ if is_dataclass(base))
    return next(filter(None, meanings), "")


def explain_method(name: str) -> dict[str, Any]:
    """Return the explanation of a method that `tefuda methods NAME` prints."""
    from tefuda.settings import option_fields
    from tefuda.solvers.runs.methods import METHODS

    if name not in METHODS:
        raise UnknownNameError("method", name, METHODS)
    method = METHODS[name]
    defaults, settings = method.parameters(), option_fields(type(method))
    conditional = {
        name: " or ".join(
            dict.fromkeys(f"--{setting.needs[0]} {setting.needs[1]}" for setting in alternatives if setting.needs)
        )
        for name, alternatives in settings.items()
        if all(setting.needs and defaults.get(setting.needs[0]) != setting.needs[1] for setting in alternatives)
    }
    meanings = _option_meanings(type(method))
    rows = [(field, value, "") for field, value in defaults.items() if field != "name"]
    rows += [(field, None, f"(with {choice}) ") for field, choice in conditional.items()]
    return {
        "name": name,
        "about": about(type(method)),
        "parameters": {
            field: {"default": value, "needed": False, "meaning": with_what + meanings[field]}
            for field, value, with_what in rows
        },
        "source": method.source or None,
        "unit": method.unit,
        "reported": method.reported,
        "extra": method.extra,
        "example": f"tefuda solve {method.example} --method {name}",
    }
