"""The page as an application of the computer: manifest, icons, and a cookie that outlives the browser."""

import os
import time

import pytest

from tests.browsers import BROWSER
from tests.web.visiting import LONGEST, OPTIONS

SIZE = """src => new Promise((done, failed) =>
  Object.assign(new Image(), { src, onload() { done(`${this.width}x${this.height}`); }, onerror: failed }))"""


@pytest.fixture
def reopen(browser, tmp_path):
    """A function that starts a browser with the profile of the test, as a person starts it again."""
    contexts = []

    def start():
        for context in contexts:
            context.close()
        contexts[:] = [
            browser.browser_type.launch_persistent_context(
                tmp_path / "profile", executable_path=BROWSER, args=OPTIONS, chromium_sandbox=os.geteuid() != 0
            )
        ]
        contexts[0].set_default_timeout(LONGEST)
        return contexts[0].pages[0]

    yield start
    for context in contexts:
        context.close()


def test_the_page_can_be_installed(visit):
    """The browser finds no fault in the manifest; icons have the sizes that it names."""
    one = visit()
    page = one.open("/help")
    session = one.context.new_cdp_session(page)
    answer = session.send("Page.getAppManifest")
    assert answer["url"].endswith("/static/manifest.webmanifest") and not answer["errors"]
    faults = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [fault["errorId"] for fault in faults if fault["errorId"] != "in-incognito"] == []
    manifest = page.evaluate("fetch('/static/manifest.webmanifest').then(answer => answer.json())")
    for icon in manifest["icons"]:
        if icon["type"] == "image/png":
            assert page.evaluate(SIZE, icon["src"]) == icon["sizes"]


def test_an_installed_page_opens_after_a_restart_of_browser_and_server(serve, reopen):
    """The address with the token is needed once; then the plain address works, as long as the server runs."""
    server = serve()
    page = reopen()
    page.goto(server.first)
    page.wait_for_selector("#head .brand")
    (cookie,) = page.context.cookies()
    assert cookie["expires"] - time.time() > 390 * 86_400 and cookie["httpOnly"]
    server.end()
    page = reopen()
    with pytest.raises(Exception, match="ERR_CONNECTION_REFUSED"):
        page.goto(f"{server.address}/")
    serve(server.port)
    page = reopen()
    page.goto(f"{server.address}/")
    page.wait_for_selector("#head .brand")
    assert page.evaluate("fetch('/api/status').then(answer => answer.status)") == 200
