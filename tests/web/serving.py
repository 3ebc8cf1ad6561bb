"""Servers of the page as processes, as `tefuda web` starts them, but for the deals."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import tefuda
from tests.processes import PATIENCE

ROOT = Path(tefuda.__file__).parent.parent.parent
#: Each table of a story has the same deals each time: 1.2 % of the rounds of Koi-Koi are over before their first turn.
DEALS = "from tefuda.apps.web.tables import TableStore; TableStore.draw_seed = staticmethod(lambda: 4)"

UNPREPARED = "from tefuda.apps.web import jobs; jobs.start_preparation = lambda workspace: None"


class Served:
    """A server of a folder.

    Args:
        before: Python code that its process runs first.
        prepares: compile all kernels when it starts; else they are compiled, or loaded, at their first use.

    Attributes:
        address: ``http://127.0.0.1:PORT``.
        first: address with the token, which opens the page once.
        folder: folder of the runs and tables.
    """

    def __init__(self, folder: Path, port: int = 0, before: str = "", prepares: bool = False):
        before = before if prepares else f"{UNPREPARED}\n{before}"
        self.folder, self.log = folder, folder / "server.log"
        program = f"{DEALS}\n{before}\nimport runpy; runpy.run_module('tefuda', run_name='__main__', alter_sys=True)"
        command = [sys.executable, "-c", program, "web", "--json", "--port", str(port), "--folder", str(folder)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, cwd=ROOT)
        line = self.process.stdout.readline()
        assert line, self.errors()
        self.first = json.loads(line)["address"]
        parts = urlsplit(self.first)
        self.address, self.port = f"{parts.scheme}://{parts.netloc}", parts.port

    @property
    def cookie(self) -> dict[str, str]:
        """The cookie of a browser that has opened the page."""
        secret = (self.folder / ".web" / "secret").read_text()
        return {"name": f"tefuda-{self.port}", "value": secret, "url": self.address}

    def errors(self) -> str:
        """The messages of the server so far."""
        return self.log.read_text()

    def end(self, number: int = signal.SIGTERM) -> None:
        """End the server by a signal, and wait for it."""
        self.process.send_signal(number)
        self.process.wait(PATIENCE)
        self.process.stdout.close()

    def alive(self) -> bool:
        """Return True while the server runs."""
        return self.process.poll() is None


def warm_kernels(names) -> None:
    """Compile kernels that the stories use, in a process of its own."""
    program = f"import tefuda as td; td.prepare({list(names)})"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


def children(process):
    """Return the processes that a process has started."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/stat") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:  # it has ended
            continue
        found += [int(number)] if parent == process.pid else []
    return found
