"""Explanations: every argument has a meaning, every source is in the list, every command runs."""

import shlex
from pathlib import Path

import pytest

import tefuda as td
from tefuda.apps.explaining import about, arguments_of, explain_game, explain_method
from tefuda.games.catalogue import GAMES
from tefuda.koikoi.rules import PRESETS, REDEALS, KoiKoiRules
from tefuda.settings import all_options
from tests.apps.conftest import last_json


@pytest.fixture(scope="module")
def references():
    return (Path(__file__).parents[2] / "docs" / "references.md").read_text()


def documented(name, mark=1, rest=(), last=0):
    """An example.

    More about it.

    Args:
        name: its name,
            in full.
        mark, rest: others; last: one more; none: no argument.

    Raises:
        ValueError: never.

    >>> documented("x")
    """


def test_docstrings_are_read():
    others = dict.fromkeys(("mark", "rest"), "others")
    last = "one more; none: no argument."
    assert arguments_of(documented) == {"name": "its name, in full.", **others, "last": last}
    assert about(documented) == "An example.\n\nMore about it."


@pytest.mark.parametrize("name", sorted(td.METHODS.keys() - {"ema"}))
def test_methods_explain_their_fields(name, references):
    found = explain_method(name)
    assert set(found["parameters"]) >= set(td.METHODS[name].parameters()) - {"name"}
    others = {option for option, one in found["parameters"].items() if "(with --" in one["meaning"]}
    assert set(found["parameters"]) - others <= set(all_options(td.METHODS[name]))
    assert all(one["meaning"] for one in found["parameters"].values()), found["parameters"]
    assert f"`{found['source']}`" in references


def test_every_published_method_has_a_source(references):
    assert [name for name, method in td.METHODS.items() if not method.source] == ["ema"]
    sources = [game.source for game in GAMES.values() if game.source]
    assert sources and all(f"`{source}`" in references for source in sources)


@pytest.mark.parametrize(
    "name",
    [
        "kuhn", "leduc", "liars_dice", "goofspiel", "nolimit_leduc", "sampled", "matrix",
        "holdem", "koikoi", "mini8", "mini12", "minikoi",
    ],
)  # fmt: skip
def test_games_explain_their_parameters(name):
    found, needed = explain_game(name), {"matrix": ["payoffs"], "minikoi": ["cards", "yaku"]}
    for one in found["parameters"].values():
        assert one["meaning"] and "\n" not in one["meaning"] and "see mini8" not in one["meaning"], found["parameters"]
    assert [key for key, one in found["parameters"].items() if one["needed"]] == needed.get(name, [])


def test_koikoi_explains_its_rules(tefuda):
    """The 35 options of the rules, from the documentation of their fields; the presets by name."""
    given = last_json(tefuda("games", "koikoi", "--json"))["parameters"]
    assert len(given) == 36 and given.keys() - {"preset"} == all_options(KoiKoiRules()).keys() - {"extra"}
    assert all(name in given["preset"]["meaning"] for name in PRESETS)
    assert all(reason in given["redeal"]["meaning"] for reason in REDEALS)
    assert given["exhaustion"]["meaning"] != given["exhaustion_yaku"]["meaning"]


def test_kuhn_in_full(tefuda):
    found = last_json(tefuda("games", "kuhn", "--json"))
    assert (found["players"], found["source"], found["actions"]) == (2, "kuhn1950", "p: check or fold; b: bet or call")
    assert found["size"].startswith("55 histories") and found["parameters"]["cards"]["default"] == 0
    text = tefuda("games", "kuhn").stdout
    assert "--players" in text and found["example"] in text and "kuhn1950" in text
    assert "--alpha" in tefuda("methods", "dcfr").stdout and "brown2019" in tefuda("methods", "dcfr").stdout


def test_examples_run(tefuda):
    for name in ("kuhn", "rps", "matrix", "sampled"):
        tefuda(*shlex.split(explain_game(name)["example"])[1:], "--iterations", 1)
    assert explain_game("holdem")["example"] == "tefuda play holdem"
    assert all(explain_game(name)["example"].startswith("tefuda ") for name in ("efg", "openspiel", "minikoi"))


@pytest.mark.parametrize("name", ["correlated", "commitment", "team", "triggers"])
def test_examples_of_methods_of_own_games_work(tefuda, name):
    tefuda(*shlex.split(explain_method(name)["example"])[1:], "--iterations", 1)


def test_unknown_names_are_refused(tefuda):
    assert "Did you mean 'kuhn'?" in tefuda("games", "kunh", code=2).stderr
    assert "unknown method 'cfrr'" in tefuda("methods", "cfrr", code=2).stderr


def test_strategies_have_a_legend(tefuda):
    assert last_json(tefuda("inspect", "leduc", "--json"))["actions"] == "c: check or call; r: bet or raise; f: fold"
    tefuda("solve", "kuhn", "--iterations", 10, "--out", "run")
    assert "p: check or fold; b: bet or call" in tefuda("show", "run", "--all").stdout.replace("\n", " ")
