"""Connections to the server: a limited number, each with a limited time for its requests.

uvicorn limits the time between requests alone, and at its limit of connections it refuses all requests.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 128  # connections; a browser opens six
PATIENCE = 10.0  # seconds for a whole request, from the beginning or the last answer


class Connection(H11Protocol):
    """A connection that ends unless it sends a whole request in time.

    At the limit a new connection ends the oldest one, first of all one that has not sent its request.
    """

    _deadline: asyncio.TimerHandle

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Make room for the connection, and wait for its first request."""
        if len(self.connections) >= MOST:
            others = [other for other in self.connections if isinstance(other, Connection)]
            min(others, key=lambda other: (not other.waiting, other._deadline.when())).end()
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._deadline.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._deadline.cancel()
        self._wait()
        super().on_response_complete()

    @property
    def waiting(self) -> bool:
        """True until a whole request has arrived."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def end(self) -> None:
        """Close the connection at once; an unfinished request has no answer."""
        self.connections.discard(self)
        self.transport.abort()

    def _wait(self) -> None:
        self._deadline = self.loop.call_later(PATIENCE, self._expire)

    def _expire(self) -> None:
        if self.waiting:
            self.end()
