"""The application: pages, static files, routes, and errors of routes as JSON."""

from __future__ import annotations

import sys
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib import import_module
from typing import Any

from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router

from tefuda.apps.web.calls import json_response
from tefuda.apps.web.guard import Gate, Guard, TooLarge, asks_for_page
from tefuda.apps.web.routes import home
from tefuda.apps.web.static_files import StaticFiles
from tefuda.apps.web.workspace import Workspace

#: Addresses that answer with the page; its script shows their content.
PAGES = (
    "/", "/solve", "/runs", "/runs/{run}", "/explore", "/explore/{path:path}", "/play", "/tables/{path:path}",
    "/exploit", "/hands", "/hands/{path:path}", "/learn", "/learn/{chapter}", "/help",
)  # fmt: skip
#: Modules of `routes` that read the library; they are imported at the first request, so that the page answers before.
MODULES = ("exploit", "explore", "hands", "learn", "play", "ranges", "review", "runs", "solve", "spots", "start")


@cache
def routes() -> tuple[Route, ...]:
    """Return all routes."""
    modules = [import_module(f"tefuda.apps.web.routes.{name}") for name in MODULES]
    return (*home.ROUTES, *(route for module in modules for route in module.ROUTES))


@cache
def _router() -> Router:
    return Router(routes())


async def _answer(scope: Any, receive: Any, send: Any) -> None:
    router = await to_thread.run_sync(_router)
    await router(scope, receive, send)


def make_application(workspace: Workspace, gate: Gate) -> Guard:
    """Return the ASGI application of a workspace behind its guard."""
    static = StaticFiles()

    async def page(request: Request) -> Response:
        return static.respond(request)

    async def static_file(request: Request) -> Response:
        return static.respond(request, request.path_params["name"])

    async def not_found(request: Request, error: Exception) -> Response:
        """Answer with the page, whose script says that there is none at this address; under /api with JSON."""
        status = error.status_code if isinstance(error, HTTPException) else 404
        if asks_for_page(request.method, request.url.path):
            return static.respond(request, status=status)
        return json_response({"error": f"no page or route answers {request.method} at this address."}, status)

    async def failed(request: Request, error: Exception) -> Response:
        """Print an unexpected error for the person who started the server; the browser gets no details."""
        if isinstance(error, TooLarge):
            raise error
        traceback.print_exception(error, file=sys.stderr)
        if asks_for_page(request.method, request.url.path):
            return static.respond(request, "failed.html", 500)
        return json_response({"error": "an error inside tefuda; the terminal of tefuda web shows it."}, 500)

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        yield
        workspace.close()

    application = Starlette(
        routes=[
            *(Route(path, page) for path in PAGES),
            Route("/static/{name:path}", static_file),
            *home.ROUTES,
        ],
        exception_handlers={HTTPException: not_found, Exception: failed},
        lifespan=lifespan,
    )
    application.router.default = _answer
    application.state.workspace = workspace
    return Guard(application, gate)
