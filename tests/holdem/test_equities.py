"""All-in equities: the page's figures, counted by other programs; naive enumeration for small cases."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from bench.class_wins import count_class_wins

import tefuda as td
from tefuda.holdem.cards import CLASSES, HANDS, hand_number, mask_of, read_cards
from tefuda.holdem.equities import class_equities, equity, list_boards
from tefuda.holdem.ranges import Range
from tefuda.holdem.rank import strengths
from tefuda.holdem.suits import PERMUTATIONS
from tests.conftest import refused

DATA = Path(__file__).parents[3] / "shared" / "data" / "holdem"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="the spots of other programs are not beside this checkout")

#: first, second -> equity in percent, wins, ties, total.
MATCHUPS = {
    ("AA", "KK"): (81.946050, 50_371_344, 285_228, 61_642_944),
    ("AKs", "QQ"): (46.048526, 18_834_720, 178_116, 41_095_296),
    ("AA", "72o"): (88.199628, 108_477_540, 520_308, 123_285_888),
}
AGAINST_ALL = {"AA": 85.203713, "KK": 82.395680, "AKs": 67.044632, "72o": 34.583647, "32o": 32.303228}


@pytest.mark.parametrize("pair", MATCHUPS)
def test_matchups(pair):
    found = equity(*pair)
    percent, *counts = MATCHUPS[pair]
    assert [found.wins, found.ties, found.total] == counts
    assert 100 * found.first == pytest.approx(percent, abs=1e-6) and found.first + found.second == 1
    back = equity(*reversed(pair))
    assert (back.losses, back.ties) == (found.wins, found.ties)


def test_wins_and_ties_in_percent():
    found = equity("AA", "KK")
    assert [100 * one / found.total for one in (found.wins, found.ties)] == pytest.approx([81.7147, 0.4627], abs=5e-5)


@pytest.mark.parametrize("name", AGAINST_ALL)
def test_against_any_hand(name):
    assert 100 * equity(name, "*").first == pytest.approx(AGAINST_ALL[name], abs=1e-6)


def test_table_of_classes():
    _, ties, totals = class_equities()
    assert totals.sum() == 2_781_381_002_400 and (ties >= 0).all() and (ties == ties.T).all()


@pytest.mark.parametrize(
    "cards, board, second",
    [("AsAhAdAcKsKhKdKcQsQhQdQc", "", "QQ,AK:0.3"), ("AsKsQsJsTsAhKhQhJhAdKdQdTcTdJc", "TcTdJc", "QQ,AJs,KdQd:0.3")],
)
def test_a_small_deck(cards, board, second):
    """Naive counts of hands and boards of a few cards, with and without isomorphic suits."""
    deck, table = read_cards(cards), read_cards(board)
    first, second = Range.read("AK,JJ:0.5"), Range.read(second)
    won = met = 0.0
    free = [card for card in deck if card not in table]
    for more in combinations(free, 5 - len(table)):
        lies = {*table, *more}
        held = list(combinations(sorted(set(free) - lies), 2))
        numbers = [hand_number(*hand) for hand in held]
        board_set = np.uint64(mask_of(lies))
        values = strengths(np.array([mask_of(hand) for hand in held], dtype=np.uint64) | board_set).astype(int)
        meets = np.array([[not set(one) & set(two) for two in held] for one in held])
        weights = np.outer(first.weights[numbers], second.weights[numbers]) * meets
        met += weights.sum()
        won += (weights * (1 + np.sign(values[:, None] - values[None, :])) / 2).sum()
    found = equity(first, second, board, deck=deck)
    assert found.total == pytest.approx(met) and found.first == pytest.approx(won / met, abs=1e-12)


@needs_data
def test_table_of_classes_is_that_of_others():
    given = np.load(DATA / "equity169.npz")
    there = given["W"] >= 0
    assert tuple(given["names"]) == CLASSES and (~there).sum() == 4
    for mine, theirs in zip(class_equities(), ("W", "T"), strict=False):
        assert (mine[there] == given[theirs][there]).all()


def test_boards_before_the_flop():
    boards, times = list_boards((), PERMUTATIONS)
    assert len(boards) == 134_459 and times.sum() == 2_598_960


@pytest.mark.slow
def test_table_is_counted_so():
    assert (count_class_wins() == class_equities()[0]).all()


def enumerated(first: Range, second: Range, board: tuple[int, ...]):
    """Return won and tied pairs, all pairs, and the share of each hand of the first range, by enumeration."""
    won = tied = all_ = 0.0
    shares, met = np.zeros(1326), np.zeros(1326)
    deck = [card for card in range(52) if card not in board]
    for one in np.flatnonzero(first.weights):
        for two in np.flatnonzero(second.weights):
            held = {*HANDS[one].tolist(), *HANDS[two].tolist()}
            if len(held) < 4 or held & set(board):
                continue
            tables = [board + more for more in combinations([c for c in deck if c not in held], 5 - len(board))]
            a, b = (
                strengths(np.array([mask_of((*t, *HANDS[h])) for t in tables], dtype=np.uint64)) for h in (one, two)
            )
            weight = first.weights[one] * second.weights[two]
            won, tied, all_ = won + weight * (a > b).sum(), tied + weight * (a == b).sum(), all_ + weight * len(a)
            shares[one] += second.weights[two] * ((a > b).sum() + (a == b).sum() / 2)
            met[one] += second.weights[two] * len(a)
    with np.errstate(invalid="ignore"):
        return won, tied, all_, shares / met


@pytest.mark.parametrize(
    "first, second, board",
    [
        ("AA:0.5,AKs,7h6h:0.25", "AKs,KK,AhTh", "Qs Jh 2h 8d 3c"),
        ("AA:0.5,AKs,7h6h:0.25", "QQ,AKs:0.3,AhTh", "Qs Jh 2h 8d"),
        ("AsKs,AhKd", "2c2d,KhKc", "Ts 9s 3h"),
        ("Ad5d", "Ac5c,5h5s", "Kd Qd 4h"),
    ],
)
def test_ranges_on_boards(first, second, board):
    found = equity(first, second, board)
    won, tied, all_, shares = enumerated(Range.read(first), Range.read(second), read_cards(board))
    assert (found.wins, found.ties, found.total) == pytest.approx((won, tied, all_), rel=1e-12)
    there = np.isfinite(found.hands[0])
    assert np.allclose(found.hands[0][there], shares[there], rtol=0, atol=1e-12) and there.any()


def test_hands_before_the_flop():
    """With suits: of the 24 pairs of AKs and QQ one half shares the suit of the first, the other does not."""
    found = [equity("AsKs", queens) for queens in ("QhQd", "QsQh")]
    wins, ties, totals = (table[CLASSES.index("AKs"), CLASSES.index("QQ")] for table in class_equities())
    assert 12 * sum(one.wins for one in found) == wins and 12 * sum(one.ties for one in found) == ties
    assert 12 * sum(one.total for one in found) == totals and found[0].first > found[1].first


def test_sampled_equity_holds_the_exact_one():
    exact = equity("AA:0.5,KQs", "TT+", "Qs Jh 2h").first
    drawn = [equity("AA:0.5,KQs", "TT+", "Qs Jh 2h", samples=400, seed=seed) for seed in range(20)]
    assert sum(abs(one.first - exact) <= one.half_width for one in drawn) >= 17
    assert 0.001 < drawn[0].half_width < 0.1 and drawn[0].wins != drawn[1].wins
    assert (
        equity("AA", "KQ", "Qs Jh 2h", samples=50, seed=3).wins
        == equity("AA", "KQ", "Qs Jh 2h", samples=50, seed=3).wins
    )


def test_intervals_have_the_width_of_the_spread():
    """The interval is that of a ratio: boards that block many hands change both its parts."""
    drawn = [equity("AA", "KK,QQ", "2s 7d 9h", samples=50, seed=seed) for seed in range(100)]
    spread = 1.96 * np.std([one.first for one in drawn], ddof=1)
    assert np.mean([one.half_width for one in drawn]) == pytest.approx(spread, rel=0.25)


def test_isomorphic_hands_have_equal_equity():
    """If a board represents several, each hand is compared on all of them, as if it were alone."""
    found = equity("AA,T9s:0.5,AcKd", "KK,66", "Ts 3h 2h")
    for name in ("Tc9c", "Td9d", "AsAd", "AcAs"):
        alone = equity(name, "KK,66", "Ts 3h 2h").first
        assert found.hands[0][hand_number(*read_cards(name))] == pytest.approx(alone, abs=1e-12)
    alike = equity("AA,T9s:0.5", "KK,66", "Ts 3h 2h")  # now c and d are interchangeable
    for name in ("Tc9c", "Td9d", "AsAd", "AcAs"):
        number = hand_number(*read_cards(name))
        assert alike.hands[0][number] == pytest.approx(found.hands[0][number], abs=1e-12)


def test_progress_is_reported():
    seen = []
    equity("AsKs", "QhQd", "Js Ts 2c", progress=lambda done, of: seen.append((done, of)))
    assert seen[-1][0] == seen[-1][1] > 500


@pytest.mark.parametrize(
    "arguments, why",
    [
        (("AsKs", "AsQs"), "shares a card(?s:.*)  AsQs\n  \\^\\^\\^\\^$"),
        (("AA", "KK", "As Ah Ad Ac"), "As Ah Ad Ac blocks all hands of the first range(?s:.*)  AA\n  \\^\\^$"),
        (("AA", "KK,KQs", "Ks Kh Kd Kc"), "hands of the second range"),
        (("AA", "KK", "As Ah"), "0, 3, 4 or 5"),
        (("AsKs", "KK", "As 2c 3d"), "first range: .AsKs. is impossible: As"),
        (("AX", "KK"), "first range: 'AX'"),
        (("AA", "KX"), "second range: 'KX'"),
        (("AA", "KK", "As Ah Xx"), "board: 'Xx'"),
    ],
)
def test_refused(arguments, why):
    with pytest.raises(td.errors.ParameterError, match=why):
        equity(*arguments)
    with refused(td.errors.ParameterError, key="samples", value=1):
        equity("AA", "KK", samples=1)


def test_boards_that_leave_no_hands():
    """Two aces and two kings of the drawn suits: more boards help, wider ranges are not needed."""
    assert equity("AsAh", "KsKh", samples=2, seed=0).total == 2
    with pytest.raises(
        td.errors.ParameterError, match="samples"
    ):  # one pair of boards in eight shares a card with each
        equity("AsAh", "KsKh", samples=2, seed=15)


def test_incompatible_hands_are_refused_before_any_board():
    with refused(td.errors.ParameterError, key="second range", value="AsQs"):
        equity("AsKs", "AsQs", progress=lambda done, of: pytest.fail("boards were compared"))


@pytest.mark.parametrize("board", ["2c2d2h3c3d", "Ts3h2h5c9s", "QsJsTs9s8s"])
def test_a_complete_board_equals_the_loop_over_boards(board):
    """All pairs of hands at once equal a pass by strength over a board with double weight."""
    rng = np.random.default_rng(len(board) + ord(board[0]))
    ranges = [Range(np.round(rng.random(1326), 2) * (rng.random(1326) < 0.4)) for _ in range(2)]
    exact, drawn = equity(*ranges, board), equity(*ranges, board, samples=2)
    figures = np.array([[one.first, one.wins / one.total, one.ties / one.total] for one in (exact, drawn)])
    assert np.allclose(figures[0], figures[1], rtol=0, atol=1e-12)
    assert np.allclose(exact.hands, drawn.hands, rtol=0, atol=1e-9, equal_nan=True)
