"""The harness: a visit notices errors, broken policies and other hosts."""

import pytest

from tests.web.visiting import Visit, violations

FAULTS = [
    "console.error('wrong')", "setTimeout(() => { throw new Error('wrong') })", "fetch('/nowhere')",
    "fetch('http://example.org/').catch(() => {})",
    "document.body.insertAdjacentHTML('beforeend', '<p style=\"top: 0\">')",
    "document.body.append(Object.assign(document.createElement('script'), { textContent: 'wrong = 1' }))",
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_visit_notices_errors_and_other_hosts(fault, browser, server):
    """Errors, broken rules of the page's policy and requests to other hosts fail a story."""
    visit = Visit(browser, server)
    page = visit.open()
    visit.check()
    page.evaluate(f"async () => {{ await ({fault}); await new Promise((done) => setTimeout(done)); }}")
    visit.open()
    visit.close()
    with pytest.raises(AssertionError):
        visit.check()


def test_the_token_opens_the_page(browser, server):
    """The printed address sets the cookie and leads to the page; a visit without it is refused."""
    visit = Visit(browser, server)
    visit.context.clear_cookies()
    visit.expected.add(403)
    assert visit.page.goto(server.address).status == 403
    assert "tefuda web" in visit.page.inner_text("p")  # a page with the cure, not JSON
    answer = visit.page.goto(server.first)
    assert answer.status == 200 and visit.page.url == f"{server.address}/"
    visit.shown()
    cookie = next(each for each in visit.context.cookies() if each["name"] == server.cookie["name"])
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict" and cookie["value"] == server.cookie["value"]
    assert visit.page.evaluate("document.cookie") == ""
    visit.close()
    visit.check()


def test_links_begin_at_the_heading_and_the_way_back_ends_where_it_began(visit):
    one = visit()
    page = one.open("/learn/family")
    page.evaluate("scrollTo(0, 900)")
    before = one.number()
    page.evaluate("document.querySelector('#head a[href=\\'/help\\']').click()")  # a pointer would scroll up first
    one.shown(after=before)
    page.wait_for_function("() => scrollY === 0 && document.activeElement.tagName === 'H1'")
    for go, top in ((page.go_back, 900), (page.go_forward, 0)):
        before = one.number()
        go()
        one.shown(after=before)
        page.wait_for_function("top => scrollY === top", arg=top)


def test_the_way_back_ends_at_the_link_that_was_followed(visit):
    """The link has the focus again, at the old place of the window."""
    one = visit(height=400)
    page = one.open("/learn")
    page.evaluate("scrollTo(0, 20)")
    before = one.number()
    page.evaluate("document.querySelector('.chapters a[href=\\'/learn/exploiting\\']').click()")  # without scrolling
    one.shown(after=before)
    box = page.evaluate("document.activeElement.getBoundingClientRect().top")
    assert page.evaluate("[scrollY, document.activeElement.tagName]") == [0, "H1"] and 0 <= box <= 120
    before = one.number()
    page.go_back()
    one.shown(after=before)
    page.wait_for_function("() => document.activeElement.getAttribute('href') === '/learn/exploiting'")
    assert abs(page.evaluate("scrollY") - 20) <= 2


def test_the_menu_of_a_phone_closes_in_every_way(visit):
    """Escape, the way back, and a click beside it close the menu and keep the page; a link leads on."""
    one = visit(width=360, height=740, bypass_csp=True)
    page = one.open("/help")
    assert page.evaluate("document.getElementById('head').getBoundingClientRect().height") == 48
    closing = (lambda: page.keyboard.press("Escape"), page.go_back, lambda: page.mouse.click(8, 400))
    for close in closing:
        page.click("[data-role=menu]")
        page.wait_for_selector("dialog[open] nav a")
        assert violations(page) == []
        close()
        page.wait_for_selector("dialog", state="detached")
        assert page.url == f"{one.server.address}/help"
    page.click("[data-role=menu]")
    before = one.number()
    page.click("dialog a[href='/runs']")
    one.shown(after=before)
    assert page.url.endswith("/runs") and not page.query_selector("dialog")
    before = one.number()
    page.go_back()
    one.shown(after=before)
    assert page.url.endswith("/help")


def test_go_to_leads_to_pages_and_chapters_by_keys(visit):
    one = visit()
    page = one.open("/")
    page.keyboard.press("g")
    page.wait_for_selector("dialog [role=option]")
    page.keyboard.type("exploit")
    page.wait_for_selector("[role=option][data-href='/learn/exploiting']")
    options = page.eval_on_selector_all("[role=option]", "all => all.map(each => each.dataset.href)")
    before = one.number()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    one.shown(after=before)
    assert page.url == one.server.address + options[1]
    page.keyboard.press("g")
    page.wait_for_selector("dialog [role=option]")
    page.keyboard.type("no page has this name")
    page.wait_for_selector("[role=presentation]")
    page.keyboard.press("Enter")  # leads nowhere
    assert page.query_selector("dialog[open]")


def test_a_page_in_japanese_and_dark(visit):
    page = visit(language="ja", theme="dark", width=360).open("/")
    assert page.evaluate("document.documentElement.lang") == "ja"
    ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert ground == "rgb(22, 24, 28)"


@pytest.mark.parametrize("address", ["/nowhere", "/runs/a/b", "/static/none.js"])
def test_an_unknown_address_shows_the_page(address, visit):
    """It says that there is no page, and leads to the start."""
    one = visit()
    one.expected.add(404)
    page = one.open(address)
    assert page.inner_text(".error") and page.is_visible("#head .pages")
    before = one.number()
    page.click("main a")
    one.shown(after=before)
    assert page.url == f"{one.server.address}/" and not page.is_visible(".error")
