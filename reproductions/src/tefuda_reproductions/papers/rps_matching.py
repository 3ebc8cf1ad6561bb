"""Rock, paper, scissors by regret matching, from the article before yamaoka2020.

Each iteration samples one game. The average strategy beats a fixed opponent and converges to a third each in self-play.
"""

from __future__ import annotations

import numpy as np

from tefuda.evaluating.regret import matrix_regret_matching
from tefuda.figure import Panel
from tefuda.games.small.matrix import rock_paper_scissors
from tefuda.words import Notify
from tefuda_reproductions.claims import ClaimTable, above, below, table

CHECKPOINTS = (100, 1000, 10_000, 100_000, 1_000_000)
SEEDS = range(5)
OPPONENT = (0.4, 0.3, 0.3)


def averages(games: int) -> np.ndarray:
    """Return `[seed, experiment, action]` averages of player 0: against the opponent, in self-play."""
    payoffs = np.array(rock_paper_scissors().payoff_table)
    found = []
    for seed in SEEDS:
        fixed = matrix_regret_matching(payoffs, games, rng=np.random.default_rng(seed), fixed={1: list(OPPONENT)})
        both = matrix_regret_matching(payoffs, games, rng=np.random.default_rng(seed))
        found.append((fixed[0], both[0]))
    return np.array(found)


def run(notify: Notify) -> ClaimTable:
    """Run both experiments of the article with five seeds and report the worst seed."""
    notify("regret matching against rock 0.4, paper 0.3, scissors 0.3, and against itself, five seeds each")
    averages_by_games = {games: averages(games) for games in CHECKPOINTS}
    far = {
        games: (1 - found[:, 0, 1].min(), np.abs(found[:, 1] - 1 / 3).max())
        for games, found in averages_by_games.items()
    }
    last = averages_by_games[CHECKPOINTS[-1]]
    shown = table(
        "averages", "Average strategy after 1,000,000 games, mean of five seeds", "against",
        ("rock 0.4, paper 0.3, scissors 0.3", "itself"), ("rock", "paper", "scissors"), last.mean(axis=0),
        [(0, 1, 0), (1 / 3, 1 / 3, 1 / 3)], tolerance=0.004, error=last.std(axis=0, ddof=1),
        error_is="standard deviation over seeds", condition="within 0.004",
    )  # fmt: skip
    what = "average P(paper) against rock 0.4, paper 0.3, scissors 0.3 (worst seed)"
    claims = (
        above(what, "always paper", float(last[:, 0, 1].min()), 0.998),
        below(
            "largest distance to a third in self-play (worst seed)",
            "a third each",
            float(far[CHECKPOINTS[-1]][1]),
            0.004,
        ),
    )
    lines = {
        "1 - P(paper) against the opponent": [(float(games), float(one)) for games, (one, _) in far.items()],
        "distance to a third in self-play": [(float(games), float(one)) for games, (_, one) in far.items()],
    }
    panel = Panel("Worst of five seeds", "games", lines, y_label="distance of the average")
    notes = ("Paper wins 0.4 - 0.3 = 0.1 a game against that opponent; rock and scissors win nothing or less.",)
    title = "Rock, paper, scissors by regret matching (before yamaoka2020)"
    return ClaimTable(title, claims, notes, (panel,), (shown,))
