"""Cards and strengths of hands. Counts: the page's table of categories (published many times over)."""

from itertools import combinations

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem import cards
from tefuda.holdem.rank import CATEGORIES, MASKS, count_categories, strength, strength_text, strengths

FIVE = (1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40)
SEVEN = (23_294_460, 58_627_800, 31_433_400, 6_461_620, 6_180_020, 4_047_644, 3_473_184, 224_848, 41_584)


def test_deck():
    assert [cards.read_cards(cards.card_text(card)) for card in range(52)] == [(card,) for card in range(52)]
    assert cards.read_cards("Qs Jh 2h") == cards.read_cards("qSjh, 2H") == (43, 38, 2)
    assert cards.read_cards("10d") == cards.read_cards("Td") and cards.cards_text((51, 0)) == "As 2c"
    assert [cards.hand_number(*hand) for hand in cards.HANDS.tolist()] == list(range(1326))
    assert (cards.hand_text(0), cards.hand_text(1325), cards.hand_number(51, 0)) == ("2d2c", "AsAh", 50)


def test_classes_equal_the_chart():
    assert cards.CLASSES[:3] == ("AA", "AKs", "AQs") and cards.CLASSES[13:15] == ("AKo", "KK")
    assert cards.CLASSES[-2:] == ("32o", "22")
    sizes = np.bincount(cards.CLASS_OF)
    assert {name[2:] or "pair": int(size) for name, size in zip(cards.CLASSES, sizes, strict=True)} == {
        "pair": 6, "s": 4, "o": 12,
    }  # fmt: skip
    assert cards.CLASSES[cards.CLASS_OF[cards.hand_number(*cards.read_cards("7d2c"))]] == "72o"


@pytest.mark.parametrize(
    "text, place, why",
    [
        ("Qs Jx 2h", "     ^^", "is no card"),
        ("QsJh2", "      ^", "is no card"),
        ("As, Kd, As", "          ^^", "repeated"),
        ("1s", "  ^^", "is no card"),
    ],
)
def test_faults_are_marked(text, place, why):
    with pytest.raises(td.errors.ParameterError, match=why) as caught:
        cards.read_cards(text, "board")
    assert str(caught.value).startswith("board: ") and str(caught.value).splitlines()[-1] == place


def test_five_cards():
    assert count_categories(5) == (dict(zip(CATEGORIES, FIVE, strict=True)), 7_462)


@pytest.mark.slow
def test_seven_cards():
    assert count_categories(7) == (dict(zip(CATEGORIES, SEVEN, strict=True)), 4_824)


def test_royal_flushes_of_seven_cards():
    """4 suits and any 2 of the other 47 cards: 4,324 hands, all of the highest strength."""
    hands = [
        cards.mask_of((*range(32 + suit, 52, 4), *more))
        for suit in range(4)
        for more in combinations([card for card in range(52) if card not in range(32 + suit, 52, 4)], 2)
    ]
    found = set(strengths(np.array(hands, dtype=np.uint64)).tolist())
    assert (
        len(hands) == 4_324 and found == {strength("As Ks Qs Js Ts")} and max(found) > strength("Ks Qs Js Ts 9s Ac Ad")
    )


def naive(hand: tuple[int, ...]) -> tuple:
    """Return the strength of five cards by definition."""
    ranks = sorted((card >> 2 for card in hand), reverse=True)
    groups = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    counts, kinds = zip(*groups, strict=True)
    flush = len({card & 3 for card in hand}) == 1
    if ranks == [12, 3, 2, 1, 0]:
        ranks = [3, 2, 1, 0, -1]
    straight = len(set(ranks)) == 5 and ranks[0] - ranks[4] == 4
    if straight:
        return (8 if flush else 4, ranks[0])
    table = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1, (1,) * 5: 0}
    return (5 if flush else table[counts], *kinds)


@pytest.mark.parametrize("number", [5, 6, 7])
def test_strengths_order_hands_by_definition(number):
    rng = np.random.default_rng(number)
    # Few ranks and suits, to draw rare categories.
    decks = [np.arange(52), np.arange(16), np.arange(0, 52, 4), np.union1d(np.arange(3, 52, 4), np.arange(8))]
    hands = [tuple(rng.choice(decks[i % 4], number, replace=False).tolist()) for i in range(600)]
    book = [max(map(naive, combinations(hand, 5))) for hand in hands]
    found = strengths(np.array([cards.mask_of(hand) for hand in hands], dtype=np.uint64)).tolist()
    assert len({one[0] for one in book}) == 9
    order = sorted(set(book))
    assert sorted(set(found)) == [found[book.index(one)] for one in order]
    assert len(set(zip(book, found, strict=True))) == len(order)
    assert [value >> 26 for value in found] == [one[0] for one in book]


def test_strengths_in_words():
    assert strength_text(strength("As Ks Qs Js Ts 2c 2d")) == "straight flush to the A"
    assert strength_text(strength("5s 4h 3c 2d Ah Kd")) == "straight to the 5"
    assert strength_text(strength("AsAh8d8cQhQs2c")) == "two pair: A Q, 8"
    assert strength_text(strength("9c9d9hKsKdKh2c")) == "full house: K, 9"
    assert MASKS[51] == 1 << 60
    with pytest.raises(td.errors.ParameterError, match="strength"):
        strength("As Ks Qs Js")
    for wrong in ((0, 0, 1, 2, 3), (0, 1, 2, 3, 52), (-1, 0, 1, 2, 3)):
        with pytest.raises(td.errors.ParameterError, match="different"):
            strength(wrong)
