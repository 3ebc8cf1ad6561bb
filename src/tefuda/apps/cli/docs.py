"""The documentation site: `tefuda docs`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from typer import Option

from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import Section, command, listed, print_json
from tefuda.errors import check_range


@command(**listed(Section.PAPERS, "tefuda docs --open"))
def docs(
    port: Annotated[int, Option(help="Port on this computer; 0: a free port.")] = 8080,
    browser: Annotated[bool, Option("--open/--no-open", help="Open the site in a browser.")] = False,
    folder: Annotated[Path | None, Option(help="Folder of the site; default: build/site.")] = None,
    as_json: options.Json = False,
) -> None:
    """Serve the documentation site to browsers on this computer.

    Build the site with make docs first. Ctrl-C stops the server.
    """
    from tefuda.apps.site import find_site, open_server

    check_range("port", port, 0, 65535)
    with open_server(find_site(folder), port) as server:
        if as_json:
            print_json({"address": server.address})
            sys.stdout.flush()
        else:
            print(f"documentation at {server.address} (Ctrl-C stops the server)", flush=True)
        try:
            if browser:
                import webbrowser

                webbrowser.open(server.address)
            server.serve_forever()
        except KeyboardInterrupt:
            if not as_json:
                print("stopped")
