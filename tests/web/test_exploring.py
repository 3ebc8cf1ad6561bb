"""Stories of exploring a strategy, and of stepping through an iteration."""

import re
from urllib.parse import quote

import pytest

import tefuda as td

#: Regrets times 24 of the second action after the first iteration of CFR from uniform play.
FIRST_ITERATION = {
    "0: J|": 3, "0: Q|": 3, "0: K|": 3, "1: J|b": -2, "1: Q|b": 2, "1: K|b": 6,
    "1: J|p": 1, "1: Q|p": 1, "1: K|p": 1, "0: J|pb": -2, "0: Q|pb": 2, "0: K|pb": 6,
}  # fmt: skip


@pytest.fixture(scope="session")
def run(server):
    """A saved run of Kuhn."""
    td.solve(td.load_game("kuhn"), "cfr+", iterations=100).save(server.folder / "explored")
    return "explored"


def follow(visit, act):
    """Do something that leads to another page, and wait for it."""
    before = visit.number()
    act()
    visit.shown(after=before)


def cells(page):
    """Return the texts of all tables."""
    return page.locator("main td, main th").all_inner_texts()


def test_walk_to_a_deep_link_and_reload(visit, run):
    """Links and keys lead to an address that alone rebuilds the page; the back button returns."""
    walk = visit()
    page = walk.open(f"/explore/{run}/-")
    follow(walk, lambda: page.locator("td a, th a", has_text="J Q").first.click())
    follow(walk, lambda: page.keyboard.press("ArrowRight"))
    follow(walk, lambda: page.keyboard.press("ArrowDown"))
    assert page.url.endswith(f"/explore/{run}/J%20Q~b")
    follow(walk, lambda: page.keyboard.press("ArrowUp"))
    follow(walk, lambda: page.keyboard.press("ArrowDown"))
    follow(walk, lambda: page.get_by_role("link", name="All hands").click())
    assert page.url.endswith("/J%20Q~b?show=table")
    before = cells(page)
    page.reload()
    walk.shown()
    assert cells(page) == before
    follow(walk, page.go_back)
    assert page.url.endswith("/J%20Q~b")
    follow(walk, lambda: page.keyboard.press("ArrowLeft"))
    assert page.url.endswith("/J%20Q")


def test_the_list_of_strategies_leads_to_a_run_and_to_any_game(visit, run):
    walk = visit()
    page = walk.open("/explore")
    follow(walk, lambda: page.locator(f'a[href="/explore/{run}/-"]').click())
    assert page.url.endswith(f"/explore/{run}/-")
    follow(walk, page.go_back)
    page.get_by_role("textbox").fill("kuhn;cards=4")
    follow(walk, lambda: page.get_by_role("textbox").press("Enter"))
    assert page.locator("[data-label]").count() == 12, "the deals of two from four cards"


def test_go_to_an_infoset_by_its_name(visit, run):
    walk = visit()
    page = walk.open(f"/explore/{run}/-")
    page.keyboard.press("g")
    page.keyboard.type("1: Q|b")
    follow(walk, lambda: page.keyboard.press("Enter"))
    assert re.search(r"/explore/explored/(J|K)%20Q~b$", page.url)
    assert page.locator("code", has_text="1: Q|b").count() == 1


def test_a_seat_shows_only_the_knowledge_of_its_player(visit, run):
    """Two deals that differ in the hidden card give the same page, but for addresses."""
    walk, shown = visit(), []
    for deal in ("J Q", "J K"):
        page = walk.open(f"/explore/{run}/{quote(deal)}~p?seat=0")
        shown.append(page.locator("main").inner_text())
    assert shown[0] == shown[1] and "hidden" in shown[0]


def test_the_whole_tree_of_kuhn(visit, run):
    """All 55 histories with the payoffs at the 30 ends; a node lights its infoset and opens its panel."""
    walk = visit()
    page = walk.open(f"/explore/{run}/J%20Q?show=tree")
    assert page.locator(".whole-tree .node").count() == 55 and page.locator(".whole-tree .payoff").count() == 30
    assert page.locator(".whole-tree .edge").count() == 48 and page.locator(".whole-tree .deal").count() == 6
    node = page.locator('.whole-tree .node[data-infoset="0: Q|"]').first
    node.focus()
    framed = page.locator(".whole-tree .node.framed").evaluate_all("all => all.map((one) => one.dataset.infoset)")
    assert framed == ["0: Q|", "0: Q|"]
    follow(walk, lambda: page.keyboard.press("Enter"))
    assert page.url.endswith("/Q%20J?show=tree") and page.locator("code", has_text="0: Q|").count() == 1


def test_the_tree_of_a_seat_has_no_card_that_it_does_not_know(visit, run):
    """Histories that look the same are one node; ends of showdowns differ."""
    walk, shown = visit(), []
    for deal in ("J Q", "J K"):
        page = walk.open(f"/explore/{run}/{quote(deal)}~p?seat=0&show=tree")
        shown.append(page.locator(".whole").inner_html())
    assert shown[0] == shown[1] and "1: " not in shown[0]
    hands = page.locator(".whole-tree .mover-1 + .hand").all_inner_texts()
    assert page.locator(".whole-tree .mover-1").count() == 6 and not any(hands)
    assert page.locator(".whole-tree .mover-0").count() == 6
    follow(walk, page.locator('.whole-tree .node[data-infoset="0: K|pb"]').click)
    assert page.locator("code", has_text="0: K|pb").count() == 1 and "seat=0" in page.url


def test_an_outcome_that_hidden_cards_forbid_leads_on(visit):
    walk = visit()
    page = walk.open("/explore/uniform:leduc/J%20J~c~c?seat=0")
    follow(walk, lambda: page.locator("[data-label=J]").click())
    assert page.url.endswith("/explore/uniform:leduc/J%20Q~c~c~J?seat=0")


def test_the_first_iteration_of_kuhn_shows_the_regrets_of_the_textbook(visit):
    walk = visit()
    page = walk.open("/learn/step?game=kuhn&method=cfr&iteration=1&times=24")
    marked = page.locator("[data-scaled]").evaluate_all(
        "found => found.map((one) => [one.dataset.scaled, one.textContent])"
    )
    expected = [(f"{name} b", number) for name, number in FIRST_ITERATION.items()]
    expected += [(f"{name} p", -number) for name, number in FIRST_ITERATION.items()]
    assert {name: int(text.replace("\u2212", "-")) for name, text in marked} == dict(expected)
    assert page.locator(".game-tree .node").count() == 55
    for _ in range(5):
        follow(walk, lambda: page.keyboard.press("ArrowRight"))
        assert page.locator(".formulas math").count() >= 2 and page.locator(".game-tree .figure.lit").count() >= 2
    assert page.url.endswith("stage=average")
    follow(walk, lambda: page.keyboard.press("ArrowDown"))
    follow(walk, lambda: page.keyboard.press("n"))
    assert "iteration=2" in page.url and "stage=average" in page.url


_STAGES = """
async (address) => {
  const step = await (await fetch(address)).json();
  const { figures, STAGES } = await import("/static/js/views/step.js");
  return [step, Object.fromEntries(STAGES.map((stage) => [stage, figures(stage, step)]))];
}
"""


def test_the_stages_of_an_iteration_have_its_numbers(visit):
    """Shares of an action below an infoset are those of its update; only the shown infoset is lit."""
    page = visit().open("/learn/step?game=kuhn&method=cfr&iteration=3")
    step, stages = page.evaluate(_STAGES, "/api/step?game=kuhn&method=cfr&iteration=3")
    histories = step["histories"]
    for name, stage in (("next", "strategy"), ("average", "average")):
        for update in step["infosets"]:
            wanted = [pytest.approx(action[name], rel=0.06, abs=1e-9) for action in update["actions"]]
            for place in (n for n, history in enumerate(histories) if history["infoset"] == update["infoset"]):
                children = [n for n, history in enumerate(histories) if history["parent"] == place]
                drawn = [stages[stage][child] for child in children]
                assert [float(one["edge"]) for one in drawn] == wanted
                assert {one["litEdge"] for one in drawn} == {update["infoset"] == step["at"]}
    for history, down, up in zip(histories, stages["reach"], stages["values"], strict=True):
        assert float(down["node"]) == pytest.approx(history["others"], rel=0.01)
        assert float(up["node"].replace("\u2212", "-")) == pytest.approx(history["value"], rel=0.01, abs=1e-9)


_TEXTS = """
async (address) => {
  const known = await (await fetch(address)).json();
  const { number, percent, signed } = await import("/static/js/words.js");
  const shares = (all, name) => all.map((one) => percent(one[name]));
  return [known.values.map((one) => signed(one)), number(known.reach.product, 4), shares(known.merged, "probability"),
    shares(known.actions, "share")];
}
"""


def test_a_page_shows_the_figures_of_its_position(visit):
    """Values, reach, histories and the bar of a page are those of the message, from each seat."""
    walk = visit()
    for query, kind in (("", "With these"), ("?seat=0", "As far"), ("?seat=1", "As far")):
        page = walk.open(f"/explore/new:kuhn/K%20Q~p~b{query}")
        values, product, chances, shares = page.evaluate(_TEXTS, f"/api/explore/new:kuhn/at/K%20Q~p~b{query}")
        tables = page.get_by_role("table")
        assert tables.filter(has_text=kind).locator("tbody td").all_inner_texts() == values
        assert tables.filter(has_text="Reach").first.locator("td").all_inner_texts()[-1] == product
        assert page.locator("#panel tbody td:nth-child(2)").all_inner_texts() == chances
        bar = page.locator(".here .bar a").evaluate_all("all => all.map((one) => one.title)")
        assert [name.split(" ", 1)[1] for name in bar] == shares


def test_long_names_of_public_states_fit_the_screen(visit):
    narrow = visit(width=320, language="ja")
    for address in ("/explore", "/explore/new:leduc?public=12", f"/learn/step?game=leduc&at={quote('0: K|cr')}"):
        page = narrow.open(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, address
