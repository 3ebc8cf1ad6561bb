"""The route of the server's state."""

from __future__ import annotations

from typing import Any

import tefuda
from tefuda.apps.web.calls import Call, get
from tefuda.apps.web.workspace import Workspace


def status(workspace: Workspace, call: Call) -> dict[str, Any]:
    """Return the version of the server, and the progress of its preparation: None if it was not started."""
    preparation = workspace.find_part("preparation")
    return {"version": tefuda.__version__, "preparation": preparation and preparation.progress()}


ROUTES = (get("/api/status", status),)
