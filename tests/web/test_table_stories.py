"""Stories at tables: keyboard, reload, restart of the server, hints, ten browsers, two tabs."""

import signal

import pytest

from tests.web.sitting import changed, press, sit, version


def tab_to(page, selector):
    """Move the focus by the tabulator key to an element."""
    for _ in range(80):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} cannot be reached by keyboard")


def cards(page):
    return page.eval_on_selector_all(".seat.own .card-face", "faces => faces.map((face) => face.ariaLabel)")


def test_a_hand_of_leduc_by_keyboard_alone(visit):
    """From the first page to the second hand without a pointer; the focus stays on the actions."""
    story = visit()
    page = story.open("/")
    tab_to(page, "#head nav a[href='/play']")
    page.keyboard.press("Enter")
    page.wait_for_selector("form[data-ready]")
    tab_to(page, "form .main")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-version]")
    page.wait_for_selector("[data-action]")
    while page.query_selector("[data-action]"):
        press(page, "1")
        assert page.evaluate("document.activeElement.matches('[data-action], [data-role=next]')")
    assert page.inner_text("[data-role=end]") and page.inner_text("#live")
    press(page, "Enter")
    assert page.get_attribute("[data-hand]", "data-hand") == "1"


def test_a_reload_keeps_the_hand(visit):
    page = sit(visit())
    press(page, "1")
    before = version(page), cards(page), page.inner_text(".log")
    page.reload()
    page.wait_for_selector("[data-version]")
    assert (version(page), cards(page), page.inner_text(".log")) == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_table_outlives_its_server(visit, serve, number):
    """After a kill and a restart the open page continues with the same hand."""
    first = serve()
    story = visit(first)
    story.expected.add(0)
    page = sit(story, "kuhn")
    before, number_shown = (version(page), cards(page)), story.number()
    first.end(number)
    page.keyboard.press("1")
    page.wait_for_selector("#banner:not(:empty)")
    serve(first.port)
    story.shown(after=number_shown)
    assert page.query_selector("#banner:empty")
    assert (version(page), cards(page)) == before
    assert press(page, "1") == before[0] + 1
    story.close()


def test_a_hint_marks_the_hand(visit):
    """A hint shows the coach's strategy; the hand is counted apart."""
    page = sit(visit(), mode="request")
    assert page.query_selector("[data-role=advice]") is None
    press(page, "h")
    shares = page.locator("[data-role=advice] .advice-row").count()
    assert shares == page.locator("[data-action]").count()
    while page.query_selector("[data-action]"):
        press(page, "1")
    rows = page.locator("[data-role=statistics] tbody tr").first.locator("td").all_inner_texts()
    assert rows == ["0", "1"]


def test_ten_browsers_at_once(visit):
    """Ten contexts play at ten tables in turns; each sees its own table, move by move."""
    pages = [sit(visit(), game) for game in ("kuhn", "leduc") * 5]
    addresses = {page.url for page in pages}
    assert len(addresses) == 10
    for _ in range(4):
        before = [version(page) for page in pages]
        for page in pages:
            page.keyboard.press("1" if page.query_selector("[data-action]") else "Enter")
        assert [changed(page, number) for page, number in zip(pages, before, strict=True)] == [n + 1 for n in before]


def test_two_tabs_of_one_table(visit):
    """A tab that has missed an action shows the present state; its action is not taken."""
    story = visit()
    story.expected.add(409)
    first = sit(story)
    second = story.open(first.url.removeprefix(story.server.address), story.new_page())
    second.wait_for_selector("[data-version]")
    after = press(first, "1")
    press(second, "1")
    assert version(second) == after and second.inner_text(".note")
    assert second.inner_text(".log") == first.inner_text(".log")


def test_the_session_ends_with_its_seed(visit):
    page = sit(visit(), "kuhn")
    assert page.query_selector("[data-role=closed]") is None
    before = version(page)
    page.click("[data-role=leave]")
    changed(page, before)
    with page.expect_download() as download:
        page.click("[data-role=closed] a[download]")
    assert download.value.suggested_filename.endswith(".json")
    assert page.query_selector("[data-action]") is None
