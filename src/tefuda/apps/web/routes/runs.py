"""Routes of the page Runs: list, title, files, a file to share, bin."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

from starlette.responses import Response

from tefuda.apps.web.calls import Call, attachment, get, post
from tefuda.apps.web.messages.solving.runs import runs_message
from tefuda.apps.web.run_names import find_run, list_runs, unknown_run
from tefuda.apps.web.workspace import Workspace
from tefuda.errors import SizeError
from tefuda.files import TEXT
from tefuda.solvers.runs.listing import bin_run, rename_run, restore_run

_MOST = 200_000_000  # bytes of a download, which is made in memory


def runs(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return all runs."""
    return runs_message(workspace.folder)


def rename(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Give a run a title; return all runs."""
    rename_run(_folder(workspace, call), call.body["title"])
    return runs_message(workspace.folder)


def discard(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Move a run to the bin, also a damaged one; return its new folder and all other runs."""
    if call.path["run"] not in [run.id for run in list_runs(workspace.folder)]:
        raise unknown_run(call.path["run"])
    moved = bin_run(workspace.folder, call.path["run"])
    return {**runs_message(workspace.folder), "moved": f"{moved.parent.name}/{moved.name}"}


def restore(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Move a run from the bin back; return all runs."""
    restore_run(workspace.folder, call.path["run"], call.body["binned"])
    return runs_message(workspace.folder)


def share(workspace: Workspace, call: Call) -> Response:
    """Return a file that shows the strategy of a run without a server."""
    from tefuda.apps.share.contents import run_contents  # shared files read the routes
    from tefuda.apps.share.making import shared_file

    return attachment(shared_file(run_contents(_folder(workspace, call))), "run.html", "text/html")


def download(workspace: Workspace, call: Call) -> Response:
    """Return the files of a run in a zip archive."""
    folder = _folder(workspace, call)
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    if sum(path.stat().st_size for path in files) > _MOST:
        raise SizeError(f"the run has more than {_MOST / 1e6:.0f} MB; copy the folder {folder.name} instead.")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            archive.write(path, f"run/{path.name}")
    return attachment(buffer.getvalue(), "run.zip", "application/zip")


def _folder(workspace: Workspace, call: Call) -> Path:
    return find_run(workspace.folder, call.path["run"])


ROUTES = (
    get("/api/runs", runs),
    get("/api/runs/{run}/files", download),
    get("/api/runs/{run}/share", share),
    post("/api/runs/{run}/title", rename, {"title": TEXT}),
    post("/api/runs/{run}/bin", discard, {}),
    post("/api/runs/{run}/restore", restore, {"binned": TEXT}),
)
