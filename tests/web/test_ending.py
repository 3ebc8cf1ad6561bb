"""The end of a server: its workers end with it, and its runs stay whole."""

import signal

import httpx2
import pytest

import tefuda as td
from tests.processes import lives, needs_linux, wait_until
from tests.web.serving import children


@needs_linux
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_solves_end_with_the_server_and_resume(number, serve, tmp_path):
    """A run of a server that ends, in order or not, has the bits of a run that was never interrupted."""
    server = serve()
    cookie = server.cookie
    with httpx2.Client(base_url=server.address, cookies={cookie["name"]: cookie["value"]}, timeout=60) as client:
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
