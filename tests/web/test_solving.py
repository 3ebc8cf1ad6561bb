"""Stories of solving: read a value, stop and resume, compare methods, come back after a crash."""

import re
import signal

import pytest

import tefuda as td

START = "[data-role=start]"
ENDED = ".live[data-status=ended]"


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


def test_a_started_solve_is_in_view(visit):
    """On a phone, too, where the form is longer than the window."""
    page = begin(visit(width=360, height=640), "/solve?game=kuhn&method=cfr&iterations=100")
    page.wait_for_selector(ENDED)
    tops = page.wait_for_function("() => document.querySelector('.live .chart')?.getBoundingClientRect().top")
    assert 0 <= tops.json_value() < 640


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


def test_a_solve_is_paused_on_its_page_and_resumed(visit):
    """Pause, look at the run, resume it with another goal; the page of the run is live."""
    one = visit()
    page = begin(one, "/solve?game=leduc&method=dcfr&iterations=1e9")
    points(page).nth(2).wait_for(state="attached")
    page.click("[data-act=pause]")
    page.wait_for_selector(ENDED)
    done = int(number(cells(page)["iterations"]))
    assert cells(page)["status"] == "interrupted" and 0 < done < 10**9
    before = one.number()
    page.click(".live th a")
    one.shown(after=before)
    page.fill("[name=iterations]", str(done + 500))
    page.click("[data-role=resume]")
    page.wait_for_function(
        "done => document.querySelector('.live td:nth-child(4)').innerText.replaceAll(',', '') == done",
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
    assert cells(page)["status"] == "interrupted"
    page.click("[data-act=resume]")
    page.wait_for_selector(".live[data-status=active]")
    page.click("[data-act=stop]")
    page.wait_for_selector(ENDED)
    assert cells(page)["status"] == "stopped"
    one.close()
    one.messages[:] = [message for message in one.messages if "net::ERR" not in message]  # while no server ran
    assert td.load(tmp_path / run).status == "stopped"
