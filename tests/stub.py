"""What type checkers are told of the lazy public names: ``python -m tests.stub`` writes ``__init__.pyi`` anew."""

from pathlib import Path

import tefuda as td

FILE = Path(td.__file__).with_suffix(".pyi")


def stub() -> str:
    """The stub that says where each public name is defined."""
    lines = [f"from tefuda.{home} import {name} as {name}" for home, names in td._HOMES.items() for name in names]
    return "\n".join(["# Written by `python -m tests.stub` from _HOMES in __init__.py.", "", *sorted(lines), "",
                      "__version__: str", f"__all__ = {td.__all__!r}", ""]).replace("'", '"')  # fmt: skip


if __name__ == "__main__":
    FILE.write_text(stub())
