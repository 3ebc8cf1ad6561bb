"""Stories of one browser: several tabs with streams, themes, pages while a solve runs, hostile names."""

import re
from urllib.parse import quote

import pytest

HOSTILE = '<img src=x onerror="document.title = 1">{{7*7}}'
_ASK = """
async ([addresses, times]) => {
  const statuses = [];
  for (let time = 0; time < times; time++) {
    for (const address of addresses) statuses.push((await fetch(address)).status);
  }
  return statuses;
}
"""
_POST = """
async ([address, body]) => {
  const headers = { "Content-Type": "application/json" };
  return (await fetch(address, { method: "POST", headers, body: JSON.stringify(body) })).json();
}
"""


@pytest.fixture
def endless(visit):
    """A visit whose page shows a solve that does not end; it is stopped at the end."""
    person = visit()
    page = person.open("/solve?game=leduc&method=cfr&iterations=1000000000")
    page.click("[data-role=start]:enabled")
    page.wait_for_selector(".live[data-status=active]")
    yield person
    page.bring_to_front()
    page.click("[data-act=stop]")
    page.wait_for_selector(".live[data-status=ended]")


def test_seven_tabs_with_streams(endless):
    """A browser opens six connections to a host; hidden tabs give theirs back, so that the seventh works."""
    address = endless.page.url.removeprefix(endless.server.address)
    tabs = [endless.page]
    for _ in range(7):
        tabs[-1].evaluate(
            "() => { Object.defineProperty(document, 'hidden', { value: true, configurable: true });"
            " document.dispatchEvent(new Event('visibilitychange')); }"
        )
        tabs.append(endless.new_page())
        endless.open(address, tabs[-1])
        tabs[-1].wait_for_selector(".live[data-status=active]")
    assert tabs[-1].evaluate(_ASK, [["/api/status"], 3]) == [200] * 3
    before = tabs[0].inner_text(".live tbody tr")
    tabs[0].bring_to_front()  # a slow browser may draw no frame of a tab behind others
    tabs[0].evaluate("() => { delete document.hidden; document.dispatchEvent(new Event('visibilitychange')); }")
    changed = "before => document.querySelector('.live tbody tr').innerText !== before"
    tabs[0].wait_for_function(changed, arg=before, polling=100)


def test_pages_answer_while_a_solve_runs(endless):
    """No request waits for the solve, which is still active after fifty of them."""
    reads = ["/api/status", "/api/play", "/api/tables", "/api/solve/games", "/"]
    assert endless.page.evaluate(_ASK, [reads, 10]) == [200] * 50
    assert endless.page.locator(".live[data-status=active]").count() == 1


def test_the_theme_is_chosen_and_kept(visit):
    """The theme follows the system until it is chosen; a choice survives a reload and another page."""
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    dark, light = "rgb(22, 24, 28)", "rgb(251, 250, 247)"
    for system, first in (("dark", dark), ("light", light)):
        person = visit(theme=system)
        page = person.open("/")
        assert page.evaluate(ground) == first
        for chosen in (light, dark):
            page.click("[data-role=theme]")
            assert page.evaluate(ground) == chosen
        page.reload()
        person.shown()
        assert page.evaluate(ground) == dark
        assert person.open("/help").evaluate(ground) == dark


def test_the_language_is_chosen_and_kept(visit):
    """Every page then is in Japanese; only names, formulas and chapters are in English."""
    person = visit()
    page = person.open("/play")
    page.click("button[lang=ja]")
    page.wait_for_function("() => document.documentElement.lang === 'ja'")
    person.shown()
    assert person.open("/runs").inner_text("h1") == "実行結果"
    assert person.open("/?lang=en").evaluate("document.documentElement.lang") == "en"


ADDRESSES = (
    "/solve?game={}", "/solve?game=kuhn&method={}", "/runs?compare={}", "/runs/{}", "/explore/{}/-",
    "/explore/new:kuhn/{}",
    "/explore/new:kuhn?infoset={}", "/explore/new:kuhn?show={}&seat={}", "/explore/new:{}", "/play?game={}&opponent={}",
    "/tables/{}", "/tables/{}/hands/0", "/exploit?game={}&opponent={}&kind={}", "/learn/{}", "/learn/step?game={}",
    "/learn/step?game=kuhn&method={}&at={}", "/{}",
)  # fmt: skip


def test_hostile_names_stay_text(visit):
    """A name in an address or an error is never markup: no script runs, and the policy is not broken."""
    person = visit()
    person.expected |= {400, 404}
    page = person.open("/")
    for address in ADDRESSES:
        page.goto(f"{person.server.address}{re.sub('{}', lambda _: quote(HOSTILE, safe=''), address)}")
        if address != "/{}":
            person.shown()
        assert page.title() != "1" and page.locator("img[src=x]").count() == 0, address
    body = {"game": HOSTILE, "parameters": {HOSTILE: 1}, "opponents": [HOSTILE]}
    answer = page.evaluate(_POST, ["/api/tables", body])
    assert "error" in answer
