"""Every page in both themes and languages: rules of access, widths, targets, an empty console.

With TEFUDA_PICTURES the folder `tests/web/pictures/` has screenshots in both themes and languages after a run.
"""

import os
from pathlib import Path

import pytest

import tefuda as td
from tefuda.apps.web.routes.play import _RIVER
from tefuda.holdem import make_spot
from tests.web.visiting import SHIFT, WEIGHT, Visit, violations

PICTURES = Path(__file__).parent / "pictures"
DRAWS = "TEFUDA_PICTURES" in os.environ  # for people; they take as long as the checks
PAGES = {
    "home": "/", "help": "/help", "play": "/play?game=leduc&mode=after", "learn": "/learn",
    "chapter": "/learn/cfr-by-hand", "chapter-pictures": "/learn/exploiting",
    "chapter-tables": "/learn/reading-a-paper", "step": "/learn/step?stage=regrets&times=24",
    "solve-spot": "/solve", "solve": "/solve?game=leduc&method=cfr%2B,dcfr", "runs": "/runs", "run": "/runs/page-kuhn",
    "compare": "/runs?compare=page-kuhn,page-spot", "explore": "/explore/page-kuhn/J%20Q~b",
    "explore-tree": "/explore/new:kuhn/J%20Q~b?seat=0&show=tree",
    "explore-table": "/explore/new:leduc/J%20Q~c?show=table",
    "explore-time": "/explore/new:kuhn/J%20Q~p?show=time", "spot": "/explore/page-spot/-",
    "spot-evs": "/explore/page-spot/-?view=evs", "spot-cards": "/explore/page-turn/Check~Check?view=cards",
    "spot-compare": "/explore/page-turn/-?view=compare",
    "exploit": "/exploit?game=kuhn&opponent=tilted", "table-kuhn": "/tables/{kuhn}", "table-leduc": "/tables/{leduc}",
    "table-koikoi": "/tables/{koikoi}", "table-holdem": "/tables/{holdem}",
    "table-spot": "/tables/{spot}", "table-dice": "/tables/{dice}", "review": "/tables/{over}/hands/0?at=1",
    "table-over": "/tables/{over}", "hands": "/hands?by=position&where=position=BTN",
    "replay": "/hands/Tefuda/1012?at=6",
}  # fmt: skip
TABLES = {
    "kuhn": {"game": "kuhn", "opponents": ["uniform"], "mode": "after", "coach": "equilibrium"},
    "leduc": {"game": "leduc", "parameters": {"players": 3}, "opponents": ["uniform", "uniform"]},
    "koikoi": {"game": "koikoi", "parameters": {"rounds": 3}, "opponents": ["greedy"]},
    "holdem": {"game": "holdem", "opponents": ["caller"]},
    "spot": {"game": "spot", "parameters": _RIVER, "opponents": ["solution"], "mode": "after"},
    "dice": {"game": "liars_dice", "opponents": ["always-pass"], "mode": "request"},
    "over": {"game": "kuhn", "opponents": ["always-raise"], "mode": "after", "coach": "equilibrium"},
}
_POST = """
async ([address, body]) => {
  const answer = await fetch(address,
    { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  return answer.json();
}
"""
#: Controls that are smaller than 44 px; links inside sentences and cells of a table may be.
_SMALL = """
() => [...document.querySelectorAll("button, select, summary, a.button, #head a, .check, input, .bar > a")]
  .map((each) => [each, (each.closest("label") ?? each).getBoundingClientRect()])
  .filter(([each, box]) => box.width > 0 && box.height > 0 && box.height < 43.5 && !each.closest("[hidden], .cell"))
  .map(([each, box]) => `${each.outerHTML.slice(0, 120)} is ${Math.round(box.width)} x ${Math.round(box.height)}`)
"""
#: Texts that break a rule: no number, a hyphen as a minus, an exponent from 0.00001 to 1,000,000, English in Japanese.
_FAULTS = """(language) => {
  const rules = [[/\\b(nan|undefined|null|infinity)\\b|\\[object/i, () => true], [/(^|[\\s(])-\\d/, () => true],
    [/\\d(?:\\.\\d+)?e[+\u2212-]?\\d+/i, ([text]) => {
      const value = Math.abs(Number(text.replace("\u2212", "-")));
      return value >= 1e-5 && value <= 1e6;
    }], [/[a-z]{2,}(?: [a-z]{2,}){2,}/, () => language === "ja"]];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const owner = node.parentElement;
    const apart = "script, style, code, pre, math, option, [lang=en], a[download], [hidden]";
    if (owner.closest(apart) || !owner.getClientRects().length) continue;
    for (const [rule, applies] of rules) {
      const match = rule.exec(node.data);
      if (match && applies(match)) found.push(node.data.trim().slice(0, 80));
    }
  }
  return found;
}"""
_HEAVIEST = {"koikoi": 200_000}  # bytes; other pages: 120,000
_REQUESTS = 40
_COLOURS = ("color-contrast", "link-in-text-block")  # the rules of axe about colours
THEMES = {"en": ("light", "dark"), "ja": ("dark", "light")}
_ZOOMED = (640, 400)  # CSS pixels of a window of 1280 x 800 at 200 %
_OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="session")
def filled(server, browser):
    """Runs, tables and hands to look at: the names of the tables."""
    td.solve(td.load_game("kuhn"), "cfr+", iterations=200, checkpoint=server.folder / "page-kuhn")
    spot = make_spot("Qs Jh 2h 8d 3c", 100, 200, "AA-TT,AK,AQ,KQ,QJ,JT,T9,98,A5s", "QQ-99,AQ,AJ,KQ,T9s", "50%,a", "a")
    td.solve(spot, iterations=30, checkpoint=server.folder / "page-spot")
    for name, sizes in (("page-turn", "50%,a"), ("page-turn-2", "a")):
        turn = make_spot("Qs Jh 2h 8d", 100, 200, "AA-TT,AK,KQ", "QQ-99,AQ,KQ", sizes, "a")
        td.solve(turn, iterations=5, checkpoint=server.folder / name)
    visit = Visit(browser, server)
    page, names = visit.open("/help"), {}
    for name, body in TABLES.items():
        state = page.evaluate(_POST, ["/api/tables", {"parameters": {}, **body}])
        names[name] = state["id"]
    while not state["end"]:
        state = page.evaluate(_POST, [f"/api/tables/{state['id']}/act", {"version": state["version"], "action": 0}])
    reading = page.evaluate(_POST, ["/api/hands/import", {"upload": "sample"}])
    while reading["active"]:
        reading = page.evaluate("async () => (await fetch('/api/hands/import')).json()")
    visit.close()
    visit.check()
    return names


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_keeps_all_rules(name, language, visit, filled):
    """Words, weight, access; nothing moves on load or is lost at 200 % and in forced colours."""
    person = visit(language=language, theme=THEMES[language][0], fresh=True)
    page = person.open(PAGES[name].format(**filled))
    assert page.evaluate(SHIFT) < 0.02
    size, requests = page.evaluate(WEIGHT)
    if name != "home":  # it shows runs and tables of other stories; test_home weighs both states
        assert size <= _HEAVIEST.get(name.removeprefix("table-"), 120_000) and requests <= _REQUESTS
    assert page.evaluate(_FAULTS, language) == []
    seen = "() => [...document.querySelectorAll('main button, main a')].filter((each) => each.checkVisibility()).length"
    controls = page.evaluate(seen)
    page.emulate_media(forced_colors="active")
    assert page.evaluate(seen) == controls
    page.set_viewport_size(dict(zip(("width", "height"), _ZOOMED, strict=True)))
    assert page.evaluate(_OVERFLOW) <= 0
    page.emulate_media(forced_colors="none")
    wide, small = widths(page, name, language)
    assert (wide, small) == ([], [])
    if language == "en":
        person.check()  # axe itself breaks the policy of the page
        assert contrasts(page) == {}
        person.messages.clear()


def widths(page, name, language):
    """Return widths at which a page scrolls sideways, and controls of a phone below 44 px."""
    wide, small = [], []
    for theme in THEMES[language][: 1 + DRAWS]:
        page.emulate_media(color_scheme=theme)
        for width in (1280, 768, 360, 320):
            page.set_viewport_size({"width": width, "height": 900})
            if page.evaluate(_OVERFLOW) > 0:
                wide.append(width)
            if width in (1280, 360) and DRAWS:
                PICTURES.mkdir(exist_ok=True)
                page.screenshot(path=PICTURES / f"{name}-{language}-{theme}-{width}.png", full_page=True)
            if width == 360:
                small += page.evaluate(_SMALL)
    return wide, small


def contrasts(page):
    """Return the broken rules of axe by theme: all rules, then those about colours."""
    page.set_viewport_size({"width": 1280, "height": 900})
    broken = {}
    for theme, rules in (("light", ()), ("dark", _COLOURS)):
        page.emulate_media(color_scheme=theme)
        if found := violations(page, rules):
            broken[theme] = found
    return broken
