"""Cards of Koi-Koi: names, kinds, text."""

import pytest

import tefuda as td
from tefuda.koikoi.cards import BY_CODE, DECK, codes_of, mask_of, of_kind, read_cards
from tests.koikoi.random_rounds import ANIMALS, RIBBONS


def test_deck():
    assert [card.id for card in DECK] == list(range(48)) and len(BY_CODE) == 48
    assert {kind: of_kind(kind).bit_count() for kind in "BARC"} == {"B": 5, "A": 9, "R": 10, "C": 24}
    assert of_kind("A") == mask_of(ANIMALS) and of_kind("R") == mask_of(RIBBONS)
    assert (DECK[32].code, DECK[32].english, DECK[32].japanese) == ("9A", "chrysanthemum with sake cup", "菊に盃")
    assert (DECK[43].code, DECK[47].code, DECK[46].kind_code) == ("11C", "12C3", "12C")
    assert read_cards("9a, 1C2") == (32, 3) and codes_of(mask_of((3, 32))) == "1C2 9A"


@pytest.mark.parametrize("text, error", [("13B", td.errors.UnknownNameError), ("9A 9A", td.errors.ParameterError)])
def test_cards_refused(text, error):
    with pytest.raises(error):
        read_cards(text)
