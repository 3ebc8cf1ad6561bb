"""The files of the front end: sizes, words in both languages, readable colours, nothing inline."""

import gzip
import json
import re
from itertools import combinations
from pathlib import Path

import pytest

import tefuda
from tefuda import figure
from tefuda.apps.web.static_files import StaticFiles
from tests.contrast import contrast, luminance

STATIC = Path(tefuda.__file__).parent / "apps" / "web" / "static"
SCRIPTS = sorted((STATIC / "js").rglob("*.js"))
STYLES = sorted((STATIC / "css").glob("*.css"))
SERVED = StaticFiles().content
WORDS = {name: json.loads(data) for name, data in SERVED.items() if name.startswith("words/")}
CSS = "\n".join(path.read_text() for path in STYLES)


def tokens(theme):
    """The colours of a theme, 0 light and 1 dark, by the token's name."""
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", CSS)
    return {name: (light, dark)[theme] for name, light, dark in pairs}


@pytest.mark.parametrize("theme", [0, 1])
def test_text_can_be_read_on_both_grounds(theme):
    """At least 4.5 for text, 3 for the lines of controls; the ground as measured in the design."""
    colours = tokens(theme)
    assert colours["ground"] == ("#fbfaf7", "#16181c")[theme]
    for ground in ("ground", "raised"):
        for name in ("ink", "quiet", "link", "wrong", "good"):
            assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
        assert contrast(colours["line"], colours[ground]) >= 3, ground
    for text, fill in (("ground", "link"), ("ground", "wrong")):
        assert contrast(colours[text], colours[fill]) >= 4.5, (text, fill)
    wanted = {"ink": (16.2, 14.8), "quiet": (6.2, 7.7), "line": (3.5, 4.2), "link": (6.8, 9.5), "wrong": (6.3, 8.7)}
    for name, figures in wanted.items():
        assert contrast(colours[name], colours["ground"]) == pytest.approx(figures[theme], abs=0.06), name


@pytest.mark.parametrize("theme", [0, 1])
def test_lines_of_charts_can_be_seen(theme):
    """Lines differ from the ground by 3, their names by 4.5."""
    lines = re.findall(r"\.line-(\d) \{ --stroke: light-dark\((#\w+), (#\w+)\)", CSS)
    assert len(lines) == len(figure.COLOURS) == len(figure.DASHES)
    for number, *pair in lines:
        assert contrast(pair[theme], tokens(theme)["ground"]) >= 4.5, number


def test_text_on_the_fills_of_actions_can_be_read():
    """At least 4.6, as in the design; the fills are those of all pictures, and all differ."""
    fills = dict(re.findall(r"\.action-([\w-]+) \{ --fill: (#\w+); --text: #\w+", CSS))
    for name, fill, text in re.findall(r"\.action-([\w-]+) \{ --fill: (#\w+); --text: (#\w+)", CSS):
        assert contrast(fill, text) >= 4.6, name
    assert {name.replace(" ", "-"): fill for name, fill in figure.ACTION_COLOURS.items()}.items() <= fills.items()
    named = [fills[name.replace(" ", "-")] for name in figure.ACTION_COLOURS]
    assert min(abs(luminance(a) - luminance(b)) + distance(a, b) for a, b in combinations(named, 2)) > 0.2


def distance(first, second):
    """The largest difference of two colours in a channel, from 0 to 1."""
    return max(abs(int(first[i : i + 2], 16) - int(second[i : i + 2], 16)) for i in (1, 3, 5)) / 255


@pytest.mark.parametrize("name", WORDS)
def test_words_exist_in_both_languages(name):
    """Each key has English and Japanese with the same values; only names of methods are equal."""
    for key, texts in WORDS[name].items():
        assert texts.keys() == {"en", "ja"} and all(texts.values()), key
        first, second = (sorted(set(re.findall(r"\{(\w+)", texts[language]))) for language in ("en", "ja"))
        assert first == second, key
        words = re.sub(r"\{.*?\}", "", texts["en"])
        if re.search("[a-z]{3} [a-z]{2}", words):
            assert re.search("[\u3040-\u30ff\u4e00-\u9fff]", texts["ja"]), key


def test_every_word_that_is_used_exists_and_every_word_is_used():
    """Keys are literals, or templates whose start names the group: t(`nav.${name}`)."""
    known = {key for book in WORDS.values() for key in book}
    source = "\n".join(path.read_text("utf-8") for path in SCRIPTS)
    used = set(re.findall(r"""\bt\(["']([^"']+)["']""", source))
    assert used <= known
    starts = set(re.findall(r"\bt\(`([^`$]*)\$\{", source))
    for start in starts:
        assert any(key.startswith(start) for key in known), start


def lines(path):
    return len(path.read_text("utf-8").splitlines())


def test_modules_are_short():
    assert max(map(lines, SCRIPTS)) < 200


def test_nothing_is_inline_and_nothing_is_markup():
    """The policy forbids styles and scripts in the page; text never becomes markup."""
    page = (STATIC / "index.html").read_text()
    assert not re.search(r"<style|style=|onclick|<script(?![^>]*src=)", page)
    for path in SCRIPTS:
        source = path.read_text("utf-8")
        forbidden = (
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|cssText|Attribute\(.style"
        )
        assert not re.search(forbidden, source), path
        assert not re.search(r"https?://(?!www\.w3\.org/)[\w-]+\.\w", source), path  # no other host


def test_home_is_at_most_60_kb(client):
    """Home with its modules, styles, words and cards, as they are sent."""
    words = [f"/static/words/{name}.json" for name in ("common", "home", "games", "hana", "cards")]
    styles = [f"/static/css/{name}.css" for name in ("hana", "home")]
    data = ["/static/home.json", "/static/cards/hanafuda.svg"]
    start, seen = ["/", "/static/js/pages/home.js", *data, *words, *styles], {}
    while start:
        address = start.pop()
        if address in seen:
            continue
        answer = client.get(address, headers={"Accept-Encoding": "identity"})
        assert answer.status_code == 200, address
        text = answer.text
        seen[address] = len(gzip.compress(text.encode(), 6))
        start += re.findall(r'(?:src|href)="(/static/[^"]+[.](?:js|css|svg))"', text)  # icons to install come later
        folder = address.rpartition("/")[0]
        for name in re.findall(r'^(?:import|export).*?from "(\.[^"]+)"', text, re.MULTILINE):
            start.append(str(Path(f"{folder}/{name}").resolve()))
    assert "/static/js/api.js" in seen and "/static/css/base.css" in seen
    assert sum(seen.values()) <= 60_000, seen
