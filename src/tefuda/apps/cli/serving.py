"""Pages for browsers on this computer: `tefuda web`, `tefuda share` and `tefuda docs`."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import Section, command, listed, print_json, report
from tefuda.errors import check_range


@command(**listed(Section.PLAY, "tefuda web --open"))
def web(
    folder: Annotated[Path, Option(help="Folder of the runs and tables.")] = Path("runs"),
    port: Annotated[int, Option(help="Port on this computer; 0: a free port.")] = 8765,
    host: Annotated[str, Option(help="Address to listen on; other computers can reach most.")] = "127.0.0.1",
    games: Annotated[list[str] | None, Option("--game", help="Your own game as file.py:Class; repeatable.")] = None,
    browser: Annotated[bool, Option("--open/--no-open", help="Open the page in a browser.")] = False,
    as_json: options.Json = False,
) -> None:
    """Serve a page to play on, explore strategies and watch solving.

    The printed address opens the page in one browser of this computer. Ctrl-C stops the server.
    """
    from tefuda.apps.web.server import HOST, WebServer

    check_range("port", port, 0, 65535)
    opened = False

    def notify(address: str) -> None:
        nonlocal opened
        if as_json:
            print_json({"address": address})
        else:
            print(f"{'another browser' if opened else 'the page'}: {address}")
        sys.stdout.flush()
        if browser and not opened:
            import webbrowser

            webbrowser.open(address)
        opened = True

    server = WebServer(folder, port, host, notify, games or ())
    if host != HOST:
        print(f"tefuda: {host} can be reached by other computers; requests are not encrypted.", file=sys.stderr)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve()
    if not as_json:
        print("stopped", flush=True)
    if server.computing:
        os._exit(0)  # the thread of a request would keep this process alive; all files are written


@command(**listed(Section.PLAY, "tefuda share runs/leduc --out leduc.html", "tefuda share learn/step"))
def share(
    target: Annotated[str, Argument(metavar="TARGET", help="Run, learn/CHAPTER, learn/step, or a hand.")],
    folder: Annotated[Path, Option(help="Folder of tefuda web, which has the hands.")] = Path("runs"),
    out: Annotated[Path | None, Option(help="File to write.", callback=options.writable_file)] = None,
    own_game: options.OwnGame = "",
    as_json: options.Json = False,
) -> None:
    """Write a run or a hand as one HTML file that needs no server.

    The file of a run explores the strategy of a small tree, or the likeliest nodes of a hold'em spot. learn/CHAPTER is
    a chapter with its widget, learn/step a walk through iterations of CFR. tables/ID/hands/NUMBER, the end of the
    address of a review, is a reviewed hand. The file asks no other host.
    """
    from tefuda.apps.web.server import require_packages
    from tefuda.files import write_bytes

    require_packages("a shared file")
    from tefuda.apps.share.contents import contents_of
    from tefuda.apps.share.making import shared_file

    content = shared_file(contents_of(target, folder, own_game)).encode()
    file = out or Path(f"{Path(target).name}.html")
    write_bytes(file, content)
    report(as_json, {"file": str(file), "bytes": len(content)}, [f"{file}: {len(content) / 1e6:.2f} MB"])


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
