"""A server in process: requests go through the guard as a browser's do."""

import pytest
from starlette.testclient import TestClient

from tefuda.apps.web.application import make_application
from tefuda.apps.web.guard import Gate
from tefuda.apps.web.workspace import Workspace

PORT = 8765
SECRET = "0123456789abcdef" * 3


@pytest.fixture
def gate():
    return Gate(PORT, SECRET)


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path)


@pytest.fixture
def client(workspace, gate):
    """A browser that has the cookie."""
    with TestClient(
        make_application(workspace, gate), f"http://127.0.0.1:{PORT}", raise_server_exceptions=False
    ) as client:
        client.cookies.set(gate.cookie, SECRET)
        yield client
