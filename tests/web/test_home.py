"""Stories of Home: the prepared hand, the main button, the live curve, the grid, its weight."""

import json

import pytest

import tefuda as td
from tefuda.holdem import make_spot
from tests.apps.web.wire import digest
from tests.web.serving import Served
from tests.web.sitting import sit, version
from tests.web.visiting import COMPILING, SHIFT, WEIGHT

PLAY = "[data-role=play]"
#: Whether the felt has a later version, or was left for the table.
_LATER = """(before) => Number(document.querySelector(".home-felt")?.dataset.version ?? 1e9) > before
  && !document.querySelector(".home-felt[aria-busy]")"""


def prepared(story):
    """Open Home once the server has compiled its kernels: until then a strip stands above it."""
    story.open().wait_for_selector("#preparation", state="hidden", timeout=COMPILING)
    return story.open()


def inside(page, selector):
    """Return whether an element lies in the window."""
    box = page.locator(selector).bounding_box()
    size = page.viewport_size
    return box["y"] >= 0 and box["y"] + box["height"] <= size["height"] and box["x"] + box["width"] <= size["width"]


def posted(page, address, body):
    """Post to the server as the page does; return the answer."""
    program = """async ([address, body]) => (await fetch(address, { method: "POST",
      headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })).json()"""
    return page.evaluate(program, [address, body])


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    """A server at which nothing was played or solved; its stories only read."""
    server = Served(tmp_path_factory.mktemp("empty"), prepares=True)
    yield server
    server.end()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_main_button_and_the_hand_are_in_the_window(empty, visit, language):
    for width, height in ((1280, 800), (1024, 768), (360, 740)):
        page = prepared(visit(empty, width=width, height=height, language=language))
        assert inside(page, PLAY) and inside(page, ".home-felt .hana-hand"), width
        assert page.locator(".home-felt button[data-action]").count() == 8
        assert page.evaluate(SHIFT) < 0.02, width


def test_one_click_plays_a_card_and_the_hand_goes_on(serve, visit):
    """Nothing is made before; afterwards the focus is on a legal action, here and at a second visit."""
    story = visit(server := serve())
    page = story.open()
    before = digest(server.folder)
    page = story.open()
    assert digest(server.folder) == before and not list(server.folder.glob(".web/tables/*"))
    page.locator(".home-felt button[data-action]").nth(1).click()
    page.wait_for_function(_LATER, arg=0)
    assert page.evaluate("document.activeElement.closest('.home-felt') && 'action' in document.activeElement.dataset")
    file = next(server.folder.glob(".web/tables/*.json"))
    assert json.loads(file.read_text())["options"]["helped"] == [0]
    cards = ".home-felt .home-who:last-child [data-card]"
    taken = page.locator(cards).count()
    assert taken >= 2
    page = story.open()
    assert page.locator(cards).count() == taken and len(list(server.folder.glob(".web/tables/*.json"))) == 1


def test_a_round_is_played_to_its_end(serve, visit):
    """Choices of koi-koi and the end of the round are shown at the table."""
    page = prepared(visit(serve()))
    for _ in range(40):
        if not page.query_selector(".home-felt"):
            break
        before = version(page)
        page.locator(".home-felt [data-action]").first.click()
        page.wait_for_function(_LATER, arg=before)
    page.wait_for_selector("[data-role=ending], .hana-sheet")


def test_the_main_button_opens_a_match(serve, visit):
    story = visit(serve(), width=360, height=740)
    page = story.open()
    number = story.number()
    page.click(PLAY)
    story.shown(after=number)
    page.wait_for_selector(".hana-grid")
    assert page.evaluate("'action' in document.activeElement.dataset")


def test_the_rules_are_five_sentences(empty, visit):
    page = visit(empty, language="ja").open()
    page.click(".home-felt button.link")
    page.wait_for_selector("dialog li")
    assert page.locator("dialog li").count() == 5
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")


#: Answers come late: that of a start after the events of its runs, and that of one run before that of both.
_LATE = """() => {
  const soon = fetch.bind(globalThis);
  globalThis.fetch = async (address, options) => {
    const answer = await soon(address, options);
    const isState = address.startsWith("/api/solve/runs?");
    const wait = address === "/api/solve" ? 700 : !isState ? 0 : address.includes("%2C") ? 1000 : 900;
    await new Promise((done) => setTimeout(done, wait));
    return answer;
  };
}"""


def test_the_curve_is_recorded_then_live(serve, visit):
    """The button's two runs are both drawn while they are solved; then the figures stay."""
    page = prepared(visit(serve()))
    assert page.inner_text(".home-curve .pill") == "recorded"
    page.evaluate(_LATE)
    page.click(".home-curve button")
    page.wait_for_selector(".home-curve[data-status]")
    page.wait_for_function("() => document.querySelectorAll('.home-curve .path').length === 2")
    page.wait_for_selector(".home-curve[data-status=ended]")
    assert page.inner_text(".home-curve .pill") == "finished" and page.locator(".home-curve .path").count() == 2
    page.reload()
    assert page.inner_text(".home-list >> nth=1 >> li >> nth=0")


def test_a_solve_that_starts_elsewhere_is_shown(serve, visit):
    page = prepared(visit(serve()))
    plan = {"game": "kuhn", "parameters": {}, "methods": ["cfr"], "seconds": 600}
    [run] = posted(page, "/api/solve", plan)["runs"]
    page.wait_for_selector(".home-curve[data-status=live] .path")
    page.click(".home-curve button")
    page.wait_for_selector(".home-curve[data-status=ended]")
    assert run in page.get_attribute(".home-curve p a", "href")


def test_the_newest_spot_is_drawn(serve, visit, tmp_path):
    spot = make_spot("Qs Jh 2h 8d 3c", 100, 200, "AA-TT,AK,AQ,KQ", "QQ-99,AQ,AJ,KQ,T9s", "50%,a", "a")
    td.solve(spot, iterations=30, checkpoint=tmp_path / "turn")
    page = prepared(visit(serve()))
    assert page.locator(".home-solved .home-cell").count() == 169
    assert page.get_attribute(".home-solved a", "href") == "/explore/turn/-"
    page.click(".home-solved a")
    page.wait_for_selector("[role=grid]")


def test_home_is_light(empty, visit):
    """At most 60 kB with its cards, in at most 40 requests."""
    size, requests = visit(empty, fresh=True).open().evaluate(WEIGHT)
    assert size <= 60_000 and requests <= 40


def test_home_with_runs_and_an_open_table_is_light(serve, visit, tmp_path):
    """At most 120 kB in at most 40 requests, as every page: a curve, a grid, a table, and twenty runs."""
    for number in range(20):
        td.solve(td.load_game("kuhn"), "cfr+", iterations=200, checkpoint=tmp_path / f"kuhn-{number}")
    spot = make_spot("Qs Jh 2h 8d 3c", 100, 200, "AA-TT,AK,AQ,KQ", "QQ-99,AQ,AJ,KQ,T9s", "50%,a", "a")
    td.solve(spot, iterations=30, checkpoint=tmp_path / "river")
    story = visit(serve(), fresh=True)
    sit(story, "koikoi3", "after")
    page = story.open()
    assert page.locator(".home-solved .home-cell").count() == 169 and page.locator(".home-felt").count() == 1
    size, requests = page.evaluate(WEIGHT)
    assert size <= 120_000 and requests <= 40, (size, requests)
