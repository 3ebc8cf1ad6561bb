"""The API reference: one page for each package with public names, and one for errors."""

from __future__ import annotations

from collections.abc import Iterator

import tefuda
from tefuda import errors

#: Titles of pages by package; the others are named as their packages are.
TITLES = {
    "tefuda": "Names of tefuda", "abstracting": "Abstraction", "apps": "Drawings",
    "correlating": "Correlation devices", "evaluating": "Evaluation", "exchange": "Other programs",
    "exploiting": "Exploiting opponents", "forms": "Forms of a game", "games": "Games", "holdem": "Texas hold'em",
    "koikoi": "Koi-Koi", "phantom": "Phantom games", "playing": "Matches and agents", "resolving": "Re-solving",
    "solvers": "Methods and runs",
}  # fmt: skip


def page_text(title: str, package: str, homes: dict[str, str]) -> str:
    """Return a page that documents names, each of a module."""
    entries = (f"::: {module}.{name}\n" for name, module in sorted(homes.items()))
    return "\n".join([f"# {title}\n", f"Names of `{package}`, in alphabetical order.\n", *entries])


def homes_of(package: object) -> dict[str, str]:
    """Return the module of each public name of a package but errors."""
    homes, root = package._HOMES.items(), package.__name__  # type: ignore[attr-defined]
    return {
        name: f"{root}.{module}" for module, names in homes if module not in ("", "errors") for name in names.split()
    }


def reference_pages() -> Iterator[tuple[str, str]]:
    """Yield the path and text of each page."""
    classes = {name: errors.__name__ for name, one in vars(errors).items() if _is_error(one)}
    for name, title in TITLES.items():
        package = tefuda if name == "tefuda" else getattr(tefuda, name)
        yield f"api/{name}.md", page_text(title, package.__name__, homes_of(package))
    yield "api/errors.md", page_text("Errors", errors.__name__, classes)


def _is_error(one: object) -> bool:
    return isinstance(one, type) and issubclass(one, errors.TefudaError)
