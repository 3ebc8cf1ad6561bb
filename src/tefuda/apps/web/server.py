"""The server of the web page, on this computer only unless a host is given."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from tefuda.errors import MissingExtraError, ParameterError
from tefuda.locks import locked

HOST = "127.0.0.1"


def require_packages(feature: str) -> None:
    """Raise MissingExtraError unless the extra ``web`` is installed."""
    try:
        import latex2mathml  # noqa: F401
        import markdown  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise MissingExtraError("web", feature) from None


@dataclass
class WebServer:
    """A server that listens; `serve` answers until it is interrupted.

    Args:
        folder: folder of the runs and tables.
        port: port; 0: a free one.
        host: address to listen on.
        notify: function that receives each address that opens the page in a browser.
        games: own games of the page, each ``"FILE.py:Class"``; no others are loaded.

    Attributes:
        computing: whether the function of a request still ran when the server ended.

    Raises:
        ParameterError: the port or the host cannot be used, or an own game cannot be loaded.
        MissingExtraError: the extra ``web`` is not installed.
    """

    folder: Path
    port: int = 8765
    host: str = HOST
    notify: Callable[[str], None] = lambda address: None
    games: Sequence[str] = ()
    computing: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        require_packages("the web page")
        if self.games:
            from tefuda.apps.web.own_games import register

            register(self.games)
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self.socket.bind((self.host, self.port))
            self.socket.listen()  # the printed address answers at once, as soon as the server is ready
        except OSError as error:
            self.socket.close()
            reason = error.strerror or error
            raise ParameterError(
                f"{self.host}:{self.port} cannot be used ({reason}); give another port: --port 0.", key="port"
            ) from None
        self.port = self.socket.getsockname()[1]

    def serve(self) -> None:
        """Answer requests until SIGINT or SIGTERM; streams are closed within a second.

        Raises:
            BusyError: another server serves the folder.
            RunError: the folder cannot be written.
        """
        import uvicorn

        from tefuda.apps.web.application import make_application
        from tefuda.apps.web.connections import Connection
        from tefuda.apps.web.guard import Gate
        from tefuda.apps.web.jobs import start_preparation
        from tefuda.apps.web.workspace import Workspace

        workspace = Workspace(self.folder)
        own = (self.host,) if self.host not in (HOST, "0.0.0.0") else ()
        with closing(self.socket), locked(workspace.own_folder / "server"):
            gate = Gate(self.port, workspace.secret(), (*own, HOST, "localhost", "[::1]"), self.notify)
            config = uvicorn.Config(
                make_application(workspace, gate), log_level="warning", access_log=False, timeout_graceful_shutdown=1,
                http=Connection, ws="none", server_header=False, date_header=False,
            )  # fmt: skip
            self.notify(gate.address)
            start_preparation(workspace)
            try:
                uvicorn.Server(config).run([self.socket])
            finally:  # the server raises the signal that ended it once more
                self.computing = bool(workspace.running)
