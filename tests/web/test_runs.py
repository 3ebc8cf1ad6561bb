"""Stories of the list of runs and of its actions."""

import zipfile
from urllib.parse import urlsplit

import pytest

import tefuda as td
from tefuda.holdem import make_spot
from tests.web.serving import Served
from tests.web.visiting import LONGEST

_OUTSIDE = """
() => [...document.querySelectorAll("table.runs tr > *, table.runs tbody :is(a, button, summary, svg)")]
  .map((each) => [each, each.getBoundingClientRect()])
  .filter(([each, box]) => box.width > 0 && (box.left < 0 || box.right > innerWidth + 0.5))
  .map(([each, box]) => `${each.outerHTML.slice(0, 80)} ends at ${box.right}`)
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server with a few runs of its own folder, one of them damaged; stories leave them as they were."""
    tmp_path = tmp_path_factory.mktemp("runs")
    for name, method in (("kuhn-1", "cfr"), ("kuhn-2", "cfr+")):
        td.solve(td.load_game("kuhn"), method, iterations=50, checkpoint=tmp_path / name)
    td.solve(td.load_game("leduc", ranks=2), "cfr+", iterations=5, checkpoint=tmp_path / "leduc")
    td.solve(make_spot("2c2d2h3c3d", 100, 300, "AA,QQ", "KK", "50%,a", "a"), iterations=3, checkpoint=tmp_path / "spot")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "run.json").write_text("{")
    server = Served(tmp_path)
    yield server
    server.end()


def names(page):
    """Return the names of the runs by id."""
    return page.locator("tbody tr").evaluate_all(
        "rows => Object.fromEntries(rows.map((row) => [row.dataset.run, row.querySelector('.naming > *').textContent]))"
    )


def row(page, run):
    return page.locator(f'[data-run="{run}"]')


def moved(page, act):
    """Act, and wait until the page shows something else."""
    before = page.evaluate("document.body.dataset.shown")
    act()
    page.wait_for_function("before => document.body.dataset.shown !== before", arg=before, timeout=LONGEST)


def test_names_say_what_is_inside(served, visit):
    """Names of runs are those of games and boards; equal ones have numbers, in both languages."""
    spot = {"en": "2c 2d 2h 3c 3d river, OOP against IP", "ja": "2c 2d 2h 3c 3d リバー、OOP対IP"}
    games = {
        "en": ("Kuhn poker", "Kuhn poker 2", "Leduc hold'em, 2 ranks"),
        "ja": ("クーンポーカー", "クーンポーカー 2", "レダック、ランク2種"),
    }
    for language in ("en", "ja"):
        shown = names(visit(served, language=language).open("/runs"))
        assert shown == dict(zip(("kuhn-1", "kuhn-2", "leduc"), games[language], strict=True)) | {
            "spot": spot[language],
            "bad": "bad",
        }
        assert len({*shown.values()}) == len(shown)


@pytest.mark.parametrize("width", [1024, 1280])
def test_no_part_of_a_row_is_outside_the_window(served, visit, width):
    for language in ("en", "ja"):
        page = visit(served, language=language, width=width).open("/runs")
        assert page.locator("tbody tr").count() == 5 and page.evaluate(_OUTSIDE) == []


def test_each_button_of_a_row_leads_to_a_page_without_an_error(served, visit):
    visitor = visit(served)
    for run in ("kuhn-1", "leduc", "spot"):
        for place in range(2):
            page = visitor.open("/runs")
            moved(page, row(page, run).locator(".acts > div > :is(a, button)").nth(place).click)
            assert page.locator("main .error:not(:empty)").count() == 0, page.url
            assert urlsplit(page.url).path.split("/")[1] == ("explore", "tables")[place]
    page = visitor.open("/runs")
    moved(page, row(page, "spot").locator("th a").click)
    assert page.locator("h1").inner_text() == "2c 2d 2h 3c 3d river, OOP against IP"


def test_the_menu_renames_exports_and_shares(served, visit, tmp_path):
    page = visit(served).open("/runs")
    menu = row(page, "kuhn-1").locator("details")
    menu.locator("summary").click()
    page.keyboard.press("Escape")
    assert menu.get_attribute("open") is None
    menu.locator("summary").click()
    menu.get_by_role("button", name="Rename").click()
    page.keyboard.type("手札")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('[data-run=kuhn-1] th a')?.textContent === '手札'")
    assert names(page)["kuhn-2"] == "Kuhn poker"
    for item, ending in (("Export", ".zip"), ("Share", ".html")):
        row(page, "kuhn-1").locator("summary").click()
        with page.expect_download() as download:
            row(page, "kuhn-1").locator(".menu div").get_by_text(item, exact=True).click()
        download.value.save_as(tmp_path / f"saved{ending}")
        assert download.value.suggested_filename == {".zip": "run.zip", ".html": "kuhn-1.html"}[ending]
    td.solvers.rename_run(served.folder / "kuhn-1", "")
    assert "run/run.json" in zipfile.ZipFile(tmp_path / "saved.zip").namelist()
    assert "<title>手札</title>" in (tmp_path / "saved.html").read_text()


def test_chosen_runs_are_compared_and_binned_and_come_back(served, visit):
    """The bin takes damaged runs too; for five seconds the message takes it back."""
    page = visit(served).open("/runs")
    for run in ("kuhn-1", "kuhn-2"):
        row(page, run).get_by_role("checkbox").check()
    assert "2 chosen" in page.locator(".dock").inner_text()
    moved(page, page.get_by_role("button", name="Compare").click)
    assert page.locator(".chart .path").count() == 2 and "compare=kuhn-1,kuhn-2" in page.url
    page = visit(served).open("/runs")
    for run in ("kuhn-2", "bad"):
        row(page, run).get_by_role("checkbox").check()
    page.locator(".dock").get_by_role("button", name="Move to bin").click()
    page.wait_for_function("() => document.querySelectorAll('tbody tr').length === 3")
    assert {run.id for run in td.list_runs(served.folder)} == {"kuhn-1", "leduc", "spot"}
    assert not page.locator(".dock").is_visible()
    page.get_by_role("button", name="Undo").click()
    page.wait_for_function("() => document.querySelectorAll('tbody tr').length === 5")
    assert {run.id for run in td.list_runs(served.folder)} == {"kuhn-1", "kuhn-2", "leduc", "spot", "bad"}


def test_the_list_is_searched_and_sorted_and_the_address_says_how(served, visit):
    page = visit(served).open("/runs")
    page.fill("input[type=search]", "CFR+ poker")
    assert list(names(page)) == ["kuhn-2"]
    page.fill("input[type=search]", "")
    page.get_by_role("button", name="Trees 3").click()
    page.locator("[data-column=name]").click()
    assert list(names(page)) == ["kuhn-1", "kuhn-2", "leduc"]
    page.locator("[data-column=name]").click()
    assert page.locator("th.name").get_attribute("aria-sort") == "descending"
    before = list(names(page))
    page.reload()
    page.locator("tbody tr").first.wait_for()
    assert before == list(names(page)) == ["leduc", "kuhn-2", "kuhn-1"] and "kind=trees" in page.url


def test_a_phone_opens_a_run_by_a_tap_and_bins_it_there(served, visit):
    page = visit(served, width=360, height=740, has_touch=True).open("/runs")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    box = row(page, "kuhn-1").locator(".figure").bounding_box()
    moved(page, lambda: page.touchscreen.tap(box["x"] + box["width"] - 10, box["y"] + box["height"] / 2))
    assert page.url.endswith("/runs/kuhn-1")
    page.locator(".run-acts summary").tap()
    moved(page, page.get_by_role("button", name="Move to bin").tap)
    assert page.url.endswith("/runs") and "kuhn-1" not in names(page)
    page.get_by_role("button", name="Undo").tap()
    row(page, "kuhn-1").wait_for()
    assert (served.folder / "kuhn-1").exists()
