"""Language of texts for a person: the option, else the locale."""

import pytest
from typer.testing import CliRunner

import tefuda as td
from tefuda.apps.cli import app
from tefuda.apps.cli.shared.languages import chosen_language
from tests.conftest import refused


@pytest.mark.parametrize(
    "locale, words, title",
    [
        ({"LANG": "ja_JP.UTF-8"}, [], "# こいこい"),
        ({"LANG": "ja_JP.UTF-8", "LC_ALL": "C"}, [], "# Koi-Koi"),
        ({"LC_ALL": "ja", "LANG": "C"}, [], "# こいこい"),
        ({"LC_MESSAGES": "ja_JP", "LANG": "en_US.UTF-8"}, [], "# こいこい"),
        ({"LANG": "jam.UTF-8"}, [], "# Koi-Koi"),
        ({"LANG": "ja_JP.UTF-8"}, ["--language", "en"], "# Koi-Koi"),
        ({}, ["--language", "ja"], "# こいこい"),
        ({}, [], "# Koi-Koi"),
    ],
)
def test_the_language_is_that_of_the_locale_or_of_the_option(locale, words, title, monkeypatch):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in locale.items():
        monkeypatch.setenv(name, value)
    found = CliRunner().invoke(app, ["koikoi", "rules", *words])
    assert found.exit_code == 0 and found.output.startswith(f"{title}\n")


def test_an_unknown_language_is_refused_only_as_an_option():
    assert chosen_language("", ("en",), {"LANG": "ja_JP.UTF-8"}) == "en"
    assert chosen_language("", ("en", "ja"), {"LC_ALL": "", "LANG": "ja_JP.UTF-8"}) == "ja"
    with refused(td.errors.ParameterError, key="--language", value="ja"):
        chosen_language("ja", ("en",), {})
