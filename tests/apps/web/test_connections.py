"""Connections to the server: senders that send half a request, or nothing, and leave room for others."""

import asyncio
import socket
import threading
from contextlib import ExitStack, contextmanager, suppress

import pytest
import uvicorn

from tefuda.apps.web import connections
from tefuda.apps.web.connections import Connection
from tests.processes import PATIENCE, wait_until

WHOLE = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"
HALVES = (b"", b"GET", b"GET / HTTP/1.1\r\nHost: a", WHOLE[:-1])


@pytest.fixture
def served():
    """The port of a server whose answers wait for an event, and that event."""
    free = threading.Event()

    async def app(scope, receive, send):
        message = {"more_body": True}
        while message.get("more_body"):
            message = await receive()
        while not free.is_set() and message["type"] == "http.request":
            await asyncio.sleep(0.005)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, http=Connection, ws="none", lifespan="off", log_level="error"))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    yield listening.getsockname()[1], free, server.server_state.connections
    free.set()
    server.should_exit = True
    thread.join()
    listening.close()


@contextmanager
def connected(port, sent=b""):
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
        connection.sendall(sent)
        yield connection


def answers(connection):
    """The number of answers until the server closes a connection."""
    received = b""
    try:
        while data := connection.recv(1 << 16):
            received += data
    except ConnectionResetError:
        pass
    return received.count(b"\r\n\r\nok")


def answered(connection):
    """True if the server answers; False if it closes the connection."""
    received = b""
    while not received.endswith(b"ok"):
        if not (data := connection.recv(1 << 16)):
            return False
        received += data
    return True


@pytest.mark.parametrize("sent", HALVES)
def test_half_a_request_ends(sent, served, monkeypatch):
    """Neither silence nor a part of a request holds a connection."""
    monkeypatch.setattr(connections, "PATIENCE", 0.05)
    with connected(served[0]) as connection:
        with suppress(OSError):  # it may have ended already
            connection.sendall(sent)
        assert answers(connection) == 0


@pytest.mark.parametrize("sent", HALVES[1:])
def test_half_a_request_after_a_whole_one_ends(sent, served, monkeypatch):
    """The time counts again from the last answer."""
    port, free, _ = served
    with connected(port, WHOLE + sent) as connection:
        monkeypatch.setattr(connections, "PATIENCE", 0.05)
        free.set()
        assert answers(connection) == 1


def test_a_whole_request_has_time(served, monkeypatch):
    """A long computation and a stream are no reason to close a connection."""
    port, free, held = served
    with connected(port, WHOLE) as connection:
        wait_until(lambda: whole(held) == 1)
        (own,) = held
        own.loop.call_soon_threadsafe(own._expire)
        monkeypatch.setattr(connections, "PATIENCE", 0.05)
        with connected(port) as silent:  # its end comes later
            assert answers(silent) == 0
        free.set()
        assert answered(connection)


def whole(held):
    """The number of connections that have sent a whole request."""
    return sum(not connection.waiting for connection in list(held))


def test_the_oldest_half_request_leaves_first(served, monkeypatch):
    """Three hundred silent connections lock out no browser; whole requests stay."""
    monkeypatch.setattr(connections, "MOST", 8)
    port, free, held = served
    with ExitStack() as stack:
        first = stack.enter_context(connected(port, WHOLE))
        wait_until(lambda: whole(held) == 1)
        silent = [stack.enter_context(connected(port, HALVES[n % 4])) for n in range(300)]
        assert [answers(connection) for connection in silent[:293]] == [0] * 293
        assert len(held) == 8
        free.set()
        last = stack.enter_context(connected(port, WHOLE))
        assert answered(first) and answered(last)


def test_a_new_connection_always_has_room(served, monkeypatch):
    """The oldest connection ends if all others wait for an answer."""
    monkeypatch.setattr(connections, "MOST", 2)
    port, free, held = served
    with ExitStack() as stack:
        senders = []
        for number in range(3):
            wait_until(lambda number=number: whole(held) == number)
            senders.append(stack.enter_context(connected(port, WHOLE)))
        assert answers(senders[0]) == 0
        free.set()
        assert answered(senders[1]) and answered(senders[2])
