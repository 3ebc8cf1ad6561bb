"""Stories of solving: read a value, stop and resume, compare methods, come back after a crash."""

import json
import re
import signal
from importlib.resources import files

import pytest

import tefuda as td

START = "[data-role=start]"
ENDED = ".live[data-status=ended]"
_BOX = "name => document.querySelector(name).getBoundingClientRect().toJSON()"


def begin(visit, address):
    """Open a filled-in form and start it."""
    page = visit.open(address)
    page.click(f"{START}:enabled")
    page.wait_for_selector(".live")
    return page


def cells(page, row=0):
    """The texts of a row of the table of figures, by the heads of their columns."""
    table = page.locator(".live table").last
    heads = table.locator("thead th").all_inner_texts()
    return dict(zip(heads, table.locator("tbody tr").nth(row).locator("th, td").all_inner_texts(), strict=True))


def points(page):
    """The rows of the chart's twin."""
    return page.locator(".live details.twin tbody tr")


def number(text):
    return float(text.replace(",", "").replace("\N{MINUS SIGN}", "-").split()[0])


def test_kuhn_is_solved_and_its_value_read(visit):
    """The form starts only by a click; the value of Kuhn poker is -1/18."""
    page = visit().open("/solve?game=kuhn&method=cfr%2B&until=1e-5")
    page.wait_for_selector(f"{START}:enabled")
    assert "55" in page.inner_text(".size") and page.locator(".live").count() == 0
    page.click(START)
    page.wait_for_selector(ENDED)
    figures = cells(page)
    values = [number(value) for value in figures["values to players"].split(",")]
    assert values == pytest.approx([-1 / 18, 1 / 18], abs=1e-4)
    assert number(figures["NashConv"]) <= 1e-5
    assert page.locator(".chart .level").count() == 1


@pytest.mark.parametrize("width, height", [(1280, 800), (1024, 768), (360, 640)])
def test_a_started_solve_is_in_view(width, height, visit):
    """The chart, wherever the form was scrolled to; the button is in the window all the time."""
    page = visit(width=width, height=height).open("/solve?game=kuhn&method=cfr&iterations=100")
    page.wait_for_selector(f"{START}:enabled")
    page.locator("[name=seed]").scroll_into_view_if_needed()
    for step in range(2):
        box = page.evaluate(_BOX, START)  # a button may be drawn anew
        assert box["y"] >= 0 and box["y"] + box["height"] <= height
        if step == 0:
            page.click(START)
            page.wait_for_selector(ENDED)
    page.wait_for_selector(".live .plot")
    box = page.evaluate(_BOX, ".live .plot")
    assert box["y"] >= 48 and box["y"] + box["height"] <= height - 60


def test_methods_are_found_added_and_removed(visit):
    """The list begins with the default method; its sheet searches names and sentences, in both languages."""
    for language, words in (("en", "prediction next"), ("ja", "予測 次")):
        page = visit(language=language).open("/solve?game=kuhn")
        page.wait_for_selector(f"{START}:enabled")
        names = ".methods li"
        assert page.locator(names).evaluate_all("all => all.map(each => each.dataset.method)") == ["ema"]
        assert page.is_disabled(f"{names} button")
        page.click("[data-role=add]")
        page.fill("dialog input", words)
        assert "pcfr+" in page.locator("dialog li:visible b").all_inner_texts()
        page.fill("dialog input", "dcfr+")
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.querySelectorAll('.methods li').length === 2")
        assert page.evaluate("document.activeElement.dataset.role") == "add" and "method=ema%2Cdcfr%2B" in page.url
        page.click(f"{names} >> nth=0 >> button")
        assert page.locator(names).evaluate_all("all => all.map(each => each.dataset.method)") == ["dcfr+"]


def test_every_method_has_a_sentence():
    words = json.loads((files("tefuda.apps.web") / "static/words/methods.json").read_text("utf-8"))
    assert words.keys() == {f"method.{name}" for name in td.METHODS}


def test_two_methods_are_compared(visit):
    """Both curves are on one chart; the address alone shows them again."""
    one = visit()
    page = begin(one, "/solve?game=kuhn&method=cfr,cfr%2B&iterations=100")
    page.wait_for_selector(ENDED)
    assert page.locator(".chart .path").count() == 2
    assert cells(page, 0)["method"] == "cfr" and cells(page, 1)["method"] == "cfr+"
    assert number(cells(page, 1)["NashConv"]) < number(cells(page, 0)["NashConv"])
    address = page.url[len(one.server.address) :]
    again = visit(language="ja").open(address)
    again.wait_for_selector(ENDED)
    assert points(again).count() == points(page).count()


def test_a_target_is_reached_and_a_stopped_solve_says_so(visit):
    """States are pills; a solve that reached its target leads to its strategy and to a table against it."""
    one = visit()
    page = begin(one, "/solve?game=kuhn&method=cfr%2B&until=1e-3")
    page.wait_for_selector(ENDED)
    assert cells(page)["state"] == "reached 0.001" and page.locator(".live .pill.good").count() == 1
    before = one.number()
    page.click(".live a:has-text('Play')")
    one.shown(after=before)
    page.wait_for_selector("form[data-ready]")
    assert page.input_value("[name=opponent]").startswith("run:kuhn-cfr+")
    assert page.input_value("[name=game]:checked") == "kuhn"
    page = begin(visit(), "/solve?game=leduc&method=cfr,dcfr&iterations=1e9")
    points(page).nth(2).wait_for(state="attached")
    page.click("[data-role=stop]")
    page.wait_for_selector(ENDED)
    assert [cells(page, row)["state"] for row in (0, 1)] == ["stopped", "stopped"]
    assert page.inner_text(START) == "Solve again"


def test_buttons_of_a_live_chart_keep_focus_and_clicks(visit):
    """The chart is drawn anew several times a second."""
    page = begin(visit(), "/solve?game=leduc&method=cfr&iterations=1e9")
    points(page).nth(2).wait_for(state="attached")
    page.click(".chart-controls button:text-is('seconds')", delay=800)
    page.wait_for_selector(".chart-controls [aria-pressed=true]:text-is('seconds')")
    count = points(page).count()
    page.wait_for_function(
        "count => document.querySelectorAll('.live details.twin tbody tr').length > count", arg=count
    )
    assert page.evaluate("document.activeElement.innerText") == "seconds"
    page.click("[data-role=stop]")
    page.wait_for_selector(ENDED)


def test_a_solve_is_paused_on_its_page_and_resumed(visit):
    """Pause, look at the run, resume it with another goal; the page of the run is live."""
    one = visit()
    page = begin(one, "/solve?game=leduc&method=dcfr&iterations=1e9")
    points(page).nth(2).wait_for(state="attached")
    page.click("[data-act=pause]")
    page.wait_for_selector(ENDED)
    done = int(number(cells(page)["iterations"]))
    assert cells(page)["state"] == "interrupted" and 0 < done < 10**9
    before = one.number()
    page.click(".live th a")
    one.shown(after=before)
    page.fill("[name=iterations]", str(done + 500))
    page.click("[data-role=resume]")
    page.wait_for_function(
        "done => document.querySelector('.live .pill').closest('tr').cells[2].innerText.replaceAll(',', '') == done",
        arg=str(done + 500),
    )
    page.wait_for_selector(ENDED)
    run = page.url.rsplit("/", 1)[1].replace("%2B", "+")
    solution = td.load(one.server.folder / run)
    assert solution.iterations == done + 500 and solution.status == "finished"


def test_a_game_that_is_too_large_is_refused_in_words(visit):
    page = visit().open("/solve?game=goofspiel&cards=10&form=tree")
    page.wait_for_selector(f"{START}:enabled")  # sampling without a tree is still possible
    assert page.input_value("[name=form]") == "rules"
    page.select_option("[name=form]", "tree")
    assert page.is_disabled(START) and "too large" in page.inner_text(".size .error")


def test_a_run_comes_back_after_the_server_was_killed(visit, serve, tmp_path):
    """A killed server leaves an interrupted run; the page notices its end and its return."""
    server = serve()
    one = visit(server)
    page = begin(one, "/solve?game=leduc&method=cfr&iterations=1e9")
    points(page).nth(2).wait_for(state="attached")
    run = re.search(r"runs=([^&]*)", page.url)[1]
    server.end(signal.SIGKILL)
    page.wait_for_selector("#banner:not(:empty)")
    serve(server.port)
    page.wait_for_selector("#banner:empty", state="attached")
    page.wait_for_selector("[data-act=resume]")
    assert cells(page)["state"] == "interrupted"
    page.click("[data-act=resume]")
    page.wait_for_selector(".live[data-status=active]")
    page.click("[data-act=stop]")
    page.wait_for_selector(ENDED)
    assert cells(page)["state"] == "stopped"
    one.close()
    one.messages[:] = [message for message in one.messages if "net::ERR" not in message]  # while no server ran
    assert td.load(tmp_path / run).status == "stopped"


def test_the_page_is_light(visit):
    """At most 40 requests and 120 kB, with the sheet of methods and a solve."""
    one = visit(fresh=True)
    sizes = []
    one.page.on("response", lambda answer: sizes.append(int(answer.headers.get("content-length", 0))))
    page = one.open("/solve?game=kuhn&method=cfr%2B&until=1e-3")
    page.wait_for_selector(f"{START}:enabled")
    assert len(sizes) <= 40 and sum(sizes) <= 120_000, (len(sizes), sum(sizes))
