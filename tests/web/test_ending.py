"""The end of a server: its workers end with it, and its runs stay whole."""

import os
import signal
import socket
import threading
from contextlib import ExitStack, suppress

import httpx2
import pytest

import tefuda as td
from tests.processes import PATIENCE, lives, needs_linux, wait_until
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


def answers(server):
    """Return True if a server answers a request; on a busy machine it may have no time for it."""
    with client_of(server) as client, suppress(httpx2.TransportError):
        return client.get("/api/status").status_code == 200
    return False


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


def test_half_open_connections_end(serve):
    """Silent senders are disconnected, without a trace in the log; the page answers meanwhile."""
    server = serve(before="import tefuda.apps.web.connections as connections; connections.PATIENCE = 0.2")
    head = f"POST /api/solve HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
    cookie = f"Cookie: {server.cookie['name']}={server.cookie['value']}\r\n"
    with ExitStack() as stack:
        silent = [
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), PATIENCE)) for _ in range(200)
        ]
        for number, connection in enumerate(silent):
            with suppress(OSError):  # it has ended already
                connection.sendall(("", head, f"{head}{cookie}Content-Length: 9\r\n\r\n{{")[number % 3].encode())
        wait_until(lambda: answers(server))
        for connection in silent:
            with suppress(ConnectionResetError):
                assert connection.recv(1000) == b""
    server.end()
    assert server.process.returncode == 0 and "Traceback" not in server.errors()


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
