"""Time the moves of several clients at a server of the page, all at once.

``python -m bench.moves [CLIENTS [MOVES]]`` starts a server and plays Leduc with ten clients of 30 moves. It prints
the median and the 99th percentile of a move in milliseconds, and checks that all moves came in order.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

CLIENTS, MOVES = 10, 30
_LEDUC = {"game": "leduc", "parameters": {}, "opponents": ["equilibrium"], "mode": "after"}


class Client:
    """A client of a server, with the cookie of a browser.

    Attributes:
        seconds: time of each move.
        versions: version of the table after each move.
    """

    def __init__(self, address: str, cookie: str) -> None:
        self.address, self.cookie = address, cookie
        self.seconds: list[float] = []
        self.versions: list[int] = []

    def send(self, path: str, body: dict[str, Any]) -> Any:
        """Return the answer to a POST."""
        headers = {"Content-Type": "application/json", "Cookie": self.cookie}
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def play(self, state: Any, moves: int) -> None:
        """Make moves at a table."""
        for _ in range(moves):
            what, move = ("act", {"action": state["actions"][0]["index"]}) if state["actions"] else ("next", {})
            start = time.perf_counter()
            state = self.send(f"/api/tables/{state['id']}/{what}", {"version": state["version"], **move})
            self.seconds.append(time.perf_counter() - start)
            self.versions.append(state["version"])


def measure(folder: Path, clients: int, moves: int) -> list[Client]:
    """Return the clients after their moves at a server of a folder."""
    command = [sys.executable, "-m", "tefuda", "web", "--json", "--port", "0", "--folder", str(folder)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None, "the server prints its address"
        address = json.loads(server.stdout.readline())["address"].partition("/?")[0]
        secret = (folder / ".web" / "secret").read_text()
        players = [Client(address, f"tefuda-{address.rpartition(':')[2]}={secret}") for _ in range(clients)]
        tables = [player.send("/api/tables", _LEDUC) for player in players]
        threads = [
            threading.Thread(target=player.play, args=(table, moves))
            for player, table in zip(players, tables, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        server.terminate()
        server.wait()
    return players


def main() -> None:
    """Print the times of all moves."""
    given = [int(text) for text in sys.argv[1:]]
    clients, moves = [*given, *(CLIENTS, MOVES)[len(given) :]]
    with tempfile.TemporaryDirectory() as folder:
        players = measure(Path(folder), clients, moves)
    in_order = all(player.versions == list(range(2, moves + 2)) for player in players)
    seconds = sorted(second for player in players for second in player.seconds)
    middle, slow = statistics.median(seconds), seconds[min(int(len(seconds) * 0.99), len(seconds) - 1)]
    print(f"{clients} clients, {moves} moves each: median {middle * 1e3:.1f} ms, 99 % below {slow * 1e3:.1f} ms")
    print(f"in order: {in_order}")


if __name__ == "__main__":
    main()
