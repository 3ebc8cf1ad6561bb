"""Stories of a solved spot: grids, figures, filters, keys and deep links."""

import pytest

import tefuda as td
from tefuda.holdem import Node, make_spot, pushfold
from tefuda.holdem.cards import CLASSES
from tefuda.holdem.made_hands import MADE_HANDS, made_hands

RANGES = "QQ-99,AQs,KQs,JTs,T9s,AhKh,76s:0.3", "KK-88,AQ,KQ:0.5,QJs,T9s"
_CELLS = """
grid => [...grid.querySelectorAll(".cell")].map(cell => [cell.dataset.class, cell.querySelector("i").textContent])
"""
FIGURES = {"share": 100, "ev": 1, "equity": 100, "loss": 1}


@pytest.fixture(scope="session")
def strategy(server):
    spot = make_spot("Qs Jh 2h 8d", 100, 200, *RANGES, "50%,a", "a")
    return td.solve(spot, iterations=20, checkpoint=server.folder / "spot").strategy


def cells(page, grid=0):
    """Return the figures of the cells with hands, by class."""
    texts = page.get_by_role("grid").nth(grid).evaluate(_CELLS)
    return {name: float(text.replace("\N{MINUS SIGN}", "-").replace(",", "")) for name, text in texts if text}


def figure(cell, show):
    """Return a figure of a cell: of its likeliest action, if actions have the figure."""
    if show in ("ev", "equity"):
        return getattr(cell, show)
    return (cell.shares if show == "share" else cell.losses)[max(cell.shares, key=cell.shares.get)]


def key(page, name):
    return page.locator(f'[data-key="{name}"]')


@pytest.mark.parametrize("line", ["", "Check/Bet(50)"])
def test_cells_show_the_figures_of_the_library(visit, strategy, line):
    """Every figure of every class is that of `Node.grid`, for each choice of the figure."""
    page = visit().open(f"/explore/spot/{line.replace('/', '~') or '-'}")
    for show, unit in FIGURES.items():
        key(page, f"show-{show}").click()
        wanted = {cell.name: unit * figure(cell, show) for cell in Node(strategy, line).hands().grid() if cell.hands}
        shown = cells(page)
        assert shown.keys() == wanted.keys()
        for name, value in wanted.items():
            assert shown[name] == pytest.approx(value, abs=0.51 if unit == 100 or abs(value) >= 100 else 0.051)


def test_a_filter_and_its_address(visit, strategy):
    """A filter leaves only hands with the made hand; the address alone shows the same page."""
    page = visit().open("/explore/spot/Check?show=ev&player=oop")
    key(page, "made-underpair").click()
    node = Node(strategy, "Check")
    underpairs = made_hands(node.cards) == MADE_HANDS.index("underpair")
    wanted = {cell.name for cell in node.hands(0).grid() if underpairs[list(cell.hands)].any()}
    assert cells(page).keys() == wanted == {"TT", "99"}
    key(page, "made-top pair").click()
    page.get_by_role("button", name="Only hands with hearts").click()
    before = cells(page)
    assert {*before} == {"TT", "99", "AQs", "KQs"}
    assert "made=underpair,top+pair" in page.url and "suit=h" in page.url
    page.reload()
    page.get_by_role("grid").wait_for()
    assert cells(page) == before
    key(page, "reset").click()
    assert len(cells(page)) > len(before) and "made" not in page.url


def test_the_grid_by_keys(visit, strategy):
    """One cell is in the tab order; arrows move, the class is in the address, and edges stop."""
    page = visit().open("/explore/spot/-?class=AQs")
    grid = page.get_by_role("grid")
    assert grid.locator('[tabindex="0"]').count() == 1
    grid.locator('[tabindex="0"]').focus()
    visited = []
    for press in ("ArrowRight", "ArrowDown", "ArrowLeft", "Home", "ArrowLeft", "End", "ArrowRight", "PageDown"):
        page.keyboard.press(press)
        visited.append(page.evaluate("document.activeElement.dataset.class"))
    assert visited == ["AJs", "KJs", "KQs", "AKo", "AKo", "K2s", "K2s", "22"]
    assert "class=22" in page.url and {*visited} <= {*CLASSES}
    page.reload()
    page.get_by_role("grid").wait_for()
    assert page.locator('[aria-selected="true"]').get_attribute("data-class") == "22"


def test_walk_to_a_river_and_back(visit, strategy):
    """Actions and cards are links; the left arrow goes back, and the figure stays."""
    visitor = visit()
    page = visitor.open("/explore/spot/-?show=equity")
    for name in ("go-1", "go-1"):
        number = visitor.number()
        key(page, name).click()
        visitor.shown(after=number)
    number = visitor.number()
    page.get_by_role("link", name="ten of spades").last.click()
    visitor.shown(after=number)
    assert page.url.endswith("/explore/spot/Bet(50)~Call~Ts?show=equity")
    assert cells(page) == pytest.approx(
        {c.name: 100 * c.equity for c in Node(strategy, "Bet(50)/Call/Ts").hands().grid() if c.hands}, abs=0.51
    )
    number = visitor.number()
    page.keyboard.press("ArrowLeft")
    visitor.shown(after=number)
    assert page.url.endswith("/explore/spot/Bet(50)~Call?show=equity")


def test_both_ranges(visit, strategy):
    """Both grids and both curves are shown, each with its twin as a table."""
    page = visit(width=320, theme="dark").open("/explore/spot/Check?player=both&show=equity")
    assert page.get_by_role("grid").count() == 2
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for player in (0, 1):
        wanted = {c.name: 100 * c.equity for c in Node(strategy, "Check").hands(player).grid() if c.hands}
        assert cells(page, player) == pytest.approx(wanted, abs=0.51)
        assert page.locator(".range-part").nth(player).locator("tbody tr").count() == len(wanted)
    assert page.locator(".curves .path").count() == 2


def test_push_or_fold_from_the_list(visit):
    """The list of strategies leads to push or fold; after the push the big blind's grid is shown."""
    visitor = visit(language="ja", width=360)
    page = visitor.open("/explore")
    for find in (page.locator('a[href="/explore/pushfold:10/-"]'), key(page, "go-1")):
        number = visitor.number()
        find.click()
        visitor.shown(after=number)
    assert page.url.endswith("/explore/pushfold:10/AllIn")
    wanted = {name: 100 * max(share, 1 - share) for name, share in zip(CLASSES, pushfold(10).call, strict=True)}
    assert cells(page) == pytest.approx(wanted, abs=0.51)
