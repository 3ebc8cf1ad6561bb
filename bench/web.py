"""Measurements of the page: start, size, many players, requests beside a solve, kills.

Run ``python -m bench.web``. Milliseconds are of wall time and depend on the machine's load, which is
printed beside them.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import random
import signal
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.processes import lives
from tests.web.serving import Served, children

CLIENTS, MOVES = 10, 30
KILLS = 20
PAGES = ("/", "/api/play", "/api/runs", "/static/js/main.js", "/api/tables")


class Server(Served):
    """A server of the page in a process of its own."""

    def client(self) -> Client:
        """Return a browser that has the cookie."""
        return Client(self.port, f"{self.cookie['name']}={self.cookie['value']}")


class Client:
    """A connection to a server."""

    def __init__(self, port: int, cookie: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._headers = {"Cookie": cookie, "Content-Type": "application/json"}

    def get(self, path: str) -> Any:
        """Return the body at an address; JSON values as such."""
        return self._answer("GET", path, None)

    def post(self, path: str, **fields: Any) -> Any:
        """Return the answer to an action."""
        return self._answer("POST", path, json.dumps(fields))

    def _answer(self, method: str, path: str, body: str | None) -> Any:
        self._connection.request(method, path, body, self._headers)
        response = self._connection.getresponse()
        data = response.read()
        if response.status != 200:
            raise RuntimeError(f"{method} {path}: {response.status} {data[:200]!r}")
        return json.loads(data) if "json" in response.headers["content-type"] else data


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """Serve a folder inside the context, once the kernels are compiled."""
    server = Server(folder)
    try:
        wait_until_prepared(server.client())
        yield server
    finally:
        server.end()


def wait_until_prepared(client: Client) -> None:
    """Wait until the server has compiled its kernels."""
    while (progress := client.get("/api/status")["preparation"])["done"] < progress["total"]:
        time.sleep(0.2)


def start_figures() -> dict[str, float]:
    """Return the CPU seconds until the first answer, and the size of the first page.

    The process that compiles kernels is not included.
    """
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        client = server.client()
        client.get("/")
        clock = os.sysconf("SC_CLK_TCK")
        fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
        seconds = (int(fields[11]) + int(fields[12])) / clock
        first = [
            "/",
            "/static/css/base.css",
            "/static/words/common.json",
            "/static/words/home.json",
            "/static/icon.svg",
        ]
        scripts = ["/static/js/main.js", "/static/js/pages/home.js"]
        sizes = {path: len(_bytes(client, path)) for path in [*first, *_imported(client, scripts)]}
        server.end()
    return {"start_cpu_seconds": seconds, "first_page_bytes": sum(sizes.values()), "first_page_requests": len(sizes)}


def _bytes(client: Client, path: str) -> bytes:
    answer = client.get(path)
    return answer if isinstance(answer, bytes) else json.dumps(answer).encode()


def _imported(client: Client, scripts: list[str]) -> list[str]:
    """Return modules with all that they import statically."""
    known = list(scripts)
    for path in known:
        for line in client.get(path).decode().splitlines():
            if line.startswith("import ") and '"' in line:
                name = line.split('"')[1]
                target = os.path.normpath(os.path.join(os.path.dirname(path), name))
                if target not in known:
                    known.append(target)
    return known


def sit(client: Client, game: str = "leduc", opponent: str = "equilibrium") -> dict[str, Any]:
    """Sit down at a new table."""
    table: dict[str, Any] = client.post("/api/tables", game=game, parameters={}, opponents=[opponent])
    return table


def move(client: Client, table: dict[str, Any]) -> dict[str, Any]:
    """Take the first action, or deal the next hand; check that the table's version grows by one."""
    address, version = f"/api/tables/{table['id']}", table["version"]
    if table["actions"]:
        answer = client.post(f"{address}/act", version=version, action=table["actions"][0]["index"])
    else:
        answer = client.post(f"{address}/next", version=version)
    assert answer["version"] == version + 1, "an action was lost or repeated"
    return dict(answer)


def _together(work: Callable[[int], object], count: int) -> None:
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def players_figures(server: Server) -> dict[str, float]:
    """Return milliseconds of a move with ten clients at once."""
    taken, complete = list[float](), list[int]()
    sit(server.client())  # makes the opponent

    def play(number: int) -> None:
        client = server.client()
        table = sit(client)
        for _ in range(MOVES):
            start = time.perf_counter()
            table = move(client, table)
            taken.append(1e3 * (time.perf_counter() - start))
        complete.append(number)

    _together(play, CLIENTS)
    assert len(complete) == CLIENTS, "a client failed"
    return {"move_ms_median": statistics.median(taken), "move_ms_p99": statistics.quantiles(taken, n=100)[98]}


def solve_figures(server: Server) -> dict[str, float]:
    """Return milliseconds of page requests while a solve runs."""
    client = server.client()
    fields = {"parameters": {}, "form": "tree", "fields": {}, "seed": 0, "seconds": 20.0}
    [run] = client.post("/api/solve", game="leduc", methods=["cfr+"], **fields)["runs"]
    while client.get(f"/api/solve/runs?ids={quote(run)}")[0]["status"] != "running":
        time.sleep(0.1)
    taken = list[float]()
    for number in range(50):
        start = time.perf_counter()
        client.get(PAGES[number % len(PAGES)])
        taken.append(1e3 * (time.perf_counter() - start))
    assert client.get(f"/api/solve/runs?ids={quote(run)}")[0]["status"] == "running", "the solve ended too early"
    client.post(f"/api/solve/{quote(run)}/stop")
    return {"page_ms_median": statistics.median(taken), "page_ms_p95": statistics.quantiles(taken, n=20)[18]}


def kill_figures(folder: Path, kills: int, seed: int = 1) -> dict[str, float]:
    """Kill a server at random moments of play and of a solve; count losses, time the end of workers."""
    random_moment, lost, slowest = random.Random(seed), 0, 0.0
    server = Server(folder)
    wait_until_prepared(server.client())
    table = sit(server.client())
    fields = {"parameters": {}, "form": "tree", "fields": {}, "seed": 0, "iterations": 10_000_000}
    [run] = server.client().post("/api/solve", game="leduc", methods=["cfr+"], **fields)["runs"]
    iterations = 0
    for _ in range(kills):
        seen = {"table": table}

        def play(client: Client, seen: dict[str, Any] = seen) -> None:
            with contextlib.suppress(OSError, http.client.HTTPException):
                while True:
                    seen["table"] = move(client, seen["table"])

        player = threading.Thread(target=play, args=(server.client(),))
        player.start()
        time.sleep(random_moment.uniform(0.5, 4))
        workers = children(server.process)
        server.end(signal.SIGKILL)
        start = time.monotonic()
        player.join()
        while any(map(lives, workers)) and time.monotonic() - start < 30:
            time.sleep(0.02)
        slowest = max(slowest, time.monotonic() - start)
        server = Server(folder, server.port)
        client = server.client()
        table = client.get(f"/api/tables/{table['id']}")
        lost += table["version"] < seen["table"]["version"]
        [state] = client.get(f"/api/solve/runs?ids={quote(run)}")
        lost += state["iterations"] < iterations
        iterations = state["iterations"]
        if state["status"] == "interrupted":
            client.post(f"/api/solve/{quote(run)}/resume")
    server.end()
    return {"kills": kills, "lost": lost, "slowest_end_of_a_worker_s": slowest, "iterations_of_the_run": iterations}


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures = start_figures()
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as server:
        figures |= players_figures(server) | solve_figures(server)
    with tempfile.TemporaryDirectory() as folder:
        figures |= kill_figures(Path(folder), arguments.kills)
    figures["load"] = os.getloadavg()[0]
    if arguments.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:28} {value:,.4g}")


if __name__ == "__main__":
    main()
