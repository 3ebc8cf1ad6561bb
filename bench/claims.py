"""Published tables and claims compared with ours: runs the experiments and writes their page.

    python -m bench.claims                     all experiments; runs and matches in runs/claims are reused
    python -m bench.claims kuhn-cfr ...        only these experiments; the rest of the page is unchanged
    python -m bench.claims --render            only the page, from bench/results/claims

The page, reproductions/docs/claims.md, is made from the figures in bench/results/claims/NAME.json and the pictures in
the same folder.
"""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

from bench.pairs import stamp, write_section
from tefuda.apps.display.progress import notifying
from tefuda.apps.plot import plot_panels
from tefuda_reproductions.catalogue import PAPERS

ROOT = Path(__file__).parent.parent
RESULTS, PAGE = ROOT / "bench" / "results" / "claims", ROOT / "reproductions" / "docs" / "claims.md"
#: Options that differ from the defaults of the experiments.
OPTIONS: dict[str, dict[str, Any]] = {
    "koikoi-questions": {
        "deals": 1000, "whole": 60, "budget": 1000, "walks": 150_000, "rounds": 1_000_000, "games": 200_000
    },
    "limit-three": {"deals": 5000, "iterations": 1_500_000, "folder": "runs/claims/limit-three"},
    "nfsp-exploration": {"folder": "runs/claims"},
    "limit-nfsp": {
        "games": 10_000_000, "deals": 6000, "hands": 2000, "walks": 4_000_000, "folder": "runs/claims/limit-nfsp"
    },
}  # fmt: skip
#: Experiments whose first table is also on another page, between marks with the experiment's name.
ALSO_ON = {"limit-three": "reproductions/docs/limit.md"}
HEAD = """# Published tables and claims

This page compares published tables and claims with our figures.
`make claims` writes it; do not edit it by hand.

- A star marks a number that differs from the published one by more than the table's tolerance.
- The meaning of ± is stated below each table.
- A claim is *met*, *not met*, or *not evaluated*: an opinion, or a claim that is not decided here.
"""


def experiment(name: str) -> None:
    """Run an experiment and save its figures and its picture."""
    with notifying(name) as notify:
        table = PAPERS[name](notify, **OPTIONS.get(name, {}))
    RESULTS.mkdir(parents=True, exist_ok=True)
    save(name, table.summary())
    plot_panels(table.panels, RESULTS / f"{name}.png", title=table.title)


def save(name: str, found: dict[str, Any]) -> None:
    """Save the figures of an experiment, with version and date."""
    text = json.dumps({**stamp(), **found}, indent=1, ensure_ascii=False, allow_nan=False)
    (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def saved() -> dict[str, dict[str, Any]]:
    """Return all saved figures, in the order of the catalogue."""
    files = {name: RESULTS / f"{name}.json" for name in PAPERS}
    return {name: json.loads(file.read_text(encoding="utf-8")) for name, file in files.items() if file.exists()}


def page(found: dict[str, dict[str, Any]]) -> str:
    """Return the page."""
    rows = [[_link(name), (one["source"] or {}).get("key", ""), one["score"]] for name, one in found.items()]
    parts = [HEAD, _table(["experiment", "source", "result"], rows)]
    return "\n".join([*parts, *(_section(name, one) for name, one in found.items())])


def _section(name: str, found: dict[str, Any]) -> str:
    lines = [f"## {name}", ""]
    if found["source"]:
        lines += [f"**{found['source']['key']}**: {found['source']['cite']}", ""]
    lines += [f"{found['title']}. `{_command(name)}`, {PAPERS[name].time}.", ""]
    for one in found["tables"]:
        said = f"; ± {one['error_is']}" if one["error_is"] else ""
        lines += [f"**{one['name']}.** {one['title']}", "", _table(**one["shown"]), f"{one['score']}{said}", ""]
    columns = ("name", "claim", "published", "ours", "condition", "status")
    claims = [[claim[column] for column in columns] for claim in found["claims"]]
    lines += [_table(["", "claim", "published", "ours", "met if", "status"], claims)]
    lines += [f"- {note}" for note in found["notes"]]
    if (RESULTS / f"{name}.png").exists():
        lines += ["", f"![{found['title']}](../../bench/results/claims/{name}.png)"]
    return "\n".join([*(part for line in lines for part in _wrapped(line)), ""])


def _wrapped(line: str) -> list[str]:
    """Wrap prose at 100 columns; tables, headings, pictures and empty lines stay."""
    if not line or line.startswith(("|", "#", "!")):
        return [line]
    indent = "  " if line.startswith("- ") else ""
    return textwrap.wrap(line, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def first_table(found: dict[str, Any]) -> str:
    """Return the first table of an experiment, for another page (`ALSO_ON`)."""
    return _table(**found["tables"][0]["shown"]).rstrip("\n")


def _command(name: str) -> str:
    """Return the command that runs an experiment with these options, without the folder."""
    given = [f"--{option} {value}" for option, value in OPTIONS.get(name, {}).items() if option != "folder"]
    return " ".join(["tefuda reproduce", name, *given])


def _link(name: str) -> str:
    return f"[{name}](#{name})"


def _table(heads: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def main(names: list[str]) -> None:
    """Run the named experiments and write the page."""
    for name in [] if names == ["--render"] else names or PAPERS:
        experiment(name)
    found = saved()
    PAGE.write_text(page(found), encoding="utf-8")
    for name, other in ALSO_ON.items():
        write_section(name, first_table(found[name]), str(ROOT / other))


if __name__ == "__main__":
    main(sys.argv[1:])
