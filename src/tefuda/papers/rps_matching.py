"""Rock, paper, scissors by regret matching: the article before source 002.

One sampled game an iteration; the average strategy beats a fixed opponent, and in self-play goes to a third each.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tefuda.games.matrix import rock_paper_scissors
from tefuda.papers.claims import ClaimTable, above, below
from tefuda.regret import matrix_regret_matching

ITERATIONS = 1_000_000
SEEDS = range(5)
OPPONENT = (0.4, 0.3, 0.3)


def run(progress: Callable[[str], None] | None = None) -> ClaimTable:
    """Run both of the article's experiments with five seeds; the worst seed counts."""
    tell = progress or (lambda text: None)
    payoffs = np.array(rock_paper_scissors().payoff_table)
    tell("regret matching against rock .4, paper .3, scissors .3, and against itself, five seeds each")
    paper, far = [], []
    for seed in SEEDS:
        fixed = matrix_regret_matching(payoffs, ITERATIONS, rng=np.random.default_rng(seed), fixed={1: list(OPPONENT)})
        paper.append(float(fixed[0][1]))
        both = matrix_regret_matching(payoffs, ITERATIONS, rng=np.random.default_rng(seed))
        far.append(float(np.abs(np.array(both) - 1 / 3).max()))
    claims = (
        above(
            "average P(paper) against rock .4, paper .3, scissors .3 (worst seed)", "always paper", min(paper), 0.998
        ),
        below("largest distance to a third in self-play (worst seed)", "a third each", max(far), 0.004),
    )
    notes = ("Paper earns .4 - .3 = .1 a game from that opponent, rock and scissors nothing or less.",)
    return ClaimTable("Rock, paper, scissors by regret matching, 1,000,000 games (before source 002)", claims, notes)
