"""All-in adjusted results: exact pieces of the sample hands, side pots, cards that are dead."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tefuda.holdem import equity, read_cards, read_histories
from tefuda.holdem.equities import list_boards
from tefuda.holdem.rank import MASKS, strengths
from tefuda.holdem.reports.all_in import adjusted_results, pot_equities
from tefuda.holdem.reports.counting import HandCounts
from tefuda.holdem.suits import PERMUTATIONS

FOLDER = Path(__file__).parents[2] / "data" / "hands44"
HANDS = {hand.number: hand for hand in read_histories(FOLDER)}


def equity_of(number, name):
    """The equity of a player in the main pot of a sample hand."""
    hand = HANDS[number]
    all_in = HandCounts(hand).all_in
    live = all_in.live
    board = hand.hand.board[: (0, 3, 4, 5)[all_in.street]]
    shares = pot_equities([hand.hand.hole(player) for player in live], [range(len(live))], board)
    return shares[0][live.index(hand.names.index(name))]


@pytest.mark.parametrize(
    "number, name, share",
    [
        ("900000000101", "Fern", Fraction(778, 903)), ("900000000101", "Dahlia", Fraction(81, 903)),
        ("900000000101", "Birch", Fraction(44, 903)), ("900000000401", "Ash", Fraction(458, 990)),
        ("900000000601", "Ash", Fraction(2 * 1162300 + 1, 2 * 1712304)), ("9000000901", "Ash", Fraction(7, 990)),
        ("900000000602", "Ash", Fraction(2 * 1162300 + 1, 2 * 1712304)), ("9000001201", "Ash", Fraction(907, 990)),
    ],
)  # fmt: skip
def test_equities_of_the_samples(number, name, share):
    assert equity_of(number, name) == share


def test_side_pot_of_the_sample():
    hand = HANDS["900000000101"]
    holes = [hand.hand.hole(hand.names.index(name)) for name in ("Dahlia", "Birch", "Fern")]
    main, side = pot_equities(holes, [[0, 1, 2], [0, 1]], hand.hand.board[:3])
    assert side == [Fraction(689, 903), Fraction(214, 903), 0] and sum(main) == 1
    results = dict(zip(hand.names, adjusted_results(hand, HandCounts(hand).all_in), strict=True))
    assert results["Fern"] + 2500 == pytest.approx(6373.05, abs=0.01)  # 63.7305 of the main pot of 73.97
    assert sum(results.values()) == pytest.approx(-300)


def test_equities_are_those_of_ranges():
    found = pot_equities([read_cards("8h7h"), read_cards("AsKd")], [[0, 1]], read_cards("Qh2h9c"))
    right = equity("8h7h", "AsKd", "Qh2h9c")
    assert float(found[0][0]) == pytest.approx(right.first, abs=1e-12)


def test_dead_cards_never_come():
    """Two outs are gone with the cards of a player who folded."""
    holes, board = [read_cards("AhAd"), read_cards("KhKd")], read_cards("7s6s2c9d")
    assert pot_equities(holes, [[0, 1]], board)[0][1] == Fraction(2, 44)
    assert pot_equities(holes, [[0, 1]], board, read_cards("KsKc"))[0] == [1, 0]


@pytest.mark.parametrize(
    "holes, dead, board",
    [
        ("AhKh Qh9h 2c2d", "7s6h", ""), ("Ts9s AsAd Ac5s", "", ""), ("3h2h Kd7s", "AcKcQcJcTcTd", ""),
        ("AhKh Qh9h 2c2d", "7s6h", "8h7h2h"), ("6c5c AdKs", "", "Kc7c2d"), ("Th2s 9h2c", "", "8h7h6h5h"),
        ("Ah2s Kh2c", "", "8h7h6h5h3h"),
    ],
)  # fmt: skip
def test_boards_by_rank_are_all_boards(holes, dead, board):
    """Every board, one by one."""
    hands, out, known = [read_cards(hole) for hole in holes.split()], read_cards(dead), read_cards(board)
    deck = [card for card in range(52) if card not in {*out, *(card for hand in hands for card in hand)}]
    boards, _ = list_boards(known, PERMUTATIONS[:1], deck)
    values = np.array([strengths(boards | MASKS[[*hand]].sum(dtype=np.uint64)) for hand in hands])
    pots = [range(len(hands)), range(2)]
    for pot, shares in zip(pots, pot_equities(hands, pots, known, out), strict=True):
        best = values[pot] == values[pot].max(axis=0)
        won = (best * (12 // best.sum(axis=0))).sum(axis=1).tolist()
        assert shares == [*(Fraction(parts, 12 * len(boards)) for parts in won), *[0] * (len(hands) - len(won))]


def test_suits_do_not_matter():
    one = pot_equities([read_cards("AhKh"), read_cards("7c7d")], [[0, 1]], read_cards("Qh7h2s"))
    two = pot_equities([read_cards("AsKs"), read_cards("7h7d")], [[0, 1]], read_cards("Qs7s2c"))
    assert one == two


def test_unknown_cards_are_not_adjusted():
    hand = HANDS["900000000401"]
    all_in = HandCounts(hand).all_in
    hidden = hand.hand._replace(holes=(-1,) * len(hand.hand.holes))
    assert adjusted_results(replace(hand, hand=hidden, shown=()), all_in) is None
