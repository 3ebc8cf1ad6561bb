"""The end of a server: its workers end with it, and its runs stay whole."""

import os
import signal
import threading
from contextlib import suppress

import httpx2
import pytest

import tefuda as td
from tests.processes import lives, needs_linux, wait_until
from tests.web.serving import children


def processor_time(process):
    """Return the seconds of processor time of a process so far."""
    with open(f"/proc/{process.pid}/stat") as file:
        user, system = file.read().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def client_of(server):
    """Return a client that has the cookie of a server."""
    cookie = server.cookie
    return httpx2.Client(base_url=server.address, cookies={cookie["name"]: cookie["value"]}, timeout=60)


@needs_linux
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_solves_end_with_the_server_and_resume(number, serve, tmp_path):
    """A run of a server that ends, in order or not, has the bits of a run that was never interrupted."""
    server = serve()
    with client_of(server) as client:
        plan = {"game": "leduc", "parameters": {}, "methods": ["cfr", "cfr+"], "iterations": 10**9}
        runs = client.post("/api/solve", json=plan).json()["runs"]

        def begun():
            states = client.get("/api/solve/runs", params={"ids": ",".join(runs)}).json()
            return all(len(state["curve"]) > 2 for state in states)

        wait_until(begun)
    workers = children(server.process)
    assert len(workers) >= 2
    server.end(number)
    wait_until(lambda: not any(map(lives, workers)))
    for run in runs:
        solution = td.resume(tmp_path / run, iterations=td.load(tmp_path / run).iterations + 100)
        whole = td.solve(td.load_game("leduc"), solution.method["name"], iterations=solution.iterations)
        assert solution.strategy.probabilities.tolist() == whole.strategy.probabilities.tolist()


@needs_linux
def test_a_server_ends_while_a_request_computes(serve):
    """The end does not wait for a game that is being solved; the request fails."""
    server, answers = serve(before="import tefuda.apps.web.routes.explore as explore; explore._ITERATIONS = 10**9"), []

    def ask():
        with client_of(server) as client, suppress(httpx2.TransportError):
            answers.append(client.get("/api/explore/new:kuhn/at/-").status_code)

    asking = threading.Thread(target=ask)
    asking.start()
    wait_until(lambda: processor_time(server.process) > 5)
    server.end()
    asking.join()
    assert answers in ([], [500]) and server.process.returncode == 0
