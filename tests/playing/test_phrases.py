"""Phrases in all languages: of all games, of the small games, of hold'em and of Koi-Koi."""

import re
import tomllib
from pathlib import Path
from string import Formatter

import pytest

import tefuda
from tefuda.games.phrases import LANGUAGES, phrases
from tefuda.playing.human import HumanAgent
from tefuda.playing.phrases import PHRASES

FILES = sorted(Path(tefuda.__file__).parent.rglob("phrases.toml"))
BOOKS = [
    {language: phrases(section, language, path) for language in LANGUAGES}
    for path in FILES
    for section in tomllib.loads(path.read_text("utf-8"))
]
JAPANESE = "[\u3040-\u30ff\u4e00-\u9fff]"


def fields(text):
    """The kinds of values that a phrase takes, such as ["", ","]."""
    return sorted(spec for _, name, spec, _ in Formatter().parse(text) if name is not None)


@pytest.mark.parametrize("book", BOOKS)
def test_no_phrase_lacks_a_translation(book):
    """Both languages have the same phrases with the same braces; only separators and numbers may be equal."""
    assert book.keys() == set(LANGUAGES) and book["en"].keys() == book["ja"].keys()
    for name, text in book["en"].items():
        other = book["ja"][name]
        assert fields(text) == fields(other), name
        assert other != text or not re.search("[a-z]{2}", re.sub("{.*?}", "", text)), name
        wordy = bool(re.search("[a-z]", re.sub("{.*?}", "", text)))
        assert wordy <= bool(re.search(JAPANESE, other) or re.fullmatch("[0-9]+|{[^}]*}", other)), name


def test_unknown_languages_are_refused():
    assert HumanAgent.languages == LANGUAGES and HumanAgent(language="ja").phrases is PHRASES["ja"]
