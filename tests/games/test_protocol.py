"""The game protocol, and its description in the docs."""

import inspect
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

import tefuda as td
from tefuda.exploiting.roster import roster_of
from tefuda.forms.rules_simulator import simulate_rules
from tefuda.games.protocol import describe, observation_of
from tefuda.playing.session import series_of
from tefuda.playing.table import table_of
from tests.small_games import broken


def test_pages_list_the_members_of_the_protocol():
    """All pages list the members of the protocol: seven functions, a name and a number of players."""
    functions = [name for name, what in vars(td.Game).items() if inspect.isfunction(what) and not name.startswith("_")]
    assert functions == ["root", "player", "actions", "chances", "child", "payoffs", "view"]
    root = Path(__file__).parents[2]
    for page in (root / "docs" / "design.md", root / "docs" / "games.md", root / "CONTRIBUTING.md"):
        assert "seven functions" in page.read_text() and "eight functions" not in page.read_text(), page


def test_the_design_page_names_the_dependencies():
    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    page = (root / "docs" / "design.md").read_text().split("## 8. Dependencies")[1].split("## 9.")[0]
    core, extras = page.split("Extras:")
    for line in project["dependencies"]:
        assert line.split(">=")[0] in core, line
    for extra, lines in project["optional-dependencies"].items():
        assert f"`{extra}`" in extras
        assert all(re.split("[=>]=", line)[0] in extras for line in lines), extra


@pytest.mark.parametrize(
    "game, path, wrong, legal",
    [
        ("holdem", (), "AsKs", "2c"),
        ("holdem", (), "", "2c"),
        ("holdem", ("2c",), "10", "3c"),
        ("holdem", ("2c", "3c", "4c", "5c"), 7, "c"),
        ("mini8", (), "1B", "3B"),
        ("koikoi", (), "AsKs", "1B"),
        ("spot", (), "AsKs", "KsQs"),
        ("spot", ("KsKh QdJd",), "Chek", "Check"),
    ],
)
def test_labels_that_are_not_legal_are_refused_by_name(game, path, wrong, legal):
    rules = td.load_game(game)
    state = rules.root()
    for label in path:
        state = rules.child(state, label)
    with pytest.raises(td.ParameterError, match=legal):
        rules.child(state, wrong)


def test_labels_that_are_not_legal_are_refused_by_trees():
    tree = td.compile_game(td.load_game("kuhn"))
    with pytest.raises(td.ParameterError) as refused:
        tree.child(0, "AsKs")
    assert (refused.value.key, refused.value.value) == ("label", "AsKs")


def _raise(self, *arguments):
    raise KeyError("lost")


def _stepped(game):
    return td.RulesSimulator(game).deal(1, np.random.default_rng(0))


#: Optional functions of a game, with a use of each.
OPTIONAL = {
    "describe": lambda game: describe(game, game.root()),
    "observe": lambda game: observation_of(game, ("h",), 0, "ja"),
    "picture": lambda game: td.picture_of(game, ("h",), 0),
    "features": _stepped,
    "draw": _stepped,
    "own_simulator": simulate_rules,
    "fast_table": table_of,
    "own_agents": roster_of,
    "own_series": series_of,
}
ANSWERS = {
    "a number": 5,
    "no such module": "nowhere:nothing",
    "raises": _raise,
    "cannot be read": property(_raise),
    "another type": lambda self, *arguments: 5,
}


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("name", OPTIONAL)
def test_broken_optional_functions_are_library_errors(name, answer):
    if (name, answer) in {("describe", "another type"), ("own_series", "another type")}:
        return  # any answer has a text; a series has no type of its own
    with pytest.raises(td.InputError):
        OPTIONAL[name](broken(**{name: ANSWERS[answer]}))
