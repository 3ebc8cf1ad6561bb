"""Kuhn poker by chance-sampled CFR, 1,000,000 iterations (source 002).

One deal an iteration, both players updated along it. The article prints one run's average strategies and a value,
without a seed and without its sign; another run ends at another member of Kuhn's family, so what can be compared is
the value and what all members share. We run ten seeds and show the spread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tefuda.games import load_game
from tefuda.mccfr import CHANCE
from tefuda.papers.claims import ClaimTable, below, within
from tefuda.papers.kuhn_cfr import bets as bets_of
from tefuda.response import nash_conv, values
from tefuda.tree import Tree, compile_game

ITERATIONS, LOOKS = 1_000_000, 1_000
SEEDS = range(1, 11)


@dataclass(frozen=True)
class Run:
    """One run: probabilities of bet or call, NashConv, value of the average, mean value of the strategies in force."""

    bets: dict[str, float]
    nash_conv: float
    value: float
    self_play: float


def solve(tree: Tree, seed: int) -> Run:
    """Run the article's program; look at the strategies in force every thousand iterations."""
    solver, played = CHANCE.solver(tree, seed), []
    for _ in range(LOOKS):
        played.append(float(values(tree, solver.current())[0]))
        solver.advance(ITERATIONS // LOOKS)
    profile = solver.average()
    mean = float(np.mean(played))
    return Run(bets_of(profile), nash_conv(tree, profile), float(values(tree, profile)[0]), mean)


def run(progress: Callable[[str], None] | None = None) -> ClaimTable:
    """Ten seeds of the article's program, and what every equilibrium of the game shares."""
    tell = progress or (lambda text: None)
    tree, runs = compile_game(load_game("kuhn")), []
    for seed in SEEDS:
        tell(f"chance-sampled CFR, 1,000,000 iterations, seed {seed}")
        runs.append(solve(tree, seed))
    alphas = [one.bets["0: J|"] for one in runs]
    both = list(zip((one.bets for one in runs), alphas, strict=True))
    third = 1 / 3
    claims = (
        within("average game value (mean of self-play)", -1 / 18, [one.self_play for one in runs], 0.005),
        within("value of the average strategies to player 0", -1 / 18, [one.value for one in runs], 0.005),
        below("NashConv (worst seed)", "an equilibrium", max(one.nash_conv for one in runs), 0.003),
        within("bet with K / alpha", 3.0, [bets["0: K|"] / alpha for bets, alpha in both], 0.12),
        within("call with Q after a check less alpha", third, [bets["0: Q|pb"] - alpha for bets, alpha in both], 0.012),
        within("bluff with J after a check", third, [bets["1: J|p"] for bets, _ in both], 0.012),
        within("call with Q", third, [bets["1: Q|b"] for bets, _ in both], 0.012),
    )
    notes = (
        f"alpha, the bluff with J, is {min(alphas):.3f} to {max(alphas):.3f} over these seeds: none is the solution.",
        "The article prints its cards as 1, 2, 3 (J, Q, K), leaves out the infoset 1pb, and drops the sign of -1/18.",
        "Its program weighs regrets by the opponent's reach without chance: right when an infoset is met once a deal.",
    )
    return ClaimTable("Kuhn poker by chance-sampled CFR, ten seeds (source 002)", claims, notes)
