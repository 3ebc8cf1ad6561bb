"""The skeleton of the page: calls, channels, static files, values made once."""

import asyncio
import os
import threading

import pytest
from typer.testing import CliRunner

import tefuda as td
from tefuda.apps.cli import app
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
    answer = error_response(td.errors.ParameterError("seed must be positive.", key="seed"))
    assert answer.status_code == 400
    assert b'"key":"seed"' in answer.body


def test_whole_numbers_of_a_query_are_checked():
    assert Call({}, {"seat": "-3"}).number("seat", 0) == -3
    assert Call({}, {}).number("seat", 7) == 7
    with pytest.raises(td.errors.ParameterError):
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
    assert channel.after(3) == [(4, '{"n":3}'), (5, '{"n":4}')]
    assert channel.after(4) == [(5, '{"n":4}')] and channel.after(5) == []
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
    with pytest.raises(td.errors.ParameterError) as error:
        WebServer(tmp_path, server.port)
    assert error.value.key == "port"
    server.socket.close()


def test_a_folder_has_one_server(tmp_path):
    with locked(tmp_path / ".web" / "server"), pytest.raises(td.errors.BusyError):
        WebServer(tmp_path, 0).serve()


def put_folder(path):
    path.mkdir()


def put_pipe(path):
    os.mkfifo(path)


def put_link(path):
    """A link to a secret that would be valid."""
    target = path.with_name("target")
    target.write_text("0" * 48)
    target.chmod(0o600)
    path.symlink_to(target)


def put_broken_link(path):
    path.symlink_to("nowhere")


@pytest.mark.parametrize("put", [put_folder, put_pipe, put_link, put_broken_link])
def test_a_secret_that_is_no_regular_file_is_refused(put, tmp_path):
    """Nothing is read through links, and a pipe without a writer does not hang the server."""
    path = tmp_path / ".web" / "secret"
    path.parent.mkdir()
    put(path)
    before = os.lstat(path).st_ino
    with pytest.raises(td.errors.RunError):
        Workspace(tmp_path).secret()
    result = CliRunner().invoke(app, ["web", "--port", "0", "--folder", str(tmp_path)])
    assert result.exit_code == 2 and isinstance(result.exception, SystemExit) and result.stdout == ""
    assert os.lstat(path).st_ino == before and not (tmp_path / ".web" / ".server.lock").exists()


@pytest.mark.parametrize("place", ["file", "file/inside", "/proc/none", "/dev/null", "a\0b", "x" * 300, "filled"])
def test_a_folder_that_cannot_be_written_is_refused(place, tmp_path):
    (tmp_path / "file").write_text("content")
    (tmp_path / "filled").mkdir()
    (tmp_path / "filled" / ".web").write_text("a file in the place of a folder")
    with pytest.raises(td.errors.RunError):
        WebServer(tmp_path / place, 0).serve()
    result = CliRunner().invoke(app, ["web", "--port", "0", "--folder", str(tmp_path / place)])
    assert result.exit_code == 2 and isinstance(result.exception, SystemExit)
    assert (tmp_path / "file").read_text() == "content"


@pytest.mark.parametrize("content", [b"", b"0" * 47, b"0" * 49, b"\xff" * 48, b"; Secure;" + b"0" * 39])
def test_a_damaged_secret_is_replaced(content, tmp_path):
    path = tmp_path / ".web" / "secret"
    path.parent.mkdir()
    path.write_bytes(content)
    path.chmod(0o600)
    secret = Workspace(tmp_path).secret()
    assert len(bytes.fromhex(secret)) == 24 and path.read_text() == secret


@pytest.mark.skipif(os.name != "posix", reason="files have no permissions")
def test_a_secret_that_other_users_can_read_is_replaced(tmp_path):
    secret = Workspace(tmp_path).secret()
    for mode in (0o640, 0o602, 0o604):
        (tmp_path / ".web" / "secret").chmod(mode)
        before, secret = secret, Workspace(tmp_path).secret()
        assert secret != before and Workspace(tmp_path).secret() == secret


def test_words_of_several_files_come_in_one_answer(client):
    """The union of the files; a name that is unknown, empty or given twice has no answer."""
    names = ("home", "menu", "cards")
    files = [client.get(f"/static/words/{name}.json").json() for name in names]
    joined = client.get(f"/static/words/{'+'.join(names)}.json")
    assert joined.json() == {key: value for file in files for key, value in file.items()}
    assert joined.headers["content-type"] == "application/json"
    for name in ("home+none", "home+", "home+home", "home+../home", "+"):
        assert client.get(f"/static/words/{name}.json").status_code == 404
    assert client.get("/static/css/base+home.css").status_code == 404
