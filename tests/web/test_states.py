"""States that are the same everywhere: a slow click, an empty list, a refused browser."""

import time

import pytest

from tests.web.visiting import violations

#: The text of a clicked button as soon as it is disabled.
_SLOW = """button => new Promise(done => {
  const look = () => (button.disabled ? done(button.textContent) : setTimeout(look, 2));
  button.click();
  look();
})"""


@pytest.mark.parametrize("language, text", [("en", "Preparing …"), ("ja", "準備中…")])
def test_a_slow_click_says_so(language, text, visit):
    """A slow button says so; then it is as before, and has the focus."""
    page = visit(language=language).open("/solve?game=leduc&method=cfr&iterations=1e9")
    page.click("[data-role=start]:enabled")
    page.wait_for_selector(".live[data-status=active]")
    page.route("**/pause", lambda route: (time.sleep(0.6), route.continue_()))
    button = page.locator("[data-role=pause]")
    before = button.inner_text()
    button.focus()
    width = button.bounding_box()["width"]
    assert button.evaluate(_SLOW) == text
    assert button.bounding_box()["width"] >= width
    page.wait_for_function("text => document.querySelector('[data-role=pause]').textContent === text", arg=before)
    page.wait_for_selector(".live[data-status=ended]")


def test_an_empty_list_leads_on(serve, visit):
    """One sentence, the main action, a second way; the main action solves a game."""
    one = visit(serve(), bypass_csp=True)
    for address in ("/runs", "/explore"):
        page = one.open(address)
        assert page.locator(".blank .row > *").count() == 2 and "solved game" in page.inner_text(".blank")
    assert not violations(page)
    page.click("[data-role=first]")
    page.wait_for_selector(".live[data-status=ended]")
    assert page.locator(".live .pill.good").count() == 1


def test_a_refused_browser_gets_a_page_with_the_command(visit, server):
    one = visit(bypass_csp=True)
    one.expected.add(403)
    one.context.clear_cookies()
    for address in ("/", "/solve", "/?token=used"):
        one.page.goto(f"{server.address}{address}")
        assert one.page.inner_text("h1") == "This browser is not signed in"
        assert one.page.locator("code").first.inner_text() == "tefuda web --open"
    assert not violations(one.page)
