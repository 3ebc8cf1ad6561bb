"""The page of rules."""

import re
from pathlib import Path

import pytest

import tefuda as td
from tefuda.koikoi.cards import DECK
from tefuda.koikoi.people.guide import guide
from tefuda.koikoi.rules import PRESETS, REDEALS, find_rules
from tests.conftest import refused


def test_page_of_rules_is_made_from_the_options():
    """docs/koikoi-rules.md is the page of standard; every preset states only its differences."""
    pages = {name: guide(rules) for name, rules in PRESETS.items()}
    assert pages["standard"] == (Path(__file__).parents[3] / "docs" / "koikoi-rules.md").read_text()
    assert len(set(pages.values())) == len(pages)
    said = {
        "koikoi_japan": (
            "| 10 more |",
            "1, 3 once its owner has called koi-koi",
            "keeps the deal",
            "30 points",
            "a hand holds four cards",
        ),
        "gamedesign": ("| 15 |", "月札", "the dealer gets 6 points"),
        "nintendo_strict": ("Only one call of koi-koi", "three cards of a month lie on the field"),
        "nintendo_growing": (
            "5, and 1 for each further animal",
            "10, and 1 for each further ribbon",
            "Akatan with aotan",
        ),
        "bga_soft": ("1 + n", "bright yaku is among them"),
        "no_sake": ("inoshikacho",),
    }
    for name, words in said.items():
        assert all(word in pages[name] for word in words), name
        assert not all(word in pages["standard"] for word in words) or name == "no_sake", name
    assert "not with" not in pages["standard"]
    page = guide(find_rules(weather=True))
    assert "9A, not with 11B in the pile | 5" in page and "9A, not with 12B in the pile | 5" in page
    assert "exceed their points at the call" in page
    assert (
        "花見酒" in pages["standard"]
        and "花見酒" not in pages["no_sake"]
        and "Double the points" not in pages["gamedesign"]
    )
    for one in (card for card in DECK if card.kind != "C"):
        assert f"{one.code} " in pages["standard"]


def test_options_without_a_preset_are_on_the_page():
    for changes in ({"exhaustion_yaku": True}, {"both_teyaku": "play"}, {"redeal": ("one teyaku",)}):
        for language in ("en", "ja"):
            plain, page = guide(find_rules(), language), guide(find_rules(**changes), language)
            assert page != plain and "{" not in page


@pytest.mark.parametrize("preset", PRESETS)
def test_the_japanese_page_has_the_same_content(preset):
    """Both pages have the same tables, card codes and figures; no English text remains."""
    rules = find_rules(preset, redeal=REDEALS, max_koikoi=2, weather=True, start=1)
    pages = [guide(rules, language) for language in ("en", "ja")]
    cells = [[line.split(" | ") for line in page.splitlines() if line.startswith("|")] for page in pages]
    assert len(cells[0]) == len(cells[1]) and len(pages[0].split("\n\n")) == len(pages[1].split("\n\n"))
    for one, two in zip(*cells, strict=True):
        codes = [re.findall(r"\d+[BARC]\d?", " ".join(line)) for line in (one, two)]
        assert codes[0] == codes[1] and re.findall(r"\d+", one[-1]) == re.findall(r"\d+", two[-1])
    assert not re.search("[a-z]{2}", pages[1])
    for one in rules.for_month(1).yaku:
        assert one.japanese in pages[1]
    with refused(td.errors.ParameterError, key="language", value="fr"):
        guide(rules, "fr")
