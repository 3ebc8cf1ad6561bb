"""The API reference: one page for each topic, every public name on one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import tefuda
from tefuda import holdem, koikoi

# A public name is on the page with the longest prefix of its module.
TOPICS = {
    "games": ("Games", ("games", "forms.compile", "forms.tree", "forms.rules")),
    "forms": ("Forms of a game", ("forms",)),
    "solving": ("Solving", ("solvers", "solvers.runs")),
    "methods": ("Methods", ("solvers.exact", "solvers.sampled", "solvers.learned", "solvers.deep")),
    "evaluation": (
        "Evaluation",
        ("evaluating", "solvers.runs.evaluators", "exploiting.bounds", "exploiting.evaluator"),
    ),
    "matches": ("Matches and agents", ("playing", "exploiting.roster")),
    "exploiting": ("Exploiting opponents", ("exploiting",)),
    "resolving": ("Re-solving", ("resolving",)),
    "abstraction": ("Abstraction", ("abstracting", "games.abstract", "games.translation", "forms.partitions")),
    "exchange": ("Pictures and other programs", ("apps", "games.efg", "games.openspiel")),
    "errors": ("Errors", ("errors",)),
}
PACKAGES = {"holdem": ("Texas hold'em", holdem), "koikoi": ("Koi-Koi", koikoi)}


def topic_of(module: str) -> str:
    """Return the topic of a module's public names."""
    fitting = [
        (len(prefix), topic)
        for topic, (_, prefixes) in TOPICS.items()
        for prefix in prefixes
        if f"{module}.".startswith(f"{prefix}.")
    ]
    return max(fitting)[1]


def page_text(title: str, package: str, names: Mapping[str, str]) -> str:
    """Return a page that documents names, each of a module relative to a package."""
    entries = (f"::: tefuda.{module}.{name}\n" for name, module in sorted(names.items()))
    return "\n".join([f"# {title}\n", f"Names of `{package}`, in alphabetical order.\n", *entries])


def homes_of(package: object, prefix: str = "") -> dict[str, str]:
    """Return the module of each public name of a package."""
    return {name: prefix + module for module, names in package._HOMES.items() if module for name in names.split()}  # type: ignore[attr-defined]


def reference_pages() -> Iterator[tuple[str, str]]:
    """Yield the path and text of each page."""
    homes = homes_of(tefuda)
    for topic, (title, _) in TOPICS.items():
        names = {name: module for name, module in homes.items() if topic_of(module) == topic}
        yield f"api/{topic}.md", page_text(title, "tefuda", names)
    for name, (title, package) in PACKAGES.items():
        yield f"api/{name}.md", page_text(title, f"tefuda.{name}", homes_of(package, f"{name}."))
