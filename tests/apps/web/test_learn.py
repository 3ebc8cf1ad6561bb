"""Chapters and widgets: texts without markup, numbers of the library."""

import itertools
import json
import re
from pathlib import Path

import pytest

import tefuda as td
from tefuda.apps.web.messages import chapters
from tefuda.apps.web.messages.widgets import WIDGETS, widget_numbers

STATIC = Path(chapters.__file__).parents[1] / "static"
NAMES = list(chapters.chapters())


def every(node):
    """All nodes of a node."""
    yield node
    for child in node[2:] if isinstance(node, list) else ():
        yield from every(child)


def text_of(node):
    return node if isinstance(node, str) else "".join(map(text_of, node[2:]))


def test_all_chapters_are_listed_in_order(client):
    listed = client.get("/api/learn").json()
    source = (Path(td.__file__).parents[2] / "mkdocs.yml").read_text()
    assert [each["name"] for each in listed] == re.findall(r"learn/([\w-]+)\.md", source)


@pytest.mark.parametrize("name", NAMES)
def test_a_chapter_keeps_its_text_formulas_and_links(client, name):
    chapter = client.get(f"/api/learn/chapters/{name}").json()
    nodes = [node for each in chapter["nodes"] for node in every(each)]
    source = chapters.chapters()[name].text
    elements = [node for node in nodes if isinstance(node, list)]
    tags = [node[0] for node in elements]
    assert tags.count("h1") == 1 and tags.count("pre") == source.count("\n```") // 2
    assert tags.count("details") == source.count("<details") and tags.count("img") == source.count("![")
    formulas = len(re.findall(r"^\$\$\n", source, re.MULTILINE)) // 2
    assert sum(node[0] == "math" and node[1]["display"] == "block" for node in elements) == formulas
    for _, attributes, *_ in elements:
        assert attributes.keys() <= chapters._ATTRIBUTES
        if "src" in attributes:
            assert client.get(attributes["src"]).content.startswith(b"<?xml")
        if "href" in attributes:
            assert client.get(f"/api{attributes['href'].replace('/learn/', '/learn/chapters/')}").status_code == 200
    assert "$" not in "".join(text_of(node) for node in chapter["nodes"] if node[0] == "p")


@pytest.mark.parametrize("name", list(chapters.chapters("ja")))
def test_a_japanese_chapter_has_the_same_programs_numbers_and_pictures(client, name):
    english, japanese = chapters.chapters()[name].text, chapters.chapters("ja")[name].text
    assert re.findall(r"```.*?```", japanese, re.DOTALL) == re.findall(r"```.*?```", english, re.DOTALL)
    assert japanese.replace("](../", "](").count("](") >= len(re.findall(r"!\[.*?\]\(", english))
    cells = [re.findall(r"\| (-?\d+) (?=\|)", text) for text in (english, japanese)]
    assert cells[0] == cells[1]
    chapter = client.get(f"/api/learn/chapters/{name}").json()
    nodes = [[node for each in text["nodes"] for node in every(each)] for text in (chapter, chapter["japanese"])]
    for tag in ("h1", "h2", "pre", "math", "img", "details", "table", "blockquote"):
        counts = [sum(isinstance(node, list) and node[0] == tag for node in each) for each in nodes]
        assert counts[0] == counts[1], (tag, counts)
    for node in nodes[1]:
        if isinstance(node, list) and "src" in node[1]:
            assert client.get(node[1]["src"]).content.startswith(b"<?xml")


def test_foreign_markup_is_left_out():
    (made,) = chapters.markdown_nodes(
        '<p onclick="x()">a <script>alert(1)</script><b>c</b> <a href="javascript:x">d</a></p>'
    )
    tags = {node[0]: node[1] for node in every(made) if isinstance(node, list)}
    assert tags == {"p": {}, "span": {}}


@pytest.mark.parametrize("name", NAMES)
def test_every_widget_answers_with_words_in_both_languages(client, name):
    words = json.loads((STATIC / "words" / "chapter.json").read_text())
    assert {f"widget.{name}", *WIDGETS[name].settings} <= words.keys()
    answer = client.get(f"/api/learn/widgets/{name}").json()
    first = next(zip(*WIDGETS[name].settings.values(), strict=False))
    assert answer == json.loads(json.dumps(widget_numbers(name, *first)))
    if "rows" in answer:
        assert set(answer["head"]) <= words.keys() and all(len(row) == len(answer["head"]) for row in answer["rows"])
    else:
        assert {key for label in answer["labels"] for key in label} - {"NashConv"} <= words.keys()
        assert all(len(point) == 2 for line in answer["lines"] for point in line["points"])
        assert all(line["points"] for line in answer["lines"])


def test_unknown_chapters_and_settings_are_refused(client):
    assert client.get("/api/learn/chapters/none").status_code == 404
    assert client.get("/api/learn/chapters/..%2f..%2fdesign").status_code == 404
    assert client.get("/api/learn/pictures/..%2fdesign.md").status_code == 404
    assert client.get("/api/learn/widgets/none").status_code == 404
    assert client.get("/api/learn/widgets/family?game=chess").status_code == 400


def test_numbers_by_hand_are_those_of_the_chapter():
    """The first iteration from uniform play, all regrets times 24."""
    rows = {row[0]: row[1:3] for row in widget_numbers("cfr-by-hand", "1")["rows"]}
    assert rows["0: J|"] == pytest.approx([-3, 3]) and rows["0: K|pb"] == pytest.approx([-6, 6])
    assert rows["1: J|b"] == pytest.approx([2, -2]) and rows["1: Q|p"] == pytest.approx([-1, 1])


def test_curves_are_those_of_the_solver():
    lines = {line["name"]: line["points"] for line in widget_numbers("family", "kuhn", "300")["lines"]}
    curve = td.solve(td.load_game("kuhn"), "dcfr", iterations=300).curve
    assert lines["dcfr"] == [[point.iteration, point.nash_conv] for point in curve]


def test_more_gain_never_costs_less_risk():
    for values in itertools.product(*WIDGETS["exploiting"].settings.values()):
        (line,) = widget_numbers("exploiting", *values)["lines"]
        for numbers in zip(*line["points"], strict=True):
            assert list(numbers) == pytest.approx(sorted(numbers), abs=1e-9)


def test_no_abstraction_is_exact_in_the_real_game():
    points = widget_numbers("abstraction", "5")["lines"][0]["points"]
    assert points[-1] == [5, pytest.approx(0, abs=1e-3)] and points[0][1] > 0.4


def test_a_gadget_is_safe_and_the_subgame_alone_is_not():
    """The equilibrium of the first player is rock .4, paper .4, scissors .2."""
    lines = {line["name"]: line["points"] for line in widget_numbers("resolving", "0.4", "1000")["lines"]}
    assert lines["alone"][8][0] == pytest.approx(0.4)
    assert all(lines["with a gadget"][number][1] < 0.1 < lines["alone"][number][1] for number in (6, 7, 9, 10))


def test_the_glossary_is_complete(client):
    (table,) = [node for node in client.get("/api/learn/glossary").json() if node[0] == "table"]
    source = (Path(td.__file__).parents[2] / "docs" / "glossary.md").read_text()
    assert sum(node[0] == "tr" for node in every(table) if isinstance(node, list)) == source.count("\n|") - 1
