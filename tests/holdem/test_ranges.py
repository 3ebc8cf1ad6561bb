"""Ranges from text and back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tefuda as td
from tefuda.holdem.cards import CLASSES, hand_number, read_cards
from tefuda.holdem.ranges import Range, compatible_weights

SIZES = {
    "AA": 6, "AKs": 4, "AKo": 12, "AK": 16, "KA": 16, "ka": 16, "66+": 54, "K2s+": 44, "A5s-A4s": 8, "A4s-A5s": 8,
    "QQ-22": 66, "AsKs": 1, "KsAs": 1, "*": 1326, "A2+": 192, "22+, AKs:0.5": 80, "AA:0.5,AA": 6, "AA,*:0.5": 663,
    "22+,A2s+,A2o+,K2s+,K2o+,Q2s+,Q2o+,J2s+,J2o+,T2s+,T2o+,92s+,92o+,82s+,82o+,72s+,72o+,62s+,62o+,52s+,52o+,42s+,"
    "42o+,32s,32o": 1326, "AA,": 6, "T9s:1e-3": 0.004, "AKs-QJs": 12, "AKs+": 4, "32s+": 48,
}  # fmt: skip


@pytest.mark.parametrize("text", SIZES)
def test_sizes(text):
    assert Range.read(text).hands == pytest.approx(SIZES[text], rel=1e-12)


@pytest.mark.parametrize(
    "text, meaning",
    [
        ("T9s-54s", "T9s,98s,87s,76s,65s,54s"), ("54s-T9s", "T9s,98s,87s,76s,65s,54s"), ("KQo-JTo", "KQo,QJo,JTo"),
        ("J9s-86s", "J9s,T8s,97s,86s"), ("A3o-K2o", "A3o,K2o"), ("QJ-JT", "QJs,QJo,JTs,JTo"),
        ("T9s+", "T9s,JTs,QJs,KQs,AKs"), ("T9+", "T9s+,T9o+"), ("KQo+", "KQo,AKo"), ("J9s+", "J9s,JTs"),
        ("10c9c", "Tc9c"), ("10c10d", "TcTd"), ("A10s+", "ATs+"), ("1010+", "TT+"), ("109s-54s", "T9s-54s"),
        ("QQ@0.5", "QQ:0.5"), ("AKo@0.25, KK", "AKo:0.25,KK"), ("10c9c@.5", "Tc9c:0.5"), ("QQ@0,AA", "AA"),
        ("[25.0]AKo[/25.0],QQ", "AKo:0.25,QQ"), ("[50]AA,KK[/50],QQ", "AA:0.5,KK:0.5,QQ"),
        ("[15.8]8s7d[/15.8],[15.8]8s7c[/15.8]", "8s7d:0.158,8s7c:0.158"), ("[100.0]AsAd[/100.0]", "AsAd"),
        ("[25.0]AKo[/25]QQ", "AKo:0.25,QQ"), ("KK, [ 50 ] 22+ [/ 50 ]", "KK,22+:0.5"),
    ],
)  # fmt: skip
def test_forms_of_other_programs(text, meaning):
    """Connectors as in the range reader of postflop-solver (range.rs); brackets as GTO+ writes them."""
    assert Range.read(text) == Range.read(meaning)


def test_single_hands_keep_their_place():
    some = Range.read("AKs,AsKs:0.25")
    assert some.weights[hand_number(*read_cards("AsKs"))] == 0.25 and some.hands == 3.25
    assert str(some) == "AhKh,AdKd,AcKc,AsKs:0.25"


@pytest.mark.parametrize(
    "text, told",
    [
        ("33+,22", "22+"), ("AKs,AQs,AJs", "AJs+"), ("A5s,A4s,A3s", "A5s-A3s"), ("KQs", "KQs"),
        ("AA:0.5,KK", "KK,AA:0.5"), ("QQ-33,22:0.1", "QQ-33,22:0.1"), ("32s", "32s"), ("AK", "AKs,AKo"),
    ],
)  # fmt: skip
def test_text(text, told):
    assert str(Range.read(text)) == told


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(CLASSES), st.sampled_from([0, 0.1, 1 / 3, 0.5, 1])), min_size=1))
def test_text_and_back(parts):
    text = ",".join(f"{name}:{weight!r}" for name, weight in parts)
    weights = dict(parts)
    if not any(weights.values()):
        with pytest.raises(td.errors.ParameterError, match="hand"):
            Range.read(text)
        return
    found = Range.read(text)
    assert Range.read(str(found)) == found and hash(Range.read(str(found))) == hash(found)
    grid = dict(zip(CLASSES, found.grid().ravel(), strict=True))
    assert all(grid[name] == pytest.approx(weights.get(name, 0)) for name in CLASSES)


def test_incompatible_hands_have_no_weight():
    """All hands share a card with AsKh: rounding leaves an exact 0, and a small weight is not lost."""
    others = "AsQs:0.2,AsJs:0.94,KhQh:0.37,KhJh:0.11,AsTd:0.63,Kh7c:0.93"
    hand = hand_number(*read_cards("AsKh"))
    assert compatible_weights(Range.read(others).weights)[hand] == 0
    assert compatible_weights(Range.read(f"{others},7d6d:0.000001").weights)[hand] == pytest.approx(1e-6, rel=1e-6)


def test_hands_of_any_weight_survive():
    weights = np.random.default_rng(1).random(1326).round(3)
    weights[:200] = 1 / 7
    assert Range.read(str(Range(weights))) == Range(weights)


@pytest.mark.parametrize(
    "text, place, why",
    [
        ("AA,KX,QQ", "     ^^", "is no hand"),
        ("AA, AKs:1.5", "          ^^^", "is no weight"),
        ("AA:nan", "     ^^^", "is no weight"),
        ("AA:", "     ^", "is no weight"),
        ("AKs-QTs", "  ^^^^^^^", "same high card"),
        ("QQ@50", "     ^^", "is no weight"),
        ("AA@0.5:0.5", "     ^^^^^^^", "is no weight"),
        ("QQ,[50]AA", "     ^^^^", "is not closed"),
        ("AA[/50]", "    ^^^^^", "is no weight"),
        ("[150]AA[/150]", "  ^^^^^", "is no weight"),
        ("[nan]AA[/nan]", "  ^^^^^", "is no weight"),
        ("[50]AA[/25]", "        ^^^^^", "does not close"),
        ("[50]AA[20]KK[/20][/50]", "        ^^^^", "does not close"),
        ("[50]AA:0.5[/50]", "      ^^^^^^", "two weights"),
        ("[AA", "  ^", "is no hand"),
        ("1c9c", "  ^^^^", "is no hand"),
        ("10c10c", "  ^^^^^^", "two different"),
        ("AA KK", "  ^^^^^", "is no hand"),
        ("AK-A2s", "  ^^^^^^", "of one kind"),
        ("AAs", "  ^^^", "neither suited"),
        ("QQ,AsAs", "     ^^^^", "two different"),
        ("AA++", "  ^^^^", "is no hand"),
        ("", None, "at least one hand"),
        ("AA:0", None, "at least one hand"),
    ],
)
def test_faults_are_marked(text, place, why):
    with pytest.raises(td.errors.ParameterError, match=why) as caught:
        Range.read(text, "oop")
    assert str(caught.value).startswith("oop")
    if place is not None:
        assert str(caught.value).splitlines()[-1] == place
