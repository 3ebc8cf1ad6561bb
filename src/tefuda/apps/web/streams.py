"""Streams: events that a page receives while it is visible, as server-sent events."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

from starlette.responses import Response, StreamingResponse

from tefuda.apps.web.calls import Call, stored_json

_ALIVE = 15.0  # seconds between comments that keep the connection open


class Channel:
    """Events of one source, numbered from 1. Threads publish, browsers read and come back.

    Args:
        most: number of events that are stored for browsers that come back; older ones are dropped.
    """

    def __init__(self, most: int = 1000) -> None:
        self._most, self._events, self._dropped = most, list[str](), 0
        self._lock, self.closed = threading.Lock(), False
        self._readers = set[tuple[asyncio.AbstractEventLoop, asyncio.Event]]()

    def publish(self, event: Any) -> None:
        """Add an event, a JSON value."""
        with self._lock:
            self._events.append(stored_json(event))
            if len(self._events) > self._most:
                self._dropped += 1
                del self._events[0]
        self._wake()

    def close(self) -> None:
        """End the streams after the last event."""
        self.closed = True
        self._wake()

    def after(self, number: int) -> list[tuple[int, str]]:
        """Return the numbers and texts of the events after a number."""
        with self._lock:
            first = max(number - self._dropped, 0)
            return [(self._dropped + first + i + 1, text) for i, text in enumerate(self._events[first:])]

    def _wake(self) -> None:
        for loop, event in list(self._readers):
            if not loop.is_closed():
                loop.call_soon_threadsafe(event.set)

    async def texts(self, number: int) -> AsyncIterator[str]:
        """Yield server-sent events after a number until the channel is closed."""
        reader = asyncio.get_running_loop(), asyncio.Event()
        self._readers.add(reader)
        try:
            yield ": open\n\n"
            while True:
                reader[1].clear()
                closed, events = self.closed, self.after(number)
                for number, text in events:
                    yield f"id: {number}\ndata: {text}\n\n"
                if closed:
                    yield "event: end\ndata: {}\n\n"
                    return
                try:
                    await asyncio.wait_for(reader[1].wait(), _ALIVE)
                except TimeoutError:
                    yield ": alive\n\n"
        finally:
            self._readers.discard(reader)


def stream(channel: Channel | None, call: Call) -> Response:
    """Return the stream of a channel after the browser's last event.

    If nothing more will come the status is 204, which tells browsers not to come back.
    """
    text = call.headers.get("last-event-id") or call.query.get("after", "0")
    number = int(text) if text.isdecimal() and len(text) < 16 else 0
    if channel is None or (channel.closed and not channel.after(number)):
        return Response(status_code=204)
    return StreamingResponse(
        channel.texts(number), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
    )
