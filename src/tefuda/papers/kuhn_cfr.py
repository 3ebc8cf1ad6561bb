"""Kuhn poker solved by CFR: an article's table after 1,000,000 iterations (source 000).

The article's program stores raw regrets, updates both players at once and averages uniformly from the first iteration;
that is `CFR` with ``order="simultaneous"``. Its text describes another algorithm, which clips the stored regrets
(regret matching plus): that one ends at another member of Kuhn's family of equilibria.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable

from tefuda.cfr import CFR, Method
from tefuda.games import load_game
from tefuda.papers.claims import Claim, ClaimTable, below, close
from tefuda.profile import Profile
from tefuda.response import judge
from tefuda.tree import Tree, compile_game

ITERATIONS = 1_000_000

#: The article's table: probability of bet or call at each infoset; its cards 0, 1, 2 are J, Q, K.
TABLE = {
    "0: J|": 0.2077473540513475,
    "0: J|pb": 3.1555590e-7,
    "1: J|p": 0.3326864064713018,
    "1: J|b": 5.0e-7,
    "0: Q|": 3.4583333e-6,
    "1: Q|b": 0.33413558683028116,
    "1: Q|p": 3.7727273e-6,
    "0: Q|pb": 0.5416096460453012,
    "0: K|": 0.6246676468993436,
    "1: K|b": 0.9999995,
    "1: K|p": 0.9999995,
    "0: K|pb": 0.9999993339,
}


def solve(tree: Tree, method: Method) -> tuple[Profile, float]:
    """The average after `ITERATIONS` iterations, and the CPU seconds they took."""
    solver = method.solver(tree)
    solver.advance(1)  # loads the kernels, so that the clock sees iterations alone
    start = time.process_time()
    solver.advance(ITERATIONS - 1)
    return solver.average(), time.process_time() - start


def family(alpha: float) -> dict[str, float]:
    """Probability of bet or call in Kuhn's equilibrium with parameter alpha, 0..1/3 (Kuhn 1950)."""
    third = 1 / 3
    first = {"0: J|": alpha, "0: Q|": 0.0, "0: K|": 3 * alpha}
    later = {"0: J|pb": 0.0, "0: Q|pb": alpha + third, "0: K|pb": 1.0}
    second = {"1: J|p": third, "1: Q|p": 0.0, "1: K|p": 1.0, "1: J|b": 0.0, "1: Q|b": third, "1: K|b": 1.0}
    return first | later | second


def bets(profile: Profile) -> dict[str, float]:
    """The probability of bet or call at every infoset."""
    return {name: strategy["b"] for name, strategy in profile.items()}


def run(progress: Callable[[str], None] | None = None) -> ClaimTable:
    """Run the article's experiment and compare every figure of its table."""
    tell = progress or (lambda text: None)
    tree = compile_game(load_game("kuhn"))
    tell("CFR, both players at once, 1,000,000 iterations")
    profile, seconds = solve(tree, dataclasses.replace(CFR, order="simultaneous"))
    ours, judgement = bets(profile), judge(tree, profile)
    tell("the algorithm of the article's text: regrets clipped in storage")
    clipped, _ = solve(tree, Method("rm+", order="simultaneous", floor=True))
    table = [close(f"P(bet or call) at {name}", figure, ours[name], 1e-7) for name, figure in TABLE.items()]
    alpha, other = ours["0: J|"], bets(clipped)["0: J|"]
    distance = max(abs(ours[name] - figure) for name, figure in family(alpha).items())
    further = [
        below("seconds for 1,000,000 iterations", "about 2 minutes", seconds, 120),
        close("value of the game to player 0", -1 / 18, float(judgement.values[0]), 5e-7),
        below("NashConv of the table", "an equilibrium", judgement.nash_conv, 5e-4),
        below("largest distance to Kuhn's family at the same alpha", "a member", distance, 2e-3),
        Claim(
            "the text's algorithm (regrets clipped) gives the table",
            f"alpha {TABLE['0: J|']:.4f}",
            f"alpha {other:.4f}",
            "differs by more than 0.03: it does not",
            abs(other - alpha) > 0.03,
        ),
    ]
    notes = (
        "Any alpha in 0..1/3 is an equilibrium: P0 bets J with alpha, K with 3 alpha, calls with Q with alpha + 1/3.",
        "Which alpha a run ends at depends on the algorithm and on its path; none is the solution.",
    )
    return ClaimTable("Kuhn poker by CFR, 1,000,000 iterations (source 000)", (*table, *further), notes)
