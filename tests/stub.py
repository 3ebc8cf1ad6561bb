"""Types of the lazy public names: ``python -m tests.stub`` writes each ``__init__.pyi``."""

from pathlib import Path
from types import ModuleType

import tefuda as td

#: Packages with a face: names that are loaded on first use.
PACKAGES = (td, *(getattr(td, name) for name in td._HOMES[""].split() if name != "errors"))


def file_of(package: ModuleType) -> Path:
    return Path(package.__file__).with_suffix(".pyi")


def stub(package: ModuleType) -> str:
    """The stub that says where each public name is defined."""
    homes = [(f"{package.__name__}.{home}".removesuffix("."), names) for home, names in package._HOMES.items()]
    lines = [f"from {home} import {name} as {name}" for home, names in homes for name in names.split()]
    own = ["__version__: str"] if "__version__" in package.__all__ else []
    return "\n".join(["# Written by `python -m tests.stub` from _HOMES in __init__.py.", "", *sorted(lines), "",
                      *own, f"__all__ = {package.__all__!r}", ""]).replace("'", '"')  # fmt: skip


if __name__ == "__main__":
    for package in PACKAGES:
        file_of(package).write_text(stub(package))
