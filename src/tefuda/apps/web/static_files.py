"""The page's static files: a list made when the server starts; requests never reach the file system."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from tefuda.apps.web.card_faces import card_book, card_sprite
from tefuda.koikoi.people import card_faces as hanafuda

_FOLDER = Path(__file__).with_name("static")
#: Files that are made when the server starts.
MADE: dict[str, Callable[[], str]] = {
    "cards/hanafuda.svg": hanafuda.card_sprite,
    "cards/cards.svg": card_sprite,
    "words/cards.json": card_book,
}
_TYPES = {".js": "text/javascript", ".json": "application/json", ".css": "text/css", ".svg": "image/svg+xml",
          ".webmanifest": "application/manifest+json"}  # fmt: skip
_STORED = 512  # files and joined files whose digest and compressed form are stored


class StaticFiles:
    """Static files by their names relative to ``static``, such as ``js/main.js``."""

    def __init__(self) -> None:
        made = {name: make().encode() for name, make in MADE.items()}
        paths = [path for path in _FOLDER.rglob("[!.]*") if path.is_file()]
        self.content = {path.relative_to(_FOLDER).as_posix(): path.read_bytes() for path in paths} | made

    def respond(self, request: Request, name: str = "index.html", status: int = 200) -> Response:
        """Return a file, or words of several, ``words/home+menu.json``; raise HTTPException for other names.

        The content is compressed if the browser accepts that.
        """
        data = self.content.get(name) or self._joined(name)
        tag = f'"{_digest(data)}"'
        headers = {"Cache-Control": "no-cache", "ETag": tag, "Vary": "Accept-Encoding"}
        if status == 200 and request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            data, headers = _compressed(data), headers | {"Content-Encoding": "gzip"}
        suffix = name[name.rfind(".") :]
        return Response(data, status, headers, media_type=_TYPES.get(suffix) or mimetypes.guess_type(name)[0])

    def _joined(self, name: str) -> bytes:
        parts = name.removeprefix("words/").removesuffix(".json").split("+")
        found = [self.content.get(f"words/{part}.json", b"").strip() for part in parts]
        if not all(found) or name != f"words/{'+'.join(parts)}.json" or len({*parts}) != len(parts):
            raise HTTPException(404)
        return b"{" + b",".join(text[1:-1] for text in found) + b"}"


@lru_cache(_STORED)
def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


@lru_cache(_STORED)
def _compressed(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)
