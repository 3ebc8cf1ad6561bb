"""Results in notebooks: escaped tables and pictures, data frames, and reprs that fit a line."""

import importlib.metadata
import re
import subprocess
import sys
import types
from html.parser import HTMLParser

import numpy as np
import pytest

import tefuda as td
from tefuda.apps import notebook
from tefuda.apps.grids import Grid
from tefuda.playing import agents, match
from tefuda.solvers.runs.points import Point
from tests.conftest import compiled


class Outline(HTMLParser):
    """Opened tags of a page, which must be closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.words = [], [], ""
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data


@pytest.fixture(scope="module")
def shown():
    """Return one example of each result with a notebook view."""
    tree = compiled("leduc")
    profile = td.Profile.uniform(tree)
    table = [agents.ProfileAgent(name, profile) for name in ("<b>a", "c")]
    return {
        "tree": tree,
        "profile": profile,
        "solution": td.solve(tree, "cfr+", iterations=50),
        "match": match.duplicate_match(tree, table, deals=3),
        "cross": td.cross_table(tree, table),
        "exact": td.exact_solution(td.load_game("kuhn")),
        "resolution": td.resolve(profile, "0: J|"),
    }


#: Number of tables and pictures, and text that they contain.
WANTED = {
    "tree": (1, 0, "1,936"),
    "profile": (1, 0, "0: K|"),
    "solution": (2, 1, "cfr+: 50 iterations"),
    "match": (2, 0, "<b>a"),
    "cross": (1, 0, "wins from"),
    "exact": (1, 0, "1/3"),
    "resolution": (1, 0, "1: Q|"),
}


@pytest.mark.parametrize("what", WANTED)
def test_shown_in_a_notebook(what, shown):
    tables, pictures, words = WANTED[what]
    found = Outline(shown[what]._repr_html_())
    assert found.tags.count("table") == tables and found.tags.count("svg") == pictures and words in found.words
    assert "b" not in found.tags and "script" not in found.tags


def test_pictures_have_distinct_lines_without_colour_and_escape_names():
    curves = {
        name: [Point(10**n, 0.0, 10.0 ** (-power * n), 10.0 ** (-power * n), 1.0) for n in range(4)]
        for power, name in ((1, "cfr"), (2, "<script>x</script>"))
    }
    text = notebook.curve(curves, "games")
    found = Outline(text)
    assert found.tags.count("polyline") == 2 and "script" not in found.tags and "<script>x" in found.words
    assert len(set(re.findall(r'stroke-dasharray="([^"]*)"', text))) == 2
    assert all(label in found.words for label in ("1e-6", "0.01", "1,000", "games"))
    xs = [float(x) for x in re.findall(r"([\d.]+),[\d.]+", re.search(r'points="([^"]*)"', text)[1])]
    assert xs == sorted(xs) and xs[0] == 56 and xs[-1] == 530 and np.diff(xs) == pytest.approx(158, abs=0.2)
    assert "NashConv (game's unit per game), lower is better" in found.words
    same = dict.fromkeys("abc", curves["cfr"])
    heights = [float(y) for y in re.findall(r'<text x="536\.0" y="([\d.]+)"', notebook.curve(same))]
    assert np.diff(heights) == pytest.approx(13), "names of lines that end in one point do not overlap"
    assert notebook.curve({"lp": [Point(1, 0.0, 1e-9, 1e-9, 1e-9)]}) == ""


def test_cells_are_escaped():
    found = Outline(notebook.table(Grid(("<i>", "n"), (("<img src=x onerror=y>", "&"),), "<t>")))
    assert "img" not in found.tags and "i" not in found.tags and "<img src=x onerror=y>" in found.words


def test_reprs_fit_a_line(shown):
    """The repr of a result does not fill the screen."""
    tree, profile = shown["tree"], shown["profile"]
    things = [
        *shown.values(),
        td.forms.sequence_form(tree),
        td.evaluating.reach(profile),
        td.evaluating.counterfactual(profile),
        td.best_response(profile, 0),
        td.evaluate(profile),
        td.restricted_nash(profile, 0, 0.5),
        agents.ProfileAgent("a", profile),
        td.HumanAgent(),
        td.exploiting.SafeExploiter("s", profile),
        td.AdaptiveExploiter("b", profile),
        *shown["solution"].curve[:1],
    ]
    assert {type(one).__name__: len(repr(one)) for one in things if len(repr(one)) > 400} == {}
    assert repr(profile) == "Profile(leduc, 2 players, 288 infosets, 672 probabilities)"
    assert repr(shown["solution"]).startswith("Solution(leduc, cfr+, 50 done, NashConv 0.")
    assert repr(shown["match"]) == "Match(<b>a 0.0000, c 0.0000 a hand, exact)"
    assert "own=float64[1936, 2]" in repr(td.evaluating.reach(profile))


@pytest.fixture
def pandas(monkeypatch):
    """Install a stand-in for pandas that records its columns."""
    module = types.SimpleNamespace(DataFrame=lambda columns: {name: list(column) for name, column in columns.items()})
    monkeypatch.setitem(sys.modules, "pandas", module)


def test_frames(pandas):
    """Columns have equal length; a profile's frame has infoset, action and probability."""
    tree = compiled("kuhn")
    solution = td.solve(tree, "cfr", iterations=20)
    frame = solution.strategy.to_frame()
    for name, player, action, chance in zip(*frame.values(), strict=True):
        assert solution.strategy[name][action] == chance and name.startswith(f"{player}: ")
    curve = solution.to_frame()
    assert curve["iteration"][-1] == 20 and curve["nash_conv"][-1] == solution.curve[-1].nash_conv
    table = [agents.ProfileAgent("a", solution.strategy), agents.ProfileAgent("b", td.Profile.uniform(tree))]
    played = match.duplicate_match(tree, table, deals=4, play=True)
    rows = played.to_frame()
    won = sum(pay for agent, pay in zip(rows["agent"], rows["payoff"], strict=True) if agent == "a")
    assert len(rows["deal"]) == 2 * 4 * 2 and won == pytest.approx(played.payoffs[:, :, 0].sum())
    assert rows["seat"][8:10] == [0, 1] and rows["agent"][8:10] == ["b", "a"]  # in the second seat order
    exact = match.duplicate_match(tree, table).to_frame()
    assert "deal" not in exact and sum(exact["payoff"]) == pytest.approx(0, abs=1e-12)


def test_frames_without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(td.errors.MissingExtraError, match="pandas"):
        td.Profile.uniform(compiled("kuhn")).to_frame()


def test_extras_are_named_without_installed_metadata(monkeypatch):
    """Run from source by PYTHONPATH, tefuda has no metadata in importlib."""

    def unknown(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "requires", unknown)
    assert "pip install -e '.[frame]'" in str(td.errors.MissingExtraError("frame", "a data frame"))


def test_frames_of_pandas_itself():
    pandas = pytest.importorskip("pandas")
    frame = td.Profile.uniform(compiled("kuhn")).to_frame()
    assert isinstance(frame, pandas.DataFrame) and frame.groupby("infoset").probability.sum().eq(1).all()


def test_solving_loads_no_notebook():
    code = (
        "import sys, tefuda as td; td.Profile.uniform(td.compile_game(td.load_game('kuhn')));"
        "sys.exit(len({'tefuda.notebook', 'rich', 'pandas'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
