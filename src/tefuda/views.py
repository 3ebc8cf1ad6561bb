"""Representations of results: repr, JSON, data frame, notebook."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tefuda.errors import MissingExtraError
from tefuda.lazy import load_reference

#: Functions that display results, as "module:name"; `tefuda` registers them. They are loaded on first use.
VIEWERS: dict[str, str] = {}


class Displayable:
    """Base class of results that notebooks display as tables and figures."""

    def _repr_html_(self) -> str:
        return load_reference(VIEWERS["html"])(self)


class Plottable(Displayable):
    """Base class of results with a curve."""

    def plot(self, path: str | Path | None = None, *, title: str = "") -> Any:
        """Draw the curve with matplotlib (extra ``plot``); `td.plot` draws several in one figure.

        Args:
            path: see `td.plot`.
            title: see `td.plot`.

        Raises:
            MissingExtraError: matplotlib is not installed.
            ParameterError: the curve has no values, or the file cannot be written.
        """
        return load_reference(VIEWERS["plot"])(self, path, title=title)


def short_repr(value: Any) -> str:
    """Return a repr of a dataclass in one line, with types, shapes and lengths of large fields."""
    shown = (field.name for field in dataclasses.fields(value) if field.repr and not field.name.startswith("_"))
    inside = ", ".join(f"{name}={_brief(getattr(value, name))}" for name in shown)
    return f"{type(value).__name__}({inside})"


def _brief(value: Any) -> str:
    if hasattr(value, "dtype") and value.shape:
        return f"{value.dtype}[{', '.join(map(str, value.shape))}]"
    if isinstance(value, (tuple, list, dict)) and len(value) > 6:
        return f"<{len(value):,} items>"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def finite_json(content: Any) -> Any:
    """Return a JSON value whose numbers that are not finite are None."""
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, dict):
        return {name: finite_json(value) for name, value in content.items()}
    return [finite_json(value) for value in content] if isinstance(content, (list, tuple)) else content


def data_frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return a pandas data frame of columns; raise MissingExtraError if pandas is not installed."""
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("frame", "a data frame") from None
    return pandas.DataFrame(columns)
