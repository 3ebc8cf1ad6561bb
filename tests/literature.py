"""Games of papers: sizes, values, and play by uniform strategies.

Histories and sequences are those of OpenSpiel 2.0.2, which deals card by card; `dealing` histories of them are missing
here, because a deal is one chance node and the winner of an auction is drawn after a tie only. Gains are those of
best responses to uniform play.
"""

from fractions import Fraction
from typing import Any, NamedTuple

import pytest


class Row(NamedTuple):
    """A game of the table; None where it has no figure. sequences: of each player, with the empty one."""

    name: str
    parameters: dict[str, Any]
    histories: int
    ends: int
    infosets: tuple[int, ...]
    sequences: tuple[int, ...]
    uniform: tuple[float, ...]
    gains: tuple[float, ...]
    value: Any = None
    dealing: int = 0


SLOW = pytest.mark.slow
BOARD32 = {"width": 3, "height": 2}
ROWS = [
    Row("battleship", {}, 10_069, 5_568, (1_413, 1_873), (2_965, 4_101), (5 / 18, -5 / 18), (0.638889, 0.361111),
        Fraction(5, 8)),
    pytest.param(Row("battleship", BOARD32, 732_607, 552_132, (18_152, 62_875), (73_130, 253_940), (2 / 45, -2 / 45),
        (0.507937, 0.406349)), marks=SLOW),
    Row("sheriff", {}, 53, 32, (5, 4), (21, 9), (-1.125, 1.875), (2.625, 0.5625)),
    Row("tiny_hanabi", {}, 55, 36, (2, 6), (7, 19), (3.722222,) * 2, (1.611111, 2.277778), dealing=2),
    Row("trade_comm", {"items": 2}, 349, 256, (10, 12), (37, 41), (1 / 16,) * 2, (1 / 16,) * 2),
    Row("trade_comm", {"items": 3}, 7_408, 6_561, (30, 36), (253, 271), (1 / 81,) * 2, (2 / 81,) * 2),
    Row("first_price_auction", {"values": 3}, 117, 50, (3, 3), (7, 7), (0.702160,) * 2, (0.149691,) * 2, dealing=25),
    Row("first_price_auction", {"values": 5}, 611, 280, (5, 5), (16, 16), (0.931278,) * 2, (0.291389,) * 2,
        dealing=175),
    Row("first_price_auction", {"values": 10}, 7_096, 3_410, (10, 10), (56, 56), (1.522559,) * 2, (0.624633,) * 2,
        dealing=2_650),
    Row("blotto", {}, 463, 441, (1, 1), (22, 22), (0, 0), (2 / 7,) * 2, 0),
    Row("oshi_zumo", {"coins": 3, "horizon": 4}, 2_046, 1_035, (332, 332), (680, 680), (0, 0), (0.662760,) * 2, 0),
    pytest.param(Row("oshi_zumo", {}, 60_553, 29_438, (10_434,) * 2, (20_682,) * 2, (0, 0), (0.700409,) * 2),
        marks=SLOW),
    pytest.param(Row("oshi_zumo", {"coins": 5, "size": 2}, 387_952, 200_134, (59_826,) * 2, (127_993,) * 2, (0, 0),
        (0.913710,) * 2), marks=SLOW),
    Row("matching_pennies", {"players": 3}, 15, 8, (1, 1, 1), (3, 3, 3), (0, 0, 0), (0, 0, 0)),
    Row("coordinated_matching_pennies", {}, 15, 8, (1, 2), (3, 5), (0, 0), (0, 0), 0),
    Row("liars_poker", {"ordered": True}, 66_895, 25_536, (5_168,) * 2, (8_361, 8_357), (-0.036132, 0.036132),
        (0.852179, 0.752788), dealing=14),
    Row("tiny_bridge", {}, 107_129, 53_340, (1_792,) * 2, (3_557,) * 2, (-12.329446064,) * 2, (10.388308, 10.395111),
        dealing=28),
    Row("chsh", {}, 29, 16, (2, 2), (5, 5), (0.5, 0.5), (0, 0)),
]  # fmt: skip
