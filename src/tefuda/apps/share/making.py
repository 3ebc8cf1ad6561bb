"""Shared files: the page's modules, styles and words around contents."""

from __future__ import annotations

import json
import re
from typing import Any

from tefuda.apps.share.bundle import bundled
from tefuda.apps.share.contents import Contents
from tefuda.apps.share.document import document
from tefuda.apps.web.static_files import StaticFiles

_STYLE = re.compile(r'\bstyle\("([\w-]+)"\)')
_WORDS = re.compile(r"\bloadWords\(([^)]*)\)")
_QUOTED = re.compile(r'"([^"]*)"')
#: Views that a page imports by a call.
_VIEWS = {"spot": ("spot_evs", "spot_cards")}
_STATIC = re.compile(r'"(/static/[\w/.-]+\.json)"')


def shared_file(contents: Contents) -> str:
    """Return one HTML file that shows contents without a server or network."""
    files = {name: data.decode() for name, data in StaticFiles().content.items() if not name.endswith(".png")}
    pages = [f"js/pages/{name}.js" for name in contents.pages]
    views = [f"js/views/{view}.js" for name in contents.pages for view in _VIEWS.get(name, ())]
    script = bundled(files.__getitem__, [*pages, *views, "js/main.js"])
    words = {"common", *contents.pages, *_QUOTED.findall(" ".join(_WORDS.findall(script)))}
    texts = {f"/static/words/{name}.json" for name in words} | set(_STATIC.findall(script))
    data: dict[str, Any] = {name: json.loads(files[name[8:]]) for name in sorted(texts) if name[8:] in files}
    styles = {name: files[f"css/{name}.css"] for name in ("base", *sorted({*_STYLE.findall(script)}))}
    start = 'await modules["js/main.js"].start();'
    sprite = "hanafuda" if contents.deck == "hanafuda" else "cards"
    symbols = files[f"cards/{sprite}.svg"] if contents.deck else ""
    return document(contents.title, contents.start, data | contents.data, f"{script}\n{start}", styles, symbols)
