"""Calls of routes: a route is a plain function of the workspace and a checked call."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from anyio import to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tefuda.apps.web.messages.message import message_json
from tefuda.apps.web.workspace import Workspace
from tefuda.errors import InputError, ParameterError, RunError, TefudaError
from tefuda.files import FieldSpec, check_fields, parse_json
from tefuda.words import parse_number


class NotFound(InputError):
    """No run, table or page has this name."""


class Conflict(InputError):
    """The state has changed since the browser read it.

    Args:
        message: the reason.
        state: the present state, as JSON.
    """

    def __init__(self, message: str, state: Any) -> None:
        super().__init__(message)
        self.state = state


class Call(NamedTuple):
    """A call of a route.

    Attributes:
        path: parts of the address by name.
        query: parameters after the question mark.
        body: fields of a POST.
        headers: headers of the request, by lower-case name.
    """

    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Mapping[str, Any] = {}
    headers: Mapping[str, str] = {}

    def number(self, name: str, default: int) -> int:
        """Return a whole number of the query; raise ParameterError if it is none."""
        text = self.query.get(name, "")
        if not text:
            return default
        if not text.removeprefix("-").isdecimal() or len(text) > 18:
            raise ParameterError(f"{name} must be a whole number, got {text[:40]!r}.", key=name, value=text)
        return int(text)

    def amount(self, name: str) -> float | None:
        """Return a number of 0 or more of the query, None without it; raise ParameterError for another value."""
        text = self.query.get(name, "")
        try:
            value = parse_number(text) if text else 0
        except ValueError:
            value = -1
        if not 0 <= value <= 1e9:
            raise ParameterError(f"{name} must be a number of 0 or more, got {text[:20]!r}.", key=name)
        return value if text else None

    def object(self, name: str) -> dict[str, Any]:
        """Return a JSON object of the query, {} without it; raise ParameterError for another value."""
        text = self.query.get(name, "")
        value = json_or_text(text or "{}")
        if not isinstance(value, dict):
            raise ParameterError(f"{name} must be a JSON object, got {text[:40]!r}.", key=name)
        return value


def json_or_text(text: str) -> Any:
    """Return the value of a text in JSON; another text is its own value."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


#: A route's function: it returns a message, JSON values or a response, and runs in a thread.
Function = Callable[[Workspace, Call], Any]


def get(path: str, function: Function) -> Route:
    """Return a route that reads; it must change nothing."""
    return Route(path, _endpoint(function, None), methods=["GET"])


def post(path: str, function: Function, fields: Mapping[str, FieldSpec]) -> Route:
    """Return a route that acts; its body is a JSON object with the given fields."""
    return Route(path, _endpoint(function, fields), methods=["POST"])


def _endpoint(function: Function, fields: Mapping[str, FieldSpec] | None) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        workspace = request.app.state.workspace
        try:
            body = _read_body(await request.body(), fields) if fields is not None else {}
            call = Call(request.path_params, request.query_params, body, request.headers)
            work = partial(_run, function, workspace, call)
            answer = await to_thread.run_sync(work, abandon_on_cancel=True)  # a server that ends does not wait for it
        except ClientDisconnect:
            return Response(status_code=400)  # its sender has left, and receives nothing
        except TefudaError as error:
            return error_response(error, workspace.folder)
        return answer if isinstance(answer, Response) else json_response(answer)

    endpoint.function = function  # type: ignore[attr-defined]  # shared files call it
    return endpoint


def _run(function: Function, workspace: Workspace, call: Call) -> Any:
    """Run a route's function; the workspace counts it while it runs."""
    mark = object()
    workspace.running.add(mark)
    try:
        return function(workspace, call)
    finally:
        workspace.running.discard(mark)


def _read_body(data: bytes, fields: Mapping[str, FieldSpec]) -> dict[str, Any]:
    """Return the fields of a body; raise ParameterError if it is invalid or has unknown fields."""
    try:
        content = parse_json(data)
        check_fields("the request", content, fields)
    except RunError as error:
        raise ParameterError(str(error)) from None
    except (ValueError, RecursionError):
        raise ParameterError("the request is not a JSON object.") from None
    if unknown := sorted(content.keys() - fields.keys()):
        raise ParameterError(f"the request has unknown fields: {', '.join(unknown)[:200]}.", key=unknown[0][:80])
    return dict(content)


def json_response(content: Any, status: int = 200) -> Response:
    """Return messages as JSON that browsers do not store; numbers that are not finite are null."""
    return JSONResponse(message_json(content), status, {"Cache-Control": "no-store"})


def attachment(content: str | bytes, name: str, kind: str) -> Response:
    """Return a file that the browser saves, by its name and type."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(content, headers=headers, media_type=kind)


def error_response(error: TefudaError, folder: Path | None = None) -> Response:
    """Return an error of the library with its message, as JSON.

    Args:
        error: the error.
        folder: folder of the workspace; the message names it without its path.
    """
    if isinstance(error, Conflict):
        return json_response({"error": str(error), "state": error.state}, 409)
    message = str(error) if folder is None else str(error).replace(str(folder), folder.name)
    about = {"key": error.key, "position": error.text and error.position} if isinstance(error, InputError) else {}
    known = {name: value for name, value in about.items() if value}
    return json_response({"error": message, **known}, 404 if isinstance(error, NotFound) else 400)


def stored_json(value: Any) -> str:
    """Return compact JSON text; numbers that are not finite are null."""
    return json.dumps(message_json(value), allow_nan=False, separators=(",", ":"))
