"""A server for the built documentation site, for browsers on this computer only."""

from __future__ import annotations

import os
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import tefuda
from tefuda.errors import ParameterError

HOST = "127.0.0.1"
ROOT = Path(tefuda.__file__).parents[2]  # of a clone of the repository


def find_site(folder: Path | None = None) -> Path:
    """Return the folder of the built site: the given one, or ``build/site`` of this clone.

    Raises:
        ParameterError: the folder has no site.
    """
    if folder is not None:
        if not (folder / "index.html").is_file():
            raise ParameterError(f"{folder} has no index.html; give the folder build/site.", key="folder")
        return folder
    if not (ROOT / "mkdocs.yml").is_file():
        raise ParameterError(
            "the documentation site is not part of the installed package. Clone the repository, run make docs there, "
            "and give the folder: tefuda docs --folder CLONE/build/site.",
            key="folder",
        )
    site = ROOT / "build" / "site"
    if not (site / "index.html").is_file():
        raise ParameterError(f"the site is not built yet; run make docs in {ROOT}.", key="folder")
    return site


class SiteHandler(SimpleHTTPRequestHandler):
    """Answers GET and HEAD with files of one folder; lists no folders and logs nothing."""

    timeout = 10.0  # seconds without a letter of a request; each connection has a thread

    def send_head(self) -> Any:
        """Send the headers of a file inside the folder; anything else is not found."""
        path = Path(self.translate_path(self.path)).resolve()
        if not path.is_relative_to(Path(self.directory).resolve()):  # a link that leads out
            self.send_error(404)
            return None
        return super().send_head()

    def list_directory(self, path: Any) -> None:
        """Answer that a folder without index.html is not found."""
        self.send_error(404)

    def end_headers(self) -> None:
        """Let browsers ask again after the site was rebuilt."""
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


class SiteServer(ThreadingHTTPServer):
    """A server of the site on the loopback interface."""

    allow_reuse_address = os.name != "nt"  # Windows would let two servers share a port

    @property
    def address(self) -> str:
        """Address of the start page."""
        return f"http://{HOST}:{self.server_port}/"


def open_server(folder: Path, port: int) -> SiteServer:
    """Return a server that listens on a port; 0: a free port. `serve_forever` runs it.

    Raises:
        ParameterError: the port is not free or not allowed.
    """
    try:
        return SiteServer((HOST, port), partial(SiteHandler, directory=str(folder)))
    except OSError as error:
        reason = error.strerror or error
        raise ParameterError(f"port {port} cannot be used ({reason}); give another: --port 0.", key="port") from None
