"""The documentation site: `tefuda docs`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from tefuda.apps.cli.shared.common import Section, command, listed
from tefuda.errors import check_range


@command(**listed(Section.PAPERS, "tefuda docs --open"))
def docs(
    port: Annotated[int, Option(help="Port on this computer; 0: a free port.")] = 8080,
    browser: Annotated[bool, Option("--open/--no-open", help="Open the site in a browser.")] = False,
    folder: Annotated[Path | None, Option(help="Folder of the site; default: build/site.")] = None,
) -> None:
    """Serve the documentation site to browsers on this computer.

    Build the site with make docs first. Ctrl-C stops the server.
    """
    from tefuda.apps.site import find_site, open_server

    check_range("port", port, 0, 65535)
    with open_server(find_site(folder), port) as server:
        print(f"documentation at {server.address} (Ctrl-C stops the server)", flush=True)
        try:
            if browser:
                import webbrowser

                webbrowser.open(server.address)
            server.serve_forever()
        except KeyboardInterrupt:
            print("stopped")
