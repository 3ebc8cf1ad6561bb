"""The guard of the web page: it answers only browsers of this computer's user.

Any web site that is open in the same browser may send requests to a server on loopback. The guard checks the host
(against DNS rebinding), the origin, and a secret cookie, and adds headers that forbid foreign scripts.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

_LIFE = 400 * 86_400  # seconds of the cookie, the most that browsers accept: an installed page starts without a token
MAX_BODY = 65_536  # bytes of a request
_TOO_LARGE = f"the request exceeds {MAX_BODY:,} bytes."
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
#: A page for browsers that may load no other file, in both languages.
_PAGE = Path(__file__).with_name("static").joinpath("refused.html").read_text("utf-8")
_TITLES = {True: ("This browser is not signed in", "このブラウザーは登録されていません"),
           False: ("This request is refused", "この要求にはお答えできません")}  # fmt: skip
_UNKNOWN = "this browser is unknown. Open the address that tefuda web printed last."


class TooLarge(Exception):
    """The body of a request exceeds `MAX_BODY`."""


@dataclass
class Gate:
    """Secrets and addresses of a server.

    Args:
        port: port of the server.
        secret: value of the cookie, 192 random bits.
        hosts: host names under which the server may be addressed.
        notify: function that receives the next address after a token was used.

    Attributes:
        token: one-time token of the printed address; a new one replaces it after use.
    """

    port: int
    secret: str
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]")
    notify: Callable[[str], None] = lambda address: None
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    @property
    def cookie(self) -> str:
        """Name of the cookie; cookies are shared by all ports of a host, so it contains the port."""
        return f"tefuda-{self.port}"

    @property
    def address(self) -> str:
        """Address that opens the page once."""
        return f"http://{self.hosts[0]}:{self.port}/?token={self.token}"

    def knows_host(self, headers: Mapping[str, str]) -> bool:
        """Return True if the host is one of the server's own."""
        return headers.get("host", "") in {f"{host}:{self.port}" for host in self.hosts}

    def knows_origin(self, headers: Mapping[str, str]) -> bool:
        """Return True if the origin is absent or the server's own."""
        return headers.get("origin") in {None, *(f"http://{host}:{self.port}" for host in self.hosts)}

    def knows_cookie(self, headers: Mapping[str, str]) -> bool:
        """Return True if the secret cookie was sent."""
        value = cookie_parser(headers.get("cookie", "")).get(self.cookie, "")
        return secrets.compare_digest(value.encode(), self.secret.encode())

    def admit(self, token: str) -> Response | None:
        """Return a redirection that sets the cookie if the token is valid; None otherwise."""
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return None
        self.token = secrets.token_urlsafe(24)
        self.notify(self.address)
        response = RedirectResponse("/", 303)
        response.set_cookie(self.cookie, self.secret, max_age=_LIFE, httponly=True, samesite="strict", path="/")
        return response


class Guard:
    """ASGI middleware that checks every request and adds headers to every response."""

    def __init__(self, app: Any, gate: Gate) -> None:
        self.app, self.gate = app, gate

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        async def send_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        answer: Any = self._refusal(scope) or self.app
        try:
            await answer(scope, _limited(receive), send_headers)
        except asyncio.CancelledError:
            return  # the server ends; nothing waits for the answer
        except TooLarge:
            await _refuse(413, _TOO_LARGE)(scope, receive, send_headers)

    def _refusal(self, scope: Any) -> Response | None:
        """Return the response to a request that is refused or admitted by its token; None if it may pass."""
        headers, gate, method = Headers(scope=scope), self.gate, scope["method"]
        refuse = partial(_refuse, page=asks_for_page(method, scope["path"]))
        if not gate.knows_host(headers):
            return refuse(403, "the host is not this server. Open the address that tefuda web printed.")
        if not gate.knows_origin(headers) or _comes_from_elsewhere(method, scope["path"], headers):
            return refuse(403, "the request comes from another site.")
        if method not in ("GET", "HEAD", "POST"):
            return refuse(405, f"the method {method} is not used here.")
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if token and scope["path"] == "/" and method == "GET" and (response := gate.admit(token)) is not None:
            return response
        if not gate.knows_cookie(headers):
            return refuse(403, _UNKNOWN)
        return _check_post(headers) if method == "POST" else None


def asks_for_page(method: str, path: str) -> bool:
    """Return True if a page answers a request, False if JSON does: only data are asked for as JSON."""
    return method in ("GET", "HEAD") and not path.startswith("/api")


def _comes_from_elsewhere(method: str, path: str, headers: Mapping[str, str]) -> bool:
    """Return True if another site sent a request; it may only link to a page."""
    site = headers.get("sec-fetch-site", "same-origin")
    link = headers.get("sec-fetch-mode") == "navigate" and not path.startswith("/api")
    typed = site == "none"  # an address that the person entered
    return site != "same-origin" and (method == "POST" or not (link or typed))


def _check_post(headers: Headers) -> Response | None:
    """Return the refusal of a POST that another site could send; None if it may pass."""
    if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return _refuse(403, "the content type must be application/json.")
    size = headers.get("content-length", "0")
    if not size.isdecimal() or len(size) > 12 or int(size) > MAX_BODY:
        return _refuse(413, _TOO_LARGE)
    return None


def _limited(receive: Any) -> Any:
    """Return a function that receives at most `MAX_BODY` bytes."""
    total = 0

    async def receive_limited() -> Any:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > MAX_BODY:
            raise TooLarge
        return message

    return receive_limited


def _refuse(status: int, reason: str, page: bool = False) -> Response:
    headers = {"Cache-Control": "no-store"}
    if page:
        title, japanese = _TITLES[reason == _UNKNOWN]
        reason = reason[0].upper() + reason[1:]  # no text of the request
        return HTMLResponse(_PAGE.format(title=title, reason=reason, japanese=japanese), status, headers)
    return JSONResponse({"error": reason}, status, headers)
