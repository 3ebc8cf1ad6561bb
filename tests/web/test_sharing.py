"""Stories of runs, chapters and shared files in a browser."""

import shutil
from functools import partial

import pytest

import tefuda as td
from tefuda.apps.share.contents import chapter_contents, hand_contents, run_contents, step_contents
from tefuda.apps.share.making import shared_file
from tests.web.visiting import LONGEST, Visit

HOSTILE = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>"


@pytest.fixture
def runs(server):
    """Two runs of the server's folder, one with a hostile title; the first page shows only the last runs."""
    for name, method in (("hostile", "cfr"), ("plain", "cfr+")):
        shutil.rmtree(server.folder / name, ignore_errors=True)
        td.solve(td.load_game("kuhn"), method, iterations=200, checkpoint=server.folder / name)
    td.solvers.rename_run(server.folder / "hostile", HOSTILE)
    return server.folder


@pytest.fixture(scope="session")
def leduc(tmp_path_factory):
    """A run of Leduc hold'em."""
    folder = tmp_path_factory.mktemp("shared") / "leduc"
    td.solve(td.load_game("leduc"), "cfr+", iterations=100, checkpoint=folder)
    td.solvers.rename_run(folder, HOSTILE)
    return folder


class File:
    """A shared file in place of a server: all requests but those of the file are foreign."""

    def __init__(self, path, page):
        path.write_text(page, encoding="utf-8")
        self.address = f"file://{path}"
        self.cookie = {"name": "none", "value": "none", "url": "http://127.0.0.1"}


@pytest.fixture
def open_file(browser, tmp_path):
    """A function that opens a shared file, and checks the visit at the end."""
    visits = []

    def start(contents, **options):
        file = File(tmp_path / "file.html", shared_file(contents))
        visits.append(visit := Visit(browser, file, fresh=True, **options))
        return visit.open("")

    yield start
    for visit in visits:
        visit.close()
        visit.check()


def moved(page, act):
    """Act, and wait until the page shows something else."""
    before = page.evaluate("document.body.dataset.shown")
    act()
    page.wait_for_function("before => document.body.dataset.shown !== before", arg=before, timeout=LONGEST)


@pytest.mark.parametrize("address", ["/", "/runs", "/runs?compare=hostile,plain", "/explore", "/explore/hostile/-"])
def test_a_hostile_title_stays_text(visit, runs, address):
    """It is long, too, and fits a narrow screen."""
    page = visit(width=320).open(address)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert "taken" not in page.title()
    assert page.locator("main img, main script").count() == 0
    if address != "/explore/hostile/-":
        assert HOSTILE in page.text_content("main")


def test_a_chapter_computes_its_widget_anew(visit):
    page = visit().open("/learn/abstraction")
    page.wait_for_selector(".widget .dots", state="attached")
    assert page.locator(".widget .dots").count() == 5
    with page.expect_response("**/api/learn/widgets/abstraction?cards=8"):
        page.select_option(".widget select", "8")
    page.wait_for_function("() => document.querySelectorAll('.widget .dots').length === 8")
    assert page.locator("article math").count() > 0 or page.locator("article pre").count() > 0


def test_a_shared_leduc_file_is_explored_without_a_server(open_file, leduc):
    contents = run_contents(leduc)
    assert len(shared_file(contents).encode()) < 2_000_000
    page = open_file(contents)
    assert page.title() == HOSTILE and page.locator("img").count() == 0
    for _ in range(3):
        moved(page, page.locator(".bar a").first.click)
    address = page.url
    moved(page, lambda: page.keyboard.press("ArrowLeft"))
    moved(page, page.go_back)
    assert page.url == address
    moved(page, page.reload)
    moved(page, page.locator("nav a.button").nth(1).click)
    assert "seat=0" in page.url
    page.fill("#go-to", "0: K|cr")
    moved(page, lambda: page.keyboard.press("Enter"))
    assert "0: K|cr" in page.text_content("main .here")


def test_all_links_of_a_shared_tree_lead_to_pages_of_the_file(open_file, tmp_path):
    """Also those of panels and drawings, from every seat."""
    td.solve(td.load_game("kuhn"), "cfr+", iterations=20, checkpoint=tmp_path / "kuhn")
    page = open_file(run_contents(tmp_path / "kuhn"), language="ja")
    waiting, seen = ["/explore/kuhn/-", "/explore/kuhn/-?public=2"], []
    while waiting and len(seen) < 40:  # `tests/apps/share` goes everywhere
        seen.append(address := waiting.pop(len(waiting) // 2))
        moved(page, lambda to=address: page.evaluate("to => { location.hash = to; }", to))
        assert page.locator(".error").count() == 0, address
        links = page.locator("main a[href]").evaluate_all("all => all.map((one) => one.getAttribute('href'))")
        waiting += [link for link in dict.fromkeys(links) if link not in seen and link not in waiting]
    for name in ("seat=0", "seat=1", "show=tree", "show=table", "public="):
        assert any(name in address for address in seen), name


def test_a_shared_chapter_keeps_its_widget_and_says_what_is_missing(open_file):
    page = open_file(chapter_contents("abstraction"), language="ja", theme="dark", width=360)
    page.wait_for_selector(".widget .dots", state="attached")
    page.select_option(".widget select", "12")
    page.wait_for_function("() => document.querySelectorAll('.widget .dots').length === 12")
    assert page.evaluate("document.querySelector('article img').naturalWidth") > 0
    moved(page, page.locator("nav a[href='/learn']").click)
    assert page.locator(".error").count() == 1
    moved(page, page.locator("main a").click)
    assert page.locator("article").count() == 2


def choose(field, value):
    """Choose a value of a field."""
    if field.evaluate("field => field.matches('select')"):
        return field.select_option(value)
    field.fill(value)
    return field.press("Enter")


def test_a_shared_walk_goes_through_an_iteration(open_file):
    page = open_file(step_contents())
    moved(page, page.locator(".stages a").nth(3).click)
    moved(page, lambda: page.keyboard.press("n"))
    moved(page, lambda: page.keyboard.press("ArrowDown"))
    assert "iteration=2" in page.url and page.locator("math").count() > 0
    for name in page.locator("select, input").evaluate_all("fields => fields.map((field) => field.name)"):
        field = page.locator(f"[name={name}]")
        values = field.locator("option").evaluate_all("options => options.map(({ value }) => value)")
        for value in values or [field.get_attribute("max")]:
            if field.input_value() != value:
                moved(page, partial(choose, page.locator(f"[name={name}]"), value))
            assert page.locator(".error").count() == 0
    before = page.url
    page.keyboard.press("n")
    assert page.url == before and "iteration=10" in before


@pytest.mark.parametrize("game, parameters", [("leduc", {}), ("mini8", {})])
def test_a_shared_hand_is_reviewed_without_a_server(open_file, visit, server, game, parameters):
    requests = visit().context.request

    def post(address, **body):
        answer = requests.post(f"{server.address}{address}", data=body)
        assert answer.ok, answer.text()
        return answer.json()

    coach = {"coach": "uniform"} if game == "mini8" else {}
    state = post("/api/tables", game=game, parameters=parameters, opponents=["uniform"], **coach)
    while state["end"] is None:
        state = post(f"/api/tables/{state['id']}/act", version=state["version"], action=state["actions"][0]["index"])
    page = open_file(hand_contents(server.folder, state["id"], 0))
    moves = page.locator(".moves-grid .move")
    assert moves.count() > 0
    moves.last.click()
    assert moves.last.get_attribute("aria-current") == "step"
    if game == "mini8":
        boxes = page.evaluate(
            "[...document.querySelectorAll('main svg.hanafuda use')].map((use) => use.getBBox().width)"
        )
        assert boxes and all(width > 50 for width in boxes)


def test_a_shared_file_cannot_run_other_scripts_or_reach_a_host(browser, tmp_path, leduc):
    visit = Visit(browser, File(tmp_path / "file.html", shared_file(chapter_contents("family"))), fresh=True)
    page = visit.open("")
    page.evaluate("""() => {
        const script = document.createElement("script");
        script.textContent = "globalThis.taken = true";
        document.body.append(script);
        document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='globalThis.taken = true'>");
        return fetch("http://127.0.0.1:9/").catch(() => {});
    }""")
    assert page.evaluate("globalThis.taken") is None
    visit.close()
    assert any("Content Security Policy" in message for message in visit.messages)
