"""One game or one method, explained: what it is, its parameters, its source, and a command to begin with."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Any

from tefuda.errors import TefudaError, UnknownNameError

#: The source of each game, by the keys of docs/references.md.
GAME_SOURCES = {
    "goofspiel": "ross1971",
    "kuhn": "kuhn1950",
    "leduc": "southey2005",
    "nolimit_leduc": "li2019",
}
#: The source of each method.
METHOD_SOURCES = {
    "cfr": "zinkevich2007",
    "cfr+": "tammelin2014",
    "cfr+quadratic": "brown2019",
    "lcfr": "brown2019",
    "dcfr": "brown2019",
    "dcfr+": "xu2024",
    "pcfr+": "farina2021",
    "sapcfr+": "meng2025",
    "p2pcfr+": "meng2025",
    "pdcfr+": "xu2024",
    "hs-dcfr": "zhang2024",
    "hs-pcfr+": "zhang2024",
    "cfr-br": "johanson2012",
    "lp": "vonstengel1996",
    "xfp": "heinrich2015",
    "fsp": "heinrich2015",
    "chance": "zinkevich2007",
    "external": "lanctot2009",
    "outcome": "lanctot2009",
    "robust": "li2019",
    "average-strategy": "gibson2012",
    "mccfr+": "tammelin2014",
    "vr-mccfr": "schmid2019",
    "oos": "lisy2015",
    "nfsp": "heinrich2016",
    **{f"nfsp-{letter}": "kawamura2018" for letter in "abcd"},
    "deep-cfr": "brown2019deep",
    "sd-cfr": "steinberger2019",
    "double-neural": "li2019",
    "double-neural-held": "li2019",
    "vr-deep-dcfr+": "xu2026",
    "vr-deep-pdcfr+": "xu2026",
    "dream": "steinberger2020",
    "escher": "mcaleer2022",
    "ppo": "schulman2017",
    "mmd": "sokota2023",
}
#: Commands for games that need input.
_EXAMPLES = {
    "efg": "tefuda solve efg --path kuhn.efg",
    "matrix": 'tefuda solve matrix --payoffs "[[3, -1], [-1, 1]]"',
    "minikoi": "tefuda solve mini8",
    "openspiel": "tefuda solve openspiel:kuhn_poker",
}


def arguments_of(thing: Callable[..., Any]) -> dict[str, str]:
    """The meaning of each argument, from the section ``Args:`` of a docstring; one line each."""
    _, _, section = (inspect.getdoc(thing) or "").partition("\nArgs:\n")
    section = re.split(r"\n(?=\S)", section)[0]
    words = " ".join(line.strip() if line.startswith("     ") else f"\n{line.strip()}" for line in section.split("\n"))
    name = "|".join(inspect.signature(thing).parameters)
    starts = list(re.finditer(rf"(?:\n|; )((?:{name})(?:, (?:{name}))*): ", words))
    ends = [match.start() for match in starts[1:]] + [len(words)]
    return {
        one: words[match.end() : end].strip()
        for match, end in zip(starts, ends, strict=False)  # without arguments there is an end alone
        for one in match[1].split(", ")
    }


def about(thing: object) -> str:
    """A docstring up to its first section or example."""
    text = inspect.getdoc(thing) or ""
    return re.split(r"\n(?:Args|Returns|Raises):\n|\n>>> ", text)[0].strip()


def explain_game(name: str) -> dict[str, Any]:
    """The explanation of a game that `tefuda games NAME` prints.

    Raises:
        UnknownNameError: there is no such game.
    """
    from tefuda.games.catalogue import find_constructor, load_game
    from tefuda.games.size import estimate_game, free_memory

    make, empty = find_constructor(name), inspect.Parameter.empty
    meanings = arguments_of(make)
    found: dict[str, Any] = {
        "name": name,
        "about": about(make),
        "parameters": {
            one.name: {
                "default": None if one.default is empty else one.default,
                "needed": one.default is empty and one.kind is not one.VAR_KEYWORD,
                "meaning": meanings.get(one.name, ""),
            }
            for one in inspect.signature(make).parameters.values()
        },
        "source": GAME_SOURCES.get(name),
        "example": _EXAMPLES.get(name, f"tefuda solve {name}"),
    }
    try:
        rules = load_game(name)
        size = estimate_game(rules)
    except TefudaError:  # it needs input
        return found
    if size.bytes > free_memory():
        found["example"] = f"tefuda play {name}"
    return {**found, "players": rules.players, "size": str(size), "actions": _legend(rules)}


def _legend(rules: Any) -> str:
    """The words behind labels that a few random games show."""
    import numpy as np

    from tefuda.games.legend import legend, legend_text
    from tefuda.games.playthrough import play

    rng, known = np.random.default_rng(0), list[tuple[int, Any]]()
    for _ in range(30):
        steps = [step for step in play(rules, rng)[0] if step.player >= 0]
        known += [(step.player, rules.view(step.state, step.player)) for step in steps]
    return legend_text(legend(rules, known))


def _meaning(kind: type, field: str) -> str:
    """The meaning of a dataclass's field, from its docstring or that of a base."""
    told = (arguments_of(one).get(field, "") for one in kind.__mro__ if is_dataclass(one))
    return next(filter(None, told), "")


def explain_method(name: str) -> dict[str, Any]:
    """The explanation of a method that `tefuda methods NAME` prints.

    Raises:
        UnknownNameError: there is no such method.
    """
    from tefuda.settings import known
    from tefuda.solvers.runs.methods import METHODS

    if name not in METHODS:
        raise UnknownNameError("method", name, METHODS)
    method = METHODS[name]
    given, places = method.parameters(), known(type(method))
    idle = {
        name: " or ".join(dict.fromkeys(f"--{one.needs[0]} {one.needs[1]}" for one in stands if one.needs))
        for name, stands in places.items()
        if all(one.needs and given.get(one.needs[0]) != one.needs[1] for one in stands)
    }
    meanings = {name: _meaning(stands[0].kind, stands[0].field) for name, stands in places.items()}
    return {
        "name": name,
        "about": about(type(method)),
        "parameters": {
            field: {"default": value, "needed": False, "meaning": meanings[field]}
            for field, value in given.items()
            if field != "name"
        }
        | {
            field: {"default": None, "needed": False, "meaning": f"(with {with_}) {meanings[field]}"}
            for field, with_ in idle.items()
        },
        "source": METHOD_SOURCES.get(name),
        "unit": method.unit,
        "answer": method.answer,
        "extra": method.extra,
        "example": f"tefuda solve kuhn --method {name}",
    }
