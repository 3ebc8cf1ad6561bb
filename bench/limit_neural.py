"""NFSP at heads-up limit hold'em: matches, and the winnings of a local best response.

``python -m bench.limit_neural FOLDER GAMES [--write]`` trains for a number of games in the folder of `bench.limit`,
or resumes; ``--write`` writes the lines of docs/results/holdem.md, ``--render`` does so
from the saved figures. Thousandths of a big blind a hand.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import tefuda as td
from bench.limit import RUNS, trained
from bench.pairs import Sections, dated, publish
from tefuda_reproductions.papers.limit_nfsp import SAMPLED, play_matches, train_networks

DEALS, HANDS_PLAYED, SEED = 6000, 2000, 1


def measure() -> dict[str, Any]:
    """Train and play."""
    folder, games = (text for text in sys.argv[1:] if not text.startswith("--"))
    run, game = RUNS["strength alone"][-1], td.load_game("holdem", limit=True)
    networks = train_networks(game, int(games), SEED, Path(folder) / f"nfsp-{SEED}")
    found = play_matches(game, networks, trained(Path(folder), run), DEALS, HANDS_PLAYED, print)
    return {"games": networks.games, "wins": {name: list(won) for name, won in found.items()}}


def sections(results: dict[str, Any]) -> Sections:
    """Return the table of the page."""
    lines = ["| NFSP against | winnings |", "|---|---|"]
    for name, (mean, half) in results["wins"].items():
        opponent = f"{name} of {RUNS['strength alone'][-1].size} buckets" if name == SAMPLED else name
        lines.append(f"| {opponent} | {mean:+.0f} ± {half:.0f} |")
    return {("docs/results/holdem.md", "limit-neural"): dated("\n".join(lines), results)}


def main() -> None:
    """Train, play and print, or render."""
    publish("limit_neural", measure, sections)


if __name__ == "__main__":
    main()
