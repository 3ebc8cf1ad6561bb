"""The shape of the package (tests/layout.toml), and its drawing in docs/design.md.

``python -m tests.layout`` fails if the page shows another shape, and ``--write`` draws it.
"""

import argparse
import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "design.md"
LAYOUT = tomllib.loads((ROOT / "tests" / "layout.toml").read_text())

FLOORS = [floor.split() for floor in LAYOUT["floors"]]
WINGS = {room: [floor.split() for floor in floors.split("|")] for room, floors in LAYOUT["wings"].items()}
LIMITS: dict[str, int] = LAYOUT["limits"]


def drawn(page: str) -> str:
    """Return the page with the floors, the wings and the limits in the blocks below their titles."""
    blocks = {
        "Floors": LAYOUT["floors"],
        "Wings": [f"{room} {floors}" for room, floors in LAYOUT["wings"].items()],
        "Limits": [f"{name} {limit}" for name, limit in LIMITS.items()],
    }
    for title, lines in blocks.items():
        block = "\n".join(["```", *lines, "```"])
        page, count = re.subn(rf"^({title} \([^)]*\):\n\n)```\n.*?```", rf"\g<1>{block}", page, flags=re.M | re.S)
        if count != 1:
            sys.exit(f"{PAGE.name} has {count} blocks titled {title!r}.")
    return page


def check_page(path: Path, drawn: Callable[[str], str], module: str, about: str | None) -> int:
    """Return 1 if a page is not as drawn; with ``--write`` draw it. module: name of the command."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=about)
    parser.add_argument("--write", action="store_true", help=f"write docs/{path.name}")
    page = path.read_text()
    if parser.parse_args().write:
        path.write_text(drawn(page))
    elif drawn(page) != page:
        print(f"docs/{path.name} is out of date: run python -m {module} --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(check_page(PAGE, drawn, "tests.layout", __doc__))
