"""Answers of the page's routes without a server."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from starlette.routing import Match

from tefuda.apps.web.application import routes
from tefuda.apps.web.calls import Call
from tefuda.apps.web.messages.message import message_json
from tefuda.apps.web.workspace import Workspace
from tefuda.errors import ParameterError

_DIGITS = 6  # significant digits of numbers, which are for reading


def answer(workspace: Workspace, address: str) -> Any:
    """Return the JSON values at an address, with numbers of six significant digits.

    Raises:
        ParameterError: no route reads this address.
    """
    parts = urlsplit(address)
    scope = {"type": "http", "method": "GET", "path": unquote(parts.path), "headers": []}
    for route in routes():
        match, found = route.matches(scope)
        if match is Match.FULL:
            call = Call(found["path_params"], dict(parse_qsl(parts.query, keep_blank_values=True)))
            function: Any = route.endpoint
            return _rounded(message_json(function.function(workspace, call)))
    raise ParameterError(f"no route of the page reads {address}.", key="address", value=address)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        rounded = float(f"{value:.{_DIGITS}g}")
        return int(rounded) if rounded.is_integer() and abs(rounded) < 10**15 else rounded
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return [_rounded(item) for item in value] if isinstance(value, list) else value
