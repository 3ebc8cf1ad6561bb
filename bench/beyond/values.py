"""Parts of `bench.beyond`: buckets by values after 0, 3 and 10 iterations of CFR, on three games."""

from __future__ import annotations

from typing import Any

import tefuda as td
from bench.pairs import met, table
from tefuda.abstracting.bucketing import Buckets
from tests.duel import Duel

#: Title, game, and the numbers of buckets of each round.
GAMES: list[tuple[str, Any, tuple[int, ...]]] = [
    ("Leduc, 9 ranks", lambda: td.load_game("leduc", ranks=9), (3, 3)),
    ("liar's dice, 5 sides", lambda: td.load_game("liars_dice", sides=5), (3,)),
    ("duel, an own game", Duel, (4,)),
]
WARM_UPS, FEATURES = (0, 3, 10), ("action", "advantage", "reach")
#: Leduc with 9 ranks: number of classes, and the least exploitable strategy.
ASKED = {"values": (288, 0.10), "strength": (324, 0.140)}


def measure_values() -> list[list[Any]]:
    """Return title, measure, warm-up, feature, classes and the NashConv of the least exploitable strategy."""
    rows = []
    for title, game, counts in GAMES:
        tree = td.compile_game(game())
        plain = [Buckets(each) for each in (counts, tuple(count + 1 for count in counts))]
        warmed = [
            Buckets(counts, "values", warm_up=warm_up, feature=feature)
            for warm_up in WARM_UPS
            for feature in FEATURES
            if feature != "reach" or warm_up  # every action is as likely under uniform play
        ]
        for each in (*plain, *warmed):
            partition = each.partition(tree)
            least = max(0.0, td.nash_conv(td.least_exploitable(partition)))
            rows.append([title, each.by, each.warm_up, each.feature, partition.size, least])
    return rows


def values_table(rows: list[list[Any]]) -> str:
    shown = []
    for title, by, warm_up, feature, classes, least in rows:
        count, asked = ASKED[by]
        here = title == GAMES[0][0] and classes == count and (warm_up, feature) == (0, "action")
        holds = met(least <= asked + 5e-4) if here else ""
        words = (warm_up, feature) if by == "values" else ("", "")
        shown.append((title, by, *words, classes, f"{least:.4f}", f"at most {asked:g}" if here else "", holds))
    return table("game|buckets by|warm-up|feature|classes|least NashConv|asked|met", shown)
