"""Tables of any results: narrow, and no markup from names."""

import tefuda as td
from tefuda.apps import grids
from tefuda.apps.display import consoles
from tefuda.playing import agents
from tests.conftest import compiled


def test_brackets_in_names_are_no_markup(printed):
    grid = grids.Grid(("[red]agent", "won"), (("[/x] [link=y]", "1"),), "[bold]title")
    text = "\n".join(printed(lambda: consoles.out.print(grid)))
    assert all(part in text for part in ("[red]agent", "[/x] [link=y]", "[bold]title"))


def test_cross_tables_stay_narrow(printed):
    """A table of six agents with long names fits 60 columns, with complete names."""
    names = tuple(f"{letter}-plays-long" for letter in "abcdef")
    cross = td.cross_table(tree := compiled("kuhn"), [agents.ProfileAgent(n, td.Profile.uniform(tree)) for n in names])
    lines = printed(lambda: consoles.out.print(grids.cross_grid(cross)), 66)
    assert max(map(len, lines)) <= 66 and all(f"{n} {name} " in "\n".join(lines) for n, name in enumerate(names, 1))


def test_a_resolved_subgame_has_a_row_for_each_infoset():
    tree = compiled("kuhn")
    grid = grids.resolution_grid(td.resolve(td.Profile.uniform(tree), "1: K|b"))
    assert grid.title == "kuhn, public state 3 re-solved for player 1: max-margin, margin +0.125000"
    assert grid.rows[0] == ("0: J|b", "0.333333", "-0.166667", "-0.166667", "-0.291667")
