"""The skeleton of the page: calls, channels, static files, values made once."""

import asyncio
import threading

import pytest

import tefuda as td
from tefuda.apps.web.calls import Call, NotFound, error_response
from tefuda.apps.web.server import WebServer
from tefuda.apps.web.streams import Channel, stream
from tefuda.apps.web.workspace import SharedValues, Workspace
from tefuda.locks import locked


def test_pages_and_static_files_answer(client):
    page = client.get("/explore/leduc/-?seat=0")
    assert page.status_code == 200
    assert "text/html" in page.headers["content-type"]
    script = client.get("/static/js/main.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert client.get("/static/js/main.js", headers={"If-None-Match": script.headers["etag"]}).status_code == 304
    assert client.get("/api/status").json()["version"] == td.__version__


def test_unknown_addresses_are_not_found(client):
    for path in (
        "/nowhere",
        "/static/js/../../guard.py",
        "/static/%2e%2e/guard.py",
        "/static/js",
        "/static/",
        "/api/none",
    ):
        assert client.get(path).status_code == 404, path


def test_a_token_opens_the_page_once(client, gate):
    client.cookies.clear()
    assert client.get("/").status_code == 403
    token = gate.token
    answer = client.get(f"/?token={token}", follow_redirects=False)
    assert answer.status_code == 303
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert "SameSite=strict" in answer.headers["set-cookie"]
    assert client.get("/").status_code == 200
    client.cookies.clear()
    assert client.get(f"/?token={token}").status_code == 403


def test_errors_of_the_library_become_json():
    assert error_response(NotFound("no run")).status_code == 404
    answer = error_response(td.ParameterError("seed must be positive.", key="seed"))
    assert answer.status_code == 400
    assert b'"key":"seed"' in answer.body


def test_whole_numbers_of_a_query_are_checked():
    assert Call({}, {"seat": "-3"}).number("seat", 0) == -3
    assert Call({}, {}).number("seat", 7) == 7
    with pytest.raises(td.ParameterError):
        Call({}, {"seat": "1e3"}).number("seat", 0)


def collected(channel, after=0):
    async def read():
        return [text async for text in channel.texts(after)]

    return asyncio.run(read())


def test_a_channel_delivers_events_in_order_and_from_a_number():
    channel = Channel(most=3)
    for number in range(5):
        channel.publish({"n": number})
    assert [number for number, _ in channel.after(0)] == [3, 4, 5]
    assert channel.after(4) == [(5, '{"n":4}')]
    channel.close()
    texts = collected(channel, 4)
    assert "id: 5\n" in texts[1]
    assert texts[-1].startswith("event: end")
    assert stream(channel, Call({}, {"after": "5"})).status_code == 204
    assert stream(None, Call({}, {})).status_code == 204


def test_a_waiting_reader_receives_events_of_a_thread():
    channel = Channel()

    async def read():
        texts = channel.texts(0)
        opened = await anext(texts)
        waiting = asyncio.create_task(anext(texts))
        await asyncio.sleep(0)  # until it waits for the first event
        assert not waiting.done()
        thread.start()
        return [opened, await waiting, *[text async for text in texts]]

    def publish():
        for number in range(3):
            channel.publish(number)
        channel.close()

    thread = threading.Thread(target=publish)
    texts = asyncio.run(read())
    thread.join()
    assert [text for text in texts if text.startswith("id")] == [f"id: {n + 1}\ndata: {n}\n\n" for n in range(3)]


def test_shared_values_are_made_once():
    values, made = SharedValues(), []
    barrier = threading.Barrier(4)

    def use():
        barrier.wait()
        values.get("key", lambda: made.append(1) or "value")

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]


def test_the_oldest_shared_value_is_dropped():
    values = SharedValues(most=2)
    for key in (1, 2, 3):
        values.get(key, lambda key=key: key * 10)
    assert values.get(1, lambda: "again") == "again"
    assert values.get(3, lambda: "again") == 30


def test_a_failed_value_is_made_again():
    values = SharedValues()
    with pytest.raises(ZeroDivisionError):
        values.get("key", lambda: 1 / 0)
    assert values.get("key", lambda: 5) == 5


def test_the_secret_survives_a_restart(tmp_path):
    secret = Workspace(tmp_path).secret()
    assert len(bytes.fromhex(secret)) == 24
    assert Workspace(tmp_path).secret() == secret
    assert (tmp_path / ".web" / "secret").stat().st_mode & 0o077 == 0


def test_a_used_port_is_refused(tmp_path):
    server = WebServer(tmp_path, 0)
    with pytest.raises(td.ParameterError) as error:
        WebServer(tmp_path, server.port)
    assert error.value.key == "port"
    server.socket.close()


def test_a_folder_has_one_server(tmp_path):
    with locked(tmp_path / ".web" / "server"), pytest.raises(td.BusyError):
        WebServer(tmp_path, 0).serve()
