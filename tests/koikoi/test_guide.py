"""The page of rules."""

from pathlib import Path

from tefuda.koikoi.cards import DECK
from tefuda.koikoi.guide import guide
from tefuda.koikoi.rules import PRESETS, find_rules


def test_page_of_rules_is_made_from_the_options():
    """docs/koikoi-rules.md is that of the preset standard; every preset says what it differs in, and nothing else."""
    pages = {name: guide(rules) for name, rules in PRESETS.items()}
    assert pages["standard"] == (Path(__file__).parents[2] / "docs" / "koikoi-rules.md").read_text()
    assert len(set(pages.values())) == len(pages)
    said = {
        "koikoi_japan": (
            "| 10 more |",
            "1, 3 once one has called",
            "keeps the deal",
            "30 points",
            "a hand holds four cards",
        ),
        "gamedesign": ("| 15 |", "月札", "the dealer gets 6 points"),
        "nintendo_strict": ("called 1 time in a round", "three cards of a month lie on the field"),
        "bga_soft": ("1 + n", "bright yaku is among them"),
        "no_sake": ("inoshikacho",),
    }
    for name, words in said.items():
        assert all(word in pages[name] for word in words), name
        assert not all(word in pages["standard"] for word in words) or name == "no_sake", name
    assert "not with" not in pages["standard"]
    page = guide(find_rules(weather=True))
    assert "9A, not with 11B in the pile | 5" in page and "9A, not with 12B in the pile | 5" in page
    assert "rise again, above what they were then." in page
    assert "花見酒" in pages["standard"] and "花見酒" not in pages["no_sake"] and "Times 2" not in pages["gamedesign"]
    for one in (card for card in DECK if card.kind != "C"):
        assert f"{one.code} " in pages["standard"]
