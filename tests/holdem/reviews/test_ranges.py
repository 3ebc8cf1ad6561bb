"""Assumed ranges: roles before the flop, files with fallbacks, presets and their widths."""

from pathlib import Path

import numpy as np
import pytest

from tefuda.apps.web.own_hands import SAMPLE
from tefuda.errors import ParameterError, RunError
from tefuda.holdem import Range, read_histories
from tefuda.holdem.cards import HANDS, read_cards
from tefuda.holdem.equities import equity
from tefuda.holdem.reports.counting import positions
from tefuda.holdem.reports.statistics import Share
from tefuda.holdem.reviews.ranges import RangeBook, Role, preset, resized, role_of
from tefuda.holdem.reviews.widths import USUAL, Widths, count_widths

SAMPLES = {hand.number: hand for hand in read_histories(Path(__file__).parents[2] / "data" / "hands44")}
BIG_BLIND = Role("BB", "call", "BTN", 6)


@pytest.mark.parametrize(
    "number, player, key",
    [
        ("900000000101", 0, "SB-3bet-vs-UTG"), ("900000000101", 4, "CO-call-3bet-vs-SB"),
        ("900000000101", 2, "UTG-call-3bet-vs-SB"), ("900000000201", 1, "BTN-call-3bet-vs-BB"),
        ("900000000401", 0, "SB-3bet-vs-BTN"), ("900000000602", 2, "BTN-4bet-vs-BB"),
        ("HD900000501", 4, "CO-open"), ("900000801", 1, "BB-call-vs-BTN"), ("900000001304", 0, "BB-check"),
    ],
)  # fmt: skip
def test_roles_of_the_samples(number, player, key):
    assert role_of(SAMPLES[number], player).key == key


@pytest.mark.parametrize(
    "role, width",
    [
        (Role("UTG", "open", "", 6), 0.16), (Role("CO", "open", "", 6), 0.27), (Role("BTN", "open", "", 2), 0.80),
        (BIG_BLIND, 0.45), (Role("BB", "call", "UTG", 6), 0.30), (Role("BB", "3bet", "BTN", 6), 0.12),
        (Role("BB", "3bet", "UTG", 6), 0.06), (Role("BTN", "4bet", "BB", 6), 0.03),
    ],
)  # fmt: skip
def test_widths(role, width):
    assert preset(role).hands / len(HANDS) == pytest.approx(width, abs=0.005)


def test_presets_fit_together():
    """Callers raise few of their hands, answers to a re-raise are hands of the open, weights fall."""
    call, raise_ = preset(BIG_BLIND).weights, preset(Role("BB", "3bet", "BTN", 6)).weights
    assert (call + raise_).max() <= 1 + 1e-9 or np.minimum(call, raise_).sum() < 0.01 * call.sum()
    opened = preset(Role("BTN", "open", "", 6)).weights
    for action in ("call-3bet", "4bet"):
        assert (preset(Role("BTN", action, "BB", 6)).weights <= opened).all()
    partial = [weight for weight in np.unique(call) if 0 < weight < 1]
    assert len(partial) > 3 and call[(call > 0) & (call < 1)].sum() < 0.11 * call.sum()
    assert preset(Role("UTG", "open", "", 6)).weights[HANDS.tolist().index(sorted(read_cards("AsAh")))] == 1


def test_widths_are_counted():
    """A twin counts the first decision that faces one raise; opens are those of the report by position."""
    hands = read_histories(SAMPLE)
    own, others = count_widths(hands.table())
    expected: dict[str, list[int]] = {position: [0, 0, 0] for position in ("HJ", "CO", "BTN", "SB", "BB")}
    for hand in hands:
        raisers, seen = list[int](), set[int]()
        for before, token in hand.replay():
            if before.street or token[0] not in "fcr":
                continue
            player, position = before.mover, positions(hand.rules)[before.mover]
            if len(raisers) == 1 and player not in seen and player != hand.hero:
                expected[position]["fcr".index(token[0])] += 1
            seen.add(player)
            raisers += [player] * (token[0] == "r")
    for position, (folds, calls, raises) in expected.items():
        chances = folds + calls + raises
        assert others.counted[False, position, "3bet"] == (raises, chances) and chances
        assert others.counted[False, position, "call"] == (calls, chances)
    for report, counted in ((hands.report(), [own]), (hands.report("*"), [own, others])):
        made = sum(each.counted[False, position, "open"].made for each in counted for position in ("UTG", *expected))
        assert made == report.total.counts["rfi"].made


def test_own_widths_replace_the_usual_ones(tmp_path):
    """Ten usual opportunities are added; the width of an opponent hardly moves a range."""
    wide = Widths({(False, "BTN", "open"): Share(90, 90), (False, "BB", "call"): Share(0, 990)})
    assert wide.of(6, "BTN", "open", 0.43) == pytest.approx((90 + 4.3) / 100)
    assert wide.of(2, "BTN", "open", 0.8) == USUAL.of(2, "BTN", "open", 0.8) == 0.8
    opened = Role("BTN", "open", "", 6)
    assert preset(opened, wide).hands / len(HANDS) == pytest.approx(0.943, abs=0.005)
    assert preset(BIG_BLIND, wide).hands / len(HANDS) == pytest.approx(0.01, abs=0.006)
    assert preset(BIG_BLIND, USUAL, wide).hands == pytest.approx(preset(BIG_BLIND).hands, rel=0.02)
    assert preset(BIG_BLIND, USUAL, wide) != preset(BIG_BLIND)
    hand = next(hand for hand in read_histories(SAMPLE) if role_of(hand, hand.hero).key == "BTN-limp")
    wide = Widths({(False, "BTN", "limp"): Share(90, 90)})
    own, against = (RangeBook(widths=widths).of(hand, hand.hero).range for widths in ((wide, USUAL), (USUAL, wide)))
    assert own.hands > 2 * against.hands


def test_files_with_fallbacks(tmp_path):
    hand = SAMPLES["900000000201"]  # two players with 100 and 123 big blinds
    book = RangeBook(tmp_path)
    names = ["call-3bet", "BTN-call-3bet", "BTN-call-3bet-vs-BB", "2max/BTN-call-3bet.txt", "2max-40bb/BTN-call-3bet",
             "2max-100bb/BTN-call-3bet-vs-BB.txt"]  # fmt: skip
    assert book.of(hand, 1).source == "preset BTN-call-3bet-vs-BB"
    expected = []
    for number, name in enumerate(names):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"# comment\n{'23456789TJQKA'[number] * 2}\nAKs:0.5  # half\n")
        expected.append(book.of(hand, 1))
        assert expected[-1].range == Range.read(f"{'23456789TJQKA'[number] * 2},AKs:0.5")
        assert expected[-1].source == Path(name).name
    (tmp_path / names[-1]).write_text("AK,KX")
    with pytest.raises(ParameterError) as caught:
        book.of(hand, 1)
    assert "BTN-call-3bet-vs-BB.txt" in str(caught.value)
    with pytest.raises(RunError):
        RangeBook(tmp_path / "none")


def test_resized_ranges():
    """A fifth of the weakest weight goes, or a fifth of marginal hands comes."""
    board = read_cards("Qs9d4h2c")
    own, against = preset(BIG_BLIND).without(board), preset(Role("BTN", "open", "", 6))
    strength = equity(own, against, "Qs9d4h2c").hands[0]
    for factor in (0.8, 1.2):
        other = resized(own, against, board, factor)
        assert other.hands == pytest.approx(factor * own.hands)
        assert other == other.without(board)
        change = other.weights - own.weights
        assert (change <= 1e-12).all() if factor < 1 else (change >= -1e-12).all()
    narrow = resized(own, against, board, 0.8).weights
    assert np.nanmax(strength[(narrow == 0) & (own.weights > 0)]) <= np.nanmin(strength[narrow > 0]) + 1e-9
