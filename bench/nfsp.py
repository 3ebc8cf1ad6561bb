"""Neural fictitious self-play, side by side with OpenSpiel's PyTorch agents on Leduc.

Needs the extras ``openspiel`` and ``deep``, and dm-tree.

Both programs use 64 hidden units, descent at 0.1 and 0.005, minibatches of 128, one update of each
network of a player for every 64 of its decisions, memories of 2e5 and 2e6, and a new target every
300 updates. Both are timed with the ring as full as after some 90,000 games, because OpenSpiel's
sampling without replacement slows down until then. Its memories are filled by repeating the entries
of 6,000 games. ``--write`` writes bench/results/nfsp.json and the table of docs/results/neural.md,
``--render`` only the table.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

import numpy as np
import torch

import tefuda as td
from bench.pairs import Sections, Work, compare, dated, markdown, pin_to_one_core, publish, rows_of
from tefuda.solvers.learned.nfsp import KAWAMURA_D, low_discrepancy

GAMES = 10_000_000


def their_games() -> Work:
    """Return games of two learning agents."""
    from open_spiel.python import rl_environment
    from open_spiel.python.pytorch import nfsp as theirs

    environment = rl_environment.Environment("leduc_poker")
    size, units = environment.observation_spec()["info_state"][0], environment.action_spec()["num_actions"]
    agents = [
        theirs.NFSP(
            player, size, units, [64], 2_000_000, 0.1, batch_size=128, rl_learning_rate=0.1, sl_learning_rate=0.005,
            min_buffer_size_to_learn=1000, learn_every=64, optimizer_str="sgd", seed=player,
            replay_buffer_capacity=200_000, update_target_network_every=300, epsilon_start=0.06, epsilon_end=0.001,
            epsilon_decay_duration=20_000_000,
        )
        for player in range(2)
    ]  # fmt: skip

    def play(count: int) -> None:
        for _ in range(count):
            step = environment.reset()
            while not step.last():
                player = step.observations["current_player"]
                step = environment.step([agents[player].step(step).action])
            for agent in agents:
                agent.step(step)

    play(6000)  # memories hold 1,000 rows, so that both networks learn
    for agent in agents:
        fill(agent._rl_agent._replay_buffer, "entry_index", 200_000)
        fill(agent._reservoir_buffer, "add_calls", 20_000)
    return play


def fill(memory: Any, counter: str, rows: int) -> None:
    """Repeat the rows of a memory up to a number of rows."""
    held = len(memory)
    for column in memory.experience:
        column[held:rows] = column[np.arange(held, rows) % held]
    setattr(memory, counter, np.array(rows))


def measure() -> dict[str, Any]:
    pin_to_one_core()
    torch.set_num_threads(1)
    tree = td.compile_game(td.load_game("leduc"))
    ours = td.make_solver(tree, "nfsp")
    ours.advance(100_000)
    row = compare("Leduc: one game of self-play", their_games(), ours.advance, budget=2.0, asked=">= 250")
    whole = {}
    for method in (KAWAMURA_D, low_discrepancy(KAWAMURA_D)):
        solver, start = td.make_solver(tree, method, seed=1), time.process_time()
        solver.advance(GAMES)
        whole[method.name] = {"seconds": time.process_time() - start, "nash_conv": td.nash_conv(solver.average())}
    evaluations = []
    for _ in range(51):
        start = time.perf_counter()
        td.nash_conv(ours.average())
        evaluations.append(time.perf_counter() - start)
    return {
        "programs": [f"OpenSpiel {version('open_spiel')} (PyTorch)", f"tefuda {td.__version__}"],
        "games": whole,
        "evaluation": statistics.median(evaluations),
        "rows": [asdict(row)],
    }


def sections(results: dict[str, Any]) -> Sections:
    (row,) = rows_of(results)
    runs = "; ".join(
        f"`{name}` {one['seconds']:.0f} s, NashConv {one['nash_conv']:.3g}" for name, one in results["games"].items()
    )
    text = (
        f"{markdown([row], results['programs'])}\n\n"
        f"{1 / row.theirs:,.0f} and {1 / row.ours:,.0f} games a CPU second.\n"
        f"{GAMES:,} games: {runs}.\n"
        f"Tabulating the networks and evaluating them exactly: {results['evaluation'] * 1e6:.0f} µs."
    )
    return {("docs/results/neural.md", "bench nfsp"): dated(text, results)}


def main() -> None:
    publish("nfsp", measure, sections)


if __name__ == "__main__":
    main()
