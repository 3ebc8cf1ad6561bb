"""The built site in a real browser: pages show, and none asks another host.

Build the site first (``make docs``).
"""

import functools
import html
import http.server
import json
import os
import re
import subprocess
import threading
from pathlib import Path

import pytest

from tests.browsers import BROWSER, INSTALL

SITE = Path(__file__).parent.parent / "build" / "site"
PAGES = [
    "index.html", "first-steps.html", "own-game.html", "learn/cfr-by-hand.html", "learn/reading-a-paper.html",
    "comparison.html", "reproductions/claims.html", "glossary.html", "api/solvers.html", "changelog.html",
]  # fmt: skip
OPTIONS = [
    "--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--virtual-time-budget=5000",
    *["--no-sandbox"] * (os.geteuid() == 0),  # root has none
]  # fmt: skip

pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason=f"no browser: {INSTALL}"),
    pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="the site is not built: make docs"),
]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def serve():
    """A function that serves a folder on loopback and returns its address."""
    servers = []

    def start(folder):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def visit(address, page, folder):
    """Return the page's document after its scripts ran, and the addresses that it requested."""
    log = folder / "net.json"
    command = [BROWSER, *OPTIONS, f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}", "--dump-dom"]
    run = subprocess.run([*command, f"{address}/{page}"], capture_output=True, text=True, timeout=120, check=True)
    content = json.loads(log.read_text())
    started = content["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    jobs = [event["params"] for event in content["events"] if event["type"] == started and "params" in event]
    return run.stdout, [
        job["url"] for job in jobs if job.get("initiator") == address
    ]  # the browser has jobs of its own


def heading(text):
    """The first heading of a document, without tags and link marks."""
    title = re.search(r"<h1[^>]*>(.*?)</h1>", text, re.DOTALL)[1]
    return html.unescape(re.sub(r"<a class=\"headerlink.*?</a>|<[^>]+>", "", title)).strip()


@pytest.mark.parametrize("page", PAGES)
def test_pages_show_and_ask_no_other_host(page, serve, tmp_path):
    address = serve(SITE)
    text, requests = visit(address, page, tmp_path)
    assert heading(text) == heading((SITE / page).read_text())
    assert len(requests) > 3  # styles, scripts
    assert [url for url in requests if not url.startswith(address)] == []


def test_a_request_to_another_host_is_noticed(serve, tmp_path):
    (tmp_path / "index.html").write_text('<h1>Foreign</h1><img src="http://example.org/picture.png">')
    address = serve(tmp_path)
    text, requests = visit(address, "index.html", tmp_path)
    assert heading(text) == "Foreign"
    assert "http://example.org/picture.png" in requests
