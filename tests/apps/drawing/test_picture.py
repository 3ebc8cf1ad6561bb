"""Drawn trees: nothing overlaps, infosets lie on one line, and ends that are left out are counted."""

import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tefuda as td
from tefuda.apps.drawing.layout import Cell, layout_of, node_levels
from tefuda.apps.drawing.part import MOST_ENDS, tree_part
from tefuda.apps.drawing.picture import tree_drawing
from tefuda.apps.drawing.svg import svg_text
from tefuda.apps.drawing.tikz import tikz_text
from tefuda.figure import BLUE, QUIET
from tests.conftest import compiled, refused
from tests.small_games import HORSE

# Two infosets, each of which comes first on one side: there are no levels on which both lie.
CROSSING = """EFG 2 R "crossing" { "1" "2" }
c "" 1 "" { "l" 1/2 "r" 1/2 } 0
p "" 1 1 "A" { "a" "b" } 0
p "" 2 1 "B" { "x" "y" } 0
t "" 1 "" { 1 0 }
t "" 2 "" { 0 1 }
t "" 1
p "" 2 1 "B" { "x" "y" } 0
p "" 1 1 "A" { "a" "b" } 0
t "" 1
t "" 2
t "" 2
"""
GAMES = {
    "kuhn": {}, "kuhn with 3 players": {"players": 3}, "kuhn with 13 cards": {"cards": 13}, "leduc": {}, "rps": {},
    "leduc with suits": {"distinct_suits": True}, "nolimit_leduc": {}, "liars_dice": {"sides": 2}, "signalling": {},
    "goofspiel": {"cards": 3}, "goofspiel with 4 cards": {"cards": 4}, "sheriff": {}, "chsh": {}, "tiny_hanabi": {},
    "trade_comm": {}, "first_price_auction": {}, "blotto": {}, "oshi_zumo": {}, "battleship": {}, "bargaining": {},
    "liars_poker": {}, "repeated": {}, "tiny_bridge": {}, "matching_pennies": {},
    "rps with 3 players": {"players": 3}, "coordinated_matching_pennies": {}, "nonlocal": {},
    **{f"sampled {seed}": {"seed": seed} for seed in range(6)},
}  # fmt: skip


def tree_of(name, tmp_path):
    if name in ("horse", "crossing"):
        (tmp_path / "game.efg").write_text({"horse": HORSE, "crossing": CROSSING}[name])
        return td.compile_game(td.games.read_efg(tmp_path / "game.efg"))
    return compiled(name.split()[0], **GAMES[name])


def drawing_of(tree, profile=None, **options):
    return tree_drawing(tree, tree_part(tree, **options), profile)


def overlapping(drawing):
    """Return pairs of shapes and texts that overlap, and those outside, but numbers in shapes."""
    marks = sorted([*drawing.shapes, *(text for text in drawing.texts if not text.bold)], key=lambda mark: mark.box)
    pairs = []
    for i, mark in enumerate(marks):
        left, top, right, bottom = mark.box
        if min(left, top) < 0 or right > drawing.width or bottom > drawing.height:
            pairs.append((mark, None))
        for other in marks[i + 1 :]:
            if other.box[0] >= right - 1e-6:
                break
            if top < other.box[3] - 1e-6 and other.box[1] < bottom - 1e-6:
                pairs.append((mark, other))
    return pairs


@pytest.mark.parametrize("name", ["horse", "crossing", *GAMES])
def test_no_two_boxes_overlap(name, tmp_path):
    tree = tree_of(name, tmp_path)
    for profile in (None, td.Profile.uniform(tree)):
        drawing = drawing_of(tree, profile)
        assert not overlapping(drawing)
        root = ElementTree.fromstring(svg_text(drawing))
        kinds = Counter(element.tag.split("}")[1] for element in root.iter())
        assert kinds["text"] == len(drawing.texts) and kinds["path"] == len(drawing.strokes)
        assert kinds["circle"] + kinds["polygon"] == len(drawing.shapes)


def test_kuhn_has_55_nodes_and_12_infosets():
    """A deal of both cards is one node."""
    drawing = drawing_of(compiled("kuhn"))
    assert len(drawing.shapes) == 55 and Counter(shape.fill for shape in drawing.shapes)[QUIET] == 1
    assert sum(bool(stroke.dashes) for stroke in drawing.strokes) == 12
    words = Counter(text.content for text in drawing.texts)
    assert words["1/6"] == 6 and words["\u22122"] + words["2"] == 24  # 12 showdowns after a bet


def test_an_infoset_lies_on_one_level(tmp_path):
    horse = tree_of("horse", tmp_path)
    lines = [stroke for stroke in drawing_of(horse).strokes if stroke.dashes]
    assert len(lines) == 1 and len({y for _, y in lines[0].points}) == 1
    assert sorted(horse.depth[horse.infoset == horse.number("2: 1")].tolist()) == [1, 2]


def test_infosets_that_cross_in_time_lie_at_their_depths(tmp_path):
    tree = tree_of("crossing", tmp_path)
    lines = [stroke for stroke in drawing_of(tree).strokes if stroke.dashes]
    assert len(lines) == 2 and all(len({y for _, y in line.points}) == 3 for line in lines)


@pytest.mark.parametrize("name, options", [("leduc", {}), ("tiny_bridge", {}), ("leduc", {"at": "J Q~c"})])
def test_every_end_is_drawn_or_counted(name, options):
    tree = compiled(name)
    part = tree_part(tree, **options)
    inner = {node.parent for node in part}
    outer = [node for i, node in enumerate(part) if i not in inner]
    assert len(outer) <= MOST_ENDS
    below = [
        end for end in tree.terminals if options.get("at", "-") == "-" or tree.history(end)[:2] == (("J", "Q"), "c")
    ]
    assert sum(node.hidden or 1 for node in outer) == len(below)


def test_levels_are_chosen():
    tree = compiled("leduc")
    part = tree_part(tree, levels=2)
    assert max(int(tree.depth[node.history]) for node in part) == 2
    with refused(td.errors.ParameterError, key="levels", value=0):
        tree_part(tree, levels=0)
    with refused(td.errors.UnknownNameError, name="x"):
        tree_part(tree, at="J Q~x")


def test_probabilities_are_widths_and_numbers():
    tree = compiled("kuhn")
    profile = td.Profile.from_function(tree, lambda player, key, actions: [1 / 4, 3 / 4] if player == 0 else [0, 1])
    drawing = drawing_of(tree, profile)
    words = Counter(text.content for text in drawing.texts)
    assert words["0.25"] == words["0.75"] == 12 and words["1/6"] == 6  # 6 + 6 decisions of player 0
    widths = Counter(stroke.width for stroke in drawing.strokes if stroke.colour == BLUE and not stroke.dashes)
    narrow, wide = sorted(widths)
    assert widths[narrow] == widths[wide] == 12 and narrow < wide


@st.composite
def cells(draw):
    """Draw cells of a random tree, parents first and children from left to right."""
    number, parents = draw(st.integers(1, 40)), [-1]
    path = [0]  # from the root to the last node: the parent of the next one is on it
    for i in range(1, number):
        up = draw(st.integers(0, len(path) - 1))
        path = [*path[: len(path) - up], i]
        parents.append(path[-2])
    sizes = st.floats(11, 90)
    inner = set(parents)
    return [
        Cell(
            parent, draw(st.integers(-1, 5)) if i in inner else -1, (draw(st.floats(0, 90)), 14.0), draw(sizes),
            draw(sizes), (0.0, 0.0) if i in inner else (draw(st.floats(1, 60)), 35.0),
        )
        for i, parent in enumerate(parents)
    ]  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(cells())
def test_places_of_random_trees(tree):
    """Nodes keep apart, and parents are over the middle of their children."""
    layout, levels = layout_of(tree), node_levels(tree)
    children = {}
    for i, cell in enumerate(tree[1:], 1):
        children.setdefault(cell.parent, []).append(i)
        assert levels[i] > levels[cell.parent] and layout.y[i] > layout.bends[i][1] > layout.y[cell.parent]
    for parent, inside in children.items():
        xs = [layout.x[i] for i in inside]
        assert xs == sorted(xs) and layout.x[parent] == pytest.approx((xs[0] + xs[-1]) / 2)
    for level in set(levels):
        row = sorted((layout.x[i], i) for i in range(len(tree)) if levels[i] == level)
        for (a, i), (b, j) in pairwise(row):
            assert b - a >= tree[i].right + tree[j].left


@settings(deadline=None, max_examples=30)
@given(cells())
def test_a_mirrored_tree_has_the_mirrored_drawing(tree):
    order = []  # of the nodes in the mirror: parents first, children from right to left
    waiting = [0]
    while waiting:
        order.append(waiting.pop())
        waiting += [i for i, cell in enumerate(tree) if i and cell.parent == order[-1]]
    place = {i: number for number, i in enumerate(order)}
    mirrored = [
        tree[i]._replace(parent=place.get(tree[i].parent, -1), left=tree[i].right, right=tree[i].left) for i in order
    ]
    one, two = layout_of(tree), layout_of(mirrored)
    for i in range(len(tree)):
        assert one.x[i] - one.x[0] == pytest.approx(two.x[0] - two.x[place[i]], abs=1e-6)


SPECIAL = ['<b>&"\\\x07', "{}%$#_^~|♠"]


def test_special_characters_are_escaped(tmp_path):
    game = td.load_game("matrix", payoffs=[[1, -1], [0, 1e17]], labels=SPECIAL)
    drawing = drawing_of(td.compile_game(game))
    root = ElementTree.fromstring(svg_text(drawing))
    assert "\\x07" in "".join(root.itertext()) and "<b>" in "".join(root.itertext())
    text = tikz_text(drawing)
    assert r"\textless{}b\textgreater{}\&" in text and r"\{\}\%\$\#\_" in text and r"$\spadesuit$" in text
    assert text.isascii()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
@pytest.mark.parametrize("name", ["kuhn", "horse", "rps", "sheriff", "leduc"])
def test_tikz_compiles(name, tmp_path):
    (tmp_path / "game.tex").write_text(tikz_text(drawing_of(tree_of(name, tmp_path))))
    subprocess.run(["pdflatex", "-halt-on-error", "game.tex"], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "game.pdf").stat().st_size > 1000
