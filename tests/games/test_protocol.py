"""The game protocol, and its description in the docs."""

import inspect
import re
import tomllib
from pathlib import Path

import pytest

import tefuda as td


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
