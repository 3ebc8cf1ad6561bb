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
from tefuda.games.kit import ANSWERS as ANSWERS_OF_KITS
from tefuda.games.kit import kit_of
from tefuda.games.protocol import OptionalRules, describe
from tefuda.playing.coach import own_coach
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


def test_the_design_page_lists_optional_rules_and_the_methods_of_kits():
    page = (Path(__file__).parents[2] / "docs" / "design.md").read_text().split("## 4.")[0]
    optional = {name for name in (*OptionalRules.__annotations__, *vars(OptionalRules)) if not name.startswith("_")}
    assert len(optional) == 10
    assert [name for name in (*optional, *ANSWERS_OF_KITS) if not re.search(rf"`{name}[`(]", page)] == []


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
    with pytest.raises(td.errors.ParameterError, match=legal):
        rules.child(state, wrong)


def test_labels_that_are_not_legal_are_refused_by_trees(kuhn):
    with pytest.raises(td.errors.ParameterError) as refused:
        kuhn.child(0, "AsKs")
    assert (refused.value.key, refused.value.value) == ("label", "AsKs")


def _raise(self, *arguments):
    raise KeyError("lost")


def _stepped(game):
    return td.forms.RulesSimulator(game).deal(1, np.random.default_rng(0))


#: Optional functions of a game, with a use of each.
OPTIONAL = {
    "describe": lambda game: describe(game, game.root()),
    "observe": lambda game: kit_of(game).observe(("h",), 0, "ja"),
    "picture": lambda game: td.games.kit_of(game).picture(("h",), 0),
    "features": _stepped,
    "draw": _stepped,
    "kit": kit_of,
}
#: Methods of a kit, with a use of each.
BROUGHT = {
    "observe": OPTIONAL["observe"],
    "picture": OPTIONAL["picture"],
    "guide": lambda game: kit_of(game).guide(),
    "presets": lambda game: kit_of(game).presets(),
    "forms": lambda game: kit_of(game).forms(),
    "same_play": lambda game: kit_of(game).same_play(game),
    "agents": roster_of,
    "simulator": simulate_rules,
    "table": table_of,
    "series": series_of,
    "coach": own_coach,
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
    if (name, answer) == ("describe", "another type"):
        return  # any answer has a text
    with pytest.raises(td.InputError):
        OPTIONAL[name](broken(**{name: ANSWERS[answer]}))


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("name", BROUGHT)
def test_broken_kits_are_library_errors(name, answer):
    if (name, answer) in {("series", "another type"), ("coach", "another type")}:
        return  # they have no type of their own
    with pytest.raises(td.errors.GameError, match=f"(Broken|Good|good).*: {name} "):
        BROUGHT[name](broken(kit=type("BrokenKit", (td.Kit,), {name: ANSWERS[answer]})))


def test_all_methods_of_a_kit_are_checked():
    methods = {name for name in vars(td.Kit) if not name.startswith("_")}
    assert methods == ANSWERS_OF_KITS.keys() == BROUGHT.keys()


def test_a_method_of_a_kit_is_checked_wherever_it_is_defined():
    """A class beside the kit brings a method; one below asks the kit above it."""

    class Beside:
        def guide(self, language="en"):
            return 5

    class Mixed(Beside, td.Kit):
        """Kit with a method of another class."""

    class Below(Mixed):
        def guide(self, language="en"):
            return super().guide(language)

    for kind in (Mixed, Below):
        with pytest.raises(td.errors.GameError, match="Mixed: guide must return str, "):
            kit_of(broken(kit=kind)).guide()


@pytest.mark.parametrize("error", [td.errors.ParameterError("mine"), MemoryError("mine")])
def test_errors_of_the_library_pass(error):
    def raising(self, *arguments):
        raise error

    game = broken(describe=raising, kit=type("Raising", (td.Kit,), {"guide": raising}))
    for ask in (lambda: describe(game, game.root()), lambda: kit_of(game).guide()):
        with pytest.raises(type(error), match=str(error)):
            ask()
    with pytest.raises(type(error), match=str(error)):
        kit_of(broken(kit=type("Raising", (td.Kit,), {"__init__": raising})))
