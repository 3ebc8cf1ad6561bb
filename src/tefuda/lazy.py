"""Lazy loading of public names."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def load_reference(reference: Any) -> Any:
    """Return the object that ``"module:name"`` refers to; anything but a text is the object itself."""
    if not isinstance(reference, str):
        return reference
    module, _, name = reference.partition(":")
    return getattr(importlib.import_module(module), name)


def public_names(
    package: str, homes: Mapping[str, str], *own: str
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` of a package that loads its names on first use.

    Args:
        package: name of the package.
        homes: names that each module of the package defines, separated by spaces; under "", packages inside it, which
            are not names of `__all__`.
        own: names defined by the package itself.
    """
    home = {name: module for module, names in homes.items() for name in names.split()}
    listed = sorted([*home, *own])
    names = [name for name in listed if home.get(name) != ""]

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = importlib.import_module(f"{package}.{home[name] or name}")
        value = getattr(module, name) if home[name] else module
        setattr(sys.modules[package], name, value)
        return value

    return names, load, lambda: listed
