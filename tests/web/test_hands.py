"""Stories of the page Hands: import, filters in the address, replays by the keyboard, a phone."""

import re

import pytest

from tests.holdem.histories.samples import FILES, FOLDER
from tests.web.serving import Served
from tests.web.visiting import Visit, amount, violations

#: Parts of the list that are cut off at the right of the window or of their panel.
_CUT = """() => [...document.querySelectorAll(".hand-list :is(th, td), .statistics :is(th, td), .groups :is(th, td)")]
  .filter((each) => each.checkVisibility())
  .filter((each) => each.getBoundingClientRect().right > each.closest(".panel").getBoundingClientRect().right
    || each.scrollWidth > each.clientWidth + 1).map((each) => each.outerHTML.slice(0, 120))"""


#: The shown step, and the number of cards of other players that are face up.
_STEP = """() => [Number(document.querySelector(".page-review").dataset.at),
  document.querySelectorAll(".others [data-card]").length]"""


@pytest.fixture(scope="module")
def stocked(browser, tmp_path_factory):
    """A server at which all sample files were imported through the page."""
    server = Served(tmp_path_factory.mktemp("hands"))
    person = Visit(browser, server, bypass_csp=True)
    page = person.open("/hands")
    assert violations(page) == []
    page.set_input_files("[data-role=files]", [*FILES, FOLDER / "README.md"])
    page.wait_for_selector(".hands-grid")
    assert "README.md" in page.inner_text("main > div > .error"), "a file without hands is named"
    assert violations(page) == []
    person.close()
    person.check()
    yield server
    server.end()
    assert "Traceback" not in server.errors(), server.errors()


@pytest.fixture
def hands(stocked, visit):
    """A visit and its page with the list."""
    person = visit(stocked, bypass_csp=True)
    return person, person.open("/hands")


def test_all_hands_are_replayed_by_the_keyboard(hands):
    """The right arrow visits each step once, n leads to the next hand; cards are shown at the end."""
    person, page = hands
    assert "18 of 18" in page.inner_text(".hand-list h2")
    before = person.number()
    page.locator(".hand-list a").first.focus()
    page.keyboard.press("Enter")
    person.shown(after=before)
    seen = []
    while True:
        seen.append(page.url.partition("?")[0])
        steps = page.locator(".hand-actions .move").count()
        for place in range(steps):
            at, shown = page.evaluate(_STEP)
            assert at == place and (place == steps - 1 or shown == 0), "a card is shown too early"
            page.keyboard.press("ArrowRight")
        text = page.inner_text("main") + page.inner_html(".review-graph")
        assert not re.search(r"\b(nan|null|undefined|NaN|Infinity)\b|\[object", text), text
        if len(seen) == 1:
            assert violations(page) == []
        if len(seen) == 18:
            break
        before = person.number()
        page.keyboard.press("n")
        person.shown(after=before)
    assert len(set(seen)) == 18
    page.keyboard.press("n")
    assert page.url.partition("?")[0] == seen[-1], "there is no next hand"


def test_the_address_restores_filters(hands):
    person, page = hands
    field = page.locator(".filter input")
    for number, word in enumerate(("position=BTN", "cash=yes", "pot=XX")):
        field.fill(word)
        field.press("Enter")
        page.wait_for_function("n => document.querySelectorAll('.token').length === n", arg=number + 1)
    assert page.locator(".token.wrong").inner_text().startswith("pot=XX") and page.is_visible("#filter-wrong")
    page.locator(".token.wrong button").click()
    page.wait_for_function("() => document.querySelectorAll('.token').length === 2")
    page.select_option("[data-role=by]", "pot")
    page.wait_for_selector(".groups")
    page.click("[data-role=over-days]")
    page.wait_for_selector("[data-role=over-days][aria-pressed=true]")
    text = page.inner_text(".hands-grid")
    assert "7 of 18" in text and page.url.endswith("&over=days")
    page.reload()
    person.shown()
    assert page.inner_text(".hands-grid") == text
    assert page.locator(".token code").all_inner_texts() == ["position=BTN", "cash=yes"]
    before = person.number()
    page.locator(".hand-list a").first.click()
    person.shown(after=before)
    assert "where=" in page.url
    before = person.number()
    page.click(".review-dock a.wide")
    person.shown(after=before)
    assert page.inner_text(".hands-grid") == text


def test_a_phone_cuts_no_column(hands):
    _, page = hands
    page.set_viewport_size({"width": 360, "height": 740})
    page.select_option("[data-role=by]", "position")
    page.wait_for_selector(".groups")
    assert page.evaluate(_CUT) == []
    assert page.locator(".hand-list th.hand").first.is_visible() and page.locator(".hand-list td.bb").first.is_visible()


def test_a_decision_is_priced_and_explored(hands):
    """The dearest decision leads to the values of its actions, and on to its node in Explore."""
    person, page = hands
    assert page.locator(".hand-list td.cost").first.inner_text() == "\N{EN DASH}"
    page.click("[data-role=rivers]")
    page.wait_for_selector(".dearest-list li")
    costs = [amount(text.removesuffix(" bb")) for text in page.locator(".dearest-list .cost b").all_inner_texts()]
    assert costs == sorted(costs) and costs[0] < 0
    assert violations(page) == [] and page.evaluate(_CUT) == []
    before = person.number()
    page.locator(".dearest-list li a").first.click()
    person.shown(after=before)
    values = [amount(text) for text in page.locator(".price-box .advice-row b").all_inner_texts()]
    chosen = amount(page.locator(".price-box .advice-row.chosen b").inner_text())
    assert max(values) - chosen == pytest.approx(-costs[0], abs=0.06)  # two digits, as both are written
    assert violations(page) == []
    replay, before = page.url, person.number()
    page.locator("[data-role=try]").first.click()
    person.shown(after=before)
    assert page.locator("#head-here .pill").first.inner_text() == "variation"
    assert violations(page) == []
    before = person.number()
    page.locator("a.button.main:visible").click()
    person.shown(after=before)
    assert page.url == replay
    before = person.number()
    page.click("[data-role=explore]")
    person.shown(after=before)
    assert page.url.startswith(f"{person.server.address}/explore/spot-")
    assert page.locator(".page-explore h1").count() == 1
