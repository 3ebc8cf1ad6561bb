"""NFSP at heads-up limit hold'em: matches, and the winnings of a local best response.

``python -m bench.limit_neural FOLDER GAMES [--write]`` trains for a number of games in the folder of `bench.limit`,
or resumes; ``--write`` writes the lines of docs/holdem.md. Thousandths of a big blind a hand.
"""

from __future__ import annotations

import sys
from pathlib import Path

import tefuda as td
from bench.limit import RUNS, trained
from bench.pairs import write_results, write_section
from tefuda_reproductions.papers.limit_nfsp import SAMPLED, play_matches, train_networks

DEALS, HANDS_PLAYED, SEED = 6000, 2000, 1


def main() -> None:
    """Train, play, print; with --write into docs/holdem.md too."""
    folder, games = (text for text in sys.argv[1:] if not text.startswith("--"))
    run, game = RUNS["strength alone"][-1], td.load_game("holdem", limit=True)
    networks = train_networks(game, int(games), SEED, Path(folder) / f"nfsp-{SEED}")
    found = play_matches(game, networks, trained(Path(folder), run), DEALS, HANDS_PLAYED, print)
    lines = ["| NFSP against | winnings |", "|---|---|"]
    for name, won in found.items():
        told = f"{name} of {run.size} buckets" if name == SAMPLED else name
        lines.append(f"| {told} | {won.mean:+.0f} ± {won.half:.0f} |")
    text = "\n".join(lines)
    print(text)
    if "--write" in sys.argv:
        wins = {name: list(won) for name, won in found.items()}
        write_results("limit_neural", {"games": networks.iterations, "wins": wins}, [])
        write_section("limit-neural", text, "docs/holdem.md")


if __name__ == "__main__":
    main()
