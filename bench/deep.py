"""Traversals of Deep CFR, side by side with OpenSpiel's PyTorch Deep CFR on Leduc.

Needs the extras ``openspiel`` and ``deep``, and dm-tree.

Both programs sample externally with networks of 3 x 64 units and store regrets and strategies,
without fitting. tefuda is timed twice: with a table of network outputs that is built once an
iteration, as over a tree, and with an evaluation of the network at every step, as over rules.
``--write`` writes bench/results/deep.json and the table of docs/results/neural.md.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Any

import numpy as np
import pyspiel
import torch
from open_spiel.python.pytorch import deep_cfr as theirs

import tefuda as td
from bench.pairs import Work, compare, markdown, pin_to_one_core, write_results, write_section
from tefuda.solvers.deep.regrets import DeepSolver
from tefuda.solvers.sampled.levels import (
    Environment,
    External,
    collect_decisions,
    estimate_values,
    sample_levels,
)

WALKS = 1500  # of one iteration, in parallel


def their_traversals() -> Work:
    """Return OpenSpiel's traversals of both players in turn."""
    game = pyspiel.load_game("leduc_poker")
    solver = theirs.DeepCFRSolver(game, policy_network_layers=(64,) * 3, advantage_network_layers=(64,) * 3)
    root = game.new_initial_state()

    def walk(count: int) -> None:
        for number in range(count):
            solver._traverse_game_tree(root, number % 2)

    return walk


def our_traversals(tabulated: bool) -> Work:
    """Return the same traversals of tefuda, with as many in parallel as in one iteration."""
    tree = td.compile_game(td.load_game("leduc"))
    method = td.find_method("deep-cfr", {"steps": 1, "traversals": 8})
    solver: Any = td.make_solver(tree, method, seed=1)
    assert isinstance(solver, DeepSolver)
    solver.advance(1)
    rng = np.random.default_rng(0)

    def inferred(player: int, positions: np.ndarray, observations: np.ndarray, legal: np.ndarray) -> np.ndarray:
        return solver._strategy(player, observations, legal)

    strategies = solver._strategy_table.strategies if tabulated else inferred
    environment = Environment(solver.simulator, solver.encoder.observe, strategies)

    def walk(count: int) -> None:
        for number, first in enumerate(range(0, count, WALKS)):
            player = number % 2
            if tabulated:
                solver._strategy_table.invalidate(player)
            levels = sample_levels(environment, player, min(WALKS, count - first), External(), rng)
            estimate_values(levels)
            rows = collect_decisions(levels)
            for seat, memory in (
                (player, solver.learners[player].regrets.rows),
                (1 - player, solver.learners[1 - player].strategies),
            ):
                mine = rows.select(np.flatnonzero(rows.player == seat))
                target, weight = mine.regret if seat == player else mine.strategy, np.ones(len(mine.q))
                memory.offer(rng, observations=mine.observations, legal=mine.legal, target=target, weight=weight)

    return walk


def main() -> None:
    pin_to_one_core()
    torch.set_num_threads(1)
    rows = [
        compare(
            "Leduc: one traversal, table look-up",
            their_traversals(),
            our_traversals(True),
            budget=1.0,
            asked=">= 20",
        ),
        compare(
            "Leduc: one traversal, networks evaluated in every wave",
            their_traversals(),
            our_traversals(False),
            budget=1.0,
            asked=">= 20",
        ),
    ]
    text = markdown(rows, (f"OpenSpiel {version('open_spiel')} (PyTorch)", f"tefuda {td.__version__}"))
    print(text)
    if "--write" in sys.argv:
        write_results("deep", {"traversals": WALKS}, rows)
        write_section("bench deep", text, "docs/results/neural.md")


if __name__ == "__main__":
    main()
