"""The guard, on every route: answers to other sites, other users and broken requests.

The tests follow the checklist of security in the order host, origin, token, cookie, posts, headers,
bodies, addresses; the browser has the others (tests/web).
"""

import asyncio
import hashlib
import json
import re
import socket
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from typer.testing import CliRunner

import tefuda as td
from tefuda.apps.cli import app
from tefuda.apps.web.application import PAGES, make_application, routes
from tefuda.apps.web.guard import HEADERS, MAX_BODY, Gate
from tefuda.apps.web.server import WebServer
from tefuda.apps.web.workspace import Workspace
from tests.apps.web.conftest import PORT, SECRET

API = list(routes())
READS = [route for route in API if "GET" in route.methods]
POSTS = [route for route in API if "POST" in route.methods]
NAMED = [route for route in API if "{" in route.path]
STREAMS = re.compile("/events$")
FOREIGN = ["http://evil.example", f"http://127.0.0.1:{PORT + 1}", f"https://127.0.0.1:{PORT}", "null", "", "file://"]
OWN = {"Origin": f"http://127.0.0.1:{PORT}", "Sec-Fetch-Site": "same-origin"}


def filled(path, value):
    """An address with every placeholder of a route replaced."""
    return re.sub(r"{[^}]*}", value, path)


ADDRESSES = ["/", "/static/js/main.js", "/nowhere", *(filled(path, "x") for path in PAGES)]
ADDRESSES += [filled(route.path, "x") for route in READS]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server whose folder has a run and a table, and a client without the cookie."""
    folder = tmp_path_factory.mktemp("served")
    td.solve(td.load_game("kuhn"), "cfr+", iterations=2, checkpoint=folder / "kuhn")
    workspace, gate = Workspace(folder), Gate(PORT, SECRET)
    with TestClient(make_application(workspace, gate), f"http://127.0.0.1:{PORT}") as client:
        client.gate, client.workspace = gate, workspace
        yield client


@pytest.fixture(scope="module")
def known(server):
    """Values of the placeholders of routes, by name."""
    body = {"game": "kuhn", "parameters": {}, "opponents": ["uniform"]}
    table = ask(server, "POST", "/api/tables", json=body).json()["id"]
    return {"run": "kuhn", "table": table}


def ask(server, method, address, headers=None, **more):
    """The response to a request of a browser that has the cookie."""
    cookie = {"Cookie": f"{server.gate.cookie}={SECRET}"}
    return server.request(method, address, headers={**cookie, **(headers or {})}, follow_redirects=False, **more)


@pytest.mark.parametrize("address", sorted(set(ADDRESSES)))
def test_foreign_hosts_and_origins_are_refused(address, server):
    """A page of another site, or a name that it pointed at this server (DNS rebinding), gets nothing."""
    hosts = ("evil.example", f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT + 1}", f"127.0.0.1.:{PORT}",
             f"127.0.0.1:{PORT}.evil.example", f"localhost.evil:{PORT}", "")  # fmt: skip
    for host in hosts:
        assert ask(server, "GET", address, {"Host": host}).status_code == 403, host
    for origin in FOREIGN:
        assert ask(server, "GET", address, {"Origin": origin}).status_code == 403, origin
    for host in (f"localhost:{PORT}", f"[::1]:{PORT}"):
        assert ask(server, "GET", "/", {"Host": host}).status_code == 200


@pytest.mark.parametrize("address", sorted(set(ADDRESSES)))
def test_without_the_cookie_nothing_is_answered(address, server):
    """Other users of the computer, and browsers without the secret, are refused."""
    other = {"Cookie": f"tefuda-{PORT + 1}={SECRET}"}  # of a server on another port
    for headers in ({}, other, *({"Cookie": f"{server.gate.cookie}={wrong}"} for wrong in ("", "x", SECRET[:-1], "é"))):
        raw = {name: value.encode("latin-1") for name, value in headers.items()}
        for token in ("", "?token=", "?token=wrong", f"?token={SECRET}"):
            answer = server.request("GET", f"{address}{token}", headers=raw)
            assert answer.status_code == 403 and "set-cookie" not in answer.headers
            assert SECRET not in answer.text and server.gate.token not in answer.text
    if not STREAMS.search(address):  # an open stream never ends
        assert "access-control-allow-origin" not in ask(server, "GET", address, OWN).headers


def test_the_cookie_is_secret_and_named_after_the_port(server):
    """192 random bits, out of reach of scripts and other sites; a second server has its own."""
    answer = server.request("GET", f"/?token={server.gate.token}", follow_redirects=False)
    parts = answer.headers["set-cookie"].split("; ")
    assert parts[0] == f"tefuda-{PORT}={SECRET}" and {
        "HttpOnly",
        "SameSite=strict",
        "Path=/",
        "Max-Age=34560000",
    } <= set(parts)
    assert Gate(PORT + 1, SECRET).cookie != server.gate.cookie and len(bytes.fromhex(SECRET)) == 24
    server.cookies.clear()


def test_the_server_listens_on_loopback_alone(tmp_path, monkeypatch, capsys):
    """Another address needs --host, which warns."""
    server = WebServer(tmp_path, 0)
    server.socket.listen()
    assert server.socket.getsockname()[0] == "127.0.0.1"
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.2", server.port), 5):
        pass
    server.socket.close()
    monkeypatch.setattr(WebServer, "serve", lambda server: server.socket.close())
    started = CliRunner().invoke(app, ["web", "--port", "0", "--host", "0.0.0.0", "--folder", str(tmp_path)])
    assert started.exit_code == 0 and "0.0.0.0" in started.stderr
    assert CliRunner().invoke(app, ["web", "--port", "0", "--folder", str(tmp_path)]).stderr == ""


@pytest.mark.parametrize("route", POSTS, ids=lambda route: route.path)
def test_other_sites_cannot_post(route, server, known):
    """Forms and fetches of another site are refused, also those that need no preflight."""
    address = filled(route.path, "x")
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain", "", "application/jsonp"):
        assert ask(server, "POST", address, OWN | {"Content-Type": kind}, content=b"{}").status_code == 403, kind
    for site in ("cross-site", "same-site", "none", ""):
        headers = OWN | {"Content-Type": "application/json", "Sec-Fetch-Site": site}
        assert ask(server, "POST", address, headers, content=b"{}").status_code == 403, site
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        assert ask(server, method, address).status_code == 405
    for path in (address, f"{address}?_method=POST"):
        assert ask(server, "GET", path).status_code in (200, 400, 404, 405)


@pytest.mark.parametrize("address", sorted(set(ADDRESSES)))
def test_other_sites_cannot_read(address, server):
    """Another site may link to a page; a picture or a script of a site of this computer gets nothing.

    Sites on other ports of this computer are of the same site: their requests have the cookie, and those that need no
    preflight have no origin.
    """
    if STREAMS.search(address):
        return
    for site in ("cross-site", "same-site", "", "x"):
        for mode in ("no-cors", "cors", "websocket", ""):
            answer = ask(server, "GET", address, {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode})
            assert answer.status_code == 403, (site, mode)
        link = ask(server, "GET", address, {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"})
        assert (link.status_code == 403) == address.startswith("/api"), site
    for site in ("same-origin", "none"):
        assert ask(server, "GET", address, {"Sec-Fetch-Site": site}).status_code != 403, site


def test_other_sites_cannot_start_computations(server):
    """The head of a resource runs the same function as its body, and percent signs change nothing."""
    headers = {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"}
    before = set(server.workspace.values._values)
    for method, path in (("GET", "/api/step"), ("HEAD", "/api/step"), ("GET", "/%61pi/step"), ("GET", "/api%2fstep")):
        assert ask(server, method, f"{path}?game=leduc;players=2;suits=3", headers).status_code == 403
    assert set(server.workspace.values._values) == before


PAGE = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8", "Sec-Fetch-Mode": "navigate"}


def test_data_are_json_and_all_else_is_a_page(server):
    """An unknown address shows the page, which says so; an unknown browser a page without other files."""
    for headers in (PAGE, {}):
        for address in ("/nowhere", "/static/js/none.js"):
            page = ask(server, "GET", address, headers)
            assert page.status_code == 404 and page.headers["content-type"].startswith("text/html")
            assert page.text == ask(server, "GET", "/").text
            assert (
                ask(server, "GET", address, headers | {"If-None-Match": page.headers["etag"]}).content == page.content
            )
        for address in ("/api/none", "/api/tables/x/act"):
            call = ask(server, "GET", address, headers)
            assert call.status_code in (404, 405) and call.json()["error"]
    cases = ({}, {"Cookie": f"{server.gate.cookie}=<script>"}, {"Host": "<script>alert(1)</script>"})
    for headers, title in zip(cases, ("not signed in", "not signed in", "refused"), strict=True):
        page = server.request("GET", "/solve?x=<script>", headers=headers)
        assert page.status_code == 403 and page.headers["cache-control"] == "no-store"
        assert page.headers["content-type"].startswith("text/html") and "<script" not in page.text
        assert "src=" not in page.text and "href=" not in page.text  # it may load nothing
        assert title in page.text and "<code>tefuda web --open</code>" in page.text and 'lang="ja"' in page.text
        assert server.request("GET", "/api/status", headers=headers).json()["error"]
    kind = {"Content-Type": "application/json"}
    assert ask(server, "POST", "/api/solve", PAGE | kind, content=b"x" * (MAX_BODY + 1)).json()["error"]


def test_a_used_address_says_how_to_print_a_new_one(server):
    used = server.gate.token
    assert server.request("GET", f"/?token={used}", follow_redirects=False).status_code == 303
    server.cookies.clear()
    page = server.request("GET", f"/?token={used}", follow_redirects=False)
    assert page.status_code == 403 and "works once" in page.text and "tefuda web --open" in page.text


def test_the_token_opens_the_first_page_alone(server):
    """Any other address with the token is refused and leaves it as it was."""
    token = server.gate.token
    for address in ("/solve", "/static/js/main.js", "/api/status", "/explore/x"):
        answer = server.request("GET", f"{address}?token={token}", follow_redirects=False)
        assert answer.status_code == 403 and "set-cookie" not in answer.headers
    assert server.request("POST", f"/?token={token}", json={}).status_code == 403
    assert server.gate.token == token


@pytest.mark.parametrize("route", [POSTS[0], POSTS[-1]], ids=lambda route: route.path)
def test_a_sender_that_leaves_is_no_error(route, server, capfd):
    """Half a body and the end of the connection: nothing is printed, and nothing runs."""
    sent, received = [], iter([{"type": "http.request", "body": b'{"', "more_body": True}, {"type": "http.disconnect"}])
    headers = {"host": f"127.0.0.1:{PORT}", "content-type": "application/json",
               "cookie": f"{server.gate.cookie}={SECRET}"}  # fmt: skip
    lines = [(name.encode(), text.encode()) for name, text in headers.items()]
    scope = {"type": "http", "method": "POST", "path": filled(route.path, "x"), "query_string": b"",
             "http_version": "1.1", "headers": lines}  # fmt: skip

    async def receive():
        return next(received)

    async def send(message):
        sent.append(message)

    asyncio.run(server.app(scope, receive, send))
    assert [message.get("status") for message in sent] == [400, None]
    assert capfd.readouterr() == ("", "")


def digest(folder):
    """The contents of all files of a folder as one number."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "server.lock")
    return hashlib.sha256(b"".join(str(path).encode() + path.read_bytes() for path in files)).hexdigest()


@pytest.mark.parametrize("route", READS, ids=lambda route: route.path)
def test_reading_changes_nothing(route, server, known):
    """A GET twice gives the same answer, and leaves the files as they are."""
    address = re.sub(r"{(\w+)[^}]*}", lambda name: known.get(name[1], "x"), route.path)
    if STREAMS.search(address):
        return
    before = digest(server.workspace.folder)
    first, second = ask(server, "GET", address), ask(server, "GET", address)
    assert first.status_code == second.status_code < 500
    assert digest(server.workspace.folder) == before
    if "created" not in first.text:
        assert first.content == second.content


@pytest.mark.parametrize("address", sorted({*ADDRESSES, *(filled(route.path, "x") for route in POSTS)}))
def test_every_answer_has_the_headers(address, server):
    """The policy forbids inline scripts, frames, forms and other hosts; JSON is not stored."""
    policy = dict(part.split(" ", 1) for part in HEADERS["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == policy["manifest-src"] == "'self'"
    for headers in ({}, {"Host": "evil.example"})[bool(STREAMS.search(address)) :]:
        for method in ("GET", "POST", "PUT"):
            answer = ask(server, method, address, headers)
            assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
            if "json" in answer.headers.get("content-type", "") and not address.startswith("/static"):
                assert answer.headers["cache-control"] == "no-store"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
FIELDS = ("game", "parameters", "opponents", "coach", "mode", "hands", "version", "action", "amount", "method", "runs",
          "seed", "iterations", "title", "id", "seat", "kind", "opponent", "until", "hand", "at")  # fmt: skip
BODIES = st.one_of(
    st.binary(max_size=60),
    JSON.map(json.dumps).map(str.encode),
    st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=6).map(json.dumps).map(str.encode),
    st.sampled_from([b"[" * 5000, b'{"game":' * 2000, b'{"version": 1e999}', b'{"version": NaN}', b"\xff\xfe{"]),
    st.just(b"1" * 9999),
)  # fmt: skip


@pytest.mark.parametrize("route", POSTS, ids=lambda route: route.path)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=BODIES)
def test_broken_bodies_are_refused_in_words(route, body, server, known):
    """No body leads to an error inside the server; the answer is JSON and shows no trace and no path."""
    address = re.sub(r"{(\w+)[^}]*}", lambda name: known.get(name[1], "x"), route.path)
    answer = ask(server, "POST", address, OWN | {"Content-Type": "application/json"}, content=body)
    assert answer.status_code < 500, answer.text
    assert isinstance(answer.json(), dict) and "Traceback" not in answer.text
    assert str(server.workspace.folder) not in answer.text
    if answer.status_code >= 400:
        assert answer.json()["error"]


@pytest.mark.parametrize("route", POSTS, ids=lambda route: route.path)
def test_large_bodies_are_refused(route, server):
    """At most 64 kB are read, also where no length is given."""
    address, kind = filled(route.path, "x"), {"Content-Type": "application/json"}
    assert MAX_BODY == 65_536
    large = b'"' + b"x" * MAX_BODY + b'"'
    assert ask(server, "POST", address, kind, content=large).status_code == 413
    assert ask(server, "POST", address, kind, content=iter([large[:40_000], large[40_000:]])).status_code == 413
    for size in ("-1", "1e9", "9" * 30, "x"):
        assert ask(server, "POST", address, kind | {"Content-Length": size}, content=b"{}").status_code == 413


HOSTILE = [
    "%2e%2e", "%2e%2e%2f%2e%2e", "%2e%2e%2f", "..%2f..%2fsecret", "..%5csecret", "%2fetc%2fpasswd", "/etc/passwd",
    "%00", "kuhn%00", "link", "link%2fsecret", ".web", ".web%2fsecret", "CON", "nul.txt", "x" * 5000, "%ff%fe", "~",
    "*", "kuhn%2f..%2fkuhn",
]  # fmt: skip


@pytest.fixture(scope="module")
def opened():
    """The names of files that were opened since the list was cleared."""
    names = []
    sys.addaudithook(lambda event, values: names.append(values[0]) if event == "open" else None)
    return names


@pytest.mark.parametrize(
    "route",
    [route for route in API if "{" in route.path and not STREAMS.search(route.path)],
    ids=lambda route: route.path,
)
def test_addresses_are_no_paths(route, server, known, opened, tmp_path_factory):
    """No address leads out of the folder, whether by dots, a link or a name of the system."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret").write_text("hidden")
    td.solve(td.load_game("kuhn"), "cfr+", iterations=1, checkpoint=outside / "run")
    link = server.workspace.folder / "link"
    link.symlink_to(outside / "run")
    opened.clear()
    try:
        for name in HOSTILE:
            for address in (filled(route.path, name), re.sub(r"{(\w+)[^}]*}", name, route.path)):
                for method in route.methods - {"HEAD"}:
                    more = (
                        {"content": b"{}", "headers": {"Content-Type": "application/json"}} if method == "POST" else {}
                    )
                    answer = ask(server, method, address, **more)
                    moved = name == "link" and address.endswith("/bin")  # a link alone, not its target
                    refused = answer.status_code in (204, 307, 400, 404, 405, 409)
                    assert refused or moved, (address, answer.status_code)
                    assert "hidden" not in answer.text and SECRET not in answer.text
    finally:
        link.unlink(missing_ok=True)
    assert (outside / "run" / "run.json").is_file()
    names = [str(name) for name in opened]
    assert not [name for name in names if str(outside) in name or name.startswith(("/etc/passwd", "CON"))]
    own = server.workspace.own_folder / "secret"
    assert not [name for name in names if name == str(own)]
