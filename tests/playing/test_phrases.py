"""Phrases in all languages: of all games, and of Koi-Koi."""

import re

import pytest

from tefuda.koikoi.cards import LANGUAGES
from tefuda.koikoi.people.phrases import phrases
from tefuda.playing.human import HumanAgent
from tefuda.playing.phrases import PHRASES

KOIKOI = [{language: phrases(part, language) for language in LANGUAGES} for part in ("table", "guide")]


@pytest.mark.parametrize("book", [*KOIKOI, PHRASES])
def test_no_phrase_lacks_a_translation(book):
    """Both languages have the same phrases with the same braces; only separators and numbers may be equal."""
    assert book.keys() == set(LANGUAGES) and book["en"].keys() == book["ja"].keys()
    for name, text in book["en"].items():
        other = book["ja"][name]
        assert text.count("{}") == other.count("{}") and text.count("{:") == other.count("{:"), name
        assert other != text or not re.search("[a-z]{2}", re.sub("{.*?}", "", text)), name
        assert bool(re.search("[a-z]", re.sub("{.*?}", "", text))) <= bool(
            re.search("[\u3040-\u30ff\u4e00-\u9fff]", other)
        ), name


def test_unknown_languages_are_refused():
    assert set(HumanAgent.languages) <= PHRASES.keys() and HumanAgent(language="ja").phrases is PHRASES["ja"]
