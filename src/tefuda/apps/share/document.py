"""One HTML file: styles, script and data inside, and a policy that allows nothing else."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from collections.abc import Mapping
from typing import Any

from tefuda.errors import ParameterError

_START = """\
const packed = atob(document.getElementById("data").textContent);
const bytes = new Blob([Uint8Array.from(packed, (letter) => letter.charCodeAt(0))]);
const unpacked = new Response(bytes.stream().pipeThrough(new DecompressionStream("gzip")));
const made = (names, values) => names ? Object.fromEntries(names.map((name, place) => [name, values[place]])) : values;
const rows = ([addresses, names, ...columns]) => addresses.map((address, row) =>
  [address, made(names, columns.map((column) => column[row]))]);
globalThis.tefudaData = Object.fromEntries(JSON.parse(await unpacked.text()).flatMap(rows));
"""
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
{styles}
</head>
<body data-start="{start}">
<header id="head"></header>
<div id="banner" role="alert"></div>
<main id="main" tabindex="-1"></main>
<div id="messages" role="status"></div>
<div id="live" class="unseen" role="status"></div>
{symbols}
<script type="text/plain" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def document(
    title: str, start: str, data: Mapping[str, Any], script: str, styles: Mapping[str, str], symbols: str = ""
) -> str:
    """Return an HTML page that needs nothing else: it opens from a file, without a server or network.

    Args:
        title: title of the window.
        start: address that the page shows first.
        data: JSON values by the address that the page asks for.
        script: script of the page; `bundled` makes it. It finds the data in ``tefudaData``.
        styles: style sheets by name.
        symbols: SVG with symbols that the page uses.

    Raises:
        ParameterError: the script or a style sheet would end its own element.
    """
    script = f"(async () => {{\n{_START}{script}\n}})();"
    for name, text in {"script": script, **styles}.items():
        if re.search("</(script|style)", text, re.IGNORECASE):
            raise ParameterError(f"{name} contains </script or </style, which could end its element.", key=name)
    sheets = [(name, f"\n{text}\n") for name, text in styles.items()]
    return _PAGE.format(
        policy=_policy(script, [text for _, text in sheets]),
        title=html.escape(title),
        styles="\n".join(f'<style data-name="{html.escape(name)}">{text}</style>' for name, text in sheets),
        start=html.escape(start),
        data=_packed(data),
        script=script,
        symbols=f"<div hidden>{symbols[symbols.index('<svg') :]}</div>" if symbols else "",
    )


def _packed(data: Mapping[str, Any]) -> str:
    """Return JSON values, which are objects or lists, as compressed bytes in base64.

    Values of one shape are stored by column: equal parts of many answers are then near each other, where the
    compression finds them. A group of values is [addresses, names or null for lists, column, column, ...].
    """
    groups: dict[tuple[str, ...] | int, dict[str, Any]] = {}
    for address, value in data.items():
        groups.setdefault(tuple(value) if isinstance(value, Mapping) else len(value), {})[address] = value
    packed: list[list[Any]] = []
    for shape, rows in groups.items():
        names = None if isinstance(shape, int) else list(shape)
        columns = zip(*((value if names is None else value.values()) for value in rows.values()), strict=True)
        packed.append([list(rows), names, *map(list, columns)])
    text = json.dumps(packed, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def _policy(script: str, styles: list[str]) -> str:
    """Return a Content-Security-Policy that allows this script and these styles, and no request."""
    sheets = " ".join(map(_hash, styles)) or "'none'"
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {sheets}; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"
