"""Drawings as files, in the terminal and in notebooks."""

import pytest

import tefuda as td
from tests.apps.conftest import last_json
from tests.conftest import compiled, refused


def test_text_of_a_tree():
    lines = td.apps.draw(compiled("kuhn"), profile=td.Profile.uniform(compiled("kuhn"))).splitlines()
    assert len(lines) == 1 + 55
    assert lines[1:6] == [
        "chance",
        "├─ J Q (1/6)  0: J| [0]",
        "│  ├─ p (0.5)  1: Q|p [1]",
        "│  │  ├─ p (0.5)  (-1, 1)",
        "│  │  └─ b (0.5)  0: J|pb [2]",
    ]
    assert td.apps.draw(compiled("leduc"), at="J Q~c", levels=1).splitlines()[2:] == [
        "├─ c  ... 27 ends",
        "└─ r  ... 56 ends",
    ]


@pytest.mark.parametrize("game, name", [("kuhn", "x.png"), ("kuhn", "x.html"), ("kuhn", "x"), ("rps", "x.pdf")])
def test_other_endings_are_refused(game, name, tmp_path):
    with refused(td.errors.ParameterError, key="path"):
        td.apps.draw(td.load_game(game), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_profile_of_another_game_is_refused():
    with refused(td.errors.ProfileError):
        td.apps.draw(compiled("kuhn"), profile=td.Profile.uniform(compiled("leduc")))


def test_a_matrix_game_is_a_table_unless_a_tree_is_asked_for(tmp_path):
    game = td.load_game("rps")
    assert "tabular" in td.apps.draw(game, tmp_path / "a.tex")
    assert "tikzpicture" in td.apps.draw(td.compile_game(game), tmp_path / "a.tex")
    assert td.apps.draw(game, tmp_path / "a.svg").startswith("<svg")
    assert td.apps.draw(game, levels=1).splitlines()[2] == "├─ rock  ... 3 ends"


def test_notebooks_draw_small_trees_and_tables():
    small, large = compiled("kuhn"), compiled("leduc")
    assert small._repr_svg_().startswith("<svg") and small._repr_svg_() in small._repr_html_()
    assert large._repr_svg_() is None and "<svg" not in large._repr_html_()
    assert "<table>" in td.load_game("rps")._repr_html_()


def test_commands(tefuda, tmp_path):
    tefuda("solve", "kuhn", "--method", "lp", "--out", "run")
    tefuda("export", "kuhn", "--to", "plain.svg")
    found = last_json(tefuda("export", "run", "--out", "run.svg", "--json"))
    plain, drawn = ((tmp_path / name).read_text() for name in ("plain.svg", "run.svg"))
    assert found["bytes"] == len(drawn.encode()) and ">2/3<" in drawn and ">2/3<" not in plain
    tefuda("export", "leduc", "--to", "leduc.tex", "--at", "J Q~c", "--levels", 2)
    assert (tmp_path / "leduc.tex").read_text().count(" ends}") == 5
    tefuda("export", "rps", "--to", "rps.html")
    assert "├─ J Q (1/6)  0: J| [0]" in tefuda("show", "run", "--tree").stdout
    assert last_json(tefuda("inspect", "kuhn", "--tree", "--json"))["tree"][1] == "chance"
    for words in (
        ("export", "kuhn", "--to", "kuhn.png"),
        ("export", "kuhn", "--to", "kuhn.efg", "--levels", 2),
        ("export", "kuhn", "--to", "kuhn.svg", "--at", "J Q~x"),
        ("inspect", "kuhn", "--tree", "--estimate"),
    ):
        assert "Traceback" not in tefuda(*words, code=2).stderr
