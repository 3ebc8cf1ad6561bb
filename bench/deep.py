"""Traversals of Deep CFR, side by side with OpenSpiel's PyTorch Deep CFR on Leduc.

Needs the extras ``openspiel`` and ``deep``, and dm-tree.

Both programs sample externally with networks of 3 x 64 units and store regrets and strategies,
without fitting. tefuda is timed twice: with a table of network outputs that is built once an
iteration, as over a tree, and with an evaluation of the network at every step, as over rules.
``--write`` writes bench/results/deep.json and the table of docs/results/neural.md, ``--render`` only the table.
"""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import version
from typing import Any

import numpy as np
import torch

import tefuda as td
from bench.pairs import Sections, Work, compare, dated, markdown, pin_to_one_core, publish, rows_of
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
    import pyspiel
    from open_spiel.python.pytorch import deep_cfr as theirs

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


def measure() -> dict[str, Any]:
    pin_to_one_core()
    torch.set_num_threads(1)
    kinds = {"table look-up": True, "networks evaluated in every wave": False}
    rows = []
    for how, tabulated in kinds.items():
        ours, what = our_traversals(tabulated), f"Leduc: one traversal, {how}"
        rows.append(compare(what, their_traversals(), ours, budget=1.0, asked=">= 20"))
    return {
        "programs": [f"OpenSpiel {version('open_spiel')} (PyTorch)", f"tefuda {td.__version__}"],
        "traversals": WALKS,
        "rows": [asdict(row) for row in rows],
    }


def sections(results: dict[str, Any]) -> Sections:
    text = markdown(rows_of(results), results["programs"])
    return {("docs/results/neural.md", "bench deep"): dated(text, results)}


def main() -> None:
    publish("deep", measure, sections)


if __name__ == "__main__":
    main()
