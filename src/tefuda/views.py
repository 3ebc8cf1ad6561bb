"""Results as a short line, as a data frame, in a notebook."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tefuda.errors import MissingExtraError
from tefuda.lazy import load_reference

#: Functions that show results, as "module:name": `tefuda` registers them, and they are loaded when first used.
VIEWERS: dict[str, str] = {}


class Displayable:
    """Results that notebooks show as tables and pictures."""

    def _repr_html_(self) -> str:
        return load_reference(VIEWERS["html"])(self)


class Plottable(Displayable):
    """Results with a curve."""

    def plot(self, path: str | Path | None = None, *, title: str = "") -> Any:
        """Draw the curve with matplotlib (extra ``plot``); `td.plot` draws several in one picture.

        Args:
            path: see `td.plot`.
            title: see `td.plot`.

        Raises:
            MissingExtraError: matplotlib is not installed.
            ParameterError: the curve has no figures, or the file cannot be written.
        """
        return load_reference(VIEWERS["plot"])(self, path, title=title)


def short_repr(thing: Any) -> str:
    """Return a dataclass in a line, with types, shapes and lengths of large fields."""
    named = (one for one in dataclasses.fields(thing) if one.repr and not one.name.startswith("_"))
    inside = ", ".join(f"{one.name}={_brief(getattr(thing, one.name))}" for one in named)
    return f"{type(thing).__name__}({inside})"


def _brief(value: Any) -> str:
    if hasattr(value, "dtype") and value.shape:
        return f"{value.dtype}[{', '.join(map(str, value.shape))}]"
    if isinstance(value, (tuple, list, dict)) and len(value) > 6:
        return f"<{len(value):,} of them>"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def data_frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return columns as a data frame of pandas; raise MissingExtraError if it is not installed."""
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("frame", "a data frame") from None
    return pandas.DataFrame(columns)
