"""The language of filters: hands that each condition keeps, and words that it refuses."""

from pathlib import Path

import numpy as np
import pytest

from tefuda.errors import ParameterError
from tefuda.holdem import read_histories
from tefuda.holdem.reports.filters import WORDS, read_filter

FOLDER = Path(__file__).parents[2] / "data" / "hands44"
SAMPLES = read_histories(FOLDER)
ASH = SAMPLES.table().of("Ash")


@pytest.mark.parametrize(
    "text, hands",
    [
        ("", 15), ("position=BTN", 6), ("position=btn,SB", 8), ("position!=BTN", 9), ("pot=3bet", 7), ("pot>=3bet", 9),
        ("pot=4bet hero=KK+,AKs", 2), ("hero=QQ", 1), ("hero!=QQ", 14), ("stack=80..125", 12), ("stack>150", 1),
        ("stack=..20,150..", 2), ("result<-20bb", 1), ("result>=20", 6), ("street>=turn", 9), ("street=preflop", 5),
        ("from=2026-05", 5), ("to=2026-04", 10), ("from=2026-04-11 to=2026-04-11", 2),
        ("from=2027", 0), ("to=2026", 15),
        ("room=pokerstars", 8), ("room=888poker,winamax", 2), ("stake=0.05/0.1", 8), ("stake=0.05/0.1USD", 8),
        ("stake=tournament", 2), ("cash=no", 2), ("showdown=yes", 9), ("all-in=yes", 7), ("players=2", 2),
        ("flop=2..3", 12), ("name=ash", 15), ("did=three_bet", 3), ("could=three_bet did!=three_bet", 5),
        ("board=paired", 1), ("session=1", 1),
    ],
)  # fmt: skip
def test_conditions(text, hands):
    assert int(read_filter(text)(ASH).sum()) == hands, text


def test_boards_divide_the_flops():
    flops = read_filter("flop>0")(ASH)
    for kinds in (("monotone", "two-tone", "rainbow"), ("paired", "unpaired", "trips")):
        parts = [read_filter(f"board={kind}")(ASH).astype(int) for kind in kinds]
        assert np.array_equal(sum(parts), flops.astype(int))
    (row,) = np.flatnonzero(read_filter("board=paired")(ASH))
    assert SAMPLES.hands[ASH["hand"][row]].number == "9000000901"  # 8c5s5d


def test_conditions_hold_together():
    """Several conditions keep the rows that each keeps; a filtered collection has the same report."""
    text = "position=BTN pot=3bet stack=80..125"
    masks = [read_filter(part)(ASH) for part in text.split()]
    assert np.array_equal(read_filter(text)(ASH), np.logical_and.reduce(masks))
    kept = SAMPLES.filter(text, "Ash")
    assert [hand.number for hand in kept] == ["900000000401", "9000001101", "9000001201"]
    again = kept.filter("hero=JTs", "Ash")
    assert [hand.number for hand in again] == ["900000000401"]
    assert again.report("Ash").total.net == pytest.approx(-0.19)
    assert again.to_frame("Ash").number.tolist() == ["900000000401"]


@pytest.mark.parametrize(
    "text, word",
    [
        ("position=BTN colour=red", "colour=red"), ("position=BTM pot=3bet", "position=BTM"), ("pot", "pot"),
        ("position<BTN", "position<BTN"), ("stack=deep", "stack=deep"), ("stack=..", "stack=.."),
        ("hero=ZZ", "hero=ZZ"),
        ("from=2026-13", "from=2026-13"), ("from<2026-01", "from<2026-01"), ("to=yesterday", "to=yesterday"),
        ("board=wet", "board=wet"), ("showdown=maybe", "showdown=maybe"), ("room>a", "room>a"), ("did=win", "did=win"),
        ("result=1..x", "result=1..x"), ("pot>limped,3bet", "pot>limped,3bet"), ("= =", "="),
        ("hero>AA", "hero>AA"), ("did<vpip", "did<vpip"), ("could>=pfr", "could>=pfr"),
        ("board<paired", "board<paired"),
    ],
)  # fmt: skip
def test_wrong_words_are_marked(text, word):
    with pytest.raises(ParameterError) as caught:
        read_filter(text)
    first, last = caught.value.position
    assert text[first:last] == word and caught.value.text == text and "^" in str(caught.value)


def test_each_word_is_tested():
    source = Path(__file__).read_text()
    assert all(f'"{word}' in source or f" {word}" in source for word in WORDS)
