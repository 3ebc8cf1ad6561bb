"""The server of the documentation site: its files, its refusals, and the command that runs it."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress

import pytest

import tefuda as td
from tefuda.apps import site
from tests.processes import PATIENCE


@pytest.fixture
def folder(tmp_path):
    """Make a small site, with a file outside that must not be served."""
    pages = tmp_path / "site"
    (pages / "learn").mkdir(parents=True)
    (pages / "pictures").mkdir()
    (pages / "index.html").write_text("<h1>Start</h1>")
    (pages / "learn" / "index.html").write_text("<h1>Learn</h1>")
    (pages / "pictures" / "curve.svg").write_text("<svg/>")
    (tmp_path / "secret.txt").write_text("secret")
    (pages / "link.txt").symlink_to(tmp_path / "secret.txt")
    return pages


@pytest.fixture
def ask(folder):
    """Send a request to a running server; return status, headers and body."""
    server = site.open_server(folder, 0)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()

    def request(path, method="GET"):
        connection = http.client.HTTPConnection(site.HOST, server.server_port, timeout=PATIENCE)
        connection.request(method, path)
        response = connection.getresponse()
        body = response.read().decode()
        connection.close()
        return response.status, response.headers, body

    yield request
    server.shutdown()
    server.server_close()
    thread.join()


def test_files_are_served(ask, capfd):
    status, headers, body = ask("/")
    assert (status, body) == (200, "<h1>Start</h1>") and headers["Content-Type"].startswith("text/html")
    assert ask("/learn/")[2] == "<h1>Learn</h1>"
    status, headers, body = ask("/pictures/curve.svg", "HEAD")
    assert (status, body, headers["Content-Length"]) == (200, "", "6") and "svg" in headers["Content-Type"]
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "path",
    ["/secret.txt", "/../secret.txt", "/%2e%2e/secret.txt", "/learn/../../secret.txt", "/link.txt", "/pictures/"],
)
def test_nothing_else_is_served(ask, path):
    """Files outside the folder, links to them, and listings of folders are refused."""
    status, _, body = ask(path)
    assert status == 404 and "secret" not in body.replace("secret.txt", "") and "curve" not in body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_requests_only_read(ask, method):
    assert ask("/", method)[0] == 501


def test_the_server_is_on_loopback_only(folder):
    with site.open_server(folder, 0) as server:
        assert server.server_address[0] == "127.0.0.1"


def test_a_port_in_use(folder, tefuda):
    with socket.create_server((site.HOST, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(td.errors.ParameterError) as caught:
            site.open_server(folder, port)
        assert caught.value.key == "port"
        assert str(port) in tefuda("docs", "--port", port, "--folder", folder, code=2).stderr


def test_a_site_that_is_not_built(tmp_path, monkeypatch, tefuda):
    """In a clone the error tells how to build the site, in an installed package how to get it."""
    assert "index.html" in tefuda("docs", "--folder", tmp_path, code=2).stderr
    monkeypatch.setattr(site, "ROOT", tmp_path)
    assert "--folder" in tefuda("docs", code=2).stderr
    (tmp_path / "mkdocs.yml").touch()
    assert "make docs" in tefuda("docs", code=2).stderr
    (tmp_path / "build" / "site").mkdir(parents=True)
    (tmp_path / "build" / "site" / "index.html").touch()
    assert site.find_site() == tmp_path / "build" / "site"


@pytest.mark.parametrize("options", [(), ("--open",)])
def test_the_command_serves_until_ctrl_c(folder, options):
    """It prints its address, opens a browser only if requested, and exits with code 0."""
    browser = "import webbrowser; webbrowser.open = lambda url: print('opened', url)"
    code = f"{browser}; from tefuda.apps.cli import main; main()"
    words = [sys.executable, "-u", "-c", code, "docs", "--port", "0", "--folder", str(folder), *options]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ) as process:
        address = next(word for word in process.stdout.readline().split() if word.startswith("http://127.0.0.1:"))
        opened = process.stdout.readline() if options else ""
        connection = http.client.HTTPConnection(
            *address.removeprefix("http://").strip("/").split(":"), timeout=PATIENCE
        )
        connection.request("GET", "/")
        assert connection.getresponse().read() == b"<h1>Start</h1>"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0 and not err and "stopped" in out
    assert opened.split() == (["opened", address] if options else [])


def test_silent_connections_end(folder, monkeypatch):
    """Each holds a thread; neither nothing nor half a request holds it for long."""
    monkeypatch.setattr(site.SiteHandler, "timeout", 0.05)
    server = site.open_server(folder, 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        for sent in (b"", b"GET / HTTP/1.1"):
            with socket.create_connection((site.HOST, server.server_port), 60) as connection, suppress(ConnectionError):
                connection.sendall(sent)
                assert connection.recv(1000) == b""
    finally:
        server.shutdown()
        server.server_close()
