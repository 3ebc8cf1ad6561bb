"""User-defined games in files: modules beside them, unique names, workers."""

import sys

import pytest

import tefuda as td
from tefuda.solvers.runs.sweep import sweep

GAME = """
from enum import Enum

import cards_of_mine
from tefuda.games.small.kuhn import Kuhn


class Mine(Kuhn):
    name = "mine"

    def actions(self, state):
        return tuple(cards_of_mine.Move)

    def child(self, state, action):
        return super().child(state, action if not state[0] else action.value)
"""
HELPER = "from enum import Enum\n\nANTE = {ante}\nMove = Enum('Move', {{'PASS': 'p', 'BET': 'b'}}, module=__name__)\n"


@pytest.fixture
def place(tmp_path):
    """Return two folders, each with a game and a helper of the same names."""
    for ante in (1, 2):
        folder = tmp_path / f"game{ante}"
        folder.mkdir()
        (folder / "random.py").write_text(GAME)
        (folder / "cards_of_mine.py").write_text(HELPER.format(ante=ante))
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


def test_a_file_imports_modules_beside_it(place):
    """Each game imports its own helper; the path stays clean; a file may have the name of a Python module."""
    import random

    path = list(sys.path)
    games = [td.load_game(f"{place}/game{ante}/random.py:Mine") for ante in (1, 2, 1)]
    helpers = [type(game).actions.__globals__["cards_of_mine"] for game in games]
    assert [helper.ANTE for helper in helpers] == [1, 2, 1]
    assert sys.path == path and sys.modules["random"] is random
    assert type(games[0]) is type(games[2]) and type(games[0]) is not type(games[1])
    assert td.Profile.uniform(td.compile_game(games[0])).nash_conv() > 0.9


def test_an_edited_file_is_reloaded(place):
    file = place / "game1" / "random.py"
    assert td.load_game(f"{file}:Mine").name == "mine"
    file.write_text(GAME.replace('"mine"', '"edited"'))
    assert td.load_game(f"{file}:Mine").name == "edited"


def test_failed_imports_name_the_module_and_leave_no_trace(place):
    file = place / "game1" / "random.py"
    file.write_text("import nothing_of_that_name")
    before, path = set(sys.modules), list(sys.path)
    with pytest.raises(td.errors.ParameterError, match="nothing_of_that_name"):
        td.load_game(f"{file}:Mine")
    with pytest.raises(td.errors.ParameterError, match="file"):
        td.load_game(f"{place}/none.py:Mine")
    assert set(sys.modules) == before and sys.path == path


def test_workers_import_the_game_and_modules_beside_it(place):
    """Labels are of a class of the helper: workers must load it before they receive the tree."""
    tree = td.compile_game(td.load_game(f"{place}/game1/random.py:Mine"))
    groups = sweep(tree, ["cfr"], seeds=[0, 1], iterations=3, folder=place / "runs", workers=2)
    assert [len(group.solutions) for group in groups] == [2]
