"""One server and one browser for all stories; a new context for each test.

Without a browser the stories are skipped; where TEFUDA_BROWSER is ``required``, as in CI, that is a failure.
"""

import os

import pytest

from tests.browsers import BROWSER, INSTALL
from tests.web.serving import Served, warm_kernels
from tests.web.visiting import OPTIONS, Visit

KERNELS = ("evaluating", "trees")  # of Kuhn and Leduc


def pytest_collection_modifyitems(items):
    """Skip the stories where no browser is, unless one is required."""
    if BROWSER is None and os.environ.get("TEFUDA_BROWSER") != "required":
        for item in items:
            if "browser" in item.fixturenames:
                item.add_marker(pytest.mark.skip(reason=f"no browser: {INSTALL}"))


@pytest.fixture(scope="session")
def browser():
    """Chromium, for all tests."""
    assert BROWSER is not None, INSTALL
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=BROWSER, args=OPTIONS, chromium_sandbox=os.geteuid() != 0, timeout=120_000
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The server of all tests; its folder is shared, so stories use names of their own."""
    warm_kernels(KERNELS)
    server = Served(tmp_path_factory.mktemp("served"))
    yield server
    server.end()
    assert "Traceback" not in server.errors(), server.errors()


@pytest.fixture
def serve(tmp_path):
    """A function that starts a server of the test's own folder; it is ended after the test."""
    servers = []

    def start(port=0, before=""):
        servers.append(Served(tmp_path, port, before))
        return servers[-1]

    yield start
    for server in servers:
        if server.alive():
            server.end()


@pytest.fixture
def visit(browser, server):
    """A function that opens a context: ``visit(language="ja", theme="dark", width=360)``.

    At the end of the test each visit is checked: no request to another host, no error in the console.
    """
    visits = []

    def start(served=None, **options):
        visits.append(Visit(browser, served or server, **options))
        return visits[-1]

    yield start
    for each in visits:
        each.close()
    for each in visits:
        each.check()


@pytest.fixture
def page(visit):
    """A page of a new context at the start."""
    return visit().open()
