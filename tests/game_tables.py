"""Tables of docs/games.md: names in papers, and sizes of the literature's games.

``python -m tests.game_tables`` fails if the page has other tables, and ``--write`` writes them.
"""

import json
import re
import sys
from pathlib import Path

from tefuda.games.catalogue import paper_games
from tests.layout import check_page
from tests.literature import ROWS, Row

PAGE = Path(__file__).parent.parent / "docs" / "games.md"


def parameters_text(parameters: dict) -> str:
    """Return parameters as in a call."""
    texts = (
        f"{name}={json.dumps(value) if isinstance(value, (list, bool)) else value}"
        for name, value in parameters.items()
    )
    return ", ".join(texts).replace("true", "True").replace("false", "False")


def names_table() -> list[str]:
    """Return the lines of the table of names."""
    lines = ["| name | game | parameters | source |", "|---|---|---|---|"]
    for name, paper in paper_games().items():
        given = f"`{parameters_text(paper.parameters)}`" if paper.parameters else ""
        source = f"`{paper.source}`" if paper.source.islower() else paper.source
        lines.append(f"| `{name}` | `{paper.game}` | {given} | {source} |")
    return [line.replace("|  |", "| |") for line in lines]


def sizes_table() -> list[str]:
    """Return the lines of the table of sizes, with histories as they are counted here."""
    lines = [
        "| game | parameters | histories | ends | infosets | value to player 0 | uniform play |",
        "|---|---|---|---|---|---|---|",
    ]
    for entry in ROWS:
        row = entry if isinstance(entry, Row) else entry.values[0]
        given = f"`{parameters_text(row.parameters)}`" if row.parameters else ""
        infosets = " + ".join(f"{count:,}" for count in row.infosets)
        value = "" if row.value is None else str(row.value)
        uniform = f"{float(row.uniform[0]):.6f}".rstrip("0").rstrip(".")
        histories = f"{row.histories - row.dealing:,}"
        lines.append(f"| `{row.name}` | {given} | {histories} | {row.ends:,} | {infosets} | {value} | {uniform} |")
    return [line.replace("|  |", "| |") for line in lines]


def drawn(page: str) -> str:
    """Return the page with both tables, each the first table after its heading."""
    for heading, lines in (("### Names in papers", names_table()), ("### Sizes of these games", sizes_table())):
        pattern = rf"({re.escape(heading)}\n[^|]*?)\n\|.*?\n(?!\|)"
        page, count = re.subn(pattern, lambda match, lines=lines: "\n".join([match[1], *lines, ""]), page, flags=re.S)
        if count != 1:
            sys.exit(f"{PAGE.name} has {count} tables after {heading!r}.")
    return page


if __name__ == "__main__":
    sys.exit(check_page(PAGE, drawn, "tests.game_tables", __doc__))
