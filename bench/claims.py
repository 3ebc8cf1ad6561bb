"""Every published table and claim beside ours: runs the experiments and writes docs/claims.md.

    python -m bench.claims                     all of them; runs and matches that are in runs/claims are not made again
    python -m bench.claims kuhn-cfr ...        only these, the rest of the page as it was
    python -m bench.claims --page              only the page, from bench/results/claims

Each experiment's figures are kept in bench/results/claims/NAME.json, its picture beside them, and make the page.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from bench.pairs import write_section
from tefuda.apps.display.progress import notifying
from tefuda.apps.plot import plot_panels
from tefuda.papers.catalogue import PAPERS

ROOT = Path(__file__).parent.parent
KEPT, PAGE = ROOT / "bench" / "results" / "claims", ROOT / "docs" / "claims.md"
#: What is not as the experiment has it by itself.
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
#: Experiments whose first table another page has, too, between marks of their name.
ALSO_ON = {"limit-three": "docs/holdem.md"}
HEAD = """# Published tables and claims, beside ours

Made by `make claims`, not by hand. A number with a star is farther from the published one than its table allows; what
follows ± is said below the table. A claim is *met*, *not met*, or *not evaluated* (an opinion, or a claim that nothing
here can decide).
"""


def experiment(name: str) -> None:
    """Run one and keep its figures and its picture."""
    with notifying(name) as notify:
        table = PAPERS[name](notify, **OPTIONS.get(name, {}))
    KEPT.mkdir(parents=True, exist_ok=True)
    keep(name, table.summary())
    plot_panels(table.panels, KEPT / f"{name}.png", title=table.title)


def keep(name: str, found: dict[str, Any]) -> None:
    """Write an experiment's figures."""
    text = json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)
    (KEPT / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def kept() -> dict[str, dict[str, Any]]:
    """All figures there are, in the order of the list of experiments."""
    files = {name: KEPT / f"{name}.json" for name in PAPERS}
    return {name: json.loads(file.read_text(encoding="utf-8")) for name, file in files.items() if file.exists()}


def page(found: dict[str, dict[str, Any]]) -> str:
    """The page."""
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
    columns = ("name", "what", "published", "ours", "condition", "status")
    claims = [[claim[column] for column in columns] for claim in found["claims"]]
    lines += [_table(["", "claim", "published", "ours", "met if", "status"], claims)]
    lines += [f"- {note}" for note in found["notes"]]
    if (KEPT / f"{name}.png").exists():
        lines += ["", f"![{found['title']}](../bench/results/claims/{name}.png)"]
    return "\n".join([*lines, ""])


def first_table(found: dict[str, Any]) -> str:
    """An experiment's first table, as `ALSO_ON` another page."""
    return _table(**found["tables"][0]["shown"]).rstrip("\n")


def _command(name: str) -> str:
    """What runs an experiment so; where it keeps its runs is all the same."""
    given = [f"--{option} {value}" for option, value in OPTIONS.get(name, {}).items() if option != "folder"]
    return " ".join(["tefuda reproduce", name, *given])


def _link(name: str) -> str:
    return f"[{name}](#{name})"


def _table(heads: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def main(names: list[str]) -> None:
    """Run what is asked for and write the page."""
    for name in [] if names == ["--page"] else names or PAPERS:
        experiment(name)
    found = kept()
    PAGE.write_text(page(found), encoding="utf-8")
    for name, other in ALSO_ON.items():
        write_section(name, first_table(found[name]), str(ROOT / other))


if __name__ == "__main__":
    main(sys.argv[1:])
