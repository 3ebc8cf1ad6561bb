"""Neural self-play (NFSP, dense) at heads-up limit hold'em: matches, and what a local best response wins from it.

``python -m bench.limit_neural FOLDER GAMES [--write]`` goes on from the folder, in which `bench.limit` has left its
runs, until so many games; ``--write`` writes the lines of docs/holdem.md. Thousandths of a big blind a hand.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import tefuda as tf
from bench.limit import RUNS, trained
from bench.pairs import write_results, write_section
from tefuda.holdem.local import local_response_to
from tefuda.holdem.networks import chances_of
from tefuda.holdem.reading import stereotype
from tefuda.holdem.sampler import LimitPolicy
from tefuda.holdem.simulator import HandsSimulator
from tefuda.papers.limit_nfsp import METHOD

DEALS, HANDS_PLAYED = 400, 500
_PIECE = 2000


def trained_networks(folder: Path, games: int) -> tf.Solver:
    """Networks after so many games, gone on with from where they were kept."""
    solver, path = METHOD.simulated(HandsSimulator(tf.load_game("holdem", limit=True)), seed=1), folder / "nfsp.npz"
    if path.exists():
        solver.restore(dict(np.load(path)))
    while solver.iterations < games:
        solver.advance(min(_PIECE, games - solver.iterations))
        if solver.iterations % 20_000 == 0 or solver.iterations == games:
            np.savez(path, **solver.state())
            print(f"{solver.iterations:,} games", flush=True)
    return solver


def main() -> None:
    """Train, play, print; with --write into docs/holdem.md too."""
    folder, games = (text for text in sys.argv[1:] if not text.startswith("--"))
    policy = trained_networks(Path(folder), int(games)).average()
    run = RUNS["strength alone"][-1]
    table = trained(Path(folder), run)
    caller = LimitPolicy(table.game, stereotype(table.game, "caller"))
    others = {
        "a random player": tf.RandomAgent(),
        "one who always calls": tf.PolicyAgent("caller", caller),
        f"the sampled strategy of {run.size} buckets": tf.PolicyAgent("sampled", table),
    }
    lines = ["| NFSP against | it wins |", "|---|---|"]
    results = {}
    for name, other in others.items():
        match = tf.duplicate_match(
            tf.load_game("holdem", limit=True), [tf.PolicyAgent("nfsp", policy), other], deals=DEALS
        )
        mean, half = 100 * match.mean[0], 100 * (match.interval()[0, 1] - match.mean[0])
        results[name] = [float(mean), float(half)]
        lines.append(f"| {name} | {mean:+.0f} ± {half:.0f} |")
    graph = table.game.graph
    value, half = local_response_to(
        chances_of(policy, tf.load_game("holdem", limit=True), graph), graph, table.game, HANDS_PLAYED, seed=1
    ).millis
    lines.append(f"| a local best response | {-value:+.0f} ± {half:.0f} |")
    text = "\n".join(lines)
    print(text)
    if "--write" in sys.argv:
        write_results("limit_neural", {"games": int(games), "wins": results, "response": [value, half]}, [])
        write_section("limit-neural", text, "docs/holdem.md")


if __name__ == "__main__":
    main()
