"""Parts of `bench.beyond`: ratings of agents, alone and beside OpenSpiel's."""

from __future__ import annotations

from typing import Any

import numpy as np

import tefuda as td
from bench.pairs import compare, met, table
from tefuda.evaluating import alpha_rank, nash_average
from tefuda.holdem.reports.statistics import Share
from tefuda.playing import CrossTable, ratings
from tests import rated


def measure_ratings() -> dict[str, Any]:
    """Return figures of ratings and rankings, in the order of `ratings_table`."""
    two = ratings(CrossTable.of_wins(["a", "b"], [[0, 60], [40, 0]]), reference="b")
    wilson = [elo_points(share) for share in Share(60, 100).interval]
    names = ["rock", "rock again", "paper", "scissors"]
    cycle, draws = (
        ratings(CrossTable.of_wins(names, rated.WINS)),
        ratings(CrossTable.of_wins(["a", "b"], [[0, 3], [1, 0]])),
    )
    transitive = nash_average(rated.TRANSITIVE)
    return {
        "elo": [draws.rating[0] - draws.rating[1], two.rating[0], two.low[0], two.high[0], *wilson, *cycle.rating],
        "alpha-rank": [
            *alpha_rank(rated.ROCK_TWICE),
            *(share for alpha in rated.SHARES for share in alpha_rank(rated.THREE, alpha)),
            *alpha_rank(rated.HAN, 0.1, 20, local=False),
        ],
        "nash": [*nash_average(rated.ROCK_TWICE), *transitive, *(rated.TRANSITIVE @ transitive)],
        "reducible": closed_components(rated.SEXES, 100),
        "hidden": [cycle.hidden, list(cycle.cycle)],
    }


def elo_points(share: float) -> float:
    return 400 * float(np.log10(share / (1 - share)))


def closed_components(payoffs: np.ndarray, alpha: float) -> int:
    """Return the number of closed components that alpha-rank refuses."""
    try:
        alpha_rank(payoffs, alpha)
    except td.errors.ParameterError as error:
        return len(error.value)
    return 1


def ratings_table(found: dict[str, Any]) -> str:
    digits = {"elo": 2, "alpha-rank": 8, "nash": 6}
    asked = {
        "elo": [
            ("a share of 75 %", (190.85,)),
            ("60 of 100 wins, Wald", (70.44, 0.94, 139.94)),
            ("60 of 100 wins, Wilson", (1.39, 139.48)),
            ("rock twice, paper, scissors", (0, 0, 91.73, -91.73)),
        ],
        "alpha-rank": [
            ("rock twice, paper, scissors", (0.2, 0.2, 0.4, 0.2)),
            *((f"three agents, alpha {alpha:g}", shares) for alpha, shares in rated.SHARES.items()),
            ("Han et al. 2013, five strategies", rated.HAN_SHARES),
        ],
        "nash": [
            ("rock twice, paper, scissors", (1 / 6, 1 / 6, 1 / 3, 1 / 3)),
            ("two equal, one better: shares", (0, 0, 1)),
            ("two equal, one better: ratings", (-1, -1, 0)),
        ],
    }
    rows = []
    for system, oracles in asked.items():
        ours, places = iter(found[system]), digits[system]
        for title, want in oracles:
            got = [next(ours) for _ in want]
            close = np.allclose(got, want, rtol=0, atol=0.51 * 10.0**-places)
            shown = (", ".join(f"{round(value, places) + 0.0:.{places}f}" for value in row) for row in (want, got))
            rows.append((f"`{system}`", title, *shown, met(close)))
    parts = found["reducible"]
    rows.append(("`alpha-rank`", "battle of the sexes, alpha 100", "found 2", f"refused: {parts}", met(parts == 2)))
    share, names = found["hidden"]
    line = f"Of rock twice, paper and scissors, {share:.0%} is hidden; the cycle is: {', '.join(names)}."
    return f"{table('system|data|asked (computed or published)|ours|met', rows)}\n\n{line}"


def measure_alpharank() -> dict[str, Any]:
    """Return paired timings of alpha-rank beside OpenSpiel's."""
    from open_spiel.python.egt import alpharank

    rows = []
    for size in (5, 20):
        payoffs = np.random.default_rng(size).normal(size=(size, size))
        theirs = alpharank.compute([payoffs], m=50, alpha=1, use_local_selection_model=True)[2]
        assert np.allclose(theirs, alpha_rank(payoffs), atol=1e-9)
        row = compare(
            f"alpha-rank of {size} strategies, m = 50",
            lambda count, payoffs=payoffs: [
                alpharank.compute([payoffs], m=50, alpha=1, use_local_selection_model=True) for _ in range(count)
            ],
            lambda count, payoffs=payoffs: [alpha_rank(payoffs) for _ in range(count)],
        )
        rows.append(vars(row))
    return {"rows": rows}
